"""The arithmetic coder: decoding gives the input, in as few bits as probabilities allow."""

from __future__ import annotations

import math

import numpy as np
import pytest

from urcx.contrib.learning.play_kernels import (
    AT,
    REGISTERS,
    begin_decoding,
    begin_encoding,
    decode_moves,
    encode_moves,
    end_encoding,
)


@pytest.mark.parametrize("length", [1, 2, 40, 700])
def test_streams_side_by_side(length: int) -> None:
    """Each of several streams without gaps is decoded from its first bit, whatever follows it."""
    random = np.random.default_rng(length)
    coder, data = np.zeros(REGISTERS, np.int64), np.zeros(8000, np.uint8)
    streams = []
    at = 3
    for _ in range(9):
        chances = random.choice([1, 8, 900, 32768, 60000, 65528, 65535], length)
        bits = random.random(length) < np.where(random.random(length) < 0.1, 0.5, chances / 65536)
        begin_encoding(coder, at)
        needed = 0.0
        for chance, bit in zip(chances.tolist(), bits.tolist(), strict=True):
            encode_moves(coder, data, chance, bit)
            needed -= math.log2((chance if bit else 65536 - chance) / 65536)
        end_encoding(coder, data)
        streams.append((at, chances.tolist(), bits.tolist()))
        assert coder[AT] - at <= needed + 2.01
        at = int(coder[AT])
    for begin, chances, bits in streams:
        begin_decoding(coder, data, begin)
        assert [bool(decode_moves(coder, data, chance)) for chance in chances] == bits


def test_nothing_is_read_behind_the_end() -> None:
    coder = np.zeros(REGISTERS, np.int64)
    begin_decoding(coder, np.zeros(1, np.uint8), 0)
    assert all(decode_moves(coder, np.zeros(1, np.uint8), 60000) for _ in range(500))
