"""What ``urcx dice`` shows of several rolls: sequences, sums, counts and intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from urcx.reports.strategy.dice import (
    COMPARE_HEAD,
    COMPARED,
    HEAD,
    NAME,
    PROBABILITIES,
    SUBSTITUTES,
    SUMMARIES,
    dice_report,
)
from urcx.results.fields import COUNT, FRACTION, Field, Fields, Kind, Schema, always, column
from urcx.results.fractions import decimal, fraction, percent
from urcx.results.numbers import grouped
from urcx.results.report import Report
from urcx.results.tables import Column, Table
from urcx.rules.model import Dice
from urcx.strategy.frequencies import Counts, Interval
from urcx.strategy.sequences import EqualClass, SequenceChance, SumRow, Sums, written

MAX_MEMBERS = 60  # of a class in a table


def _members(item: EqualClass) -> str:
    shown = [written(rolls) for rolls in item.members[:MAX_MEMBERS]]
    more = item.multisets - len(shown)
    return " ".join(shown) + (f" and {more:,} more" if more else "")


PERCENT = Kind(percent, FRACTION.json)
CLASSES = Fields(
    Field("length", about="number of rolls", of=lambda item: len(item.members[0])),
    Field(
        "members",
        Column("members", text=True, key=True, least=24),
        about="sets of rolls that are as probable, null if there are too many",
        of=lambda item: " ".join(map(written, item.members)) or None,
    ),
    Field("probability", "each", FRACTION, "probability of each sequence"),
    Field("multisets", kind=COUNT, about="number of sets of rolls"),
    Field("sequences", "sequences", COUNT, "number of sequences, in all orders"),
    Field("total", "total, %", PERCENT, "probability that one of them comes"),
)
CLASSES_SHOWN = Fields(
    column(CLASSES["members"].heading, _members),
    CLASSES["probability"],
    Field("", "each, %", PERCENT, of="probability"),
    *CLASSES.pick("sequences", "total"),
)
CLASS_NOTE = (
    "members in any order: sequences counts the orders, and total is the probability that any of "
    "them comes"
)


def table_report(dice: Dice, classes: Sequence[EqualClass]) -> Report:
    """Return all classes of equal probability."""
    return dice_report(
        "table", [dice], {}, CLASSES.records(classes), [classes_table(dice, classes)]
    )


def classes_table(dice: Dice, classes: Sequence[EqualClass]) -> Table:
    """Return the table of all classes of equal probability."""
    title = f"Sequences of {dice.name} with their probability, the likeliest first"
    return CLASSES_SHOWN.table(title, classes, [CLASS_NOTE])


def _of_alike(field: Field) -> Callable[[SequenceChance], Any]:
    return lambda found: field.value(found.alike)


def _product(found: SequenceChance) -> str:
    factors = " x ".join(map(str, found.factors[:MAX_MEMBERS]))
    return factors + (" x ..." if len(found.rolls) > MAX_MEMBERS else "")


SEQUENCE = Fields(
    Field("sequence", about="the rolls, in order", of=lambda found: written(found.rolls)),
    Field("length", about="number of rolls", of=lambda found: len(found.rolls)),
    *(replace(one, of=_of_alike(one)) for one in CLASSES.without("length")),
    Field("orders", kind=COUNT, about="number of orders of these rolls"),
    Field("any_order", "in any order, %", PERCENT, "probability of the rolls in any order"),
)
SEQUENCE_SHOWN = Fields(
    Field("", "probability", Kind(lambda p: fraction(p).strip() or "-"), of="alike.probability"),
    Field("", "in percent", PERCENT, of="alike.probability"),
    column("as a product", _product),
    SEQUENCE["any_order"],
    column("as probable", lambda found: _members(found.alike)),
    Field("", "sequences as probable", COUNT, of="alike.sequences"),
    Field("", "one of them, %", PERCENT, of="alike.total"),
)


def sequence_report(found: SequenceChance) -> Report:
    """Return the probability of a sequence and the others with the same probability."""
    record = SEQUENCE.record(found)
    title = f"Rolling {record['sequence']} with {found.dice.name}"
    table = Table(title, ["<", "<"], SEQUENCE_SHOWN.lines(found))
    return dice_report("sequence", [found.dice], record, [record], [table])


SUM_ROWS = Fields(
    Field(
        "length", Column("rolls", key=True), about="number of rolls", of=lambda row: len(row.rolls)
    ),
    Field(
        "rolls",
        Column("which", text=True, key=True),
        about="the rolls, in any order",
        of=lambda row: written(row.rolls),
    ),
    Field("probability", "each", FRACTION, "probability of each order"),
    Field("", "each, %", PERCENT, of="probability"),
    Field("orders", "orders", COUNT, "number of orders"),
    Field("total", "total, %", PERCENT, "probability of all orders"),
)
LENGTHS = Fields(
    Field("length", about="number of rolls", of=itemgetter(0)),
    Field("total", kind=FRACTION, about="probability that the sum is there", of=itemgetter(1)),
    Field("first", kind=FRACTION, about="probability that it is there first", of=itemgetter(2)),
)
SUM = Fields(
    Field("sum", about="the sum"),
    Field(
        "lengths",
        about="numbers of rolls",
        of=lambda found: LENGTHS.records(
            (n, found.total(n), found.first[n]) for n in found.by_length
        ),
    ),
    Field("added", kind=FRACTION, about="the totals added, as the paper does"),
    Field("reached", kind=FRACTION, about="probability that the sum is reached"),
)
SUM_NOTE = (
    "a sum that is there stays there as long as only 0 is rolled, so that the first column counts "
    "it again; the second adds up to the probability that it is reached"
)


def sums_report(dice: Dice, found: Sums) -> Report:
    """Return the multisets with a sum, and the sums of their probabilities."""
    rows: list[SumRow] = [row for rows in found.by_length.values() for row in rows]
    data = SUM.record(found)
    tables = [
        SUM_ROWS.table(f"Rolls of {dice.name} with the sum {found.sum}", rows),
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
    return dice_report("sum", [dice], data, SUM_ROWS.records(rows), tables)


def _by_roll(written: Callable[[Any], Any]) -> Callable[[Mapping[int, Any]], dict[str, Any]]:
    return lambda found: {str(roll): written(value) for roll, value in found.items()}


COUNTS = Fields(
    Field(
        "counts",
        kind=Kind(
            json=(("", _by_roll(int)),),
            csv=(("", lambda found: ",".join(f"{roll}:{n}" for roll, n in found.items())),),
        ),
        about="how often each roll is asked for",
    ),
    Field("rolls", about="number of rolls"),
    Field(
        "expected",
        kind=Kind(json=(("", _by_roll(str)),), csv=()),
        about="how often each comes on average; not in CSV",
    ),
    Field("exactly", "exactly", FRACTION, "probability of just these counts"),
    Field("at_least", "at least", FRACTION, "probability of as many or more, of one roll"),
    Field("at_most", "at most", FRACTION, "probability of as many or fewer, of one roll"),
)


def counts_report(dice: Dice, found: Counts) -> Report:
    """Return the probability of given counts of rolls."""
    one = len(found.counts) == 1
    note = "Eq. 14 of Raposo and Lamont" if one else "Eq. 13 of Raposo and Lamont"
    if not one and sum(found.counts.values()) < found.rolls:
        note += ", all other rolls taken as one"
    chances = [(field.title, field.value(found)) for field in COUNTS if field.heading]
    counts = ", ".join(f"{roll} {times} times" for roll, times in found.counts.items())
    table = Table(
        f"{counts} in {found.rolls:,} rolls of {dice.name}",
        ["<", "probability", "%", "one in"],
        [
            [title, decimal(p), percent(p), grouped(decimal(1 / p)) if p else "never"]
            for title, p in chances
            if p is not None
        ],
        [note],
    )
    return dice_report("counts", [dice], COUNTS.record(found), [COUNTS.flat(found)], [table])


def _ends(name: str) -> list[Field]:
    """Return the fields of an interval's ends."""

    def end(k: int) -> Callable[[Interval], float]:
        return lambda item: getattr(item, name)[k]

    ends = enumerate(("low", "high"))
    return [Field(f"{name}_{text}", about=f"{text} end, {name}", of=end(k)) for k, text in ends]


