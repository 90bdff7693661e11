"""A slow network and its backups, one position at a time by the formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from naive import passed
from numpy.typing import NDArray

from urcx.agents.networks import open_steps
from urcx.engine.moves import legal_moves, masks
from urcx.learn.input_kernels import MoverView
from urcx.learn.weights import Shape, views
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

Option = tuple[float, Position | None]  # what a move is worth, and where it leads if not to the end


def seen(position: Position) -> Position:
    """The position, or the same with the sides exchanged: light is to move."""
    return position if position.light_to_move else position.turned()


def mover_view(position: Position) -> MoverView:
    own, other = masks(seen(position))
    return MoverView(own, seen(position).home[0], other, seen(position).home[1])


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


def inputs(position: Position, rules: RuleSet) -> NDArray[np.float64]:
    """The inputs of a position before the roll, from the player to move."""
    length, men, light = rules.path.length, rules.pieces, seen(position)
    steps = np.zeros((2, length))
    counts = np.zeros((2, 2, men + 1))
    for side, (own, home) in enumerate(zip((light.light, light.dark), light.home, strict=True)):
        steps[side, [step - 1 for step in own]] = 1
        counts[0, side, home] = 1
        counts[1, side, men - home - len(own)] = 1
    return np.concatenate([steps.ravel(), counts.ravel()])


def last_units(net: Any, rows: NDArray[np.float64], *, squared: bool) -> NDArray[np.float64]:
    """The units that the outputs are of, for rows of inputs, in double precision."""

    def active(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        clipped = np.clip(sums, 0, 1)
        return clipped**2 if squared else clipped

    units = active(rows @ net.first + net.first_bias)
    return active(units @ net.second + net.second_bias) if net.second.shape[1] else units


def captures(position: Position, rules: RuleSet) -> NDArray[np.float64]:
    """For each open step the chance that the next roll takes light's piece there, then dark's."""
    found = np.zeros((2, rules.path.length + 1))
    for side, at in ((0, position.turned()), (1, position)):
        mover = replace(at, light_to_move=True)
        for roll, chance in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
            lost = set()
            for move in legal_moves(mover, roll, rules):
                lost |= set(mover.dark) - set(move.position.dark)
            found[side, list(lost)] += float(chance)
    bare = [step for step in range(1, rules.path.length + 1) if open_steps(rules) >> step - 1 & 1]
    assert not np.delete(found, bare, axis=1).any(), "every capture is on an open step"
    return found[:, bare].ravel()


def logit(net: Any, position: Position, rules: RuleSet, *, threats: bool, squared: bool) -> float:
    """The output before it becomes a chance, of whose turn it is."""
    row = inputs(position, rules)
    if threats:
        row = np.concatenate([row, captures(seen(position), rules)])
    units = last_units(net, row, squared=squared)
    found: float = (units @ net.last + net.last_bias).item()
    return found


class Naive:
    """Values of positions by the formula, always seen by the player to move."""

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
        """What each legal move is worth to the player who makes it, and where it leads."""
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
