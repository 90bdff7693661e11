from __future__ import annotations

from fractions import Fraction

import naive
import pytest
from own_rules import own

import urcx
from urcx.complexity import tiles
from urcx.complexity.game_tree import legal_moves_per_ply, legal_moves_per_roll
from urcx.rules.model import RuleSet


@pytest.mark.parametrize(
    ("name", "pieces", "dark"),
    [(name, 1, 1) for name in urcx.path_names()]
    + [(name, 1, 2) for name in urcx.path_names()[::4]],
)
def test_counts_what_the_naive_search_finds(name: str, pieces: int, dark: int) -> None:
    path = urcx.path(name)
    diagrams = list(naive.diagrams(path, pieces, dark))
    assert tiles.diagrams(path, pieces, dark) == len(diagrams)
    assert tiles.branches(path, pieces, dark) == (
        sum(naive.branches(d, pieces) for d in diagrams),
        sum(naive.branches(d.turned(), dark) for d in diagrams),
    )
    assert tiles.finished(path, pieces, dark) == (
        sum(d.home[0] == pieces for d in diagrams),
        sum(d.home[1] == dark for d in diagrams),
    )


@pytest.mark.parametrize(
    ("name", "pieces"),
    [("finkel", 1), ("finkel", 2), ("blitz", 2), ("masters", 1), ("aseb", 1), ("murray", 1)],
)
def test_legal_moves_are_those_of_every_state(name: str, pieces: int) -> None:
    rules = urcx.ruleset(name, pieces=pieces)
    unfinished = [d for d in naive.diagrams(rules.path, pieces) if pieces not in d.home]
    by_roll = {
        roll: sum(len(naive.moves(d, roll, rules)) for d in unfinished) for roll in rules.dice.rolls
    }
    assert {roll: tiles.legal_moves_of_roll(rules, roll) for roll in rules.dice.rolls} == by_roll
    moves = sum(p * by_roll[roll] for roll, p in rules.dice.items())
    assert legal_moves_per_ply(rules) == moves / len(unfinished)
    above = [roll for roll in by_roll if roll]
    per_roll = Fraction(sum(by_roll.values()), len(above) * len(unfinished))
    assert legal_moves_per_roll(rules) == per_roll


@pytest.mark.parametrize(
    "rules",
    [
        own("loop", pieces=2),
        pytest.param(own("loop"), marks=pytest.mark.slow),
        *map(own, ("odd", "head-on", "lane", "peace", "harmless")),
    ],
    ids=lambda rules: f"{rules.name}-{rules.pieces}",
)
def test_legal_moves_where_a_path_returns_to_its_tile(rules: RuleSet) -> None:
    """Moves from a tile to its second crossing, captures on either crossing, ways that differ."""
    diagrams = naive.diagrams(rules.path, rules.pieces)
    unfinished = [d for d in diagrams if rules.pieces not in d.home]
    for roll in rules.dice.rolls:
        moves = sum(len(naive.moves(d, roll, rules)) for d in unfinished)
        assert tiles.legal_moves_of_roll(rules, roll) == moves


def test_conventions_against_the_naive_search() -> None:
    path = urcx.path("masters")
    diagrams = list(naive.diagrams(path, 2))
    open_ones = [d for d in diagrams if 2 not in d.home]
    mover = [d for d in diagrams if d.home[0] != 2]
    assert tiles.conventions(path, 2) == {
        "diagrams": len(diagrams),
        "diagrams, both home left out": len(diagrams) - 1,
        "diagrams, finished left out": len(open_ones),
        "positions": 2 * len(diagrams),
        "positions, finished left out": 2 * len(open_ones),
        "mover-view": len(mover),
        "mover-view, finished left out": len(open_ones),
        "positions, both players' mover views": 2 * len(mover),
    }
    assert "mover-view" not in tiles.conventions(path, 2, 3)


@pytest.mark.parametrize(
    ("name", "pieces", "states"),
    # Reachable states of games that another engine searched through (all that are not finished):
    # on these paths every unfinished state can be reached.
    [("bell", 1, 217), ("bell", 2, 12_869), ("aseb", 1, 277), ("aseb", 2, 20_314)],
)
def test_unfinished_mover_views_of_another_engine(name: str, pieces: int, states: int) -> None:
    counts = tiles.conventions(urcx.path(name), pieces)
    assert counts["mover-view, finished left out"] == states
