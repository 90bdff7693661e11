# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The kernel of `urcx.contrib.exact.equations`: an approximate solution in floats."""

from __future__ import annotations

from urcx.engine.jit import njit

MOST_SWEEPS = 100_000
CLOSE = 2.0**-36  # the greatest last change, relative to the largest value


@njit
def approximate(targets, weights, partner, blocks, right, solution):
    """Solve equations by Gauss-Seidel iteration, and return whether it converged.

    Row k of ``weights`` is without the weights of k and its partner. Row k of ``blocks`` gives
    unknown k from the right-hand sides of k and of its partner.
    """
    solution[:] = 0.0
    for _ in range(MOST_SWEEPS):
        change = largest = 0.0
        for k in range(partner.shape[0]):
            other = partner[k]
            if other < k:
                continue
            a, b = float(right[k]), float(right[other])
            for r in range(targets.shape[1]):
                a += weights[k, r] * solution[targets[k, r]]
                b += weights[other, r] * solution[targets[other, r]]
            x = blocks[k, 0] * a + blocks[k, 1] * b
            y = blocks[other, 0] * b + blocks[other, 1] * a
            change = max(change, abs(x - solution[k]), abs(y - solution[other]))
            largest = max(largest, abs(x), abs(y))
            solution[k], solution[other] = x, y
        if change <= CLOSE * largest:
            return True
    return False
