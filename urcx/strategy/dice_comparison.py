"""Dice compared: moments, and the journey of one piece alone on a rule set's path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

from urcx.results.fields import Fields, Schema, column, fields_of, member
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import Dice, RuleSet, RulesWithPath
from urcx.strategy.dice import (
    ANSWER,
    FOUR,
    IN_FULL,
    NAME,
    PERCENT,
    Answer,
    Substitute,
    Summary,
    chances,
    distance,
    substitutes,
    summary,
)
from urcx.strategy.journey import ExpectedTimes, journey, track

__all__ = ["DiceComparison", "compare_dice"]


@dataclass(frozen=True)
class ComparedDice:
    """Dice, and the journey of a piece alone with them."""

    summary: Annotated[
        Summary,
        member("<dice", about="name of the dice", key="dice", of="dice.name"),
        member("mean", IN_FULL, "mean of a roll", key="mean", of="mean"),
        member("variance", IN_FULL, "its variance", key="variance", of="variance"),
    ]
    rosette_at_once: Annotated[
        Fraction | None,
        member(
            "rosette at once, %",
            PERCENT,
            "how probably the first roll leads to the first rosette, null without one",
            key="first_rosette_at_once",
        ),
    ]
    rosette: Annotated[
        Fraction | None,
        member("rosette, %", PERCENT, "how probably a piece lands there", key="first_rosette"),
    ]
    home: Annotated[
        ExpectedTimes | None,
        member("rolls home", FOUR, "expected rolls of a piece alone", key="rolls_home", of="rolls"),
        member("turns home", FOUR, "expected turns of a piece alone", key="turns_home", of="turns"),
    ]
    distance: Annotated[
        Fraction, member("distance", FOUR, "total variation distance from the first dice")
    ]


@dataclass(frozen=True)
class DiceComparison(Result, function="compare_dice"):
    """Dice compared under a rule set, the others with the first.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.compare_dice(["binary4", "d6-substitute"])
    >>> [(str(row.summary.mean), str(row.distance)) for row in found.rows]
    [('2', '0'), ('2', '5/24')]
    """

    rules: RulesWithPath
    first_rosette: Annotated[
        int | None, "step of the first rosette that grants a roll, None without one"
    ]
    rows: Annotated[tuple[ComparedDice, ...], "the dice"]
    readings: Annotated[
        tuple[Substitute, ...], "the ways to read a six-sided die in place of the first dice"
    ]

    def report(self) -> Report:
        """Return the effect of dice on a game, and every way to read a six-sided die."""
        dice = [row.summary.dice for row in self.rows]
        data = COMPARISON.record(self) | {"readings": READINGS.records(self.readings)}
        tables = [
            COMPARED.table(
                f"Dice compared, one piece alone on the path {self.rules.path.name}",
                self.rows,
                [
                    f"rosette: the first, step {self.first_rosette}; at once: with the first roll "
                    "of a piece"
                    if self.first_rosette
                    else "there is no rosette",
                    f"distance from {dice[0].name}: the most that any event's probabilities differ",
                ],
            ),
            (Fields(column("<reading", lambda item: item.summary.dice.name)) + READINGS).table(
                "A six-sided die instead: how 5 and 6 can be read",
                self.readings,
                ["Michon reads 5 as 0 and 6 as 2"],
            ),
        ]
        first = self.rows[0].summary
        answer = (
            f"{first.dice.name}: a roll is {first.mean} on average; of "
            f"{counted(len(dice) - 1, 'other')}, "
            f"{', '.join(str(row.summary.mean) for row in self.rows[1:])} (exact)"
        )
        return Answer("compare", dice).report(data, COMPARED.records(self.rows), tables, answer)


COMPARISON = fields_of(DiceComparison)
COMPARED = fields_of(ComparedDice)
READINGS = fields_of(Substitute)
COMPARE = Schema(
    NAME, {"": ANSWER + COMPARISON, "rows": COMPARED, "readings": READINGS}, "with --compare"
)


def compare_dice(
    dice: str | Dice | Sequence[str | Dice] = (), rules: str | RuleSet = "finkel"
) -> DiceComparison:
    """Compare dice by their rolls, and by the journey of one piece alone.

    Parameters
    ----------
    dice
        Dice or their names, one or several; all of the catalogue by default.
    rules
        A rule set or its name, for its path; its own dice are ignored.

    Returns
    -------
    DiceComparison

    Raises
    ------
    UnknownNameError
        If there are no such dice or rule set.
    UsageError
        If some of the dice never move a piece.

    Examples
    --------
    >>> import urcx
    >>> row = urcx.compare_dice("binary4", "masters").rows[0]
    >>> row.summary.mean, round(float(row.home.turns), 4)
    (Fraction(2, 1), 8.9232)
    """
    some = dice if isinstance(dice, Sequence) and not isinstance(dice, str) else [dice]
    some = some or list(catalogue.catalogue().dice.values())
    kinds = [catalogue.dice(one) for one in some]
    rules = catalogue.ruleset(rules)
    way = track(rules)
    star = min(way.rosettes, default=None)
    home = len(rules.path.light) + 1
    rows = []
    for kind in kinds:
        own = replace(way, dice=kind)
        rows.append(
            ComparedDice(
                summary(kind),
                chances(kind).get(star, Fraction(0)) if star else None,
                journey(own, star).hit if star else None,
                journey(own, home).alone,
                distance(kind, kinds[0]),
            )
        )
    return DiceComparison(rules, star, tuple(rows), substitutes(kinds[0]))
