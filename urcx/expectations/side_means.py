"""The counts of exact expectations: means of each side over all games."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.errors import UrcxError
from urcx.expectations.bounds import Accuracy
from urcx.expectations.tally_kernels import (
    AGAIN,
    BY_LOSS,
    CAPTURED,
    CAPTURES,
    DICE,
    LANDED,
    LOG_PICKS,
    LOSS,
    MISTAKES,
    MOVED,
    N_BY_STEP,
    N_SUMS,
    SQUARES,
    STOOD,
)
from urcx.results.fields import fields_of, member
from urcx.rules.model import RuleSet

TOLERANCE = 5e-13  # of probability that may be left out; rounding leaves about as much
LOST = 1e-10  # of probability, through rounding in 64 bits

COUNTED = "by_choices", "sums", "by_step"  # of `Visits`, by side: what kernels write to
SUMS = *COUNTED, "wins", "states"

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Side:
    """The expected counts of one side per game.

    ``by_choices[roll, k]`` are its plies with k legal moves, rolls in the order of the dice. By
    step of its path, from 0, where all are 0, to L + 1, home: ``stood`` counts its plies that begin
    with a piece there, ``moved`` its moves to there, and ``captured`` those that capture.
    ``again`` counts moves that grant an extra roll; ``log_picks`` is the sum of -log10 of the
    probability with which the agent chose each of its moves. ``loss`` is the total loss of winning
    probability against the best moves, ``mistakes`` the number of moves with a loss. ``dice`` and
    ``squares`` are the sums of the squares of what its rolls change its chance of winning by, and
    of what its mistakes lose. All four are 0 if no solution was given.
    """

    by_choices: Array
    stood: Array
    moved: Array
    captured: Array
    again: float
    captures: Annotated[float, member(about="captures")]
    landed: Annotated[float, member(about="rosettes landed on", key="rosettes")]
    log_picks: float
    wins: Annotated[float, member(about="probability of winning")]
    loss: float
    mistakes: float
    dice: float
    squares: float

    @property
    @member(about="plies in a game")
    def plies(self) -> float:
        """Return the plies, passes included."""
        return float(self.by_choices.sum())

    @property
    @member(about="turns")
    def turns(self) -> float:
        """Return the turns: plies minus those played with an extra roll."""
        return self.plies - self.again

    @property
    @member(about="moves")
    def moves(self) -> float:
        """Return the moves: plies without passes."""
        return self.plies - float(self.by_choices[:, 0].sum())

    @property
    @member(about="plies with two or more legal moves")
    def decisions(self) -> float:
        """Return the plies with two or more legal moves."""
        return float(self.by_choices[:, 2:].sum())


SIDE = fields_of(Side).pick("plies", "turns", "moves", "decisions", "captures", "rosettes", "wins")


@dataclass(frozen=True)
class Decided:
    """What is played in a layer's state with a roll, by its index: one of two legal moves.

    ``move`` is the one played, ``best`` the best; ``visits`` is the expected visit count of the
    state, ``often`` how often it is played there in a game, and ``score`` what it is ranked by.
    """

    layer: tuple[int, int]
    state: int
    roll: int
    move: int
    best: int
    loss: float
    visits: float
    often: float
    score: float


class Wanted(NamedTuple):
    """How far games are followed, and what is kept of them besides sums.

    ``tolerance`` is the probability that may be left out. So many ``decisions`` are kept of each
    side, the greatest ``by`` what `urcx.expectations.tally_kernels` can rank them by.
    """

    tolerance: float = TOLERANCE
    decisions: int = 1
    by: int = BY_LOSS


@dataclass(frozen=True)
class Visits:
    """Sums over all states, weighted by expected visit counts, of light (0) and dark (1).

    ``by_choices[side, roll, k]``, ``sums[side]`` and ``by_step[side, what, step]`` as named in
    `urcx.expectations.tally_kernels`, ``wins[side]``, ``states[side]`` with a number of visits that
    counts; ``left`` is the probability that was still pending, ``worst[side]`` the decisions that
    were `Wanted`, the greatest first.
    ``visits_left`` bounds the sum of the errors of all visits, ``additions`` the number of
    additions that a term of any sum passed through.
    """

    by_choices: Array
    sums: Array
    by_step: Array
    wins: Array
    left: float
    states: Array
    worst: list[list[Decided]]
    visits_left: float = 0.0
    additions: int = 0

    @staticmethod
    def empty(rules: RuleSet) -> Visits:
        """Return sums of 0."""
        return Visits(
            np.zeros((2, len(rules.dice.rolls), rules.pieces + 1)),
            np.zeros((2, N_SUMS)),
            np.zeros((2, N_BY_STEP, rules.path.length + 2)),
            np.zeros(2),
            0.0,
            np.zeros(2),
            [[], []],
        )

    def add(self, other: Visits, most: int) -> None:
        """Add the sums of other states, and keep so many of the decisions."""
        for name in SUMS:
            getattr(self, name)[...] += getattr(other, name)
        for side, found in enumerate(other.worst):
            self.keep(side, found, most)

    def keep(self, side: int, found: Sequence[Decided], most: int) -> None:
        """Keep the greatest decisions of a side; of equal ones, the earlier stay."""
        every = [*self.worst[side], *found]
        self.worst[side] = sorted(every, key=lambda one: -one.score)[:most]

    def turned(self) -> Visits:
        """Return the sums with the sides exchanged."""
        turned = {name: getattr(self, name)[::-1] for name in SUMS}
        return replace(self, **turned, worst=self.worst[::-1])

    @staticmethod
    def mean(runs: Sequence[Visits]) -> Visits:
        """Return the mean of several runs, with the greatest ``left`` of any."""
        means = {
            name: np.mean([getattr(run, name) for run in runs], axis=0)
            for name in (*COUNTED, "wins")
        }
        return replace(runs[0], **means, left=max(run.left for run in runs))

    @property
    def accuracy(self) -> Accuracy:
        """Return the bounds of the errors of all means."""
        plies = float(self.by_choices.sum())
        return Accuracy(self.left, self.visits_left, self.additions, plies)

    def checked(self) -> Visits:
        """Return the sums; raises `UrcxError` if chances of winning do not add up to 1."""
        if not abs(1.0 - self.wins.sum()) <= self.left + LOST:
            raise UrcxError(
                f"games end in wins with a probability of {self.wins.sum()}, not 1: that is a "
                "fault of urcx; please report it with what you asked for"
            )
        return self

    def side(self, side: int) -> Side:
        """Return the expected counts of one side."""
        sums = [float(x) for x in self.sums[side]]
        return Side(
            self.by_choices[side],
            self.by_step[side, STOOD],
            self.by_step[side, MOVED],
            self.by_step[side, CAPTURED],
            sums[AGAIN],
            sums[CAPTURES],
            sums[LANDED],
            sums[LOG_PICKS],
            float(self.wins[side]),
            sums[LOSS] / 2.0,  # from values between -1 and 1 to probabilities
            sums[MISTAKES],
            sums[DICE] / 4.0,
            sums[SQUARES] / 4.0,
        )
