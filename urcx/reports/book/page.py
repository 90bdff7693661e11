"""The page: one HTML file that loads nothing, made from sections by a template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import jinja2
from markupsafe import Markup

from urcx.reports.book.elements import Element, Items, Picture, Prose, Section, Sheet
from urcx.reports.book.story import Story
from urcx.reports.book.svg import inline
from urcx.reports.display.mathml import has_formula, set_formulas
from urcx.reports.figures.plots import render
from urcx.results.tables import Table

LONG, MEDIUM = 44, 18  # characters of a text column that make it wide on the page
# Estimates of a table's width, to decide where it has to scroll.
CHARACTER, PADDING = 0.5, 0.8  # rem: of a character, and between two columns
PHONE, TABLET = 21.0, 58.0  # rem: what a table has room for on a phone and beside the contents


def page(title: str, head: Mapping[str, str], front: Story, sections: Sequence[Section]) -> str:
    """Return the HTML of a report; ``head`` maps CSS classes to the texts below its title."""
    numbers = {"table": 0, "figure": 0}
    views = [_section(section, numbers) for section in sections]
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("urcx.reports", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["formulas"] = _formulas
    template = environment.get_template("report.html.j2")
    board = Markup(front.board)  # noqa: S704 - drawn here, its texts escaped
    return template.render(title=title, head=head, front=front, board=board, sections=views) + "\n"


def _formulas(text: str) -> Markup | str:
    """Return a text as HTML, with its formulas as MathML."""
    if not has_formula(text):
        return text
    return Markup(set_formulas(text))  # noqa: S704 - what is no formula is escaped there


def _section(section: Section, numbers: dict[str, int]) -> dict[str, Any]:
    elements = [_element(element, numbers) for element in section.elements]
    return {"name": section.name, "title": section.title, "elements": elements}


def _element(element: Element, numbers: dict[str, int]) -> dict[str, Any]:
    match element:
        case Prose():
            return {"kind": "prose", **vars(element)}
        case Items():
            formulas = any(has_formula(text) for _, text in element.entries)
            return {"kind": "items", **vars(element), "formulas": formulas}
    kind = "table" if isinstance(element, Sheet) else "figure"
    numbers[kind] += 1
    k = numbers[kind]
    view = _sheet(element) if isinstance(element, Sheet) else _picture(element, k)
    return {
        "kind": kind,
        "id": f"{kind}-{element.name.removeprefix('figure-')}",
        "name": element.name,
        "label": f"{kind.capitalize()} {k}",
        "obtained": element.obtained,
        **view,
    }


def _sheet(element: Sheet) -> dict[str, Any]:
    table = element.table
    classes = [_class(table, column) for column in range(len(table.heads))]
    cells = list(zip((head.title for head in table.heads), classes, strict=True))
    first = int(element.grouped)  # the first column is the heading of its rows
    rows = [[(*cell, text) for cell, text in zip(cells, row, strict=True)] for row in table.rows]
    grouped = groupby(rows, key=lambda row: row[0][2] if element.grouped else "")
    return {
        "title": table.title,
        "stacked": element.stacked,
        "scrolls": _scrolls(table, classes, first),
        "columns": cells[first:],
        "groups": [(heading, [row[first:] for row in group]) for heading, group in grouped],
        "notes": table.notes,
    }


def _length(text: str) -> int:
    """Return a text's approximate width in characters; formulas are shorter than their LaTeX."""
    return len(text) // 2 if has_formula(text) else len(text)


def _class(table: Table, column: int) -> str:
    """Return the CSS class of a column: numbers on one line, texts wrapped, as wide as needed."""
    if not table.heads[column].text:
        return "n"
    widest = max((_length(row[column]) for row in table.rows), default=0)
    return "t long" if widest > LONG else "t medium" if widest > MEDIUM else "t"


def _scrolls(table: Table, classes: Sequence[str], first: int) -> str:
    """Return the CSS class of a table that scrolls sideways on narrow pages, or on all."""
    wide = 0.0
    for column, kind in list(enumerate(classes))[first:]:
        texts = [table.heads[column].title.rsplit(maxsplit=1)[-1:]]
        widest = max([*(len(t) for t in texts[0]), *(_length(row[column]) for row in table.rows)])
        limit = {"t long": 24, "t medium": 14}.get(kind, widest)
        wide += CHARACTER * min(widest, limit) + PADDING
    return "wide" if wide > TABLET else "narrow" if wide > PHONE else ""


def _picture(element: Picture, k: int) -> dict[str, Any]:
    # The caption stands below the figure on the page, where it wraps, and not within it.
    caption = element.figure.get_supxlabel()
    svg = inline(render(element.figure, "svg", captioned=False), f"f{k}", element.title)
    return {
        "title": element.title,
        "svg": Markup(svg),  # noqa: S704 - drawn here, labels escaped
        "caption": re.sub(r"\$(.*?)\$", r"\\(\1\\)", " ".join(caption.split())),
    }
