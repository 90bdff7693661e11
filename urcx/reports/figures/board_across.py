"""Boards drawn as text from left to right, small enough to play on in a terminal."""

from __future__ import annotations

from collections.abc import Callable

from urcx.rules.model import RuleSet
from urcx.rules.position import Position

WIDE, NARROW = 5, 3  # characters in a tile: a piece with its step, or without


def across(rules: RuleSet, position: Position, width: int = 80) -> str:
    """Return a position as text of at most ``width`` columns, if the board can be so narrow.

    Rows are as in `urcx.reports.figures.board_svg`: light's wing below, tiles from left to right.
    A piece is ``L`` or ``D`` with its step, a rosette ``*``. Where there is no room for steps, they
    are left out.
    """
    board = rules.path.board
    letters = sorted({tile[0] for tile in board.tiles}, reverse=True)
    last = max(int(tile[1:]) for tile in board.tiles)
    inside = WIDE if 2 + (WIDE + 1) * last + 1 <= width else NARROW
    held = _held(rules, position, steps=inside == WIDE)

    def on(row: int, column: int) -> bool:
        there = 0 <= row < len(letters) and 1 <= column <= last
        return there and f"{letters[row]}{column}" in board.tiles

    lines = [f"   {''.join(str(k).center(inside + 1) for k in range(1, last + 1))}".rstrip()]
    for row in range(len(letters) + 1):
        lines.append(f"  {_edge(row, last, inside, on)}".rstrip())
        if row == len(letters):
            break
        cells = ""
        for column in range(1, last + 2):
            cells += "|" if on(row, column) or on(row, column - 1) else " "
            tile = f"{letters[row]}{column}"
            star = "*" if tile in board.rosettes else ""
            text = held.get(tile, "") + star if on(row, column) else ""
            cells += text.center(inside)
        lines.append(f"{letters[row]} {cells}".rstrip())
    return "\n".join(lines) + "\n"


def _held(rules: RuleSet, position: Position, *, steps: bool) -> dict[str, str]:
    """Return what stands on each tile that is taken."""
    return {
        way[step - 1]: f"{letter}{step}" if steps else letter
        for letter, taken, way in (
            ("L", position.light, rules.path.light),
            ("D", position.dark, rules.path.dark),
        )
        for step in taken
    }


def _edge(row: int, last: int, inside: int, on: Callable[[int, int], bool]) -> str:
    """Return the line above a row of tiles."""
    text = ""
    for column in range(1, last + 2):
        corner = any(on(r, c) for r in (row - 1, row) for c in (column - 1, column))
        line = on(row - 1, column) or on(row, column)
        text += ("+" if corner else " ") + ("-" if line else " ") * inside
    return text


def pools_across(rules: RuleSet, position: Position) -> str:
    """Return both sides' numbers of pieces off the board, in a line."""
    words = []
    for side, taken, home in zip(
        ("light", "dark"), (position.light, position.dark), position.home, strict=True
    ):
        words.append(f"{side}: {rules.pieces - len(taken) - home} to start, {home} home")
    return "   ".join(words)
