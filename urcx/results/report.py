"""A report: one result as tables for people, and as JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from urcx import __version__
from urcx.results.fields import Fields, Schema
from urcx.results.layout import Line, lay_out, text_of
from urcx.results.numbers import counted
from urcx.results.tables import Table
from urcx.results.wrapping import wrap

MOST_NOTES = 3  # that are shown with an answer
MOST_NAMED = 6  # tables that are named where they are not shown
MOST_LINES, USUAL_WIDTH = 40, 80  # of a screen
FEW_ROWS = 5  # that are not worth leaving out
LEAST_ROWS = 6  # of a table that is not shown whole

# Cells that a spreadsheet would compute, of which numbers are what they are, and texts such as a
# position, -/-/0-0/L, are no formula; and beginnings of such cells within a comment.
FORMULA = re.compile(
    r"(?![+-]?(\d[\d.]*|\.\d+)(e[+-]?\d+)?(/\d+)?\Z|[+-](inf|nan)\Z)([=+@\t\r]|-(?!/|\Z))",
    re.IGNORECASE,
)
WITHIN = re.compile(r"(?<=[,;])[=+@-]")


def as_cell(value: Any) -> Any:
    """Return a value as a cell of CSV: a text that begins like a formula gets an apostrophe."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def commented(members: Mapping[str, Any], sign: str = "#") -> str:
    """Return members as comments, a line each with its JSON; those that say nothing are omitted.

    A spreadsheet cuts comments into cells, too; JSON can escape what would begin a formula.
    """
    told = {name: value for name, value in members.items() if value not in (None, {})}
    text = "".join(f"{sign} {name}: {json.dumps(value)}\n" for name, value in told.items())
    return WITHIN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@dataclass(frozen=True)
