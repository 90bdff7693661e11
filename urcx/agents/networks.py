"""Networks that value positions.

A network is a small multilayer perceptron from a position before the roll, seen from the player to
move, to the logit of that player's chance of winning. Its inputs ``path`` are 0 or 1, in this
order, for a path of L steps and P pieces a side:

- own piece on step 1 to L, then the other's on its step 1 to L;
- 0 to P own pieces home, 0 to P of the other's home;
- 0 to P own pieces in the pool, 0 to P of the other's in the pool.

The inputs ``path+threats`` look one roll ahead too. These have more, for each of the S open steps,
on which a piece can be captured, in ascending order: those on shared tiles, safe rosettes left out.

- The chance that an own piece on the step could be captured by the other's next roll, by a legal
  move from the position as it is, 0 without a piece there: its exposure;
- the same of the other's piece and the mover's roll: the threat to it.

Chances are the sums of those of the rolls, each rounded to a multiple of 2^-12.

One or two hidden layers have activations between 0 and 1, squared or not. After a move that passes
the turn, the mover's chance of winning is 1 minus that of the player then to move: values are
reflected at 1/2, not negated, and the constant term counts when moves that pass the turn are
compared with moves that do not.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.levels import Leaves, Values, ranking_for
from urcx.agents.lookahead import Lookahead, weighted
from urcx.agents.network_kernels import (
    DIRECT,
    LAST_BIAS,
    LAST_SHIFT,
    LOGIT,
    MEN,
    MOST_LOGIT,
    NUMBERS,
    OPEN,
    PATH,
    SCRATCH,
    SECOND_SHIFT,
    SQUARED,
    STEPS,
    UNIT,
    VALUE,
    WON,
    NetworkArrays,
    fill_values,
)
from urcx.agents.network_tree_kernels import COLUMNS, NetworkPolicy, TreePlan
from urcx.engine.move_kernels import GUARDS, SHARED
from urcx.engine.moves import tables
from urcx.errors import (
    OutOfDomainError,
    UsageError,
)
from urcx.rules.model import RuleSet, unknown_flag

ACTIVATIONS = ("clipped", "squared")
INPUTS = PATH_ONLY, AHEAD = "path", "path+threats"
INT16, INT32 = 2**15 - 1, 2**31 - 1


Floats = NDArray[np.float32]


def open_steps(rules: RuleSet) -> int:
    """Return the steps on which a piece can be captured: bit s - 1 for step s."""
    ways = tables(rules).ways
    return int(ways[0, SHARED] & ~ways[0, GUARDS])


def by_steps(rules: RuleSet) -> bool:
    """Return whether a piece on an open step is captured by whatever is a roll's steps behind.

    It is if no path crosses a tile twice, and shared tiles are on the same step of both.
    """
    light, dark = rules.path.light, rules.path.dark
    once = all(len({*way}) == len(way) for way in (light, dark))
    same = all(light.index(tile) == dark.index(tile) for tile in {*light} & {*dark})
    return once and same and not unknown_flag(rules)


def number_of_inputs(rules: RuleSet, inputs: str = PATH_ONLY) -> int:
    """Return the number of a network's inputs, of the kind ``path`` or ``path+threats``."""
    ahead = 2 * open_steps(rules).bit_count() if inputs == AHEAD else 0
    return 2 * rules.path.length + 4 * (rules.pieces + 1) + ahead


def chances_of_rolls(rules: RuleSet) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the rolls by which pieces move, and their chances in units of 2^-12."""
    moving = [
        (roll, round(chance * (1 << UNIT)))
        for roll, chance in zip(rules.dice.rolls, rules.dice.probabilities, strict=True)
        if roll > 0
    ]
    return (
        np.array([roll for roll, _ in moving], np.int64),
        np.array([chance for _, chance in moving], np.int32),
    )


def number_of_moves(rules: RuleSet) -> int:
    """Return the number of outputs of a policy head: a piece's step for each roll above 0."""
    return max(rules.dice.rolls) * (rules.path.length + 1)


@dataclass(frozen=True, eq=False)
class Network:
    """A network for one rule set, with weights as 32-bit floats.

    Attributes
    ----------
    rules : RuleSet
        With a path that is alike for both sides.
    first : ndarray of float32, shape (inputs, units)
        The weights of the first hidden layer, with ``first_bias``, shape (units,).
    second : ndarray of float32, shape (units, later units)
        Those of the second hidden layer, with ``second_bias``; 0 later units for none.
    last : ndarray of float32
        Those of the output, of the last hidden layer's units; ``last_bias`` is a number.
    activation : str
        ``clipped``: min(max(x, 0), 1), or ``squared``: the square of it.
    card : dict
        How it was made: whatever the training wrote, JSON types only.
    policy : ndarray of float32, shape (last hidden units, most of the dice * (L + 1)), optional
        The weights of a second output, with ``policy_bias``: the logits of moves, (roll - 1) * (L +
        1) + step for the piece on a step, 0 for the pool; not used in playing.
    inputs : str
        ``path``, or ``path+threats``, which look one roll ahead.
    """

    rules: RuleSet
    first: Floats
    first_bias: Floats
    second: Floats
    second_bias: Floats
    last: Floats
    last_bias: float
    activation: str = "squared"
    card: dict[str, Any] = field(default_factory=dict)
    policy: Floats | None = None
    policy_bias: Floats | None = None
    inputs: str = PATH_ONLY

    def __post_init__(self) -> None:
        if not self.rules.path.symmetric:
            raise OutOfDomainError(
                f"the path {self.rules.path.name} is not alike for both sides; networks need that"
            )

    @property
    def parameters(self) -> int:
        """Return the number of weights and biases that playing uses."""
        arrays = (self.first, self.first_bias, self.second, self.second_bias, self.last)
        return sum(array.size for array in arrays) + 1