COVERAGE = Kind(lambda share: percent(share, 4), FRACTION.json)
INTERVALS = Fields(
    Field("roll", "roll", about="a roll"),
    Field("mean", "mean", Kind(decimal, FRACTION.json), "how often it comes on average"),
    Field("delta", about="half the width of the normal interval"),
    *_ends("normal"),
    *_ends("rounded"),
    Field("rounded_coverage", "really, %", COVERAGE, "how probable the rounded interval is"),
    *_ends("exact"),
    Field("exact_coverage", "really, %", COVERAGE, "how probable the exact interval is"),
)
INTERVAL = Fields(
    Field("rolls", about="number of rolls"),
    Field("confidence", kind=FRACTION, about="the level of confidence"),
    Field("z", about="standard deviations of the normal interval on either side"),
    always("normal_exactness", "approximation", "the normal interval is none of the exact ones"),
)
INTERVALS_SHOWN = Fields(
    *INTERVALS.pick("roll", "mean"),
    column("normal", lambda item: f"{item.normal[0]:.2f} to {item.normal[1]:.2f}"),
    column("rounded", lambda item: "{}..{}".format(*item.rounded)),
    INTERVALS["rounded_coverage"],
    column("exact", lambda item: "{}..{}".format(*item.exact)),
    INTERVALS["exact_coverage"],
)


def interval_report(dice: Dice, found: Sequence[Interval]) -> Report:
    """Return intervals for the count of each roll: the normal and the exact one."""
    some = found[0]
    level = decimal(some.confidence)
    table = INTERVALS_SHOWN.table(
        f"How often rolls of {dice.name} come in {some.rolls:,}, at {percent(some.confidence)} %",
        found,
        [
            f"normal: Eq. 15 of Raposo and Lamont, z = {some.z:.6f}; rounded: to whole numbers",
            f"exact: no more than half of 1 - {level} on either side, by the binomial distribution",
        ],
    )
    data = INTERVAL.record(some)
    return dice_report("interval", [dice], data, INTERVALS.records(found), [table])


# The variants of the command's JSON, by option.
PLAIN_SCHEMA = Schema(NAME, {"": HEAD, "rows": PROBABILITIES, "summaries": SUMMARIES})
COMPARE_SCHEMA = Schema(
    NAME, {"": HEAD + COMPARE_HEAD, "rows": COMPARED, "readings": SUBSTITUTES}, "with --compare"
)
TABLE_SCHEMA = Schema(NAME, {"": HEAD, "rows": CLASSES}, "with --table")
SEQUENCE_SCHEMA = Schema(NAME, {"": HEAD + SEQUENCE}, "with --sequence")
SUM_SCHEMA = Schema(NAME, {"": HEAD + SUM, "lengths": LENGTHS, "rows": SUM_ROWS}, "with --sum")
COUNTS_SCHEMA = Schema(NAME, {"": HEAD + COUNTS}, "with --counts")
INTERVAL_SCHEMA = Schema(NAME, {"": HEAD + INTERVAL, "rows": INTERVALS}, "with --interval")
