"""Writing results: to a terminal, as text into a pipe, as JSON or CSV, or to a file."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urcx.engine.files.writing import atomic_file, real_file
from urcx.errors import InterruptedRunError, UrcxError, UsageError, printable
from urcx.reports.display.provenance import provenance
from urcx.results.drawings import Drawing
from urcx.results.layout import LEAST_WIDTH, Line, terminal_width
from urcx.results.wrapping import hang, running, wrap
from urcx.results.writing import (
    PICTURES,
    REMEDY,
    bfile_text,
    commented,
    csv_text,
    json_text,
    lines,
    plain_text,
)

if TYPE_CHECKING:
    from rich.console import Console

    from urcx.results.result import Result

PLOT_SUFFIXES = (".svg", ".png", ".pdf")
MORE = ("latex", "bfile")  # forms that some results have, besides table, json and csv

# Colour only repeats the text, so nothing is lost without it (NO_COLOR, TERM=dumb).
STYLES = {
    "": "",
    "title": "bold",
    "head": "bold",
    "note": "dim",
    "good": "green",
    "fair": "yellow",
    "bad": "bold red",
    "best": "bold green",
    # Drawings. Foreground and background belong together, so they are legible on all terminals.
    "tile": "color(234) on color(223)",
    "other tile": "color(234) on color(230)",
    "rosette": "color(94) on color(223)",
    "other rosette": "color(94) on color(230)",
    "chances": "color(179) on color(25)",
}


def check_writable(file: Path | None) -> None:
    """Raise, before a long computation, any error that writing the file would raise after it."""
    if file is None:
        return
    target = real_file(file)  # a link's target, which may be in another directory
    if target.exists() and not target.is_file() and not target.is_dir():
        return  # opening a pipe or a device now would count as the output
    directory = target.parent if file.is_symlink() else file.parent
    if not directory.is_dir():
        raise UrcxError(f"cannot write {file}: there is no directory {directory}")
    if target.is_dir():
        raise UrcxError(f"cannot write {file}: it is a directory")
    if not os.access(directory, os.W_OK):
        raise UrcxError(f"cannot write {file}: no permission in {directory}")


def check_plot(file: Path | None, output: Path | None) -> None:
    """Raise, before a long computation, any error that drawing to the file would raise after it."""
    if file is not None and output is not None and real_file(file) == real_file(output):
        raise UsageError(f"--plot and --output both name {file}")
    if file is not None and file.suffix.lower() not in PLOT_SUFFIXES:
        raise UsageError(f"cannot draw to {file}: the name must end in {', '.join(PLOT_SUFFIXES)}")
    check_writable(file)


def check_not_read(written: Iterable[Path | None], read: Iterable[Any]) -> None:
    """Raise `UsageError` if a command would write a file that it also reads, or write it twice.

    ``read`` are the values of options: files, lists of files, and strings that may name a file,
    such as the agent ``net:FILE``.
    """
    names = [name for value in read for name in _names(value)]
    targets: list[Path] = []
    for file in written:
        if file is None:
            continue
        target = real_file(file)
        if target in targets:
            raise UsageError(f"{file} would be written twice. Name two different files")
        targets.append(target)
        if target.is_file() and any(_is_file(name, target) for name in names):
            raise UsageError(f"this command reads {file}. Write to another file")


def _names(value: Any) -> list[str]:
    if isinstance(value, list | tuple):
        return [name for item in value for name in _names(item)]
    if isinstance(value, Path):
        return [str(value)]
    # Strings have files between colons and commas, which files' names may also contain. A plain
    # name is a rule set, not a file.
    parts = re.split("([:,])", value) if isinstance(value, str) else []
    ends = range(1, len(parts) + 1, 2)
    return ["".join(parts[k:end]) for end in ends for k in range(0, end, 2) if len(parts) > 1]


def _is_file(name: str, target: Path) -> bool:
    try:
        return target.samefile(name)
    except (OSError, ValueError):  # no such file, or not a file name
        return False


@dataclass(frozen=True)
class Style:
    """How to show a result: its form, and its file (stdout if None).

    ``wide`` shows all tables, columns and notes on terminals of any width. ``remedy`` tells the
    reader how to see omitted parts. With ``header``, forms with comments begin with the provenance.
    """

    form: str = "table"
    file: Path | None = None
    wide: bool = False
    remedy: str = REMEDY
    header: bool = True

    @classmethod
    def chosen(
        cls, *, file: Path | None, wide: bool = False, no_header: bool = False, **forms: bool
    ) -> Style:
        """Return the style for a command's options, after checking that the file can be written."""
        chosen = [name for name, on in forms.items() if on]
        if len(chosen) > 1:
            raise UsageError(f"--{chosen[0]} and --{chosen[1]} exclude each other")
        if wide and chosen:
            raise UsageError("--wide: leave it out, because --json and --csv contain everything")
        if no_header and chosen in ([], ["json"]):
            others = "".join(f" or --{name}" for name in MORE if name in forms)
            raise UsageError(f"--no-header needs --csv{others}")
        check_writable(file)
        if file is not None and file.suffix.lower() in PICTURES:
            raise UsageError(f"cannot write text to {file}. Commands with pictures have --plot")
        return cls("".join(chosen) or "table", file, wide, header=not no_header)

    def show(self, result: Result) -> None:
        """Write a result."""
        result = result.shown
        has_header = self.header and self.form != "table"
        made = provenance(getattr(result, "seed", None)) if has_header else None
        if self.form == "json":
            self.write([json_text(result, made)])
        elif self.form == "csv":
            self.write([csv_text(result, made)])
        elif self.form == "bfile":
            self.write([bfile_text(result, made)])
        elif self.form == "latex":
            self.write([commented(made or {}, "%"), result.latex])
        elif self.file is None and sys.stdout.isatty():
            show(result, wide=self.wide, remedy=self.remedy)
        else:
            self.write([plain_text(result, wide=self.wide, remedy=self.remedy)])

    def show_result(self, result: Any, plot: Path | None = None) -> None:
        """Show a result and its notes, and draw its figure to the file ``plot``, if any.

        The figure is drawn first: a result without one raises before anything is printed.

        Raises
        ------
        InterruptedRunError
            If the result is unfinished.
        """
        drawing = None
        if plot is not None:
            from urcx.reports.figures.figure import figure

            drawing = figure(result)
        self.show(result)
        note(*getattr(result, "notes", ()))
        if drawing is not None and plot is not None:
            from urcx.reports.figures.plots import save

            save(drawing, plot)
        if unfinished := getattr(result, "unfinished", ""):
            raise InterruptedRunError(f"interrupted after {unfinished}")

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


