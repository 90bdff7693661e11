# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Masks of bits beside vectors of floats, one mask for each float, in hot kernels.

As in `urcx.engine.vector_kernels`, a Python function on NumPy arrays defines each of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils

from urcx.engine.vector_types import LANES, compiled, constant, pointer, spread_type


def _load_masks(
    context: Any, builder: Any, kind: Any, array: Any, at: Any, lanes: int = LANES
) -> Any:
    """Return masks of an array, unchanged."""
    found = builder.load(pointer(context, builder, kind, array, at, lanes))
    found.align = kind.dtype.bitwidth // 8
    return found


def _any_of(_: Any, masks: Any, at: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = _load_masks(context, builder, signature.args[0], *values)
        every = builder.extract_element(found, constant(0))
        for lane in range(1, LANES):
            every = builder.or_(every, builder.extract_element(found, constant(lane)))
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
        found = _load_masks(context, builder, signature.args[1], masks, at, lanes)
        count = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(found.type, [found.type]),
            f"llvm.ctpop.v{lanes}i{signature.args[1].dtype.bitwidth}",
        )
        bits = builder.call(count, [found])
        one = ir.Constant(found.type, [1] * lanes)
        bits = builder.select(builder.icmp_unsigned(">", bits, one), bits, one)
        return builder.fdiv(x, builder.uitofp(bits, x.type))

    return x(x, masks, types.uint64), write


@compiled(_shared_out)
def shared_out(x, masks, at):
    """Return each float divided by the number of bits in its mask; unchanged for an empty mask."""
    bits = [int(mask).bit_count() for mask in masks[at : at + np.uint64(len(x))]]
    return x / np.maximum(bits, 1).astype(x.dtype)


def _having(_: Any, x: Any, masks: Any, at: Any, bit: Any) -> Any:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        x, masks, at, bit = values
        lanes = x.type.count
        found = _load_masks(context, builder, signature.args[1], masks, at, lanes)
        wanted = spread_type(builder, builder.trunc(bit, found.type.element), lanes)
        chosen = builder.and_(found, wanted)
        nothing = ir.Constant(found.type, [0] * lanes)
        return builder.select(
            builder.icmp_unsigned("!=", chosen, nothing), x, ir.Constant(x.type, [0.0] * lanes)
        )

    return x(x, masks, types.uint64, types.int64), write


@compiled(_having)
def having(x, masks, at, bit):
    """Return the floats whose masks contain a bit, and 0 in the other lanes."""
    chosen = masks[at : at + np.uint64(len(x))] & masks.dtype.type(bit)
    return np.where(chosen, x, x.dtype.type(0.0))
