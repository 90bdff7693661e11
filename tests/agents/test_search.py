from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import own

import urcx
from urcx.agents import leaf_kernels, search_kernels
from urcx.agents.search import FEW_ROLLS, LARGEST, LEAVES, TreeSearch, lookahead, plan_for
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.rules.catalogue import catalogue
from urcx.rules.load import load
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import Position

# Sides of different lengths, and uneven dice with a 0.
UNEVEN = """
[path.uneven]
board = "standard"
light = "A4..A1 B1..B8 A8 A7"
dark = "C3..C1 B1..B7 C7"
[rules.uneven]
path = "uneven"
pieces = 3
dice = "d6-substitute"
rosette_grants_roll = true
rosette_protects = true
capture_grants_roll = true
"""

NAMES = ("finkel", "blitz", "masters", "aseb", "murray", "skiriuk", "seleucid")
SIX: dict[str, Any] = {"name": "loop-six", "pieces": 3, "dice": urcx.dice("d6-substitute")}
RULES = [
    *(urcx.ruleset(name) for name in NAMES),
    own("loop"),
    own("peace"),
    own("harmless"),
    replace(own("loop", rosette_protects=False, capture_grants_roll=False), **SIX),
    load("uneven.toml", UNEVEN, catalogue()).rules["uneven"],
]

SMALL = [r for r in RULES if r.name in ("blitz", "loop", "uneven")]  # plain Python can do more


def positions(rules: RuleSet, n: int, seed: int) -> Iterator[Position]:
    """Yield positions that are not finished, half of them with most of the pieces home."""
    ranking = urcx.ranking(rules.path, rules.pieces, convention="positions")
    for position in ranking.sample(n, seed=seed):
        if rules.pieces in position.home:
            continue
        yield position
        on_board = len(position.light), len(position.dark)
        if all(on_board):
            home = rules.pieces - on_board[0], rules.pieces - on_board[1]
            yield Position(position.light, position.dark, home, position.light_to_move)


def check(
    search: TreeSearch, position: Position, roll: int, ref: list[tuple[int, Fraction]]
) -> None:
    """Hold both of a search's answers against the values of moves by their starts."""
    ref = sorted(ref, key=lambda move: move[0])
    assert [(move.start, value) for move, value in search.values(position, roll)] == ref
    most = max((value for _, value in ref), default=None)
    best = [start for start, value in ref if value == most]
    assert [move.start for move in search.best(position, roll)] == best


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_agrees_with_the_naive_recursion(rules: RuleSet, leaf: str) -> None:
    rng = np.random.default_rng(5)
    for depth, n in ((1, 12), (2, 8), (3, 3)):
        look = lookahead(rules, depth, leaf, few_rolls=False)
        search = TreeSearch(rules, look, table_bits=3)
        plain = TreeSearch(rules, look, prune=False)
        for position in positions(rules, n, seed=depth):
            roll = int(rng.choice(rules.dice.rolls))
            ref = naive.lookahead_values(position, roll, depth, rules, leaf, False)
            check(search, position, roll, ref)
            check(plain, position, roll, ref)


@pytest.mark.parametrize(
    "rules",
    [*SMALL, pytest.param(RULES[0], marks=pytest.mark.jit)],
    ids=lambda rules: rules.name,
)
def test_agrees_with_the_naive_recursion_at_depth_4(rules: RuleSet) -> None:
    # The first depth at which the dice lose rolls, and nodes are probed.
    look = lookahead(rules, 4, "advance+centre", few_rolls=True)
    search = TreeSearch(rules, look, table_bits=4)
    for position in positions(rules, 3, seed=4):
        roll = rules.dice.rolls[-2]
        ref = naive.lookahead_values(position, roll, 4, rules, "advance+centre", True)
        check(search, position, roll, ref)


@pytest.mark.jit
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_pruning_and_tables_change_nothing_but_the_nodes(rules: RuleSet) -> None:
    look = lookahead(rules, 5, "advance+centre", few_rolls=True)
    plain = TreeSearch(rules, look, prune=False)
    # Few rows, many positions: rows are replaced all the time, and used again by later searches.
    small = TreeSearch(rules, look, table_bits=5)
    large = TreeSearch(rules, look, table_bits=14)
    rng = np.random.default_rng(6)
    walked = visited = reused = 0
    for position in positions(rules, 40, seed=11):
        roll = int(rng.choice(rules.dice.rolls))
        ref = [(move.start, value) for move, value in plain.values(position, roll)]
        walked += plain.nodes
        small.values(position, roll)
        visited += small.nodes
        check(small, position, roll, ref)
        check(large, position, roll, ref)
        reused += large.nodes
    assert visited < 0.8 * walked
    assert reused < 0.2 * walked  # the same position was in the table


