"""The solver's order of states: layers by pieces home, and by shared pattern within each layer.

It is for paths that cross no tile twice and are the same for both sides. In a layer (i, j), the
mover has i pieces home and the other side j. The states are canonical views, numbered as described
in `urcx.solving.layered.kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from urcx.engine.moves import tables
from urcx.engine.threads import sweeps_as_states
from urcx.enumerate.rankings import pattern_kernels
from urcx.enumerate.rankings.pattern_kernels import (
    COUNT_SHIFT,
    OWN_MASK,
    OWN_SHIFT,
    PATTERN_MASK,
    PatternTables,
)
from urcx.enumerate.rankings.ranking import PatternRanking, check_layers
from urcx.results.fields import COUNT, Field
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import Position

IntArray = NDArray[np.int64]
Layer = tuple[int, int]
ORDERS = 4  # cached by a process


@dataclass(frozen=True)
class LayerSize:
    """A layer and its number of states."""

    layer: Annotated[
        Layer,
        Field(about="pieces home of the player to move", key="light", of=itemgetter(0)),
        Field(about="pieces home of the other side", key="dark", of=itemgetter(1)),
    ]
    states: Annotated[int, Field("", COUNT, "number of states")]


def layer_names(layers: Iterable[Layer]) -> list[str]:
    """Return the names of layers, such as ``1-0``."""
    return [f"{i}-{j}" for i, j in layers]


def layers_of(pieces: int) -> list[Layer]:
    """Return all layers, from the end of the game to its start, (i, j) before (j, i)."""
    return [
        (i, total - i)
        for total in range(2 * pieces - 2, -1, -1)
        for i in range(pieces - 1, -1, -1)
        if 0 <= total - i < pieces
    ]


def pairs_of(pieces: int) -> list[tuple[Layer, ...]]:
    """Return the pairs of interdependent layers, from the end of the game."""
    return [((i, j),) if i == j else ((i, j), (j, i)) for i, j in layers_of(pieces) if i >= j]


class LayerOrder:
    """The layers of a rule set, and the order of the states in them.

    ``lane[side, pattern]`` are a side's steps on shared tiles. ``width[k]`` counts the private
    masks of at most k pieces. ``number[mask]`` numbers all masks, and ``mask[k]`` is its inverse.
    Masks with few enough pieces for a state have the lowest numbers. Within a state's row they are
    stored in descending order.

    Raises
    ------
    OutOfDomainError
        If the rule set has no layers (`urcx.enumerate.rankings.ranking.layer_obstacle`).
    """

    def __init__(self, rules: RuleSet) -> None:
        check_layers(rules)
        self.rules = rules
        self.tables = tables(rules)
        self.pattern = _patterns(rules.path, rules.pieces)
        tiles = rules.path.private[0]
        by_pieces = sorted(range(1 << tiles), key=lambda mask: (mask.bit_count(), mask))
        self.mask = np.array(by_pieces, np.int64)
        self.number = np.empty_like(self.mask)
        self.number[self.mask] = np.arange(len(by_pieces))
        counts = [mask.bit_count() for mask in by_pieces]
        self.width = np.array(
            [sum(n <= k for n in counts) for k in range(rules.pieces + 1)], np.int64
        )
        self.lane = self.pattern.lane
        self.patterns = self.lane.shape[1]
        self._offsets: dict[tuple[Layer, bool], IntArray] = {}
        self._fits: dict[bool, IntArray] = {}
        # The layer of the last call of `position`, its patterns and where each begins.
        self._starts: tuple[Layer, IntArray, IntArray] | None = None

    def __reduce__(self) -> tuple[Callable[[RuleSet], LayerOrder], tuple[RuleSet]]:
        """Pickle only the rules, from which another process makes its order once."""
        return order_of, (self.rules,)

    @property
    def layers(self) -> list[Layer]:
        """Return all layers, from the end of the game to its start, (i, j) before (j, i)."""
        return layers_of(self.rules.pieces)

    @property
    def pairs(self) -> list[tuple[Layer, ...]]:
        """Return the pairs of interdependent layers, from the end of the game."""
        return pairs_of(self.rules.pieces)

    def offsets(self, layer: Layer, *, grouped: bool = False) -> IntArray:
        """Return the offset of each pattern in a layer, -1 if it has no states.

        Layers are in the order of `by_progress`, or if ``grouped`` in the order of `by_group`.
        """
        layer = self._distinct(layer)
        offset = self._offsets.get((layer, grouped))
        if offset is None:
            by = self._fitting(grouped=grouped)
            left = self.rules.pieces - np.array(layer)[:, None] - self.on_lane[:, by]
            here = (left >= 0).all(axis=0)
            by, left = by[here], left[:, here]
            sizes = self.width[left[0]] * self.width[left[1]]
            self._offsets[layer, grouped] = offset = np.full(self.patterns, -1, np.int64)
            offset[by] = np.cumsum(sizes) - sizes
        return offset

    def _fitting(self, *, grouped: bool) -> IntArray:
        """Return the patterns that have enough pieces of each side: few in a small game."""
        if grouped not in self._fits:
            by = self.by_group if grouped else self.by_progress
            self._fits[grouped] = by[(self.on_lane[:, by] <= self.rules.pieces).all(axis=0)]
        return self._fits[grouped]

    @cached_property
    def _alike(self) -> IntArray:
        """Return the number of patterns by pieces of the mover and pieces of the other side."""
        numbers = self.rules.pieces + 1
        mine, theirs = self.on_lane[:, (self.on_lane < numbers).all(axis=0)]
        counts = np.bincount(mine * numbers + theirs, minlength=numbers**2)
        return counts.reshape(numbers, numbers)

    def extent(self, layer: Layer) -> tuple[int, int]:
        """Return the numbers of rows and states of a layer."""
        mine, theirs = (self.rules.pieces - home for home in self._distinct(layer))
        rows = self.width[mine::-1] @ self._alike[: mine + 1, : theirs + 1]
        return int(rows.sum()), int(rows @ self.width[theirs::-1])

    def size(self, layer: Layer) -> int:
        """Return the number of states of a layer."""
        return self.extent(layer)[1]

    def states(self, layers: Iterable[Layer]) -> int:
        """Return the number of states of several layers."""
        return sum(map(self.size, layers))

    def beyond(self, layers: Iterable[Layer]) -> int:
        """Return the number of states of the layers with one more of the mover's pieces home."""
        return sum(self.size((i + 1, j)) for i, j in layers if i + 1 < self.rules.pieces)

    def _distinct(self, layer: Layer) -> Layer:
        # More pieces left than steps make no difference, which limits the number of distinct
        # layers.
        beyond = max(0, self.rules.pieces - self.rules.path.length)
        return max(layer[0], beyond), max(layer[1], beyond)

    def forget(self) -> None:
        """Free the offsets of all layers, which are computed again when they are needed."""
        self._offsets.clear()

    @cached_property
    def on_lane(self) -> IntArray:
        """Return the number of pieces of each side on the shared tiles, for each pattern."""
        return np.bitwise_count(self.lane).astype(np.int64)

    @cached_property
    def by_progress(self) -> IntArray:
        """Return the patterns in the order of a layer: the greatest sum of steps first.

        Each state then leads to earlier ones, except by captures.
        """
        return np.argsort(-self.progress.astype(np.int16), kind="stable")

    @cached_property
    def by_group(self) -> IntArray:
        """Return the patterns in the order in which solving stores and updates them.

        Patterns with the same steps of the other side form a group, in the order of a layer. Only
        captures change these steps, so the values that the moves of a group read are close
        together.
        """
        result: IntArray = np.lexsort((-self.progress, self.lane[1]))
        return result

    @cached_property
    def progress(self) -> IntArray:
        """Return the sum of steps of both sides on the shared tiles of each pattern."""
        result: IntArray = self.steps_of[0] + self.steps_of[1]
        return result

    @cached_property
    def steps_of(self) -> IntArray:
        """Return the sum of steps of each side on the shared tiles of each pattern."""
        result: IntArray = np.zeros((2, 1), np.int64)
        for masks in self._pieces():
            steps = np.diag([mask.bit_length() for mask in masks])
            result = np.concatenate([result, result + steps[:, :1], result + steps[:, 1:]], axis=1)
        return result

    def _pieces(self) -> Iterator[tuple[int, int]]:
        """Yield the steps of a light and a dark piece on each shared tile, as masks.

        Tiles are in the order of a pattern's digits, the least significant first.
        """
        digit = 1
        while digit < self.patterns:
            yield int(self.lane[0, digit]), int(self.lane[1, 2 * digit])
            digit *= 3

    @cached_property
    def groups(self) -> IntArray:
        """Return the group of each pattern, and its part of a sweep over a layer.

        A sweep takes the patterns by part, group and sum of steps. An extra roll leads to the same
        group or to another part, so the groups of a part can be updated in parallel. A group has
        the patterns of `by_group` with the same steps of the other side. If captures may grant an
        extra roll, a part has the patterns with the same number of pieces of the other side,
        because captures lead to fewer pieces. Otherwise there is a single part.
        """
        rules = self.rules
        path = rules.path
        shared = set(path.light) & set(path.dark)
        on_rosette = shared & rules.granting and not rules.rosette_protects
        extra = rules.capture_grants_roll or on_rosette
        part = self.on_lane[1] if extra else np.zeros(self.patterns, np.int64)
        return np.stack([self.lane[1], part])

    @cached_property
    def turned(self) -> IntArray:
        """Return the pattern with the sides exchanged, for each pattern."""
        result: IntArray = np.zeros(1, np.int64)
        for masks in self._pieces():
            others = (self.spread(1 - side, mask) & PATTERN_MASK for side, mask in enumerate(masks))
            result = np.concatenate([result, *(result + other for other in others)])
        return result

    def spread(self, side: int, steps: int) -> int:
        """Return a mask of steps, packed as in `urcx.enumerate.rankings.pattern_kernels`."""
        low, high = steps & pattern_kernels.HALF, steps >> pattern_kernels.HALF_BITS
        table = self.pattern.spread[side]
        return int(table[0, low] + table[1, high])

    def place(self, position: Position) -> tuple[Layer, int]:
        """Return the layer of a valid, unfinished position and its rank in the layer.

        The rank belongs to the canonical view. Plain Python is fastest for a single position.
        """
        mine, theirs, home = position.light, position.dark, position.home
        if not position.light_to_move:
            mine, theirs, home = theirs, mine, (home[1], home[0])
        own, other, width, number = self._parts
        a = sum([own[step] for step in mine])
        b = sum([other[step] for step in theirs])
        columns = width[self.rules.pieces - home[1] - (b >> COUNT_SHIFT)]
        rows = width[self.rules.pieces - home[0] - (a >> COUNT_SHIFT)]
        row = rows - 1 - number[a >> OWN_SHIFT & OWN_MASK]
        column = columns - 1 - number[b >> OWN_SHIFT & OWN_MASK]
        pattern = (a & PATTERN_MASK) + (b & PATTERN_MASK)
        return home, int(self.offsets(home)[pattern]) + row * columns + column

    @cached_property
    def _parts(self) -> tuple[list[int], ...]:
        """Return the packed forms of each side's steps, the widths and the numbers, as lists."""
        steps = range(self.rules.path.length + 1)
        own, other = ([self.spread(side, (1 << s) >> 1) for s in steps] for side in (0, 1))
        return own, other, self.width.tolist(), self.number.tolist()

    def position(self, layer: Layer, rank: int) -> Position:
        """Return the position of a rank in a layer, light to move."""
        cached = self._starts
        if cached is None or cached[0] != layer:
            offset = self.offsets(layer)
            with_states = self.by_progress[offset[self.by_progress] >= 0]
            cached = self._starts = layer, with_states, offset[with_states]
        _, patterns, starts = cached
        k = int(np.searchsorted(starts, rank, side="right")) - 1
        pattern = int(patterns[k])
        rows, columns = (
            int(self.width[self.rules.pieces - layer[side] - self.on_lane[side, pattern]])
            for side in (0, 1)
        )
        row, column = divmod(rank - int(starts[k]), columns)
        steps = []
        for side, number in ((0, rows - 1 - row), (1, columns - 1 - column)):
            mask = int(self.lane[side, pattern] | self.pattern.own_steps[side, self.mask[number]])
            steps.append(tuple(s + 1 for s in range(mask.bit_length()) if mask >> s & 1))
        return Position(steps[0], steps[1], layer)


@lru_cache(maxsize=ORDERS)
def _patterns(path: Path, pieces: int) -> PatternTables:
    return PatternRanking(path, pieces, None, "diagrams").arrays


@lru_cache(maxsize=ORDERS)
def order_of(rules: RuleSet) -> LayerOrder:
    """Return the order of a rule set, cached."""
    return LayerOrder(rules)


def solve_order(
    order: LayerOrder,
    pairs: Sequence[tuple[Layer, ...]],
    progress: Callable[[int], None],
    views: int = 1,
) -> Iterator[tuple[tuple[Layer, ...], int, Callable[[], None]]]:
    """Yield pairs of layers, with their states in one or two views, and a function for sweeps.

    A sweep calls the function. ``progress`` is called with the number of states done.
    """
    done = 0
    for layers in pairs:
        states = views * order.states(layers)
        yield layers, states, sweeps_as_states(progress, done, states)
        done += states
        progress(done)
