from __future__ import annotations

from math import comb

import naive_gamble
import pytest

import urcx
from urcx.gambling import closed_form as labelled
from urcx.gambling.rules import gambling_game


@pytest.mark.parametrize("name", ["bell", "masters", "murray", "aseb"])
@pytest.mark.parametrize(
    ("light", "dark"), [((1,), (1,)), ((4,), (2, 9)), ((3, 1), (3, 1)), ((1, 1), (1,))]
)
def test_counts_what_the_naive_search_finds(
    name: str, light: tuple[int, ...], dark: tuple[int, ...]
) -> None:
    path = urcx.path(name)
    if len(path.tiles) * len(light + dark) > 70:
        light = light[:1]
    found = list(naive_gamble.diagrams(path, light, dark))
    assert labelled.labelled_diagrams(path, light, dark) == len(found)
    if set(light + dark) == {1}:
        assert labelled.on_any_step(path, len(light), len(dark)) == len(found)


@pytest.mark.parametrize("name", urcx.path_names())
def test_both_forms_agree_where_every_step_is_open(name: str) -> None:
    path = urcx.path(name)
    for pieces in (1, 2, 3):
        assert labelled.labelled_diagrams(path, [1] * pieces) == labelled.on_any_step(
            path, pieces, pieces
        )


def chain(entries: tuple[int, ...], shared: range) -> int:
    """Return the count where the steps of a later piece are all open to every earlier one.

    On the straight board the last steps are shared. Pieces are put down from the one with the
    fewest open steps: as its steps are open to all that follow and to all before, k pieces on
    shared steps leave it all but k.
    """
    ways = {0: 1}
    for first in sorted([*entries, *entries], reverse=True):
        steps = sum(step >= first for step in shared)
        private = shared.start - first if first < shared.start else 0
        more: dict[int, int] = {}
        for k, number in ways.items():
            more[k] = more.get(k, 0) + number * (2 + private)
            more[k + 1] = more.get(k + 1, 0) + number * (steps - k)
        ways = more
    return sum(ways.values())


@pytest.mark.parametrize("pieces", range(1, 6))
def test_against_pieces_put_down_one_by_one(pieces: int) -> None:
    # With one private piece a side at most, private steps never clash with each other.
    game = gambling_game().with_pieces(pieces)
    assert labelled.labelled_diagrams(game.path, game.entries) == chain(game.entries, range(5, 17))


def test_one_piece_by_hand() -> None:
    # Thirteen steps from the fourth on, pool and home; twelve tiles cannot hold both.
    game = gambling_game().with_pieces(1)
    assert labelled.labelled_diagrams(game.path, game.entries) == 15 * 15 - 12


@pytest.mark.parametrize("pieces", [1, 2])
def test_conventions_against_the_naive_search(pieces: int) -> None:
    game = gambling_game().with_pieces(pieces)
    found = list(naive_gamble.diagrams(game.path, game.entries, game.entries))
    home = (17,) * pieces
    still_open = [d for d in found if home not in d.steps]
    light_home = sum(d.steps[0] == home for d in found)
    dark_home = sum(d.steps[1] == home for d in found)
    assert labelled.labelled_finished(game.path, game.entries) == (light_home, dark_home)
    purses = [(a, b) for a in range(51) for b in range(51) if a + b <= 50]
    assert labelled.labelled_conventions(game.path, game.entries, 50) == {
        "diagrams, any step": labelled.labelled_diagrams(game.path, [1] * pieces),
        "diagrams": len(found),
        "diagrams, both home left out": len(found) - 1,
        "diagrams, finished left out": len(still_open),
        "positions": 2 * len(found),
        "positions, finished left out": 2 * len(still_open),
        "positions with counters, finished left out (upper bound)": 2
        * len(still_open)
        * len(purses),
    }
    assert len(labelled.labelled_conventions(game.path, game.entries)) == 6


def test_labels_multiply_what_is_on_the_board() -> None:
    # Two alike pieces on the board are two labelled diagrams each; splits of the rest differ too.
    path = urcx.path("bell")
    both_on = comb(14, 2)
    one_on, none_on = 14, 1
    light = both_on * 2 + one_on * 2 * 2 + none_on * 4
    assert labelled.on_any_step(path, 2, 0) == light
