"""Several rolls: the chances of sequences, of sums, and of how often rolls come.

Sequences and sums are those of sections 4.2 and 5 of Raposo and Lamont. Rolls are independent, so
the probability of a sequence depends only on how often each value occurs in it (Eq. 5). A multiset
stands for its sequences and is written in ascending order, as in their Tables 2 and 4. Frequencies
of values in a number of rolls are those of their section 5.1, binomial sums over a common
denominator.

Probabilities are exact fractions; only roots and normal intervals are floats.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, islice, product, takewhile
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, NamedTuple

from urcx.errors import TooLargeError, UsageError, WrongObjectError, exclusive_option
from urcx.results.fields import COUNT, FRACTION, Field, Fields, Kind, column, fields_of
from urcx.results.fractions import decimal, fraction, percent
from urcx.results.numbers import counted, grouped
from urcx.results.tables import Column, Table, joined, key
from urcx.rules import catalogue
from urcx.rules.model import Dice
from urcx.strategy.dice import (
    ENDS,
    PERCENT,
    DiceChances,
    Distribution,
    Rolls,
    chance,
    chances,
    dice_kinds,
    numbers_up_to,
    probability,
    written,
)

__all__ = ["dice_chances"]

MAX_SEQUENCE = 250  # rolls; 16^-250 is still a normal float
MAX_SUM_ROLLS = 100  # rolls whose sums are listed
MAX_ROLLS = 10_000  # in which rolls are counted
PAPER_ROLLS = 106  # Raposo and Lamont's number of turns of a player in a game
MAX_MULTISETS = 20_000  # in one table
MAX_COMPOSITIONS = 100_000  # of a length, over the distinct probabilities of the dice
MAX_MEMBERS = 60  # of a class in a table
SHARE = Kind(percent, FRACTION.json)

COVERAGE = joined("really, %")

ByRoll = Mapping[int, int]  # how often each comes


def sequence_rolls(sequence: str | Iterable[int], dice: Dice) -> Rolls:
    """Return the rolls of a text such as ``122``, or ``1,2,12`` from 10 on; or of numbers.

    Raises
    ------
    UsageError
        If it is no sequence, is too long, or has rolls that the dice cannot give.
    """
    if isinstance(sequence, str):
        if not re.fullmatch(r"[0-9]+|[0-9]{1,3}(,[0-9]{1,3})+", sequence):
            raise UsageError(
                f"sequence {sequence!r}: write rolls such as 122, or 1,2,12 from 10 on"
            )
        sequence = map(int, sequence.split(",") if "," in sequence else sequence)
    elif isinstance(sequence, bytes) or not isinstance(sequence, Iterable):
        raise WrongObjectError("sequence", int, sequence, "a text such as '1,2', a list")
    rolls = tuple(catalogue.whole("roll", roll) for roll in sequence)
    if not 1 <= len(rolls) <= MAX_SEQUENCE:
        raise UsageError(f"a sequence of {len(rolls)} rolls; from 1 to {MAX_SEQUENCE} are taken")
    probability(dice, rolls)
    return rolls


def orders(rolls: Iterable[int]) -> int:
    """Return the number of orders of the rolls: the multinomial factor of Eq. 13."""
    counts = Counter(rolls).values()
    return math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))


@dataclass(frozen=True)
class EqualClass:
    """Sequences of one length and the same probability; members may be limited in number."""

    probability: Annotated[Fraction, Field("each", FRACTION, "probability of each sequence")]
    multisets: Annotated[int, Field(kind=COUNT, about="number of sets of rolls")]
    sequences: Annotated[int, Field("sequences", COUNT, "number of sequences, in all orders")]
    members: Annotated[
        tuple[Rolls, ...],
        Field(
            Column("members", text=True, key=True, least=24),
            about="sets of rolls that are as probable, null if there are too many",
            of=lambda members: " ".join(map(written, members)) or None,
        ),
    ]

    @property
    @Field(about="number of rolls")
    def length(self) -> int:
        """Return the number of rolls."""
        return len(self.members[0])

    @property
    @Field("total, %", SHARE, "probability that one of them comes")
    def total(self) -> Fraction:
        """Return the total probability of the class's sequences."""
        return self.sequences * self.probability

    @property
    def members_text(self) -> str:
        """Return the members for a table: the first of many."""
        some = [written(rolls) for rolls in self.members[:MAX_MEMBERS]]
        more = self.multisets - len(some)
        return " ".join(some) + (f" and {more:,} more" if more else "")


