from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from urcx.engine.vector_types import LANES
from urcx.sweeps.layout_kernels import MARGIN, Picks, StateRows
from urcx.sweeps.sweep_kernels import (
    LEAVES,
    Choosing,
    Greatest,
    Playing,
    PolicyMean,
    Way,
    sweep_rows,
)

ROWS, COLUMNS, CHANCE = (2, 3), (11, 5), (0.25, 0.75)
STATES = sum(a * b for a, b in zip(ROWS, COLUMNS, strict=True))
# What each row reads by each roll: numbers of states to skip from the sides exchanged, and whether
# some moves leave.
MOVES = [[([3], True), ([0, 9, 4], False)], [([], True), ([1, 2], False)]] * 3
GAINS = np.array([1.0, 0.5, 1.0, 2.0, 1.0])
HEIGHT = 0.5
STRIDE = STATES + 2 * MARGIN  # of masks


def rows_and_way(*, leaving: bool) -> tuple[StateRows, Way]:
    """Return two patterns that read exchanged values, which only their own turning updates."""
    ops: list[int] = []
    first_op, exits = [], 0
    row = 0
    for height, width in zip(ROWS, COLUMNS, strict=True):
        first_op.append(len(ops))
        for _ in range(height):
            for stay, leaves in MOVES[row]:
                moves = stay or ([] if leaving else [7])
                ops += [len(moves) + LEAVES * (leaves and leaving), *(STATES + m for m in moves)]
                if leaves and leaving:
                    ops.append(exits)
                    exits += width
            row += 1
    begin, chance = np.array([0, ROWS[0] * COLUMNS[0]]), np.array(CHANCE)
    chance.flags.writeable = False  # as those of a rule set, for which the kernels are compiled
    rows = StateRows(
        np.array(ROWS), np.array(COLUMNS), begin, 2 * STATES + begin, np.array([0, ROWS[0]]),
        np.array(first_op), np.array(ops, np.uint32), chance,
    )  # fmt: skip
    return rows, Way(GAINS, np.random.default_rng(1).random(exits + LANES), HEIGHT * leaving)


def begun() -> NDArray[np.float64]:
    return np.random.default_rng(2).random(3 * STATES + 4 * LANES)


def no_picks(*, shared: bool) -> Picks:
    masks = np.zeros(2 * STRIDE, np.uint8)
    return Picks(False, shared, np.zeros((2, sum(ROWS)), np.uint8), masks, STRIDE)


def masks_of(rows: StateRows, *, bits: int) -> NDArray[np.uint8]:
    """Return masks of one bit, or of any, among as many as a row has moves."""
    random = np.random.default_rng(3)
    masks = np.zeros(len(CHANCE) * STRIDE, np.uint8)
    for state, r, options, _ in options_of(rows):
        known = [1 << move for move in options]
        chosen = random.permutation(known)[: random.integers(1, len(known) + 1) if bits else 1]
        masks[r * STRIDE + MARGIN + state] = sum(int(bit) for bit in chosen)
    return masks


def options_of(rows: StateRows) -> Any:
    """Yield each state, roll, reads of its moves by bit, whether moves leave, and the row."""
    row = 0
    for t, begin in enumerate(rows.begin):
        at = int(rows.first_op[t])
        for a in range(rows.rows[t]):
            for r in range(len(CHANCE)):
                leaves, stay = divmod(int(rows.ops[at]), LEAVES)
                reads = rows.ops[at + 1 : at + 1 + stay + leaves].astype(int)
                at += 1 + stay + leaves
                for c in range(rows.columns[t]):
                    options = {k: (int(to) + c, k >= stay) for k, to in enumerate(reads)}
                    yield int(begin) + a * int(rows.columns[t]) + c, r, options, row
            row += 1


def swept(rows: StateRows, operator: Any, values: Any, *, kept: bool = True) -> Any:
    tile = np.zeros((max(COLUMNS) + LANES) * 2 * LANES)
    tiles = (tile, tile.copy()) if isinstance(values, tuple) else tile
    change = np.zeros(STATES, np.float32)
    moved = sweep_rows(values, values, rows, operator, tiles, change, kept, 0, len(ROWS))
    return moved, change


def in_words(rows: StateRows, way: Way, choose: Any, before: Any) -> list[Fraction]:
    """Return the values of all states, the means of the results of ``choose``."""
    found = [Fraction(0)] * STATES
    for state, r, options, row in options_of(rows):
        worth = {
            move: Fraction(float(way.exits[to])) - Fraction(way.height) if out else before(to)
            for move, (to, out) in options.items()
        }
        found[state] += Fraction(CHANCE[r]) * choose(state, r, worth)
        found[state] += Fraction(float(GAINS[row])) / len(CHANCE)
    return found


