# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Vectors of floats for hot kernels, because numba does not vectorise such short rows.

A vector has `LANES` floats of double precision, loaded from arrays of either precision. `load_own`,
`load_like` and `equal_like` make vectors of single precision for such arrays, with twice as many
floats. Each function compiles to a few vector instructions. It is defined by a Python function on
NumPy arrays, which runs if compilation is disabled. Compiled code returns the same bits.

Functions for masks of bits follow, one mask for each float of a vector, and then double-double
arithmetic, with about 106 bits. A double-double is the sum of a float and a lower one, which is at
most half a unit in the last place of the first (T. J. Dekker, 1971).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from urcx.engine.jit import inlined
from urcx.engine.vector_types import (
    FLOATS,
    LANES,
    MOST_LANES,
    VECTOR,
    WIDE,
    compiled,
    constant,
    equal_floats,
    in_precision,
    lanes_inside,
    pointer,
    spread_type,
    store_masked,
)


def _all_equal(_: Any, value: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return spread_type(builder, values[0])

    return FLOATS(types.float64), write


@compiled(_all_equal)
def all_equal(value):
    """Return a vector of eight equal floats."""
    return np.full(LANES, value)


def _load(_: Any, array: Any, at: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind = signature.args[0]
        loaded = builder.load(pointer(context, builder, kind, *values))
        loaded.align = kind.dtype.bitwidth // 8
        return loaded if kind.dtype == types.float64 else builder.fpext(loaded, VECTOR)

    return FLOATS(array, types.uint64), write


@compiled(_load)
def load(array, at):
    """Return eight floats of an array from an index on, without checking the array's end."""
    return array[at : at + np.uint64(LANES)].astype(np.float64)


def _like(array: Any) -> Any:
    """Return the type of vector for an array that is swept."""
    return WIDE if array.dtype == types.float32 else FLOATS


def _lanes_like(_: Any, array: Any) -> Any:
    def write(_: Any, builder: Any, signature: Any, __: Any) -> Any:
        return ir.Constant(ir.IntType(64), _like(signature.args[0]).vector.count)

    return types.int64(array), write


@compiled(_lanes_like)
def lanes_like(array):
    """Return the number of lanes of the vectors for an array: twice as many in single precision."""
    return MOST_LANES if array.dtype == np.float32 else LANES


def _equal_like(_: Any, array: Any, value: Any) -> Any:
    def write(_: Any, builder: Any, signature: Any, values: Any) -> Any:
        return equal_floats(builder, _like(signature.args[0]).vector, values[1])

    return _like(array)(array, types.float64), write


@compiled(_equal_like)
def equal_like(array, value):
    """Return a vector of equal floats, in the precision of an array."""
    return np.full(lanes_like(array), value, array.dtype)


def _load_like(_: Any, like: Any, array: Any, at: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        vector, kind = _like(signature.args[0]).vector, signature.args[1]
        loaded = builder.load(pointer(context, builder, kind, values[1], values[2], vector.count))
        loaded.align = kind.dtype.bitwidth // 8
        if loaded.type == vector:
            return loaded
        return (builder.fptrunc if vector is WIDE.vector else builder.fpext)(loaded, vector)

    return _like(like)(like, array, types.uint64), write


@compiled(_load_like)
def load_like(like, array, at):
    """Return floats of an array in the precision of another, without checking the array's end."""
    return array[at : at + np.uint64(lanes_like(like))].astype(like.dtype)


def _load_own(_: Any, array: Any, at: Any) -> Any:
    signature, write_like = _load_like(_, array, array, at)

    def write(context: Any, builder: Any, _: Any, values: Any) -> Any:
        return write_like(context, builder, signature, [values[0], *values])

    return _like(array)(array, types.uint64), write


@compiled(_load_own)
def load_own(array, at):
    """Return floats of an array in its precision, without checking the array's end."""
    return load_like(array, array, at)


def _store(_: Any, array: Any, at: Any, x: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kind, (array, at, x) = signature.args[0], values
        place = pointer(context, builder, kind, array, at, x.type.count)
        builder.store(in_precision(builder, kind, x), place).align = kind.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.none(array, types.uint64, x), write


@compiled(_store)
def store(array, at, x):
    """Write a vector to an array from an index on, without checking the array's end."""
    array[at : at + np.uint64(len(x))] = x


def _store_first(_: Any, array: Any, at: Any, x: Any, count: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array, at, x, count = values
        kind = signature.args[0]
        lanes = x.type.count
        place = pointer(context, builder, kind, array, at, lanes)
        store_masked(builder, kind, place, x, lanes_inside(builder, count, lanes))
        return context.get_dummy_value()

    return types.none(array, types.uint64, x, types.int64), write


@compiled(_store_first)
def store_first(array, at, x, count):
    """Write the first ``count`` lanes to an array from an index on, converted to its type.

    For an array of unsigned integers, the lanes must be integers in its range.
    """
    count = max(0, min(count, len(x)))
    array[at : at + np.uint64(count)] = x[:count]


def _fetch(_: Any, array: Any, at: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        place = builder.bitcast(pointer(context, builder, signature.args[0], *values), byte)
        # The name for typed pointers, as in `urcx.engine.vector_types.store_masked`.
        fetch = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, *[ir.IntType(32)] * 3]),
            "llvm.prefetch.p0i8",
        )
        builder.call(fetch, [place, constant(0), constant(3), constant(1)])
        return context.get_dummy_value()

    return types.none(array, types.uint64), write


@compiled(_fetch)
def fetch(array, at):
    """Let the processor load the place at an index into its cache, without waiting for it.

    Nothing changes, and any index is allowed.
    """


def _greater(_: Any, x: Any, y: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *values), *values)

    return x(x, y), write


@compiled(_greater)
def greater(x, y):
    """Return the greater of two floats in each lane."""
    return np.where(x > y, x, y)


@inlined
def larger(x, y):
    """Return the greater of two numbers in one instruction, while `max` would also test for NaN."""
    return x if x > y else y  # noqa: FURB136


def _where_greater(_: Any, x: Any, y: Any, a: Any, b: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        x, y, a, b = values
        return builder.select(builder.fcmp_ordered(">", x, y), a, b)

    return FLOATS(FLOATS, FLOATS, FLOATS, FLOATS), write


@compiled(_where_greater)
def where_greater(x, y, a, b):
    """Return a where x is greater than y, else b."""
    return np.where(x > y, a, b)


def _minus(_: Any, x: Any, y: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        return builder.fsub(*values)

    return x(x, y), write


@compiled(_minus)
def minus(x, y):
    """Return x - y in each lane."""
    return x - y


def _in_single(_: Any, x: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        if x is WIDE:
            return values[0]
        single = ir.VectorType(ir.FloatType(), x.vector.count)
        return builder.fpext(builder.fptrunc(values[0], single), x.vector)

    return x(x), write


@compiled(_in_single)
def in_single(x):
    """Return the nearest float of single precision in each lane."""
    return x.astype(np.float32).astype(x.dtype)


def _plus_times(_: Any, x: Any, factor: Any, y: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        x, factor, y = values
        return builder.fadd(x, builder.fmul(equal_floats(builder, x.type, factor), y))

    return x(x, types.float64, y), write


@compiled(_plus_times)
def plus_times(x, factor, y):
    """Return x + factor * y in each lane, with the product rounded before the addition.

    The factor is first rounded to the precision of x.
    """
    return x + x.dtype.type(factor) * y


def _plus_product(_: Any, x: Any, y: Any, z: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        x, y, z = values
        return builder.fadd(x, builder.fmul(y, z))

    return FLOATS(FLOATS, FLOATS, FLOATS), write


@compiled(_plus_product)
def plus_product(x, y, z):
    """Return x + y * z in each lane, with the product rounded before the addition."""
    return x + y * z


def _rest_of_product(_: Any, factor: Any, y: Any, product: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        factor, y, product = values
        fused = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(VECTOR, [VECTOR] * 3), f"llvm.fma.v{LANES}f64"
        )
        negative_zero = ir.Constant(VECTOR, [-0.0] * LANES)
        return builder.call(
            fused, [spread_type(builder, factor), y, builder.fsub(negative_zero, product)]
        )

    return FLOATS(types.float64, FLOATS, FLOATS), write


@compiled(_rest_of_product)
def rest_of_product(factor, y, product):
    """Return the exact rounding error of a product of floats, in each lane."""
    high, low = _halves(factor)
    y_high, y_low = _halves(y)
    return ((high * y_high - product) + high * y_low + low * y_high) + low * y_low


def _halves(x: Any) -> tuple[Any, Any]:
    """Return two floats of half as many digits whose sum is the float (Dekker, 1971)."""
    scaled = 134217729.0 * x  # 2^27 + 1
    high = scaled - (scaled - x)
    return high, x - high


def _first_lanes(_: Any, x: Any, count: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        x, count = values
        lanes = x.type.count
        zeros = ir.Constant(x.type, [0.0] * lanes)
        return builder.select(lanes_inside(builder, count, lanes), x, zeros)

    return x(x, types.int64), write


@compiled(_first_lanes)
def first_lanes(x, count):
    """Return the first ``count`` lanes, and 0 in the others."""
    return np.where(np.arange(len(x)) < count, x, x.dtype.type(0.0))


def _lanes_of(_: Any, x: Any, bits: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        x, bits = values
        lanes = x.type.count
        selected = builder.bitcast(
            builder.trunc(bits, ir.IntType(lanes)), ir.VectorType(ir.IntType(1), lanes)
        )
        return builder.select(selected, x, ir.Constant(x.type, [0.0] * lanes))

    return x(x, types.int64), write


@compiled(_lanes_of)
def lanes_of(x, bits):
    """Return the lanes whose bits are set, the first for the lowest bit, and 0 in the others."""
    return np.where(bits >> np.arange(len(x)) & 1, x, x.dtype.type(0.0))


def _added_up(_: Any, x: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        total = builder.extract_element(values[0], constant(0))
        for lane in range(1, values[0].type.count):
            total = builder.fadd(total, builder.extract_element(values[0], constant(lane)))
        return total if total.type == ir.DoubleType() else builder.fpext(total, ir.DoubleType())

    return types.float64(x), write


@compiled(_added_up)
def added_up(x):
    """Return the sum of a vector, added from the first lane on in its precision."""
    total = x[0]
    for lane in range(1, len(x)):
        total += x[lane]
    return np.float64(total)


def _greatest(_: Any, x: Any) -> Any:
    def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
        best = builder.extract_element(values[0], constant(0))
        for lane in range(1, values[0].type.count):
            other = builder.extract_element(values[0], constant(lane))
            best = builder.select(builder.fcmp_ordered(">", best, other), best, other)
        return best if best.type == ir.DoubleType() else builder.fpext(best, ir.DoubleType())

    return types.float64(x), write


@compiled(_greatest)
def greatest(x):
    """Return the greatest float of a vector, in double precision."""
    return np.float64(x.max())


def _turn_block(
    _: Any, source: Any, at: Any, stride: Any, out: Any, to: Any, apart: Any, rows: Any,
    columns: Any,
) -> Any:  # fmt: skip
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        source, at, stride, out, to, apart, rows, columns = values
        from_kind, kind = signature.args[0], signature.args[3]
        lines = []
        for _ in range(LANES):
            loaded = builder.load(pointer(context, builder, from_kind, source, at))
            loaded.align = from_kind.dtype.bitwidth // 8
            lines.append(loaded)
            at = builder.add(at, stride)
        # Transpose by swapping within squares of 2 by 2, 4 by 4 and 8 by 8.
        for size in (1, 2, 4):
            low = [k if not k & size else k - size + LANES for k in range(LANES)]
            high = [k + size for k in low]
            for k in range(LANES):
                if not k & size:
                    pair = lines[k], lines[k + size]
                    lines[k], lines[k + size] = (
                        builder.shuffle_vector(
                            *pair, ir.Constant(ir.VectorType(ir.IntType(32), LANES), of)
                        )
                        for of in (low, high)
                    )
        inside = lanes_inside(builder, rows)
        none = ir.Constant(inside.type, [0] * LANES)
        for k in range(LANES):
            in_block = builder.icmp_signed("<", ir.Constant(columns.type, k), columns)
            mask = builder.select(in_block, inside, none)
            negated = builder.fsub(ir.Constant(lines[k].type, [-0.0] * LANES), lines[k])
            store_masked(builder, kind, pointer(context, builder, kind, out, to), negated, mask)
            to = builder.add(to, apart)
        return context.get_dummy_value()

    return types.none(
        source, types.uint64, types.int64, out, types.uint64, types.int64, types.int64, types.int64
    ), write


@compiled(_turn_block)
def turn_block(source, at, stride, out, to, apart, rows, columns):
    """Write the negated transpose of the first rows and columns of an eight by eight block.

    Rows of ``source`` start at ``at``, at distances of ``stride``. Columns of ``out`` start at
    ``to``, at distances of ``apart``. All 64 floats are read.
    """
    for column in range(min(columns, LANES)):
        for row in range(min(rows, LANES)):
            out[int(to) + column * apart + row] = -source[int(at) + row * stride + column]


def _load_masks(
    context: Any, builder: Any, kind: Any, array: Any, at: Any, lanes: int = LANES
) -> Any:
    """Return masks of an array."""
    loaded = builder.load(pointer(context, builder, kind, array, at, lanes))
    loaded.align = kind.dtype.bitwidth // 8
    return loaded


def _any_of(_: Any, masks: Any, at: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        loaded = _load_masks(context, builder, signature.args[0], *values)
        every = builder.extract_element(loaded, constant(0))
        for lane in range(1, LANES):
            every = builder.or_(every, builder.extract_element(loaded, constant(lane)))
        return builder.zext(every, ir.IntType(64))

    return types.int64(masks, types.uint64), write


@compiled(_any_of)
def any_of(masks, at):
    """Return the bitwise or of eight masks of an array from an index on."""
    return np.int64(np.bitwise_or.reduce(masks[at : at + np.uint64(LANES)]))


def _shared_out(_: Any, x: Any, masks: Any, at: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x, masks, at = values
        lanes = x.type.count
        loaded = _load_masks(context, builder, signature.args[1], masks, at, lanes)
        count = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(loaded.type, [loaded.type]),
            f"llvm.ctpop.v{lanes}i{signature.args[1].dtype.bitwidth}",
        )
        bits = builder.call(count, [loaded])
        ones = ir.Constant(loaded.type, [1] * lanes)
        bits = builder.select(builder.icmp_unsigned(">", bits, ones), bits, ones)
        return builder.fdiv(x, builder.uitofp(bits, x.type))

    return x(x, masks, types.uint64), write


@compiled(_shared_out)
def shared_out(x, masks, at):
    """Return each float divided by the number of bits in its mask, or unchanged for mask 0."""
    bits = [int(mask).bit_count() for mask in masks[at : at + np.uint64(len(x))]]
    return x / np.maximum(bits, 1).astype(x.dtype)


def _times_shares(_: Any, x: Any, shares: Any, at: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x, shares, at = values
        kind = signature.args[1]
        loaded = builder.load(pointer(context, builder, kind, shares, at, x.type.count))
        loaded.align = kind.dtype.bitwidth // 8
        narrow = loaded.type != x.type
        return builder.fmul(x, builder.fptrunc(loaded, x.type) if narrow else loaded)

    return x(x, shares, types.uint64), write


@compiled(_times_shares)
def times_shares(x, shares, at):
    """Return each float times its share, of an array in double precision from an index on."""
    return x * shares[at : at + np.uint64(len(x))].astype(x.dtype)


def _having(_: Any, x: Any, masks: Any, at: Any, bit: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x, masks, at, bit = values
        lanes = x.type.count
        loaded = _load_masks(context, builder, signature.args[1], masks, at, lanes)
        required = spread_type(builder, builder.trunc(bit, loaded.type.element), lanes)
        common = builder.and_(loaded, required)
        empty = ir.Constant(loaded.type, [0] * lanes)
        return builder.select(
            builder.icmp_unsigned("!=", common, empty), x, ir.Constant(x.type, [0.0] * lanes)
        )

    return x(x, masks, types.uint64, types.int64), write


@compiled(_having)
def having(x, masks, at, bit):
    """Return the floats whose masks contain a bit, and 0 in the other lanes."""
    common = masks[at : at + np.uint64(len(x))] & masks.dtype.type(bit)
    return np.where(common, x, x.dtype.type(0.0))


@inlined
def sum_of(x, y):
    """Return x + y of two floats exactly, as a double-double (D. E. Knuth's two-sum)."""
    total = plus_times(x, 1.0, y)
    y_part = minus(total, x)
    return total, plus_times(minus(x, minus(total, y_part)), 1.0, minus(y, y_part))


@inlined
def pair_plus_times(total, low, factor, y, y_low):
    """Return a double-double plus a float times another double-double.

    The lower float of the result may exceed half a unit of the other. `sum_of` corrects that. The
    error is at most u (3 u p + (u t + 2 u p) + l). Here u is 2^-53, p the size of the product, t
    the size of the sum, and l the size of the lower float of the sum.
    """
    product = plus_times(all_equal(0.0), factor, y)
    rest = plus_times(rest_of_product(factor, y, product), factor, y_low)
    total, error = sum_of(total, product)
    return total, plus_times(low, 1.0, plus_times(error, 1.0, rest))


@inlined
def difference(x, low, y, y_low):
    """Return x - y of two double-doubles as a float."""
    return plus_times(minus(x, y), 1.0, minus(low, y_low))
