from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from gambling_replay import GAME, SMALL, check_all, logged, play
from hypothesis import given, settings
from hypothesis import strategies as st

import urcx
from urcx.contrib.gambling import game_kernels as kernels
from urcx.contrib.gambling.rules import CHOICES
from urcx.contrib.gambling.simulator import gamble
from urcx.games.game_kernels import GAMMA

OTHERS = [{name: value} for name, choice in CHOICES.items() for value in list(choice.values)[1:]]


@pytest.mark.parametrize("choices", OTHERS, ids=str)
@pytest.mark.parametrize("agent", ["random", "winnings"])
def test_every_choice_against_the_naive_twin(choices: dict[str, str], agent: str) -> None:
    check_all(play(agent, "greedy", SMALL.choosing(**choices), games=2, seed=3))


@pytest.mark.jit
@settings(max_examples=60)
@given(st.data())
def test_mixed_choices_against_the_naive_twin(data: st.DataObject) -> None:
    choices = {
        name: data.draw(st.sampled_from(sorted(choice.values)), label=name)
        for name, choice in CHOICES.items()
    }
    pieces = data.draw(st.integers(1, 5), label="pieces")
    # Two agents `winnings` might both wait for ever.
    waits = choices["waiting"] == "allowed"
    agents = st.sampled_from(["random", "first", "last", "greedy", *["winnings"] * (not waits)])
    game = GAME.with_pieces(pieces).choosing(**choices)
    light, dark, seed = data.draw(agents), data.draw(agents), data.draw(st.integers(0, 999))
    check_all(play(light, dark, game, games=1, seed=seed))


def test_a_pool_below_zero_has_no_rest() -> None:
    poor = replace(SMALL, counters=0, pool=0).choosing(stakes="credit", rest="finisher")
    found = play("random", "greedy", poor, games=12)
    check_all(found)
    pools = found.purses[:, 2]
    assert (pools < 0).any()
    assert (pools <= 0).all()


def test_with_dice_that_give_nothing() -> None:
    game = replace(GAME, die=urcx.dice("binary4"), doubled=(5, 5, 6, 7, 10))
    found = play("random", "winnings", game, games=3)
    check_all(found)
    plies = np.concatenate([logged(found, k) for k in range(3)])
    assert ((plies[:, kernels.FACE] == 0) & (plies[:, kernels.SECOND] == 0)).any()


def test_on_a_path_that_crosses_tiles_twice() -> None:
    # The reference has tiles by name, the kernels by number; here one tile is two steps.
    game = replace(GAME, path=urcx.path("murray"))
    assert check_all(play("random", "greedy", game, games=4))["captures"] > 0


@pytest.mark.parametrize(
    ("choices", "expected"),
    [({}, 3), ({"launch": "appears"}, 0), ({"squares": "rolls"}, 0)],
)
def test_the_first_launch(choices: dict[str, str], expected: int) -> None:
    # The first ply with a move enters a swallow, and its rosette pays at once.
    log = logged(play("first", "first", GAME.choosing(**choices), games=1), 0)
    first = next(ply for ply in log.tolist() if ply[kernels.PIECE] >= 0)
    assert first[kernels.PIECE] == 0
    side = first[kernels.SIDE]
    assert first[kernels.N_LOG + side] == GAME.counters + expected


def test_draws_that_would_favour_some_are_made_again() -> None:
    # Of 2^32 numbers nearly half are too many for this n.
    n, states = 2**31 + 1, np.arange(40, dtype=np.uint64)
    with np.errstate(over="ignore"):
        drawn = [kernels.number_below(state, n) for state in states]
        steps = [
            (int(after) - int(before)) % 2**64
            for (after, _), before in zip(drawn, states, strict=True)
        ]
    assert all(0 <= number < n for _, number in drawn)
    assert set(steps) > {int(GAMMA), 2 * int(GAMMA) % 2**64}


@pytest.mark.jit
def test_the_dice_are_fair() -> None:
    found = gamble("random", game=GAME, games=150, seed=9)
    plies = np.concatenate([logged(found, k) for k in range(150)])
    n, faces = len(plies), np.bincount(plies[:, kernels.FACE], minlength=4)
    # Chi-squared with three degrees of freedom is above 16.3 once in a thousand.
    assert ((faces - n / 4) ** 2 / (n / 4)).sum() < 16.3
    assert abs(plies[:, kernels.YES].sum() - n / 2) < 3.3 * math.sqrt(n / 4)
