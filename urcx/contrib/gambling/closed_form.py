"""The number of states with labelled pieces, in Python integers.

A tile is empty, or holds one of light's pieces (in one way for each crossing of light's path at a
step that this piece may be on), or one of dark's. Every labelled piece is in its pool, home, or on
one tile. So with a variable for each piece, the number of configurations is

    sum over sets I, J of 2^(p - |I|) 2^(q - |J|)
        [prod over I of x_k, prod over J of y_k]  prod_t (1 + sum_k a_tk x_k + sum_k b_tk y_k),

which `_tables` computes tile by tile. If every piece may be on every step, pieces differ only by
their labels, and the tile polynomial's N[i][j] suffices (`on_any_step`):

    p! q! [x^p y^q]  e^(2x + 2y) prod_t (1 + a_t x + b_t y),

the exponential counterpart of `urcx.complexity.tiles`. The 2 means pool and home, where only the
label of a piece matters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from math import comb, factorial

from urcx.complexity import tiles
from urcx.rules.model import Path

Entries = tuple[int, ...]


def on_any_step(path: Path, p: int, q: int) -> int:
    """Return the number of configurations of p and q labelled pieces, each on any step."""
    return sum(
        ways
        * (factorial(i) * comb(p, i) * 2 ** (p - i))
        * (factorial(j) * comb(q, j) * 2 ** (q - j))
        for i, row in enumerate(tiles.arrangements(path.crossings)[: p + 1])
        for j, ways in enumerate(row[: q + 1])
    )


@lru_cache(maxsize=64)
def _tables(path: Path, light: Entries, dark: Entries) -> dict[tuple[int, int], int]:
    """Return the number of ways in which exactly the pieces of two sets (masks) are on the board.

    ``light`` and ``dark`` are the first step on which each piece may be. There are 2^(p + q) pairs
    of sets.
    """
    result: dict[tuple[int, int], int] = {(0, 0): 1}
    ways = [_ways(path.light, light), _ways(path.dark, dark)]
    for tile in path.tiles:
        more = Counter(result)
        for (i, j), number in result.items():
            for k, crossings in enumerate(ways[0][tile]):
                if crossings and not i >> k & 1:
                    more[i | 1 << k, j] += number * crossings
            for k, crossings in enumerate(ways[1][tile]):
                if crossings and not j >> k & 1:
                    more[i, j | 1 << k] += number * crossings
        result = dict(more)
    return result


def _ways(way: Sequence[str], entries: Entries) -> dict[str, list[int]]:
    """Return the number of crossings open to each piece, for each tile of a path."""
    ways: dict[str, list[int]] = defaultdict(lambda: [0] * len(entries))
    for step, tile in enumerate(way, start=1):
        ways[tile] = [n + (step >= entry) for n, entry in zip(ways[tile], entries, strict=True)]
    return ways


def labelled_diagrams(path: Path, light: Sequence[int], dark: Sequence[int] | None = None) -> int:
    """Return the number of configurations of labelled pieces, including "both home".

    Parameters
    ----------
    path
        Any path.
    light, dark
        The first step on which each piece may be, from 1. Dark's are the same as light's by
        default.
    """
    light_entries = tuple(light)
    dark_entries = light_entries if dark is None else tuple(dark)
    return sum(
        number << (len(light_entries) - i.bit_count()) << (len(dark_entries) - j.bit_count())
        for (i, j), number in _tables(path, light_entries, dark_entries).items()
    )


def labelled_finished(path: Path, entries: Sequence[int]) -> tuple[int, int]:
    """Return the numbers of configurations with all of light's and all of dark's pieces home.

    Both numbers count "both home".
    """
    own_entries = tuple(entries)
    ways = _tables(path, own_entries, own_entries)
    light_home = sum(
        n << (len(own_entries) - j.bit_count()) for (i, j), n in ways.items() if i == 0
    )
    dark_home = sum(n << (len(own_entries) - i.bit_count()) for (i, j), n in ways.items() if j == 0)
    return light_home, dark_home


def labelled_conventions(
    path: Path, entries: Sequence[int], counters: int | None = None
) -> dict[str, int]:
    """Return the count of states in every convention.

    In ``diagrams, any step`` a piece may be on every step of its path. All others exclude the steps
    before the one on which a piece enters, where it can never be. Counters are not part of a
    configuration. ``with counters`` combines each position with all ways to divide ``counters``,
    which is an upper bound. It is absent if accounts can go below zero (None). Positions have a
    side to move.
    """
    total = labelled_diagrams(path, entries)
    light_home, dark_home = labelled_finished(path, entries)
    unfinished = total - light_home - dark_home + 1
    result = {
        "diagrams, any step": on_any_step(path, len(entries), len(entries)),
        "diagrams": total,
        "diagrams, both home left out": total - 1,
        "diagrams, finished left out": unfinished,
        "positions": 2 * total,
        "positions, finished left out": 2 * unfinished,
    }
    if counters is not None:
        # The binomial is the number of ways to divide them among light, dark and the pool.
        bound = 2 * unfinished * comb(counters + 2, 2)
        result["positions with counters, finished left out (upper bound)"] = bound
    return result
