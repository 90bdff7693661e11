"""One player alone with many pieces: the long-run number of pieces home per roll.

Michon has a section titled with the best strategy for many pieces, and leaves it empty. A piece
needs L + 1 steps, and a roll yields at most the mean roll, so at most mean / (L + 1) pieces come
home per roll. Fewer do if rolls are wasted because no piece can move: a run of equal rolls
eventually blocks every player (with pieces on steps 4, 8 and 12 of 14, a 4 is lost). The least
waste is an average-cost Markov decision problem, solved here by value iteration.

With h the relative cost of a board, T h = sum_r P(r) min over moves of h, or r + h if there is no
move. For any h, the least waste w, in steps per roll, lies between the smallest and the greatest
entry of T h - h; iteration ends when these are close. The chain is aperiodic, since a wasted roll
leaves the board unchanged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from urcx.errors import TooLargeError, UrcxError, UsageError
from urcx.results.fields import FRACTION, INTERVAL, Fields, Kind, fields_of, member
from urcx.results.fractions import decimal
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules.catalogue import real
from urcx.rules.model import RuleSet
from urcx.strategy.dice import chances
from urcx.strategy.journey import Track, as_track

MAX_LENGTH = 20  # 2^20 boards
MAX_SWEEPS = 20_000
LEAST, MOST = 1e-14, 1.0  # tolerances

AT_BEST = Kind(
    lambda ends: f"{ends[0]:.12g} to {ends[1]:.12g}" if math.isfinite(ends[1]) else "never",
    (("", lambda ends: list(ends) if math.isfinite(ends[1]) else None),),
    INTERVAL.csv,
)
WASTED = Kind(lambda ends: f"{ends[0]:.3g} to {ends[1]:.3g}", (("", list),), INTERVAL.csv)

Costs = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Throughput(Result, function="throughput"):
    """The long run of one player alone with an inexhaustible start pool.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.throughput("finkel")
    >>> found.length, found.mean, found.bound
    (14, Fraction(2, 1), Fraction(2, 15))
    """

    length: Annotated[int, "steps of the track"]
    mean: Annotated[Fraction, "the mean roll"]
    waste: Annotated[
        tuple[float, float],
        "a lower and an upper bound of the least waste, in steps per roll",
        member(
            "steps wasted a roll",
            WASTED,
            "bounds of the steps a roll that the best choice wastes",
            exactness="bound",
        ),
    ]

    @property
    @member(
        "many pieces, rolls a piece, at least",
        Kind(decimal, FRACTION.json),
        "fewest rolls a piece if no roll were wasted",
        key="bound_rolls_a_piece",
        of=lambda bound: 1 / bound,
    )
    def bound(self) -> Fraction:
        """Return the pieces home per roll if nothing were wasted."""
        return self.mean / (self.length + 1)

    @property
    @member(
        kind=Kind(json=(("", list),), csv=INTERVAL.csv),
        about="bounds of pieces home a roll",
        key="pieces_a_roll",
        exactness="bound",
    )
    def rate(self) -> tuple[float, float]:
        """Return a lower and an upper bound of the best rate, in pieces home per roll."""
        low, high = self.waste
        return (
            float(self.mean - Fraction(high)) / (self.length + 1),
            float(self.mean - Fraction(low)) / (self.length + 1),
        )

    @property
    @member(
        "by the best choice",
        AT_BEST,
        "bounds of rolls a piece by the best choice, the start pool never empty",
        exactness="bound",
    )
    def rolls_a_piece(self) -> tuple[float, float]:
        """Return a lower and an upper bound of the rolls per piece, infinite if none comes home."""
        slow, fast = self.rate
        return 1 / fast if fast > 0 else math.inf, 1 / slow if slow > 0 else math.inf

    def report(self) -> Report:
        """Return what is said of the long run, for one track."""
        record = LONG_RUN.flat(self)
        table = long_run_table(f": {self.length} steps", LONG_RUN, self)
        return Report(NAME, record, [record], [table])


NAME = "urcx.pieces/1"
LONG_RUN = fields_of(Throughput).pick(
    "bound_rolls_a_piece", "rolls_a_piece", "pieces_a_roll", "waste"
)


def long_run_table(where: str, shown: Fields, found: Any) -> Table:
    """Return the table on the long run."""
    title = f"In the long run, with a start pool that never empties{where}"
    return shown.listed(
        title, found, ["at least: a piece has L + 1 steps to go, and rolls have their mean"]
    )


def throughput(way: Track | str | RuleSet, tolerance: float = 1e-12) -> Throughput:
    """Return the best rate at which pieces of one player alone come home.

    Parameters
    ----------
    way
        A track with an end; or a rule set or its name, for light's path under it.
    tolerance
        How far apart the bounds of the waste may be at the end, in steps a roll; from 1e-14 to 1.

    Returns
    -------
    Throughput

    Raises
    ------
    UsageError
        If the tolerance is out of range.
    TooLargeError
        If the path is longer than `MAX_LENGTH` steps.
    UrcxError
        If the bounds do not come within ``tolerance`` of each other.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.throughput("finkel")
    >>> found.bound
    Fraction(2, 15)
    >>> low, high = found.rolls_a_piece
    >>> round(low, 6), round(high, 6)
    (7.5, 7.5)
    """
    way, tolerance = as_track(way), real("tolerance", tolerance)
    if not LEAST <= tolerance <= MOST:
        raise UsageError(f"tolerance {tolerance:g} is not from {LEAST:g} to {MOST:g}")
    if way.length is None or way.length > MAX_LENGTH:
        raise TooLargeError(f"one player's boards are gone through on at most {MAX_LENGTH} steps")
    cost = np.zeros(1 << way.length)
    for _ in range(MAX_SWEEPS):
        after = _sweep(cost, way, way.length)
        change = after - cost
        low, high = float(change.min()), float(change.max())
        if high - low <= tolerance:
            return Throughput(way.length, way.dice.mean, (max(low, 0.0), high))
        cost = after - after[0]
    raise UrcxError(f"the long run did not settle in {MAX_SWEEPS:,} sweeps")


def _sweep(cost: Costs, way: Track, length: int) -> Costs:
    """Return T h, as defined in the module's docstring."""
    after = np.zeros_like(cost)
    for roll, p in chances(way.dice).items():
        best = _cheapest(cost, roll, length)
        after += float(p) * np.where(np.isinf(best), cost + roll, best)
    return after


