"""Looking ahead: the values that it computes, and the tree search of one position's moves.

An agent of depth d searches d - 1 plies after each legal move (extra rolls and passes are plies
too), evaluates the leaves, and plays a move of the highest value. With k plies to go, the value of
a position to the player to move is

    V_0(s) = leaf(s),        V_k(s) = sum_r P(r) max_a +-V_(k-1)(s after a)

with plus after an extra roll and minus if the turn passes. A finished game is worth `Lookahead.won`
to the winner for any k. The static evaluation is (own - enemy pieces home) * `home` + (own - enemy
steps on the board). With ``advance+centre``, the side that holds the centre rosette gains `centre`.
Other static evaluations are data (`urcx.agents.evaluations`), and search the full tree
(`urcx.agents.network_tree_kernels`).

All values are integers: V_k is multiplied by the product of the dice's weights so far. So equal
values are exactly equal however they were computed, and ties are exact.

The tree search has the same exact values, because star pruning skips only positions that cannot
change them.

Source: B. W. Ballard, The *-minimax search procedure for trees containing chance nodes, Artificial
Intelligence 21, 1983.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from urcx.agents import search_kernels, search_root_kernels
from urcx.agents.evaluations import (
    NAMED,
    Evaluation,
    largest_leaf,
    leaf_weights,
    rule_weights,
)
from urcx.agents.leaf_kernels import SearchPlan, Terms
from urcx.agents.search_kernels import Memory
from urcx.engine.move_kernels import LENGTH, SHARED
from urcx.engine.moves import Move, centre_step, legal_moves, masks, tables
from urcx.errors import TooLargeError, UsageError, check_name
from urcx.rules.model import CAPTURES, RuleSet, check_flags
from urcx.rules.position import Position

LEAVES = tuple(NAMED)
FULL_PLIES = 2  # of the paper's agent. Deeper plies see only `FEW_ROLLS`
FEW_ROLLS = (1, 2, 3)
LARGEST = 2**62


@dataclass(frozen=True)
class Lookahead:
    """Static evaluation and dice of a search, for one rule set.

    ``home`` is the value of a piece home, ``won`` of a won game, and ``centre`` of holding the
    centre rosette at step ``centre_step`` (0 if there is none). ``weights[k - 1]`` are the integer
    weights of the rolls (in the order of the dice) with k plies to go, 0 for ignored rolls.
    ``scales[k]`` is the scale of V_k, the product of the sums of ``weights[:k]``. ``bound`` exceeds
    the absolute value of every leaf.
    """

    home: int
    won: int
    centre: int
    centre_step: int
    weights: NDArray[np.int64]
    scales: NDArray[np.int64]
    bound: int


def lookahead(rules: RuleSet, depth: int, leaf: str | Evaluation, *, few_rolls: bool) -> Lookahead:
    """Return the static evaluation and dice for an agent's depth and leaf.

    Parameters
    ----------
    rules
        The rule set. A piece home is worth L + 2, which on Bell's path is the 16 of the paper's
        agent.
    depth
        The number of plies, the agent's own move included, from 1.
    leaf
        ``advance`` or ``advance+centre``, or an own evaluation.
    few_rolls
        Whether only the first two plies after the move see all rolls, and deeper plies see only 1,
        2 and 3, like the agent of Raposo and Lamont (section 3.2).

    Raises
    ------
    UsageError
        If the depth is below 1, the leaf is unknown, or its weights do not fit the rule set's path.
    OutOfDomainError
        If the weights are an own evaluation, and the path differs between the sides.
    TooLargeError
        If values of this depth do not fit into 64 bits.
    """
    evaluation = named_evaluation(leaf)
    weights = rule_weights(evaluation, rules)
    if (plain := weights.plain(rules)) is None:
        leaves = leaf_weights(weights, rules)
        bound = largest_leaf(leaves, rules)
        return weighted(rules, depth, leaves.won, bound, few_rolls=few_rolls)
    home, centre = plain
    step = centre_step(rules.path)
    best = sorted(range(1, rules.path.length + 1), reverse=True)[: rules.pieces]
    bound = max(
        home * (rules.pieces - k) + sum(best[:k]) for k in range(len(best) + 1)
    ) + centre  # fmt: skip
    look = weighted(rules, depth, home * rules.pieces, bound, few_rolls=few_rolls)
    return replace(look, home=home, centre=centre, centre_step=step)


def named_evaluation(leaf: str | Evaluation) -> Evaluation:
    """Return an evaluation, or the one that a name stands for."""
    if isinstance(leaf, Evaluation):
        return leaf
    check_name("leaf", leaf, LEAVES)
    return NAMED[leaf]


def weighted(
    rules: RuleSet, depth: int, won: int, bound: int, *, few_rolls: bool = False
) -> Lookahead:
    """Return a look-ahead without a static evaluation: dice, scales and the value of a win.

    Raises
    ------
    UsageError, TooLargeError
        Like `lookahead`.
    """
    if depth < 1:
        raise UsageError(f"depth {depth}: must be at least 1, the agent's own move")
    weights = [_weights(rules, few=few_rolls and depth - k > FULL_PLIES) for k in range(1, depth)]
    scales = [1]
    for row in weights:
        scales.append(scales[-1] * sum(row))
    if scales[-1] * bound * 2 > LARGEST:
        most = next(k for k, scale in enumerate(scales) if scale * bound * 2 > LARGEST)
        raise TooLargeError(
            f"depth {depth}: must be at most {most} with these dice, or values exceed 64 bits"
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
    pairs = list(rules.dice.items())
    few = few and any(roll in FEW_ROLLS for roll, _ in pairs)  # otherwise no roll would be left
    chances = [p if not few or roll in FEW_ROLLS else 0 * p for roll, p in pairs]
    common = math.lcm(*(p.denominator for p in chances))
    weights = [int(p * common) for p in chances]
    shared = math.gcd(*weights)
    return [weight // shared for weight in weights]


STORED = 2  # fewest plies to go for storing a node, as measured
PROBED = 3  # and for probing
TABLE_BITS = range(1, 27)
ROW = 4  # int64s in an entry of the transposition table


class TreeSearch:
    """Exact values and best moves of an agent that looks ahead, one position at a time.

    Bounds of positions are stored in transposition tables, and later calls use them. Only one
    thread may use an object.

    Parameters
    ----------
    rules
        The rule set.
    look
        The agent's look-ahead, made by `urcx.agents.search.lookahead` for the same rule set.
    table_bits
        From 1 to 26. Each number of plies to go, from 2, has a transposition table of 2 to this
        power entries of 32 bytes. New entries replace old ones.
    prune
        Whether to prune and to use the tables. If not, the full tree is searched.
    most_nodes
        The greatest number of positions that a call may visit, or None for any number.

    Raises
    ------
    UsageError
        If ``table_bits`` is out of range.
    TooLargeError
        If the path is too long for the move generator, or a call visits too many positions.
    """

    def __init__(
        self,
        rules: RuleSet,
        look: Lookahead,
        *,
        table_bits: int = 16,
        prune: bool = True,
        most_nodes: int | None = None,
    ) -> None:
        self._rules = rules
        self._ways = tables(rules).ways
        self._plan = plan_for(rules, look, prune=prune)
        self._memory = memory_for(self._plan, table_bits if prune else 1)
        if most_nodes is not None:
            self._memory.nodes[1] = most_nodes

    @property
    def nodes(self) -> int:
        """Return the number of positions that the last call visited, without the leaves."""
        return int(self._memory.nodes[0])

    def values(self, position: Position, roll: int) -> tuple[tuple[Move, Fraction], ...]:
        """Return each legal move with its value to the mover, least advanced piece first.

        Values are in units of the static evaluation. A pass has no value.

        Raises
        ------
        PositionError
            If the position breaks a rule, or the game is over.
        UsageError
            If the dice cannot give the roll.
        """
        moves = legal_moves(position, roll, self._rules)
        out = np.zeros(self._rules.path.length + 1, np.int64)
        self._memory.nodes[0] = 0
        with np.errstate(over="ignore"):  # the hash wraps (compiled code does not warn)
            search_root_kernels.values(*self._arguments(position, roll), out)
        self._check_nodes()
        scale = int(self._plan.scales[-1])
        return tuple((move, Fraction(int(out[move.start]), scale)) for move in moves)

    def best(self, position: Position, roll: int) -> tuple[Move, ...]:
        """Return the moves of the highest value, least advanced piece first, or none for a pass.

        A single legal move is returned without a search.

        Raises
        ------
        PositionError
            If the position breaks a rule, or the game is over.
        UsageError
            If the dice cannot give the roll.
        """
        moves = legal_moves(position, roll, self._rules)
        self._memory.nodes[0] = 0
        with np.errstate(over="ignore"):
            chosen = int(search_root_kernels.best(*self._arguments(position, roll)))
        self._check_nodes()
        return tuple(move for move in moves if chosen >> move.start & 1)

    def _check_nodes(self) -> None:
        most = int(self._memory.nodes[1])
        if self.nodes > most:
            raise TooLargeError(
                f"this depth needs more than {most:,} positions here. Use a smaller depth"
            )

    def _arguments(self, position: Position, roll: int) -> tuple[object, ...]:
        side, (own, own_home, other, other_home) = mover_state(position)
        place = (own, other, own_home, other_home, side)
        return self._ways, self._plan, self._memory, place, roll


def mover_state(position: Position) -> tuple[int, tuple[int, int, int, int]]:
    """Return the side to move (0 for light), and both sides' pieces on the board and home.

    The pieces of the player to move come first.
    """
    side = int(not position.light_to_move)
    board, home = masks(position), position.home
    return side, (board[side], home[side], board[1 - side], home[1 - side])


def plan_for(rules: RuleSet, look: Lookahead, *, prune: bool = True) -> SearchPlan:
    """Return the arrays of a look-ahead for kernels, for a rule set."""
    check_flags("look-ahead", rules, CAPTURES)
    light, dark = tables(rules).ways.tolist()
    # The likeliest rolls come first, because they narrow a node's bounds fastest.
    order = sorted(range(len(rules.dice.rolls)), key=lambda r: -rules.dice.probabilities[r])
    rolls = [rules.dice.rolls[r] for r in order]
    weights = look.weights[:, order]
    extra = look.home - 1 - min(light[LENGTH], dark[LENGTH])  # by bearing off
    scales = [int(scale) for scale in look.scales]
    rise, fall = [0], [0]
    for k, row in enumerate(weights.tolist(), start=1):
        gain = sum(w * (roll + extra) for w, roll in zip(row, rolls, strict=True) if roll)
        fall.append(rise[-1] * sum(row))
        rise.append(fall[-1] + gain * scales[k - 1])
    # V_k cannot differ by more than twice the bound, and a larger limit could overflow.
    limits = [2 * look.bound * scale for scale in scales]
    terms = Terms(
        home=look.home,
        won=look.won,
        centre=look.centre,
        bound=look.bound,
        extra=extra,
        most=max(rolls) + extra,
        exposed=_exposed(light[SHARED], dark[SHARED]),
        turned=int(rules.path.symmetric),
        prune=int(prune),
        stored=STORED,
        probed=PROBED,
    )
    return SearchPlan(
        terms=terms,
        rolls=np.array(rolls, np.int64),
        weights=np.ascontiguousarray(weights),
        scales=np.array(scales, np.int64),
        rise=np.array([min(a, b) for a, b in zip(rise, limits, strict=True)], np.int64),
        fall=np.array([min(a, b) for a, b in zip(fall, limits, strict=True)], np.int64),
    )


def _exposed(light: int, dark: int) -> tuple[int, int]:
    """Return each side's steps up to its last shared tile."""
    return (1 << light.bit_length()) - 1, (1 << dark.bit_length()) - 1


def memory_for(plan: SearchPlan, table_bits: int) -> Memory:
    """Return empty transposition tables and working memory for searches with a plan.

    Raises
    ------
    UsageError
        If ``table_bits`` is not from 1 to 26.
    """
    if table_bits not in TABLE_BITS:
        raise UsageError(
            f"table_bits {table_bits}: must be from {TABLE_BITS[0]} to {TABLE_BITS[-1]}"
        )
    depth = len(plan.scales)
    return Memory(
        table=np.full((max(depth - 2, 1), 1 << table_bits, ROW), -1, np.int64),
        frames=np.zeros((depth, search_kernels.COLUMNS), np.int64),
        rolls=np.zeros((depth, search_kernels.ROLL_ROWS, len(plan.rolls)), np.int64),
        nodes=np.array([0, np.iinfo(np.int64).max], np.int64),
    )
