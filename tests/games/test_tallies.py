"""How often something happened in games."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import urcx
from urcx.complexity.game_tree import wilson
from urcx.games import tallies
from urcx.games.records import Games
from urcx.games.simulator import simulate


@pytest.fixture(scope="module")
def games() -> Games:
    return simulate("random", rules=replace(urcx.ruleset("finkel"), pieces=2), games=40, seed=3)


def test_wins(games: Games) -> None:
    light, dark, first = tallies.wins(games)
    assert (light.name, dark.name, first.name) == ("light", "dark", "first_mover")
    assert light.number + dark.number == light.total == 40
    assert light.share == light.number / 40
    assert light.ci95 == wilson(light.number, 40)
    # Light begins in every other game, the first among them.
    assert first.number == sum(int(row[0] == row[1]) for row in games.results)


def test_rolls(games: Games) -> None:
    found = tallies.rolls(games)
    assert [item.name for item in found] == [0, 1, 2, 3, 4]
    assert sum(item.number for item in found) == found[0].total == int(games.rolls.sum())
    assert [item.chance for item in found] == [Fraction(k, 16) for k in (1, 4, 6, 4, 1)]


def test_legal_moves(games: Games) -> None:
    found = tallies.legal_move_counts(games)
    plies = sum(item.number for item in found)
    assert plies == found[0].total == int(games.results[:, 2].sum())
    assert sum(item.share for item in found) == pytest.approx(1)
    assert found[0].number >= tallies.rolls(games)[0].number, "a 0 is a pass"