@pytest.mark.jit
@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_bounds_hold_where_games_end(rules: RuleSet) -> None:
    # A game that ends is worth what no sum of gains tells.
    ranking = urcx.ranking(rules.path, 2, convention="positions")
    trees = [
        (TreeSearch(rules, look, table_bits=4), TreeSearch(rules, look, prune=False))
        for depth in (2, 3, 4)
        for look in [lookahead(rules, depth, "advance+centre", few_rolls=False)]
    ]
    rng = np.random.default_rng(8)
    for sample in ranking.sample(200, seed=8):
        home = sample.home[0] + rules.pieces - 2, sample.home[1] + rules.pieces - 2
        if rules.pieces in home:
            continue
        position = Position(sample.light, sample.dark, home, sample.light_to_move)
        roll = int(rng.choice(rules.dice.rolls))
        for search, plain in trees:
            ref = [(move.start, value) for move, value in plain.values(position, roll)]
            check(search, position, roll, ref)


@pytest.mark.parametrize("rules", [own("tiny"), own("corner")], ids=lambda rules: rules.name)
def test_bounds_hold_in_every_state_of_small_games(rules: RuleSet) -> None:
    ranking = urcx.ranking(rules.path, rules.pieces, convention="positions")
    looks = [lookahead(rules, depth, "advance", few_rolls=False) for depth in (2, 3, 4)]
    trees = [(TreeSearch(rules, look), TreeSearch(rules, look, prune=False)) for look in looks]
    for rank in range(0, ranking.size, 3):
        position = ranking.unrank(rank)
        if rules.pieces in position.home:
            continue
        for search, plain in trees:
            roll = rules.dice.rolls[1 + rank % (len(rules.dice.rolls) - 1)]
            assert search.values(position, roll) == plain.values(position, roll)


def test_windows_keep_what_they_promise() -> None:
    # At the root the windows are wide; here every node kind meets narrow ones around its value.
    rules = urcx.ruleset("blitz")
    look = lookahead(rules, 4, "advance", few_rolls=False)
    tree = TreeSearch(rules, look, table_bits=3)
    low, high = 0, 0
    for position in positions(rules, 3, seed=3):
        word = [sum(1 << (s - 1) for s in steps) for steps in (position.light, position.dark)]
        leaf = leaf_kernels.leaf_of(tree._ways, 0, tree._plan.terms, *word, *position.home)
        for plies in (1, 2):
            mover = Position(position.light, position.dark, position.home, True)
            exact = naive.lookahead_value(mover, plies, rules, "advance", 4, False)
            value = exact * int(look.scales[plies])
            for alpha, beta in ((-3, -2), (-1, 0), (-1, 1), (0, 1), (1, 2), (-40, -30), (30, 40)):
                window = int(value) + alpha, int(value) + beta
                tree._memory.table[:] = -1
                with np.errstate(over="ignore"):
                    place = (*map(np.int64, (*word, *position.home)), 0, np.int64(leaf))
                    match = search_kernels.search(
                        tree._ways, tree._plan, tree._memory, place, plies, *map(np.int64, window)
                    )
                if value <= window[0]:
                    assert value <= match <= window[0]
                    low += 1
                elif value >= window[1]:
                    assert window[1] <= match <= value
                    high += 1
                else:
                    assert match == value
    assert low > 10
    assert high > 10


def test_passes_finished_games_and_single_moves() -> None:
    rules = urcx.ruleset("finkel")
    search = TreeSearch(rules, lookahead(rules, 4, "advance", few_rolls=True), table_bits=4)
    start = urcx.parse_position("-/-/0-0/L")
    assert search.values(start, 0) == ()
    assert search.best(start, 0) == ()
    (only,) = search.best(start, 3)
    assert (only.end, search.nodes) == (3, 0)
    last = urcx.parse_position("14/-/6-0/L")
    ((move, value),) = search.values(last, 1)
    assert move.end == 15
    assert value == 7 * 16
    with pytest.raises(PositionError, match="game is over"):
        search.best(urcx.parse_position("-/-/7-0/L"), 1)
    with pytest.raises(UsageError, match="roll 5"):
        search.values(start, 5)


