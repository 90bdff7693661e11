"""Ranking: bijections between the states of a path and 0..N-1.

There are two orders. Each proves the count by itself, since N is the size of the ranking:

``tiles``
    For every path. States are compared tile by tile in the order of the path: an empty tile comes
    before a light piece (by crossing), and that before a dark piece; then by how light's remaining
    pieces are divided between pool and home, then by dark's. A table ``ways[t][i][j]``, built from
    the last tile back, counts the ways to put i light and j dark pieces on the tiles from t on, in
    the pools and home.
``pattern``
    For paths crossed once on which both sides have as many pieces and private tiles. The rank is
    ``offset[pattern] + r(light) * width + r(dark)``: the pattern is the occupation of the shared
    tiles (in base 3); r numbers the combinations of a side's private tiles and pieces home by how
    many pieces they use, so that those with at most k pieces form a prefix; width is the length of
    dark's prefix.

There are three conventions for what is ranked: ``diagrams``; ``positions`` (a diagram and a side to
move); and ``mover-view`` (a position turned so that the player to move is light, except those in
which that player has already won; only for paths that are alike for both sides).
"""

from __future__ import annotations

from functools import lru_cache

from urcx.enumerate.rankings.pattern_ranking import PatternRanking
from urcx.enumerate.rankings.ranking_base import CONVENTIONS, Ranking
from urcx.enumerate.rankings.tile_ranking import TileRanking
from urcx.errors import UsageError, check_name
from urcx.rules import catalogue
from urcx.rules.model import Path
from urcx.rules.position import GameLike, Position

__all__ = ["rank", "ranking", "unrank"]

ORDERS: dict[str, type[Ranking]] = {"tiles": TileRanking, "pattern": PatternRanking}


def rank(
    position: Position | str | GameLike,
    path: str | Path | None = None,
    pieces: int | None = None,
    dark_pieces: int | None = None,
    *,
    convention: str = "diagrams",
) -> int:
    """Return a position's rank in the order by tiles; see `ranking` and `Ranking.rank`.

    Parameters
    ----------
    position
        A position or its notation; or a game, whose path and pieces are then the defaults.
    path, pieces, dark_pieces, convention
        As `ranking` takes them.

    Returns
    -------
    int

    Raises
    ------
    PositionError
        If the position breaks a rule of the board.
    UsageError
        If path or pieces are missing or wrong, or a game has others.

    Examples
    --------
    >>> import urcx
    >>> urcx.rank("2/3,6/5-5/L", "bell", 7)
    52846063
    """
    if isinstance(position, GameLike):
        path = position.rules.path if path is None else path
        pieces = position.rules.pieces if pieces is None else pieces
    if path is None or pieces is None:
        raise UsageError("a position that is not a game needs a path and a number of pieces")
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
        A path or its name. The order ``pattern`` needs a path that is crossed once.
    pieces, dark_pieces
        Pieces of light and of dark; by default dark has as many as light.
    convention
        ``diagrams``, ``positions`` or ``mover-view``.
    order
        ``tiles`` or ``pattern``.

    Returns
    -------
    Ranking

    Raises
    ------
    UsageError
        If the path, convention or order is unknown.
    OutOfDomainError
        If the order or convention is not defined for this path and these numbers of pieces.
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
    check_name("order", order, ORDERS)
    check_name("convention", convention, CONVENTIONS)
    # Checked before the cache: 7.0 equals 7 and would be found there.
    light = catalogue.whole("pieces", pieces)
    dark = None if dark_pieces is None else catalogue.whole("dark_pieces", dark_pieces)
    return _made(catalogue.path(path), light, dark, convention, order)


@lru_cache(maxsize=32)
def _made(path: Path, pieces: int, dark_pieces: int | None, convention: str, order: str) -> Ranking:
    return ORDERS[order](path, pieces, dark_pieces, convention)
