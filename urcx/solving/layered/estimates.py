"""Estimates of the memory for a solution, and the number of rows of states of layers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from urcx.engine.threads import chosen_threads
from urcx.solving.layered.convergence import span_of
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.sweeps.blocks import PARTS

OPS_A_ROLL, HUGE_PAGE = 7.5, 1 << 21  # words per row and roll that moves, bytes


def memory_needed(order: LayerOrder) -> int:
    """Return the most bytes that solving takes, including the later layers that it reads."""
    most = 0
    pieces = order.rules.pieces
    for layers in order.pairs:
        states = order.states(layers)
        beyond = order.beyond(layers)
        rows = rows_of(order, layers)
        movable = min(max(pieces - i for i, _ in layers), order.rules.path.length + 1)
        most_ops = len(order.tables.rolls) * (1 + movable)
        # Each part of a program begins on its own page.
        programs = min(
            4 * rows * ops_a_row(order) + PARTS * chosen_threads(None) * HUGE_PAGE,
            4 * rows * most_ops,
        )
        values = 8 * (2 * states + beyond)
        # The last half of a sweep, of which changes are stored.
        half, span = states // len(layers), span_of(states, layers)
        sweeping = max(8 * beyond, 4 * span * half, 4 * states + 4 * half)
        storing = 12 * states  # the excess and both layers; programs are freed by then
        most = max(most, values + max(programs + sweeping, storing))
    tables = 8 * order.patterns * 40
    return int(most + tables) + 200_000_000


def ops_a_row(order: LayerOrder) -> int:
    """Return an estimate of the words in a row's part of a program."""
    return int(OPS_A_ROLL * np.count_nonzero(order.tables.rolls))


def rows_of(order: LayerOrder, layers: Iterable[Layer]) -> int:
    """Return the number of rows of several layers."""
    return sum(order.extent(layer)[0] for layer in layers)
