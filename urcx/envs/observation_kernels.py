# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernel that writes what a player sees; `urcx.envs.states` has the layout."""

from __future__ import annotations

from urcx.engine.bit_kernels import popcount
from urcx.engine.jit import inlined

COUNTS = 4  # pools and homes


@inlined
def write_observation(
    length, pieces, rolls, own, other, own_home, other_home, roll, moving, light, out
):
    """Write a player's observation to ``out``; ``roll`` is below 0 before the dice are rolled."""
    out[:] = 0
    for k in range(length):
        out[k] = (own >> k) & 1
        out[length + k] = (other >> k) & 1
    at = 2 * length
    out[at] = (pieces - popcount(own) - own_home) / pieces
    out[at + 1] = (pieces - popcount(other) - other_home) / pieces
    out[at + 2] = own_home / pieces
    out[at + 3] = other_home / pieces
    at += COUNTS
    for r in range(rolls.shape[0]):
        out[at + r] = rolls[r] == roll
    at += rolls.shape[0]
    out[at] = moving
    if out.shape[0] > at + 1:
        out[at + 1] = light
