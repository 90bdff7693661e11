"""Dice: the probabilities of a roll, and of several rolls: sequences, sums and counts.

Sequences and sums follow sections 4.2 and 5 of Raposo and Lamont. Rolls are independent, so the
probability of a sequence depends only on how often each value occurs in it (Eq. 5). A multiset
represents its sequences and is written in ascending order, as in their Tables 2 and 4. Counts in a
number of rolls follow their section 5.1: binomial sums over a common denominator.

Probabilities are exact fractions. Only logarithms, roots and normal intervals are floats.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, islice
from operator import itemgetter
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, NamedTuple

from urcx.errors import TooLargeError, UsageError, WrongObjectError, exclusive_option
from urcx.results.fields import COUNT, FRACTION, Field, Format, decimals
from urcx.results.fractions import decimal, fraction, percent
from urcx.results.numbers import count_text, percent_text
from urcx.results.result import Result
from urcx.results.tables import Column, Table, key
from urcx.rules import catalogue
from urcx.rules.model import Dice

__all__ = ["dice_chances"]

MAX_SUM_ROLLS = 100  # rolls whose sums are listed
MAX_ROLLS = 10_000  # rolls for counts and intervals
PAPER_ROLLS = 106  # Raposo and Lamont's number of turns of a player in a game
MAX_MULTISETS = 20_000  # in a table

Rolls = tuple[int, ...]
ByRoll = Mapping[int, int]  # how often each roll occurs


def several(value: object) -> Sequence[Any]:
    """Return one or several values as a sequence. A string is one value."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def dice_kinds(dice: str | Dice | Sequence[str | Dice] | None) -> tuple[Dice, ...]:
    """Return one or several kinds of dice, also from names, by default the catalogue's."""
    every = tuple(catalogue.catalogue().dice.values())
    return every if dice is None else tuple(map(catalogue.dice, several(dice))) or every


def numbers_up_to(most: int, name: str, values: int | Iterable[int]) -> tuple[int, ...]:
    """Return one or several integers as a tuple, or raise `UsageError` beyond 1 to ``most``."""
    numbers = values if isinstance(values, Iterable) else (values,)
    numbers = tuple(dict.fromkeys(catalogue.as_integer(name, number) for number in numbers))
    if not numbers or not all(1 <= number <= most for number in numbers):
        raise UsageError(f"{name} {values}: must be from 1 to {most:,}")
    return numbers


def chances(dice: Dice) -> dict[int, Fraction]:
    """Return the probability of each roll."""
    return dict(dice.items())


def chance(dice: Dice, roll: int) -> Fraction:
    """Return the probability of a roll, or raise `UsageError` if the dice cannot give it."""
    probability = chances(dice).get(roll)
    if probability is None:
        rolls = ", ".join(map(str, dice.rolls))
        raise UsageError(f"roll {roll}: must be one of {rolls} with the dice {dice.name}")
    return probability


def probability(dice: Dice, rolls: Iterable[int]) -> Fraction:
    """Return the probability of a sequence, Eq. 5. An impossible roll raises `UsageError`."""
    counts = Counter(rolls).items()
    return math.prod((chance(dice, roll) ** n for roll, n in counts), start=Fraction(1))


def orders(rolls: Iterable[int]) -> int:
    """Return the number of orders of the rolls: the multinomial factor of Eq. 13."""
    counts = Counter(rolls).values()
    return math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))


def written(rolls: Iterable[int]) -> str:
    """Return rolls as text: ``122``, with commas if a roll has two digits."""
    texts = [str(roll) for roll in rolls]
    return ("," if any(len(text) > 1 for text in texts) else "").join(texts)


def probability_text(probability: Fraction) -> str:
    """Return a probability in percent, or if it would be 0.00 %, as a decimal number."""
    return percent_text(probability) if probability >= Fraction(1, 10_000) else decimal(probability)


def _all_written(multisets: Iterable[Rolls]) -> str:
    return " ".join(map(written, multisets))


def _names(kinds: Iterable[Dice]) -> list[str]:
    return [dice.name for dice in kinds]


def _by_roll(counts: ByRoll) -> dict[str, int]:
    return {str(roll): n for roll, n in counts.items()}


def _counts_text(counts: ByRoll) -> str:
    return ",".join(f"{roll}:{n}" for roll, n in counts.items())


