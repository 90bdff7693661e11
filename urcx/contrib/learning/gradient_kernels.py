# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that train networks: values and gradients in 32-bit floats, Adam, and averaged weights.

`urcx.agents.networks` describes the networks. Few of the inputs are 1, so the first layer is a sum
of rows. The second layer processes samples in blocks, by products of matrices. Activations are
clipped to [0, 1], squared or not. In addition to the inputs that are 0 or 1, there may be dense
inputs with any numbers.

Values and gradients are separate kernels on arrays. `forward_pass` writes logits. A loss, such as
`cross_entropy`, turns them into slopes, its derivatives by the logits. `backward` adds the
gradients of the weights. The inner loops run over units, each in its own vector lane, so they
become vector instructions without changing the order of any sum: every run gives the same bits.

A batch is split into parts of fixed size. Each part has an array of gradients, which any thread may
fill, and `adam` adds these arrays in order. So the result does not depend on the number of threads.

Matrices are multiplied in tiles. A tile of the product, `TALL` rows of `WIDE` columns, stays in
vector registers while the terms of its sums are added, one at a time and in order. So the result
depends neither on threads nor on the parts of a batch. Processors with a multiply-add instruction
round a product and its sum once, so other processors may give other last bits. Vectors are longer
than the registers of some processors, which process them in two parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic
from numpy.typing import NDArray

from urcx.engine.jit import inlined, lean

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
    """Return the float or the vector of floats at a pointer to bytes."""
    result = builder.load(builder.bitcast(pointer, kind.as_pointer()))
    result.align = 4
    return result


