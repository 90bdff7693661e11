# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels of the moves that agents choose in all states of a layer.

An agent's moves are computed once: for every roll its equally good best moves, as a mask over the
legal moves from the least advanced piece on. Agents that consider only the shared tiles and their
own pieces have one mask per row, other agents one mask per state.
"""

from __future__ import annotations

import numpy as np

from urcx.agents.agent_kernels import break_ties, candidates, share_of
from urcx.agents.answer_kernels import write_shares
from urcx.engine.jit import lean, njit
from urcx.engine.move_kernels import PIECES, legal_starts, popcount
from urcx.sweeps.layout_kernels import MARGIN


@lean
def played(policy, ways, side, legal, roll, own, own_home, other, other_home):
    """Return the moves that an agent may play, as a mask of starts."""
    if legal & (legal - 1) == 0 or share_of(policy) > 0.0:
        return legal
    best = candidates(policy, ways, side, legal, roll, own, own_home, other, other_home)
    return break_ties(best, policy.ties)


@lean
def chosen_moves(policy, ways, side, legal, roll, own, own_home, other, other_home):
    """Return the moves an agent plays with equal probability, as a mask over the legal moves."""
    best = played(policy, ways, side, legal, roll, own, own_home, other, other_home)
    result = np.int64(0)
    bit = np.int64(1)
    while legal:
        if best & legal & -legal:
            result |= bit
        bit <<= 1
        legal &= legal - 1
    return result


@njit
def choose_pair(policy, diagrams, rows, picks, first, last):
    """Write an agent's moves in some patterns to `urcx.sweeps.layout_kernels.Picks`.

    ``rows`` are the configurations' rows. Entries with fewer than two legal moves are not written.
    """
    ways, table, rolls = diagrams.ways, diagrams.table, diagrams.rolls
    mask = diagrams.mask
    any_of, masks = picks.any_of, picks.masks
    pieces = ways[0, PIECES]
    for t in range(first, last):
        light = table.lane[0, diagrams.patterns[t]]
        dark = table.lane[1, diagrams.patterns[t]]
        layer = diagrams.layer_of[t]
        home, other_home = diagrams.homes[layer, 0], diagrams.homes[layer, 1]
        height = rows.rows[t]
        width = rows.columns[t]
        for a in range(height):
            own = light | table.own_steps[0, mask[height - 1 - a]]
            pool = pieces - popcount(own) - home
            at = MARGIN + rows.begin[t] + a * width
            for r in range(rolls.shape[0]):
                legal = legal_starts(ways, 0, pool, own, dark, rolls[r])
                if legal & (legal - 1) == 0:
                    continue
                if picks.by_row:
                    any_of[r, rows.first_row[t] + a] = chosen_moves(
                        policy, ways, 0, legal, rolls[r], own, home, dark, other_home
                    )
                    continue
                for c in range(width):
                    other = dark | table.own_steps[1, mask[width - 1 - c]]
                    place = r * picks.stride + at + c
                    masks[place] = chosen_moves(
                        policy, ways, 0, legal, rolls[r], own, home, other, other_home
                    )
                    if picks.shares.shape[0] > 0:
                        write_shares(
                            policy, 0, rolls[r], own, home, other, other_home,
                            picks.shares[place :: masks.shape[0]],
                        )  # fmt: skip
