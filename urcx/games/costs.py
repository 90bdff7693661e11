"""What games of agents take, estimated before they begin."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor

from urcx.agents.agents import Agent
from urcx.agents.costs import choosing
from urcx.agents.policies import Policies
from urcx.engine.threads import chosen_threads
from urcx.engine.work import WorkEstimate, on_threads, spread
from urcx.games.simulator import game_memory
from urcx.results.numbers import counted
from urcx.rules.model import RuleSet

PLY = 4e-8  # of a game: dice, moves, counts
AGAIN = 1.05  # longer for each piece, where a path crosses tiles twice: pieces meet all along it
CAPTURED = 1.5  # steps walked in a game, captures included, over those needed to get home


def plies_of(rules: RuleSet) -> float:
    """Return about how many plies a game of both sides has."""
    ways = len(rules.path.light) + len(rules.path.dark) + 2
    longer = 1 if rules.path.crossed_once else AGAIN * rules.pieces
    return longer * CAPTURED * rules.pieces * ways / max(float(rules.dice.mean), 0.01)


def playing(
    ready: Policies,
    pairs: Iterable[tuple[Agent, Agent]],
    games: int,
    threads: int | None,
    executor: Executor | None = None,
) -> list[WorkEstimate]:
    """Estimate games of pairs of agents, and what it takes to make each agent ready.

    An executor plays the games; agents are made ready here too. A function of the user's takes one
    thread.
    """
    rules, plies = ready.rules, plies_of(ready.rules)
    before: dict[str, WorkEstimate] = {}
    seconds, played = 0.0, 0
    own = False
    for pair in pairs:
        choices = []
        for agent in pair:
            estimate, choice = choosing(ready, agent, threads)
            before[agent.name] = estimate
            choices.append(choice)
        own |= any(agent.is_own and not agent.is_engine for agent in pair)
        seconds += games * plies * (PLY + sum(choices) / 2)
        played += games
    work = WorkEstimate(
        f"playing {counted(played, 'game')} of {rules.name} with {rules.pieces} pieces a side",
        seconds if own else on_threads(seconds, min(chosen_threads(threads), max(games, 1))),
        memory=games * game_memory(rules),
        advice="take fewer --games, a lower --depth or fewer pieces with -p",
    )
    return [*before.values(), *spread(executor, work, threads=1 if own else threads)]
