"""Dice: single rolls, sequences, sums, and how often rolls come.

A single roll has a distribution, moments and an entropy, and two kinds of dice a distance.
Sequences and sums are those of sections 4.2 and 5 of Raposo and Lamont. Rolls are independent, so
the probability of a sequence depends only on how often each value occurs in it (Eq. 5). A multiset
stands for its sequences and is written in ascending order, as in their Tables 2 and 4. Frequencies
of values in a number of rolls are those of their section 5.1, binomial sums over a common
denominator.

Probabilities are exact fractions; only logarithms, roots and normal intervals are floats.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations_with_replacement, islice, product, takewhile
from operator import itemgetter
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, NamedTuple

from urcx.errors import TooLargeError, UsageError, WrongObjectError
from urcx.results.fields import (
    COUNT,
    FRACTION,
    Field,
    Fields,
    Kind,
    Schema,
    column,
    decimals,
    fields_of,
    member,
)
from urcx.results.fractions import decimal, fraction, percent
from urcx.results.numbers import counted, grouped
from urcx.results.report import Report
from urcx.results.result import Result, Rows
from urcx.results.tables import Column, Table, joined, key
from urcx.rules import catalogue
from urcx.rules.model import Dice

__all__ = ["dice_counts", "dice_intervals", "dice_sequence", "dice_sequences", "dice_sums"]

FACES = 6  # of the die in Michon's substitute
NAME = "urcx.dice/1"
IN_FULL = Kind(str, FRACTION.json)  # in a table as long as it is
LIKELIEST = Kind(lambda rolls: ", ".join(map(str, rolls)), (("", list),))
FOUR = Kind(lambda value: f"{float(value):.4f}", FRACTION.json)
PERCENT = Kind(lambda value: percent(value, 4), FRACTION.json)
ENDS = Kind(json=(("_low", itemgetter(0)), ("_high", itemgetter(1))))  # of an interval


@dataclass(frozen=True)
class Summary:
    """A summary of dice."""

    dice: Annotated[
        Dice,
        member("<dice", about="name of the dice", of="name"),
        member(about="what they are", key="title", of="title"),
    ]
    mean: Annotated[Fraction, member("mean", IN_FULL, "mean of a roll")]
    variance: Annotated[Fraction, member("variance", IN_FULL, "its variance, in squared steps")]
    bits: Annotated[
        float, member("entropy, bits", decimals(6), "entropy to base 2", key="entropy_bits")
    ]
    digits: Annotated[
        float, member("digits", decimals(6), "entropy to base 10", key="entropy_digits")
    ]
    likeliest: Annotated[tuple[int, ...], member("<likeliest", LIKELIEST, "the likeliest rolls")]


def summary(dice: Dice) -> Summary:
    """Return mean, variance, entropy and the likeliest rolls of dice."""
    pairs = tuple(zip(dice.rolls, dice.probabilities, strict=True))
    variance = sum((p * (roll - dice.mean) ** 2 for roll, p in pairs), Fraction(0))
    bits = -sum(float(p) * math.log2(p) for p in dice.probabilities)
    likeliest = tuple(roll for roll, p in pairs if p == max(dice.probabilities))
    return Summary(dice, dice.mean, variance, bits, bits * math.log10(2), likeliest)


def chances(dice: Dice) -> dict[int, Fraction]:
    """Return the probability of each roll."""
    return dict(zip(dice.rolls, dice.probabilities, strict=True))


def chance(dice: Dice, roll: int) -> Fraction:
    """Return the probability of a roll that the dice can give; raises `UsageError` for others."""
    probability = chances(dice).get(roll)
    if probability is None:
        rolls = ", ".join(map(str, dice.rolls))
        raise UsageError(f"{dice.name} cannot roll {roll}; its rolls are {rolls}")
    return probability


def distance(dice: Dice, other: Dice) -> Fraction:
    """Return the total variation distance: the greatest difference in any event's probability."""
    ours, theirs = chances(dice), chances(other)
    rolls = ours.keys() | theirs.keys()
    zero = Fraction(0)
    return sum((abs(ours.get(r, zero) - theirs.get(r, zero)) for r in rolls), zero) / 2


