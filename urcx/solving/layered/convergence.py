"""Sweeps of a pair of layers until its values settle, large pairs in single precision first.

Between sweeps, `urcx.sweeps.acceleration` combines the last iterates.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.threads import for_chunks
from urcx.errors import UrcxError
from urcx.solving.layered.order import Layer
from urcx.solving.layered.pair import LayerPair
from urcx.solving.layered.stores import Store
from urcx.sweeps.acceleration import BLOCK_OF_STATES, extrapolate
from urcx.sweeps.blocks import NO_CHANGE, Changes, Values

SPAN = 4  # changes that an extrapolation combines (one more if i = j), the next left out
LEAST_SPAN, LARGE = 3, 100_000_000  # the span of pairs with more states than LARGE
MOST_SWEEPS = 20_000
MANY, COARSE = 300_000, 1e-6  # pairs with so many states first converge to COARSE in single
MOST_COARSE = 200  # sweeps in single precision (finkel with six pieces takes at most 43)


def first_values(pair: LayerPair, store: Store, change_allowed: float) -> tuple[Values, int]:
    """Return the array of a pair, and the number of sweeps made.

    Sweeps of large pairs are limited by reading memory, so the first are in single precision.
    """
    values = np.zeros(pair.size)
    if pair.states < MANY or change_allowed >= COARSE:
        return pair.fill(store, values), 0
    coarse = values.view(np.float32)[pair.size :]  # the second half of the same memory
    sweeps = converge(pair, pair.fill(store, coarse), COARSE)
    _widen(values, coarse, 2 * pair.states, pair.threads)
    return pair.fill(store, values), sweeps


def _widen(values: Values, coarse: Changes, number: int, threads: int) -> None:
    """Copy values from the second half of the same memory to its beginning, in double precision."""
    done = 0
    while done < number:
        # Values written in this step end before the values still to be read.
        ahead = max((len(values) + done) // 2 - done, 1)

        def block(_: int, first: int, last: int, begin: int = done) -> None:
            part = slice(begin + first, begin + last)
            values[part] = coarse[part].copy()

        step = min(ahead, number - done)
        for_chunks(step, BLOCK_OF_STATES, block, threads)
        done += step


def converge(pair: LayerPair, values: Values | Changes, change_allowed: float) -> int:
    """Sweep until no value changes by more than is allowed. Return the number of sweeps.

    In single precision, sweeps end after `MOST_COARSE`, because rounding may prevent convergence.
    """
    single = values.dtype == np.float32
    part = pair.last_wave
    span = span_of(pair.states, pair.layers)
    changes = np.empty((span, part.stop - part.start), np.float32)
    for sweep in range(1, MOST_SWEEPS + 1):
        stored = (sweep - 1) % (span + 1)
        change = changes[stored - 1] if stored else NO_CHANGE
        if max(pair.sweep(values, change=change)) <= change_allowed:
            return sweep
        if single and sweep >= MOST_COARSE:
            return sweep
        if stored == span:
            extrapolate(changes, values[part], 1.0, pair.threads)
            pair.update_turned(values, last=True)
    raise UrcxError(
        f"layer {pair.layers[0]}: the values have not converged after {MOST_SWEEPS} sweeps"
    )


def span_of(states: int, layers: tuple[Layer, ...]) -> int:
    """Return the number of changes that an extrapolation combines: fewer for large pairs."""
    return LEAST_SPAN if states > LARGE else SPAN + (len(layers) == 1)
