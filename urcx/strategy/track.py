"""One piece on its track: expected rolls and turns of an absorbing Markov chain, in fractions.

The piece is never captured and only advances, so the expected time from each step follows from
those of later steps, and is exact. Section 5.2 of Raposo and Lamont takes S / 2 rolls for S tiles.

A roll is a ply, a 0 included. A turn consists of one or more rolls: landing on a rosette that
grants an extra roll continues the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Annotated, ClassVar

from urcx.errors import UsageError
from urcx.results.fields import FRACTION, Field, Kind
from urcx.results.result import Result
from urcx.results.tables import Column, Note, joined, key, secondary
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path, RuleSet, check_flags
from urcx.strategy.dice import PERCENT, chances

NEVER = Kind(lambda value: f"{float(value):.4f}", FRACTION.json, none="never")

Times = dict[int, Fraction | None]  # by step; None if a piece may never arrive
Moves = list[tuple[int, Fraction]]  # steps that rolls lead to, and how likely
MovesOf = Callable[[int], Moves]
Costs = Sequence[tuple[Fraction, Fraction | None]]  # chances, and times that follow


@dataclass(frozen=True)
class Track:
    """The path of a single piece: ``length`` steps before home (None: no end), and its rosettes.

    ``rosettes`` are the steps that grant an extra roll. Home is step ``length`` + 1 and needs the
    exact roll.
    """

    dice: Dice
    length: int | None = None
    rosettes: frozenset[int] = frozenset()


def track(rules: str | RuleSet) -> Track:
    """Return light's track under a rule set, which may be given by name.

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    OutOfDomainError
        If the rule set has a flag that no track has.
    """
    rules = catalogue.ruleset(rules)
    check_flags("a track", rules)
    return path_track(rules.path, rules.dice, rules.granting)


def path_track(path: Path, dice: Dice, granting: frozenset[str] | None = None) -> Track:
    """Return light's track along a path, where these rosettes grant a roll; by default all do."""
    stars = path.board.rosettes if granting is None else granting
    steps = (s for s, tile in enumerate(path.light, start=1) if tile in stars)
    return Track(dice, len(path.light), frozenset(steps))


def goal_name(path: Path, step: int) -> str:
    """Return what a step is called: its tile, whether it is a rosette, or home."""
    if step > len(path.light):
        return "home"
    tile = path.light[step - 1]
    return f"{tile}, rosette" if tile in path.board.rosettes else tile


@dataclass(frozen=True)
class ExpectedTimes:
    """Expected rolls and expected turns; where there are choices, each is minimised separately."""

    rolls: Fraction
    turns: Fraction


def _time_fields(key: str, heading: str, about: str) -> tuple[Field, Field]:
    """Return the fields of expected times: their rolls, and joined to them their turns."""
    rolls, turns = f"{heading}: rolls", joined(f"{heading}: turns")
    return (
        Field(rolls, NEVER, f"expected rolls {about}", key=f"{key}_rolls", of="rolls"),
        Field(turns, NEVER, f"expected turns {about}", key=f"{key}_turns", of="turns"),
    )


@dataclass(frozen=True)
class Journey:
    """The journey of a piece from one step to another; times are None if it may never arrive."""

    start: Annotated[int, Field(about="the step it begins at, 0 in the start pool", key="from")]
    to: Annotated[int, Field(Column("step", key=True), about="the step it goes to")]
    goal: Annotated[str, Field(key("goal"), about="what the step is called")]
    approximation: Annotated[Fraction, Field(secondary("S / mean"), NEVER, "the rule of thumb")]
    passing: Annotated[
        ExpectedTimes | None, *_time_fields("passing", "there or beyond", "until there or beyond")
    ]
    hit: Annotated[Fraction, Field("lands, %", PERCENT, "how likely it lands", key="lands")]
    alone: Annotated[ExpectedTimes | None, *_time_fields("alone", "if so", "if it lands there")]
    chosen: Annotated[
        ExpectedTimes | None,
        *_time_fields("chosen", "chosen", "until it lands, if others take rolls"),
    ]

    @property
    @Field(about="tiles between them", after="to")
    def tiles(self) -> int:
        """Return the tiles from one step to the other."""
        return self.to - self.start


