"""The order of the states of a layer."""

from __future__ import annotations

import pytest
from own_rules import own

from urcx.rules.model import RuleSet
from urcx.solving.layered.order import LayerOrder


@pytest.mark.parametrize("rules", [own("tiny"), own("wings")], ids=lambda rules: rules.name)
def test_states_far_along_the_shared_tiles_come_first(rules: RuleSet) -> None:
    order, path = LayerOrder(rules), rules.path
    shared = {step for step, tile in enumerate(path.light, start=1) if tile in path.dark}
    for layer in order.layers:
        positions = [order.position(layer, rank) for rank in range(order.size(layer))]
        along = [sum(step for step in (*p.light, *p.dark) if step in shared) for p in positions]
        assert along == sorted(along, reverse=True)
        assert along[0] > along[-1] == 0
