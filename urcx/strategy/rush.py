"""Rushing a piece: from the start pool to home within one turn, from rosette to rosette.

Section 4.2 of Raposo and Lamont. The piece is alone on the board, so nothing blocks it; every roll
but the last must land on a rosette.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from urcx.engine.chunks import gather, ranges
from urcx.errors import UsageError
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path, RuleSet
from urcx.strategy.dice import chances
from urcx.strategy.journey import Track, as_track, path_track

BATCHES = 40
T95 = 2.022690920036761  # Student's t for 95 % and 39 degrees of freedom
MAX_PARTICLES = 10_000_000
PAPER_TURNS = 106  # Raposo and Lamont's turns of a player in a game


@dataclass(frozen=True)
class Rush(Result, function="rush"):
    """The probability of rushing a piece, from the start to home in one turn.

    Attributes
    ----------
    probability : Fraction
    sequences : int
        The number of sequences of rolls that do it.
    likeliest : tuple of int
        The most probable of them; empty if there is none.

    Examples
    --------
    >>> import urcx
    >>> urcx.rush("finkel").sequences
    0
    """

    probability: Fraction
    sequences: int
    likeliest: tuple[int, ...]


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
    way = as_track(way)
    if way.length is None:
        raise UsageError("a track without end has no home to rush to")
    home = way.length + 1
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


@dataclass(frozen=True)
class Simulated:
    """An estimate from ``rolls`` simulated rolls, with its 95 % interval.

    The interval is None if no piece came home.
    """

    probability: float
    ci95: tuple[float, float] | None
    rolls: int


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
    *,
    executor: Executor | None = None,
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
    executor
        What simulates the batches; by default this process. The estimate does not depend on it.

    Raises
    ------
    UrcxError
        If the executor's workers fail, or have another urcx.
    UsageError
        If the track has no end, the number of pieces is not from `BATCHES` to `MAX_PARTICLES`, or
        the seed is below 0.
    """
    way = as_track(way)
    if way.length is None:
        raise UsageError("a track without end has no home to rush to")
    particles, seed = check_particles(particles), catalogue.whole("seed", seed)
    if seed < 0:
        raise UsageError(f"seed {seed}: at least 0 is needed")
    each = particles // BATCHES
    # Different tracks get different random numbers, so that the rows of a table are independent.
    odds = way.dice.probabilities
    words = [seed, way.length, *sorted(way.rosettes), *(p.denominator for p in odds)]
    streams = np.random.SeedSequence(words).spawn(BATCHES)
    batches: list[tuple[float, int]] = [(0.0, 0)] * BATCHES

    def take(part: list[tuple[float, int]], begin: int, end: int) -> None:
        batches[begin:end] = part

    gather(_Batches(way, each, streams), ranges(BATCHES), take, executor=executor, total=BATCHES)
    values = np.array([value for value, _ in batches])
    mean = float(values.mean())
    half = T95 * float(values.std(ddof=1)) / BATCHES**0.5
    interval = (max(mean - half, 0.0), mean + half) if mean else None
    return Simulated(mean, interval, sum(rolls for _, rolls in batches))


@dataclass(frozen=True)
class _Batches:
    """Simulates some of the batches."""

    way: Track
    particles: int
    streams: list[np.random.SeedSequence]

    def __call__(self, begin: int, end: int) -> list[tuple[float, int]]:
        chosen = self.streams[begin:end]
        return [_batch(self.way, self.particles, np.random.default_rng(x)) for x in chosen]


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
    """Rushing a piece along a path: exactly, and as simulated, None where that was left out.

    ``games`` is in how many games a rush comes once, None where it never does.
    """

    path: Path
    dice: Dice
    rush: Rush
    simulated: Simulated | None
    games: Fraction | None


@dataclass(frozen=True)
class Rushes:
    """Rushes along several paths with several kinds of dice, and how they were found.

    A player tries in each of ``turns`` turns a game; ``particles`` pieces were simulated for each.
    """

    turns: int
    particles: int
    seed: int
    rows: tuple[PathRush, ...]


def path_rushes(
    paths: Iterable[Path],
    kinds: Iterable[Dice],
    *,
    turns: int = PAPER_TURNS,
    particles: int = 0,
    seed: int = 1,
    executor: Executor | None = None,
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
    executor
        What simulates, as `simulate_rush` takes it.
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
            seen = simulate_rush(way, particles, seed, executor=executor) if simulate else None
            p = exact.probability
            found.append(PathRush(path, dice, exact, seen, 1 / (turns * p) if p else None))
            progress(len(found))
    return Rushes(turns, particles, seed, tuple(found))
