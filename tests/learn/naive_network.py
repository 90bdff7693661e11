"""A slow network and its backups, one position at a time by the formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import open_steps
from urcx.engine.moves import legal_moves
from urcx.learn.weights import Shape, views
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


def turned(position: Position) -> Position:
    """The same with the sides exchanged: light is to move if dark was."""
    return Position(position.dark, position.light, position.home[::-1], not position.light_to_move)


def decoded(rules: RuleSet, active: list[int]) -> Position:
    """The position, light to move, of which these inputs are 1."""
    length, men = rules.path.length, rules.pieces
    homes = 2 * length
    steps = [at for at in active if at < homes]
    own, other, pool, other_pool = sorted(at - homes for at in active if at >= homes)
    light = tuple(sorted(at + 1 for at in steps if at < length))
    dark = tuple(sorted(at + 1 - length for at in steps if at >= length))
    found = Position(light, dark, (own, other - (men + 1)))
    assert pool == 2 * (men + 1) + men - own - len(light)
    assert other_pool == 3 * (men + 1) + men - found.home[1] - len(dark)
    return found


class Naive:
    """Values of positions by the formula, always seen by the player to move."""

    def __init__(self, rules: RuleSet, shape: Shape, flat: NDArray[np.float32]) -> None:
        self.rules, self.shape, self.net = rules, shape, views(flat, shape)

    def inputs(self, position: Position) -> NDArray[np.float64]:
        if not position.light_to_move:
            position = turned(position)
        length, men = self.rules.path.length, self.rules.pieces
        steps = np.zeros((2, length))
        counts = np.zeros((2, 2, men + 1))
        for side, (own, home) in enumerate(
            zip((position.light, position.dark), position.home, strict=True)
        ):
            steps[side, [step - 1 for step in own]] = 1
            counts[0, side, home] = 1
            counts[1, side, men - home - len(own)] = 1
        plain = np.concatenate([steps.ravel(), counts.ravel()])
        return np.concatenate([plain, self._ahead(position)]) if self.shape.dense else plain

    def _ahead(self, position: Position) -> NDArray[np.float64]:
        """For each open step the chance that the own piece is captured, then the other's."""
        board = self.rules.path.length
        found = np.zeros((2, board + 1))
        for side, seen in ((0, turned(position)), (1, position)):
            mover = replace(seen, light_to_move=True)
            for roll, chance in zip(
                self.rules.dice.rolls, self.rules.dice.probabilities, strict=True
            ):
                lost = set()
                for move in legal_moves(mover, roll, self.rules):
                    lost |= set(mover.dark) - set(move.position.dark)
                found[side, list(lost)] += float(chance)
        steps = open_steps(self.rules)
        return found[:, [k + 1 for k in range(board) if steps >> k & 1]].ravel()

    def value(self, position: Position) -> float:
        net = self.net
        units = self._active(self.inputs(position) @ net.first + net.first_bias)
        if self.shape.later:
            units = self._active(units @ net.second + net.second_bias)
        return float(1 / (1 + np.exp(-(units @ net.last + net.last_bias[0]))))

    def _active(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        clipped = np.clip(sums, 0, 1)
        return clipped**2 if self.shape.squared else clipped

    def backup(self, position: Position, plies: int) -> float:
        """The mean over rolls of the best move's value to the player to move."""
        if plies == 0:
            return self.value(position)
        rolls = zip(self.rules.dice.rolls, self.rules.dice.probabilities, strict=True)
        return sum(float(p) * self.best(position, roll, plies)[0] for roll, p in rolls)

    def best(self, position: Position, roll: int, plies: int) -> tuple[float, Position | None]:
        """The best value after the roll and the position it leads to, None at the game's end."""
        mover = position.light_to_move
        options: list[tuple[float, Position | None]] = []
        for move in legal_moves(position, roll, self.rules):
            after = move.position
            if self.rules.pieces in after.home:
                options.append((1.0, None))
                continue
            value = self.backup(after, plies - 1)
            options.append((value if after.light_to_move == mover else 1 - value, after))
        if not options:
            after = Position(position.light, position.dark, position.home, not mover)
            options.append((1 - self.backup(after, plies - 1), after))
        return max(options, key=lambda option: option[0])
