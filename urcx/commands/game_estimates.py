"""About how long, and how large: games, expectations over all of them, training.

As in `urcx.commands.estimates`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urcx.agents.kinds import KINDS
from urcx.commands.consent import WorkEstimate
from urcx.commands.estimates import fewer, layers_of, searching, solving, spread, states_of
from urcx.commands.rates import (
    AGAIN,
    BY_VALUES,
    CAPTURED,
    CODED,
    CODED_BYTES,
    DECODED,
    FOLLOWED,
    FOLLOWED_BY_TILES,
    GAMBLED,
    LASTING,
    LASTING_ELSE,
    LOOKED_UP,
    OWN_MOVE,
    PLY,
    PROLONGED,
    PROLONGED_MORE,
    PRUNED,
    RENEWED,
    SEARCHED,
    SEARCHED_BY_AGENTS,
    STALLED,
)
from urcx.complexity import tiles
from urcx.engine.threads import chosen_threads
from urcx.results.numbers import counted
from urcx.rules.model import RuleSet

# A choice by itself, and one of all choices of a layer.
BY_TABLE = KINDS["optimal"].seconds
ALL_AT_ONCE = {BY_TABLE: BY_VALUES, LOOKED_UP: DECODED}

if TYPE_CHECKING:
    from urcx.agents.agents import Agent
    from urcx.agents.policies import Policies
    from urcx.learn.methods import Method


def _plies(rules: RuleSet) -> float:
    """Return about how many plies a game of both sides has."""
    ways = len(rules.path.light) + len(rules.path.dark) + 2
    longer = 1 if rules.path.crossed_once else AGAIN * rules.pieces
    return longer * CAPTURED * rules.pieces * ways / max(float(rules.dice.mean), 0.01)


def _choosing(ready: Policies, agent: Agent, threads: int | None) -> tuple[WorkEstimate, float]:
    """Return what making an agent ready takes, and processor seconds of one of its choices."""
    rules = ready.rules
    nothing = WorkEstimate(f"playing {agent.name}", 0.0)
    if agent.is_own:
        return nothing, OWN_MOVE
    if agent.depth is None:
        from urcx.agents.play_files.play_file import is_play_file

        if agent.kind == "optimal" and agent.table is None:
            from urcx.agents.policies import check_on_the_fly

            check_on_the_fly(rules)
            return solving(rules, threads), BY_TABLE
        if agent.kind == "optimal" and is_play_file(str(agent.table)):
            return nothing, LOOKED_UP
        return nothing, KINDS[agent.kind].seconds
    return _looking_ahead(ready, agent, threads)


def _looking_ahead(
    ready: Policies, agent: Agent, threads: int | None
) -> tuple[WorkEstimate, float]:
    """Return what making an agent that looks ahead ready takes, and seconds of a choice."""
    if agent.leaf is None:
        return _by_network(ready, agent, threads)
    rules = ready.rules
    nothing = WorkEstimate(f"playing {agent.name}", 0.0)
    assert agent.depth is not None
    from urcx.agents import policies
    from urcx.agents.levels import kept_file, level_memory, ranking_for, value_type
    from urcx.agents.lookahead import lookahead

    look = lookahead(rules, agent.depth, agent.leaf, few_rolls=agent.few_rolls)
    plies = len(look.weights)
    if not ready.by_levels(look):
        return nothing, policies.SEARCH_SECONDS * PRUNED**plies
    size = ranking_for(rules).size
    kept = kept_file(rules, look) if ready.keep else None
    level = size * value_type(look)().itemsize
    if kept is not None and kept.exists():
        return replace(nothing, kept=level), BY_TABLE
    levels = WorkEstimate(
        f"looking {plies} plies ahead over {size:,} states of {rules.name}",
        spread(size * (plies + 1) * policies.SWEEP_SECONDS, threads),
        memory=level_memory(size, look),
        disk=level if kept is not None else 0,
        advice="take --method tree, or fewer pieces with -p",
        kept=level,
    )
    return levels, BY_TABLE


def _by_network(ready: Policies, agent: Agent, threads: int | None) -> tuple[WorkEstimate, float]:
    """Return what making a network's agent ready takes, and seconds of one of its choices."""
    from urcx.agents import policies
    from urcx.agents.levels import level_memory, ranking_for, value_type
    from urcx.agents.networks import network_lookahead

    rules = ready.rules
    network = policies.network_of(agent, rules)
    assert agent.depth is not None
    look = network_lookahead(rules, agent.depth)
    if not ready.values_all(network, look):
        return WorkEstimate(f"playing {agent.name}", 0.0), policies.network_choice(network, look)
    size = ranking_for(rules).size
    level = size * value_type(look)().itemsize
    kept = ready.kept_values(network, look)
    if kept is not None and kept.exists():
        return WorkEstimate(f"playing {agent.name}", 0.0, kept=level), BY_TABLE
    valued = WorkEstimate(
        f"valuing {size:,} states of {rules.name} by a network",
        spread(policies.network_sweeps(network, look, size), threads),
        memory=level_memory(size, look),
        disk=level if kept is not None else 0,
        advice="take --method tree, or fewer pieces with -p",
        kept=level,
    )
    return valued, BY_TABLE


