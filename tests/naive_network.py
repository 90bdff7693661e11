"""A slow network, one position at a time by the formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import open_steps
from urcx.engine.moves import legal_moves
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


def seen(position: Position) -> Position:
    """The position, or the same with the sides exchanged: light is to move."""
    return position if position.light_to_move else position.turned()


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
