"""Which placements of the two players conflict (the post's conflict matrices)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from urcx.engine.memory import check_memory
from urcx.engine.moves import steps_of
from urcx.enumerate.enumerator import placements
from urcx.enumerate.layout import IntArray, check_pieces, layout, placements_alone
from urcx.errors import TooLargeError
from urcx.results.fields import COUNT, Field, Fields, fields_of, member, percents_of
from urcx.results.numbers import counted, in_percent, number
from urcx.results.report import Report
from urcx.rules import catalogue
from urcx.rules.model import Path

MAX_PLACEMENTS = 2_000_000  # a side
PLACEMENT_BYTES = 200  # of a Python tuple, plus 8 for each piece
MAX_MATRIX = 8000  # placements a side: 64 MB of booleans


@dataclass(frozen=True)
class Conflicts:
    """Both players' placements, in lexicographic order, and which pairs conflict.

    A placement is written as the post does: the sorted steps of all the player's pieces, 0 for the
    start pool and L + 1 for home.
    """

    path: Annotated[Path, member(about="name of the path", of="name")]
    pieces: Annotated[int, member("p", about="pieces a side")]
    light: tuple[tuple[int, ...], ...]
    dark: tuple[tuple[int, ...], ...]
    light_tiles: IntArray
    dark_tiles: IntArray
    pairs: Annotated[int, member("pairs", COUNT, "all pairs of placements")]
    conflicts: Annotated[
        int,
        member("conflicts", COUNT, "pairs in which some tile would hold pieces of both players"),
    ]
    placements: Annotated[int, member("placements", COUNT, "light's placements")]

    def counts(self) -> Conflicts:
        """Return a copy with the counts only, without the lists of placements."""
        none = np.empty(0, np.int64)
        return replace(self, light=(), dark=(), light_tiles=none, dark_tiles=none)

    @property
    @member("diagrams", COUNT, "pairs without conflict")
    def diagrams(self) -> int:
        """Return the number of pairs without conflict."""
        return self.pairs - self.conflicts

    def matrix(self) -> NDArray[np.bool_]:
        """Return the matrix: entry [i, j] says whether ``light[i]`` and ``dark[j]`` conflict.

        Raises
        ------
        TooLargeError
            If a side has more than `MAX_MATRIX` placements.
        """
        check_matrix(max(len(self.light), len(self.dark)))
        clash: NDArray[np.bool_] = (self.light_tiles[:, None] & self.dark_tiles[None, :]) != 0
        return clash


CONFLICTS = fields_of(Conflicts).pick(
    "path", "pieces", "placements", "pairs", "conflicts", "diagrams"
)


def conflicts_report(path: Path, found: Sequence[Conflicts]) -> Report:
    """Return the report on a path's conflicts, a row for each number of pieces."""
    shown = Fields(
        *CONFLICTS.without("diagrams"),
        Field("", "share", percents_of(2), of=lambda item: item.conflicts / item.pairs),
        CONFLICTS["diagrams"],
    )
    title = f"Conflicts on {path.name}: pairs of placements in which both players claim a tile"
    rows = CONFLICTS.records(found)
    data = {"path": path.name, "convention": "diagrams", "rows": rows}
    last = found[-1]
    answer = (
        f"{path.name}, {counted(last.pieces, 'piece')}: {number(last.conflicts)} of "
        f"{number(last.pairs)} pairs of placements claim a tile both, "
        f"{in_percent(last.conflicts / last.pairs)} (exact)"
    )
    return Report("urcx.conflicts/1", data, rows, [shown.table(title, found)], answer=answer)


def check_pairs(path: Path, pieces: int) -> int:
    """Return the greater number of placements of a side; raise if there are too many to list.

    Raises
    ------
    TooLargeError
        As `conflicts` does.
    """
    check_pieces(pieces, None)
    layout(path)
    most = max(placements_alone(way, pieces) for way in (path.light, path.dark))
    if most > MAX_PLACEMENTS:
        raise TooLargeError(
            f"{pieces} pieces on {path.name} have {most:,} placements a side, and at most "
            f"{MAX_PLACEMENTS:,} are gone through; take fewer pieces (urcx ssc counts diagrams "
            "whatever their number)"
        )
    # A placement has an entry for every piece, in the pool or not.
    check_memory(
        2 * most * (PLACEMENT_BYTES + 8 * pieces),
        f"{most:,} placements a side of {pieces} pieces",
        "take fewer pieces",
    )
    return most


def check_matrix(placements: int) -> None:
    """Raise `TooLargeError` if a side has more than `MAX_MATRIX` placements."""
    if placements > MAX_MATRIX:
        raise TooLargeError(
            f"the matrix of {placements} x {placements} placements is too large; "
            f"at most {MAX_MATRIX} a side are drawn: take fewer pieces"
        )


def conflicts(path: str | Path, pieces: int) -> Conflicts:
    """Return the conflicts of a path with ``pieces`` pieces a side.

    Raises
    ------
    TooLargeError
        If the path or the number of pieces exceeds what the enumerator holds, there are more than
        `MAX_PLACEMENTS` placements, or memory does not suffice.
    """
    path, pieces = catalogue.path(path), catalogue.whole("pieces", pieces)
    check_pairs(path, pieces)
    arrays = layout(path)
    sides = []
    for dark in (False, True):
        way = path.dark if dark else path.light
        number = {tile: 1 << k for k, tile in enumerate(path.tiles)}
        found = []
        for masks, homes in placements(arrays, pieces, dark=dark):
            for mask, home in zip(masks.tolist(), homes.tolist(), strict=True):
                steps = steps_of(mask)
                start = pieces - len(steps) - home
                tiles = sum(number[way[step - 1]] for step in steps)
                found.append(((0,) * start + steps + (len(way) + 1,) * home, tiles))
        found.sort()
        sides.append(found)
    vectors = [tuple(vector for vector, _ in side) for side in sides]
    light, dark_side = (np.array([tiles for _, tiles in side], np.int64) for side in sides)
    # Many placements hold the same shared tiles: compare the distinct sets, with multiplicity.
    shared = np.int64(arrays.shared)
    (a, n_a), (b, n_b) = (
        np.unique(side & shared, return_counts=True) for side in (light, dark_side)
    )
    clash = sum(int(n) * int(n_b[(b & mask) != 0].sum()) for mask, n in zip(a, n_a, strict=True))
    return Conflicts(
        path,
        pieces,
        vectors[0],
        vectors[1],
        light,
        dark_side,
        len(light) * len(dark_side),
        clash,
        len(light),
    )
