"""What ``urcx verify`` shows: every published figure with its verdict, and each source in short."""

from __future__ import annotations

from collections import Counter
from typing import Any

from urcx.published.figures import VERDICTS, Source
from urcx.published.quantities import describe
from urcx.published.verify import Verdict
from urcx.reports.output import Column, Report, Table, Toned, grouped, number
from urcx.reports.tables import Tone

COLUMNS = (
    Column("place", text=True, key=True, least=22),
    Column("printed", text=True, key=True, least=16),
    Column("computed", text=True, least=14),
    "exact",
    Column("verdict", text=True, least=12),
)
TONES: dict[str, Tone] = {
    "reproduced": "good", "reproduced otherwise": "fair", "contradicted": "bad"
}  # fmt: skip
MAX_LISTED = 5  # printed figures that one line of the table lists


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
                COLUMNS,
                [_cells(group) for group in _groups(verdicts)],
                [source.summary, *_explanations(verdicts)],
            )
        )
    heads = ["<source", "figures", *VERDICTS]
    tables.append(Table("Figures and verdicts", heads, summary, [NOTE]))
    changed = [r for r in records if r["verdict"] != r["recorded"]]
    data = {"sources": sources, "changed": len(changed), "rows": records}
    return Report("urcx.verify/1", data, records, tables)


NOTE = (
    "computed: what the source says the figure is gives this; exact: the number of diagrams, for "
    "figures of state spaces, = if the same as computed; reproduced otherwise: "
    "only another form or other parameters give it"
)


def _groups(verdicts: tuple[Verdict, ...]) -> list[list[Verdict]]:
    """Return verdicts in a row together that are of one place and simply reproduced."""
    groups: list[list[Verdict]] = []
    for verdict in verdicts:
        last = groups[-1][-1] if groups else verdict
        together = all(v.verdict == "reproduced" and not v.changed for v in (last, verdict))
        if groups and together and last.figure.place == verdict.figure.place:
            groups[-1].append(verdict)
        else:
            groups.append([verdict])
    return groups


def _explanations(verdicts: tuple[Verdict, ...]) -> list[str]:
    """Return a note for each explanation, with the figures that it belongs to."""
    found: dict[tuple[str, str], list[str]] = {}
    for verdict in verdicts:
        if verdict.explanation:
            key = verdict.figure.place, verdict.explanation
            found.setdefault(key, []).append(verdict.figure.printed)
    return [
        grouped(f"{'; '.join(dict.fromkeys(printed))} ({place}): {text}")
        for (place, text), printed in found.items()
    ]


def _cells(group: list[Verdict]) -> list[str]:
    verdict, figure = group[0], group[0].figure
    if len(group) > 1:
        printed = [v.figure.printed for v in group]
        text = f"{printed[0]} to {printed[-1]}" if len(printed) > MAX_LISTED else "; ".join(printed)
        return [
            figure.place,
            grouped(text),
            f"all {len(group)}",
            "",
            Toned(verdict.verdict, TONES[verdict.verdict]),
        ]
    exact = "" if verdict.exact is None else number(verdict.exact)
    changed = f" (recorded: {figure.verdict})" if verdict.changed else ""
    return [
        figure.place,
        grouped(figure.printed),
        grouped(verdict.computed),
        "=" if exact == verdict.computed else exact,
        Toned(verdict.verdict + changed, TONES[verdict.verdict]),
    ]