@dataclass(frozen=True)
class Substitute:
    """A six-sided die whose 5 and 6 are read as two of the rolls 0 to 4."""

    five_and_six: Annotated[
        tuple[int, int],
        member(about="what 5 counts as", key="five", of=itemgetter(0)),
        member(about="what 6 counts as", key="six", of=itemgetter(1)),
    ]
    summary: Annotated[
        Summary,
        member("mean", IN_FULL, "mean of a roll", key="mean", of="mean"),
        member("variance", IN_FULL, "its variance", key="variance", of="variance"),
        member("<likeliest", LIKELIEST, "the likeliest rolls", key="likeliest", of="likeliest"),
    ]
    distance: Annotated[
        Fraction, member("distance", FOUR, "total variation distance from the first dice")
    ]


def substitutes(original: Dice) -> tuple[Substitute, ...]:
    """Return all ways to read the 5 and 6 of a six-sided die, the closest to some dice first.

    Michon's section on the dice reads 5 as 0 and 6 as 2.
    """
    readings = []
    for pair in combinations_with_replacement(range(5), 2):
        faces = (*range(1, 5), *pair)
        rolls = tuple(sorted(set(faces)))
        name = f"5 as {pair[0]}, 6 as {pair[1]}"
        dice = Dice(name, name, rolls, tuple(Fraction(faces.count(r), FACES) for r in rolls))
        readings.append(Substitute(pair, summary(dice), distance(dice, original)))
    return tuple(sorted(readings, key=lambda item: (item.distance, item.five_and_six)))


@dataclass(frozen=True)
class Answer:
    """The first members of all that is answered about dice."""

    what: Annotated[
        str, member(about="what is asked: distribution, compare, table, sequence, sum, ...")
    ]
    dice: Annotated[
        Sequence[Dice],
        member(about="names of the dice", of=lambda dice: [one.name for one in dice]),
    ]
    exactness: ClassVar[Annotated[str, member(about="fractions, without rounding")]] = "exact"

    def report(
        self,
        data: Mapping[str, Any],
        records: Sequence[Mapping[str, Any]],
        tables: Sequence[Table],
        answer: str,
    ) -> Report:
        """Return a report with further members, rows and tables."""
        data = {**ANSWER.record(self), **data, "rows": records}
        return Report(NAME, data, records, tables, answer=answer)


class RollChance(NamedTuple):
    """How probable a roll is."""

    dice: Annotated[Dice, member(about="name of the dice", of="name")]
    roll: Annotated[int, member(about="a roll")]
    probability: Annotated[Fraction, member(kind=FRACTION, about="how probable it is")]


ANSWER = fields_of(Answer)
SUMMARIES = fields_of(Summary)
DISTRIBUTION = Schema(NAME, {"": ANSWER, "rows": fields_of(RollChance), "summaries": SUMMARIES})


def distribution_report(kinds: Sequence[Dice]) -> Report:
    """Return the probability of every roll, and a summary of the dice."""
    summaries = [summary(dice) for dice in kinds]
    data = {"summaries": SUMMARIES.records(summaries)}
    rows = (RollChance(dice, *pair) for dice in kinds for pair in chances(dice).items())
    rolls = sorted({roll for dice in kinds for roll in dice.rolls})
    cells = [[d.name, *(str(chances(d).get(roll, "")) for roll in rolls)] for d in kinds]
    shown = SUMMARIES + Fields(column("<what it is", lambda item: item.dice.title))
    note = "digits: the entropy to base 10, log10 of the number of typical rolls"
    tables = [
        # With the dice below each other.
        Table("Probability of a roll", ["<dice", *map(str, rolls)], cells),
        shown.table("Dice in short", summaries, [note]),
    ]
    records = DISTRIBUTION.parts["rows"].records(rows)
    first = summaries[0]
    answer = (
        f"{first.dice.name}: a roll is {first.mean} on average, with the entropy of "
        f"{first.bits:.6f} bits (exact)"
    )
    if len(summaries) > 1:
        means = sorted(item.mean for item in summaries)
        answer = (
            f"{len(summaries)} kinds of dice: mean rolls from {means[0]} to {means[-1]} (exact)"
        )
    return Answer("distribution", kinds).report(data, records, tables, answer)


