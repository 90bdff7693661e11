"""The states that games between two agents can come to, and after how many plies at the earliest.

They are those with a positive expected visit count in `urcx.expectations.expected`, found by a
search that needs no probabilities: that of `urcx.enumerate.reach`, with the agents' moves alone. A
state is a mover view together with the agent to move; for an agent against itself, a mover view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from urcx.agents.agents import Agent
from urcx.agents.policies import Policies, for_thread
from urcx.engine.memory import check_memory
from urcx.engine.moves import tables
from urcx.engine.threads import chosen_threads, for_chunks
from urcx.enumerate.reach import CHUNK, TABLES_MEMORY, ReachDepth
from urcx.enumerate.reach_kernels import DONE, FRONTIERS
from urcx.enumerate.rankings.pattern_ranking import PatternRanking
from urcx.errors import OutOfDomainError
from urcx.expectations import arrival_kernels
from urcx.expectations.expected import MANY_GAMES
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import has_layers


@dataclass(frozen=True)
class Arrivals:
    """What games between two agents can come to, each agent beginning some of them.

    ``levels`` have what is first reached at each depth, in plies. ``diagrams`` counts all diagrams,
    finished ones and "both home" included: as many as there are mover views, whoever has finished.
    """

    rules: RuleSet
    agents: tuple[Agent, ...]
    diagrams: int
    levels: tuple[ReachDepth, ...]

    @property
    def states(self) -> int:
        """Return the number of unfinished states that occur."""
        return self.levels[-1].states

    @property
    def terminals(self) -> int:
        """Return the number of finished states that occur."""
        return sum(level.terminals for level in self.levels)

    @property
    def unseen(self) -> int:
        """Return the number of diagrams, with the player to move as light, that never occur."""
        return len(self.agents) * self.diagrams - self.states - self.terminals

    @property
    def shortest(self) -> int:
        """Return the number of plies of the shortest game."""
        return next(level.depth for level in self.levels if level.terminals)


def arrivals(agents: tuple[Agent, ...], rules: RuleSet, *, threads: int | None = None) -> Arrivals:
    """Return what the games of an agent against itself, or of two agents, can come to.

    Parameters
    ----------
    agents
        One agent, or two different ones. One that picks moves at random may play any of them.
    rules
        A rule set with a path that is crossed once and alike for both sides.
    threads
        By default as many as there are cores; the result is the same.

    Raises
    ------
    OutOfDomainError
        If the path is another.
    TooLargeError
        If memory does not hold a byte for each state and agent.
    """
    if not has_layers(rules):
        raise OutOfDomainError(
            f"the path {rules.path.name} is not one that is crossed once and alike for both sides"
        )
    threads = chosen_threads(threads)
    order = PatternRanking(rules.path, rules.pieces, None, "diagrams")
    size = order.size
    check_memory(
        len(agents) * size + TABLES_MEMORY, f"a search of {size:,} states", "take fewer pieces"
    )
    ready = Policies(rules, MANY_GAMES, threads=threads)
    policies = [[for_thread(ready.of(agent)) for _ in range(threads)] for agent in agents]
    arrays = tables(rules)
    codes = [np.zeros(-(-size // 8) * 8, np.uint8) for _ in agents]
    now, after = FRONTIERS
    for own in codes:
        own[order.rank(Position())] = now
    levels: list[ReachDepth] = []
    total = 0
    while True:
        found = np.zeros((threads, 2), np.int64)
        for mine, own, other in zip(policies, codes, reversed(codes), strict=True):

            def work(
                thread: int, first: int, last: int, mine: Any = mine, own: Any = own,
                other: Any = other,
            ) -> None:  # fmt: skip
                arrival_kernels.expand(
                    mine[thread], order.tables, arrays.ways, arrays.rolls, own,
                    own.view(np.uint64), other, first, last, now, DONE, after, found[thread],
                )  # fmt: skip

            for_chunks(size, CHUNK, work, threads)
        new, terminals = found.sum(axis=0).tolist()
        if not new and not terminals:
            return Arrivals(rules, agents, size, tuple(levels))
        total += new
        levels.append(ReachDepth(len(levels), new, total, terminals))
        now, after = after, now
