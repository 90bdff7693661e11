"""What ``urcx dice`` shows of single rolls: distributions, and comparisons of dice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

from urcx.results.fields import FRACTION, Field, Fields, Kind, always, column, decimals
from urcx.results.fractions import percent
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.rules.model import Dice
from urcx.strategy.dice import Summary, chances
from urcx.strategy.dice_comparison import ComparedDice, DiceComparison

WHOLE = Kind(str, FRACTION.json)  # in a table as long as it is
LIKELIEST = Kind(lambda rolls: ", ".join(map(str, rolls)), (("", list),))
FOUR = Kind(lambda value: f"{float(value):.4f}", FRACTION.json)
PERCENT = Kind(lambda value: percent(value, 4), FRACTION.json)
HEAD = Fields(
    Field("what", about="what is asked: distribution, compare, table, sequence, sum, ..."),
    Field("dice", about="names of the dice", of=lambda item: [d.name for d in item.dice]),
    always("exactness", "exact", "fractions, without rounding"),
)
PROBABILITIES = Fields(
    Field("dice", about="name of the dice", of=lambda row: row[0].name),
    Field("roll", about="a roll", of=lambda row: row[1]),
    Field("probability", kind=FRACTION, about="how probable it is", of=lambda row: row[2]),
)
SUMMARIES = Fields(
    Field("dice", "<dice", about="name of the dice", of="dice.name"),
    Field("title", about="what they are", of="dice.title"),
    Field("mean", "mean", WHOLE, "mean of a roll"),
    Field("variance", "variance", WHOLE, "its variance, in squared steps"),
    Field("entropy_bits", "entropy, bits", decimals(6), "entropy to base 2", "bits"),
    Field("entropy_digits", "digits", decimals(6), "entropy to base 10", "digits"),
    Field("likeliest", "<likeliest", LIKELIEST, "the likeliest rolls"),
    column("<what it is", lambda item: item.dice.title),
)


def _home(unit: str) -> Callable[[ComparedDice], Fraction | None]:
    return lambda item: getattr(item.home, unit, None)


COMPARED = Fields(
    Field("dice", "<dice", about="name of the dice", of="summary.dice.name"),
    Field("mean", "mean", WHOLE, "mean of a roll", "summary.mean"),
    Field("variance", "variance", WHOLE, "its variance", "summary.variance"),
    Field(
        "first_rosette_at_once",
        "rosette at once, %",
        PERCENT,
        "how probably the first roll leads to the first rosette, null without one",
        "rosette_at_once",
    ),
    Field("first_rosette", "rosette, %", PERCENT, "how probably a piece lands there", "rosette"),
    Field("rolls_home", "rolls home", FOUR, "expected rolls of a piece alone", _home("rolls")),
    Field("turns_home", "turns home", FOUR, "expected turns of a piece alone", _home("turns")),
    Field("distance", "distance", FOUR, "total variation distance from the first dice"),
)
SUBSTITUTES = Fields(
    column("<reading", lambda item: item.summary.dice.name),
    Field("five", about="what 5 counts as", of=lambda item: item.five_and_six[0]),
    Field("six", about="what 6 counts as", of=lambda item: item.five_and_six[1]),
    Field("mean", "mean", WHOLE, "mean of a roll", "summary.mean"),
    Field("variance", "variance", WHOLE, "its variance", "summary.variance"),
    Field("likeliest", "<likeliest", LIKELIEST, "the likeliest rolls", "summary.likeliest"),
    Field("distance", "distance", FOUR, "total variation distance from the first dice"),
)
COMPARE_HEAD = Fields(
    Field("rules", about="name of the rule set", of="rules.name"),
    Field("path", about="name of its path", of="rules.path.name"),
)
NAME = "urcx.dice/1"


def dice_head(what: str, dice: Sequence[Dice]) -> dict[str, Any]:
    """Return the first members of all JSON objects of the command."""
    return HEAD.record(SimpleNamespace(what=what, dice=dice))


def dice_report(
    what: str,
    dice: Sequence[Dice],
    data: dict[str, Any],
    records: list[dict[str, Any]],
    tables: list[Table],
) -> Report:
    """Return a report with the schema shared by all reports of the command."""
    return Report(NAME, {**dice_head(what, dice), **data, "rows": records}, records, tables)


def distribution_report(found: Sequence[Summary]) -> Report:
    """Return the probability of every roll, and a summary of the dice."""
    dice = [item.dice for item in found]
    data = {"summaries": SUMMARIES.records(found)}
    tables = [probabilities_table(dice), summaries_table(found)]
    return dice_report("distribution", dice, data, probability_rows(dice), tables)


def probability_rows(dice: Sequence[Dice]) -> list[dict[str, Any]]:
    """Return a row for each of the dice and each of its rolls."""
    return PROBABILITIES.records((d, roll, p) for d in dice for roll, p in chances(d).items())


def probabilities_table(dice: Sequence[Dice]) -> Table:
    """Return the table of the probability of every roll, with the dice below each other."""
    rolls = sorted({roll for d in dice for roll in d.rolls})
    cells = [[d.name, *(str(chances(d).get(roll, "")) for roll in rolls)] for d in dice]
    return Table("Probability of a roll", ["<dice", *map(str, rolls)], cells)


def summaries_table(found: Sequence[Summary]) -> Table:
    """Return the table that summarises dice."""
    note = "digits: the entropy to base 10, log10 of the number of typical rolls"
    return SUMMARIES.table("Dice in short", found, [note])


def compare_report(found: DiceComparison) -> Report:
    """Return the effect of dice on a game, and every way to read a six-sided die."""
    dice = [row.summary.dice for row in found.rows]
    data = COMPARE_HEAD.record(found) | {"readings": SUBSTITUTES.records(found.readings)}
    tables = [compared_table(found), substitutes_table(found)]
    return dice_report("compare", dice, data, COMPARED.records(found.rows), tables)


def compared_table(found: DiceComparison) -> Table:
    """Return the table of the effect of dice on a single piece."""
    star, first = found.first_rosette, found.rows[0].summary.dice.name
    return COMPARED.table(
        f"Dice compared, one piece alone on the path {found.rules.path.name}",
        found.rows,
        [
            f"rosette: the first, step {star}; at once: with the first roll of a piece"
            if star
            else "there is no rosette",
            f"distance from {first}: the most that any event's probabilities differ",
        ],
    )


def substitutes_table(found: DiceComparison) -> Table:
    """Return the table of the ways to read a six-sided die."""
    title = "A six-sided die instead: how 5 and 6 can be read"
    return SUBSTITUTES.table(title, found.readings, ["Michon reads 5 as 0 and 6 as 2"])
