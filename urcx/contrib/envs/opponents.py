"""Agents of urcx as opponents in an environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from urcx.agents.agent_kernels import candidates, copy_for_thread, share_of
from urcx.agents.agents import Agent, agent
from urcx.agents.own_agents import CustomAgent, custom_move
from urcx.agents.policies import Policies
from urcx.contrib.envs.rounds import Stream
from urcx.contrib.envs.states import Rulebook, State

FEW_GAMES = 1  # agents that look ahead search, because value tables pay only for many games


class ReadyAgent:
    """An agent that is ready to choose in an environment.

    Raises
    ------
    UsageError, TooLargeError, TablebaseError
        If there is no such agent, or it cannot play the rules.
    """

    def __init__(self, book: Rulebook, player: str | Agent | CustomAgent) -> None:
        self.book, self.agent = book, agent(player)
        self.policy: Any = copy_for_thread(Policies(book.rules, FEW_GAMES).of(self.agent))

    def best(self, state: State, legal: int) -> int:
        """Return the starts that a built-in agent finds equally best among ``legal``, as masks."""
        side, other = state.side, 1 - state.side
        result: Any = candidates(
            self.policy, self.book.ways, side, legal, state.roll,
            state.boards[side], state.homes[side], state.boards[other], state.homes[other],
        )  # fmt: skip
        return int(result)


class Opponent(ReadyAgent):
    """An agent that plays in an environment, and chooses in the same way as in `urcx.simulate`."""

    random: np.random.Generator

    def begin(self, stream: Stream, side: int) -> None:
        """Begin a game. A user's agent gets the same random numbers as in the simulator."""
        self.random = np.random.default_rng((stream.seed, stream.number, side))

    def action(self, state: State, stream: Stream) -> int:
        """Return the action that the agent takes.

        Raises
        ------
        UsageError
            If a user's agent fails.
        """
        legal = self.book.starts(state)
        if not legal:
            return self.book.passing
        if self.policy is not None:
            best = self.best(state, legal)
            return stream.pick(legal, best, self.policy.ties, share_of(self.policy))
        if legal & (legal - 1) == 0:
            return legal.bit_length() - 1
        game = self.book.game(state)
        moves = game.legal_moves(state.roll)
        return custom_move(self.agent, game, state.roll, moves, self.random).start
