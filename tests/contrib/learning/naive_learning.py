"""Backups of a slow network, one position at a time by the formulas."""

from __future__ import annotations

import numpy as np
from naive import passed
from naive_network import logit, seen
from numpy.typing import NDArray

from urcx.contrib.learning.input_kernels import MoverView
from urcx.contrib.learning.weights import Shape, views
from urcx.engine.moves import legal_moves, masks
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

Option = tuple[float, Position | None]  # value of a move, and the next position if the game goes on


def mover_view(position: Position) -> MoverView:
    own, other = masks(seen(position))
    return MoverView(own, seen(position).home[0], other, seen(position).home[1])


class Naive:
    """Values of positions by the formula, from the mover's viewpoint."""

    def __init__(self, rules: RuleSet, shape: Shape, flat: NDArray[np.float32]) -> None:
        self.rules, self.shape, self.net = rules, shape, views(flat, shape)

    def value(self, position: Position) -> float:
        threats, squared = self.shape.dense > 0, self.shape.squared
        found = logit(self.net, position, self.rules, threats=threats, squared=squared)
        return float(1 / (1 + np.exp(-found)))

    def backup(self, position: Position, plies: int) -> float:
        """The mean over rolls of the best move's value to the player to move."""
        if plies == 0:
            return self.value(position)
        rolls = zip(self.rules.dice.rolls, self.rules.dice.probabilities, strict=True)
        return sum(float(p) * self.best(position, roll, plies)[0] for roll, p in rolls)

    def options(self, position: Position, roll: int, plies: int) -> list[Option]:
        """Return the value of each legal move to the mover, and its successor."""
        found: list[Option] = []
        for move in legal_moves(position, roll, self.rules):
            after = move.position
            if self.rules.pieces in after.home:
                found.append((1.0, None))
                continue
            value = self.backup(after, plies - 1)
            same = after.light_to_move == position.light_to_move
            found.append((value if same else 1 - value, after))
        return found

    def best(self, position: Position, roll: int, plies: int) -> Option:
        """The best value after the roll, and the position that it leads to."""
        after = passed(position)
        options = self.options(position, roll, plies)
        return max(
            options or [(1 - self.backup(after, plies - 1), after)], key=lambda option: option[0]
        )
