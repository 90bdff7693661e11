"""One roll of the dice: moments, entropy, and the comparison of dice.

Probabilities are exact fractions; only logarithms and roots are floats.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from urcx.errors import UsageError
from urcx.rules.model import Dice

FACES = 6  # of the die in Michon's substitute


@dataclass(frozen=True)
class Summary:
    """A summary of dice.

    ``variance`` in squared steps; ``bits`` and ``digits`` are the entropy of a roll to base 2 and
    10; ``likeliest`` are the rolls of the greatest probability.
    """

    dice: Dice
    mean: Fraction
    variance: Fraction
    bits: float
    digits: float
    likeliest: tuple[int, ...]


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

    five_and_six: tuple[int, int]
    summary: Summary
    distance: Fraction


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
