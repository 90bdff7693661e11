"""The moves that agents choose in all states of a pair of layers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import (
    FIRST,
    LAST,
    RANDOM,
    TIES,
    Greedy,
    LevelPolicy,
    MistakePolicy,
    RandomPolicy,
    TablePolicy,
    copy_for_thread,
)
from urcx.agents.agents import Agent, agent
from urcx.agents.answer_kernels import AnswerPolicy
from urcx.agents.answers import answer_policy
from urcx.agents.kinds import open_player
from urcx.agents.levels import level_layers, release
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import Policies, coarse, scale_of, with_mistakes
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import UsageError
from urcx.expectations import choice_kernels as kernels
from urcx.rules.model import RuleSet
from urcx.solving.files.header import check_game
from urcx.solving.files.tablebase import Tablebase, open_tablebase
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.layout_kernels import MARGIN, Picks, row_begins
from urcx.sweeps.sweep_kernels import Playing, way_of

ALL_STATES = 10**9  # query count assumed when choosing between tables and search: all states


@dataclass(frozen=True)
class LayerPolicy:
    """A policy that plays by values of all states, layer by layer.

    Attributes
    ----------
    layer : callable
        A function that returns the values of a layer (pieces home of the mover and of the other
        side), in the order of `urcx.solving.layered.order.LayerOrder`. They are the values of the
        player to move, from 0 to ``certain``, of any type of numbers that 64-bit floats represent
        exactly.
    certain : float
        The value of a won game.
    ties : int
        The tie-breaking rule, an index in `urcx.agents.agent_kernels.TIES`.
    tie_width : float
        The greatest difference between the best value and the value of an equally good move.
    release : callable
        A function that releases the memory of the layers that were read.
    """

    layer: Callable[[Layer], NDArray[Any]]
    certain: float = 1.0
    ties: int = FIRST
    tie_width: float = 0.0
    release: Callable[[], None] = lambda: None

    @staticmethod
    def of(policy: Any, order: LayerOrder, threads: int) -> Any:
        """Return a policy by layers for one with values of all states, else the policy itself."""
        if isinstance(policy, LevelPolicy):
            level = level_layers(policy.values, order, threads)
            if level is None:
                return policy
            return LayerPolicy(*level, policy.ties, 0.0, partial(release, policy.values))
        if not isinstance(policy, TablePolicy):
            return policy
        ends = np.sort(np.append(policy.first.ravel(), len(policy.values)))

        def layer(key: Layer) -> NDArray[Any]:
            begin = int(policy.first[key])
            part: NDArray[Any] = policy.values[begin : ends[np.searchsorted(ends, begin, "right")]]
            return part

        return LayerPolicy(layer, policy.certain, policy.ties, policy.tie_width)

    @staticmethod
    def of_tablebase(base: Tablebase, ties: int) -> LayerPolicy:
        """Return optimal play by an open tablebase, which is read layer by layer."""
        certain, tie_width = scale_of(base)
        return LayerPolicy(base.layer, certain, ties, tie_width, base.release)

    def write_picks(self, pair: LayerPair, picks: Picks) -> None:
        """Write the policy's moves in all states of a pair of layers."""
        values = self._values(pair)
        operator = Playing(way_of(pair.rows, 0.0), picks, self.tie_width, self.ties == LAST)
        pair.block.renew(values, values, operator, kept=False)

    def _values(self, pair: LayerPair) -> NDArray[np.float64]:
        """Return the policy's values of all states to which moves from a pair lead.

        The layout is the pair's. With the other side to move, the value is ``certain`` minus that
        side's value.
        """
        values = np.zeros(pair.size)
        values[pair.won :] = self.certain
        for layer in pair.layers:
            values[pair.own(layer)] = self.layer(layer)
        pair.update_turned(values)
        pair.turn_later(lambda layer: partial(_floats, self.layer(layer)), values)
        values[pair.states : pair.won] += self.certain  # turning negates
        self.release()
        return values


