"""A position looked up in a tablebase."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from urcx.errors import PositionError, UsageError
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.probing import probe

pytest_plugins = ["solved_games"]


def test_moves_of_all_rolls_the_best_first(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        found = probe(base, "5/9/0-0/L")
        assert found.value == base.probe("5/9/0-0/L")
        assert [item.roll for item in found.moves] == [0, 1, 2, 3, 4]
        passed, *rest = found.moves
        assert (passed.best, passed.only) == (None, False)
        assert all(item.only for item in rest)
        assert found.winner is None
        assert [item.roll for item in probe(base, "5/9/0-0/L", 3).moves] == [3]


def test_bounds_stay_between_0_and_1(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        assert base.bound is not None
        found = probe(base, "5/9/0-0/L")
        assert found.lower == found.value - base.bound
        assert found.upper == found.value + base.bound
        sure = replace(found, value=1.0)
        assert sure.upper == 1.0
        assert sure.lower == 1.0 - base.bound
        unknown = replace(found, bound=None)
        assert (unknown.lower, unknown.upper) == (None, None)


def test_a_finished_game_is_certain(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        found = probe(base, "-/9/1-0/D")
        assert (found.winner, found.value, found.bound, found.moves) == ("light", 0.0, 0.0, ())
        assert (found.lower, found.upper) == (0.0, 0.0)
        assert probe(base, "9/-/0-1/D").winner == "dark"
        with pytest.raises(PositionError, match="all pieces of both players are home"):
            probe(base, "-/-/1-1/L")


def test_a_roll_that_the_dice_cannot_give(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base, pytest.raises(UsageError):
        probe(base, "5/9/0-0/L", 9)