NAMES = Format(json=(("", _names),), csv=(("", lambda kinds: ",".join(_names(kinds))),))
EXACT = Format(lambda p: fraction(p) or decimal(p), FRACTION.json)
PERCENT = Format(lambda p: percent(p, 4), FRACTION.json, none="-")
SIX = decimals(6)
LIKELIEST = Format(lambda rolls: ", ".join(map(str, rolls)), (("", list),))
SETS = Format(_all_written, (("", _all_written),))
TIMES = Format(json=(("", _by_roll),), csv=(("", _counts_text),))
_ENDS = (("_low", itemgetter(0)), ("_high", itemgetter(1)))
ENDS = Format(lambda ends: "{}..{}".format(*ends), _ENDS)
NORMAL = Format(lambda ends: "{:.2f} to {:.2f}".format(*ends), _ENDS)


@dataclass(frozen=True)
class DiceChances(Result, function="dice_chances"):
    """The result of `dice_chances`: the fields that the answers to all questions share.

    Examples
    --------
    >>> import urcx
    >>> str(urcx.dice_chances("binary4").rows[2].probability)
    '3/8'
    """

    schema = "urcx.dice/2"
    when: ClassVar[str] = ""  # the option for these fields
    what: ClassVar[Annotated[str, Field(about="the question: distribution, table, sum, ...")]]
    dice: Annotated[tuple[Dice, ...], Field(kind=NAMES, about="names of the dice")]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"


# --- one roll


@dataclass(frozen=True)
class Summary:
    """A summary of dice."""

    dice: Annotated[
        Dice,
        Field("<dice", about="name of the dice", of="name"),
        Field(about="their description", key="title", of="title"),
    ]
    mean: Annotated[Fraction, Field("mean", EXACT, "mean of a roll")]
    variance: Annotated[Fraction, Field("variance", EXACT, "its variance, in squared steps")]
    bits: Annotated[float, Field("entropy, bits", SIX, "entropy to base 2", key="entropy_bits")]
    digits: Annotated[float, Field("digits", SIX, "entropy to base 10", key="entropy_digits")]
    likeliest: Annotated[Rolls, Field("<most likely", LIKELIEST, "the most likely rolls")]


def summary(dice: Dice) -> Summary:
    """Return mean, variance, entropy and the most likely rolls of dice."""
    pairs = chances(dice).items()
    variance = sum((p * (roll - dice.mean) ** 2 for roll, p in pairs), Fraction(0))
    bits = -sum(float(p) * math.log2(p) for p in dice.probabilities)
    likeliest = tuple(roll for roll, p in pairs if p == max(dice.probabilities))
    return Summary(dice, dice.mean, variance, bits, bits * math.log10(2), likeliest)


class RollChance(NamedTuple):
    """The probability of a roll."""

    dice: Annotated[Dice, Field(about="name of the dice", of="name")]
    roll: Annotated[int, Field(about="a roll")]
    probability: Annotated[Fraction, Field(kind=FRACTION, about="its probability")]


@dataclass(frozen=True)
class Distribution(DiceChances):
    """The probability of every roll, and a summary of the dice."""

    what = "distribution"
    lists = ("rows", "summaries")

    @property
    def rows(self) -> list[RollChance]:
        """Return the rolls of each kind of dice."""
        return [RollChance(dice, *pair) for dice in self.dice for pair in chances(dice).items()]

    @property
    def summaries(self) -> list[Summary]:
        """Return mean, variance, entropy and the most likely rolls of each kind of dice."""
        return [summary(dice) for dice in self.dice]

    def tables(self) -> list[Table]:
        """Return a row for each kind of dice: its rolls, and its summary."""
        rolls = sorted({roll for dice in self.dice for roll in dice.rolls})
        cells = [[d.name, *(str(chances(d).get(roll, "")) for roll in rolls)] for d in self.dice]
        note = "digits: the entropy to base 10, log10 of the number of typical rolls"
        return [
            Table("", ["<dice", *map(str, rolls)], cells),
            self.members()["summaries"].table("Dice in short", self.summaries, [note]),
        ]

    @property
    def answer(self) -> str:
        """Return the mean of a roll, and for a single kind of dice the entropy."""
        first, means = self.summaries[0], sorted(dice.mean for dice in self.dice)
        if len(means) > 1:
            return f"{len(means)} kinds of dice: mean rolls from {means[0]} to {means[-1]} (exact)"
        entropy = f"its entropy is {first.bits:.6f} bits"
        return f"{first.dice.name}: a roll is {first.mean} on average (exact), and {entropy}"