MAX_SEQUENCE = 250  # rolls; 16^-250 is still a normal float
MAX_SUM_ROLLS = 100  # rolls whose sums are listed
MAX_MULTISETS = 20_000  # in one table
MAX_COMPOSITIONS = 100_000  # of a length, over the distinct probabilities of the dice
MAX_MEMBERS = 60  # of a class in a table
SHARE = Kind(percent, FRACTION.json)

Rolls = tuple[int, ...]


def numbers_of_rolls(rolls: int | Iterable[int], most: int) -> tuple[int, ...]:
    """Return a number of rolls, or several, as a tuple; raises `UsageError` if one is none."""
    several = rolls if isinstance(rolls, Iterable) else (rolls,)
    lengths = tuple(dict.fromkeys(catalogue.whole("rolls", length) for length in several))
    if not lengths or not all(1 <= length <= most for length in lengths):
        raise UsageError(f"rolls {rolls}: numbers from 1 to {most:,} are needed")
    return lengths


def parse_sequence(text: str, dice: Dice) -> Rolls:
    """Parse rolls such as ``122``, or ``1,2,2``, the form needed for rolls of 10 and more.

    Raises
    ------
    UsageError
        If the text is not a sequence, is too long, or has rolls that the dice cannot give.
    """
    if not re.fullmatch(r"[0-9]+|[0-9]{1,3}(,[0-9]{1,3})+", text):
        raise UsageError(f"sequence {text!r}: write rolls such as 122, or 1,2,12 from 10 on")
    parts = text.split(",") if "," in text else list(text)
    if len(parts) > MAX_SEQUENCE:
        raise UsageError(f"a sequence of {len(parts)} rolls; at most {MAX_SEQUENCE} are taken")
    rolls = tuple(map(int, parts))
    for roll in rolls:
        chance(dice, roll)
    return rolls


def written(rolls: Iterable[int]) -> str:
    """Return rolls as text: ``122``, with commas if one has two digits."""
    texts = [str(roll) for roll in rolls]
    return ("," if any(len(text) > 1 for text in texts) else "").join(texts)


def probability(dice: Dice, rolls: Iterable[int]) -> Fraction:
    """Return the probability of a sequence, Eq. 5; raises `UsageError` for impossible rolls."""
    counts = Counter(rolls).items()
    return math.prod((chance(dice, roll) ** n for roll, n in counts), start=Fraction(1))


def orders(rolls: Iterable[int]) -> int:
    """Return the number of orders of the rolls: the multinomial factor of Eq. 13."""
    counts = Counter(rolls).values()
    return math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))


@dataclass(frozen=True)
class EqualClass:
    """The sequences of one length with the same probability; members may be limited in number."""

    probability: Annotated[Fraction, member("each", FRACTION, "probability of each sequence")]
    multisets: Annotated[int, member(kind=COUNT, about="number of sets of rolls")]
    sequences: Annotated[int, member("sequences", COUNT, "number of sequences, in all orders")]
    members: Annotated[
        tuple[Rolls, ...],
        member(
            Column("members", text=True, key=True, least=24),
            about="sets of rolls that are as probable, null if there are too many",
            of=lambda members: " ".join(map(written, members)) or None,
        ),
    ]

    @property
    @member(about="number of rolls")
    def length(self) -> int:
        """Return the number of rolls."""
        return len(self.members[0])

    @property
    @member("total, %", SHARE, "probability that one of them comes")
    def total(self) -> Fraction:
        """Return the total probability of the class's sequences."""
        return self.sequences * self.probability

    @property
    def members_text(self) -> str:
        """Return the members for a table: the first of many."""
        some = [written(rolls) for rolls in self.members[:MAX_MEMBERS]]
        more = self.multisets - len(some)
        return " ".join(some) + (f" and {more:,} more" if more else "")


