# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of exact linear algebra: solving modulo a prime, and p-adic lifting of the solution.

The prime is 2^31 - c with a small c, so that a product is reduced with shifts.
`urcx.contrib.exact.lifting` describes the arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.jit import inlined, njit

BITS = 31
LOW = (1 << BITS) - 1
WORD = (1 << 32) - 1


@inlined
def _folded(x, c):
    """Return a number below 2^38 that is congruent to x, for 0 <= x < 2^62."""
    return (x & LOW) + c * (x >> BITS)


@inlined
def residue(x, c):
    """Return x modulo 2^31 - c, for 0 <= x < 2^62."""
    x = _folded(_folded(x, c), c)
    prime = LOW + 1 - c
    return x - prime if x >= prime else x


@njit
def power(x, exponent, c):
    """Return a power of x modulo 2^31 - c."""
    found = np.int64(1)
    while exponent:
        if exponent & 1:
            found = residue(found * x, c)
        x = residue(x * x, c)
        exponent >>= 1
    return found


@njit
def invert(matrix, c):
    """Invert a square matrix modulo 2^31 - c in place; return whether it is invertible."""
    prime = LOW + 1 - c
    n = matrix.shape[0]
    swapped = np.empty(n, np.int64)
    for k in range(n):
        pivot = k
        while pivot < n and matrix[pivot, k] == 0:
            pivot += 1
        if pivot == n:
            return False
        swapped[k] = pivot
        if pivot != k:
            for j in range(n):
                matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
        inverse = power(matrix[k, k], prime - 2, c)
        matrix[k, k] = 1
        row = matrix[k]
        for j in range(n):
            row[j] = residue(row[j] * inverse, c)
        for i in range(n):
            if i == k or matrix[i, k] == 0:
                continue
            by = prime - matrix[i, k]
            matrix[i, k] = 0
            other = matrix[i]
            for j in range(n):
                other[j] = residue(other[j] + by * row[j], c)
    for k in range(n - 1, -1, -1):
        other = swapped[k]
        if other != k:
            for i in range(n):
                matrix[i, k], matrix[i, other] = matrix[i, other], matrix[i, k]
    return True


@njit
def invert_blocks(scale, targets, weights, partner, c, blocks):
    """Write the inverses of the diagonal blocks; return whether all are invertible.

    Row k of ``blocks`` yields unknown k from the right-hand sides of k and of its partner.
    """
    prime = LOW + 1 - c
    for k in range(partner.shape[0]):
        other = partner[k]
        a, b, d, e = scale, np.int64(0), np.int64(0), scale
        for r in range(targets.shape[1]):
            if targets[k, r] == k:
                a -= weights[k, r]
            elif targets[k, r] == other:
                b -= weights[k, r]
            if targets[other, r] == other:
                e -= weights[other, r]
            elif targets[other, r] == k:
                d -= weights[other, r]
        # The 2 by 2 matrix (a b; d e), or a alone.
        if other == k:
            determinant = a % prime
            e = np.int64(1)
            b = np.int64(0)
        else:
            determinant = (a * e - b * d) % prime
        if determinant == 0:
            return False
        inverse = power(determinant, prime - 2, c)
        blocks[k, 0] = residue((e % prime) * inverse, c)
        blocks[k, 1] = residue((-b % prime) * inverse, c)
    return True


@njit
def _substitute(sources, known, partner, blocks, right, c, found):
    """Solve row by row: compute ``found[:n]`` from ``right`` and the guesses in ``found[n:]``."""
    prime = LOW + 1 - c
    n = partner.shape[0]
    k = 0
    while k < n:
        other = partner[k]
        h = right[k]
        for r in range(sources.shape[1]):
            h += known[k, r] * found[sources[k, r]]
        h %= prime
        if other == k:
            found[k] = residue(blocks[k, 0] * h, c)
            k += 1
            continue
        g = right[other]
        for r in range(sources.shape[1]):
            g += known[other, r] * found[sources[other, r]]
        g %= prime
        found[k] = residue(_folded(blocks[k, 0] * h, c) + _folded(blocks[k, 1] * g, c), c)
        found[other] = residue(
            _folded(blocks[other, 0] * g, c) + _folded(blocks[other, 1] * h, c), c
        )
        k += 2


