"""How long pieces take, and rushing one: a piece on its path, with others, or in one turn.

Rushing a piece is a journey within one turn, from rosette to rosette (section 4.2 of Raposo and
Lamont): every roll but the last must land on a rosette. Dice are compared by the journey of a piece
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from urcx.engine.threads import Stage, silent
from urcx.errors import UsageError, check_functions, exclusive_option
from urcx.results.fields import COUNT, FRACTION, Field, Fields, Kind, column, fields_of
from urcx.results.fractions import decimal
from urcx.results.numbers import counted, number
from urcx.results.result import Result
from urcx.results.tables import Column, Note, Table, key, secondary
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path, RuleSet, RulesWithPath
from urcx.strategy.alone import MAX_PIECES, Alone, Arrivals, alone, arrival
from urcx.strategy.dice import (
    ENDS,
    FOUR,
    IN_FULL,
    PERCENT,
    DiceChances,
    Rolls,
    Substitute,
    Summary,
    chances,
    dice_kinds,
    distance,
    numbers_up_to,
    several,
    substitutes,
    summary,
    written,
)
from urcx.strategy.rolls import PAPER_ROLLS
from urcx.strategy.track import (
    ExpectedTimes,
    Journeys,
    Track,
    leg,
    light_journeys,
    path_track,
    plain_journeys,
    track,
)

__all__ = ["compare_dice", "journey", "rush"]

MAX_TILES = 1000  # of a plain track
MOST_ALONE = 50  # pieces of one player alone


def journey(
    rules: str | RuleSet = "finkel",
    to: int | str | Sequence[int | str] | None = None,
    start: int | str = 0,
    *,
    within: int | None = None,
    pieces: int | Sequence[int] | None = None,
    tiles: int | Sequence[int] | None = None,
    dice: str | Dice | None = None,
    stage: Stage = silent,
) -> Journeys | Alone | Arrivals:
    """Return how long a piece takes to steps of light's path, alone or with others.

    Parameters
    ----------
    rules
        A rule set or its name, for light's path under it.
    to
        The step to get to, up to L + 1, which is ``home``; or a tile of light's path; or several.
        By default every step beyond ``start``.
    start
        The step or tile to begin at, 0 being the start pool.
    within
        Instead: how likely is it that one of several pieces stands on ``to`` within 1, 2, ... this
        many turns? From 1 to 10. One player is alone, and has the best choice of moves for each
        number of turns.
    pieces
        The numbers of pieces, from 1 to 15, with ``within``; by default all up to the rule set's.
        Without it: how many rolls does one player alone take to bring so many home, from 1 to 50,
        and how many a piece in the long run?
    tiles
        Instead: the journeys over so many tiles of a plain track, without rosettes or end; from 1
        to 1,000.
    dice
        Dice or their name, in place of the rule set's.
    stage
        Is called when each part of the work begins.

    Returns
    -------
    Journeys or Alone or Arrivals
        The last with ``within``; `Alone` with ``pieces`` without it.

    Raises
    ------
    UnknownNameError
        If there is no such rule set, or no such dice.
    UsageError
        If steps are not on the path, or not in order, the path has no such tile or crosses it more
        than once, a number is out of range, or questions exclude each other.
    TooLargeError
        If the path has more than 16 steps, and ``pieces`` are several.

    Examples
    --------
    >>> import urcx
    >>> row = urcx.journey("finkel", "home").rows[0]
    >>> round(float(row.passing.rolls), 4), row.approximation
    (9.8678, Fraction(15, 2))
    >>> [row.to for row in urcx.journey(start="B4").rows]
    [9, 10, 11, 12, 13, 14, 15]
    >>> chances = urcx.journey("finkel", "B4", within=4, pieces=7).within[7]
    >>> [round(float(chance), 4) for chance in chances]
    [0.0039, 0.0423, 0.2447, 0.5038]
    >>> [round(row.rolls, 4) for row in urcx.journey("finkel", pieces=[1, 2]).rows]
    [9.8678, 17.4611]
    """
    check_functions(stage=stage)
    rules = catalogue.ruleset(rules)
    if dice is not None:
        rules = replace(rules, dice=catalogue.dice(dice))
    turns = None if within is None else catalogue.whole("within", within)
    most = MOST_ALONE if turns is None else MAX_PIECES
    numbers = None if pieces is None else numbers_up_to(most, "pieces", pieces)
    distances = None if tiles is None else numbers_up_to(MAX_TILES, "tiles", tiles)
    goals = [] if to is None else several(to)
    steps = sorted({_step("--to", goal, rules.path, 1) for goal in goals})
    first = _step("--from", start, rules.path, 0)
    options = {"--to": to, "--tiles": tiles, "--pieces": pieces}
    options = options if turns is None else {"--within": turns, "--tiles": tiles}
    question = exclusive_option(**options)
    if first and question not in ("", "--to"):
        raise UsageError(f"--from needs --to, and cannot be combined with {question}")
    if distances is not None:
        return plain_journeys(rules.dice, distances)
    if turns is not None:
        if len(steps) != 1:
            raise UsageError("--within needs one step, tile or home: --to B4")
        counts = numbers or range(1, rules.pieces + 1)
        return Arrivals(rules, steps[0], {n: arrival(rules, steps[0], n, turns) for n in counts})
    if numbers is not None:
        return alone(rules, sorted(numbers), stage)
    every = range(first + 1, len(rules.path.light) + 2)
    return light_journeys(rules, every if to is None else steps, first)


def _step(name: str, place: int | str, path: Path, least: int) -> int:
    """Return a step of light's path, given as a number, a tile or as ``home``."""
    tiles = (*path.light, "home") if least else path.light
    if not isinstance(place, str) or place[:1].isdecimal():
        step = catalogue.whole(name, place)
        if not least <= step <= len(tiles):
            raise UsageError(f"{name} {step}: write a tile, or a step from {least} to {len(tiles)}")
        return step
    steps = [s for s, tile in enumerate(tiles, start=1) if tile.upper() == place.upper()]
    if len(steps) == 1:
        return steps[0]
    if steps:
        either = " or ".join(map(str, steps))
        raise UsageError(f"{name} {place!r}: {path.name} crosses it more than once; {either}?")
    raise UsageError(f"{name} {place!r}: no tile of light's path {path.name}{', nor home' * least}")