class Report:
    """A command's result.

    ``schema`` names the JSON interface (``urcx.ssc/1``); ``data`` are its further members;
    ``records`` are flat rows for CSV, whose header has ``fields`` even if there are no rows;
    ``tables`` and the free text ``body`` are for people. ``row_fields`` are the `Fields` of the
    rows, where they are such.

    ``answer`` is the sentence that is shown first, with the number that was asked for and how
    certain it is. With it only the first ``brief`` tables are shown, as far as a screen has room,
    with a few notes, and the rest if the reader asks for all; it says what the title of the first
    table does.

    Some have also ``latex``, a text to be put into a paper, and ``terms``, a sequence from a(0) on
    for the OEIS, with ``remarks`` on it.
    """

    schema: str
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]
    tables: Sequence[Table] = ()
    body: str = ""
    fields: Sequence[str] = ()
    row_fields: Fields | None = None
    answer: str = ""
    brief: int = 1
    latex: str = ""
    terms: Sequence[int] = ()
    remarks: Sequence[str] = ()

    @classmethod
    def of(cls, schema: Schema, item: Any, tables: Sequence[Table] = (), **given: Any) -> Report:
        """Return the report of a result whose members its schema says.

        The lists that are parts of the schema are given by their names, and so is what else a
        report has; its ``answer`` is the item's, if it has one. ``rows`` are those of CSV; without
        them the result is one.
        """
        lists = {name: given.pop(name) for name in schema.parts if name in given}
        data = schema.data(item, **lists)
        given.setdefault("answer", getattr(item, "answer", ""))
        if "rows" in lists:
            given.setdefault("fields", schema.keys("rows"))
        return cls(schema.name, data, data.get("rows", [data]), tables, **given)

    def json(self, provenance: Mapping[str, Any] | None = None) -> str:
        """Return the report as one JSON object, with schema and version first.

        ``provenance`` says how it was made; it comes last, as it is of no use without the rest.
        """
        return json.dumps(self._document(provenance), indent=2, ensure_ascii=False) + "\n"

    def _document(self, provenance: Mapping[str, Any] | None) -> dict[str, Any]:
        made = {} if provenance is None else {"provenance": provenance}
        return {"schema": self.schema, "version": __version__, **self.data, **made}

    def line(self, provenance: Mapping[str, Any]) -> str:
        """Return the report as a line of JSON, one of many."""
        return json.dumps(self._document(provenance), ensure_ascii=False) + "\n"

    def csv(self, provenance: Mapping[str, Any] | None = None) -> str:
        """Return the rows as CSV with a header line, after ``provenance`` as comments."""
        text = self._table(csv.QUOTE_MINIMAL)
        # Programs that leave out comments would cut a row at a # that is not in quotes.
        text = self._table(csv.QUOTE_ALL) if "#" in text else text
        return commented(provenance or {}) + text

    def bfile(self, provenance: Mapping[str, Any] | None = None) -> str:
        """Return the terms as a b-file of the OEIS, after ``provenance`` and remarks."""
        remarks = [f"# {text}\n" for text in self.remarks] if provenance is not None else []
        terms = [f"{n} {term}\n" for n, term in enumerate(self.terms)]
        return "".join([commented(provenance or {}), *remarks, *terms])

    def _table(self, quoting: Literal[0, 1]) -> str:
        keys = (key for record in self.records for key in record)
        columns = dict.fromkeys((*self.fields, *keys))
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, list(columns), lineterminator="\n", quoting=quoting)
        writer.writerow({name: as_cell(name) for name in columns})
        writer.writerows({k: as_cell(v) for k, v in row.items()} for row in self.records)
        return buffer.getvalue()

    @property
    def whole(self) -> frozenset[str]:
        """Return the columns that CSV and JSON have as texts, and that are whole numbers."""
        return frozenset(one.key for one in self.row_fields or () if one.kind.whole)

    def shown(self, *, wide: bool = False) -> tuple[list[Table], str]:
        """Return the tables to be shown, and what there is further; ``wide`` shows everything."""
        tables = list(self.tables)
        if not self.answer or not tables:
            return tables, ""
        tables[0] = replace(tables[0], title="")
        if wide:
            return tables, ""
        first, rest = tables[: self.brief], tables[self.brief :]
        further = list(dict.fromkeys(re.split(": |, ", table.title)[0] for table in rest))
        further = further if len(further) <= MOST_NAMED else [counted(len(further), "table")]
        room, hidden = MOST_NOTES, 0
        for k, table in enumerate(first):
            first[k] = replace(table, notes=table.notes[:room])
            hidden += max(len(table.notes) - room, 0)
            room = max(room - len(table.notes), 0)
        further += [counted(hidden, "note")] if hidden else []
        return first, "; ".join(further)

    def lines(
        self, width: int | None = None, *, wide: bool = False, remedy: str = "--wide shows all"
    ) -> list[Line]:
        """Return the tables as lines for a terminal of some width, or as wide as they need.

        Below an answer, unless ``wide``, long tables end so early that all fit a screen; where only
        a few rows of each would be missing, they do not.
        """
        tables, further = self.shown(wide=wide)
        longest = max((len(table.rows) for table in tables), default=0)

        def laid(rows: int) -> list[Line]:
            cut = [replace(table, rows=table.rows[:rows]) for table in tables]
            hidden = sum(max(len(table.rows) - rows, 0) for table in tables)
            more = "; ".join([counted(hidden, "row")] * (hidden > 0) + [further] * (further != ""))
            return lay_out(cut, width, wide=wide, remedy=remedy, further=more)

        whole = laid(longest)
        room = MOST_LINES * USUAL_WIDTH // min(width or USUAL_WIDTH, USUAL_WIDTH)
        room -= len(wrap(self.answer, width or USUAL_WIDTH)) + 1
        if wide or not self.answer or len(whole) <= room + 1:  # the last one is empty
            return whole
        low, high = LEAST_ROWS, max(min(longest, room), LEAST_ROWS)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if len(laid(middle)) <= room + 1 else (low, middle - 1)
        return laid(low) if longest - low > FEW_ROWS else whole

    def text(self, *, wide: bool = False, remedy: str = "--wide shows all") -> str:
        """Return answer, text and tables as plain text, as wide as they need."""
        head = [f"{part}\n" for part in (self.answer, self.body.rstrip("\n")) if part]
        laid = text_of(self.lines(wide=wide, remedy=remedy))
        return "\n".join([*head, laid] if laid else head)
