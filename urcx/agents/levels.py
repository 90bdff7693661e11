"""Value tables: the depth-limited values of all states, computed level by level.

Level k holds V_k of `urcx.agents.search` for every diagram, computed from level k - 1 by one
sweep in the order by shared pattern (kernels and layout: `urcx.agents.level_kernels`). An agent of
depth d then plays by looking up level d - 1. The values are identical to those of the tree search.
Paths must be crossed once and alike for both sides.

Finished levels are stored in the cache directory as sealed files (`urcx.engine.files.sealed`),
named by a hash of all that they depend on, and verified before use.
"""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents import level_kernels
from urcx.agents.search import Lookahead
from urcx.engine.files.cache import level_directory
from urcx.engine.files.sealed import SealedFile, let_go, seal
from urcx.engine.memory import available_memory, check_memory, size_text
from urcx.engine.moves import tables
from urcx.engine.threads import chosen_threads, for_chunks
from urcx.enumerate.rankings.pattern_kernels import PatternTables
from urcx.enumerate.rankings.ranking import PatternRanking, layer_obstacle
from urcx.errors import OutOfDomainError, TablebaseError, TooLargeError
from urcx.rules.model import RuleSet
from urcx.solving.files.header import describe_rules, digest
from urcx.solving.layered.order import Layer, LayerOrder

KIND = b"urcx-lv\n"
FORMAT = 2  # of the cached files; changes with the order of states or the meaning of values
IN_CACHE = 1 << 17  # values read at a time: a whole number of blocks of a file, some hundred kB
SCRATCH = 50_000_000  # bytes beside the two levels in memory
INT32 = 2**31 - 1
EXACT = 2.0**53  # up to which floats hold all whole numbers

Progress = Callable[[int], None]
Values = NDArray[np.int32] | NDArray[np.int64]
Leaves = Callable[[int, int, int, Values], None]  # thread, first and last pattern, where to write


class LeafWorth(NamedTuple):
    """Leaf evaluation for kernels: the values of a piece home, a win, and the centre rosette."""

    home: int
    won: int
    centre: int


@dataclass(frozen=True)
class ValueTable:
    """V_k of every diagram with dark to move, seen from light, times the level's scale.

    ``values[d]`` belongs to rank d in the order by shared pattern, ``table``. ``file`` is the cache
    file, if there is one; ``new`` means that the values were computed by this call.
    """

    values: Values
    table: PatternTables
    file: Path | None
    new: bool


@lru_cache(maxsize=1)
def ranking_for(rules: RuleSet) -> PatternRanking:
    """Return the ranking that orders the levels of a rule set.

    Raises
    ------
    OutOfDomainError
        If the path has no order by shared pattern, or is not alike for both sides.
    """
    if reason := layer_obstacle(rules):
        raise OutOfDomainError(f"there are no levels: {reason}")
    return PatternRanking(rules.path, rules.pieces, None, "diagrams")


def value_type(look: Lookahead) -> type[np.int32 | np.int64]:
    """Return the smallest integer type for all values up to the last level."""
    return np.int32 if int(look.scales[-1]) * look.bound < INT32 else np.int64


def level_memory(size: int, look: Lookahead) -> int:
    """Return the bytes needed to compute the last level of ``size`` states."""
    return 2 * size * value_type(look)().itemsize + SCRATCH


def kept_file(rules: RuleSet, look: Lookahead, leaves: str = "") -> Path | None:
    """Return the cache file of a look-ahead's last level; None if nothing can be cached.

    ``leaves`` names what evaluates level 0 in place of the leaf evaluation.
    """
    directory = level_directory()
    if directory is None:
        return None
    meaning: dict[str, Any] = {  # without the format: files of another are met, and replaced
        "rules": {**describe_rules(rules), "name": ""},
        "weights": look.weights.tolist(),
        "leaf": (look.home, look.won, look.centre, look.centre_step),
    }
    if leaves:
        meaning["leaves"] = leaves
    return directory / f"{rules.name}-{len(look.weights)}-{digest(meaning)}.level"


def last_level(
    rules: RuleSet,
    look: Lookahead,
    *,
    keep: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
    leaves: Leaves | None = None,
    named: str = "",
) -> ValueTable:
    """Return the last level of a look-ahead, from the cache if it is there.

    Parameters
    ----------
    rules, look
        The rule set and the look-ahead; the level is ``len(look.weights)``.
    keep
        Whether to read and write the cache directory.
    threads
        By default one for each core; the values do not depend on it.
    progress
        Called in the calling thread with the number of states done out of ``(levels + 1) * size``.
    leaves
        What writes level 0 instead of the leaf evaluation.
    named
        What tells these leaves from all others; without it, nothing of them is cached.

    Raises
    ------
    OutOfDomainError
        If the path has no order by shared pattern, or is not alike for both sides.
    TooLargeError
        If two levels do not fit in memory.
    """
    order = ranking_for(rules)
    # Level 0 of the leaf evaluation is computed faster than it is written, so it is not cached.
    kept = bool(named) if leaves is not None else len(look.weights) > 0
    file = kept_file(rules, look, named) if keep and kept else None
    if file is not None:
        with contextlib.suppress(TablebaseError):  # whatever the fault, it is computed again
            return ValueTable(_read(file, order.size, look), order.arrays, file, new=False)
    check_memory(
        level_memory(order.size, look),
        f"looking {len(look.weights)} plies ahead over all {order.size:,} states of {rules.name}",
        "take fewer pieces, or --method tree",
    )
    values = _sweeps(rules, look, order, chosen_threads(threads), progress, leaves)
    if file is not None and not _write(file, values):
        file = None
    if file is not None:
        # Mapped, the values' memory can be let go of; the file may be gone again by now.
        with contextlib.suppress(TablebaseError):
            values = _read(file, order.size, look)
    return ValueTable(values, order.arrays, file, new=True)


