"""Checking a tablebase: whether its bytes are as written, and whether its values solve the game."""

from __future__ import annotations

from dataclasses import dataclass

from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.solve.layer_pair import LayerPair
from urcx.solve.order import Layer
from urcx.solve.tablebase import Tablebase, TablebaseLayers


@dataclass(frozen=True)
class Checked:
    """What a check found.

    ``damaged`` layers have bytes that do not fit their checksum. ``residual`` is the most that a
    chance of winning changes when every state is computed again from the others, once.
    """

    base: Tablebase
    damaged: tuple[Layer, ...]
    residual: float


def check_tablebase(
    base: Tablebase, *, threads: int | None = None, stage: Stage = silent
) -> Checked:
    """Compare all checksums, and compute every state once more.

    Raises
    ------
    TablebaseError
        If a layer is not in the file.
    """
    order = base.order
    states = sum(order.size(layer) for layer in order.layers)
    update = stage("checksums", states, "states")
    damaged = []
    done = 0
    for layer, wrong in base.damaged():
        damaged += [layer] if wrong else []
        done += order.size(layer)
        update(done)
    update = stage("computing every state again", states, "states")
    residual = 0.0
    done = 0
    layers = TablebaseLayers(base)
    for pair_layers in order.pairs:
        pair = LayerPair(order, pair_layers, chosen_threads(threads))
        values, _ = pair.solved(layers)
        residual = max(residual, *pair.sweep(values, values))
        done += pair.states
        update(done)
    return Checked(base, tuple(damaged), residual / 2.0)
