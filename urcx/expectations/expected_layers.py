"""The visits of all games, for paths crossed once and alike for both sides.

Pieces home stay there, so the layers are processed from the start of the game to its end, (i, j)
together with (j, i). In each pair the expected visit counts x of the states solve a linear system,
x = b + P'x: they are what comes from earlier layers, and what moves bring from other states of the
pair. Sweeps in place, in the order in which moves lead, approximate its solution in single
precision; every few sweeps the iterates are combined by `urcx.sweeps.acceleration`. What is left, b
+ P'x - x, is computed in double precision and takes the place of b in a next round.

What is left out. Let the absolute values of the last b + P'x - x add up to m. Then x is exact for
games of which a part of m comes or goes: winning chances are off by at most the sum of m over all
pairs, and rounding. What comes or goes in a pair is visited for as long as games last from there
on, so all counts together are off by at most the sum, over all pairs, of m times a bound of the
plies to come from any of its states (`urcx.expectations.stays`). What is counted in a ply is at
most a known number, and so every mean has a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from urcx.engine.memory import check_memory
from urcx.expectations.bounds import UNIT
from urcx.expectations.pair_flow import SPAN, PairFlow, Waiting
from urcx.expectations.side_means import Visits, Wanted
from urcx.expectations.stays import longest_stay
from urcx.rules.position import Position
from urcx.solving.layered.estimates import rows_of
from urcx.solving.layered.order import Layer, LayerOrder, in_turn
from urcx.solving.layered.pair import LayerSource

WANTED = Wanted()
ROW_BYTES, SOURCE_BYTES = 250, 500  # of a row: its reads, and what leads to it for a policy


@dataclass(frozen=True)
class Followed:
    """What happens in a pair of layers.

    ``left`` bounds the sum of absolute residuals of its system, ``stay`` the expected plies from
    any of its states. A term of a sum passes through ``tallied`` additions in each of ``parts``.
    ``notes`` are those of a worker that made the agents ready.
    """

    counts: Visits
    left: float
    stay: float
    tallied: int
    parts: int
    notes: tuple[str, ...] = ()


class LayerFlow:
    """The games of two policies of one rule set, light's and dark's."""

    def __init__(
        self,
        order: LayerOrder,
        policies: tuple[Any, Any],
        solution: LayerSource | None,
        threads: int,
        wanted: Wanted = WANTED,
    ) -> None:
        self.order, self.policies, self.solution = order, policies, solution
        self.threads, self.wanted = threads, wanted
        self.states = 2 * order.states(order.layers)  # with either side to move
        check_memory(
            flow_memory(order, judged=solution is not None, alike=policies[0] is policies[1]),
            f"following all games of {order.rules.name}",
            "take fewer pieces, or play games",
        )

    def run(self, begins: Sequence[float], progress: Callable[[int], None]) -> Visits:
        """Return the counts of games that light and dark begin with given probabilities.

        ``progress`` is called with the number of states done.
        """
        waiting = beginning(self.order, begins)
        found: dict[tuple[Layer, ...], Followed] = {}
        for layers, _, swept in in_turn(self.order, self.order.pairs[::-1], progress, views=2):
            found[layers] = follow_pair(
                self.order, layers, self.policies, self.solution, waiting, self.wanted,
                self.threads, swept,
            )  # fmt: skip
        return put_together(self.order, found, self.wanted.decisions)


def beginning(order: LayerOrder, begins: Sequence[float]) -> Waiting:
    """Return the visits to come before the first ply of games that light or dark may begin."""
    waiting: Waiting = {}
    for side, share in enumerate(begins):
        if share:
            waiting[side, (0, 0)] = np.zeros(order.size((0, 0)))
            waiting[side, (0, 0)][order.place(Position())[1]] = share
    return waiting


def follow_pair(
    order: LayerOrder,
    layers: tuple[Layer, ...],
    policies: tuple[Any, Any],
    solution: LayerSource | None,
    waiting: Waiting,
    wanted: Wanted,
    threads: int,
    swept: Callable[[], None] = lambda: None,
) -> Followed:
    """Follow games through a pair of layers, of ``order.pairs``.

    What is ``waiting`` for it is removed there, and what leaves it is put there. A solution judges
    the moves, and finds the decisions that are ``wanted``. ``swept`` is called after each sweep.
    """
    pair = PairFlow(order, layers, policies, threads)
    enough = wanted.tolerance * order.states(layers) / order.states(order.layers)
    x, moved = pair.solve(waiting, enough, swept)
    # Each count is rounded, and what leaves the pair, of which there is at most 1.
    # Errors e of the mean and f of half the difference are e + f and e - f of the sides, and
    # |e + f| + |e - f| is twice the greater one: that of the mean, as no count is negative.
    left = moved + pair.additions * UNIT * (1.0 + float(x.sum()))
    pair.leave(x, waiting)
    stay = longest_stay(pair)
    del pair.sources
    counts = Visits.empty(order.rules)
    pair.account(x, counts)
    tallied = pair.tallied
    if solution is not None:
        pair.judge(x, solution, counts, wanted)
        tallied = max(tallied, pair.tallied_in_judging)
    parts = sum(map(len, pair.pair.cuts))
    return Followed(counts, left, stay, tallied, parts)


def put_together(
    order: LayerOrder, found: dict[tuple[Layer, ...], Followed], decisions: int
) -> Visits:
    """Return the counts of all pairs as one; they are added from the first pair to the last.

    So many ``decisions`` are kept of each side.
    """
    total = Visits.empty(order.rules)
    for layers in reversed(order.pairs):
        total.add(found[layers].counts, decisions)
    to_come: dict[Layer, float] = {}  # a bound of the expected plies from any state
    error = 0.0
    for layers in order.pairs:
        pair = found[layers]
        later = [to_come.get(to, 0.0) for i, j in layers for to in ((i + 1, j), (i, j + 1))]
        to_come |= dict.fromkeys(layers, pair.stay + max(later))
        error += pair.left * to_come[layers[0]]
    pairs = list(found.values())
    additions = max(pair.tallied for pair in pairs) + sum(pair.parts for pair in pairs) + len(pairs)
    left = math.fsum(pair.left for pair in pairs)
    return replace(total, left=left, visits_left=error, additions=additions)


def flow_memory(order: LayerOrder, *, judged: bool, alike: bool) -> int:
    """Return the most bytes that the propagation takes, for two policies or one and the same."""
    most = 0
    sides = 1 if alike else 2
    for layers in order.pairs:
        states = order.states(layers)
        beyond = order.beyond(layers)
        rows = rows_of(order, layers)
        masks = sides * len(order.tables.rolls) * states
        tables = rows * (ROW_BYTES + sides * SOURCE_BYTES)
        # What is waiting and the counts, in both precisions, and the counts' changes.
        solving = states * (2 * 8 + 2 * 8 + sides * (2 * 4 + 4 * SPAN))
        judging = 2 * 8 * states + (8 * (2 * states + beyond) if judged else 0)
        most = max(most, masks + tables + max(solving, judging) + 2 * 8 * beyond)
    return most + 250_000_000
