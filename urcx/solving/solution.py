"""Solving a rule set from end to end: in memory, or to a tablebase."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np

from urcx.complexity import tiles
from urcx.engine.compiling import CompiledResult
from urcx.engine.dask import check_shared, is_outside_process
from urcx.engine.files.sealed import Members
from urcx.engine.files.writing import check_target, checked_writing, real_file, remove_parts
from urcx.engine.memory import peak_memory, size_text
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import (
    BusyError,
    OutOfDomainError,
    TablebaseError,
    UsageError,
    WrongObjectError,
    check_booleans,
    check_functions,
    printable,
)
from urcx.reading import as_path
from urcx.results.fields import COUNT, TEXT, Field, Format, fields_of
from urcx.results.numbers import bound_text, percent_text
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.files.header import STORES, describe_rules, rules_of
from urcx.solving.files.kept import COARSEST, is_place, make_place, place_of
from urcx.solving.files.tablebase import ROUNDED, check_store, write_tablebase
from urcx.solving.files.work import WorkStore, check_disk, exclusive, room_to_solve, work_directory
from urcx.solving.general.solver import solve_general
from urcx.solving.layered.order import Layer, LayerOrder, layer_names, order_of
from urcx.solving.layered.solver import BOUND, LayerReport, Solved, check_tolerance, solve_layers
from urcx.solving.layered.stores import MemoryStore, Store
from urcx.sweeps.blocks import Values

__all__ = ["solve"]


@dataclass(frozen=True)
class Solution(CompiledResult, function="solve"):
    """A solved rule set, and the file with its tablebase, if it was written.

    Examples
    --------
    >>> import urcx
    >>> solution = urcx.solve(urcx.ruleset("finkel", pieces=1))
    >>> solution.solved.states, solution.file
    (217, None)
    """

    schema = "urcx.solve/1"
    lists = ("rows",)
    solved: Annotated[
        Solved,
        "the value of the opening with its bounds, and the cost of solving",
        *fields_of(Solved),
    ]
    peak_memory: Annotated[int, Field("peak memory", Format(size_text, COUNT.json), "in bytes")]
    resumed: Annotated[
        int, Field(about="layers taken over from an earlier run", key="resumed_layers")
    ] = 0
    damaged: Annotated[
        tuple[Layer, ...],
        Field(
            about="layers of an earlier run that were solved again",
            key="damaged_layers",
            of=layer_names,
        ),
    ] = ()
    file: Annotated[Path | None, Field("", TEXT, "name of the file, null without one")] = None
    file_size: Annotated[int, Field("", COUNT, "its size in bytes")] = 0
    store: Annotated[str, "the type of the values in the file"] = "f64"
    layers: Annotated[
        dict[Layer, tuple[Values, float]], "the values of all layers if they are still in memory"
    ] = field(default_factory=dict)
    notes: Annotated[
        tuple[str, ...], "where the solution is saved, and which earlier layers were used"
    ] = ()

    @property
    @Field(about="type of the stored values", key="store")
    def stored(self) -> str | None:
        """Return the type of the values in the file, None if there is no file."""
        return None if self.file is None else self.store

    @property
    @Field(
        "error bound in the file",
        BOUND,
        "error bound of the values in the file (bound)",
    )
    def bound(self) -> float | None:
        """The error bound of the probabilities in the file, None if there is no file."""
        return None if self.file is None else self.solved.gap + ROUNDED[self.store]

    @property
    def rows(self) -> tuple[LayerReport, ...]:
        """Return the reports of all layers."""
        return self.solved.layers

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each layer, and one for the game."""
        game = ("states", "sweeps", "seconds", "gap", "opening", "lower", "upper")
        return [
            *({**row, "kind": "layer"} for row in super().records()),
            {**fields_of(Solved).pick(*game).record(self.solved), "kind": "game"},
        ]

    def tables(self) -> list[Table]:
        """Return the value of the opening with its bounds, and the cost of solving."""
        own = fields_of(Solution)
        lines = [*fields_of(Solved).lines(self.solved), *own.pick("peak_memory").lines(self)]
        if self.file is not None and not is_place(self.file):
            written = f"{printable(str(self.file))}, {size_text(self.file_size)}"
            lines += [["written", written], *own.pick("bound").lines(self)]
        notes = ["win probabilities before the first roll; the exact one is between the bounds"]
        return [Table("", ["<", "<value"], lines, notes)]

    @property
    def answer(self) -> str:
        """Return the win probability of the first player, with its proven error bound."""
        solved = self.solved
        return (
            f"{solved.rules.with_pieces}: the first player wins {percent_text(solved.opening)} of "
            f"games under optimal play (proven, ± {bound_text(solved.gap, 2)})"
        )