def playing(
    ready: Policies, pairs: Iterable[tuple[Agent, Agent]], games: int, threads: int | None
) -> list[WorkEstimate]:
    """Estimate games of pairs of agents, and what it takes to make each agent ready."""
    from urcx.games.simulator import game_memory

    rules, plies = ready.rules, _plies(ready.rules)
    before: dict[str, WorkEstimate] = {}
    seconds, played = 0.0, 0
    own = False
    for pair in pairs:
        choices = []
        for agent in pair:
            estimate, choice = _choosing(ready, agent, threads)
            before[agent.name] = estimate
            choices.append(choice)
        own |= any(agent.is_own for agent in pair)
        seconds += games * plies * (PLY + sum(choices) / 2)
        played += games
    return [
        *before.values(),
        WorkEstimate(
            f"playing {counted(played, 'game')} of {rules.name} with {rules.pieces} pieces a side",
            seconds if own else spread(seconds, min(chosen_threads(threads), max(games, 1))),
            memory=games * game_memory(rules),
            advice="take fewer --games, a lower --depth or fewer pieces with -p",
        ),
    ]


def following(
    ready: Policies,
    pairs: Sequence[tuple[Agent, Agent]],
    first: str,
    threads: int | None,
    *,
    judged: bool = False,
) -> list[WorkEstimate]:
    """Estimate exact expectations of games of pairs of agents, ``judged`` by a solution or not."""
    from urcx.expectations.expected_layers import flow_memory
    from urcx.solving.general import solver as general

    rules = ready.rules
    order = layers_of(rules)
    states = 2 * tiles.conventions(rules.path, rules.pieces)["diagrams, finished left out"]
    rolls = len(rules.dice.rolls)
    found: dict[str, WorkEstimate] = {}
    seconds = 0.0
    both_alike = all(one == other for one, other in pairs)
    for pair in pairs:
        choice = 0.0
        for agent in pair:
            found[agent.name], one = _choosing(ready, agent, threads)
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
            spread(seconds, threads) if order else seconds,
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
    ready: Any,
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


def verifying(again: Iterable[tuple[str, RuleSet, Path, dict[str, Any]]]) -> list[WorkEstimate]:
    """Estimate recorded values to be computed again: quantity, game, tablebase, parameters.

    Figures that rest on the same computation are counted once.
    """
    from urcx.agents.agent_texts import agent
    from urcx.agents.policies import Policies
    from urcx.expectations.pair_choices import ALL_STATES
    from urcx.expectations.regret import with_table
    from urcx.published.quantities.played import GAMES

    found: dict[Any, list[WorkEstimate]] = {}
    for quantity, rules, file, params in again:
        ready = Policies(rules, ALL_STATES)
        perfect = with_table(agent("optimal"), file)
        pair = perfect, perfect
        if quantity == "share":
            one, other = sorted((params["agent"], params["opponent"]))
            pair = with_table(agent(one), file), with_table(agent(other), file)
        key = quantity, rules, file, pair
        if key in found or quantity == "opening":
            continue
        if quantity == "reach":
            found[key] = [searching(rules, None)]
        elif quantity == "arrivals":
            search = searching(rules, None)
            found[key] = [replace(search, seconds=SEARCHED_BY_AGENTS / SEARCHED * search.seconds)]
        elif quantity == "regret-factor":
            found[key] = playing(ready, [pair], GAMES, None)
        elif quantity == "share" and perfect not in pair:
            found[key] = following(ready, [pair], "alternate", None)
        else:
            found[key] = judging(ready, [pair[0]], pair[1], None, solved=True)
    return [estimate for several in found.values() for estimate in several]


