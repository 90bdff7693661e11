"""The tile polynomial: exact counts for every path, in Python integers.

Take a tile that light's path crosses a times and dark's path b times. The tile is empty, holds a
light piece in one of a ways, or holds a dark piece in one of b ways. The product of 1 + a x + b y
over all tiles is

    sum over i, j of N[i][j] x^i y^j,

where N[i][j] is the number of ways to have i light and j dark pieces on the board. The remaining p
- i and q - j pieces are divided between start pool and home in p - i + 1 and q - j + 1 ways.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from urcx.complexity.polynomials import truncated_power, truncated_product
from urcx.rules.model import CAPTURES, Path, RuleSet, check_flags

Crossings = tuple[tuple[int, int], ...]
NOBODY = (0, 0)  # the crossings of a tile that is always empty


@lru_cache(maxsize=64)
def arrangements(crossings: Crossings) -> tuple[tuple[int, ...], ...]:
    """Return N, where ``N[i][j]`` is the number of arrangements of i light and j dark pieces.

    ``crossings`` lists how often light's and dark's path cross each tile
    (`urcx.rules.model.Path.crossings`). The table has a row for each number of light pieces on the
    board, from 0 to the tiles that light can fill, and a column for each number of dark pieces.
    """
    rows = 1 + sum(a > 0 for a, _ in crossings)
    columns = 1 + sum(b > 0 for _, b in crossings)
    table = truncated_product(
        truncated_power({(0, 0): 1, (1, 0): a, (0, 1): b}, number)
        for (a, b), number in Counter(crossings).items()
    )
    return tuple(tuple(table.get((i, j), 0) for j in range(columns)) for i in range(rows))


def diagrams(path: Path, pieces: int, dark_pieces: int | None = None) -> int:
    """Return the exact number of configurations of any path, S(p, q), "both home" included."""
    return from_crossings(path.crossings, pieces, pieces if dark_pieces is None else dark_pieces)


def from_crossings(crossings: Crossings, p: int, q: int) -> int:
    """Return S(p, q) for tiles that each side crosses as often as ``crossings`` lists."""
    return sum(
        ways * (p - i + 1) * (q - j + 1)
        for i, row in enumerate(arrangements(crossings)[: p + 1])
        for j, ways in enumerate(row[: q + 1])
    )


def branches(path: Path, pieces: int, dark_pieces: int | None = None) -> tuple[int, int]:
    """Return the total branches of all configurations, with light to move and with dark to move.

    The post counts as branches of a configuration the mover's pieces on the board, plus one if the
    mover's start pool is not empty. Finished games count like all other configurations.
    """
    p, q = pieces, pieces if dark_pieces is None else dark_pieces
    light = dark = 0
    for i, row in enumerate(arrangements(path.crossings)[: p + 1]):
        for j, ways in enumerate(row[: q + 1]):
            # i pieces can move in each of the p - i + 1 splits, of which one has an empty pool.
            light += ways * (i * (p - i + 1) + p - i) * (q - j + 1)
            dark += ways * (j * (q - j + 1) + q - j) * (p - i + 1)
    return light, dark


def legal_moves_of_roll(rules: RuleSet, roll: int) -> int:
    """Return light's legal moves for a roll, summed over all configurations of unfinished games.

    A move from step s to step e needs a light piece on s, or in the start pool, and a tile of e
    that is empty or has a dark piece that can be captured. The other tiles are filled in all ways,
    as in `arrangements`.
    """
    check_flags("the number of legal moves", rules, CAPTURES)
    path, p = rules.path, rules.pieces
    harmless = path.board.rosettes.intersection(path.dark)
    crossings = {tile: (path.light.count(tile), path.dark.count(tile)) for tile in path.tiles}
    total = 0
    for start in range(len(path.light) + 2 - roll if roll else 0):
        ends = set(path.light[start - 1 : start] if start else ())
        to = path.light[start + roll - 1 : start + roll]  # no tile if the move bears off
        safe = rules.rosette_protects and path.board.rosettes.issuperset(to)
        safe |= rules.captures_blocked
        safe |= rules.rosette_disarms and bool(ends & harmless)
        hits = sum(crossings[tile][1] for tile in to if tile not in ends and not safe)
        others = [pair for tile, pair in crossings.items() if tile not in ends.union(to)]
        for i, row in enumerate(arrangements((NOBODY, *sorted(others))), start=bool(start)):
            pools = max(p - i + bool(start), 0)  # splits of the rest, with a piece to move
            for j, ways in enumerate(row):
                for dark, number in ((j, ways), (j + 1, ways * hits)):
                    total += number * pools * max(p - dark + (dark > 0), 0)
    return total


def finished(path: Path, pieces: int, dark_pieces: int | None = None) -> tuple[int, int]:
    """Return the numbers of configurations with all light and with all dark pieces home.

    Both numbers include "both home".
    """
    p, q = pieces, pieces if dark_pieces is None else dark_pieces
    table = arrangements(path.crossings)
    light_home = sum(ways * (q - j + 1) for j, ways in enumerate(table[0][: q + 1]))
    dark_home = sum(row[0] * (p - i + 1) for i, row in enumerate(table[: p + 1]))
    return light_home, dark_home


def unfinished(path: Path, pieces: int) -> int:
    """Return the number of states that a solver values.

    States are canonical views if both sides have the same path, positions otherwise.
    """
    kind = "diagrams" if path.symmetric else "positions"
    return conventions(path, pieces)[f"{kind}, finished left out"]


def conventions(path: Path, pieces: int, dark_pieces: int | None = None) -> dict[str, int]:
    """Return the count of states in every convention that the closed form can give.

    - ``diagrams`` are configurations, "both home" included.
    - ``positions`` have a side to move, so a finished game counts twice, once for each side.
    - ``mover-view`` counts canonical views: positions turned so that the player to move is light,
      except positions in which that player has already won. Both sides must have the same path.
    """
    total = diagrams(path, pieces, dark_pieces)
    light_home, dark_home = finished(path, pieces, dark_pieces)
    unfinished_diagrams = total - light_home - dark_home + 1
    counts = {
        "diagrams": total,
        "diagrams, both home left out": total - 1,
        "diagrams, finished left out": unfinished_diagrams,
        "positions": 2 * total,
        "positions, finished left out": 2 * unfinished_diagrams,
    }
    if path.symmetric and dark_pieces in (None, pieces):
        counts["mover-view"] = total - light_home
        counts["mover-view, finished left out"] = unfinished_diagrams
        counts["positions, both players' mover views"] = 2 * (total - light_home)
    return counts
