"""The order of the states: in layers, which number each once, and within a layer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from own_rules import own, small

import urcx
from urcx.complexity.tiles import conventions
from urcx.enumerate.rankings.pattern_ranking import why_no_layers
from urcx.errors import OutOfDomainError
from urcx.rules import catalogue
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


@pytest.mark.parametrize(
    "rules",
    [small("finkel", 2), small("masters", 1), small("aseb", 1), own("corner", pieces=4)],
    ids=lambda rules: rules.name,
)
def test_the_order_numbers_every_state_once(rules: RuleSet) -> None:
    order = LayerOrder(rules)
    shared = set(rules.path.light) & set(rules.path.dark)
    shared_steps = {step for step, tile in enumerate(rules.path.dark, start=1) if tile in shared}
    seen, rows = set(), set()
    for layer in order.layers:
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            assert order.place(position) == (layer, rank)
            assert order.place(position.turned()) == (layer, rank)
            seen.add(position)
            rows.add((layer, position.light, frozenset(shared_steps & {*position.dark})))
    ranking = urcx.ranking(rules.path, rules.pieces, convention="mover-view")
    unfinished = {
        p for k in range(ranking.size) if rules.pieces not in (p := ranking.unrank(k)).home
    }
    assert seen == unfinished
    assert sum(order.extent(layer)[0] for layer in order.layers) == len(rows)


@pytest.mark.parametrize(
    ("name", "pieces"), [("finkel", 3), pytest.param("finkel", 20, marks=pytest.mark.jit)]
)
def test_layers_beyond_the_steps_share_their_offsets(name: str, pieces: int) -> None:
    chosen = replace(catalogue.ruleset(name), pieces=pieces)
    order = LayerOrder(chosen)
    counted = conventions(chosen.path, pieces)["diagrams, finished left out"]
    assert sum(order.size(layer) for layer in order.layers) == counted
    assert len(order._offsets) <= (chosen.path.length + 1) ** 2


def test_layers_are_for_paths_alike_for_both_sides_and_crossed_once() -> None:
    tiny = own("tiny")
    back = replace(tiny.path, light=(*tiny.path.light, "B2"), dark=(*tiny.path.dark, "B2"))
    shorter = replace(tiny.path, dark=tiny.path.dark[:-1])
    assert not why_no_layers(tiny)
    assert back.symmetric
    assert why_no_layers(replace(tiny, path=back)) == "the path tiny crosses tiles more than once"
    assert shorter.crossed_once
    assert "not alike for both" in why_no_layers(replace(tiny, path=shorter))
    for path in (back, shorter):
        with pytest.raises(OutOfDomainError):
            LayerOrder(replace(tiny, path=path))
