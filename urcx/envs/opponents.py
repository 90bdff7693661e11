"""Agents of urcx as opponents in an environment."""

from __future__ import annotations

from typing import Any

import numpy as np

from urcx.agents.agent_kernels import candidates
from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser, own_move
from urcx.agents.policies import Policies, for_thread
from urcx.envs.rounds import Stream
from urcx.envs.states import Rulebook, State

FEW_GAMES = 1  # for which an agent is prepared: what looks ahead searches


class Opponent:
    """An agent that plays in an environment; it chooses as in `urcx.simulate`.

    Raises
    ------
    UsageError, TooLargeError, TablebaseError
        If there is no such agent, or it cannot play the rules.
    """

    def __init__(self, book: Rulebook, player: str | Agent | Chooser) -> None:
        self.book, self.agent = book, agent(player)
        self.policy: Any = for_thread(Policies(book.rules, FEW_GAMES).of(self.agent))
        self._random = np.random.default_rng(0)

    def begin(self, stream: Stream, side: int) -> None:
        """Begin a game; a user's agent has the random numbers that it has in the simulator."""
        if self.policy is None:
            self._random = np.random.default_rng((stream.seed, stream.number, side))

    def action(self, state: State, stream: Stream) -> int:
        """Return the action that the agent takes.

        Raises
        ------
        UsageError
            If an agent of the user's fails.
        """
        book, side = self.book, state.side
        legal = book.starts(state)
        if not legal:
            return book.passing
        if self.policy is not None:
            best: Any = candidates(
                self.policy, book.ways, side, legal, state.roll,
                state.boards[side], state.homes[side], state.boards[1 - side],
                state.homes[1 - side],
            )  # fmt: skip
            return stream.pick(int(best), self.policy.ties)
        if legal & (legal - 1) == 0:
            return legal.bit_length() - 1
        game = book.game(state)
        return own_move(
            self.agent, game, state.roll, game.legal_moves(state.roll), self._random
        ).start
