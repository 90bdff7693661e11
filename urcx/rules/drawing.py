"""Positions on their boards: what stands where, and the board as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from urcx.results.fields import TEXT, Schema, fields_of, member
from urcx.results.report import Report
from urcx.rules.model import Board, GameRules
from urcx.rules.position import Position, check

CELL = 10  # the least width of a tile in columns, its border on one side included


@dataclass(frozen=True)
class Standing:
    """Where all pieces stand in a position, which may be a finished one."""

    rules: GameRules
    position: Annotated[Position, member("", TEXT, "the position")]

    @property
    @member(about="who is to move: light or dark")
    def to_move(self) -> str:
        """Return who is to move, ``light`` or ``dark``."""
        return "light" if self.position.light_to_move else "dark"

    @property
    @member(about="light's pieces in the pool (start) and home")
    def light(self) -> dict[str, int]:
        """Return how many of light's pieces are in the pool (``start``) and ``home``."""
        return self._pools(self.position.light, self.position.home[0])

    @property
    @member(about="dark's")
    def dark(self) -> dict[str, int]:
        """Return dark's."""
        return self._pools(self.position.dark, self.position.home[1])

    @property
    @member(about="by name of a tile, who stands there on which step")
    def tiles(self) -> dict[str, str]:
        """Return who stands on each tile that is held, such as ``light 4``."""
        place, path = self.position, self.rules.path
        sides = ("light", place.light, path.light), ("dark", place.dark, path.dark)
        return {way[step - 1]: f"{side} {step}" for side, steps, way in sides for step in steps}

    def _pools(self, steps: tuple[int, ...], home: int) -> dict[str, int]:
        return {"start": self.rules.pieces - len(steps) - home, "home": home}

    def text(self) -> str:
        """Return the board as text, with both sides' pools below it."""
        light, dark = self.light, self.dark
        return (
            f"{draw_position(self.rules.path.board, self.tiles)}\n"
            f"light: {light['start']} to start, {light['home']} home\n"
            f"dark: {dark['start']} to start, {dark['home']} home\n"
        )

    def report(self) -> Report:
        """Return the position drawn on its board; raises `PositionError` if it breaks a rule."""
        check(self.position, self.rules.path, self.rules.pieces)
        head = f"{self.position} ({self.rules.name}), {self.to_move} to move"
        return Report(SHOWN.name, SHOWN.data(self), [], body=f"{head}\n\n{self.text()}")


SHOWN = Schema("urcx.position/1", {"": fields_of(Standing)})


def draw_position(board: Board, labels: dict[str, str]) -> str:
    """Return the board as text, rows of tiles from 1 down; a rosette has a star.

    ``labels`` are written under the tiles' names; those too long for one line take a second.
    """
    columns = sorted({tile[0] for tile in board.tiles})
    last = max(int(tile[1:]) for tile in board.tiles)

    def on(column: int, row: int) -> bool:
        return 0 <= column < len(columns) and f"{columns[column]}{row}" in board.tiles

    cell = max([CELL, *(len(word) + 1 for text in labels.values() for word in text.split())])
    lines = []
    for row in range(1, last + 2):
        edge = ""
        for c in range(len(columns) + 1):
            left = on(c - 1, row) or on(c - 1, row - 1)
            right = on(c, row) or on(c, row - 1)
            side = on(c, row) or on(c, row - 1) or on(c - 1, row) or on(c - 1, row - 1)
            edge += "+" if side or left or right else " "
            if c < len(columns):
                edge += ("-" if right else " ") * (cell - 1)
        lines.append(edge.rstrip())
        if row > last:
            break
        names, first, second = "", "", ""
        for c in range(len(columns) + 1):
            bar = "|" if on(c, row) or on(c - 1, row) else " "
            tile = f"{columns[c]}{row}" if c < len(columns) else ""
            there = c < len(columns) and on(c, row)
            star = "*" if there and tile in board.rosettes else ""
            text = labels.get(tile, "") if there else ""
            head, tail = _split(text, cell - 1)
            names += bar + (f" {tile}{star}" if there else "").ljust(cell - 1)
            first += bar + head.center(cell - 1)
            second += bar + tail.center(cell - 1)
        lines += [names.rstrip(), first.rstrip()]
        if any(len(labels.get(f"{column}{row}", "")) > cell - 1 for column in columns):
            lines.append(second.rstrip())
    return "\n".join(lines) + "\n"


def _split(text: str, width: int) -> tuple[str, str]:
    """Return a label as two lines, the second empty if one is enough."""
    if len(text) <= width:
        return text, ""
    cut = text.rfind(" ", 0, width + 1)
    return text[:cut], text[cut + 1 :]
