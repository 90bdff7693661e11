"""Solved values against other programs, by hand, against the rules in words, and both solvers."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import naive
import pytest
from own_rules import own, rules_of, small

import urcx
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.general.solver import solve_general
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.solver import solve_layers
from urcx.solving.layered.stores import MemoryStore

GOLDEN = json.loads((Path(__file__).parents[2] / "golden/solved-small.json").read_text("utf-8"))
ROWS = [row for row in GOLDEN["rows"] if urcx.path(row["path"]).crossed_once]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=pytest.mark.jit if k else (), id=str(k))
        for k, row in enumerate(ROWS)
    ],
)
def test_openings_of_another_engine(row: dict[str, Any]) -> None:
    found = solve_layers(rules_of(row), MemoryStore(), threads=1)
    assert abs(found.opening - row["p_first"]) < 1e-12
    assert found.lower <= row["p_first"] <= found.upper
    assert found.upper - found.lower <= 1e-12


# By value iteration in a program of 60 lines that shares nothing with urcx.
@pytest.mark.parametrize(
    ("name", "pieces", "opening"),
    [
        ("seleucid", 1, 0.5219214171087776),
        pytest.param("seleucid", 2, 0.5162536849450315, marks=pytest.mark.jit),
        pytest.param("seleucid-ludii", 1, 0.525884323169535, marks=pytest.mark.jit),
        pytest.param("seleucid-ludii", 2, 0.5209754458881706, marks=pytest.mark.jit),
    ],
)
def test_openings_of_the_seleucid_games(name: str, pieces: int, opening: float) -> None:
    found = solve_layers(small(name, pieces), MemoryStore(), threads=1)
    assert found.lower <= opening <= found.upper


def after_one_ply(at: Position, rules: RuleSet, value: Callable[[Position], float]) -> float:
    """Return what the rules' words make of the chances of who is to move after every move."""
    light = naive.light_wins(rules, value)
    return sum(
        float(chance) * max(float(light(to) if at.light_to_move else 1 - light(to)) for to in after)
        for chance, after in naive.rolled(at, rules)
    )


def residual(rules: RuleSet) -> float:
    """Return the most that a value differs from what the rules' words make of its successors."""
    order = LayerOrder(rules)
    store = MemoryStore()
    solve_layers(rules, store, threads=1)

    def value(position: Position) -> float:
        layer, rank = order.place(position)
        return float(store.layers[layer][0][rank])

    worst = 0.0
    for layer in order.layers:
        size = order.size(layer)
        for rank in range(0, size, 1 if size < 2000 else 7):
            position = order.position(layer, rank)
            worst = max(worst, abs(after_one_ply(position, rules, value) - value(position)))
    return worst


@pytest.mark.parametrize(
    "rules",
    [small("finkel", 1), own("tiny"), own("corner", pieces=4), own("wings"), own("some")]
    + [own("some", rosette_protects=True)]
    + [
        pytest.param(small(name, 1), marks=pytest.mark.jit)
        for name in ("blitz", "masters", "aseb", "seleucid", "seleucid-ludii")
    ]
    + [pytest.param(small(name, 2), marks=pytest.mark.jit) for name in ("finkel", "blitz")]
    + [
        pytest.param(small(name, 2), marks=pytest.mark.slow)
        for name in ("masters", "aseb", "seleucid", "seleucid-ludii")
    ],
    ids=lambda rules: f"{rules.name}-{rules.pieces}",
)
def test_values_satisfy_the_rules_in_words(rules: RuleSet) -> None:
    assert residual(rules) < 1e-14


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row, marks=() if row["pieces"] == 1 and k % 3 == 0 else pytest.mark.jit, id=str(k)
        )
        for k, row in enumerate(GOLDEN["rows"])
        if row["pieces"] < 3
    ],
)
def test_openings_of_another_engine_by_the_solver_for_every_path(row: dict[str, Any]) -> None:
    found, order, values = solve_general(rules_of(row))
    assert abs(found.opening - row["p_first"]) < 1e-14
    assert found.lower <= row["p_first"] <= found.upper
    assert found.upper - found.lower < 2e-12
    assert values[order.index(Position())] == found.opening


def test_sides_that_differ_against_the_rules_in_words() -> None:
    rules = own("odd", rosette_protects=True, capture_grants_roll=False)
    _, order, values = solve_general(rules)
    assert not order.alike

    def value(position: Position) -> float:
        return float(values[order.index(position)])

    checked = 0
    for state in range(order.size):
        position = order.ranking.unrank(state)
        if rules.pieces in position.home:
            continue
        assert order.index(position) == state
        assert abs(after_one_ply(position, rules, value) - values[state]) < 1e-14
        checked += 1
    assert checked > 500
