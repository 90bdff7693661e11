"""The game in OpenSpiel: import this module, then load ``royal_game_of_ur``.

Chance is explicit. A ply is a chance node, with an outcome for each possible roll, followed by a
decision of the player to move, who must choose the pass as well. The game has perfect information
and zero sum: the winner gets 1, the loser -1.

A race with captures has no longest game, but OpenSpiel requires a bound. A game that is not over
after ``max_plies`` plies ends undecided, with 0 for both. The string and the observation of a state
do not count plies. So algorithms that search or list states treat all states with the same position
and roll as the same state.
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
    """The Royal Game of Ur as a game of OpenSpiel. `pyspiel.load_game` and `load_game` make it.

    Parameters
    ----------
    params
        A mapping with any of

        - ``rules``: the name of a rule set, ``finkel`` by default.
        - ``pieces``: the number of pieces, 0 for the rule set's number.
        - ``path``: the name of a path instead of the rule set's.
        - ``path_file``: a user's file with more rule sets and paths.
        - ``described``: a rule set in full, as `load_game` writes it.
        - ``max_plies``: the number of plies after which a game ends undecided.

    Attributes
    ----------
    rules : RuleSet
    book : Rulebook
    max_plies : int
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        parameters = dict(params or {})
        described = parameters.get("described", "")
        if described:
            rules = _unpacked_rules(described)
        else:
            rules = chosen_rules(
                parameters.get("rules", catalogue.DEFAULT_RULES),
                parameters.get("pieces", 0) or None,
                parameters.get("path", "") or None,
                parameters.get("path_file", "") or None,
            )
        self.rules = rules
        self.book: Rulebook = rulebook(rules)
        self.max_plies = chosen_plies(parameters.get("max_plies", MAX_PLIES))
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
        super().__init__(_TYPE, info, parameters)

    def new_initial_state(self, from_dict: Any = None) -> UrState:
        """Return the start, with light (player 0) to move."""
        del from_dict
        return UrState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of rolls in the longest game: one per ply."""
        return self.max_plies

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return the observer of states: see `UrObserver`."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return UrObserver(self, params)
        return observation.IIGObserverForPublicInfoGame(iig_obs_type, params)

    def state_of(self, game: Game, roll: int) -> UrState:
        """Return the state of any position with a roll, without a history.

        Raises
        ------
        UsageError
            If the game has other rules, or the roll is impossible.
        PositionError
            If the game is over.
        """
        if not as_game(game).rules.plays_like(self.rules):
            raise UsageError(f"the game has the rules {game.rules.name}, not {self.rules.name}")
        return self.state_at(chosen_state(game, roll))

    def state_at(self, state: State) -> UrState:
        """Return a state of urcx as a state of this game, without a history and without checks."""
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
        The number of plies played.
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
        """Return the player to act: 0 light, 1 dark, chance, or the mark of a finished game."""
        if self.is_terminal():
            return pyspiel.PlayerId.TERMINAL
        return pyspiel.PlayerId.CHANCE if self.state.roll < 0 else self.state.side

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the numbers of the rolls with their probabilities."""
        return list(self.get_game().chances)

    def _legal_actions(self, player: int) -> list[int]:
        del player
        return self.book.legal(self.state)

    def _apply_action(self, action: int) -> None:
        if self.state.roll < 0:
            if not 0 <= action < len(self.book.rolls):
                raise UsageError(f"outcome {action}: must be from 0 to {len(self.book.rolls) - 1}")
            self.state = self.state._replace(roll=int(self.book.rolls[action]))
            return
        self.state = self.book.after(self.state, self.book.checked(self.state, action))
        self.plies += 1

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"roll {self.book.rolls[action]}"
        return self.book.words_of(action, self.state)

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser, or 0 for both before the end."""
        winner = self.book.winner(self.state)
        if winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if winner == 0 else [-1.0, 1.0]

    def __str__(self) -> str:
        return _state_text(self.state)


class UrObserver:
    """The observation of a player, as a tensor (`tensor`, and by name in `dict`) or a string.

    See `urcx.contrib.envs.states.Rulebook.observation` for the tensor. The string has the position
    in notation and the roll. It is the same for both players.
    """

    def __init__(self, game: UrGame, params: Any = None) -> None:
        if params:
            raise UsageError(
                f"params {params!r}: must be None, because observers have no parameters"
            )
        self.tensor: NDArray[np.float32] = np.zeros(game.book.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: UrState, player: int) -> None:
        """Write a player's observation to `tensor`."""
        self.tensor[:] = state.book.observation(state.state, player)

    def string_from(self, state: UrState, player: int) -> str:
        """Return the position and the roll as a text."""
        del player
        return _state_text(state.state)


def load_game(
    rules: str | RuleSet = "finkel",
    *,
    max_plies: int = MAX_PLIES,
    **other: Unpack[OtherRules],
) -> UrGame:
    """Return the game of any rule set, with or without a name.

    Parameters
    ----------
    rules, pieces, path, path_file
        The same as for `urcx.contrib.envs.states.chosen_rules`.
    max_plies
        The number of plies after which a game ends undecided.

    Returns
    -------
    UrGame
        Its text, ``str(game)``, has the rules in full if they are not in the catalogue, so other
        programs can load the game.

    Raises
    ------
    UsageError
        If the rules or the number of plies cannot be used.
    """
    rules_loaded = chosen_rules(rules, **other)
    params: dict[str, Any] = {"max_plies": chosen_plies(max_plies)}
    built_in = catalogue.catalogue().rules.get(rules_loaded.name)
    if (
        built_in is not None
        and catalogue.ruleset(built_in, pieces=rules_loaded.pieces) == rules_loaded
    ):
        params |= {"rules": rules_loaded.name, "pieces": rules_loaded.pieces}
    else:
        params["described"] = _packed_rules(rules_loaded)
    game: UrGame = pyspiel.load_game(NAME, params)
    return game


def _state_text(state: State) -> str:
    """Return the text of a state: the position in notation, and the roll if there is one."""
    return f"{state.position}" if state.roll < 0 else f"{state.position} roll {state.roll}"


def _packed_rules(rules: RuleSet) -> str:
    """Return a rule set as a text that fits into the parameters of a game."""
    text = json.dumps(describe_rules(rules), separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(zlib.compress(text, 9)).decode().rstrip("=")


def _unpacked_rules(text: str) -> RuleSet:
    """Return the rule set that `_packed_rules` wrote, or raise `UsageError` for any other text."""
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        document = zlib.decompressobj().decompress(packed, MOST_DESCRIBED)
        return rules_of(read_json(document, "described"))
    except (zlib.error, ValueError, UrcxError) as error:
        raise UsageError(f"described: not a rule set as load_game writes it ({error})") from None


pyspiel.register_game(_TYPE, UrGame)
