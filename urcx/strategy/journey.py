"""One piece on its path: expected rolls and turns of an absorbing Markov chain, in fractions.

The piece is never captured and only advances, so the expected time from each step follows from
those of later steps, and is exact. Section 5.2 of Raposo and Lamont takes S / 2 rolls for S tiles.

A roll is a ply, a 0 included. A turn consists of one or more rolls: landing on a rosette that
grants an extra roll continues the turn.

Rushing a piece is a journey within one turn, from rosette to rosette (their section 4.2): every
roll but the last must land on a rosette. Dice are compared by the journey of a piece alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Annotated, ClassVar

import numpy as np

from urcx.errors import UsageError, WrongObjectError
from urcx.results.fields import (
    COUNT,
    FRACTION,
    Field,
    Fields,
    Kind,
    Schema,
    column,
    fields_of,
    member,
)
from urcx.results.fractions import decimal
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import Column, Note, Table, joined, key, secondary
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path, RuleSet, RulesWithPath, check_flags
from urcx.rules.position import step_called
from urcx.strategy.dice import (
    ANSWER,
    ENDS,
    FOUR,
    IN_FULL,
    NAME,
    PERCENT,
    Answer,
    Substitute,
    Summary,
    chances,
    distance,
    substitutes,
    summary,
    written,
)

__all__ = ["DiceComparison", "Journey", "Rush", "Track", "compare_dice", "journey", "rush", "track"]

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

    @property
    def described(self) -> str:
        """Return the track in words."""
        if self.length is None and not self.rosettes:
            return "a plain track without rosettes or end"
        length = "a track without end" if self.length is None else f"a track of {self.length} steps"
        if not self.rosettes:
            return f"{length} without rosettes"
        return f"{length} with rosettes on {', '.join(map(str, sorted(self.rosettes)))}"


def track(rules: str | RuleSet) -> Track:
    """Return light's way under a rule set, which may be given by name, or of a game.

    Parameters
    ----------
    rules
        A rule set or its name; or a game.

    Returns
    -------
    Track

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    OutOfDomainError
        If the rule set has a flag that no track has.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.track("finkel")
    >>> result.length, sorted(result.rosettes)
    (14, [4, 8, 14])
    """
    rules = catalogue.ruleset(rules)
    check_flags("a track", rules)
    return path_track(rules.path, rules.dice, rules.granting)


def path_track(path: Path, dice: Dice, granting: frozenset[str] | None = None) -> Track:
    """Return light's way along a path, where these rosettes grant a roll; by default all do."""
    stars = path.board.rosettes if granting is None else granting
    steps = (s for s, tile in enumerate(path.light, start=1) if tile in stars)
    return Track(dice, len(path.light), frozenset(steps))


def as_track(way: Track | str | RuleSet) -> Track:
    """Return a track as it is, or that of light under a rule set.

    Raises
    ------
    UsageError
        If it is neither a track nor a rule set or its name.
    """
    if isinstance(way, str | RuleSet):
        return track(way)
    if isinstance(way, Track):
        return way
    raise WrongObjectError("way", Track, way, "a rule set or its name")


@dataclass(frozen=True)
class ExpectedTimes:
    """Expected rolls and expected turns; where there are choices, each is minimised separately."""

    rolls: Fraction
    turns: Fraction


def _time_fields(key: str, heading: str, about: str) -> tuple[Field, Field]:
    """Return the fields of expected times: their rolls, and joined to them their turns."""
    rolls, turns = f"{heading}: rolls", joined(f"{heading}: turns")
    return (
        member(rolls, NEVER, f"expected rolls {about}", key=f"{key}_rolls", of="rolls"),
        member(turns, NEVER, f"expected turns {about}", key=f"{key}_turns", of="turns"),
    )


