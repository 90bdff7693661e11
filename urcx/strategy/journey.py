"""A piece's journey: its duration, alone or with other pieces.

A piece that is never captured only advances, so the expected time from each step follows from the
times from later steps: an absorbing Markov chain in fractions, without linear algebra. Section 5.2
of Raposo and Lamont takes S / 2 rolls for S tiles. A roll is a ply, including a roll of 0. A turn
consists of one or more rolls: landing on a rosette that grants an extra roll continues the turn.

The section also asks how soon one of several pieces reaches the centre rosette. With a limited
number of pieces, all of them may be forced past a step, so the mean time does not exist. Instead,
`arrival` computes the greatest probability of reaching the step within a number of turns, over all
choices of moves. `plies_alone` computes the expected plies of one player alone with several pieces.
An extra roll is a ply like any other, so rosettes do not matter there. A roll without a legal move
is a ply too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.errors import TooLargeError, UsageError
from urcx.results.fields import FRACTION, Field, Format, decimals, fields_of
from urcx.results.numbers import count_text, percent_text
from urcx.results.result import Result
from urcx.results.tables import Column, Note, Table, key, secondary
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path, RuleSet, RulesWithDice, check_flags
from urcx.strategy.dice import (
    PERCENT,
    chances,
    numbers_up_to,
    several,
)

__all__ = ["journey"]

MAX_LENGTH = 16  # 2^16 boards for each number of pieces home
MAX_PIECES = 15
MAX_TURNS = 10
NEVER = Format(lambda time: f"{float(time):.4f}", FRACTION.json, none="never")

IntArray = NDArray[np.int64]
Moves = list[tuple[int, Fraction]]  # steps that rolls lead to, with their probabilities


@dataclass(frozen=True)
class Track:
    """The path of a single piece: ``length`` steps before home (None: endless), and its rosettes.

    ``rosettes`` are the steps that grant an extra roll. Home is step ``length`` + 1 and needs the
    exact roll.
    """

    dice: Dice
    length: int | None = None
    rosettes: frozenset[int] = frozenset()


def track(rules: str | RuleSet) -> Track:
    """Return light's track under a rule set or its name.

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    OutOfDomainError
        If the rule set has a flag that tracks do not support.
    """
    rules = catalogue.ruleset(rules)
    check_flags("a track", rules)
    return path_track(rules.path, rules.dice, rules.granting)


def path_track(path: Path, dice: Dice, granting: frozenset[str] | None = None) -> Track:
    """Return light's track along a path. ``granting`` rosettes grant a roll, by default all."""
    stars = path.board.rosettes if granting is None else granting
    steps = (s for s, tile in enumerate(path.light, start=1) if tile in stars)
    return Track(dice, len(path.light), frozenset(steps))


def goal_name(path: Path, step: int) -> str:
    """Return the name of a step: its tile, with a mark for a rosette, or home."""
    if step > len(path.light):
        return "home"
    tile = path.light[step - 1]
    return f"{tile}, rosette" if tile in path.board.rosettes else tile


# --- one piece


class ExpectedTimes(NamedTuple):
    """Expected rolls and expected turns."""

    rolls: Fraction
    turns: Fraction


def _time_fields(key: str, heading: str, about: str) -> tuple[Field, Field]:
    """Return the fields of expected times: rolls, and joined to them turns."""
    rolls, turns = f"{heading}: rolls", Column(f"{heading}: turns", joined=True)
    return (
        Field(rolls, NEVER, f"expected rolls {about}", key=f"{key}_rolls", of="rolls"),
        Field(turns, NEVER, f"expected turns {about}", key=f"{key}_turns", of="turns"),
    )


