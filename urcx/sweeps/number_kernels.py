# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Numbers in sweeps: vectors of floats from an array, or pairs of floats from two arrays.

Each operation is compiled for either: the first argument, an array or a vector, or a pair of them,
decides. Pairs are those of `urcx.engine.vector_kernels`.
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
    turn_block,
    where_greater,
)
from urcx.engine.vector_types import LANES

INLINED = {"forceinline": True, "_nrt": False}


def _either(single: Callable[..., Any], pair: Any = None) -> Any:
    """Return an operation that is one for floats and another one for pairs of them.

    For pairs it is by default that of floats, of the first argument's two parts in turn.
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
    nothing = all_equal(0.0)
    by = _difference_of_pairs(value, best)
    high = where_greater(by, nothing, value[0], best[0])
    low = where_greater(by, nothing, value[1], best[1])
    return (high, low), where_greater(by, nothing, mark, result)


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
    """Write rows of floats, each ``across`` after the one before, transposed and negated."""
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


# From arrays (values, at), and of a vector, for values (values, vector).
read = _either(load)
number = _either(_vector, _vector_as_pair)
# A number plus a float times another one; the same without a factor, of numbers of which one is 0
# in each lane; and what mends a pair after additions.
plus = _either(plus_times, _plus_times_pair)
joined = _either(_sum_of_vectors, _sum_by_parts)
tidy = _either(_itself, _tidy_pair)
# By how much a number is more than another, as a vector.
more_by = _either(minus, _difference_of_pairs)
# The greater of two numbers, and its mark: (best, its mark, value, its mark). Of equal ones it is
# the first.
better = _either(_better_float, _better_pair)
# Numbers whose masks have a bit, else 0: (number, masks, at, bit).
with_bit = _either(having)
# Numbers divided by how many bits their masks have: (number, masks, at).
shared = _either(shared_out)
# Write the first lanes (values, at, number, count); or a row of a tile, negated, which `turn_tile`
# writes transposed, negated again, as `turn_floats` does.
write = _either(store_first, _store_pair)
put = _either(_put_float, _put_pair)
turn_tile = _either(turn_floats, _turn_pairs)