def _cheapest(cost: Costs, roll: int, length: int) -> Costs:
    """Return the least cost after a move by a roll from each board, infinite without a move.

    Boards are numbered by their masks, bit s - 1 for a piece on step s. When the bits of two steps
    are separate axes, all boards with a piece on one step and none on the other are a slice of the
    array.
    """
    best = np.full_like(cost, np.inf)
    for start in range(length + 2 - roll) if roll else ():
        end = start + roll
        shape, here, there = _slices(start, end, length)
        place = best.reshape(shape)
        np.minimum(place[here], cost.reshape(shape)[there], out=place[here])
    return best


def _slices(start: int, end: int, length: int) -> tuple[tuple[int, ...], Any, Any]:
    """Return a shape with an axis for each bit that a move changes, and slices before and after."""
    if start and end <= length:
        shape = (-1, 2, 1 << (end - start - 1), 2, 1 << (start - 1))
        return shape, np.s_[:, 0, :, 1], np.s_[:, 1, :, 0]
    if start:  # home
        return (-1, 2, 1 << (start - 1)), np.s_[:, 1], np.s_[:, 0]
    if end <= length:  # from the pool
        return (-1, 2, 1 << (end - 1)), np.s_[:, 0], np.s_[:, 1]
    return (-1,), np.s_[:], np.s_[:]  # from the pool straight home