@dataclass(frozen=True)
class Journey(Result, function="journey"):
    """The journey of a piece from one step to another; times are None if it may never arrive.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.journey("finkel", 4)
    >>> result.passing.rolls, result.hit
    (Fraction(120784, 50625), Fraction(23251, 50625))
    """

    start: Annotated[int, member(about="the step it begins at, 0 in the start pool", key="from")]
    to: Annotated[int, member(Column("step", key=True), about="the step it goes to")]
    goal: Annotated[str, member(key("goal"), about="what the step is called")]
    approximation: Annotated[
        Fraction,
        member(secondary("S / mean"), NEVER, "the rule of thumb: tiles by the mean roll"),
    ]
    passing: Annotated[
        ExpectedTimes | None,
        "the time until it is on the step or beyond, if it moves with every roll that it can",
        *_time_fields("passing", "there or beyond", "until it stands there or beyond"),
    ]
    hit: Annotated[
        Fraction, member("lands, %", PERCENT, "how probable it is that it lands there", key="lands")
    ]
    alone: Annotated[
        ExpectedTimes | None,
        "the time given that it lands there in that way",
        *_time_fields("alone", "if so", "if it lands there"),
    ]
    chosen: Annotated[
        ExpectedTimes | None,
        "the time until it lands if another piece can take any roll (which ends the turn), and "
        "does so whenever that is better",
        *_time_fields("chosen", "chosen", "until it lands, where other pieces can take rolls"),
    ]
    way: Annotated[Track, "the track"]

    @property
    @member(about="tiles between them", after="to")
    def tiles(self) -> int:
        """Return the tiles from one step to the other."""
        return self.to - self.start

    def report(self) -> Report:
        """Return the expected rolls and turns, as of a journey on a track without a rule set."""
        return Journeys(None, [self]).report()


@dataclass(frozen=True)
class Journeys:
    """Journeys of a piece from one step to others."""

    rules: Annotated[
        RuleSet | None,
        member(about="name of the rule set, null on a plain track", of="name"),
        member(about="name of its path, null on a plain track", key="path", of="path.name"),
    ]
    exactness: ClassVar[Annotated[str, member(about="fractions, without rounding")]] = "exact"
    rows: Annotated[Sequence[Journey], "at least one"]

    @property
    @member(about="name of the dice", of="name", after="rules")
    def dice(self) -> Dice:
        """Return the dice."""
        return self.rows[0].way.dice

    def report(self) -> Report:
        """Return expected rolls and turns; without a rule set, on a track."""
        start, way = self.rows[0].start, self.rows[0].way
        where = f"step {start}" if start else "the start"
        if self.rules and start:
            where = goal_name(self.rules.path, start)
        along = f"{self.rules.name}, {self.rules.path.name}" if self.rules else way.described
        notes = [
            Note("S / mean: the rule of thumb", "S / mean"),
            "a roll is any throw, a 0 too; a rosette keeps the turn going",
            (
                "there or beyond: every roll moves the piece; lands: how often it then stands on "
                "the step"
            ),
            "chosen: until it lands, if other pieces can take unsuitable rolls (the turn ends)",
        ]
        title = f"One piece from {where}: {along}, {self.dice.name}"
        table = LEGS.table(title, self.rows, notes)
        last = self.rows[-1]
        goal = last.goal if last.goal == "home" else f"step {last.to}"
        times = f"is never sure to reach {goal}"
        if last.passing is not None:
            rolls, turns = (f"{float(x):.4f}" for x in (last.passing.rolls, last.passing.turns))
            times = f"takes {rolls} rolls or {turns} turns to {goal} on average"
        answer = f"{along}: one piece from {where} {times} (exact, {self.dice.name})"
        return Report.of(JOURNEY, self, [table], rows=self.rows, answer=answer)


LEGS = fields_of(Journey)
JOURNEY = Schema("urcx.journey/1", {"": fields_of(Journeys), "rows": LEGS})


def journey(
    way: Track | str | RuleSet = "finkel", to: int | str = "home", start: int | str = 0
) -> Journey:
    """Return the expected rolls and turns from a step to another, 0 being the start pool.

    Parameters
    ----------
    way
        A track; or a rule set or its name, for light's path under it.
    to
        The step to get to, up to L + 1, which is ``home``; or a tile of light's path.
    start
        The step or tile to begin at, 0 being the start pool.

    Returns
    -------
    Journey

    Raises
    ------
    UsageError
        If the steps are not in order on the track, or the dice only give 0.
    PositionError
        If the path has no such tile, or crosses it more than once.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.journey("finkel", 8)
    >>> round(float(result.passing.rolls), 4), round(float(result.hit), 4)
    (4.3751, 0.4684)
    >>> urcx.journey("finkel", 4, start=2).approximation
    Fraction(1, 1)
    >>> urcx.journey(start="B4").to, urcx.journey("finkel", "B4").to
    (15, 8)
    """
    path = None if isinstance(way, Track) else catalogue.ruleset(way).path
    way = as_track(way)
    return journeys(way, _step(to, "to", way, path), (_step(start, "start", way, path),))[0]


