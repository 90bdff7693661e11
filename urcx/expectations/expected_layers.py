"""Propagating the probability of all games, for paths crossed once and alike for both sides.

Layers (i, j) and (j, i) are processed together. Pending probability is held in two arrays, one for
each side to move, both laid out as in `urcx.solving.layered.pair.LayerPair` from that side's view.
In each round light passes on all its pending probability, then dark: a ply of each, or more after
extra rolls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import AnyMove, Greedy
from urcx.agents.policies import for_thread
from urcx.engine.memory import check_memory
from urcx.engine.threads import for_chunks
from urcx.engine.vector_kernels import LANES
from urcx.errors import UrcxError
from urcx.expectations import layer_kernels as kernels
from urcx.expectations.side_means import Visits
from urcx.rules.position import Position
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import SMALL, LayerPair, LayerProgram, LayerSource

LEFT = 1e-16  # of probability that may still be pending when a pair of layers is finished
MOST_ROUNDS = 100_000
SHARE = 1.0 / np.maximum(np.arange(64), 1)  # SHARE[n] is the probability of each of n equal moves
EQUAL = 1e-15  # values that differ by rounding only

Array = NDArray[np.float64]
Waiting = dict[tuple[int, Layer], Array]  # pending, by side to move and layer in that side's view


class LayerFlow:
    """The games of two policies of one rule set, light's and dark's."""

    def __init__(
        self,
        order: LayerOrder,
        policies: tuple[Any, Any],
        solution: LayerSource | None,
        threads: int,
    ) -> None:
        self.order, self.policies, self.solution = order, policies, solution
        self.threads = threads
        self.states = 2 * sum(order.size(layer) for layer in order.layers)
        check_memory(
            memory_needed(order, judged=solution is not None),
            f"following all games of {order.rules.name}",
            "take fewer pieces, or play --games",
        )

    def run(self, first: int, progress: Callable[[int], None]) -> Visits:
        """Propagate the games in which light (0) or dark (1) begins.

        ``progress`` is called with the number of states done.
        """
        order = self.order
        waiting: Waiting = {(first, (0, 0)): np.zeros(order.size((0, 0)))}
        waiting[first, (0, 0)][order.place(Position())[1]] = 1.0
        total = Visits.empty(len(order.tables.rolls), order.rules.pieces)
        done, left = 0, 0.0
        for layers in reversed(order.pairs):
            pair = _PairFlow(self, LayerPair(order, layers, self.threads))
            left += pair.run(waiting, total)
            done += 2 * pair.pair.states
            progress(done)
        return Visits(total.by_choices, total.sums, total.wins, left)


class _PairFlow:
    """The flow of probability through a pair of layers.

    ``flow[side]`` and ``visits[side]`` have the layout of the pair, from that side's view.
    """

    def __init__(self, games: LayerFlow, pair: LayerPair) -> None:
        self.games, self.pair, self.order = games, pair, games.order
        self.flow = [np.zeros(pair.size), np.zeros(pair.size)]
        self.visits = [np.zeros(pair.states + LANES), np.zeros(pair.states + LANES)]
        self.columns = [_column_cuts(self.order, program, games.threads) for program in self.parts]
        same = games.policies[0] is games.policies[1]
        light = [self._choices(games.policies[0], program) for program in self.parts]
        dark = light if same else [self._choices(games.policies[1], p) for p in self.parts]
        self.picks = [light, dark]

    @property
    def parts(self) -> list[LayerProgram]:
        """Return the programs of the layers."""
        return self.pair.programs

    def run(self, waiting: Waiting, total: Visits) -> float:
        """Propagate until almost no probability is pending; return the remainder.

        What reaches later layers is added to ``waiting``, expected counts to ``total``.
        """
        pair, order = self.pair, self.order
        for side in (0, 1):
            for layer in pair.layers:
                found = waiting.pop((side, layer), None)
                if found is not None:
                    at = pair.at["V", layer]
                    self.flow[side][at : at + len(found)] += found
        left = self._left()
        least = LEFT / (8 * pair.states)
        rounds = 0
        while left > LEFT:
            if rounds == MOST_ROUNDS:
                raise UrcxError(f"games do not end: {left:.1e} of them stay in {pair.layers[0]}")
            rounds += 1
            for side in (0, 1):
                self._send(side, least)
                for i, j in pair.layers:
                    source = self._part(side, "U", (i, j), order.size((i, j)))
                    self._hand_over((i, j), source, self._part(1 - side, "V", (j, i), len(source)))
            left = self._left()
        for side in (0, 1):
            self._leave(side, waiting)
            total.wins[side] += self.flow[side][pair.won :].sum()
            self._account(side, total)
        if self.games.solution is not None:
            self._judge(self.games.solution, total)
        return left

    def _part(self, side: int, name: str, layer: Layer, size: int) -> Array:
        at = self.pair.at[name, layer]
        return self.flow[side][at : at + size]

    def _left(self) -> float:
        return float(sum(flow[: self.pair.states].sum() for flow in self.flow))

    def _frees(self, layer: Layer) -> tuple[int, int]:
        pieces = self.order.rules.pieces
        return pieces - layer[0], pieces - layer[1]

    def _choices(self, policy: Any, program: LayerProgram) -> tuple[bool, NDArray[np.uint16]]:
        """Return a policy's moves in a layer, and whether they are the same for a whole row."""
        order, layer = self.order, program.layer
        by_row = isinstance(policy, AnyMove | Greedy)
        places = len(program.first_op) if by_row else order.size(layer) + LANES
        picks = np.zeros((len(order.tables.rolls), places), np.uint16)
        own = [for_thread(policy) for _ in range(self.games.threads)]

        def part(thread: int, first: int, last: int) -> None:
            kernels.choose(
                own[thread], order.tables.ways, order.pattern, order.tables.rolls,
                program.patterns, order.width, order.mask, layer, order.offsets(layer),
                program.first_row, by_row, program.cuts[first], program.cuts[last], picks,
            )  # fmt: skip

        self._in_parts(order.size(layer), len(program.cuts) - 1, part)
        return by_row, picks

    def _in_parts(
        self, states: int, parts: int, part: Callable[[int, int, int], None], chunk: int = 1
    ) -> None:
        """Process parts of a layer in parallel, if there are enough states."""
        if states < SMALL:
            part(0, 0, parts)
        else:
            for_chunks(parts, chunk, part, self.games.threads)

    def _send(self, side: int, least: float) -> None:
        """Pass on the pending probability of one side to move."""
        order = self.order
        for k, program in enumerate(self.parts):
            by_row, picks = self.picks[side][k]
            columns = self.columns[k]

            def part(
                _: int, first: int, last: int,
                program: LayerProgram = program, by_row: bool = by_row,
                picks: NDArray[np.uint16] = picks, columns: list[int] = columns,
            ) -> None:  # fmt: skip
                kernels.push(
                    order.pattern, program.patterns, order.width, self._frees(program.layer),
                    order.offsets(program.layer), program.first_row, program.first_op,
                    program.ops, order.tables.chance, SHARE, picks, by_row, least,
                    self.pair.at["V", program.layer], columns[first], columns[last],
                    self.flow[side], self.visits[side],
                )  # fmt: skip

            self._in_parts(order.size(program.layer), len(columns) - 1, part)

    def _hand_over(self, layer: Layer, source: Array, out: Array) -> None:
        """Move pending probability from U of a layer to V of the mirrored layer."""
        order = self.order
        here = order.offsets(layer)
        there = order.offsets((layer[1], layer[0]))
        patterns = np.flatnonzero(here >= 0)
        chunk = max(1, len(patterns) // (8 * self.games.threads))

        def part(_: int, first: int, last: int) -> None:
            kernels.hand_over(
                order.pattern, order.width, self._frees(layer), here, there, patterns,
                first, last, source, out,
            )  # fmt: skip

        self._in_parts(len(source), len(patterns), part, chunk)

    def _leave(self, side: int, waiting: Waiting) -> None:
        """Hand the probability of states with one more piece home over to their layers."""
        for i, j in self.pair.layers:
            if i + 1 == self.order.rules.pieces:
                continue
            size = self.order.size((i + 1, j))
            key = 1 - side, (j, i + 1)
            out = waiting.setdefault(key, np.zeros(size))
            self._hand_over((i + 1, j), self._part(side, "beyond", (i, j), size), out)

    def _account(self, side: int, total: Visits) -> None:
        order = self.order
        logs = np.log10(np.maximum(np.arange(order.rules.path.length + 2), 1))
        for k, program in enumerate(self.parts):
            by_row, picks = self.picks[side][k]
            kernels.account(
                order.tables.ways, order.pattern, order.tables.rolls, program.patterns,
                order.width, order.mask, program.layer, order.offsets(program.layer),
                program.first_row, order.tables.chance, picks, by_row, logs,
                self.pair.at["V", program.layer], self.visits[side], 0, len(program.patterns),
                total.by_choices[side], total.sums[side],
            )  # fmt: skip

    def _judge(self, solution: LayerSource, total: Visits) -> None:
        """Add up the regret of the moves by the solution."""
        order, pair = self.order, self.pair
        values, gap = pair.solved(solution)
        for side in (0, 1):
            for k, program in enumerate(self.parts):
                by_row, picks = self.picks[side][k]
                kernels.regret(
                    order.pattern, program.patterns, order.width, self._frees(program.layer),
                    order.offsets(program.layer), program.first_row, program.first_op,
                    program.ops, order.tables.chance, picks, by_row, 4 * gap + EQUAL,
                    pair.at["V", program.layer], values, self.visits[side], 0,
                    len(program.patterns), total.sums[side],
                )  # fmt: skip


def _column_cuts(order: LayerOrder, program: LayerProgram, threads: int) -> list[int]:
    """Return columns, counted from the last, that divide a layer into a part for each thread."""
    pieces = order.rules.pieces
    i, j = program.layer
    rows = order.width[pieces - i - order.on_lane[0][program.patterns]]
    columns = order.width[pieces - j - order.on_lane[1][program.patterns]]
    states = np.array([rows[columns > c].sum() for c in range(int(order.width[-1]))])
    ends = np.cumsum(states)
    inner = np.searchsorted(ends, np.linspace(0, ends[-1], threads + 1)[1:-1]) + 1
    return sorted({0, *(int(cut) for cut in inner), len(states)})


def memory_needed(order: LayerOrder, *, judged: bool) -> int:
    """Return the most bytes that the propagation takes."""
    most = 0
    pieces = order.rules.pieces
    for layers in order.pairs:
        states = sum(order.size(layer) for layer in layers)
        beyond = sum(order.size((i + 1, j)) for i, j in layers if i + 1 < pieces)
        arrays = 2 * (2 * states + beyond) + 2 * states + 2 * 2 * (states + beyond)
        arrays += (2 * states + beyond) if judged else 0
        most = max(most, 8 * arrays + 2 * 2 * len(order.tables.rolls) * states)
    return most + 300_000_000
