# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Double-double arithmetic for hot kernels: numbers as pairs of floats, with about 106 bits.

A number is the sum of a float and of a lower one, which is at most half a unit in the last place of
the first (T. J. Dekker, 1971). Each function is for vectors of floats
(`urcx.engine.vector_kernels`).
"""

from __future__ import annotations

from urcx.engine.jit import inlined
from urcx.engine.vector_kernels import all_equal, minus, plus_times, rest_of_product


@inlined
def sum_of(x, y):
    """Return x + y of two floats as a pair, exactly (D. E. Knuth's two-sum)."""
    total = plus_times(x, 1.0, y)
    of_y = minus(total, x)
    return total, plus_times(minus(x, minus(total, of_y)), 1.0, minus(y, of_y))


@inlined
def pair_plus_times(total, low, factor, y, y_low):
    """Return a pair plus a float times another pair.

    The float below may be more than half a unit of the other; `sum_of` the two mends it. What is
    left out is at most u (3 u p + (u t + 2 u p) + l), where u is 2^-53, p the size of the product,
    t that of the sum, and l that of the float below it.
    """
    product = plus_times(all_equal(0.0), factor, y)
    rest = plus_times(rest_of_product(factor, y, product), factor, y_low)
    total, missed = sum_of(total, product)
    return total, plus_times(low, 1.0, plus_times(missed, 1.0, rest))


@inlined
def difference(x, low, y, y_low):
    """Return x - y of two pairs as a float."""
    return plus_times(minus(x, y), 1.0, minus(low, y_low))
