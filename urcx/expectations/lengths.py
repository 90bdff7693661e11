"""The distribution of the length of a game of two agents, exactly.

Consider the probability that a game goes on after n more plies, from every state. It follows from
the probabilities after n - 1 plies: it is their mean over the rolls and over the moves that the
agent to move would choose. All states are updated once for each ply, from the start of the game to
its end, so a pair of layers reads the later layers' probabilities of one ply before. The
probability at the start after n plies is the tail of the distribution. Nothing is sampled.

A game is in one pair at a time. As soon as less than `OVER` of the games of a pair go on, all of
them count as over. This lowers a tail by less than `OVER` for each pair that a game passes through,
which is no more than rounding in 64 bits does. The distribution is followed until the tail is as
small as requested, and the result contains the tail.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, count
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agents import Agent, DarkAgent, LightAgent, players
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import Policies
from urcx.engine.compiling import CompiledResult, compute_clock
from urcx.engine.memory import check_memory
from urcx.engine.threads import Phase, Stage, chosen_threads, for_chunks, in_phases, no_progress
from urcx.engine.vector_types import LANES, MOST_LANES
from urcx.errors import TooLargeError, UrcxError, check_functions, check_name
from urcx.expectations import survival_kernels as kernels
from urcx.expectations.choices import (
    ALL_STATES,
    choose_moves,
    exact_agent,
    make_policy,
    mask_type,
)
from urcx.games.simulator import FIRST_MOVERS
from urcx.results.fields import Field, Format, decimals, fields_of
from urcx.results.numbers import percent_text
from urcx.results.tables import Column, Table
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.blocks import SMALL, Values, phase_of
from urcx.sweeps.sweep_kernels import PolicyMean, way_of

__all__ = ["lengths"]

LEAST, MOST = 1e-12, 0.5  # tails
MOST_PLIES = 100_000
SHOWN = 1e-13  # the least probability of a number of plies that rounding does not hide
SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)  # of games, in the table
CHANCE = Format(lambda chance: f"{chance:.6g}")
OVER = 1e-15  # probability of going on below which all games of a pair count as over
PERIOD = 8  # plies between searches for such pairs
ROWS = 1 << 16  # rows of which a thread relocates the reads at a time
MOST_STATES = 1 << 31  # with either side to move, limited by the type of reads
OPS_A_STATE = 4  # bytes of reads, for the memory estimate


class LengthChance(NamedTuple):
    """The probability of a number of plies."""

    plies: Annotated[int, Field(Column("plies", key=True), about="a number of plies")]
    chance: Annotated[float, Field("probability", CHANCE, "probability of exactly this number")]
    at_most: Annotated[float, Field("at most", CHANCE, "probability of at most this number")]


@dataclass(frozen=True)
class Lengths(CompiledResult, function="lengths"):
    """The probability of each number of plies in games of two agents.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.lengths("random", rules=urcx.ruleset("finkel", pieces=1))
    >>> result.shortest, round(result.mean, 4), result.quantile(0.5)
    (5, 17.0619, 16)
    """

    schema = "urcx.lengths/1"
    lists = ("rows",)
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="of the probabilities")]] = (
        "exact but for rounding in 64 bits"
    )
    light: LightAgent
    dark: DarkAgent
    first: Annotated[str, Field(about="the first player")]
    chances: Annotated[NDArray[np.float64], "the probability of each number of plies, from 0 on"]
    tail: Annotated[
        float,
        Field(
            "probability of longer games", CHANCE, "probability of more plies than in the last row"
        ),
    ]
    seconds: Annotated[float, Field(about="wall time")]
    notes: Annotated[tuple[str, ...], "notes on the computation"] = ()

    @property
    @Field(
        f"fewest with a probability above {SHOWN:g}",
        about=f"fewest plies with a probability above {SHOWN:g}: rounding hides rarer games",
        after="first",
    )
    def shortest(self) -> int:
        """Return the least number of plies with a probability above `SHOWN`.

        Rounding hides smaller probabilities, because they are differences of probabilities near 1.
        So a still shorter game may be possible.
        """
        return int(np.flatnonzero(self.chances > SHOWN)[0])

    @property
    @Field("most likely", about="the most likely number of plies", after="shortest")
    def likeliest(self) -> int:
        """Return the most likely number of plies."""
        return int(np.argmax(self.chances))

    @property
    @Field(
        "mean",
        decimals(4),
        "mean plies, as if longer games ended after the last row",
        after="first",
    )
    def mean(self) -> float:
        """Return the mean of the plies, as if longer games ended one ply after the last row."""
        plies = np.arange(len(self.chances))
        return math.fsum(plies * self.chances) + self.tail * len(self.chances)

    @property
    @Field("standard deviation", decimals(4), "standard deviation, in the same way", after="mean")
    def sd(self) -> float:
        """Return the standard deviation of the plies, with longer games as in `mean`."""
        away = (np.arange(len(self.chances) + 1) - self.mean) ** 2
        return math.sqrt(math.fsum(away * np.append(self.chances, self.tail)))

    def quantile(self, share: float) -> int | None:
        """Return the least number of plies that a share of all games does not exceed.

        The result is None if the distribution does not reach that share.
        """
        enough = np.flatnonzero(np.cumsum(self.chances) >= share)
        return int(enough[0]) if len(enough) else None

    @property
    def rows(self) -> list[LengthChance]:
        """Return the probability of each number of plies, from the shortest game on."""
        chances = self.chances.tolist()
        at_most = (min(total, 1.0) for total in accumulate(chances))
        return list(map(LengthChance, count(), chances, at_most))[self.shortest :]

    def tables(self) -> list[Table]:
        """Return the mean of the plies, and quantiles of their distribution."""
        own = fields_of(Lengths).pick("mean", "sd", "shortest", "likeliest", "tail")
        quantiles = []
        for share in SHARES:
            plies = self.quantile(share)
            label = f"{percent_text(share, 0)} of games: at most"
            quantiles.append([label, "" if plies is None else str(plies)])
        return [Table("", ["<", "<plies"], [*own.lines(self), *quantiles])]

    @property
    def answer(self) -> str:
        """Return the mean of the plies, and their 5 % and 95 % quantiles."""
        low, high = self.quantile(SHARES[1]), self.quantile(SHARES[-2])
        return (
            f"{self.rules.with_pieces}: a game of {players(self.light, self.dark)} takes "
            f"{self.mean:.4f} plies on average, {low} to {high} from the 5 % to the 95 % quantile "
            "(exact except for rounding)"
        )


def lengths(
    light: str | Agent | CustomAgent = "greedy",
    dark: str | Agent | CustomAgent | None = None,
    rules: str | RuleSet = "finkel",
    *,
    first: str = "alternate",
    tail: float = 1e-9,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Lengths:
    """Compute the probability of each number of plies in games of two agents, exactly.

    Parameters
    ----------
    light, dark
        The players: agents, or strings ``NAME[:DEPTH][:LEAF][:TIES]``. By default dark is the same
        as light.
    rules
        A rule set or its name. Its path must cross no tile twice and be the same for both sides.
    first
        The first player: ``light``, ``dark``, or ``alternate`` or ``coin`` for half of the games
        each.
    tail
        The probability of longer games at which the distribution ends, from 1e-12 to 0.5.
    threads
        By default as many as there are cores. The result does not depend on it.
    stage
        Called when each part of the work begins.

    Returns
    -------
    Lengths

    Raises
    ------
    UsageError
        If an argument is out of range, an agent is another program, or a user's own agent cannot be
        asked in every state (:doc:`/agents`).
    UnknownNameError
        If there is no such agent or rule set.
    OutOfDomainError
        If the path is not of that kind.
    TooLargeError
        If memory does not suffice.
    UrcxError
        If more than the tail of all games is longer than 100,000 plies.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.lengths("greedy", rules=urcx.ruleset("finkel", pieces=1))
    >>> result.tail < 1e-9, round(float(result.chances.sum()) + result.tail, 12)
    (True, 1.0)
    """
    check_functions(stage=stage)
    ready = Policies(catalogue.ruleset(rules), ALL_STATES, threads=threads, stage=stage)
    return lengths_by(ready, (light, light if dark is None else dark), first, tail)


def lengths_by(
    ready: Policies,
    agents: tuple[str | Agent | CustomAgent, str | Agent | CustomAgent],
    first: str,
    tail: float,
) -> Lengths:
    """Compute the distribution for light and dark, with policies that several calls share."""
    rule_set = ready.rules
    order = LayerOrder(rule_set)
    both = (exact_agent(agents[0]), exact_agent(agents[1]))
    check_name("first mover", first, FIRST_MOVERS)
    tail = catalogue.as_float("tail", tail, (LEAST, MOST))
    alike = both[0] == both[1]
    check_memory(
        lengths_memory(order, 1 if alike else 2),
        f"the lengths of games of {rule_set.name}",
        "take fewer pieces",
    )
    if 2 * sum(map(order.size, order.layers)) >= MOST_STATES:
        raise TooLargeError(f"{rule_set.name} has too many states to number. Take fewer pieces")
    threads = chosen_threads(ready.threads)
    began = compute_clock()
    with contextlib.ExitStack() as stack:
        policies = [make_policy(player, ready, stack) for player in both[: 1 if alike else 2]]
        begins = {"light": [1.0, 0.0], "dark": [0.0, 1.0]}.get(first, [0.5, 0.5])
        survival = _Survival(order, policies, threads)
        update = ready.stage("plies of a game", MOST_PLIES, "plies")
        left = survival.run([1.0] if alike else begins, tail, update)
    going = np.array(left)
    return Lengths(
        rule_set, *both, first, np.append(0.0, going[:-1] - going[1:]), float(going[-1]),
        compute_clock() - began, tuple(ready.notes),
    )  # fmt: skip


class _Pair:
    """A pair of layers, and the moves that policies choose there.

    ``base`` is the index at which the pair begins in the array of all layers.
    """

    def __init__(self, pair: LayerPair, policies: list[Any], base: int) -> None:
        self.pair, self.block, self.base = pair, pair.block, base
        nothing = way_of(pair.rows, 0.0)
        self.means = [PolicyMean(nothing, choose_moves(policy, pair)) for policy in policies]
        self.over = False

    def relocate(self, u_at: dict[Layer, int], over: int) -> None:
        """Redirect reads that leave the pair to U of later layers, and to finished games."""
        pair = self.pair
        ends, shifts = [2 * pair.states], [0]
        for (j, i), part in pair.later():
            ends.append(part.stop)
            shifts.append(u_at[i, j] - self.base - part.start)
        ends.append(pair.size)
        shifts.append(over - self.base - pair.won)
        starts = pair.row_ops
        arguments = (
            pair.ops, starts, len(pair.order.tables.rolls), np.array(ends), np.array(shifts),
        )  # fmt: skip
        for_chunks(
            len(starts), ROWS, lambda _, i, j: kernels.relocate(*arguments, i, j), pair.threads
        )
        pair.forget_rows()

    def phases(self, values: list[Values], result: list[Values]) -> list[Phase]:
        """Return the phases of an update by one ply, in parts."""
        rows, cuts = self.block.rows, self.block.cuts
        if self.pair.states < SMALL:
            cuts = [0, len(rows.rows)]
        here = [of[self.base :] for of in values]
        sides = range(len(values))  # U of a side's array is V of the other's, or its own if alike

        def update(_: int, first: int, last: int) -> None:
            for k in sides:
                kernels.go_on(here[k], rows, self.means[k], result[k], first, last)

        def hand_over(_: int, first: int, last: int) -> None:
            for k in sides:
                kernels.hand_over(result[k], rows, here[k], here[k - 1], first, last)

        return [phase_of(cuts, update), phase_of(cuts, hand_over)]


class _Survival:
    """The probability that games go on, from every state with each side to move."""

    def __init__(self, order: LayerOrder, policies: list[Any], threads: int) -> None:
        self.order, self.threads = order, threads
        self.pairs: list[_Pair] = []
        end, u_at = 0, {}
        for layers in reversed(order.pairs):  # from the start of the game
            pair = LayerPair(order, layers, threads)
            self.pairs.append(_Pair(pair, policies, end))
            for layer in layers:
                u_at[layer] = end + pair.at["U", layer]
            end += 2 * pair.states
        width = int(order.width[-1])
        self.values = [np.ones(end + width + MOST_LANES) for _ in policies]
        for values in self.values:
            values[end:] = 0.0  # finished games
        most = max(of.pair.states for of in self.pairs)
        results = [np.zeros(most + LANES * (width + 1)) for _ in policies]
        for of in self.pairs:
            of.relocate(u_at, end)
        self.phases = [of.phases(self.values, results) for of in self.pairs]

    def run(self, begins: list[float], tail: float, progress: Callable[[int], None]) -> list[float]:
        """Return the probabilities that games go on after 0, 1, 2, ... plies, down to the tail."""
        at = self.pairs[0].pair.at["V", (0, 0)] + self.order.place(Position())[1]
        left = [1.0]
        while left[-1] > tail and len(left) <= MOST_PLIES:
            if len(left) % PERIOD == 0:
                self._drop()
            going = zip(self.pairs, self.phases, strict=True)
            phases = [phase for pair, of in going if not pair.over for phase in of]
            in_phases(phases, self.threads)
            now = math.fsum(
                share * float(of[at]) for share, of in zip(begins, self.values, strict=True)
            )
            left.append(min(now, left[-1]))  # rounding must not make a probability negative
            progress(len(left) - 1)
        if left[-1] > tail:
            raise UrcxError(
                f"games of {self.order.rules.name} still go on after {MOST_PLIES:,} plies with a "
                f"probability of {left[-1]:.2g}. Choose a greater tail"
            )
        return left

    def _drop(self) -> None:
        """Count all games of a pair as over if hardly any go on."""
        for pair in self.pairs:
            states = pair.pair.states
            parts = [of[pair.base :][: 2 * states] for of in self.values]
            if not pair.over and max(float(part[:states].max()) for part in parts) < OVER:
                pair.over = True
                for part in parts:
                    part[:] = 0.0


def lengths_memory(order: LayerOrder, sides: int) -> int:
    """Return an estimate of the bytes that following the length of games takes."""
    states = order.states(order.layers)
    largest = max(map(order.states, order.pairs))
    masks = len(order.tables.rolls) * states * mask_type(order.rules).itemsize
    return sides * (2 * 8 * states + masks + 8 * largest) + OPS_A_STATE * states + 300_000_000
