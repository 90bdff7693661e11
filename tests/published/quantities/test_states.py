"""Statements of the sources about state spaces."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from urcx.complexity import tiles
from urcx.complexity.game_tree import other_games
from urcx.errors import OutOfDomainError
from urcx.published.quantities import states
from urcx.published.rounding import Ranged, matches
from urcx.rules import catalogue

KWAN = {"tiles": [2, 1], "pieces": 2}


def _arrangements() -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return all states of two pieces on one private tile and two shared tiles, as steps."""
    sides = [
        placed
        for placed in combinations_with_replacement(range(5), 2)  # 0 in the start, 4 home
        if not any(placed.count(step) > 1 for step in (1, 2, 3))
    ]
    return [(a, b) for a in sides for b in sides if not {*a} & {*b} & {2, 3}]


def test_states_by_pieces_in_the_pools_and_won_states_are_counted_one_by_one() -> None:
    every = _arrangements()
    for pools in product(range(3), repeat=2):
        wanted = [
            pair
            for pair in every
            if tuple(sum(step in (0, 4) for step in side) for side in pair) == pools
        ]
        assert states.by_pools({**KWAN, "pools": list(pools)}) == len(wanted)
    assert states.states({**KWAN, "form": "reader"}) == len(every)
    home = (4, 4)
    assert states.won({**KWAN, "players": 1}) == sum(a == home != b for a, b in every)
    both = {**KWAN, "players": 2, "both": True}
    assert states.won(both) == sum(home in pair for pair in every)


BELL = {"form": "tile-polynomial", "path": "bell", "pieces": 2}


def test_states_by_form_tiles_convention_and_enumeration() -> None:
    exact = tiles.diagrams(catalogue.path("bell"), 2)
    assert states.states(BELL) == exact
    assert states.states({**BELL, "form": "enumeration"}) == exact
    assert states.states({"form": "reader", "tiles": [8, 6], "pieces": 2}) == exact
    assert states.states({**BELL, "convention": "positions"}) == 2 * exact
    with pytest.raises(OutOfDomainError, match="form bits"):
        states.states({"form": "bits", "tiles": [8, 6], "pieces": 2})
    with pytest.raises(OutOfDomainError, match="pieces 8"):
        states.states({"form": "raposo", "tiles": [8, 6], "pieces": 8})


def test_logarithms_and_bits() -> None:
    exact = states.states(BELL)
    assert states.log10({**BELL, "rounding": "up"}) == math.ceil(math.log10(exact))
    assert states.log10({**BELL, "rounding": "down"}) == math.floor(math.log10(exact))
    # The post's 2^34: 17 bits for each player.
    post = {"form": "bits", "path": "bell", "pieces": 7}
    assert [states.bits({**post, "players": players}) for players in (1, 2)] == [17, 34]


def test_branches_of_one_piece_a_side() -> None:
    # A piece in the pool or on a step can move if every roll were possible; one at home cannot.
    one = {"path": "bell", "pieces": 1}
    found, diagrams = states.branches(one), tiles.diagrams(catalogue.path("bell"), 1)
    home = 1 + 1 + 14  # diagrams with light's piece home: dark's in the pool, home, on a step
    assert found == diagrams - home
    assert states.mean_branches(one) == Fraction(found, diagrams)


def test_terms_of_the_worked_example_add_up() -> None:
    terms = states.mini_terms({"tiles": [2, 1], "pieces": 1}).split(" + ")
    assert len(terms) == 4
    assert sum(map(int, terms)) == states.states({"form": "raposo", "tiles": [2, 1], "pieces": 1})


def test_shapes_and_tops() -> None:
    assert states.shape({"form": "tile-polynomial", "path": "bell"}) == "rises throughout"
    squares = {"form": "binomial", "path": "bell"}  # of C(16, p)
    assert states.shape(squares) == "rises to a maximum, then falls"
    assert states.largest_at(squares) == "8"
    assert states.largest_at({"form": "tile-polynomial", "path": "bell"}).startswith("none")
    assert states.peak({"form": "tile-polynomial"}).startswith("nowhere")
    drawn = {"form": "tile-polynomial", "within": states.FIGURE_4}
    assert states.largest_at({**drawn, "path": "bell"}) == "7"
    assert states.largest_at({**drawn, "path": "aseb", "form": "raposo-program"}) == "9"
    assert states.peak(drawn) == "slightly below the number of war tiles"


def test_ratios() -> None:
    both = {"path": "bell", "pieces": 2, "over": "tile-polynomial", "under": "reader"}
    assert states.ratio(both) == 1
    assert states.ratio({"of": ["7.0", "2"]}) == Fraction(7, 2)
    assert states.ratio({"of": ["7.4", "2"], "nearest": "1/2"}) == Fraction(7, 2)
    assert states.ratio({"of": ["9", "4"], "nearest": 2}) == 2


def test_a_power_is_right_to_ten_digits() -> None:
    params = {"b": 3, "d": 50}
    assert states.power_log10(params) == pytest.approx(50 * math.log10(3))
    assert states.power(params) == pytest.approx(3**50, rel=1e-10)
    assert states.power({**params, "c": 5}) == pytest.approx(15**50, rel=1e-10)
    assert isinstance(states.power(params), int)


def test_a_game_tree_is_smaller_similar_or_larger() -> None:
    # (2.45 x 5)^106.35 is 10^115.8.
    for game in other_games():
        apart = 115.75 - game.gtc
        expected = "similar" if abs(apart) < 10 else "larger" if apart > 0 else "smaller"
        assert states.compared({"game": game.name}) == expected, game.name


def test_a_size_against_another() -> None:
    # Bell's path with one piece per side: 16 places each, less 8 shared tiles, 10^2.394.
    params = {"path": "bell", "pieces": 1}
    assert str(states.against({**params, "than": 2})) == "more (2.394 to 2)"
    assert states.against({**params, "than": 3}).words == "less"
    assert states.against({"b": 10, "d": 4, "than": 3.5}).words == "more"


def test_a_share_of_time() -> None:
    share = states.share_of_time({"bits": 10, "years": 2, "days": 365})
    assert share == Fraction(1024, 2 * 365 * 86_400)


def test_a_power_of_ten_may_be_rounded_either_way() -> None:
    assert states.game_states({"game": "checkers"}) == Ranged(20, 21)
    assert states.game_states({"game": "morris-symmetric"}) == Ranged(9, 10)
    # 3^361 bounds the positions of Go, but fewer are legal: 2.08e170.
    assert states.game_states({"game": "go-19"}) == Ranged(172, 173)
    assert states.game_states({"game": "go-19", "cited": True}) == Ranged(170, 171)
    assert states.game_states({"game": "chess"}) == Ranged(44, 45)
    assert states.game_tree({"game": "Chess"}) == Ranged(123, 124)
    assert isinstance(states.game_tree({"game": "Ludo"}), str)
    assert not matches(states.game_states({"game": "checkers"}), "22")
    assert not matches(states.game_states({"game": "checkers"}), "19")
