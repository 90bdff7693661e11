"""How strong an agent is, from games against perfect play.

In games against perfect play, what an agent's chance of winning lacks is the expected sum of what
its moves lose, each by the value of the solution. That sum varies far less from game to game than
who wins, so a few thousand games give the chance to some hundredths of a percent. The exact figure
is that of `urcx.regret`.
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
    """An agent's strength against perfect play, estimated; each begins half of the games.

    Attributes
    ----------
    wins : float
        Its chance of winning, one half less the mean loss of a game.
    error : float
        The half width of the 95 % interval of ``wins``.
    won : float
        The share of the games that it won.
    loss : float
        The mean loss of a decision (two or more legal moves), as a chance of winning.
    mistakes : float
        The share of its decisions that are not the best.
    decisions : float
        Its decisions in a game, on average.
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
    """Return the policy of perfect play; small rule sets need no tablebase.

    Raises
    ------
    OutOfDomainError
        If the path has no layers.
    TooLargeError
        If a rule set is too large to be solved for this.
    TablebaseError
        If the tablebase cannot be read or is of another game.
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
    """Return the strength of a policy, as the kernels take it.

    Parameters
    ----------
    policy, perfect
        The policy and perfect play, made for the same rule set.
    rules
        The rule set.
    games, seed
        As `urcx.simulate` takes them.
    threads
        By default as many as there are cores; figures do not depend on it.
    stage
        What to call as the work begins.

    Raises
    ------
    UrcxError
        If a game does not end.
    """
    threads = chosen_threads(threads)
    counts: NDArray[np.float64] = np.zeros((games, kernels.N_COUNTS))
    own = [(copy_for_thread(policy), copy_for_thread(perfect)) for _ in range(threads)]

    def play(thread: int, first: int, last: int) -> None:
        chances = np.zeros(rules.pieces)
        equal = perfect.tie_width / perfect.certain
        judge = kernels.DecisionJudge(own[thread][1], equal, counts[first:last], chances)
        plan = GamesPlan(seed, ALTERNATELY, first, last, MAX_PLIES)
        play_before(judge, own[thread], rules, plan)

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
