"""Decisions to learn from: drawn from games by a table of values, and the losses that compare them.

A decision is a position and a roll by which two or more moves are legal, with the mover's chance of
winning after each, which a table of all states knows: a solution, or what a network finds by
looking ahead (`urcx.learn.rounds`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import ByTable
from urcx.agents.networks import chances_of_rolls, number_of_inputs
from urcx.engine.moves import tables
from urcx.enumerate.rankings.pattern_ranking import PatternRanking
from urcx.errors import OutOfDomainError, UsageError
from urcx.games.game_kernels import stream
from urcx.games.simulator import dice_slots
from urcx.learn import distil_kernels as kernels
from urcx.learn.checkpoints import ANY_NUMBER, MOST_COUNT, Kept, are_positions
from urcx.learn.weights import PART, ahead_for, samples_for, seconds_of
from urcx.rules.model import RuleSet

STREAMS = 64  # games side by side for each part of a batch
A_DECISION, MOVES = 1e-6, 3  # processor seconds of drawing a decision, and its moves on average
WARM = 200  # steps in which the learning rate grows
MOST_MOVES = 32  # of a decision: as many as the training's kernels take at a time
DIFFERENCES = kernels.Loss(1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Drawn:
    """Draws decisions, in parts of a batch, each from games of its own.

    Parameters
    ----------
    rules
        With a path that is alike for both sides and crossed once.
    inputs
        The network's, ``path`` or ``path+threats``.
    parts
        Of a batch.
    explore
        The highest temperature of the games, in chances.
    seed, first
        The games' random streams are those of the seed from number ``first`` on.

    Raises
    ------
    OutOfDomainError
        If no roll ever allows two moves.
    UsageError
        If a roll may allow more than `MOST_MOVES` moves.
    """

    def __init__(
        self, rules: RuleSet, inputs: str, parts: int, explore: float, seed: int, first: int = 0
    ) -> None:
        moves = min(rules.pieces, rules.path.length + 1)
        if moves == 1:
            raise OutOfDomainError("with one piece a side no roll leaves a choice to learn")
        if moves > MOST_MOVES:
            raise UsageError(f"distil takes rule sets of at most {MOST_MOVES} moves by a roll")
        most = 2 * min(rules.pieces, rules.path.length) + 4
        ahead = number_of_inputs(rules, inputs) - number_of_inputs(rules)
        self.explore, self._rules = explore, rules
        self._arrays = tables(rules)
        moving = chances_of_rolls(rules)[0]
        self._dice = kernels.DiceArrays(self._arrays.rolls, dice_slots(rules.dice), moving)
        self.counts = np.zeros((parts, 3))
        self.decisions = [decisions_for(PART, moves, most, ahead, n) for n in self.counts]
        self.scratch = [np.zeros((3, MOST_MOVES)) for _ in range(parts)]
        self._ahead = [ahead_for(rules, inputs) for _ in range(parts)]
        games = parts * STREAMS
        with np.errstate(over="ignore"):  # streams wrap; compiled code does not warn
            numbers = [int(stream(seed, first + game)) for game in range(games)]
        self._streams = kernels.Streams(
            np.zeros((games, 4), np.int64), np.array(numbers, np.uint64), np.zeros(games)
        )
        self._size = PatternRanking(rules.path, rules.pieces, None, "diagrams").size

    def draw(
        self, values: ByTable, part: int, number: int, *, uniform: bool = False
    ) -> kernels.Decisions:
        """Write decisions into a part of a batch; return them, valid until the next call.

        Games are played by ``values``, and the chances after moves are theirs. With ``uniform`` all
        positions and rolls are equally likely instead.
        """
        first = part * STREAMS
        common = values, self._arrays.ways, self._dice, self._ahead[part]
        out = self.decisions[part]
        with np.errstate(over="ignore"):  # random streams wrap; compiled code does not warn
            if uniform:
                kernels.draw_uniformly(*common, self._size, self._streams, first, number, out)
            else:
                last = first + STREAMS
                kernels.draw_from_games(
                    *common, self.explore, self._streams, first, last, number, out
                )
        return out

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays that a checkpoint keeps."""
        streams = self._streams
        return {
            "positions": Kept(streams.positions, 0, 1 << self._rules.path.length, self._in_play),
            "random": Kept(streams.random, *ANY_NUMBER),
            "temperature": Kept(streams.temperature, 0.0, self.explore),
            "counts": Kept(self.counts, 0.0, MOST_COUNT),
        }

    def _in_play(self) -> bool:
        place = self._streams.positions.T
        columns = (
            place[k] for k in (kernels.OWN, kernels.OWN_HOME, kernels.OTHER, kernels.OTHER_HOME)
        )
        return are_positions(self._rules, *columns)


def decisions_for(
    number: int, moves: int, most: int, ahead: int, counts: NDArray[np.float64]
) -> kernels.Decisions:
    """Return room for decisions of at most so many ``moves``, with ``ahead`` dense inputs."""
    rows = number * moves
    return kernels.Decisions(
        np.zeros(number + 1, np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows),
        samples_for(rows, most, ahead),
        counts,
    )


def regret_loss(first: float, last: float, late: float) -> kernels.Loss:
    """Return the loss of the last part of a training, at a share of the way through it.

    ``first`` and ``last`` are the temperatures of the choices whose regret is made small.
    """
    return kernels.Loss(0.02, 0.02, 1.0, between(first, last, late), 0.0, 0.0, 0.0)


def decision_seconds(units: int, later: int) -> float:
    """Return about how many processor seconds a decision takes, drawn and learned."""
    return A_DECISION + MOVES * seconds_of(units, later)


def waning(first: float, last: float, share: float) -> float:
    """Return what lies at a share of the way along half a wave of the cosine."""
    return last + (first - last) * (1 + math.cos(math.pi * share)) / 2


def between(first: float, last: float, share: float) -> float:
    """Return what lies at a share of the way, in equal ratios; in equal steps from or to 0."""
    if first <= 0 or last <= 0:
        return first + (last - first) * share
    return math.exp(math.log(first) * (1 - share) + math.log(last) * share)
