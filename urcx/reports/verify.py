"""What ``urcx verify`` shows: every published figure with its verdict, and a summary by source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from types import SimpleNamespace
from typing import Any

from urcx.published.figures import FAILS, HOLDS, MEANINGS, VERDICTS, Source
from urcx.published.quantities.registry import describe
from urcx.published.readings import Reading
from urcx.published.verify import Verdict, by_verdict
from urcx.results.fields import COUNT, Field, Fields, Kind, Schema
from urcx.results.numbers import grouped, number
from urcx.results.report import Report
from urcx.results.tables import Column, Table, Tone, Toned

BySource = tuple[tuple[Source, tuple[Verdict, ...]], ...]
COLUMNS = (
    Column("place", text=True, key=True, least=22),
    Column("printed", text=True, key=True, least=16),
    Column("computed", text=True, least=14),
    Column("verdict", text=True, least=12),
)
TONES: dict[str, Tone] = {HOLDS: "good", FAILS: "bad"}  # others are fair
MAX_LISTED = 5  # printed figures that one line of the table lists


def _tried(readings: Sequence[Reading]) -> str:
    """Return readings as one text, for CSV."""
    return "; ".join(
        f"{r.words}{': ' + r.computed if r.computed else ''}{' (holds)' if r.holds else ''}"
        for r in readings
    )


def _count(verdict: str) -> Callable[[Any], int]:
    return lambda row: row.counts[verdict]


READINGS = Fields(
    Field("reading", about="in words, what the source may have meant", of="words"),
    Field("computed", about="what that gives"),
    Field("holds", about="whether it is what is printed"),
)
FIGURES = Fields(
    Field("source", about="name of the source", of="figure.source"),
    Field("place", about="where it prints the figure", of="figure.place"),
    Field("quantity", about="what the figure is one of", of="figure.quantity"),
    Field("parameters", about="its parameters", of=lambda v: describe(v.figure.params)),
    Field("printed", about="the figure as printed", of="figure.printed"),
    Field("computed", about="what the source says it is gives this"),
    Field("exact", kind=COUNT, about="the number of diagrams, for figures of state spaces"),
    Field("verdict", about=f"{', '.join(VERDICTS[:-1])} or {VERDICTS[-1]}"),
    Field("recorded", about="the verdict recorded", of="figure.verdict"),
    Field("explanation", about="how the printed figure comes about"),
    Field(
        "obtained",
        about="how our value was found, if it is recorded and was not computed now",
        of=lambda v: v.figure.how if v.recorded else "",
    ),
    Field(
        "readings",
        kind=Kind(json=(("", READINGS.records),), csv=(("", _tried),)),
        about="other readings that were tried",
    ),
)
SOURCES = Fields(
    Field("name", "<source", about="name of the source", of="source.name"),
    Field("title", about="its title", of="source.title"),
    Field("figures", "figures", about="number of its figures", of=lambda row: len(row.verdicts)),
    *(Field(k.replace(" ", "_"), k, about=f"those {k}", of=_count(k)) for k in VERDICTS),
    Field("summary", about="what went wrong, in short", of="source.summary"),
)
SCHEMA = Schema(
    "urcx.verify/2",
    {
        "": Fields(
            Field("changed", about="how many verdicts differ from the recorded ones"),
            Field("verdicts", about="the verdicts shown"),
        ),
        "sources": SOURCES,
        "rows": FIGURES,
        "rows.readings": READINGS,
    },
)


def verdicts_report(
    found: BySource, *, only: Collection[str] = VERDICTS, summary: bool = False
) -> Report:
    """Return the report on verdicts: the summary, then source by source, place by place.

    ``only`` shows the figures of some verdicts, while the summary counts all; with ``summary`` it
    is all that is shown.
    """
    chosen = [
        (source, tuple(verdict for verdict in verdicts if verdict.verdict in only))
        for source, verdicts in found
    ]
    shown = [verdict for _, verdicts in chosen for verdict in verdicts]
    rows = [
        SimpleNamespace(source=source, verdicts=verdicts, counts=by_verdict(verdicts))
        for source, verdicts in found
    ]
    notes = [WORDS_NOTE] if summary else [COMPUTED_NOTE, WORDS_NOTE]
    if not summary and any(verdict.recorded for verdict in shown):
        notes.insert(1, RECORDED_NOTE)
    tables = [SOURCES.table("Figures and verdicts", rows, notes)]
    if not summary:
        tables += [_source(source, verdicts) for source, verdicts in chosen if verdicts]
    sources = SOURCES.records(rows)
    data = {
        "sources": sources,
        "changed": sum(verdict.changed for _, verdicts in found for verdict in verdicts),
        "verdicts": list(only),
        "rows": [] if summary else FIGURES.records(shown),
    }
    flat = sources if summary else [FIGURES.flat(verdict) for verdict in shown]
    return Report(SCHEMA.name, data, flat, tables)


def summary_report(found: BySource) -> Report:
    """Return the summary alone: all figures with their explanations take many screens."""
    return verdicts_report(found, summary=True)


def _source(source: Source, verdicts: tuple[Verdict, ...]) -> Table:
    return Table(
        f"{source.name}: {source.title}",
        COLUMNS,
        _rows(_groups(verdicts)),
        [source.summary, *_explanations(verdicts)],
    )


COMPUTED_NOTE = (
    "computed: what the source says the figure is gives this; (exact): the number of diagrams, for "
    "figures of state spaces"
)
RECORDED_NOTE = (
    "(recorded): found once, as it takes minutes; with --tablebase FILE, a solution of the game, "
    "it is computed again"
)
WORDS_NOTE = "; ".join(f"{name}: {words}" for name, words in MEANINGS.items() if name != HOLDS)


def _groups(verdicts: tuple[Verdict, ...]) -> list[list[Verdict]]:
    """Return the verdicts by place; the figures that simply hold in a place share a row."""
    places: dict[str, list[list[Verdict]]] = {}
    for verdict in verdicts:
        groups = places.setdefault(verdict.figure.place, [])
        plain = verdict.verdict == HOLDS and not verdict.changed
        same = [g for g in groups if plain and g[0].verdict == HOLDS and not g[0].changed]
        if same:
            same[0].append(verdict)
        else:
            groups.append([verdict])
    return [group for groups in places.values() for group in groups]


def _explanations(verdicts: tuple[Verdict, ...]) -> list[str]:
    """Return a note for each explanation, with the figures that it explains."""
    found: dict[tuple[str, str], list[str]] = {}
    for verdict in verdicts:
        if verdict.explanation:
            key = verdict.figure.place, verdict.explanation
            found.setdefault(key, []).append(verdict.figure.printed)
    return [
        grouped(f"{'; '.join(dict.fromkeys(printed))} ({place}): {text}")
        for (place, text), printed in found.items()
    ]


def _rows(groups: list[list[Verdict]]) -> list[list[str]]:
    """Return the table's rows; of those that would have one name, each says what is its own."""
    rows = [_cells(group) for group in groups]
    alike: dict[tuple[str, ...], list[int]] = {}
    for k, row in enumerate(rows):
        alike.setdefault(tuple(row[:2]), []).append(k)
    for numbers in alike.values():
        params = [groups[k][0].figure.params for k in numbers]
        own = [key for key in params[0] if any(p.get(key) != params[0][key] for p in params)]
        for k, given in zip(numbers, params, strict=True):
            if own and own[0] in given:
                rows[k][0] += f" ({describe({own[0]: given[own[0]]})})"
    return rows


def _cells(group: list[Verdict]) -> list[str]:
    verdict, figure = group[0], group[0].figure
    if len(group) > 1:
        printed = [v.figure.printed for v in group]
        text = f"{printed[0]} to {printed[-1]}" if len(printed) > MAX_LISTED else "; ".join(printed)
        return [
            figure.place,
            grouped(text),
            f"all {len(group)}",
            Toned(verdict.verdict, TONES.get(verdict.verdict, "fair")),
        ]
    computed = grouped(verdict.computed)
    if verdict.exact is not None:
        exact = number(verdict.exact)
        # A separate column would be empty in most rows, and take room from the others.
        computed += " (exact)" if exact == verdict.computed else f" (exact: {exact})"
    if verdict.recorded:
        computed += " (recorded)"
    changed = ""
    if verdict.changed:
        other = figure.found if verdict.verdict == figure.verdict else figure.verdict
        changed = f" (recorded: {other})"
    return [
        figure.place,
        grouped(figure.printed),
        computed,
        Toned(verdict.verdict + changed, TONES.get(verdict.verdict, "fair")),
    ]