def _step(place: int | str, name: str, way: Track, path: Path | None) -> int:
    """Return a step of a way, which may be given as a tile of a path or as ``home``."""
    if not isinstance(place, str) or place[:1].isdecimal():
        return catalogue.whole(name, place)
    if path is not None:
        return step_called(place, path.light)
    if place != "home" or way.length is None:
        raise UsageError(f"{name} {place!r}: a track has steps, and home if it has an end")
    return way.length + 1


def goal_name(path: Path, step: int) -> str:
    """Return what a step is called: its tile, whether it is a rosette, or home."""
    if step > len(path.light):
        return "home"
    tile = path.light[step - 1]
    return f"{tile}, rosette" if tile in path.board.rosettes else tile


def legs(rules: str | RuleSet, steps: Iterable[int] | None = None, start: int = 0) -> Journeys:
    """Return light's journeys under a rule set, from a step to others, by default to all beyond.

    Raises
    ------
    UsageError
        As `journey` does.
    """
    rules = catalogue.ruleset(rules)
    way, path = track(rules), rules.path
    goals = range(start + 1, len(path.light) + 2) if steps is None else steps
    journeys_to = (journey(way, step, start) for step in goals)
    return Journeys(rules, [replace(item, goal=goal_name(path, item.to)) for item in journeys_to])


def plain_journeys(dice: Dice, numbers: Sequence[int]) -> list[Journey]:
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
    from_starts = journeys(Track(dice), most, [most - n for n in numbers])
    named = ((n, f"{n} tiles on" if n > 1 else "1 tile on") for n in numbers)
    return [
        replace(item, start=0, to=n, goal=goal)
        for item, (n, goal) in zip(from_starts, named, strict=True)
    ]


def journeys(way: Track, to: int, starts: Sequence[int]) -> list[Journey]:
    """Return the journeys to a step from several starts, at little more cost than one.

    Raises
    ------
    UsageError
        As `journey` does.
    """
    start = min(starts)
    last = None if way.length is None else way.length + 1
    for each in starts:
        if not 0 <= each < to or (last is not None and to > last):
            end = "" if last is None else f" up to {last}, home"
            raise UsageError(f"from step {each} to {to}: both must be on the path, in order{end}")
    if not way.dice.mean:
        raise UsageError(f"{way.dice.name} never moves a piece")
    hit = _landing(way, to, start)

    def landing(at: int, *, if_so: bool) -> Moves:
        """Return the moves not beyond the step; with their chances if the piece lands on it."""
        moves = [(end, p) for end, p in _moves(way, at) if end <= to]
        if not if_so:
            return moves
        return [(end, p * hit[end] / hit[at]) for end, p in moves if hit[end]]

    passing = _times(way, to, start, partial(_moves, way), _moving)
    alone = _times(way, to, start, partial(landing, if_so=True), _moving)
    chosen = _times(way, to, start, partial(landing, if_so=False), _choosing)
    return [
        Journey(
            each,
            to,
            "home" if to == last else f"step {to}",
            (to - each) / way.dice.mean,
            _expected(passing, each),
            hit[each],
            _expected(alone, each),
            _expected(chosen, each),
            way,
        )
        for each in starts
    ]


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
        known: Times = {}
        for at in range(to - 1, start - 1, -1):
            costs: list[tuple[Fraction, Fraction | None]] = []
            for end, p in moves(at):
                rest = Fraction(0) if end >= to else known[end]
                costs.append((p, None if rest is None else rest + (end < to and end not in free)))
            known[at] = expect(costs)
        times.append(known)
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
    taken = [[(p, cost) for cost, p in options[:n]] for n in range(1, len(options) + 1)]
    return min((time for some in taken if (time := _moving(some)) is not None), default=None)


def _expected(times: list[Times], start: int) -> ExpectedTimes | None:
    rolls, turns = (known[start] for known in times)
    return None if rolls is None or turns is None else ExpectedTimes(1 + rolls, 1 + turns)