CLASSES = fields_of(EqualClass).pick(
    "length", "members", "probability", "multisets", "sequences", "total"
)


def equal_classes(
    dice: Dice, length: int, among: Fraction | None = None, limit: int = MAX_MULTISETS
) -> list[EqualClass]:
    """Return the classes of sequences of some length, or the one of the probability ``among``.

    Rolls of equal probability are interchangeable (0 and 4, or 1 and 3, with four dice), so only
    the numbers of occurrences of each probability are enumerated. Of a class with more than
    ``limit`` sets of rolls, only the first are listed.

    Raises
    ------
    TooLargeError
        If the dice have too many distinct probabilities.
    """
    groups: dict[Fraction, list[int]] = {}
    for roll, p in chances(dice).items():
        groups.setdefault(p, []).append(roll)
    if math.comb(length + len(groups) - 1, length) > MAX_COMPOSITIONS:
        raise TooLargeError(f"too many sets of {length} rolls to compare; take fewer rolls")
    # Integers over a common denominator are faster to compare than fractions.
    out_of = math.lcm(*(p.denominator for p in groups))
    powers = [[int(p * out_of) ** n for n in range(length + 1)] for p in groups]
    sizes = [len(alike) for alike in groups.values()]
    classes: dict[int, tuple[int, int, list[Rolls]]] = {}
    for counts in _compositions(length, len(groups)):
        value = math.prod(power[n] for power, n in zip(powers, counts, strict=True))
        if among is not None and value != among * out_of**length:
            continue
        pairs = list(zip(counts, sizes, strict=True))
        multisets, sequences, members = classes.get(value, (0, 0, []))
        multisets += math.prod(math.comb(n + size - 1, n) for n, size in pairs)
        spread = math.factorial(length) // math.prod(map(math.factorial, counts))
        sequences += spread * math.prod(size**n for n, size in pairs)
        if multisets <= limit:
            choices = map(combinations_with_replacement, groups.values(), counts)
            members += [tuple(sorted(sum(parts, ()))) for parts in product(*choices)]
        classes[value] = multisets, sequences, members
    return [
        EqualClass(Fraction(value, out_of**length), multisets, sequences, tuple(sorted(members)))
        for value, (multisets, sequences, members) in classes.items()
    ]


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write a total as an ordered sum of ``parts`` numbers from 0."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def equal_class(dice: Dice, rolls: Sequence[int], limit: int = MAX_MULTISETS) -> EqualClass:
    """Return the class of a sequence, with up to ``limit`` of its members.

    Raises
    ------
    UsageError
        If the dice cannot give a roll.
    TooLargeError
        If the dice have too many distinct probabilities.
    """
    (alike,) = equal_classes(dice, len(rolls), probability(dice, rolls), limit)
    return alike


