# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Products of small matrices of 32-bit floats, for layers of networks in training.

A tile of the result, `TALL` rows of `WIDE` columns, stays in vector registers while the terms of
its sums are added, one at a time and in order; so the result depends neither on threads nor on how
a batch is cut. A processor that has a multiply-add instruction rounds a product and its sum once,
so other processors may give other last bits. Vectors are longer than some processors' registers,
which take them in two parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from urcx.engine.jit import lean

TALL, WIDE = 6, 16
SINGLE = ir.FloatType()
VECTOR = ir.VectorType(SINGLE, WIDE)
WORD = ir.IntType(64)


def _place(context: Any, builder: Any, kind: Any, array: Any, row: Any, column: Any) -> Any:
    """Return a pointer to an entry of a matrix, and the bytes between rows and columns."""
    own = context.make_array(kind)(context, builder, array)
    apart = cgutils.unpack_tuple(builder, own.strides)
    at = builder.add(builder.mul(row, apart[0]), builder.mul(column, apart[1]))
    start = builder.bitcast(own.data, ir.IntType(8).as_pointer())
    return builder.gep(start, [at]), *apart


def _entry(builder: Any, pointer: Any, kind: Any) -> Any:
    """Return what a pointer to bytes points at, as a float or a vector of floats."""
    found = builder.load(builder.bitcast(pointer, kind.as_pointer()))
    found.align = 4
    return found


def _tile_of(tall: int) -> Callable[..., Any]:
    """Return what generates the code of a tile of so many rows."""

    def typed(_: Any, sums: Any, row: Any, column: Any, factors: Any, terms: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            sums, row, column, factors, terms = values
            first, third, fourth = (signature.args[k] for k in (0, 3, 4))
            zero = ir.Constant(WORD, 0)
            out, out_row, _ = _place(context, builder, first, sums, row, column)
            factor, factor_row, factor_step = _place(context, builder, third, factors, row, zero)
            term, term_row, _ = _place(context, builder, fourth, terms, zero, column)
            own = context.make_array(fourth)(context, builder, terms)
            number = cgutils.unpack_tuple(builder, own.shape)[0]
            outs = [out]
            factors_at = [factor]
            for _ in range(1, tall):
                outs.append(builder.gep(outs[-1], [out_row]))
                factors_at.append(builder.gep(factors_at[-1], [factor_row]))
            totals = [cgutils.alloca_once(builder, VECTOR) for _ in range(tall)]
            for total, at in zip(totals, outs, strict=True):
                builder.store(_entry(builder, at, VECTOR), total)
            fused = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(VECTOR, [VECTOR] * 3),
                f"llvm.fmuladd.v{WIDE}f32",
            )
            every = ir.Constant(ir.VectorType(ir.IntType(32), WIDE), [0] * WIDE)
            nothing = ir.Constant(VECTOR, ir.Undefined)
            with cgutils.for_range(builder, number, intp=WORD) as loop:
                x = _entry(builder, builder.gep(term, [builder.mul(loop.index, term_row)]), VECTOR)
                step = builder.mul(loop.index, factor_step)
                for total, at in zip(totals, factors_at, strict=True):
                    one = _entry(builder, builder.gep(at, [step]), SINGLE)
                    spread = builder.shuffle_vector(
                        builder.insert_element(nothing, one, ir.Constant(ir.IntType(32), 0)),
                        nothing,
                        every,
                    )
                    builder.store(builder.call(fused, [spread, x, builder.load(total)]), total)
            for total, at in zip(totals, outs, strict=True):
                place = builder.bitcast(at, VECTOR.as_pointer())
                builder.store(builder.load(total), place).align = 4
            return context.get_dummy_value()

        return types.none(sums, types.int64, types.int64, factors, terms), write

    return typed


def _twin(tall: int) -> Callable[..., None]:
    def add_tile(sums: Any, row: int, column: int, factors: Any, terms: Any) -> None:
        rows, columns = slice(row, row + tall), slice(column, column + WIDE)
        for k in range(len(terms)):
            sums[rows, columns] += factors[rows, k, None] * terms[k, columns]

    return add_tile


def _tile(tall: int) -> Any:
    return _twin(tall) if numba.config.DISABLE_JIT else intrinsic(_tile_of(tall))


add_tile = _tile(TALL)
add_line = _tile(1)


@lean
def add_product(sums, factors, terms):
    """Add the product of two matrices to ``sums``.

    Parameters
    ----------
    sums
        Shape (n, m), rows contiguous.
    factors
        Shape (n, k), any strides.
    terms
        Shape (k, m), rows contiguous.
    """
    rows, columns = sums.shape
    wide = columns - columns % WIDE
    tall = rows - rows % TALL
    for column in range(0, wide, WIDE):
        for row in range(0, tall, TALL):
            add_tile(sums, row, column, factors, terms)
        for row in range(tall, rows):
            add_line(sums, row, column, factors, terms)
    for row in range(rows if wide < columns else 0):
        for k in range(terms.shape[0]):
            x = factors[row, k]
            for column in range(wide, columns):
                sums[row, column] += x * terms[k, column]