def _landing(way: Track, to: int, start: int) -> dict[int, Fraction]:
    """Return the probability of landing on a step from each before it if every roll moves."""
    hit: dict[int, Fraction] = {to: Fraction(1)}
    for at in range(to - 1, start - 1, -1):
        moves = _moves(way, at)
        moving = sum((p for _, p in moves), Fraction(0))
        hit[at] = sum((p * hit[end] for end, p in moves if end <= to), Fraction(0)) / (moving or 1)
    return hit


@dataclass(frozen=True)
class ComparedDice:
    """Dice, and the journey of a piece alone with them."""

    summary: Annotated[
        Summary,
        member("<dice", about="name of the dice", key="dice", of="dice.name"),
        member("mean", IN_FULL, "mean of a roll", key="mean", of="mean"),
        member("variance", IN_FULL, "its variance", key="variance", of="variance"),
    ]
    rosette_at_once: Annotated[
        Fraction | None,
        member(
            "rosette at once, %",
            PERCENT,
            "how probably the first roll leads to the first rosette, null without one",
            key="first_rosette_at_once",
        ),
    ]
    rosette: Annotated[
        Fraction | None,
        member("rosette, %", PERCENT, "how probably a piece lands there", key="first_rosette"),
    ]
    home: Annotated[
        ExpectedTimes | None,
        member("rolls home", FOUR, "expected rolls of a piece alone", key="rolls_home", of="rolls"),
        member("turns home", FOUR, "expected turns of a piece alone", key="turns_home", of="turns"),
    ]
    distance: Annotated[
        Fraction, member("distance", FOUR, "total variation distance from the first dice")
    ]


@dataclass(frozen=True)
class DiceComparison(Result, function="compare_dice"):
    """Dice compared under a rule set, the others with the first.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.compare_dice(["binary4", "d6-substitute"])
    >>> [(str(row.summary.mean), str(row.distance)) for row in result.rows]
    [('2', '0'), ('2', '5/24')]
    """

    rules: RulesWithPath
    first_rosette: Annotated[
        int | None, "step of the first rosette that grants a roll, None without one"
    ]
    rows: Annotated[tuple[ComparedDice, ...], "the dice"]
    readings: Annotated[
        tuple[Substitute, ...], "the ways to read a six-sided die in place of the first dice"
    ]

    def report(self) -> Report:
        """Return the effect of dice on a game, and every way to read a six-sided die."""
        dice = [row.summary.dice for row in self.rows]
        data = COMPARISON.record(self) | {"readings": READINGS.records(self.readings)}
        tables = [
            COMPARED.table(
                f"Dice compared, one piece alone on the path {self.rules.path.name}",
                self.rows,
                [
                    f"rosette: the first, step {self.first_rosette}; at once: with the first roll "
                    "of a piece"
                    if self.first_rosette
                    else "there is no rosette",
                    f"distance from {dice[0].name}: the most that any event's probabilities differ",
                ],
            ),
            (Fields(column("<reading", lambda item: item.summary.dice.name)) + READINGS).table(
                "A six-sided die instead: how 5 and 6 can be read",
                self.readings,
                ["Michon reads 5 as 0 and 6 as 2"],
            ),
        ]
        first = self.rows[0].summary
        answer = (
            f"{first.dice.name}: a roll is {first.mean} on average; of "
            f"{counted(len(dice) - 1, 'other')}, "
            f"{', '.join(str(row.summary.mean) for row in self.rows[1:])} (exact)"
        )
        return Answer("compare", dice).report(data, COMPARED.records(self.rows), tables, answer)


COMPARISON = fields_of(DiceComparison)
COMPARED = fields_of(ComparedDice)
READINGS = fields_of(Substitute)
COMPARE = Schema(
    NAME, {"": ANSWER + COMPARISON, "rows": COMPARED, "readings": READINGS}, "with --compare"
)