# --- sequences


@dataclass(frozen=True)
class EqualClass:
    """All sequences of a length that have the same probability."""

    members: Annotated[
        tuple[Rolls, ...],
        Field(Column("members", text=True, key=True, least=24), SETS, "their rolls, in any order"),
        Field(about="number of rolls", key="length", of=lambda members: len(members[0])),
    ]
    probability: Annotated[Fraction, Field("each", EXACT, "probability of each sequence")]
    sequences: Annotated[int, Field("sequences", COUNT, "number of sequences, in all orders")]

    @property
    @Field("total, %", PERCENT, "probability of all its sequences")
    def total(self) -> Fraction:
        """Return the total probability of the class's sequences."""
        return self.sequences * self.probability


def equal_classes(dice: Dice, length: int) -> list[EqualClass]:
    """Return the classes of sequences of a length, the most likely first.

    Raises
    ------
    TooLargeError
        If there are more than `MAX_MULTISETS` sets of rolls.
    """
    number = math.comb(length + len(dice.rolls) - 1, length)
    if number > MAX_MULTISETS:
        raise TooLargeError(f"{number:,} sets of {length} rolls are too many. Take fewer rolls")
    alike: dict[Fraction, list[Rolls]] = defaultdict(list)
    for rolls in combinations_with_replacement(sorted(dice.rolls), length):
        alike[probability(dice, rolls)].append(rolls)
    return [
        EqualClass(tuple(alike[p]), p, sum(map(orders, alike[p])))
        for p in sorted(alike, reverse=True)
    ]


def equal_class(dice: Dice, rolls: Sequence[int]) -> EqualClass:
    """Return the class of a sequence, or raise errors like `probability` and `equal_classes`."""
    p = probability(dice, rolls)
    return next(item for item in equal_classes(dice, len(rolls)) if item.probability == p)


@dataclass(frozen=True)
class EqualClasses(DiceChances):
    """Classes of sequences of the same probability, the most likely first."""

    what = "table"
    when = "with --table"
    lists = ("rows",)
    rows: Annotated[Sequence[EqualClass], "the classes"]

    @property
    def legend(self) -> list[str]:
        """Return a note on the columns."""
        return ["members in any order; sequences: the number of orders; total: of all sequences"]

    @property
    def answer(self) -> str:
        """Return the most likely sequences."""
        best = self.rows[0]
        return (
            f"{self.dice[0].name}: the most likely sequences are {_all_written(best.members)}, "
            f"{probability_text(best.probability)} each (exact)"
        )


def sequence_rolls(sequence: str | Iterable[int], dice: Dice) -> Rolls:
    """Return the rolls of a string such as ``122``, or ``1,2,12`` from 10 on, or of numbers.

    Raises
    ------
    UsageError
        If the string has another form, or the dice cannot give a roll.
    """
    if isinstance(sequence, str):
        if not re.fullmatch(r"[0-9]+|[0-9]{1,3}(,[0-9]{1,3})+", sequence):
            raise UsageError(f"sequence {sequence!r}: must be rolls such as 122, or 1,2,12")
        sequence = map(int, sequence.split(",") if "," in sequence else sequence)
    elif isinstance(sequence, bytes) or not isinstance(sequence, Iterable):
        raise WrongObjectError("sequence", int, sequence, "a string such as '1,2', a list")
    rolls = tuple(catalogue.as_integer("roll", roll) for roll in sequence)
    if not rolls:
        raise UsageError("sequence: must have at least one roll")
    probability(dice, rolls)
    return rolls


