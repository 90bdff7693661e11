from __future__ import annotations

from bisect import bisect_right
from collections import Counter

import naive
import numpy as np
import pytest
from naive_reach import UNEVEN
from own_rules import own

import urcx
from urcx.complexity import tiles
from urcx.enumerate.rankings import pattern_kernels, tile_kernels
from urcx.enumerate.rankings.ranking import (
    CONVENTIONS,
    MAX_MARKS,
    PatternRanking,
    TileRanking,
    no_patterns,
    pattern_obstacle,
)
from urcx.errors import OutOfDomainError, PositionError, TooLargeError, UsageError
from urcx.rules.model import Path
from urcx.rules.position import Position

NAMES = urcx.path_names()


@pytest.mark.parametrize(
    ("name", "pieces", "dark"),
    [(name, 1, 1) for name in NAMES]
    + [pytest.param(name, 1, 2, marks=pytest.mark.jit) for name in NAMES[::4]],
)
def test_ranks_are_a_bijection(name: str, pieces: int, dark: int) -> None:
    path = urcx.path(name)
    ranking = urcx.ranking(path, pieces, dark)
    ranks = [ranking.rank(diagram) for diagram in naive.diagrams(path, pieces, dark)]
    assert sorted(ranks) == list(range(ranking.size))
    for rank in ranks:
        assert ranking.rank(ranking.unrank(rank)) == rank


@pytest.mark.parametrize("order", ["tiles", "pattern"])
def test_enumerator_proves_the_ranks(order: str) -> None:
    marks = urcx.ranking(urcx.path("bell"), 2, order=order).prove()
    assert marks.bijective
    assert (marks.size, marks.once, marks.repeated, marks.outside) == (13112, 13112, 0, 0)


@pytest.mark.jit
@pytest.mark.parametrize("name", NAMES)
def test_enumerator_proves_the_ranks_of_three_pieces(name: str) -> None:
    path = urcx.path(name)
    assert urcx.ranking(path, 3, 2).prove().bijective
    if not pattern_obstacle(path):
        assert urcx.ranking(path, 4, order="pattern").prove().bijective


def test_a_wrong_ranking_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    ranking = urcx.ranking(urcx.path("bell"), 1, 1)
    assert isinstance(ranking, TileRanking)
    wrong = [
        [[n + (t == 3) for n in row] for row in table] for t, table in enumerate(ranking._ways)
    ]
    monkeypatch.setitem(ranking.__dict__, "_ways", wrong)
    assert not ranking.prove().bijective


def mask(steps: tuple[int, ...]) -> np.int64:
    return np.int64(sum(1 << (step - 1) for step in steps))


