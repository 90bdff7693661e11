from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from own_rules import own

import urcx
from urcx.agents.lookahead import CENTRE, FEW_ROLLS, LARGEST, LEAVES, lookahead
from urcx.errors import TooLargeError, UsageError
from urcx.rules.model import Dice, RuleSet

FINKEL = urcx.ruleset("finkel")
UNEVEN = Dice("uneven", "", (0, 3, 5), (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)))


def test_weights_are_the_smallest_integers_in_proportion_to_the_dice() -> None:
    # Four binary dice: 1, 4, 6, 4, 1 of sixteen. With few rolls 1 to 3 only: 4, 6, 4 of fourteen.
    every = lookahead(FINKEL, 4, "advance", few_rolls=False)
    assert every.weights.tolist() == [[1, 4, 6, 4, 1]] * 3
    assert every.scales.tolist() == [1, 16, 16**2, 16**3]
    few = lookahead(FINKEL, 5, "advance", few_rolls=True)
    # Row k - 1 is for k plies to go: the first two plies after the move see all rolls.
    assert few.weights.tolist() == [[0, 2, 3, 2, 0]] * 2 + [[1, 4, 6, 4, 1]] * 2
    assert few.scales.tolist() == [1, 7, 7**2, 7**2 * 16, 7**2 * 16**2]
    uneven = lookahead(replace(FINKEL, dice=UNEVEN), 2, "advance", few_rolls=False)
    assert uneven.weights.tolist() == [[1, 2, 3]]


def test_dice_without_few_rolls_are_seen_whole() -> None:
    dice = Dice("four-five", "", (4, 5), (Fraction(1, 4), Fraction(3, 4)))
    assert not set(dice.rolls) & set(FEW_ROLLS)
    found = lookahead(replace(FINKEL, dice=dice), 5, "advance", few_rolls=True)
    assert found.weights.tolist() == [[1, 3]] * 4


@pytest.mark.parametrize("rules", [FINKEL, own("short"), own("lane"), own("corner", pieces=5)])
@pytest.mark.parametrize("leaf", LEAVES)
def test_no_leaf_is_above_the_bound(rules: RuleSet, leaf: str) -> None:
    found = lookahead(rules, 1, leaf, few_rolls=False)
    length = rules.path.length
    assert (found.home, found.won) == (length + 2, (length + 2) * rules.pieces)
    assert found.centre == (CENTRE if found.centre_step and leaf == LEAVES[1] else 0)
    assert (found.weights.shape, found.scales.tolist()) == ((0, len(rules.dice.rolls)), [1])
    best = max(
        (length + 2) * (rules.pieces - on_board) + sum(steps)
        for on_board in range(min(rules.pieces, length) + 1)
        for steps in combinations(range(1, length + 1), on_board)
    )
    assert found.bound == best + found.centre


def test_depths_end_where_values_do_not_fit() -> None:
    bound = lookahead(FINKEL, 1, "advance", few_rolls=False).bound
    plies = max(k for k in range(99) if 16**k * bound * 2 <= LARGEST)
    found = lookahead(FINKEL, plies + 1, "advance", few_rolls=False)
    assert int(found.scales[-1]) * found.bound * 2 <= LARGEST < 2**63
    with pytest.raises(TooLargeError, match=f"take at most {plies + 1}$"):
        lookahead(FINKEL, plies + 2, "advance", few_rolls=False)
    with pytest.raises(TooLargeError, match=f"take at most {plies + 1}$"):
        lookahead(FINKEL, plies + 5, "advance", few_rolls=False)


def test_refusals() -> None:
    with pytest.raises(UsageError, match="depth 0"):
        lookahead(FINKEL, 0, "advance", few_rolls=False)
    with pytest.raises(UsageError, match="unknown leaf 'centre'"):
        lookahead(FINKEL, 1, "centre", few_rolls=False)
