"""All moves of a layer from a file of exact play, which is decoded as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from urcx.contrib.learning import decoding_kernels as kernels
from urcx.contrib.learning import play_kernels
from urcx.contrib.learning.look_up_kernels import PlayFilePolicy
from urcx.contrib.learning.play_tables import groups
from urcx.engine.threads import for_chunks
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair, LayerShape
from urcx.sweeps.layout_kernels import MARGIN, Picks


@dataclass(frozen=True)
class PlayLayers:
    """Plays the moves of a file of exact play in all states of a pair of layers."""

    policy: PlayFilePolicy

    @property
    def ties(self) -> int:
        """Return the tie rule, an index in `urcx.agents.agent_kernels.TIES`."""
        return self.policy.ties

    def write_picks(self, pair: LayerPair, picks: Picks) -> None:
        """Write its moves in all states of a pair of layers."""
        for layer in pair.layers:
            at = MARGIN + pair.at["V", layer]
            shape = pair.shape(layer)
            decode_layer(
                self.policy, pair.order, shape, picks.masks, at, picks.stride, pair.threads
            )


def decode_layer(
    policy: PlayFilePolicy,
    order: LayerOrder,
    shape: LayerShape,
    picks: NDArray[Any],
    begin: int,
    stride: int,
    threads: int,
) -> None:
    """Write the moves of a layer's decisions, each as a mask over the legal moves.

    Those of the r-th roll of the dice in the layer's k-th state go to ``picks[r * stride + begin +
    k]``; entries with fewer than two legal moves are not written.
    """
    light, dark = shape.layer
    layer = kernels.LayerRows(
        light,
        dark,
        order.size(shape.layer),
        shape.patterns,
        shape.rows,
        shape.columns,
        shape.begin,
    )
    number = groups(order, shape.layer, int(policy.play.numbers[play_kernels.BLOCK]))
    rooms = [policy.for_one_thread().room for _ in range(min(threads, number))]

    def part(thread: int, first: int, last: int) -> None:
        for group in range(first, last):
            kernels.decode_group(
                policy.play, rooms[thread], layer, order.tables.rolls, group, begin, stride, picks
            )

    for_chunks(number, 1, part, len(rooms))
