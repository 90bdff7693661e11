from __future__ import annotations

from itertools import product

import naive
import pytest

import urcx
from urcx.enumerate.conflicts import conflicts
from urcx.errors import TooLargeError


@pytest.mark.parametrize(("name", "pieces"), [("bell", 1), ("bell", 2), ("murray", 1)])
def test_matrix_against_the_naive_rule(name: str, pieces: int) -> None:
    path = urcx.path(name)
    found = conflicts(path, pieces)

    def tiles(way: tuple[str, ...], placement: tuple[int, ...]) -> list[str]:
        return [way[step - 1] for step in placement if 0 < step <= len(way)]

    sides = []
    for way in (path.light, path.dark):
        placements = naive.placements(len(way), pieces)
        sides.append([p for p in placements if len(set(tiles(way, p))) == len(tiles(way, p))])
    assert list(found.light) == sorted(sides[0])
    assert list(found.dark) == sorted(sides[1])
    ref = [
        bool(set(tiles(path.light, a)) & set(tiles(path.dark, b)))
        for a, b in product(found.light, found.dark)
    ]
    assert found.matrix().ravel().tolist() == ref
    assert found.conflicts == sum(ref)


@pytest.mark.jit
def test_pairs_without_conflict_are_the_diagrams() -> None:
    # Counts of the post's table.
    for pieces, states in ((3, 264_304), (5, 14_680_840)):
        assert conflicts(urcx.path("bell"), pieces).diagrams == states


@pytest.mark.jit
def test_refuses_matrices_too_large_to_draw() -> None:
    found = conflicts(urcx.path("bell"), 7)
    assert found.diagrams == 137_913_936
    with pytest.raises(TooLargeError, match="21920 x 21920"):
        found.matrix()