class EqualClasses(Rows[EqualClass], function="dice_sequences"):
    """Classes of sequences of the same probability, the likeliest first, of some ``dice``.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.dice_sequences(rolls=2)
    >>> result[0].members, result[0].sequences, result.dice.name
    (((2, 2),), 1, 'binary4')
    """

    dice: Dice

    def report(self) -> Report:
        """Return a row for each class."""
        shown = Fields(
            Field("", CLASSES["members"].heading, of="members_text"),
            CLASSES["probability"],
            Field("", "each, %", SHARE, of="probability"),
            *CLASSES.pick("sequences", "total"),
        )
        title = f"Sequences of {self.dice.name} with their probability, the likeliest first"
        note = (
            "members in any order: sequences counts the orders, and total is the probability that "
            "any of them comes"
        )
        table = shown.table(title, self, [note])
        best = self[0]
        answer = (
            f"{self.dice.name}: the likeliest sequences, {best.members_text}, come with "
            f"{decimal(best.probability)} each (exact)"
        )
        return Answer("table", [self.dice]).report({}, CLASSES.records(self), [table], answer)


CLASSES = fields_of(EqualClass).pick(
    "length", "members", "probability", "multisets", "sequences", "total"
)
TABLE = Schema(NAME, {"": ANSWER, "rows": CLASSES}, "with --table")


def equal_class(dice: Dice, rolls: Sequence[int], limit: int = MAX_MULTISETS) -> EqualClass:
    """Return the class of a sequence, with up to ``limit`` of its members.

    Rolls of equal probability are interchangeable (0 and 4, or 1 and 3, with four dice), so only
    the numbers of occurrences of each probability are enumerated.

    Raises
    ------
    UsageError
        If the dice cannot give a roll.
    TooLargeError
        If the dice have too many distinct probabilities.
    """
    wanted = probability(dice, rolls)
    groups: dict[Fraction, list[int]] = {}
    for roll, p in chances(dice).items():
        groups.setdefault(p, []).append(roll)
    if math.comb(len(rolls) + len(groups) - 1, len(rolls)) > MAX_COMPOSITIONS:
        raise TooLargeError(f"too many sets of {len(rolls)} rolls to compare; take fewer rolls")
    # Integers over a common denominator are faster to compare than fractions.
    out_of = math.lcm(*(p.denominator for p in groups))
    powers = [[int(p * out_of) ** n for n in range(len(rolls) + 1)] for p in groups]
    target = int(wanted * out_of ** len(rolls))
    multisets = sequences = 0
    members: list[Rolls] = []
    for counts in _compositions(len(rolls), len(groups)):
        if math.prod(power[n] for power, n in zip(powers, counts, strict=True)) != target:
            continue
        sizes = [len(alike) for alike in groups.values()]
        multisets += math.prod(
            math.comb(n + size - 1, n) for n, size in zip(counts, sizes, strict=True)
        )
        spread = math.factorial(len(rolls)) // math.prod(map(math.factorial, counts))
        sequences += spread * math.prod(size**n for n, size in zip(counts, sizes, strict=True))
        choices = (
            combinations_with_replacement(alike, n)
            for alike, n in zip(groups.values(), counts, strict=True)
        )
        if multisets <= limit:
            members += [tuple(sorted(sum(parts, ()))) for parts in product(*choices)]
    return EqualClass(wanted, multisets, sequences, tuple(sorted(members)))


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to write a total as an ordered sum of ``parts`` numbers from 0."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


