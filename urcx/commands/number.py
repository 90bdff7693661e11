"""The commands that number the states: rank, unrank, sample."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from urcx.commands import options as opt
from urcx.commands.consent import agree
from urcx.errors import UrcxError, UsageError
from urcx.reports.output import Report, Style, note
from urcx.rules.position import parse_position

if TYPE_CHECKING:
    from urcx.enumerate.ranking_base import Ranking

T = TypeVar("T")
Convention = Annotated[
    str, typer.Option("--convention", help="What is numbered: diagrams, positions, mover-view.")
]


def _filter(style: Style, work: Callable[[str], str]) -> None:
    """Run a line filter from stdin; an error names the line and leaves the lines before it."""

    def texts() -> Iterator[str]:
        number_read = 0
        try:
            for line in sys.stdin:
                number_read += 1
                if line.strip():
                    yield work(line.strip()) + "\n"
        except UnicodeDecodeError:
            raise UsageError(f"line {number_read + 1}: not text in UTF-8") from None
        except UrcxError as error:
            sys.stdout.flush()
            raise type(error)(f"line {number_read}: {error}") from None

    if sys.stdin.isatty():
        note("reading lines from the terminal; end with Ctrl-D")
    style.write(texts())


def _numbering(
    path: str | None,
    path_file: FilePath | None,
    pieces: str,
    dark_pieces: str | None,
    convention: str,
    order: str,
) -> Ranking:
    """Return the ranking that the options choose."""
    from urcx.enumerate.ranking import ranking  # noqa: PLC0415 - numba is slow to import

    number, dark = opt.parse_single(pieces, "pieces"), opt.dark_number(dark_pieces)
    chosen = opt.chosen_path(path, path_file)
    return ranking(chosen, number, dark, convention=convention, order=order)


def rank(
    path: opt.PathName = None,
    pieces: opt.Pieces = "7",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    convention: Convention = "diagrams",
    order: opt.Order = "tiles",
    output: opt.Output = None,
) -> None:
    """Rank positions: read them from stdin, one a line, print their numbers.

    echo '2/3,6/5-5/L' | urcx rank -p 7
    """
    style = Style.chosen(json=False, csv=False, file=output)
    numbering = _numbering(path, path_file, pieces, dark_pieces, convention, order)
    _filter(style, lambda line: str(numbering.rank(parse_position(line))))


def unrank(
    path: opt.PathName = None,
    pieces: opt.Pieces = "7",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    convention: Convention = "diagrams",
    order: opt.Order = "tiles",
    output: opt.Output = None,
) -> None:
    """Unrank numbers: read them from stdin, one a line, print the positions.

    seq 0 9 | urcx unrank -p 7
    """
    style = Style.chosen(json=False, csv=False, file=output)
    numbering = _numbering(path, path_file, pieces, dark_pieces, convention, order)

    def work(line: str) -> str:
        if not re.fullmatch(r"-?[0-9]+", line):
            raise UsageError(f"{line!r} is not a rank, a whole number")
        # Python takes long to read millions of digits, all of which are outside.
        if len(line.lstrip("-0")) > len(str(numbering.size)):
            raise UsageError(f"rank {line} is outside 0..{numbering.size - 1}")
        return str(numbering.unrank(int(line)))

    _filter(style, work)


def _counted(items: Iterator[T], update: Callable[[int], None]) -> Iterator[T]:
    """Yield items and tell now and then how many there were."""
    for k, item in enumerate(items):
        if k % 1000 == 0:
            update(k)
        yield item


def sample(
    path: opt.PathName = None,
    pieces: opt.Pieces = "7",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    n: Annotated[int, typer.Option("-n", "--number", help="How many to draw.")] = 10,
    seed: opt.Seed = 1,
    yes: opt.Yes = False,
    convention: Convention = "diagrams",
    json: opt.Json = False,
    csv: opt.Csv = False,
    output: opt.Output = None,
) -> None:
    """Draw uniformly distributed random positions, by unranking random numbers.

    urcx sample --path masters -p 7 -n 5 --seed 1
    """
    style = Style.chosen(json=json, csv=csv, file=output)
    numbering = _numbering(path, path_file, pieces, dark_pieces, convention, "tiles")
    if n < 1:
        raise UsageError(f"-n {n}: draw at least 1 position")
    if seed < 0:
        raise UsageError(f"--seed {seed}: seeds are from 0")
    from urcx.commands import estimates as about  # noqa: PLC0415
    from urcx.reports.progress import progress  # noqa: PLC0415

    held = style.form != "table"
    agree(about.drawing(n, held=held, to_file=output is not None), yes=yes)
    with progress("sampling", n, "positions") as update:
        drawn = _counted(numbering.sample(n, seed), update)
        if style.form == "table":
            style.write(f"{position}\n" for position in drawn)
            return
        records = [{"rank": str(numbering.rank(p)), "position": str(p)} for p in drawn]
    data = {
        "path": numbering.path.name,
        "pieces": numbering.pieces,
        "dark_pieces": numbering.dark_pieces,
        "convention": convention,
        "order": numbering.order,
        "states": str(numbering.size),
        "seed": seed,
        "generator": "Python random.Random, randrange",
        "rows": records,
    }
    style.show(Report("urcx.sample/1", data, records))