def compare_dice(
    dice: str | Dice | Sequence[str | Dice] = (), rules: str | RuleSet = "finkel"
) -> DiceComparison:
    """Compare dice by their rolls, and by the journey of one piece alone.

    Parameters
    ----------
    dice
        Dice or their names, one or several; all of the catalogue by default.
    rules
        A rule set or its name, for its path; its own dice are ignored.

    Returns
    -------
    DiceComparison

    Raises
    ------
    UnknownNameError
        If there are no such dice or rule set.
    UsageError
        If some of the dice never move a piece.

    Examples
    --------
    >>> import urcx
    >>> row = urcx.compare_dice("binary4", "masters").rows[0]
    >>> row.summary.mean, round(float(row.home.turns), 4)
    (Fraction(2, 1), 8.9232)
    """
    some = dice if isinstance(dice, Sequence) and not isinstance(dice, str) else [dice]
    some = some or list(catalogue.catalogue().dice.values())
    kinds = [catalogue.dice(name) for name in some]
    rules = catalogue.ruleset(rules)
    way = track(rules)
    star = min(way.rosettes, default=None)
    home = len(rules.path.light) + 1
    rows = []
    for kind in kinds:
        own = replace(way, dice=kind)
        rows.append(
            ComparedDice(
                summary(kind),
                chances(kind).get(star, Fraction(0)) if star else None,
                journey(own, star).hit if star else None,
                journey(own, home).alone,
                distance(kind, kinds[0]),
            )
        )
    return DiceComparison(rules, star, tuple(rows), substitutes(kinds[0]))


BATCHES = 40
T95 = 2.022690920036761  # Student's t for 95 % and 39 degrees of freedom
MAX_PARTICLES = 10_000_000
PAPER_TURNS = 106  # Raposo and Lamont's turns of a player in a game
TITLE = "A piece rushed from the start to home in one turn"
ALONE = "a piece alone on the board"


@dataclass(frozen=True)
class Rush(Result, function="rush"):
    """The probability of rushing a piece, from the start to home in one turn.

    Examples
    --------
    >>> import urcx
    >>> urcx.rush("finkel").sequences
    0
    """

    probability: Annotated[Fraction, member("probability", FRACTION, "how probable it is")]
    sequences: Annotated[int, member("sequences", COUNT, "sequences of rolls that do it")]
    likeliest: Annotated[
        tuple[int, ...],
        "the likeliest of them, empty if there is none",
        member(
            Column("rolls", text=True, secondary=True),
            about="the likeliest of them, null if it never happens",
            of=lambda rolls: written(rolls) or None,
        ),
    ]
    exactness: ClassVar[Annotated[str, member(about="fractions, without rounding")]] = "exact"

    def report(self) -> Report:
        """Return the chance on one track."""
        record = RUSHED.record(self)
        table = RUSHED.listed(f"{TITLE}, exactly", self, [ALONE])
        return Report(RUSHES.name, record, [record], [table], row_fields=RUSHED)


RUSHED = fields_of(Rush).pick("sequences", "likeliest", "exactness", "probability")


def rush(way: Track | str | RuleSet) -> Rush:
    """Return the exact probability that a piece at the start gets home in the turn that begins.

    Parameters
    ----------
    way
        A track with an end; or a rule set or its name, for light's path under it.

    Returns
    -------
    Rush

    Raises
    ------
    UsageError
        If the track has no end.

    Examples
    --------
    >>> import urcx
    >>> urcx.rush("aseb").probability
    Fraction(1, 262144)
    >>> urcx.rush("aseb").likeliest
    (4, 4, 4, 4, 1)
    """
    way, home = _with_home(way)
    table = {roll: p for roll, p in chances(way.dice).items() if roll}
    rushes = {home: Rush(Fraction(1), 1, ())}  # by the step from which home can be reached
    best = {home: Fraction(1)}  # the probability of the likeliest
    for at in (*sorted(way.rosettes, reverse=True), 0):
        ends = [(r, p, at + r) for r, p in table.items() if at + r in rushes]
        if ends:
            roll, p, end = max(ends, key=lambda item: item[1] * best[item[2]])
            best[at] = p * best[end]
            rushes[at] = Rush(
                sum((p * rushes[end].probability for _, p, end in ends), Fraction(0)),
                sum(rushes[end].sequences for _, _, end in ends),
                (roll, *rushes[end].likeliest),
            )
    return rushes.get(0, Rush(Fraction(0), 0, ()))


