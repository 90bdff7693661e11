"""The base of all environments: states, numbered actions, observations, and the choice of rules.

A state is a position with a roll. An action is the step of the moved piece, 0 for the start pool.
The action after the path's last step is the pass, which is legal only if no piece can move. Legal
moves and successors come from `urcx.engine.move_kernels`, as everywhere.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from operator import index
from pathlib import Path as FilePath
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.envs.observation_kernels import COUNTS, write_observation
from urcx.engine import move_kernels
from urcx.engine.moves import legal_moves, masks, steps_of, tables
from urcx.errors import UsageError
from urcx.game import Game
from urcx.rules import catalogue
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import Position

NOT_ROLLED = -1
MAX_PLIES = 10_000  # of a game, by default
MOST_PLIES = 1_000_000


class State(NamedTuple):
    """A position as masks of steps, with the side to move (0 light, 1 dark) and the roll.

    ``boards`` and ``homes`` have light's value, then dark's. ``roll`` is `NOT_ROLLED` before the
    dice are rolled and after the end of the game.
    """

    boards: tuple[int, int] = (0, 0)
    homes: tuple[int, int] = (0, 0)
    side: int = 0
    roll: int = NOT_ROLLED

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self

    @classmethod
    def of(cls, position: Position, roll: int = NOT_ROLLED) -> State:
        """Return the state of a position."""
        return cls(masks(position), position.home, int(not position.light_to_move), roll)

    @property
    def position(self) -> Position:
        """Return the position, without the roll."""
        light, dark = self.boards
        return Position(steps_of(light), steps_of(dark), self.homes, self.side == 0)


class Rulebook:
    """A rule set for environments. Get one from `rulebook`, which caches them.

    Attributes
    ----------
    rules : RuleSet
    actions : int
        The number of actions: one for each step, one to enter, one to pass.
    passing : int
        The action that passes.
    size : int
        The number of values of an observation.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        arrays = tables(rules)
        self.ways, self.rolls = arrays.ways, arrays.rolls
        self.length = rules.path.length
        self.passing = self.length + 1
        self.actions = self.length + 2
        self.size = 2 * self.length + COUNTS + len(self.rolls) + 1 + int(not rules.path.symmetric)

    def __deepcopy__(self, memo: dict[int, Any]) -> Rulebook:
        return self

    def starts(self, state: State) -> int:
        """Return the steps of the pieces that can move, as a mask."""
        side = state.side
        own, other = state.boards[side], state.boards[1 - side]
        pool = self.rules.pieces - own.bit_count() - state.homes[side]
        return int(move_kernels.legal_starts(self.ways, side, pool, own, other, state.roll))

    def legal(self, state: State) -> list[int]:
        """Return the legal actions, ascending: the moves, or only the pass if there are no moves.

        The list is empty if the game is over, or before the dice are rolled.
        """
        if state.roll < 0 or self.winner(state) is not None:
            return []
        starts = self.starts(state)
        return [start for start in range(self.passing) if starts >> start & 1] or [self.passing]

    def mask(self, state: State, viewer: int) -> NDArray[np.int8]:
        """Return 1 for each action that a player can take now, and 0 for others."""
        mask = np.zeros(self.actions, np.int8)
        if state.side == viewer:
            mask[self.legal(state)] = 1
        return mask

    def checked(self, state: State, action: object) -> int:
        """Return an action as a number.

        Raises
        ------
        UsageError
            If the action is not legal. The message lists the legal actions.
        """
        try:
            number = index(action.item() if isinstance(action, np.ndarray) else action)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            number = -1
        legal = self.legal(state)
        if number in legal:
            return number
        if not legal:
            raise UsageError(
                f"action {action!r} is not legal in {state.position}: the game is over"
            )
        legal_text = ", ".join("pass" if a == self.passing else str(a) for a in legal)
        legal_text += f" ({self.passing})" if legal == [self.passing] else ""
        raise UsageError(
            f"action {action!r} is not legal in {state.position} with roll {state.roll}; "
            f"legal: {legal_text}"
        )

    def after(self, state: State, action: int) -> State:
        """Return the state after a legal action, before the next roll."""
        side = state.side
        if action == self.passing:
            return State(state.boards, state.homes, 1 - side)
        own, other, home, again = move_kernels.make_move(
            self.ways, side, state.boards[side], state.boards[1 - side], state.homes[side],
            action, action + state.roll,
        )  # fmt: skip
        boards, homes = [int(own), int(other)], [int(home), state.homes[1 - side]]
        if side:
            boards.reverse()
            homes.reverse()
        return State((boards[0], boards[1]), (homes[0], homes[1]), side if again else 1 - side)

    def winner(self, state: State) -> int | None:
        """Return the side with all pieces home, 0 or 1, or None."""
        if self.rules.pieces not in state.homes:
            return None
        return state.homes.index(self.rules.pieces)

    def game(self, state: State) -> Game:
        """Return the state's position as a game."""
        return Game(self.rules, state.position)

    def observation(self, state: State, viewer: int) -> NDArray[np.float32]:
        """Return the observation of a player, the viewer (0 light, 1 dark).

        With L steps of the path and R possible rolls, the values are

        - 0 to L - 1: 1 for each step of the viewer's path with a piece of the viewer.
        - L to 2 L - 1: 1 for each step of the other player's path with a piece of that player.
        - 2 L to 2 L + 3: the viewer's pool, the other player's pool, the viewer's pieces home, the
          other player's pieces home, each as a share of the number of pieces per side.
        - 2 L + 4 to 2 L + R + 3: 1 for the roll, in ascending order of rolls, or only 0 before the
          dice are rolled.
        - 2 L + R + 4: 1 if the viewer is to move.
        - 2 L + R + 5, only on asymmetric paths: 1 if the viewer is light.
        """
        out = np.empty(self.size, np.float32)
        sides = slice(None, None, -1 if viewer else 1)
        boards, homes = state.boards[sides], state.homes[sides]
        moving = state.side == viewer
        write_observation(
            self.ways, self.rolls, boards, homes, state.roll, moving, viewer == 0, out
        )
        return out

    def words_of(self, action: int, state: State) -> str:
        """Return an action in words: its steps, such as ``2-6``, or ``pass``."""
        return "pass" if action == self.passing else f"{action}-{action + state.roll}"


