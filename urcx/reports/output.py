"""One way to show a result: as a table for people, as JSON or CSV for programs, to a file.

A `Report` holds the same result in all three. On a terminal, tables that are too wide fall apart
into groups of columns, the first column repeated; anywhere else they keep their full width.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from urcx import __version__
from urcx.errors import UrcxError, UsageError, printable

GAP = "  "
PLOT_SUFFIXES = (".svg", ".png", ".pdf")
MOST_OF_A_NAME = 40  # characters of it in the name of a file that is being written


@dataclass(frozen=True)
class Table:
    """A titled table of texts: ``rows`` of as many cells as there are ``columns``.

    Columns whose title starts with ``<`` are left aligned (the sign is not shown), all others
    right. A left-aligned last column wraps on a terminal. Without any title there is no head.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Report:
    """A command's result.

    ``schema`` names the JSON interface (``urcx.ssc/1``); ``data`` are its further members;
    ``records`` are flat rows for CSV; ``tables`` and the free text ``body`` are for people.
    """

    schema: str
    data: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]
    tables: Sequence[Table] = ()
    body: str = ""

    def json(self) -> str:
        """Return the report as one JSON object, with schema and version first."""
        document = {"schema": self.schema, "version": __version__, **self.data}
        return json.dumps(document, indent=2, ensure_ascii=False) + "\n"

    def csv(self) -> str:
        """Return the rows as CSV with a header line."""
        columns = dict.fromkeys(key for record in self.records for key in record)
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.records)
        return buffer.getvalue()

    def text(self) -> str:
        """Return the tables as plain text of whatever width they need."""
        parts = [plain(table) for table in self.tables]
        return "\n".join([self.body, *parts] if self.body else parts)


def number(value: int) -> str:
    """Return an integer with thousands separators."""
    return f"{value:,}"


