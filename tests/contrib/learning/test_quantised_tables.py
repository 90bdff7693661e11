"""Quantised tables: codes one by one."""

from __future__ import annotations

import numpy as np
import pytest
from test_bits import SHORT, perfect_of

from urcx.contrib.learning import curve
from urcx.contrib.learning.curve import MOST_BITS, QuantisedTables, uniform_bounds

pytestmark = pytest.mark.jit  # solves games of some 10,000 states


@pytest.mark.parametrize("store", ["f64", "u16"])
def test_codes_number_the_cells(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    perfect, _ = perfect_of(SHORT)
    if store == "u16":  # as a large tablebase with rounded values
        monkeypatch.setattr(curve, "FEW_CODES", 0)
        perfect = perfect._replace(
            values=np.rint(perfect.values * 65535).astype(np.uint16), certain=65535.0
        )
    made = QuantisedTables(perfect, threads=2)
    values = [float(value) / perfect.certain for value in perfect.values]
    for bits in (1, 3, 8, 12):
        bounds = uniform_bounds(bits)
        player, entropy = made.player(bits)
        codes = [1 + sum(bool(bound <= v) for bound in bounds) for v in values[:300]]
        assert player.values[:300].tolist() == codes
        assert player.values.dtype == (np.uint16 if store == "u16" else np.float64)
        assert player.certain == len(bounds) + 2
        _, counts = np.unique(player.values, return_counts=True)
        share = counts / len(values)
        assert entropy == pytest.approx(-sum(share * np.log2(share)))
        assert entropy <= bits


@pytest.mark.parametrize("bits", range(1, MOST_BITS + 1))
def test_cells_are_of_equal_width_and_the_same_from_either_side(bits: int) -> None:
    bounds = uniform_bounds(bits)
    levels = min(2**bits, 2**16 - 2)  # no code has the number of a lost or a won game
    assert len(bounds) == levels - 1
    assert bounds == pytest.approx(np.arange(1, levels) / levels, abs=1e-15)
    assert (1.0 - bounds[::-1] == bounds).all()
