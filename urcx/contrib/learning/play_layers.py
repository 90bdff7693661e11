"""Going through all decisions of a solved game, by blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from urcx.contrib.learning import packing_kernels as packing
from urcx.contrib.learning import play_kernels as kernels
from urcx.contrib.learning.packing_kernels import LayerMoves
from urcx.contrib.learning.play_kernels import PlayTables
from urcx.contrib.learning.play_tables import groups, play_room, streams
from urcx.engine.memory import check_memory
from urcx.engine.threads import chosen_threads, for_chunks
from urcx.solving.files.tablebase import Tablebase, TablebaseLayers
from urcx.solving.layered.estimates import rows_of
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair

MOST_BITS = 14  # of a bit of the least probability
ROW_BYTES = 100  # of a row's moves, about: where each begins and what it leads to


def compress_memory(order: LayerOrder) -> int:
    """Return the most bytes that going through a game's decisions takes.

    What is mapped of the tablebase is left out: the system takes it back when memory is short.
    """
    most = 0
    pieces = order.rules.pieces
    for layers in order.pairs:
        states = order.states(layers)
        ahead = [order.size((i + 1, j)) for i, j in layers if i + 1 < pieces]
        copied = max([*ahead, *(order.size(layer) for layer in layers)])
        rows = rows_of(order, layers)
        most = max(most, 8 * (2 * states + sum(ahead) + copied) + ROW_BYTES * rows)
    tables = 12 * order.patterns * len(order.layers)
    return int(most + tables) + 300_000_000


def all_layers(base: Tablebase, threads: int, within: float) -> Iterator[LayerMoves]:
    """Yield all layers of a tablebase, from the end of the game, with the values of all moves.

    Moves whose chances of winning are at most ``within`` below the best count as right. Only one
    pair of layers is in memory at a time, if no earlier layer is kept.
    """
    source = TablebaseLayers(base)
    for layers in base.order.pairs:
        yield from _of_pair(LayerPair(base.order, layers, threads), source, within)


def _of_pair(pair: LayerPair, source: TablebaseLayers, within: float) -> Iterator[LayerMoves]:
    """Yield the layers of a pair."""
    values, _ = pair.solved(source)
    for layer, cuts in zip(pair.layers, pair.cuts, strict=True):
        shape = pair.shape(layer)
        yield LayerMoves(
            *layer,
            pair.order.size(layer),
            shape.patterns,
            shape.rows,
            shape.columns,
            shape.begin,
            pair.rows.first_row[cuts[0] : cuts[-1]],
            pair.row_ops,
            pair.ops,
            values,
            2.0 * within,  # values are between -1 and 1
        )


class Worker:
    """One thread's working memory and results; see `urcx.contrib.learning.packing_kernels`."""

    def __init__(self, order: LayerOrder, play: PlayTables, mode: int) -> None:
        rolls, block = len(streams(order)), int(play.numbers[kernels.BLOCK])
        size = 0
        if mode == kernels.ENCODE:
            states = kernels.GROUP * block + len(order.mask)
            moves = min(order.rules.pieces, order.rules.path.length + 1)
            size = states * rolls * moves * MOST_BITS // 8 + 64 * kernels.GROUP * rolls + 64
        contexts = kernels.CONTEXTS if mode == kernels.COUNT else 0
        self.order, self.play, self.mode = order, play, mode
        self.room = play_room(play, contexts=contexts, out=size)
        self.out = np.zeros(size, np.uint8)
        moves = len(self.room.starts)
        self.tallies = packing.Tallies(
            right=np.zeros(len(order.mask), np.int64),
            lengths=np.zeros(kernels.GROUP * rolls, np.int64),
            places=np.zeros((len(order.tables.rolls), moves + 1, moves), np.int64),
            totals=np.zeros(packing.TOTALS, np.int64),
            worst=np.zeros(1),
        )

    def group(self, layer: LayerMoves, group: int) -> bytes:
        """Count, write or check a group of a layer; return what was written."""
        rolls = self.order.tables.rolls
        length = packing.code_group(
            self.play, self.room, layer, rolls, group, self.mode, self.tallies, self.out
        )
        found = self.out[:length].tobytes()
        self.out[:length] = 0
        self.room.out[:length] = 0
        return found


def go_through(
    base: Tablebase,
    play: PlayTables,
    mode: int,
    within: float,
    update: Callable[[int], None],
    *,
    every: int = 1,
    threads: int | None = None,
) -> tuple[list[Worker], list[bytes]]:
    """Count, write or check every so-many-th group of all layers.

    Returns what the threads' results are in, and the groups that were written.
    """
    threads = chosen_threads(threads)
    order = base.order
    what = f"going through the decisions of {order.rules.name}"
    check_memory(compress_memory(order), what, "take a game of fewer pieces")
    workers = [Worker(order, play, mode) for _ in range(threads)]
    written: list[bytes] = []
    done = 0
    for layer in all_layers(base, threads, within):
        number = groups(order, (layer.light, layer.dark), int(play.numbers[kernels.BLOCK]))
        written += _layer_groups(workers, layer, number, every)
        done += layer.states
        del layer  # and with it its pair, before the next is made
        update(done)
    return workers, written


def _layer_groups(workers: list[Worker], layer: LayerMoves, number: int, every: int) -> list[bytes]:
    """Count, write or check every so-many-th of a layer's groups."""
    found = [b""] * number

    def part(thread: int, first: int, last: int) -> None:
        for group in range(first, last):
            if group % every == 0:
                found[group] = workers[thread].group(layer, group)

    for_chunks(number, 1, part, len(workers))
    return found