def solve(  # noqa: PLR0913 - all arguments after the file are keywords
    rules: str | RuleSet = "finkel",
    file: str | Path | bool | None = None,
    *,
    store: str = "f64",
    tolerance: float = 1e-12,
    threads: int | None = None,
    keep: bool = False,
    executor: Executor | None = None,
    layers: str | Path | None = None,
    stage: Stage = no_progress,
) -> Solution:
    """Solve a rule set, with a proven error bound for all values.

    Parameters
    ----------
    rules
        A rule set or its name. ``urcx.ruleset("finkel", pieces=3)`` has another number of pieces.
        `urcx.solving.layered.solver` solves paths that cross no tile twice and are the same for
        both sides, `urcx.solving.general.solver` all others.
    file
        Where to write a tablebase, which only paths of the first kind can have. True saves it where
        other commands and functions find it by its rules (see :doc:`/caches`). While solving,
        finished layers are next to it, and an interrupted run resumes from them.
    store
        The type of the stored values: ``f64``, ``f32`` or ``u16``.
    tolerance
        The greatest allowed distance between the lower and upper bound of a win probability, at
        least `urcx.solving.layered.solver.MIN_TOLERANCE`.
    threads
        By default one for each core.
    keep
        Whether to return the values of all layers if no file is written.
    executor
        An executor that solves the layers instead of threads of this process. ``threads`` is then
        the number per worker. See :doc:`/executors`.
    layers
        A directory for solved layers that all workers share. By default it is next to ``file``, or
        among the temporary files. Without a ``file`` its layers remain.
    stage
        Called when each stage of the work begins.

    Returns
    -------
    Solution

    Raises
    ------
    UnknownNameError, UsageError
        If there is no such rule set or store, the tolerance is out of range, or ``file`` is not
        the name of a file.
    OutOfDomainError
        If the path cannot have a tablebase.
    TooLargeError
        If there is not enough memory.
    TablebaseError
        If the file cannot be written, or the disk has no room for it.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> solution = urcx.solve(short)
    >>> round(solution.solved.opening, 9)
    0.518572907
    >>> solution.solved.upper - solution.solved.lower <= 1e-12
    True
    """
    check_functions(stage=stage)
    check_booleans(keep=keep)
    chosen = catalogue.ruleset(rules)
    if not isinstance(file, str | Path | bool | None):  # such as a number of pieces
        raise WrongObjectError("file", Path, file, "a file name")
    check_store(store)
    tolerance = check_tolerance(tolerance)
    if isinstance(file, bool):
        file = place_of(chosen) if file else None
    if reason := layer_obstacle(chosen):
        if file is not None:
            raise OutOfDomainError(_no_tablebase(chosen, reason))
        if executor is not None or layers is not None:
            raise OutOfDomainError(
                f"{chosen.name} cannot be solved by workers: {reason}. Solve without an executor "
                "and without a directory for layers"
            )
        return _general(chosen, tolerance, stage)
    order = order_of(chosen)
    if file is not None or layers is not None or executor is not None:
        return _by_layers(order, file, layers, store, tolerance, threads, executor, stage)
    states = order.states(order.layers)
    progress = stage(f"solving {chosen.name}", states, "states")
    memory = MemoryStore(keep=keep)
    solved = solve_layers(chosen, memory, tolerance=tolerance, threads=threads, progress=progress)
    return Solution(solved, peak_memory(), layers=memory.layers if keep else {})


def saved(solve_to: Callable[[Path | None], Solution], file: Path | None, why: str) -> Solution:
    """Solve to the file of saved solutions or without a file, with a note on the place or reason.

    ``why`` is the reason if ``file`` is None.
    """
    try:
        solution = solve_to(file)
    except BusyError as error:  # another run writes it
        solution, why = solve_to(None), f"not saved: {error}"
    if solution.file is not None:
        size = size_text(solution.file_size)
        why = f"saved the solution to {solution.file} ({size}); other commands will find it"
    return replace(solution, notes=(*solution.notes, why))


def saved_file(rules: RuleSet, store: str, tolerance: float) -> tuple[Path | None, str]:
    """Return the file in which a solution is saved, or None with the reason why it cannot be."""
    if layer_obstacle(rules):
        return None, f"not saved: the path {rules.path.name} cannot have a tablebase"
    if check_tolerance(tolerance) > COARSEST:
        return None, f"not saved (tolerance above {COARSEST:g}); -o FILE writes it to a file"
    file = place_of(rules)
    try:
        prepare_file(rules, file, layers=None, store=store, tolerance=tolerance)
    except TablebaseError as error:
        return None, f"not saved: {error}; -o FILE writes it elsewhere"
    return file, ""


