"""The strength of an agent, estimated from games against optimal play.

In games against optimal play, the win probability of an agent is one half minus the expected sum of
the losses of its moves, by the values of the solution. This sum varies far less from game to game
than the winner, so a few thousand games give the win probability to some hundredths of a percent.
`urcx.regret` computes it exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import TablePolicy, copy_for_thread
from urcx.agents.agents import Agent
from urcx.agents.policies import Policies
from urcx.complexity.game_tree import Z95
from urcx.contrib.learning import strength_kernels as kernels
from urcx.engine.threads import Stage, chosen_threads, for_chunks, no_progress
from urcx.games.game_kernels import ALTERNATELY, GamesPlan
from urcx.games.simulator import MAX_PLIES, play_before
from urcx.rules.model import RuleSet
from urcx.solving.layered.order import LayerOrder

CHUNK = 16  # games


@dataclass(frozen=True)
class Strength:
    """An agent's estimated strength against optimal play. Each begins half of the games.

    Attributes
    ----------
    wins : float
        The agent's win probability, one half minus the mean loss per game.
    error : float
        The half width of the 95 % interval of ``wins``.
    won : float
        The agent's win rate in the games.
    loss : float
        The mean loss of a decision (two or more legal moves), in win probability.
    mistakes : float
        The share of its decisions with a loss.
    decisions : float
        The mean number of its decisions per game.
    games : int
    """

    wins: float
    error: float
    won: float
    loss: float
    mistakes: float
    decisions: float
    games: int


def perfect_policy(
    rules: RuleSet, tablebase: str | None, threads: int | None = None, stage: Stage = no_progress
) -> TablePolicy:
    """Return the policy of optimal play. Small rule sets need no tablebase.

    Raises
    ------
    OutOfDomainError
        If the path has no layers.
    TooLargeError
        If there is no tablebase and the rule set is too large to be solved in memory.
    TablebaseError
        If the tablebase cannot be read or has another game.
    """
    order = LayerOrder(rules)  # raises
    policy: TablePolicy = Policies(order.rules, 1, threads=threads, stage=stage).of(
        Agent("optimal", "first", table=tablebase)
    )
    return policy


def strength_of(
    policy: Any,
    perfect: TablePolicy,
    rules: RuleSet,
    *,
    games: int = 4000,
    seed: int = 1,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Strength:
    """Return the strength of a policy.

    Parameters
    ----------
    policy, perfect
        The policy and optimal play, as kernels' policies for the same rule set.
    rules
        The rule set.
    games, seed
        The same as for `urcx.simulate`.
    threads
        The number of threads, by default one per core. The results do not depend on it.
    stage
        Called at the start of the work.

    Raises
    ------
    UrcxError
        If a game does not end.
    """
    threads = chosen_threads(threads)
    counts: NDArray[np.float64] = np.zeros((games, kernels.N_COUNTS))
    pairs = [(copy_for_thread(policy), copy_for_thread(perfect)) for _ in range(threads)]

    def play(thread: int, first: int, last: int) -> None:
        chances = np.zeros(rules.pieces)
        equal = perfect.tie_width / perfect.certain
        judge = kernels.DecisionJudge(pairs[thread][1], equal, counts[first:last], chances)
        plan = GamesPlan(seed, ALTERNATELY, first, last, MAX_PLIES)
        play_before(judge, pairs[thread], rules, plan)

    for_chunks(games, CHUNK, play, threads, stage("judging games", games, "games"))
    loss, decisions, mistakes, won = counts.mean(axis=0)
    spread = float(counts[:, kernels.LOSS].std(ddof=1)) if games > 1 else math.inf
    return Strength(
        0.5 - float(loss),
        Z95 * spread / math.sqrt(games),
        float(won),
        float(loss / decisions) if decisions else 0.0,
        float(mistakes / decisions) if decisions else 0.0,
        float(decisions),
        games,
    )
