"""Checks of a solution: whether its bytes are intact, and how closely its values solve the game.

The residual is the greatest change of a value when it is computed again from its successors. By
itself it is not an error bound, because errors of that size can accumulate over every ply of a
game. If a file has no proven error bound, the game is therefore solved again. This solve starts
from the file's values, which saves most sweeps, and ends with the certificate of
`urcx.solving.layered.certificate`. The bound is the largest difference between the file and the new
solution, plus the error bound of the new solution.

The residual can contradict a recorded bound: values with errors of at most b change by at most 2 b.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np

from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import TooLargeError, check_booleans, check_functions, printable
from urcx.results.fields import TEXT, Field, fields_of
from urcx.results.numbers import bound_text, number
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.solving.closeness import Closeness, closeness
from urcx.solving.files.rgu import RguFile, open_solution
from urcx.solving.files.tablebase import (
    CHECK_SCHEMA,
    OFF_BY,
    Tablebase,
    TablebaseLayers,
    open_tablebase,
    precision,
)
from urcx.solving.independent import IndependentCheck, check_independently
from urcx.solving.layered.certificate import rounding_of
from urcx.solving.layered.order import Layer, layer_names
from urcx.solving.layered.pair import LayerPair
from urcx.solving.layered.solver import solve_layers
from urcx.solving.layered.stores import MemoryStore
from urcx.sweeps.blocks import Values

__all__ = ["check"]

FINER = 100.0  # the game is solved again to this fraction of the residual
FINEST, COARSEST = 1e-12, 1e-3


@dataclass(frozen=True)
class Checked(Result, function="check"):
    """The result of a check. If a layer is damaged, the result is only the damage."""

    schema = CHECK_SCHEMA
    base: Annotated[
        Tablebase,
        Field("", TEXT, "name of the file", key="file", of="file"),
        Field(about="name of its rule set", key="rules", of="rules.name"),
        Field(about="type of the stored values", key="store", of="store"),
        Field(about="error bound of the values before they were stored", key="gap", of="gap"),
    ]
    damaged: Annotated[
        tuple[Layer, ...],
        Field(
            about="layers that differ from their checksums", key="damaged_layers", of=layer_names
        ),
    ]
    residual: Annotated[
        float | None, Field(about="greatest change of a value when computed again")
    ] = None
    bound: Annotated[
        float | None, Field(about="error bound of the values, null if unknown (bound)")
    ] = None
    bounded: Annotated[bool, "whether this check computed the bound"] = False
    why: Annotated[str, "the reason if the bound is unknown"] = ""
    near: Annotated[
        Closeness | None, "the action gaps, None for a damaged file", *fields_of(Closeness)
    ] = None

    @property
    @Field(about="check if this check computed the bound, record if the file has it", after="bound")
    def bounded_by(self) -> str | None:
        """Return the origin of the bound, None if the bound is unknown."""
        return None if self.bound is None else "check" if self.bounded else "record"

    @property
    @Field(about="whether the recorded bound cannot be true")
    def contradicted(self) -> bool:
        """Return whether values change more than the recorded bound allows."""
        if self.residual is None or self.bound is None or self.bounded:
            return False
        most = 2.0 * self.bound + rounding_of(self.base.order.tables.chance)
        return not self.residual <= most

    @property
    @Field(about="last change of the values, as an .rgu file states it", key="last_change")
    def claimed(self) -> float | None:
        """Return the last change of the values that an .rgu file states, None for other files."""
        return self.base.claimed if isinstance(self.base, RguFile) else None

    def tables(self) -> list[Table]:
        """Return the precision of the file, with its action gaps unless it is damaged."""
        lines = [*self.base.recorded]
        if self.claimed is not None:
            lines.append(["last change, as the file states", f"{self.claimed:.2e}"])
        notes = []
        if self.damaged:
            every = len(self.damaged) >= len(self.base.order.layers) > 1
            names = "all, or unknown" if every else ", ".join(layer_names(self.damaged))
            lines.append(["damaged layers", names])
            notes.append("the values of a damaged file are not checked")
        else:
            lines += self._sound(self.near)
            notes += [
                "residual: the greatest change of a value when it is computed again once",
                (
                    "moves are compared as stored: f32, u16 and percent16 make some values equal "
                    "that differ before rounding"
                ),
            ]
            if self.bound is not None:
                apart = bound_text(2.0 * self.bound)
                notes.append(
                    f"if two moves differ by less than {apart}, either may be the better one"
                )
        warnings = []
        if self.contradicted:
            warnings = ["the recorded error bound is wrong: the values change by more than it"]
        if self.why:
            warnings.append(f"error bound unknown: {printable(self.why)}")
        return [Table("", ["<", "<"], lines, [*warnings, *notes])]

    @property
    def answer(self) -> str:
        """Return the error bound of the file, or its damage."""
        verdict = f"all values are proven (± {precision(self.bound)}), and no layer is damaged"
        if self.damaged:
            verdict = f"{len(self.damaged)} of {len(self.base.order.layers)} layers are damaged. "
            verdict += f"Make it again with {self.base.writer}"
        elif self.contradicted:
            verdict = "no layer is damaged, but the recorded error bound is wrong"
        elif self.bound is None:
            verdict = "no layer is damaged; the error bound is unknown"
        return f"{printable(str(self.base.file))}, {self.base.rules.with_pieces}: {verdict}"

    def _sound(self, near: Closeness | None) -> list[list[str]]:
        """Return the results of a check of an undamaged file."""
        assert near is not None
        how = "" if self.bound is None else ", computed now" if self.bounded else ", as recorded"
        closest = "none"
        if near.least is not None and near.position is not None:
            place = near.position.on(self.base.rules.path)
            closest = f"{near.least:.2e}, in {place} with roll {near.roll}"
        return [
            [OFF_BY, precision(self.bound) + how],
            ["damaged layers", "none"],
            ["residual", f"{self.residual:.2e}"],
            ["states and rolls with a choice of moves", number(near.choices)],
            ["best two moves equally good", number(near.equal)],
            ["best two moves closer than 1e-4", number(near.within[1e-4])],
            ["smallest action gap above 0", closest],
        ]


def check(
    file: str | Path,
    *,
    independent: bool = False,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Checked | IndependentCheck:
    """Check a solution: its bytes, the residual of a sweep, and ties between moves.

    Parameters
    ----------
    file
        A tablebase of ``urcx solve``, or an .rgu file. The error bound of an .rgu file is computed,
        which takes as long as solving the game.
    independent
        Whether to prove a tablebase by urcx-check instead, a separate program in C, which is
        compiled first.
    threads
        By default as many as there are cores.
    stage
        Called when each part of the work begins.

    Returns
    -------
    urcx.solving.checking.Checked or urcx.solving.independent.IndependentCheck

    Raises
    ------
    TablebaseError
        If the file cannot be read, or urcx-check cannot prove it.
    UrcxError
        If there is no C compiler for urcx-check.

    Examples
    --------
    >>> import tempfile, urcx
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     file = f"{directory}/finkel-1.urcx"
    ...     solution = urcx.solve(urcx.ruleset("finkel", pieces=1), file)
    ...     checked = urcx.check(file)
    >>> checked.damaged, checked.residual < 1e-12
    ((), True)
    """
    check_functions(stage=stage)
    check_booleans(independent=independent)
    if independent:
        with open_tablebase(file) as base:
            return check_independently(base, threads=threads, stage=stage)
    with open_solution(file) as base:
        checked = check_tablebase(base, threads=threads, stage=stage)
        if checked.damaged:
            return checked
        near = closeness(base.order, TablebaseLayers(base), threads=threads, stage=stage)
        return replace(checked, near=near)


def check_tablebase(
    base: Tablebase, *, threads: int | None = None, stage: Stage = no_progress
) -> Checked:
    """Verify all checksums, compute every state again, and bound values of unknown precision.

    Raises
    ------
    TablebaseError
        If a layer is not in the file.
    """
    order = base.order
    states = order.states(order.layers)
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
        bound = _bound(base, residual, threads, update)
    except TooLargeError as error:
        return Checked(base, (), residual, why=str(error))
    return Checked(base, (), residual, bound, bounded=True)


def _bound(
    base: Tablebase, residual: float, threads: int | None, progress: Callable[[int], None]
) -> float:
    """Solve the game again from a file's values, and return the error bound of the file."""
    tolerance = min(max(residual / FINER, FINEST), COARSEST)
    start = TablebaseLayers(base)
    compared = _Comparison(start)
    solve_layers(
        base.rules, compared, tolerance=tolerance, threads=threads, progress=progress, start=start
    )
    return compared.bound


class _Comparison(MemoryStore):
    """A store that compares the layers put into it with a file's values."""

    def __init__(self, layers: TablebaseLayers) -> None:
        super().__init__(keep=False)
        self.stored = layers
        self.bound = 0.0

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Store a layer's values and gap, and update the file's error bound."""
        super().put(layer, values, gap)
        errors, _ = self.stored.get(layer)
        errors -= values
        np.abs(errors, out=errors)
        # Difference and sum each have a rounding error of at most 2^-54.
        self.bound = max(self.bound, float(errors.max()) + gap + 2.0**-52)
