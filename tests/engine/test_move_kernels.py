from __future__ import annotations

from random import Random

import numpy as np
import pytest

from urcx.engine.jit import njit
from urcx.engine.move_kernels import highest, lowest, popcount, position_hash


@njit
def counted(mask):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    """Return the result of an intrinsic, which only compiled code can call."""
    return popcount(mask)


@njit
def hashed(own, other):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    """Return the result of a kernel."""
    return position_hash(own, other)


def masks() -> list[int]:
    chance = Random(3)
    single = [1 << bit for bit in range(63)]
    return [*single, *(chance.getrandbits(k) | 1 << k for k in range(1, 62)), 2**63 - 1]


@pytest.mark.parametrize("mask", masks())
def test_bits_are_those_of_the_binary_digits(mask: int) -> None:
    digits = f"{mask:b}"
    assert counted(np.int64(mask)) == digits.count("1")
    assert lowest(np.int64(mask)) == len(digits) - len(digits.rstrip("0"))
    assert highest(np.int64(mask)) == len(digits) - 1


def test_hashes_of_positions_wrap_at_64_bits() -> None:
    chance = Random(4)
    for _ in range(100):
        own, other = chance.getrandbits(63), chance.getrandbits(63)
        h = (own * 0x9E3779B97F4A7C15 ^ other * 0xC2B2AE3D27D4EB4F) % 2**64
        h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9 % 2**64
        with np.errstate(over="ignore"):
            assert hashed(np.int64(own), np.int64(other)) == h ^ h >> 32