def counted(value: int, noun: str) -> str:
    """Return a number of things whose plural ends in s, such as ``1 piece``."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def power_of_two(value: int) -> str:
    """Return ``2^34`` for powers of two above 2^20, and the number itself otherwise."""
    exponent = value.bit_length() - 1
    return f"2^{exponent}" if value == 1 << exponent and exponent > 20 else number(value)


def _widths(table: Table) -> list[int]:
    return [
        max([len(title.removeprefix("<")), *(len(row[k]) for row in table.rows)])
        for k, title in enumerate(table.columns)
    ]


def plain(table: Table) -> str:
    """Return a table as plain text, each line ended by a line break."""
    widths = _widths(table)
    head = [title.removeprefix("<") for title in table.columns]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if title.startswith("<") else cell.rjust(width)
            for cell, width, title in zip(cells, widths, table.columns, strict=True)
        )
        return GAP.join(padded).rstrip()

    lines = [table.title, ""] if table.title else []
    if any(head):
        lines += [line(head), GAP.join("-" * width for width in widths)]
    lines += [*map(line, table.rows), ""]
    lines += [f"* {note}" for note in table.notes]
    return "\n".join(lines) + "\n" * (1 + bool(table.notes))


def _wordy(table: Table) -> bool:
    """Return whether a table is mostly text, which wraps better than it falls apart."""
    return sum(title.startswith("<") for title in table.columns) > len(table.columns) / 2


def _groups(table: Table, width: int) -> Iterator[list[int]]:
    """Yield groups of columns that fit a terminal, each with the first column in front.

    A left-aligned last column may wrap, so it only asks for a part of its width.
    """
    widths = [cells + 3 for cells in _widths(table)]  # rich adds a border and two blanks
    if _wordy(table):
        yield list(range(len(widths)))
        return
    last = len(widths) - 1
    if table.columns[last].startswith("<"):
        widths[last] = min(widths[last], 30)
    group = [0]
    for column in range(1, len(widths)):
        used = sum(widths[k] for k in group) + 1
        if len(group) > 1 and used + widths[column] > width:
            yield group
            group = [0]
        group.append(column)
    yield group


def show_on_terminal(report: Report) -> None:
    """Print a report with rich tables, split where the terminal is too narrow."""
    from rich import box  # noqa: PLC0415 - slow to import, and only a terminal needs it
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table as RichTable  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False)
    if report.body:
        console.print(Text(report.body), soft_wrap=True)
    for table in report.tables:
        console.print(Text(table.title, style="bold"))
        for group in _groups(table, console.width):
            headed = any(title.removeprefix("<") for title in table.columns)
            shown = RichTable(box=box.SIMPLE_HEAD, show_header=headed)
            for k in group:
                title = table.columns[k]
                left = title.startswith("<")
                shown.add_column(
                    Text(title.removeprefix("<")),
                    justify="left" if left else "right",
                    overflow="fold",  # nothing is cut off
                    no_wrap=not (left and (_wordy(table) or k == len(table.columns) - 1)),
                )
            for row in table.rows:
                shown.add_row(*(Text(row[k]) for k in group))
            console.print(shown)
        for text in table.notes:
            console.print(Text(f"* {text}", style="dim"))
        if table.notes:
            console.print()


@contextlib.contextmanager
def atomic_file(file: Path, mode: str = "w") -> Iterator[Any]:
    """Open a file that appears under its name only once it is written completely.

    Raises
    ------
    UrcxError
        If it cannot be written; nothing is left behind.
    """
    temporary = None
    encoding = None if "b" in mode else "utf-8"
    try:
        if file.is_dir():
            raise UrcxError(f"cannot write {file}: it is a directory")
        if file.exists() and not file.is_file():
            # A pipe or a device: written to, not replaced.
            with file.open(mode, encoding=encoding) as stream:
                yield stream
            return
        target = real_file(file)  # a link stays one
        # Part of the name only: with what is added it could become too long.
        prefix = f".{target.name[:MOST_OF_A_NAME]}."
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=prefix)
        with os.fdopen(handle, mode, encoding=encoding) as stream:
            yield stream
        # mkstemp makes files that only the owner reads; a file that was there keeps its mode.
        mask = os.umask(0)
        os.umask(mask)
        mode_there = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~mask
        Path(temporary).chmod(mode_there)
        Path(temporary).replace(target)
        temporary = None
    except OSError as error:
        raise UrcxError(f"cannot write {file}: {error.strerror or error}") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def real_file(file: Path) -> Path:
    """Return what a name leads to once all links are followed, which need not be there yet.

    Raises
    ------
    UrcxError
        If links lead round in circles, or the name cannot be looked up.
    """
    try:
        file.stat()
    except FileNotFoundError:
        pass
    except NotADirectoryError:
        raise UrcxError(
            f"cannot write {file}: there is no directory {file.parent}, but a file on the way"
        ) from None
    except OSError as error:
        why = "its links lead round in circles" if error.errno == errno.ELOOP else error.strerror
        raise UrcxError(f"cannot write {file}: {why or error}") from None
    return Path(os.path.realpath(file))


def check_writable(file: Path | None) -> None:
    """Raise before a long computation what writing the file would raise after it."""
    if file is None:
        return
    target = real_file(file)  # what a link leads to is written, and need not lie beside the link
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
    """Raise before a long computation if a figure cannot be drawn to a file of this name."""
    if file is not None and output is not None and real_file(file) == real_file(output):
        raise UsageError(f"--plot and --output both name {file}")
    if file is not None and file.suffix.lower() not in PLOT_SUFFIXES:
        raise UsageError(f"cannot draw to {file}: the name must end in {', '.join(PLOT_SUFFIXES)}")
    check_writable(file)


@dataclass(frozen=True)
class Style:
    """How to show a report: ``table``, ``json`` or ``csv``, and where to (stdout if None)."""

    form: str = "table"
    file: Path | None = None

    @classmethod
    def chosen(cls, *, json: bool, csv: bool, file: Path | None) -> Style:
        """Return the style that a command's options ask for, once the file can be written."""
        if json and csv:
            raise UsageError("--json and --csv exclude each other")
        check_writable(file)
        return cls("json" if json else "csv" if csv else "table", file)

    def show(self, report: Report) -> None:
        """Write a report."""
        if self.form == "json":
            self.write([report.json()])
        elif self.form == "csv":
            self.write([report.csv()])
        elif self.file is None and sys.stdout.isatty():
            show_on_terminal(report)
        else:
            self.write([report.text()])

    def write(self, texts: Iterable[str]) -> None:
        """Write texts as they come."""
        if self.file is None:
            for text in texts:
                sys.stdout.write(text)
        else:
            with atomic_file(self.file) as stream:
                for text in texts:
                    stream.write(text)
            note(f"wrote {self.file}")


def note(text: str) -> None:
    """Say something beside the result: one line on stderr."""
    sys.stderr.write(f"urcx: {printable(text)}\n")
    sys.stderr.flush()
