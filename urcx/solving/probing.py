"""Probing a tablebase: the value of a position, and its moves with their values."""

from __future__ import annotations

from dataclasses import dataclass

from urcx.errors import PositionError
from urcx.rules.position import Position, as_position
from urcx.solving.files.tablebase import MoveValue, Tablebase


@dataclass(frozen=True)
class ProbedRoll:
    """A roll with one of its legal moves, or None for a pass; ``only`` if there is no other."""

    roll: int
    best: MoveValue | None
    only: bool


@dataclass(frozen=True)
class Probed:
    """The result of probing a position in a tablebase.

    ``value`` is the probability that the player to move wins, with the error bound ``bound``, so
    between ``lower`` and ``upper``; these three are None if nothing is proven. ``winner`` is
    ``light`` or ``dark`` if the game is over, otherwise None; then ``moves`` are those of the rolls
    asked for, the best of each first.
    """

    base: Tablebase
    position: Position
    value: float
    bound: float | None
    winner: str | None
    moves: tuple[ProbedRoll, ...]

    @property
    def lower(self) -> float | None:
        """Return the lower bound of the value."""
        return None if self.bound is None else max(0.0, self.value - self.bound)

    @property
    def upper(self) -> float | None:
        """Return the upper bound of the value."""
        return None if self.bound is None else min(1.0, self.value + self.bound)


def probe(base: Tablebase, position: Position | str, roll: int | None = None) -> Probed:
    """Return a position's value, and its moves with their values, for a roll or for all.

    Raises
    ------
    PositionError
        If the position breaks a rule, or all pieces of both sides are home.
    UsageError
        If the dice cannot give the roll.
    TablebaseError
        If the file is damaged where it has the position, or closed.
    """
    position, rules = as_position(position), base.rules
    if position.home == (rules.pieces, rules.pieces):
        raise PositionError("home: all pieces of both players are home, which no game reaches")
    value = base.probe(position)
    if rules.pieces in position.home:
        winner = "light" if position.home[0] == rules.pieces else "dark"
        return Probed(base, position, value, 0.0, winner, ())
    moves: list[ProbedRoll] = []
    for thrown in rules.dice.rolls if roll is None else (roll,):
        found = base.best_moves(position, thrown)
        moves += [ProbedRoll(thrown, item, len(found) == 1) for item in found or (None,)]
    return Probed(base, position, value, base.bound, None, tuple(moves))