@dataclass(frozen=True)
class SequenceChance(Result, function="dice_sequence"):
    """A sequence of rolls.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.dice_sequence("122")
    >>> result.alike.probability, result.orders, result.any_order
    (Fraction(9, 256), 3, Fraction(27, 256))
    """

    dice: Annotated[Dice, "the dice"]
    rolls: Annotated[
        Rolls,
        member(about="the rolls, in order", key="sequence", of=written),
        member(about="number of rolls", key="length", of=len),
    ]
    alike: Annotated[EqualClass, "the sequences that are as probable, itself among them"]

    @property
    @member(kind=COUNT, about="number of orders of these rolls")
    def orders(self) -> int:
        """Return how many sequences have just these rolls."""
        return orders(self.rolls)

    @property
    @member("in any order, %", SHARE, "probability of the rolls in any order")
    def any_order(self) -> Fraction:
        """Return the probability of the rolls in any order."""
        return self.orders * self.alike.probability

    @property
    def product(self) -> str:
        """Return the probabilities of the rolls as a product."""
        factors = (str(chance(self.dice, roll)) for roll in self.rolls[:MAX_MEMBERS])
        return " x ".join(factors) + (" x ..." if len(self.rolls) > MAX_MEMBERS else "")

    def report(self) -> Report:
        """Return the probability of the sequence and the others with the same probability."""
        record = SEQUENCE.record(self)
        shown = Fields(
            Field(
                "",
                "probability",
                Kind(lambda p: fraction(p).strip() or "-"),
                of="alike.probability",
            ),
            Field("", "in percent", SHARE, of="alike.probability"),
            Field("", "as a product", of="product"),
            SEQUENCE["any_order"],
            Field("", "as probable", of="alike.members_text"),
            Field("", "sequences as probable", COUNT, of="alike.sequences"),
            Field("", "one of them, %", SHARE, of="alike.total"),
        )
        table = shown.listed(f"Rolling {record['sequence']} with {self.dice.name}", self)
        chance = self.alike.probability
        answer = f"{record['sequence']} comes with {decimal(chance)} with {self.dice.name} (exact)"
        return Answer("sequence", [self.dice]).report(record, [record], [table], answer)


OWN = fields_of(SequenceChance)
SEQUENCE = Fields(
    OWN.pick("sequence", "length"),
    CLASSES.without("length").inside("alike"),
    OWN.pick("orders", "any_order"),
)
SEQUENCE_CHANCE = Schema(NAME, {"": ANSWER + SEQUENCE}, "with --sequence")


@dataclass(frozen=True)
class SumRow:
    """A multiset with the wanted sum."""

    rolls: Annotated[
        Rolls,
        member(Column("rolls", key=True), about="number of rolls", key="length", of=len),
        member(key("which"), about="the rolls, in any order", of=written),
    ]
    probability: Annotated[Fraction, member("each", FRACTION, "probability of each order")]
    orders: Annotated[int, member("orders", COUNT, "number of orders")]

    @property
    @member("total, %", SHARE, "probability of all orders")
    def total(self) -> Fraction:
        """Return the probability of the multiset."""
        return self.orders * self.probability


class SumLength(NamedTuple):
    """How probably so many rolls have a sum."""

    length: Annotated[int, member(about="number of rolls")]
    total: Annotated[Fraction, member(kind=FRACTION, about="probability that the sum is there")]
    first: Annotated[Fraction, member(kind=FRACTION, about="probability that it is there first")]


LENGTHS = fields_of(SumLength)