@dataclass(frozen=True)
class EqualClasses(DiceChances):
    """Classes of sequences of the same probability, the likeliest first."""

    what = "table"
    when = "with --table"
    lists = ("rows",)
    rows: Annotated[Sequence[EqualClass], "the classes"]

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the members of the JSON object."""
        return super().members() | {"rows": CLASSES}

    def tables(self) -> list[Table]:
        """Return a row for each class."""
        visible = Fields(
            Field(CLASSES["members"].heading, of="members_text"),
            CLASSES["probability"],
            Field("each, %", SHARE, of="probability"),
            *CLASSES.pick("sequences", "total"),
        )
        note = (
            "members in any order: sequences counts the orders, and total is the probability that "
            "any of them comes"
        )
        return [visible.table("", self.rows, [note])]

    @property
    def answer(self) -> str:
        """Return the likeliest sequences."""
        best = self.rows[0]
        return (
            f"{self.dice[0].name}: the likeliest sequences, {best.members_text}, come with "
            f"{decimal(best.probability)} each (exact)"
        )


def sequences(dice: Dice, lengths: Sequence[int]) -> EqualClasses:
    """Return the classes of all sequences of some lengths.

    Raises
    ------
    TooLargeError
        If there are more than `MAX_MULTISETS` sets of rolls.
    """
    number = sum(math.comb(n + len(dice.rolls) - 1, n) for n in lengths)
    if number > MAX_MULTISETS:
        raise TooLargeError(f"{number:,} sets of rolls; take shorter sequences")
    classes = [item for n in lengths for item in equal_classes(dice, n)]
    classes.sort(key=lambda item: (-item.probability, item.members))
    return EqualClasses((dice,), tuple(classes))


@dataclass(frozen=True)
class SequenceChance(DiceChances):
    """A sequence of rolls, and the others that are as probable."""

    what = "sequence"
    when = "with --sequence"
    lists = ("rows",)
    rolls: Annotated[
        Rolls,
        Field(about="the rolls, in order", key="sequence", of=written),
        Field(about="number of rolls", key="length", of=len),
    ]
    alike: Annotated[EqualClass, "the sequences that are as probable, itself among them"]

    @property
    @Field(kind=COUNT, about="number of orders of these rolls")
    def orders(self) -> int:
        """Return how many sequences have just these rolls."""
        return orders(self.rolls)

    @property
    @Field("in any order, %", SHARE, "probability of the rolls in any order")
    def any_order(self) -> Fraction:
        """Return the probability of the rolls in any order."""
        return self.orders * self.alike.probability

    @property
    def product(self) -> str:
        """Return the probabilities of the rolls as a product."""
        factors = (str(chance(self.dice[0], roll)) for roll in self.rolls[:MAX_MEMBERS])
        return " x ".join(factors) + (" x ..." if len(self.rolls) > MAX_MEMBERS else "")

    @property
    def rows(self) -> tuple[SequenceChance]:
        """Return the sequence as the only row."""
        return (self,)

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the members of the JSON object, those of the sequence in the only row as well."""
        own = fields_of(SequenceChance)
        sequence = (
            own.pick("sequence", "length")
            + CLASSES.without("length").inside("alike")
            + own.pick("orders", "any_order")
        )
        return {"": fields_of(DiceChances) + sequence, "rows": sequence}

    def tables(self) -> list[Table]:
        """Return the probability of the sequence and the others with the same probability."""
        in_short = Kind(lambda p: fraction(p).strip() or "-")
        visible = Fields(
            Field("probability", in_short, of="alike.probability"),
            Field("in percent", SHARE, of="alike.probability"),
            Field("as a product", of="product"),
            fields_of(SequenceChance)["any_order"],
            Field("as probable", of="alike.members_text"),
            Field("sequences as probable", COUNT, of="alike.sequences"),
            Field("one of them, %", SHARE, of="alike.total"),
        )
        return [visible.listed("", self)]

    @property
    def answer(self) -> str:
        """Return the probability of the sequence."""
        chance = decimal(self.alike.probability)
        return f"{written(self.rolls)} comes with {chance} with {self.dice[0].name} (exact)"


class SumLength(NamedTuple):
    """How probably so many rolls have a sum."""

    length: Annotated[int, Field(about="number of rolls")]
    total: Annotated[Fraction, Field(kind=FRACTION, about="probability that the sum is there")]
    first: Annotated[Fraction, Field(kind=FRACTION, about="probability that it is there first")]


