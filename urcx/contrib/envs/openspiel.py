"""The game in OpenSpiel: import this module, then load ``royal_game_of_ur``.

Chance is explicit: a ply is a chance node, whose outcomes are numbered as the rolls that the dice
can give, then a decision of the player to move, the pass included. The game is of perfect
information and zero sum: whoever wins has 1, the other -1.

A race with captures has no longest game, and OpenSpiel asks for a bound: a game that is not over
after ``max_plies`` plies ends undecided, with 0 for both. The count of plies is left out of a
state's string and observation, so that states of one position and roll are the same state to what
searches or iterates over states.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.envs.extra import needed
from urcx.contrib.envs.states import (
    MAX_PLIES,
    OtherRules,
    Rulebook,
    State,
    chosen_plies,
    chosen_rules,
    chosen_state,
    rulebook,
)
from urcx.engine.files.sealed import read_json
from urcx.errors import UrcxError, UsageError
from urcx.game import Game, as_game
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.files.header import describe_rules, rules_of

pyspiel = needed("pyspiel", "OpenSpiel")
observation = needed("open_spiel.python.observation", "OpenSpiel")

_Game: Any = pyspiel.Game
_State: Any = pyspiel.State

NAME = "royal_game_of_ur"
MOST_DESCRIBED = 1 << 16  # characters of a rule set as text

_TYPE = pyspiel.GameType(
    short_name=NAME,
    long_name="Royal Game of Ur",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={
        "rules": catalogue.DEFAULT_RULES,
        "pieces": 0,
        "path": "",
        "path_file": "",
        "described": "",
        "max_plies": MAX_PLIES,
    },
)


class UrGame(_Game):  # type: ignore[misc]
    """The Royal Game of Ur as a game of OpenSpiel; `pyspiel.load_game` and `load_game` make it.

    Parameters
    ----------
    params
        ``rules``, the name of a rule set, ``finkel`` by default; ``pieces``, 0 for as many as the
        rule set says; ``path``, the name of a path if not the rule set's; ``path_file``, a file of
        the user's in which rule sets and paths are looked up as well; ``described``, a rule set in
        full, as `load_game` writes it; ``max_plies``.

    Attributes
    ----------
    rules : RuleSet
    book : Rulebook
    max_plies : int
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = dict(params or {})
        described = given.get("described", "")
        if described:
            rules = _read(described)
        else:
            rules = chosen_rules(
                given.get("rules", catalogue.DEFAULT_RULES),
                given.get("pieces", 0) or None,
                given.get("path", "") or None,
                given.get("path_file", "") or None,
            )
        self.rules = rules
        self.book: Rulebook = rulebook(rules)
        self.max_plies = chosen_plies(given.get("max_plies", MAX_PLIES))
        self.chances = [(r, float(chance)) for r, chance in enumerate(rules.dice.probabilities)]
        info = pyspiel.GameInfo(
            num_distinct_actions=self.book.actions,
            max_chance_outcomes=len(self.chances),
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.max_plies,
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self, from_dict: Any = None) -> UrState:
        """Return the start, with light (player 0) to move."""
        del from_dict
        return UrState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of rolls in the longest game: one a ply."""
        return self.max_plies

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return what observes states: see `UrObserver`."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return UrObserver(self, params)
        return observation.IIGObserverForPublicInfoGame(iig_obs_type, params)

    def state_of(self, game: Game, roll: int) -> UrState:
        """Return the state of any position with a roll, without a history before it.

        Raises
        ------
        UsageError
            If the game has other rules, or the dice cannot give the roll.
        PositionError
            If the game is over.
        """
        if not as_game(game).rules.plays_like(self.rules):
            raise UsageError(f"the game is of {game.rules.name}, not of {self.rules.name}")
        return self.state_at(chosen_state(game, roll))

    def state_at(self, state: State) -> UrState:
        """Return a state of urcx as one of this game, without a history; nothing is checked."""
        result = UrState(self)
        result.state = state
        return result


class UrState(_State):  # type: ignore[misc]
    """A state of `UrGame`.

    Attributes
    ----------
    book : Rulebook
    state : State
        The position, and the roll if the dice have been rolled.
    plies : int
        How many plies were played.
    """

    def __init__(self, game: UrGame) -> None:
        super().__init__(game)
        self.book = game.book
        self.max_plies = game.max_plies
        self.state = State()
        self.plies = 0

    def is_terminal(self) -> bool:
        """Return whether a player has won, or the game has lasted ``max_plies`` plies."""
        return self.book.winner(self.state) is not None or self.plies >= self.max_plies

    def current_player(self) -> Any:
        """Return whose turn it is, 0 light or 1 dark; or that it is the dice's, or all is over."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.CHANCE if self.state.roll < 0 else self.state.side

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of the rolls, each with its probability."""
        return list(self.get_game().chances)

    def _legal_actions(self, player: int) -> list[int]:
        del player
        return self.book.legal(self.state)

    def _apply_action(self, action: int) -> None:
        if self.state.roll < 0:
            if not 0 <= action < len(self.book.rolls):
                raise UsageError(f"outcome {action}: the dice have {len(self.book.rolls)}")
            self.state = self.state._replace(roll=int(self.book.rolls[action]))
            return
        self.state = self.book.after(self.state, self.book.checked(self.state, action))
        self.plies += 1

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"roll {self.book.rolls[action]}"
        return self.book.words_of(action, self.state)

    def returns(self) -> list[float]:
        """Return 1 for who has won and -1 for who has lost; 0 for both while nobody has."""
        won = self.book.winner(self.state)
        if won is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if won == 0 else [-1.0, 1.0]

    def __str__(self) -> str:
        return _said(self.state)


class UrObserver:
    """What a player sees, as a tensor (`tensor`, and `dict` by name) or a string.

    See `urcx.contrib.envs.states.Rulebook.observation` for the tensor; the string is the position
    in notation and the roll, the same for both players.
    """

    def __init__(self, game: UrGame, params: Any = None) -> None:
        if params:
            raise UsageError(f"the observer takes no parameters, not {params!r}")
        self.tensor: NDArray[np.float32] = np.zeros(game.book.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: UrState, player: int) -> None:
        """Write what a player sees to `tensor`."""
        self.tensor[:] = state.book.observation(state.state, player)

    def string_from(self, state: UrState, player: int) -> str:
        """Return the position and the roll as a text."""
        del player
        return _said(state.state)


def load_game(
    rules: str | RuleSet = "finkel",
    *,
    max_plies: int = MAX_PLIES,
    **other: Unpack[OtherRules],
) -> UrGame:
    """Return the game of any rule set, also of one that has no name.

    Parameters
    ----------
    rules, pieces, path, path_file
        As `urcx.contrib.envs.states.chosen_rules` takes them.
    max_plies
        After how many plies a game ends undecided.

    Returns
    -------
    UrGame
        Its text, ``str(game)``, has the rules in full unless they are the catalogue's, so that the
        game can be loaded elsewhere.

    Raises
    ------
    UsageError
        If the rules or the number of plies cannot be used.
    """
    chosen = chosen_rules(rules, **other)
    params: dict[str, Any] = {"max_plies": chosen_plies(max_plies)}
    known = catalogue.catalogue().rules.get(chosen.name)
    if known is not None and catalogue.ruleset(known, pieces=chosen.pieces) == chosen:
        params |= {"rules": chosen.name, "pieces": chosen.pieces}
    else:
        params["described"] = _written(chosen)
    game: UrGame = pyspiel.load_game(NAME, params)
    return game


def _said(state: State) -> str:
    """Return a state as a text: the position in notation, and the roll if there is one."""
    return f"{state.position}" if state.roll < 0 else f"{state.position} roll {state.roll}"


def _written(rules: RuleSet) -> str:
    """Return a rule set as a text that a game's parameters can hold."""
    plain = json.dumps(describe_rules(rules), separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(zlib.compress(plain, 9)).decode().rstrip("=")


def _read(text: str) -> RuleSet:
    """Return the rule set that `_written` wrote; raises `UsageError` if it is none."""
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        plain = zlib.decompressobj().decompress(packed, MOST_DESCRIBED)
        return rules_of(read_json(plain, "described"))
    except (zlib.error, ValueError, UrcxError) as error:
        raise UsageError(f"described: not a rule set as load_game writes it ({error})") from None


pyspiel.register_game(_TYPE, UrGame)
