"""The solver for every path, with tiles crossed twice or sides that differ, in the order by tiles.

Operator, order and stopping rule are the same as in `urcx.solving.layered.solver`, but states are
updated one at a time, and all states of a rule set are in memory with their successors. The
certificate is different: an upper and a lower bound of each value are swept until no bound moves
outwards by more than a margin minus rounding (:doc:`/mathematics/solving`). Moves to later layers
read the bounds there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urcx.engine.compiling import compute_clock
from urcx.engine.memory import check_memory
from urcx.engine.moves import tables
from urcx.engine.threads import sweeps_as_states
from urcx.enumerate.rankings.ranking import TileRanking
from urcx.errors import UrcxError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.general import kernels as general_kernels
from urcx.solving.layered.certificate import LEAST_MARGIN, rounding_of
from urcx.solving.layered.convergence import MOST_SWEEPS
from urcx.solving.layered.order import pairs_of
from urcx.solving.layered.solver import SHARE, LayerReport, Solved, check_tolerance, summed_up
from urcx.sweeps.blocks import Values

IntArray = NDArray[np.int64]

LAST_CHANGE = 1e-15  # change of a value, on the scale from -1 to 1, that rounding can cause
OPS_A_STATE = 34  # int32s, for the memory estimate
EXCESS = 60.0  # an estimate of the sweeps that a game stays in a layer


@dataclass(frozen=True)
class GeneralOrder:
    """The states of a rule set, numbered by ``ranking``.

    If ``alike``, a state is a configuration with light to move. Otherwise each configuration is two
    states, with light to move and with dark to move.
    """

    rules: RuleSet
    ranking: TileRanking

    @property
    def alike(self) -> bool:
        """Return whether states are canonical views."""
        return self.ranking.convention == "diagrams"

    @property
    def size(self) -> int:
        """Return the number of states, including finished states."""
        return self.ranking.size

    def index(self, position: Position) -> int:
        """Return the index of a position."""
        turn = self.alike and not position.light_to_move
        return self.ranking.rank(position.turned() if turn else position)

    def described(self) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """Return both sides' pieces home, and the sum of all steps, for each configuration."""
        n = self.size if self.alike else self.size // 2
        homes, steps = np.empty((n, 2), np.int16), np.empty(n, np.int32)
        general_kernels.describe_states(self.ranking.arrays, homes, steps)
        return homes, steps

    def successors(self, states: IntArray) -> tuple[IntArray, IntArray]:
        """Return the successors of states, as `urcx.solving.general.kernels.next_states` does."""
        arrays = tables(self.rules)
        arguments = (self.ranking.arrays, arrays.ways, arrays.rolls, states)
        room = general_kernels.next_states(*arguments, np.empty(0, np.int64), np.empty(0, np.int64))
        first_op, ops = np.empty(len(states), np.int64), np.empty(room, np.int64)
        general_kernels.next_states(*arguments, first_op, ops)
        return first_op, ops

    def moves(self, states: IntArray) -> tuple[IntArray, IntArray]:
        """Return two arrays, ``first`` and ``moves``: the moves of states as in `next_states`.

        The moves of state k for the r-th roll are ``moves[first[k * R + r] : first[k * R + r +
        1]]``.
        """
        at, ops = self.successors(states)
        heads = np.empty((len(states), len(self.rules.dice.rolls)), np.int64)
        for r in range(heads.shape[1]):
            heads[:, r] = at
            at = at + 1 + ops[at]
        first = np.concatenate([[0], np.cumsum(ops[heads.ravel()])])
        return first, np.delete(ops, heads.ravel())


def general_memory(size: int) -> int:
    """Return an estimate of the bytes that solving ``size`` states takes."""
    return size * (8 * 5 + 4 * OPS_A_STATE) + 100_000_000


def general_order(rules: RuleSet, *, turned: bool = True) -> GeneralOrder:
    """Return the order of a rule set's states, or raise `TooLargeError` if memory is short.

    Unless ``turned``, every configuration is two states even if both sides have the same path.
    """
    alike = turned and rules.path.symmetric
    ranking = TileRanking(rules.path, rules.pieces, None, "diagrams" if alike else "positions")
    check_memory(general_memory(ranking.size), f"solving {rules.name}", "take fewer pieces")
    return GeneralOrder(rules, ranking)


def solve_general(
    rules: RuleSet,
    *,
    tolerance: float = 1e-12,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Solved, GeneralOrder, Values]:
    """Solve a rule set on any path. Return the result, the order and all win probabilities.

    Raises
    ------
    UsageError
        If the tolerance is out of range.
    TooLargeError
        If there is not enough memory.
    UrcxError
        If the bounds do not meet.
    """
    check_tolerance(tolerance)
    order = general_order(rules)
    began = compute_clock()
    homes, steps = order.described()
    values = np.zeros(order.size)
    upper, lower = np.zeros(order.size), np.zeros(order.size)
    allowed = SHARE * tolerance / (2 * rules.pieces - 1)
    reports: list[LayerReport] = []
    done = 0
    for layers in pairs_of(rules.pieces):
        since = compute_clock()
        ranks = np.flatnonzero(np.any([(homes == layer).all(axis=1) for layer in layers], axis=0))
        ranks = ranks[np.argsort(-steps[ranks], kind="stable")]
        states = ranks if order.alike else np.repeat(2 * ranks, 2) + np.tile([0, 1], len(ranks))
        swept = sweeps_as_states(progress, done, len(states))
        sweeps, certifying, gap = _solve_states(
            order, states.astype(np.int64), values, upper, lower, allowed, swept
        )
        reports.append(
            LayerReport(
                layers[0], len(states), sweeps, certifying, compute_clock() - since, gap / 2
            )
        )
        done += len(states)
        progress(done)
    values += 1.0
    values /= 2.0
    opening = float(values[order.index(Position())])
    return summed_up(rules, opening, reports, compute_clock() - began), order, values


def _solve_states(
    order: GeneralOrder,
    states: IntArray,
    values: Values,
    upper: Values,
    lower: Values,
    allowed: float,
    swept: Callable[[], None],
) -> tuple[int, int, float]:
    """Solve interdependent states. Return the sweeps, the sweeps for bounds, and the gap."""
    arrays = tables(order.rules)
    first_op, ops = order.successors(states)
    program = (states, first_op, ops, arrays.chance)
    change_allowed = max(LAST_CHANGE, allowed / 100)
    sweeps, moved = 0, 1.0
    while moved > change_allowed:
        if sweeps == MOST_SWEEPS:
            raise UrcxError(f"the values have not converged after {MOST_SWEEPS} sweeps")
        moved = max(general_kernels.sweep_states(values, values, *program, 0.0))
        sweeps += 1
        swept()
    rounding = rounding_of(arrays.chance)
    margin = max(LEAST_MARGIN * rounding, allowed / EXCESS)
    upper[states] = lower[states] = values[states]
    for certifying in range(1, MOST_SWEEPS + 1):
        rise, _ = general_kernels.sweep_states(upper, lower, *program, margin)
        _, fall = general_kernels.sweep_states(lower, upper, *program, -margin)
        swept()
        if max(rise, fall) <= margin - rounding:
            gap = max((upper - values)[states].max(), (values - lower)[states].max())
            # 2^-53 is twice the greatest rounding error of a stored probability.
            return sweeps, 2 * certifying, float(gap) + 2.0**-53
    raise UrcxError("the bounds do not meet")
