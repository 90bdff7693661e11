from __future__ import annotations

import naive_gamble
import pytest

import urcx
from urcx.contrib.gambling import closed_form as labelled
from urcx.contrib.gambling.rules import gambling_game


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
