"""The depth-first enumerator: visits every configuration of a path once, to count or list it.

The enumerator is independent of the closed forms. `urcx.enumerate.kernels` describes the search.
The work is divided into chunks of footprints, which any executor counts (`urcx.engine.chunks`). A
footprint is the set of shared tiles that light holds. Results are sums of integers, so they do not
depend on the executor or the chunks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.engine.chunks import map_chunks
from urcx.engine.compiling import CompiledResult, compute_clock
from urcx.engine.dask import slots
from urcx.engine.moves import steps_of
from urcx.engine.threads import chosen_threads
from urcx.enumerate import kernels
from urcx.enumerate.kernels import SideTiles
from urcx.errors import TooLargeError, check_booleans, check_functions
from urcx.results.fields import COUNT, Field, Fields, Format, fields_of
from urcx.results.numbers import count_text, number
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.catalogue import as_integer
from urcx.rules.model import MAX_PIECES, Path
from urcx.rules.position import Position

__all__ = ["count", "diagrams"]

NAME = "urcx.enumerate/1"
ROUNDED = Format(lambda seconds: str(round(seconds, 6)), (("", lambda seconds: round(seconds, 6)),))
WHOLE = Format(lambda value: number(round(value)), (("", round),))
HEXADECIMAL = Format("{:016x}".format, (("", "{:016x}".format),))


@dataclass(frozen=True)
class Visit(Result):
    """A visit of all configurations: its path, pieces and purpose, and ``fields`` of its result."""

    schema = NAME
    path: Annotated[Path, Field(about="name of the path", of="name")]
    pieces: Annotated[int, Field(about="pieces of light")]
    dark_pieces: Annotated[int, Field(about="pieces of dark")]
    convention: ClassVar[
        Annotated[str, Field(about="the kind of states: configurations (diagrams)")]
    ] = "diagrams"
    visit: Annotated[str, Field(about="the purpose of the visit")]
    result: Any
    fields: Fields

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return fields_of(Visit).record(self) | self.fields.record(self.result)

    def records(self) -> list[dict[str, Any]]:
        """Return the only row of CSV."""
        return [self.document()]

    @property
    def row_fields(self) -> Fields:
        """Return the fields of the only row of CSV."""
        return self.fields

    def tables(self) -> list[Table]:
        """Return the table of the fields that have a value."""
        present = Fields(*(field for field in self.fields if field.value(self.result) is not None))
        return [Table("", ["<quantity", "value"], present.lines(self.result))]

    @property
    def answer(self) -> str:
        """Return the number of configurations visited, in a sentence."""
        pieces = f"{self.pieces} light and {count_text(self.dark_pieces, 'dark piece')}"
        total = count_text(int(self.fields.record(self.result)["diagrams"]), "configuration")
        return f"{self.path.name}, {pieces}: {total}, each visited"


@dataclass(frozen=True)
class Count(CompiledResult, function="count"):
    """The result of an enumeration.

    Examples
    --------
    >>> import urcx
    >>> round(urcx.count("bell", 2).mean_branches, 3)
    1.842
    """

    path: Annotated[Path, "the path"]
    pieces: Annotated[int, "pieces of light"]
    dark_pieces: Annotated[int, "pieces of dark"]
    diagrams: Annotated[int, Field("configurations", COUNT, "configurations visited")]
    branches: Annotated[
        int, Field("branches", COUNT, "total branches of all configurations, light to move")
    ]
    dark_branches: Annotated[
        int, Field("dark branches", COUNT, "total branches of all configurations, dark to move")
    ]
    checksum: Annotated[
        int | None,
        "folded over all configurations modulo 2^64, None if they were only counted",
        Field("checksum", HEXADECIMAL, "checksum over all configurations"),
    ]
    seconds: Annotated[float, Field("seconds", ROUNDED, "duration of the visits")]
    threads: Annotated[
        int,
        "number of threads or processes",
        Field("threads", Format(number), "number of threads"),
    ]

    @property
    @Field(
        "mean branches",
        Format("{:.3f}".format),
        "mean branches per configuration, light to move",
        after="dark_branches",
    )
    def mean_branches(self) -> float:
        """Return light's mean number of branches per configuration: the post's branching factor."""
        return self.branches / self.diagrams

    @property
    @Field(
        "configurations per second",
        WHOLE,
        "configurations visited per second",
        key="diagrams_per_second",
        after="seconds",
    )
    def rate(self) -> float:
        """Return the number of configurations visited per second."""
        return self.diagrams / max(self.seconds, 1e-9)

    @property
    def shown(self) -> Visit:
        """Return all counts, with the checksum if there is one."""
        visit = "branches" if self.checksum is None else "checksum"
        fields = fields_of(Count).without("compile_seconds")
        return Visit(self.path, self.pieces, self.dark_pieces, visit, self, fields)


# Masks of steps and tiles are int64. The enumerator's keys have the pieces home above the steps.
MAX_STEPS = 54

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """A path as arrays for the kernels. Tiles are numbered as in ``path.tiles``.

    ``light_steps[light_first[t]:light_first[t + 1]]`` are light's steps on tile t, counted from 1.
    The arrays of dark have the same form. ``shared``, ``light_only`` and ``dark_all`` are masks of
    tiles.
    """

    path: Path
    light_first: IntArray
    light_steps: IntArray
    dark_first: IntArray
    dark_steps: IntArray
    shared: int
    light_only: int
    dark_all: int


def _ways(path: Path, way: tuple[str, ...]) -> tuple[IntArray, IntArray]:
    first, steps = [0], []
    for tile in path.tiles:
        steps += [step for step, at in enumerate(way, start=1) if at == tile]
        first.append(len(steps))
    arrays = np.array(first, np.int64), np.array(steps, np.int64)
    for array in arrays:
        array.setflags(write=False)
    return arrays


@lru_cache(maxsize=64)
def layout(path: Path) -> Layout:
    """Return the arrays of a path.

    Raises
    ------
    TooLargeError
        If a side has more than `MAX_STEPS` steps or the path more than `MAX_STEPS` tiles.
    """
    if max(path.length, len(path.tiles)) > MAX_STEPS:
        raise TooLargeError(
            f"the path {path.name} has {path.length} steps on {len(path.tiles)} tiles, but "
            f"enumeration and ranking are limited to {MAX_STEPS}. Closed forms have no limit: "
            "urcx ssc --no-enumerate"
        )
    shared = light_only = dark_all = 0
    for tile, (a, b) in enumerate(path.crossings):
        shared |= (a > 0 and b > 0) << tile
        light_only |= (a > 0 and b == 0) << tile
        dark_all |= (b > 0) << tile
    ways = (*_ways(path, path.light), *_ways(path, path.dark))
    return Layout(path, *ways, shared, light_only, dark_all)


def placements_alone(way: tuple[str, ...], pieces: int) -> int:
    """Return the number of placements of one side alone, start pool and home included."""
    ways = [1] + [0] * min(pieces, len(way))  # indexed by pieces on the board
    for crossings in Counter(way).values():
        for k in range(len(ways) - 1, 0, -1):
            ways[k] += crossings * ways[k - 1]
    return sum(n * (pieces - k + 1) for k, n in enumerate(ways))


def check_pieces(pieces: int, dark_pieces: int | None) -> tuple[int, int]:
    """Validate both numbers of pieces and return them.

    Raises
    ------
    TooLargeError
        If a number is not from 1 to `MAX_PIECES`.
    UsageError
        If a number is not an integer.
    """
    light = as_integer("pieces", pieces)
    both = light, light if dark_pieces is None else as_integer("dark_pieces", dark_pieces)
    for side in both:
        if not 1 <= side <= MAX_PIECES:
            raise TooLargeError(
                f"pieces {side}: must be from 1 to {MAX_PIECES} for enumeration and ranking. "
                "Closed forms have no limit: urcx ssc --no-enumerate"
            )
    return both


BLOCK = 2048  # placements per side and block: the keys of both sides fit into the L1 cache


class _Footprints:
    """All sets of at most ``most`` shared tiles, depth first, in portions.

    There are ``total`` sets.
    """

    def __init__(self, arrays: Layout, most: int) -> None:
        tiles = [t for t in range(len(arrays.path.tiles)) if arrays.shared >> t & 1]
        self.most = min(most, len(tiles))
        self.total = sum(comb(len(tiles), k) for k in range(self.most + 1))
        self.first = np.arange(len(tiles) + 1, dtype=np.int64)
        # Step t + 1 represents tile t, so the masks of the search are masks of tiles.
        self.steps = np.array([[t + 1, k] for k, t in enumerate(tiles)] or [[0, 0]], np.int64)
        self.slots = len(tiles)
        self.state = np.zeros((self.most + 2, 2), np.int64)
        kernels.start_walk(self.state)

    def take(self, number: int) -> IntArray:
        """Return about ``number`` more footprints, or an empty array at the end."""
        masks = np.empty(number + self.most + 1, np.int64)
        home = np.empty_like(masks)
        n = kernels.place(
            self.first, self.steps, self.slots, 0, self.most, False, self.state, masks, home
        )
        return masks[:n]


def count(
    path: str | Path,
    pieces: int,
    dark_pieces: int | None = None,
    *,
    checksum: bool = True,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int], None] | None = None,
) -> Count:
    """Visit every configuration of a path once.

    Parameters
    ----------
    path
        A path, or the name of a path in the catalogue.
    pieces, dark_pieces
        Pieces of light and of dark, each at least 1. By default dark has as many as light.
    checksum
        Fold a 64-bit checksum over all configurations, one by one. Without a checksum the innermost
        pairs are only counted, which is faster but proves less.
    threads
        Number of threads, by default one per core. The result does not depend on it.
    executor
        An executor that counts instead of threads of this process. The result does not depend on
        it.
    progress
        Called regularly, in the calling thread, with the number of configurations visited so far.

    Returns
    -------
    Count

    Raises
    ------
    TooLargeError
        If the path or the numbers of pieces exceed the limits of the kernels.
    UsageError
        If ``threads`` is below 1.
    UrcxError
        If the executor's workers fail, or have another version of urcx.
    KeyboardInterrupt
        After the threads have stopped.

    Examples
    --------
    >>> import urcx
    >>> counts = urcx.count("bell", 2)
    >>> counts.diagrams, counts.branches
    (13112, 24148)
    >>> f"{counts.checksum:016x}"
    '7b05401f1df212d6'
    """
    if progress is not None:
        check_functions(progress=progress)
    check_booleans(checksum=checksum)
    path = catalogue.path(path)
    pieces, dark_pieces = check_pieces(pieces, dark_pieces)
    arrays = layout(path)
    threads = chosen_threads(threads)
    footprints = _Footprints(arrays, pieces)
    visits = _Visits(path, bool(checksum), pieces, dark_pieces)
    total = np.zeros(kernels.N_COUNTERS, np.uint64)
    start = compute_clock()

    def cut(size: int) -> tuple[IntArray] | None:
        chunk = footprints.take(size)
        return (chunk,) if len(chunk) else None

    def take(counters: NDArray[np.uint64], _: IntArray) -> None:
        np.add(total, counters, out=total)  # wraps modulo 2^64, as the checksum should

    map_chunks(
        visits,
        cut,
        take,
        executor=executor,
        threads=threads,
        total=footprints.total,
        tick=lambda: progress and progress(int(total[kernels.DIAGRAMS])),
        stop=lambda: visits.stop.fill(1),
    )
    return Count(
        path,
        pieces,
        dark_pieces,
        int(total[kernels.DIAGRAMS]),
        int(total[kernels.LIGHT_BRANCHES]),
        int(total[kernels.DARK_BRANCHES]),
        int(total[kernels.SUM]) if checksum else None,
        compute_clock() - start,
        threads if executor is None else slots(executor),
    )


@dataclass(frozen=True)
class _Visits:
    """A visit of all configurations with one of the footprints. It returns the counters.

    ``stop`` ends a visit early, if the visit runs in this process.
    """

    path: Path  # arrays would arrive writable, and kernels would be compiled again for them
    checksum: bool
    pieces: int
    dark_pieces: int
    stop: IntArray = field(default_factory=lambda: np.zeros(1, np.int64))

    def __call__(self, footprints: IntArray) -> NDArray[np.uint64]:
        arrays = layout(self.path)
        counters = np.zeros(kernels.N_COUNTERS, np.uint64)
        with np.errstate(over="ignore"):  # sums are modulo 2^64 (compiled code does not warn)
            kernels.visit_diagrams(
                footprints,
                self.checksum,
                SideTiles(arrays.light_first, arrays.light_steps, arrays.light_only, self.pieces),
                SideTiles(arrays.dark_first, arrays.dark_steps, arrays.dark_all, self.dark_pieces),
                max(BLOCK, 2 * (max(self.pieces, self.dark_pieces) + 1)),
                self.stop,
                counters,
            )
        return counters


@dataclass(frozen=True)
class DiagramBlock:
    """A block of configurations: all pairs of a light placement and a dark placement.

    ``light`` and ``dark`` are masks of steps (bit s - 1 for step s). ``light_home`` and
    ``dark_home`` are numbers of pieces home.
    """

    light: IntArray
    light_home: IntArray
    dark: IntArray
    dark_home: IntArray


def diagram_blocks(
    path: Path, pieces: int, dark_pieces: int | None = None
) -> Iterator[DiagramBlock]:
    """Yield all configurations in blocks, depth first, by the same search as `count`."""
    pieces, dark_pieces = check_pieces(pieces, dark_pieces)
    arrays = layout(path)
    footprints = _Footprints(arrays, pieces)
    while len(chunk := footprints.take(64)):
        for footprint in chunk:
            lights = _placements(
                arrays.light_first, arrays.light_steps, footprint, arrays.light_only, pieces
            )
            for light, light_home in lights:
                free = arrays.dark_all & ~footprint
                darks = _placements(
                    arrays.dark_first, arrays.dark_steps, np.int64(0), free, dark_pieces
                )
                for dark, dark_home in darks:
                    yield DiagramBlock(light, light_home, dark, dark_home)


def _placements(
    first: IntArray, steps: IntArray, must: np.int64, free: np.int64 | int, pieces: int
) -> Iterator[tuple[IntArray, IntArray]]:
    out_first = np.zeros(64, np.int64)
    out_steps = np.zeros((len(steps) + 1, 2), np.int64)
    slots, n_must = kernels.task_slots(first, steps, must, np.int64(free), out_first, out_steps)
    state = np.zeros((pieces + 2, 2), np.int64)
    kernels.start_walk(state)
    while state[0, 0] >= 0:
        masks = np.empty(max(BLOCK, 2 * (pieces + 1)), np.int64)
        home = np.empty_like(masks)
        n = kernels.place(out_first, out_steps, slots, n_must, pieces, True, state, masks, home)
        if n:
            yield masks[:n], home[:n]


def diagrams(path: str | Path, pieces: int, dark_pieces: int | None = None) -> Iterator[Position]:
    """Yield every configuration once, as a position with light to move, depth first.

    Parameters
    ----------
    path
        A path, or the name of a path in the catalogue.
    pieces, dark_pieces
        Pieces of light and of dark, each at least 1. By default dark has as many as light.

    Yields
    ------
    Position

    Raises
    ------
    UsageError
        If the path is unknown. The call raises this, not the iteration.
    TooLargeError
        If the path or the numbers of pieces exceed the limits of the kernels.

    Examples
    --------
    >>> import urcx
    >>> [str(diagram) for diagram in urcx.diagrams("bell", 1)][:3]
    ['-/-/0-0/L', '-/-/0-1/L', '-/5/0-0/L']
    >>> sum(1 for _ in urcx.diagrams("bell", 1))
    248
    """
    return _diagrams(catalogue.path(path), *check_pieces(pieces, dark_pieces))


def _diagrams(path: Path, pieces: int, dark_pieces: int) -> Iterator[Position]:
    for block in diagram_blocks(path, pieces, dark_pieces):
        darks = [
            (steps_of(mask), home)
            for mask, home in zip(block.dark.tolist(), block.dark_home.tolist(), strict=True)
        ]
        for mask, home in zip(block.light.tolist(), block.light_home.tolist(), strict=True):
            light = steps_of(mask)
            for dark, dark_home in darks:
                yield Position(light, dark, (home, dark_home))


def diagram_lines(path: Path, pieces: int, dark_pieces: int | None = None) -> Iterator[str]:
    """Yield all configurations in position notation, in the order of `diagrams`.

    Each string has many lines and ends with a line break.
    """
    text: dict[int, str] = {}

    def written(mask: int) -> str:
        if mask not in text:
            if len(text) > 1 << 20:  # limits memory, not reached on the usual paths
                text.clear()
            text[mask] = ",".join(map(str, steps_of(mask))) or "-"
        return text[mask]

    for block in diagram_blocks(path, pieces, dark_pieces):
        darks = [
            (f"/{written(mask)}/", f"-{home}/L\n")
            for mask, home in zip(block.dark.tolist(), block.dark_home.tolist(), strict=True)
        ]
        for mask, home in zip(block.light.tolist(), block.light_home.tolist(), strict=True):
            light, home_text = written(mask), str(home)
            yield "".join([f"{light}{dark}{home_text}{rest}" for dark, rest in darks])