@njit
def substitute_many(sources, known, partner, blocks, c, found):
    """Do as `_substitute` with a right-hand side of 0, for each column of ``found``."""
    prime = LOW + 1 - c
    n = partner.shape[0]
    width = found.shape[1]
    h = np.empty((2, width), np.int64)
    k = 0
    while k < n:
        other = partner[k]
        rows = 1 if other == k else 2
        for i in range(rows):
            h[i] = 0
            for r in range(sources.shape[1]):
                weight = known[k + i, r]
                if weight:
                    source = sources[k + i, r]
                    for j in range(width):
                        h[i, j] += weight * found[source, j]
            for j in range(width):
                h[i, j] %= prime
        for i in range(rows):
            for j in range(width):
                x = _folded(blocks[k + i, 0] * h[i, j], c)
                if rows == 2:
                    x += _folded(blocks[k + i, 1] * h[1 - i, j], c)
                found[k + i, j] = residue(x, c)
        k += rows


@njit
def multiply(matrix, vector, c, found):
    """Write the product of a matrix and a vector modulo 2^31 - c."""
    for i in range(matrix.shape[0]):
        total = np.int64(0)
        row = matrix[i]
        for j in range(matrix.shape[1]):
            total += _folded(row[j] * vector[j], c)  # below 2^38 each
        found[i] = residue(total, c)


class Solver(NamedTuple):
    """A system of equations with what solves it modulo 2^31 - ``c``.

    `urcx.contrib.exact.lifting` describes the arrays: those of its ``System``, and those of its
    ``_Lifting``.
    """

    scale: int
    targets: NDArray[np.int64]
    weights: NDArray[np.int64]
    constants: NDArray[np.int64]
    partner: NDArray[np.int64]
    c: int
    sources: NDArray[np.int64]
    known: NDArray[np.int64]
    blocks: NDArray[np.int64]
    inverse: NDArray[np.int64]
    loops: NDArray[np.int64]


@njit
def lift(solver, factor, rest, mixing, mixed, digits):
    """Find the next digits of the solution, one for each digit of ``factor``.

    ``rest`` is the residual, which is updated. The sums of the digits with the weights in
    ``mixing`` go to ``mixed``, and the digits themselves to ``digits``, if these arrays have rows.
    """
    targets, weights, loops, c = solver.targets, solver.weights, solver.loops, solver.c
    sources, known, partner, blocks = solver.sources, solver.known, solver.partner, solver.blocks
    prime = LOW + 1 - c
    n = partner.shape[0]
    m = loops.shape[0]
    found = np.zeros(n + m, np.int64)
    at_loops = np.empty(m, np.int64)
    for step in range(factor.shape[0]):
        for k in range(n):
            rest[k] += solver.constants[k] * factor[step]
        found[n:] = 0
        _substitute(sources, known, partner, blocks, rest, c, found)
        for j in range(m):
            at_loops[j] = found[loops[j]]
        multiply(solver.inverse, at_loops, c, found[n:])
        _substitute(sources, known, partner, blocks, rest, c, found)
        for k in range(n):
            left = rest[k] - solver.scale * found[k]
            for r in range(targets.shape[1]):
                left += weights[k, r] * found[targets[k, r]]
            rest[k] = left // prime  # divides exactly
        for i in range(mixing.shape[0]):
            total = np.int64(0)
            for k in range(n):
                total += mixing[i, k] * found[k]
            mixed[step, i] = total
        if digits.shape[0]:
            for k in range(n):
                digits[step, k] = found[k]


@njit
def pack(digits, base, limbs):
    """Write the numbers whose digits are the columns, least significant first, as 32-bit limbs."""
    for k in range(digits.shape[1]):
        limbs[k] = 0
        used = 0
        for row in range(digits.shape[0] - 1, -1, -1):
            carry = np.int64(digits[row, k])
            for i in range(used):
                carry += np.int64(limbs[k, i]) * base
                limbs[k, i] = carry & WORD
                carry >>= 32
            if carry:
                limbs[k, used] = carry
                used += 1
