"""The visits of all games, for paths crossed once and alike for both sides.

Pieces home stay there, so the layers are processed from the start of the game to its end, (i, j)
together with (j, i). In each pair the expected visit counts x of the states solve a linear system,
x = b + P'x: they are what comes from earlier layers, and what moves bring from other states of the
pair. Sweeps in place, in the order in which moves lead, approximate its solution; every few sweeps
the iterates are combined by reduced rank extrapolation, as in `urcx.solving.layered.solver`.

What is left out. Let the counts move by m in all in the last sweep, the sum of the absolute
differences over all states. Then b + P'x - x adds up to at most m, as each difference is passed on
with a total probability of at most 1. Hence x is exact for games of which a part of at most m comes
or goes: winning chances are off by at most the sum of m over all pairs, and rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from urcx.engine.memory import check_memory
from urcx.expectations.pair_flow import SPAN, PairFlow, Waiting
from urcx.expectations.side_means import Visits
from urcx.rules.position import Position
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerSource
from urcx.solving.layered.solver import sweeps_as_states

TOLERANCE = 1e-13  # of probability that may be left out
# Rounding of one count, as a part of it: a sum of some dozen products.
ROUNDED = 2.0**-48


class LayerFlow:
    """The games of two policies of one rule set, light's and dark's."""

    def __init__(
        self,
        order: LayerOrder,
        policies: tuple[Any, Any],
        solution: LayerSource | None,
        threads: int,
        tolerance: float = TOLERANCE,
    ) -> None:
        self.order, self.policies, self.solution = order, policies, solution
        self.threads, self.tolerance = threads, tolerance
        self.states = 2 * sum(order.size(layer) for layer in order.layers)
        check_memory(
            memory_needed(order, judged=solution is not None),
            f"following all games of {order.rules.name}",
            "take fewer pieces, or play --games",
        )

    def run(self, begins: Sequence[float], progress: Callable[[int], None]) -> Visits:
        """Return the counts of games that light and dark begin with given probabilities.

        ``progress`` is called with the number of states done.
        """
        order = self.order
        waiting: Waiting = {}
        for side, share in enumerate(begins):
            if share:
                waiting[side, (0, 0)] = np.zeros(order.size((0, 0)))
                waiting[side, (0, 0)][order.place(Position())[1]] = share
        total = Visits.empty(len(order.tables.rolls), order.rules.pieces)
        done, left = 0, 0.0
        enough = self.tolerance / len(order.pairs)
        for layers in reversed(order.pairs):
            states = 2 * sum(order.size(layer) for layer in layers)
            pair = PairFlow(order, layers, self.policies, self.threads)
            x, moved = pair.solve(waiting, enough, sweeps_as_states(progress, done, states))
            left += moved + ROUNDED * float(x.sum())
            pair.leave(x, waiting)
            del pair.sources
            pair.account(x, total)
            if self.solution is not None:
                pair.judge(x, self.solution, total)
            done += states
            progress(done)
        return replace(total, left=left)


def memory_needed(order: LayerOrder, *, judged: bool) -> int:
    """Return the most bytes that the propagation takes."""
    most = 0
    pieces = order.rules.pieces
    for layers in order.pairs:
        states = sum(order.size(layer) for layer in layers)
        beyond = sum(order.size((i + 1, j)) for i, j in layers if i + 1 < pieces)
        masks = 2 * len(order.tables.rolls) * states
        values = 8 * (2 * states + beyond)
        solving = 2 * states * (8 + 8 + 4 * SPAN)
        counting = 2 * 8 * states + 2 * 8 * beyond + (values if judged else 0)
        most = max(most, masks + max(values, solving, counting) + 8 * beyond * 2)
    return most + 300_000_000