@dataclass(frozen=True)
class SequenceChance(DiceChances):
    """A sequence of rolls, and all sequences with the same probability."""

    what = "sequence"
    when = "with --sequence"
    rolls: Annotated[
        Rolls,
        Field(about="the rolls, in order", key="sequence", of=written),
        Field(about="number of rolls", key="length", of=len),
    ]
    alike: Annotated[
        EqualClass,
        Field("probability", EXACT, "its probability", key="probability", of="probability"),
        Field("equally likely", SETS, "equally likely rolls", key="members", of="members"),
        Field("equally likely sequences", COUNT, "their number", key="sequences", of="sequences"),
        Field("all of them, %", PERCENT, "probability of all of them", key="total", of="total"),
    ]

    @property
    @Field(kind=COUNT, about="number of orders of these rolls")
    def orders(self) -> int:
        """Return the number of sequences with exactly these rolls."""
        return orders(self.rolls)

    @property
    @Field("in any order, %", PERCENT, "probability of the rolls in any order")
    def any_order(self) -> Fraction:
        """Return the probability of the rolls in any order."""
        return self.orders * self.alike.probability

    @property
    def answer(self) -> str:
        """Return the probability of the sequence."""
        return (
            f"{self.dice[0].name}: the probability of {written(self.rolls)} is "
            f"{probability_text(self.alike.probability)} (exact)"
        )


# --- sums


@dataclass(frozen=True)
class SumSet:
    """A multiset of rolls that has the sum."""

    length: Annotated[int, Field(Column("rolls", key=True), about="number of rolls")]
    rolls: Annotated[Rolls, Field(key("members"), about="the rolls, in any order", of=written)]
    probability: Annotated[Fraction, Field("each", EXACT, "probability of each sequence")]
    orders: Annotated[int, Field("orders", COUNT, "number of orders")]

    @property
    @Field("total, %", PERCENT, "probability of the rolls in any order")
    def total(self) -> Fraction:
        """Return the probability of the rolls in any order."""
        return self.orders * self.probability


class SumLength(NamedTuple):
    """The probability that a number of rolls has the sum."""

    length: Annotated[int, Field("rolls", about="number of rolls")]
    total: Annotated[
        Fraction, Field("has the sum, %", PERCENT, "probability that the rolls have the sum")
    ]
    first: Annotated[
        Fraction,
        Field("for the first time, %", PERCENT, "probability that they have it for the first time"),
    ]


@dataclass(frozen=True)
class Sums(DiceChances):
    """The ways to reach a sum in given numbers of rolls, Table 4 of Raposo and Lamont.

    If zeros follow a sum, it counts for several lengths, so adding the totals of the lengths counts
    it more than once.
    """

    what = "sum"
    when = "with --sum"
    lists = ("rows", "lengths")
    sum: Annotated[int, Field(about="the sum")]
    rows: Annotated[tuple[SumSet, ...], "the multisets of all lengths"]
    lengths: Annotated[tuple[SumLength, ...], "the probability of the sum by number of rolls"]

    @property
    @Field(kind=FRACTION, about="sum of the totals, as in the paper")
    def added(self) -> Fraction:
        """Return the sum of the totals of all lengths, as in the paper."""
        return sum((item.total for item in self.lengths), Fraction(0))

    @property
    @Field(kind=FRACTION, about="probability that the sum is reached")
    def reached(self) -> Fraction:
        """Return the probability that the sum is first reached after one of the lengths."""
        return sum((item.first for item in self.lengths), Fraction(0))

    def tables(self) -> list[Table]:
        """Return a row for each number of rolls, and the multisets with the sum."""
        note = (
            f"together {percent(self.added)} % and {percent(self.reached)} %: the sum stays the "
            "same after a roll of 0, so the first column counts it again"
        )
        fields = self.members()
        return [
            fields["lengths"].table("", self.lengths, [note]),
            fields["rows"].table("Multisets of rolls with this sum", self.rows),
        ]

    @property
    def answer(self) -> str:
        """Return the probability that the sum is reached."""
        within = count_text(max(item.length for item in self.lengths), "roll")
        return (
            f"{self.dice[0].name}: the probability of reaching the sum {self.sum} within {within} "
            f"is {probability_text(self.reached)} (exact)"
        )


def sums(dice: Dice, target: int, lengths: Iterable[int]) -> Sums:
    """Return all multisets of rolls with a sum, for each length.

    Raises
    ------
    UsageError
        If the sum is below 1.
    TooLargeError
        If there are more than `MAX_MULTISETS`.
    """
    if target < 1:
        raise UsageError(f"--sum {target}: must be at least 1")
    rows: list[SumSet] = []
    by_length = []
    for n in lengths:
        sets = [
            SumSet(n, rolls, probability(dice, rolls), orders(rolls))
            for rolls in islice(_with_sum(dice.rolls, n, target), MAX_MULTISETS + 1 - len(rows))
        ]
        rows += sets
        if len(rows) > MAX_MULTISETS:
            raise TooLargeError(
                f"more than {MAX_MULTISETS:,} sets of rolls are too many. Take fewer rolls"
            )
        # Rolls never lower the sum, so it is reached for the first time unless the last is a 0.
        first = (item.total * Fraction(n - item.rolls.count(0), n) for item in sets)
        total = sum((item.total for item in sets), Fraction(0))
        by_length.append(SumLength(n, total, sum(first, Fraction(0))))
    return Sums((dice,), target, tuple(rows), tuple(by_length))


