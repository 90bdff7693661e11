"""What is counted in all games: the sums, the means of each side, and by how much they may be off.

Let x be the expected visit counts and y those computed. A measure that counts at most c in any ply
is off by at most c times the sum of |x - y|, besides the rounding of its own sum. That sum is
bounded as `urcx.expectations.flow` says; what is derived from several means has bounds derived from
theirs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.complexity.game_tree import Constants, Measured, at_means
from urcx.errors import UrcxError
from urcx.expectations.tally_kernels import BY_LOSS, N_BY_STEP, N_SUMS
from urcx.results.fields import Field, fields_of
from urcx.rules.model import RuleSet

TOLERANCE = 5e-13  # of probability that may be left out; rounding leaves about as much
LOST = 1e-10  # of probability, through rounding in 64 bits
UNIT = 2.0**-53  # rounding of one operation, as a part of its result

COUNTED = "by_choices", "sums", "by_step"  # of `Tally`, by side: what kernels write to
SUMS = *COUNTED, "wins", "states"

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Accuracy:
    """How far expectations are off at most.

    ``wins`` bounds the error of probabilities of winning, ``visits`` the sum of the errors of all
    expected visit counts, and ``additions`` the number of additions that a term of a sum over all
    states passed through. ``plies`` are those of a game.
    """

    wins: float
    visits: float
    additions: int
    plies: float

    def counted(self, most: float = 1.0) -> float:
        """Return the bound of a mean of what is counted at most ``most`` times in a ply.

        It holds for differences of two such means as well if these count different things.
        """
        return most * (self.visits + 4.0 * self.additions * UNIT * self.plies)


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
    captures: Annotated[float, Field(about="captures")]
    landed: Annotated[float, Field(about="rosettes landed on", key="rosettes")]
    log_picks: float
    wins: Annotated[float, Field(about="probability of winning")]
    loss: float
    mistakes: float
    dice: float
    squares: float

    @property
    @Field(about="plies in a game")
    def plies(self) -> float:
        """Return the plies, passes included."""
        return float(self.by_choices.sum())

    @property
    @Field(about="turns")
    def turns(self) -> float:
        """Return the turns: plies minus those played with an extra roll."""
        return self.plies - self.again

    @property
    @Field(about="moves")
    def moves(self) -> float:
        """Return the moves: plies without passes."""
        return self.plies - float(self.by_choices[:, 0].sum())

    @property
    @Field(about="plies with two or more legal moves")
    def decisions(self) -> float:
        """Return the plies with two or more legal moves."""
        return float(self.by_choices[:, 2:].sum())


SIDE = fields_of(Side).pick("plies", "turns", "moves", "decisions", "captures", "rosettes", "wins")


@dataclass(frozen=True)
class DecisionTally:
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


class TallyOptions(NamedTuple):
    """How far games are followed, and what is kept of them besides sums.

    ``tolerance`` is the probability that may be left out. So many ``decisions`` are kept of each
    side, the greatest ``by`` what `urcx.expectations.tally_kernels` can rank them by.
    """

    tolerance: float = TOLERANCE
    decisions: int = 1
    by: int = BY_LOSS


class Followed(NamedTuple):
    """How far games were followed through a group of layers.

    ``left`` bounds the sum of absolute residuals of its visits, ``stay`` the expected plies from
    any of its states until games leave the group.
    """

    layers: tuple[tuple[int, int], ...]
    left: float
    stay: float


@dataclass
class Tally:
    """Sums over all states, weighted by expected visit counts, of light (0) and dark (1).

    ``by_choices[side, roll, k]``, ``sums[side]`` and ``by_step[side, what, step]`` as named in
    `urcx.expectations.tally_kernels`, ``wins[side]``, ``states[side]`` with a number of visits that
    counts; ``worst[side]`` are the decisions that `TallyOptions` ask for, the greatest first, and
    ``left`` is the probability that was still pending.
    ``visits_left`` bounds the sum of the errors of all visits, ``additions`` the number of
    additions that a term of any sum passed through.
    """

    by_choices: Array
    sums: Array
    by_step: Array
    wins: Array
    states: Array
    worst: list[list[DecisionTally]]
    left: float = 0.0
    visits_left: float = 0.0
    additions: int = 0

    @staticmethod
    def empty(rules: RuleSet) -> Tally:
        """Return sums of 0."""
        by_choices = np.zeros((2, len(rules.dice.rolls), rules.pieces + 1))
        by_step = np.zeros((2, N_BY_STEP, rules.path.length + 2))
        wins, states = np.zeros((2, 2))
        return Tally(by_choices, np.zeros((2, N_SUMS)), by_step, wins, states, [[], []])

    def add(self, other: Tally, most: int) -> None:
        """Add the sums of other states, and keep so many of the decisions."""
        for name in SUMS:
            getattr(self, name)[...] += getattr(other, name)
        for side, found in enumerate(other.worst):
            self.keep(side, found, most)

    def keep(self, side: int, result: Sequence[DecisionTally], most: int) -> None:
        """Keep the greatest decisions of a side; of equal ones, the earlier stay."""
        every = [*self.worst[side], *result]
        self.worst[side] = sorted(every, key=lambda item: -item.score)[:most]

    def turned(self) -> Tally:
        """Return the sums with the sides exchanged."""
        turned = {name: getattr(self, name)[::-1] for name in SUMS}
        return replace(self, **turned, worst=self.worst[::-1])

    @staticmethod
    def mean(runs: Sequence[Tally]) -> Tally:
        """Return the mean of several runs, with the greatest bounds of any."""
        of_each = {name: [getattr(run, name) for run in runs] for name in vars(runs[0])}
        means = {name: np.mean(of_each[name], axis=0) for name in (*COUNTED, "wins")}
        bounds = {name: max(of_each[name]) for name in ("left", "visits_left", "additions")}
        return replace(runs[0], **means, **bounds)

    @property
    def accuracy(self) -> Accuracy:
        """Return the bounds of the errors of all means."""
        plies = float(self.by_choices.sum())
        return Accuracy(self.left, self.visits_left, self.additions, plies)

    def check(self) -> None:
        """Raise `UrcxError` if the probabilities of winning do not add up to 1."""
        if not abs(1.0 - self.wins.sum()) <= self.left + LOST:
            raise UrcxError(
                f"games end in wins with a probability of {self.wins.sum()}, not 1: that is a "
                "fault of urcx; please report it with what you asked for"
            )

    def side(self, side: int) -> Side:
        """Return the expected counts of one side, with losses of win probability from 0 to 1.

        The sums have them from values between -1 and 1.
        """
        stood, moved, captured = self.by_step[side]
        again, captures, landed, log_picks, loss, mistakes, dice, squares = self.sums[side].tolist()
        return Side(
            self.by_choices[side], stood, moved, captured, again, captures, landed, log_picks,
            float(self.wins[side]), loss / 2.0, mistakes, dice / 4.0, squares / 4.0,
        )  # fmt: skip


def of_ratio(above: float, below: float, above_off: float, below_off: float) -> float:
    """Return the bound of a ratio of two numbers from their bounds; infinite if it has none."""
    if below <= below_off:
        return math.inf
    return (above_off + abs(above / below) * below_off) / (below - below_off)


def of_conventions(x: Measured, off: Measured, fixed: Constants) -> dict[str, float]:
    """Return the bounds of the conventions' figures at means, from the bounds of the means.

    Each formula is linear, or d log(b c) with b = choices / d, which is concave in both. Over a box
    a concave function is least in a corner, and exceeds its value in the middle by no more than it
    falls below that in the opposite point. So it suffices to look at the corners.
    """
    middle = at_means(x, fixed)
    result = {name: 16.0 * UNIT * abs(value) for name, value in middle.items()}
    for signs in itertools.product((-1.0, 1.0), repeat=len(vars(x))):
        corner = Measured(
            *(
                np.maximum(mean + sign * by, np.finfo(float).tiny)
                for sign, mean, by in zip(signs, vars(x).values(), vars(off).values(), strict=True)
            )
        )
        for name, value in at_means(corner, fixed).items():
            result[name] = max(result[name], abs(value - middle[name]) + 16.0 * UNIT * abs(value))
    return result
