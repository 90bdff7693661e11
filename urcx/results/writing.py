"""Output of a result: as JSON and CSV for programs, as a b-file, and as text for people."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from urcx import __version__
from urcx.results.layout import Line, lay_out, terminal_width, text_of
from urcx.results.numbers import count_text
from urcx.results.tables import Table
from urcx.results.wrapping import running, wrap

if TYPE_CHECKING:
    from urcx.results.result import Result

MOST_NOTES = 3  # below an answer
MOST_NAMED = 6  # tables that are not shown, by name
MOST_LINES, USUAL_WIDTH = 40, 80  # of a screen
FEW_ROWS = 5  # so few rows are not worth leaving out
LEAST_ROWS = 6  # of a shortened table
REMEDY = "add --wide"
PICTURES = (".gif", ".jpeg", ".jpg", ".pdf", ".png", ".svg", ".webp")  # no names for texts

# Cells that a spreadsheet would compute. Numbers are safe, and so are texts such as a position,
# -/-/0-0/L, which is not a formula. `WITHIN` are the starts of such cells within a comment.
FORMULA = re.compile(
    r"(?![+-]?(\d[\d.]*|\.\d+)(e[+-]?\d+)?(/\d+)?\Z|[+-](inf|nan)\Z)([=+@\t\r]|-(?!/|\Z))",
    re.IGNORECASE,
)
WITHIN = re.compile(r"(?<=[,;])[=+@-]")


def as_cell(value: Any) -> Any:
    """Return a value as a cell of CSV. An apostrophe precedes strings that look like formulas."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def commented(members: Mapping[str, Any], sign: str = "#") -> str:
    """Return members as comments, a line each with its value as JSON. Empty members are omitted.

    A spreadsheet splits comments into cells, too. JSON can escape the start of a formula.
    """
    present = {name: value for name, value in members.items() if value not in (None, {})}
    text = "".join(f"{sign} {name}: {json.dumps(value)}\n" for name, value in present.items())
    return WITHIN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def json_text(
    result: Result, provenance: Mapping[str, Any] | None = None, indent: int | None = 2
) -> str:
    """Return a result as one JSON object, with schema and version first.

    ``provenance`` tells how the result was made. It comes last, because it is only useful with the
    result. Without ``indent`` the object is on one line, for files of many objects.
    """
    extra = {} if provenance is None else {"provenance": provenance}
    document = {"schema": result.schema, "version": __version__, **result.document(), **extra}
    return json.dumps(document, indent=indent, ensure_ascii=False) + "\n"


def csv_text(result: Result, provenance: Mapping[str, Any] | None = None) -> str:
    """Return the records as CSV with a header line, after ``provenance`` as comments."""
    text = _csv(result, csv.QUOTE_MINIMAL)
    # Programs that leave out comments would cut a row at a # that is not in quotes.
    text = _csv(result, csv.QUOTE_ALL) if "#" in text else text
    return commented(provenance or {}) + text


def _csv(result: Result, quoting: Literal[0, 1]) -> str:
    records = result.records()
    columns = dict.fromkeys(key for record in records for key in record) or result.row_fields.names
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(columns), lineterminator="\n", quoting=quoting)
    writer.writerow({name: as_cell(name) for name in columns})
    writer.writerows({k: as_cell(v) for k, v in row.items()} for row in records)
    return buffer.getvalue()


def bfile_text(result: Result, provenance: Mapping[str, Any] | None = None) -> str:
    """Return the terms of a result as a b-file of the OEIS, after ``provenance`` and remarks."""
    remarks = [f"# {text}\n" for text in result.remarks] if provenance is not None else []
    terms = [f"{n} {term}\n" for n, term in enumerate(result.terms)]
    return "".join([commented(provenance or {}), *remarks, *terms])


def visible(result: Result, *, wide: bool = False) -> tuple[list[Table], str]:
    """Return the tables to show, and a text about the rest. ``wide`` shows everything."""
    tables = list(result.wide_tables() if wide else result.tables())
    if not result.answer or not tables:
        return tables, ""
    tables[0] = replace(tables[0], title="")
    if wide:
        return tables, ""
    first, rest = tables[: result.brief], tables[result.brief :]
    titles = list(dict.fromkeys(re.split(": |, ", table.title)[0] for table in rest))
    missing = [count_text(len(titles), "more table")] if titles else []
    if 0 < len(titles) <= MOST_NAMED:
        missing[0] += f": {', '.join(titles)}"
    room, hidden = MOST_NOTES, 0
    for k, table in enumerate(first):
        first[k] = replace(table, notes=table.notes[:room])
        hidden += max(len(table.notes) - room, 0)
        room = max(room - len(table.notes), 0)
    missing += [count_text(hidden, "more note")] if hidden else []
    return first, "; ".join(missing)


def lines(
    result: Result, width: int | None = None, *, wide: bool = False, remedy: str = REMEDY
) -> list[Line]:
    """Return a result's tables as lines for a terminal of ``width``, by default as wide as needed.

    Below an answer, unless ``wide``, long tables are cut so all tables fit a screen, except if only
    a few rows of each would be missing. ``remedy`` tells readers of a part how to see everything.
    """
    tables, unseen = visible(result, wide=wide)
    longest = max((len(table.rows) for table in tables), default=0)

    def cut_to(rows: int) -> list[Line]:
        cut = [replace(table, rows=table.rows[:rows]) for table in tables]
        hidden = sum(max(len(table.rows) - rows, 0) for table in tables)
        parts = [count_text(hidden, "more row")] * (hidden > 0) + [unseen] * (unseen != "")
        return lay_out(cut, width, wide=wide, remedy=remedy, further="; ".join(parts))

    full = cut_to(longest)
    room = MOST_LINES * USUAL_WIDTH // min(width or USUAL_WIDTH, USUAL_WIDTH)
    room -= len(wrap(result.answer, width or USUAL_WIDTH)) + 1
    if wide or not result.answer or len(full) <= room + 1:  # the last one is empty
        return full
    low, high = LEAST_ROWS, max(min(longest, room), LEAST_ROWS)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(cut_to(middle)) <= room + 1 else (low, middle - 1)
    return cut_to(low) if longest - low > FEW_ROWS else full


def plain_text(result: Result, *, wide: bool = False, remedy: str = REMEDY) -> str:
    """Return answer, text and tables as plain text, as wide as they need."""
    head = [f"{part}\n" for part in (result.answer, result.body.rstrip("\n")) if part]
    tables = text_of(lines(result, wide=wide, remedy=remedy))
    return "\n".join([*head, tables] if tables else head)


def terminal_text(result: Result, remedy: str) -> str:
    """Return a result as plain text laid out for the terminal."""
    width = terminal_width()
    head = ["\n".join(wrap(result.answer, width)) + "\n"] if result.answer else []
    head += [running(result.body, width)] if result.body else []
    return "\n".join([*head, text_of(lines(result, width, remedy=remedy))])
