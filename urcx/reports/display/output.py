"""One way to show a result: as a table for people, as JSON or CSV for programs, to a file.

A `Report` holds the same result in all three forms. On a terminal tables are laid out for its width
(`urcx.reports.display.layout`); anywhere else they keep their full width. Tables are defined in
`urcx.reports.display.tables`, the writing of numbers in `urcx.reports.display.numbers`; both can be
imported from here.
"""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from urcx import __version__
from urcx.engine.files.atomic import atomic_file, real_file
from urcx.errors import UrcxError, UsageError, printable
from urcx.reports.display import terminal
from urcx.reports.display.layout import plain_table
from urcx.reports.display.numbers import counted, grouped, number, power_of_two
from urcx.reports.display.tables import Column, Note, Table, Toned
from urcx.reports.display.wrapping import running

__all__ = [
    "Column",
    "Note",
    "Report",
    "Style",
    "Table",
    "Toned",
    "atomic_file",
    "check_plot",
    "check_writable",
    "counted",
    "grouped",
    "note",
    "number",
    "plain_table",
    "power_of_two",
    "real_file",
    "say",
]

PLOT_SUFFIXES = (".svg", ".png", ".pdf")


@dataclass(frozen=True)
class Report:
    """A command's result.

    ``schema`` names the JSON interface (``urcx.ssc/1``); ``data`` are its further members;
    ``records`` are flat rows for CSV, whose header has ``fields`` even if there are no rows;
    ``tables`` and the free text ``body`` are for people.
    """

    schema: str
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]
    tables: Sequence[Table] = ()
    body: str = ""
    fields: Sequence[str] = ()

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

    def text(self) -> str:
        """Return the tables as plain text, as wide as they need."""
        parts = [plain_table(table) for table in self.tables]
        return "\n".join([self.body, *parts] if self.body else parts)


def check_writable(file: Path | None) -> None:
    """Raise, before a long computation, any error that writing the file would raise after it."""
    if file is None:
        return
    target = real_file(file)  # the link's target is written, which may be in another directory
    if target.exists() and not target.is_file() and not target.is_dir():
        return  # a pipe or a device: opening it now would be taken for the output
    directory = target.parent if file.is_symlink() else file.parent
    if not directory.is_dir():
        raise UrcxError(f"cannot write {file}: there is no directory {directory}")
    if target.is_dir():
        raise UrcxError(f"cannot write {file}: it is a directory")
    if not os.access(directory, os.W_OK):
        raise UrcxError(f"cannot write {file}: no permission in {directory}")


def check_plot(file: Path | None, output: Path | None) -> None:
    """Raise, before a long computation, if a figure cannot be drawn to a file of this name."""
    if file is not None and output is not None and real_file(file) == real_file(output):
        raise UsageError(f"--plot and --output both name {file}")
    if file is not None and file.suffix.lower() not in PLOT_SUFFIXES:
        raise UsageError(f"cannot draw to {file}: the name must end in {', '.join(PLOT_SUFFIXES)}")
    check_writable(file)


def check_not_read(written: Iterable[Path | None], read: Iterable[Any]) -> None:
    """Raise `UsageError` if a file would be written that the same command reads, or another writes.

    ``read`` are options' values: files, lists of them, and texts that may name one, such as the
    agent ``net:FILE``.
    """
    names = [name for value in read for name in _names(value)]
    targets: list[Path] = []
    for file in written:
        if file is None:
            continue
        target = real_file(file)
        if target in targets:
            raise UsageError(f"{file} would be written twice; name two files")
        targets.append(target)
        if target.is_file() and any(_is_file(name, target) for name in names):
            raise UsageError(f"{file} is read by this command; write to another file")


def _names(value: Any) -> list[str]:
    if isinstance(value, list | tuple):
        return [name for one in value for name in _names(one)]
    if isinstance(value, Path):
        return [str(value)]
    # An agent's text names its file after or before a colon; a plain name is of rules, not a file.
    return value.split(":") if isinstance(value, str) and ":" in value else []


def _is_file(name: str, target: Path) -> bool:
    try:
        return target.samefile(name)
    except (OSError, ValueError):  # no file at all, or no name of one
        return False


@dataclass(frozen=True)
class Style:
    """How to show a report: as ``table``, ``json`` or ``csv``, and to which file (stdout if None).

    ``wide`` keeps all columns of a table, however narrow the terminal is.
    """

    form: str = "table"
    file: Path | None = None
    wide: bool = False

    @classmethod
    def chosen(cls, *, json: bool, csv: bool, file: Path | None, wide: bool = False) -> Style:
        """Return the style that a command's options choose; checks that the file can be written."""
        if json and csv:
            raise UsageError("--json and --csv exclude each other")
        if wide and (json or csv):
            raise UsageError("--wide is for tables; --json and --csv have everything")
        check_writable(file)
        return cls("json" if json else "csv" if csv else "table", file, wide)

    def show(self, report: Report) -> None:
        """Write a report."""
        if self.form == "json":
            self.write([report.json()])
        elif self.form == "csv":
            self.write([report.csv()])
        elif self.file is None and sys.stdout.isatty():
            terminal.show(report.body, report.tables, wide=self.wide)
        else:
            self.write([report.text()])

    def write(self, texts: Iterable[str]) -> None:
        """Write texts as they are produced."""
        if self.file is None:
            for text in texts:
                sys.stdout.write(text)
        else:
            with atomic_file(self.file) as stream:
                for text in texts:
                    stream.write(text)
            note(f"wrote {self.file}")


def say(text: str) -> None:
    """Print text other than a result, wrapped at words on a terminal."""
    fits = running(text, terminal.terminal_width()) if sys.stdout.isatty() else text
    sys.stdout.write(fits)


def note(*texts: str) -> None:
    """Print messages on stderr, each of one line."""
    for text in texts:
        sys.stderr.write(terminal.message(f"urcx: {printable(text)}") + "\n")
    sys.stderr.flush()
