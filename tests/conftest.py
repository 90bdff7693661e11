"""Shared set-up: where compilation is off, tests of a compiled size are left out."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0"):
        return
    skip = pytest.mark.skip(reason="needs compiled kernels for its size")
    for item in items:
        if "jit" in item.keywords:
            item.add_marker(skip)
