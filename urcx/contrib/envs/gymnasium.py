"""The game in Gymnasium: an agent of urcx plays one side inside ``step``, or the learner both.

Importing this module registers ``urcx/RoyalGameOfUr-v0`` for ``gymnasium.make``, and for
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
SELF = "self"  # no agent: all plies of both sides are the learner's
ON_ILLEGAL = ("lose", "raise")

Information = dict[str, Any]


def spaces_of(book: Rulebook) -> tuple[Any, Any]:
    """Return the spaces of observations and of actions."""
    seen = gymnasium.spaces.Box(0.0, 1.0, (book.size,), np.float32)
    return seen, gymnasium.spaces.Discrete(book.actions)


def chosen_side(side: str) -> int:
    """Return the number of a side; raises `UsageError` if there is no such side."""
    check_side(side)
    return SIDES.index(side)


def chosen_illegal(illegal: str) -> str:
    """Return what an illegal action does; raises `UsageError` if it is unknown."""
    check_name("illegal", illegal, ON_ILLEGAL)
    return illegal


class UrEnvironment(_Env):  # type: ignore[misc]
    """One game at a time, against an agent or by the learner alone.

    Observations are those of `urcx.contrib.envs.states.Rulebook.observation`; ``info`` has the
    ``action_mask``, the number of the ``game``, the ``plies`` played, and the ``player`` whose
    observation it is (0 light, 1 dark). The reward is 1 for a game that is won, -1 for one that is
    lost, else 0. After ``max_plies`` plies a game is truncated.

    If the opponent is ``self``, both sides are the learner's. A step is one ply; what is seen is
    seen by the player to move, which is the same player again after an extra roll. The reward is
    that of who took the action, so that a game ends with 1, or with -1 after an illegal action; the
    other player's is the opposite.

    Parameters
    ----------
    rules, pieces, path, path_file
        As `urcx.contrib.envs.states.chosen_rules` takes them.
    opponent
        An agent, its text (see :doc:`/agents`), or a function or object of your own; or ``self``.
    side
        Which side learns, ``light`` or ``dark``; of no effect where it is both.
    first
        Who begins: ``light``, ``dark``, ``alternate`` or ``coin``.
    max_plies
        After how many plies of both a game is truncated, from 1 to 1,000,000.
    illegal
        What an action with 0 in the mask does: ``lose`` ends the game with a reward of -1, and
        ``info["error"]`` says what would have been legal; ``raise`` raises `UsageError`.
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
        """Return the side of the learner, 0 light, 1 dark; if it plays both, the one to move."""
        return self.round.state.side if self.opponent is None else self._side

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Information]:
        """Begin a game, the first one of a seed or the one after the last; return what is seen.

        Parameters
        ----------
        seed
            From 0 to 2^63 - 1, or None.
        options
            ``game`` is the number of the seed's game to begin, if it is to be another.

        Raises
        ------
        UsageError
            If the seed or the number is out of range, or an agent of the user's fails.
        """
        super().reset(seed=seed)
        self.round.begin(seed, options)
        if self.opponent is not None:
            self.opponent.begin(self.round.stream, 1 - self.side)
        self._answer()
        return self._shown(), self._information()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, Information]:
        """Take an action, and play the opponent's plies until the learner is to choose again.

        Raises
        ------
        UsageError
            If the action is illegal and that is to raise, or no action at all; if the game is over,
            or an agent of the user's fails.
        """
        now = self.round
        try:
            chosen = self.book.checked(now.state, action)
        except UsageError as error:
            if self.illegal == "raise" or now.is_over or action not in self.action_space:
                raise
            now.concede()
            return self._shown(), -1.0, True, False, self._information() | {"error": str(error)}
        mover = now.state.side
        now.play(chosen)
        self._answer()
        reward = 0.0 if now.winner is None else 1.0 if now.winner == mover else -1.0
        ended = now.winner is not None
        return self._shown(), reward, ended, now.is_over and not ended, self._information()

    def _answer(self) -> None:
        """Play the opponent's plies."""
        now = self.round
        while self.opponent is not None and not now.is_over and now.state.side != self.side:
            now.play(self.opponent.action(now.state, now.stream))

    def _shown(self) -> NDArray[np.float32]:
        if self.render_mode == "human":
            self.render()
        return self.book.observation(self.round.state, self.side)

    def _information(self) -> Information:
        now = self.round
        mask = self.action_masks()
        return {
            "action_mask": mask, "game": now.number, "plies": now.plies, "player": self.side
        }  # fmt: skip

    def action_masks(self) -> NDArray[np.int8]:
        """Return for each action whether it is legal, as 0 or 1; all 0 once the game is over."""
        return self.book.mask(self.round.state, self.side)

    def render(self) -> str | None:
        """Return the board as text, or print it, by ``render_mode``."""
        return picture_of(self.render_mode, self.book, self.round.state)


if ID not in gymnasium.registry:
    gymnasium.register(
        ID,
        entry_point="urcx.contrib.envs.gymnasium:UrEnvironment",
        vector_entry_point="urcx.contrib.envs.many_games:UrVectorEnvironment",
    )
