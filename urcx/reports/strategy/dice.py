"""What dice shows of single rolls: distributions, and how dice compare."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from urcx.reports.display.fractions import both, percent
from urcx.reports.display.output import Report, Table
from urcx.rules.model import Dice, RuleSet
from urcx.strategy.dice import Summary, chances, distance, substitutes, summary
from urcx.strategy.journey import Track, journey, track


def dice_report(
    what: str,
    dice: Sequence[Dice],
    data: dict[str, Any],
    records: list[dict[str, Any]],
    tables: list[Table],
) -> Report:
    """Return a report of the schema that all of the command's have."""
    head = {"what": what, "dice": [d.name for d in dice], "exactness": "exact"}
    return Report("urcx.dice/1", {**head, **data, "rows": records}, records, tables)


def distribution_report(dice: Sequence[Dice]) -> Report:
    """Return the probability of every roll, and what is said of the dice in short."""
    records = [
        {"dice": d.name, "roll": roll, **both("probability", p)}
        for d in dice
        for roll, p in chances(d).items()
    ]
    rolls = sorted({roll for d in dice for roll in d.rolls})
    cells = []
    for roll in rolls:
        found = [chances(d).get(roll) for d in dice]
        shown = [["", ""] if p is None else [str(p), percent(p)] for p in found]
        cells.append([str(roll), *(text for pair in shown for text in pair)])
    columns = ["roll", *(text for d in dice for text in (d.name, f"{d.name}, %"))]
    summaries = [summary(d) for d in dice]
    data = {"summaries": [_summary(item) for item in summaries]}
    tables = [
        Table("Probability of a roll", columns, cells),
        Table(
            "Dice in short",
            ["<dice", "mean", "variance", "entropy, bits", "digits", "<likeliest", "<what it is"],
            [
                [
                    item.dice.name,
                    str(item.mean),
                    str(item.variance),
                    f"{item.bits:.6f}",
                    f"{item.digits:.6f}",
                    ", ".join(map(str, item.likeliest)),
                    item.dice.title,
                ]
                for item in summaries
            ],
            ["digits: the entropy to base 10, log10 of the number of typical rolls"],
        ),
    ]
    return dice_report("distribution", dice, data, records, tables)


def _summary(item: Summary) -> dict[str, Any]:
    return {
        "dice": item.dice.name,
        "title": item.dice.title,
        **both("mean", item.mean),
        **both("variance", item.variance),
        "entropy_bits": item.bits,
        "entropy_digits": item.digits,
        "likeliest": list(item.likeliest),
    }


def compare_report(dice: Sequence[Dice], rules: RuleSet) -> Report:
    """Return what dice do to a game, and every way to read a six-sided die."""
    first = dice[0]
    way = track(rules)
    star = min(way.rosettes, default=None)
    records = [_compared(d, first, way, star) for d in dice]
    cells = [
        [
            str(record["dice"]),
            *(str(record[key]) for key in ("mean", "variance")),
            *(
                "" if record[key] is None else percent(Fraction(record[key]), 4)
                for key in ("first_rosette_at_once", "first_rosette")
            ),
            *(
                "" if record[f"{key}_decimal"] is None else f"{record[f'{key}_decimal']:.4f}"
                for key in ("rolls_home", "turns_home")
            ),
            f"{record['distance_decimal']:.4f}",
        ]
        for record in records
    ]
    readings = substitutes(first)
    tables = [
        Table(
            f"Dice compared, one piece alone on the path {rules.path.name}",
            [
                "<dice",
                "mean",
                "variance",
                "rosette at once, %",
                "rosette, %",
                "rolls home",
                "turns home",
                "distance",
            ],
            cells,
            [
                f"rosette: the first, step {star}; at once: with the first roll of a piece"
                if star
                else "there is no rosette",
                f"distance from {first.name}: the most that any event's probabilities differ",
            ],
        ),
        Table(
            "A six-sided die instead: how 5 and 6 can be read",
            ["<reading", "mean", "variance", "<likeliest", "distance"],
            [
                [
                    item.summary.dice.name,
                    str(item.summary.mean),
                    str(item.summary.variance),
                    ", ".join(map(str, item.summary.likeliest)),
                    f"{float(item.distance):.4f}",
                ]
                for item in readings
            ],
            ["Michon reads 5 as 0 and 6 as 2"],
        ),
    ]
    data = {
        "rules": rules.name,
        "path": rules.path.name,
        "readings": [
            {
                "five": item.five_and_six[0],
                "six": item.five_and_six[1],
                **both("mean", item.summary.mean),
                **both("variance", item.summary.variance),
                "likeliest": list(item.summary.likeliest),
                **both("distance", item.distance),
            }
            for item in readings
        ],
    }
    return dice_report("compare", dice, data, records, tables)


def _compared(dice: Dice, first: Dice, way: Track, star: int | None) -> dict[str, Any]:
    own = Track(dice, way.length, way.rosettes)
    short = summary(dice)
    home = journey(own, (way.length or 0) + 1)
    return {
        "dice": dice.name,
        **both("mean", short.mean),
        **both("variance", short.variance),
        **both("first_rosette_at_once", chances(dice).get(star, Fraction(0)) if star else None),
        **both("first_rosette", journey(own, star).hit if star else None),
        **both("rolls_home", home.alone.rolls if home.alone else None),
        **both("turns_home", home.alone.turns if home.alone else None),
        **both("distance", distance(dice, first)),
    }