@dataclass(frozen=True)
class Sums(DiceChances):
    """The ways to reach a sum in given numbers of rolls, Table 4 of Raposo and Lamont.

    A sum that is reached and then kept by zeros counts for several lengths, so adding the totals of
    the lengths counts it more than once.
    """

    what = "sum"
    when = "with --sum"
    lists = ("rows", "lengths")
    sum: Annotated[int, Field(about="the sum")]
    by_length: Annotated[Mapping[int, tuple[EqualClass, ...]], "the multisets of so many rolls"]
    first: Annotated[Mapping[int, Fraction], "how probably so many rolls reach the sum first"]

    def total(self, length: int) -> Fraction:
        """Return the probability that ``length`` rolls have the sum."""
        return sum((row.total for row in self.by_length[length]), Fraction(0))

    @property
    def lengths(self) -> list[SumLength]:
        """Return how probable the sum is by number of rolls."""
        return [SumLength(n, self.total(n), self.first[n]) for n in self.by_length]

    @property
    @Field(kind=FRACTION, about="the totals added, as the paper does")
    def added(self) -> Fraction:
        """Return the sum of the totals of all lengths, as in the paper."""
        return sum(map(self.total, self.by_length), Fraction(0))

    @property
    @Field(kind=FRACTION, about="probability that the sum is reached")
    def reached(self) -> Fraction:
        """Return the probability that the sum is first reached after one of the lengths."""
        return sum(self.first.values(), Fraction(0))

    @property
    def rows(self) -> list[EqualClass]:
        """Return the multisets of all lengths."""
        return [row for rows in self.by_length.values() for row in rows]

    @classmethod
    def members(cls) -> dict[str, Fields]:
        """Return the members of the JSON object."""
        return super().members() | {"rows": SUM_ROWS}

    def tables(self) -> list[Table]:
        """Return the multisets with the sum, and the sums of their probabilities."""
        visible = Fields(
            *SUM_ROWS.pick("length", "rolls", "probability"),
            Field("each, %", SHARE, of="probability"),
            *SUM_ROWS.pick("orders", "total"),
        )
        lines = [[str(n), percent(total), percent(first)] for n, total, first in self.lengths]
        note = (
            "a sum that is there stays there as long as only 0 is rolled, so that the first column "
            "counts it again; the second adds up to the probability that it is reached"
        )
        return [
            visible.table("", self.rows),
            Table(
                "By number of rolls",
                ["rolls", "sum there, %", "there first, %"],
                [*lines, ["added", percent(self.added), percent(self.reached)]],
                [note],
            ),
        ]

    @property
    def answer(self) -> str:
        """Return how probably the sum is reached."""
        within = counted(max(self.by_length), "roll")
        reached = f"is reached with {percent(self.reached)} % within {within}"
        return f"{self.dice[0].name}: the sum {self.sum} {reached} (exact)"


