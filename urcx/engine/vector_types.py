"""Vectors in compiled code: their types, and helpers that write LLVM code.

`urcx.engine.vector_kernels` defines operations with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

LANES = 8
MOST_LANES = 2 * LANES  # in single precision. Kernels may read this far beyond a row
VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class _Floats(types.Type):  # type: ignore[misc]
    """The type of a vector in compiled code."""

    def __init__(self, name: str, vector: ir.VectorType) -> None:
        super().__init__(name=name)
        self.vector = vector


FLOATS = _Floats("EightFloats", VECTOR)
WIDE = _Floats("SixteenSingles", ir.VectorType(ir.FloatType(), MOST_LANES))


@register_model(_Floats)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, kind.vector)


def compiled(typed: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: ``typed`` generates the compiled code, the function runs uncompiled."""
    return lambda plain: plain if numba.config.DISABLE_JIT else intrinsic(typed)


def pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any, lanes: int = LANES) -> Any:
    """Return a pointer to ``lanes`` floats of an array, in its precision."""
    vector = ir.VectorType(context.get_data_type(kind.dtype), lanes)
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), vector.as_pointer())


def in_precision(builder: Any, kind: Any, x: Any) -> Any:
    """Return floats converted to the type of an array's entries."""
    lanes = x.type.count
    if isinstance(kind.dtype, types.Integer):
        return builder.fptoui(x, ir.VectorType(ir.IntType(kind.dtype.bitwidth), lanes))
    double = kind.dtype == types.float64
    vector = ir.VectorType(ir.DoubleType() if double else ir.FloatType(), lanes)
    if x.type == vector:
        return x
    return builder.fpext(x, vector) if double else builder.fptrunc(x, vector)


def spread_type(builder: Any, value: Any, lanes: int = LANES) -> Any:
    """Return a vector with a value in all lanes."""
    first = builder.insert_element(
        ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined), value, constant(0)
    )
    indices = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    return builder.shuffle_vector(first, ir.Constant(first.type, ir.Undefined), indices)


def equal_floats(builder: Any, vector: ir.VectorType, value: Any) -> Any:
    """Return a vector with a float of double precision in all lanes, in the vector's precision."""
    if vector.element != ir.DoubleType():
        value = builder.fptrunc(value, vector.element)
    return spread_type(builder, value, vector.count)


def lanes_inside(builder: Any, count: Any, lanes: int = LANES) -> Any:
    """Return for each lane whether it is among the first ``count``."""
    indices = ir.Constant(ir.VectorType(count.type, lanes), list(range(lanes)))
    return builder.icmp_signed("<", indices, spread_type(builder, count, lanes))


def constant(value: int) -> Any:
    """Return a 32-bit integer in compiled code."""
    return ir.Constant(ir.IntType(32), value)


def store_masked(builder: Any, kind: Any, place: Any, x: Any, inside: Any) -> None:
    """Write the lanes inside to an array, converted to its precision."""
    x = in_precision(builder, kind, x)
    # The name for typed pointers. An LLVM with opaque pointers renames it.
    bits = kind.dtype.bitwidth
    entry = f"v{x.type.count}{'i' if isinstance(kind.dtype, types.Integer) else 'f'}{bits}"
    masked = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(ir.VoidType(), [x.type, place.type, ir.IntType(32), inside.type]),
        f"llvm.masked.store.{entry}.p0{entry}",
    )
    builder.call(masked, [x, place, constant(bits // 8), inside])
