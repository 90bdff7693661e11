"""What an agent that looks ahead computes: leaf evaluation, dice and depth.

An agent of depth d searches each legal move d - 1 plies further (extra rolls and passes are plies
like any other), evaluates the leaves, and plays a move of the highest value. With k plies to go,
the value of a position to the player to move is

    V_0(s) = leaf(s),        V_k(s) = sum_r P(r) max_a +-V_(k-1)(s after a)

with plus after an extra roll and minus if the turn passes; a finished game is worth `Lookahead.won`
to the winner for any k. The leaf evaluation is (pieces home, own - other) * `home` + (steps of the
own pieces on the board - of the other's), and with ``advance+centre`` also +- `centre` for the side
that holds the centre rosette.

All values are integers: V_k is multiplied by the product of the dice's weights so far. So equal
values are exactly equal however they were computed, and ties are exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from urcx.engine.moves import centre_step
from urcx.errors import TooLargeError, UsageError, check_name
from urcx.rules.model import RuleSet

LEAVES = ("advance", "advance+centre")
CENTRE = 4  # the agent of section 3.2
FULL_PLIES = 2  # of the paper's agent: deeper plies see only `FEW_ROLLS`
FEW_ROLLS = (1, 2, 3)
LARGEST = 2**62


@dataclass(frozen=True)
class Lookahead:
    """Leaf evaluation and dice of a search, for one rule set.

    ``home`` is the value of a piece home, ``won`` of a won game, ``centre`` of holding the centre
    rosette at step ``centre_step`` (0: there is none). ``weights[k - 1]`` are the integer weights
    of the rolls (in the order of the dice) with k plies to go, 0 for rolls that are ignored;
    ``scales[k]`` is the scale of V_k, the product of the sums of ``weights[:k]``; ``bound`` exceeds
    the absolute value of every leaf.
    """

    home: int
    won: int
    centre: int
    centre_step: int
    weights: NDArray[np.int64]
    scales: NDArray[np.int64]
    bound: int


def lookahead(rules: RuleSet, depth: int, leaf: str, *, few_rolls: bool) -> Lookahead:
    """Return the leaf evaluation and dice for an agent's depth and leaf.

    Parameters
    ----------
    rules
        The rule set. A piece home is worth L + 2; on Bell's path these are the 16 of the paper's
        agent.
    depth
        The number of plies, the agent's own move included, from 1.
    leaf
        ``advance`` or ``advance+centre``.
    few_rolls
        Whether only the first two plies after the move see all rolls, and deeper ones only 1, 2 and
        3, as in the agent of Raposo and Lamont (section 3.2).

    Raises
    ------
    UsageError
        If the depth is below 1 or there is no such leaf.
    TooLargeError
        If values of this depth do not fit into 64 bits.
    """
    check_name("leaf", leaf, LEAVES)
    home = rules.path.length + 2
    step = centre_step(rules.path)
    centre = CENTRE if leaf == "advance+centre" and step else 0
    best = sorted(range(1, rules.path.length + 1), reverse=True)[: rules.pieces]
    bound = max(
        home * (rules.pieces - k) + sum(best[:k]) for k in range(len(best) + 1)
    ) + centre  # fmt: skip
    found = weighted(rules, depth, home * rules.pieces, bound, few_rolls=few_rolls)
    return replace(found, home=home, centre=centre, centre_step=step)


def weighted(
    rules: RuleSet, depth: int, won: int, bound: int, *, few_rolls: bool = False
) -> Lookahead:
    """Return a look-ahead whose leaves are valued elsewhere: dice, scales and the value of a win.

    Raises
    ------
    UsageError, TooLargeError
        As `lookahead` does.
    """
    if depth < 1:
        raise UsageError(f"depth {depth}: an agent looks at least at its own move, depth 1")
    weights = [_weights(rules, few=few_rolls and depth - k > FULL_PLIES) for k in range(1, depth)]
    scales = [1]
    for row in weights:
        scales.append(scales[-1] * sum(row))
    if scales[-1] * bound * 2 > LARGEST:
        most = next(k for k, scale in enumerate(scales) if scale * bound * 2 > LARGEST)
        raise TooLargeError(
            f"depth {depth}: values do not fit 64 bits with these dice; take at most {most}"
        )
    return Lookahead(
        home=0,
        won=won,
        centre=0,
        centre_step=0,
        weights=np.array(weights, np.int64).reshape(depth - 1, len(rules.dice.rolls)),
        scales=np.array(scales, np.int64),
        bound=bound,
    )


def _weights(rules: RuleSet, *, few: bool) -> list[int]:
    """Return the smallest integers in proportion to the probabilities of the rolls."""
    pairs = list(zip(rules.dice.rolls, rules.dice.probabilities, strict=True))
    few = few and any(roll in FEW_ROLLS for roll, _ in pairs)  # else no roll would be left
    chances = [p if not few or roll in FEW_ROLLS else 0 * p for roll, p in pairs]
    common = math.lcm(*(p.denominator for p in chances))
    whole = [int(p * common) for p in chances]
    shared = math.gcd(*whole)
    return [w // shared for w in whole]
