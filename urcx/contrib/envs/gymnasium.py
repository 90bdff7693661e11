"""The game in Gymnasium: the learner plays against an agent inside ``step``, or plays both sides.

Importing this module registers ``urcx/RoyalGameOfUr-v0`` for ``gymnasium.make`` and for
``gymnasium.make_vec``, which steps many games at once in compiled code.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agents import Agent
from urcx.agents.own_agents import CustomAgent
from urcx.contrib.envs.extra import needed
from urcx.contrib.envs.opponents import Opponent
from urcx.contrib.envs.pictures import RENDER_MODES, chosen_mode, picture_of
from urcx.contrib.envs.rounds import Round
from urcx.contrib.envs.states import MAX_PLIES, OtherRules, Rulebook, chosen_rules, rulebook
from urcx.errors import UsageError, check_name
from urcx.game import SIDES, check_side
from urcx.rules.model import RuleSet

gymnasium = needed("gymnasium", "Gymnasium")

_Env: Any = gymnasium.Env

ID = "urcx/RoyalGameOfUr-v0"
OPPONENT = "greedy"
SELF = "self"  # no agent: the learner plays all plies of both sides
ON_ILLEGAL = ("lose", "raise")

Information = dict[str, Any]


def spaces_of(book: Rulebook) -> tuple[Any, Any]:
    """Return the spaces of observations and of actions."""
    observations = gymnasium.spaces.Box(0.0, 1.0, (book.size,), np.float32)
    return observations, gymnasium.spaces.Discrete(book.actions)


def chosen_side(side: str) -> int:
    """Return the number of a side, or raise `UsageError` if there is no such side."""
    check_side(side)
    return SIDES.index(side)


def chosen_illegal(illegal: str) -> str:
    """Return the way to treat illegal actions, or raise `UsageError` if it is unknown."""
    check_name("illegal", illegal, ON_ILLEGAL)
    return illegal


class UrEnvironment(_Env):  # type: ignore[misc]
    """One game at a time, against an agent or by the learner alone.

    Observations are described by `urcx.contrib.envs.states.Rulebook.observation`. ``info`` has the
    ``action_mask``, the number of the ``game``, the ``plies`` played, and the ``player`` whose
    observation it is (0 light, 1 dark). The reward is 1 for a won game, -1 for a lost game, and 0
    before the end. After ``max_plies`` plies a game is truncated.

    If the opponent is ``self``, the learner plays both sides. A step is one ply. The observation is
    from the viewpoint of the player to move, which is the same player after an extra roll. The
    reward belongs to the player that took the action, so a game ends with 1, or with -1 after an
    illegal action. The other player's reward is the opposite.

    Parameters
    ----------
    rules, pieces, path, path_file
        The same as for `urcx.contrib.envs.states.chosen_rules`.
    opponent
        An agent, its name (see :doc:`/agents`), your own function or object, or ``self``.
    side
        The learner's side, ``light`` or ``dark``, without effect if the learner plays both.
    first
        The first player: ``light``, ``dark``, ``alternate`` or ``coin``.
    max_plies
        The number of plies of both players after which a game is truncated, from 1 to 1,000,000.
    illegal
        The effect of an action with 0 in the mask. ``lose`` ends the game with a reward of -1, and
        ``info["error"]`` names the legal actions. ``raise`` raises `UsageError`.
    render_mode
        ``ansi`` for text, ``human`` to print the text after each step.

    Raises
    ------
    UsageError
        If an argument cannot be used.
    TooLargeError, TablebaseError
        If the agent cannot be prepared to play these rules.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012 - as Gymnasium

    def __init__(
        self,
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
        self.rules = chosen_rules(rules, **other)
        self.book = rulebook(self.rules)
        self.opponent = None if opponent == SELF else Opponent(self.book, opponent)
        self._side = chosen_side(side)
        self.round = Round(self.book, first, max_plies)
        self.illegal = chosen_illegal(illegal)
        self.render_mode = chosen_mode(render_mode)
        self.observation_space, self.action_space = spaces_of(self.book)

    @property
    def side(self) -> int:
        """Return the learner's side (0 light, 1 dark), or the side to move if it plays both."""
        return self.round.state.side if self.opponent is None else self._side

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Information]:
        """Begin the first game of a seed, or the next game. Return the observation and ``info``.

        Parameters
        ----------
        seed
            From 0 to 2^63 - 1, or None.
        options
            ``game`` is the number of another game of the seed to begin.

        Raises
        ------
        UsageError
            If the seed or the number is out of range, or a user's agent fails.
        """
        super().reset(seed=seed)
        self.round.begin(seed, options)
        if self.opponent is not None:
            self.opponent.begin(self.round.stream, 1 - self.side)
        self._play_opponent()
        return self._observe(), self._information()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, Information]:
        """Take an action, and play the opponent's plies up to the learner's next choice.

        Raises
        ------
        UsageError
            If the action is illegal and ``illegal`` is ``raise``, if it is outside the action
            space, if the game is over, or if a user's agent fails.
        """
        current = self.round
        try:
            checked_action = self.book.checked(current.state, action)
        except UsageError as error:
            if self.illegal == "raise" or current.is_over or action not in self.action_space:
                raise
            current.concede()
            return self._observe(), -1.0, True, False, self._information() | {"error": str(error)}
        mover = current.state.side
        current.play(checked_action)
        self._play_opponent()
        reward = 0.0 if current.winner is None else 1.0 if current.winner == mover else -1.0
        ended = current.winner is not None
        return self._observe(), reward, ended, current.is_over and not ended, self._information()

    def _play_opponent(self) -> None:
        """Play the opponent's plies."""
        current = self.round
        while self.opponent is not None and not current.is_over and current.state.side != self.side:
            current.play(self.opponent.action(current.state, current.stream))

    def _observe(self) -> NDArray[np.float32]:
        if self.render_mode == "human":
            self.render()
        return self.book.observation(self.round.state, self.side)

    def _information(self) -> Information:
        current = self.round
        mask = self.action_masks()
        return {
            "action_mask": mask, "game": current.number, "plies": current.plies, "player": self.side
        }  # fmt: skip

    def action_masks(self) -> NDArray[np.int8]:
        """Return 1 for each legal action and 0 for others, or only 0 if the game is over."""
        return self.book.mask(self.round.state, self.side)

    def render(self) -> str | None:
        """Return the board as text, or print it, depending on ``render_mode``."""
        return picture_of(self.render_mode, self.book, self.round.state)


if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point="urcx.contrib.envs.gymnasium:UrEnvironment",
        vector_entry_point="urcx.contrib.envs.many_games:UrVectorEnvironment",
    )
