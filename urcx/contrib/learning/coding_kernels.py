# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of arithmetic coding: single bits with given probabilities, in streams of whole bits.

The coder is that of Witten, Neal and Cleary (Communications of the ACM 30, 1987, pages 520 to 540)
with 32-bit registers and two symbols. A stream ends with the fewest bits that determine it whatever
follows, so that streams can stand one behind the other without gaps.
"""

from __future__ import annotations

import numpy as np

from urcx.engine.jit import inlined, lean

TOP = (1 << 32) - 1
QUARTER, HALF, THREE_QUARTERS = 1 << 30, 1 << 31, 3 << 30
PROBABILITY = 16  # probabilities are in units of 2^-PROBABILITY
# A coder's registers. VALUE is the decoder's, FOLLOW the encoder's: the bits that wait for the
# next. AT is the place of the next bit in the data.
LOW, HIGH, VALUE, FOLLOW, AT, REGISTERS = range(6)


@inlined
def read_bit(data, at):
    """Return a bit of the data, 0 behind its end; the highest bit of a byte is the first."""
    byte = at >> 3
    if byte >= data.shape[0]:
        return np.int64(0)
    return np.int64(data[byte]) >> (7 - (at & 7)) & 1


@inlined
def write_bit(data, at, bit):
    """Set a bit of data that were zeros."""
    data[at >> 3] |= np.uint8(bit << (7 - (at & 7)))


@inlined
def begin_encoding(coder, at):
    """Begin a stream at a bit of the data."""
    coder[LOW], coder[HIGH], coder[FOLLOW], coder[AT] = 0, TOP, 0, at


@lean
def begin_decoding(coder, data, at):
    """Begin to read the stream at a bit of the data."""
    value = np.int64(0)
    for k in range(32):
        value = value << 1 | read_bit(data, at + k)
    coder[LOW], coder[HIGH], coder[VALUE], coder[AT] = 0, TOP, value, at + 32


@inlined
def put(coder, data, bit):
    """Write a bit and as many of the other kind as wait for it."""
    at = coder[AT]
    write_bit(data, at, bit)
    at += 1
    for _ in range(coder[FOLLOW]):
        write_bit(data, at, 1 - bit)
        at += 1
    coder[FOLLOW] = 0
    coder[AT] = at


@lean
def encode_moves(coder, data, chance, bit):
    """Write a bit that is 1 with probability ``chance``, in units of 2^-16, from 1 to 2^16 - 1."""
    low, high = coder[LOW], coder[HIGH]
    middle = low + ((high - low + 1) * chance >> PROBABILITY)
    if bit:
        high = middle - 1
    else:
        low = middle
    while True:
        if high < HALF:
            put(coder, data, 0)
        elif low >= HALF:
            put(coder, data, 1)
            low -= HALF
            high -= HALF
        elif low >= QUARTER and high < THREE_QUARTERS:
            coder[FOLLOW] += 1
            low -= QUARTER
            high -= QUARTER
        else:
            break
        low = low << 1
        high = high << 1 | 1
    coder[LOW], coder[HIGH] = low, high


@lean
def end_encoding(coder, data):
    """End a stream, in one or two bits."""
    if coder[LOW] == 0:
        put(coder, data, 0)
    elif coder[HIGH] == TOP:
        put(coder, data, 1)
    else:
        bit = np.int64(coder[LOW] >= QUARTER)
        coder[FOLLOW] += 1
        put(coder, data, bit)


@inlined
def decode_moves(coder, data, chance):
    """Return the next bit, which is 1 with probability ``chance``."""
    low, high, value = coder[LOW], coder[HIGH], coder[VALUE]
    middle = low + ((high - low + 1) * chance >> PROBABILITY)
    bit = value < middle
    if bit:
        high = middle - 1
    else:
        low = middle
    while True:
        if high < HALF:
            by = np.int64(0)
        elif low >= HALF:
            by = np.int64(HALF)
        elif low >= QUARTER and high < THREE_QUARTERS:
            by = np.int64(QUARTER)
        else:
            break
        low = (low - by) << 1
        high = (high - by) << 1 | 1
        value = (value - by) << 1 | read_bit(data, coder[AT])
        coder[AT] += 1
    coder[LOW], coder[HIGH], coder[VALUE] = low, high, value
    return bit
