"""The command that repeats what a file says it came from: rerun."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from itertools import zip_longest
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from urcx.agents.kinds import ENGINE
from urcx.commands import options as opt
from urcx.commands.options import argument
from urcx.errors import UsageError, printable
from urcx.reading import parse_json, read_some
from urcx.reports.display.output import PLOT_SUFFIXES, Style, note
from urcx.reports.display.provenance import MOST_BYTES, made_by, recorded, versions
from urcx.results.fields import Fields, Schema, fields_of, member
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.tables import key

# Clear, serve, ask, write folders.
NOT_REPEATED = ("cache", "engine", "explore", "play", "report", "rerun")
DRAWN = (*PLOT_SUFFIXES, ".html")
# Options of what is written, or gone on from, beside the result.
WRITTEN = tuple(name for name in opt.NOT_ONLY_READ if name not in ("plot", "sheet", "output"))
OWN = ("version", "provenance", "file")  # of a result of JSON: of its run, not of what was asked
MOST_SHOWN = 20  # differences in the table


@dataclass(frozen=True)
class Difference:
    """A place where two results are not the same."""

    place: Annotated[str, member(key("where"), about="member of JSON, or row and column")]
    before: Annotated[str, member("<in the file", about="what the file has there")]
    now: Annotated[str, member("<now", about="what the command gives now")]


@dataclass(frozen=True)
class Rerun:
    """What became of repeating the command that a file says it came from."""

    file: Annotated[FilePath, member(about="the file", of=str)]
    command: Annotated[str, member(about="the command that it came from")]
    versions: Annotated[
        Mapping[str, str], member(about="what it was made with: urcx, python, numba, numpy")
    ]
    versions_now: Annotated[Mapping[str, str], member(about="the same of this run")]
    rows: tuple[Difference, ...]

    @property
    @member(about="whether the result is the same", after="command")
    def same(self) -> bool:
        """Return whether the command gives the same as the file has."""
        return not self.rows

    def report(self) -> Report:
        """Return whether the result is the same, and where it is not."""
        other = [
            f"{name} {then}, now {self.versions_now.get(name, 'none')}"
            for name, then in self.versions.items()
            if self.versions_now.get(name) != then
        ]
        made = f"versions differ: {'; '.join(other)}" if other else "the versions are the same"
        command = printable(self.command)
        answer = f"{self.file}: the same result again from {command}; {made}"
        if not self.same:
            places = counted(len(self.rows), "place")
            answer = f"{self.file}: another result now from {command}, in {places}; {made}"
        more = len(self.rows) - MOST_SHOWN
        notes = [f"{counted(more, 'difference')} more, which --json has"] if more > 0 else []
        tables = [] if self.same else [DIFFERENCE.table("", self.rows[:MOST_SHOWN], notes)]
        return Report.of(RERUN, self, tables, rows=self.rows, answer=answer)


DIFFERENCE: Fields = fields_of(Difference)
RERUN = Schema("urcx.rerun/1", {"": fields_of(Rerun), "rows": DIFFERENCE})


@opt.command()
def rerun(
    context: typer.Context,
    file: Annotated[
        FilePath,
        argument("FILE", "What urcx wrote: JSON, CSV, a figure, a sheet, LaTeX, a b-file."),
    ],
    yes: opt.Yes = False,
    *,
    style: Style,
) -> None:
    """Repeat the command that a file says it came from, and compare.

    urcx dice --dice binary4 --csv -o dice.csv

    urcx rerun dice.csv

    The file stays as it is. Times and memory are not compared, and files that the command reads are
    read as they are now, except those of paths and rules, which the file has. Ends with 1 if the
    result differs.
    """
    said = recorded(file)
    command = said["command"]
    if command is None:
        raise UsageError(f"{file} was made in Python; there is no command to repeat")
    note(f"repeats {command}")
    results = _repeated(context, said, file.suffix.lower(), yes=yes)
    before = read_some(file, MOST_BYTES)
    after = before if before in results else results[0]
    drawn = file.suffix.lower() in DRAWN
    rows = tuple(_of_figures(before, after) if drawn else _of_texts(before, after))
    found = Rerun(file, command, said["versions"], versions(), rows)
    style.show(found.report())
    if rows:
        raise typer.Exit(1)


def _repeated(
    context: typer.Context, said: Mapping[str, Any], suffix: str, *, yes: bool
) -> list[bytes]:
    """Run a command line, and return what it prints, or writes to files of this suffix."""
    command = said["command"]
    name, words = _words(command)
    if any(sign in word for word in words for sign in (".py", f"{ENGINE}:")) and not yes:
        raise UsageError(f"{command} runs another program; add --yes if you know it")
    group: Any = context.parent and context.parent.command
    if name not in group.commands or name in NOT_REPEATED:
        raise UsageError(f"{command}: this is not repeated; type it yourself")
    with (
        made_by([name, *words], said),
        TemporaryDirectory() as room,
        redirect_stdout(StringIO()) as shown,
        group.commands[name].make_context(name, words, parent=context.parent) as inner,
    ):
        given = inner.params
        if any(given.get(option) is not None for option in WRITTEN):
            raise UsageError(f"{command} writes other files as well; type it yourself")
        target = "output"
        if suffix in DRAWN:
            target = "plot" if "plot" in given and suffix in PLOT_SUFFIXES else "sheet"
            if target not in given:
                raise UsageError(f"{command} draws no figure")
            given[target] = FilePath(f"x{suffix}")
        for option in ("output", "plot", "sheet"):
            if given.get(option) is not None:
                given[option] = FilePath(room) / f"{option}{given[option].suffix}"
        # What a file says is not to have us connect to anywhere, and results do not depend on it.
        given |= {"scheduler": None} if "scheduler" in given else {}
        given |= {"yes": True} if yes and "yes" in given else {}
        with suppress(typer.Exit):  # it has shown its result before
            inner.command.invoke(inner)
        files = sorted(FilePath(room).glob(f"{target}*{suffix}")) if suffix else []
        return [one.read_bytes() for one in files] or [shown.getvalue().encode()]


def _words(command: str) -> tuple[str, list[str]]:
    try:
        program, name, *words = shlex.split(command)
    except ValueError:
        program, name, words = "", "", []
    if program != "urcx":
        raise UsageError(f"{command}: this is no command of urcx")
    return name, words


def _of_figures(before: bytes, after: bytes) -> Iterator[Difference]:
    if before != after:
        sizes = (f"{len(data):,} bytes" for data in (before, after))
        yield Difference("the drawing", *sizes)


def _of_texts(before: bytes, after: bytes) -> Iterator[Difference]:
    yield from _differences("" if before.startswith(b"{") else "row", _read(before), _read(after))


def _read(data: bytes) -> Any:
    """Return what a result of JSON or CSV says, without what is of its run."""
    from urcx.reports.book.elements import timeless

    if data.startswith(b"{"):
        found = timeless(parse_json(data))
        return {name: value for name, value in found.items() if name not in OWN}
    lines = [x for x in data.decode().splitlines(keepends=True) if not x.startswith(("# ", "% "))]
    if data.startswith(b"%") or re.match(r"\d+ -?\d+$", "".join(lines[:1])):  # LaTeX, or a b-file
        return [line.rstrip() for line in lines]
    return timeless(list(csv.DictReader(lines)))


def _differences(place: str, before: Any, after: Any) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys((*before, *after)):
            inner = f"{place}.{name}" if place else str(name)
            yield from _differences(inner, before.get(name), after.get(name))
    elif isinstance(before, list) and isinstance(after, list):
        for k, pair in enumerate(zip_longest(before, after), start=1):
            yield from _differences(f"{place} {k}", *pair)
    elif before != after:
        yield Difference(place, *("" if one is None else str(one) for one in (before, after)))