def test_refuses_tables_out_of_range() -> None:
    rules = urcx.ruleset("finkel")
    look = lookahead(rules, 2, "advance", few_rolls=False)
    for bits in (0, 27):
        with pytest.raises(UsageError, match="from 1 to 26"):
            TreeSearch(rules, look, table_bits=bits)


def test_a_search_gives_up_at_its_most_nodes() -> None:
    rules, start = urcx.ruleset("finkel"), urcx.parse_position("2,4,6/1,3,8/0-0/L")
    look = lookahead(rules, 5, "advance", few_rolls=False)
    whole = TreeSearch(rules, look)
    best = whole.best(start, 1)
    few = TreeSearch(rules, look, most_nodes=100)
    for ask in (few.best, few.values):
        with pytest.raises(TooLargeError, match="more than 100 positions"):
            ask(start, 1)
        assert few.nodes < 200
    assert TreeSearch(rules, look, most_nodes=whole.nodes).best(start, 1) == best


def test_bounds_of_what_plies_can_gain() -> None:
    # Finkel's roll gains 2 on average; 15/16 of the rolls gain 1 more if a piece goes home.
    rules = urcx.ruleset("finkel")
    plan = plan_for(rules, lookahead(rules, 3, "advance", few_rolls=False))
    assert plan.rise.tolist() == [0, 47, 2 * 47 * 16]
    assert plan.fall.tolist() == [0, 0, 47 * 16]
    assert plan.terms.exposed == ((1 << 12) - 1, (1 << 12) - 1)


@pytest.mark.jit
@pytest.mark.slow
def test_compiled_search_comes_out_of_the_cache(tmp_path: Path) -> None:
    # Kernels that call themselves do not survive numba's cache; a second process shows it.
    code = (
        "import urcx; from urcx.agents.search import lookahead as l\n"
        "from urcx.agents.search import TreeSearch, search_root_kernels as k\n"
        "r = urcx.ruleset('finkel'); s = TreeSearch(r, l(r, 4, 'advance', few_rolls=False))\n"
        "print([m.start for m in s.best(urcx.parse_position('1,5/2,7/0-0/L'), 2)], s.nodes)\n"
        "print(sum(k.best.stats.cache_hits.values()))"
    )
    found = [
        subprocess.run(
            [sys.executable, "-P", "-c", code],
            env={"URCX_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert found[0][0] == found[1][0]
    assert [lines[1] for lines in found] == ["0", "1"]


FINKEL = urcx.ruleset("finkel")
UNEVEN_DICE = Dice("uneven", "", (0, 3, 5), (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)))


def test_weights_are_the_smallest_integers_in_proportion_to_the_dice() -> None:
    # Four binary dice: 1, 4, 6, 4, 1 of sixteen. With few rolls 1 to 3 only: 4, 6, 4 of fourteen.
    every = lookahead(FINKEL, 4, "advance", few_rolls=False)
    assert every.weights.tolist() == [[1, 4, 6, 4, 1]] * 3
    assert every.scales.tolist() == [1, 16, 16**2, 16**3]
    few = lookahead(FINKEL, 5, "advance", few_rolls=True)
    # Row k - 1 is for k plies to go: the first two plies after the move see all rolls.
    assert few.weights.tolist() == [[0, 2, 3, 2, 0]] * 2 + [[1, 4, 6, 4, 1]] * 2
    assert few.scales.tolist() == [1, 7, 7**2, 7**2 * 16, 7**2 * 16**2]
    uneven = lookahead(replace(FINKEL, dice=UNEVEN_DICE), 2, "advance", few_rolls=False)
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
    assert found.centre == (4 if found.centre_step and leaf == LEAVES[1] else 0)
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
    with pytest.raises(TooLargeError, match=f"must be at most {plies + 1} "):
        lookahead(FINKEL, plies + 2, "advance", few_rolls=False)
    with pytest.raises(TooLargeError, match=f"must be at most {plies + 1} "):
        lookahead(FINKEL, plies + 5, "advance", few_rolls=False)


def test_refusals() -> None:
    with pytest.raises(UsageError, match="depth 0"):
        lookahead(FINKEL, 0, "advance", few_rolls=False)
    with pytest.raises(UsageError, match="unknown leaf 'centre'"):
        lookahead(FINKEL, 1, "centre", few_rolls=False)