@dataclass(frozen=True)
class ComparedDice:
    """Dice, and the journey of a piece alone with them."""

    summary: Annotated[
        Summary,
        Field("<dice", about="name of the dice", key="dice", of="dice.name"),
        Field("mean", IN_FULL, "mean of a roll", key="mean", of="mean"),
        Field("variance", IN_FULL, "its variance", key="variance", of="variance"),
    ]
    rosette_at_once: Annotated[
        Fraction | None,
        Field("rosette at once, %", PERCENT, "if by the first roll", key="first_rosette_at_once"),
    ]
    rosette: Annotated[
        Fraction | None, Field("rosette, %", PERCENT, "a piece lands on it", key="first_rosette")
    ]
    home: Annotated[
        ExpectedTimes | None,
        Field("rolls home", FOUR, "expected rolls of a piece alone", key="rolls_home", of="rolls"),
        Field("turns home", FOUR, "expected turns of a piece alone", key="turns_home", of="turns"),
    ]
    distance: Annotated[Fraction, Field("distance", FOUR, "total variation, from the first")]


@dataclass(frozen=True)
class DiceComparison(DiceChances, function="compare_dice"):
    """Dice compared under a rule set, the others with the first.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.compare_dice(["binary4", "d6-substitute"])
    >>> [(str(row.summary.mean), str(row.distance)) for row in result.rows]
    [('2', '0'), ('2', '5/24')]
    """

    what = "compare"
    when = "with --compare"
    lists = ("rows", "readings")
    rules: RulesWithPath
    first_rosette: Annotated[int | None, "step of the first rosette that grants a roll, or None"]
    rows: Annotated[tuple[ComparedDice, ...], "the dice"]

    @property
    def readings(self) -> tuple[Substitute, ...]:
        """Return the ways to read a six-sided die in place of the first dice."""
        return substitutes(self.dice[0])

    def tables(self) -> list[Table]:
        """Return the effect of dice on a game, and every way to read a six-sided die."""
        first = self.dice[0]
        rosette = "there is no rosette"
        if self.first_rosette:
            step = f"the first, step {self.first_rosette}"
            rosette = f"rosette: {step}; at once: with the first roll of a piece"
        most = f"distance from {first.name}: the most that any event's probabilities differ"
        visible = Fields(column("<reading", lambda item: item.summary.dice.name))
        return [
            fields_of(ComparedDice).table("", self.rows, [rosette, most]),
            (visible + fields_of(Substitute)).table(
                "A six-sided die instead: how 5 and 6 can be read",
                self.readings,
                ["Michon reads 5 as 0 and 6 as 2"],
            ),
        ]

    @property
    def answer(self) -> str:
        """Return the mean of a roll of each kind of dice."""
        first, *rest = self.dice
        others, means = counted(len(rest), "other"), ", ".join(str(dice.mean) for dice in rest)
        return f"{first.name}: a roll is {first.mean} on average; of {others}, {means} (exact)"


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
    kinds = dice_kinds(dice)
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
                leg(own, star).hit if star else None,
                leg(own, home).alone,
                distance(kind, kinds[0]),
            )
        )
    return DiceComparison(kinds, rules, star, tuple(rows))


BATCHES = 40
T95 = 2.022690920036761  # Student's t for 95 % and 39 degrees of freedom
MAX_PARTICLES = 10_000_000


