"""The order by shared pattern, for paths crossed once: a few table look-ups per position."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, product

import numpy as np

from urcx.enumerate.enumerator import DiagramBlock
from urcx.enumerate.layout import IntArray, layout
from urcx.enumerate.rankings import pattern_kernels
from urcx.enumerate.rankings.pattern_kernels import COUNT_SHIFT, HALF_BITS, OWN_SHIFT, PatternTables
from urcx.enumerate.rankings.ranking_base import Ranking
from urcx.errors import OutOfDomainError
from urcx.rules.model import Path, RuleSet, unknown_flag
from urcx.rules.position import Position

MAX_PATTERN_TILES = 13  # 3^13 offsets are 13 MB
MAX_PRIVATE_TILES = 14  # 2^14 masks, with each number of pieces home


def why_no_pattern(path: Path) -> str:
    """Return why the states of a path have no order by shared pattern, or "" if they have one."""
    private, name = path.private, f"the path {path.name}"
    if not path.crossed_once:
        return f"{name} crosses tiles more than once"
    if private[0] != private[1]:
        return f"{name} has other numbers of private tiles for the two players"
    if path.shared > MAX_PATTERN_TILES:
        return f"{name} has {path.shared} shared tiles, more than {MAX_PATTERN_TILES}"
    if private[0] > MAX_PRIVATE_TILES:
        return f"{name} has {private[0]} private tiles a side, more than {MAX_PRIVATE_TILES}"
    return ""


def why_no_layers(rules: RuleSet) -> str:
    """Return why the states of a rule set are not valued layer by layer, or "" if they are.

    Layers (`urcx.solving.layered.order`) are groups of states in the order by shared pattern. They
    take for granted that moves depend on the mover's pieces and on the other's on shared tiles, and
    that only landing on a rosette or capturing grants a roll.
    """
    if not rules.path.symmetric:
        return f"the path {rules.path.name} is not alike for both players"
    if flag := unknown_flag(rules):
        return f"layers know no rule {flag}, by which {rules.name} is played"
    return why_no_pattern(rules.path)


def check_layers(rules: RuleSet) -> None:
    """Raise `OutOfDomainError` if a rule set has no layers, and say what works without."""
    if reason := why_no_layers(rules):
        raise OutOfDomainError(
            f"{reason}, so that its states have no layers, which are needed here; gtc, match, "
            "reach, perft, and solve without --output, take every path"
        )


class PatternRanking(Ranking):
    """The order by shared pattern: a few table look-ups, for paths crossed once."""

    order = "pattern"

    def __init__(self, path: Path, pieces: int, dark_pieces: int | None, convention: str) -> None:
        super().__init__(path, pieces, dark_pieces, convention)
        layout(path)  # raises if the path has too many steps
        if reason := why_no_pattern(path):
            raise OutOfDomainError(f"{reason}: the order 'tiles' takes every path")
        if self.pieces != self.dark_pieces or convention == "mover-view":
            raise OutOfDomainError(
                "the order 'pattern' needs equal numbers of pieces, and the convention "
                "diagrams or positions: the order 'tiles' takes all"
            )
        shared = [t for t in path.tiles if t in path.light and t in path.dark]
        own = [[t for t in way if t not in shared] for way in (path.light, path.dark)]
        # Each step of a side as k for its shared tile k, or -1 - k for its private tile k.
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
        room = [*self._width, *[0] * len(shared)]  # room[-1 - k] is for k pieces too many
        sizes = [a * b for a, b in product(room, repeat=2)]
        free = _free_pieces(self.pieces, len(shared)) % len(room)
        codes = free[0] * len(room) + free[1]
        self._offset = [0, *accumulate(map(sizes.__getitem__, codes.tolist()))]

    def _size(self) -> int:
        return self._offset[-1]

    def _split(self, side: int, steps: tuple[int, ...], home: int) -> tuple[int, int, int]:
        """Return a side's mask of shared tiles, the number of pieces there, and the other rank."""
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
        # Patterns with too many pieces have no ranks, so the last of equal offsets is the right
        # one.
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
    def tables(self) -> PatternTables:
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
            self.tables, block.light, block.light_home, block.dark, block.dark_home, ranks
        )
        return ranks


def _free_pieces(pieces: int, tiles: int) -> IntArray:
    """Return how many pieces each side has left beside the pattern, by side and pattern."""
    free = np.full((2, 1), pieces)
    for _ in range(tiles):  # from the first tile on, the least significant digit
        one_less = [free - np.array([[side == 0], [side == 1]]) for side in (0, 1)]
        free = np.concatenate([free, *one_less], axis=1)
    return free


def no_patterns() -> PatternTables:
    """Return empty tables, for kernels that need the argument on paths without this order."""
    tables = PatternTables(*(np.zeros((0,) * n, np.int64) for n in (1, 1, 2, 1, 1, 3, 2, 2)))
    for array in tables:
        array.setflags(write=False)
    return tables
