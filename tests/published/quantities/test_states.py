"""What sources say of state spaces."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from urcx.complexity import tiles
from urcx.errors import OutOfDomainError
from urcx.published.quantities import states
from urcx.rules import catalogue

BELL = {"form": "tile-polynomial", "path": "bell", "pieces": 2}


def test_states_by_form_tiles_convention_and_enumeration() -> None:
    exact = tiles.diagrams(catalogue.path("bell"), 2)
    assert states.published_states(BELL) == exact
    assert states.published_states({**BELL, "form": "enumeration"}) == exact
    assert states.published_states({"form": "reader", "tiles": [8, 6], "pieces": 2}) == exact
    assert states.published_states({**BELL, "convention": "positions"}) == 2 * exact
    with pytest.raises(OutOfDomainError, match="not a form in numbers of tiles"):
        states.published_states({"form": "bits", "tiles": [8, 6], "pieces": 2})
    with pytest.raises(OutOfDomainError, match="p < t"):
        states.published_states({"form": "raposo", "tiles": [8, 6], "pieces": 8})


def test_logarithms_and_bits() -> None:
    exact = states.published_states(BELL)
    assert states.log10({**BELL, "rounding": "up"}) == math.ceil(math.log10(exact))
    assert states.log10({**BELL, "rounding": "down"}) == math.floor(math.log10(exact))
    # The post's 2^34: 17 bits for each player.
    post = {"form": "bits", "path": "bell", "pieces": 7}
    assert [states.published_bits({**post, "players": players}) for players in (1, 2)] == [17, 34]


def test_branches_of_one_piece_a_side() -> None:
    # A piece in the pool or on a step can move if every roll were possible; one at home cannot.
    one = {"path": "bell", "pieces": 1}
    found, diagrams = states.published_branches(one), tiles.diagrams(catalogue.path("bell"), 1)
    home = 1 + 1 + 14  # diagrams with light's piece home: dark's in the pool, home, on a step
    assert found == diagrams - home
    assert states.mean_branches(one) == Fraction(found, diagrams)


def test_terms_of_the_worked_example_add_up() -> None:
    terms = states.mini_terms({"tiles": [2, 1], "pieces": 1}).split(" + ")
    assert len(terms) == 4
    assert sum(map(int, terms)) == states.published_states(
        {"form": "raposo", "tiles": [2, 1], "pieces": 1}
    )


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


def test_bounds() -> None:
    bell = {"path": "bell", "up_to": 4}
    assert states.bound({**bell, "form": "tile-polynomial"}) == "lower bound", "never above"
    assert states.bound({**bell, "form": "direction ignored"}) == "lower bound"
    assert states.bound({**bell, "form": "bits", "up_to": 1}) == "upper bound"
    murray = {"path": "murray", "up_to": 2, "form": "direction ignored"}
    assert states.bound(murray) == "lower bound"


def test_orders_and_comparisons() -> None:
    same = {"form": "exact", "pieces": 7}
    sizes = {n: tiles.diagrams(catalogue.path(n), 7) for n in ("bell", "aseb", "masters", "murray")}
    assert states.order(same) == "bell < aseb = masters < murray"
    assert sizes["aseb"] == sizes["masters"]
    assert states.smallest(same) == "bell"
    assert states.largest_two(same) == "masters and murray"
    assert states.published_below({**same, "than": "1e60"}) == "orders of magnitude smaller"
    assert states.published_below({**same, "than": "1e9"}) == "of the same order or larger"
    times = sizes["murray"] / sizes["masters"]
    assert states.similar(same) == f"Murray's is {times:.0f} times Masters'"
    assert states.higher({"pieces": 7}) == "significantly higher"
    # One piece of skiriuk has 25 places, of aseb 18: 625 - 28 pairs are not twice 324 - 12.
    assert states.higher({"pieces": 1}) == "not significantly higher"


def test_ratios() -> None:
    both = {"path": "bell", "pieces": 2, "over": "tile-polynomial", "under": "reader"}
    assert states.published_ratio(both) == 1
    assert states.published_ratio({"of": ["7.0", "2"]}) == Fraction(7, 2)
    assert states.published_ratio({"of": ["7.4", "2"], "nearest": "1/2"}) == Fraction(7, 2)
    assert states.published_ratio({"of": ["9", "4"], "nearest": 2}) == 2