def _sweeps(
    rules: RuleSet,
    look: Lookahead,
    order: PatternRanking,
    threads: int,
    progress: Progress | None,
    leaves: Leaves | None,
) -> Values:
    arrays, table = tables(rules), order.arrays
    ways = arrays.ways
    dtype = value_type(look)
    patterns, width = len(table.offset), int(table.width[-1])
    best = np.empty((threads, width), dtype)
    tile = np.empty((threads, width * width), dtype)
    # Chunks are of whole patterns, but progress is in states.
    chunk = max(1, patterns // (64 * threads))
    levels = len(look.weights)
    before: Any = np.empty(order.size, dtype)
    after: Any = np.empty(order.size if levels else 0, dtype)
    worth = LeafWorth(look.home, look.won, look.centre)

    def fill(thread: int, first: int, last: int) -> None:
        if leaves is not None:
            leaves(thread, first, last, before)
            return
        level_kernels.fill_leaves(ways, table, worth, best[thread], first, last, before)

    def tick(level: int) -> Progress | None:
        if progress is None:
            return None
        return lambda done: progress(int((level + done / patterns) * order.size))

    for_chunks(patterns, chunk, fill, threads, tick(0))
    for level in range(1, levels + 1):
        won = dtype(look.won * look.scales[level])
        least = dtype(-(look.bound * look.scales[level - 1]) - 1)
        weights = look.weights[level - 1].astype(dtype)

        def step(thread: int, first: int, last: int) -> None:
            level_kernels.sweep_level(
                ways, table, arrays.rolls, weights, won, before, least,  # noqa: B023 - runs now
                best[thread], tile[thread], first, last, after,  # noqa: B023
            )  # fmt: skip

        for_chunks(patterns, chunk, step, threads, tick(level))
        before, after = after, before
    result: Values = before
    result.flags.writeable = False  # as what is read from a file: kernels are compiled for one kind
    return result


def _read(file: Path, size: int, look: Lookahead) -> Values:
    """Return a cached level, memory-mapped and completely verified.

    Raises `TablebaseError` if it is damaged or does not match its name.
    """
    sealed = SealedFile(file, KIND, FORMAT, "level", own=True)
    try:
        return _verified(sealed, size, look)
    except BaseException:
        sealed.close()  # Windows replaces no file that is mapped
        raise


def release(values: Values) -> None:
    """Let go of the memory of a level in a mapped file; it is read again where it is needed."""
    owner: Any = values.base
    owner = owner.obj if isinstance(owner, memoryview) else owner
    if isinstance(owner, mmap.mmap):
        let_go(owner)


def _verified(sealed: SealedFile, size: int, look: Lookahead) -> Values:
    """Return a file's values; raises `TablebaseError` unless they are those of its name."""
    dtype, most = value_type(look), int(look.scales[-1]) * look.bound
    sealed.header.choice("level", [sealed.file.stem])
    sealed.header.choice("values", [np.dtype(dtype).str])
    if sealed.size != size * dtype().itemsize:
        raise TablebaseError(f"{sealed.file} is damaged")
    values: Any = np.frombuffer(sealed.map, dtype, size, sealed.begin)
    at = sealed.begin
    for first in range(0, size, IN_CACHE):  # bounds are compared before the values leave the cache
        part = values[first : first + IN_CACHE]
        if not sealed.intact(at, at + part.nbytes):
            raise TablebaseError(f"{sealed.file} is damaged")
        if not -most <= part.min() <= part.max() <= most:
            raise TablebaseError(f"{sealed.file} has values beyond those of its level")
        at += part.nbytes
    result: Values = values
    return result


def _write(file: Path, values: Values) -> bool:
    """Write a level to the cache; return whether that succeeded. No partial file is left."""
    header = {"format": FORMAT, "level": file.stem, "values": values.dtype.str}
    try:
        seal(file, KIND, header, values.view(np.uint8), own=True)
    except OSError:
        return False
    return True


def unusable(rules: RuleSet, look: Lookahead) -> str:
    """Return why value tables cannot be used for a rule set; empty if they can."""
    try:
        size = ranking_for(rules).size
    except (OutOfDomainError, TooLargeError) as error:
        return str(error)
    free, needed = available_memory(), level_memory(size, look)
    if free is not None and needed > free:
        return f"{size_text(needed)} of memory needed, {size_text(free)} free"
    return ""


def level_layers(
    values: Values, order: LayerOrder, threads: int
) -> tuple[Callable[[Layer], NDArray[np.float64]], float] | None:
    """Return a level's values by layers of the solver's order, as the player to move has them.

    Returns a function from a layer (pieces home of the mover and of the other) to an array of the
    layer's values, from 0 to the value of a won game; and that value. None if these values are too
    large for 64-bit floats to hold exactly, as ties must stay ties.
    """
    table, pieces = order.pattern, order.rules.pieces
    won = table.rank[0, pieces] * table.width[pieces] + table.rank[0, 0]  # a finished game
    certain = 2.0 * float(values[won])
    if certain >= EXACT:
        return None

    def layer(key: Layer) -> NDArray[np.float64]:
        here = order.offsets(key)
        patterns = np.flatnonzero(here >= 0)
        out = np.empty(order.size(key))
        chunk = max(1, len(patterns) // (8 * threads))

        def part(_: int, first: int, last: int) -> None:
            level_kernels.write_layer(
                order.pattern, patterns, order.width, order.mask, here, key, values, first, last,
                out,
            )  # fmt: skip

        for_chunks(len(patterns), chunk, part, threads)
        return out

    return layer, certain
