"""What ranks the moves of a decision before it is coded: a network of one hidden layer, or none.

Its weights become 16-bit integers, so that sixteen units or more are computed at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import Network, number_of_inputs
from urcx.contrib.learning.play_kernels import ACTIVE, KNOT, KNOTS, LOGIT, VALUE
from urcx.errors import UsageError
from urcx.rules.model import RuleSet

INT16 = 2**15 - 1
INT32 = 2**31 - 1
FINEST, COARSEST = 10, 4  # bits of an activation's fraction


@dataclass(frozen=True, eq=False)
class Predictor:
    """A network in 16-bit integers; of no units for none.

    ``scale`` and ``shift`` are as in `urcx.contrib.learning.play_kernels`, ``constant`` the
    output's constant term.
    """

    first: NDArray[np.int16]
    bias: NDArray[np.int16]
    last: NDArray[np.int16]
    scale: int = FINEST
    squared: bool = True
    constant: int = 0
    shift: int = 0

    @property
    def units(self) -> int:
        """Return the number of hidden units."""
        return len(self.bias)

    @property
    def size(self) -> int:
        """Return its bytes in a file."""
        return self.first.nbytes + self.bias.nbytes + self.last.nbytes


def no_predictor(rules: RuleSet) -> Predictor:
    """Return the predictor that values all moves alike."""
    return Predictor(
        np.zeros((number_of_inputs(rules), 0), np.int16),
        np.zeros(0, np.int16),
        np.zeros(0, np.int16),
    )


def predictor_of(network: Network) -> Predictor:
    """Return the predictor of a network.

    Raises
    ------
    UsageError
        If it has two hidden layers, inputs that look ahead, or weights that are too large.
    """
    if network.second.shape[1] or len(network.first) != number_of_inputs(network.rules):
        raise UsageError(
            "exact play is coded with networks of one hidden layer and the inputs path, as "
            "hundreds of positions are valued for one decision: urcx train distil --set later=0"
        )
    scale = FINEST
    while _reach(network) * 2**scale > INT16 and scale >= COARSEST:
        scale -= 1
    if scale < COARSEST:
        raise UsageError("the network's weights are too large to code exact play with")
    unit = (1 << scale) - 1
    fixed = [np.rint(w * unit).astype(np.int16) for w in (network.first, network.first_bias)]
    last = network.last.astype(np.float64)
    most = np.abs(last).max(initial=1e-9)
    total = (np.abs(last).sum() + abs(network.last_bias) + 1e-9) * 2**ACTIVE
    # The finest power of 1/2 for the weights with which neither they nor the sum overflow.
    fine = min(math.floor(math.log2(INT16 / most)), math.floor(math.log2(0.99 * INT32 / total)))
    if ACTIVE + fine < LOGIT:
        raise UsageError("the network's weights are too large to code exact play with")
    return Predictor(
        fixed[0],
        fixed[1],
        np.rint(last * 2.0**fine).astype(np.int16),
        scale,
        network.activation == "squared",
        round(network.last_bias * 2.0 ** (ACTIVE + fine)),
        ACTIVE + fine - LOGIT,
    )


def _reach(network: Network) -> float:
    """Return a bound on the sums of the first layer."""
    path, men = network.rules.path.length, network.rules.pieces
    size = np.abs(network.first.astype(np.float64)) + 2.0**-FINEST
    total = np.abs(network.first_bias.astype(np.float64)) + 1.0
    for side in (0, 1):
        steps = np.sort(size[side * path : (side + 1) * path], axis=0)
        total += steps[max(path - men, 0) :].sum(axis=0)
    for group in range(4):
        at = 2 * path + group * (men + 1)
        total += size[at : at + men + 1].max(axis=0)
    return float(total.max(initial=0.0))


def knots() -> NDArray[np.int64]:
    """Return 2 p - 1 for the chances of winning p at the logits between which values are linear."""
    step = 2.0 ** (KNOT - LOGIT)
    found = [round(math.tanh(k * step / 2) * (1 << VALUE)) for k in range(KNOTS + 1)]
    return np.array(found, np.int64)
