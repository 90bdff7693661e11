# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernel that writes observations. `urcx.contrib.envs.states` describes their layout."""

from __future__ import annotations

from urcx.engine.jit import inlined
from urcx.engine.move_kernels import LENGTH, PIECES, popcount

COUNTS = 4  # pools and homes


@inlined
def longest_way(ways):
    """Return the number of steps of the longer way."""
    return max(ways[0, LENGTH], ways[1, LENGTH])


@inlined
def write_observation(ways, rolls, boards, homes, roll, moving, light, out):
    """Write a player's observation to ``out``. ``roll`` is below 0 before the dice are rolled.

    ``boards`` and ``homes`` have the player's values first, then the other player's.
    """
    length, pieces = longest_way(ways), ways[0, PIECES]
    out[:] = 0
    at = 2 * length
    for k in range(2):
        for step in range(length):
            out[k * length + step] = (boards[k] >> step) & 1
        out[at + k] = (pieces - popcount(boards[k]) - homes[k]) / pieces
        out[at + 2 + k] = homes[k] / pieces
    at += COUNTS
    for r in range(rolls.shape[0]):
        out[at + r] = rolls[r] == roll
    at += rolls.shape[0]
    out[at] = moving
    if out.shape[0] > at + 1:
        out[at + 1] = light
