"""Rushing a piece: from the start pool to home within one turn, from rosette to rosette.

Section 4.2 of Raposo and Lamont. The piece is alone on the board, so nothing stands in its way;
every roll but the last must end on a rosette.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from urcx.errors import UsageError
from urcx.results import Result
from urcx.rules.model import RuleSet
from urcx.strategy.dice import chances
from urcx.strategy.journey import Track, as_track

BATCHES = 40
T95 = 2.022690920036761  # Student's t for 95 % and 39 degrees of freedom
MAX_PARTICLES = 10_000_000


@dataclass(frozen=True)
class Rush(Result, function="rush"):
    """The probability to rush a piece, in how many ways, and the likeliest of these."""

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
    """An estimate with its 95 % interval, from ``rolls`` simulated rolls.

    There is no interval where no piece came home.
    """

    probability: float
    ci95: tuple[float, float] | None
    rolls: int


def check_particles(particles: int) -> None:
    """Raise `UsageError` if so many pieces are not from `BATCHES` to `MAX_PARTICLES`."""
    if not BATCHES <= particles <= MAX_PARTICLES:
        raise UsageError(f"{particles:,} pieces to simulate: take {BATCHES} to {MAX_PARTICLES:,}")


def simulate_rush(way: Track, particles: int = 400_000, seed: int = 1) -> Simulated:
    """Return an estimate of the same by playing turns, with splitting, as a rush is rare.

    Pieces that are on a rosette after a roll are multiplied to as many as there were before it, and
    count for as much less; each batch does so by itself, and their spread gives the interval. The
    expectation of a batch is the probability sought.

    Parameters
    ----------
    way
        A track with an end.
    particles
        Pieces in all batches together.
    seed
        Of the random numbers.

    Raises
    ------
    UsageError
        If the track has no end, or the number of pieces is not from `BATCHES` to `MAX_PARTICLES`.
    """
    way = as_track(way)
    if way.length is None:
        raise UsageError("a track without end has no home to rush to")
    check_particles(particles)
    each = particles // BATCHES
    # Other tracks get other numbers, so that rows of a table do not err together.
    odds = way.dice.probabilities
    words = [seed, way.length, *sorted(way.rosettes), *(p.denominator for p in odds)]
    streams = np.random.SeedSequence(words).spawn(BATCHES)
    batches = [_batch(way, each, np.random.default_rng(stream)) for stream in streams]
    values = np.array([value for value, _ in batches])
    mean = float(values.mean())
    half = T95 * float(values.std(ddof=1)) / BATCHES**0.5
    interval = (max(mean - half, 0.0), mean + half) if mean else None
    return Simulated(mean, interval, sum(rolls for _, rolls in batches))


def _batch(way: Track, particles: int, random: np.random.Generator) -> tuple[float, int]:
    """Return one batch's estimate, and how many rolls it took."""
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
