"""A depth-first visit of every state of a small board, tile by tile.

Contents are strings of letters, and a state is complete when every tile has one. Nothing here knows
polynomials or a closed form, so the number of visits is independent of them
(`urcx.complexity.board_games` describes the kinds of tiles).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, combinations, product
from operator import add, le

Kinds = Mapping[str, str]


def visited_states(
    tiles: Iterable[tuple[int, Kinds, int]],
    totals: Mapping[str, tuple[int, int]],
    alternate: tuple[str, ...] = (),
    counted: Mapping[str, str] | None = None,
    *,
    named: bool = False,
) -> int:
    """Visit every state of a board, and return the number of visits.

    ``tiles`` has the number of equal tiles, the letters of each kind of content, and the height of
    a column. The other arguments are those of `urcx.complexity.board_games.Setup`. With ``named``,
    each piece of a letter has a number, and ``totals`` has one value for each.
    """
    most = max((high for _, high in totals.values()), default=0)
    board = [(kinds, height) for number, kinds, height in tiles for _ in range(number)]
    if named:
        hand = tuple((side, k) for side, (_, high) in totals.items() for k in range(high))
        return _visit_named([kinds for kinds, _ in board], hand)
    names = tuple(dict.fromkeys((*totals, *alternate)))
    tops = tuple(totals[name][1] if name in totals else len(board) * 99 for name in names)

    def held(filling: str) -> tuple[int, ...]:
        marks = "".join((counted or {}).get(letter, letter) for letter in filling)
        return tuple(marks.count(name) for name in names)

    contents = [[held(filling) for filling in _fillings(*tile, most)] for tile in board]

    least = tuple(totals[name][0] if name in totals else 0 for name in names)
    ahead = tuple(map(names.index, alternate))

    def visit(tile: int, counts: tuple[int, ...]) -> int:
        if tile == len(contents):
            lead = counts[ahead[0]] - counts[ahead[1]] if ahead else 0
            return int(lead in (0, 1) and all(map(le, least, counts)))
        visits = 0
        for more in contents[tile]:
            now = tuple(map(add, counts, more))
            if all(map(le, now, tops)):
                visits += visit(tile + 1, now)
        return visits

    return visit(0, (0,) * len(names))


def _fillings(kinds: Kinds, height: int, most: int) -> Iterator[str]:
    """Yield every content of a tile, with at most so many pieces of a letter."""
    yield ""
    for kind, letters in kinds.items():
        if kind == "choice":
            yield from letters
        elif kind == "column":
            for level in range(1, height + 1):
                yield from map("".join, product(letters, repeat=level))
        elif kind == "shared":
            piles = ([letter * k for k in range(most + 1)] for letter in letters)
            yield from filter(None, map("".join, product(*piles)))
        else:
            yield from (letter * k for letter in letters for k in range(1, most + 1))


def _visit_named(board: list[Kinds], hand: tuple[tuple[str, int], ...]) -> int:
    """Return the number of ways to place all numbered pieces of a hand on the tiles of a board."""
    if not board:
        return int(not hand)
    visits = _visit_named(board[1:], hand)
    for kind, letters in board[0].items():
        groups = [letters] if kind == "shared" else letters
        able = [[piece for piece in hand if piece[0] in group] for group in groups]
        most = 1 if kind == "choice" else len(hand)
        sizes = ((group, k) for group in able for k in range(1, min(most, len(group)) + 1))
        for held in chain.from_iterable(combinations(group, k) for group, k in sizes):
            visits += _visit_named(board[1:], tuple(p for p in hand if p not in held))
    return visits
