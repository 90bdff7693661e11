"""The distribution of the length of a game of two agents, exactly.

The probability that a game goes on after n more plies, from every state, follows from that after
n - 1: the mean over the rolls and over the moves that the agent to move would choose. All states
are renewed once for each ply, from the start of the game to its end, so that a pair of layers reads
what later ones had a ply before; what the start has after n plies is the tail of the distribution.
Nothing is sampled or left out but rounding in 64 bits; the distribution is followed until the tail
is as small as wanted, and says how large it is.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser
from urcx.agents.policies import Policies
from urcx.engine.compiling import clock
from urcx.engine.memory import check_memory
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.engine.vector_kernels import LANES
from urcx.errors import UsageError
from urcx.expectations.expected import check_built_in
from urcx.expectations.pair_choices import MANY_GAMES, Chosen, chosen, prepared
from urcx.extremes.pair_rows import PairRows
from urcx.games.simulator import FIRST_MOVERS
from urcx.results import Result
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import Values

LEAST, MOST = 1e-12, 0.5  # tails
MOST_PLIES = 100_000
OVER = 1e-18  # probability of going on below which all games of a pair count as over
OPS_A_STATE = 4  # bytes of reads, for the memory estimate


@dataclass(frozen=True)
class Lengths(Result, function="lengths"):
    """How likely a game of two agents has each number of plies.

    Attributes
    ----------
    rules : RuleSet
    light, dark : Agent
    first : str
        Who begins, as in `urcx.simulate`.
    chances : numpy array
        The probability of each number of plies, from 0 on.
    tail : float
        The probability of more plies.
    seconds : float

    Examples
    --------
    >>> import urcx
    >>> found = urcx.lengths("random", rules=urcx.ruleset("finkel", pieces=1))
    >>> found.shortest, round(found.mean, 4), found.quantile(0.5)
    (5, 17.0619, 16)
    """

    rules: RuleSet
    light: Agent
    dark: Agent
    first: str
    chances: NDArray[np.float64]
    tail: float
    seconds: float

    @property
    def shortest(self) -> int:
        """Return the least number of plies that a game can have."""
        return int(np.flatnonzero(self.chances)[0])

    @property
    def likeliest(self) -> int:
        """Return the likeliest number of plies."""
        return int(np.argmax(self.chances))

    @property
    def mean(self) -> float:
        """Return the mean of the plies, games beyond the tail counted as if they ended there."""
        plies = np.arange(len(self.chances))
        return math.fsum(plies * self.chances) + self.tail * len(self.chances)

    @property
    def sd(self) -> float:
        """Return the standard deviation of the plies, with the tail as in `mean`."""
        away = (np.arange(len(self.chances) + 1) - self.mean) ** 2
        return math.sqrt(math.fsum(away * np.append(self.chances, self.tail)))

    def quantile(self, share: float) -> int | None:
        """Return the least number of plies that a share of all games does not exceed.

        None if that is beyond the tail.
        """
        found = np.flatnonzero(np.cumsum(self.chances) >= share)
        return int(found[0]) if len(found) else None


def lengths(
    light: str | Agent | Chooser = "greedy",
    dark: str | Agent | Chooser | None = None,
    rules: str | RuleSet = "finkel",
    *,
    first: str = "alternate",
    tail: float = 1e-9,
    threads: int | None = None,
    policies: Policies | None = None,
    stage: Stage = silent,
) -> Lengths:
    """Return how likely games of two agents have each number of plies, without playing any.

    Parameters
    ----------
    light, dark
        Agents, or texts as `urcx.agents.agent_texts.agent` reads them; dark is as light by default.
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides.
    first
        Who begins: ``light``, ``dark``, or ``alternate`` or ``coin`` for half of the games each.
    tail
        The probability of longer games that need not be told apart, from 1e-12 to 0.5.
    threads
        By default as many as there are cores; figures are the same.
    policies
        Where agents are made ready; see `urcx.agents.policies`.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Lengths

    Raises
    ------
    UsageError
        If an argument is out of range, or an agent is one of the user's.
    UnknownNameError
        If there is no such agent or rule set.
    OutOfDomainError
        If the path is another.
    TooLargeError
        If memory does not suffice.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.lengths("greedy", rules=urcx.ruleset("finkel", pieces=1))
    >>> found.tail < 1e-9, round(float(found.chances.sum()) + found.tail, 12)
    (True, 1.0)
    """
    rule_set = catalogue.ruleset(rules)
    order = LayerOrder(rule_set)
    players = (agent(light), agent(light if dark is None else dark))
    if first not in FIRST_MOVERS:
        raise UsageError(f"unknown first mover {first!r}; known: {', '.join(FIRST_MOVERS)}")
    for player in players:
        check_built_in(player)
    tail = catalogue.real("tail", tail)
    if not LEAST <= tail <= MOST:
        raise UsageError(f"tail {tail:g} is not from {LEAST:g} to {MOST:g}")
    alike = players[0] == players[1]
    check_memory(
        memory_needed(order, 1 if alike else 2),
        f"the lengths of games of {rule_set.name}",
        "take fewer pieces with -p",
    )
    threads = chosen_threads(threads)
    began = clock()
    with contextlib.ExitStack() as stack:
        ready = policies or Policies(rule_set, MANY_GAMES, threads=threads, stage=stage)
        made = [prepared(one, ready, stack) for one in players[: 1 if alike else 2]]
        begins = {"light": [1.0, 0.0], "dark": [0.0, 1.0]}.get(first, [0.5, 0.5])
        survival = _Survival(order, made, threads)
        update = stage("plies of a game", MOST_PLIES, "plies")
        left = survival.run([1.0] if alike else begins, tail, update)
    going = np.array(left)
    return Lengths(
        rule_set, *players, first, np.append(0.0, going[:-1] - going[1:]), float(going[-1]),
        clock() - began,
    )  # fmt: skip


class _Survival:
    """How likely games go on, from every state with each side to move."""

    def __init__(self, order: LayerOrder, policies: list[Any], threads: int) -> None:
        self.order, self.sides = order, len(policies)
        self.values: dict[tuple[int, Layer], Values] = {}
        self.pairs: list[tuple[PairRows, list[Chosen]]] = []
        for layers in reversed(order.pairs):  # from the start of the game
            rows = PairRows(order, layers, threads)
            self.pairs.append((rows, [chosen(one, rows.pair) for one in policies]))
            for side in range(self.sides):
                for layer in layers:
                    self.values[side, layer] = np.ones(order.size(layer))

    def run(self, begins: list[float], tail: float, progress: Callable[[int], None]) -> list[float]:
        """Return how likely games go on after 0, 1, 2 and so many plies, until that is the tail."""
        at = self.order.place(Position())[1]
        left = [1.0]
        while left[-1] > tail and len(left) <= MOST_PLIES:
            for rows, picks in self.pairs:
                self._ply(rows, picks)
            # What rounding adds must not make a probability negative.
            now = sum(
                share * float(self.values[side, (0, 0)][at]) for side, share in enumerate(begins)
            )
            left.append(min(now, left[-1]))
            progress(len(left) - 1)
        return left

    def _ply(self, rows: PairRows, picks: list[Chosen]) -> None:
        pair = rows.pair
        if (
            max(self.values[k, layer].max() for k in range(self.sides) for layer in pair.layers)
            < OVER
        ):
            for k in range(self.sides):
                for layer in pair.layers:
                    self.values[k, layer][:] = 0.0
            return
        arrays = [rows.filled(self._later((k + 1) % self.sides), 0.0) for k in range(self.sides)]
        for k, array in enumerate(arrays):
            for layer in pair.layers:
                at = pair.at["V", layer]
                array[at : at + self.order.size(layer)] = self.values[k, layer]
        for k, array in enumerate(arrays):
            rows.turn(array, arrays[(k + 1) % self.sides])
        mirror = np.empty(2 * pair.states + LANES)  # not needed, as what is read is a ply old
        for k, array in enumerate(arrays):
            after = np.empty(pair.states + LANES)
            rows.renew(array, after, mirror, 0.0, picks=picks[k])
            for layer in pair.layers:
                at = pair.at["V", layer]
                self.values[k, layer][:] = after[at : at + self.order.size(layer)]

    def _later(self, side: int) -> Callable[[Layer], Values]:
        return lambda layer: self.values[side, layer]


def memory_needed(order: LayerOrder, sides: int) -> int:
    """Return about how many bytes it takes to follow the length of games."""
    states = sum(order.size(layer) for layer in order.layers)
    largest = max(sum(order.size(layer) for layer in layers) for layers in order.pairs)
    moves = len(order.tables.rolls) * states  # masks of what is chosen
    return sides * (8 * states + moves + 8 * 4 * largest) + OPS_A_STATE * states + 300_000_000
