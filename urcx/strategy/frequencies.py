"""Frequencies of values in a given number of rolls: section 5.1 of Raposo and Lamont.

Binomial sums are exact: integers over a common denominator.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from urcx.errors import UsageError
from urcx.rules.model import Dice
from urcx.strategy.dice import chance, chances

MAX_ROLLS = 10_000


def parse_counts(text: str, dice: Dice) -> dict[int, int]:
    """Parse counts such as ``0:20`` or ``0:7,1:27``: a roll, a colon, how often.

    Raises
    ------
    UsageError
        If the text is invalid, or has a roll twice or one that the dice cannot give.
    """
    counts: dict[int, int] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,3}):([0-9]{1,9})\s*", part)
        if not match:
            raise UsageError(f"counts {text!r}: write roll:times such as 0:20 or 0:7,1:27")
        roll, times = int(match[1]), int(match[2])
        chance(dice, roll)
        if roll in counts:
            raise UsageError(f"counts {text!r}: roll {roll} comes twice")
        counts[roll] = times
    return counts


def parse_confidence(text: str) -> Fraction:
    """Parse a confidence level as a fraction; raises `UsageError` if it is not between 0 and 1."""
    if re.fullmatch(r"[0-9]{0,9}\.?[0-9]{0,18}", text) and re.search(r"[0-9]", text):
        level = Fraction(text)
        if 0 < level < 1:
            return level
    raise UsageError(f"confidence {text!r}: write a number between 0 and 1, such as 0.9")


@dataclass(frozen=True)
class Counts:
    """The probability of given counts among ``rolls``, where ``expected`` is the mean.

    ``exactly`` is Eq. 14 for one value and Eq. 13 for all of them; values that are not given may
    come in any numbers. ``at_least`` and ``at_most`` are for a single value only.
    """

    rolls: int
    counts: Mapping[int, int]
    exactly: Fraction
    at_least: Fraction | None
    at_most: Fraction | None
    expected: Mapping[int, Fraction]


def counts_chance(dice: Dice, counts: Mapping[int, int], rolls: int) -> Counts:
    """Return the probability of given counts in a number of rolls.

    Raises
    ------
    UsageError
        If the dice cannot give a roll, or the counts contradict the number of rolls.
    """
    counted = sum(counts.values())
    if counted > rolls:
        raise UsageError(f"counts of {counted} in {rolls} rolls; there cannot be more than {rolls}")
    rest = 1 - sum((chance(dice, roll) for roll in counts), Fraction(0))
    left = rolls - counted
    if left and not rest:
        raise UsageError(f"counts of all rolls make {counted}, not the {rolls} of --rolls")
    ways = math.factorial(rolls) // math.prod(map(math.factorial, [*counts.values(), left]))
    exactly = ways * rest**left * math.prod(chance(dice, r) ** n for r, n in counts.items())
    at_least = at_most = None
    if len(counts) == 1:
        ((roll, times),) = counts.items()
        terms, whole = _binomial(rolls, chance(dice, roll))
        at_least = Fraction(sum(terms[times:]), whole)
        at_most = Fraction(sum(terms[: times + 1]), whole)
    expected = {roll: rolls * chance(dice, roll) for roll in counts}
    return Counts(rolls, dict(counts), Fraction(exactly), at_least, at_most, expected)


def _binomial(n: int, p: Fraction) -> tuple[list[int], int]:
    """Return the binomial probabilities of 0 to n as integers, and their common denominator."""
    hit, miss = p.numerator, p.denominator - p.numerator
    if not miss:
        return [0] * n + [1], 1
    terms = [miss**n]
    for k in range(n):
        terms.append(terms[-1] * (n - k) * hit // ((k + 1) * miss))  # divides exactly
    return terms, p.denominator**n


@dataclass(frozen=True)
class Interval:
    """An interval for the number of times a value is rolled, at a level of confidence.

    ``normal`` is Eq. 15: ``mean`` -+ ``delta``, with ``z`` standard deviations. ``rounded`` are its
    ends as whole numbers, and ``rounded_coverage`` their true probability. ``exact`` is the
    shortest interval that excludes at most half of 1 - ``confidence`` on either side.
    """

    roll: int
    rolls: int
    confidence: Fraction
    mean: Fraction
    z: float
    delta: float
    rounded: tuple[int, int]
    rounded_coverage: Fraction
    exact: tuple[int, int]
    exact_coverage: Fraction

    @property
    def normal(self) -> tuple[float, float]:
        """Return the ends of Eq. 15."""
        return float(self.mean) - self.delta, float(self.mean) + self.delta


def wilson_interval(dice: Dice, roll: int, rolls: int, confidence: Fraction) -> Interval:
    """Return the interval for a value of the dice; raises `UsageError` for impossible values."""
    p = chance(dice, roll)
    mean = rolls * p
    z = NormalDist().inv_cdf(float((1 + confidence) / 2))
    delta = z * math.sqrt(rolls * p * (1 - p))
    rounded = tuple(
        min(max(math.floor(float(mean) + side * delta + 0.5), 0), rolls) for side in (-1, 1)
    )
    terms, whole = _binomial(rolls, p)
    exact = (_tail(terms, whole, confidence), rolls - _tail(terms[::-1], whole, confidence))
    covered = [
        Fraction(sum(terms[low : high + 1]), whole)
        for low, high in ((rounded[0], rounded[1]), exact)
    ]
    return Interval(
        roll,
        rolls,
        confidence,
        mean,
        z,
        delta,
        (rounded[0], rounded[1]),
        covered[0],
        exact,
        covered[1],
    )


def _tail(terms: list[int], whole: int, confidence: Fraction) -> int:
    """Return how many of the first terms add up to at most half of 1 - ``confidence``."""
    allowed = (1 - confidence) / 2 * whole
    total = taken = 0
    for term in terms:
        total += term
        if total > allowed:
            break
        taken += 1
    return taken


def intervals(dice: Dice, rolls: int, confidence: Fraction) -> tuple[Interval, ...]:
    """Return the interval for each value of the dice."""
    return tuple(wilson_interval(dice, roll, rolls, confidence) for roll in chances(dice))
