"""Checking a solution: whether its bytes are as written, its values solve the game, and how well.

By how much values change when they are computed once more, the residual, bounds nothing by itself:
a value may be off by as much in every ply that a game lasts. So the values of a file that says
nothing, or nothing proven, of how far it is from the truth are bounded by solving the game again.
That begins with the file's values, which saves most sweeps, and ends with the certificate of
`urcx.solving.layered.solver`; how far the file is from what comes out, and that from the truth, is
the bound.

Where a bound is recorded, the residual can contradict it: values that are off by b at most change
by 2 b at most.
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
from urcx.solving.layered.order import Layer
from urcx.solving.layered.pair import LayerPair, Values
from urcx.solving.layered.solver import MemoryStore, rounding_of, solve_layers

FINER = 100.0  # times than the residual: how closely the game is solved for a bound
FINEST, COARSEST = 1e-12, 1e-3


@dataclass(frozen=True)
class Checked:
    """What a check found.

    ``damaged`` layers are not as they were written; then nothing else is computed. ``residual`` is
    the most that a chance of winning changes when every state is computed again from the others,
    once. ``bound`` is how far a chance is from the truth at most: as it was recorded, or if
    ``bounded``, as it was found now; None if it is unknown, ``why`` saying why. ``contradicted``
    says that the bound recorded cannot be true.
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
        """Whether values change more than the bound recorded allows."""
        if self.residual is None or self.bound is None or self.bounded:
            return False
        most = 2.0 * self.bound + rounding_of(self.base.order.tables.chance)
        return not self.residual <= most


def check_tablebase(
    base: Tablebase, *, threads: int | None = None, stage: Stage = silent
) -> Checked:
    """Compare all checksums, compute every state once more, and bound values of unknown precision.

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
        pair = LayerPair(order, pair_layers, chosen_threads(threads))
        values, _ = pair.solved(layers)
        residual = max(residual, *pair.sweep(values, values))
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
    """A store that compares what it is given with a file's values."""

    def __init__(self, given: TablebaseLayers) -> None:
        super().__init__(keep=False)
        self.given = given
        self.bound = 0.0

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Keep a layer's values and gap, and how far the file can be from the truth there."""
        super().put(layer, values, gap)
        given, _ = self.given.get(layer)
        given -= values
        np.abs(given, out=given)
        # The difference is rounded by 2^-54 at most, and so is the sum.
        self.bound = max(self.bound, float(given.max()) + gap + 2.0**-52)


def record(found: Checked, progress: Callable[[int], None] | None = None) -> Path | None:
    """Write down the bound found for another program's file in a proof beside it, and return where.

    None if there is nothing to write down. Raises `OSError`.
    """
    base = found.base
    if not found.bounded or found.bound is None or not isinstance(base, RguFile):
        return None
    return base.prove(found.bound, progress)
