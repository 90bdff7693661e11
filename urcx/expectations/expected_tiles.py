"""Propagating the probability of all games for every path: tiles crossed twice, unequal sides.

As `urcx.expectations.expected_layers`, but in the order of `urcx.solving.general.solver`: one state
at a time, with all states of a rule set in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import MistakePolicy, share_of
from urcx.engine.moves import tables
from urcx.errors import UrcxError
from urcx.expectations import tile_kernels as kernels
from urcx.expectations.bounds import UNIT
from urcx.expectations.side_means import Visits
from urcx.expectations.stays import PLIES
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.general.solver import general_order

ROUNDED = 2.0**-46  # of a value or count, in computing it: a sum of at most some hundred products
LEFT = 1e-16  # of probability that may still be pending when a pair of layers is finished
MOST_ROUNDS = 100_000

IntArray = NDArray[np.int64]
Array = NDArray[np.float64]
Program = tuple[IntArray, IntArray, IntArray, Array, NDArray[np.uint16], Array]


class TileFlow:
    """The games of two policies of one rule set, light's and dark's."""

    def __init__(self, rules: RuleSet, policies: tuple[Any, Any]) -> None:
        self.policies = [one.play if isinstance(one, MistakePolicy) else one for one in policies]
        self.astray = np.array([share_of(one) for one in policies])
        # The agents may differ, so every diagram is two states even if the sides are alike.
        self.order = general_order(rules, turned=False)
        self.states = self.order.size

    def run(self, begins: Sequence[float], progress: Callable[[int], None]) -> Visits:
        """Return the counts of games that light and dark begin with given probabilities.

        ``progress`` is called with the number of states done.
        """
        order, pieces = self.order, self.order.rules.pieces
        arrays = tables(order.rules)
        waiting, visits = np.zeros(order.size), np.zeros(order.size)
        for side, share in enumerate(begins):
            waiting[order.index(Position(light_to_move=side == 0))] = share
        total = Visits.empty(order.rules)
        logs = np.log10(np.maximum(np.arange(order.rules.path.length + 2), 1))
        homes, steps = order.described()
        done = 0
        to_come = np.zeros((pieces + 1, pieces + 1))
        lefts, staying, rounds = np.zeros((pieces, pieces)), np.zeros((pieces, pieces)), 0
        values = np.zeros(order.size)
        # From the start of the game to its end: later layers have more pieces home.
        for home in range(2 * pieces - 1):
            for i in range(pieces):
                ranks = np.flatnonzero((homes[:, 0] == i) & (homes[:, 1] == home - i))
                if home - i >= pieces or not len(ranks):
                    continue
                ranks = ranks[np.argsort(steps[ranks], kind="stable")]
                states = np.repeat(2 * ranks, 2) + np.tile([0, 1], len(ranks))
                first_op, ops = order.successors(states)
                picks = np.zeros((len(arrays.rolls), len(states)), np.uint16)
                where = (order.ranking.tables, arrays.ways, arrays.rolls)
                for side, policy in enumerate(self.policies):
                    kernels.choose_tiles(policy, side, *where, states, picks)
                program = (states, first_op, ops, arrays.chance, picks, self.astray)
                waits = float(waiting[states].sum())
                for done_rounds in range(MOST_ROUNDS):
                    if waits <= LEFT:
                        rounds = max(rounds, done_rounds)
                        break
                    kernels.push(*program, waiting, visits, total.wins)
                    waits = float(waiting[states].sum())
                else:
                    raise UrcxError(f"games do not end: {waits:.1e} of them stay in {i}-{home - i}")
                lefts[i, home - i] = waits + ROUNDED * float(visits[states].sum())
                staying[i, home - i] = _longest_stay(program, values)
                kernels.account_tiles(
                    *where, arrays.chance, states, picks, self.astray, logs, visits,
                    total.by_choices, total.sums, total.by_step,
                )  # fmt: skip
                done += len(states)
                progress(done)
        error = rounds * UNIT * float(visits.sum())  # in adding up visits
        for i in range(pieces - 1, -1, -1):
            for j in range(pieces - 1, -1, -1):
                to_come[i, j] = staying[i, j] + max(to_come[i + 1, j], to_come[i, j + 1])
                error += lefts[i, j] * to_come[i, j]
        return replace(
            total, left=float(lefts.sum()), visits_left=float(error), additions=2 * order.size
        )


def _longest_stay(program: Program, values: Array) -> float:
    """Return a bound of the expected plies from any of some states until games leave them.

    As `urcx.expectations.stays.longest_stay`; ``values`` of all states are 0 before and after.
    """
    states, *others = program
    for _ in range(MOST_ROUNDS):
        moved = kernels.stay_tiles(states, *others, values, PLIES)
        most = float(values[states].max())
        if moved <= PLIES - 1.0 - ROUNDED * most:
            values[states] = 0.0
            return most
    raise UrcxError("games do not end")
