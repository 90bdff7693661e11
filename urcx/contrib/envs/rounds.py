"""Games in progress, by number, with the random streams of `urcx.simulate`.

The games of a seed are numbered from 0, and each has its own stream. An environment that is reset
with a seed plays game 0 of the seed. Each reset without a seed continues with the next game. With
the same choices it plays the same games as `urcx.simulate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from urcx.contrib.envs.states import NOT_ROLLED, Rulebook, State, chosen_plies
from urcx.errors import UsageError, WrongObjectError, check_name
from urcx.games import game_kernels
from urcx.games.simulator import FIRST_MOVERS, MAX_GAMES, dice_slots
from urcx.rules import catalogue
from urcx.rules.model import RuleSet


def unpredictable_seed() -> int:
    """Return a seed that is different each time."""
    return int(np.random.default_rng().integers(catalogue.MAX_SEED))


def chosen_first(first: str) -> int:
    """Return the kernels' number of a rule for the first player. Raise `UsageError` if unknown."""
    check_name("first mover", first, FIRST_MOVERS)
    return FIRST_MOVERS.index(first)


class Stream:
    """The random stream of one game.

    Attributes
    ----------
    seed, number : int
        The seed and the number of the game.
    side : int
        The first player, 0 light, 1 dark.
    """

    def __init__(self, rules: RuleSet, seed: int, number: int, rule: int) -> None:
        self.seed, self.number = seed, number
        self._slots, self._rolls = dice_slots(rules.dice), rules.dice.rolls
        with np.errstate(over="ignore"):  # streams wrap, and compiled code does not warn
            state = np.uint64(game_kernels.stream(seed, number))
            state, side = game_kernels.first_side(state, rule, number)
        self._state, self.side = np.uint64(state), int(side)
        self._half = np.uint64(0)

    def roll(self) -> int:
        """Return the next roll."""
        with np.errstate(over="ignore"):
            state, slot, half = game_kernels.draw(self._state, self._slots)
        self._state, self._half = np.uint64(state), np.uint64(half)
        return self._rolls[int(slot)]

    def pick(self, legal: int, best: int, ties: int, share: float) -> int:
        """Return the bit of ``legal`` that an agent chooses after this roll."""
        with np.errstate(over="ignore"):
            state, start = game_kernels.pick_or_err(
                self._state, self._half, legal, best, ties, share
            )
        self._state = np.uint64(state)
        return int(start)


class Round:
    """Games of an environment, one after the other.

    Parameters
    ----------
    book
        The rules.
    first
        The first player: ``light``, ``dark``, ``alternate`` or ``coin``.
    max_plies
        The number of plies after which a game ends undecided.

    Attributes
    ----------
    state : State
        The state, with the roll unless the game is over.
    stream : Stream
        The dice of the game.
    plies : int
        The number of plies played.
    winner : int or None
        The winner, 0 light, 1 dark, or None.

    Raises
    ------
    UsageError
        If an argument is out of range.
    """

    def __init__(self, book: Rulebook, first: str, max_plies: int) -> None:
        self.book, self._rule, self.max_plies = book, chosen_first(first), chosen_plies(max_plies)
        self.state, self.plies = State(), 0
        self.winner: int | None = None
        self._conceded = False
        self.stream = Stream(book.rules, 0, 0, self._rule)
        self._seeded = False

    @property
    def number(self) -> int:
        """Return the game's number among those of the seed."""
        return self.stream.number

    @property
    def is_over(self) -> bool:
        """Return whether a player has won, or ``max_plies`` plies were played."""
        return self.winner is not None or self._conceded or self.plies >= self.max_plies

    def begin(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin the first game of a seed, or the next game. The first seed may be unpredictable.

        Parameters
        ----------
        seed
            From 0 to 2^63 - 1, or None.
        options
            ``game`` is the number of another game to begin, from 0.

        Raises
        ------
        UsageError
            If the seed or the number is out of range, or the options are not a mapping.
        """
        if not isinstance(options, Mapping | None):
            raise WrongObjectError("options", Mapping, options, "None")
        number = 0
        if seed is not None:
            seed = catalogue.as_seed(seed)
        elif self._seeded:
            seed, number = self.stream.seed, self.stream.number + 1
        else:
            seed = unpredictable_seed()
        if options and "game" in options:
            number = catalogue.as_integer("game", options["game"])
            if not 0 <= number < MAX_GAMES:
                raise UsageError(f"game {number}: must be from 0 to {MAX_GAMES - 1:,}")
        self._seeded = True
        self.stream = Stream(self.book.rules, seed, number, self._rule)
        self.plies, self.winner, self._conceded = 0, None, False
        self._to_roll(State(side=self.stream.side))

    def play(self, action: int) -> None:
        """Play a legal action, and roll for the next ply unless the game is over."""
        self.plies += 1
        after = self.book.after(self.state, action)
        self.winner = self.book.winner(after)
        self._to_roll(after)

    def concede(self) -> None:
        """End the game at once, without a winner on the board."""
        self._conceded = True
        self._to_roll(self.state._replace(roll=NOT_ROLLED))

    def _to_roll(self, state: State) -> None:
        self.state = state if self.is_over else state._replace(roll=self.stream.roll())
