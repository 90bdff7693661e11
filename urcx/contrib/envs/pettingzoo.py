"""The game in PettingZoo, as an environment in which agents take turns (AEC).

``player_0`` is light and ``player_1`` dark. The selected agent is the agent to move, so after an
extra roll the same agent is selected again.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.envs.extra import needed
from urcx.contrib.envs.pictures import RENDER_MODES, chosen_mode, picture_of
from urcx.contrib.envs.rounds import Round
from urcx.contrib.envs.states import MAX_PLIES, OtherRules, chosen_rules, rulebook
from urcx.errors import check_name
from urcx.rules.model import RuleSet

pettingzoo = needed("pettingzoo", "PettingZoo")
wrappers = needed("pettingzoo.utils.wrappers", "PettingZoo")
spaces = needed("gymnasium.spaces", "Gymnasium")

_AECEnv: Any = pettingzoo.AECEnv

AGENTS = ("player_0", "player_1")


class RawEnvironment(_AECEnv):  # type: ignore[misc]
    """The game between two agents. `env` adds a wrapper that checks the order of calls.

    An observation is a dictionary of ``observation``, described by
    `urcx.contrib.envs.states.Rulebook.observation`, and ``action_mask``, in which only the legal
    actions of the agent to move are 1. The agent's info has the mask, too. Rewards are 0, and at
    the end 1 for the winner and -1 for the loser. After ``max_plies`` plies a game is truncated.

    Parameters
    ----------
    rules, pieces, path, path_file
        The same as for `urcx.contrib.envs.states.chosen_rules`.
    first
        The first player: ``light``, ``dark``, ``alternate`` or ``coin``.
    max_plies
        The number of plies after which a game is truncated, from 1 to 1,000,000.
    render_mode
        ``ansi`` for text, ``human`` to print the text after each ply.

    Raises
    ------
    UsageError
        If an argument cannot be used.
    """

    metadata = {  # noqa: RUF012 - as PettingZoo has it
        "name": "royal_game_of_ur_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: str | RuleSet = "finkel",
        *,
        first: str = "alternate",
        max_plies: int = MAX_PLIES,
        render_mode: str | None = None,
        **other: Unpack[OtherRules],
    ) -> None:
        super().__init__()
        self.rules = chosen_rules(rules, **other)
        self.book = rulebook(self.rules)
        self.round = Round(self.book, first, max_plies)
        self.render_mode = chosen_mode(render_mode)
        self.possible_agents = list(AGENTS)
        self._actions = {agent: spaces.Discrete(self.book.actions) for agent in AGENTS}
        self._observations = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, (self.book.size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (self.book.actions,), np.int8),
                }
            )
            for agent in AGENTS
        }

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions. Actions with 0 in the mask are illegal."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the first game of a seed, or the next game.

        Parameters
        ----------
        seed
            From 0 to 2^63 - 1, or None.
        options
            ``game`` is the number of another game of the seed to begin.

        Raises
        ------
        UsageError
            If the seed or the number is out of range.
        """
        self.round.begin(seed, options)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._update()
        if self.render_mode == "human":
            self.render()

    def _update(self) -> None:
        """Update the selected agent, rewards, ends and infos after a ply."""
        current = self.round
        if current.winner is not None:
            for k, agent in enumerate(AGENTS):
                self.rewards[agent] = 1.0 if k == current.winner else -1.0
            self.terminations = dict.fromkeys(AGENTS, True)
        elif current.is_over:
            self.truncations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[current.state.side]
        self.infos = {
            agent: {"action_mask": self._mask(agent), "game": current.number} for agent in AGENTS
        }

    def _mask(self, agent: str) -> NDArray[np.int8]:
        return self.book.mask(self.round.state, AGENTS.index(agent))

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return an agent's observation and the mask of its legal actions.

        Raises
        ------
        UnknownNameError
            If there is no such agent.
        """
        check_name("agent", agent, AGENTS)
        observation = self.book.observation(self.round.state, AGENTS.index(agent))
        return {"observation": observation, "action_mask": self._mask(agent)}

    def step(self, action: int | None) -> None:
        """Take the action of the selected agent (None if the game is over).

        Raises
        ------
        UsageError
            If the action is not legal. The message lists the legal actions.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        checked_action = self.book.checked(self.round.state, action)
        self.round.play(checked_action)
        self._update()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the board as text, or print it, depending on ``render_mode``."""
        return picture_of(self.render_mode, self.book, self.round.state)

    def close(self) -> None:
        """Do nothing: no window is open."""


def env(rules: str | RuleSet = "finkel", **options: Any) -> Any:
    """Return the environment with a wrapper that reports methods called out of order.

    Parameters and errors are the same as for `RawEnvironment`.
    """
    return wrappers.OrderEnforcingWrapper(RawEnvironment(rules, **options))


raw_env = RawEnvironment
