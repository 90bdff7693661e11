# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels for what perfect play says of the moves of a decision.

A decision is a roll with two or more legal moves.
"""

from __future__ import annotations

from urcx.agents.agent_kernels import pick_chance
from urcx.engine.bit_kernels import lowest
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import PIECES, make_move


@inlined
def chance_after(perfect, ways, side, own, own_home, other, other_home, start, roll):
    """Return the mover's chance of winning after a move, under perfect play."""
    mine, theirs, home, again = make_move(ways, side, own, other, own_home, start, start + roll)
    if home == ways[side, PIECES]:
        return 1.0
    if again:
        return pick_chance(perfect, side, mine, home, theirs, other_home) / perfect.certain
    return 1.0 - pick_chance(perfect, 1 - side, theirs, other_home, mine, home) / perfect.certain


@lean
def chances_after(perfect, ways, ply, chances):
    """Write the mover's chance of winning after each legal move, from the least advanced piece on.

    ``ply`` is a `urcx.games.game_kernels.Rolled`. Returns the number of moves.
    """
    moves = 0
    left = ply.legal
    while left:
        chances[moves] = chance_after(
            perfect, ways, ply.side, ply.own, ply.own_home, ply.other, ply.other_home,
            lowest(left), ply.roll,
        )  # fmt: skip
        left &= left - 1
        moves += 1
    return moves
