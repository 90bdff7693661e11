"""The sections on what has been published: every figure with its verdict, and the errata."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from urcx.published.figures import (
    HOLDS,
    INCONSISTENT,
    MEANINGS,
    NO_CLAIM,
    UNDECIDED,
    VERDICTS,
    Figure,
    Source,
    sources,
)
from urcx.published.verify import FIGURES, NAMED, Verdict, by_verdict
from urcx.reports.book.elements import (
    ESTIMATE,
    EXACT,
    JUDGED,
    PRINTED,
    Element,
    Items,
    Picture,
    Prose,
    Section,
    Sheet,
    sheet,
)
from urcx.reports.book.figures import verdicts_figure
from urcx.reports.book.plan import Work
from urcx.results.numbers import number

JOINT = "; "  # between figures in one cell
DIGITS = 21  # of a whole number, shown in a table
PLAYED = ("measure", "wins")  # quantities estimated by playing games
MARKS = dict(zip(VERDICTS, ("✓", "≈", "≠", "✗", "?", "-"), strict=True))


def verification(work: Work) -> Section:
    """Return the section with every published figure, its verdict and the explanation."""
    found = work.verdicts
    total = by_verdict(verdict for _, verdicts in found for verdict in verdicts)
    elements: list[Element] = [
        Prose(
            f"{sum(total.values())} published figures are computed again, each to the "
            "digits that its source prints. "
            + "; ".join(
                f"{MARKS[name]} {total[name]} {name}: {words}" for name, words in MEANINGS.items()
            )
            + ".",
            "Means of games are held against their 95 % interval and marked by their "
            "half width; all else is exact. Games are drawn with the seed of urcx verify, "
            "whatever the seed of this report. What takes minutes, as it needs a whole "
            "game's solution, was computed once and is marked recorded.",
        ),
        _summary(found),
        Picture(
            "verdicts", "Published figures by source and verdict", verdicts_figure(found), PRINTED
        ),
        *(_figures(source, verdicts) for source, verdicts in found),
    ]
    return Section("verification", "Published figures and verdicts", tuple(elements))


def _summary(found: Sequence[tuple[Source, Sequence[Verdict]]]) -> Sheet:
    records = [
        {"source": source.name, "title": source.title, "figures": len(verdicts)}
        | by_verdict(verdicts)
        for source, verdicts in found
    ]
    columns = ["<source", "<title", "figures", *VERDICTS]
    return sheet("sources", "Sources and verdicts", columns, records, EXACT)


def _figures(source: Source, verdicts: Sequence[Verdict]) -> Sheet:
    cells = [
        [
            group[0].figure.place,
            JOINT.join(in_short(verdict.figure.printed) for verdict in group),
            JOINT.join(map(_found, group)),
            f"{MARKS[group[0].verdict]}\u00a0{group[0].verdict}",  # always on one line
            group[0].explanation,
        ]
        for group in _together(verdicts)
    ]
    columns = ["<place", "<printed", "<here", "<verdict", "<explanation"]
    notes = ["here: what the source says the figure is gives this; its parameters are in the files"]
    rows = [{**FIGURES.record(verdict), "how": _how(verdict)} for verdict in verdicts]
    title = f"{source.name}: {source.title}"
    return sheet(
        f"verify-{source.name}", title, columns, rows, JUDGED, notes,
        cells=cells, grouped=True, stacked=True,
    )  # fmt: skip


def _together(verdicts: Sequence[Verdict]) -> Iterator[list[Verdict]]:
    """Yield figures of one place with one explanation together, all others alone."""

    def key(verdict: Verdict) -> tuple[str, str, bool]:
        simple = verdict.verdict == HOLDS and _found(verdict) == in_short(verdict.computed)
        return verdict.figure.place, verdict.explanation, simple

    for (_, _, simple), group in groupby(verdicts, key):
        if simple:
            yield list(group)
        else:
            yield from ([verdict] for verdict in group)


def _found(verdict: Verdict) -> str:
    """Return the computed value, and the exact number of diagrams where it differs."""
    exact = "" if verdict.exact is None else number(verdict.exact)
    beside = f", exactly {in_short(exact)}" if exact not in ("", verdict.computed) else ""
    recorded = " (recorded)" if verdict.recorded else ""
    return f"{in_short(verdict.computed)}{beside}{recorded}"


def in_short(text: str) -> str:
    """Return a figure short enough for a table: one with very many digits as a power of ten."""
    plain = text.replace(",", "")
    if len(plain) <= DIGITS or not plain.isdecimal():
        return text
    return f"{Decimal(plain):.4e}".replace("e+", "e")


def _how(verdict: Verdict) -> str:
    return ESTIMATE if verdict.figure.quantity in PLAYED else EXACT


def errata(work: Work) -> Section:
    """Return the section that explains in words what does not hold, from the same verdicts."""
    elements: list[Element] = [
        Prose(
            "What follows is written from the table above: every figure that does not "
            "come out as its source says it should, with how the printed one comes about "
            "where that was found.",
        )
    ]
    for source, verdicts in work.verdicts:
        entries = tuple(_erratum(group) for group in _groups(verdicts))
        elements.append(Items(f"{source.title}", (("In short", source.summary), *entries)))
    return Section("errata", "Errata", tuple(elements))


def printed(source: str, quantity: str, **params: Any) -> Figure:
    """Return the first figure of a quantity that a source prints with these parameters.

    Raises
    ------
    LookupError
        If it prints none.
    """
    for one, figures in sources():
        for figure in figures:
            if (one.name, figure.quantity) == (source, quantity) and (
                params.items() <= figure.params.items()
            ):
                return figure
    raise LookupError(f"{source} prints no {quantity} of {params}")


def _groups(verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """Return the figures that do not hold, grouped by place and explanation."""
    found: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.verdict != HOLDS:
            figure = verdict.figure
            key = (figure.place, figure.explanation, verdict.verdict)
            found.setdefault(key, []).append(verdict)
    return list(found.values())


def _erratum(group: list[Verdict]) -> tuple[str, str]:
    """Return the place and the text of figures that share an explanation."""
    sentences = [_comparison(group)]
    if group[0].verdict == INCONSISTENT:
        sentences.append(f"But {group[0].figure.against}.")
    origins = list(dict.fromkeys("; ".join(v.otherwise[:NAMED]) for v in group if v.otherwise))
    if origins:
        sentences.append(f"{_figure(group)} given by {' and by '.join(origins)}.")
    elif group[0].verdict == NO_CLAIM:
        sentences.append("The source assumes this, or does not say it.")
    elif group[0].verdict == UNDECIDED:
        decided = "No computation decides this, or none that was done"
        sentences.append(f"{_sentence(group[0].chance or decided)}")
    elif group[0].tried:
        tried = "; ".join(dict.fromkeys(v.tried for v in group))
        sentences.append(f"No other reading gives what is printed: {tried}.")
    if group[0].figure.explanation:
        sentences.append(_sentence(group[0].figure.explanation))
    return group[0].figure.place, " ".join(sentences)


def _comparison(group: list[Verdict]) -> str:
    pairs = []
    for verdict in group:
        exact = verdict.exact
        beside = ""
        if exact is not None and number(exact) != verdict.computed:
            beside = f" (exactly {number(exact)})"
        pairs.append(f"{verdict.figure.printed}, here {verdict.computed}{beside}")
    return f"Prints {'; '.join(dict.fromkeys(pairs))}."


def _figure(group: list[Verdict]) -> str:
    return "The printed figure is" if len(group) == 1 else "The printed figures are"


def _sentence(text: str) -> str:
    end = "" if text.endswith((".", "?", "!")) else "."
    return text[:1].upper() + text[1:] + end
