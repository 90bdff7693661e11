"""The certificate of a pair's values: the proof of their error bound.

Let V be the computed values, T the operator, and h the greatest gap of the later layers. The excess
w of a state is roughly the number of plies that the game stays in the pair from there, with the
moves that V prefers. Let e = h + m w with a number m, the margin. Upper values V + e and lower
values V - e are evaluated once, with the values of later layers widened by h.

Let rounding bound the error of an evaluation. Suppose that T, as computed, gives at most V + e -
rounding for the upper values, and at least V - e + rounding for the lower values. Then the exact
operator maps the upper values to values that are no greater, and the lower values to values that
are no smaller. Because the operator is monotone, it has a fixed point between the two. If the game
ends with probability 1 under any play, the fixed point is unique, and is the value of the game. The
documentation proves this for dice that can show 0, 1 and 2 on paths that cross no tile twice and
have no two adjacent protected tiles. The greatest distance of either bound from the stored values
is the layer's gap, its error bound. It holds for the exact game with the probabilities of the dice
as 64-bit floats, which are exact for binary dice.

The test succeeds under two conditions. The first is w >= 1 - c + P w with a c below 1, where P
leads from a state to the states that good moves choose. The second is that the error of V in an
evaluation, the residual, is at most (1 - c) m minus rounding: T(V + e) <= V + residual + h + m P w
<= V + e + residual - (1 - c) m. There is no other condition on w, so it need not be accurate. The
bound is e, not the residual, because errors add up over all plies of a game.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.threads import for_chunks
from urcx.engine.vector_types import LANES
from urcx.errors import UrcxError
from urcx.solving.layered import certificate_kernels
from urcx.solving.layered.kernels import GRID
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.acceleration import BLOCK_OF_STATES
from urcx.sweeps.blocks import NO_CHANGE, Changes, Values

LEAST_MARGIN = 2.5  # times the rounding of one evaluation
MOST_BOUND = 0.01  # beyond it, `rounding_of` does not bound the rounding
MOST_DOUBLINGS = 12  # of the margin, where values have not converged as they should
FIRST_EXCESS = 10.0  # plies (other numbers only take longer)
FIRST_FOLLOWING = 5  # sweep for the excess after which changes are first extrapolated
BEYOND = 1.15  # times an extrapolation: from above, values only fall
SMALL_RISE = 0.1  # of the margin, in the last sweep for the excess (`raise_values`)
MOST_EXCESS_SWEEPS = 300


class BoundsDoNotMeetError(UrcxError):
    """Values without a certificate, because they are too far from the values of the game."""


def raise_values(pair: LayerPair, values: Values, number: float) -> tuple[Changes, int]:
    """Raise values by a small number times the excess. Return the raise and the sweeps for it.

    Afterwards the values are nearly the fixed point of the operator that adds the small number in
    every ply. The number is too small to change which moves are best, except for ties, and large
    compared with the remaining changes of the values. The changes soon shrink by the same factor in
    every sweep. So the rest of them is added at once, and a little more: raised values that are too
    large fall, which does no harm.

    The values are first rounded to multiples of `GRID`. As long as raised values stay below 2, the
    original values remain, to the last bit, the raised values minus the excess. So they need no
    memory, and the excess is in single precision. Once values are certified, nothing depends on
    them except that they are multiples of `GRID`.
    """
    part = pair.last_wave
    change = np.zeros(part.stop - part.start + LANES, np.float32)  # vectors read past the end
    excess = np.zeros(pair.states + LANES, np.float32)

    def to_grid(_: int, first: int, last: int) -> None:
        values[first:last] = GRID * np.rint(values[first:last] / GRID)

    for_chunks(pair.states, BLOCK_OF_STATES, to_grid, pair.threads)
    _raise_to(pair, values, excess, 0.0, FIRST_EXCESS * number)
    pair.update_turned(values, excess)
    size, following = 0.0, FIRST_FOLLOWING
    for sweep in range(1, MOST_EXCESS_SWEEPS + 1):
        rise, _ = pair.sweep(values, number, change, excess)
        if rise <= SMALL_RISE * number:
            break
        before, size = size, float(np.linalg.norm(change[:-LANES]))
        if sweep == following:
            following *= 2  # increasing, so that the loop ends for all kinds of changes
            if size >= before:
                continue
            by = BEYOND * size / (before - size)
            _raise_to(pair, values, excess, BEYOND, change=change, by=by, least=number)
            pair.update_turned(values, excess, last=True)
    return excess, sweep


def _raise_to(
    pair: LayerPair, values: Values, excess: Changes, factor: float, more: float = 0.0,
    *, change: Changes = NO_CHANGE, by: float = 0.0, least: float = -np.inf,
) -> float:  # fmt: skip
    """Raise values with `certificate_kernels.raise_to`, and return its result.

    With ``change``, raise only the values of the last wave.
    """
    states = pair.last_wave if len(change) else slice(0, pair.states)
    greatest = [0.0]
    values, excess = values[states.start :], excess[states.start :]

    def block(_: int, first: int, last: int) -> None:
        greatest.append(
            certificate_kernels.raise_to(
                values, excess, change, factor, by, more, least, first, last
            )
        )

    for_chunks(states.stop - states.start, BLOCK_OF_STATES, block, pair.threads)
    return max(greatest)


def certify(
    pair: LayerPair,
    values: Values,
    excess: Changes,
    before: float,
    small: float,
    allowed: float,
    attempts: int = MOST_DOUBLINGS,
) -> tuple[float, int]:
    """Return the error bound of the values, and the number of evaluations of all states for it.

    On entry, the values are raised by ``excess``, which is ``small`` times the w of the
    certificate. Afterwards they are lowered by the bound of each state, and ``excess`` is negative.
    ``before`` is the error bound of the later layers as they were read. ``allowed`` is the error
    allowed beyond it, which is doubled with every attempt.

    Raises
    ------
    BoundsDoNotMeetError
        If no attempt succeeds.
    """
    rounding = rounding_of(pair.order.tables.chance)
    most = _raise_to(pair, values, excess, 1.0) / small
    margin = max(LEAST_MARGIN * rounding, allowed / max(1.0, most))
    bound = _raise_to(pair, values, excess, margin / small, before)
    for attempt in range(1, attempts + 1):
        if bound > MOST_BOUND:
            break
        pair.widen(values, excess, before)
        rise, _ = pair.sweep(values, rounding, kept=False)
        bound = max(bound, _raise_to(pair, values, excess, -1.0))
        pair.widen(values, excess, -2.0 * before)
        _, fall = pair.sweep(values, -rounding, kept=False)
        if rise <= 0.0 and fall <= 0.0:
            # 2^-53 is twice the greatest rounding error of a stored probability above 1.
            return bound + 2.0**-53, 2 * attempt
        pair.widen(values, excess, before)
        # Widened three times, later layers may be off by as many roundings.
        bound = _raise_to(pair, values, excess, -2.0, 3.0 * 2.0**-53 - before)
        before += 3.0 * 2.0**-53
    raise BoundsDoNotMeetError(f"the upper and lower bounds of layer {pair.layers[0]} do not meet")


def rounding_of(chance: Values) -> float:
    """Return the greatest error of one evaluation of the operator, for values up to 1.

    Let u be the relative rounding error of an operation. The sizes of the products add up to at
    most 1, so their errors add up to at most u. Each partial sum adds at most u times its size,
    which is at most the sum of the probabilities so far. One hundredth more covers values that
    exceed 1 by a gap, and the margin added to every value.
    """
    return float(1.01 * (1.0 + np.cumsum(chance).sum()) * 2.0**-53)
