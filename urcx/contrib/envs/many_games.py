"""Many games of Gymnasium at once, stepped in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import copy_for_thread
from urcx.agents.agents import Agent, agent
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import Policies
from urcx.contrib.envs import many_games_kernels as kernels
from urcx.contrib.envs.extra import needed
from urcx.contrib.envs.gymnasium import (
    OPPONENT,
    SELF,
    Information,
    chosen_illegal,
    chosen_side,
    spaces_of,
)
from urcx.contrib.envs.rounds import chosen_first, unpredictable_seed
from urcx.contrib.envs.states import (
    MAX_PLIES,
    OtherRules,
    State,
    chosen_plies,
    chosen_rules,
    rulebook,
)
from urcx.errors import UsageError
from urcx.games.simulator import dice_arrays
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

vector = needed("gymnasium.vector", "Gymnasium")
batch_space = needed("gymnasium.vector.utils", "Gymnasium").batch_space

_VectorEnv: Any = vector.VectorEnv

MOST_GAMES = 1 << 20
GAMES = 1024


class UrVectorEnvironment(_VectorEnv):  # type: ignore[misc]
    """Many games at once, each as in `urcx.contrib.envs.gymnasium.UrEnvironment`.

    When a game is over, the next step ignores its action and begins the next game
    (``AutoresetMode.NEXT_STEP``). With N games, environment i plays the games i, i + N, i + 2 N and
    so on of the seed, so together they play the games of `urcx.simulate`. ``info`` has arrays: the
    ``action_mask``, the number of the ``game``, the ``plies`` played, the ``player`` whose
    observation it is (0 light, 1 dark), and whether an action was ``illegal``.

    Parameters
    ----------
    num_envs
        The number of games, from 1 to 1,048,576.
    rules, pieces, path, path_file, side, first, max_plies, illegal
        The same as for `urcx.contrib.envs.gymnasium.UrEnvironment`.
    opponent
        An agent or its name, or ``self``. Your own agents cannot play, because compiled code does
        not call Python.
    render_mode
        None, because many games cannot be rendered.

    Raises
    ------
    UsageError
        If an argument cannot be used.
    TooLargeError, TablebaseError
        If the agent cannot be prepared to play these rules.
    """

    metadata = {  # noqa: RUF012 - as Gymnasium has it
        "render_modes": [],
        "autoreset_mode": vector.AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = GAMES,
        rules: str | RuleSet = "finkel",
        *,
        opponent: str | Agent | CustomAgent = OPPONENT,
        side: str = "light",
        first: str = "alternate",
        max_plies: int = MAX_PLIES,
        illegal: str = "lose",
        render_mode: str | None = None,
        **other: Unpack[OtherRules],
    ) -> None:
        self.num_envs = catalogue.as_integer("num_envs", num_envs)
        if not 1 <= self.num_envs <= MOST_GAMES:
            raise UsageError(f"num_envs {self.num_envs}: must be from 1 to {MOST_GAMES:,}")
        self.rules = chosen_rules(rules, **other)
        self.book = rulebook(self.rules)
        # If the learner plays both sides, no agent plays, and any will do.
        player = agent("first" if opponent == SELF else opponent)
        if player.is_own:
            raise UsageError(
                f"the agent {player.name} is your own, so compiled games cannot call it. Make "
                "environments of Python with vectorization_mode='sync'"
            )
        if render_mode is not None:
            raise UsageError(
                f"render_mode {render_mode!r}: must be None, because many games are not rendered"
            )
        policy = copy_for_thread(Policies(self.rules, self.num_envs).of(player))
        self.side = kernels.BOTH if opponent == SELF else chosen_side(side)
        self.illegal = chosen_illegal(illegal)
        self.max_plies = chosen_plies(max_plies)
        self._plan = kernels.ManyGamesPlan(
            self.book.ways, dice_arrays(self.rules), policy, self.side, chosen_first(first),
            self.max_plies,
        )  # fmt: skip
        self.single_observation_space, self.single_action_space = spaces_of(self.book)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._many = kernels.ManyGames(
            np.zeros(self.num_envs, np.uint64),
            np.zeros(self.num_envs, np.int64),
            np.zeros(self.num_envs, np.uint64),
            np.zeros((self.num_envs, kernels.N_FIELDS), np.int64),
            np.zeros((self.num_envs, self.book.actions), np.int8),
        )
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Information]:
        """Begin the first games of a seed, or the next games, and return observations and ``info``.

        Raises
        ------
        UsageError
            If the seed is not from 0 to 2^63 - 1.
        """
        super().reset(seed=None if seed is None else catalogue.as_seed(seed))
        del options
        if seed is None and not self._seeded:
            seed = unpredictable_seed()
        if seed is not None:
            self._seeded = True
            self._many.seeds[:] = seed
            self._many.numbers[:] = np.arange(self.num_envs) - self.num_envs
        self._many.games[:, kernels.STATUS] = kernels.CUT  # so the step begins a game everywhere
        result = self._step(np.zeros(self.num_envs, np.int64))
        return result[0], self._information()

    def step(
        self, actions: NDArray[Any] | Sequence[int]
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Information
    ]:
        """Take an action in each game, and play the agent's plies up to the next choice.

        Raises
        ------
        UsageError
            If the actions are not an integer for each game, or if one is illegal and ``illegal`` is
            ``raise``. No game is stepped then.
        """
        checked_actions = np.asarray(actions)
        if checked_actions.shape != (self.num_envs,) or checked_actions.dtype.kind not in "iu":
            raise UsageError(f"actions: must be {self.num_envs} integers, one for each game")
        checked_actions = checked_actions.astype(np.int64)
        if not self._seeded:
            raise UsageError("call reset before step")
        if self.illegal == "raise":
            self._check(checked_actions)
        observations, rewards = self._step(checked_actions)
        status = self._many.games[:, kernels.STATUS]
        truncated = status == kernels.CUT
        return (
            observations,
            rewards,
            (status != kernels.OPEN) & ~truncated,
            truncated,
            self._information(),
        )

    def _check(self, actions: NDArray[np.int64]) -> None:
        """Raise `UsageError` at the first game whose action is illegal."""
        inside = (actions >= 0) & (actions < self.book.actions)
        chosen = self._many.masks[np.arange(self.num_envs), np.where(inside, actions, 0)]
        wrong = (self._many.games[:, kernels.STATUS] == kernels.OPEN) & ~(inside & (chosen == 1))
        if wrong.any():
            first = int(np.argmax(wrong))
            try:
                self.book.checked(self.state(first), int(actions[first]))
            except UsageError as error:
                raise UsageError(f"game {first}: {error}") from None

    def _step(self, actions: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        observations = np.empty((self.num_envs, self.book.size), np.float32)
        rewards = np.empty(self.num_envs)
        with np.errstate(over="ignore"):  # random streams wrap, and compiled code does not warn
            kernels.step_games(self._plan, self._many, actions, observations, rewards)
        return observations, rewards

    def _information(self) -> Information:
        present = np.ones(self.num_envs, np.bool_)
        games = self._many.games
        arrays = {
            "action_mask": self.action_masks(),
            "game": self._many.numbers.copy(),
            "plies": games[:, kernels.PLIES].copy(),
            "player": self._players(),
            "illegal": games[:, kernels.STATUS] == kernels.ILLEGAL,
        }
        return arrays | {f"_{name}": present.copy() for name in arrays}

    def _players(self) -> NDArray[np.int64]:
        """Return the side whose viewpoint is observed, for each game."""
        if self.side == kernels.BOTH:
            return self._many.games[:, kernels.SIDE].copy()
        return np.full(self.num_envs, self.side)

    def action_masks(self) -> NDArray[np.int8]:
        """Return 1 for each legal action and 0 for others, a row for each game."""
        return self._many.masks.copy()

    def state(self, game: int) -> State:
        """Return the state of a game, counted from 0, or raise `UsageError` if there is none."""
        game = catalogue.as_integer("game", game)
        if not 0 <= game < self.num_envs:
            raise UsageError(f"game {game}: must be from 0 to {self.num_envs - 1:,}")
        row = [int(x) for x in self._many.games[game]]
        boards, homes = row[:2], row[2:4]
        if self._players()[game]:
            boards.reverse()
            homes.reverse()
        roll = row[kernels.ROLL]
        return State((boards[0], boards[1]), (homes[0], homes[1]), row[kernels.SIDE], roll)
