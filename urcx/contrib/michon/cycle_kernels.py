# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that find the undecided states of Michon's procedure that lie on cycles."""

from __future__ import annotations

import numpy as np

from urcx.contrib.michon.nalimov_kernels import (
    CYCLE,
    after_move,
    nalimov_view,
    partner_of,
)
from urcx.engine.jit import lean, njit
from urcx.engine.move_kernels import PIECES, legal_starts, lowest, popcount


@lean
def links(order, ways, rolls, codes, nodes, node, partners, first_link, ends):
    """Write the undecided successors of ``nodes``; return their number.

    ``node[state]`` numbers the undecided states and is -1 for the others. A pass leads to the
    partner, which is written to ``partners`` as a node or -1. A state that is its own successor
    after a move gets the mark `CYCLE`. If ``ends`` is empty, the successors are only counted.
    """
    n = np.int64(0)
    room = ends.shape[0]
    for k in range(nodes.shape[0]):
        state = nodes[k]
        own, own_home, other, other_home, side = nalimov_view(order, state)
        partner = partner_of(order, own, own_home, other, other_home, side)
        partners[k] = node[partner]
        if room:
            first_link[k] = n
        pool = ways[side, PIECES] - popcount(own) - own_home
        passes = False
        for r in range(rolls.shape[0]):
            left = legal_starts(ways, side, pool, own, other, rolls[r])
            passes |= left == 0
            while left:
                start = lowest(left)
                left &= left - 1
                to, _ = after_move(
                    order, ways, own, own_home, other, other_home, side, start, rolls[r]
                )
                if to < 0:
                    continue
                if to == state:
                    codes[state] |= CYCLE
                if node[to] >= 0:
                    if room:
                        ends[n] = node[to]
                    n += 1
        if passes and node[partner] >= 0:
            if room:
                ends[n] = node[partner]
            n += 1
    if room:
        first_link[nodes.shape[0]] = n
    return n


@njit
def components(first_link, ends, component):
    """Write the strongly connected component of every node; return the number of components.

    R. Tarjan's algorithm (1972), without recursion.
    """
    n = component.shape[0]
    index = np.full(n, -1, np.int32)
    low = np.empty(n, np.int32)
    at = np.empty(n, np.int64)  # the next link of a node on the stack
    stack = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    count = np.int32(0)
    top = 0
    found = np.int32(0)
    for root in range(n):
        if index[root] >= 0:
            continue
        depth = 0
        path[0] = root
        index[root] = low[root] = count
        at[root] = first_link[root]
        count += 1
        stack[top] = root
        top += 1
        component[root] = -1
        while depth >= 0:
            v = path[depth]
            if at[v] < first_link[v + 1]:
                w = ends[at[v]]
                at[v] += 1
                if index[w] < 0:
                    index[w] = low[w] = count
                    at[w] = first_link[w]
                    count += 1
                    stack[top] = w
                    top += 1
                    component[w] = -1
                    depth += 1
                    path[depth] = w
                elif component[w] < 0:
                    low[v] = min(low[v], index[w])
                continue
            if low[v] == index[v]:
                while True:
                    top -= 1
                    component[stack[top]] = found
                    if stack[top] == v:
                        break
                found += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[v])
    return found


@lean
def mark_cycle_states(nodes, partners, component, sizes, codes):
    """Mark states whose component has a state of another diagram."""
    for k in range(nodes.shape[0]):
        size = sizes[component[k]]
        pair = partners[k] >= 0 and partners[k] != k and component[partners[k]] == component[k]
        if size > 1 + pair:
            codes[nodes[k]] |= CYCLE
