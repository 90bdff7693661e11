"""Proofs beside .rgu files: the damage that only they can find."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import urcx
from urcx.engine.files.sealed import BLOCK
from urcx.errors import TablebaseError
from urcx.solving.checking import check_tablebase
from urcx.solving.files.proof import proof_file
from urcx.solving.files.rgu import open_rgu
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase, write_tablebase
from urcx.solving.layered.order import LayerOrder

TWO = replace(urcx.ruleset("finkel"), pieces=2)
ENTRIES = 12_990  # as RoyalUr-Java's file of two pieces has
START = urcx.parse_position("-/-/0-0/L")


def test_a_flipped_value_is_found_by_the_proof(tmp_path: Path) -> None:
    """The least bit of a value, which no range and no order betrays, in a block without keys."""
    file = tmp_path / "two.rgu"
    own, order = tmp_path / "two.urcx", LayerOrder(TWO)
    generator = np.random.default_rng(5)
    write_tablebase(own, order, lambda x: (generator.random(order.size(x)), 0.0), "f64")
    with open_tablebase(own) as base:
        export_rgu(base, file, "percent16")
    data = bytearray(file.read_bytes())
    assert len(data) - 2 * ENTRIES < BLOCK < len(data)
    data[-1] ^= 1  # the start is the last entry
    file.write_bytes(data)
    with open_rgu(file) as found:
        for read in (
            lambda: found.probe(START),
            lambda: found.get(START, 0.5),
            lambda: found.layer((0, 0)),
            lambda: found.layer((1, 1)),  # whose values may lie anywhere
        ):
            with pytest.raises(TablebaseError, match=r"damaged: it is not as two.rgu.proof says"):
                read()
        assert all(wrong for _, wrong in found.damaged())
        assert check_tablebase(found, threads=1).bound is None
    proof_file(file).unlink()
    with open_rgu(file) as found:
        assert found.bound is None
        assert found.probe(START) == pytest.approx(last_value(bytes(data)), abs=1e-12)


def last_value(data: bytes) -> float:
    return int.from_bytes(data[-2:], "big") / 65535
