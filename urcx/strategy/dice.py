"""One roll of the dice: its distribution, moments and entropy, and how far dice are apart.

Probabilities are exact fractions; only logarithms and roots are floats.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from operator import itemgetter
from typing import Annotated, Any, ClassVar, NamedTuple

from urcx.errors import UsageError
from urcx.results.fields import (
    FRACTION,
    Fields,
    Kind,
    Schema,
    column,
    decimals,
    fields_of,
    member,
)
from urcx.results.fractions import percent
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.rules.model import Dice

FACES = 6  # of the die in Michon's substitute
NAME = "urcx.dice/1"
IN_FULL = Kind(str, FRACTION.json)  # in a table as long as it is
LIKELIEST = Kind(lambda rolls: ", ".join(map(str, rolls)), (("", list),))
FOUR = Kind(lambda value: f"{float(value):.4f}", FRACTION.json)
PERCENT = Kind(lambda value: percent(value, 4), FRACTION.json)


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
    most = max(dice.probabilities)
    bits = -sum(float(p) * math.log2(p) for p in dice.probabilities)
    return Summary(
        dice,
        dice.mean,
        variance,
        bits,
        bits * math.log10(2),
        tuple(roll for roll, p in pairs if p == most),
    )


def chances(dice: Dice) -> dict[int, Fraction]:
    """Return the probability of each roll."""
    return dict(zip(dice.rolls, dice.probabilities, strict=True))


def chance(dice: Dice, roll: int) -> Fraction:
    """Return the probability of a roll that the dice can give; raises `UsageError` for others."""
    found = chances(dice).get(roll)
    if found is None:
        rolls = ", ".join(map(str, dice.rolls))
        raise UsageError(f"{dice.name} cannot roll {roll}; its rolls are {rolls}")
    return found


def distance(one: Dice, other: Dice) -> Fraction:
    """Return the total variation distance: the greatest difference in any event's probability."""
    ours, theirs = chances(one), chances(other)
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
    found = []
    for pair in combinations_with_replacement(range(5), 2):
        faces = (*range(1, 5), *pair)
        rolls = tuple(sorted(set(faces)))
        name = f"5 as {pair[0]}, 6 as {pair[1]}"
        dice = Dice(name, name, rolls, tuple(Fraction(faces.count(r), FACES) for r in rolls))
        found.append(Substitute(pair, summary(dice), distance(dice, original)))
    return tuple(sorted(found, key=lambda item: (item.distance, item.five_and_six)))


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
    found = [summary(dice) for dice in kinds]
    data = {"summaries": SUMMARIES.records(found)}
    rows = (RollChance(dice, *pair) for dice in kinds for pair in chances(dice).items())
    rolls = sorted({roll for dice in kinds for roll in dice.rolls})
    cells = [[d.name, *(str(chances(d).get(roll, "")) for roll in rolls)] for d in kinds]
    shown = SUMMARIES + Fields(column("<what it is", lambda item: item.dice.title))
    note = "digits: the entropy to base 10, log10 of the number of typical rolls"
    tables = [
        # With the dice below each other.
        Table("Probability of a roll", ["<dice", *map(str, rolls)], cells),
        shown.table("Dice in short", found, [note]),
    ]
    records = DISTRIBUTION.parts["rows"].records(rows)
    first = found[0]
    answer = (
        f"{first.dice.name}: a roll is {first.mean} on average, with the entropy of "
        f"{first.bits:.6f} bits (exact)"
    )
    if len(found) > 1:
        means = sorted(one.mean for one in found)
        answer = f"{len(found)} kinds of dice: mean rolls from {means[0]} to {means[-1]} (exact)"
    return Answer("distribution", kinds).report(data, records, tables, answer)
