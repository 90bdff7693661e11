"""Cycles of plies in handmade graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from urcx.contrib.michon.procedure import CyclePly, first_repeated, shortest_cycle
from urcx.rules.position import Position


def at(step: int, *, light: bool = True) -> Position:
    return Position(light=(step,), light_to_move=light)


def graph(moves: dict[int, list[int]]) -> Callable[[Position], Iterator[CyclePly]]:
    """Return plies between steps; from each, a pass to the other side comes first."""

    def onward(position: Position) -> Iterator[CyclePly]:
        yield CyclePly(position, 0, None)
        for to in moves.get(position.light[0], []):
            move: Any = SimpleNamespace(position=at(to, light=position.light_to_move))
            yield CyclePly(position, 1, move)

    return onward


@pytest.mark.parametrize(
    ("moves", "passing", "length"),
    [
        ({}, True, 2),  # a pass each
        ({}, False, 0),
        ({1: [2], 2: [3], 3: [1]}, True, 2),
        ({1: [2], 2: [3], 3: [1]}, False, 3),
        ({1: [2, 3], 2: [3], 3: [1]}, False, 2),
        ({1: [2], 2: [3]}, False, 0),
    ],
)
def test_a_cycle_is_as_short_as_can_be(
    moves: dict[int, list[int]], passing: bool, length: int
) -> None:
    found = shortest_cycle(at(1), graph(moves), passing=passing)
    assert isinstance(found, tuple)
    assert len(found) == length
    for ply, following in zip(found, [*found[1:], *found[:1]], strict=True):
        assert ply.after == following.position
    assert passing or not found or any(ply.move for ply in found)


def test_the_first_that_is_met_again_is_led_to_by_moves_where_there_are_some() -> None:
    assert first_repeated(at(1), graph({1: [2], 2: [3], 3: [2]})) == at(2)
    assert first_repeated(at(1), graph({1: [2]})) == at(2)
    assert first_repeated(at(1), graph({})) == at(1)
