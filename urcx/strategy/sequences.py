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

from urcx.errors import TooLargeError, UsageError
from urcx.rules.model import Dice
from urcx.strategy.dice import chance, chances

MAX_SEQUENCE = 250  # rolls; 16^-250 is still a normal float
MAX_SUM_ROLLS = 100  # rolls whose sums are listed
MAX_MULTISETS = 20_000  # in one table
MAX_COMPOSITIONS = 100_000  # of a length, over the distinct probabilities of the dice

Rolls = tuple[int, ...]


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
    """The sequences of one length with the same probability.

    ``multisets`` and ``sequences`` are the numbers of multisets and of sequences; ``members`` are
    the multisets, possibly limited in number.
    """

    probability: Fraction
    multisets: int
    sequences: int
    members: tuple[Rolls, ...]

    @property
    def total(self) -> Fraction:
        """Return the total probability of the class's sequences."""
        return self.sequences * self.probability


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
class SequenceChance:
    """A sequence of rolls: ``alike`` are the sequences that are as probable, itself among them."""

    dice: Dice
    rolls: Rolls
    alike: EqualClass

    @property
    def orders(self) -> int:
        """Return how many sequences have just these rolls."""
        return orders(self.rolls)

    @property
    def any_order(self) -> Fraction:
        """Return the probability of the rolls in any order."""
        return self.orders * self.alike.probability

    @property
    def factors(self) -> tuple[Fraction, ...]:
        """Return the probability of each roll."""
        return tuple(chance(self.dice, roll) for roll in self.rolls)


def sequence_chance(dice: Dice, rolls: Sequence[int]) -> SequenceChance:
    """Return how probable a sequence is; raises as `equal_class` does."""
    return SequenceChance(dice, tuple(rolls), equal_class(dice, rolls))


def equal_classes(dice: Dice, lengths: Iterable[int]) -> tuple[EqualClass, ...]:
    """Return all classes of the given lengths, likeliest sequences first: their Table 2.

    Raises
    ------
    TooLargeError
        If there are more than `MAX_MULTISETS` multisets of rolls.
    """
    lengths = tuple(lengths)
    number = sum(math.comb(n + len(dice.rolls) - 1, n) for n in lengths)
    if number > MAX_MULTISETS:
        raise TooLargeError(f"{number:,} sets of rolls; take shorter sequences")
    found: list[EqualClass] = []
    for n in lengths:
        classes: dict[Fraction, list[Rolls]] = {}
        for rolls in combinations_with_replacement(dice.rolls, n):
            classes.setdefault(probability(dice, rolls), []).append(rolls)
        found += [
            EqualClass(p, len(members), sum(map(orders, members)), tuple(members))
            for p, members in classes.items()
        ]
    return tuple(sorted(found, key=lambda item: (-item.probability, item.members)))


@dataclass(frozen=True)
class SumRow:
    """A multiset with the wanted sum, and the probability of each of its ``orders`` sequences."""

    rolls: Rolls
    probability: Fraction
    orders: int

    @property
    def total(self) -> Fraction:
        """Return the probability of the multiset."""
        return self.orders * self.probability


@dataclass(frozen=True)
class Sums:
    """The ways to reach a sum in given numbers of rolls, their Table 4.

    ``by_length[n]`` are the multisets of n rolls. A sum that is reached and then kept by zeros
    counts for several lengths, so adding the totals of the lengths counts it more than once.
    ``first[n]`` is the probability that the n-th roll is the first to reach the sum.
    """

    sum: int
    by_length: Mapping[int, tuple[SumRow, ...]]
    first: Mapping[int, Fraction]

    def total(self, length: int) -> Fraction:
        """Return the probability that ``length`` rolls have the sum."""
        return sum((row.total for row in self.by_length[length]), Fraction(0))

    @property
    def added(self) -> Fraction:
        """Return the sum of the totals of all lengths, as in the paper."""
        return sum(map(self.total, self.by_length), Fraction(0))

    @property
    def reached(self) -> Fraction:
        """Return the probability that the sum is first reached after one of the lengths."""
        return sum(self.first.values(), Fraction(0))


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
    return Sums(wanted, by_length, {n: _first_reached(dice, wanted, n) for n in by_length})


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
