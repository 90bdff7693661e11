"""Counts in all games: the sums, the means of each side, and their error bounds.

Let x be the exact and y the computed expected visit counts. The error of a measure that counts at
most c in a ply is at most c times the sum of |x - y|, plus the rounding of the measure's sum.
`urcx.expectations.flow` bounds the sum of |x - y|. A figure that is derived from several means has
a bound derived from their bounds.
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

TOLERANCE = 5e-13  # of probability that may be left out (rounding leaves about as much)
LOST = 1e-10  # of probability, by rounding in 64 bits
UNIT = 2.0**-53  # relative rounding of an operation

COUNTED = "by_choices", "sums", "by_step"  # of `Tally`, by side: what kernels write to
SUMS = *COUNTED, "wins", "states"

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Accuracy:
    """The error bounds of expectations.

    ``wins`` bounds the error of win probabilities, ``visits`` the sum of the errors of all expected
    visit counts, and ``additions`` the number of additions of a term of a sum over all states.
    ``plies`` are the expected plies of a game.
    """

    wins: float
    visits: float
    additions: int
    plies: float

    def counted(self, most: float = 1.0) -> float:
        """Return the error bound of the mean of a measure that counts at most ``most`` in a ply.

        It also holds for the difference of two such means if they never count the same event.
        """
        return most * (self.visits + 4.0 * self.additions * UNIT * self.plies)


@dataclass(frozen=True)
class Side:
    """The expected counts of one side per game.

    ``by_choices[roll, k]`` are its plies with k legal moves, rolls in the order of the dice. Three
    arrays count by step of its path, from 0, where all are 0, to L + 1, home: ``stood`` the plies
    that begin with a piece on the step, ``moved`` the moves to the step, and ``captured`` the
    captures there. ``again`` counts moves that grant an extra roll, and
    ``entered`` moves from the start pool to the board. ``log_picks`` is the sum of
    -log10 of the probability with which the agent chose each of its moves.

    ``loss`` is the total loss against the best moves, ``mistakes`` the number of moves with a loss.
    ``dice`` is the sum of the squared changes of the win probability by its rolls, ``squares`` the
    sum of the squared losses of its mistakes. All four are 0 without a solution.
    """

    by_choices: Array
    stood: Array
    moved: Array
    captured: Array
    again: float
    captures: Annotated[float, Field(about="captures")]
    landed: Annotated[float, Field(about="rosettes landed on", key="rosettes")]
    log_picks: float
    wins: Annotated[float, Field(about="win probability")]
    loss: float
    mistakes: float
    dice: float
    squares: float
    entered: float

    @property
    @Field(about="plies in a game")
    def plies(self) -> float:
        """Return the plies, passes included."""
        return float(self.by_choices.sum())

    @property
    @Field(about="turns")
    def turns(self) -> float:
        """Return the turns: plies minus the plies played with an extra roll."""
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
    """A decision: the moves in a state of a layer with a roll, by index.

    ``move`` is the move played, ``best`` the best move. ``visits`` is the expected visit count of
    the state, ``often`` the frequency of the decision in a game, and ``score`` its rank.
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
    """The accuracy of following games, and the decisions to report besides sums.

    ``tolerance`` is the probability that may be left out. ``decisions`` is the number of decisions
    reported for each side, the greatest ``by`` a rank of `urcx.expectations.tally_kernels`.
    """

    tolerance: float = TOLERANCE
    decisions: int = 1
    by: int = BY_LOSS


class Followed(NamedTuple):
    """The accuracy of following games through a group of layers.

    ``left`` bounds the sum of absolute residuals of its visits. ``stay`` bounds the expected plies
    from any of its states until games leave the group.
    """

    layers: tuple[tuple[int, int], ...]
    left: float
    stay: float


@dataclass
class Tally:
    """Sums over all states, weighted by expected visit counts, of light (0) and dark (1).

    `urcx.expectations.tally_kernels` names the entries of ``by_choices[side, roll, k]``,
    ``sums[side]`` and ``by_step[side, kind, step]``. ``wins[side]`` are win probabilities,
    ``states[side]`` the number of states with enough visits. ``worst[side]`` are the decisions that
    `TallyOptions` requests, the greatest first. ``left`` is the probability that was still pending.
    ``visits_left`` bounds the sum of the errors of all visits, and ``additions`` the number of
    additions of a term of any sum.
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
        """Add the sums of other states, and keep the ``most`` greatest decisions."""
        for name in SUMS:
            getattr(self, name)[...] += getattr(other, name)
        for side, decisions in enumerate(other.worst):
            self.keep(side, decisions, most)

    def keep(self, side: int, result: Sequence[DecisionTally], most: int) -> None:
        """Keep the ``most`` greatest decisions of a side, and of equal decisions the earlier."""
        every = [*self.worst[side], *result]
        self.worst[side] = sorted(every, key=lambda item: -item.score)[:most]

    def turned(self) -> Tally:
        """Return the sums with the sides exchanged."""
        turned = {name: getattr(self, name)[::-1] for name in SUMS}
        return replace(self, **turned, worst=self.worst[::-1])

    @staticmethod
    def mean(runs: Sequence[Tally]) -> Tally:
        """Return the mean of several runs, with the greatest bounds of all."""
        of_each = {name: [getattr(run, name) for run in runs] for name in vars(runs[0])}
        means = {name: np.mean(of_each[name], axis=0) for name in (*COUNTED, "wins")}
        bounds = {name: max(of_each[name]) for name in ("left", "visits_left", "additions")}
        return replace(runs[0], **means, **bounds)

    @property
    def accuracy(self) -> Accuracy:
        """Return the error bounds of all means."""
        plies = float(self.by_choices.sum())
        return Accuracy(self.left, self.visits_left, self.additions, plies)

    def check(self) -> None:
        """Raise `UrcxError` if the win probabilities do not add up to 1."""
        if not abs(1.0 - self.wins.sum()) <= self.left + LOST:
            raise UrcxError(
                f"the win probabilities add up to {self.wins.sum()}, not 1. This is a bug in urcx: "
                "please report it with your command"
            )

    def side(self, side: int) -> Side:
        """Return the expected counts of a side, with losses of win probability from 0 to 1.

        The losses in the sums are of values between -1 and 1.
        """
        stood, moved, captured = self.by_step[side]
        again, captures, landed, log_picks, loss, mistakes, dice, squares, entered = self.sums[
            side
        ].tolist()
        return Side(
            self.by_choices[side], stood, moved, captured, again, captures, landed, log_picks,
            float(self.wins[side]), loss / 2.0, mistakes, dice / 4.0, squares / 4.0, entered,
        )  # fmt: skip


def of_ratio(above: float, below: float, above_off: float, below_off: float) -> float:
    """Return the bound of a ratio of two numbers from their bounds, infinite if necessary."""
    if below <= below_off:
        return math.inf
    return (above_off + abs(above / below) * below_off) / (below - below_off)


def of_conventions(x: Measured, off: Measured, fixed: Constants) -> dict[str, float]:
    """Return the bounds of the conventions' figures at means, from the bounds of the means.

    Each formula is linear, or d log(b c) with b = choices / d, which is concave in both. Over a box
    a concave function is least in a corner. At any point it exceeds its value in the middle by no
    more than it falls below that value at the opposite point. So it suffices to evaluate the
    corners.
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
