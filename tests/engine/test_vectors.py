from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from urcx.engine.jit import njit
from urcx.engine.vector_kernels import (
    added_up,
    all_equal,
    any_of,
    difference,
    equal_like,
    fetch,
    first_lanes,
    greater,
    greatest,
    having,
    in_single,
    lanes_like,
    lanes_of,
    load,
    load_like,
    load_own,
    minus,
    pair_plus_times,
    plus_product,
    plus_times,
    rest_of_product,
    shared_out,
    store,
    store_first,
    sum_of,
    turn_block,
    where_greater,
)
from urcx.engine.vector_types import LANES, MOST_LANES


@njit
def _each(values: Any, at: int, factor: float, out: Any) -> Any:
    x = load(values, np.uint64(at))
    y = load(values, np.uint64(at + 1))
    store(out[0], np.uint64(0), greater(x, y))
    store(out[1], np.uint64(0), all_equal(factor))
    store(out[2], np.uint64(0), plus_product(x, y, y))
    store(out[3], np.uint64(0), where_greater(x, y, all_equal(factor), y))
    out[4, 0] = added_up(x)
    return greatest(x)


def test_each_does_in_every_lane_what_floats_do() -> None:
    values = np.random.default_rng(1).normal(size=40)
    for at in (0, 3, 31):
        x, y = values[at : at + LANES], values[at + 1 : at + 1 + LANES]
        out = np.full((5, LANES + 1), 7.0)
        assert _each(values, at, 0.3, out) == max(x)
        assert (out[:, LANES] == 7.0).all()
        assert out[0, :LANES].tolist() == [max(a, b) for a, b in zip(x, y, strict=True)]
        assert out[1, :LANES].tolist() == [0.3] * LANES
        # The same bits: nothing may fuse the product with the sum.
        assert out[2, :LANES].tolist() == [a + b * b for a, b in zip(x, y, strict=True)]
        assert out[3, :LANES].tolist() == [0.3 if a > b else b for a, b in zip(x, y, strict=True)]
        assert out[4, 0] == sum(x.tolist())


@njit
def _rest(values: Any, factor: float, out: Any) -> None:
    x = load(values, np.uint64(0))
    store(out, np.uint64(0), rest_of_product(factor, x, plus_times(all_equal(0.0), factor, x)))


@njit
def _pairs(x: Any, y: Any, factor: float, out: Any) -> None:
    at = np.uint64(0)
    total, low = sum_of(load(x[0], at), load(y[0], at))
    store(out[0], at, total)
    store(out[1], at, low)
    of = load(x[0], at), load(x[1], at)
    total, low = pair_plus_times(of[0], of[1], factor, load(y[0], at), load(y[1], at))
    total, low = sum_of(total, low)
    store(out[2], at, total)
    store(out[3], at, low)
    store(out[4], at, difference(of[0], of[1], load(y[0], at), load(y[1], at)))


def test_pairs_of_floats_against_fractions() -> None:
    random = np.random.default_rng(3)
    for factor in (0.375, 0.1, -7.0):
        x, y = (random.normal(size=(2, LANES)) * [[10.0**size], [0.0]] for size in (17, 18))
        x[1], y[1] = (np.spacing(np.abs(of[0])) * random.uniform(-0.5, 0.5, LANES) for of in (x, y))
        out = np.empty((5, LANES))
        _pairs(x, y, factor, out)
        rest = np.empty(LANES)
        _rest(y[0], factor, rest)
        for k in range(LANES):
            of_x, of_y = ([Fraction(float(part)) for part in of[:, k]] for of in (x, y))
            assert sum(map(Fraction, out[:2, k].tolist())) == of_x[0] + of_y[0]
            wanted = sum(of_x) + Fraction(factor) * sum(of_y)
            found = sum(map(Fraction, out[2:4, k].tolist()))
            assert abs(found - wanted) <= abs(wanted) * Fraction(1, 2**98)
            assert float(out[4, k]) == pytest.approx(float(sum(of_x) - sum(of_y)), rel=1e-15)
            product = Fraction(factor) * of_y[0]
            assert Fraction(float(rest[k])) == product - Fraction(factor * float(y[0, k]))


@njit
def _masked(values: Any, masks: Any, at: int, bit: int, out: Any) -> Any:
    x = load_own(values, np.uint64(0))
    store(out[0], np.uint64(0), shared_out(x, masks, np.uint64(at)))
    store(out[1], np.uint64(0), having(x, masks, np.uint64(at), bit))
    return any_of(masks, np.uint64(at))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("at", [0, 1, 13])
def test_masks_of_states(at: int, kind: Any) -> None:
    lanes = MOST_LANES if kind is np.float32 else LANES
    random = np.random.default_rng(at)
    masks = random.integers(1, 2**16, size=at + lanes, dtype=np.uint16)
    masks &= ~np.uint16(2)
    masks |= np.uint16(0x8000)
    values = random.normal(size=lanes).astype(kind)
    mine = [int(mask) for mask in masks[at:]]
    for bit in (1, 2, 0x4000, 0x8000):
        out = np.zeros((2, lanes), kind)
        every = _masked(values, masks, at, bit, out)
        assert [bool(every & 1 << k) for k in range(17)] == [
            any(mask >> k & 1 for mask in mine[:LANES]) for k in range(17)
        ]
        pairs = list(zip(values, mine, strict=True))
        assert out[0].tolist() == [x / kind(max(1, mask.bit_count())) for x, mask in pairs]
        assert out[1].tolist() == [x if mask & bit else 0.0 for x, mask in pairs]


