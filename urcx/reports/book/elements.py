"""The elements of the report: prose, tables and figures in sections, with how each was obtained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.figure import Figure

from urcx.results.fields import Fields
from urcx.results.tables import Table

EXACT = "exact"
ROUNDED = "exact but for rounding in 64 bits"
BOUNDS = "between proven bounds"
ESTIMATE = "estimate with 95 % interval"
JUDGED = "exact; means of games (±) and who wins: estimate with 95 % interval"
PRINTED = "from the sources"

TIMINGS = frozenset(
    (
        "seconds",
        "compile_seconds",
        "diagrams_per_second",
        "updates_per_second",
        "peak_memory",
        "threads",
    )
)


class Prose:
    r"""Paragraphs of plain text, with formulas as LaTeX in ``\(...\)`` or ``\[...\]``."""

    def __init__(self, *paragraphs: str) -> None:
        self.paragraphs = paragraphs


@dataclass(frozen=True)
class Items:
    """A list under a heading: terms with their descriptions, formulas written as in `Prose`."""

    title: str
    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Sheet:
    """A table for people with the rows behind it, for programs.

    ``name`` is that of its files; ``obtained`` says how its numbers were obtained; ``parameters``
    are further members of the JSON object. ``grouped`` makes the first column a heading over the
    rows that share its value; ``stacked`` shows each row as a list where the page is narrow, for
    tables of text.
    """

    name: str
    table: Table
    records: Sequence[Mapping[str, Any]]
    obtained: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    grouped: bool = False
    stacked: bool = False


@dataclass(frozen=True)
class Picture:
    """A figure that includes its caption, and a title."""

    name: str
    title: str
    figure: Figure
    obtained: str


Element = Prose | Items | Sheet | Picture


@dataclass(frozen=True)
class Section:
    """A part of the report; ``name`` is its anchor."""

    name: str
    title: str
    elements: tuple[Element, ...]


def sheet(
    name: str,
    title: str,
    columns: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    obtained: str,
    notes: Sequence[str] = (),
    *,
    cells: Sequence[Sequence[str]] = (),
    **more: Any,
) -> Sheet:
    """Return a table made for the report; ``cells`` are by default the rows' values as texts."""
    cells = cells or [list(map(str, row.values())) for row in records]
    return Sheet(name, Table(title, columns, cells, notes), records, obtained, **more)


def listed(
    name: str,
    title: str,
    fields: Fields,
    items: Iterable[Any],
    obtained: str,
    notes: Sequence[str] = (),
    **more: Any,
) -> Sheet:
    """Return a table with a line, and a row behind it, for each item."""
    items = list(items)
    return Sheet(name, fields.table(title, items, notes), fields.records(items), obtained, **more)


def timeless(value: Any) -> Any:
    """Return data without what varies from run to run: times, memory, threads."""
    if isinstance(value, Mapping):
        return {key: timeless(item) for key, item in value.items() if key not in TIMINGS}
    if isinstance(value, list | tuple):
        return [timeless(item) for item in value]
    return value
