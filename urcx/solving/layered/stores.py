"""Stores of solved layers: their protocol, and the store in memory."""

from __future__ import annotations

from typing import Protocol

from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerSource
from urcx.sweeps.blocks import Values


class Store(LayerSource, Protocol):
    """A source of solved layers that also stores them."""

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Store a layer's values and gap."""


class MemoryStore:
    """Layers in memory. Unless ``keep``, `drop_last_read` drops layers no longer needed."""

    def __init__(self, *, keep: bool = True) -> None:
        self.keep = keep
        self.layers: dict[Layer, tuple[Values, float]] = {}

    def get(self, layer: Layer) -> tuple[Values, float] | None:
        """Return a layer's values and gap, None if the layer is missing."""
        return self.layers.get(layer)

    def put(self, layer: Layer, values: Values, gap: float) -> None:
        """Store a layer's values and gap."""
        self.layers[layer] = values, gap


def drop_last_read(order: LayerOrder, layers: tuple[Layer, ...], store: Store) -> None:
    """Drop the layers from memory that no pair after ``layers`` reads, unless all are to stay."""
    if isinstance(store, MemoryStore) and not store.keep:
        later = order.pairs[order.pairs.index(layers) + 1 :]
        needed = {(j, i + 1) for pair in later for i, j in pair}
        for layer in store.layers.keys() - needed:
            del store.layers[layer]
