from __future__ import annotations

import numpy as np

from urcx.engine.vector_types import LANES, MOST_LANES
from urcx.expectations.survival_kernels import go_on, relocate
from urcx.sweeps.layout_kernels import MARGIN, Picks, StateRows
from urcx.sweeps.sweep_kernels import PolicyMean, Way


def test_masks_of_another_row_lead_to_no_read() -> None:
    # Two rows of one state, one roll: two moves, then three. A vector of the first row's masks has
    # the second row's too; beyond the first row's reads stands what is no place.
    values = np.arange(1.0, 2.0 + 2 * MOST_LANES)
    ops = np.array([2, 3, 4, 2**31, 3, 1, 2, 5], np.uint32)
    picks = np.zeros(2 + 2 * MARGIN, np.uint8)
    picks[MARGIN : MARGIN + 2] = 0b10, 0b111
    one, chance = np.ones(1, np.int64), np.ones(1)
    chance.flags.writeable = False  # as those of a rule set, for which the kernel is compiled
    out = np.zeros(2 + 2 * LANES)
    any_of = np.array([[0b10, 0b111]], np.uint8)
    chosen = PolicyMean(
        Way(np.zeros(2), np.empty(0), 0.0), Picks(False, True, any_of, picks, len(picks))
    )
    for row, reads in ((0, 0), (1, 4)):
        at = np.array([row])
        rows = StateRows(one, one, at, at, at, np.array([reads]), ops, chance)
        go_on(values, rows, chosen, out, 0, 1)
    assert out[:2].tolist() == [-values[4], -(values[1] + values[2] + values[5]) / 3]


def test_reads_are_moved_by_where_they_refer_to() -> None:
    ops = np.array([2, 0, 9, 1, 10, 77, 3, 19, 20, 25, 1, 5], np.uint32)
    given = np.array([10, 20, 30]), np.array([0, 100, -20])
    relocate(ops, np.array([0, 6]), 2, *given, 0, 2)
    assert ops.tolist() == [2, 0, 9, 1, 110, 77, 3, 119, 0, 5, 1, 5]
