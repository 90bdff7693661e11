"""Estimates of the work that games of agents take, from counts of states, games and choices.

Several commands use these estimates. A command with its own kind of work estimates in its body.
`urcx.engine.costs` has the measured cost of one state, ply or choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path

from urcx.agents.agents import Agent, agent
from urcx.agents.answers import states_to_ask
from urcx.agents.policies import Policies
from urcx.complexity import tiles
from urcx.engine import costs
from urcx.engine.costs import Cost, WorkEstimate, estimate
from urcx.engine.threads import chosen_threads
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.expectations.choices import ALL_STATES
from urcx.expectations.layers import flow_memory
from urcx.expectations.lengths import lengths_memory
from urcx.expectations.losses import with_tablebase
from urcx.games.simulator import game_memory
from urcx.results.numbers import count_text
from urcx.rules.model import RuleSet
from urcx.solving.files.kept import saved_solution, solving
from urcx.solving.general.solver import general_memory
from urcx.solving.layered.order import order_of

# Games are longer by this factor for each piece if a path crosses tiles twice: pieces meet more.
AGAIN = 1.05
# Plies for each piece per side until few games are unfinished, measured, and for other agents.
LASTING = {"greedy": 35, "random": 50}
LASTING_ELSE = 75
CAPTURED = 1.5  # steps walked in a game, with captures, divided by the steps from start to home


def plies_of(rules: RuleSet) -> float:
    """Return the approximate number of plies in a game, of both sides together."""
    ways = len(rules.path.light) + len(rules.path.dark) + 2
    longer = 1 if rules.path.crossed_once else AGAIN * rules.pieces
    return longer * CAPTURED * rules.pieces * ways / max(float(rules.dice.mean), 0.01)


def playing(
    ready: Policies,
    pairs: Iterable[tuple[Agent, Agent]],
    games: int,
    executor: Executor | None = None,
) -> list[WorkEstimate]:
    """Estimate the games of pairs of agents, and the preparation of each agent.

    An executor plays the games, but agents are prepared on this machine too. Games of a user's
    function run in one thread.
    """
    rules, plies = ready.rules, games * plies_of(ready.rules)
    pairs = list(pairs)
    agents = {agent: ready.cost_of(agent) for pair in pairs for agent in pair}
    by_function = any(agent.is_own and not agent.is_engine for agent in agents)
    choices = sum(agents[agent].choice for pair in pairs for agent in pair) / 2
    number = count_text(len(pairs) * games, "game")
    work = estimate(
        f"playing {number} of {rules.full_name} per side",
        (len(pairs) * plies, costs.PLAYED),
        (plies, Cost(choices)),
        threads=1 if by_function else min(chosen_threads(ready.threads), max(games, 1)),
        executor=executor,
        memory=games * game_memory(rules),
        advice="take fewer --games, a lower depth or fewer pieces with -p",
    )
    return [*(cost.work for cost in agents.values()), work]


def following(
    ready: Policies,
    pairs: Sequence[tuple[Agent, Agent]],
    first: str = "alternate",
    *,
    judged: bool = False,
) -> list[WorkEstimate]:
    """Estimate exact means over all games of pairs of agents, ``judged`` by a solution or not."""
    rules = ready.rules
    check_asked(rules, (player for pair in pairs for player in pair))
    layered = not layer_obstacle(rules)
    states = 2 * tiles.conventions(rules.path, rules.pieces)["diagrams, finished left out"]
    agents = {agent: ready.cost_of(agent) for pair in pairs for agent in pair}
    visits, seconds = 0, 0.0
    for pair in pairs:
        for cost in map(agents.__getitem__, pair):
            choice = cost.at_once if layered else cost.choice
            seconds += states / 2 * len(rules.dice.rolls) * choice
        symmetric = pair[0] == pair[1] and rules.path.symmetric
        twice = first not in ("light", "dark") and not symmetric and not judged
        visits += (1 + twice) * states
    if layered:
        same = all(light == dark for light, dark in pairs)
        memory = flow_memory(order_of(rules), judged=judged, alike=same)
    else:
        memory = general_memory(states)
    work = estimate(
        f"following all games through {states:,} states of {rules.name}",
        (visits, costs.FOLLOWED if layered else costs.FOLLOWED_BY_TILES),
        (1, Cost(seconds)),
        threads=ready.threads if layered else 1,
        memory=memory + sum(cost.memory for cost in agents.values()),
        advice="take fewer pieces with -p, or play --games",
    )
    return [*(cost.work for cost in agents.values()), work]


def judging(
    rules: RuleSet,
    players: Iterable[Agent],
    opponent: str | Agent,
    tablebase: str | Path | None,
    threads: int | None,
) -> list[WorkEstimate]:
    """Estimate the losses of agents against an opponent, or of each against itself (``self``)."""
    ready = Policies(rules, ALL_STATES, threads=threads)
    solved = tablebase is not None or saved_solution(rules) is not None
    before = [] if solved else [solving(rules, threads)]
    pairs = []
    for player in players:
        rival = player if opponent == "self" else agent(opponent)
        pairs.append((with_tablebase(player, tablebase), with_tablebase(rival, tablebase)))
    return [*before, *following(ready, pairs, judged=True)]


def check_asked(rules: RuleSet, players: Iterable[Agent]) -> None:
    """Raise `TooLargeError` if users' agents would be asked in too many states."""
    for player in players:
        if player.is_own and not player.is_engine:
            states_to_ask(player, rules)


def lasting(rules: RuleSet, light: Agent, dark: Agent, threads: int | None) -> list[WorkEstimate]:
    """Estimate the distribution of the length of games of two agents."""
    order, ready = order_of(rules), Policies(rules, ALL_STATES, threads=threads)
    players = [light] if light == dark else [light, dark]
    check_asked(rules, players)
    states = len(players) * order.states(order.layers)
    plies = rules.pieces * max(LASTING.get(player.kind, LASTING_ELSE) for player in players)
    work = estimate(
        f"following about {plies} plies through {states:,} states of {rules.name}",
        (states * plies, costs.FOLLOWED_A_PLY),
        (states * len(rules.dice.rolls), Cost(costs.CHOICES["solution"][1])),
        threads=threads,
        memory=lengths_memory(order, len(players)),
        advice=costs.fewer(rules.pieces),
    )
    return [*(ready.cost_of(player).work for player in players), work]