@dataclass(frozen=True)
class Journeys(Result, function="journey"):
    """Journeys of a piece from one step to others.

    Examples
    --------
    >>> import urcx
    >>> (row,) = urcx.journey("finkel", 4).rows
    >>> row.passing.rolls, row.hit
    (Fraction(120784, 50625), Fraction(23251, 50625))
    """

    schema = "urcx.journey/1"
    lists = ("rows",)
    rules: Annotated[
        RuleSet | None,
        Field(about="name of the rule set, null on a plain track", of="name"),
        Field(about="name of its path, null on a plain track", key="path", of="path.name"),
    ]
    dice: Annotated[Dice, Field(about="name of the dice", of="name")]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    rows: Annotated[Sequence[Journey], "at least one"]

    @property
    def legend(self) -> list[str]:
        """Return notes on the columns."""
        return [
            Note("S / mean: the rule of thumb", "S / mean"),
            "a roll is any throw, a 0 too; a rosette keeps the turn going",
            (
                "there or beyond: every roll moves the piece; lands: how often it then stands on "
                "the step"
            ),
            "chosen: until it lands, if other pieces can take unsuitable rolls (the turn ends)",
        ]

    @property
    def answer(self) -> str:
        """Return the rolls and turns to the last step; without a rule set, on a plain track."""
        start, last = self.rows[0].start, self.rows[-1]
        along, where = "a plain track without rosettes or end", "the start"
        if self.rules:
            along = f"{self.rules.name}, {self.rules.path.name}"
            where = goal_name(self.rules.path, start) if start else where
        goal = last.goal if last.goal == "home" else f"step {last.to}"
        times = f"is never sure to reach {goal}"
        if last.passing is not None:
            rolls, turns = (f"{float(x):.4f}" for x in (last.passing.rolls, last.passing.turns))
            times = f"takes {rolls} rolls or {turns} turns to {goal} on average"
        return f"{along}: one piece from {where} {times} (exact, {self.dice.name})"


def light_journeys(rules: RuleSet, steps: Sequence[int], start: int = 0) -> Journeys:
    """Return light's journeys under a rule set, from a step to others.

    Raises
    ------
    UsageError
        As `journeys` does.
    """
    way, path = track(rules), rules.path
    legs = (leg(way, step, start) for step in steps)
    return Journeys(rules, way.dice, [replace(x, goal=goal_name(path, x.to)) for x in legs])


def plain_journeys(dice: Dice, numbers: Sequence[int]) -> Journeys:
    """Return the journeys over given numbers of tiles of a track without rosettes or end.

    Only the distance matters there, so all are computed in one backward pass from the farthest.

    Raises
    ------
    UsageError
        If a number is below 1, or the dice only give 0.
    """
    most = max(numbers)
    if min(numbers) < 1:
        raise UsageError(f"{min(numbers)} tiles: there must be at least 1")
    rows = zip(numbers, journeys(Track(dice), most, [most - n for n in numbers]), strict=True)
    goals = {n: f"{n} tiles on" if n > 1 else "1 tile on" for n in numbers}
    legs = [replace(item, start=0, to=n, goal=goals[n]) for n, item in rows]
    return Journeys(None, dice, legs)


def leg(way: Track, to: int, start: int = 0) -> Journey:
    """Return the journey from a step to another.

    Raises
    ------
    UsageError
        As `journeys` does.
    """
    return journeys(way, to, (start,))[0]


