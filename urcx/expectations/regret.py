"""Regret: how far agents fall short of perfect play, as an exact expectation."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from urcx.agents.agent_kernels import TIES
from urcx.agents.agent_texts import agent, as_several
from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser
from urcx.agents.policies import Policies, check_on_the_fly, check_rules
from urcx.engine.executors import checked
from urcx.engine.threads import Stage, silent
from urcx.errors import UsageError
from urcx.expectations.exact_strength import WorstDecision, judged, perfect_wins, strength
from urcx.expectations.expected import check_built_in
from urcx.expectations.expected_layers import TOLERANCE, all_states
from urcx.expectations.flow_graph import GraphFlow
from urcx.expectations.pair_choices import ALL_STATES, prepared
from urcx.expectations.side_means import Side
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import TablebaseLayers, open_tablebase
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerSource
from urcx.solving.layered.solver import check_tolerance
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.solution import solve


@dataclass(frozen=True)
class Regret:
    """An agent's regret in games against an opponent; each begins half of them.

    Attributes
    ----------
    agent, opponent : Agent
    side, opposite : Side
        The expectations of the two per game.
    wins_bound : float
        By how much ``side.wins`` is off at most: the probability of games that were not followed to
        their end, and rounding.
    states : int
        The number of states, with the agent to move, that come up more than 1e-9 times a game.
    worst : WorstDecision or None
        The decision in these states that loses most; None if none loses anything.
    counts_bound : float
        By how much the plies, decisions and mistakes of either side are off at most.
    loss_bound : float
        By how much the loss of either side is off at most, the solution's gap included.
    """

    agent: Agent
    opponent: Agent
    side: Side
    opposite: Side
    wins_bound: float
    states: int
    worst: WorstDecision | None
    counts_bound: float
    loss_bound: float

    @property
    def a_ply(self) -> float:
        """Return the mean loss of winning probability per ply of the agent."""
        return self.side.loss / self.side.plies

    @property
    def a_decision(self) -> float:
        """Return the mean loss of winning probability per decision (two or more legal moves)."""
        return self.side.loss / self.side.decisions if self.side.decisions else 0.0

    @property
    def mistaken(self) -> float:
        """Return the share of decisions in which the agent does not play a best move."""
        return self.side.mistakes / self.side.decisions if self.side.decisions else 0.0


@dataclass(frozen=True)
class Judged(Result, function="regret"):
    """The regret of several agents.

    Attributes
    ----------
    rules : RuleSet
    opening : float
        The value of beginning under perfect play.
    regrets : tuple of Regret
        One for each agent.
    bound : float
        The error bound of the probabilities under perfect play.
    notes : tuple of str

    Examples
    --------
    >>> import urcx
    >>> found = urcx.regret("greedy", urcx.ruleset("finkel", pieces=1))
    >>> round(found.opening, 6), len(found.regrets)
    (0.53005, 1)
    """

    rules: RuleSet
    opening: float
    regrets: tuple[Regret, ...]
    bound: float
    notes: tuple[str, ...] = ()


def regret(  # noqa: PLR0913 - all but the agents and rules by name
    agents: str | Agent | Chooser | Sequence[str | Agent | Chooser],
    rules: str | RuleSet = "finkel",
    *,
    opponent: str | Agent | None = None,
    tablebase: str | Path | None = None,
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    executor: Executor | None = None,
    layers: str | Path | None = None,
    stage: Stage = silent,
) -> Judged:
    """Return how far agents fall short of perfect play.

    A move's loss is by how much the mover's chance of winning under perfect play after it is below
    that after the best move. It is weighted by how often each state comes up in games against the
    opponent, computed as in `urcx.expectations.expected`. Against a perfect opponent, the losses of
    a game add up to what the agent's chance of winning lacks.

    Parameters
    ----------
    agents
        One or several, or texts as `urcx.agents.agent_texts.agent` reads them.
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides.
    opponent
        Whom they play against; perfect play by default. ``self`` for each against itself.
    tablebase
        The rule set's solution; small ones are solved on the fly.
    tolerance
        Probability of games that need not be followed to their end, from 1e-13 to 1e-2; more takes
        less time.
    threads
        By default as many as there are cores.
    executor
        What follows the games, in place of threads of this process; ``threads`` are then those of
        each worker. It needs a tablebase, which all workers must have. See :doc:`/executors`.
    layers
        With an executor, a directory that all its workers share, as for `urcx.expected`.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Judged

    Raises
    ------
    UsageError
        If an agent is one of the user's, or the tolerance is out of range; or if there is an
        executor and no tablebase, or a cluster without a directory for layers.
    OutOfDomainError
        If the path has no layers.
    TablebaseError
        If the tablebase cannot be read, or is of another game.
    TooLargeError
        If there is no tablebase and the rule set is too large, or memory does not suffice.
    UrcxError
        If an executor's workers fail, share no directory, or have another urcx.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> found = urcx.regret(["random", "greedy"], short)
    >>> [(item.agent.name, round(item.side.loss, 4)) for item in found.regrets]
    [('random', 0.2386), ('greedy', 0.1246)]
    """
    chosen = catalogue.ruleset(rules)
    players = [with_table(agent(one), tablebase) for one in as_several(agents)]
    rival = None if opponent == "self" else with_table(agent(opponent or "optimal"), tablebase)
    tolerance = check_tolerance(tolerance)
    executor = checked(executor)
    if executor is not None and tablebase is None:
        raise UsageError("workers need a tablebase to judge moves by; write one with urcx.solve")
    for player in [*players, rival]:
        if player is not None:
            check_built_in(player)
    order = LayerOrder(chosen)
    policies = Policies(chosen, ALL_STATES, threads=threads, stage=stage)
    with contextlib.ExitStack() as stack:
        solution: LayerSource
        if tablebase is not None:
            base = stack.enter_context(open_tablebase(tablebase))
            check_rules(base, chosen)
            solution = TablebaseLayers(base)
        else:
            check_on_the_fly(chosen)
            solution = MemoryStore(keep=True)
            solution.layers = solve(chosen, threads=threads, keep=True, stage=stage).layers
        found = solution.get((0, 0))
        assert found is not None
        opening, gap = float(found[0][order.place(Position())[1]]), found[1]
        del found  # a layer
        made: dict[Agent, Any] = {}
        regrets = []
        for player in players:
            other = player if rival is None else rival
            text = f"following {player.name} against {other.name}"
            progress = stage(text, all_states(order), "states")
            if executor is not None:
                graph = GraphFlow(
                    chosen, (player, other), executor, directory=layers, tablebase=tablebase,
                    threads=threads, tolerance=tolerance,
                )  # fmt: skip
                games = judged(graph, progress)
                policies.notes += [note for note in graph.notes if note not in policies.notes]
            else:
                for one in (player, other):
                    if one not in made and one.kind == "optimal" and one.table is None:
                        made[one] = perfect_wins(solution, TIES.index(one.ties))
                    elif one not in made:
                        made[one] = prepared(one, policies, stack)
                games = strength(
                    made[player], solution, chosen, opponent=made[other], tolerance=tolerance,
                    threads=threads, progress=progress,
                )  # fmt: skip
            counts = games.accuracy.counted()
            decisions = max(games.side.decisions, games.opposite.decisions)
            regrets.append(
                Regret(
                    player,
                    other,
                    games.side,
                    games.opposite,
                    games.bound,
                    games.states,
                    games.worst,
                    counts,
                    counts + 2.0 * gap * (decisions + counts),  # two values a decision
                )
            )
    return Judged(chosen, opening, tuple(regrets), gap, tuple(policies.notes))


def with_table(player: Agent, tablebase: str | Path | None) -> Agent:
    """Return the agent, with the tablebase given if it is ``optimal`` without one."""
    if player.kind != "optimal" or player.table is not None or tablebase is None:
        return player
    return replace(player, table=str(tablebase))
