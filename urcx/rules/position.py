"""Positions and their notation, ``LIGHT/DARK/HOME/TURN``.

``LIGHT`` and ``DARK`` list the pieces on the board, separated by commas, or ``-`` for none. A piece
is written as its tile, such as ``A4,B4``, or as its step on the player's own path, such as ``1,8``.
Output for people has tiles, files and JSON have steps, and both are read everywhere, in any order.
For a tile that a player crosses twice, write the step. ``HOME`` has the numbers of pieces borne
off, ``light-dark``. ``TURN`` is ``L`` or ``D``. All other pieces are in the start pools, so a
position has a meaning only together with a path and numbers of pieces. The start is
``-/-/0-0/L``.

A configuration is a position without a side to move, and is written with ``L``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from urcx.errors import PositionError, UsageError, WrongObjectError, quoted
from urcx.rules.model import Path, RuleSet

__all__ = ["Position", "parse_position"]

NUMBER = re.compile(r"(0|[1-9][0-9]{0,5})\Z")
EXAMPLE = "A3/C2,B2/5-5/L"  # of a position
START = "start"  # another notation of the position in which games begin
TILE = re.compile(r"[A-Za-z][0-9]{1,3}\Z")


@dataclass(frozen=True, order=True)
class Position:
    """The steps of both players' pieces on the board, the pieces home, and the side to move.

    ``light`` and ``dark`` are ascending steps along each player's own path, from 1. ``home`` is a
    pair of light's and dark's number of pieces home. ``light_to_move`` is True on light's turn. The
    object is not validated: `as_position` checks the types, and `check` the rest, with the path and
    the numbers of pieces.
    """

    light: tuple[int, ...] = ()
    dark: tuple[int, ...] = ()
    home: tuple[int, int] = (0, 0)
    light_to_move: bool = True

    def __str__(self) -> str:
        """Return the position in notation, by steps."""
        return self._text(self.light, self.dark)

    def on(self, path: Path) -> str:
        """Return the position in notation, by the tiles of a path that it fits.

        Raises
        ------
        UsageError
            If ``path`` is not a path. Names of paths are not looked up.
        """
        if not isinstance(path, Path):
            raise WrongObjectError("path", Path, path)
        pairs = (self.light, path.light), (self.dark, path.dark)
        return self._text(*([step_name(step, way) for step in steps] for steps, way in pairs))

    def _text(self, light: Iterable[int | str], dark: Iterable[int | str]) -> str:
        pieces = (",".join(map(str, places)) or "-" for places in (light, dark))
        turn = "L" if self.light_to_move else "D"
        return f"{'/'.join(pieces)}/{self.home[0]}-{self.home[1]}/{turn}"

    def turned(self) -> Position:
        """Return the position with the players exchanged, including the side to move."""
        return Position(self.dark, self.light, self.home[::-1], not self.light_to_move)


class GameLike:
    """A position together with its rules: the base of `urcx.Game`, which is in a higher layer.

    It is a class instead of a protocol, because checking whether an object fits a protocol takes
    longer than the rest of making a game.
    """

    rules: RuleSet
    position: Position


def step_name(step: int, way: Sequence[str]) -> str:
    """Return the name of a step of one player's path: its tile, or its number if crossed twice.

    Step 0 is ``start``, and the step after the last one is ``home``.
    """
    if not 1 <= step <= len(way):
        return "home" if step else "start"
    tile = way[step - 1]
    return tile if way.count(tile) == 1 else str(step)


def move_name(start: int, end: int, way: Sequence[str]) -> str:
    """Return a move along one player's path by its tiles, such as ``A4-B1`` or ``start-A1``."""
    return f"{step_name(start, way)}-{step_name(end, way)}"


def step_called(name: str, way: Sequence[str]) -> int:
    """Return the step of one player's path for a tile, ``start`` or ``home``, in any case.

    Raises
    ------
    PositionError
        If the path has no such tile, or crosses the tile more than once.
    """
    steps = [step for step, tile in enumerate(("START", *way, "HOME")) if tile == name.upper()]
    if len(steps) == 1:
        return steps[0]
    if steps:
        either = " or ".join(map(str, steps))
        raise PositionError(f"{name} is crossed more than once. Write its step, {either}")
    raise PositionError(f"{quoted(name)} is not a tile of this path")


def _steps(text: str, field: str, way: Sequence[str] | None) -> tuple[int, ...]:
    if text == "-":
        return ()
    steps = []
    for word in text.split(","):
        if TILE.match(word) and way is not None:
            try:
                steps.append(step_called(word, way))
            except PositionError as error:
                raise PositionError(f"{field} {quoted(text)}: {error}") from None
            continue
        if not NUMBER.match(word) or word == "0":
            kind = "a tile such as A4, a step such as 5," if way else "a step such as 2"
            raise PositionError(f"{field} {quoted(text)}: {quoted(word)} is not {kind} or -")
        steps.append(int(word))
    steps.sort()
    for step, next_step in zip(steps, steps[1:], strict=False):
        if step == next_step:
            raise PositionError(f"{field} {quoted(text)}: two pieces on step {step}")
    return tuple(steps)