def _no_tablebase(rules: RuleSet, reason: str) -> str:
    """Return the message that a rule set cannot have a tablebase."""
    return f"{rules.name} cannot have a tablebase: {reason}. Solve without a file"


def _by_layers(
    order: LayerOrder,
    file: str | Path | None,
    layers: str | Path | None,
    store: str,
    tolerance: float,
    threads: int | None,
    executor: Executor | None,
    stage: Stage,
) -> Solution:
    """Solve a rule set from and to a directory of layers, by an executor unless it is None."""
    rules = order.rules
    states = order.states(order.layers)
    file = None if file is None else Path(file)
    if file is not None:
        make_place(file)
        check_target(file)
    rules_of(Members(describe_rules(rules), f"rules {rules.name!r}"))  # before hours of work
    with ExitStack() as stack:
        directory = _layer_directory(file, layers, executor, stack)
        item = np.dtype(STORES[store]).itemsize
        check_disk(rules.name, room_to_solve(states, directory, file, item))
        stack.enter_context(exclusive(directory, own=layers is None))
        if file is not None and layers is None:
            remove_parts(real_file(file), age=0)  # of a killed run: this one has the lock
        work = WorkStore(directory, order, tolerance, lasting=bool(file or layers))
        progress = stage(f"solving {rules.name}", states, "states")
        if executor is None:
            solved = solve_layers(
                rules, work, tolerance=tolerance, threads=threads, progress=progress
            )
        else:
            from urcx.solving.layered.graph import solve_graph

            check_shared(executor, directory)
            solved = solve_graph(
                rules, work, executor, tolerance=tolerance, threads=threads, progress=progress
            )
        size = 0
        if file is not None:
            update = stage(f"writing {file.name}", states, "states")
            size = _write(file, order, work, store, update)
            work.remove()
        resumed, damaged = work.went_on(x.layer for x in solved.layers if x.sweeps)
        notes = [f"{resumed} layers were solved by an earlier run"] if resumed else []
        if damaged:
            names = ", ".join(layer_names(damaged))
            notes += [
                f"layers {names} of the earlier run were wrong, damaged or too old: solved again"
            ]
        return Solution(
            solved, peak_memory(), resumed, damaged, file, size, store, notes=tuple(notes)
        )


def _layer_directory(
    file: Path | None, layers: str | Path | None, executor: Executor | None, stack: ExitStack
) -> Path:
    """Return the absolute path of the directory for layers.

    Raises
    ------
    UsageError
        If workers of a cluster would need a directory that nobody has named.
    """
    if layers is not None:
        return as_path(layers).resolve()
    if file is not None:
        return work_directory(file).resolve()
    if executor is not None and is_outside_process(executor):
        raise UsageError(
            "workers of a cluster need a shared directory for layers: add --layers DIRECTORY, or "
            "-o FILE on a file system that they share"
        )
    return Path(stack.enter_context(TemporaryDirectory(prefix="urcx-layers-")))


def prepare_file(
    rules: RuleSet, file: Path | None, *, layers: Path | None, store: str, tolerance: float
) -> int | None:
    """Check the arguments of `solve`, before anything is computed.

    Return the number of bytes per value in the file, or None without a file. The errors are the
    same as in `solve`.
    """
    check_store(store)
    check_tolerance(tolerance)
    if file is None:
        return None
    make_place(file)
    check_target(file)
    item = np.dtype(STORES[store]).itemsize
    states = tiles.conventions(rules.path, rules.pieces)["diagrams, finished left out"]
    if reason := layer_obstacle(rules):
        raise OutOfDomainError(_no_tablebase(rules, reason))
    directory = work_directory(file) if layers is None else layers
    check_disk(rules.name, room_to_solve(states, directory, file, item))
    return item


def _general(rules: RuleSet, tolerance: float, stage: Stage) -> Solution:
    states = tiles.conventions(rules.path, rules.pieces)["positions, finished left out"]
    update = stage(f"solving {rules.name}", states, "states")
    solved, _, _ = solve_general(rules, tolerance=tolerance, progress=update)
    return Solution(solved, peak_memory())


def _write(
    file: Path, order: LayerOrder, work: Store, store: str, progress: Callable[[int], None]
) -> int:
    def layer(key: Layer) -> tuple[Values, float]:
        result = work.get(key)
        if result is None:
            raise TablebaseError(
                f"layer {key[0]}-{key[1]} has disappeared from the disk. Run the command again"
            )
        return result

    with checked_writing(file, "; the layers are saved, so run the command again"):
        return write_tablebase(file, order, layer, store, progress)
