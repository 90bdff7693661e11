"""The page: one HTML file that loads nothing, made from sections by a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jinja2
from markupsafe import Markup

from urcx.reports.book.blocks import Items, Picture, Prose, Section, Sheet
from urcx.reports.book.svg import inline
from urcx.reports.output import Table
from urcx.reports.plots import render

LONG, MEDIUM = 44, 18  # characters of a text column that make it wide on the page


def page(title: str, head: Mapping[str, str], sections: Sequence[Section]) -> str:
    """Return the HTML of a report; ``head`` are the texts below its title, by class."""
    numbers = {"table": 0, "figure": 0}
    views = [_section(section, numbers) for section in sections]
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("urcx.reports", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("report.html.j2")
    return template.render(title=title, head=head, sections=views) + "\n"


def _section(section: Section, numbers: dict[str, int]) -> dict[str, Any]:
    blocks = [_block(block, numbers) for block in section.blocks]
    return {
        "name": section.name,
        "title": section.title,
        "blocks": blocks,
        "entries": [block for block in blocks if block["kind"] in ("table", "figure")],
    }


def _block(block: Any, numbers: dict[str, int]) -> dict[str, Any]:
    match block:
        case Prose():
            return {"kind": "prose", "paragraphs": block.paragraphs}
        case Items():
            return {"kind": "items", "title": block.title, "entries": block.entries}
        case Sheet():
            numbers["table"] += 1
            return _sheet(block, numbers["table"])
        case Picture():
            numbers["figure"] += 1
            return _picture(block, numbers["figure"])
    raise TypeError(block)


def _sheet(block: Sheet, k: int) -> dict[str, Any]:
    table = block.table
    classes = [_class(table, column) for column in range(len(table.heads))]
    return {
        "kind": "table",
        "id": f"table-{block.name}",
        "name": block.name,
        "label": f"Table {k}",
        "title": table.title,
        "obtained": block.obtained,
        "columns": list(zip((head.title for head in table.heads), classes, strict=True)),
        "rows": [list(zip(row, classes, strict=True)) for row in table.rows],
        "notes": table.notes,
    }


def _class(table: Table, column: int) -> str:
    """Return how a column is set: numbers in one line, texts wrapped, as wide as they need."""
    if not table.heads[column].text:
        return "n"
    widest = max((len(row[column]) for row in table.rows), default=0)
    return "t long" if widest > LONG else "t medium" if widest > MEDIUM else "t"


def _picture(block: Picture, k: int) -> dict[str, Any]:
    # The caption stands below the figure on the page, where it wraps, and not within it.
    caption = block.figure.get_supxlabel()
    svg = inline(render(block.figure, "svg", captioned=False), f"f{k}", block.title)
    return {
        "kind": "figure",
        "id": f"figure-{block.name.removeprefix('figure-')}",
        "name": block.name,
        "label": f"Figure {k}",
        "title": block.title,
        "obtained": block.obtained,
        "svg": Markup(svg),  # noqa: S704 - drawn here, labels escaped
        "caption": " ".join(caption.split()),
    }
