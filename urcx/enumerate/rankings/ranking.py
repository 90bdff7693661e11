"""Ranking: bijections between the states of a path and 0..N-1.

There are two orders. Each proves the count by itself, because N is the size of the ranking:

``tiles``
    For every path. States are compared tile by tile in the order of the path. An empty tile comes
    before a light piece, and a light piece before a dark piece. Light pieces on a tile are ordered
    by crossing. Then the division of light's remaining pieces between pool and home decides, then
    dark's division. The table ``ways[t][i][j]``, built from the last tile back, has the number of
    ways to put i light and j dark pieces on the tiles from t on, in the pools and home.
``pattern``
    For paths that cross no tile twice, if both sides have equal numbers of pieces and of private
    tiles. The rank is ``offset[pattern] + r(light) * width + r(dark)``. The pattern is the contents
    of the shared tiles (in base 3). The function r numbers the combinations of a side's private
    tiles and pieces home by the number of pieces they use, so the combinations with at most k
    pieces form a prefix. The width is the length of dark's prefix.

There are three conventions for the states:

- ``diagrams``: configurations.
- ``positions``: configurations with a side to move.
- ``mover-view``: canonical views, positions turned so that the player to move is light, except
  positions in which that player has already won. Both sides must have the same path.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, count, product
from typing import Annotated, ClassVar

import numpy as np

from urcx.engine.moves import mask_of
from urcx.enumerate.enumerator import DiagramBlock, IntArray, check_pieces, diagram_blocks, layout
from urcx.enumerate.rankings import pattern_kernels, ranking_kernels, tile_kernels
from urcx.enumerate.rankings.pattern_kernels import COUNT_SHIFT, HALF_BITS, OWN_SHIFT, PatternTables
from urcx.errors import OutOfDomainError, TooLargeError, UsageError, check_name
from urcx.results.fields import COUNT, Field, fields_of
from urcx.results.numbers import count_text
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.catalogue import as_integer
from urcx.rules.catalogue import as_seed as checked_seed
from urcx.rules.model import CAPTURES, Path, RuleSet, unknown_flag
from urcx.rules.position import GameLike, Position, as_position, check, position_on

__all__ = ["Ranking", "rank", "ranking", "unrank"]

CONVENTIONS = ("diagrams", "positions", "mover-view")
MAX_MARKS = 500_000_000  # a byte per rank in `Ranking.prove`


@dataclass(frozen=True)
class Marks:
    """The result of ranking all configurations of the enumerator."""

    order: Annotated[str, Field("order", about="the order of the ranking")]
    size: Annotated[int, Field("configurations", COUNT, "all configurations", key="diagrams")]
    once: Annotated[
        int,
        Field("ranks hit once", COUNT, "ranks of exactly one configuration", key="ranks_hit_once"),
    ]
    repeated: Annotated[
        int,
        Field(
            "ranks hit repeatedly",
            COUNT,
            "ranks of several configurations",
            key="ranks_hit_repeatedly",
        ),
    ]
    outside: Annotated[int, Field("out of range", COUNT, "configurations with a rank out of range")]

    @property
    @Field("bijective", about="whether each rank was hit once")
    def bijective(self) -> bool:
        """Return whether each of the ranks 0..size - 1 occurred exactly once."""
        return self.once == self.size and self.outside == 0


class Ranking(Result, ABC, function="ranking"):
    """A bijection between states and 0..N-1, where N is its ``size``.

    `ranking` makes it. All methods work with Python integers of any size.
    """

    order: ClassVar[Annotated[str, Field("order", about="the order of the ranking")]] = ""
    path: Annotated[Path, Field(about="name of the path", of="name")]
    pieces: Annotated[int, Field(about="pieces of light")]
    dark_pieces: Annotated[int, Field(about="pieces of dark")]
    convention: Annotated[str, Field("convention", about="the kind of states")]

    def __init__(self, path: Path, pieces: int, dark_pieces: int | None, convention: str) -> None:
        check_name("convention", convention, CONVENTIONS)
        self.path = path
        self.pieces, self.dark_pieces = check_pieces(pieces, dark_pieces)
        self.convention = convention
        if convention == "mover-view" and not (path.symmetric and self.pieces == self.dark_pieces):
            raise OutOfDomainError(
                "convention mover-view: both players must have the same path and equal numbers of "
                "pieces"
            )

    @property
    @Field("states", COUNT, "all states", key="states")
    def size(self) -> int:
        """Return N, the number of states."""
        return self._size() * (2 if self.convention == "positions" else 1)

    def tables(self) -> list[Table]:
        """Return the table of the ranking's parameters and size."""
        pieces = f"{self.pieces} light and {count_text(self.dark_pieces, 'dark piece')}"
        return [fields_of(Ranking).listed(f"Ranking of {self.path.name}, {pieces}", self)]

    def rank(self, position: Position | str | GameLike) -> int:
        """Return the rank of a position, its notation or a game, from 0 to ``size`` - 1.

        The convention ``diagrams`` ignores the side to move.

        Raises
        ------
        PositionError
            If the position breaks a rule of the board.
        UsageError
            If a game has another path or other numbers of pieces.
        OutOfDomainError
            In ``mover-view``, if the player to move has already won.
        """
        if isinstance(position, GameLike):
            self._check_game(position.rules)
        if isinstance(position, str):
            position = position_on(position, self.path)
        position = as_position(position)
        check(position, self.path, self.pieces, self.dark_pieces)
        if self.convention == "positions":
            return 2 * self._rank(position) + (not position.light_to_move)
        if self.convention == "mover-view":
            if not position.light_to_move:
                position = position.turned()
            if position.home[0] == self.pieces:
                raise OutOfDomainError(
                    "the player to move has already won, so the position has no rank by mover-view"
                )
        return self._rank(position)

    def _check_game(self, rules: RuleSet) -> None:
        """Raise `UsageError` if a game has another path or other numbers of pieces."""
        path, own = rules.path, (rules.path.light, rules.path.dark, rules.pieces, rules.pieces)
        if own != (self.path.light, self.path.dark, self.pieces, self.dark_pieces):
            raise UsageError(
                f"the game has the path {path.name} and {rules.pieces} pieces per side, but the "
                f"ranking has {self.path.name} with {self.pieces} and {self.dark_pieces}"
            )

    def unrank(self, rank: int) -> Position:
        """Return the position of a rank, with light to move except in ``positions``.

        Raises
        ------
        UsageError
            If the rank is not from 0 to ``size`` - 1.
        """
        rank = as_integer("rank", rank)
        if not 0 <= rank < self.size:
            raise UsageError(f"rank {rank}: must be from 0 to {self.size - 1}")
        if self.convention == "positions":
            position = self._unrank(rank // 2)
            return Position(position.light, position.dark, position.home, rank % 2 == 0)
        return self._unrank(rank)

    def sample(self, number: int | None, seed: int) -> Iterator[Position]:
        """Return independent, uniformly distributed positions that depend on the seed alone.

        If ``number`` is None, the iterator does not end. Python's Mersenne Twister
        (``random.Random.randrange``) draws the ranks, without bias.

        Raises
        ------
        UsageError
            If the number is negative or not an integer, or the seed is not from 0 to 2^63 - 1.
        """
        draw = random.Random(checked_seed(seed))  # noqa: S311 - reproducible, nothing secret
        if number is not None and as_integer("number", number) < 0:
            raise UsageError(f"number {number}: must be at least 0")
        return self._drawn(number, draw)

    def _drawn(self, number: int | None, draw: random.Random) -> Iterator[Position]:
        for _ in count() if number is None else range(number):
            yield self.unrank(draw.randrange(self.size))

    def prove(self, progress: Callable[[int], None] | None = None) -> Marks:
        """Rank every configuration that the enumerator visits, and count the hits of each rank.

        ``progress`` is called regularly with the number of configurations ranked so far.

        Raises
        ------
        TooLargeError
            If there are more than `MAX_MARKS` configurations.
        OutOfDomainError
            If the convention is not ``diagrams``.
        """
        if self.convention != "diagrams":
            raise OutOfDomainError(
                f"convention {self.convention}: must be diagrams, which the enumerator visits"
            )
        if self.size > MAX_MARKS:
            raise TooLargeError(
                f"the proof needs a byte for each of {self.size} ranks, and at most {MAX_MARKS} "
                "are allowed. Take fewer pieces"
            )
        seen = np.zeros(self.size, np.uint8)
        outside = done = 0
        for block in diagram_blocks(self.path, self.pieces, self.dark_pieces):
            ranks = self._rank_block(block)
            outside += int(ranking_kernels.mark_ranks(ranks, seen))
            done += ranks.size
            if progress:
                progress(done)
        return Marks(self.order, self.size, int((seen == 1).sum()), int((seen > 1).sum()), outside)

    @abstractmethod
    def _size(self) -> int:
        """Return the number of configurations, or of canonical views."""

    @abstractmethod
    def _rank(self, position: Position) -> int:
        """Return the rank of a valid position among configurations, or canonical views."""

    @abstractmethod
    def _unrank(self, rank: int) -> Position:
        """Return the position with a valid rank."""

    @abstractmethod
    def _rank_block(self, block: DiagramBlock) -> IntArray:
        """Return the ranks of a block of configurations, with a row per placement of light."""


class TileRanking(Ranking):
    """The order by tiles, for every path."""

    order = "tiles"

    @cached_property
    def _ways(self) -> list[list[list[int]]]:
        p, q = self.pieces, self.dark_pieces
        # States in which the mover has won have no rank. So there is one split fewer if light has
        # no piece on the board.
        won = self.convention == "mover-view"
        table = [
            [[(i + 1 - (won and i == p)) * (j + 1) for j in range(q + 1)] for i in range(p + 1)]
        ]
        for a, b in reversed(self.path.crossings):
            after = table[-1]
            table.append(
                [
                    [
                        after[i][j]
                        + (a * after[i - 1][j] if i else 0)
                        + (b * after[i][j - 1] if j else 0)
                        for j in range(q + 1)
                    ]
                    for i in range(p + 1)
                ]
            )
        return table[::-1]

    @cached_property
    def arrays(self) -> IntArray:
        """Return the order as a read-only array for kernels. Counts must fit into 64 bits.

        `urcx.enumerate.rankings.tile_kernels` describes the layout of the array.
        """
        p, q = self.pieces, self.dark_pieces
        ways = np.zeros((len(self._ways), p + 2, q + 2), np.int64)
        ways[:, 1:, 1:] = self._ways
        masks = [mask_of(steps) for options in self._options for steps in options]
        tile, row = (p + 2) * (q + 2), q + 2
        start = tile_kernels.HEADER + len(masks) + tile - 1
        turned = self.convention != "positions"
        head = [len(self._options), turned, q, start, tile, row, *masks]
        tables = np.concatenate([np.array(head, np.int64), ways.ravel()])
        tables.setflags(write=False)
        return tables

    def _size(self) -> int:
        return self._ways[0][self.pieces][self.dark_pieces]

    @cached_property
    def _options(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Return the steps of light and of dark on each tile."""
        arrays = layout(self.path)
        sides = ((arrays.light_first, arrays.light_steps), (arrays.dark_first, arrays.dark_steps))
        light, dark = (
            [tuple(steps[first[t] : first[t + 1]].tolist()) for t in range(len(first) - 1)]
            for first, steps in sides
        )
        return tuple(zip(light, dark, strict=True))

    def _rank(self, position: Position) -> int:
        i, j, rank = self.pieces, self.dark_pieces, 0
        light, dark = set(position.light), set(position.dark)
        for t, (light_steps, dark_steps) in enumerate(self._options):
            after = self._ways[t + 1]
            before = after[i][j]
            for step in light_steps:
                if step in light:
                    rank += before
                    i -= 1
                    break
                before += after[i - 1][j] if i else 0
            else:
                for step in dark_steps:
                    if step in dark:
                        rank += before
                        j -= 1
                        break
                    before += after[i][j - 1] if j else 0
        return rank + position.home[0] * (j + 1) + position.home[1]

    def _unrank(self, rank: int) -> Position:
        i, j = self.pieces, self.dark_pieces
        light: list[int] = []
        dark: list[int] = []
        for t, (light_steps, dark_steps) in enumerate(self._options):
            after = self._ways[t + 1]
            if rank < after[i][j]:
                continue
            rank -= after[i][j]
            ways = after[i - 1][j] if i and light_steps else 0
            if rank < ways * len(light_steps):
                light.append(light_steps[rank // ways])
                i, rank = i - 1, rank % ways
            else:
                rank -= ways * len(light_steps)
                ways = after[i][j - 1]
                dark.append(dark_steps[rank // ways])
                j, rank = j - 1, rank % ways
        home = divmod(rank, j + 1)
        return Position(tuple(sorted(light)), tuple(sorted(dark)), home)

    def _rank_block(self, block: DiagramBlock) -> IntArray:
        ranks = np.empty((len(block.light), len(block.dark)), np.int64)
        tile_kernels.rank_tiles(
            self.arrays, block.light, block.light_home, block.dark, block.dark_home, ranks
        )
        return ranks


MAX_PATTERN_TILES = 13  # 3^13 offsets are 13 MB
MAX_PRIVATE_TILES = 14  # 2^14 masks, with each number of pieces home


def pattern_obstacle(path: Path) -> str:
    """Return the reason why a path has no order by shared pattern, or "" if it has one."""
    private, name = path.private, f"the path {path.name}"
    if not path.crossed_once:
        return f"{name} crosses tiles more than once"
    if private[0] != private[1]:
        return f"{name} has unequal numbers of private tiles for the two players"
    if path.shared > MAX_PATTERN_TILES:
        return f"{name} has {path.shared} shared tiles, more than {MAX_PATTERN_TILES}"
    if private[0] > MAX_PRIVATE_TILES:
        return f"{name} has {private[0]} private tiles per side, more than {MAX_PRIVATE_TILES}"
    return ""


def layer_obstacle(rules: RuleSet) -> str:
    """Return the reason why a rule set cannot be solved layer by layer, or "" if it can.

    Layers (`urcx.solving.layered.order`) are groups of states in the order by shared pattern. They
    assume that moves depend only on the mover's pieces and on the other side's pieces on shared
    tiles, and that only landing on a rosette or capturing grants a roll.
    """
    if not rules.path.symmetric:
        return f"the path {rules.path.name} differs for the two players"
    if flag := unknown_flag(rules, CAPTURES):
        return f"layers do not support the rule {flag} of {rules.name}"
    return pattern_obstacle(rules.path)


def check_layers(rules: RuleSet) -> None:
    """Raise `OutOfDomainError` if a rule set has no layers."""
    if reason := layer_obstacle(rules):
        raise OutOfDomainError(
            f"{reason}, so its states cannot be divided into layers. Commands for every path: gtc, "
            "match, reach, perft, and solve without --output"
        )


class PatternRanking(Ranking):
    """The order by shared pattern, for paths that cross no tile twice: a few table look-ups."""

    order = "pattern"

    def __init__(self, path: Path, pieces: int, dark_pieces: int | None, convention: str) -> None:
        super().__init__(path, pieces, dark_pieces, convention)
        layout(path)  # raises if the path has too many steps
        if reason := pattern_obstacle(path):
            raise OutOfDomainError(f"{reason}. Use the order tiles, which works for every path")
        if self.pieces != self.dark_pieces or convention == "mover-view":
            raise OutOfDomainError(
                "order pattern: needs equal numbers of pieces, and the convention diagrams or "
                "positions. Use the order tiles, which works for all"
            )
        shared = [t for t in path.tiles if t in path.light and t in path.dark]
        own = [[t for t in way if t not in shared] for way in (path.light, path.dark)]
        # Each step of a side: k for shared tile k, or -1 - k for private tile k.
        self._local = [
            [shared.index(t) if t in shared else -1 - own[side].index(t) for t in way]
            for side, way in enumerate((path.light, path.dark))
        ]
        masks = product(range(1 << len(own[0])), range(self.pieces + 1))
        used = sorted((m.bit_count() + h, m, h) for m, h in masks)
        self._private = [(m, h) for n, m, h in used if n <= self.pieces]
        self._private_rank = {state: k for k, state in enumerate(self._private)}
        in_use = [n for n, _, _ in used]
        self._width = [bisect_right(in_use, k) for k in range(self.pieces + 1)]
        self._ternary = [int(f"{m:b}", 3) for m in range(1 << len(shared))]
        room = [*self._width, *[0] * len(shared)]  # room[-1 - k]: k pieces too many
        sizes = [a * b for a, b in product(room, repeat=2)]
        free = _free_pieces(self.pieces, len(shared)) % len(room)
        codes = free[0] * len(room) + free[1]
        self._offset = [0, *accumulate(map(sizes.__getitem__, codes.tolist()))]

    def _size(self) -> int:
        return self._offset[-1]

    def _split(self, side: int, steps: tuple[int, ...], home: int) -> tuple[int, int, int]:
        """Return a side's mask of shared tiles, its pieces there, and its private rank."""
        on_lane = own = 0
        for step in steps:
            k = self._local[side][step - 1]
            if k >= 0:
                on_lane |= 1 << k
            else:
                own |= 1 << (-1 - k)
        return on_lane, on_lane.bit_count(), self._private_rank[own, home]

    def _rank(self, position: Position) -> int:
        light, _, row = self._split(0, position.light, position.home[0])
        dark, used, column = self._split(1, position.dark, position.home[1])
        pattern = self._ternary[light] + 2 * self._ternary[dark]
        return self._offset[pattern] + row * self._width[self.pieces - used] + column

    def _unrank(self, rank: int) -> Position:
        # Patterns with too many pieces have no ranks, so the last of equal offsets is correct.
        pattern = bisect_right(self._offset, rank) - 1
        rank -= self._offset[pattern]
        sides: list[set[int]] = [set(), set()]
        for k in range(len(self._ternary).bit_length() - 1):
            pattern, digit = divmod(pattern, 3)
            if digit:
                sides[digit - 1].add(k)
        placements = []
        ranks = divmod(rank, self._width[self.pieces - len(sides[1])])
        for side in (0, 1):
            own, home = self._private[ranks[side]]
            local = sides[side] | {-1 - k for k in range(own.bit_length()) if own >> k & 1}
            steps = [s for s, k in enumerate(self._local[side], start=1) if k in local]
            placements.append((tuple(steps), home))
        (light, light_home), (dark, dark_home) = placements
        return Position(light, dark, (light_home, dark_home))

    @cached_property
    def arrays(self) -> PatternTables:
        """Return the order as read-only arrays for kernels."""
        ranks = np.full((max(m for m, _ in self._private) + 1, self.pieces + 1), -1, np.int64)
        for (mask, home), k in self._private_rank.items():
            ranks[mask, home] = k
        tiles = len(self._ternary).bit_length() - 1
        lane = np.zeros((2, 1), np.int64)
        for k in range(tiles):  # from the first tile on, the least significant digit
            steps = np.diag([1 << local.index(k) for local in self._local])
            lane = np.concatenate([lane, lane + steps[:, :1], lane + steps[:, 1:]], axis=1)
        own_steps = np.zeros((2, len(ranks)), np.int64)
        spread = np.zeros((2, 2, 1 << HALF_BITS), np.int64)
        for side in (0, 1):
            for s, k in enumerate(self._local[side]):
                half, bit = divmod(s, HALF_BITS)
                has = np.arange(1 << HALF_BITS) >> bit & 1
                if k >= 0:
                    spread[side, half] += has * ((side + 1) * 3**k + (1 << COUNT_SHIFT))
                else:
                    own_steps[side] |= (np.arange(len(ranks)) >> (-1 - k) & 1) << s
                    spread[side, half] += has << (OWN_SHIFT - 1 - k)
        masks, homes = zip(*self._private, strict=True)
        tables = PatternTables(
            np.array(self._offset[:-1], np.int64),
            np.array(self._width, np.int64),
            ranks,
            np.array(masks, np.int64),
            np.array(homes, np.int64),
            spread,
            lane,
            own_steps,
        )
        for array in tables:
            array.setflags(write=False)
        return tables

    def _rank_block(self, block: DiagramBlock) -> IntArray:
        ranks = np.empty((len(block.light), len(block.dark)), np.int64)
        pattern_kernels.rank_pattern(
            self.arrays, block.light, block.light_home, block.dark, block.dark_home, ranks
        )
        return ranks


def _free_pieces(pieces: int, tiles: int) -> IntArray:
    """Return the number of pieces off the shared tiles, by side and pattern."""
    free = np.full((2, 1), pieces)
    for _ in range(tiles):  # from the first tile on, the least significant digit
        fewer = [free - np.array([[side == 0], [side == 1]]) for side in (0, 1)]
        free = np.concatenate([free, *fewer], axis=1)
    return free


def no_patterns() -> PatternTables:
    """Return empty tables, for kernels on paths without this order."""
    tables = PatternTables(*(np.zeros((0,) * n, np.int64) for n in (1, 1, 2, 1, 1, 3, 2, 2)))
    for array in tables:
        array.setflags(write=False)
    return tables


ORDERS: dict[str, type[Ranking]] = {"tiles": TileRanking, "pattern": PatternRanking}


def rank(
    position: Position | str | GameLike,
    path: str | Path | None = None,
    pieces: int | None = None,
    dark_pieces: int | None = None,
    *,
    convention: str = "diagrams",
) -> int:
    """Return a position's rank in the order by tiles, as `Ranking.rank` does.

    Parameters
    ----------
    position
        A position, its notation, or a game, whose path and pieces are then the defaults.
    path, pieces, dark_pieces, convention
        As in `ranking`.

    Returns
    -------
    int

    Raises
    ------
    PositionError
        If the position breaks a rule of the board.
    UsageError
        If path or pieces are missing or wrong, or differ from the game's.

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
        raise UsageError("path and pieces: must be passed for a position that is not a game")
    return ranking(path, pieces, dark_pieces, convention=convention).rank(position)


def unrank(
    number: int,
    path: str | Path,
    pieces: int,
    dark_pieces: int | None = None,
    *,
    convention: str = "diagrams",
) -> Position:
    """Return the position of a rank in the order by tiles, as `Ranking.unrank` does.

    Parameters
    ----------
    number
        A rank, from 0 to the number of states minus 1.
    path, pieces, dark_pieces, convention
        As in `ranking`.

    Returns
    -------
    Position

    Raises
    ------
    UsageError, OutOfDomainError, TooLargeError
        If the rank is out of range, or as in `ranking`.

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
        A path or its name. The order ``pattern`` needs a path that crosses no tile twice.
    pieces, dark_pieces
        Pieces of light and of dark. By default dark has as many as light.
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
    # Checked before the cache, because 7.0 equals 7 and would match an entry there.
    light = catalogue.as_integer("pieces", pieces)
    dark = None if dark_pieces is None else catalogue.as_integer("dark_pieces", dark_pieces)
    return _cached_ranking(catalogue.path(path), light, dark, convention, order)


@lru_cache(maxsize=32)
def _cached_ranking(
    path: Path, pieces: int, dark_pieces: int | None, convention: str, order: str
) -> Ranking:
    return ORDERS[order](path, pieces, dark_pieces, convention)