@dataclass(frozen=True)
class Journey:
    """The journey of a piece from one step to another. Times are None if it may never arrive."""

    start: Annotated[int, Field(about="first step, 0 in the start pool", key="from")]
    to: Annotated[int, Field(Column("step", key=True), about="step of the goal")]
    goal: Annotated[str, Field(key("goal"), about="name of that step")]
    approximation: Annotated[Fraction, Field(secondary("S / mean"), NEVER, "the rule of thumb")]
    passing: Annotated[
        ExpectedTimes | None,
        *_time_fields("passing", "there or beyond", "until it is there or beyond"),
    ]
    hit: Annotated[
        Fraction, Field("lands, %", PERCENT, "probability of landing on the step", key="lands")
    ]
    alone: Annotated[
        ExpectedTimes | None, *_time_fields("alone", "if it lands", "if it lands on the step")
    ]

    @property
    @Field(about="tiles from the first step to the goal", after="to")
    def tiles(self) -> int:
        """Return the tiles from one step to the other."""
        return self.to - self.start


@dataclass(frozen=True)
class Journeys(Result, function="journey"):
    """Journeys of a piece from one step to other steps.

    Examples
    --------
    >>> import urcx
    >>> (row,) = urcx.journey("finkel", 4).rows
    >>> row.passing.rolls, row.hit
    (Fraction(120784, 50625), Fraction(23251, 50625))
    """

    schema = "urcx.journey/2"
    lists = ("rows",)
    rules: Annotated[
        RuleSet,
        Field(about="name of the rule set", of="name"),
        Field(about="name of its path", key="path", of="path.name"),
        Field(about="name of the dice", key="dice", of="dice.name"),
    ]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    rows: Annotated[Sequence[Journey], "at least one"]

    @property
    def legend(self) -> list[str]:
        """Return notes on the columns."""
        return [
            Note("S / mean: the rule of thumb", "S / mean"),
            "rolls include 0; a rosette continues the turn",
            "there or beyond: until the piece reaches or passes the step",
            "lands: probability that it stands on the step at some time",
        ]

    def tables(self) -> list[Table]:
        """Return the journeys, without the times of journeys that land on the step."""
        columns = fields_of(Journey).without("alone_rolls", "alone_turns")
        return [columns.table("", self.rows, self.legend)]

    def wide_tables(self) -> list[Table]:
        """Return the journeys with all times."""
        return super().tables()

    @property
    def answer(self) -> str:
        """Return the rolls and turns to the last step."""
        start, last = self.rows[0].start, self.rows[-1]
        where = goal_name(self.rules.path, start) if start else "the start"
        goal = last.goal if last.goal == "home" else f"step {last.to}"
        times = f"may never reach {goal}"
        if last.passing is not None:
            rolls, turns = (f"{float(x):.4f}" for x in last.passing)
            times = f"takes {rolls} rolls, or {turns} turns, to {goal} on average"
        return (
            f"{self.rules.name}, {self.rules.path.name}: one piece from {where} {times} "
            f"(exact, {self.rules.dice.name})"
        )


def leg(way: Track, to: int, start: int = 0) -> Journey:
    """Return the journey from a step to another.

    Raises
    ------
    UsageError
        If the steps are not in order on the track, or the dice give only 0.
    """
    last = None if way.length is None else way.length + 1
    if not 0 <= start < to or (last is not None and to > last):
        end = "" if last is None else f", and at most {last} (home)"
        raise UsageError(f"from step {start} to {to}: must be in order, on the path{end}")
    if not way.dice.mean:
        raise UsageError(f"dice {way.dice.name}: must be able to roll more than 0")
    hit = _landing(way, to, start)

    def landing(at: int) -> Moves:
        """Return the moves of a piece, with their probabilities if it lands on the step."""
        moves = [(end, p) for end, p in _moves(way, at) if end <= to and hit[end]]
        return [(end, p * hit[end] / hit[at]) for end, p in moves]

    goal = "home" if to == last else f"step {to}"
    passing = _times(way, to, start, partial(_moves, way))
    alone = _times(way, to, start, landing)
    return Journey(start, to, goal, (to - start) / way.dice.mean, passing, hit[start], alone)


def light_journeys(rules: RuleSet, steps: Iterable[int], start: int = 0) -> Journeys:
    """Return light's journeys under a rule set from a step to others, with the errors of `leg`."""
    way = track(rules)
    legs = (leg(way, step, start) for step in steps)
    return Journeys(rules, [replace(x, goal=goal_name(rules.path, x.to)) for x in legs])


