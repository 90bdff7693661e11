"""Value tables: the depth-limited values of all states, computed level by level.

Level k holds V_k of `urcx.agents.search` for every configuration. One sweep in the order by shared
pattern computes it from level k - 1 (kernels and layout: `urcx.agents.level_kernels`). An agent of
depth d then plays by looking up level d - 1. The tree search has identical values. Paths must cross
no tile twice and be the same for both sides.

Finished levels are stored in the cache directory as sealed files (`urcx.engine.files.sealed`). A
file is named by a hash of everything that its values depend on, and is verified before use.
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
FORMAT = 2  # of the cached files: changes with the order of states or the meaning of values
IN_CACHE = 1 << 17  # values read at a time: a multiple of a file's block, a few hundred kB
SCRATCH = 50_000_000  # bytes in memory, added to the two levels
INT32 = 2**31 - 1
EXACT = 2.0**53  # up to this, floats hold all integers

Progress = Callable[[int], None]
Values = NDArray[np.int32] | NDArray[np.int64]
Leaves = Callable[[int, int, int, Values], None]  # thread, first and last pattern, output


class LeafWorth(NamedTuple):
    """Static evaluation for kernels: the values of a piece home, a win, and the centre rosette."""

    home: int
    won: int
    centre: int


@dataclass(frozen=True)
class ValueTable:
    """V_k of every configuration with dark to move, seen from light, times the level's scale.

    ``values[d]`` belongs to rank d in the order by shared pattern, ``table``. ``file`` is the cache
    file, if there is one. ``new`` means that this call computed the values.
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
        If the path has no order by shared pattern, or differs between the sides.
    """
    if reason := layer_obstacle(rules):
        raise OutOfDomainError(f"no value tables are possible: {reason}")
    return PatternRanking(rules.path, rules.pieces, None, "diagrams")


def value_type(look: Lookahead) -> type[np.int32 | np.int64]:
    """Return the smallest integer type for all values up to the last level."""
    return np.int32 if int(look.scales[-1]) * look.bound < INT32 else np.int64


def level_memory(size: int, look: Lookahead) -> int:
    """Return the bytes needed to compute the last level of ``size`` states."""
    return 2 * size * value_type(look)().itemsize + SCRATCH


def level_file(rules: RuleSet, look: Lookahead, leaves: str = "") -> Path | None:
    """Return the cache file of a look-ahead's last level, or None if nothing can be cached.

    ``leaves`` names the source of level 0, if it is not the static evaluation.
    """
    directory = level_directory()
    if directory is None:
        return None
    meaning: dict[str, Any] = {  # without the format, so files of older formats are replaced
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
    """Return the last level of a look-ahead, from the cache if possible.

    Parameters
    ----------
    rules, look
        The rule set and the look-ahead, whose last level is ``len(look.weights)``.
    keep
        Whether to read and write the cache directory.
    threads
        By default one for each core. The values do not depend on it.
    progress
        Called in the calling thread with the number of states done out of ``(levels + 1) * size``.
    leaves
        A function that writes level 0 instead of the static evaluation.
    named
        A name that distinguishes these leaves from all others. Without it, nothing is cached.

    Raises
    ------
    OutOfDomainError
        If the path has no order by shared pattern, or differs between the sides.
    TooLargeError
        If two levels do not fit into memory.
    """
    order = ranking_for(rules)
    # Level 0 of the static evaluation is computed faster than it is written: it is not cached.
    cached = bool(named) if leaves is not None else len(look.weights) > 0
    file = level_file(rules, look, named) if keep and cached else None
    if file is not None:
        with contextlib.suppress(TablebaseError):  # compute a faulty level again
            return ValueTable(_read(file, order.size, look), order.arrays, file, new=False)
    check_memory(
        level_memory(order.size, look),
        f"looking {len(look.weights)} plies ahead over all {order.size:,} states of {rules.name}",
        "use fewer pieces, or --method tree",
    )
    values = _sweeps(rules, look, order, chosen_threads(threads), progress, leaves)
    if file is not None and not _write(file, values):
        file = None
    if file is not None:
        # Mapped values can leave memory. The file may have been deleted by now.
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
    # Chunks consist of patterns, but progress counts states.
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
    result.flags.writeable = False  # like values from a file, so kernels are compiled once
    return result


def _read(file: Path, size: int, look: Lookahead) -> Values:
    """Return a cached level, memory-mapped and completely verified.

    Raise `TablebaseError` if the level is damaged or does not match its name.
    """
    sealed = SealedFile(file, KIND, FORMAT, "level", own=True)
    try:
        return _verified(sealed, size, look)
    except BaseException:
        sealed.close()  # Windows cannot replace a mapped file
        raise


def release(values: Values) -> None:
    """Free the memory of a level in a mapped file. It is read again when needed."""
    owner: Any = values.base
    owner = owner.obj if isinstance(owner, memoryview) else owner
    if isinstance(owner, mmap.mmap):
        let_go(owner)


def _verified(sealed: SealedFile, size: int, look: Lookahead) -> Values:
    """Return a file's values, or raise `TablebaseError` if they do not match its name."""
    dtype, most = value_type(look), int(look.scales[-1]) * look.bound
    sealed.header.choice("level", [sealed.file.stem])
    sealed.header.choice("values", [np.dtype(dtype).str])
    if sealed.size != size * dtype().itemsize:
        raise TablebaseError(f"{sealed.file} is damaged: it has the wrong size")
    values: Any = np.frombuffer(sealed.map, dtype, size, sealed.begin)
    at = sealed.begin
    for first in range(0, size, IN_CACHE):  # bounds are compared before the values leave the cache
        part = values[first : first + IN_CACHE]
        if not sealed.intact(at, at + part.nbytes):
            raise TablebaseError(f"{sealed.file} is damaged: a checksum is wrong")
        if not -most <= part.min() <= part.max() <= most:
            raise TablebaseError(f"{sealed.file} is damaged: it has values out of range")
        at += part.nbytes
    result: Values = values
    return result


def _write(file: Path, values: Values) -> bool:
    """Write a level to the cache and return whether that succeeded. Leave no partial file."""
    header = {"format": FORMAT, "level": file.stem, "values": values.dtype.str}
    try:
        seal(file, KIND, header, values.view(np.uint8), own=True)
    except OSError:
        return False
    return True


def unusable(rules: RuleSet, look: Lookahead) -> str:
    """Return the reason why a rule set cannot use value tables, or an empty string if it can."""
    try:
        size = ranking_for(rules).size
    except (OutOfDomainError, TooLargeError) as error:
        return str(error)
    free, needed = available_memory(), level_memory(size, look)
    if free is not None and needed > free:
        return f"they need {size_text(needed)} of memory, and {size_text(free)} are free"
    return ""


def level_layers(
    values: Values, order: LayerOrder, threads: int
) -> tuple[Callable[[Layer], NDArray[np.float64]], float] | None:
    """Return a level's values by layers of the solver's order, seen from the player to move.

    The result is a function and the value of a won game. The function takes a layer (pieces home of
    the mover and of the other side) and returns an array of its values, from 0 to the value of a
    won game. It is None if 64-bit floats cannot hold the values exactly, because ties must stay
    ties.
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
