from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from naive_simulator import Stream, bounded, play, shares, the_same

import urcx
from urcx.games import game_kernels
from urcx.games.simulator import dice_slots, simulate
from urcx.rules.model import Dice


def test_rolls_drawn_again_are_those_of_the_naive_simulator() -> None:
    # 2^32 leaves nearly n numbers over: one of some 4,100 draws is made again.
    n = max(range(2**20 - 5000, 2**20), key=lambda n: 2**32 % n)
    third = Fraction(n // 3, n)
    dice = Dice("uneven", "", (1, 2, 4), (third, third, 1 - 2 * third))
    slots = Counter(dice_slots(dice).tolist())
    assert [slots[k] for k in range(3)] == shares(dice)
    game = next(game for game in range(3000) if drawn_again(4, game, n))
    rules = replace(urcx.ruleset("finkel", pieces=1), dice=dice)
    found = simulate("last", rules=rules, games=game + 1, seed=4)
    ref = play("last", "last", rules, 4, game, "alternate")
    assert ref.again > 0
    the_same(found, game, ref)


def drawn_again(seed: int, game: int, n: int) -> bool:
    """Say whether one of a game's first ten draws of n slots is made again."""
    stream = Stream.of(seed, game)
    return any(bounded(stream.bits() >> 32, n) is None for _ in range(10))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 16, 1_000_003])
def test_no_number_is_drawn_with_a_greater_chance(n: int) -> None:
    # Of the 2^32 numbers as many lead to each; only those at the edges need a look.
    each = 2**32 // n
    for k in (0, 1, n // 2, n - 1):
        edge = -(-k * 2**32 // n)
        for half in range(max(edge - 2, 0), min(edge + 3, 2**32)):
            found = int(game_kernels.below(np.uint64(half), n))
            assert found == (n if bounded(half, n) is None else bounded(half, n))
    first = next(x for x in range(3) if bounded(x, n) is not None)
    assert bounded(first + each - 1, n) == 0
    assert n == 1 or bounded(first + each, n) != 0


def test_a_choice_is_drawn_again_where_it_would_favour_some() -> None:
    state = 12345
    with np.errstate(over="ignore"):
        after, chosen = one_of(state, 0, 0b1011)
    stream = Stream(state)
    ref = bounded(stream.bits() % 2**32, 3)
    assert ref is not None
    assert chosen == (0, 1, 3)[ref]
    assert after == stream.state
    assert one_of(state, 2**31, 0b1011) == (state, 1)


def one_of(state: int, half: int, mask: int) -> tuple[int, int]:
    found = game_kernels.one_of(np.uint64(state), np.uint64(half), np.int64(mask))
    return int(found[0]), int(found[1])
