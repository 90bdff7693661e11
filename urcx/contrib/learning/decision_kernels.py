# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for what perfect play says of the moves of a decision.

A decision is a roll with two or more legal moves.
"""

from __future__ import annotations

from urcx.agents.agent_kernels import value_by_solution
from urcx.engine.jit import lean
from urcx.engine.move_kernels import lowest


@lean
def chances_after(perfect, ways, ply, chances):
    """Write the mover's chance of winning after each legal move, from the least advanced piece on.

    ``ply`` is a `urcx.games.game_kernels.Rolled`. Returns the number of moves.
    """
    moves = 0
    left = ply.legal
    while left:
        value = value_by_solution(
            perfect, ways, ply.side, ply.own, ply.own_home, ply.other, ply.other_home,
            lowest(left), ply.roll,
        )  # fmt: skip
        chances[moves] = value / perfect.certain
        left &= left - 1
        moves += 1
    return moves
