"""A played game as a drawing: the board as the game stands, and its turns in columns below."""

from __future__ import annotations

import re
from html import escape
from itertools import groupby

from urcx.played.notation import ply_text
from urcx.played.record import PlayedGame, Ply
from urcx.reports.figures.board_svg import STANDALONE, board_svg

LINE = 34.0  # between lines of turns
COLUMN = 15.4  # the width of a character
MOST_COLUMNS = 4
GAP = 3  # characters between columns
VIEW = re.compile(r'viewBox="(\S+) (\S+) (\S+) (\S+)"')


def game_svg(played: PlayedGame) -> str:
    """Return the game as a file of SVG: the same game always gives the same text."""
    title = _title(played)
    board = board_svg(played.game, ways=(), title=title)
    found = VIEW.search(board)
    assert found is not None  # noqa: S101 - of our own drawing
    left, top, width, height = map(float, found.groups())
    words = _words(played)
    widest = max((len(word) for word in words), default=1) + GAP
    columns = max(1, min(MOST_COLUMNS, int(width / (widest * COLUMN))))
    rows = -(-len(words) // columns)
    inside = board.partition("\n")[2].rsplit("</svg>", 1)[0]
    below = top + height + LINE
    lines = [
        f'<text x="{left + 60:g}" y="{below:g}" font-size="28">{escape(title)}</text>',
        '<g font-family="ui-monospace, monospace" font-size="24">',
    ]
    for k, word in enumerate(words):
        x = left + 60 + (k // rows) * width / columns
        y = below + LINE * (1.5 + k % rows)
        lines.append(f'<text x="{x:g}" y="{y:g}">{escape(word)}</text>')
    lines.append("</g>")
    needed = max(width, 120 + COLUMN * (columns - 1 + widest) if columns == 1 else 0)
    tall = height + LINE * (rows + 3)
    head = (
        f'<svg class="game" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="{escape(title, quote=True)}" '
        f'viewBox="{left:g} {top:g} {needed:g} {tall:g}" fill="none" '
        'font-family="system-ui, sans-serif" font-size="24">'
    )
    turns = '<g class="turns" fill="currentColor">\n' + "\n".join(lines) + "\n</g>"
    return f"{head}<style>{STANDALONE}</style>\n{inside}{turns}\n</svg>\n"


def _title(played: PlayedGame) -> str:
    ended = f"{played.winner} has won" if played.winner else "unfinished"
    return f"{played.player('light')} against {played.player('dark')}, {played.rules.name}: {ended}"


def _words(played: PlayedGame) -> list[str]:
    """Return the turns, each as a text; long ones in several."""

    def side(ply: Ply) -> str:
        return ply.side

    found = []
    for number, (who, plies) in enumerate(groupby(played.plies, side), start=1):
        found.append(" ".join((f"{number}.", who[0].upper(), *map(ply_text, plies))))
    return found