def _with_home(way: Track | str | RuleSet) -> tuple[Track, int]:
    """Return a track, and its step home; raises `UsageError` if it has no end."""
    way = as_track(way)
    if way.length is None:
        raise UsageError("a track without end has no home to rush to")
    return way, way.length + 1


@dataclass(frozen=True)
class Simulated:
    """An estimate by simulation."""

    probability: Annotated[
        float, member(about="the same, as simulated", key="simulated", exactness="estimate")
    ]
    ci95: Annotated[
        tuple[float, float] | None,
        "its 95 % interval, None if no piece came home",
        member("", ENDS, "its 95 % interval", key="simulated"),
    ]
    rolls: Annotated[int, member(about="how many rolls were simulated", key="simulated_rolls")]

    @property
    def interval_text(self) -> str:
        """Return the interval in percent."""
        if self.ci95 is None:
            return "none seen"
        return " to ".join(f"{100 * end:.3g}" for end in self.ci95)


def check_particles(particles: int) -> int:
    """Return a number of pieces; raises `UsageError` if not `BATCHES` to `MAX_PARTICLES`."""
    particles = catalogue.whole("particles", particles)
    if not BATCHES <= particles <= MAX_PARTICLES:
        raise UsageError(f"{particles:,} pieces to simulate: take {BATCHES} to {MAX_PARTICLES:,}")
    return particles


def simulate_rush(
    way: Track | str | RuleSet,
    particles: int = 400_000,
    seed: int = 1,
) -> Simulated:
    """Estimate the probability of `rush` by simulation, with splitting because a rush is rare.

    After each roll, the pieces on a rosette are duplicated to restore their number, and their
    weights are reduced accordingly. Each batch does so independently, and the spread of the batches
    gives the interval. The expectation of a batch is the exact probability.

    Parameters
    ----------
    way
        A track with an end, or a rule set or its name: light's track.
    particles
        The number of simulated pieces in all batches together.
    seed
        Of the random numbers, from 0.

    Raises
    ------
    UsageError
        If the track has no end, the number of pieces is not from `BATCHES` to `MAX_PARTICLES`, or
        the seed is below 0.
    """
    way, home = _with_home(way)
    particles, seed = check_particles(particles), catalogue.whole("seed", seed)
    if seed < 0:
        raise UsageError(f"seed {seed}: at least 0 is needed")
    each = particles // BATCHES
    # Different tracks get different random numbers, so that the rows of a table are independent.
    odds = way.dice.probabilities
    words = [seed, home - 1, *sorted(way.rosettes), *(p.denominator for p in odds)]
    streams = np.random.SeedSequence(words).spawn(BATCHES)
    batches = [_batch(way, each, np.random.default_rng(stream)) for stream in streams]
    values = np.array([value for value, _ in batches])
    mean = float(values.mean())
    half = T95 * float(values.std(ddof=1)) / BATCHES**0.5
    interval = (max(mean - half, 0.0), mean + half) if mean else None
    return Simulated(mean, interval, sum(rolls for _, rolls in batches))


def _batch(way: Track, particles: int, random: np.random.Generator) -> tuple[float, int]:
    """Return one batch's estimate and its number of rolls."""
    home = (way.length or 0) + 1
    stars = np.array(sorted(way.rosettes), dtype=np.int64)
    rolls = np.array(way.dice.rolls)
    odds = np.array([float(p) for p in way.dice.probabilities])
    at = np.zeros(particles, dtype=np.int64)
    weight, total, rolled = 1.0, 0.0, 0
    while at.size:
        cast = random.choice(rolls, size=particles, p=odds)
        at = at + cast
        rolled += particles
        total += weight * float(np.count_nonzero(at == home)) / particles
        again = at[np.isin(at, stars) & (cast > 0)]
        weight *= again.size / particles
        at = random.choice(again, size=particles) if again.size else again
    return total, rolled


@dataclass(frozen=True)
class PathRush:
    """Rushing a piece along a path: exactly, and as simulated, None where that was left out."""

    path: Annotated[Path, member(key("path"), about="name of the path", of="name")]
    dice: Annotated[Dice, member(key("dice"), about="name of the dice", of="name")]
    rush: Rush
    simulated: Simulated | None
    games: Annotated[
        Fraction | None,
        member(
            "games",
            Kind(lambda games: number(round(games)), FRACTION.json),
            "games in which it comes once",
        ),
    ]