def _tile_of(tall: int) -> Callable[..., Any]:
    """Return the code generator of a tile of ``tall`` rows."""

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
                    factor_value = _entry(builder, builder.gep(at, [step]), SINGLE)
                    spread = builder.shuffle_vector(
                        builder.insert_element(
                            nothing, factor_value, ir.Constant(ir.IntType(32), 0)
                        ),
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


def _plain_tile(tall: int) -> Callable[..., None]:
    def add_tile(sums: Any, row: int, column: int, factors: Any, terms: Any) -> None:
        rows, columns = slice(row, row + tall), slice(column, column + WIDE)
        for k in range(len(terms)):
            sums[rows, columns] += factors[rows, k, None] * terms[k, columns]

    return add_tile


def _tile(tall: int) -> Any:
    return _plain_tile(tall) if numba.config.DISABLE_JIT else intrinsic(_tile_of(tall))


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


BLOCK = 48  # samples whose units are stored between `forward_pass` and `backward`
ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
LANES = 16
MOST_MOVES = 32  # per decision


class Weights(NamedTuple):
    """A network's weights, or their gradients, with the shapes of `urcx.agents.networks.Network`.

    All are views of one flat array (`urcx.contrib.learning.weights.views`). The last rows of
    ``first`` belong to the dense inputs.
    """

    first: NDArray[np.float32]
    first_bias: NDArray[np.float32]
    second: NDArray[np.float32]
    second_bias: NDArray[np.float32]
    last: NDArray[np.float32]
    last_bias: NDArray[np.float32]


class Samples(NamedTuple):
    """Inputs of samples: the first ``number[n]`` entries of ``active[n]`` are 1 in sample n.

    ``dense[n]`` has the dense inputs, without columns if the network has none.
    """

    active: NDArray[np.int16]
    number: NDArray[np.int16]
    dense: NDArray[np.float32]


class Room(NamedTuple):
    """The working memory of a thread, with a row for each sample of a block.

    For the first layer, ``sums`` are the values before activation, ``units`` the activations, and
    ``delta`` the slopes of the sums. ``later``, ``further`` and ``late`` are the same for the
    second layer. ``logits`` and ``slopes`` have one number per sample. ``across`` is the second
    layer's matrix with exchanged axes (`turn_features`), not a row per sample. ``moves`` has three
    rows for the moves of a decision.
    """

    sums: NDArray[np.float32]
    units: NDArray[np.float32]
    delta: NDArray[np.float32]
    later: NDArray[np.float32]
    further: NDArray[np.float32]
    late: NDArray[np.float32]
    logits: NDArray[np.float32]
    slopes: NDArray[np.float32]
    across: NDArray[np.float32]
    moves: NDArray[np.float64]


class AdamState(NamedTuple):
    """The weights in training, Adam's averages, and the average of the weights over past steps."""

    flat: NDArray[np.float32]
    mean: NDArray[np.float32]
    square: NDArray[np.float32]
    average: NDArray[np.float32]


class AdamStep(NamedTuple):
    """The parameters of a step of Adam.

    The sum of gradients is multiplied by ``scale``, 1 over the batch's size. ``rate`` is the size
    of the step and ``tiny`` the epsilon of the denominator, both corrected for the start of the
    averages (Kingma and Ba, Adam, 2015, end of section 2). ``steady`` and ``uneven`` are the decays
    of the averages of gradients and of their squares. ``keep`` is the decay of the average of
    weights. With 0 it is equal to the weights.
    """

    scale: np.float32
    rate: np.float32
    steady: np.float32
    uneven: np.float32
    tiny: np.float32
    keep: np.float32


@inlined
def add_to(sums, row):
    """Add a row to sums."""
    for unit in range(sums.shape[0]):
        sums[unit] += row[unit]


@inlined
def add_times(sums, x, row):
    """Add x times a row to sums."""
    for unit in range(sums.shape[0]):
        sums[unit] += x * row[unit]


@inlined
def _activate(squared, sums, units):
    """Write activations: sums clipped to [0, 1], squared or not."""
    if squared:
        for unit in range(sums.shape[0]):
            x = min(max(sums[unit], ZERO), ONE)
            units[unit] = x * x
    else:
        for unit in range(sums.shape[0]):
            units[unit] = min(max(sums[unit], ZERO), ONE)


@inlined
def steepen(squared, sums, delta):
    """Multiply slopes of activations by the activation's slope, which gives slopes of sums."""
    if squared:
        for unit in range(sums.shape[0]):
            x = sums[unit]
            inside = TWO * x if (x > ZERO) & (x < ONE) else ZERO
            delta[unit] *= inside
    else:
        for unit in range(sums.shape[0]):
            x = sums[unit]
            inside = ONE if (x > ZERO) & (x < ONE) else ZERO
            delta[unit] *= inside


@inlined
def _folded(units):
    """Return the sum of an array, which is overwritten by repeatedly adding its halves."""
    size = units.shape[0]
    while size > LANES:
        half = (size + 1) >> 1
        for k in range(size - half):
            units[k] += units[k + half]
        size = half
    total = ZERO
    for k in range(size):
        total += units[k]
    return total


@lean
def forward_pass(net, squared, samples, first, last, room):
    """Write units and logits of the samples from ``first`` up to ``last``, at most `BLOCK`."""
    n_sparse = net.first.shape[0] - samples.dense.shape[1]
    for n in range(first, last):
        sums = room.sums[n - first]
        for unit in range(sums.shape[0]):
            sums[unit] = net.first_bias[unit]
        for k in range(samples.number[n]):
            add_to(sums, net.first[samples.active[n, k]])
        for k in range(samples.dense.shape[1]):
            x = samples.dense[n, k]
            if x != ZERO:
                add_times(sums, x, net.first[n_sparse + k])
        _activate(squared, sums, room.units[n - first])
    number = last - first
    if net.second.shape[1] == 0:
        for n in range(number):
            room.logits[n] = net.last_bias[0] + product(net.last, room.units[n], room.delta[n])
        return
    for n in range(number):
        later = room.later[n]
        for k in range(later.shape[0]):
            later[k] = net.second_bias[k]
    add_product(room.later[:number], room.units[:number], net.second)
    for n in range(number):
        _activate(squared, room.later[n], room.further[n])
        room.logits[n] = net.last_bias[0] + product(net.last, room.further[n], room.late[n])


@inlined
def product(weights, units, scratch):
    """Return the sum of the products of two arrays."""
    for unit in range(units.shape[0]):
        scratch[unit] = weights[unit] * units[unit]
    return _folded(scratch)


@lean
def backward(net, squared, samples, first, last, room, gradient):
    """Add the gradients of these samples, whose units and slopes are in ``room``."""
    n_sparse = net.first.shape[0] - samples.dense.shape[1]
    number = last - first
    if net.second.shape[1]:
        for n in range(number):
            slope, late = room.slopes[n], room.late[n]
            add_times(gradient.last, slope, room.further[n])
            for k in range(late.shape[0]):
                late[k] = slope * net.last[k]
            steepen(squared, room.later[n], late)
            add_to(gradient.second_bias, late)
            delta = room.delta[n]
            for unit in range(delta.shape[0]):
                delta[unit] = ZERO
        add_product(gradient.second, room.units[:number].T, room.late[:number])
        add_product(room.delta[:number], room.late[:number], room.across)
    for n in range(first, last):
        slope, delta = room.slopes[n - first], room.delta[n - first]
        if slope == ZERO:
            continue
        gradient.last_bias[0] += slope
        if net.second.shape[1] == 0:
            add_times(gradient.last, slope, room.units[n - first])
            for unit in range(delta.shape[0]):
                delta[unit] = slope * net.last[unit]
        steepen(squared, room.sums[n - first], delta)
        add_to(gradient.first_bias, delta)
        for k in range(samples.number[n]):
            add_to(gradient.first[samples.active[n, k]], delta)
        for k in range(samples.dense.shape[1]):
            x = samples.dense[n, k]
            if x != ZERO:
                add_times(gradient.first[n_sparse + k], x, delta)


@lean
def turn_features(net, room):
    """Write the second layer's matrix with exchanged axes, for `backward`."""
    for k in range(room.across.shape[0]):
        for unit in range(room.across.shape[1]):
            room.across[k, unit] = net.second[unit, k]


@inlined
def chance_of_features(logit):
    """Return the win probability of a logit."""
    x = np.float64(logit)
    small = math.exp(-abs(x))
    return (1.0 if x >= 0.0 else small) / (1.0 + small)


@lean
def cross_entropy(targets, first, last, room):
    """Write the slopes of the cross entropy with win probabilities, and return the sum of it."""
    loss = 0.0
    for n in range(first, last):
        x = np.float64(room.logits[n - first])
        target = np.float64(targets[n])
        room.slopes[n - first] = np.float32(chance_of_features(x) - target)
        loss += max(x, 0.0) - x * target + math.log(1.0 + math.exp(-abs(x)))
    return loss


@lean
def value_gradient(net, squared, samples, targets, first, last, room, gradient):
    """Add the gradient of a part of a batch, and return its cross entropy."""
    turn_features(net, room)
    loss = 0.0
    for start in range(first, last, BLOCK):
        end = min(start + BLOCK, last)
        forward_pass(net, squared, samples, start, end, room)
        loss += cross_entropy(targets, start, end, room)
        backward(net, squared, samples, start, end, room, gradient)
    return loss


@lean
def network_chances(net, squared, samples, first, last, room, out):
    """Write the win probabilities of the samples from ``first`` up to ``last`` to ``out``."""
    for start in range(first, last, BLOCK):
        end = min(start + BLOCK, last)
        forward_pass(net, squared, samples, start, end, room)
        for n in range(start, end):
            out[n] = np.float32(chance_of_features(room.logits[n - start]))


@lean
def adam(gradients, step, state):
    """Take an `AdamStep`, and update the average of weights.

    ``gradients`` has a row for each part of the batch. The rows are added in order, into the first.
    """
    total = gradients[0]
    for part in range(1, gradients.shape[0]):
        add_to(total, gradients[part])
    flat, mean, square, average = state
    for k in range(flat.shape[0]):
        x = total[k] * step.scale
        mean[k] = step.steady * mean[k] + (ONE - step.steady) * x
        square[k] = step.uneven * square[k] + (ONE - step.uneven) * (x * x)
        total[k] = np.sqrt(square[k]) + step.tiny
    for k in range(flat.shape[0]):
        flat[k] -= step.rate * np.true_divide(mean[k], total[k])
        average[k] = step.keep * average[k] + (ONE - step.keep) * flat[k]