def curving(
    rules: RuleSet,
    players: Sequence[Agent],
    widths: int,
    games: int,
    threads: int | None,
    *,
    exact: bool | None,
    solved: bool,
) -> list[WorkEstimate]:
    """Estimate the strategy-complexity curve: players, and so many widths of quantised tables."""
    from urcx.agents.agents import Agent
    from urcx.agents.policies import Policies
    from urcx.expectations.pair_choices import ALL_STATES
    from urcx.learn.curve.bits import small
    from urcx.learn.curve.quantisers import KINDS

    exact = small(rules) if exact is None else exact
    ready = Policies(rules, ALL_STATES if exact else games, threads=threads)
    perfect, other = (Agent("optimal", ties, table="-") for ties in ("first", "last"))
    tables = len(KINDS) * widths
    pairs = [(player, perfect) for player in players] + [(other, perfect)] * tables
    states = states_of(rules)
    work = (
        following(ready, pairs, "alternate", threads)
        if exact
        else playing(ready, pairs, games, threads)
    )
    coding = WorkEstimate(
        f"tables of {states:,} states of {rules.name}",
        spread(tables * states * CODED, threads),
        memory=states * CODED_BYTES,
        advice="take fewer --table-bits",
    )
    return [*([] if solved else [solving(rules, threads)]), *work, coding]


def valuing(rules: RuleSet, agent: Agent) -> WorkEstimate:
    """Estimate what an agent thinks of the moves of one position."""
    from urcx.agents.policies import SEARCH_GROWTH, SEARCH_SECONDS, check_on_the_fly

    if agent.kind == "optimal" and agent.table is None:
        check_on_the_fly(rules)
        return solving(rules, None)
    plies = max((agent.depth or 1) - 1, 0)
    return WorkEstimate(
        f"looking {plies} plies ahead from one position of {rules.name}",
        SEARCH_SECONDS * SEARCH_GROWTH**plies * len(rules.dice.rolls),
        advice="take a lower --depth",
    )


def gambling(games: int, depths: Sequence[int], threads: int | None) -> WorkEstimate:
    """Estimate gambling games; ``depths`` are the look-aheads of one pair after another."""
    seconds = sum(games * GAMBLED[depth] / 2 for depth in depths)
    return WorkEstimate(
        f"playing {counted(games * len(depths) // 2, 'gambling game')}",
        spread(seconds, threads),
        memory=games * 200,
        advice="take fewer --games or a lower depth",
    )


def training(
    rules: RuleSet, method: Method, settings: Any, minutes: float | None, threads: int | None
) -> WorkEstimate:
    """Estimate a training."""
    seconds, memory = method.needs(rules, settings)
    limit = math.inf if minutes is None else 60 * minutes
    return WorkEstimate(
        f"training by {method.name}",
        min(spread(seconds, threads), limit),
        memory=memory,
        advice="take fewer --iterations, --quick, or --minutes",
    )


def prolonging(ready: Policies, player: Agent | None, threads: int | None) -> list[WorkEstimate]:
    """Estimate the longest expected games, of both players or against an agent."""
    from urcx.extremes.longest import longest_memory
    from urcx.solving.layered.order import LayerOrder

    rules = ready.rules
    order = LayerOrder(rules)
    states = sum(order.size(layer) for layer in order.layers)
    # With more pieces, it takes more sweeps until differences between states settle.
    seconds = states * PROLONGED * PROLONGED_MORE ** (rules.pieces - 3)
    first: list[WorkEstimate] = []
    if player is not None:
        first.append(_choosing(ready, player, threads)[0])
        seconds = states * STALLED
    return [
        *first,
        WorkEstimate(
            f"prolonging games through {states:,} states of {rules.name}",
            spread(seconds, threads),
            memory=longest_memory(order, 1 if player is None else 2),
            advice=fewer(rules),
        ),
    ]


def lasting(ready: Policies, one: Agent, other: Agent, threads: int | None) -> list[WorkEstimate]:
    """Estimate the distribution of the length of games of two agents."""
    from urcx.extremes.lengths import lengths_memory
    from urcx.solving.layered.order import LayerOrder

    rules = ready.rules
    order = LayerOrder(rules)
    sides = 1 if one == other else 2
    states = sides * sum(order.size(layer) for layer in order.layers)
    found: dict[str, WorkEstimate] = {}
    seconds = 0.0
    for player in (one, other)[:sides]:
        found[player.name], choice = _choosing(ready, player, threads)
        seconds += states / sides * len(rules.dice.rolls) * min(choice, BY_VALUES)
    plies = rules.pieces * max(LASTING.get(player.kind, LASTING_ELSE) for player in (one, other))
    seconds += states * plies * RENEWED
    return [
        *found.values(),
        WorkEstimate(
            f"following some {plies} plies through {states:,} states of {rules.name}",
            spread(seconds, threads),
            memory=lengths_memory(order, sides),
            advice=fewer(rules),
        ),
    ]
