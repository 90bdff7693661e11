"""Tablebases with made-up values, for tests that ask where values are and not what they are."""

from __future__ import annotations

from pathlib import Path

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