SEQUENCE = Column("rolls", text=True, secondary=True)
ROUNDED = Kind(lambda games: number(round(games)), FRACTION.json)


def written_or_none(rolls: Rolls) -> str | None:
    """Return rolls as text, None if there are none."""
    return written(rolls) or None


class RushChance(NamedTuple):
    """The chance to rush a piece, and the likeliest sequence of rolls that does it."""

    probability: Fraction = Fraction(0)
    sequences: int = 0
    likeliest: Rolls = ()
    of_likeliest: Fraction = Fraction(0)


def rush_chance(way: Track) -> RushChance:
    """Return the exact chance that a piece at the start gets home in the turn that begins.

    Raises
    ------
    UsageError
        If the track has no end.
    """
    home = _home(way)
    rolls = {roll: p for roll, p in chances(way.dice).items() if roll}
    rushes = {home: RushChance(Fraction(1), 1, (), Fraction(1))}  # by the step it begins at
    for at in (*sorted(way.rosettes, reverse=True), 0):
        ends = [(roll, p, rushes[at + roll]) for roll, p in rolls.items() if at + roll in rushes]
        if ends:
            roll, p, best = max(ends, key=lambda end: end[1] * end[2].of_likeliest)
            rushes[at] = RushChance(
                sum((p * after.probability for _, p, after in ends), Fraction(0)),
                sum(after.sequences for _, _, after in ends),
                (roll, *best.likeliest),
                p * best.of_likeliest,
            )
    return rushes.get(0, RushChance())


def _home(way: Track) -> int:
    """Return a track's step home; raises `UsageError` if it has no end."""
    if way.length is None:
        raise UsageError("a track without end has no home to rush to")
    return way.length + 1


