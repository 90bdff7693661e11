"""Games in which an agent of the user's chooses for one side or both, in Python.

The dice are those of the compiled games: a seed and a game's number give the same random stream
with one draw per ply, so a user's agent that plays like a built-in one plays the same games. An own
agent's random numbers come from a generator of its own, made of the seed, the game's number and the
side: so they depend neither on what else is played nor on how much the other side draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from urcx.agents.agent_kernels import FIRST
from urcx.agents.agents import Agent
from urcx.agents.own_agents import own_move
from urcx.engine.moves import legal_moves, steps_of, tables
from urcx.game import Game
from urcx.games.game_kernels import DiceArrays, GamesPlan, play_games
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


@dataclass(frozen=True)
class _OwnPolicy:
    """An agent of the user's in one game, as `play_games` takes it where it is plain Python."""

    agent: Agent
    rules: RuleSet
    random: np.random.Generator
    ties: int = FIRST

    def choose(self, _: Any, side: int, legal: int, roll: int, *pieces: int) -> int:
        """Return the move that the user's agent chooses; see `urcx.agents.agent_kernels`."""
        if legal & (legal - 1) == 0:
            return legal
        own, own_home, other, other_home = (int(x) for x in pieces)
        boards, homes = [steps_of(own), steps_of(other)], [own_home, other_home]
        if side:
            boards.reverse()
            homes.reverse()
        light_moves = bool(side == 0)  # not one of numpy's
        position = Position(boards[0], boards[1], (homes[0], homes[1]), light_moves)
        moves = legal_moves(position, int(roll), self.rules)
        game = Game(self.rules, position)
        return 1 << own_move(self.agent, game, int(roll), moves, self.random).start


def play_own_games(
    rules: RuleSet,
    agents: tuple[Agent, Agent],
    policies: tuple[Any, ...],
    dice: DiceArrays,
    observer: Callable[[int], Any],
    plan: GamesPlan,
) -> int:
    """Play games as `play_games` does, by the same loop; a policy of None is an own agent.

    ``observer`` gives the observer of each game, counted from 0.

    Raises
    ------
    UsageError
        If an own agent raises or returns no legal move.
    """
    play = getattr(play_games, "py_func", play_games)  # itself where nothing is compiled
    for game in range(plan.first, plan.last):
        players = (
            _OwnPolicy(agent, rules, np.random.default_rng((plan.seed, game, k)))
            if policy is None
            else policy
            for k, (agent, policy) in enumerate(zip(agents, policies, strict=True))
        )
        one = plan._replace(first=game, last=game + 1)
        endless = play(tables(rules).ways, dice, *players, observer(game - plan.first), one)
        if endless >= 0:
            return int(endless)
    return -1
