"""Users' agents in exact questions: the same figures as built-in agents that play the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from own_rules import own

import urcx
from urcx.agents.agents import agent
from urcx.agents.answers import AGAIN, answer_policy
from urcx.engine.moves import Move, legal_moves
from urcx.engine.threads import no_progress
from urcx.enumerate.rankings.ranking import TileRanking
from urcx.errors import TooLargeError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

Moves = tuple[Move, ...]


def greedy(_position: Position, _roll: int, moves: Moves) -> Move:
    hits = [move for move in moves if move.captures]
    return (hits or [move for move in moves if move.rosette] or list(moves))[-1]


def even(_position: Position, _roll: int, moves: Moves) -> Mapping[Move, Fraction]:
    return dict.fromkeys(moves, Fraction(1, len(moves)))


def careless(position: Position, roll: int, moves: Moves) -> Mapping[Move, Fraction]:
    """Play as greedy, except in 30 % of the decisions."""
    best, worse = greedy(position, roll, moves), Fraction(3, 10) / len(moves)
    return {move: worse + Fraction(7, 10) * (move == best) for move in moves}


# Without compilation one of them takes long enough.
TWINS = [(greedy, "greedy"), (even, "random"), (careless, "mistakes:30:greedy")]
EACH = pytest.mark.parametrize(
    ("mine", "built_in"),
    [pytest.param(*TWINS[0], id="greedy")]
    + [pytest.param(*twin, marks=pytest.mark.jit, id=twin[1]) for twin in TWINS[1:]],
)
NAMES = ["corner", pytest.param("wings", marks=pytest.mark.jit)]


def near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-11)


@EACH
@pytest.mark.parametrize("name", [*NAMES, pytest.param("odd", marks=pytest.mark.jit)])
def test_exact_means_are_the_same(mine: Any, built_in: str, name: str) -> None:
    one, other = (urcx.expected(player, "last", own(name)) for player in (mine, built_in))
    assert one.first_wins == near(other.first_wins)
    assert [of.mean for of in urcx.exact_measures(one)] == near(
        [of.mean for of in urcx.exact_measures(other)]
    )
    for side, twin in zip(one.sides, other.sides, strict=True):
        assert vars(side).keys() == vars(twin).keys()
        for key in ("wins", "captures", "landed", "log_picks"):
            assert getattr(side, key) == near(getattr(twin, key))


@EACH
@pytest.mark.parametrize("name", NAMES)
def test_lengths_and_losses_are_the_same(mine: Any, built_in: str, name: str) -> None:
    rules = own(name)
    one, other = (urcx.lengths(player, "last", rules) for player in (mine, built_in))
    assert one.chances.tolist() == near(other.chances.tolist())
    for opponent in ("optimal", "self"):
        (row,), (twin,) = (
            urcx.regret(player, rules, opponent=opponent).regrets for player in (mine, built_in)
        )
        for key in ("wins", "loss", "mistakes", "decisions"):
            assert getattr(row.side, key) == near(getattr(twin.side, key))
    one_luck, other_luck = (urcx.luck(player, "last", rules) for player in (mine, built_in))
    assert one_luck.share == near(other_luck.share)
    assert one_luck.losses == near(other_luck.losses)
    rows, twins = (
        {(item.position, item.roll, item.played.start): item.often for item in of.rows}
        for of in (urcx.mistakes(player, rules, most=1000) for player in (mine, built_in))
    )
    assert rows == near(twins)


@pytest.mark.parametrize("name", ["corner", "odd"])
def test_each_decision_is_asked_once_but_for_the_checks(name: str) -> None:
    rules, calls = own(name), Counter[tuple[Position, int]]()

    def noted(position: Position, roll: int, moves: Moves) -> Move:
        calls[position, roll] += 1
        return moves[0]

    answer_policy(agent(noted), rules, no_progress)
    alike = rules.path.symmetric
    ranking = TileRanking(rules.path, rules.pieces, None, "diagrams" if alike else "positions")
    places = [ranking.unrank(k) for k in range(ranking.size)]
    decisions = {
        (place, roll)
        for place in places
        for roll in rules.dice.rolls
        if rules.pieces not in place.home and len(legal_moves(place, roll, rules)) > 1
    }
    checked = {key for key, number in calls.items() if number > 1 or key not in decisions}
    assert decisions <= calls.keys()
    assert calls.total() - len(decisions) == (1 + alike) * -(-len(decisions) // AGAIN)
    assert len(checked) <= (1 + alike) * -(-len(decisions) // AGAIN)


def test_agents_that_cannot_be_a_table_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, turns = own("corner"), count()

    def fickle(_position: Position, _roll: int, moves: Moves) -> Move:
        return moves[next(turns) % 2]

    def coloured(position: Position, _roll: int, moves: Moves) -> Move:
        return moves[0 if position.light_to_move else -1]

    with pytest.raises(UsageError, match=r"^agent fickle\(\) answers differently.* probabilities"):
        urcx.expected(fickle, rules=rules)
    with pytest.raises(UsageError, match=r"^agent coloured\(\) plays differently as dark"):
        urcx.lengths(coloured, rules=rules)
    monkeypatch.setattr("urcx.agents.answers.MOST_STATES", 10)
    with pytest.raises(TooLargeError, match=r"greedy\(\).* of corner .* at most 10"):
        urcx.regret(greedy, rules)


def test_chances_of_an_object_are_followed() -> None:
    class Open:
        name = "open"

        def choose(self, game: urcx.Game, _roll: int, rng: Any) -> Move:
            raise NotImplementedError

        def move_probabilities(self, game: urcx.Game, roll: int) -> Mapping[Move, float]:
            moves = game.legal_moves(roll)
            return dict.fromkeys(moves, 1 / len(moves))

    rules: RuleSet = own("corner")
    result = urcx.expected(Open(), "last", rules)
    assert result.light.name == "open"
    assert result.first_wins == near(urcx.expected("random", "last", rules).first_wins)
