from __future__ import annotations

from itertools import product

import naive
import pytest

import urcx
from urcx.enumerate import conflicts as module
from urcx.enumerate.conflicts import check_pairs, conflicts
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
    assert found.diagrams == ref.count(False)
    assert (found.placements, found.pairs) == (len(sides[0]), len(ref))
    counts = found.counts()
    assert (counts.light, counts.dark, len(counts.light_tiles), len(counts.dark_tiles)) == (
        (), (), 0, 0,
    )  # fmt: skip
    assert (counts.placements, counts.diagrams) == (found.placements, found.diagrams)


@pytest.mark.jit
def test_refuses_matrices_too_large_to_draw() -> None:
    found = conflicts(urcx.path("bell"), 7)
    assert found.diagrams == 137_913_936
    with pytest.raises(TooLargeError, match="21920 x 21920"):
        found.matrix()


def test_refuses_only_what_is_above_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    path = urcx.path("bell")
    found = conflicts(path, 1)
    assert (len(found.light), check_pairs(path, 1)) == (16, 16)  # the pool, 14 steps and home
    for name, refused, message in (
        ("MAX_MATRIX", found.matrix, "16 x 16"),
        ("MAX_PLACEMENTS", lambda: check_pairs(path, 1), "16 placements a side"),
    ):
        monkeypatch.setattr(module, name, 16)
        refused()
        monkeypatch.setattr(module, name, 15)
        with pytest.raises(TooLargeError, match=message):
            refused()


def test_refuses_what_memory_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    # Both sides' placements, each of so many bytes and eight for each of two pieces.
    path = urcx.path("bell")
    needed = 2 * len(conflicts(path, 2).light) * (module.PLACEMENT_BYTES + 8 * 2)
    for free, fits in ((needed, True), (needed - 1, False)):
        monkeypatch.setattr("urcx.engine.memory.available_memory", lambda free=free: free)
        if fits:
            check_pairs(path, 2)
        else:
            with pytest.raises(TooLargeError, match="placements a side of 2 pieces needs"):
                check_pairs(path, 2)
