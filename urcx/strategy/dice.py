"""Dice: the probability of each roll, moments, entropy, and the distance between two kinds.

Probabilities are exact fractions; only logarithms and roots are floats. Several rolls are in
`urcx.strategy.rolls`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from operator import itemgetter
from typing import Annotated, Any, ClassVar, NamedTuple

from urcx.errors import UsageError
from urcx.results.fields import FRACTION, Field, Fields, Kind, column, decimals, fields_of
from urcx.results.fractions import percent
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import Dice

FACES = 6  # of the die in Michon's substitute
IN_FULL = Kind(str, FRACTION.json)  # in a table as long as it is
LIKELIEST = Kind(lambda rolls: ", ".join(map(str, rolls)), (("", list),))
SIX = decimals(6)
FOUR = Kind(lambda value: f"{float(value):.4f}", FRACTION.json)
PERCENT = Kind(lambda value: percent(value, 4), FRACTION.json)
ENDS = Kind(json=(("_low", itemgetter(0)), ("_high", itemgetter(1))))  # of an interval

Rolls = tuple[int, ...]


@dataclass(frozen=True)
class Summary:
    """A summary of dice."""

    dice: Annotated[
        Dice,
        Field("<dice", about="name of the dice", of="name"),
        Field(about="what they are", key="title", of="title"),
    ]
    mean: Annotated[Fraction, Field("mean", IN_FULL, "mean of a roll")]
    variance: Annotated[Fraction, Field("variance", IN_FULL, "its variance, in squared steps")]
    bits: Annotated[float, Field("entropy, bits", SIX, "to base 2", key="entropy_bits")]
    digits: Annotated[float, Field("digits", SIX, "entropy to base 10", key="entropy_digits")]
    likeliest: Annotated[Rolls, Field("<likeliest", LIKELIEST, "the likeliest rolls")]


def several(value: object) -> Sequence[Any]:
    """Return a value, or several, as a sequence; a text is one value."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def dice_kinds(dice: str | Dice | Sequence[str | Dice] | None) -> tuple[Dice, ...]:
    """Return dice or their names, one or several; all of the catalogue where there are none."""
    every = tuple(catalogue.catalogue().dice.values())
    return every if dice is None else tuple(map(catalogue.dice, several(dice))) or every


def numbers_up_to(most: int, name: str, values: int | Iterable[int]) -> tuple[int, ...]:
    """Return an integer, or several, as a tuple; raises `UsageError` if not from 1 to ``most``."""
    several = values if isinstance(values, Iterable) else (values,)
    numbers = tuple(dict.fromkeys(catalogue.whole(name, value) for value in several))
    if not numbers or not all(1 <= number <= most for number in numbers):
        raise UsageError(f"{name} {values}: numbers from 1 to {most:,} are needed")
    return numbers


def summary(dice: Dice) -> Summary:
    """Return mean, variance, entropy and the likeliest rolls of dice."""
    pairs = chances(dice).items()
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


def probability(dice: Dice, rolls: Iterable[int]) -> Fraction:
    """Return the probability of a sequence, Eq. 5; raises `UsageError` for impossible rolls."""
    counts = Counter(rolls).items()
    return math.prod((chance(dice, roll) ** n for roll, n in counts), start=Fraction(1))


def written(rolls: Iterable[int]) -> str:
    """Return rolls as text: ``122``, with commas if one has two digits."""
    texts = [str(roll) for roll in rolls]
    return ("," if any(len(text) > 1 for text in texts) else "").join(texts)


def distance(dice: Dice, other: Dice) -> Fraction:
    """Return the total variation distance: the greatest difference in any event's probability."""
    ours, theirs = chances(dice), chances(other)
    zero = Fraction(0)
    differences = (abs(ours.get(r, zero) - theirs.get(r, zero)) for r in {*ours, *theirs})
    return sum(differences, zero) / 2


@dataclass(frozen=True)
class Substitute:
    """A six-sided die whose 5 and 6 are read as two of the rolls 0 to 4."""

    five_and_six: Annotated[
        tuple[int, int],
        Field(about="what 5 counts as", key="five", of=itemgetter(0)),
        Field(about="what 6 counts as", key="six", of=itemgetter(1)),
    ]
    summary: Annotated[
        Summary,
        Field("mean", IN_FULL, "mean of a roll", key="mean", of="mean"),
        Field("variance", IN_FULL, "its variance", key="variance", of="variance"),
        Field("<likeliest", LIKELIEST, "the likeliest rolls", key="likeliest", of="likeliest"),
    ]
    distance: Annotated[Fraction, Field("distance", FOUR, "total variation, from the first")]


def substitutes(original: Dice) -> tuple[Substitute, ...]:
    """Return all ways to read the 5 and 6 of a six-sided die, the closest to some dice first.

    Michon's section on the dice reads 5 as 0 and 6 as 2.
    """
    readings = []
    for pair in combinations_with_replacement(range(5), 2):
        faces = Counter((*range(1, 5), *pair))
        rolls = tuple(sorted(faces))
        name = f"5 as {pair[0]}, 6 as {pair[1]}"
        dice = Dice(name, name, rolls, tuple(Fraction(faces[r], FACES) for r in rolls))
        readings.append(Substitute(pair, summary(dice), distance(dice, original)))
    return tuple(sorted(readings, key=lambda item: (item.distance, item.five_and_six)))


def names_of_dice(kinds: Iterable[Dice]) -> list[str]:
    """Return the names of dice."""
    return [dice.name for dice in kinds]


@dataclass(frozen=True)
class DiceChances(Result, function="dice_chances"):
    """The chances of `dice_chances`: the members that the answers to all questions share.

    Examples
    --------
    >>> import urcx
    >>> str(urcx.dice_chances("binary4").rows[2].probability)
    '3/8'
    """

    schema = "urcx.dice/1"
    when: ClassVar[str] = ""  # what option gives these members
    what: ClassVar[Annotated[str, Field(about="the question: distribution, compare, sum, ...")]]
    dice: Annotated[tuple[Dice, ...], Field(about="names of the dice", of=names_of_dice)]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"


class RollChance(NamedTuple):
    """How probable a roll is."""

    dice: Annotated[Dice, Field(about="name of the dice", of="name")]
    roll: Annotated[int, Field(about="a roll")]
    probability: Annotated[Fraction, Field(kind=FRACTION, about="how probable it is")]


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
        """Return mean, variance, entropy and the likeliest rolls of each kind of dice."""
        return [summary(dice) for dice in self.dice]

    def tables(self) -> list[Table]:
        """Return a row for each roll, and one for each kind of dice."""
        rolls = sorted({roll for dice in self.dice for roll in dice.rolls})
        cells = [[d.name, *(str(chances(d).get(roll, "")) for roll in rolls)] for d in self.dice]
        note = "digits: the entropy to base 10, log10 of the number of typical rolls"
        visible = fields_of(Summary) + Fields(column("<what it is", lambda item: item.dice.title))
        return [
            Table("", ["<dice", *map(str, rolls)], cells),
            visible.table("Dice in short", self.summaries, [note]),
        ]

    @property
    def answer(self) -> str:
        """Return the mean of a roll, and the entropy of one kind of dice."""
        first, means = self.summaries[0], sorted(dice.mean for dice in self.dice)
        if len(means) > 1:
            return f"{len(means)} kinds of dice: mean rolls from {means[0]} to {means[-1]} (exact)"
        entropy = f"the entropy of {first.bits:.6f} bits"
        return f"{first.dice.name}: a roll is {first.mean} on average, with {entropy} (exact)"
