"""Several rolls in a row: sequences, their classes of equal probability, sums and counts.

Sections 4.2 and 5 of Raposo and Lamont. Rolls are independent, so the probability of a sequence
depends only on how often each value occurs in it (Eq. 5). A multiset stands for its sequences and
is written in ascending order, as in their Tables 2 and 4.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, islice, product
from typing import Annotated, NamedTuple

from urcx.errors import TooLargeError, UsageError, WrongObjectError
from urcx.results.fields import COUNT, FRACTION, Field, Fields, Kind, Schema, fields_of, member
from urcx.results.fractions import decimal, fraction, percent
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.result import Result, Rows
from urcx.results.tables import Column, Table, key
from urcx.rules import catalogue
from urcx.rules.model import Dice
from urcx.strategy.dice import ANSWER, NAME, Answer, chance, chances

__all__ = ["dice_sequence", "dice_sequences", "dice_sums"]

MAX_SEQUENCE = 250  # rolls; 16^-250 is still a normal float
MAX_SUM_ROLLS = 100  # rolls whose sums are listed
MAX_MULTISETS = 20_000  # in one table
MAX_COMPOSITIONS = 100_000  # of a length, over the distinct probabilities of the dice
MAX_MEMBERS = 60  # of a class in a table
PERCENT = Kind(percent, FRACTION.json)

Rolls = tuple[int, ...]


def numbers_of_rolls(given: int | Iterable[int], most: int) -> tuple[int, ...]:
    """Return a number of rolls, or several, as a tuple; raises `UsageError` if one is none."""
    several = given if isinstance(given, Iterable) else (given,)
    found = tuple(dict.fromkeys(catalogue.whole("rolls", one) for one in several))
    if not found or not all(1 <= one <= most for one in found):
        raise UsageError(f"rolls {given}: numbers from 1 to {most:,} are needed")
    return found


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
    @member("total, %", PERCENT, "probability that one of them comes")
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
    >>> found = urcx.dice_sequences(rolls=2)
    >>> found[0].members, found[0].sequences, found.dice.name
    (((2, 2),), 1, 'binary4')
    """

    dice: Dice

    def report(self) -> Report:
        """Return a row for each class."""
        shown = Fields(
            Field("", CLASSES["members"].heading, of="members_text"),
            CLASSES["probability"],
            Field("", "each, %", PERCENT, of="probability"),
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
    >>> found = urcx.dice_sequence("122")
    >>> found.alike.probability, found.orders, found.any_order
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
    @member("in any order, %", PERCENT, "probability of the rolls in any order")
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
            Field("", "in percent", PERCENT, of="alike.probability"),
            Field("", "as a product", of="product"),
            SEQUENCE["any_order"],
            Field("", "as probable", of="alike.members_text"),
            Field("", "sequences as probable", COUNT, of="alike.sequences"),
            Field("", "one of them, %", PERCENT, of="alike.total"),
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
    @member("total, %", PERCENT, "probability of all orders")
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
    >>> found = urcx.dice_sums(4, rolls=2)
    >>> found.total(2), [row.rolls for row in found.by_length[2]]
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
            Field("", "each, %", PERCENT, of="probability"),
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
        n: tuple(SumRow(rolls, probability(dice, rolls), orders(rolls)) for rolls in found)
        for n, found in sets.items()
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
    """Return the probability that a sum is first reached after ``length`` rolls."""
    table = chances(dice)

    @cache
    def after(rolls: int, total: int) -> Fraction:
        # Rolls never lower the sum, so it is reached for the first time unless this roll is a 0.
        if rolls == 0:
            return Fraction(total == 0)
        return sum(
            (p * after(rolls - 1, total - r) for r, p in table.items() if r <= total), Fraction(0)
        )

    return sum(
        (p * after(length - 1, wanted - r) for r, p in table.items() if 0 < r <= wanted),
        Fraction(0),
    )


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
    >>> [str(one.total) for one in urcx.dice_sequences("binary3", 2)]
    ['9/16', '3/8', '1/16']
    """
    kind = catalogue.dice(dice)
    lengths = numbers_of_rolls(rolls, MAX_SEQUENCE)
    number = sum(math.comb(n + len(kind.rolls) - 1, n) for n in lengths)
    if number > MAX_MULTISETS:
        raise TooLargeError(f"{number:,} sets of rolls; take shorter sequences")
    found: list[EqualClass] = []
    for n in lengths:
        classes: dict[Fraction, list[Rolls]] = {}
        for some in combinations_with_replacement(kind.rolls, n):
            classes.setdefault(probability(kind, some), []).append(some)
        found += [
            EqualClass(p, len(members), sum(map(orders, members)), tuple(members))
            for p, members in classes.items()
        ]
    found.sort(key=lambda item: (-item.probability, item.members))
    return EqualClasses(found, dice=kind)


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
    >>> found = urcx.dice_sums(4)
    >>> [str(found.total(n)) for n in (1, 2, 3)], str(found.reached)
    (['1/16', '35/128', '495/4096'], '1785/4096')
    """
    kind = catalogue.dice(dice)
    number = catalogue.whole("total", total)
    return sums(kind, number, numbers_of_rolls(rolls, MAX_SUM_ROLLS))
