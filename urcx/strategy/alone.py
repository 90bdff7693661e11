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
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import Stage, silent
from urcx.errors import TooLargeError, UrcxError, UsageError
from urcx.results.fields import (
    FRACTION,
    INTERVAL,
    Fields,
    Kind,
    Schema,
    decimals,
    fields_of,
    member,
)
from urcx.results.fractions import decimal, percent
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.catalogue import real
from urcx.rules.model import RuleSet, RulesWithDice, check_flags
from urcx.rules.position import step_called
from urcx.strategy.dice import chances
from urcx.strategy.journey import NEVER, ExpectedTimes, Track, as_track, goal_name, journey, track

__all__ = ["PieceArrivals", "Throughput", "arrivals", "throughput"]

IntArray = NDArray[np.int64]
Costs = NDArray[np.float64]

NAME = "urcx.pieces/1"
MAX_LENGTH = 16  # 2^16 boards for each number of pieces home
MAX_TRACK = 20  # 2^20 boards in the long run
MAX_SWEEPS = 20_000
LEAST, MOST = 1e-14, 1.0  # tolerances
AT_BEST = Kind(
    lambda ends: f"{ends[0]:.12g} to {ends[1]:.12g}" if math.isfinite(ends[1]) else "never",
    (("", lambda ends: list(ends) if math.isfinite(ends[1]) else None),),
    INTERVAL.csv,
)
WASTED = Kind(lambda ends: f"{ends[0]:.3g} to {ends[1]:.3g}", (("", list),), INTERVAL.csv)


def plies_alone(
    rules: RuleSet, pieces: int, best: Callable[[Iterable[float]], float] = min
) -> float:
    """Return the expected plies of light alone, its moves chosen by ``best``: `min` or `max`.

    Raises
    ------
    TooLargeError
        If the path has more than `MAX_LENGTH` steps.
    UsageError
        If the dice may never bring all pieces home.
    """
    return plies_alone_each(rules, pieces, best)[-1]


