"""What ``urcx export`` shows about the file that it wrote."""

from __future__ import annotations

from pathlib import Path

from urcx.errors import printable
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.tables import Table
from urcx.rules.model import RuleSet
from urcx.solving.files.proof import proof_file
from urcx.solving.files.tablebase import at_most


def export_report(file: Path, rules: RuleSet, values: str, size: int, bound: float) -> Report:
    """Return the report on an ``.rgu`` file of ``size`` bytes with error bound ``bound``."""
    proof = proof_file(file)
    data = {
        "file": str(file),
        "rules": rules.name,
        "pieces": rules.pieces,
        "values": values,
        "file_size": str(size),
        "proof": str(proof),
        "bound": bound,
    }
    lines = [
        ["rules", f"{rules.name}, {counted(rules.pieces, 'piece')} a side"],
        ["values", values],
        ["bytes", number(size)],
        ["off by at most", at_most(bound)],
        ["proof", printable(proof.name)],
    ]
    table = Table(printable(str(file)), ["<", "<written"], lines)
    return Report("urcx.export/1", data, [data], [table])
