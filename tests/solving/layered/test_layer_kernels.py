"""Kernels of the solver: a sweep held against one that renews a row at a time, in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from urcx.engine.vector_types import LANES, MOST_LANES
from urcx.solving.layered.kernels import AHEAD, GRID, TO_GRID, sweep
from urcx.sweeps.blocks import NO_CHANGE, NO_TILE
from urcx.sweeps.layout_kernels import StateRows

CHANCE = np.array([0.25, 0.5, 0.25])
ROWS, COLUMNS = np.array([3, 1, 11]), np.array([3 * MOST_LANES + 5, LANES + 3, 1])
SIZES = ROWS * COLUMNS
STATES, BEGIN = int(SIZES.sum()), np.cumsum(SIZES) - SIZES
READ = 200  # values that are read, after V and U
SHIFT = 2.0**-30


def rows_of(chance: np.random.Generator) -> StateRows:
    """Return three patterns, of which the first fills three vectors and more, with some moves."""
    ops: list[int] = []
    first_op = []
    for height, width in zip(ROWS, COLUMNS, strict=True):
        first_op.append(len(ops))
        for _ in range(height * len(CHANCE)):
            moves = int(chance.integers(1, 5))
            ops += [moves, *(2 * STATES + chance.integers(0, READ - width, moves))]
    CHANCE.flags.writeable = False  # as those of a rule set, for which the kernel is compiled
    return StateRows(
        ROWS, COLUMNS, BEGIN, 2 * STATES - BEGIN - SIZES, np.cumsum(ROWS) - ROWS,
        np.array(first_op), np.array(ops + [0] * AHEAD, np.uint32), CHANCE,
    )  # fmt: skip


def naive_sweep(values: NDArray[Any], rows: StateRows, excess: NDArray[Any]) -> NDArray[Any]:
    """Renew V row by row, and return the changes."""
    kind = values.dtype.type
    changes = np.zeros(STATES, kind)
    for t, width in enumerate(rows.columns):
        k = int(rows.first_op[t])
        for row in range(rows.rows[t]):
            total = np.full(width, SHIFT, kind)
            for chance in rows.chance:
                moves = rows.ops[k + 1 : k + 1 + rows.ops[k]].astype(int)
                total += kind(chance) * np.max([values[m : m + width] for m in moves], axis=0)
                k += 1 + len(moves)
            here = slice(rows.begin[t] + row * width, rows.begin[t] + (row + 1) * width)
            by = total - values[here]
            if len(excess):
                wanted = ((TO_GRID + excess[here] + by) - TO_GRID).astype(np.float32)
                by = wanted.astype(float) - excess[here]
                excess[here] = wanted
            values[here] += by
            if not len(excess):
                values[here] = total
            changes[here] = by
    return changes


def naive_turn(values: NDArray[Any], rows: StateRows, excess: NDArray[Any]) -> None:
    """Write U of each pattern from V; both are raised by ``excess``."""
    for t, size in enumerate(SIZES):
        v = slice(rows.begin[t], rows.begin[t] + size)
        raised = values[v] - 2.0 * excess[v] if len(excess) else values[v]
        turned = -raised.reshape(rows.rows[t], rows.columns[t]).T
        values[rows.turned[t] : rows.turned[t] + size] = turned.ravel()


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("turning", [False, True])
@pytest.mark.parametrize("kind", ["single", "double", "raised"])
def test_a_sweep_gives_the_bits_of_one_that_renews_a_row_at_a_time(
    kind: str, turning: bool, kept: bool
) -> None:
    chance = np.random.default_rng(4)
    rows = rows_of(chance)
    values: NDArray[Any] = GRID * chance.integers(-(2**51), 2**51, 2 * STATES + READ + MOST_LANES)
    excess = NO_CHANGE
    if kind == "single":
        values = values.astype(np.float32)
    elif kind == "raised":
        excess = (GRID * chance.integers(0, 2**20, STATES + LANES)).astype(np.float32)
    wanted, raised = values.copy(), excess.copy()
    changes = naive_sweep(wanted, rows, raised)
    if turning:
        naive_turn(wanted, rows, raised)
    change = np.zeros(STATES + LANES, np.float32)
    stride = -(-COLUMNS.max() // LANES) * LANES
    tile = np.empty((ROWS.max() + LANES) * stride) if turning and kept else NO_TILE
    if not kept:
        wanted = values.copy()
    moved = sweep(values, rows, SHIFT, change, 0, excess, tile, kept, 0, len(ROWS))
    assert np.array_equal(values, wanted)
    assert np.array_equal(excess[:STATES], raised[:STATES])
    assert np.array_equal(change[:STATES], changes.astype(np.float32))
    assert moved == (changes.max(), -changes.min())
