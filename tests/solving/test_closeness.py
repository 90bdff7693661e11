"""How close moves are: against the tablebase's own regrets, state by state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import naive
import pytest
from own_rules import SIZES, own

import urcx
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.closeness import closeness
from urcx.solving.files.tablebase import TablebaseLayers
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.solution import solve


@pytest.mark.jit
def test_what_is_stored_within_the_bound_is_equal(tmp_path: Path) -> None:
    rules = replace(catalogue.ruleset("finkel"), pieces=2)
    file = tmp_path / "two.urcx"
    solve(rules, file, store="u16")
    with urcx.open_tablebase(file) as base:
        found = closeness(LayerOrder(rules), TablebaseLayers(base), tolerances=(2e-5, 1e-5))
    step = 1 / 65535
    assert found.equal == found.within[2e-5] > found.within[1e-5] > 0
    assert found.least is not None
    assert found.least == pytest.approx(2 * step, rel=1e-9)


@pytest.mark.parametrize("rules", [own("tiny"), own("wings"), *SIZES], ids=lambda rules: rules.name)
def test_gaps_by_the_rules_in_words(rules: RuleSet) -> None:
    tolerances = (2.0, 0.2, 0.05, 1e-3)
    order, store = LayerOrder(rules), MemoryStore()
    store.layers = solve(rules, keep=True).layers

    def of_mover(at: Position) -> float:
        layer, rank = order.place(at)
        return float(store.layers[layer][0][rank])

    light, gaps = naive.light_wins(rules, of_mover), {}
    for layer in order.layers:
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            for roll in rules.dice.rolls:
                values = sorted(
                    float(light(item[2])) for item in naive.moves(position, roll, rules)
                )
                if len(values) > 1:
                    gaps[position, roll] = values[-1] - values[-2]  # light is to move
    found, other = (closeness(order, store, tolerances=tolerances, threads=n) for n in (1, 2))
    assert (other.choices, other.equal, other.within, other.least) == (
        found.choices, found.equal, found.within, found.least,
    )  # fmt: skip
    assert found.choices == len(gaps)
    assert found.equal == sum(gap < 1e-12 for gap in gaps.values())
    within = {most: sum(gap < most for gap in gaps.values()) for most in tolerances}
    assert found.within == within
    assert within[2.0] == len(gaps) > within[1e-3]
    different = {key: gap for key, gap in gaps.items() if gap >= 1e-12}
    assert found.least == pytest.approx(min(different.values()), rel=1e-9)
    assert found.position is not None
    assert found.roll is not None
    assert different[found.position, found.roll] == pytest.approx(found.least, rel=1e-9)
    assert found.gap == max(gap for _, gap in store.layers.values())