def check(rows: StateRows, values: Any, change: Any, moved: Any, wanted: Any, before: Any) -> None:
    high, low = values if isinstance(values, tuple) else (values, np.zeros(len(values)))
    exact = [Fraction(float(a)) + Fraction(float(b)) for a, b in zip(high, low, strict=True)]
    least = Fraction(1, 2**95 if isinstance(values, tuple) else 2**48)
    assert all(abs(a - b) <= least for a, b in zip(exact, wanted, strict=False))
    by = [float(a - before(state)) for state, a in enumerate(wanted)]
    assert change == pytest.approx(by, rel=1e-6)
    assert moved == pytest.approx((max(*by, 0.0), max(0.0, -min(by))), rel=1e-12)
    for t, begin in enumerate(rows.begin):
        height, width = ROWS[t], COLUMNS[t]
        for own in (high, low):
            part = own[begin : begin + height * width].reshape(height, width)
            turned = own[rows.turned[t] :][: height * width].reshape(width, height)
            assert (turned == part.T).all()


@pytest.mark.parametrize("pairs", [False, True])
def test_best_moves_are_kept_and_followed(pairs: bool) -> None:
    rows, way = rows_and_way(leaving=True)
    parts = (begun(), begun() * 2.0**-60) if pairs else (begun(),)
    values: Any = parts if pairs else parts[0]
    first = [part.copy() for part in parts]
    start = [sum(map(Fraction, map(float, numbers))) for numbers in zip(*parts, strict=True)]
    kept = no_picks(shared=False)
    wanted = in_words(rows, way, lambda _s, _r, worth: max(worth.values()), start.__getitem__)
    moved, change = swept(rows, Choosing(way, kept), values, kept=False)
    assert all((a == b).all() for a, b in zip(parts, first, strict=True))
    assert {int(x) for x in kept.masks} > {1, 2, 4}
    kept_moved, kept_change = swept(rows, PolicyMean(way, kept), values)
    assert (kept_change == change).all()
    assert kept_moved == moved
    check(rows, values, change, moved, wanted, start.__getitem__)


@pytest.mark.parametrize("tie_width", [0.0, 0.25])
@pytest.mark.parametrize(("last", "shared"), [(False, False), (True, False), (False, True)])
def test_moves_within_a_width_of_the_best_are_played(
    last: bool, shared: bool, tie_width: float
) -> None:
    rows, way = rows_and_way(leaving=False)
    values = np.round(begun() * 8) / 8  # so that some are equal, and some exactly the width apart
    kept = no_picks(shared=shared)
    swept(rows, Playing(way, kept, tie_width, last), values, kept=False)
    seen, any_of = set(), np.zeros_like(kept.any_of)
    for state, r, options, row in options_of(rows):
        worth = {move: values[to] for move, (to, _) in options.items()}
        if len(worth) > 1:
            best = [
                move for move, value in worth.items() if value >= max(worth.values()) - tie_width
            ]
            wanted = best if shared else best[-1:] if last else best[:1]
            mask = sum(1 << move for move in wanted)
            assert kept.masks[r * STRIDE + MARGIN + state] == mask
            any_of[r, row] |= mask
            seen.add(mask)
    assert (kept.any_of == any_of).all()
    assert len(seen) > 1


@pytest.mark.parametrize("leaving", [False, True])
def test_the_greatest_values_are_taken(leaving: bool) -> None:
    rows, way = rows_and_way(leaving=leaving)
    values, start = begun(), [Fraction(float(a)) for a in begun()]
    wanted = in_words(rows, way, lambda _s, _r, worth: max(worth.values()), start.__getitem__)
    moved, change = swept(rows, Greatest(way), values)
    check(rows, values, change, moved, wanted, start.__getitem__)


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_the_mean_of_a_policys_moves_is_taken(by_row: bool, shared: bool) -> None:
    rows, way = rows_and_way(leaving=False)
    any_of = np.array([[1, 1, 1, 1, 1], [0b101 if shared else 0b100, 2, 0b110, 1, 0b111]], np.uint8)
    if not shared:
        any_of[1] &= -any_of[1]
    masks = masks_of(rows, bits=shared)
    row_of = {state: row for state, _, _, row in options_of(rows)}
    if not by_row:
        any_of[:] = 0
        for state, row in row_of.items():
            for r in (0, 1):
                any_of[r, row] |= masks[r * STRIDE + MARGIN + state]

    def mean(state: int, r: int, worth: dict[int, Fraction]) -> Fraction:
        mask = any_of[r, row_of[state]] if by_row else masks[r * STRIDE + MARGIN + state]
        chosen = [worth[m] for m in worth if int(mask) >> m & 1]
        return sum(chosen, Fraction(0)) / len(chosen)

    values, start = begun(), [Fraction(float(a)) for a in begun()]
    wanted = in_words(rows, way, mean, start.__getitem__)
    moved, change = swept(
        rows, PolicyMean(way, Picks(by_row, shared, any_of, masks, STRIDE)), values
    )
    check(rows, values, change, moved, wanted, start.__getitem__)
