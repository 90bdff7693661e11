"""What is shown of arrivals: the probability that a piece stands on a step, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from types import SimpleNamespace

from urcx.reports.strategy.journey import EXACT
from urcx.results.fields import FRACTION, Field, Fields, Schema
from urcx.results.fractions import percent
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.rules.model import RuleSet
from urcx.strategy.journey import goal_name

ARRIVAL = Schema(
    "urcx.arrival/1",
    {
        "": Fields(
            Field("rules", about="name of the rule set", of="rules.name"),
            Field("path", about="name of its path", of="rules.path.name"),
            Field("dice", about="name of its dice", of="rules.dice.name"),
            Field("to", about="the step"),
            Field("goal", about="what the step is called"),
            EXACT,
        ),
        "rows": Fields(
            Field("pieces", about="number of pieces", of=itemgetter(0)),
            Field("turns", about="number of turns", of=itemgetter(1)),
            Field(
                "probability",
                kind=FRACTION,
                about="how probable it is by the best choice that one stands there within them",
                of=itemgetter(2),
            ),
        ),
    },
)


def arrival_report(rules: RuleSet, to: int, found: Mapping[int, Sequence[Fraction]]) -> Report:
    """Return the probability that a piece stands on a step, by turns and number of pieces."""
    name = goal_name(rules.path, to)
    rows = [(n, turns, p) for n, row in found.items() for turns, p in enumerate(row, start=1)]
    data = ARRIVAL.data(SimpleNamespace(rules=rules, to=to, goal=name), rows=rows)
    turns = len(next(iter(found.values())))
    cells = [[str(k + 1), *(percent(row[k], 4) for row in found.values())] for k in range(turns)]
    table = Table(
        f"A piece on step {to} ({name}) within so many turns, %: {rules.name}, {rules.dice.name}",
        ["turns", *(f"{n} pieces" if n > 1 else "1 piece" for n in found)],
        cells,
        ["one player alone; for each number of turns the best choice of moves for it"],
    )
    return Report(ARRIVAL.name, data, data["rows"], [table])
