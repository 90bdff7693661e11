"""The distribution of the length of a game of two agents, exactly.

The probability that a game goes on after n more plies, from every state, follows from that after
n - 1: the mean over the rolls and over the moves that the agent to move would choose. All states
are renewed once for each ply, from the start of the game to its end, so that a pair of layers reads
what later ones had a ply before; what the start has after n plies is the tail of the distribution.
Nothing is sampled. As a game is in one pair at a time, counting all games of a pair as over once
less than `OVER` of them go on lowers a tail by less than that for each pair that a game passes
through, which is what rounding in 64 bits does; the distribution is followed until the tail is as
small as wanted, and says how large it is.
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
    built_in_agent,
    choose_moves,
    make_policy,
    mask_type,
)
from urcx.games.simulator import FIRST_MOVERS
from urcx.results.fields import Field, Format, decimals, fields_of
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
SHOWN = 1e-13  # the least chance of a number of plies that rounding does not hide
SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)  # of games, in the table
CHANCE = Format(lambda chance: f"{chance:.6g}")
OVER = 1e-15  # probability of going on below which all games of a pair count as over
PERIOD = 8  # plies from one look for such pairs to the next
ROWS = 1 << 16  # whose reads a thread takes at a time
MOST_STATES = 1 << 31  # with either side to move, that reads refer to
OPS_A_STATE = 4  # bytes of reads, for the memory estimate


class LengthChance(NamedTuple):
    """How likely a game has a number of plies."""

    plies: Annotated[int, Field(Column("plies", key=True), about="a number of plies")]
    chance: Annotated[float, Field("chance", CHANCE, "the probability of just as many")]
    at_most: Annotated[
        float, Field("at most so many", CHANCE, "the probability of at most as many")
    ]


@dataclass(frozen=True)
class Lengths(CompiledResult, function="lengths"):
    """How likely a game of two agents has each number of plies.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.lengths("random", rules=urcx.ruleset("finkel", pieces=1))
    >>> found.shortest, round(found.mean, 4), found.quantile(0.5)
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
    first: Annotated[str, Field(about="who begins")]
    chances: Annotated[NDArray[np.float64], "the probability of each number of plies, from 0 on"]
    tail: Annotated[
        float,
        Field(
            "chance of more plies than listed", CHANCE, "the probability of more plies than listed"
        ),
    ]
    seconds: Annotated[float, Field(about="how long that took")]
    notes: Annotated[tuple[str, ...], "what is to be said of how it was computed"] = ()

    @property
    @Field(
        f"fewest with a chance above {SHOWN:g}",
        about=f"the fewest plies with a chance above {SHOWN:g}: rounding hides rarer games",
        after="first",
    )
    def shortest(self) -> int:
        """Return the least number of plies that has a chance above `SHOWN`.

        Chances are differences of probabilities near 1 there, and rounding hides smaller ones; a
        still shorter game may be possible.
        """
        return int(np.flatnonzero(self.chances > SHOWN)[0])

    @property
    @Field("likeliest", about="the likeliest number of plies", after="shortest")
    def likeliest(self) -> int:
        """Return the likeliest number of plies."""
        return int(np.argmax(self.chances))

    @property
    @Field("mean", decimals(4), "mean plies, the tail counted as if it ended there", after="first")
    def mean(self) -> float:
        """Return the mean of the plies, games beyond the tail counted as if they ended there."""
        plies = np.arange(len(self.chances))
        return math.fsum(plies * self.chances) + self.tail * len(self.chances)

    @property
    @Field("standard deviation", decimals(4), "that of the plies, in the same way", after="mean")
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

    @property
    def rows(self) -> list[LengthChance]:
        """Return the chance of each number of plies, from the shortest on."""
        chances = self.chances.tolist()
        at_most = (min(total, 1.0) for total in accumulate(chances))
        return list(map(LengthChance, count(), chances, at_most))[self.shortest :]

    def tables(self) -> list[Table]:
        """Return the shares of games that are so short."""
        own = fields_of(Lengths).pick("mean", "sd", "shortest", "likeliest", "tail")
        found = ((share, self.quantile(share)) for share in SHARES)
        quantiles = [
            [f"{share:.0%} of games: at most", "" if plies is None else str(plies)]
            for share, plies in found
        ]
        return [Table("", ["<", "<plies"], [*own.lines(self), *quantiles])]

    @property
    def answer(self) -> str:
        """Return the mean, and between what most games are."""
        low, high = self.quantile(SHARES[1]), self.quantile(SHARES[-2])
        return (
            f"{self.rules.with_pieces}: a game of {players(self.light, self.dark)} takes "
            f"{self.mean:.4f} plies on average, nine of ten games {low} to {high} (exact but for "
            "rounding)"
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
    """Compute how likely a game has each number of plies, exactly.

    Parameters
    ----------
    light, dark
        Who plays: ``NAME[:DEPTH][:LEAF][:TIES]``. Such texts, or agents; dark is as light by
        default.
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides.
    first
        Who begins: ``light``, ``dark``, or ``alternate`` or ``coin`` for half of the games each.
    tail
        Probability, from 1e-12 to 0.5, below which longer games are not listed by length.
    threads
        By default as many as there are cores; figures are the same.
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
    UrcxError
        If more than the tail of all games is longer than 100,000 plies.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.lengths("greedy", rules=urcx.ruleset("finkel", pieces=1))
    >>> found.tail < 1e-9, round(float(found.chances.sum()) + found.tail, 12)
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
    """Compute the distribution for light and dark, by policies that several calls share."""
    rule_set = ready.rules
    order = LayerOrder(rule_set)
    both = (built_in_agent(agents[0]), built_in_agent(agents[1]))
    check_name("first mover", first, FIRST_MOVERS)
    tail = catalogue.as_float("tail", tail, (LEAST, MOST))
    alike = both[0] == both[1]
    check_memory(
        lengths_memory(order, 1 if alike else 2),
        f"the lengths of games of {rule_set.name}",
        "take fewer pieces",
    )
    if 2 * sum(map(order.size, order.layers)) >= MOST_STATES:
        raise TooLargeError(f"{rule_set.name} has too many states to number; take fewer pieces")
    threads = chosen_threads(ready.threads)
    began = compute_clock()
    with contextlib.ExitStack() as stack:
        made = [make_policy(one, ready, stack) for one in both[: 1 if alike else 2]]
        begins = {"light": [1.0, 0.0], "dark": [0.0, 1.0]}.get(first, [0.5, 0.5])
        survival = _Survival(order, made, threads)
        update = ready.stage("plies of a game", MOST_PLIES, "plies")
        left = survival.run([1.0] if alike else begins, tail, update)
    going = np.array(left)
    return Lengths(
        rule_set, *both, first, np.append(0.0, going[:-1] - going[1:]), float(going[-1]),
        compute_clock() - began, tuple(ready.notes),
    )  # fmt: skip


class _Pair:
    """A pair of layers, and the moves that policies choose there.

    ``base`` is where it begins in the array of all layers.
    """

    def __init__(self, pair: LayerPair, policies: list[Any], base: int) -> None:
        self.pair, self.block, self.base = pair, pair.block, base
        nothing = way_of(pair.rows, 0.0)
        self.means = [PolicyMean(nothing, choose_moves(policy, pair)) for policy in policies]
        self.over = False

    def relocate(self, u_at: dict[Layer, int], over: int) -> None:
        """Let reads that leave the pair refer to U of later layers, and to finished games."""
        pair = self.pair
        ends, shifts = [2 * pair.states], [0]
        for (j, i), part in pair.later():
            ends.append(part.stop)
            shifts.append(u_at[i, j] - self.base - part.start)
        ends.append(pair.size)
        shifts.append(over - self.base - pair.won)
        starts = pair.row_ops
        given = (
            pair.ops, starts, len(pair.order.tables.rolls), np.array(ends), np.array(shifts),
        )  # fmt: skip
        for_chunks(len(starts), ROWS, lambda _, i, j: kernels.relocate(*given, i, j), pair.threads)
        pair.forget_rows()

    def phases(self, values: list[Values], result: list[Values]) -> list[Phase]:
        """Return what has to be done in each ply, in parts."""
        rows, cuts = self.block.rows, self.block.cuts
        if self.pair.states < SMALL:
            cuts = [0, len(rows.rows)]
        here = [of[self.base :] for of in values]
        sides = range(len(values))  # U of one side's array is V of the other's; of its own if alike

        def renew(_: int, first: int, last: int) -> None:
            for k in sides:
                kernels.go_on(here[k], rows, self.means[k], result[k], first, last)

        def hand_over(_: int, first: int, last: int) -> None:
            for k in sides:
                kernels.hand_over(result[k], rows, here[k], here[k - 1], first, last)

        return [phase_of(cuts, renew), phase_of(cuts, hand_over)]


class _Survival:
    """How likely games go on, from every state with each side to move."""

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
        found = [np.zeros(most + LANES * (width + 1)) for _ in policies]
        for of in self.pairs:
            of.relocate(u_at, end)
        self.phases = [of.phases(self.values, found) for of in self.pairs]

    def run(self, begins: list[float], tail: float, progress: Callable[[int], None]) -> list[float]:
        """Return how likely games go on after 0, 1, 2 and so many plies, until that is the tail."""
        at = self.pairs[0].pair.at["V", (0, 0)] + self.order.place(Position())[1]
        left = [1.0]
        while left[-1] > tail and len(left) <= MOST_PLIES:
            if len(left) % PERIOD == 0:
                self._drop()
            going = zip(self.pairs, self.phases, strict=True)
            in_phases([one for pair, of in going if not pair.over for one in of], self.threads)
            now = math.fsum(
                share * float(of[at]) for share, of in zip(begins, self.values, strict=True)
            )
            left.append(min(now, left[-1]))  # rounding must not make a probability negative
            progress(len(left) - 1)
        if left[-1] > tail:
            raise UrcxError(
                f"games of {self.order.rules.name} still go on after {MOST_PLIES:,} plies with a "
                f"probability of {left[-1]:.2g}; take a greater tail"
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
    """Return about how many bytes it takes to follow the length of games."""
    states = order.states(order.layers)
    largest = max(map(order.states, order.pairs))
    masks = len(order.tables.rolls) * states * mask_type(order.rules).itemsize
    return sides * (2 * 8 * states + masks + 8 * largest) + OPS_A_STATE * states + 300_000_000
