"""Reports of single results about perfect play: a file, and fractions at the start."""

from __future__ import annotations

from typing import Any

from urcx.errors import printable
from urcx.reports.display.output import Report, Table, counted, number
from urcx.reports.solving.rational import report as fractions_report
from urcx.reports.solving.solve import precision
from urcx.solving.exact.exact_solution import ExactSolution
from urcx.solving.files.tablebase import Tablebase, at_most


def solve_exactly(found: ExactSolution) -> Report:
    """Return the report of ``urcx solve --exact-fractions`` at the start."""
    return fractions_report(found, None)


def open_tablebase(base: Tablebase) -> Report:
    """Return a tablebase's rule set and precision."""
    rows: list[dict[str, Any]] = [
        {"light": i, "dark": j, "states": str(base.order.size((i, j)))}
        for i, j in base.order.layers
    ]
    states = sum(base.order.size(layer) for layer in base.order.layers)
    data: dict[str, Any] = {
        "file": str(base.file),
        "rules": base.rules.name,
        "pieces": base.rules.pieces,
        "store": base.store,
        "gap": base.gap,
        "bound": base.bound,
        "states": str(states),
        "rows": rows,
    }
    lines = [
        ["rules", f"{base.rules.name}, {counted(base.rules.pieces, 'piece')} a side"],
        ["layers", number(len(rows))],
        ["states (mover views, unfinished)", number(states)],
        ["stored as", base.store],
        ["gap, as recorded", "none" if base.gap is None else at_most(base.gap, 3)],
        ["a value is off by at most", precision(base.bound)],
    ]
    table = Table(f"Tablebase {printable(str(base.file))}", ["<", "<"], lines)
    return Report("urcx.check/1", data, rows, [table])
