"""Exact fractions against solutions by hand, the rules in words, and the solvers in floats."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import naive
import pytest
from own_rules import own, rules_of

import urcx
from urcx.contrib.exact import rational
from urcx.contrib.exact.exact_solution import ExactSolution
from urcx.contrib.exact.rational import solve_exactly
from urcx.errors import OutOfDomainError, PositionError, TooLargeError, UrcxError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import Position
from urcx.solving.general.solver import solve_general

GOLDEN = json.loads((Path(__file__).parents[2] / "golden/solved-small.json").read_text("utf-8"))


@cache
def solved(name: str) -> ExactSolution:
    if name == "finkel":
        return solve_exactly("finkel", 1)
    return solve_exactly(own(name))


def after(position: Position, roll: int, rules: RuleSet) -> list[tuple[int, Position]]:
    """Return (start, next position) of every move by the rules in words, or of the pass."""
    found = [(start, then) for start, _, then in naive.moves(position, roll, rules)]
    return found or [(-1, naive.passed(position))]


def chance(found: ExactSolution, then: Position, before: Position) -> Fraction:
    value = found.value(then)
    return value if then.light_to_move == before.light_to_move else 1 - value


@pytest.mark.parametrize(
    ("position", "value"),
    [("14/14/6-6/L", "4/7"), ("13/14/6-6/L", "116/161"), ("14/13/6-6/D", "116/161")],
)
def test_endings_by_hand(position: str, value: str) -> None:
    assert solved("finkel").value(urcx.parse_position(position)) == Fraction(value)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=pytest.mark.jit if k else (), id=f"{row['path']}-{row['dice']}-{k}")
        for k, row in enumerate(row for row in GOLDEN["rows"] if row["pieces"] == 1)
    ],
)
def test_openings_of_another_engine(row: dict[str, Any]) -> None:
    assert abs(float(solve_exactly(rules_of(row)).value(Position())) - row["p_first"]) < 1e-15


@pytest.mark.parametrize(
    "name", ["race", *(pytest.param(n, marks=pytest.mark.jit) for n in ("finkel", "short", "odd"))]
)
def test_values_and_policy_are_what_the_rules_in_words_make_of_them(name: str) -> None:
    found = solved(name)
    rules = found.rules
    states = list(found.policy())
    assert len({state.position for state in states}) == found.states
    for state in states:
        expected = Fraction(0)
        for roll, p in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
            moves = after(state.position, roll, rules)
            worth = [chance(found, then, state.position) for _, then in moves]
            best = max(worth)
            starts = [s for (s, _), x in zip(moves, worth, strict=True) if x == best and s >= 0]
            assert list(state.starts[roll]) == starts
            expected += p * best
        assert state.value == expected == found.value(state.position)


@pytest.mark.parametrize("name", ["short", "odd"])
def test_floats_agree(name: str) -> None:
    found = solved(name)
    _, order, values = solve_general(found.rules)
    for state in found.policy():
        assert abs(float(state.value) - values[order.index(state.position)]) < 1e-14


@pytest.mark.parametrize("name", ["short", "odd", "race"])
def test_ties_are_counted_as_pairs_of_equal_fractions(name: str) -> None:
    found = solved(name)
    decisions = tied = best_tied = 0
    least = Fraction(1)
    for state in found.policy():
        for roll in found.rules.dice.rolls:
            moves = after(state.position, roll, found.rules)
            worth = sorted(chance(found, then, state.position) for _, then in moves)
            decisions += len(worth) > 1
            tied += len(set(worth)) < len(worth)
            best_tied += len(worth) > 1 and worth[-1] == worth[-2]
            least = min([least, *(b - a for a, b in pairwise(worth) if a < b)])
    ties = found.ties
    assert sum(item.decisions for item in ties) == decisions > 0
    assert sum(item.tied for item in ties) == tied
    assert sum(item.best_tied for item in ties) == best_tied
    assert min([Fraction(1), *(item.smallest for item in ties if item.smallest)]) == least
    assert sum(item.states for item in ties) == found.states
    for item in ties:
        values = [
            state.value
            for state in found.policy()
            if sorted(found.rules.pieces - n for n in state.position.home) == sorted(item.left)
        ]
        assert len(values) == item.states
        assert all(item.denominator % value.denominator == 0 for value in values)


def test_a_race_alone_is_all_ties() -> None:
    # Nobody meets anybody: every step forward is as good as any other, and the chance is that of
    # n steps of one's own being thrown before m of the other's.
    found = solved("race")

    @cache
    def race(mine: int, others: int) -> Fraction:
        # x = 2/3 (1 - y) + 1/3 (1 - z), z = 2/3 (1 - w) + 1/3 (1 - x): z is the other's chance now.
        if mine == 0:
            return Fraction(1)
        if others == 0:
            return Fraction(0)
        forward = 1 - race(others, mine - 1)
        other_forward = 1 - race(mine, others - 1)
        return (2 * forward + 1 - Fraction(2, 3) * other_forward - Fraction(1, 3)) * Fraction(3, 8)

    assert found.value(Position()) == race(8, 8)
    assert all(item.tied == item.decisions == item.best_tied for item in found.ties)
    assert all(item.smallest is None for item in found.ties)
    example = found.ties[-1].example
    assert example is not None
    assert len({move.value for move in found.best_moves(*example)}) == 1


def test_moves_of_a_position_with_their_regrets() -> None:
    found = solved("short")
    place = found.ties[-1].place
    assert place is not None
    moves = found.best_moves(*place)
    assert moves[0].regret == 0
    assert all(a.value >= b.value for a, b in pairwise(moves))
    assert found.ties[-1].smallest in [b.regret - a.regret for a, b in pairwise(moves)]
    assert found.best_moves(Position(), 0) == ()


@pytest.mark.jit
def test_any_first_choice_of_moves_leads_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    right = solved("tiny")
    monkeypatch.setattr(rational, "best_by", lambda game, _: game.first[:-1].copy())
    other = solve_exactly(own("tiny"))
    assert other.rounds > 1
    assert right.rounds == 1
    monkeypatch.setattr(rational, "MOST_ROUNDS", 1)
    with pytest.raises(UrcxError, match="moves still improve"):
        solve_exactly(own("tiny"))
    assert list(other.policy()) == list(right.policy())


def test_endings_are_the_game_with_fewer_pieces() -> None:
    whole = solved("short")
    one = solve_exactly(own("short"), 1)
    assert one.start == Position((), (), (1, 1))
    for state in one.policy():
        assert whole.value(state.position) == state.value
    assert one.denominator == next(x.denominator for x in whole.ties if x.left == (1, 1))
    with pytest.raises(OutOfDomainError, match="more than 1 pieces left"):
        one.value(Position())
    assert one.value(Position((), (1, 2), (2, 0))) == 1
    with pytest.raises(PositionError):
        one.best_moves(Position((), (1, 2), (2, 0)), 1)


@pytest.mark.jit
def test_every_game_of_the_catalogue_ends() -> None:
    for rules in catalogue.catalogue().rules.values():
        if rules.path.length < 17:
            assert solve_exactly(rules, 1).states > 0


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match=r"137,870,097 states.*fewer pieces"):
        solve_exactly("finkel")
    with pytest.raises(TooLargeError, match="fewer pieces"):
        solve_exactly("murray", 2)
    with pytest.raises(UsageError, match="1 to 7"):
        solve_exactly("finkel", 8)
    with pytest.raises(UrcxError, match="need not end"):
        solve_exactly(own("stuck"))
    fine = Dice("fine", "", (1, 2), (Fraction(1, 2**21), 1 - Fraction(1, 2**21)))
    with pytest.raises(TooLargeError, match="common denominator 2,097,152"):
        solve_exactly(replace(own("short"), dice=fine))
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match="in fractions needs"):
        solve_exactly("finkel", 1)
