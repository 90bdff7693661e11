"""Where solved layers go: what any store can do, and the store in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerSource, Values


class Store(LayerSource, Protocol):
    """A source of solved layers that also stores them."""

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Keep a layer's values and gap."""


class MemoryStore:
    """Layers in memory; unless ``keep``, those no longer needed are dropped."""

    def __init__(self, *, keep: bool = True) -> None:
        self.keep = keep
        self.layers: dict[Layer, tuple[Values, float]] = {}

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, None if it is not there."""
        return self.layers.get(layer)

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Keep a layer's values and gap."""
        self.layers[layer] = values, gap
        if not self.keep:
            self.drop([k for k in self.layers if sum(k) > sum(layer) + 1])

    def drop(self, layers: Iterable[Layer]) -> None:
        """Drop layers unless all are kept."""
        if not self.keep:
            for layer in layers:
                self.layers.pop(layer, None)


def drop_last_read(order: LayerOrder, layers: tuple[Layer, ...], store: Store) -> None:
    """Drop the layers from memory that a pair has read and no later pair reads, or none at all."""
    if isinstance(store, MemoryStore) and not store.keep:
        later = order.pairs[order.pairs.index(layers) + 1 :]
        needed = {(j, i + 1) for pair in later for i, j in pair}
        store.drop([layer for layer in store.layers if layer not in needed])
