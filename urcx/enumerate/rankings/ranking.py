"""Ranking: bijections between the states of a path and 0..N-1.

Two orders, each a proof of the count in its own right, since N comes out as the ranking's size:

``tiles``
    For every path. The tiles are gone through in the path's order; on each, empty comes before
    light's piece (by crossing) and that before dark's; at the end light's split of the remaining
    pieces between pool and home, then dark's. A table ``ways[t][i][j]``, built from the last tile
    back, counts how the tiles from t on and the pools can take i light and j dark pieces.
``pattern``
    For paths crossed once with as many pieces and private tiles for both. The index is
    ``offset[pattern] + r(light) * width + r(dark)``: the pattern is what stands on the shared
    tiles (base 3), r numbers a side's private tiles and pieces home in order of how many pieces
    they use, so that "at most k pieces" is a prefix, and width is the length of dark's prefix.

Three conventions of what is ranked: ``diagrams``; ``positions`` (a diagram and a side to move);
``mover-view`` (a position turned so that the player to move is light, without those in which that
player has already won; only for paths that are alike for both).
"""

from __future__ import annotations

from functools import lru_cache

from urcx.enumerate.rankings.pattern_ranking import PatternRanking
from urcx.enumerate.rankings.ranking_base import Ranking
from urcx.enumerate.rankings.tile_ranking import TileRanking
from urcx.errors import UsageError
from urcx.rules import catalogue
from urcx.rules.model import Path
from urcx.rules.position import Position

ORDERS: dict[str, type[Ranking]] = {"tiles": TileRanking, "pattern": PatternRanking}


def rank(
    position: Position | str,
    path: str | Path,
    pieces: int,
    dark_pieces: int | None = None,
    *,
    convention: str = "diagrams",
) -> int:
    """Return a position's rank in the order by tiles; see `ranking` and `Ranking.rank`.

    Parameters
    ----------
    position
        A position or its notation.
    path, pieces, dark_pieces, convention
        As `ranking` takes them.

    Returns
    -------
    int

    Raises
    ------
    PositionError
        If the position breaks a rule of the board.
    UsageError, OutOfDomainError, TooLargeError
        As `ranking` does.

    Examples
    --------
    >>> import urcx
    >>> urcx.rank("2/3,6/5-5/L", "bell", 7)
    52846063
    """
    return ranking(path, pieces, dark_pieces, convention=convention).rank(position)


def unrank(
    number: int,
    path: str | Path,
    pieces: int,
    dark_pieces: int | None = None,
    *,
    convention: str = "diagrams",
) -> Position:
    """Return the position of a rank in the order by tiles; see `ranking` and `Ranking.unrank`.

    Parameters
    ----------
    number
        A rank, from 0 to the number of states less 1.
    path, pieces, dark_pieces, convention
        As `ranking` takes them.

    Returns
    -------
    Position

    Raises
    ------
    UsageError, OutOfDomainError, TooLargeError
        If there is no such rank; and as `ranking` does.

    Examples
    --------
    >>> import urcx
    >>> str(urcx.unrank(52846063, "bell", 7))
    '2/3,6/5-5/L'
    """
    return ranking(path, pieces, dark_pieces, convention=convention).unrank(number)


def ranking(
    path: str | Path,
    pieces: int,
    dark_pieces: int | None = None,
    *,
    convention: str = "diagrams",
    order: str = "tiles",
) -> Ranking:
    """Return the ranking of a path's states.

    Parameters
    ----------
    path
        A path or its name: any for the order ``tiles``, one crossed once for ``pattern``.
    pieces, dark_pieces
        Pieces of light and of dark; dark has as many as light unless it says so.
    convention
        ``diagrams``, ``positions`` or ``mover-view``.
    order
        ``tiles`` or ``pattern``: which of the two numberings.

    Returns
    -------
    Ranking

    Raises
    ------
    UsageError
        If the path, convention or order is unknown.
    OutOfDomainError
        If they are not defined for this path and these numbers.
    TooLargeError
        If the path has too many steps.

    Examples
    --------
    >>> import urcx
    >>> numbering = urcx.ranking("bell", 7)
    >>> numbering.size
    137913936
    >>> str(numbering.unrank(52846063))
    '2/3,6/5-5/L'
    >>> urcx.ranking("bell", 7, convention="mover-view").size
    137892016
    """
    if order not in ORDERS:
        raise UsageError(f"unknown order {order!r}; known: {', '.join(ORDERS)}")
    # Before anything is looked up: 7.0 is equal to 7, and would be found where that is kept.
    light = catalogue.whole("pieces", pieces)
    dark = None if dark_pieces is None else catalogue.whole("dark_pieces", dark_pieces)
    return _made(catalogue.path(path), light, dark, convention, order)


@lru_cache(maxsize=32)
def _made(path: Path, pieces: int, dark_pieces: int | None, convention: str, order: str) -> Ranking:
    return ORDERS[order](path, pieces, dark_pieces, convention)
