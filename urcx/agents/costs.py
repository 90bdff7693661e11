"""Estimates of the work of preparing agents and of choosing by them."""

from __future__ import annotations

from dataclasses import replace

from urcx.agents import policies
from urcx.agents.agents import Agent
from urcx.agents.kinds import ENGINE, KINDS, player_class
from urcx.agents.levels import level_memory, ranking_for, value_type
from urcx.agents.policies import Policies
from urcx.engine.work import WorkEstimate, on_threads
from urcx.rules.model import RuleSet
from urcx.solving.costs import solving
from urcx.solving.files.kept import solution_of

BY_TABLE = KINDS["optimal"].seconds  # a choice by values that are at hand
BY_VALUES = 2e-8  # a choice there by values of all states, eight at a time
OWN_MOVE = 1e-4  # by a user's function
PRUNED = 5.7  # times longer for each further ply, in positions of a game
LOOKED_UP = 2e-5  # a choice by a file of exact play


def choosing(ready: Policies, agent: Agent, threads: int | None) -> tuple[WorkEstimate, float]:
    """Return what making an agent ready takes, and processor seconds of one of its choices."""
    rules = ready.rules
    nothing = WorkEstimate(f"playing {agent.name}", 0.0)
    if agent.is_own:
        return nothing, KINDS[ENGINE].seconds if agent.is_engine else OWN_MOVE
    if agent.base is not None:
        return choosing(ready, agent.base, threads)
    if agent.depth is None:
        if agent.by_solution:
            return nothing if solution_of(rules) else solving(rules, threads), BY_TABLE
        if agent.kind == "optimal" and player_class(str(agent.table)) is not None:
            return nothing, LOOKED_UP
        return nothing, KINDS[agent.kind].seconds
    return _looking_ahead(ready, agent, threads)


def _looking_ahead(
    ready: Policies, agent: Agent, threads: int | None
) -> tuple[WorkEstimate, float]:
    """Return what making an agent that looks ahead ready takes, and seconds of a choice."""
    rules = ready.rules
    nothing = WorkEstimate(f"playing {agent.name}", 0.0)
    look, network = policies.look_of(agent, rules)
    plies = len(look.weights)
    if not ready.by_levels(look, network):
        if network is not None:
            return nothing, policies.network_choice(network, look)
        return nothing, policies.SEARCH_SECONDS * PRUNED**plies
    kept = ready.kept(look, network)
    size = ranking_for(rules).size
    level = size * value_type(look)().itemsize
    if kept is not None and kept.exists():
        return replace(nothing, kept=level), BY_TABLE
    what = f"looking {plies} plies ahead over {size:,} states of {rules.name}"
    if network is not None:
        what = f"valuing {size:,} states of {rules.name} by a network"
    seconds = policies.sweep_seconds(look, network, size)
    levels = WorkEstimate(
        what,
        on_threads(seconds, threads),
        memory=level_memory(size, look),
        disk=level if kept is not None else 0,
        advice="take --method tree, or fewer pieces with -p",
        kept=level,
    )
    return levels, BY_TABLE


def valuing(rules: RuleSet, agent: Agent) -> WorkEstimate:
    """Estimate what an agent thinks of the moves of one position."""
    if agent.by_solution and solution_of(rules) is None:
        return solving(rules, None)
    plies = max((agent.plays.depth or 1) - 1, 0)
    return WorkEstimate(
        f"looking {plies} plies ahead from one position of {rules.name}",
        policies.SEARCH_SECONDS * policies.SEARCH_GROWTH**plies * len(rules.dice.rolls),
        advice="take a lower --depth",
    )