def _moves(way: Track, at: int) -> Moves:
    """Return the steps to which rolls move a piece, with their probabilities."""
    end = float("inf") if way.length is None else way.length + 1
    return [(at + r, p) for r, p in chances(way.dice).items() if r and at + r <= end]


def _times(way: Track, to: int, start: int, moves: Callable[[int], Moves]) -> ExpectedTimes | None:
    """Return the expected rolls and turns from a step to another, or None if infinite.

    Each clock starts at 1 with the first roll, and advances with every later roll unless the piece
    has arrived or is on a free step. The clock of turns has the rosettes as free steps, the clock
    of rolls has no free steps. ``moves`` returns the moves of a piece on a step.
    """
    times = []
    for free in frozenset[int](), way.rosettes:
        after: dict[int, Fraction | None] = {}
        for at in range(to - 1, start - 1, -1):
            # The time x from here is the sum of p (clock + time from the end), plus stay (1 + x).
            stay = total = 1 - sum((p for _, p in moves(at)), Fraction(0))
            never = stay == 1
            for end, p in moves(at):
                later = Fraction(0) if end >= to else after[end]
                never = never or later is None
                total += p * ((later or 0) + (end < to and end not in free))
            after[at] = None if never else total / (1 - stay)
        if (time := after[start]) is None:
            return None
        times.append(1 + time)
    return ExpectedTimes(*times)


def _landing(way: Track, to: int, start: int) -> dict[int, Fraction]:
    """Return the probability of landing on a step, from each earlier step, if every roll moves."""
    hit: dict[int, Fraction] = {to: Fraction(1)}
    for at in range(to - 1, start - 1, -1):
        moves = _moves(way, at)
        moving = sum((p for _, p in moves), Fraction(0))
        hit[at] = sum((p * hit[end] for end, p in moves if end <= to), Fraction(0)) / (moving or 1)
    return hit


# --- one player alone


def plies_alone(
    rules: RuleSet, pieces: int, best: Callable[[Iterable[float]], float] = min
) -> tuple[float, ...]:
    """Return the expected plies of light alone with 1, 2, ... ``pieces`` pieces.

    Moves are chosen by ``best``: `min` or `max`.

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
        raise TooLargeError(
            f"path {rules.path.name}: must have at most {MAX_LENGTH} steps for one player alone"
        )
    pick = np.minimum if best is min else np.maximum
    never = np.inf if best is min else -np.inf
    boards_by_sum = _groups(length)
    on_board = np.bitwise_count(np.arange(1 << length))
    # Expected plies from each board with a number of pieces left, infinite if impossible.
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
                for can, where, gone in _successors(boards, on_board[boards] < left, roll, length):
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
    return tuple(expected)


def _groups(length: int) -> list[IntArray]:
    """Return all boards, grouped by the sum of the steps of their pieces, greatest first."""
    boards = np.arange(1 << length)
    steps = sum((boards >> (s - 1) & 1) * s for s in range(1, length + 1))
    return [boards[steps == total] for total in range(length * (length + 1) // 2, -1, -1)]


def _successors(
    boards: IntArray, pool: NDArray[np.bool_], roll: int, length: int
) -> Iterator[tuple[IntArray, IntArray, bool]]:
    """Yield for each start the boards that can move, their successors, and whether moves bear off.

    Boards are masks with bit s - 1 for step s. ``pool`` marks the boards with pieces in the start
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


class PiecesAlone(NamedTuple):
    """One player alone with a number of pieces."""

    pieces: Annotated[int, Field("pieces", about="number of pieces")]
    rolls: Annotated[float, Field("rolls", decimals(4), "expected rolls with the fastest moves")]
    rolls_worst: Annotated[
        float, Field("slowest moves", decimals(4), "expected rolls with the slowest moves")
    ]


