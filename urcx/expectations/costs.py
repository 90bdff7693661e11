"""What following all games of agents takes, estimated before it begins."""

from __future__ import annotations

from collections.abc import Sequence

from urcx.agents.agents import Agent
from urcx.agents.costs import BY_TABLE, BY_VALUES, LOOKED_UP, choosing
from urcx.agents.policies import Policies
from urcx.complexity import tiles
from urcx.engine.work import WorkEstimate, on_threads
from urcx.expectations.layers import flow_memory
from urcx.solving.costs import layer_order, solving
from urcx.solving.general import solver as general

FOLLOWED = 8e-7  # a state, in computing exact means
FOLLOWED_BY_TILES = 2e-5
DECODED = 4e-7  # a choice there by a file of exact play, which is decoded as a whole
# A choice by itself, and one of all choices of a layer.
ALL_AT_ONCE = {BY_TABLE: BY_VALUES, LOOKED_UP: DECODED}


def following(
    ready: Policies,
    pairs: Sequence[tuple[Agent, Agent]],
    first: str,
    threads: int | None,
    *,
    judged: bool = False,
) -> list[WorkEstimate]:
    """Estimate exact expectations of games of pairs of agents, ``judged`` by a solution or not."""
    rules = ready.rules
    order = layer_order(rules)
    states = 2 * tiles.conventions(rules.path, rules.pieces)["diagrams, finished left out"]
    rolls = len(rules.dice.rolls)
    found: dict[str, WorkEstimate] = {}
    seconds = 0.0
    both_alike = all(one == other for one, other in pairs)
    for pair in pairs:
        choice = 0.0
        for agent in pair:
            found[agent.name], one = choosing(ready, agent, threads)
            if order:
                one = ALL_AT_ONCE.get(one, one)
            choice += states / 2 * rolls * one
        alike = pair[0] == pair[1] and rules.path.symmetric
        twice = first not in ("light", "dark") and not alike and not judged
        seconds += (1 + twice) * states * (FOLLOWED if order else FOLLOWED_BY_TILES) + choice
    return [
        *found.values(),
        WorkEstimate(
            f"following all games through {states:,} states of {rules.name}",
            on_threads(seconds, threads) if order else seconds,
            memory=sum(agent.kept for agent in found.values())
            + (
                flow_memory(order, judged=judged, alike=both_alike)
                if order
                else general.general_memory(states)
            ),
            advice="take fewer pieces with -p, or play --games",
        ),
    ]


def judging(
    ready: Policies,
    players: Sequence[Agent],
    opponent: Agent | None,
    threads: int | None,
    *,
    solved: bool,
) -> list[WorkEstimate]:
    """Estimate the regret of agents against an opponent, each against itself without."""
    pairs = [(player, opponent or player) for player in players]
    first = [] if solved else [solving(ready.rules, threads)]
    return [*first, *following(ready, pairs, "alternate", threads, judged=True)]
