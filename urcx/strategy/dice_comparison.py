"""Dice compared: moments, and the journey of one piece alone on a rule set's path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from urcx.rules import catalogue
from urcx.rules.model import Dice, RuleSet
from urcx.strategy.dice import Substitute, Summary, chances, distance, substitutes, summary
from urcx.strategy.journey import ExpectedTimes, journey, track


@dataclass(frozen=True)
class ComparedDice:
    """Dice, and the journey of a piece alone with them.

    ``rosette_at_once`` is the probability that the first roll brings a piece to the first rosette,
    ``rosette`` that it ever lands there, None without a rosette; ``home`` the expected rolls and
    turns until it is home, None if it may never get there; ``distance`` the total variation
    distance from the first of the dice.
    """

    summary: Summary
    rosette_at_once: Fraction | None
    rosette: Fraction | None
    home: ExpectedTimes | None
    distance: Fraction


@dataclass(frozen=True)
class DiceComparison:
    """Dice compared under a rule set, the others with the first.

    ``first_rosette`` is the step of the first rosette that grants a roll, None without one;
    ``readings`` are the ways to read a six-sided die as a substitute for the first dice.
    """

    rules: RuleSet
    first_rosette: int | None
    rows: tuple[ComparedDice, ...]
    readings: tuple[Substitute, ...]


def compare_dice(dice: Sequence[Dice], rules: str | RuleSet) -> DiceComparison:
    """Return the comparison of dice on the path of a rule set, whose own dice are ignored.

    Raises
    ------
    UsageError
        If some of the dice never move a piece.
    """
    rules = catalogue.ruleset(rules)
    way = track(rules)
    star = min(way.rosettes, default=None)
    home = len(rules.path.light) + 1
    rows = []
    for kind in dice:
        own = replace(way, dice=kind)
        rows.append(
            ComparedDice(
                summary(kind),
                chances(kind).get(star, Fraction(0)) if star else None,
                journey(own, star).hit if star else None,
                journey(own, home).alone,
                distance(kind, dice[0]),
            )
        )
    return DiceComparison(rules, star, tuple(rows), substitutes(dice[0]))
