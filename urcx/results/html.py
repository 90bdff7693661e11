"""Results as HTML for a notebook: plain tables in the page's own colours.

Cells and text set no colour, so the output is legible on light and dark pages. Cells that have a
colour on a terminal are bold here if it marks the best or a bad value. Their text alone is enough.
"""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING

from urcx.results.tables import ColouredText, Column, Table

if TYPE_CHECKING:
    from urcx.results.result import Result

# Notebooks have their own default alignment, so each cell sets it.
PLACE = "padding:0.15em 0.7em;vertical-align:top;"
LEFT = PLACE + "text-align:left"
RIGHT = PLACE + "text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"
TABLE = "border-collapse:collapse;margin:0.6em 0"
RULE = ";border-bottom:1px solid currentColor"
CAPTION = "caption-side:top;text-align:left;color:inherit;font-weight:bold;padding:0.3em 0.7em"
NOTES = "margin:0.3em 0 1em;padding-left:1.9em;font-size:smaller;opacity:0.8"
EMPHASIS = ("bad", "best")  # tones shown in bold


def html(result: Result) -> str:
    """Return a result's answer, text and tables as one HTML element. More tables unfold."""
    parts = [f"<p><strong>{escape(result.answer)}</strong></p>"] if result.answer else []
    parts += [f"<pre>{escape(result.body)}</pre>"] if result.body else []
    tables = result.tables()
    if result.answer:
        tables[:1] = [replace(table, title="") for table in tables[:1]]
    count = result.brief if result.answer else len(tables)
    parts += map(_table, tables[:count])
    if rest := tables[count:]:
        parts += ["<details><summary>more tables</summary>", *map(_table, rest), "</details>"]
    return "\n".join(['<div class="urcx">', *parts, "</div>"])


def _table(table: Table) -> str:
    heads = table.heads
    lines = [f'<table style="{TABLE}">']
    if table.title:
        lines.append(f'<caption style="{CAPTION}">{escape(table.title)}</caption>')
    if any(head.title for head in heads):
        cells = "".join(_head(head) for head in heads)
        lines.append(f"<thead><tr>{cells}</tr></thead>")
    lines.append("<tbody>")
    for row in table.rows:
        cells = "".join(_cell(cell, head) for cell, head in zip(row, heads, strict=True))
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</tbody>\n</table>")
    if table.notes:
        notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
        lines.append(f'<ul style="{NOTES}">{notes}</ul>')
    return "\n".join(lines)


def _head(head: Column) -> str:
    return f'<th scope="col" style="{_side(head)}{RULE}">{escape(head.title)}</th>'


def _cell(cell: str, head: Column) -> str:
    text = escape(cell)
    if isinstance(cell, ColouredText) and cell.tone in EMPHASIS:
        text = f"<strong>{text}</strong>"
    return f'<td style="{_side(head)}">{text}</td>'


def _side(head: Column) -> str:
    return LEFT if head.text else RIGHT
