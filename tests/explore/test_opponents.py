"""Opponents of graded strength: how they play, and how often they win against perfect play."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from own_rules import SHORT
from requests_in_place import get, post

import urcx
from urcx.agents.network_files import SHIPPED
from urcx.explore.app import application
from urcx.explore.explorer import Explorer
from urcx.explore.opponents import erring, judged, opponents
from urcx.explore.security import Application
from urcx.played.values import SolvedGame
from urcx.rules import catalogue
from urcx.rules.position import Position

pytest_plugins = ["explorer_fixtures"]


def exactly(known: SolvedGame, percent: int) -> float:
    """Return how often an erring player wins against perfect play, by a system of equations."""
    rules, share = known.rules, percent / 100
    rolls = list(zip(rules.dice.rolls, map(float, rules.dice.probabilities), strict=True))
    numbers: dict[tuple[bool, Position], int] = {}
    found: list[dict[tuple[bool, Position], float]] = []
    constants: list[float] = []
    waiting = [(True, Position()), (False, Position())]
    while waiting:
        state = waiting.pop()
        if state in numbers:
            continue
        numbers[state] = len(numbers)
        errs, place = state
        row: dict[tuple[bool, Position], float] = {}
        constants.append(0.0)
        for roll, chance in rolls:
            ranked = [one.move.position for one in known.best_moves(place, roll)]
            passed = Position(place.light, place.dark, place.home, not place.light_to_move)
            for k, after in enumerate(ranked or [passed]):
                plays = (k == 0) * (1.0 - share * errs) + share * errs / max(len(ranked), 1)
                if rules.pieces in after.home:
                    constants[-1] += errs * chance * plays
                    continue
                same = after.light_to_move == place.light_to_move
                to = (errs, after) if same else (not errs, after)
                row[to] = row.get(to, 0.0) + chance * plays
        found.append(row)
        waiting += row
    system = np.eye(len(numbers))
    for number, row in enumerate(found):
        for state, weight in row.items():
            system[number, numbers[state]] -= weight
    wins = np.linalg.solve(system, np.array(constants))
    return sum(float(wins[numbers[errs, Position()]]) for errs in (True, False)) / 2


@pytest.fixture(scope="module")
def known() -> SolvedGame:
    return SolvedGame(replace(catalogue.read_catalogue_file(SHORT)[0].rules["strip"], pieces=2))


@pytest.mark.parametrize("percent", [0, 20, 100])
def test_what_moves_give_away_is_what_is_lacking_to_one_half(
    known: SolvedGame, percent: int
) -> None:
    found = judged(known, percent, 200, 1)
    assert found.wins == pytest.approx(exactly(known, percent), abs=1.5 * found.within + 1e-9)
    assert found.within < 0.02
    if percent:
        assert found.wins < 0.5 - found.within


def test_an_opponent_that_errs_plays_the_best_move_and_any_other(app: Application) -> None:
    asked = "/api/view?position=5,8/3,6/0-0/L&roll=2&agents=mistakes:20"
    moves = get(app, asked)["rolls"][0]["moves"]
    shares = [Fraction(move["plays"]["mistakes:20"]) for move in moves]
    assert len(moves) > 1
    assert shares[1:] == [Fraction(1, 5 * len(moves))] * (len(moves) - 1)
    assert sum(shares) == 1
    new = {"rules": "finkel", "pieces": 2, "seed": 1}
    game = post(app, "/api/game", {"new": new, "do": [{"answer": "mistakes:40"}]})
    assert len(game.data["rows"]) == 1
    assert post(app, "/api/game", {"new": new, "do": [{"answer": "mistakes:3"}]}).status >= 400
    unsolved = post(
        application(Explorer()), "/api/game", {"new": {"seed": 1}, "do": [{"answer": "mistakes:5"}]}
    )
    assert "not known" in unsolved.error


def test_an_erring_opponent_draws_its_moves_by_their_shares(known: SolvedGame) -> None:
    game = urcx.Game(known.rules, "2/-/0-0/L")
    roll = next(r for r in known.rules.dice.rolls if len(game.legal_moves(r)) == 2)
    one = erring(known, 50)
    rng = np.random.default_rng(1)
    best = known.best_moves(game.position, roll)[0].move
    played = [one.choose(game, roll, rng) == best for _ in range(400)]
    assert 0.68 < np.mean(played) < 0.82


def test_strengths_are_those_of_data_cards_and_grow() -> None:
    cards = tomllib.loads((SHIPPED / "cards.toml").read_text(encoding="utf-8"))
    for name, card in cards.items():
        rules, _, pieces = name.partition("-")
        known = opponents(urcx.ruleset(rules, pieces=int(pieces) if pieces else None))
        assert known["learned"].wins == card["wins"]
        assert list(known)[-1] == "optimal"
    finkel = opponents(urcx.ruleset("finkel"))
    assert opponents(urcx.ruleset("finkel", pieces=6)) == {}
    assert [one.wins for one in finkel.values()] == sorted(one.wins for one in finkel.values())
    rows = get(application(Explorer()), "/api/catalogue")["opponents"]
    assert {one["agent"] for one in rows if one["rules"] == "finkel"} == {*finkel}
