"""What dice shows of several rolls: sequences, sums, counts and intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from urcx.reports.display.fractions import both, decimal, fraction, percent
from urcx.reports.display.output import Column, Report, Table, grouped, number
from urcx.reports.strategy.dice import dice_report
from urcx.rules.model import Dice
from urcx.strategy.dice import chances
from urcx.strategy.frequencies import Counts, Interval
from urcx.strategy.sequences import EqualClass, Sums, orders, written

MAX_MEMBERS = 60  # of a class in a table


def _members(item: EqualClass) -> str:
    shown = [written(rolls) for rolls in item.members[:MAX_MEMBERS]]
    more = item.multisets - len(shown)
    return " ".join(shown) + (f" and {more:,} more" if more else "")


def _class_record(item: EqualClass, length: int) -> dict[str, Any]:
    return {
        "length": length,
        "members": " ".join(map(written, item.members)) or None,
        **both("probability", item.probability),
        "multisets": str(item.multisets),
        "sequences": str(item.sequences),
        **both("total", item.total),
    }


CLASS_NOTE = (
    "members in any order: sequences counts the orders, and total is the probability that any of "
    "them comes"
)


def table_report(dice: Dice, classes: Sequence[EqualClass]) -> Report:
    """Return all classes of equal probability."""
    cells = [
        [
            _members(item),
            fraction(item.probability),
            percent(item.probability),
            number(item.sequences),
            percent(item.total),
        ]
        for item in classes
    ]
    table = Table(
        f"Sequences of {dice.name} with their probability, the likeliest first",
        [
            Column("members", text=True, key=True, least=24),
            "each",
            "each, %",
            "sequences",
            "total, %",
        ],
        cells,
        [CLASS_NOTE],
    )
    return dice_report(
        "table",
        [dice],
        {},
        [_class_record(item, len(item.members[0])) for item in classes],
        [table],
    )


def sequence_report(dice: Dice, rolls: Sequence[int], found: EqualClass) -> Report:
    """Return the probability of a sequence and the others that are as probable."""
    record = {"sequence": written(rolls), **_class_record(found, len(rolls))}
    factors = " x ".join(str(chances(dice)[roll]) for roll in rolls[:MAX_MEMBERS])
    lines = [
        ["probability", f"{fraction(found.probability)}".strip() or "-"],
        ["in percent", percent(found.probability)],
        ["as a product", factors + (" x ..." if len(rolls) > MAX_MEMBERS else "")],
        ["in any order, %", percent(found.probability * orders(rolls))],
        ["as probable", _members(found)],
        ["sequences as probable", number(found.sequences)],
        ["one of them, %", percent(found.total)],
    ]
    record |= {"orders": str(orders(rolls)), **both("any_order", found.probability * orders(rolls))}
    title = f"Rolling {written(rolls)} with {dice.name}"
    return dice_report("sequence", [dice], record, [record], [Table(title, ["<", "<"], lines)])


SUM_NOTE = (
    "a sum that is there stays there as long as only 0 is rolled, so that the first column counts "
    "it again; the second adds up to the probability that it is reached"
)


def sums_report(dice: Dice, found: Sums) -> Report:
    """Return the multisets with a sum, and the sums of their probabilities."""
    records = []
    cells = []
    for length, rows in found.by_length.items():
        for row in rows:
            records.append(
                {
                    "length": length,
                    "rolls": written(row.rolls),
                    **both("probability", row.probability),
                    "orders": str(row.orders),
                    **both("total", row.total),
                }
            )
            cells.append(
                [
                    str(length),
                    written(row.rolls),
                    fraction(row.probability),
                    percent(row.probability),
                    number(row.orders),
                    percent(row.total),
                ]
            )
    lengths = [
        {"length": n, **both("total", found.total(n)), **both("first", found.first[n])}
        for n in found.by_length
    ]
    data = {
        "sum": found.sum,
        "lengths": lengths,
        **both("added", found.added),
        **both("reached", found.reached),
    }
    tables = [
        Table(
            f"Rolls of {dice.name} with the sum {found.sum}",
            [
                *(Column("rolls", key=True), Column("which", text=True, key=True)),
                *("each", "each, %", "orders", "total, %"),
            ],
            cells,
        ),
        Table(
            "By number of rolls",
            ["rolls", "sum there, %", "there first, %"],
            [
                *([str(n), percent(found.total(n)), percent(found.first[n])] for n in found.first),
                ["added", percent(found.added), percent(found.reached)],
            ],
            [SUM_NOTE],
        ),
    ]
    return dice_report("sum", [dice], data, records, tables)


def counts_report(dice: Dice, found: Counts) -> Report:
    """Return the probability that rolls come so often."""
    counts = ", ".join(f"{roll} {times} times" for roll, times in found.counts.items())
    kinds = [("exactly", found.exactly), ("at_least", found.at_least), ("at_most", found.at_most)]
    rows = [(kind, p) for kind, p in kinds if p is not None]
    record: dict[str, Any] = {
        "counts": {str(roll): times for roll, times in found.counts.items()},
        "rolls": found.rolls,
        "expected": {str(roll): str(found.rolls * chances(dice)[roll]) for roll in found.counts},
    }
    for kind, p in kinds:
        record |= both(kind, p)
    flat = {
        "counts": ",".join(f"{roll}:{times}" for roll, times in found.counts.items()),
        **{key: value for key, value in record.items() if key not in ("counts", "expected")},
    }
    one = len(found.counts) == 1
    notes = ["Eq. 14 of Raposo and Lamont" if one else "Eq. 13 of Raposo and Lamont"]
    if not one and sum(found.counts.values()) < found.rolls:
        notes = ["Eq. 13 of Raposo and Lamont, all other rolls taken as one"]
    table = Table(
        f"{counts} in {found.rolls:,} rolls of {dice.name}",
        ["<", "probability", "%", "one in"],
        [
            [
                kind.replace("_", " "),
                decimal(p),
                percent(p),
                grouped(decimal(1 / p)) if p else "never",
            ]
            for kind, p in rows
        ],
        notes,
    )
    return dice_report("counts", [dice], record, [flat], [table])


def interval_report(dice: Dice, found: Sequence[Interval]) -> Report:
    """Return how often each roll comes: the normal interval and the exact one."""
    records = [
        {
            "roll": item.roll,
            **both("mean", item.mean),
            "delta": item.delta,
            "normal_low": item.normal[0],
            "normal_high": item.normal[1],
            "rounded_low": item.rounded[0],
            "rounded_high": item.rounded[1],
            **both("rounded_coverage", item.rounded_coverage),
            "exact_low": item.exact[0],
            "exact_high": item.exact[1],
            **both("exact_coverage", item.exact_coverage),
        }
        for item in found
    ]
    some = found[0]
    level = decimal(some.confidence)
    data = {"rolls": some.rolls, **both("confidence", some.confidence), "z": some.z}
    data["normal_exactness"] = "approximation"
    table = Table(
        f"How often rolls of {dice.name} come in {some.rolls:,}, at {percent(some.confidence)} %",
        ["roll", "mean", "normal", "rounded", "really, %", "exact", "really, %"],
        [
            [
                str(item.roll),
                decimal(item.mean),
                f"{item.normal[0]:.2f} to {item.normal[1]:.2f}",
                f"{item.rounded[0]}..{item.rounded[1]}",
                percent(item.rounded_coverage, 4),
                f"{item.exact[0]}..{item.exact[1]}",
                percent(item.exact_coverage, 4),
            ]
            for item in found
        ],
        [
            f"normal: Eq. 15 of Raposo and Lamont, z = {some.z:.6f}; rounded: to whole numbers",
            f"exact: no more than half of 1 - {level} on either side, by the binomial distribution",
        ],
    )
    return dice_report("interval", [dice], data, records, [table])
