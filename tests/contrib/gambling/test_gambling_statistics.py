from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest
from gambling_replay import logged

from urcx.contrib.gambling import game_kernels as kernels
from urcx.contrib.gambling.records import Gambles, estimates, gamble_measures, gamble_wins, winnings
from urcx.contrib.gambling.rules import gambling_game
from urcx.contrib.gambling.simulator import gamble
from urcx.games.statistics import Measure

GAME = gambling_game().with_pieces(2)


@pytest.fixture(scope="module")
def played() -> Gambles:
    """Return games for several tests; they are not played when tests are collected."""
    return gamble("random", "greedy", GAME, games=30, seed=7)


def means(found: Iterable[Measure]) -> dict[str, float]:
    return {measure.name: measure.mean for measure in found}


def test_measures_are_what_the_games_say(played: Gambles) -> None:
    found = means(gamble_measures(played))
    logs = [logged(played, k) for k in range(30)]
    plies = np.concatenate(logs)
    legal = plies[:, kernels.LEGAL]
    moved = plies[:, kernels.PIECE] >= 0
    lost = (plies[:, kernels.SECOND] == 1) & (plies[:, kernels.YES] == 0)
    turns = sum(1 + int((np.diff(log[:, kernels.SIDE]) != 0).sum()) for log in logs)
    expected = {
        "plies": len(plies) / 30,
        "turns": turns / 30,
        "moves": moved.sum() / 30,
        "passes": (~moved).sum() / 30,
        "decisions": (legal >= 2).sum() / 30,
        "thrown": plies[:, kernels.SECOND].sum() / 30,
        "lost": lost.sum() / 30,
        "choices_per_ply": legal.mean(),
        "choices_per_roll": legal.sum() / (~lost).sum(),
        "choices_per_move": legal[moved].mean(),
        "choices_per_decision": legal[legal >= 2].mean(),
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_options_and_entropy() -> None:
    # Only random chooses by chance; dice: two bits for the first, one for each second.
    found = means(gamble_measures(gamble("random", game=GAME, games=20)))
    dice = found["plies"] * math.log10(4) + found["thrown"] * math.log10(2)
    assert found["entropy"] == pytest.approx(found["sum_log10_options"] + dice)
    fixed = means(gamble_measures(gamble("first", game=GAME, games=20)))
    dice = fixed["plies"] * math.log10(4) + fixed["thrown"] * math.log10(2)
    assert fixed["entropy"] == pytest.approx(dice)
    assert found["options_per_choice"] > 1


def test_estimates_are_the_conventions_of_gtc(played: Gambles) -> None:
    found = means(gamble_measures(played))
    trees = {e.convention.name: e.log10 for e in estimates(played)}
    assert set(trees) == {"allis", "ludii", "sum-log", "entropy"}
    assert trees["allis"] == pytest.approx(found["moves"] * math.log10(found["choices_per_move"]))
    assert trees["sum-log"] == pytest.approx(found["sum_log10_options"])
    assert trees["entropy"] == pytest.approx(found["entropy"])


def test_winnings_by_everybody(played: Gambles) -> None:
    games = list(zip(played.purses.tolist(), played.results.tolist(), strict=True))
    assert means(winnings(played)) == pytest.approx(
        {
            "light": sum(end[0] - 15 for end, _ in games) / 30,
            "dark": sum(end[1] - 15 for end, _ in games) / 30,
            "first_mover": sum(end[row[0]] - 15 for end, row in games) / 30,
            "second_mover": sum(end[1 - row[0]] - 15 for end, row in games) / 30,
            "finisher": sum(end[row[1]] - 15 for end, row in games) / 30,
            "other": sum(end[1 - row[1]] - 15 for end, row in games) / 30,
            "pool": sum(end[2] for end, _ in games) / 30,
        }
    )


def test_wins_are_by_counters(played: Gambles) -> None:
    found = gamble_wins(played)
    games = list(zip(played.purses.tolist(), played.results.tolist(), strict=True))
    assert found == {
        "light": sum(end[0] > end[1] for end, _ in games),
        "dark": sum(end[0] < end[1] for end, _ in games),
        "draw": sum(end[0] == end[1] for end, _ in games),
        "first_mover": sum(end[row[0]] > end[1 - row[0]] for end, row in games),
        "finisher": sum(end[row[1]] > end[1 - row[1]] for end, row in games),
    }
    # Being home first is not winning.
    assert found["finisher"] < 30 - found["draw"]
