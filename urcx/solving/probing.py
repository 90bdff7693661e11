"""Probing a solution: the value of a position, and its moves with their values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from urcx.errors import PositionError
from urcx.rules.model import RuleSet
from urcx.rules.position import GameLike, Position, as_position
from urcx.solving.files.tablebase import MoveValue


class Solution(Protocol):
    """What is probed: a `urcx.Tablebase`, or a game that was solved in memory, which has no file.

    ``store`` is the type of its values, ``gap`` how far they were off before they were stored, and
    ``bound`` how far they are off at most; both are None where nothing is proven.
    """

    rules: RuleSet
    store: str
    gap: float | None
    bound: float | None

    @property
    def file(self) -> Path | None:
        """Return the file; None without one."""

    def probe(self, position: Position | str | GameLike) -> float:
        """Return the chance that the player to move wins."""

    def best_moves(self, position: Position | str | GameLike, roll: int) -> tuple[MoveValue, ...]:
        """Return the legal moves for a roll with their values, best first; none for a pass."""


@dataclass(frozen=True)
class ProbedRoll:
    """A roll with one of its legal moves, or None for a pass; ``only`` if there is no other."""

    roll: int
    best: MoveValue | None
    only: bool


@dataclass(frozen=True)
class Probed:
    """The result of probing a position in a solution.

    ``value`` is the probability that the player to move wins, with the error bound ``bound``, so
    between ``lower`` and ``upper``; these three are None if nothing is proven. ``winner`` is
    ``light`` or ``dark`` if the game is over, otherwise None; then ``moves`` are those of the rolls
    asked for, the best of each first.
    """

    base: Solution
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


def probe(base: Solution, position: Position | str, roll: int | None = None) -> Probed:
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
