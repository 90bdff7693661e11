"""The array of a pair of layers: how it is divided, turned, bounded and swept."""

from __future__ import annotations

import numpy as np
import pytest
from own_rules import own

from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair, cuts_of
from urcx.solving.layered.solver import MemoryStore

PAIR = ((1, 0), (0, 1))


@pytest.mark.parametrize("parts", [1, 2, 4, 7])
def test_cuts_divide_all_into_about_equal_parts(parts: int) -> None:
    weights = np.array([1, 5, 2, 2, 8, 1, 1, 4, 6, 3, 3, 2, 7, 1, 2])
    cuts = cuts_of(np.cumsum(weights), parts)
    assert len(cuts) == parts + 1
    assert (cuts[0], cuts[-1]) == (0, len(weights))
    sums = [weights[begin:end].sum() for begin, end in zip(cuts, cuts[1:], strict=False)]
    assert max(abs(each - weights.sum() / parts) for each in sums) <= weights.max()


def test_cuts_of_few_patterns_are_different() -> None:
    assert cuts_of(np.array([10]), 4) == [0, 1]
    assert cuts_of(np.array([], np.int64), 4) == [0]


def test_every_state_is_turned_to_the_one_with_the_sides_exchanged() -> None:
    order = LayerOrder(own("wings"))  # rows and columns of a pattern differ, and pass a vector
    pair = LayerPair(order, PAIR, 1)
    values = np.zeros(pair.size)
    values[: pair.states] = np.random.default_rng(1).random(pair.states)
    pair.update_turned(values)
    for layer in PAIR:
        v, u = pair.at["V", layer], pair.at["U", layer[::-1]]
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            other, turned = order.place(type(position)(position.dark, position.light, layer[::-1]))
            assert other == layer[::-1]
            assert values[u + turned] == -values[v + rank]


def test_a_gap_is_the_widest_of_the_later_layers_that_are_read() -> None:
    order, store = LayerOrder(own("tiny")), MemoryStore()
    for layer, gap in {(1, 1): 0.25, (1, 0): 0.5, (0, 1): 0.125, (0, 0): 1.0}.items():
        store.put(layer, np.zeros(order.size(layer)), gap)
    # Twice that of the store, as the scale is from -1 to 1.
    assert LayerPair(order, ((1, 1),), 1).gap(store) == 0.0
    assert LayerPair(order, PAIR, 1).gap(store) == 0.5
    assert LayerPair(order, ((0, 0),), 1).gap(store) == 0.25


def test_every_sweep_is_told() -> None:
    order, told = LayerOrder(own("tiny")), []
    pair = LayerPair(order, ((1, 1),), 1)
    values = pair.fill(MemoryStore())
    pair.swept = lambda: told.append(values.copy())
    pair.sweep(values, values)
    pair.sweep(values, values)
    assert len(told) == 2
    assert (told[0] != told[1]).any()
