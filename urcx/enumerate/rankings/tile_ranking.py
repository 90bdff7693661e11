"""The order by tiles, for every path: dynamic programming over the tiles, from last to first."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from urcx.engine.moves import mask_of
from urcx.enumerate.enumerator import DiagramBlock
from urcx.enumerate.layout import IntArray, layout
from urcx.enumerate.rankings import tile_kernels
from urcx.enumerate.rankings.ranking_base import Ranking
from urcx.rules.position import Position


class TileRanking(Ranking):
    """The order by tiles, for every path."""

    order = "tiles"

    @cached_property
    def _ways(self) -> list[list[list[int]]]:
        p, q = self.pieces, self.dark_pieces
        # States in which the mover has won have no rank: one split fewer with no piece on the
        # board.
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
    def tables(self) -> IntArray:
        """Return the order as a read-only array for kernels; counts must fit into 64 bits.

        `urcx.enumerate.rankings.tile_kernels` describes its layout.
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

    def _rank_block(self, block: DiagramBlock) -> IntArray:
        ranks = np.empty((len(block.light), len(block.dark)), np.int64)
        tile_kernels.rank_tiles(
            self.tables, block.light, block.light_home, block.dark, block.dark_home, ranks
        )
        return ranks
