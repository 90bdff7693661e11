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
    """The result of a check; if a layer is damaged, nothing else is computed."""

    schema = CHECK_SCHEMA
    base: Annotated[
        Tablebase,
        Field("", TEXT, "name of the file", key="file", of="file"),
        Field(about="name of its rule set", key="rules", of="rules.name"),
        Field(about="how values are stored", key="store", of="store"),
        Field(about="how far values were off before they were stored", key="gap", of="gap"),
    ]
    damaged: Annotated[
        tuple[Layer, ...],
        Field(
            about="layers that are not as they were written", key="damaged_layers", of=layer_names
        ),
    ]
    residual: Annotated[
        float | None, Field(about="most that a value changes when computed again")
    ] = None
    bound: Annotated[
        float | None, Field(about="how far a value is off at most, null if unknown (bound)")
    ] = None
    bounded: Annotated[bool, "whether the bound was found by this check"] = False
    why: Annotated[str, "why the bound is unknown"] = ""
    near: Annotated[
        Closeness | None, "the action gaps, None of a damaged file", *fields_of(Closeness)
    ] = None

    @property
    @Field(about="check if the bound was found now, record if it was recorded", after="bound")
    def bounded_by(self) -> str | None:
        """Return where the bound is from, None if it is unknown."""
        return None if self.bound is None else "check" if self.bounded else "record"

    @property
    @Field(about="whether the bound recorded cannot be true")
    def contradicted(self) -> bool:
        """Whether values change more than the recorded bound allows."""
        if self.residual is None or self.bound is None or self.bounded:
            return False
        most = 2.0 * self.bound + rounding_of(self.base.order.tables.chance)
        return not self.residual <= most

    @property
    @Field(about="of an .rgu file: as its maker says", key="last_change")
    def claimed(self) -> float | None:
        """By how much chances changed last, as the maker of an .rgu file says; None elsewhere."""
        return self.base.claimed if isinstance(self.base, RguFile) else None

    def tables(self) -> list[Table]:
        """Return what is known of the file, with its action gaps unless it is damaged."""
        lines = [*self.base.recorded]
        if self.claimed is not None:
            lines.append(["last change, as its maker says", f"{self.claimed:.2e}"])
        notes = []
        if self.damaged:
            every = len(self.damaged) >= len(self.base.order.layers) > 1
            names = (
                "all, or it is not known which" if every else ", ".join(layer_names(self.damaged))
            )
            lines.append(["damaged layers", names])
            notes.append("damaged values are not looked at any further")
        else:
            lines += self._sound(self.near)
            notes += [
                (
                    "residual: the most that a chance changes when computed again from the others, "
                    "once"
                ),
                (
                    "moves are compared as stored: in f32, u16, percent16 some are equal that are "
                    "not in truth"
                ),
            ]
            if self.bound is not None:
                apart = bound_text(2.0 * self.bound)
                notes.append(
                    f"moves that differ by less than {apart} may in truth lie the other way"
                )
        warnings = []
        if self.contradicted:
            warnings = ["what is recorded cannot be true: values off by so little change by less"]
        if self.why:
            warnings.append(f"unknown, since {printable(self.why)}")
        return [Table("", ["<", "<"], lines, [*warnings, *notes])]

    @property
    def answer(self) -> str:
        """Return how far a value is off, or what is wrong with the file."""
        found = f"any value is off by at most {precision(self.bound)}, and no layer is damaged"
        if self.damaged:
            found = f"damaged, in {len(self.damaged)} of {len(self.base.order.layers)} layers; "
            found += f"{self.base.writer} writes it again"
        elif self.contradicted:
            found = "what is recorded of its precision cannot be true"
        return f"{printable(str(self.base.file))}, {self.base.rules.with_pieces}: {found}"

    def _sound(self, near: Closeness | None) -> list[list[str]]:
        """Return the results of a check of an undamaged file."""
        assert near is not None
        how = "" if self.bound is None else ", found now" if self.bounded else ", as recorded"
        closest = "none"
        if near.least is not None and near.position is not None:
            place = near.position.on(self.base.rules.path)
            closest = f"{near.least:.2e}, in {place} with roll {near.roll}"
        return [
            [OFF_BY, precision(self.bound) + how],
            ["damaged layers", "none"],
            ["residual", f"{self.residual:.2e}"],
            ["states and rolls that leave a choice", number(near.choices)],
            ["with the best two moves equally good", number(near.equal)],
            ["with less than 1e-4 between them", number(near.within[1e-4])],
            ["least difference otherwise", closest],
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
        A tablebase of ``urcx solve``, or an .rgu file, whose error bound is computed, which takes
        as long as to solve it.
    independent
        Prove a tablebase by urcx-check instead, a program of its own in C, which is compiled first.
    threads
        By default as many as there are cores.
    stage
        What to call as each part of the work begins.

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
    ...     found = urcx.check(file)
    >>> found.damaged, found.residual < 1e-12
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

    def __init__(self, value: TablebaseLayers) -> None:
        super().__init__(keep=False)
        self.given = value
        self.bound = 0.0

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Store a layer's values and gap, and update the file's error bound."""
        super().put(layer, values, gap)
        given, _ = self.given.get(layer)
        given -= values
        np.abs(given, out=given)
        # Difference and sum each have a rounding error of at most 2^-54.
        self.bound = max(self.bound, float(given.max()) + gap + 2.0**-52)