@dataclass(frozen=True)
class Rushes:
    """Rushes along several paths with several kinds of dice, and how they were found."""

    turns: Annotated[int, member(about="a player's turns in a game, in each of which it is tried")]
    particles: Annotated[int, member(about="pieces simulated for each row")]
    seed: Annotated[int, member(about="seed of the random numbers")]
    rows: tuple[PathRush, ...]

    def report(self) -> Report:
        """Return the probabilities, exact and simulated, of the paths that can be rushed.

        Notes name the others.
        """
        rows, never = [row for row in self.rows if row.rush.sequences], ", ".join(self._never())
        if not rows:  # nothing for a table to show
            none = f"No piece is ever rushed from the start to home in one turn: {never}"
            return Report.of(RUSHES, self, rows=self.rows, answer=none)
        fields = [
            *PATH_RUSHES.pick("path", "dice", "likeliest", "probability").headed(
                {"probability": secondary("probability")}
            ),
            Field("", "%", PERCENT, of="rush.probability"),
            PATH_RUSHES["games"],
        ]
        notes = [
            ALONE,
            f"games: for one rush, if a player tries in each of {self.turns} turns a game",
        ]
        if self.particles:
            simulated = secondary("simulated, %")
            fields[-1:-1] = [Field("", simulated, of="simulated.interval_text")]
            how = f"95 % interval, {self.particles:,} pieces for each row, seed {self.seed}"
            notes[:0] = [Note(f"simulated: {how}", simulated.title)]
        rows.sort(key=lambda row: -row.rush.probability)
        best = rows[0]
        never_text = f", and never in {len(self.rows) - len(rows)} of {len(self.rows)} cases"
        answer = (
            "A piece is rushed home in one turn with a probability of "
            f"{decimal(best.rush.probability)} at best, on {best.path.name} with {best.dice.name} "
            f"(exact){never_text if never else ''}"
        )
        tables = [Fields(*fields).table(TITLE, rows, notes)]
        if never:
            tables.append(Table("Never", ["<"], [[never]]))
        return Report.of(RUSHES, self, tables, rows=self.rows, answer=answer)

    def _never(self) -> list[str]:
        """Return the paths that cannot be rushed, with the dice if not with all."""
        by_path: dict[str, list[str]] = {}
        for row in self.rows:
            if not row.rush.sequences:
                by_path.setdefault(row.path.name, []).append(row.dice.name)
        every = {row.dice.name for row in self.rows}
        return [
            name if set(dice) == every else f"{name} ({', '.join(dice)})"
            for name, dice in by_path.items()
        ]


OWN = fields_of(PathRush)
PATH_RUSHES = Fields(
    OWN.pick("path", "dice"),
    RUSHED.inside("rush"),
    fields_of(Simulated).inside("simulated"),
    OWN.pick("games"),
)
RUSHES = Schema("urcx.rush/1", {"": fields_of(Rushes), "rows": PATH_RUSHES})


def path_rushes(
    paths: Iterable[Path],
    kinds: Iterable[Dice],
    *,
    turns: int = PAPER_TURNS,
    particles: int = 0,
    seed: int = 1,
    progress: Callable[[int], None] = lambda _: None,
) -> Rushes:
    """Return the rushes along each path with each kind of dice; all rosettes grant a roll.

    Parameters
    ----------
    paths, kinds
        Paths and dice.
    turns
        A player's turns in a game.
    particles
        Pieces that are simulated for each where a rush can happen; 0 for none.
    seed
        Seed of the random numbers, the same for each.
    progress
        What to call with the number of paths and dice done.

    Raises
    ------
    UsageError
        If the number of pieces is out of range.
    """
    kinds = tuple(kinds)
    rows: list[PathRush] = []
    for path in paths:
        for dice in kinds:
            way = path_track(path, dice)
            exact = rush(way)
            simulate = particles and exact.sequences
            seen = simulate_rush(way, particles, seed) if simulate else None
            p = exact.probability
            rows.append(PathRush(path, dice, exact, seen, 1 / (turns * p) if p else None))
            progress(len(rows))
    return Rushes(turns, particles, seed, tuple(rows))