def _with_sum(rolls: Rolls, length: int, target: int) -> Iterator[Rolls]:
    """Yield the ascending multisets of ``length`` of the ``rolls`` with the target sum."""
    if not rolls:
        if length == target == 0:
            yield ()
        return
    roll, *others = rolls
    for times in range(length, -1, -1):
        rest, left = target - times * roll, length - times
        if min(others, default=0) * left <= rest <= max(others, default=0) * left:
            for more in _with_sum(tuple(others), left, rest):
                yield (roll,) * times + more


# --- counts


def counts_by_roll(counts: str | ByRoll) -> ByRoll:
    """Return the counts of rolls, from a string such as ``0:7,1:27`` or from a mapping.

    Raises
    ------
    UsageError
        If the counts have another form, are empty, or have a roll twice or a negative number.
    """
    if isinstance(counts, str):
        parts = [re.fullmatch(r"\s*([0-9]{1,3}):([0-9]{1,9})\s*", p) for p in counts.split(",")]
        by_roll = {int(pair[1]): int(pair[2]) for pair in parts if pair}
        if len(by_roll) < len(parts):
            raise UsageError(
                f"counts {counts!r}: must be roll:times once for each roll, such as 0:7,1:27"
            )
        return by_roll
    if not isinstance(counts, Mapping):
        raise WrongObjectError("counts", dict, counts, "a string such as '0:20'")
    by_roll = {
        catalogue.as_integer("roll", r): catalogue.as_integer("times", n) for r, n in counts.items()
    }
    if not by_roll or min(by_roll.values()) < 0:
        raise UsageError(
            f"counts {dict(counts)}: must have at least one roll, and no count below 0"
        )
    return by_roll


@dataclass(frozen=True)
class Counts(DiceChances):
    """The probability of counts among a number of rolls.

    ``exactly`` is Eq. 14 for one value and Eq. 13 for all values. Values without a count may occur
    any number of times. ``at_least`` and ``at_most`` exist for a single value only.
    """

    what = "counts"
    when = "with --counts"
    counts: Annotated[ByRoll, Field(kind=TIMES, about="the counts, by roll")]
    rolls: Annotated[int, Field(about="number of rolls")]
    exactly: Annotated[Fraction, Field("exactly, %", PERCENT, "probability of exactly the counts")]
    at_least: Annotated[
        Fraction | None, Field("at least, %", PERCENT, "probability of at least the count")
    ]
    at_most: Annotated[
        Fraction | None, Field("at most, %", PERCENT, "probability of at most the count")
    ]

    @property
    def legend(self) -> list[str]:
        """Return the equation."""
        return [f"Eq. {14 if len(self.counts) == 1 else 13} of Raposo and Lamont"]

    @property
    def answer(self) -> str:
        """Return the probability of exactly the counts."""
        counts = ", ".join(f"{times} times {roll}" for roll, times in self.counts.items())
        return (
            f"{self.dice[0].name}: the probability of rolling {counts} in {self.rolls:,} rolls is "
            f"{probability_text(self.exactly)} (exact)"
        )


def counts_chance(dice: Dice, counts: ByRoll, rolls: int) -> Counts:
    """Return the probability of counts in a number of rolls.

    Raises
    ------
    UsageError
        If the dice cannot give a roll, or the counts contradict the number of rolls.
    """
    total = sum(counts.values())
    if total > rolls:
        raise UsageError(f"counts {dict(counts)}: must add up to at most {rolls}, not {total}")
    odds = {roll: chance(dice, roll) for roll in counts}
    other = 1 - sum(odds.values(), Fraction(0))
    left = rolls - total
    if left and not other:
        raise UsageError(
            f"counts {dict(counts)}: the counts of all rolls must add up to {rolls} (--rolls), "
            f"not {total}"
        )
    ways = math.factorial(rolls) // math.prod(map(math.factorial, [*counts.values(), left]))
    exactly = Fraction(ways * other**left * math.prod(odds[r] ** n for r, n in counts.items()))
    at_least = at_most = None
    if len(counts) == 1:
        ((roll, times),) = counts.items()
        at_least = _binomial(rolls, odds[roll], times, rolls)
        at_most = _binomial(rolls, odds[roll], 0, times)
    return Counts((dice,), dict(counts), rolls, exactly, at_least, at_most)


