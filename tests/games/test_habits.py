from __future__ import annotations

from collections import Counter

import pytest
from naive_simulator import play

import urcx
from urcx.game import SIDES
from urcx.games import game_kernels
from urcx.games.habits import habits
from urcx.games.simulator import simulate


def test_habits_are_ratios_over_all_games() -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    found = simulate("random", "greedy", rules, games=5, seed=1, habits=True)
    ref = [play("random", "greedy", rules, 1, game, "alternate") for game in range(5)]
    for side, name in enumerate(SIDES):
        total: Counter[int] = Counter()
        for game in ref:
            total.update(game.sides[side].habits)
        plies = sum(game.plies for game in ref)
        means = {
            measure.name: measure.mean for measure in habits(found.side(name).habits, found.plies)
        }
        k = game_kernels
        for kind, what in enumerate(("capture", "rosette", "centre", "enter", "bear_off")):
            assert means[f"{what}_chosen"] == pytest.approx(total[2 * kind + 1] / total[2 * kind])
        assert means["centre_stay"] == pytest.approx(total[k.STAYED] / total[k.LANDINGS])
        assert means["centre_held"] == pytest.approx(total[k.HELD] / plies)
        assert means["shared_stay"] == pytest.approx(total[k.EXPOSED] / total[k.ENTRIES])
        assert means["shared_pieces"] == pytest.approx(total[k.EXPOSED] / plies)
    assert means["capture_chosen"] == 1  # what greedy is


def test_habits_that_games_say_nothing_of_are_left_out() -> None:
    rules = urcx.ruleset("finkel", pieces=1)  # one piece never has two moves
    found = simulate("random", rules=rules, games=3, habits=True)
    names = {measure.name for measure in habits(found.side("light").habits, found.plies)}
    assert {"centre_held", "shared_pieces"} <= names
    assert not any(name.endswith("_chosen") for name in names)