@dataclass(frozen=True)
class Alone(Result, function="journey"):
    """One player alone under a rule set, with numbers of pieces.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.journey("finkel", pieces=1)
    >>> round(result.rows[0].rolls, 4)
    9.8678
    """

    schema = "urcx.pieces/2"
    lists = ("rows",)
    rules: RulesWithDice
    exactness: ClassVar[Annotated[str, Field(about="of the rolls")]] = "in floating point"
    rows: Annotated[tuple[PiecesAlone, ...], "a row for each number of pieces"]

    @property
    def legend(self) -> list[str]:
        """Return notes on the columns."""
        return ["rolls: with the fastest moves, until all pieces are home, including rolls of 0"]

    @property
    def answer(self) -> str:
        """Return the expected rolls of all pieces."""
        last = self.rows[-1]
        return (
            f"{self.rules.name}: one player alone brings {count_text(last.pieces, 'piece')} home "
            f"in {last.rolls:.4f} rolls on average with the fastest moves (exact except for "
            "rounding)"
        )


class ArrivalChance(NamedTuple):
    """The probability that one of several pieces arrives within a number of turns."""

    pieces: Annotated[int, Field("pieces", about="number of pieces")]
    turns: Annotated[int, Field(Column("turns", key=True), about="number of turns")]
    probability: Annotated[
        Fraction,
        Field("arrives, %", PERCENT, "probability that a piece arrives, with the best moves"),
    ]


@dataclass(frozen=True)
class Arrivals(Result, function="journey"):
    """The probabilities that one of several pieces reaches a step in time.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.journey("finkel", "B4", within=2, pieces=[1, 7])
    >>> result.goal, result.rows[0].probability
    ('B4, rosette', Fraction(1, 256))
    """

    schema = "urcx.arrival/1"
    lists = ("rows",)
    rules: RulesWithDice
    to: Annotated[int, Field(about="the step")]
    goal: Annotated[str, Field(about="name of the step")]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    rows: Annotated[tuple[ArrivalChance, ...], "numbers of pieces, with 1, 2, ... turns"]

    @property
    def legend(self) -> list[str]:
        """Return a note on the table."""
        return ["one player alone; for each number of turns, the moves that are best for it"]

    @property
    def answer(self) -> str:
        """Return the probability for the greatest number of turns."""
        last = self.rows[-1]
        pieces = count_text(last.pieces, "piece")
        return (
            f"{self.rules.with_pieces}: one of {pieces} reaches step {self.to} ({self.goal}) "
            f"within {count_text(last.turns, 'turn')} with a probability of "
            f"{percent_text(last.probability)}, with the best moves and no opponent (exact)"
        )


def arrival(rules: RuleSet, to: int, pieces: int, turns: int) -> tuple[Fraction, ...]:
    """Return the probability that a light piece reaches a step within 1, 2, ... ``turns`` turns.

    Each probability is maximised separately. Moving is compulsory. ``to`` is a step of the path or
    home. There are no dark pieces.

    Raises
    ------
    UsageError
        If there are more than `MAX_TURNS` turns, or fewer than 1.
    """
    if not 1 <= turns <= MAX_TURNS:
        raise UsageError(f"within {turns}: must be from 1 to {MAX_TURNS} turns")
    home = len(rules.path.light) + 1
    tiles, stars, odds = rules.path.light, track(rules).rosettes, chances(rules.dice)

    @cache
    def best(left: int, pool: int, board: frozenset[int]) -> Fraction:
        """Return the greatest probability with ``left`` turns left, including the current turn."""
        if left == 0:
            return Fraction(0)
        total = Fraction(0)
        for roll, p in odds.items():
            after = list(moved(left, pool, board, roll)) if roll else []
            total += p * (max(after) if after else best(left - 1, pool, board))
        return total

    def moved(left: int, pool: int, board: frozenset[int], roll: int) -> Iterator[Fraction]:
        """Yield the probability after each legal move for a roll above 0."""
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


