"""The depth-first enumerator: visits every diagram of a path once, to count or list it.

It is independent of the closed forms; `urcx.enumerate.kernels` describes the search. The work is
divided into chunks of footprints (a footprint is the set of shared tiles that light holds), which
any executor counts (`urcx.engine.chunks`). Results are sums of integers, so they depend neither on
the executor nor on how the chunks were cut.
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
    """What is visited, what for, and some ``fields`` of what is found by that."""

    schema = NAME
    path: Annotated[Path, Field(about="name of the path", of="name")]
    pieces: Annotated[int, Field(about="pieces of light")]
    dark_pieces: Annotated[int, Field(about="pieces of dark")]
    convention: ClassVar[Annotated[str, Field(about="what is visited")]] = "diagrams"
    visit: Annotated[str, Field(about="what was done with each")]
    found: Any
    fields: Fields

    def document(self) -> dict[str, Any]:
        """Return the members of the JSON object."""
        return fields_of(Visit).record(self) | self.fields.record(self.found)

    def records(self) -> list[dict[str, Any]]:
        """Return the only row of CSV."""
        return [self.document()]

    @property
    def row_fields(self) -> Fields:
        """Return the fields of the only row of CSV."""
        return self.fields

    def tables(self) -> list[Table]:
        """Return what was found in a table."""
        shown = Fields(*(one for one in self.fields if one.value(self.found) is not None))
        return [Table("", ["<what", "value"], shown.lines(self.found))]

    @property
    def answer(self) -> str:
        """Return how many diagrams were visited."""
        pieces = f"{self.pieces} light and {count_text(self.dark_pieces, 'dark piece')}"
        total = count_text(int(self.fields.record(self.found)["diagrams"]), "diagram")
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
    diagrams: Annotated[int, Field("diagrams", COUNT, "diagrams visited")]
    branches: Annotated[int, Field("branches", COUNT, "all diagrams' branches, light to move")]
    dark_branches: Annotated[int, Field("dark branches", COUNT, "the same with dark to move")]
    checksum: Annotated[
        int | None,
        "folded over all diagrams modulo 2^64; None if they were only counted",
        Field("checksum", HEXADECIMAL, "a sum folded over all diagrams"),
    ]
    seconds: Annotated[float, Field("seconds", ROUNDED, "that the visits took")]
    threads: Annotated[
        int,
        "on how many threads or processes it took so long",
        Field("threads", Format(number), "on how many threads"),
    ]

    @property
    @Field(
        "mean branches",
        Format("{:.3f}".format),
        "light's branches a diagram",
        after="dark_branches",
    )
    def mean_branches(self) -> float:
        """Return light's mean number of branches per diagram, the post's branching factor."""
        return self.branches / self.diagrams

    @property
    @Field("diagrams per second", WHOLE, "how fast", key="diagrams_per_second", after="seconds")
    def rate(self) -> float:
        """Return the number of diagrams visited per second."""
        return self.diagrams / max(self.seconds, 1e-9)

    @property
    def shown(self) -> Visit:
        """Return all that was counted, with the checksum if there is one."""
        visit = "branches" if self.checksum is None else "checksum"
        fields = fields_of(Count).without("compile_seconds")
        return Visit(self.path, self.pieces, self.dark_pieces, visit, self, fields)


# Masks of steps and tiles are int64; the enumerator's keys hold the pieces home above the steps.
MAX_STEPS = 54

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """A path as arrays for the kernels; tiles are numbered as in ``path.tiles``.

    ``light_steps[light_first[t]:light_first[t + 1]]`` are light's steps on tile t, from 1, and
    likewise for dark. ``shared``, ``light_only`` and ``dark_all`` are masks of tiles.
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
            f"the path {path.name} has {path.length} steps on {len(path.tiles)} tiles; "
            f"enumeration and ranking hold at most {MAX_STEPS} (the closed forms have no limit)"
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
        If one is not from 1 to `MAX_PIECES`.
    UsageError
        If one is not a whole number.
    """
    light = as_integer("pieces", pieces)
    both = light, light if dark_pieces is None else as_integer("dark_pieces", dark_pieces)
    for side in both:
        if not 1 <= side <= MAX_PIECES:
            raise TooLargeError(
                f"{side} pieces: enumeration and ranking take from 1 to {MAX_PIECES} "
                "(the closed forms have no limit)"
            )
    return both


BLOCK = 2048  # placements of a side held at a time: both sides' keys fit the L1 cache


class _Footprints:
    """All sets of at most ``most`` shared tiles, depth first, in portions; ``total`` of them."""

    def __init__(self, arrays: Layout, most: int) -> None:
        tiles = [t for t in range(len(arrays.path.tiles)) if arrays.shared >> t & 1]
        self.most = min(most, len(tiles))
        self.total = sum(comb(len(tiles), k) for k in range(self.most + 1))
        self.first = np.arange(len(tiles) + 1, dtype=np.int64)
        # Tile t stands in for step t + 1, so that the search yields masks of tiles.
        self.steps = np.array([[t + 1, k] for k, t in enumerate(tiles)] or [[0, 0]], np.int64)
        self.slots = len(tiles)
        self.state = np.zeros((self.most + 2, 2), np.int64)
        kernels.start_walk(self.state)

    def take(self, number: int) -> IntArray:
        """Return about ``number`` further footprints; an empty array at the end."""
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
    """Visit every diagram of a path once.

    Parameters
    ----------
    path
        Any path of the catalogue or a file, or the name of one in the catalogue.
    pieces, dark_pieces
        Pieces of light and of dark, each at least 1; by default dark has as many as light.
    checksum
        Fold a 64-bit checksum over all diagrams one by one. Without it the innermost pairs are only
        counted, which is faster but proves less.
    threads
        How many threads; by default one for each core. The result does not depend on it.
    executor
        What counts in place of threads of this process; nor does it depend on this.
    progress
        Called regularly, in the calling thread, with the number visited so far.

    Returns
    -------
    Count

    Raises
    ------
    TooLargeError
        If the path or the numbers of pieces exceed what the kernels hold.
    UsageError
        If ``threads`` is below 1.
    UrcxError
        If the executor's workers fail, or have another urcx.
    KeyboardInterrupt
        After the threads have stopped.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.count("bell", 2)
    >>> found.diagrams, found.branches
    (13112, 24148)
    >>> f"{found.checksum:016x}"
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
    began = compute_clock()

    def cut(size: int) -> tuple[IntArray] | None:
        chunk = footprints.take(size)
        return (chunk,) if len(chunk) else None

    def take(counters: NDArray[np.uint64], _: IntArray) -> None:
        np.add(total, counters, out=total)  # wraps modulo 2^64, as the checksum is meant to

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
        compute_clock() - began,
        threads if executor is None else slots(executor),
    )


