"""What ``urcx verify`` shows: every published figure with its verdict, and each source in short."""

from __future__ import annotations

from collections import Counter
from typing import Any

from urcx.published.figures import VERDICTS, Source
from urcx.published.quantities import describe
from urcx.published.verify import Verdict
from urcx.reports.output import Report, Table, number


def record(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict for JSON."""
    figure = verdict.figure
    return {
        "source": figure.source,
        "place": figure.place,
        "quantity": figure.quantity,
        "parameters": describe(figure.params),
        "printed": figure.printed,
        "computed": verdict.computed,
        "exact": None if verdict.exact is None else str(verdict.exact),
        "verdict": verdict.verdict,
        "recorded": figure.verdict,
        "explanation": verdict.explanation,
    }


def report(found: tuple[tuple[Source, tuple[Verdict, ...]], ...]) -> Report:
    """Return the report on verdicts, source by source."""
    records = [record(verdict) for _, verdicts in found for verdict in verdicts]
    sources = []
    summary = []
    tables = []
    for source, verdicts in found:
        counts = Counter(verdict.verdict for verdict in verdicts)
        sources.append(
            {
                "name": source.name,
                "title": source.title,
                "figures": len(verdicts),
                **{name.replace(" ", "_"): counts[name] for name in VERDICTS},
                "summary": source.summary,
            }
        )
        numbers = [str(len(verdicts)), *(str(counts[name]) for name in VERDICTS)]
        summary.append([source.name, *numbers])
        tables.append(
            Table(
                f"{source.name}: {source.title}",
                [
                    "<place",
                    "<quantity",
                    "<printed",
                    "computed",
                    "exact",
                    "<verdict",
                    "<explanation",
                ],
                [_cells(verdict) for verdict in verdicts],
                [source.summary],
            )
        )
    heads = ["<source", "figures", *VERDICTS]
    tables.append(Table("Figures and verdicts", heads, summary, [NOTE]))
    changed = [r for r in records if r["verdict"] != r["recorded"]]
    data = {"sources": sources, "changed": len(changed), "rows": records}
    return Report("urcx.verify/1", data, records, tables)


NOTE = (
    "computed: what the source says the figure is gives this; exact: the number of diagrams, for "
    "figures of state spaces; reproduced otherwise: only another form or other parameters give it"
)


def _cells(verdict: Verdict) -> list[str]:
    figure = verdict.figure
    exact = "" if verdict.exact is None else number(verdict.exact)
    changed = f" (recorded: {figure.verdict})" if verdict.changed else ""
    return [
        figure.place,
        f"{figure.quantity}: {describe(figure.params)}",
        figure.printed,
        verdict.computed,
        "=" if exact == verdict.computed else exact,
        verdict.verdict + changed,
        verdict.explanation,
    ]
