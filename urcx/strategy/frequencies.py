"""Frequencies of values in a given number of rolls: section 5.1 of Raposo and Lamont.

Binomial sums are exact: integers over a common denominator.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from statistics import NormalDist
from typing import Annotated, Any, ClassVar

from urcx.errors import UsageError, WrongObjectError
from urcx.results.fields import FRACTION, Fields, Kind, Schema, column, fields_of, member
from urcx.results.fractions import decimal, percent
from urcx.results.numbers import grouped
from urcx.results.report import Report
from urcx.results.result import Result, Rows
from urcx.results.tables import Table, joined
from urcx.rules import catalogue
from urcx.rules.model import Dice
from urcx.strategy.dice import ANSWER, NAME, PERCENT, Answer, chance, chances
from urcx.strategy.sequences import numbers_of_rolls

__all__ = ["dice_counts", "dice_intervals"]

MAX_ROLLS = 10_000

ByRoll = Mapping[int, int]  # how often each comes


def _by_roll(write: Callable[[Any], Any]) -> Callable[[Mapping[int, Any]], dict[str, Any]]:
    return lambda found: {str(roll): write(value) for roll, value in found.items()}


TIMES = Kind(
    json=(("", _by_roll(int)),),
    csv=(("", lambda found: ",".join(f"{roll}:{n}" for roll, n in found.items())),),
)
MEANS = Kind(json=(("", _by_roll(str)),), csv=())


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
class Counts(Result, function="dice_counts"):
    """The probability of given counts among a number of rolls.

    ``exactly`` is Eq. 14 for one value and Eq. 13 for all of them; values that are not given may
    come in any numbers. ``at_least`` and ``at_most`` are for a single value only.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.dice_counts({4: 2}, rolls=3)
    >>> found.exactly, found.at_least
    (Fraction(45, 4096), Fraction(23, 2048))
    """

    dice: Annotated[Dice, "the dice"]
    counts: Annotated[
        Mapping[int, int], member(kind=TIMES, about="how often each roll is asked for")
    ]
    rolls: Annotated[int, member(about="number of rolls")]
    expected: Annotated[
        Mapping[int, Fraction],
        member(kind=MEANS, about="how often each comes on average; not in CSV"),
    ]
    exactly: Annotated[Fraction, member("exactly", FRACTION, "probability of just these counts")]
    at_least: Annotated[
        Fraction | None,
        member("at least", FRACTION, "probability of as many or more, of one roll"),
    ]
    at_most: Annotated[
        Fraction | None,
        member("at most", FRACTION, "probability of as many or fewer, of one roll"),
    ]

    def report(self) -> Report:
        """Return the probabilities in several forms."""
        one = len(self.counts) == 1
        note = "Eq. 14 of Raposo and Lamont" if one else "Eq. 13 of Raposo and Lamont"
        if not one and sum(self.counts.values()) < self.rolls:
            note += ", all other rolls taken as one"
        found = [(field.title, field.value(self)) for field in COUNTED if field.heading]
        counts = ", ".join(f"{roll} {times} times" for roll, times in self.counts.items())
        table = Table(
            f"{counts} in {self.rolls:,} rolls of {self.dice.name}",
            ["<", "probability", "%", "one in"],
            [
                [title, decimal(p), percent(p), grouped(decimal(1 / p)) if p else "never"]
                for title, p in found
                if p is not None
            ],
            [note],
        )
        answer = Answer("counts", [self.dice])
        said = f"{self.dice.name}: {counts} in {self.rolls:,} rolls with {decimal(self.exactly)} "
        said += "(exact)"
        return answer.report(COUNTED.record(self), [COUNTED.flat(self)], [table], said)


COUNTED = fields_of(Counts)
COUNTS = Schema(NAME, {"": ANSWER + COUNTED}, "with --counts")


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
    return Counts(dice, dict(counts), rolls, expected, Fraction(exactly), at_least, at_most)


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

    ``normal`` is Eq. 15: ``mean`` -+ ``delta``. ``rounded`` are its ends as whole numbers.
    ``exact`` is the shortest interval that excludes at most half of 1 - ``confidence`` on either
    side.
    """

    roll: Annotated[int, member("roll", about="a roll")]
    rolls: Annotated[int, member(about="number of rolls")]
    confidence: Annotated[Fraction, member(kind=FRACTION, about="the level of confidence")]
    mean: Annotated[
        Fraction,
        member("mean", Kind(decimal, FRACTION.json), "how often it comes on average"),
    ]
    z: Annotated[float, member(about="standard deviations of the normal interval on either side")]
    normal_exactness: ClassVar[
        Annotated[str, member(about="the normal interval is none of the exact ones")]
    ] = "approximation"
    delta: Annotated[float, member(about="half the width of the normal interval")]
    rounded: Annotated[
        tuple[int, int],
        member(about="low end, rounded", key="rounded_low", of=itemgetter(0)),
        member(about="high end, rounded", key="rounded_high", of=itemgetter(1)),
    ]
    rounded_coverage: Annotated[
        Fraction, member(joined("really, %"), PERCENT, "how probable the rounded interval is")
    ]
    exact: Annotated[
        tuple[int, int],
        member(about="low end, exact", key="exact_low", of=itemgetter(0)),
        member(about="high end, exact", key="exact_high", of=itemgetter(1)),
    ]
    exact_coverage: Annotated[
        Fraction, member(joined("really, %"), PERCENT, "how probable the exact interval is")
    ]

    @property
    @member(about="low end, normal", key="normal_low", of=itemgetter(0), after="delta")
    @member(about="high end, normal", key="normal_high", of=itemgetter(1), after="delta")
    def normal(self) -> tuple[float, float]:
        """Return the ends of Eq. 15."""
        return float(self.mean) - self.delta, float(self.mean) + self.delta


