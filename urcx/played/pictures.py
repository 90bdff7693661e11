"""A played game as a drawing: the board with the last position, and the turns in columns below."""

from __future__ import annotations

from html import escape
from itertools import groupby

from urcx.played.notation import ply_text
from urcx.played.record import PlayedGame, Ply
from urcx.rules.pictures import VIEW, board_svg, whole_svg

SIZE = 20  # of the turns' text
LINE = 27.0  # between lines of turns
CHARACTER = 12.1  # the width of a character
INDENT = 60.0
WIDEST = 20  # characters in a line of a turn, unless one ply is wider


def game_svg(played: PlayedGame, *, standalone: bool = True) -> str:
    """Return the game as SVG, for a separate file or as part of a page.

    The same game always gives the same SVG.
    """
    title = _title(played)
    board = board_svg(played.game, ways=(), title=title)
    match = VIEW.search(board)
    assert match is not None
    left, top, width, height = map(float, match.groups())
    words = _words(played)
    column = (max(map(len, words), default=1) + 2) * CHARACTER
    columns = max(1, int((width - INDENT) / column))
    rows = -(-len(words) // columns)
    inside = board.partition("\n")[2].rsplit("</svg>", 1)[0]
    below = top + height + LINE
    lines = [f'<text x="{left + INDENT:g}" y="{below:g}" font-size="28">{escape(title)}</text>']
    lines.append(f'<g font-family="ui-monospace, monospace" font-size="{SIZE}">')
    for k, word in enumerate(words):
        x, y = left + INDENT + (k // rows) * column, below + LINE * (2 + k % rows)
        lines.append(f'<text x="{x:g}" y="{y:g}" xml:space="preserve">{escape(word)}</text>')
    lines.append("</g>")
    turns = '<g class="turns" fill="currentColor">\n' + "\n".join(lines) + "\n</g>"
    view = f"{left:g} {top:g} {width:g} {height + LINE * (rows + 3.5):g}"
    return whole_svg("game", title, view, [inside + turns], standalone=standalone)


def _title(played: PlayedGame) -> str:
    ended = f"{played.winner} has won" if played.winner else "unfinished"
    return f"{played.player('light')} against {played.player('dark')}, {played.rules.name}: {ended}"


def _words(played: PlayedGame) -> list[str]:
    """Return the turns as lines. A long turn has several lines."""

    def side(ply: Ply) -> str:
        return ply.side

    lines = []
    for number, (mover, plies) in enumerate(groupby(played.plies, side), start=1):
        line = lead = f"{number:3d}. {mover[0].upper()}"
        for ply in plies:
            word = ply_text(ply)
            if line != lead and len(line) + 1 + len(word) > WIDEST:
                lines.append(line)
                line = " " * len(lead)
            line += f" {word}"
        lines.append(line)
    return lines
