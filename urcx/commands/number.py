"""The commands that number states: rank, unrank, sample."""

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
# Notes on positions with dark to move, by convention.
DARK_TO_MOVE = {
    "diagrams": "the rank ignores whose turn it is, because configurations have no side to move",
    "mover-view": "if dark is to move, the rank is of the position with sides exchanged",
}


def map_lines(words: list[str] | None, work: Callable[[str], T]) -> Iterator[T]:
    """Yield the result for each word, or for each line of stdin. Errors name the line's number."""
    if words:
        yield from map(work, words)
        return
    if sys.stdin.isatty():
        note("reading lines from the terminal. End with Ctrl-D")
    number = 0
    try:
        for line in sys.stdin:
            number += 1
            if text := line.removeprefix("\ufeff").strip():  # UTF-8 files on Windows
                yield work(text)
    except UnicodeDecodeError:
        raise UsageError(f"line {number + 1}: must be text in UTF-8") from None
    except UrcxError as error:
        sys.stdout.flush()  # the output of earlier lines
        raise type(error)(f"line {number}: {error}") from None


def _numbering(
    path: opt.PathName = None,
    pieces: opt.Pieces = "7",
    dark_pieces: opt.DarkPieces = None,
    path_file: opt.PathFile = None,
    convention: opt.Convention = "diagrams",
    order: opt.Order = "tiles",
) -> Any:  # a Ranking, whose module is imported below
    """Return the ranking that the options choose."""
    from urcx.commands import parsing
    from urcx.enumerate.rankings.ranking import ranking

    number, dark = parsing.parse_single(pieces, "--pieces"), parsing.dark_number(dark_pieces)
    chosen = parsing.chosen_path(path, path_file)
    return ranking(chosen, number, dark, convention=convention, order=order)


def _fitting(position: Position, numbering: Ranking) -> str:
    """Return a hint with options that fit a position, or an empty string."""
    from urcx.rules import catalogue
    from urcx.rules.position import check

    least = max(len(position.light) + position.home[0], len(position.dark) + position.home[1], 1)
    pieces = f" -p {least}" if least > min(numbering.pieces, numbering.dark_pieces) else ""
    others = catalogue.catalogue().paths
    for path in {numbering.path.name: numbering.path, **others}.values():
        with contextlib.suppress(PositionError):
            check(position, path, max(least, numbering.pieces))
            other = "" if path.name == numbering.path.name else f" --path {path.name}"
            return f". Try:{other}{pieces}"
    return ""


def _show_numbers(
    style: Style, numbering: Ranking, numbered: Iterable[NumberedPosition], column: str
) -> None:
    """Write positions and ranks as they come: as text only ``column``, in JSON and CSV both."""
    from urcx.enumerate.rankings.numbered import Ranked, Unranked

    if style.form == "table":
        style.write(f"{getattr(item, column)}\n" for item in numbered)
    elif style.form == "csv":
        style.write(map(_csv_line, chain([COLUMNS], numbered)))
    else:
        style.show((Ranked if column == "rank" else Unranked)(numbering, list(numbered)))


def _written(position: Position, numbering: Ranking, style: Style) -> str:
    """Return a position's notation: by tiles for people, by steps for JSON and CSV."""
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
            "LIGHT/DARK/HOME/TURN, such as A3/C2,B2/5-5/L, or start. [default: the lines of "
            "standard input]",
        ),
    ] = None,
    numbering: Annotated[Any, opt.Group(_numbering)],
    style: Style,
) -> None:
    """Rank positions: print the rank of each, one per line.

    Ranks are the numbers from 0, one for each state, without gaps.

    urcx rank A3/C2,B2/5-5/L

    urcx sample -p 7 -n 3 | urcx rank -p 7
    """
    from urcx.enumerate.rankings.numbered import NumberedPosition
    from urcx.rules.position import position_on

    notes: list[str] = []  # printed once

    def work(text: str) -> NumberedPosition:
        position = position_on(text, numbering.path)
        if not position.light_to_move and not notes:
            notes.append(DARK_TO_MOVE.get(numbering.convention, ""))
            note(*filter(None, notes))
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
        argument("NUMBER", "Ranks, from 0. [default: the lines of standard input]"),
    ] = None,
    numbering: Annotated[Any, opt.Group(_numbering)],
    style: Style,
) -> None:
    """Unrank numbers: print the position of each rank, one per line.

    This is the inverse of urcx rank.

    urcx unrank 5

    seq 0 9 | urcx unrank -p 7
    """
    from urcx.enumerate.rankings.numbered import NumberedPosition

    def work(text: str) -> NumberedPosition:
        if not re.fullmatch(r"-?[0-9]+", text):
            raise UsageError(f"{text!r} is not a rank: must be an integer")
        # Reading millions of digits is slow, and such a number is too large anyway.
        if len(text.lstrip("-0")) > len(str(numbering.size)):
            raise UsageError(f"rank {text}: must be from 0 to {numbering.size - 1}")
        number = int(text)
        return NumberedPosition(_written(numbering.unrank(number), numbering, style), str(number))

    _show_numbers(style, numbering, map_lines(numbers, work), "position")


def _counted(items: Iterator[T], update: Callable[[int], None]) -> Iterator[T]:
    """Yield the items, and report their number so far from time to time."""
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
    n: Annotated[int, option("-n --number", "Number of positions, from 1.")] = 10,
    seed: opt.Seed = 1,
    yes: opt.Yes = False,
    convention: opt.Convention = "diagrams",
    *,
    style: Style,
) -> None:
    """Draw uniformly distributed random positions.

    Every state is equally likely, and the same seed draws the same positions.

    urcx sample -p 7 -n 3

    urcx sample --path masters -p 7 -n 5 --seed 1
    """
    from urcx.commands import parsing
    from urcx.rules import catalogue

    name = parsing.named_path(word, path)
    numbering: Ranking = _numbering(name, pieces, dark_pieces, path_file, convention)
    if n < 1:
        raise UsageError(f"-n {n}: must be at least 1")
    catalogue.as_seed(seed)
    from urcx.engine.costs import LINE, SAMPLED, SAMPLED_RECORD, estimate
    from urcx.enumerate.rankings.numbered import NumberedPosition, Sampled
    from urcx.reports.display.progress import progress

    document = style.form != "table"
    work = estimate(
        f"drawing {n:,} positions",
        (n, SAMPLED_RECORD if document else SAMPLED),
        (n if style.file else 0, LINE),
        advice="draw fewer with -n",
    )
    confirm_long_run(work, yes=yes)
    with progress("sampling", n, "positions") as update:
        positions = _counted(numbering.sample(n, seed), update)
        if not document:  # only the positions, as lines of text
            style.write(f"{_written(position, numbering, style)}\n" for position in positions)
            return
        rows = [
            NumberedPosition(str(position), str(numbering.rank(position))) for position in positions
        ]
    style.show(Sampled(numbering, rows, seed))
