"""The commands that number the states: rank, unrank, sample."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from urcx.commands import options as opt
from urcx.commands.consent import confirm_long_run
from urcx.commands.options import argument, option
from urcx.errors import PositionError, UrcxError, UsageError
from urcx.reports.display.output import Style, note

if TYPE_CHECKING:
    from urcx.enumerate.rankings.numbered import NumberedPosition
    from urcx.enumerate.rankings.ranking import Ranking
    from urcx.rules.position import Position

T = TypeVar("T")

COLUMNS = ("position", "rank")
# What the conventions make of a position with dark to move.
DARK_TO_MOVE = {
    "diagrams": "diagrams have no side to move: dark's turn is left out of the rank",
    "mover-view": "where dark is to move, the rank is that of the position seen by dark, as light",
}


def map_lines(words: list[str] | None, work: Callable[[str], T]) -> Iterator[T]:
    """Yield the result for each word, or for each line of stdin; an error names the line."""
    if words:
        yield from map(work, words)
        return
    if sys.stdin.isatty():
        note("reading lines from the terminal; end with Ctrl-D")
    number_read = 0
    try:
        for line in sys.stdin:
            number_read += 1
            if said := line.removeprefix("\ufeff").strip():  # UTF-8 files on Windows
                yield work(said)
    except UnicodeDecodeError:
        raise UsageError(f"line {number_read + 1}: not text in UTF-8") from None
    except UrcxError as error:
        sys.stdout.flush()  # keep the output of the lines before
        raise type(error)(f"line {number_read}: {error}") from None


def _numbering(
    path: opt.PathName = None,
    pieces: opt.Pieces = "7",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    convention: opt.Convention = "diagrams",
    order: opt.Order = "tiles",
) -> Any:  # a Ranking, which is imported when it is asked for
    """Return the ranking that the options choose."""
    from urcx.commands import parsing
    from urcx.enumerate.rankings.ranking import ranking

    number, dark = parsing.parse_single(pieces, "pieces"), parsing.dark_number(dark_pieces)
    chosen = parsing.chosen_path(path, path_file)
    return ranking(chosen, number, dark, convention=convention, order=order)


def _fitting(position: Position, numbering: Ranking) -> str:
    """Return a hint at options that fit a position, empty if there are none."""
    from urcx.rules import catalogue
    from urcx.rules.position import check

    least = max(len(position.light) + position.home[0], len(position.dark) + position.home[1], 1)
    pieces = f" -p {least}" if least > min(numbering.pieces, numbering.dark_pieces) else ""
    known = catalogue.catalogue().paths
    for path in {numbering.path.name: numbering.path, **known}.values():
        with contextlib.suppress(PositionError):
            check(position, path, max(least, numbering.pieces))
            other = "" if path.name == numbering.path.name else f" --path {path.name}"
            return f"; it fits{other}{pieces}"
    return ""


def _show_numbers(
    style: Style, numbering: Ranking, numbered: Iterable[NumberedPosition], column: str
) -> None:
    """Write positions and ranks, each at once: ``column`` alone as text, both in JSON and CSV."""
    from urcx.enumerate.rankings.numbered import Ranked, Unranked

    if style.form == "table":
        style.write(f"{getattr(item, column)}\n" for item in numbered)
    elif style.form == "csv":
        style.write(map(_csv_line, chain([COLUMNS], numbered)))
    else:
        style.show((Ranked if column == "rank" else Unranked)(numbering, list(numbered)))


def _written(position: Position, numbering: Ranking, style: Style) -> str:
    """Return a position as people read it, by tiles, or as JSON and CSV have it, by steps."""
    return position.on(numbering.path) if style.form == "table" else str(position)


def _csv_line(cells: Iterable[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue()


@opt.command()
def rank(
    *,
    positions: Annotated[
        list[str] | None,
        argument(
            "POSITION",
            "LIGHT/DARK/HOME/TURN, such as A3/C2,B2/5-5/L. [default: the lines of stdin]",
        ),
    ] = None,
    numbering: Annotated[Any, opt.Group(_numbering)],
    style: Style,
) -> None:
    """Rank positions: print the number of each, one a line.

    urcx rank A3/C2,B2/5-5/L

    urcx sample -p 7 -n 3 | urcx rank -p 7
    """
    from urcx.enumerate.rankings.numbered import NumberedPosition
    from urcx.rules.position import position_on

    noted: list[str] = []  # said once

    def work(text: str) -> NumberedPosition:
        position = position_on(text, numbering.path)
        if not position.light_to_move and not noted:
            noted.append(DARK_TO_MOVE.get(numbering.convention, ""))
            note(*filter(None, noted))
        try:
            return NumberedPosition(str(position), str(numbering.rank(position)))
        except PositionError as error:
            raise PositionError(f"{error}{_fitting(position, numbering)}") from None

    _show_numbers(style, numbering, map_lines(positions, work), "rank")


@opt.command()
def unrank(
    *,
    numbers: Annotated[
        list[str] | None,
        argument("NUMBER", "Ranks, from 0. [default: the lines of stdin]"),
    ] = None,
    numbering: Annotated[Any, opt.Group(_numbering)],
    style: Style,
) -> None:
    """Unrank numbers: print the position of each, one a line.

    urcx unrank 5

    seq 0 9 | urcx unrank -p 7
    """
    from urcx.enumerate.rankings.numbered import NumberedPosition

    def work(text: str) -> NumberedPosition:
        if not re.fullmatch(r"-?[0-9]+", text):
            raise UsageError(f"{text!r} is not a rank, a whole number")
        # Python is slow to read millions of digits, and such a number is outside anyway.
        if len(text.lstrip("-0")) > len(str(numbering.size)):
            raise UsageError(f"rank {text} is outside 0..{numbering.size - 1}")
        number = int(text)
        return NumberedPosition(_written(numbering.unrank(number), numbering, style), str(number))

    _show_numbers(style, numbering, map_lines(numbers, work), "position")


def _counted(items: Iterator[T], update: Callable[[int], None]) -> Iterator[T]:
    """Yield items, and report from time to time how many there were."""
    for k, item in enumerate(items):
        if k % 1000 == 0:
            update(k)
        yield item


@opt.command()
def sample(
    word: opt.PathWord = None,
    path: opt.PathName = None,
    pieces: opt.Pieces = "7",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    n: Annotated[int, option("-n --number", "How many to draw, from 1.")] = 10,
    seed: opt.Seed = 1,
    yes: opt.Yes = False,
    convention: opt.Convention = "diagrams",
    *,
    style: Style,
) -> None:
    """Draw uniformly distributed random positions.

    urcx sample --path masters -p 7 -n 5 --seed 1
    """
    from urcx.commands import parsing
    from urcx.rules import catalogue

    said = parsing.named_path(word, path)
    numbering: Ranking = _numbering(said, pieces, dark_pieces, path_file, convention)
    if n < 1:
        raise UsageError(f"-n {n}: draw at least 1 position")
    catalogue.as_seed(seed)
    from urcx.engine.costs import LINE, SAMPLED, SAMPLED_RECORD, estimate
    from urcx.enumerate.rankings.numbered import NumberedPosition, Sampled
    from urcx.reports.display.progress import progress

    held = style.form != "table"
    work = estimate(
        f"drawing {n:,} positions",
        (n, SAMPLED_RECORD if held else SAMPLED),
        (n if style.file else 0, LINE),
        advice="draw fewer with -n",
    )
    confirm_long_run(work, yes=yes)
    with progress("sampling", n, "positions") as update:
        drawn = _counted(numbering.sample(n, seed), update)
        if not held:  # positions alone, as lines of text
            style.write(f"{_written(position, numbering, style)}\n" for position in drawn)
            return
        rows = [NumberedPosition(str(one), str(numbering.rank(one))) for one in drawn]
    style.show(Sampled(numbering, rows, seed))
