"""The arrays with which kernels play by a file, or write one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.learning import play_kernels as kernels
from urcx.contrib.learning.coding_kernels import REGISTERS
from urcx.contrib.learning.play_kernels import PlayRoom, PlayTables
from urcx.contrib.learning.predictor import Predictor, knots
from urcx.solving.layered.order import IntArray, Layer, LayerOrder


def streams(order: LayerOrder) -> list[int]:
    """Return the rolls that move a piece, each of which has a stream in every block."""
    return [roll for roll in order.rules.dice.rolls if roll > 0]


def groups(order: LayerOrder, layer: Layer, block: int) -> int:
    """Return the number of groups of a layer with blocks of so many states."""
    return -(-order.size(layer) // (block * kernels.GROUP))


def play_tables(
    order: LayerOrder,
    predictor: Predictor,
    block: int,
    chance: NDArray[np.int64],
    begin: NDArray[np.uint32],
    data: NDArray[np.uint8],
) -> PlayTables:
    """Return the arrays of a file's contents; see `urcx.contrib.learning.play_kernels`."""
    rules = order.rules
    pieces, length = rules.pieces, rules.path.length
    numbers = np.zeros(kernels.NUMBERS, np.int64)
    numbers[kernels.MEN], numbers[kernels.PATH] = pieces, length
    numbers[kernels.UNITS], numbers[kernels.SCALE] = predictor.units, predictor.scale
    numbers[kernels.SQUARED], numbers[kernels.CONSTANT] = predictor.squared, predictor.constant
    numbers[kernels.SHIFT], numbers[kernels.BLOCK] = predictor.shift, block
    offset = np.zeros((pieces, pieces, order.patterns), np.uint32)
    group = np.zeros((pieces, pieces), np.int64)
    done = 0
    for pair in order.pairs:
        for layer in pair:
            offset[layer] = np.maximum(order.offsets(layer), 0)
            group[layer] = done
            done += groups(order, layer, block)
    stream = np.full(max(rules.dice.rolls) + 1, -1, np.int64)
    for number, roll in enumerate(streams(order)):
        stream[roll] = number
    stream[0] = len(streams(order))
    # One type of arrays, whether they come from a file or not: kernels are compiled once.
    for array in (predictor.first, predictor.bias, predictor.last, begin, data):
        array.setflags(write=False)
    place = np.empty(order.patterns, np.int32)
    place[order.by_progress] = np.arange(order.patterns)
    return PlayTables(
        numbers,
        order.tables.ways,
        predictor.first,
        predictor.bias,
        predictor.last,
        _columns(order, predictor),
        knots(),
        *_neighbours(order),
        chance,
        order.pattern,
        order.width,
        order.number,
        order.mask,
        order.by_progress.astype(np.int32),
        place,
        offset,
        group,
        begin,
        stream,
        data,
    )


def _columns(order: LayerOrder, predictor: Predictor) -> NDArray[np.int16]:
    """Return the sums of weights of the steps of private masks, by the side they are inputs of."""
    length = order.rules.path.length
    # Columns are masks of the side that is not to move, the second of the order.
    steps = order.pattern.own_steps[1][order.mask[: order.width[-1]]]
    found = np.zeros((2, len(steps), predictor.units), np.int16)
    for step in range(length):
        has = (steps >> step & 1 == 1)[:, None]
        for side in (0, 1):
            found[side] += has * predictor.first[side * length + step]
    return found


def _neighbours(order: LayerOrder) -> tuple[IntArray, IntArray]:
    """Return the numbers of the masks with the last possible piece one tile ahead, and one more.

    -1 stands for none.
    """
    size = len(order.mask)
    tiles = size.bit_length() - 1
    ahead, more = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    for number, mask in enumerate(order.mask.tolist()):
        for tile in range(tiles):
            if not mask >> tile & 1:
                more[number] = order.number[mask | 1 << tile]
                break
        for tile in range(tiles - 1):
            if mask >> tile & 3 == 1:
                ahead[number] = order.number[mask ^ 3 << tile]
                break
    return ahead, more


def play_room(play: PlayTables, *, contexts: int = 0, out: int = 0) -> PlayRoom:
    """Return working memory for one thread, with room for counts and for bytes written."""
    pieces, units = int(play.numbers[kernels.MEN]), int(play.numbers[kernels.UNITS])
    starts = int(play.numbers[kernels.PATH]) + 1
    columns, moves = len(play.mask), min(pieces, starts)
    return PlayRoom(
        np.zeros(REGISTERS, np.int64),
        np.zeros((moves, columns), np.int64),
        np.zeros(moves, np.int64),
        np.zeros(moves, np.int64),
        np.zeros(moves, np.int64),
        np.zeros(columns, np.int64),
        np.zeros(columns, np.int64),
        np.zeros(columns, np.int64),
        np.zeros(starts, np.int64),
        np.zeros(units, np.int16),
        np.zeros(units, np.int16),
        np.zeros((2, 2, columns, units), np.int16),
        np.zeros((2, 2), np.int64),
        np.zeros((contexts, 2), np.int64),
        np.zeros(out, np.uint8),
    )