def message(text: str) -> str:
    """Return a message for stderr: one line, wrapped at words if stderr is a terminal."""
    if not sys.stderr.isatty():
        return text
    width = terminal_width()
    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        with contextlib.suppress(OSError):
            width = max(os.get_terminal_size(sys.stderr.fileno()).columns, LEAST_WIDTH)
    return "\n".join(hang(text, width))


def show(result: Result, *, wide: bool = False, remedy: str = REMEDY) -> None:
    """Print answer, text and tables. ``wide`` leaves out nothing at any width."""
    from rich.console import Console
    from rich.text import Text

    width = terminal_width()
    # Rich would accept COLUMNS=0 and print nothing, so lines are laid out here for ``width``.
    console = Console(highlight=False, width=width)

    def print_line(line: Line) -> None:
        styled = Text.assemble(*((text, STYLES[style]) for text, style in line))
        if line and not line[-1][1]:
            styled.rstrip()
        console.print(styled, soft_wrap=True)

    if result.answer:
        answer = "\n".join(wrap(result.answer, width))
        console.print(Text(f"{answer}\n", STYLES["title"]), soft_wrap=True)
    body, tables = result.body, lines(result, width, wide=wide, remedy=remedy)
    if isinstance(body, Drawing) and _has_tones(console):
        shown = body.paint(width)
    else:
        shown = [[(running(body.rstrip("\n"), width), "")]] if body else []
    for line in [*shown, *([[]] if shown and tables else []), *tables]:
        print_line(line)


def can_paint() -> bool:
    """Return whether stdout shows drawings: a terminal with UTF-8 and 256 colours or more."""
    from rich.console import Console

    return sys.stdout.isatty() and _has_tones(Console())


def _has_tones(console: Console) -> bool:
    shades = console.color_system in ("256", "truecolor") and not console.no_color
    return shades and console.encoding.startswith("utf")


def say(text: str) -> None:
    """Print text that is not a result, wrapped at words on a terminal."""
    fits = running(text, terminal_width()) if sys.stdout.isatty() else text
    sys.stdout.write(fits)


def note(*texts: str) -> None:
    """Print messages on stderr, one line each, after all earlier output on stdout."""
    sys.stdout.flush()
    for text in texts:
        sys.stderr.write(message(f"urcx: {printable(text)}") + "\n")
    sys.stderr.flush()