SUM_ROWS = Fields(
    Field(Column("rolls", key=True), about="number of rolls", key="length"),
    Field(key("which"), about="the rolls, in any order", of="members_text", key="rolls"),
    CLASSES["probability"],
    Field("orders", COUNT, "number of orders", of="sequences", key="orders"),
    CLASSES["total"],
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
        raise UsageError(f"--sum {target}: sums are from 1")
    by_length: dict[int, tuple[EqualClass, ...]] = {}
    left = MAX_MULTISETS
    for n in lengths:
        sets = list(islice(_with_sum(dice.rolls, n, target), left + 1))
        left -= len(sets)
        if left < 0:
            raise TooLargeError(f"more than {MAX_MULTISETS:,} sets of rolls; take fewer rolls")
        by_length[n] = tuple(
            EqualClass(probability(dice, rolls), 1, orders(rolls), (rolls,)) for rolls in sets
        )
    there = _sum_chances(dice, target, max(by_length))
    zero = chances(dice).get(0, 0)
    # Rolls never lower the sum, so it is there for the first time unless the last roll is a 0.
    first = {n: there[n] - zero * there[n - 1] for n in by_length}
    return Sums((dice,), target, by_length, first)


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


def _sum_chances(dice: Dice, target: int, most: int) -> list[Fraction]:
    """Return the probability that the sum is there after 0, 1, ... ``most`` rolls."""
    totals = {0: Fraction(1)}
    there = [Fraction(0)]
    for _ in range(most):
        before, totals = totals, {}
        for (total, q), (roll, p) in product(before.items(), chances(dice).items()):
            if total + roll <= target:
                totals[total + roll] = totals.get(total + roll, Fraction(0)) + q * p
        there.append(totals.get(target, Fraction(0)))
    return there


def _by_roll(write: Callable[[Any], Any]) -> Callable[[Mapping[int, Any]], dict[str, Any]]:
    return lambda values: {str(roll): write(value) for roll, value in values.items()}


TIMES = Kind(
    json=(("", _by_roll(int)),),
    csv=(("", lambda counts: ",".join(f"{roll}:{n}" for roll, n in counts.items())),),
)
MEANS = Kind(json=(("", _by_roll(str)),), csv=())


def counts_by_roll(counts: str | ByRoll) -> ByRoll:
    """Return how often rolls come, from a text such as ``0:7,1:27`` or from a mapping.

    Raises
    ------
    UsageError
        If it is neither, is empty, has a roll twice or a negative number.
    """
    if isinstance(counts, str):
        parts = counts.split(",")
        pairs = [re.fullmatch(r"\s*([0-9]{1,3}):([0-9]{1,9})\s*", part) for part in parts]
        by_roll = {int(pair[1]): int(pair[2]) for pair in pairs if pair}
        if not all(pairs):
            raise UsageError(f"counts {counts!r}: write roll:times such as 0:20 or 0:7,1:27")
        if len(by_roll) < len(parts):
            raise UsageError(f"counts {counts!r}: a roll comes twice")
        return by_roll
    if not isinstance(counts, Mapping):
        raise WrongObjectError("counts", dict, counts, "how often by roll, {0: 20}")
    by_roll = {catalogue.whole("roll", r): catalogue.whole("times", n) for r, n in counts.items()}
    if not by_roll or min(by_roll.values()) < 0:
        raise UsageError(f"counts {dict(counts)}: how often by roll, from 0")
    return by_roll


def confidence_level(level: str | Fraction) -> Fraction:
    """Return a confidence as a fraction; raises `UsageError` if it is not between 0 and 1."""
    number = re.fullmatch(r"[0-9]{0,9}\.?[0-9]{0,18}", level) if isinstance(level, str) else None
    if number and re.search("[0-9]", number[0]):
        level = Fraction(number[0])
    if not isinstance(level, Fraction) or not 0 < level < 1:
        raise UsageError(f"confidence {level}: write a number between 0 and 1, such as 0.9")
    return level


@dataclass(frozen=True)
class Counts(DiceChances):
    """The probability of given counts among a number of rolls.

    ``exactly`` is Eq. 14 for one value and Eq. 13 for all of them; values that are not given may
    come in any numbers. ``at_least`` and ``at_most`` are for a single value only.
    """

    what = "counts"
    when = "with --counts"
    counts: Annotated[ByRoll, Field(kind=TIMES, about="how often each roll is asked for")]
    rolls: Annotated[int, Field(about="number of rolls")]
    expected: Annotated[Mapping[int, Fraction], Field(kind=MEANS, about="means; not in CSV")]
    exactly: Annotated[Fraction, Field("exactly", FRACTION, "probability of just these counts")]
    at_least: Annotated[Fraction | None, Field("at least", FRACTION, "of as many or more")]
    at_most: Annotated[Fraction | None, Field("at most", FRACTION, "of as many or fewer")]

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object, with the only row."""
        return super().document() | {"rows": self.records()}

    def records(self) -> list[dict[str, Any]]:
        """Return the only row of CSV."""
        return [COUNTED.flat(self)]

    @property
    def _times(self) -> str:
        counts = ", ".join(f"{roll} {times} times" for roll, times in self.counts.items())
        return f"{counts} in {self.rolls:,} rolls"

    @property
    def answer(self) -> str:
        """Return the probability of just these counts."""
        return f"{self.dice[0].name}: {self._times} with {decimal(self.exactly)} (exact)"

    def tables(self) -> list[Table]:
        """Return the probabilities in several forms."""
        single = len(self.counts) == 1
        note = f"Eq. {14 if single else 13} of Raposo and Lamont"
        if not single and sum(self.counts.values()) < self.rolls:
            note += ", all other rolls taken as one"
        values = [(field.title, field.value(self)) for field in COUNTED if field.heading]
        table = Table(
            "",
            ["<", "probability", "%", "one in"],
            [
                [title, decimal(p), percent(p), grouped(decimal(1 / p)) if p else "never"]
                for title, p in values
                if p is not None
            ],
            [note],
        )
        return [table]


COUNTED = fields_of(Counts).without(*(field.key for field in fields_of(DiceChances)))


def counts_chance(dice: Dice, counts: ByRoll, rolls: int) -> Counts:
    """Return the probability of given counts in a number of rolls.

    Raises
    ------
    UsageError
        If the dice cannot give a roll, or the counts contradict the number of rolls.
    """
    total = sum(counts.values())
    if total > rolls:
        raise UsageError(f"counts of {total} in {rolls} rolls; there cannot be more than {rolls}")
    odds = {roll: chance(dice, roll) for roll in counts}
    other = 1 - sum(odds.values(), Fraction(0))
    left = rolls - total
    if left and not other:
        raise UsageError(f"counts of all rolls make {total}, not the {rolls} of --rolls")
    ways = math.factorial(rolls) // math.prod(map(math.factorial, [*counts.values(), left]))
    exactly = Fraction(ways * other**left * math.prod(odds[r] ** n for r, n in counts.items()))
    at_least = at_most = None
    if len(counts) == 1:
        ((roll, times),) = counts.items()
        terms, out_of = _binomial(rolls, odds[roll])
        at_least = Fraction(sum(terms[times:]), out_of)
        at_most = Fraction(sum(terms[: times + 1]), out_of)
    expected = {roll: rolls * p for roll, p in odds.items()}
    return Counts((dice,), dict(counts), rolls, expected, exactly, at_least, at_most)


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
    """An interval for the number of times a value is rolled.

    ``normal`` is Eq. 15: ``mean`` -+ ``delta``. ``rounded`` are its ends as whole numbers.
    ``exact`` is the shortest interval that excludes at most half of 1 - confidence on either side.
    """

    roll: Annotated[int, Field("roll", about="a roll")]
    mean: Annotated[Fraction, Field("mean", Kind(decimal, FRACTION.json), "how often on average")]
    delta: Annotated[float, Field(about="half the width of the normal interval")]
    rounded: Annotated[tuple[int, int], Field("", ENDS, "the ends, rounded")]
    rounded_coverage: Annotated[Fraction, Field(COVERAGE, PERCENT, "probability of these")]
    exact: Annotated[tuple[int, int], Field("", ENDS, "the ends, exact")]
    exact_coverage: Annotated[Fraction, Field(COVERAGE, PERCENT, "probability of these")]

    @property
    @Field("", ENDS, "the ends, normal", after="delta")
    def normal(self) -> tuple[float, float]:
        """Return the ends of Eq. 15."""
        return float(self.mean) - self.delta, float(self.mean) + self.delta


@dataclass(frozen=True)
class Intervals(DiceChances):
    """An interval for the count of each roll, at a level of confidence."""

    what = "interval"
    when = "with --interval"
    lists = ("rows",)
    rolls: Annotated[int, Field(about="number of rolls")]
    confidence: Annotated[Fraction, Field(kind=FRACTION, about="the level of confidence")]
    z: Annotated[float, Field(about="standard deviations of the normal interval on either side")]
    normal_exactness: ClassVar[
        Annotated[str, Field(about="the normal interval is none of the exact ones")]
    ] = "approximation"
    rows: Annotated[Sequence[Interval], "an interval for each roll"]

    def tables(self) -> list[Table]:
        """Return a row for each roll: the normal interval and the exact one."""
        own = fields_of(Interval)
        visible = Fields(
            *own.pick("roll", "mean"),
            column("normal", lambda item: f"{item.normal[0]:.2f} to {item.normal[1]:.2f}"),
            column("rounded", lambda item: "{}..{}".format(*item.rounded)),
            own["rounded_coverage"],
            column("exact", lambda item: "{}..{}".format(*item.exact)),
            own["exact_coverage"],
        )
        notes = [
            f"normal: Eq. 15 of Raposo and Lamont, z = {self.z:.6f}; rounded: to whole numbers",
            (
                f"exact: no more than half of 1 - {decimal(self.confidence)} on either side, by "
                "the binomial distribution"
            ),
        ]
        return [visible.table("", self.rows, notes)]

    @property
    def answer(self) -> str:
        """Return how often the likeliest roll comes."""
        likeliest = max(self.rows, key=lambda item: item.mean)
        return (
            f"{self.dice[0].name}: {likeliest.roll} comes {decimal(likeliest.mean)} times in "
            f"{self.rolls:,} rolls on average, {likeliest.exact[0]} to {likeliest.exact[1]} times "
            f"with at least {percent(self.confidence)} % (exact)"
        )


def deviations(confidence: Fraction) -> float:
    """Return z of Eq. 15: the standard deviations on either side that have the confidence."""
    return NormalDist().inv_cdf(float((1 + confidence) / 2))


def count_interval(dice: Dice, roll: int, rolls: int, confidence: Fraction) -> Interval:
    """Return the interval for a value of the dice; raises `UsageError` for impossible values."""
    p = chance(dice, roll)
    mean = rolls * p
    delta = deviations(confidence) * math.sqrt(rolls * p * (1 - p))
    low, high = (math.floor(float(mean) + side * delta + 0.5) for side in (-1, 1))
    rounded = max(low, 0), min(high, rolls)
    terms, out_of = _binomial(rolls, p)
    allowed = (1 - confidence) / 2 * out_of
    below, above = (
        sum(1 for _ in takewhile(lambda total: total <= allowed, accumulate(side)))
        for side in (terms, terms[::-1])
    )
    exact = below, rolls - above
    covered = [Fraction(sum(terms[a : b + 1]), out_of) for a, b in (rounded, exact)]
    return Interval(roll, mean, delta, rounded, covered[0], exact, covered[1])


def intervals(dice: Dice, rolls: int, confidence: Fraction) -> Intervals:
    """Return an interval for how often each roll comes."""
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
    """Return the chances of dice: of each roll, or those of one question about several rolls.

    Parameters
    ----------
    dice
        Dice or their names, one or several; all of the catalogue by default. A question about
        several rolls takes one kind, ``binary4`` by default.
    sequence
        How probable is this sequence, and which others are as probable? Rolls as numbers, or a text
        such as ``122``; the answer is a `SequenceChance`.
    lengths
        How probable are all sequences of so many rolls, from 1 to 250? The answer is an
        `EqualClasses`.
    sum
        How probably is this sum there after ``rolls``, or there first? From 1; the answer is a
        `Sums`.
    counts
        How probable is it that rolls come so often in ``rolls``? How often by roll, such as ``{0:
        20}``; others may come in any numbers. The answer is a `Counts`.
    confidence
        In what interval is the count of each roll in ``rolls``, with this confidence between 0 and
        1? The answer is an `Intervals`.
    rolls
        How many rolls: for ``sum`` one number or several from 1 to 100, by default 1 to 3; for
        ``counts`` and ``confidence`` a number from 1 to 10,000, by default the 106 of Raposo and
        Lamont.

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
        If there are too many sets of rolls, or the dice have too many distinct probabilities.

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
    >>> [str(result.total(n)) for n in (1, 2, 3)], str(result.reached)
    (['1/16', '35/128', '495/4096'], '1785/4096')
    >>> round(float(urcx.dice_chances(counts={0: 20}).at_least), 7)
    8.5e-06
    >>> [item.exact for item in urcx.dice_chances(confidence=0.9).rows][:2]
    [(3, 11), (19, 34)]
    """
    times = None if rolls is None else numbers_up_to(MAX_ROLLS, "rolls", rolls)
    question = exclusive_option(
        sequence=sequence, lengths=lengths, sum=sum, counts=counts, confidence=confidence
    )
    kinds = dice_kinds("binary4" if question and dice is None else dice)
    if times and question not in ("sum", "counts", "confidence"):
        raise UsageError("rolls need sum, counts or confidence")
    if not question:
        return Distribution(kinds)
    if len(kinds) > 1:
        raise UsageError(f"{question} takes one kind of dice")
    if sequence is not None:
        row = sequence_rolls(sequence, kinds[0])
        return SequenceChance(kinds, row, equal_class(kinds[0], row))
    if lengths is not None:
        return sequences(kinds[0], numbers_up_to(MAX_SEQUENCE, "lengths", lengths))
    if sum is not None:
        several = numbers_up_to(MAX_SUM_ROLLS, "rolls", (1, 2, 3) if rolls is None else rolls)
        return sums(kinds[0], catalogue.whole("sum", sum), several)
    number, *more = times or (PAPER_ROLLS,)
    if more:
        raise UsageError(f"rolls {rolls}: {question} takes one number")
    if counts is not None:
        return counts_chance(kinds[0], counts_by_roll(counts), number)
    if not isinstance(confidence, Fraction):
        level = confidence_level(str(catalogue.real("confidence", confidence)))
    else:
        level = confidence_level(confidence)
    return intervals(kinds[0], number, level)
