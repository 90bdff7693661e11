"""Builds a report from a plan: computes all sections, then writes the page and its files."""

from __future__ import annotations

import datetime as dt
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from typing import Any

from urcx import __version__
from urcx.engine.compiling import clock
from urcx.engine.compiling import seconds as compile_seconds
from urcx.engine.threads import Stage, silent
from urcx.engine.work import WorkEstimate, on_threads
from urcx.reports.book import files, luck, perfect, states, tree, verdicts
from urcx.reports.book.elements import (
    EXACT,
    JUDGED,
    Items,
    Picture,
    Prose,
    Section,
    Sheet,
    listed,
    sheet,
)
from urcx.reports.book.page import page
from urcx.reports.book.plan import Plan, Work
from urcx.reports.book.story import Story, story
from urcx.reports.book.tables import check_tablebases
from urcx.reports.display.provenance import provenance
from urcx.results.fields import Field, Fields, shown_as

TITLE = "The complexity of the Royal Game of Ur, recomputed"
LIBRARIES = ("numba", "numpy", "sympy", "matplotlib", "jinja2")

PARTS: tuple[tuple[str, Callable[[Work], Section]], ...] = (
    ("state spaces", states.states_section),
    ("enumeration", states.enumeration),
    ("game tree", tree.tree),
    ("perfect play", perfect.perfect_section),
    ("dice and gain", luck.luck_section),
    ("published figures", verdicts.verification),
    ("errata", verdicts.errata),
)


@dataclass(frozen=True)
class Book:
    """A report: its first page, its sections, and the seconds that each part took."""

    plan: Plan
    front: Story
    sections: tuple[Section, ...]
    seconds: dict[str, float]


def build(plan: Plan, stage: Stage = silent) -> Book:
    """Compute a report.

    ``stage`` is called when each piece of work begins.

    Raises
    ------
    UsageError, TablebaseError
        If the plan or one of its tablebases cannot be used; raised before anything is computed.
    """
    check_tablebases(plan.tablebases)
    work = Work(plan, stage)
    sections = []
    seconds = {}
    for k, (name, part) in enumerate(PARTS, start=1):
        began = clock()
        work.part = f"{k} of {len(PARTS)}, {name}"
        sections.append(part(work))
        seconds[name] = clock() - began
    front = story(work, sections)
    return Book(plan, front, (*sections, _colophon(plan)), seconds)


def write_report(book: Book, target: Path, stage: Stage = silent) -> None:
    """Write a report to a directory that appears when it is complete; raises `UrcxError`.

    ``stage`` is called when drawing begins.
    """
    figures = sum(isinstance(b, Picture) for section in book.sections for b in section.elements)
    made = provenance(book.plan.seed)
    drawn = files.contents(book.sections, made, stage("drawing", figures, "figures"))
    html = page(TITLE, _head(book), book.front, book.sections).encode()
    manifest = {
        "version": __version__,
        "parameters": book.plan.parameters(),
        "seconds": {name: round(s, 1) for name, s in book.seconds.items()},
        "compile_seconds": round(compile_seconds(), 1),
        "provenance": made,
    }
    files.write_files(target, {files.PAGE: html, **drawn}, manifest)


def _head(book: Book) -> dict[str, str]:
    day = dt.datetime.now(tz=dt.UTC).date().isoformat()
    total = sum(book.seconds.values())
    kind = "quick" if book.plan.quick else "full"
    return {
        "made": f"urcx {__version__}, {kind} report, seed {book.plan.seed}",
        "when": f"{day}, computed in {total:.0f} s",
    }


def command(plan: Plan) -> str:
    """Return the command line that repeats a report."""
    given = "".join(f" --tablebase {file.name}" for file in plan.tablebases)
    fast = " --quick" if plan.quick else ""
    return f"urcx report -o report/{fast}{given} --seed {plan.seed}"


def _colophon(plan: Plan) -> Section:
    intro = Prose(
        f"Made with urcx {__version__} by: {command(plan)}. The same version, seed and "
        "parameters give the same page, figures and tables, whatever the number of "
        "threads; only the day and the seconds under the title differ, and those in "
        "report.json.",
    )
    words = Items(
        "How numbers were obtained",
        (
            (EXACT, "integers and fractions, by formula or by counting; rounded only to be shown"),
            (
                "exact but for rounding in 64 bits",
                "computed over all states, without sampling, in floating point",
            ),
            (
                "between proven bounds",
                "a lower and an upper bound, both proven, are as near as said",
            ),
            (
                "estimate with 95 % interval",
                (
                    "games or pieces simulated; the interval is that of the mean, by the jackknife "
                    "where a figure is made of several means, and Wilson's for shares"
                ),
            ),
            (JUDGED, "each row of the JSON and CSV file says which of the two it is"),
        ),
    )
    return Section("colophon", "How to repeat it", (intro, words, _parameters(plan), _versions()))


def _parameters(plan: Plan) -> Sheet:
    items = plan.parameters().items()
    notes = ["listed, reached, solved, judged: the most pieces a side; see urcx report --help"]
    return listed("parameters", "Parameters", PARAMETERS, items, EXACT, notes)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


PARAMETERS = Fields(
    Field("parameter", "<parameter", of=itemgetter(0)),
    Field("value", "<value", shown_as(_text, none="all"), of=itemgetter(1)),
)


def _versions() -> Sheet:
    records = [
        {"what": "urcx", "version": __version__},
        {"what": "Python", "version": platform.python_version()},
        *({"what": name, "version": version(name)} for name in LIBRARIES),
        {"what": "system", "version": f"{sys.platform} {platform.machine()}"},
    ]
    return sheet("versions", "Versions", ["<what", "<version"], records, EXACT)


SECONDS = {True: 21.0, False: 50.0}  # of processors, quick or not


def cost(*, quick: bool, threads: int | None) -> WorkEstimate:
    """Estimate the report."""
    return WorkEstimate("the report", on_threads(SECONDS[quick], threads), advice="take --quick")