class Intervals(Rows[Interval], function="dice_intervals"):
    """An interval for the count of each roll of some ``dice``.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.dice_intervals(rolls=16)
    >>> [one.exact for one in found], found.dice.name
    ([(0, 3), (1, 7), (3, 9), (1, 7), (0, 3)], 'binary4')
    """

    dice: Dice

    def report(self) -> Report:
        """Return a row for each roll: the normal interval and the exact one."""
        some = self[0]
        level = decimal(some.confidence)
        shown = Fields(
            *INTERVALS.pick("roll", "mean"),
            column("normal", lambda item: f"{item.normal[0]:.2f} to {item.normal[1]:.2f}"),
            column("rounded", lambda item: "{}..{}".format(*item.rounded)),
            INTERVALS["rounded_coverage"],
            column("exact", lambda item: "{}..{}".format(*item.exact)),
            INTERVALS["exact_coverage"],
        )
        table = shown.table(
            f"How often rolls of {self.dice.name} come in {some.rolls:,}, "
            f"at {percent(some.confidence)} %",
            self,
            [
                f"normal: Eq. 15 of Raposo and Lamont, z = {some.z:.6f}; rounded: to whole numbers",
                (
                    f"exact: no more than half of 1 - {level} on either side, by the binomial "
                    "distribution"
                ),
            ],
        )
        likeliest = max(self, key=lambda one: one.mean)
        answer = (
            f"{self.dice.name}: {likeliest.roll} comes {decimal(likeliest.mean)} times in "
            f"{some.rolls:,} rolls on average, {likeliest.exact[0]} to {likeliest.exact[1]} times "
            f"with at least {percent(some.confidence)} % (exact)"
        )
        records = INTERVALS.records(self)
        return Answer("interval", [self.dice]).report(SET.record(some), records, [table], answer)


SETTING = ("rolls", "confidence", "z", "normal_exactness")  # the same for all rolls
INTERVALS = fields_of(Interval).without(*SETTING)
SET = fields_of(Interval).pick(*SETTING)
INTERVAL = Schema(NAME, {"": ANSWER + SET, "rows": INTERVALS}, "with --interval")


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


def dice_counts(counts: ByRoll, dice: str | Dice = "binary4", rolls: int = 106) -> Counts:
    """Return how probable it is that rolls come so often.

    Parameters
    ----------
    counts
        How often by roll, such as ``{0: 20}``; others may come in any numbers.
    dice
        Dice or their name.
    rolls
        How many rolls, from 1 to 10,000; by default as many as Raposo and Lamont have.

    Returns
    -------
    Counts

    Raises
    ------
    UsageError
        If the dice cannot give a roll, or a number is out of range.
    UnknownNameError
        If there are no such dice.

    Examples
    --------
    >>> import urcx
    >>> round(float(urcx.dice_counts({0: 20}).at_least), 7)
    8.5e-06
    """
    kind = catalogue.dice(dice)
    if not isinstance(counts, Mapping):
        raise WrongObjectError("counts", dict, counts, "how often by roll, {0: 20}")
    wanted = {
        catalogue.whole("roll", roll): catalogue.whole("times", n) for roll, n in counts.items()
    }
    if not wanted or min(wanted.values()) < 0:
        raise UsageError(f"counts {dict(counts)}: how often by roll, from 0")
    (number,) = numbers_of_rolls(catalogue.whole("rolls", rolls), MAX_ROLLS)
    return counts_chance(kind, wanted, number)


def dice_intervals(
    confidence: float | Fraction = 0.9, dice: str | Dice = "binary4", rolls: int = 106
) -> Intervals:
    """Return an interval for how often each roll comes.

    Parameters
    ----------
    confidence
        How probably the count is in the interval, between 0 and 1.
    dice
        Dice or their name.
    rolls
        How many rolls, from 1 to 10,000; by default as many as Raposo and Lamont have.

    Returns
    -------
    Intervals
        A tuple with an interval for each roll.

    Raises
    ------
    UsageError
        If a number is out of range.
    UnknownNameError
        If there are no such dice.

    Examples
    --------
    >>> import urcx
    >>> [one.exact for one in urcx.dice_intervals(0.9)][:2]
    [(3, 11), (19, 34)]
    """
    kind = catalogue.dice(dice)
    level = confidence if isinstance(confidence, Fraction) else None
    if level is None:
        level = parse_confidence(str(catalogue.real("confidence", confidence)))
    elif not 0 < level < 1:
        raise UsageError(f"confidence {confidence}: between 0 and 1")
    (number,) = numbers_of_rolls(catalogue.whole("rolls", rolls), MAX_ROLLS)
    found = (wilson_interval(kind, roll, number, level) for roll in chances(kind))
    return Intervals(found, dice=kind)