def exact_agent(text: str | Agent | CustomAgent) -> Agent:
    """Return an agent, or raise `UsageError` for another program, which is too slow to ask."""
    player = agent(text)
    if player.is_engine:
        raise UsageError(
            f"agent {player.name}: must not be a program in exact figures, which ask an agent in "
            "every state. Play games with it: urcx match"
        )
    return player


def make_policies(
    players: Sequence[Agent], policies: Policies, stack: contextlib.ExitStack
) -> tuple[Any, Any]:
    """Return the policies of light and dark, the same object for equal agents."""
    light = make_policy(players[0], policies, stack)
    return light, light if players[0] == players[1] else make_policy(players[1], policies, stack)


def make_policy(player: Agent, policies: Policies, stack: contextlib.ExitStack) -> Any:
    """Return an agent's policy, without copying its tablebase to memory.

    The stack closes the file.
    """
    if player.is_own:
        return answer_policy(player, policies.rules, policies.stage)
    if player.base is not None:
        return with_mistakes(player, make_policy(player.base, policies, stack))
    if player.kind != "optimal" or layer_obstacle(policies.rules):
        return policies.of(player)
    file = policies.file_of(player)
    if file is None:
        return policies.of(player)
    ties = TIES.index(player.ties)
    if (play := open_player(file)) is not None:
        stack.enter_context(play).check_rules(policies.rules)
        return play.by_layers(ties)
    base = stack.enter_context(open_tablebase(file))
    check_game(file, base.rules, policies.rules)
    policies.notes += [note for note in coarse(base) if note not in policies.notes]
    return LayerPolicy.of_tablebase(base, ties)


def mask_type(rules: RuleSet) -> np.dtype[Any]:
    """Return the type of a mask of moves, at most one for each piece and for each start."""
    return np.dtype(np.uint8 if min(rules.pieces, rules.path.length + 1) <= 8 else np.uint16)


def no_picks(
    order: LayerOrder, rows: int, states: int, *, by_row: bool = False, shared: bool = False
) -> Picks:
    """Return empty picks for a number of rows and states."""
    rolls, kind, stride = len(order.tables.rolls), mask_type(order.rules), states + 2 * MARGIN
    masks = np.zeros(0 if by_row else rolls * stride, kind)
    return Picks(by_row, shared, np.zeros((rolls, rows), kind), masks, stride)


def choose_moves(policy: Any, pair: LayerPair) -> Picks:
    """Return a policy's moves in all states of a pair of layers."""
    if isinstance(policy, MistakePolicy):
        return choose_moves(policy.play, pair)._replace(astray=policy.share)
    policy = LayerPolicy.of(policy, pair.order, pair.threads)
    by_row = isinstance(policy, RandomPolicy | Greedy) or getattr(policy, "by_row", False)
    picks = no_picks(
        pair.order, len(pair.row_ops), pair.states, by_row=by_row, shared=policy.ties == RANDOM
    )
    if isinstance(policy, AnswerPolicy) and not policy.even:
        picks = picks._replace(shares=np.zeros(policy.shares.shape[1] * len(picks.masks)))
    if hasattr(policy, "write_picks"):
        policy.write_picks(pair, picks)
    else:
        own, diagrams = [copy_for_thread(policy) for _ in range(pair.threads)], pair.diagrams()
        pair.each_layer(
            lambda n, i, j: kernels.choose_pair(own[n], diagrams, pair.rows, picks, i, j)
        )
    if not by_row:
        begins = row_begins(pair.rows.begin, pair.rows.rows, pair.rows.columns)
        for r, masks in enumerate(picks.masks.reshape(-1, picks.stride)):
            np.bitwise_or.reduceat(masks[MARGIN:], begins, out=picks.any_of[r])
    return picks


def _floats(values: NDArray[Any], part: slice) -> NDArray[np.float64]:
    return values[part].astype(np.float64)
