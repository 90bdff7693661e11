"""Cells of measures: as many decimals as the values have."""

from __future__ import annotations

import numpy as np

from urcx.games.statistics import COLUMNS, plain


def test_quartiles_of_real_values_keep_their_decimals() -> None:
    names = [column.title for column in COLUMNS]
    assert names[-3:] == ["lower quartile", "median", "upper quartile"]
    # Between the neighbours in proportion: 0.5, 1.25, 2.
    real = plain("digits", "digits", np.array([0.5, 2.0, 1.25, 2.5, 0.25]))
    assert real.cells()[-3:] == ["0.500", "1.250", "2.000"]
    counts = plain("plies", "plies", np.array([1, 2, 3, 4, 5]))
    assert counts.cells()[-3:] == ["2", "3", "4"]
