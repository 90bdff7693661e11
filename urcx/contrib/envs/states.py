"""What all environments share: states, numbered actions, observations, and rules as they name them.

A state is a position and what was rolled in it. An action is the step that the moved piece stands
on, 0 for the start pool; the action behind the path's last step is the pass, which is legal exactly
where no piece can move. What is legal and what it leads to is said by `urcx.engine.move_kernels`,
as everywhere.
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
MAX_PLIES = 10_000  # of a game, unless said otherwise
MOST_PLIES = 1_000_000


class State(NamedTuple):
    """A position as masks of steps, whose turn it is (0 light, 1 dark), and the roll.

    ``boards`` and ``homes`` are light's, then dark's; ``roll`` is `NOT_ROLLED` before the dice are
    rolled, and where the game is over.
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
    """A rule set as environments use it. Get one from `rulebook`, which keeps them.

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
        found = tables(rules)
        self.ways, self.rolls = found.ways, found.rolls
        self.length = rules.path.length
        self.passing = self.length + 1
        self.actions = self.length + 2
        self.size = 2 * self.length + COUNTS + len(self.rolls) + 1 + int(not rules.path.symmetric)

    def __deepcopy__(self, memo: dict[int, Any]) -> Rulebook:
        return self

    def starts(self, state: State) -> int:
        """Return which pieces can move, as a mask of the steps that they stand on."""
        side = state.side
        own, other = state.boards[side], state.boards[1 - side]
        pool = self.rules.pieces - own.bit_count() - state.homes[side]
        return int(move_kernels.legal_starts(self.ways, side, pool, own, other, state.roll))

    def legal(self, state: State) -> list[int]:
        """Return the legal actions, ascending: moves, or else the pass.

        There is none where the game is over, or the dice are not rolled yet.
        """
        if state.roll < 0 or self.winner(state) is not None:
            return []
        found = self.starts(state)
        return [start for start in range(self.passing) if found >> start & 1] or [self.passing]

    def mask(self, state: State, viewer: int) -> NDArray[np.int8]:
        """Return for each action whether a player can take it now, as 0 or 1."""
        mask = np.zeros(self.actions, np.int8)
        if state.side == viewer:
            mask[self.legal(state)] = 1
        return mask

    def checked(self, state: State, action: object) -> int:
        """Return an action as a number.

        Raises
        ------
        UsageError
            If it is not one of the legal actions; the message lists these.
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
        known = ", ".join("pass" if a == self.passing else str(a) for a in legal)
        known += f" ({self.passing})" if legal == [self.passing] else ""
        raise UsageError(
            f"action {action!r} is not legal in {state.position} with roll {state.roll}; "
            f"legal: {known}"
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
        """Return who has all pieces home, 0 or 1; None while nobody has."""
        if self.rules.pieces not in state.homes:
            return None
        return state.homes.index(self.rules.pieces)

    def game(self, state: State) -> Game:
        """Return the state's position as a game."""
        return Game(self.rules, state.position)

    def observation(self, state: State, viewer: int) -> NDArray[np.float32]:
        """Return what a player (0 light, 1 dark) sees; everything is seen from its own side.

        With L steps of the path, and R rolls that the dice can give, the values are

        - 0 to L - 1: 1 where an own piece stands, by step of the own way;
        - L to 2 L - 1: the same of the other's pieces, by step of the other's way;
        - 2 L to 2 L + 3: the own pool, the other's pool, the own pieces home, the other's, each as
          a share of all pieces of a side;
        - 2 L + 4 to 2 L + R + 3: 1 for the roll, in ascending order of rolls; all are 0 before the
          dice are rolled;
        - 2 L + R + 4: 1 if the player is to move;
        - 2 L + R + 5, only on paths that are not alike for both: 1 if the player is light.
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
    """Return a rule set as environments use it; raises `TooLargeError` as `tables` does."""
    return Rulebook(rules)


class OtherRules(TypedDict, total=False):
    """In what a game differs from a rule set, as `chosen_rules` has it."""

    pieces: int | None
    path: str | Path | None
    path_file: str | FilePath | None


def chosen_rules(
    rules: str | RuleSet = "finkel",
    pieces: int | None = None,
    path: str | Path | None = None,
    path_file: str | FilePath | None = None,
) -> RuleSet:
    """Return the rule set that an environment is made for.

    Parameters
    ----------
    rules
        A rule set, or the name of one of the catalogue or of ``path_file``.
    pieces
        How many pieces each side has, if not as many as the rule set says.
    path
        A path, or the name of one of the catalogue or of ``path_file``, if the game is not to be
        played on the rule set's.
    path_file
        A file of the user's with paths or rule sets (see :doc:`/formats`).

    Raises
    ------
    UsageError
        If there is no such rule set or path, or the number of pieces is out of range.
    CatalogueError
        If the file cannot be read or breaks the schema.
    """
    known = catalogue.read_catalogue(path_file)
    found = catalogue.resolve_entry(
        "rule set", RuleSet, known.rules, rules, catalogue.DEFAULT_RULES
    )
    if path is not None:
        way = catalogue.resolve_entry("path", Path, known.paths, path, "bell")
        if way != found.path:
            found = replace(found, path=way, name=f"{found.name}-{way.name}", aliases=())
    return catalogue.ruleset(found, pieces=pieces)


def chosen_plies(max_plies: int) -> int:
    """Return the number of plies after which a game ends undecided; raises `UsageError`."""
    number = catalogue.as_integer("max_plies", max_plies)
    if not 1 <= number <= MOST_PLIES:
        raise UsageError(f"max_plies {number}: from 1 to {MOST_PLIES:,}")
    return number


def chosen_state(game: Game, roll: int) -> State:
    """Return the state of a game with a roll; raises `UsageError` if the dice cannot give it."""
    legal_moves(game.position, roll, game.rules)
    return State.of(game.position, roll)
