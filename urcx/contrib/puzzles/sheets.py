"""Sheets to print: boards side by side, with lines above and below each, on pages of A4.

Pages and boards are SVG (`urcx.rules.pictures`). A file of HTML has all pages, and a browser prints
it as PDF.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path as FilePath

from urcx.contrib.puzzles.search import Puzzles
from urcx.engine.files.writing import atomic_file
from urcx.errors import UsageError
from urcx.game import Game
from urcx.played.record import described
from urcx.reports.display.output import check_writable
from urcx.reports.display.provenance import provenance_text
from urcx.results.numbers import count_text, percent_text
from urcx.rules.pictures import STANDALONE, VIEW, board_svg, whole_svg

SUFFIX = ".html"
WIDTH, HEIGHT = 2100.0, 2970.0  # of a page, in tenths of a millimetre
MARGIN = 130.0
COLUMNS, GAP = 2, 70.0
TITLE, HEAD, TEXT = 52, 40, 34  # sizes of letters
LINE = 1.35  # distance of lines, per size of letters
CSS = (
    "body{margin:0;font-family:system-ui,sans-serif;color-scheme:light dark}"
    "svg.page{display:block;width:100%;max-width:210mm;margin:auto;break-after:page}"
    f"@page{{size:A4;margin:0}}{STANDALONE}"
)


@dataclass(frozen=True)
class Card:
    """A board on a sheet, or no board, with the line above it and the lines below."""

    head: str
    game: Game | None
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class CardSection:
    """Cards under a title."""

    title: str
    cards: Sequence[Card]


def puzzle_sections(result: Puzzles) -> list[CardSection]:
    """Return the section of puzzles, and the section of solutions."""
    posed, solved = [], []
    for puzzle in result.puzzles:
        posed.append(Card(f"{puzzle.number}. {puzzle.asked} ({puzzle.grade})", puzzle.game))
        best, missed = (
            described(puzzle.game, move) for move in (puzzle.solution, puzzle.missed.move)
        )
        lines = [
            (
                f"wins {percent_text(puzzle.wins)}, the next best move "
                f"{percent_text(puzzle.wins - puzzle.margin)}"
            ),
            f"{result.missed_by.name} plays {missed}:",
            f"a loss of {100 * puzzle.missed.regret:.2f} points",
        ]
        if puzzle.prefers is not None:
            verdict = "finds the best move" if puzzle.prefers > 0 else "misses it"
            lines.append(f"the network {verdict}, by {100 * abs(puzzle.prefers):.2f} points")
        solved.append(Card(f"{puzzle.number}. {best}", None, lines))
    title = f"{result.rules.with_pieces}, {count_text(len(posed), 'puzzle')}"
    return [
        CardSection(f"{title}: which move is best?", posed),
        CardSection(f"{title}: solutions", solved),
    ]


def check_sheet(file: FilePath | None) -> None:
    """Raise an error before a long computation if a sheet cannot be written to a file."""
    if file is not None and file.suffix.lower() != SUFFIX:
        raise UsageError(f"--sheet {file}: the name must end in {SUFFIX}")
    check_writable(file)


def save_sheet(puzzles: Puzzles, file: FilePath) -> None:
    """Write puzzles and their solutions as pages of HTML."""
    check_sheet(file)
    sections = puzzle_sections(puzzles)
    head = f'<meta charset="utf-8"><title>{escape(sections[0].title)}</title>'
    head += f'<meta name="description" content="{escape(provenance_text(), quote=True)}">'
    head += f"<style>{CSS}</style>"
    body = "".join(page for section in sections for page in pages(section))
    with atomic_file(file) as stream:
        stream.write(
            f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}</body></html>\n'
        )


def pages(section: CardSection) -> Iterator[str]:
    """Yield a section's pages as SVG. All cards of a section have the same height."""
    board_width = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS
    boards = [
        None if card.game is None else board_svg(card.game, ways=()) for card in section.cards
    ]
    board_height = max((_height(board, board_width) for board in boards), default=0.0)
    lines = max((len(card.lines) for card in section.cards), default=0)
    step = LINE * (HEAD + lines * TEXT) + board_height + GAP
    top = MARGIN + 2 * LINE * TITLE
    rows = max(1, int((HEIGHT - top - MARGIN) / step))
    per_page = rows * COLUMNS
    for first in range(0, max(len(section.cards), 1), per_page):
        parts = [_text(MARGIN, MARGIN + TITLE, section.title, TITLE)]
        for k, card in enumerate(section.cards[first : first + per_page]):
            x = MARGIN + (k % COLUMNS) * (board_width + GAP)
            y = top + (k // COLUMNS) * step
            parts += _card(card, boards[first + k], x, y, board_width)
        view = f"0 0 {WIDTH:g} {HEIGHT:g}"
        yield whole_svg("page", section.title, view, parts, standalone=True)


def _height(board: str | None, wide: float) -> float:
    """Return the height of a board of a given width."""
    if board is None:
        return 0.0
    match = VIEW.search(board)
    assert match is not None
    return wide * float(match[4]) / float(match[3])


def _card(card: Card, board: str | None, x: float, y: float, wide: float) -> list[str]:
    parts = [_text(x, y + HEAD, card.head, HEAD, ' font-weight="600"')]
    y += LINE * HEAD
    if board is not None:
        size = f'x="{x:g}" y="{y:g}" width="{wide:g}" height="{_height(board, wide):.1f}"'
        parts.append(board.replace("<svg ", f"<svg {size} ", 1).rstrip())
        y += _height(board, wide)
    return parts + [
        _text(x, y + TEXT + k * LINE * TEXT, line, TEXT) for k, line in enumerate(card.lines)
    ]


def _text(x: float, y: float, text: str, size: int, more: str = "") -> str:
    return (
        f'<text x="{x:g}" y="{y:.1f}" font-size="{size}" fill="currentColor"{more}>'
        f"{escape(text)}</text>"
    )
