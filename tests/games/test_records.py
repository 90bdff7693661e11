"""The named columns of games, against the raw arrays and against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import urcx
from urcx.errors import UnknownNameError

RULES = replace(urcx.ruleset("blitz"), pieces=3)


@pytest.fixture(scope="module")
def games() -> urcx.Games:
    return urcx.simulate(
        "greedy:random", "random", RULES, games=40, seed=6, first="coin", habits=True
    )


def test_who_began_and_won(games: urcx.Games) -> None:
    for k, (began, won, plies) in enumerate(games.results.tolist()):
        assert games.began[k] == ("light", "dark")[began]
        assert games.winner[k] == ("light", "dark")[won]
        assert games.plies[k] == plies
    assert {*games.began} == {*games.winner} == {"light", "dark"}


def test_wins_are_counted(games: urcx.Games) -> None:
    assert games.wins("light") == list(games.winner).count("light")
    assert games.wins("dark") == list(games.winner).count("dark")
    assert games.wins("first") == sum(games.winner == games.began)
    assert games.wins("light") > games.wins("dark") > 0  # greedy is better


@pytest.mark.parametrize(("side", "number"), [("light", 0), ("dark", 1)])
def test_columns_of_a_side(games: urcx.Games, side: str, number: int) -> None:
    found, raw = games.side(side), games.records[:, number]
    assert np.array_equal(found.turns, raw[:, 0])
    assert np.array_equal(found.captures, raw[:, 1])
    assert np.array_equal(found.rosettes, raw[:, 2])
    assert np.array_equal(found.rolls, raw[:, 3:8])  # four dice give 0 to 4
    assert np.array_equal(found.by_choices, raw[:, 8:])  # 0 to 3 legal moves
    assert np.array_equal(found.entropy, games.entropy[:, number])
    assert found.entropy.any()
    assert np.array_equal(found.passes, raw[:, 8])
    assert np.array_equal(found.moves, raw[:, 9] + raw[:, 10] + raw[:, 11])
    assert np.array_equal(found.decisions, raw[:, 10] + raw[:, 11])
    assert np.array_equal(found.choices, raw[:, 9] + 2 * raw[:, 10] + 3 * raw[:, 11])
    assert np.array_equal(found.habits, games.habits[:, number])


def test_columns_fit_together(games: urcx.Games) -> None:
    light, dark = games.side("light"), games.side("dark")
    assert np.array_equal(games.plies, light.plies + dark.plies)
    for side in (light, dark):
        assert np.array_equal(side.plies, side.rolls.sum(axis=1))
        assert np.array_equal(side.plies, side.moves + side.passes)
    assert (np.abs(light.turns - dark.turns) <= 1).all()


def test_a_side_that_there_is_not(games: urcx.Games) -> None:
    for side in ("lihgt", "first", 0):
        with pytest.raises(UnknownNameError, match="unknown side"):
            games.side(side)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=r"unknown side 'firts'; did you mean first"):
        games.wins("firts")