@dataclass(frozen=True)
class Sums(Result, function="dice_sums"):
    """The ways to reach a sum in given numbers of rolls, Table 4 of Raposo and Lamont.

    A sum that is reached and then kept by zeros counts for several lengths, so adding the totals of
    the lengths counts it more than once.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.dice_sums(4, rolls=2)
    >>> result.total(2), [row.rolls for row in result.by_length[2]]
    (Fraction(35, 128), [(0, 4), (1, 3), (2, 2)])
    """

    dice: Annotated[Dice, "the dice"]
    sum: Annotated[int, member(about="the sum")]
    by_length: Annotated[Mapping[int, tuple[SumRow, ...]], "the multisets of so many rolls"]
    first: Annotated[
        Mapping[int, Fraction], "how probably such a roll is the first to reach the sum"
    ]

    def total(self, length: int) -> Fraction:
        """Return the probability that ``length`` rolls have the sum."""
        return sum((row.total for row in self.by_length[length]), Fraction(0))

    @property
    @member(about="numbers of rolls", of=LENGTHS.records)
    def lengths(self) -> list[SumLength]:
        """Return how probable the sum is by number of rolls."""
        return [SumLength(n, self.total(n), self.first[n]) for n in self.by_length]

    @property
    @member(kind=FRACTION, about="the totals added, as the paper does")
    def added(self) -> Fraction:
        """Return the sum of the totals of all lengths, as in the paper."""
        return sum(map(self.total, self.by_length), Fraction(0))

    @property
    @member(kind=FRACTION, about="probability that the sum is reached")
    def reached(self) -> Fraction:
        """Return the probability that the sum is first reached after one of the lengths."""
        return sum(self.first.values(), Fraction(0))

    def report(self) -> Report:
        """Return the multisets with the sum, and the sums of their probabilities."""
        rows = [row for rows in self.by_length.values() for row in rows]
        shown = Fields(
            *SUM_ROWS.pick("length", "rolls", "probability"),
            Field("", "each, %", SHARE, of="probability"),
            *SUM_ROWS.pick("orders", "total"),
        )
        note = (
            "a sum that is there stays there as long as only 0 is rolled, so that the first column "
            "counts it again; the second adds up to the probability that it is reached"
        )
        tables = [
            shown.table(f"Rolls of {self.dice.name} with the sum {self.sum}", rows),
            Table(
                "By number of rolls",
                ["rolls", "sum there, %", "there first, %"],
                [
                    *([str(n), percent(total), percent(first)] for n, total, first in self.lengths),
                    ["added", percent(self.added), percent(self.reached)],
                ],
                [note],
            ),
        ]
        records = SUM_ROWS.records(rows)
        answer = (
            f"{self.dice.name}: the sum {self.sum} is reached with {percent(self.reached)} % "
            f"within {counted(max(self.by_length), 'roll')} (exact)"
        )
        return Answer("sum", [self.dice]).report(SUM.record(self), records, tables, answer)


SUM, SUM_ROWS = fields_of(Sums), fields_of(SumRow)
SUMS = Schema(NAME, {"": ANSWER + SUM, "lengths": LENGTHS, "rows": SUM_ROWS}, "with --sum")


def sums(dice: Dice, wanted: int, lengths: Iterable[int]) -> Sums:
    """Return all multisets of rolls with a sum, for each length.

    Raises
    ------
    UsageError
        If the sum is below 1.
    TooLargeError
        If there are more than `MAX_MULTISETS`.
    """
    if wanted < 1:
        raise UsageError(f"--sum {wanted}: sums are from 1")
    sets: dict[int, list[Rolls]] = {}
    room = MAX_MULTISETS
    for n in lengths:
        sets[n] = list(islice(_with_sum(dice.rolls, n, wanted), room + 1))
        room -= len(sets[n])
        if room < 0:
            raise TooLargeError(f"more than {MAX_MULTISETS:,} sets of rolls; take fewer rolls")
    by_length = {
        n: tuple(SumRow(rolls, probability(dice, rolls), orders(rolls)) for rolls in members)
        for n, members in sets.items()
    }
    return Sums(dice, wanted, by_length, {n: _first_reached(dice, wanted, n) for n in by_length})


def _with_sum(rolls: Rolls, length: int, wanted: int) -> Iterator[Rolls]:
    """Yield the ascending multisets of ``length`` of the ``rolls`` with the wanted sum."""
    if not rolls:
        if length == wanted == 0:
            yield ()
        return
    roll, *others = rolls
    for times in range(length, -1, -1):
        rest, left = wanted - times * roll, length - times
        if min(others, default=0) * left <= rest <= max(others, default=0) * left:
            for more in _with_sum(tuple(others), left, rest):
                yield (roll,) * times + more


