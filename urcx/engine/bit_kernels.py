# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Bit operations on int64 masks, most of them a machine instruction or two."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from urcx.engine.jit import inlined, njit

if numba.config.DISABLE_JIT:

    def popcount(mask: Any) -> int:
        """Return the number of bits set in a mask."""
        return int(mask).bit_count()

else:

    @intrinsic
    def popcount(_typing_context, _mask):
        """Return the number of bits set in a mask."""

        def code(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.int64), code


@njit
def lowest(mask):
    """Return the index of the lowest set bit of a mask that is not 0."""
    return popcount((mask & -mask) - 1)


@njit
def highest(mask):
    """Return the index of the highest set bit of a mask that is above 0."""
    mask |= mask >> 1
    mask |= mask >> 2
    mask |= mask >> 4
    mask |= mask >> 8
    mask |= mask >> 16
    mask |= mask >> 32
    return popcount(mask) - 1


@inlined
def sum_of_steps(mask):
    """Return the sum of the steps in a mask (bit s - 1 for step s) of at most 54 steps."""
    total = popcount(mask)
    total += popcount(mask & 0x2AAAAAAAAAAAAA)
    total += popcount(mask & 0x0CCCCCCCCCCCCC) << 1
    total += popcount(mask & 0x30F0F0F0F0F0F0) << 2
    total += popcount(mask & 0x00FF00FF00FF00) << 3
    total += popcount(mask & 0x3F0000FFFF0000) << 4
    return total + (popcount(mask & 0x3FFFFF00000000) << 5)


@inlined
def position_hash(own, other):
    """Return a hash of two words of a position, of 64 bits; hash tables take its lowest ones."""
    h = np.uint64(own) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(other) * np.uint64(
        0xC2B2AE3D27D4EB4F
    )
    h = (h ^ (h >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))
