# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The kernel of the proof that a ranking is a bijection."""

from __future__ import annotations

from urcx.engine.jit import njit


@njit
def mark_ranks(ranks, seen):
    """Mark ranks in ``seen``, 1 for once, 2 for more than once. Count the ranks out of range."""
    outside = 0
    for rank in ranks.flat:
        if 0 <= rank < seen.shape[0]:
            seen[rank] = 1 if seen[rank] == 0 else 2
        else:
            outside += 1
    return outside
