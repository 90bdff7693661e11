"""Gambling games that were played: what is counted of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.memory import check_memory
from urcx.gambling import game_kernels
from urcx.gambling.agents import Gambler
from urcx.gambling.rules import GamblingGame
from urcx.results.result import Result

COUNTS = ("records", "results", "purses", "sums")  # of each game
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Gambles(Result, function="gamble"):
    """Games that were played, with the counts of each; a row of each array is a game.

    Attributes
    ----------
    game : GamblingGame
    light, dark : Gambler
    seed : int
    first : str
        Who was to begin, as in `gamble`.
    asked : int
        How many games were wanted; fewer are here if Ctrl-C came in between.
    records : array of int, shape (games, 2, columns)
        Counts by game and side (0 light, 1 dark), in the order of the constants of
        `urcx.gambling.game_kernels`: turns, second dice thrown, those that said yes, turns lost to
        them, pieces entered, captures, rosettes landed on, rosettes passed, choices and their
        options; then plies by number of legal moves of the roll that counted (0 if nothing moved:
        an agent can pass only if the first die allows no move). `to_dict` gives them names.
    results : array of int, shape (games, 3)
        The side that began, the side that was home first, and the plies of both.
    purses : array of int, shape (games, 3)
        Light's, dark's and the pool's counters at the end.
    sums : array of float, shape (games, 2, 2)
        By game and side, the sum of log10 of the options of each choice, and of what was chosen
        among at random.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.gamble("greedy", games=10)
    >>> bool((games.purses.sum(axis=1) == games.game.total).all())
    True
    """

    game: GamblingGame
    light: Gambler
    dark: Gambler
    seed: int
    first: str
    asked: int
    records: IntArray
    results: IntArray
    purses: IntArray
    sums: NDArray[np.float64]

    def __len__(self) -> int:
        """Return how many games were played."""
        return len(self.results)

    @property
    def interrupted(self) -> bool:
        """Return whether fewer games were played than asked for."""
        return len(self) < self.asked

    @property
    def by_choices(self) -> IntArray:
        """Return the plies by game, side and number of legal moves."""
        return self.records[:, :, game_kernels.N_FIXED :]

    @property
    def winnings(self) -> IntArray:
        """Return the counters won by game and side; negative if lost."""
        return self.purses[:, :2] - self.game.counters

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """Return the games as columns, a row for each game.

        Returns
        -------
        dict of str to numpy.ndarray
            ``game`` (its number, from 0), ``began`` and ``home_first`` (``light`` or ``dark``),
            ``plies`` of both, ``pool`` (counters left in it); then, of light and of dark each, as
            in ``light_turns``: ``winnings`` (counters won, below 0 if lost), ``plies``, ``turns``,
            ``thrown`` and ``lost`` (second dice, and turns lost to them), ``launches``,
            ``captures``, ``rosettes`` landed on, ``passed`` ones.
        """
        sides = np.array(["light", "dark"])
        found: dict[str, NDArray[Any]] = {
            "game": np.arange(len(self)),
            "began": sides[self.results[:, 0]],
            "home_first": sides[self.results[:, 1]],
            "plies": self.results[:, 2],
            "pool": self.purses[:, 2],
        }
        fields = {
            "turns": game_kernels.TURNS,
            "thrown": game_kernels.THROWN,
            "lost": game_kernels.LOST,
            "launches": game_kernels.LAUNCHES,
            "captures": game_kernels.CAPTURES,
            "rosettes": game_kernels.LANDED,
            "passed": game_kernels.PASSED,
        }
        for k, side in enumerate(("light", "dark")):
            found[f"{side}_winnings"] = self.winnings[:, k]
            found[f"{side}_plies"] = self.by_choices[:, k].sum(axis=1)
            found |= {f"{side}_{name}": self.records[:, k, n] for name, n in fields.items()}
        return found


def empty(
    game: GamblingGame, players: tuple[Gambler, Gambler], games: int, seed: int, first: str
) -> Gambles:
    """Return room for the counts of so many games, if memory suffices."""
    fields = game_kernels.N_FIXED + len(game.pieces) + 1
    needed = games * 8 * (2 * fields + 3 + 3 + 4)
    check_memory(needed, f"what is counted of {games:,} games", "play fewer games")
    return Gambles(
        game,
        *players,
        seed,
        first,
        games,
        np.zeros((games, 2, fields), np.int64),
        np.zeros((games, 3), np.int64),
        np.zeros((games, 3), np.int64),
        np.zeros((games, 2, 2)),
    )
