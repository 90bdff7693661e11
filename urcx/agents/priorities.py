"""The policy of the agent ``priority`` for one rule set: its wishes as arrays for the kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from urcx.agents import priority_kernels as kernels
from urcx.agents.priority_kernels import STEPS, PriorityPolicy
from urcx.agents.search import LARGEST
from urcx.agents.wishes import STEP
from urcx.engine import move_kernels
from urcx.engine.moves import IntArray, tables
from urcx.errors import TooLargeError, UsageError
from urcx.rules.model import RuleSet
from urcx.strategy.capture import common

ALL = -1  # the mask of all steps
KINDS = {
    "capture": kernels.CAPTURE,
    "again": kernels.AGAIN,
    "front": kernels.FRONT,
    "back": kernels.BACK,
    "capture-advanced": kernels.CAPTURE_ADVANCED,
    "again-capture": kernels.AGAIN_CAPTURE,
    "safe": kernels.SAFE,
    "least-risk": kernels.LEAST_RISK,
    "flee": kernels.FLEE,
}


def priority_policy(rules: RuleSet, wishes: Sequence[str], ties: int) -> PriorityPolicy:
    """Return the policy of some wishes, which breaks ties by a rule, an index of `TIES`.

    Raises
    ------
    UsageError
        If the path or the rules can never meet one of the wishes.
    TooLargeError
        If the probabilities of the dice do not fit into 64 bits as integers.
    """
    ways, path = tables(rules).ways, rules.path
    rows = []
    for wish in wishes:
        if obstacle := _obstacle(rules, wish, ways):
            raise UsageError(f"agent priority: wish {wish!r}: {obstacle}")
        masks = [(ALL, ALL)] * 2 if wish in KINDS else [_steps(wish, way) for way in ways]
        rows.append(
            [KINDS.get(wish, STEPS), *(mask for pair in zip(*masks, strict=True) for mask in pair)]
        )
    below = common(rules.dice)
    if below > LARGEST:
        raise TooLargeError(
            f"agent priority: probabilities in 1/{below} do not fit into 64 bits. Use dice with a "
            "smaller common denominator"
        )
    chances = zip(rules.dice.rolls, rules.dice.probabilities, strict=True)
    dice = [(roll, int(p * below)) for roll, p in chances if 0 < roll <= path.length]
    straight = [
        sum(1 << k for k in range(path.length) if way[move_kernels.ENEMY + 1 + k] == 1 << k)
        for way in ways
    ]
    return PriorityPolicy(
        ties,
        np.array(rows, np.int64).reshape(-1, 5),
        np.array(dice, np.int64).reshape(-1, 2).T.copy(),
        np.array(straight, np.int64),
    )


def _obstacle(rules: RuleSet, wish: str, ways: IntArray) -> str:
    """Return the reason why no move can ever meet a wish, or ""."""
    path, way = rules.path, ways[0]
    shared = way[move_kernels.SHARED]
    open_steps = shared & ~way[move_kernels.GUARDS]
    granting = way[move_kernels.GRANTING] or (way[move_kernels.CAPTURE_GRANTS] and open_steps)
    step = int(wish) if STEP.fullmatch(wish) else 1
    capturing = wish.endswith(("capture", "capture-advanced", "flee"))
    obstacles = {
        f"must be a step from 1 to {path.length} of the path {path.name}": (
            not 1 <= step <= path.length
        ),
        f"the path {path.name} has no centre rosette": (
            wish.endswith("centre") and not way[move_kernels.CENTRE]
        ),
        f"the path {path.name} has no rosette": (
            wish == "rosette" and not way[move_kernels.ROSETTES]
        ),
        f"the path {path.name} has no shared tile": wish.endswith("shared") and not shared,
        f"no piece can be captured by the rules {rules.name}": capturing and not open_steps,
        f"no move grants a roll by the rules {rules.name}": wish.startswith("again")
        and not granting,
    }
    return next((text for text, holds in obstacles.items() if holds), "")


def _steps(wish: str, way: IntArray) -> tuple[int, int]:
    """Return the starts and ends of the moves that a wish prefers, as masks (bit s for step s)."""
    home = 1 << (int(way[move_kernels.LENGTH]) + 1)
    shared = int(way[move_kernels.SHARED]) << 1
    centre = int(way[move_kernels.SAME + way[move_kernels.CENTRE]]) << 1
    if STEP.fullmatch(wish):
        return ALL, 1 << int(wish)
    return {
        "rosette": (ALL, int(way[move_kernels.ROSETTES]) << 1),
        "centre": (ALL, centre),
        "stay-centre": (~centre, ALL),
        "leave-centre": (centre, ALL),
        "off": (ALL, home),
        "enter": (1, ALL),
        "haven": (ALL, ~shared | int(way[move_kernels.GUARDS]) << 1),
        "into-shared": (~shared, shared),
        "out-of-shared": (shared, ~shared),
    }[wish]