@lru_cache(maxsize=32)
def rulebook(rules: RuleSet) -> Rulebook:
    """Return a rule set for environments, or raise `TooLargeError` as `tables` does."""
    return Rulebook(rules)


class OtherRules(TypedDict, total=False):
    """Changes to a rule set, as arguments of `chosen_rules`."""

    pieces: int | None
    path: str | Path | None
    path_file: str | FilePath | None


def chosen_rules(
    rules: str | RuleSet = "finkel",
    pieces: int | None = None,
    path: str | Path | None = None,
    path_file: str | FilePath | None = None,
) -> RuleSet:
    """Return the rule set of an environment.

    Parameters
    ----------
    rules
        A rule set, or the name of a rule set in the catalogue or in ``path_file``.
    pieces
        The number of pieces per side, if not the rule set's number.
    path
        A path, or the name of a path in the catalogue or in ``path_file``, if not the rule set's
        path.
    path_file
        A user's file with paths or rule sets (see :doc:`/formats`).

    Raises
    ------
    UsageError
        If there is no such rule set or path, or the number of pieces is out of range.
    CatalogueError
        If the file cannot be read or breaks the schema.
    """
    entries = catalogue.read_catalogue(path_file)
    chosen = catalogue.resolve_entry(
        "rule set", RuleSet, entries.rules, rules, catalogue.DEFAULT_RULES
    )
    if path is not None:
        way = catalogue.resolve_entry("path", Path, entries.paths, path, "bell")
        if way != chosen.path:
            chosen = replace(chosen, path=way, name=f"{chosen.name}-{way.name}", aliases=())
    return catalogue.ruleset(chosen, pieces=pieces)


def chosen_plies(max_plies: int) -> int:
    """Return the number of plies after which a game ends undecided. Raise `UsageError` if wrong."""
    number = catalogue.as_integer("max_plies", max_plies)
    if not 1 <= number <= MOST_PLIES:
        raise UsageError(f"max_plies {number}: must be from 1 to {MOST_PLIES:,}")
    return number


def chosen_state(game: Game, roll: int) -> State:
    """Return the state of a game with a roll, or raise `UsageError` if the roll is impossible."""
    legal_moves(game.position, roll, game.rules)
    return State.of(game.position, roll)