def parse_position(text: str) -> Position:
    """Return the position for a text in notation.

    Parameters
    ----------
    text
        A position in notation, ``LIGHT/DARK/HOME/TURN``, such as ``2/3,6/5-5/L``, or ``start``.

    Returns
    -------
    Position

    Raises
    ------
    PositionError
        If the text is not notation. The message names the field and the reason. `urcx.Game` checks
        whether the position fits a path.

    Examples
    --------
    >>> import urcx
    >>> position = urcx.parse_position("2/3,6/5-5/L")
    >>> position.light, position.dark, position.home, position.light_to_move
    ((2,), (3, 6), (5, 5), True)
    >>> str(position), position.on(urcx.path("bell"))
    ('2/3,6/5-5/L', 'A3/C2,B2/5-5/L')
    """
    return position_on(text, None)


def position_on(text: str, path: Path | None) -> Position:
    """Return the position for a text in notation, which may have the tiles of ``path``."""
    if not isinstance(text, str):
        raise WrongObjectError("position", str, text, "a text such as '2/3,6/5-5/L'")
    if text.strip() == START:
        return Position()
    fields = text.strip().split("/")
    if len(fields) != 4:
        count = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
        raise PositionError(
            f"{quoted(text.strip())} is not LIGHT/DARK/HOME/TURN: {count} instead of 4. "
            f"Write {EXAMPLE}, or {START}"
        )
    light = _steps(fields[0], "light", None if path is None else path.light)
    dark = _steps(fields[1], "dark", None if path is None else path.dark)
    home = fields[2].split("-")
    if len(home) != 2 or not all(NUMBER.match(word) for word in home):
        raise PositionError(
            f"home {quoted(fields[2])}: write light's and dark's numbers, such as 0-0"
        )
    if fields[3] not in ("L", "D"):
        raise PositionError(f"turn {quoted(fields[3])}: must be L or D")
    return Position(light, dark, (int(home[0]), int(home[1])), fields[3] == "L")


def as_position(value: Position | str | GameLike, rules: RuleSet | None = None) -> Position:
    """Return a position: the value itself, the position of a game, or a position in notation.

    Parameters
    ----------
    value
        A position, its notation, or a game.
    rules
        The rules that a game must have, and whose tiles a string may name, None if unknown.

    Raises
    ------
    PositionError
        If a string is not valid notation, or a field of a position made by hand has a wrong type.
    UsageError
        If ``value`` has another type, or a game has other rules.
    """
    if isinstance(value, Position):
        return value if _is_typed(value) else _typed(value)
    if isinstance(value, str):
        return position_on(value, None if rules is None else rules.path)
    if isinstance(value, GameLike):
        if rules is not None and not value.rules.plays_like(rules):
            raise UsageError(f"the game is of {value.rules.full_name}, not of {rules.full_name}")
        return value.position
    raise WrongObjectError("position", Position, value, "a text such as '2/3,6/5-5/L'")


def _typed(position: Position) -> Position:
    """Return a position made by hand with fields in Python's integers, and steps ascending."""
    fields = []
    for name, value in (
        ("light", position.light),
        ("dark", position.dark),
        ("home", position.home),
    ):
        try:
            fields.append(tuple(map(index, value)))
        except TypeError:
            raise PositionError(
                f"{name}: must be a tuple of integers, not {quoted(value)}"
            ) from None
    light, dark, home = fields
    if len(home) != 2:
        raise PositionError(
            f"home: must be light's and dark's numbers of pieces, not {quoted(position.home)}"
        )
    turn = position.light_to_move
    if not isinstance(turn, bool):
        raise PositionError(f"light_to_move: must be True or False, not {quoted(turn)}")
    return Position(tuple(sorted(light)), tuple(sorted(dark)), (home[0], home[1]), turn)


def _is_typed(value: Any) -> bool:
    """Return whether a position needs no change. It calls no function, because it runs so often."""
    if value.light_to_move is not True and value.light_to_move is not False:
        return False
    for steps in (value.light, value.dark):
        if steps.__class__ is not tuple:
            return False
        previous = -1
        for step in steps:
            if step.__class__ is not int or step <= previous:
                return False
            previous = step
    home = value.home
    if home.__class__ is not tuple or home[1:] == () or home[2:] != ():
        return False
    return home[0].__class__ is int and home[1].__class__ is int


def check(position: Position, path: Path, pieces: int, dark_pieces: int | None = None) -> None:
    """Raise `PositionError` for the first rule of the board that a position breaks.

    Steps must be on the path, the numbers of pieces must fit, and no tile may hold two pieces.
    "Both home" is valid, because it is a configuration, although no game reaches it.
    """
    numbers = (pieces, pieces if dark_pieces is None else dark_pieces)
    holder: dict[str, str] = {}
    for side, name, steps, way in (
        (0, "light", position.light, path.light),
        (1, "dark", position.dark, path.dark),
    ):
        for step in steps:
            if not 1 <= step <= len(way):
                raise PositionError(
                    f"{name}: step {step} is off the path {path.name}, "
                    f"which has steps 1 to {len(way)}"
                )
            tile = way[step - 1]
            if tile in holder:
                both = "both players are" if holder[tile] != name else f"two pieces of {name} are"
                raise PositionError(f"{name}: {both} on tile {tile}")
            holder[tile] = name
        if position.home[side] < 0:
            raise PositionError(f"home: {position.home[side]} pieces of {name} cannot be home")
        used = len(steps) + position.home[side]
        if used > numbers[side]:
            raise PositionError(
                f"{name}: {len(steps)} on the board and {position.home[side]} home make {used} "
                f"pieces, more than {numbers[side]}"
            )
