from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import naive
import numpy as np
import pytest
from own_rules import own
from small_levels import look_for, ranking_once

from urcx.agents import levels
from urcx.agents.levels import (
    last_level,
)
from urcx.agents.lookahead import LEAVES
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


@pytest.fixture(autouse=True)
def quick_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "ranking_for", ranking_once)


@pytest.fixture
def quick_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the naive twin remember what it has found; hashing rules again and again is slow."""
    twin, known = naive.lookahead_value, {}

    def remembered(
        position: Position, plies: int, rules: RuleSet, leaf: str, depth: int, few: bool
    ) -> Fraction:
        key = (position, plies, id(rules), leaf, depth if few else 0)
        if key not in known:
            known[key] = twin(position, plies, rules, leaf, depth, few)
        return known[key]

    monkeypatch.setattr(naive, "lookahead_value", remembered)


def agree(rules: RuleSet, depth: int, leaf: str, few: bool, every: int = 1) -> None:
    look = look_for(rules, depth, leaf, few)
    level = last_level(rules, look, keep=False, threads=2)
    ranking = ranking_once(rules)
    scale = int(look.scales[-1])
    assert len(level.values) == ranking.size
    for rank in range(0, ranking.size, every):
        diagram = ranking.unrank(rank)
        if diagram.home == (rules.pieces, rules.pieces):
            continue  # no game comes to it
        dark_to_move = replace(diagram, light_to_move=False)
        ref = -naive.lookahead_value(dark_to_move, depth - 1, rules, leaf, depth, few)
        assert int(level.values[rank]) == ref * scale, (diagram, depth)


@pytest.mark.usefixtures("quick_twin")
@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize(
    "name",
    [
        "finkel",
        "head-on",
        # The sweeps go over 3^10 and 3^12 patterns.
        *(pytest.param(name, marks=pytest.mark.jit) for name in ("blitz", "masters", "aseb")),
    ],
)
def test_every_diagram_of_one_piece_agrees_with_the_naive_look_ahead(
    name: str, leaf: str, few: bool
) -> None:
    rules = own(name, pieces=1)
    for depth in (1, 2, 3, 5):
        agree(rules, depth, leaf, few)


@pytest.mark.usefixtures("quick_twin")
def test_every_diagram_of_two_pieces_head_on_agrees_with_the_naive_look_ahead() -> None:
    agree(own("head-on", pieces=2), 3, "advance+centre", few=False)


@pytest.mark.jit
@pytest.mark.usefixtures("quick_twin")
@pytest.mark.parametrize(
    ("name", "pieces", "depth", "leaf", "few"),
    [
        pytest.param("finkel", 2, 3, "advance+centre", False, marks=pytest.mark.slow),
        ("blitz", 2, 2, "advance", False),
        pytest.param("masters", 2, 2, "advance+centre", True, marks=pytest.mark.slow),
        pytest.param("aseb", 2, 2, "advance", True, marks=pytest.mark.slow),
        ("head-on", 3, 4, "advance+centre", True),
    ],
)
def test_diagrams_of_more_pieces_agree_with_the_naive_look_ahead(
    name: str, pieces: int, depth: int, leaf: str, few: bool
) -> None:
    agree(own(name, pieces=pieces), depth, leaf, few, every=5)


def test_values_do_not_depend_on_the_number_of_threads() -> None:
    rules = own("finkel", pieces=1)
    look = look_for(rules, 4)
    ref = last_level(rules, look, keep=False, threads=1).values
    for threads in (2, 3, 8):
        assert np.array_equal(ref, last_level(rules, look, keep=False, threads=threads).values)
