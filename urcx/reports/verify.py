"""What ``urcx verify`` shows: every published figure with its verdict, and each source in short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from urcx.published.figures import NO_CLAIM, VERDICTS, Source
from urcx.published.quantities.registry import describe
from urcx.published.verify import Verdict
from urcx.reports.display.output import Column, Report, Table, Toned, grouped, number
from urcx.reports.display.tables import Tone

Found = tuple[tuple[Source, tuple[Verdict, ...]], ...]
COLUMNS = (
    Column("place", text=True, key=True, least=22),
    Column("printed", text=True, key=True, least=16),
    Column("computed", text=True, least=14),
    Column("verdict", text=True, least=12),
)
TONES: dict[str, Tone] = {
    "reproduced": "good", "reproduced otherwise": "fair", "contradicted": "bad", NO_CLAIM: "fair"
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
        "readings": [
            {"reading": r.words, "computed": r.computed, "holds": r.holds} for r in verdict.readings
        ],
    }


def report(found: Found, *, only: Collection[str] = VERDICTS, summary: bool = False) -> Report:
    """Return the report on verdicts: the summary, then source by source, place by place.

    ``only`` shows the figures of some verdicts, while the summary counts all; with ``summary`` it
    is all that is shown.
    """
    chosen = [
        (source, tuple(verdict for verdict in verdicts if verdict.verdict in only))
        for source, verdicts in found
    ]
    records = [record(verdict) for _, verdicts in chosen for verdict in verdicts]
    sources = [_counts(source, verdicts) for source, verdicts in found]
    tables = [_summary(found, [WORDS_NOTE] if summary else [COMPUTED_NOTE, WORDS_NOTE])]
    if not summary:
        tables += [_source(source, verdicts) for source, verdicts in chosen if verdicts]
    changed = sum(verdict.changed for _, verdicts in found for verdict in verdicts)
    data = {
        "sources": sources,
        "changed": changed,
        "verdicts": list(only),
        "rows": [] if summary else records,
    }
    flat = [{**row, "readings": _tried(row["readings"])} for row in records]
    return Report("urcx.verify/1", data, sources if summary else flat, tables)


def _counts(source: Source, verdicts: tuple[Verdict, ...]) -> dict[str, Any]:
    counts = Counter(verdict.verdict for verdict in verdicts)
    return {
        "name": source.name,
        "title": source.title,
        "figures": len(verdicts),
        **{name.replace(" ", "_"): counts[name] for name in VERDICTS},
        "summary": source.summary,
    }


def _summary(found: Found, notes: list[str]) -> Table:
    rows = []
    for source, verdicts in found:
        counts = Counter(verdict.verdict for verdict in verdicts)
        rows.append([source.name, str(len(verdicts)), *(str(counts[name]) for name in VERDICTS)])
    return Table("Figures and verdicts", ["<source", "figures", *VERDICTS], rows, notes)


def _source(source: Source, verdicts: tuple[Verdict, ...]) -> Table:
    return Table(
        f"{source.name}: {source.title}",
        COLUMNS,
        [_cells(group) for group in _groups(verdicts)],
        [source.summary, *_explanations(verdicts)],
    )


def _tried(readings: list[dict[str, Any]]) -> str:
    """Return readings as one text, for CSV."""
    return "; ".join(
        f"{r['reading']}{': ' + r['computed'] if r['computed'] else ''}"
        f"{' (holds)' if r['holds'] else ''}"
        for r in readings
    )


COMPUTED_NOTE = (
    "computed: what the source says the figure is gives this; (exact): the number of diagrams, for "
    "figures of state spaces"
)
WORDS_NOTE = (
    "reproduced otherwise: only another reading, form or parameter gives it; no claim: assumed by "
    "the source, or not said by it"
)


def _groups(verdicts: tuple[Verdict, ...]) -> list[list[Verdict]]:
    """Return the verdicts place by place; those simply reproduced in a place stand in one row."""
    places: dict[str, list[list[Verdict]]] = {}
    for verdict in verdicts:
        groups = places.setdefault(verdict.figure.place, [])
        plain = verdict.verdict == VERDICTS[0] and not verdict.changed
        same = [g for g in groups if plain and g[0].verdict == VERDICTS[0] and not g[0].changed]
        if same:
            same[0].append(verdict)
        else:
            groups.append([verdict])
    return [group for groups in places.values() for group in groups]


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
            Toned(verdict.verdict, TONES[verdict.verdict]),
        ]
    computed = grouped(verdict.computed)
    if verdict.exact is not None:
        exact = number(verdict.exact)
        # A column of its own would be empty in most rows, and take what the others need.
        computed += " (exact)" if exact == verdict.computed else f" (exact: {exact})"
    changed = f" (recorded: {figure.verdict})" if verdict.changed else ""
    return [
        figure.place,
        grouped(figure.printed),
        computed,
        Toned(verdict.verdict + changed, TONES[verdict.verdict]),
    ]
