"""How environments show a state: as text, and as an array of pixels."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.envs.states import Rulebook, State
from urcx.errors import UsageError
from urcx.rules.drawing import Standing

Pixels = NDArray[np.uint8]
RENDER_MODES = ("ansi", "rgb_array", "human")
CELL = 48  # pixels of a tile's side
LINE = 2  # between tiles
GROUND = (247, 243, 232)
TILE = (222, 207, 176)
EDGE = (120, 96, 64)
ROSETTE = (196, 88, 60)
SIDES = ((252, 252, 250), (48, 56, 72))  # light's pieces, dark's
RIM = (20, 20, 20)
DOT = (60, 110, 70)  # of the roll


def chosen_mode(render_mode: str | None) -> str | None:
    """Return a way of rendering; raises `UsageError` if it is unknown."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        known = ", ".join(RENDER_MODES)
        raise UsageError(f"unknown render_mode {render_mode!r}; known: {known}")
    return render_mode


def picture_of(mode: str | None, book: Rulebook, state: State) -> str | Pixels | None:
    """Return the board as text or pixels; print it for ``human``; nothing without a mode."""
    if mode == "rgb_array":
        return pixels_of(book, state)
    if mode == "ansi":
        return board_text(book, state)
    if mode == "human":
        sys.stdout.write(f"{board_text(book, state)}\n")
    return None


def board_text(book: Rulebook, state: State) -> str:
    """Return the board as text, with the roll on a line of its own once the dice are rolled."""
    rolled = f"roll: {state.roll}\n" if state.roll >= 0 else ""
    return f"{book.game(state)}\n{rolled}"


def pixels_of(book: Rulebook, state: State) -> Pixels:
    """Return the board as an array of (height, width, 3) bytes.

    Columns of the board are rows of the picture, light's side at the top. Beyond each side are the
    player's pieces that are not on the board: those in the pool on the left, those home on the
    right. A bar is at the side of who is to move, and dots at the right edge are the roll.
    """
    board = book.rules.path.board
    columns, rows = board.columns, board.rows
    width = max(len(rows) + 1, (book.rules.pieces + 3) // 2)
    image = np.full(((len(columns) + 2) * CELL, width * CELL, 3), GROUND, np.uint8)
    place = {tile: (columns.index(tile[0]) + 1, int(tile[1:]) - rows[0]) for tile in board.tiles}
    for tile, (row, column) in place.items():
        _square(image, row, column, TILE)
        if tile in board.rosettes:
            for radius, colour in ((0.42, ROSETTE), (0.28, TILE), (0.14, ROSETTE)):
                _round(image, (row + 0.5) * CELL, (column + 0.5) * CELL, radius * CELL, colour)
    standing = Standing(book.rules, state.position)
    for tile, who, _ in standing.held:
        row, column = place[tile]
        _disc(image, (row + 0.5) * CELL, (column + 0.5) * CELL, 0.36 * CELL, int(who == "dark"))
    for side, off in enumerate((standing.light, standing.dark)):
        _off_board(image, off, side)
    _roll(image, state)
    return image


def _square(image: Pixels, row: int, column: int, colour: tuple[int, int, int]) -> None:
    top, left = row * CELL, column * CELL
    image[top : top + CELL, left : left + CELL] = EDGE
    image[top + LINE : top + CELL - LINE, left + LINE : left + CELL - LINE] = colour


def _disc(image: Pixels, y: float, x: float, radius: float, side: int) -> None:
    _round(image, y, x, radius, RIM)
    _round(image, y, x, radius - LINE, SIDES[side])


def _round(image: Pixels, y: float, x: float, radius: float, colour: tuple[int, int, int]) -> None:
    rows, columns = np.ogrid[: image.shape[0], : image.shape[1]]
    image[(rows + 0.5 - y) ** 2 + (columns + 0.5 - x) ** 2 <= radius**2] = colour


def _off_board(image: Pixels, off: dict[str, int], side: int) -> None:
    """Draw the pieces in the pool, from the left, and those home, from the right."""
    y = CELL / 2 if side == 0 else image.shape[0] - CELL / 2
    gap = CELL / 2
    for k in range(off["start"]):
        _disc(image, y, (k + 0.6) * gap, 0.18 * CELL, side)
    for k in range(off["home"]):
        _disc(image, y, image.shape[1] - CELL - (k + 0.6) * gap, 0.18 * CELL, side)


def _roll(image: Pixels, state: State) -> None:
    """Draw a bar at the side of who is to move, and as many dots as were rolled."""
    y = 0 if state.side == 0 else image.shape[0] - 4
    image[y : y + 4] = DOT
    high = image.shape[0]
    for k in range(max(state.roll, 0)):
        _round(image, high / 2 + (k - (state.roll - 1) / 2) * 14, image.shape[1] - CELL / 2, 5, DOT)
