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

import random
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from urcx.enumerate import ranking_kernels
from urcx.enumerate.enumerator import Block, blocks
from urcx.enumerate.layout import IntArray, check_pieces, layout
from urcx.errors import OutOfDomainError, TooLargeError, UsageError
from urcx.rules.model import Path
from urcx.rules.position import Position, check, parse_position

CONVENTIONS = ("diagrams", "positions", "mover-view")
MAX_PATTERN_TILES = 13  # 3^13 offsets are 13 MB
MAX_MARKS = 500_000_000  # a byte a rank in `Ranking.prove`


@dataclass(frozen=True)
class Marks:
    """What ranking all diagrams of the enumerator found.

    Of ``size`` ranks, ``once`` were hit once and ``repeated`` more than once; ``outside`` diagrams
    had a rank that is not in 0..size - 1.
    """

    size: int
    once: int
    repeated: int
    outside: int

    @property
    def bijective(self) -> bool:
        """Return whether the ranks are 0..size - 1, each once."""
        return self.once == self.size and self.outside == 0


class Ranking(ABC):
    """A bijection between states and 0..N-1; N is its ``size``.

    Made by `ranking`. All methods work with Python integers of any size.
    """

    order = ""

    def __init__(self, path: Path, pieces: int, dark_pieces: int | None, convention: str) -> None:
        if convention not in CONVENTIONS:
            raise UsageError(f"unknown convention {convention!r}; known: {', '.join(CONVENTIONS)}")
        self.path = path
        self.pieces, self.dark_pieces = check_pieces(pieces, dark_pieces)
        self.convention = convention
        if convention == "mover-view" and not (path.symmetric and self.pieces == self.dark_pieces):
            raise OutOfDomainError(
                "mover-view needs a path that is alike for both players and equal numbers of pieces"
            )

    @property
    def size(self) -> int:
        """Return N, the number of states."""
        return self._size() * (2 if self.convention == "positions" else 1)

    def rank(self, position: Position) -> int:
        """Return the rank of a position, from 0 to ``size`` - 1.

        Whose turn it is does not matter to ``diagrams``.

        Raises
        ------
        PositionError
            If the position breaks a rule of the board.
        OutOfDomainError
            In ``mover-view``, if the player to move has already won.
        """
        check(position, self.path, self.pieces, self.dark_pieces)
        if self.convention == "positions":
            return 2 * self._rank(position) + (not position.light_to_move)
        if self.convention == "mover-view":
            if not position.light_to_move:
                position = position.turned()
            if position.home[0] == self.pieces:
                raise OutOfDomainError("the player to move has already won: no mover-view state")
        return self._rank(position)

    def unrank(self, rank: int) -> Position:
        """Return the position with a rank, light to move unless the convention says otherwise.

        Raises
        ------
        UsageError
            If the rank is not from 0 to ``size`` - 1.
        """
        if not 0 <= rank < self.size:
            raise UsageError(f"rank {rank} is outside 0..{self.size - 1}")
        if self.convention == "positions":
            position = self._unrank(rank // 2)
            return Position(position.light, position.dark, position.home, rank % 2 == 0)
        return self._unrank(rank)

    def sample(self, number: int, seed: int) -> Iterator[Position]:
        """Yield independent, uniformly distributed positions; the same for the same seed.

        Ranks are drawn by Python's Mersenne Twister without bias (``random.Random.randrange``).
        """
        draw = random.Random(seed)  # noqa: S311 - reproducible on purpose, nothing secret
        for _ in range(number):
            yield self.unrank(draw.randrange(self.size))

    def prove(self) -> Marks:
        """Rank every diagram that the enumerator visits and mark the ranks.

        Raises
        ------
        TooLargeError
            If there are more than `MAX_MARKS` diagrams.
        OutOfDomainError
            If the convention is not ``diagrams``.
        """
        if self.convention != "diagrams":
            raise OutOfDomainError("the enumerator visits diagrams")
        if self.size > MAX_MARKS:
            raise TooLargeError(
                f"marking {self.size} ranks takes as many bytes; at most {MAX_MARKS} are marked"
            )
        seen = np.zeros(self.size, np.uint8)
        outside = sum(self._mark(block, seen) for block in blocks(*self._numbers))
        return Marks(self.size, int((seen == 1).sum()), int((seen > 1).sum()), outside)

    @property
    def _numbers(self) -> tuple[Path, int, int]:
        return self.path, self.pieces, self.dark_pieces

    @abstractmethod
    def _size(self) -> int:
        """Return the number of diagrams, or of mover views."""

    @abstractmethod
    def _rank(self, position: Position) -> int:
        """Return the rank of a checked position among diagrams, or mover views."""

    @abstractmethod
    def _unrank(self, rank: int) -> Position:
        """Return the position with a checked rank."""

    @abstractmethod
    def _mark(self, block: Block, seen: NDArray[np.uint8]) -> int:
        """Mark the ranks of a block's diagrams in ``seen``; return how many fall outside."""


class TileRanking(Ranking):
    """The order by tiles, for every path."""

    order = "tiles"

    @cached_property
    def _ways(self) -> list[list[list[int]]]:
        p, q = self.pieces, self.dark_pieces
        # A mover who has won has no rank: one split less where no piece is on the board.
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

    def _size(self) -> int:
        return self._ways[0][self.pieces][self.dark_pieces]

    @cached_property
    def _options(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """Return for each tile light's and dark's steps on it."""
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

    def _mark(self, block: Block, seen: NDArray[np.uint8]) -> int:
        arrays = layout(self.path)
        ways = np.array(self._ways, np.int64)
        return int(
            ranking_kernels.rank_tiles_block(
                ways,
                arrays.light_first,
                arrays.light_steps,
                arrays.dark_first,
                arrays.dark_steps,
                block.light,
                block.light_home,
                block.dark,
                block.dark_home,
                seen,
            )
        )


class PatternRanking(Ranking):
    """The order by shared pattern: a few table look-ups, for paths crossed once."""

    order = "pattern"

    def __init__(self, path: Path, pieces: int, dark_pieces: int | None, convention: str) -> None:
        super().__init__(path, pieces, dark_pieces, convention)
        reasons = {
            "a path crossed once": path.crossed_once,
            "as many private tiles for both": path.private[0] == path.private[1],
            "equal numbers of pieces": self.pieces == self.dark_pieces,
            "the convention diagrams or positions": convention != "mover-view",
            f"at most {MAX_PATTERN_TILES} shared tiles": path.shared <= MAX_PATTERN_TILES,
        }
        for reason, holds in reasons.items():
            if not holds:
                raise OutOfDomainError(f"the order 'pattern' needs {reason}; use 'tiles'")
        shared = [t for t in path.tiles if t in path.light and t in path.dark]
        own = [[t for t in way if t not in shared] for way in (path.light, path.dark)]
        # Step s of a side is its shared tile k, or its private tile k as -1 - k.
        self._local = [
            [shared.index(t) if t in shared else -1 - own[side].index(t) for t in way]
            for side, way in enumerate((path.light, path.dark))
        ]
        masks = product(range(1 << len(own[0])), range(self.pieces + 1))
        used = sorted((m.bit_count() + h, m, h) for m, h in masks)
        self._private = [(m, h) for n, m, h in used if n <= self.pieces]
        self._private_rank = {state: k for k, state in enumerate(self._private)}
        self._width = [sum(n <= k for n, _, _ in used) for k in range(self.pieces + 1)]
        self._ternary = [int(f"{m:b}", 3) for m in range(1 << len(shared))]
        self._offset = [0]
        for digits in product("012", repeat=len(shared)):
            free = [self.pieces - digits.count(side) for side in "12"]
            size = self._width[free[0]] * self._width[free[1]] if min(free) >= 0 else 0
            self._offset.append(self._offset[-1] + size)

    def _size(self) -> int:
        return self._offset[-1]

    def _split(self, side: int, steps: tuple[int, ...], home: int) -> tuple[int, int, int]:
        """Return a side's shared mask, how many pieces are on it, and the rank of the rest."""
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
        # Patterns without room for the pieces have no ranks: the last of equal offsets is meant.
        pattern = bisect_right(self._offset, rank) - 1
        rank -= self._offset[pattern]
        sides: list[set[int]] = [set(), set()]
        for k in range(len(self._ternary).bit_length() - 1):
            pattern, digit = divmod(pattern, 3)
            if digit:
                sides[digit - 1].add(k)
        found = []
        ranks = divmod(rank, self._width[self.pieces - len(sides[1])])
        for side in (0, 1):
            own, home = self._private[ranks[side]]
            local = sides[side] | {-1 - k for k in range(own.bit_length()) if own >> k & 1}
            steps = [s for s, k in enumerate(self._local[side], start=1) if k in local]
            found.append((tuple(steps), home))
        (light, light_home), (dark, dark_home) = found
        return Position(light, dark, (light_home, dark_home))

    @cached_property
    def _arrays(self) -> tuple[IntArray, ...]:
        ranks = np.full((max(m for m, _ in self._private) + 1, self.pieces + 1), -1, np.int64)
        for (mask, home), k in self._private_rank.items():
            ranks[mask, home] = k
        lists = self._offset, self._ternary, *self._local
        return (*(np.array(x, np.int64) for x in lists), ranks, np.array(self._width, np.int64))

    def _mark(self, block: Block, seen: NDArray[np.uint8]) -> int:
        return int(
            ranking_kernels.rank_pattern_block(
                *self._arrays, block.light, block.light_home, block.dark, block.dark_home, seen
            )
        )


def rank(
    position: Position | str,
    path: Path,
    pieces: int,
    dark_pieces: int | None = None,
    *,
    convention: str = "diagrams",
) -> int:
    """Return a position's rank in the order by tiles; see `ranking` and `Ranking.rank`."""
    found = parse_position(position) if isinstance(position, str) else position
    return ranking(path, pieces, dark_pieces, convention=convention).rank(found)


def unrank(
    number: int,
    path: Path,
    pieces: int,
    dark_pieces: int | None = None,
    *,
    convention: str = "diagrams",
) -> Position:
    """Return the position of a rank in the order by tiles; see `ranking` and `Ranking.unrank`."""
    return ranking(path, pieces, dark_pieces, convention=convention).unrank(number)


@lru_cache(maxsize=32)
def ranking(
    path: Path,
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
        Any path for the order ``tiles``; one crossed once for ``pattern``.
    pieces, dark_pieces
        Pieces of light and of dark; dark has as many as light unless it says so.
    convention
        ``diagrams``, ``positions`` or ``mover-view``.
    order
        ``tiles`` or ``pattern``: which of the two numberings.

    Raises
    ------
    UsageError
        If the convention or order is unknown.
    OutOfDomainError
        If they are not defined for this path and these numbers.
    TooLargeError
        If the path has too many steps.
    """
    kinds: dict[str, type[Ranking]] = {"tiles": TileRanking, "pattern": PatternRanking}
    if order not in kinds:
        raise UsageError(f"unknown order {order!r}; known: {', '.join(kinds)}")
    return kinds[order](path, pieces, dark_pieces, convention)
