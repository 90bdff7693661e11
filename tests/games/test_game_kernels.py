from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from naive_simulator import Stream, bounded, play, shares, the_same
from numpy.typing import NDArray

import urcx
from urcx.agents.agent_kernels import FIRST, LAST, RandomPolicy
from urcx.games import game_kernels
from urcx.games.simulator import MAX_PLIES, dice_slots, play_before, simulate
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


class Advanced(NamedTuple):
    """A policy of another package: it values the most advanced piece most."""

    ties: int

    def value(
        self, _ways: Any, _side: int, _own: int, _own_home: int, _other: int, _other_home: int,
        start: int, _roll: int,
    ) -> int:  # fmt: skip
        return start


class Plies(NamedTuple):
    """An observer of another package: it writes who wins, and counts rolls."""

    counts: NDArray[np.int64]

    def roll(self, _ways: Any, ply: Any) -> None:
        self.counts[ply.game, 0] += 1

    def end(self, game: int, side: int, plies: int) -> None:
        self.counts[game, 1] = side
        self.counts[game, 2] = plies


def test_policies_and_observers_of_other_packages() -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    plan = game_kernels.GamesPlan(3, 0, 0, 20, MAX_PLIES)
    counts = [np.zeros((20, 3), np.int64) for _ in range(3)]
    policies = Advanced(FIRST), RandomPolicy(LAST), RandomPolicy(FIRST)
    with np.errstate(over="ignore"):
        for policy, count in zip(policies, counts, strict=True):
            play_before(Plies(count), (policy, RandomPolicy(FIRST)), rules, plan)
    assert counts[0].tolist() == counts[1].tolist()
    assert counts[0].tolist() != counts[2].tolist()
    assert (counts[0][:, 0] == counts[0][:, 2]).all()
