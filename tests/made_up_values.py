"""Tablebases with made-up values, for tests that ask where values are and not what they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import write_tablebase
from urcx.solving.layered.order import LayerOrder


def made_up(file: Path, rules: RuleSet, store: str = "f64") -> Path:
    """Write a tablebase whose values are random: which key gets which is all that matters."""
    order = LayerOrder(rules)
    generator = np.random.default_rng(5)
    write_tablebase(file, order, lambda x: (generator.random(order.size(x)), 0.0), store)
    return file


def with_header(rgu: bytes, change: Callable[[Any], object]) -> bytes:
    """Return an .rgu file with another header: what ``change`` returns, or has made of it."""
    length = int.from_bytes(rgu[4:8], "big")
    header = json.loads(rgu[8 : 8 + length])
    text = json.dumps(change(header) or header).encode()
    return rgu[:4] + len(text).to_bytes(4, "big") + text + rgu[8 + length :]