@lru_cache(maxsize=1)
def _logistic() -> NDArray[np.int64]:
    """Return 2 p - 1 at each tabulated logit, in units of 2^-VALUE; a certain win is more."""
    size = (MOST_LOGIT << STEPS) + 1
    most = (1 << VALUE) - 1
    found = [min(round(math.tanh(k / 2 / (1 << STEPS)) * (1 << VALUE)), most) for k in range(size)]
    table = np.array(found, np.int64)
    table.setflags(write=False)
    return table


def network_arrays(network: Network) -> NetworkArrays:
    """Return a network in fixed point, as kernels take it; for one thread.

    Raises
    ------
    UsageError
        If weights are too large for it.
    """
    first, first_bias = (_fixed(x, UNIT, INT32) for x in (network.first, network.first_bias))
    reach = np.abs(first).sum(axis=0, dtype=np.int64) + np.abs(first_bias)
    # The product of an input and a weight has to fit as well; an input is at most 1.
    ahead = first[number_of_inputs(network.rules) :]
    if reach.max(initial=0) > INT32 or np.abs(ahead).max(initial=0) > INT32 >> UNIT:
        raise UsageError("the network's weights are too large to play in fixed point")
    second_shift = _shift(network.second, network.second_bias)
    second = _fixed(network.second.T, second_shift, INT32)
    last_bias = np.array([network.last_bias], np.float32)
    last_shift = max(_shift(network.last[:, None], last_bias), LOGIT - UNIT)
    numbers = np.zeros(NUMBERS, np.int64)
    numbers[PATH] = network.rules.path.length
    numbers[MEN] = network.rules.pieces
    numbers[SQUARED] = network.activation == "squared"
    numbers[SECOND_SHIFT], numbers[LAST_SHIFT] = second_shift, last_shift
    numbers[LAST_BIAS] = round(float(network.last_bias) * 2.0 ** (UNIT + last_shift))
    if network.inputs == AHEAD:
        numbers[OPEN] = open_steps(network.rules)
    numbers[DIRECT] = by_steps(network.rules)
    rolls, chances = chances_of_rolls(network.rules)
    return NetworkArrays(
        numbers,
        first,
        first_bias,
        second.astype(np.int16) if np.abs(second).max(initial=0) <= INT16 else second,
        _fixed(network.second_bias, UNIT + second_shift, INT32),
        _fixed(network.last, last_shift, INT32),
        _logistic(),
        tables(network.rules).ways,
        rolls,
        chances,
        np.zeros(int(numbers[OPEN]).bit_count(), np.int32),
        np.zeros(len(first_bias), np.int32),
        np.zeros(len(first_bias), np.int16),
        np.zeros(network.second.shape[1], np.int32),
    )


def _fixed(weights: Floats, shift: int, most: int) -> NDArray[np.int32]:
    """Return weights in units of 2^-shift."""
    found = np.rint(weights.astype(np.float64) * 2.0**shift)
    if not np.abs(found).max(initial=0) <= most:  # also what is not a number
        raise UsageError("the network's weights are too large to play in fixed point")
    return np.ascontiguousarray(found.astype(np.int32))


def _shift(weights: Floats, bias: Floats) -> int:
    """Return the finest unit, as a power of 1/2, in which no unit's sum can leave 32 bits."""
    reach = (np.abs(weights).sum(axis=0, dtype=np.float64) + np.abs(bias)).max(initial=0.0)
    for shift in range(UNIT, -1, -1):
        if (reach + len(weights) * 2.0**-shift) * 2.0 ** (UNIT + shift) < INT32:
            return shift
    raise UsageError("the network's weights are too large to play in fixed point")


def network_lookahead(rules: RuleSet, depth: int) -> Lookahead:
    """Return the look-ahead of a network's agent, whose leaves are values in units of 2^-24.

    Raises
    ------
    UsageError, TooLargeError
        As `urcx.agents.lookahead.lookahead` does.
    """
    return weighted(rules, depth, WON, WON + 1)


def network_policy(network: Network, rules: RuleSet, look: Lookahead, ties: int) -> NetworkPolicy:
    """Return the policy that searches the tree of each position; for one thread."""
    frames = np.zeros((len(look.scales), COLUMNS), np.int64)
    arrays = tables(rules)
    plan = TreePlan(arrays.rolls, look.weights, look.scales, frames)
    return NetworkPolicy(ties, arrays.ways, network_arrays(network), plan)


def network_digest(network: Network) -> str:
    """Return a name for all that a network's values depend on: its arrays in fixed point."""
    arrays = network_arrays(network)
    found = hashlib.sha256()
    for name in NetworkArrays._fields:
        if name not in SCRATCH:
            array = getattr(arrays, name)
            found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
            found.update(array.tobytes())
    return found.hexdigest()


def network_leaves(network: Network, rules: RuleSet, threads: int) -> Leaves:
    """Return what writes a network's values of all states; see `urcx.agents.levels.last_level`."""
    ways, table = tables(rules).ways, ranking_for(rules).tables
    nets = [network_arrays(network) for _ in range(threads)]

    def write(thread: int, first: int, last: int, out: Values) -> None:
        fill_values(ways, table, nets[thread], first, last, out)

    return write