@pytest.mark.parametrize(
    ("path", "pieces"),
    # The last two have tiles that one side steps on twice, and more pieces than shared tiles.
    [
        (urcx.path("bell"), 1),
        (urcx.path("murray"), 1),
        (own("odd").path, 3),
        (own("short").path, 4),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_kernels_by_tiles_number_states_as_the_ranking_does(path: Path, pieces: int) -> None:
    positions = urcx.ranking(path, pieces, convention="positions")
    assert isinstance(positions, TileRanking)
    for rank in range(positions.size):
        position = positions.unrank(rank)
        sides = [
            (mask(steps), home)
            for steps, home in zip((position.light, position.dark), position.home, strict=True)
        ]
        side = 0 if position.light_to_move else 1
        view = (*sides[side], *sides[1 - side], side)
        table = positions.arrays
        assert tuple(tile_kernels.view_of(table, np.int64(rank))) == view
        assert tile_kernels.state_of(table, *view) == rank
        assert tuple(tile_kernels.diagram_of(table, np.int64(rank // 2))) == (*sides[0], *sides[1])
    diagrams = urcx.ranking(path, pieces)
    assert isinstance(diagrams, TileRanking)
    for rank in range(0, diagrams.size, 5):
        view = tuple(tile_kernels.view_of(diagrams.arrays, np.int64(rank)))
        position = diagrams.unrank(rank)
        assert view[:4] == (
            mask(position.light), position.home[0], mask(position.dark), position.home[1],
        )  # fmt: skip
        assert view[4] == 0
        assert tile_kernels.state_of(diagrams.arrays, *view) == rank


@pytest.mark.parametrize(
    ("path", "pieces"),
    [(urcx.path("bell"), 1), (own("short").path, 4), (own("corner").path, 3)],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_kernels_by_pattern_number_states_as_the_ranking_does(path: Path, pieces: int) -> None:
    ranking = urcx.ranking(path, pieces, order="pattern")
    assert isinstance(ranking, PatternRanking)
    assert ranking.size == urcx.ranking(path, pieces).size
    table = ranking.arrays
    shared = sum(1 for light, dark in path.crossings if light and dark)
    assert table.lane.shape == (2, 3**shared)
    seen = set()
    for rank in range(ranking.size):
        position = ranking.unrank(rank)
        seen.add(position)
        pattern = pattern_kernels.pattern_of(table, rank)
        # The last of equal offsets: some patterns have no ranks.
        assert pattern == bisect_right(table.offset.tolist(), rank) - 1
        diagram = (
            mask(position.light), position.home[0], mask(position.dark), position.home[1],
        )  # fmt: skip
        assert tuple(pattern_kernels.diagram_of(table, pattern, rank)) == diagram
        assert pattern_kernels.rank_of(table, *diagram) == rank == ranking.rank(position)
    assert seen == set(naive.diagrams(path, pieces))


def test_tables_of_no_size_are_like_those_of_an_order() -> None:
    some = urcx.ranking(urcx.path("bell"), 1, order="pattern")
    assert isinstance(some, PatternRanking)
    for none, array in zip(no_patterns(), some.arrays, strict=True):
        assert (none.size, none.ndim, none.dtype) == (0, array.ndim, array.dtype)
        assert not none.flags.writeable
        assert not array.flags.writeable


@pytest.mark.parametrize("pieces", [7, 30])
@pytest.mark.parametrize("name", NAMES)
def test_round_trip_of_random_positions(name: str, pieces: int) -> None:
    path = urcx.path(name)
    for convention in CONVENTIONS:
        ranking = urcx.ranking(path, pieces, convention=convention)
        positions = list(ranking.sample(20, seed=5))
        assert [ranking.unrank(ranking.rank(position)) for position in positions] == positions
        turns = {position.light_to_move for position in positions}
        assert turns == ({True, False} if convention == "positions" else {True})


def test_size_is_the_count_in_every_convention() -> None:
    for name in NAMES:
        path = urcx.path(name)
        counts = tiles.conventions(path, 4)
        for convention in CONVENTIONS:
            assert urcx.ranking(path, 4, convention=convention).size == counts[convention]


def test_mover_view_count_published_elsewhere() -> None:
    # shared oracle values: 137,892,016 states a mover, 137,870,097 of them not finished
    assert urcx.ranking(urcx.path("bell"), 7, convention="mover-view").size == 137_892_016
    assert tiles.conventions(urcx.path("bell"), 7)["mover-view, finished left out"] == 137_870_097


def test_mover_view_ranks_are_a_bijection_onto_turned_positions() -> None:
    path = urcx.path("skiriuk")
    ranking = urcx.ranking(path, 1, convention="mover-view")
    ranks: Counter[int] = Counter()
    for diagram in naive.diagrams(path, 1):
        for position in (diagram, Position(diagram.light, diagram.dark, diagram.home, False)):
            won = position.home[0 if position.light_to_move else 1] == 1
            if won:
                with pytest.raises(OutOfDomainError, match="already won"):
                    ranking.rank(position)
            else:
                ranks[ranking.rank(position)] += 1
    assert sorted(ranks) == list(range(ranking.size))
    assert set(ranks.values()) == {2}


def test_sampling_is_uniform() -> None:
    # 248 cells, 100 expected in each: chi-square has mean 247 and standard deviation 22.2.
    ranking = urcx.ranking(urcx.path("bell"), 1)
    drawn = Counter(ranking.sample(24_800, seed=11))
    square = sum((drawn[ranking.unrank(rank)] - 100) ** 2 / 100 for rank in range(248))
    assert 247 - 5 * 22.2 < square < 247 + 5 * 22.2


def test_sampling_repeats_with_the_seed() -> None:
    ranking = urcx.ranking(urcx.path("masters"), 7)
    assert list(ranking.sample(5, 1)) == list(ranking.sample(5, 1))
    assert list(ranking.sample(5, 1)) != list(ranking.sample(5, 2))
    with pytest.raises(UsageError, match="seed -1: must be from 0"):  # Python draws for -1 as for 1
        next(ranking.sample(5, -1))


def test_functions_take_notation_or_positions() -> None:
    bell = urcx.path("bell")
    number = urcx.rank("2/3,6/5-5/L", bell, 7)
    assert str(urcx.unrank(number, bell, 7)) == "2/3,6/5-5/L"
    assert urcx.rank(urcx.unrank(number, bell, 7), bell, 7) == number


@pytest.mark.parametrize("rank", [-1, 248, 10**30])
def test_refuses_ranks_outside(rank: int) -> None:
    with pytest.raises(UsageError, match=r"from 0 to 247"):
        urcx.ranking(urcx.path("bell"), 1).unrank(rank)


def test_refuses_what_is_not_defined() -> None:
    bell, uneven = urcx.path("bell"), UNEVEN.path
    with pytest.raises(UsageError, match="unknown convention"):
        urcx.ranking(bell, 1, convention="boards")
    with pytest.raises(UsageError, match="unknown order"):
        urcx.ranking(bell, 1, order="random")
    with pytest.raises(OutOfDomainError, match="same path"):
        urcx.ranking(bell, 1, 2, convention="mover-view")
    with pytest.raises(OutOfDomainError, match="same path"):
        urcx.ranking(uneven, 1, convention="mover-view")
    with pytest.raises(OutOfDomainError, match="private tiles"):
        urcx.ranking(uneven, 1, order="pattern")
    with pytest.raises(OutOfDomainError, match="more than once"):
        urcx.ranking(urcx.path("murray"), 1, order="pattern")
    with pytest.raises(OutOfDomainError, match="equal numbers"):
        urcx.ranking(bell, 1, 2, order="pattern")
    with pytest.raises(OutOfDomainError, match="convention"):
        urcx.ranking(bell, 1, order="pattern", convention="mover-view")
    with pytest.raises(OutOfDomainError, match="diagrams"):
        urcx.ranking(bell, 1, convention="positions").prove()
    with pytest.raises(TooLargeError, match=str(MAX_MARKS)):
        urcx.ranking(bell, 15).prove()
    with pytest.raises(PositionError, match="both players are on tile B1"):
        urcx.ranking(bell, 2).rank(urcx.parse_position("5/5/0-0/L"))
