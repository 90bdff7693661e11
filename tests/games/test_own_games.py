from __future__ import annotations

from collections.abc import Callable
from typing import Any

import naive
import pytest
from naive_simulator import equal

import urcx
from urcx.agents.own_agents import Chooser
from urcx.engine.moves import Move
from urcx.errors import UsageError
from urcx.games.records import Games
from urcx.games.simulator import simulate
from urcx.rules.position import Position, check


def own_last(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return moves[-1]


def own_first(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return moves[0]


def own_greedy(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return max(moves, key=lambda move: (move.captures, move.rosette, move.start))


@pytest.mark.parametrize(
    ("own", "same"), [(own_last, "last"), (own_first, "first"), (own_greedy, "greedy")]
)
@pytest.mark.parametrize("name", ["masters", "murray", "finkel"])
def test_an_own_agent_plays_the_same_games(own: Chooser, same: str, name: str) -> None:
    rules = urcx.ruleset(name, pieces=2)

    def played(light: str | Chooser, dark: str | Chooser | None = None) -> Games:
        return simulate(light, dark, rules, games=4, seed=8, first="coin", habits=True)

    assert equal(played(same, "random"), played(own, "random"))
    assert equal(played("greedy:random", same), played("greedy:random", own))
    assert equal(played(same, same), played(own))


def test_an_own_agent_meets_one_that_looks_ahead() -> None:
    rules = urcx.ruleset("finkel", pieces=1)
    text = "expectimax:2:random"
    ref, found = (
        simulate(one, text, rules, games=5, seed=8, method="levels", no_cache=True)
        for one in ("last", own_last)
    )
    assert equal(ref, found)


def test_an_own_agent_is_asked_where_there_is_a_choice() -> None:
    rules = urcx.ruleset("masters", pieces=3)
    seen: list[tuple[Position, int, tuple[Move, ...]]] = []

    def watching(position: Position, roll: int, moves: tuple[Move, ...]) -> Move:
        seen.append((position, roll, moves))
        return moves[-1]

    found = simulate("last", watching, rules, games=2, seed=8)
    assert len(seen) == found.by_choices[:, 1, 2:].sum()
    for position, roll, moves in seen:
        check(position, rules.path, rules.pieces)
        assert not position.light_to_move
        assert len(moves) > 1
        assert [move.position for move in moves] == [
            after for _, _, after in sorted(naive.moves(position, roll, rules), key=lambda m: m[0])
        ]


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        (lambda position: Move(0, 9, False, False, False, position), "chose start-B5 in"),
        (lambda _: None, r"chose None in \S+/[LD] .*; legal: start-"),
        (lambda _: 1 / 0, r"fails in \S+/\S+/\d-\d/[LD] with roll \d: ZeroDivisionError: div"),
    ],
    ids=["no legal move", "no move", "failure"],
)
def test_an_own_agent_that_does_not_choose(chosen: Callable[[Position], Any], why: str) -> None:
    def stray(position: Position, _roll: int, _moves: tuple[Move, ...]) -> Any:
        return chosen(position)

    with pytest.raises(UsageError, match=rf"agent stray\(\) {why}"):
        simulate("first", stray, urcx.ruleset("finkel", pieces=2), games=3)
