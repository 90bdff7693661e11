from __future__ import annotations

from random import Random

import numpy as np
import pytest

from urcx.engine.bit_kernels import highest, lowest, popcount
from urcx.engine.jit import njit


@njit
def counted(mask):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    """Return what an intrinsic, which compiled code alone can call, finds."""
    return popcount(mask)


def masks() -> list[int]:
    chance = Random(3)  # noqa: S311 - masks
    single = [1 << bit for bit in range(63)]
    return [*single, *(chance.getrandbits(k) | 1 << k for k in range(1, 62)), 2**63 - 1]


@pytest.mark.parametrize("mask", masks())
def test_bits_are_those_of_the_binary_digits(mask: int) -> None:
    digits = f"{mask:b}"
    assert counted(np.int64(mask)) == digits.count("1")
    assert lowest(np.int64(mask)) == len(digits) - len(digits.rstrip("0"))
    assert highest(np.int64(mask)) == len(digits) - 1
