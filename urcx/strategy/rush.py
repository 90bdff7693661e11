"""Rushing a piece: from the start pool to home within one turn, from rosette to rosette.

Section 4.2 of Raposo and Lamont. The piece is alone on the board, so nothing blocks it; every roll
but the last must land on a rosette.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import Annotated, ClassVar

import numpy as np

from urcx.engine.work import WorkEstimate
from urcx.errors import UsageError
from urcx.results.fields import (
    COUNT,
    FRACTION,
    Field,
    Fields,
    Kind,
    Schema,
    fields_of,
    member,
    shown_as,
)
from urcx.results.fractions import decimal, fraction
from urcx.results.numbers import number
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import Column, Note, Table, key, secondary
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path, RuleSet
from urcx.strategy.dice import PERCENT, chances
from urcx.strategy.journey import Track, as_track, path_track
from urcx.strategy.sequences import written

__all__ = ["Rush", "rush"]

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
    sequences: Annotated[int, member(kind=COUNT, about="sequences of rolls that do it")]
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
        """Return what is exact of one track's row."""
        record = RUSHED.record(self)
        shown = Fields(
            Field(
                "", "probability", shown_as(lambda p: fraction(p) or decimal(p)), of="probability"
            ),
            Field("", "in percent", PERCENT, of="probability"),
            Field("", "sequences of rolls", of="sequences"),
            Field(
                "",
                "the likeliest",
                shown_as(lambda rolls: written(rolls) or "none"),
                of="likeliest",
            ),
        )
        table = shown.listed(f"{TITLE}, exactly", self, [ALONE])
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
    nothing = Rush(Fraction(0), 0, ())

    found: dict[int, Rush] = {home: Rush(Fraction(1), 1, ())}
    best: dict[int, Fraction] = {home: Fraction(1)}
    for at in (*sorted(way.rosettes, reverse=True), 0):
        ends = [(r, p, at + r) for r, p in table.items() if found.get(at + r, nothing).sequences]
        if not ends:
            continue
        roll, p, end = max(ends, key=lambda item: item[1] * best[item[2]])
        best[at] = p * best[end]
        found[at] = Rush(
            sum((p * found[end].probability for _, p, end in ends), Fraction(0)),
            sum(found[end].sequences for _, _, end in ends),
            (roll, *found[end].likeliest),
        )
    return found.get(0, nothing)


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
        member(about="lower end of its 95 % interval", key="simulated_low", of=itemgetter(0)),
        member(about="upper end", key="simulated_high", of=itemgetter(1)),
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
    found: list[PathRush] = []
    for path in paths:
        for dice in kinds:
            way = path_track(path, dice)
            exact = rush(way)
            simulate = particles and exact.sequences
            seen = simulate_rush(way, particles, seed) if simulate else None
            p = exact.probability
            found.append(PathRush(path, dice, exact, seen, 1 / (turns * p) if p else None))
            progress(len(found))
    return Rushes(turns, particles, seed, tuple(found))


SIMULATED = 8e-8  # seconds a simulated piece


def cost(particles: int, rows: int) -> WorkEstimate:
    """Estimate simulated rushes."""
    return WorkEstimate(
        f"simulating {particles:,} pieces for each of {rows} rows",
        particles * rows * SIMULATED,
        memory=particles / 40 * 64,
        advice="take fewer --samples",
    )
