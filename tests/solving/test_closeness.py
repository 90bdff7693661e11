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
def test_as_the_tablebase_has_it_state_by_state(tmp_path: Path) -> None:
    rules = replace(catalogue.ruleset("finkel"), pieces=2)
    file = tmp_path / "two.urcx"
    solve(rules, file)
    order = LayerOrder(rules)
    choices, seconds = 0, []
    with urcx.open_tablebase(file) as base:
        found = closeness(order, TablebaseLayers(base), tolerances=(1e-2, 1e-4), threads=2)
        for layer, stride in [((1, 0), 1), ((0, 0), 9)]:
            for rank in range(0, order.size(layer), stride):
                position = order.position(layer, rank)
                for roll in rules.dice.rolls:
                    moves = base.best_moves(position, roll)
                    if len(moves) > 1:
                        choices += 1
                        seconds.append((moves[1].regret, position, roll))
        assert found.position is not None
        assert found.roll is not None
        # The nearest two moves are as near as the solution says.
        assert base.best_moves(found.position, found.roll)[1].regret == pytest.approx(found.least)
    assert found.equal == 0
    assert found.within[1e-2] >= sum(regret < 1e-2 for regret, _, _ in seconds) > 0
    assert found.choices > choices
    assert found.least is not None
    assert found.least <= min(regret for regret, _, _ in seconds)


@pytest.mark.jit
def test_what_is_stored_alike_is_equal(tmp_path: Path) -> None:
    rules = replace(catalogue.ruleset("finkel"), pieces=2)
    file = tmp_path / "two.urcx"
    solve(rules, file, store="u16")
    with urcx.open_tablebase(file) as base:
        found = closeness(LayerOrder(rules), TablebaseLayers(base), tolerances=(1e-5,))
    step = 1 / 65535
    assert found.equal == found.within[1e-5] > 0
    assert found.least is not None
    assert found.least == pytest.approx(step, rel=1e-9)


@pytest.mark.parametrize("rules", [own("tiny"), own("wings"), *SIZES], ids=lambda rules: rules.name)
def test_gaps_by_the_rules_in_words(rules: RuleSet) -> None:
    tolerances = (2.0, 0.2, 0.05, 1e-3)
    order, store = LayerOrder(rules), MemoryStore()
    store.layers = solve(rules, keep=True).layers

    def value(after: Position) -> float:
        """Return light's chance in a position."""
        if rules.pieces in after.home:
            return float(after.home[0] == rules.pieces)
        layer, rank = order.place(after)
        of_mover = float(store.layers[layer][0][rank])
        return of_mover if after.light_to_move else 1.0 - of_mover

    gaps = {}
    for layer in order.layers:
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            for roll in rules.dice.rolls:
                values = sorted(value(item[2]) for item in naive.moves(position, roll, rules))
                if len(values) > 1:
                    gaps[position, roll] = values[-1] - values[-2]
    found = closeness(order, store, tolerances=tolerances, threads=1)
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
