"""One player alone on the board: the expected plies to bear off all pieces, and the long run.

Section 5.2 of Raposo and Lamont asks how soon one of several pieces reaches the centre rosette.
With a limited number of pieces, all of them may be forced past a step, so the mean time does not
exist: `arrivals` computes the greatest probability of reaching the step within a number of turns,
over all choices of moves.

An extra roll is a ply like any other, so rosettes do not matter here; a roll without a legal move
is a ply too.

The long run is the number of pieces home per roll where the start pool never empties.
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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import Stage, silent
from urcx.errors import TooLargeError, UrcxError, UsageError
from urcx.results.fields import FRACTION, INTERVAL, Field, Kind, decimals, fields_of
from urcx.results.fractions import decimal, percent
from urcx.results.numbers import counted
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules.model import RuleSet, RulesWithDice, check_flags
from urcx.strategy.dice import chances
from urcx.strategy.track import NEVER, ExpectedTimes, Track, goal_name, leg, track

IntArray = NDArray[np.int64]
Ends = tuple[float, float]  # of an interval

MAX_LENGTH = 16  # 2^16 boards for each number of pieces home
MAX_SWEEPS = 20_000
AT_BEST = Kind(
    lambda ends: f"{ends[0]:.12g} to {ends[1]:.12g}" if math.isfinite(ends[1]) else "never",
    (("", lambda ends: list(ends) if math.isfinite(ends[1]) else None),),
    INTERVAL.csv,
)
AT_LEAST, DECIMAL = "many pieces, rolls a piece, at least", Kind(decimal, FRACTION.json)
BOUNDS = Kind(json=(("", list),), csv=INTERVAL.csv)
WASTED = Kind(lambda ends: f"{ends[0]:.3g} to {ends[1]:.3g}", (("", list),), INTERVAL.csv)


def plies_alone(
    rules: RuleSet,
    pieces: int,
    best: Callable[[Iterable[float]], float] = min,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[float, ...]:
    """Return the expected plies of light alone with 1, 2, ... ``pieces`` pieces.

    Moves are chosen by ``best``: `min` or `max`. ``progress`` is called with the number of pieces
    done.

    Raises
    ------
    TooLargeError
        If the path has more than `MAX_LENGTH` steps.
    UsageError
        If the dice may never bring all pieces home.
    """
    check_flags("a game of one player alone", rules)
    length = rules.path.length
    if length > MAX_LENGTH:
        raise TooLargeError(f"{rules.path.name}: one alone is followed on {MAX_LENGTH} steps")
    pick = np.minimum if best is min else np.maximum
    never = np.inf if best is min else -np.inf
    boards_by_sum = _groups(length)
    on_board = np.bitwise_count(np.arange(1 << length))
    # Expected plies from each board with a given number of pieces left; infinite if impossible.
    home = np.zeros(1 << length)
    expected = []
    for left in range(1, pieces + 1):
        plies = np.full(1 << length, never)
        # A move increases the sum of steps or bears a piece off, so its successor's value is known.
        for group in boards_by_sum:
            boards = group[on_board[group] <= left]
            total, idle = np.ones(len(boards)), np.zeros(len(boards))
            ever = np.zeros(len(boards), np.bool_)
            for roll, chance in chances(rules.dice).items():
                after = np.full(len(boards), never)
                movable = np.zeros(len(boards), np.bool_)
                for can, where, gone in _moves(boards, on_board[boards] < left, roll, length):
                    values = (home if gone else plies)[where]
                    after[can] = pick(after[can], values)
                    movable[can] = True
                idle[~movable] += float(chance)
                total[movable] += float(chance) * after[movable]
                ever |= movable
            plies[boards] = np.where(ever, total, np.inf) / np.where(ever, 1 - idle, 1.0)
        if np.isinf(plies[0]):
            raise UsageError(
                f"with the dice {rules.dice.name} a piece on {rules.path.name} may never come home"
            )
        expected.append(float(plies[0]))
        home = plies
        progress(left)
    return tuple(expected)


def _groups(length: int) -> list[IntArray]:
    """Return all boards, grouped by the sum of the steps of their pieces, greatest first."""
    boards = np.arange(1 << length)
    steps = sum((boards >> (s - 1) & 1) * s for s in range(1, length + 1))
    return [boards[steps == total] for total in range(length * (length + 1) // 2, -1, -1)]


def _moves(
    boards: IntArray, pool: NDArray[np.bool_], roll: int, length: int
) -> Iterator[tuple[IntArray, IntArray, bool]]:
    """Yield for each start the boards that can move, their successors, and whether it bears off.

    Boards are masks with bit s - 1 for step s; ``pool`` marks the boards with pieces in the start
    pool.
    """
    for start in range(max(0, length + 1 - roll + 1) if roll else 0):
        end = start + roll
        may = boards >> (start - 1) & 1 == 1 if start else pool
        if end <= length:
            may = may & (boards >> (end - 1) & 1 == 0)
        can = np.flatnonzero(may)
        after = boards[can] & ~(1 << start >> 1)
        yield can, after if end > length else after | 1 << (end - 1), end > length


def least_waste(way: Track, tolerance: float = 1e-12) -> Ends:
    """Return bounds of the least waste of one player alone, in steps per roll.

    The start pool never empties. ``tolerance`` is how far apart the bounds may be at the end.

    Raises
    ------
    TooLargeError
        If the track has no end, or more than `MAX_LENGTH` steps.
    UrcxError
        If the bounds do not come within ``tolerance`` of each other.
    """
    if way.length is None or way.length > MAX_LENGTH:
        raise TooLargeError(f"one player's boards are gone through on at most {MAX_LENGTH} steps")
    boards = np.arange(1 << way.length)
    pool = np.ones(len(boards), np.bool_)
    moves = {roll: [*_moves(boards, pool, roll, way.length)] for roll in way.dice.rolls}
    cost = np.zeros(len(boards))
    for _ in range(MAX_SWEEPS):
        after = np.zeros(len(boards))
        for roll, p in chances(way.dice).items():
            best = np.full(len(boards), np.inf)
            for can, where, _gone in moves[roll]:
                best[can] = np.minimum(best[can], cost[where])
            after += float(p) * np.where(np.isinf(best), cost + roll, best)
        change = after - cost
        low, high = float(change.min()), float(change.max())
        if high - low <= tolerance:
            return max(low, 0.0), high
        cost = after - after[0]
    raise UrcxError(f"the long run did not settle in {MAX_SWEEPS:,} sweeps")


@dataclass(frozen=True)
class PiecesAlone:
    """One player alone with so many pieces."""

    pieces: Annotated[int, Field("pieces", about="number of pieces")]
    rolls: Annotated[float, Field("rolls", decimals(4), "expected rolls by the best moves")]
    rolls_worst: Annotated[float, Field("worst choice", decimals(4), "by the worst moves")]
    added_by_last: Annotated[float, Field("by the last", decimals(6), "rolls that it adds")]

    @property
    @Field("rolls a piece", decimals(4), "rolls by the number of pieces", after="rolls_worst")
    def rolls_a_piece(self) -> float:
        """Return the expected plies by the best choice, for each piece."""
        return self.rolls / self.pieces


@dataclass(frozen=True)
class Alone(Result, function="journey"):
    """One player alone under a rule set, with numbers of pieces and in the long run.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.journey("finkel", pieces=1)
    >>> round(result.rows[0].rolls, 4), result.bound, round(result.rolls_a_piece[1], 4)
    (9.8678, Fraction(15, 2), 7.5)
    """

    schema = "urcx.pieces/1"
    lists = ("rows",)
    rules: RulesWithDice
    exactness: ClassVar[Annotated[str, Field(about="how numbers were obtained")]] = (
        "computed in floating point; one_piece and bound are exact"
    )
    rows: Annotated[tuple[PiecesAlone, ...], "a row for each number of pieces"]
    single: Annotated[
        ExpectedTimes | None,
        "one piece's exact time, None if it may never come home",
        Field("one piece, rolls", NEVER, "one piece's rolls", key="one_piece_rolls", of="rolls"),
        Field("one piece, turns", NEVER, "one piece's turns", key="one_piece_turns", of="turns"),
    ]
    waste: Annotated[
        Ends,
        Field("steps wasted a roll", WASTED, "bounds of the least (bound)", key="long_run_waste"),
    ]

    @property
    @Field(
        AT_LEAST,
        DECIMAL,
        "rolls a piece if none were wasted",
        key="bound_rolls_a_piece",
        after="single",
    )
    def bound(self) -> Fraction:
        """Return the rolls per piece in the long run if nothing were wasted."""
        return (len(self.rules.path.light) + 1) / self.rules.dice.mean

    @property
    @Field(
        "by the best choice",
        AT_BEST,
        "bounds of rolls a piece (bound)",
        key="long_run_rolls_a_piece",
        after="bound",
    )
    def rolls_a_piece(self) -> Ends:
        """Return a lower and an upper bound of the rolls per piece, infinite if none comes home."""
        slow, fast = self.rate
        return 1 / fast if fast > 0 else math.inf, 1 / slow if slow > 0 else math.inf

    @property
    @Field(
        "",
        BOUNDS,
        "bounds of pieces home a roll (bound)",
        key="long_run_pieces_a_roll",
        after="rolls_a_piece",
    )
    def rate(self) -> Ends:
        """Return a lower and an upper bound of the best rate, in pieces home per roll."""
        steps, mean = len(self.rules.path.light) + 1, self.rules.dice.mean
        low, high = (float(mean - Fraction(waste)) / steps for waste in self.waste)
        return high, low

    def tables(self) -> list[Table]:
        """Return the expected time by number of pieces, and the long run."""
        notes = [
            (
                "rolls of one player alone until all pieces are home, 0s and rosettes' extra rolls "
                "counted"
            ),
            (
                "by the last: how many more rolls than with a piece fewer, which is less than the "
                "long run's where one more piece wastes fewer steps in all; worst choice: by the "
                "moves that take longest"
            ),
        ]
        order = ("pieces", "rolls", "rolls_a_piece", "added_by_last", "rolls_worst")
        long_run = "In the long run, with a start pool that never empties"
        at_least = "at least: a piece has L + 1 steps to go, and rolls have their mean"
        return [
            fields_of(PiecesAlone).pick(*order).table("", self.rows, notes),
            fields_of(Alone).listed(long_run, self, [at_least]),
        ]

    @property
    def answer(self) -> str:
        """Return how many rolls all pieces take."""
        last = self.rows[-1]
        return (
            f"{self.rules.name}: one player alone brings {counted(last.pieces, 'piece')} home in "
            f"{last.rolls:.4f} rolls on average by the best choice of moves, "
            f"{last.rolls_a_piece:.4f} a piece (exact but for rounding)"
        )


def alone(rules: RuleSet, numbers: Sequence[int], stage: Stage = silent) -> Alone:
    """Return how long one player alone takes with numbers of pieces, in ascending order.

    ``stage`` is called as each part of the work begins.

    Raises
    ------
    TooLargeError
        If the path has more than `MAX_LENGTH` steps.
    UsageError
        If the dice may never bring all pieces home.
    """
    most = max(numbers)
    fewest = plies_alone(rules, most, min, stage("the fewest plies", most, "pieces"))
    longest = plies_alone(rules, most, max, stage("the most plies", most, "pieces"))
    way = track(rules)
    added = np.diff(fewest, prepend=0.0).tolist()
    rows = (PiecesAlone(n, fewest[n - 1], longest[n - 1], added[n - 1]) for n in numbers)
    single = leg(way, len(rules.path.light) + 1).alone
    return Alone(rules, tuple(rows), single, least_waste(way))


MAX_TURNS = 10
MAX_PIECES = 15


class ArrivalChance(NamedTuple):
    """How probable it is that one of several pieces arrives within a number of turns."""

    pieces: Annotated[int, Field(about="number of pieces")]
    turns: Annotated[int, Field(about="number of turns")]
    probability: Annotated[
        Fraction, Field(kind=FRACTION, about="that one arrives, by the best moves")
    ]


@dataclass(frozen=True)
class Arrivals(Result, function="journey"):
    """How soon one of several pieces reaches a step.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.journey("finkel", "B4", within=2, pieces=[1, 7])
    >>> result.goal, result.within[1][0]
    ('B4, rosette', Fraction(1, 256))
    """

    schema = "urcx.arrival/1"
    lists = ("rows",)
    rules: RulesWithDice
    to: Annotated[int, Field(about="the step")]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    within: Annotated[Mapping[int, Sequence[Fraction]], "by number of pieces, in 1, 2, ... turns"]

    @property
    @Field(about="what the step is called", after="to")
    def goal(self) -> str:
        """Return what the step is called."""
        return goal_name(self.rules.path, self.to)

    @property
    def rows(self) -> list[ArrivalChance]:
        """Return each number of pieces with each number of turns."""
        columns = self.within.items()
        return [ArrivalChance(n, turns, p) for n, ps in columns for turns, p in enumerate(ps, 1)]

    def tables(self) -> list[Table]:
        """Return the probability that a piece stands on the step, by turns and pieces."""
        table = Table(
            "",
            ["turns", *(counted(n, "piece") for n in self.within)],
            [
                [str(turns), *(percent(chance, 4) for chance in row)]
                for turns, row in enumerate(zip(*self.within.values(), strict=True), start=1)
            ],
            ["one player alone; for each number of turns the best choice of moves for it"],
        )
        return [table]

    @property
    def answer(self) -> str:
        """Return the probability within the most turns."""
        last = self.rows[-1]
        piece = f"one of {counted(last.pieces, 'piece')}"
        return (
            f"{self.rules.with_pieces}: {piece} stands on step {self.to} "
            f"({self.goal}) within {counted(last.turns, 'turn')} with "
            f"{percent(last.probability, 4)} % under best play (exact, no opponent)"
        )


def arrival(rules: RuleSet, to: int, pieces: int, turns: int) -> tuple[Fraction, ...]:
    """Return the probability that a light piece reaches a step within 1, 2, ... ``turns`` turns.

    Each is maximised separately; moving is compulsory. ``to`` may be home. There are no dark
    pieces.

    Raises
    ------
    UsageError
        If the step is not on the path, or a number is out of range.
    """
    home = len(rules.path.light) + 1
    if not 1 <= to <= home:
        raise UsageError(f"step {to} is not on the path, whose steps are 1 to {home}, home")
    if not 1 <= turns <= MAX_TURNS:
        raise UsageError(f"{turns} turns: from 1 to {MAX_TURNS} are gone through")
    if not 1 <= pieces <= MAX_PIECES:
        raise UsageError(f"{pieces} pieces: from 1 to {MAX_PIECES} are gone through")
    tiles, stars, odds = rules.path.light, track(rules).rosettes, chances(rules.dice)

    @cache
    def best(left: int, pool: int, board: frozenset[int]) -> Fraction:
        """Return the greatest probability with ``left`` turns left, the current one included."""
        if left == 0:
            return Fraction(0)
        total = Fraction(0)
        for roll, p in odds.items():
            after = list(moved(left, pool, board, roll)) if roll else []
            total += p * (max(after) if after else best(left - 1, pool, board))
        return total

    def moved(left: int, pool: int, board: frozenset[int], roll: int) -> Iterator[Fraction]:
        """Yield the probability after each legal move by a roll above 0."""
        for start in (0, *board) if pool else board:
            end, others = start + roll, board - {start}
            if end > home or (end < home and tiles[end - 1] in {tiles[s - 1] for s in others}):
                continue
            after = others if end == home else others | {end}
            yield (
                Fraction(1)
                if end == to
                else best(left - (end not in stars), pool - (not start), after)
            )

    return tuple(best(n, pieces, frozenset()) for n in range(1, turns + 1))