def simulate_rush(
    way: Track, particles: int = 400_000, seed: int = 1
) -> tuple[float, tuple[float, float] | None, int]:
    """Estimate the chance of `rush_chance` by simulation, with splitting because a rush is rare.

    After each roll, the pieces on a rosette are duplicated to restore their number, and their
    weights are reduced accordingly. Each batch does so independently, and the spread of the batches
    gives the interval. The expectation of a batch is the exact probability.

    Parameters
    ----------
    way
        A track with an end.
    particles
        The number of simulated pieces in all batches together.
    seed
        Of the random numbers, from 0.

    Returns
    -------
        The estimate, its 95 % interval, None if no piece came home, and the number of rolls.

    Raises
    ------
    UsageError
        If the track has no end.
    """
    # Different tracks get different random numbers, so that the rows of a table are independent.
    odds = way.dice.probabilities
    words = [seed, _home(way) - 1, *sorted(way.rosettes), *(p.denominator for p in odds)]
    streams = np.random.SeedSequence(words).spawn(BATCHES)
    batches = [_batch(way, particles // BATCHES, np.random.default_rng(s)) for s in streams]
    values = np.array([value for value, _ in batches])
    mean = float(values.mean())
    half = T95 * float(values.std(ddof=1)) / BATCHES**0.5
    interval = (max(mean - half, 0.0), mean + half) if mean else None
    return mean, interval, sum(rolls for _, rolls in batches)


def _batch(way: Track, particles: int, random: np.random.Generator) -> tuple[float, int]:
    """Return one batch's estimate and its number of rolls."""
    home = _home(way)
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

    path: Annotated[Path, Field(key("path"), about="name of the path", of="name")]
    dice: Annotated[Dice, Field(key("dice"), about="name of the dice", of="name")]
    sequences: Annotated[int, Field(kind=COUNT, about="sequences of rolls that do it")]
    likeliest: Annotated[Rolls, Field(SEQUENCE, about="the likeliest, or null", of=written_or_none)]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    probability: Annotated[
        Fraction, Field(secondary("probability"), FRACTION, "how probable it is")
    ]
    simulated: Annotated[float | None, Field(about="the same, as simulated (estimate)")]
    interval: Annotated[
        tuple[float, float] | None, Field("", ENDS, "95 % interval, or null", key="simulated")
    ]
    simulated_rolls: Annotated[int | None, Field(about="how many rolls were simulated")]
    games: Annotated[Fraction | None, Field("games", ROUNDED, "games in which it comes once")]

    @property
    def interval_text(self) -> str:
        """Return the interval in percent."""
        return " to ".join(f"{100 * end:.3g}" for end in self.interval or ()) or "none seen"


@dataclass(frozen=True)
class Rushes(Result, function="rush"):
    """Rushes along several paths with several kinds of dice, and how they were found.

    Examples
    --------
    >>> import urcx
    >>> urcx.rush("bell", "binary4").rows[0].sequences
    0
    """

    schema = "urcx.rush/1"
    lists = ("rows",)
    turns: Annotated[int, Field(about="a player's turns in a game, in each of which it is tried")]
    particles: Annotated[int, Field(about="pieces simulated for each row")]
    seed: Annotated[int, Field(about="seed of the random numbers")]
    rows: Annotated[tuple[PathRush, ...], "a row for each path and kind of dice"]

    @property
    def _rushed(self) -> list[PathRush]:
        """Return the rows in which a piece can be rushed, the likeliest first."""
        return sorted((row for row in self.rows if row.sequences), key=lambda row: -row.probability)

    def tables(self) -> list[Table]:
        """Return the probabilities, exact and simulated, of the paths that can be rushed.

        Notes name the others.
        """
        rows, own = self._rushed, fields_of(PathRush)
        if not rows:  # nothing for a table to show
            return []
        fields = [
            *own.pick("path", "dice", "likeliest", "probability"),
            Field("%", PERCENT, of="probability"),
            own["games"],
        ]
        notes = [
            "a piece alone on the board",
            f"games: for one rush, if a player tries in each of {self.turns} turns a game",
        ]
        if self.particles:
            simulated = secondary("simulated, %")
            fields[-1:-1] = [Field(simulated, of="interval_text")]
            how = f"95 % interval, {self.particles:,} pieces for each row, seed {self.seed}"
            notes[:0] = [Note(f"simulated: {how}", simulated.title)]
        never = ", ".join(self._never())
        return [
            Fields(*fields).table("", rows, notes),
            *([Table("Never", ["<"], [[never]])] if never else []),
        ]

    @property
    def answer(self) -> str:
        """Return the highest probability."""
        rows, never = self._rushed, ", ".join(self._never())
        if not rows:
            return f"No piece is ever rushed from the start to home in one turn: {never}"
        best, others = rows[0], len(self.rows) - len(rows)
        never_text = f", and never in {others} of {len(self.rows)} cases"
        return (
            "A piece is rushed home in one turn with a probability of "
            f"{decimal(best.probability)} at best, on {best.path.name} with {best.dice.name} "
            f"(exact){never_text if never else ''}"
        )

    def _never(self) -> list[str]:
        """Return the paths that cannot be rushed, with the dice if not with all."""
        by_path: dict[str, list[str]] = {}
        for row in self.rows:
            if not row.sequences:
                by_path.setdefault(row.path.name, []).append(row.dice.name)
        every = {row.dice.name for row in self.rows}
        return [
            name if set(dice) == every else f"{name} ({', '.join(dice)})"
            for name, dice in by_path.items()
        ]


def check_samples(samples: int) -> None:
    """Raise `UsageError` for a number of pieces to simulate that is neither 0 nor in range."""
    if samples and not BATCHES <= samples <= MAX_PARTICLES:
        raise UsageError(f"{samples:,} pieces to simulate: take {BATCHES} to {MAX_PARTICLES:,}")


def rush(
    path: str | Path | Sequence[str | Path] | None = None,
    dice: str | Dice | Sequence[str | Dice] | None = None,
    *,
    turns: int = PAPER_ROLLS,
    samples: int = 0,
    seed: int = 1,
) -> Rushes:
    """Return how likely a piece is rushed from the start to home in one turn.

    All rosettes grant a roll.

    Parameters
    ----------
    path
        Paths or their names, one or several; all of the catalogue by default.
    dice
        Dice or their names, one or several; all of the catalogue by default.
    turns
        A player's turns in a game, in each of which it is tried; by default Raposo and Lamont's.
    samples
        Pieces that are simulated for each path with each kind of dice, from 40 to 10,000,000, to
        hold the exact probability against; 0 for none.
    seed
        Seed of the random numbers, the same for each.

    Returns
    -------
    Rushes

    Raises
    ------
    UnknownNameError
        If there is no such path, or no such dice.
    UsageError
        If a number is out of range.

    Examples
    --------
    >>> import urcx
    >>> row = urcx.rush("aseb", "binary4").rows[0]
    >>> row.probability, row.likeliest
    (Fraction(1, 262144), (4, 4, 4, 4, 1))
    """
    names = catalogue.path_names() if path is None else several(path)
    turns, particles = catalogue.whole("turns", turns), catalogue.whole("samples", samples)
    seed = catalogue.seed(seed)
    if turns < 1:
        raise UsageError(f"--turns {turns}: a player has at least one")
    check_samples(particles)
    rows = []
    for route, kind in product(map(catalogue.path, names), dice_kinds(dice)):
        way = path_track(route, kind)
        p, sequences, likeliest, _ = rush_chance(way)
        estimate, interval, rolled = (
            simulate_rush(way, particles, seed) if particles and p else (None, None, None)
        )
        games = 1 / (turns * p) if p else None
        exact = sequences, likeliest, p
        rows.append(PathRush(route, kind, *exact, estimate, interval, rolled, games))
    return Rushes(turns, particles, seed, tuple(rows))
