"""Checks of a solution: that its bytes are intact, and how closely its values solve the game.

The residual, the most that a value changes when it is computed again from its successors, is no
error bound by itself: errors of that size can accumulate over every ply of a game. If a file has no
proven error bound, the game is therefore solved again. This starts from the file's values, which
saves most sweeps, and ends with the certificate of `urcx.solving.layered.certificate`. The bound is
the largest difference between the file and the new solution, plus the error bound of the latter.

A recorded bound can be contradicted by the residual: values with errors of at most b change by at
most 2 b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.errors import TooLargeError
from urcx.solving.files.rgu import RguFile
from urcx.solving.files.tablebase import Tablebase, TablebaseLayers
from urcx.solving.layered.certificate import rounding_of
from urcx.solving.layered.order import Layer
from urcx.solving.layered.pair import LayerPair, Values
from urcx.solving.layered.solver import solve_layers
from urcx.solving.layered.stores import MemoryStore

FINER = 100.0  # the game is solved again to this fraction of the residual
FINEST, COARSEST = 1e-12, 1e-3


@dataclass(frozen=True)
class Checked:
    """The result of a check.

    ``damaged`` layers differ from what was written; if there are any, nothing else is computed.
    ``residual`` is the most that a winning probability changes when every state is computed again
    from its successors. ``bound`` is the error bound of the probabilities: the recorded one or, if
    ``bounded``, the one found by this check; None if it is unknown, for the reason given in
    ``why``. ``contradicted`` means that the recorded bound cannot be true.
    """

    base: Tablebase
    damaged: tuple[Layer, ...]
    residual: float | None = None
    bound: float | None = None
    bounded: bool = False
    why: str = ""

    @property
    def claimed(self) -> float | None:
        """By how much chances changed last, as the maker of an .rgu file says; None elsewhere."""
        return self.base.claimed if isinstance(self.base, RguFile) else None

    @property
    def contradicted(self) -> bool:
        """Whether values change more than the recorded bound allows."""
        if self.residual is None or self.bound is None or self.bounded:
            return False
        most = 2.0 * self.bound + rounding_of(self.base.order.tables.chance)
        return not self.residual <= most


def check_tablebase(
    base: Tablebase, *, threads: int | None = None, stage: Stage = silent
) -> Checked:
    """Verify all checksums, compute every state again, and bound values of unknown precision.

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
    if damaged:
        return Checked(base, tuple(damaged))
    update = stage("computing every state again", states, "states")
    residual = 0.0
    done = 0
    layers = TablebaseLayers(base)
    for pair_layers in order.pairs:
        pair = LayerPair(order, pair_layers, chosen_threads(threads), grouped=True)
        values, _ = pair.solved(layers)
        residual = max(residual, *pair.sweep(values, kept=False))
        done += pair.states
        update(done)
    residual /= 2.0
    if base.bound is not None:
        return Checked(base, (), residual, base.bound)
    try:
        update = stage("solving it again, to bound its values", states, "states")
        found = _bound(base, residual, threads, update)
    except TooLargeError as error:
        return Checked(base, (), residual, why=str(error))
    return Checked(base, (), residual, found, bounded=True)


def _bound(
    base: Tablebase, residual: float, threads: int | None, progress: Callable[[int], None]
) -> float:
    tolerance = min(max(residual / FINER, FINEST), COARSEST)
    start = TablebaseLayers(base)
    compared = _Comparison(start)
    solve_layers(
        base.rules, compared, tolerance=tolerance, threads=threads, progress=progress, start=start
    )
    return compared.bound


class _Comparison(MemoryStore):
    """A store that compares the layers put into it with a file's values."""

    def __init__(self, given: TablebaseLayers) -> None:
        super().__init__(keep=False)
        self.given = given
        self.bound = 0.0

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Store a layer's values and gap, and update the file's error bound."""
        super().put(layer, values, gap)
        given, _ = self.given.get(layer)
        given -= values
        np.abs(given, out=given)
        # Difference and sum each have a rounding error of at most 2^-54.
        self.bound = max(self.bound, float(given.max()) + gap + 2.0**-52)


def record(found: Checked, progress: Callable[[int], None] | None = None) -> Path | None:
    """Record the bound found for another program's file in a proof beside it; return its path.

    Returns None if there is nothing to record. Raises `OSError`.
    """
    base = found.base
    if not found.bounded or found.bound is None or not isinstance(base, RguFile):
        return None
    return base.prove(found.bound, progress)