def plies_alone_each(
    rules: RuleSet,
    pieces: int,
    best: Callable[[Iterable[float]], float] = min,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[float, ...]:
    """Return the expected plies of `plies_alone` for each number of pieces from 1 to ``pieces``.

    ``progress`` is called with the number of pieces done.
    """
    check_flags("a game of one player alone", rules)
    length = rules.path.length
    if length > MAX_LENGTH:
        raise TooLargeError(f"{rules.path.name}: one alone is followed on {MAX_LENGTH} steps")
    pick = np.minimum if best is min else np.maximum
    never = np.inf if best is min else -np.inf
    chances = list(zip(rules.dice.rolls, map(float, rules.dice.probabilities), strict=True))
    groups = _groups(length)
    on_board = np.bitwise_count(np.arange(1 << length))
    # Expected plies from each board with a given number of pieces left; infinite if impossible.
    home = np.zeros(1 << length)
    expected = []
    for left in range(1, pieces + 1):
        plies = np.full(1 << length, never)
        # A move increases the sum of steps or bears a piece off, so its successor's value is known.
        for group in groups:
            boards = group[on_board[group] <= left]
            total, idle = np.ones(len(boards)), np.zeros(len(boards))
            ever = np.zeros(len(boards), np.bool_)
            for roll, chance in chances:
                after = np.full(len(boards), never)
                movable = np.zeros(len(boards), np.bool_)
                for can, where, gone in _moves(boards, on_board[boards] < left, roll, length):
                    values = (home if gone else plies)[where]
                    after[can] = pick(after[can], values)
                    movable[can] = True
                idle[~movable] += chance
                total[movable] += chance * after[movable]
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


@dataclass(frozen=True)
class Throughput(Result, function="throughput"):
    """The long run of one player alone with an inexhaustible start pool.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.throughput("finkel")
    >>> result.length, result.mean, result.bound
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


LONG_RUN = fields_of(Throughput).pick(
    "bound_rolls_a_piece", "rolls_a_piece", "pieces_a_roll", "waste"
)


def long_run_table(where: str, shown: Fields, item: Any) -> Table:
    """Return the table on the long run."""
    title = f"In the long run, with a start pool that never empties{where}"
    return shown.listed(
        title, item, ["at least: a piece has L + 1 steps to go, and rolls have their mean"]
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
        If the path is longer than `MAX_TRACK` steps.
    UrcxError
        If the bounds do not come within ``tolerance`` of each other.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.throughput("finkel")
    >>> result.bound
    Fraction(2, 15)
    >>> low, high = result.rolls_a_piece
    >>> round(low, 6), round(high, 6)
    (7.5, 7.5)
    """
    way, tolerance = as_track(way), real("tolerance", tolerance, (LEAST, MOST))
    if way.length is None or way.length > MAX_TRACK:
        raise TooLargeError(f"one player's boards are gone through on at most {MAX_TRACK} steps")
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


@dataclass(frozen=True)
class PiecesAlone:
    """One player alone with so many pieces."""

    pieces: Annotated[int, member("pieces", about="number of pieces")]
    rolls: Annotated[
        float, member("rolls", decimals(4), "expected rolls by the best choice of moves")
    ]
    rolls_worst: Annotated[
        float, member("worst choice", decimals(4), "expected rolls by the worst")
    ]
    added_by_last: Annotated[
        float, member("by the last", decimals(6), "how many more than with a piece less")
    ]

    @property
    @member("rolls a piece", decimals(4), "rolls by the number of pieces", after="rolls_worst")
    def rolls_a_piece(self) -> float:
        """Return the expected plies by the best choice, for each piece."""
        return self.rolls / self.pieces


@dataclass(frozen=True)
class Alone:
    """One player alone under a rule set, with numbers of pieces and in the long run."""

    rules: RulesWithDice
    exactness: ClassVar[Annotated[str, member(about="how numbers were obtained")]] = (
        "computed in floating point; one_piece and bound are exact"
    )
    rows: tuple[PiecesAlone, ...]
    single: Annotated[
        ExpectedTimes | None,
        "one piece's exact time, None if it may never come home",
        member("one piece, rolls", NEVER, "one piece's rolls", key="one_piece_rolls", of="rolls"),
        member("one piece, turns", NEVER, "one piece's turns", key="one_piece_turns", of="turns"),
    ]
    long_run: Throughput

    def report(self) -> Report:
        """Return the expected time by number of pieces, and the long run."""
        rules = self.rules
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
        title = f"One player alone: {rules.name}, {rules.path.name}, {rules.dice.name}"
        tables = [
            NUMBERS.pick(*order).table(title, self.rows, notes),
            long_run_table("", PIECES.parts[""], self),
        ]
        last = self.rows[-1]
        answer = (
            f"{rules.name}: one player alone brings {counted(last.pieces, 'piece')} home in "
            f"{last.rolls:.4f} rolls on average by the best choice of moves, "
            f"{last.rolls_a_piece:.4f} a piece (exact but for rounding)"
        )
        return Report.of(PIECES, self, tables, rows=self.rows, answer=answer)


NUMBERS = fields_of(PiecesAlone)
LASTING = Fields(
    lambda: [
        one if one.key.startswith("bound") else replace(one, key=f"long_run_{one.key}")
        for one in LONG_RUN.inside("long_run")
    ]
)
PIECES = Schema(NAME, {"": fields_of(Alone) + LASTING, "rows": NUMBERS})


def alone(rules: str | RuleSet, numbers: Sequence[int], stage: Stage = silent) -> Alone:
    """Return how long one player alone takes with numbers of pieces, in ascending order.

    ``stage`` is what to call as each part of the work begins.

    Raises
    ------
    TooLargeError
        If the path has more than `MAX_LENGTH` steps.
    UsageError
        If the dice may never bring all pieces home.
    """
    rules = catalogue.ruleset(rules)
    most = numbers[-1]
    fewest = plies_alone_each(rules, most, min, stage("the fewest plies", most, "pieces"))
    longest = plies_alone_each(rules, most, max, stage("the most plies", most, "pieces"))
    way = track(rules)
    rows = (
        PiecesAlone(n, fewest[n - 1], longest[n - 1], fewest[n - 1] - (0.0, *fewest)[n - 1])
        for n in numbers
    )
    single = journey(way, len(rules.path.light) + 1).alone
    return Alone(rules, tuple(rows), single, throughput(way))


MAX_TURNS = 10
MAX_PIECES = 15


class ArrivalChance(NamedTuple):
    """How probable it is that one of several pieces arrives within a number of turns."""

    pieces: Annotated[int, member(about="number of pieces")]
    turns: Annotated[int, member(about="number of turns")]
    probability: Annotated[
        Fraction,
        member(
            kind=FRACTION,
            about="how probable it is by the best choice that one stands there within them",
        ),
    ]


@dataclass(frozen=True)
class PieceArrivals(Result, function="arrivals"):
    """How soon one of several pieces reaches a step.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.arrivals("B4", within=2, pieces=[1, 7])
    >>> result.goal, result.within[1][0]
    ('B4, rosette', Fraction(1, 256))
    """

    rules: RulesWithDice
    to: Annotated[int, member(about="the step")]
    exactness: ClassVar[Annotated[str, member(about="fractions, without rounding")]] = "exact"
    within: Annotated[
        Mapping[int, Sequence[Fraction]],
        "by number of pieces, the probability within 1, 2, ... turns",
    ]

    @property
    @member(about="what the step is called", after="to")
    def goal(self) -> str:
        """Return what the step is called."""
        return goal_name(self.rules.path, self.to)

    def report(self) -> Report:
        """Return the probability that a piece stands on the step, by turns and pieces."""
        rules, columns = self.rules, self.within.values()
        rows = [
            ArrivalChance(pieces, turns, probability)
            for pieces, column in self.within.items()
            for turns, probability in enumerate(column, start=1)
        ]
        title = f"A piece on {self.goal}, within so many turns, %"
        table = Table(
            f"{title}: {rules.name}, {rules.dice.name}",
            ["turns", *(f"{n} pieces" if n > 1 else "1 piece" for n in self.within)],
            [
                [str(turns), *(percent(chance, 4) for chance in row)]
                for turns, row in enumerate(zip(*columns, strict=True), start=1)
            ],
            ["one player alone; for each number of turns the best choice of moves for it"],
        )
        last = rows[-1]
        answer = (
            f"{rules.with_pieces}: one of {counted(last.pieces, 'piece')} stands on step {self.to} "
            f"({self.goal}) within {counted(last.turns, 'turn')} with "
            f"{percent(last.probability, 4)} % under best play (exact, no opponent)"
        )
        return Report.of(ARRIVAL, self, [table], rows=rows, answer=answer)


ARRIVAL = Schema("urcx.arrival/1", {"": fields_of(PieceArrivals), "rows": fields_of(ArrivalChance)})


def arrivals(
    to: int | str,
    rules: str | RuleSet = "finkel",
    *,
    within: int = 6,
    pieces: int | Sequence[int] | None = None,
) -> PieceArrivals:
    """Return how likely one of several pieces stands on a step within a number of turns.

    One player is alone, and has for each number of turns the best choice of moves for it.

    Parameters
    ----------
    to
        A step of light's path, up to L + 1, which is ``home``; or a tile that it crosses once.
    rules
        A rule set or its name.
    within
        The number of turns, from 1 to 10; each up to it has its probability.
    pieces
        A number of pieces from 1 to 15, or several; by default all up to the rule set's.

    Returns
    -------
    PieceArrivals

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    PositionError
        If the path has no such tile, or crosses it more than once.
    UsageError
        If the step is not on the path, or a number is out of range.

    Examples
    --------
    >>> import urcx
    >>> [round(float(chance), 4) for chance in urcx.arrivals("B4", within=4, pieces=7).within[7]]
    [0.0039, 0.0423, 0.2447, 0.5038]
    """
    rules = catalogue.ruleset(rules)
    at_tile = isinstance(to, str) and not to[:1].isdecimal()
    step = step_called(str(to), rules.path.light) if at_tile else catalogue.whole("to", to)
    numbers_of_pieces = range(1, rules.pieces + 1) if pieces is None else pieces
    numbers = numbers_of_pieces if isinstance(numbers_of_pieces, Iterable) else (numbers_of_pieces,)
    counts = [catalogue.whole("pieces", number) for number in numbers]
    if not counts:
        raise UsageError("there is no number of pieces")
    turns = catalogue.whole("within", within)
    return PieceArrivals(rules, step, {n: arrival(rules, step, n, turns) for n in counts})


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
            arrived = end == to
            yield (
                Fraction(1)
                if arrived
                else best(left - (end not in stars), pool - (not start), after)
            )

    return tuple(best(n, pieces, frozenset()) for n in range(1, turns + 1))