def _first_reached(dice: Dice, wanted: int, length: int) -> Fraction:
    """Return the probability that a sum is first reached after ``length`` rolls.

    Rolls never lower the sum, so it is there for the first time unless the last roll is a 0.
    """
    table = chances(dice)
    totals = {0: Fraction(1)}
    for _ in range(length):
        before, totals = totals, {}
        for (total, q), (roll, p) in product(before.items(), table.items()):
            if total + roll <= wanted:
                totals[total + roll] = totals.get(total + roll, Fraction(0)) + q * p
    zero = Fraction(0)
    return totals.get(wanted, zero) - table.get(0, zero) * before.get(wanted, zero)


def dice_sequence(sequence: str | Sequence[int], dice: str | Dice = "binary4") -> SequenceChance:
    """Return how probable a sequence of rolls is, and which others are as probable.

    Parameters
    ----------
    sequence
        The rolls: numbers, or a text such as ``122``.
    dice
        Dice or their name.

    Returns
    -------
    SequenceChance

    Raises
    ------
    UsageError
        If it is no sequence, is too long, or the dice cannot give a roll.
    UnknownNameError
        If there are no such dice.
    TooLargeError
        If the dice have too many distinct probabilities.

    Examples
    --------
    >>> import urcx
    >>> urcx.dice_sequence([0, 0, 4]).alike.total
    Fraction(1, 512)
    """
    kind = catalogue.dice(dice)
    if isinstance(sequence, str):
        rolls = parse_sequence(sequence, kind)
    else:
        if isinstance(sequence, bytes) or not isinstance(sequence, Iterable):
            raise WrongObjectError("sequence", int, sequence, "a text such as '1,2', a list")
        rolls = tuple(catalogue.whole("roll", roll) for roll in sequence)
        numbers_of_rolls(len(rolls), MAX_SEQUENCE)
    return SequenceChance(kind, rolls, equal_class(kind, rolls))


def dice_sequences(
    dice: str | Dice = "binary4", rolls: int | Sequence[int] = (2, 3)
) -> EqualClasses:
    """Return all sequences of some numbers of rolls, those of the same probability together.

    Parameters
    ----------
    dice
        Dice or their name.
    rolls
        How many rolls in a row, from 1 to 250; one number or several.

    Returns
    -------
    EqualClasses
        A tuple, the likeliest sequences first.

    Raises
    ------
    UsageError
        If a number of rolls is out of range.
    UnknownNameError
        If there are no such dice.
    TooLargeError
        If there are too many sets of rolls.

    Examples
    --------
    >>> import urcx
    >>> [str(item.total) for item in urcx.dice_sequences("binary3", 2)]
    ['9/16', '3/8', '1/16']
    """
    kind = catalogue.dice(dice)
    lengths = numbers_of_rolls(rolls, MAX_SEQUENCE)
    number = sum(math.comb(n + len(kind.rolls) - 1, n) for n in lengths)
    if number > MAX_MULTISETS:
        raise TooLargeError(f"{number:,} sets of rolls; take shorter sequences")
    equal_classes: list[EqualClass] = []
    for n in lengths:
        classes: dict[Fraction, list[Rolls]] = {}
        for some in combinations_with_replacement(kind.rolls, n):
            classes.setdefault(probability(kind, some), []).append(some)
        equal_classes += [
            EqualClass(p, len(members), sum(map(orders, members)), tuple(members))
            for p, members in classes.items()
        ]
    equal_classes.sort(key=lambda item: (-item.probability, item.members))
    return EqualClasses(equal_classes, dice=kind)


