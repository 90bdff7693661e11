"""docs/explore-api.rst names every endpoint, every parameter and every field of every answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from requests_in_place import ask, post

from urcx.enumerate.state_space import StateSpace
from urcx.explore.app import GET, MOST_QUERY, PATIENCE, POST, application
from urcx.explore.explorer import Explorer
from urcx.explore.schema import MOST_AGENTS, MOST_BODY
from urcx.played.game_review import Review
from urcx.played.record import PlayedGame
from urcx.results.fields import fields_of
from urcx.solving.probing import MOVES, POSITION

PAGE = Path(__file__).parents[2].joinpath("docs", "explore-api.rst").read_text(encoding="utf-8")
PART = r"^``((?:GET|POST) /api/\S+)``\n\^+\n(.*?)(?=^``(?:GET|POST) /|^\S[^\n]*\n-{3,}$)"
PARTS = dict(re.findall(PART, PAGE, re.MULTILINE | re.DOTALL))
# Keys that are names of something: of forms, conventions, agents.
NAMED = ("forms", "out_of_domain", "conventions", "states", "exactness", "sources", "plays")
QUESTIONS = {
    "catalogue": "",
    "board": "rules=finkel",
    "position": "pieces=2",
    "view": "agents=greedy",
    "check": "",
    "values": "",
    "counts": "path=murray&pieces=2",
}


@pytest.fixture(scope="module")
def explorer() -> Explorer:
    found = Explorer()
    found.solve_now(found.ruleset("finkel", 2))
    return found


def keys(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield key
            if key not in NAMED:
                yield from keys(value)
    elif isinstance(data, list):
        for value in data:
            yield from keys(value)


def elsewhere(*parts: Any) -> set[str]:
    """Return the fields that docs/formats.rst lists for a command."""
    return {key for part in parts for field in part for key in field.keys} | {"rows", "sides"}


def missing(name: str, data: Any, known: set[str]) -> set[str]:
    words = re.findall(r"``([^`]+)``", PARTS[name] + PARTS["GET /api/values"])
    described = {part for word in words for part in re.split(r"[.\[\]]+", word)}
    return set(keys(data)) - described - known - {"schema", "version"}


def test_every_endpoint_is_described() -> None:
    known = {f"GET /api/{name}" for name in GET} | {f"POST /api/{name}" for name in POST}
    assert set(PARTS) == known
    assert {*QUESTIONS, "drawing.svg"} == {*GET}


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_member_of_an_answer_is_described(explorer: Explorer, name: str) -> None:
    data = ask(application(explorer), f"/api/{name}?{QUESTIONS[name]}").data
    assert data["schema"] in PAGE
    known = elsewhere(POSITION, MOVES) if name == "position" else set()
    if name in ("counts", "board"):
        known = elsewhere(fields_of(StateSpace))
    assert missing(f"GET /api/{name}", data, known) == set()


def test_every_member_of_a_game_is_described(explorer: Explorer) -> None:
    app = application(explorer)
    asked = {"new": {"seed": 1, "pieces": 2}, "do": [{"throw": 1}, {"play": "0-1"}]}
    game = post(app, "/api/game", asked).data
    review = post(app, "/api/review", {"text": game["notation"], "svg": True}).data
    view = set(keys(game.pop("view")))
    both = elsewhere(*PlayedGame.members().values(), *Review.members().values())
    assert missing("POST /api/game", game, both) == set()
    assert missing("GET /api/view", dict.fromkeys(view), set()) == set()
    assert missing("POST /api/review", review, both) == set()
    many = post(app, "/api/positions", {"pieces": 2, "positions": ["-/-/0-0/L"]}).data
    assert missing("POST /api/positions", many, elsewhere(POSITION, MOVES)) == set()


@pytest.mark.parametrize("name", GET)
def test_every_parameter_is_described(explorer: Explorer, name: str) -> None:
    told = ask(application(explorer), f"/api/{name}?nothing=1").error
    names = told.partition("known: ")[2].split(", ")
    general = {"none", "rules", "pieces", "position", "roll", "agents"}
    for one in set(names) - general:
        assert f"``{one}``" in PARTS[f"GET /api/{name}"], one
    for one in set(names) & general - {"none"}:
        assert f"``{one}``" in PAGE


def test_the_bounds_are_those_that_hold() -> None:
    assert (MOST_QUERY, MOST_BODY) == (4 * 1024, 256 * 1024)
    limits = dict(re.findall(r"^ *([a-z ]+?)  +(\S.*)$", PAGE, re.MULTILINE))
    assert limits["query"].startswith("4 kB,")
    assert limits["body"] == "256 kB"
    assert limits["time for an answer"].startswith(f"{PATIENCE:.0f} seconds;")
    assert "up to six agents" in PAGE
    assert MOST_AGENTS == 6