def test_signs_of_zero_and_equal_values() -> None:
    values = np.array([0.0, -0.0] * LANES)
    out = np.zeros((5, LANES))
    assert _each(values, 0, 1.0, out) == 0.0
    assert not out[0].any()


@njit
def _first(values: Any, out: Any, at: int, count: int) -> None:
    store_first(out, np.uint64(at), load(values, np.uint64(0)), count)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
@pytest.mark.parametrize("count", [-1, 0, 1, 5, 8, 20])
def test_only_the_first_lanes_are_stored(precision: type, count: int) -> None:
    values = np.random.default_rng(5).normal(size=LANES)
    out: Any = np.full(LANES + 4, 7.0, precision)
    _first(values, out, 2, count)
    expected: Any = np.full(LANES + 4, 7.0, precision)
    n = min(max(count, 0), LANES)
    expected[2 : 2 + n] = values[:n]
    assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_whole_numbers_are_stored_as_such(kind: type) -> None:
    out: Any = np.full(LANES + 4, 7, kind)
    _first(np.array([0.0, 1.0, 128.0, 255.0, 64.0, 2.0, 9.0, 9.0]), out, 2, 6)
    assert out.tolist() == [7, 7, 0, 1, 128, 255, 64, 2, 7, 7, 7, 7]


@njit
def _turned(source: Any, at: int, stride: int, out: Any, apart: int, rows: int, width: int) -> None:
    turn_block(source, np.uint64(at), stride, out, np.uint64(1), apart, rows, width)


@pytest.mark.parametrize(
    ("into", "precision"),
    [(np.float64, np.float64), (np.float32, np.float32), (np.float32, np.float64)],
)
@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (20, 9), (3, 8), (8, 1), (5, 6), (0, 4)])
def test_blocks_are_turned(rows: int, columns: int, into: type, precision: type) -> None:
    source: Any = np.random.default_rng(rows).normal(size=200).astype(precision)
    out: Any = np.full(120, 7.0, into)
    expected = out.copy()
    for row in range(min(rows, LANES)):
        for column in range(min(columns, LANES)):
            expected[1 + 13 * column + row] = -source[3 + 11 * row + column]
    _turned(source, 3, 11, out, 13, rows, columns)
    assert out.tolist() == expected.tolist()


@njit
def _fetched(array: Any, at: int) -> None:
    fetch(array, np.uint64(at))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_fetching_changes_nothing_and_may_be_anywhere(kind: Any) -> None:
    array = np.random.default_rng(3).normal(size=20).astype(kind)
    before = array.copy()
    for at in (0, 5, 19, 20, 2**32 - 1):
        _fetched(array, at)
    assert np.array_equal(array, before)


@njit
def _swept(values: Any, other: Any, at: int, factor: float, count: int, out: Any) -> Any:
    x = load_own(values, np.uint64(at))
    y = load_like(values, other, np.uint64(at))
    every = lanes_like(values)
    store_first(out[0], np.uint64(0), greater(x, y), every)
    store_first(out[1], np.uint64(0), minus(x, y), every)
    store_first(out[2], np.uint64(0), plus_times(x, factor, y), every)
    store_first(out[3], np.uint64(0), first_lanes(x, count), every)
    store_first(out[4], np.uint64(0), equal_like(values, factor), every)
    store_first(out[5], np.uint64(0), in_single(x), every)
    store_first(out[6], np.uint64(0), x, count)
    store(out[7], np.uint64(0), lanes_of(x, (1 << max(count, 0)) - 7))
    return greatest(x), added_up(x)


@pytest.mark.parametrize("count", [-1, 0, 1, 8, 11, 16, 20])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_swept_arrays_have_vectors_of_their_precision(kind: Any, count: int) -> None:
    chance = np.random.default_rng(count + 1)
    values = chance.normal(size=60).astype(kind)
    other = chance.normal(size=60).astype(np.float32)
    lanes = MOST_LANES if kind is np.float32 else LANES
    for at in (0, 3, 31):
        x, y = values[at : at + lanes], other[at : at + lanes].astype(kind)
        out = np.full((8, MOST_LANES + 1), 7.0, kind)
        most, total = _swept(values, other, at, 0.3, count, out)
        assert most == x.max()
        assert total == np.cumsum(x)[-1]  # the same bits, one after the other in its precision
        each = [np.where(x > y, x, y), x - y, x + kind(0.3) * y]
        each += [np.where(np.arange(lanes) < count, x, 0), np.full(lanes, 0.3, kind)]
        each += [x.astype(np.float32).astype(kind)]
        assert np.array_equal(out[:6, :lanes], each)  # the same bits
        within = max(0, min(count, lanes))
        assert np.array_equal(out[6, :within], x[:within])
        assert (out[6, within:] == 7.0).all()
        bits = (1 << max(count, 0)) - 7
        assert out[7, :lanes].tolist() == [x[k] if bits >> k & 1 else 0.0 for k in range(lanes)]
        assert (out[:, lanes:] == 7.0).all()
