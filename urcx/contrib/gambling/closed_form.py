"""The number of states with labelled pieces, in Python integers.

A tile is empty, or holds one of light's pieces (in one way for each crossing of light's path at a
step where that piece may stand), or one of dark's. Every labelled piece is in its pool, home, or on
one tile. So with a variable for each piece, the number of diagrams is

    sum over sets I, J of 2^(p - |I|) 2^(q - |J|)
        [prod over I of x_k, prod over J of y_k]  prod_t (1 + sum_k a_tk x_k + sum_k b_tk y_k),

which `_tables` computes tile by tile. If every piece may stand on every step, pieces differ only by
their labels, and the tile polynomial's N[i][j] is enough (`on_any_step`):

    p! q! [x^p y^q]  e^(2x + 2y) prod_t (1 + a_t x + b_t y),

the exponential counterpart of `urcx.complexity.tiles`; the 2 stands for pool and home, where only
the label of a piece matters.
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
    """Return the number of diagrams of p and q labelled pieces, each on any step of its path."""
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

    ``light`` and ``dark`` have for each piece the first step on which it may stand. There are
    2^(p + q) pairs of sets.
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
    """Return for each tile of a path the number of crossings open to each piece."""
    ways: dict[str, list[int]] = defaultdict(lambda: [0] * len(entries))
    for step, tile in enumerate(way, start=1):
        ways[tile] = [n + (step >= entry) for n, entry in zip(ways[tile], entries, strict=True)]
    return ways


def labelled_diagrams(path: Path, light: Sequence[int], dark: Sequence[int] | None = None) -> int:
    """Return the number of diagrams of labelled pieces, "both home" included.

    Parameters
    ----------
    path
        Any path.
    light, dark
        For each piece the first step on which it may stand, from 1; dark's default to light's.
    """
    mine = tuple(light)
    theirs = mine if dark is None else tuple(dark)
    return sum(
        number << (len(mine) - i.bit_count()) << (len(theirs) - j.bit_count())
        for (i, j), number in _tables(path, mine, theirs).items()
    )


def labelled_finished(path: Path, entries: Sequence[int]) -> tuple[int, int]:
    """Return the numbers of diagrams with all of light's and with all of dark's pieces home.

    "Both home" is counted in each of them.
    """
    mine = tuple(entries)
    table = _tables(path, mine, mine)
    light_home = sum(n << (len(mine) - j.bit_count()) for (i, j), n in table.items() if i == 0)
    dark_home = sum(n << (len(mine) - i.bit_count()) for (i, j), n in table.items() if j == 0)
    return light_home, dark_home


def labelled_conventions(
    path: Path, entries: Sequence[int], counters: int | None = None
) -> dict[str, int]:
    """Return the count of states in every convention.

    ``diagrams, any step`` lets every piece stand on every step of its path; all others exclude the
    steps before the one on which a piece enters, where it can never be. Counters are not part of a
    diagram; ``with counters`` combines each position with all ways to divide ``counters``, an upper
    bound of what can occur, unless accounts can go below zero (None). Positions have a side to
    move.
    """
    total = labelled_diagrams(path, entries)
    light_home, dark_home = labelled_finished(path, entries)
    still_open = total - light_home - dark_home + 1
    result = {
        "diagrams, any step": on_any_step(path, len(entries), len(entries)),
        "diagrams": total,
        "diagrams, both home left out": total - 1,
        "diagrams, finished left out": still_open,
        "positions": 2 * total,
        "positions, finished left out": 2 * still_open,
    }
    if counters is not None:
        # As many ways to divide them among light, dark and the pool.
        bound = 2 * still_open * comb(counters + 2, 2)
        result["positions with counters, finished left out (upper bound)"] = bound
    return result
