"""The states that games between two agents can reach, and the fewest plies to each.

They are the states with a positive expected visit count in `urcx.expectations.expected`. The search
needs no probabilities: it is the search of `urcx.enumerate.reach`, with the agents' moves alone. A
state is a canonical view together with the agent to move. For an agent against itself, it is only a
canonical view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import copy_for_thread
from urcx.agents.agents import Agent
from urcx.agents.policies import Policies
from urcx.engine.memory import check_memory
from urcx.engine.moves import tables
from urcx.engine.threads import chosen_threads, for_chunks
from urcx.enumerate.rankings.ranking import PatternRanking, check_layers
from urcx.enumerate.reach import CHUNK, TABLES_MEMORY, ReachDepth, closed_forms
from urcx.enumerate.reach_kernels import DONE, FRONTIERS
from urcx.expectations import arrival_kernels
from urcx.expectations.choices import ALL_STATES
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


@dataclass(frozen=True)
class Arrivals:
    """The states that games between two agents can reach, if each agent begins some of them.

    ``levels`` have the numbers of states first reached at each depth, in plies.
    """

    rules: RuleSet
    agents: tuple[Agent, ...]
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
        """Return the number of states that never occur, unfinished or lost by the mover."""
        return len(self.agents) * sum(closed_forms(self.rules)) - self.states - self.terminals

    @property
    def shortest(self) -> int:
        """Return the number of plies of the shortest game."""
        return next(level.depth for level in self.levels if level.terminals)


def reachable_states(
    agents: tuple[Agent, ...], rules: RuleSet, *, threads: int | None = None
) -> Arrivals:
    """Return the states that games of an agent against itself, or of two agents, can reach.

    Parameters
    ----------
    agents
        One agent, or two different agents. An agent that chooses at random may play all moves.
    rules
        A rule set whose path crosses no tile twice and is the same for both sides.
    threads
        By default as many as there are cores. The result is the same.

    Raises
    ------
    OutOfDomainError
        If the path is not of that kind.
    TooLargeError
        If there is no memory for a byte per state and agent.
    """
    check_layers(rules)
    search = _ArrivalSearch(agents, rules, chosen_threads(threads))
    return Arrivals(rules, agents, search.levels())


class _ArrivalSearch:
    """A code for every state with each agent to move, in the order by shared pattern."""

    def __init__(self, agents: tuple[Agent, ...], rules: RuleSet, threads: int) -> None:
        self.threads = threads
        self.order = PatternRanking(rules.path, rules.pieces, None, "diagrams")
        self.size = self.order.size
        check_memory(
            len(agents) * self.size + TABLES_MEMORY,
            f"a search of {self.size:,} states",
            "take fewer pieces",
        )
        ready = Policies(rules, ALL_STATES, threads=threads)
        self.policies = [
            [copy_for_thread(ready.of(agent)) for _ in range(threads)] for agent in agents
        ]
        self.arrays = tables(rules)
        self.codes = [np.zeros(-(-self.size // 8) * 8, np.uint8) for _ in agents]

    def levels(self) -> tuple[ReachDepth, ...]:
        """Search from the start, with each of the agents to move."""
        now, after = FRONTIERS
        for codes in self.codes:
            codes[self.order.rank(Position())] = now
        levels: list[ReachDepth] = []
        total = 0
        while True:
            counts = sum(self._ply(mover, now, after) for mover in range(len(self.codes)))
            new, terminals = np.asarray(counts).tolist()
            if not new and not terminals:
                return tuple(levels)
            total += new
            levels.append(ReachDepth(len(levels), new, total, terminals))
            now, after = after, now

    def _ply(self, mover: int, now: int, after: int) -> NDArray[np.int64]:
        """Play a ply from a frontier's states of one agent, and return the numbers of states."""
        counts = np.zeros((self.threads, 2), np.int64)
        codes, others = self.codes[mover], self.codes[-1 - mover]
        tables_of_order: Any = self.order.arrays

        def work(thread: int, first: int, last: int) -> None:
            arrival_kernels.expand(
                self.policies[mover][thread], tables_of_order, self.arrays.ways, self.arrays.rolls,
                (codes, others), codes.view(np.uint64), first, last, now, DONE, after,
                counts[thread],
            )  # fmt: skip

        for_chunks(self.size, CHUNK, work, self.threads)
        total: NDArray[np.int64] = counts.sum(axis=0)
        return total