def journeys(way: Track, to: int, starts: Sequence[int]) -> list[Journey]:
    """Return the journeys to a step from several starts, at little more cost than one.

    Raises
    ------
    UsageError
        If steps are not in order on the track, or the dice only give 0.
    """
    first = min(starts)
    last = None if way.length is None else way.length + 1
    if not 0 <= first <= max(starts) < to or (last is not None and to > last):
        end = "" if last is None else f" up to {last}, home"
        raise UsageError(f"from step {first} to {to}: both must be on the path, in order{end}")
    if not way.dice.mean:
        raise UsageError(f"{way.dice.name} never moves a piece")
    hit = _landing(way, to, first)

    def landing(at: int, *, if_so: bool) -> Moves:
        """Return the moves not beyond the step; with their chances if the piece lands on it."""
        moves = [(end, p) for end, p in _moves(way, at) if end <= to]
        if not if_so:
            return moves
        return [(end, p * hit[end] / hit[at]) for end, p in moves if hit[end]]

    passing = _times(way, to, first, partial(_moves, way), _moving)
    alone = _times(way, to, first, partial(landing, if_so=True), _moving)
    chosen = _times(way, to, first, partial(landing, if_so=False), _choosing)
    goal = "home" if to == last else f"step {to}"
    return [
        Journey(
            start, to, goal, (to - start) / way.dice.mean, _expected(passing, start), hit[start],
            _expected(alone, start), _expected(chosen, start),
        )
        for start in starts
    ]  # fmt: skip


def _moves(way: Track, at: int) -> Moves:
    """Return the steps to which rolls move a piece, with their probabilities."""
    end = float("inf") if way.length is None else way.length + 1
    return [(at + r, p) for r, p in chances(way.dice).items() if r and at + r <= end]


def _times(
    way: Track, to: int, start: int, moves: MovesOf, expect: Callable[[Costs], Fraction | None]
) -> list[Times]:
    """Return for each of two clocks, rolls and turns, the expected time from each step on.

    Each clock starts at 1 with the first roll, and advances with every roll that neither arrives
    nor lands on a free step: none is free for rolls, the rosettes are for turns. ``moves`` are
    those of a piece on a step, and ``expect`` makes of each move's chance and cost, the expected
    time after it, that from the step.
    """
    times = []
    for free in frozenset[int](), way.rosettes:
        after: Times = {}
        for at in range(to - 1, start - 1, -1):
            costs: list[tuple[Fraction, Fraction | None]] = []
            for end, p in moves(at):
                later = Fraction(0) if end >= to else after[end]
                costs.append((p, None if later is None else later + (end < to and end not in free)))
            after[at] = expect(costs)
        times.append(after)
    return times


def _moving(costs: Costs) -> Fraction | None:
    """Return the expected time x = sum of p cost + stay (1 + x); None if it is infinite."""
    stay = total = 1 - sum((p for p, _ in costs), Fraction(0))
    for p, cost in costs:
        if cost is None:
            return None
        total += p * cost
    return None if stay == 1 else total / (1 - stay)


def _choosing(costs: Costs) -> Fraction | None:
    """Return the least expected time if rolls may be declined; None if it is infinite."""
    # If a roll is worth moving, so are all rolls that lead to a lower cost.
    options = sorted((cost, p) for p, cost in costs if cost is not None)
    cheapest = [[(p, cost) for cost, p in options[:n]] for n in range(1, len(options) + 1)]
    return min((time for some in cheapest if (time := _moving(some)) is not None), default=None)


def _expected(times: list[Times], start: int) -> ExpectedTimes | None:
    rolls, turns = (clock[start] for clock in times)
    return None if rolls is None or turns is None else ExpectedTimes(1 + rolls, 1 + turns)


def _landing(way: Track, to: int, start: int) -> dict[int, Fraction]:
    """Return the probability of landing on a step from each before it if every roll moves."""
    hit: dict[int, Fraction] = {to: Fraction(1)}
    for at in range(to - 1, start - 1, -1):
        moves = _moves(way, at)
        moving = sum((p for _, p in moves), Fraction(0))
        hit[at] = sum((p * hit[end] for end, p in moves if end <= to), Fraction(0)) / (moving or 1)
    return hit