def journey(
    rules: str | RuleSet = "finkel",
    to: int | str | Sequence[int | str] | None = None,
    start: int | str = 0,
    *,
    within: int | None = None,
    pieces: int | Sequence[int] | None = None,
    dice: str | Dice | None = None,
) -> Journeys | Alone | Arrivals:
    """Return the expected time of a piece to steps of light's path, alone or with other pieces.

    Parameters
    ----------
    rules
        A rule set or its name. The piece is on light's path.
    to
        The step to get to, up to L + 1, which is ``home``, or a tile of light's path, or several of
        them. By default every step beyond ``start``.
    start
        The first step or tile. 0 is the start pool.
    within
        Another question: what is the probability that one of several pieces reaches ``to`` within
        1, 2, ... this number of turns, from 1 to 10? One player is alone, and plays the best moves
        for each number of turns.
    pieces
        With ``within``, the numbers of pieces, from 1 to 15, by default the rule set's. Without it,
        another question: how many rolls does one player alone take to bring this number of pieces
        home?
    dice
        Dice or their name, instead of the rule set's.

    Returns
    -------
    Journeys or Alone or Arrivals
        `Arrivals` with ``within``, `Alone` with ``pieces`` alone, otherwise `Journeys`.

    Raises
    ------
    UnknownNameError
        If there is no such rule set, or no such dice.
    UsageError
        If steps are not on the path or not in order, if the path has no such tile or crosses it
        more than once, if a number is out of range, or if questions exclude each other.
    TooLargeError
        If the path has more than 16 steps, with ``pieces`` alone.

    Examples
    --------
    >>> import urcx
    >>> row = urcx.journey("finkel", "home").rows[0]
    >>> round(float(row.passing.rolls), 4), row.approximation
    (9.8678, Fraction(15, 2))
    >>> [row.to for row in urcx.journey(start="B4").rows]
    [9, 10, 11, 12, 13, 14, 15]
    >>> rows = urcx.journey("finkel", "B4", within=4).rows
    >>> [round(float(row.probability), 4) for row in rows]
    [0.0039, 0.0423, 0.2447, 0.5038]
    >>> [round(row.rolls, 4) for row in urcx.journey("finkel", pieces=[1, 2]).rows]
    [9.8678, 17.4611]
    """
    rules = catalogue.ruleset(rules)
    if dice is not None:
        rules = replace(rules, dice=catalogue.dice(dice))
    numbers = None if pieces is None else numbers_up_to(MAX_PIECES, "pieces", pieces)
    goals = [] if to is None else several(to)
    steps = sorted({_step("--to", goal, (*rules.path.light, "home"), rules) for goal in goals})
    first = 0 if start == 0 else _step("--from", start, rules.path.light, rules)
    if first and (within is not None or numbers is not None):
        raise UsageError("--from: excludes --within and --pieces")
    if within is not None:
        if len(steps) != 1:
            raise UsageError("--within: needs a single step, tile or home, such as --to B4")
        turns = catalogue.as_integer("within", within)
        rows = (
            ArrivalChance(n, k, p)
            for n in numbers or (rules.pieces,)
            for k, p in enumerate(arrival(rules, steps[0], n, turns), start=1)
        )
        return Arrivals(rules, steps[0], goal_name(rules.path, steps[0]), tuple(rows))
    if numbers is not None:
        if steps:
            raise UsageError("--to: excludes --pieces without --within")
        fewest, most = (plies_alone(rules, max(numbers), best) for best in (min, max))
        alone = (PiecesAlone(n, fewest[n - 1], most[n - 1]) for n in sorted(numbers))
        return Alone(rules, tuple(alone))
    return light_journeys(rules, steps or range(first + 1, len(rules.path.light) + 2), first)


def _step(name: str, place: int | str, tiles: Sequence[str], rules: RuleSet) -> int:
    """Return a step of light's path from its number or its name among the ``tiles``."""
    if not isinstance(place, str) or place[:1].isdecimal():
        step = catalogue.as_integer(name, place)
        if not 1 <= step <= len(tiles):
            raise UsageError(f"{name} {step}: must be from 1 to {len(tiles)}, or a tile")
        return step
    steps = [s for s, tile in enumerate(tiles, start=1) if tile.upper() == place.upper()]
    if len(steps) == 1:
        return steps[0]
    where = f"light's path {rules.path.name}"
    if steps:
        either = " or ".join(map(str, steps))
        raise UsageError(f"{name} {place!r}: {where} crosses it more than once. Use {either}")
    raise UsageError(f"{name} {place!r}: must be a tile of {where}")
