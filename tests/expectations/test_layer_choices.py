"""What agents choose in all states of a layer: by values in rows, and state by state."""

from __future__ import annotations

import numpy as np
import pytest
from own_rules import own

from urcx.agents.agent_kernels import FIRST, LAST, RANDOM
from urcx.agents.policies import table_policy
from urcx.expectations.choices import LayerPolicy, choose_moves
from urcx.rules.model import RuleSet
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.layout_kernels import Picks

CERTAIN = 5


@pytest.mark.parametrize("tie_width", [0.0, 1.5])
@pytest.mark.parametrize("ties", [FIRST, LAST, RANDOM])
@pytest.mark.parametrize(
    "rules", [own("wings"), pytest.param(own("blitz", pieces=2), marks=pytest.mark.jit)]
)
def test_rows_of_values_and_single_states_give_the_same_moves(
    rules: RuleSet, ties: int, tie_width: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = LayerOrder(rules)
    random = np.random.default_rng(3)
    # Few values, so that there are ties of two and of more moves, also with moves that roll again.
    values = {
        key: random.integers(0, CERTAIN + 1, order.size(key)).astype(np.uint16)
        for key in order.layers
    }
    table = table_policy(order, values.__getitem__, ties, CERTAIN, tie_width)
    shared = 0
    for layers in order.pairs:
        pair = LayerPair(order, layers, 1)
        by_rows = choose_moves(LayerPolicy(values.__getitem__, CERTAIN, ties, tie_width), pair)
        assert same(by_rows, choose_moves(table, pair))
        with monkeypatch.context() as patch:
            patch.setattr(LayerPolicy, "of", staticmethod(lambda policy, *_: policy))
            by_states = choose_moves(table, pair)
        assert same(by_rows, by_states)
        assert by_rows.shared == (ties == RANDOM)
        shared += int((np.bitwise_count(by_rows.masks) > 1).sum())
    assert (shared > 0) == (ties == RANDOM)


def same(one: Picks, other: Picks) -> bool:
    return np.array_equal(one.masks, other.masks) and np.array_equal(one.any_of, other.any_of)