@dataclass(frozen=True)
class _Visits:
    """Visits all diagrams with one of some footprints; returns the counters.

    ``stop`` ends it early, where it is in this process.
    """

    path: Path  # arrays would be writable after a message, which kernels are compiled anew for
    checksum: bool
    pieces: int
    dark_pieces: int
    stop: IntArray = field(default_factory=lambda: np.zeros(1, np.int64))

    def __call__(self, footprints: IntArray) -> NDArray[np.uint64]:
        arrays = layout(self.path)
        counters = np.zeros(kernels.N_COUNTERS, np.uint64)
        with np.errstate(over="ignore"):  # sums are meant modulo 2^64; compiled code does not warn
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
    """A block of diagrams: each of some placements of light with each of some of dark.

    ``light`` and ``dark`` are masks of steps (bit s - 1 for step s), ``light_home`` and
    ``dark_home`` pieces home.
    """

    light: IntArray
    light_home: IntArray
    dark: IntArray
    dark_home: IntArray


def diagram_blocks(
    path: Path, pieces: int, dark_pieces: int | None = None
) -> Iterator[DiagramBlock]:
    """Yield all diagrams in blocks, depth first, by the same search as `count`."""
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
    """Yield every diagram once, as a position with light to move, depth first.

    Parameters
    ----------
    path
        A path, or the name of one in the catalogue.
    pieces, dark_pieces
        Pieces of light and of dark, each from 1; dark has as many as light unless it says so.

    Yields
    ------
    Position

    Raises
    ------
    UsageError
        If there is no such path; raised by the call, not by the iteration.
    TooLargeError
        If the path or the numbers of pieces exceed what the kernels hold.

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
    """Yield all diagrams in position notation, in the order of `diagrams`, many lines at a time.

    Each string ends with a line break.
    """
    text: dict[int, str] = {}

    def written(mask: int) -> str:
        if mask not in text:
            if len(text) > 1 << 20:  # bounds memory; not reached on the usual paths
                text.clear()
            text[mask] = ",".join(map(str, steps_of(mask))) or "-"
        return text[mask]

    for block in diagram_blocks(path, pieces, dark_pieces):
        darks = [
            (f"/{written(mask)}/", f"-{home}/L\n")
            for mask, home in zip(block.dark.tolist(), block.dark_home.tolist(), strict=True)
        ]
        for mask, home in zip(block.light.tolist(), block.light_home.tolist(), strict=True):
            light, own = written(mask), str(home)
            yield "".join([f"{light}{dark}{own}{rest}" for dark, rest in darks])
