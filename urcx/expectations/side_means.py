"""What is counted where games are followed exactly: means of each side over all games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urcx.expectations.layer_kernels import (
    AGAIN,
    CAPTURES,
    LANDED,
    LOG_PICKS,
    LOSS,
    MISTAKES,
    N_SUMS,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Side:
    """What one side does in a game, in the mean.

    ``by_choices[roll, k]`` are its plies with k legal moves, rolls in the order of the dice.
    ``again`` are moves that grant a roll; ``log_picks`` is the sum of -log10 of the probability
    with which the agent chose each of its moves. ``loss`` is by how much its moves fall short of
    the best in chances of winning, ``mistakes`` how many do; 0 where no solution was given.
    """

    by_choices: Array
    again: float
    captures: float
    landed: float
    log_picks: float
    wins: float
    loss: float
    mistakes: float

    @property
    def plies(self) -> float:
        """Return the plies, passes included."""
        return float(self.by_choices.sum())

    @property
    def turns(self) -> float:
        """Return the turns: plies less those that follow on a move that granted a roll."""
        return self.plies - self.again

    @property
    def moves(self) -> float:
        """Return the moves: plies without passes."""
        return self.plies - float(self.by_choices[:, 0].sum())

    @property
    def decisions(self) -> float:
        """Return the plies with two or more legal moves."""
        return float(self.by_choices[:, 2:].sum())


@dataclass(frozen=True)
class Visits:
    """Sums over all states by how often each is visited, of light (0) and dark (1).

    ``by_choices[side, roll, k]``, ``sums[side]`` as `urcx.expectations.layer_kernels` names them,
    ``wins[side]``; ``left`` is the probability that was left waiting.
    """

    by_choices: Array
    sums: Array
    wins: Array
    left: float

    @staticmethod
    def empty(rolls: int, pieces: int) -> Visits:
        """Return sums of nothing, for so many rolls and pieces."""
        return Visits(np.zeros((2, rolls, pieces + 1)), np.zeros((2, N_SUMS)), np.zeros(2), 0.0)

    def turned(self) -> Visits:
        """Return the same with the sides exchanged."""
        return Visits(self.by_choices[::-1], self.sums[::-1], self.wins[::-1], self.left)

    @staticmethod
    def mean(runs: Sequence[Visits]) -> Visits:
        """Return the mean of several, and the most that was left waiting in any."""
        by_choices, sums, wins = (
            np.mean([getattr(run, name) for run in runs], axis=0)
            for name in ("by_choices", "sums", "wins")
        )
        return Visits(by_choices, sums, wins, max(run.left for run in runs))

    def side(self, side: int) -> Side:
        """Return what one side does."""
        sums = [float(x) for x in self.sums[side]]
        return Side(
            self.by_choices[side],
            sums[AGAIN],
            sums[CAPTURES],
            sums[LANDED],
            sums[LOG_PICKS],
            float(self.wins[side]),
            sums[LOSS] / 2.0,  # chances of winning, from values between -1 and 1
            sums[MISTAKES],
        )
