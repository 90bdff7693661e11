"""The wishes of the agent ``priority`` in plain Python, from the text of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import naive

from urcx.rules.model import RuleSet
from urcx.rules.position import Position

Choice = tuple[int, int, Position]


def lost(before: Position, after: Position, *, light: bool) -> set[int]:
    """Return the steps of a side's pieces that another side's move captures."""
    return set(before.light if light else before.dark) - set(after.light if light else after.dark)


def chance(position: Position, rules: RuleSet, *, light: bool, step: int | None = None) -> Fraction:
    """Return the probability that a side's next roll captures, any piece or the one on a step."""
    at, total = replace(position, light_to_move=light), Fraction(0)
    for roll, share in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
        captured = [
            lost(at, after, light=not light) for _, _, after in naive.moves(at, roll, rules)
        ]
        if any(steps and step in (None, *steps) for steps in captured):
            total += share
    return total


def rank(wish: str, position: Position, move: Choice, rules: RuleSet) -> Fraction | int:
    """Return how well a move meets a wish."""
    start, end, after = move
    light = position.light_to_move
    both = (rules.path.light, rules.path.dark)
    way, enemy_way = both if light else both[::-1]
    tiles = ("pool", *way, "home")
    leaves, reaches, shared = tiles[start], tiles[end], set(way) & set(enemy_way)
    rosettes = rules.path.board.rosettes
    centre = next((a for a, b in zip(*both, strict=False) if a == b and a in rosettes), "none")
    captured = lost(position, after, light=not light)
    again = after.light_to_move == light
    protecting = rosettes if rules.rosette_protects else ()
    safe = way if rules.captures_blocked else protecting
    ranks = {
        "capture": lambda: len(captured),
        "capture-advanced": lambda: max(captured, default=0),
        "rosette": lambda: reaches in rosettes,
        "again": lambda: again,
        "again-capture": lambda: chance(after, rules, light=light) if again else -1,
        "centre": lambda: reaches == centre,
        "stay-centre": lambda: leaves != centre,
        "leave-centre": lambda: leaves == centre,
        "off": lambda: reaches == "home",
        "enter": lambda: leaves == "pool",
        "flee": lambda: chance(position, rules, light=not light, step=start) if start else 0,
        "safe": lambda: chance(after, rules, light=not light, step=end) == 0,
        "haven": lambda: reaches not in shared or reaches in safe,
        "least-risk": lambda: -chance(after, rules, light=not light),
        "into-shared": lambda: reaches in shared and leaves not in shared,
        "out-of-shared": lambda: leaves in shared and reaches not in shared,
        "front": lambda: start,
        "back": lambda: -start,
    }
    return ranks[wish]() if wish in ranks else end == int(wish)  # type: ignore[no-untyped-call]


def wished(
    position: Position, moves: Sequence[Choice], rules: RuleSet, wishes: Sequence[str]
) -> list[Choice]:
    """Return the moves that are left after all wishes."""
    left = list(moves)
    for wish in wishes:
        ranks = [rank(wish, position, move, rules) for move in left]
        left = [move for move, value in zip(left, ranks, strict=True) if value == max(ranks)]
    return left
