"""Following games for every path, with tiles crossed twice or sides that differ.

The order is the same as in `urcx.solving.general.solver`: one state at a time, with all states of a
rule set in memory. A layer's pending probability is passed on repeatedly, until hardly any is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import MistakePolicy, share_of
from urcx.agents.answer_kernels import AnswerPolicy
from urcx.engine.moves import tables
from urcx.errors import UrcxError
from urcx.expectations import tile_kernels as kernels
from urcx.expectations.layers import PLIES
from urcx.expectations.tally import UNIT, Followed, Tally
from urcx.rules.position import Position
from urcx.solving.general.solver import GeneralOrder
from urcx.solving.layered.order import Layer, layers_of

ROUNDED = 2.0**-46  # rounding of a value or count, a sum of at most a few hundred products
LEFT = 1e-16  # of probability that may still be pending when a layer is finished
MOST_ROUNDS = 100_000

Array = NDArray[np.float64]


class Tiles:
    """The games of two policies, light's and dark's."""

    def __init__(self, order: GeneralOrder, policies: tuple[Any, Any]) -> None:
        self.order, self.states = order, order.size
        self.policies = [
            policy.play if isinstance(policy, MistakePolicy) else policy for policy in policies
        ]
        self.astray = np.array([share_of(policy) for policy in policies])
        self.arrays = tables(order.rules)

    def follow(
        self, begins: Sequence[float], total: Tally, progress: Callable[[int], None]
    ) -> Iterator[Followed]:
        """Follow games layer by layer, add up their sums, and yield the accuracy of each layer."""
        waiting, visits, values = np.zeros((3, self.order.size))
        for side, share in enumerate(begins):
            waiting[self.order.index(Position(light_to_move=side == 0))] = share
        homes, steps = self.order.described()
        done = rounds = 0
        for layer in reversed(layers_of(self.order.rules.pieces)):
            ranks = np.flatnonzero((homes == layer).all(axis=1))
            ranks = ranks[np.argsort(steps[ranks], kind="stable")]
            states = np.repeat(2 * ranks, 2) + np.tile([0, 1], len(ranks))
            picks, shares = self._picks(states)
            moves = *self.order.successors(states), self.arrays.chance, picks, self.astray, shares
            took, left = self._pass_on(layer, (states, *moves, waiting, visits, total.wins))
            rounds = max(rounds, took)
            stay = _longest_stay(states, (*moves, values))
            self._account(states, (picks, self.astray, shares), visits, total)
            done += len(states)
            progress(done)
            yield Followed((layer,), left + ROUNDED * float(visits[states].sum()), stay)
        total.visits_left = rounds * UNIT * float(visits.sum())  # rounding in adding up visits
        total.additions = 2 * self.order.size

    def _picks(self, states: NDArray[np.int64]) -> tuple[NDArray[np.uint16], Array]:
        """Return the moves that the policies choose, as masks, by roll and state.

        The second array has the moves' probabilities, by move, roll and state. It is empty if moves
        are chosen with equal probability.
        """
        picks = np.zeros((len(self.arrays.rolls), len(states)), np.uint16)
        even = all(not isinstance(of, AnswerPolicy) or of.even for of in self.policies)
        moves = 0 if even else self.order.rules.path.length + 1
        shares = np.zeros((min(moves, self.order.rules.pieces), *picks.shape))
        where = self.order.ranking.arrays, self.arrays.ways, self.arrays.rolls
        for side, policy in enumerate(self.policies):
            errs = float(self.astray[side])
            kernels.choose_tiles(policy, side, *where, states, picks, errs, shares)
        return picks, shares

    def _pass_on(self, layer: Layer, arguments: tuple[Any, ...]) -> tuple[int, float]:
        """Pass on a layer's pending probability. Return the rounds and the probability left."""
        states, *_, waiting, _, _ = arguments
        for rounds in range(MOST_ROUNDS):
            left = float(waiting[states].sum())
            if left <= LEFT:
                return rounds, left
            kernels.push(*arguments)
        raise UrcxError(f"games do not end: {left:.1e} of them stay in layer {layer[0]}-{layer[1]}")

    def _account(
        self, states: NDArray[np.int64], picks: tuple[Any, ...], visits: Array, total: Tally
    ) -> None:
        logs = np.log10(np.maximum(np.arange(self.order.rules.path.length + 2), 1))
        kernels.account_tiles(
            self.order.ranking.arrays, self.arrays.ways, self.arrays.rolls, self.arrays.chance,
            states, *picks, logs, visits, total.by_choices, total.sums, total.by_step,
        )  # fmt: skip


def _longest_stay(states: NDArray[np.int64], moves: tuple[Any, ...]) -> float:
    """Return a bound of the expected plies from any of some states until games leave them.

    The method is the same as in `urcx.expectations.layers.PairFlow.longest_stay`. The last of
    ``moves`` are the values of all states, which are 0 before and after.
    """
    values = moves[-1]
    for _ in range(MOST_ROUNDS):
        moved = kernels.stay_tiles(states, *moves, PLIES)
        most = float(values[states].max())
        if moved <= PLIES - 1.0 - ROUNDED * most:
            values[states] = 0.0
            return most
    raise UrcxError("games do not end")
