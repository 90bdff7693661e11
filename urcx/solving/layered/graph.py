"""Solving pairs of layers in parallel, by any executor: a graph instead of a loop.

A pair of layers (i, j) and (j, i) reads only the layers with one more piece home, (i + 1, j),
(j + 1, i) and their mirror images. So pairs with the same number of pieces home are independent of
each other, and a pair can begin when the at most two pairs before it are done. All workers share
the files of a store, which they map into memory. Messages contain only rules and numbers.

The graph limits the speedup: it is narrow at both ends, and no other pair can run in parallel with
the last pair, which is the first of the game.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TypeVar

from urcx.engine.chunks import map_chunks
from urcx.engine.compiling import compute_clock
from urcx.engine.dask import own_threads, threads_each
from urcx.engine.memory import check_memory
from urcx.engine.threads import chosen_threads
from urcx.rules.model import RuleSet
from urcx.solving.files.work import WorkStore
from urcx.solving.layered.estimates import memory_needed
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.solver import (
    LayerReport,
    Solved,
    check_tolerance,
    solve_pair,
    solved_layers,
)

Pair = tuple[Layer, ...]
Done = TypeVar("Done")


class PairGraph:
    """The pairs of a rule set to be solved, handed out when they become possible.

    Of the possible pairs, the one with the most work comes first: its states, and the states of the
    longest chain of pairs that wait for it.
    """

    def __init__(self, order: LayerOrder) -> None:
        self.order = order
        self.after: dict[Pair, list[Pair]] = {pair: [] for pair in order.pairs}
        self.missing = dict.fromkeys(order.pairs, 0)
        for pair in order.pairs:
            for before in self.before(pair):
                self.after[before].append(pair)
                self.missing[pair] += 1
        self.chain: dict[Pair, int] = {}
        for pair in reversed(order.pairs):
            longest = max((self.chain[later] for later in self.after[pair]), default=0)
            self.chain[pair] = order.states(pair) + longest
        self._ready: list[tuple[int, Pair]] = []
        for pair in order.pairs:
            if not self.missing[pair]:
                self._push(pair)

    def before(self, pair: Pair) -> list[Pair]:
        """Return the pairs that a pair needs: at most two."""
        i, j = pair[0]
        ends = {
            (max(k, n), min(k, n))
            for k, n in ((i + 1, j), (i, j + 1))
            if max(k, n) < self.order.rules.pieces
        }
        return [((i, j),) if i == j else ((i, j), (j, i)) for i, j in sorted(ends)]

    def _push(self, pair: Pair) -> None:
        heappush(self._ready, (-self.chain[pair], pair))

    def take(self) -> Pair | None:
        """Return a pair that can be solved now, or None."""
        return heappop(self._ready)[1] if self._ready else None

    def done(self, pair: Pair) -> None:
        """Mark a pair as solved."""
        for later in self.after[pair]:
            self.missing[later] -= 1
            if not self.missing[later]:
                self._push(later)

    def run(
        self, work: Callable[[Pair], Done], take: Callable[[Done, Pair], object],
        executor: Executor, progress: Callable[[int], None],
    ) -> None:  # fmt: skip
        """Run ``work`` for all pairs in an executor. Call ``take`` with each result and its pair.

        ``progress`` is called with the number of states done.
        """
        done = 0

        def cut(_: int) -> tuple[Pair] | None:
            pair = self.take()
            return None if pair is None else (pair,)

        def came(result: Done, pair: Pair) -> None:
            nonlocal done
            take(result, pair)
            done += self.order.states(pair)
            self.done(pair)

        map_chunks(work, cut, came, executor=executor, tick=lambda: progress(done))


def solve_graph(
    rules: RuleSet,
    store: WorkStore,
    executor: Executor,
    *,
    tolerance: float = 1e-12,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Solved:
    """Solve a rule set as `urcx.solving.layered.solver.solve_layers` does, by an executor.

    Parameters
    ----------
    rules
        The rule set.
    store
        A directory that all workers share. Layers that it already has are certified, and are solved
        again only if that fails.
    executor
        The executor that solves the pairs.
    tolerance
        The tolerance of `solve_layers`.
    threads
        The threads of each worker: by default its share of the machine's cores, or on a cluster the
        worker's number of threads. The values are the same as from `solve_layers`.
    progress
        Called with the number of states solved so far.

    Raises
    ------
    UsageError, OutOfDomainError, TooLargeError, UrcxError
        As `solve_layers` does, and if workers fail or have another version of urcx.
    """
    check_tolerance(tolerance)
    order = LayerOrder(rules)
    reports: list[LayerReport] = []
    began = compute_clock()
    each = threads_each(executor) if threads is None else chosen_threads(threads)
    work = SolvesPair(order, store, tolerance, each)
    PairGraph(order).run(work, lambda done, _: reports.extend(done), executor, progress)
    reports.sort(key=lambda report: order.layers.index(report.layer))
    return solved_layers(order, store, reports, compute_clock() - began)


@dataclass(frozen=True)
class SolvesPair:
    """A job for any process: it solves a pair of layers from a store, and stores the pair."""

    order: LayerOrder
    store: WorkStore
    tolerance: float
    threads: int | None

    def __call__(self, pair: Pair) -> list[LayerReport]:
        """Solve a pair whose later layers are in the store."""
        rules = self.order.rules
        check_memory(
            memory_needed(self.order), f"solving {rules.name} in a worker", "take fewer pieces"
        )
        threads = own_threads() if self.threads is None else self.threads
        return solve_pair(self.order, pair, self.store, self.tolerance, threads)
