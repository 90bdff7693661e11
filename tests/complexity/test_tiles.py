from __future__ import annotations

import naive
import pytest

import urcx
from urcx.complexity import tiles


@pytest.mark.parametrize(
    ("name", "pieces", "dark"),
    [(name, 1, 1) for name in urcx.path_names()]
    + [(name, 1, 2) for name in urcx.path_names()[::4]],
)
def test_counts_what_the_naive_search_finds(name: str, pieces: int, dark: int) -> None:
    path = urcx.path(name)
    diagrams = list(naive.diagrams(path, pieces, dark))
    assert tiles.diagrams(path, pieces, dark) == len(diagrams)
    assert tiles.branches(path, pieces, dark) == (
        sum(naive.branches(d, pieces) for d in diagrams),
        sum(naive.branches(d.turned(), dark) for d in diagrams),
    )
    assert tiles.finished(path, pieces, dark) == (
        sum(d.home[0] == pieces for d in diagrams),
        sum(d.home[1] == dark for d in diagrams),
    )


def test_conventions_against_the_naive_search() -> None:
    path = urcx.path("masters")
    diagrams = list(naive.diagrams(path, 2))
    open_ones = [d for d in diagrams if 2 not in d.home]
    mover = [d for d in diagrams if d.home[0] != 2]
    assert tiles.conventions(path, 2) == {
        "diagrams": len(diagrams),
        "diagrams, both home left out": len(diagrams) - 1,
        "diagrams, finished left out": len(open_ones),
        "positions": 2 * len(diagrams),
        "positions, finished left out": 2 * len(open_ones),
        "mover-view": len(mover),
        "mover-view, finished left out": len(open_ones),
        "positions, both players' mover views": 2 * len(mover),
    }
    assert "mover-view" not in tiles.conventions(path, 2, 3)


@pytest.mark.parametrize(
    ("name", "pieces", "states"),
    # Reachable states of games that another engine searched through (all that are not finished):
    # on these paths every unfinished state can be reached.
    [("bell", 1, 217), ("bell", 2, 12_869), ("aseb", 1, 277), ("aseb", 2, 20_314)],
)
def test_unfinished_mover_views_of_another_engine(name: str, pieces: int, states: int) -> None:
    counts = tiles.conventions(urcx.path(name), pieces)
    assert counts["mover-view, finished left out"] == states
