"""The post's recursive search as a baseline: in C if there is a compiler, otherwise in numba.

Both programs were written from the post's description and share no code with urcx. Each has its own
search and its own checksum. `post_dfs.c` describes the algorithm.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

SOURCE = Path(__file__).with_name("post_dfs.c")
FLAGS = ("-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O3", "-march=native")

Kernel = TypeVar("Kernel", bound=Callable[..., object])
Places = NDArray[np.int64]
Counters = NDArray[np.uint64]

# Indices into the counters of the numba program.
DIAGRAMS, BRANCHES, SUM = 0, 1, 2


@dataclass(frozen=True)
class SearchResult:
    """The counts of a search; ``checksum`` is 0 if it was not computed."""

    diagrams: int
    branches: int
    checksum: int
    seconds: float


@dataclass(frozen=True)
class Baseline:
    """A way to run the post's search: ``run(pieces, plain)``.

    With ``plain`` the visitor only counts configurations and branches, as in the post.
    """

    name: str
    run: Callable[[int, bool], SearchResult]


def compiler() -> str | None:
    """Return the path of a C compiler, or None."""
    return shutil.which("gcc") or shutil.which("cc")


def baseline(directory: Path) -> Baseline:
    """Return the best available baseline; ``directory`` receives the compiled program."""
    return in_c(directory) if compiler() else in_numba()


def in_c(directory: Path) -> Baseline:
    """Compile the C program with full optimisation; raise an error if the compiler fails."""
    command = compiler()
    if command is None:
        raise FileNotFoundError("no C compiler")
    program = str(directory / "post_dfs")
    subprocess.run([command, *FLAGS, str(SOURCE), "-o", program], check=True)

    def run(pieces: int, plain: bool = False) -> SearchResult:  # noqa: FBT002 - as declared above
        arguments = [program, str(pieces), *(["plain"] if plain else [])]
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
        diagrams, branches, checksum, seconds = done.stdout.split()
        return SearchResult(int(diagrams), int(branches), int(checksum), float(seconds))

    return Baseline(f"{Path(command).name} {' '.join(FLAGS[2:])}", run)


def in_numba() -> Baseline:
    """Return the numba program; its compilation does not count in times."""

    def run(pieces: int, plain: bool = False) -> SearchResult:  # noqa: FBT002 - as declared above
        def once(number: int) -> Counters:
            counters = np.zeros(3, np.uint64)
            lists = np.zeros((2, number), np.int64)
            _search(lists[0], lists[1], 0, number, not plain, counters)
            return counters

        once(1)
        began = time.perf_counter()
        counters = once(pieces)
        seconds = time.perf_counter() - began
        return SearchResult(
            int(counters[DIAGRAMS]), int(counters[BRANCHES]), int(counters[SUM]), seconds
        )

    return Baseline("numba", run)


def _njit(function: Kernel) -> Kernel:
    """Compile a kernel at its first call; numba's own decorator would hide its type."""
    # Without the runtime, arrays are not reference counted at each level of the recursion. That
    # took three quarters of the time, and a slow baseline would make urcx look faster.
    compiled: Kernel = numba.njit(_nrt=False)(function)
    return compiled


@_njit
def _placement_key(places: Places, salt: int) -> np.uint64:
    mask = np.uint64(0)
    home = np.uint64(0)
    for location in places:
        if location == 15:
            home += np.uint64(1)
        elif location != 0:
            mask |= np.uint64(1) << np.uint64(location - 1)
    v = (mask | (home << np.uint64(55))) ^ np.uint64(salt)
    v = (v ^ (v >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ (v >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return v ^ (v >> np.uint64(31))


@_njit
def _count_found(
    light_places: Places, dark_places: Places, checksum: bool, counters: Counters
) -> None:
    in_pool = 0
    on_board = 0
    for location in light_places:
        if location == 0:
            in_pool = 1
        elif location != 15:
            on_board += 1
    counters[DIAGRAMS] += np.uint64(1)
    counters[BRANCHES] += np.uint64(on_board + in_pool)
    if checksum:
        light = _placement_key(light_places, 0x9E3779B97F4A7C15)
        dark = _placement_key(dark_places, 0x6A09E667F3BCC909)
        both = light ^ dark
        product = (both & np.uint64(0xFFFFFFFF)) * (both >> np.uint64(32))
        counters[SUM] += product ^ (product >> np.uint64(29))


@_njit
def _valid(light_places: Places, dark_places: Places, length: int) -> bool:
    # A mask instead of an array of flags, because kernels without the runtime cannot make arrays.
    taken = 0
    for k in range(length):
        if 5 <= light_places[k] <= 12:
            if taken >> light_places[k] & 1:
                return False
            taken |= 1 << light_places[k]
    for k in range(length):
        if 5 <= dark_places[k] <= 12:
            if taken >> dark_places[k] & 1:
                return False
            taken |= 1 << dark_places[k]
    return True


@_njit
def _next(places: Places, length: int) -> int:
    if length == 0:
        return 0
    last: int = places[length - 1]
    return last if last in (0, 15) else last + 1


@_njit
def _search(
    light_places: Places,
    dark_places: Places,
    length: int,
    pieces: int,
    checksum: bool,
    counters: Counters,
) -> None:
    if length == pieces:
        _count_found(light_places, dark_places, checksum, counters)
        return
    first_i = _next(light_places, length)
    first_j = _next(dark_places, length)
    for i in range(first_i, 16):
        light_places[length] = i
        for j in range(first_j, 16):
            dark_places[length] = j
            if _valid(light_places, dark_places, length + 1):
                _search(light_places, dark_places, length + 1, pieces, checksum, counters)
