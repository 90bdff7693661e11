from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import naive
import pytest
from own_rules import own

import urcx
from urcx.agents import gain_kernels
from urcx.agents.advice import Adviser
from urcx.agents.agent_kernels import TIES, candidates
from urcx.agents.agent_texts import agent
from urcx.agents.policies import gain_policy
from urcx.agents.search import mover_state
from urcx.engine.moves import legal_moves, tables
from urcx.errors import TooLargeError
from urcx.rules.model import RuleSet
from urcx.rules.position import parse_position
from urcx.strategy.gain import move_gains


@pytest.mark.parametrize(
    ("rules", "number"),
    [
        (urcx.ruleset("blitz"), 6),
        (own("tiny"), 12),  # often with no piece left to enter
        *(
            pytest.param(urcx.ruleset(name), number, marks=pytest.mark.jit)
            for name, number in (("finkel", 16), ("masters", 8), ("murray", 8))
        ),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_the_kernel_chooses_as_the_fractions_say(rules: RuleSet, number: int) -> None:
    policy = gain_policy(rules, TIES.index("last"))
    ways = tables(rules).ways
    chosen = 0
    for k, position in enumerate(naive.random_positions(rules, 20 * number, seed=9)[::20]):
        roll = rules.dice.rolls[-1 - k % 4]
        moves = legal_moves(position, roll, rules)
        if not moves:
            continue
        worth = move_gains(position, roll, rules)
        side, state = mover_state(position)
        for move in moves:
            value = gain_kernels.worth_of_move(policy, ways, side, *state, move.start, roll)
            assert Fraction(int(value), int(policy.powers[-1])) == worth[move.start]
        legal = sum(1 << move.start for move in moves)
        best = sum(1 << start for start, gain in worth.items() if gain == max(worth.values()))
        found = int(candidates(policy, ways, side, legal, roll, *state))
        assert found == best
        chosen += best != legal
    assert chosen > number / 5


def test_it_gives_advice_with_its_values() -> None:
    rules = urcx.ruleset("finkel")
    adviser = Adviser(agent("gain"), rules)
    found = adviser.about(parse_position("2/3,6/5-5/L"), 4)
    # By hand, roll 4: B takes the piece on 6, 4 + 6, less the replies 3, 12, 42, 43 and 443 there.
    two = Fraction(24, 256) + Fraction(6, 256) + Fraction(4, 256)
    lost = 6 * (Fraction(4, 16) + two + Fraction(4, 4096))
    assert [(a.move.start, a.best) for a in found] == [(0, False), (2, True)]
    assert found[1].value == 10 - lost


@pytest.mark.jit
def test_it_beats_greedy() -> None:
    found = urcx.simulate("gain", "greedy", games=1000, seed=2, first="coin")
    assert found.wins("light") > 800


def test_dice_that_need_too_many_digits() -> None:
    rules = urcx.ruleset("finkel")
    fine = replace(
        rules.dice, rolls=(0, 1), probabilities=(Fraction(1, 65537), Fraction(65536, 65537))
    )
    with pytest.raises(TooLargeError, match="1/65537 do not fit 64 bits"):
        gain_policy(replace(rules, dice=fine), 0)


def test_the_last_piece_home_cannot_be_lost() -> None:
    rules = urcx.ruleset("finkel")
    board = 1 << 13
    value = gain_kernels.worth_of_move(
        gain_policy(rules, 0), tables(rules).ways, 0, board, 6, 1 << 4, 6, 14, 1
    )
    assert value == 16**4
