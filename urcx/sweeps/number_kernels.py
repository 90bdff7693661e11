# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Numbers in sweeps: vectors of floats from one array, or double-doubles from two arrays.

Each operation is compiled for both. Its first argument decides: an array or a vector, or a pair of
them. `urcx.engine.vector_kernels` has the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from urcx.engine.jit import inlined
from urcx.engine.vector_kernels import (
    all_equal,
    difference,
    greater,
    having,
    load,
    minus,
    pair_plus_times,
    plus_times,
    shared_out,
    store,
    store_first,
    sum_of,
    times_shares,
    turn_block,
    where_greater,
)
from urcx.engine.vector_types import LANES

INLINED = {"forceinline": True, "_nrt": False}


def _either(single: Callable[..., Any], pair: Any = None) -> Any:
    """Return an operation that calls one function for floats and another for double-doubles.

    By default, double-doubles use the function for floats on both parts of the first argument.
    """

    def of_single(x, *others):
        return single(x, *others)

    def of_parts(x, *others):
        return single(x[0], *others), single(x[1], *others)

    def of_pair(x, *others):
        return pair(x, *others)

    either = of_parts if pair is None else of_pair

    def operation(x: Any, *others: Any) -> Any:
        return (either if isinstance(x, tuple) else of_single)(x, *others)

    @overload(operation, jit_options=INLINED)
    def compiled(x, *others):
        return either if isinstance(x, types.BaseTuple) else of_single

    return operation


@inlined
def _vector(_, x):
    return x


@inlined
def _vector_as_pair(_, x):
    return x, all_equal(0.0)


@inlined
def _plus_times_pair(x, factor, y):
    return pair_plus_times(x[0], x[1], factor, y[0], y[1])


@inlined
def _sum_of_vectors(x, y):
    return plus_times(x, 1.0, y)


@inlined
def _sum_by_parts(x, y):
    return plus_times(x[0], 1.0, y[0]), plus_times(x[1], 1.0, y[1])


@inlined
def _itself(x):
    return x


@inlined
def _tidy_pair(x):
    return sum_of(x[0], x[1])


@inlined
def _difference_of_pairs(x, y):
    return difference(x[0], x[1], y[0], y[1])


@inlined
def _better_float(best, result, value, mark):
    return greater(best, value), where_greater(value, best, mark, result)


@inlined
def _better_pair(best, result, value, mark):
    zeros = all_equal(0.0)
    by = _difference_of_pairs(value, best)
    high = where_greater(by, zeros, value[0], best[0])
    low = where_greater(by, zeros, value[1], best[1])
    return (high, low), where_greater(by, zeros, mark, result)


@inlined
def _store_pair(values, at, x, count):
    store_first(values[0], at, x[0], count)
    store_first(values[1], at, x[1], count)


@inlined
def _put_float(tile, at, x):
    store(tile, at, minus(all_equal(0.0), x))


@inlined
def _put_pair(tiles, at, x):
    _put_float(tiles[0], at, x[0])
    _put_float(tiles[1], at, x[1])


@inlined
def turn_floats(source, begin, across, rows, columns, to, out):
    """Write rows of floats, at distances of ``across``, transposed and negated."""
    for column in range(0, columns, LANES):
        for row in range(0, rows, LANES):
            turn_block(
                source, np.uint64(begin + row * across + column), across,
                out, np.uint64(to + column * rows + row), rows, rows - row, columns - column,
            )  # fmt: skip


@inlined
def _turn_pairs(sources, begin, across, rows, columns, to, out):
    turn_floats(sources[0], begin, across, rows, columns, to, out[0])
    turn_floats(sources[1], begin, across, rows, columns, to, out[1])


# A number from arrays (values, at), or from a vector for the type of values (values, vector).
read = _either(load)
number = _either(_vector, _vector_as_pair)
# `plus` adds a float times a number. `joined` adds two numbers of which one is 0 in each lane.
# `tidy` corrects a double-double after additions.
plus = _either(plus_times, _plus_times_pair)
joined = _either(_sum_of_vectors, _sum_by_parts)
tidy = _either(_itself, _tidy_pair)
# The difference of two numbers, as a vector.
more_by = _either(minus, _difference_of_pairs)
# The greater of two numbers, and its mark: (best, its mark, value, its mark). If they are equal, it
# is the first.
better = _either(_better_float, _better_pair)
# Numbers whose masks contain a bit, or 0: (number, masks, at, bit).
with_bit = _either(having)
# Numbers divided by the number of bits in their masks: (number, masks, at).
shared = _either(shared_out)
# Numbers times their shares: (number, shares, at).
weighted = _either(times_shares)
# `write` writes the first lanes (values, at, number, count). `put` writes a row of a tile, negated.
# `turn_tile` writes such a tile transposed and negated again, like `turn_floats`.
write = _either(store_first, _store_pair)
put = _either(_put_float, _put_pair)
turn_tile = _either(turn_floats, _turn_pairs)
