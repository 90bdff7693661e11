"""Opponents of measured strength: their moves, and their win rates against optimal play."""

from __future__ import annotations

import time
import tomllib
from fractions import Fraction

from requests_in_place import ask, get, post
from starlette.types import ASGIApp

import urcx
from urcx.agents.networks import SHIPPED
from urcx.explore.app import application
from urcx.explore.boards import opponents
from urcx.explore.explorer import Explorer

pytest_plugins = ["explorer_fixtures"]


def test_an_opponent_that_errs_plays_the_best_move_and_any_other(app: ASGIApp) -> None:
    asked = "/api/view?position=5,8/3,6/0-0/L&roll=2&agents=mistakes:20"
    moves = get(app, asked)["rolls"][0]["moves"]
    shares = [Fraction(move["plays"]["mistakes:20"]) for move in moves]
    assert len(moves) > 1
    assert shares[1:] == [Fraction(1, 5 * len(moves))] * (len(moves) - 1)
    assert sum(shares) == 1
    new = {"rules": "finkel", "pieces": 2, "seed": 1}
    game = post(app, "/api/game", {"new": new, "do": [{"answer": "mistakes:40"}]})
    assert len(game.data["rows"]) == 1
    unsolved = post(
        application(Explorer()), "/api/game", {"new": {"seed": 1}, "do": [{"answer": "mistakes:5"}]}
    )
    assert "not known" in unsolved.error


def test_who_errs_plays_by_what_is_known_as_by_a_file(app: ASGIApp) -> None:
    place = "/api/view?position=5,8/3,6/0-0/L&roll=2&agents="
    names = ("mistakes:25", "mistakes:25:greedy", "mistakes:0")
    for _ in range(600):  # one has to be prepared
        view = get(app, place + ",".join(names))
        if all(one["state"] == "ready" for one in view["agents"]):
            break
        time.sleep(0.1)
    (rolled,) = view["rolls"]
    best = rolled["moves"][0]
    assert Fraction(best["plays"]["mistakes:25"]) == Fraction(3, 4) + Fraction(
        1, 4 * len(rolled["moves"])
    )
    assert best["plays"]["mistakes:0"] == "1"
    assert sum(Fraction(one["plays"]["mistakes:25:greedy"]) for one in rolled["moves"]) == 1
    for wrong in ("mistakes:101", "mistakes:5:net", "mistakes:5:panda:9", "mistakes:5:random:5"):
        assert ask(app, place + wrong).status == 400


def test_strengths_are_those_of_data_cards_and_grow() -> None:
    cards = tomllib.loads((SHIPPED / "cards.toml").read_text(encoding="utf-8"))
    for name, card in cards.items():
        rules, _, pieces = name.partition("-")
        known = opponents(urcx.ruleset(rules, pieces=int(pieces) if pieces else None))
        assert known["learned"]["wins"] == card["wins"]
        assert list(known)[-1] == "optimal"
    finkel = opponents(urcx.ruleset("finkel"))
    assert opponents(urcx.ruleset("finkel", pieces=6)) == {}
    assert [one["wins"] for one in finkel.values()] == sorted(
        one["wins"] for one in finkel.values()
    )
    rows = get(application(Explorer()), "/api/catalogue")["opponents"]
    assert {one["agent"] for one in rows if one["rules"] == "finkel"} == {*finkel}
