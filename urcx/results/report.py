"""A report: one result as tables for people, and as JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from urcx import __version__
from urcx.results.fields import Fields
from urcx.results.layout import plain_table
from urcx.results.tables import Table


@dataclass(frozen=True)
class Report:
    """A command's result.

    ``schema`` names the JSON interface (``urcx.ssc/1``); ``data`` are its further members;
    ``records`` are flat rows for CSV, whose header has ``fields`` even if there are no rows;
    ``tables`` and the free text ``body`` are for people. ``row_fields`` are the `Fields` of the
    rows, where they are such.
    """

    schema: str
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]
    tables: Sequence[Table] = ()
    body: str = ""
    fields: Sequence[str] = ()
    row_fields: Fields | None = None

    def json(self) -> str:
        """Return the report as one JSON object, with schema and version first."""
        document = {"schema": self.schema, "version": __version__, **self.data}
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    def csv(self) -> str:
        """Return the rows as CSV with a header line."""
        keys = (key for record in self.records for key in record)
        columns = dict.fromkeys((*self.fields, *keys))
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.records)
        return buffer.getvalue()

    @property
    def whole(self) -> frozenset[str]:
        """Return the columns that CSV and JSON have as texts, and that are whole numbers."""
        return frozenset(one.key for one in self.row_fields or () if one.kind.whole)

    def text(self) -> str:
        """Return the tables as plain text, as wide as they need."""
        parts = [plain_table(table) for table in self.tables]
        return "\n".join([self.body, *parts] if self.body else parts)
