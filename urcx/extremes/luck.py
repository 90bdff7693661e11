"""Luck and mistakes: how the chance of winning moves along a game, by dice and by decisions.

Let V be light's chance of winning under perfect play, before each roll, W that after the roll with
the best move still to come, and V' that after the move played. A ply changes the chance by the
dice, W - V, and by the decision, V' - W. The mean of W over the rolls is V, so what the dice change
is a martingale: uncorrelated over the plies, and the variance of its sum is the sum of the means of
the squares. Decisions only lose: V' - W is at most 0 for light's moves and at least 0 for dark's.
Under perfect play nothing is lost, and all of the variance of the result, v (1 - v) for a chance of
v at the start, is the dice'.

All sums are exact expectations over all games of two agents, without sampling, as sums along the
game (`urcx.extremes.courses`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from urcx.agents.agent_kernels import TIES
from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser
from urcx.agents.policies import Policies, check_on_the_fly, check_rules
from urcx.engine.compiling import clock
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.engine.vector_kernels import LANES
from urcx.expectations.exact_strength import perfect
from urcx.expectations.expected import check_built_in
from urcx.expectations.pair_choices import MANY_GAMES, Chosen, prepared
from urcx.expectations.regret import with_table
from urcx.extremes import row_kernels
from urcx.extremes.courses import Courses
from urcx.extremes.pair_rows import PairRows, by_rows
from urcx.results import Result
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.files.tablebase import TablebaseLayers, open_tablebase
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerSource, Values
from urcx.solving.layered.solver import MemoryStore
from urcx.solving.solution import solve

TOLERANCE = 1e-12  # by which sums may still change at the end
SAME = 1e-15  # losses of values that differ by rounding only


@dataclass(frozen=True)
class Luck(Result, function="luck"):
    """What dice and decisions do to the chance of winning along a game of two agents.

    All are means over all games, each side beginning half of them.

    Attributes
    ----------
    rules : RuleSet
    light, dark : Agent
    wins : float
        How likely light wins.
    outcome : float
        The variance of the result, ``wins (1 - wins)``.
    dice : float
        The sum of the squares of what the dice change, over both players' plies.
    decisions : tuple of float
        The sums of the squares of what light's and dark's decisions lose.
    losses : tuple of float
        What light's and dark's decisions lose in a game, in chances of winning.
    plies : float
        The mean plies of a game.
    seconds : float

    Examples
    --------
    >>> import urcx
    >>> found = urcx.luck("optimal", rules=urcx.ruleset("finkel", pieces=1))
    >>> round(found.dice, 6), round(found.a_ply, 4), found.decisions
    (0.249097, 0.1208, (0.0, 0.0))
    """

    rules: RuleSet
    light: Agent
    dark: Agent
    wins: float
    outcome: float
    dice: float
    decisions: tuple[float, float]
    losses: tuple[float, float]
    plies: float
    seconds: float

    @property
    def share(self) -> float:
        """Return the dice' share of all squares."""
        return self.dice / (self.dice + sum(self.decisions))

    @property
    def a_ply(self) -> float:
        """Return the root of the mean square of what the dice change in a ply."""
        return float(np.sqrt(self.dice / self.plies))


def luck(
    light: str | Agent | Chooser = "optimal",
    dark: str | Agent | Chooser | None = None,
    rules: str | RuleSet = "finkel",
    *,
    tablebase: str | Path | None = None,
    threads: int | None = None,
    stage: Stage = silent,
) -> Luck:
    """Return how much dice and decisions move the chance of winning in games of two agents.

    Parameters
    ----------
    light, dark
        Agents, or texts as `urcx.agents.agent_texts.agent` reads them; dark is as light by default.
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides.
    tablebase
        The rule set's solution; small ones are solved on the fly.
    threads
        By default as many as there are cores.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Luck

    Raises
    ------
    UnknownNameError
        If there is no such agent or rule set.
    UsageError
        If an agent is one of the user's, or the tablebase is of another rule set.
    OutOfDomainError
        If the path is another.
    TooLargeError
        If the rule set is not small and there is no tablebase, or memory does not suffice.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.luck("random", "optimal", urcx.ruleset("finkel", pieces=2))
    >>> found.losses[1], found.losses[0] > 0, found.share > 0.8
    (0.0, True, True)
    """
    chosen = catalogue.ruleset(rules)
    order = LayerOrder(chosen)
    players = [agent(light), agent(light if dark is None else dark)]
    for player in players:
        check_built_in(player)
    threads = chosen_threads(threads)
    began = clock()
    states = sum(order.size(layer) for layer in order.layers)
    with contextlib.ExitStack() as stack:
        solution = _solved(chosen, tablebase, stack, threads, stage)
        ready = Policies(chosen, MANY_GAMES, threads=threads, stage=stage)
        made = []
        for one in (with_table(player, tablebase) for player in players):
            by_solution = one.kind == "optimal" and one.table is None
            made.append(
                perfect(solution, TIES.index(one.ties))
                if by_solution
                else prepared(one, ready, stack)
            )

        def gains(rows: PairRows, picks: Sequence[Chosen | None]) -> list[list[Values]]:
            return _gains(rows, picks, solution)

        text = f"following {players[0].name} against {players[1].name}"
        courses = Courses(order, made, threads)
        found = courses.follow(TOLERANCE, stage(text, states, "states"), gains)
    dice, first, second, lost, lost_by_dark, plies = (sum(part) / 2 for part in found.start)
    # Half of the games begin with each side, so that both have the same chances at first.
    wins = 0.5 - lost + lost_by_dark
    return Luck(
        chosen, players[0], players[1], wins, wins * (1 - wins), dice, (first, second),
        (lost, lost_by_dark), plies, clock() - began,
    )  # fmt: skip


def _solved(
    rules: RuleSet,
    tablebase: str | Path | None,
    stack: contextlib.ExitStack,
    threads: int,
    stage: Stage,
) -> LayerSource:
    """Return the solution in a file, or of a small rule set; the stack closes the file."""
    if tablebase is None:
        check_on_the_fly(rules)
        store = MemoryStore(keep=True)
        store.layers = solve(rules, threads=threads, keep=True, stage=stage).layers
        return store
    base = stack.enter_context(open_tablebase(tablebase))
    check_rules(base, rules)
    return TablebaseLayers(base)


def _gains(
    rows: PairRows, picks: Sequence[Chosen | None], solution: LayerSource
) -> list[list[Values]]:
    """Return what states add to the dice' squares, to each side's squares and losses, to plies."""
    pair = rows.pair
    values, gap = pair.solved(solution)
    size = pair.states + LANES
    dice, squares, losses = ([np.zeros(size) for _ in picks] for _ in range(3))
    nothing, once = np.zeros(size), np.ones(size)
    for side, one in enumerate(picks):
        assert one is not None  # noqa: S101 - both sides have policies
        masks, stride = by_rows(one) if one.by_row else (one.masks[0], one.stride[0])

        def part(
            _: int, first: int, last: int, side: int = side, one: Chosen = one, masks: Any = masks,
            stride: int = stride,
        ) -> None:  # fmt: skip
            row_kernels.swings(
                values, rows.rows, rows.columns, rows.begin, rows.first_op, pair.ops,
                pair.order.tables.chance, masks, stride, rows.first_row, one.by_row, 4 * gap + SAME,
                dice[side], squares[side], losses[side], rows.cuts[first], rows.cuts[last],
            )  # fmt: skip

        rows.in_parts(part)
    return [
        dice,
        [squares[0], nothing],
        [nothing, squares[1]],
        [losses[0], nothing],
        [nothing, losses[1]],
        [once, once],
    ]