def _binomial(n: int, p: Fraction, low: int, high: int) -> Fraction:
    """Return the probability of ``low`` to ``high`` successes in n trials."""
    hit, miss = p.numerator, p.denominator - p.numerator
    if not miss:
        return Fraction(low <= n <= high)
    terms = [miss**n]
    for k in range(high):
        terms.append(terms[-1] * (n - k) * hit // ((k + 1) * miss))  # divides exactly
    return Fraction(sum(terms[low:]), p.denominator**n)


@dataclass(frozen=True)
class Interval:
    """The interval of Eq. 15 for the count of a roll, also with integer ends."""

    roll: Annotated[int, Field("roll", about="a roll")]
    mean: Annotated[Fraction, Field("mean", Format(decimal, FRACTION.json), "its mean count")]
    normal: Annotated[tuple[float, float], Field("normal", NORMAL, "ends of the normal interval")]
    rounded: Annotated[tuple[int, int], Field("rounded", ENDS, "the ends, rounded")]
    rounded_coverage: Annotated[
        Fraction, Field("coverage, %", PERCENT, "probability of the rounded interval")
    ]


@dataclass(frozen=True)
class Intervals(DiceChances):
    """An interval for the count of each roll, at a level of confidence."""

    what = "interval"
    when = "with --interval"
    lists = ("rows",)
    rolls: Annotated[int, Field(about="number of rolls")]
    confidence: Annotated[Fraction, Field(kind=FRACTION, about="the level of confidence")]
    z: Annotated[float, Field(about="standard deviations of the normal interval on either side")]
    normal_exactness: ClassVar[Annotated[str, Field(about="of normal")]] = "approximation"
    rows: Annotated[Sequence[Interval], "an interval for each roll"]

    @property
    def legend(self) -> list[str]:
        """Return notes on the columns."""
        return [
            f"normal: Eq. 15 of Raposo and Lamont, z = {self.z:.6f}; rounded: to integers",
            "coverage: exact probability of the rounded interval, by the binomial distribution",
        ]

    @property
    def answer(self) -> str:
        """Return the mean count of the most likely roll, and its interval."""
        best = max(self.rows, key=lambda item: item.mean)
        low, high = best.rounded
        return (
            f"{self.dice[0].name}: in {self.rolls:,} rolls, {best.roll} occurs "
            f"{decimal(best.mean)} times on average, and {low} to {high} times with a probability "
            f"of {probability_text(best.rounded_coverage)} (exact)"
        )


def deviations(confidence: Fraction) -> float:
    """Return z of Eq. 15: the number of standard deviations on either side of the mean."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence {confidence}: must be between 0 and 1, such as 0.9")
    return NormalDist().inv_cdf(float((1 + confidence) / 2))


def count_interval(dice: Dice, roll: int, rolls: int, confidence: Fraction) -> Interval:
    """Return the interval for the count of a roll. An impossible roll raises `UsageError`."""
    p = chance(dice, roll)
    mean = rolls * p
    delta = deviations(confidence) * math.sqrt(rolls * p * (1 - p))
    normal = float(mean) - delta, float(mean) + delta
    low, high = (math.floor(end + 0.5) for end in normal)
    rounded = max(low, 0), min(high, rolls)
    return Interval(roll, mean, normal, rounded, _binomial(rolls, p, *rounded))


def intervals(dice: Dice, rolls: int, confidence: Fraction) -> Intervals:
    """Return an interval for the count of each roll."""
    rows = tuple(count_interval(dice, roll, rolls, confidence) for roll in dice.rolls)
    return Intervals((dice,), rolls, confidence, deviations(confidence), rows)


def dice_chances(
    dice: str | Dice | Sequence[str | Dice] | None = None,
    *,
    sequence: str | Sequence[int] | None = None,
    lengths: int | Sequence[int] | None = None,
    sum: int | None = None,  # noqa: A002 - the option's name on the command line
    counts: str | ByRoll | None = None,
    confidence: float | Fraction | None = None,
    rolls: int | Sequence[int] | None = None,
) -> DiceChances:
    """Return the probabilities of dice: of each roll, or for a question about several rolls.

    Parameters
    ----------
    dice
        Dice or their names, one or several. By default all dice of the catalogue. A question about
        several rolls takes one kind, by default ``binary4``.
    sequence
        How probable is this sequence, and which sequences are equally likely? Rolls as numbers, or
        a string such as ``122``. The answer is a `SequenceChance`.
    lengths
        How probable are all sequences of this number of rolls? The answer is an `EqualClasses`.
    sum
        How probable is this sum after ``rolls``, and for the first time? From 1. The answer is a
        `Sums`.
    counts
        How probable are these counts in ``rolls``? Counts by roll, such as ``{0: 20}``. Other rolls
        may occur any number of times. The answer is a `Counts`.
    confidence
        Which interval contains the count of each roll in ``rolls``, with this confidence between 0
        and 1? The answer is an `Intervals`.
    rolls
        The number of rolls. For ``sum``, one or several numbers from 1 to 100, by default 1 to 3.
        For ``counts`` and ``confidence``, a number from 1 to 10,000, by default 106 as in Raposo
        and Lamont.

    Returns
    -------
    DiceChances
        Without a question, a `Distribution`.

    Raises
    ------
    UsageError
        If there are several questions, the dice cannot give a roll, or a number is out of range.
    UnknownNameError
        If there are no such dice.
    TooLargeError
        If there are more than 20,000 sets of rolls.

    Examples
    --------
    >>> import urcx
    >>> urcx.dice_chances("binary4").summaries[0].mean
    Fraction(2, 1)
    >>> result = urcx.dice_chances(sequence="122")
    >>> result.alike.probability, result.orders, result.any_order
    (Fraction(9, 256), 3, Fraction(27, 256))
    >>> urcx.dice_chances(lengths=2).rows[0].members
    ((2, 2),)
    >>> result = urcx.dice_chances(sum=4)
    >>> [str(item.total) for item in result.lengths], str(result.reached)
    (['1/16', '35/128', '495/4096'], '1785/4096')
    >>> round(float(urcx.dice_chances(counts={0: 20}).at_least), 7)
    8.5e-06
    >>> [item.rounded for item in urcx.dice_chances(confidence=0.9).rows][:2]
    [(3, 11), (19, 34)]
    """
    times = None if rolls is None else numbers_up_to(MAX_ROLLS, "rolls", rolls)
    options = {"--sequence": sequence, "--table": lengths, "--sum": sum, "--counts": counts}
    question = exclusive_option(**options, **{"--interval": confidence})
    kinds = dice_kinds("binary4" if question and dice is None else dice)
    if times and question not in ("--sum", "--counts", "--interval"):
        raise UsageError("--rolls: needs --table, --sum, --counts or --interval")
    if not question:
        return Distribution(kinds)
    if len(kinds) > 1:
        raise UsageError(f"{question}: needs a single kind of dice")
    if sequence is not None:
        row = sequence_rolls(sequence, kinds[0])
        return SequenceChance(kinds, row, equal_class(kinds[0], row))
    if lengths is not None:
        numbers = numbers_up_to(MAX_ROLLS, "lengths", lengths)
        classes = (item for n in numbers for item in equal_classes(kinds[0], n))
        return EqualClasses(kinds, tuple(sorted(classes, key=lambda item: -item.probability)))
    if sum is not None:
        numbers = numbers_up_to(MAX_SUM_ROLLS, "rolls", (1, 2, 3) if rolls is None else rolls)
        return sums(kinds[0], catalogue.as_integer("sum", sum), numbers)
    number, *more = times or (PAPER_ROLLS,)
    if more:
        raise UsageError(f"rolls {rolls}: must be a single number with {question}")
    if counts is not None:
        return counts_chance(kinds[0], counts_by_roll(counts), number)
    if not isinstance(confidence, Fraction):
        confidence = Fraction(str(catalogue.as_float("confidence", confidence, (0, 1))))
    return intervals(kinds[0], number, confidence)