def dice_sums(
    total: int, dice: str | Dice = "binary4", rolls: int | Sequence[int] = (1, 2, 3)
) -> Sums:
    """Return the sets of rolls that have a sum, and how probably it is there, or there first.

    Parameters
    ----------
    total
        The sum, from 1.
    dice
        Dice or their name.
    rolls
        In how many rolls, from 1 to 100; one number or several.

    Returns
    -------
    Sums

    Raises
    ------
    UsageError
        If a number is out of range.
    UnknownNameError
        If there are no such dice.
    TooLargeError
        If there are too many sets of rolls.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.dice_sums(4)
    >>> [str(result.total(n)) for n in (1, 2, 3)], str(result.reached)
    (['1/16', '35/128', '495/4096'], '1785/4096')
    """
    kind = catalogue.dice(dice)
    number = catalogue.whole("total", total)
    return sums(kind, number, numbers_of_rolls(rolls, MAX_SUM_ROLLS))


MAX_ROLLS = 10_000

ByRoll = Mapping[int, int]  # how often each comes


def _by_roll(write: Callable[[Any], Any]) -> Callable[[Mapping[int, Any]], dict[str, Any]]:
    return lambda values: {str(roll): write(value) for roll, value in values.items()}


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
    >>> result = urcx.dice_counts({4: 2}, rolls=3)
    >>> result.exactly, result.at_least
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
        times = f"{counts} in {self.rolls:,} rolls"
        answer = f"{self.dice.name}: {times} with {decimal(self.exactly)} (exact)"
        record, flat = COUNTED.record(self), COUNTED.flat(self)
        return Answer("counts", [self.dice]).report(record, [flat], [table], answer)


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
    rounded: Annotated[tuple[int, int], member("", ENDS, "the ends, rounded")]
    rounded_coverage: Annotated[
        Fraction, member(joined("really, %"), PERCENT, "how probable the rounded interval is")
    ]
    exact: Annotated[tuple[int, int], member("", ENDS, "the ends, exact")]
    exact_coverage: Annotated[
        Fraction, member(joined("really, %"), PERCENT, "how probable the exact interval is")
    ]

    @property
    @member("", ENDS, "the ends, normal", after="delta")
    def normal(self) -> tuple[float, float]:
        """Return the ends of Eq. 15."""
        return float(self.mean) - self.delta, float(self.mean) + self.delta


class Intervals(Rows[Interval], function="dice_intervals"):
    """An interval for the count of each roll of some ``dice``.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.dice_intervals(rolls=16)
    >>> [item.exact for item in result], result.dice.name
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
    low, high = (math.floor(float(mean) + side * delta + 0.5) for side in (-1, 1))
    rounded = max(low, 0), min(high, rolls)
    terms, whole = _binomial(rolls, p)
    exact = _tail(terms, whole, confidence), rolls - _tail(terms[::-1], whole, confidence)
    covered = [Fraction(sum(terms[a : b + 1]), whole) for a, b in (rounded, exact)]
    return Interval(roll, rolls, confidence, mean, z, delta, rounded, covered[0], exact, covered[1])


def _tail(terms: list[int], whole: int, confidence: Fraction) -> int:
    """Return how many of the first terms add up to at most half of 1 - ``confidence``."""
    allowed = (1 - confidence) / 2 * whole
    return sum(1 for _ in takewhile(lambda total: total <= allowed, accumulate(terms)))


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
    >>> [item.exact for item in urcx.dice_intervals(0.9)][:2]
    [(3, 11), (19, 34)]
    """
    kind = catalogue.dice(dice)
    level = confidence if isinstance(confidence, Fraction) else None
    if level is None:
        level = parse_confidence(str(catalogue.real("confidence", confidence)))
    elif not 0 < level < 1:
        raise UsageError(f"confidence {confidence}: between 0 and 1")
    (number,) = numbers_of_rolls(catalogue.whole("rolls", rolls), MAX_ROLLS)
    intervals = (wilson_interval(kind, roll, number, level) for roll in chances(kind))
    return Intervals(intervals, dice=kind)
