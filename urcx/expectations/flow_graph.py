"""Following games through pairs of layers side by side, by any executor.

A pair of layers needs what comes from those with one piece fewer home, and nothing else. So pairs
with the same number of pieces home are independent of each other, and one can begin once the at
most two pairs before it are done: the graph of `urcx.solving.layered.graph`, the other way round.
What leaves a pair travels as files of a directory that all workers share; messages have only rules,
agents and sums. The counts are those of `urcx.expectations.expected_layers.LayerFlow`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from urcx.agents.agent_texts import as_sent
from urcx.agents.agents import Agent
from urcx.agents.policies import Policies
from urcx.engine.executors import is_outside_process, own_threads
from urcx.engine.files.sealed import SealedFile, seal
from urcx.engine.files.shared import check_shared
from urcx.engine.files.writing import checked_writing
from urcx.engine.memory import check_memory
from urcx.enumerate.rankings.pattern_ranking import why_no_layers
from urcx.errors import OutOfDomainError, TablebaseError, UsageError
from urcx.expectations.expected_layers import (
    WANTED,
    Followed,
    beginning,
    flow_memory,
    follow_pair,
    put_together,
)
from urcx.expectations.pair_choices import ALL_STATES, both_prepared
from urcx.expectations.pair_flow import Waiting
from urcx.expectations.side_means import Visits, Wanted
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import TablebaseLayers, open_tablebase
from urcx.solving.files.work import check_disk, made
from urcx.solving.layered.graph import Pair, PairGraph
from urcx.solving.layered.order import Layer, LayerOrder

KIND = b"urcx-vs\n"
FORMAT = 1


class GraphFlow:
    """The games of two agents of one rule set, followed by an executor.

    Parameters
    ----------
    rules
        With a path that is crossed once and alike for both sides.
    players
        Light's and dark's agent, built in.
    executor
        What follows them.
    directory
        One that its workers share; by default among this machine's temporary files.
    tablebase
        Whose values judge the moves; they are not judged without.
    threads
        Of each worker; by default what it has.
    wanted
        How far games are followed, and which decisions are kept.

    Raises
    ------
    OutOfDomainError
        If the path has no layers.
    UsageError
        If workers elsewhere have no directory.
    UrcxError
        If they do not share it, or have another urcx.
    """

    def __init__(
        self,
        rules: RuleSet,
        players: tuple[Agent, Agent],
        executor: Executor,
        *,
        directory: str | Path | None = None,
        tablebase: str | Path | None = None,
        threads: int | None = None,
        wanted: Wanted = WANTED,
    ) -> None:
        if reason := why_no_layers(rules):
            raise OutOfDomainError(f"no layers of {rules.name} for workers: {reason}")
        if directory is None and is_outside_process(executor):
            raise UsageError(
                "workers of a cluster need a directory that they share, for what passes between "
                "layers (--layers DIR)"
            )
        self.order, self.executor, self.directory = LayerOrder(rules), executor, directory
        self.wanted, self.threads = wanted, threads
        one, other = (as_sent(player) for player in players)
        assert isinstance(one, Agent)
        assert isinstance(other, Agent)
        self.players = one, other
        self.tablebase = None if tablebase is None else str(Path(tablebase).resolve())
        self.states = 2 * self.order.states(self.order.layers)
        self.notes: list[str] = []  # of workers, on making the agents ready

    def run(self, begins: Sequence[float], progress: Callable[[int], None]) -> Visits:
        """Return the counts of games that light and dark begin with given probabilities.

        ``progress`` is called with the number of states done.
        """
        order = self.order
        found: dict[Pair, Followed] = {}
        place = None if self.directory is None else Path(self.directory).resolve()
        with ExitStack() as stack:
            if place is not None:
                stack.enter_context(made(place))
            with checked_writing(place):
                kept = TemporaryDirectory(prefix="urcx-visits-", dir=place)
            directory = stack.enter_context(kept)
            store = VisitStore(Path(directory), order)
            check_shared(self.executor, store.directory)
            needed = {store.directory: most_waiting(order)}
            check_disk(order.rules.name, needed, "games are followed")
            store.put_all(beginning(order, begins))

            def take(part: Followed, pair: Pair) -> None:
                found[pair] = part
                self.notes += [note for note in part.notes if note not in self.notes]
                store.drop(pair)

            work = FollowsPair(self.players, self.tablebase, self.threads, store, self.wanted)
            graph = PairGraph(order, forward=True)
            graph.run(work, take, self.executor, lambda done: progress(2 * done))
        return put_together(order, found, self.wanted.decisions)


def most_waiting(order: LayerOrder) -> int:
    """Return the most bytes of visits that are on disk at once."""
    by_home = [0] * (2 * order.rules.pieces)
    for pair in order.pairs:
        by_home[sum(pair[0])] += 8 * 2 * order.states(pair)
    return max(map(sum, pairwise(by_home)))


@dataclass(frozen=True)
class VisitStore:
    """Visits to come, by the side to move and the layer in its view, in a directory.

    Each is a sealed file (`urcx.engine.files.sealed`) whose header has ``format``, ``side``,
    ``light`` and ``dark``, and whose data are the visits.
    """

    directory: Path
    order: LayerOrder

    def _file(self, side: int, layer: Layer) -> Path:
        return self.directory / f"{side}-{layer[0]}-{layer[1]}.visits"

    def put_all(self, waiting: Waiting) -> None:
        """Write visits; raises `TablebaseError` if that fails."""
        for (side, layer), visits in waiting.items():
            file = self._file(side, layer)
            header = {"format": FORMAT, "side": side, "light": layer[0], "dark": layer[1]}
            with checked_writing(file):
                seal(file, KIND, header, visits.astype("<f8", copy=False).view(np.uint8))

    def get_all(self, pair: Pair) -> Waiting:
        """Return what is waiting for a pair; raises `TablebaseError` if it is damaged."""
        waiting: Waiting = {}
        for side in (0, 1):
            for layer in pair:
                file = self._file(side, layer)
                if not file.exists():
                    continue
                with SealedFile(file, KIND, FORMAT, "visits of this urcx") as sealed:
                    values = sealed.numbers("<f8", self.order.size(layer), "run again")
                    if not np.isfinite(values).all():
                        raise TablebaseError(f"{file} has visits that are not numbers; run again")
                    waiting[side, layer] = values.astype(np.float64)
                    del values
        return waiting

    def drop(self, pair: Pair) -> None:
        """Remove what was waiting for a pair, to save disk."""
        for side in (0, 1):
            for layer in pair:
                self._file(side, layer).unlink(missing_ok=True)


@dataclass(frozen=True)
class FollowsPair:
    """Follows games through a pair of layers, in whatever process.

    The moves of ``players``, light's and dark's agent, are judged by the ``tablebase``, if any.
    """

    players: tuple[Agent, Agent]
    tablebase: str | None
    threads: int | None
    store: VisitStore
    wanted: Wanted

    def __call__(self, pair: Pair) -> Followed:
        """Follow games through a pair for which all visits are in the store."""
        order, threads = self.store.order, self.threads or own_threads()
        check_memory(
            flow_memory(
                order,
                judged=self.tablebase is not None,
                alike=self.players[0] == self.players[1],
            ),
            f"following games of {order.rules.name} in a worker",
            "take fewer pieces",
        )
        with _READYING:
            policies, solution, notes = _ready(order.rules, self.players, self.tablebase, threads)
        waiting = self.store.get_all(pair)
        found = follow_pair(order, pair, policies, solution, waiting, self.wanted, threads)
        self.store.put_all(waiting)
        return replace(found, notes=notes)


_READYING = threading.Lock()  # a worker may have several threads


@lru_cache(maxsize=1)  # they may be large
def _ready(
    rules: RuleSet, players: tuple[Agent, Agent], tablebase: str | None, threads: int
) -> tuple[tuple[Any, Any], TablebaseLayers | None, tuple[str, ...]]:
    """Return policies and solution, and notes on them.

    Their files stay open as long as the process lasts.
    """
    stack = ExitStack()
    solution = None
    if tablebase is not None:
        solution = TablebaseLayers(stack.enter_context(open_tablebase(tablebase)))
    ready = Policies(rules, ALL_STATES, threads=threads)
    return both_prepared(players, ready, stack), solution, tuple(ready.notes)
