"""Every request gets an answer or a line with a status below 500, in time."""

from __future__ import annotations

import json
from functools import cache
from typing import Any
from urllib.parse import quote

import fuzzing
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from own_rules import SHORT
from requests_in_place import ask
from starlette.types import ASGIApp

import urcx
from urcx.explore.app import GET, POST, application
from urcx.explore.explorer import Explorer
from urcx.rules import catalogue

ORDINARY = settings(
    max_examples=150, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
MANY = settings(ORDINARY, max_examples=700, derandomize=False)
MOST_SECONDS = 60  # that an answer may take, compiling included

GAME = urcx.PlayedGame(urcx.Game("finkel", pieces=1), seed=3).throw(2).play("0-2").to_text()
USUAL: dict[str, list[Any]] = {
    "rules": ["finkel", "murray", "masters", "bell"],
    "path": ["bell", "murray", "aseb"],
    "pieces": [1, 2, 60, "1..3", "1..30"],
    "position": ["-/-/0-0/L", "1/2/0-0/D", "2/-/0-0/L"],
    "roll": [0, 1, 4],
    "agents": ["greedy", "random,first", ["greedy"]],
    "ways": ["light", "light,dark"],
    "text": [GAME, "(1) r2.5a3\n", "Light: Roll 2\n"],
    "new": [{}, {"pieces": 1, "seed": 1}, {"position": "1/2/0-0/D"}],
    "do": [[{"throw": None}], [{"throw": 1}, {"play": "0-1"}, {"undo": 1}, {"redo": 1}], [{}]],
    "undone": [[], ["2:0-2"], ["0:pass", "1:0-1"]],
    "svg": [True, "1", 0],
}
ODD: list[Any] = [
    *(None, True, -1, 10**20, 0.5, "", "/etc/passwd", [[]], {"a": {}}, "\x00", "\x1b[31m"),
    "é" * 99,
]


@cache
def app() -> ASGIApp:
    return application(Explorer(solves=False))  # no request starts to solve all of finkel


def sent(target: str, body: bytes | None = None) -> None:
    """Send a GET or POST request, and check the form of its answer."""
    headers = {"content-type": "application/json"}
    with fuzzing.time_limit(MOST_SECONDS):
        found = ask(app(), target, method="POST" if body else "GET", body=body, headers=headers)
    assert found.status < 500, (target, found.body)
    if found.headers["content-type"] == "application/json":
        text = found.body.decode()
        assert text.count("\n") == 1
        assert not fuzzing.control_characters(text)
        assert found.status < 400 or len(found.error) < 2000
        assert "root:" not in text


def sent_json(name: str, data: dict[str, Any]) -> None:
    sent(f"/api/{name}", json.dumps(data).encode())


@st.composite
def members(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from([*USUAL, "x"]), max_size=5, unique=True))
    odd = st.sampled_from(ODD)
    usual = {name: st.sampled_from(USUAL.get(name, ODD)) for name in names}
    return {name: draw(st.one_of(*[usual[name]] * 3, odd)) for name in names}


@st.composite
def questions(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from([*GET]))
    pairs = [f"{key}={quote(str(value), safe=',/')}" for key, value in draw(members()).items()]
    noise = draw(st.sampled_from(["", "", "", "&", "%", "=", "%00", "+", "a" * 5000]))
    return f"/api/{name}?{'&'.join(pairs)}{noise}"


@st.composite
def bodies(draw: st.DrawFn) -> tuple[str, bytes]:
    text = json.dumps(draw(members())).encode()
    if not draw(st.integers(0, 3)):
        k = draw(st.integers(0, len(text) - 1))
        text = text[:k] + draw(st.binary(max_size=2)) + text[k + 1 :]
    return f"/api/{draw(st.sampled_from([*POST]))}", text


@ORDINARY
@given(target=questions(), request=bodies())
def test_random_requests(target: str, request: tuple[str, bytes]) -> None:
    sent(target)
    sent(*request)


@pytest.mark.slow
@MANY
@given(target=questions(), request=bodies())
def test_many_random_requests(target: str, request: tuple[str, bytes]) -> None:
    sent(target)
    sent(*request)


@pytest.mark.parametrize("name", sorted(POST))
@pytest.mark.parametrize("key", sorted(USUAL))
def test_odd_values_of_each_name(name: str, key: str) -> None:
    others: tuple[dict[str, Any], ...] = ({}, {"text": GAME}, {"new": {}})
    for value in ODD:
        for other in others:
            sent_json(name, {**other, key: value})


@pytest.mark.parametrize("name", sorted({*GET, *POST}))
def test_no_file_that_a_request_names_is_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    monkeypatch.setattr(catalogue, "read_catalogue_file", read.append)
    own = f"{SHORT}:strip"
    game = GAME.replace("rules: finkel", f"rules: {own}")
    assert game != GAME
    for key in ("rules", "path"):
        sent(f"/api/{name}?{key}={quote(own)}")
    for data in ({"rules": own}, {"path": own}, {"text": game}, {"new": {"rules": own}}):
        sent_json(name, data)
    assert not read


@settings(ORDINARY, max_examples=40)
@given(text=fuzzing.mutated(GAME), position=fuzzing.positions())
def test_mutated_games_and_positions(text: str, position: str) -> None:
    for name in ("game", "review"):
        sent_json(name, {"text": text})
    for name in ("check", "view", "drawing.svg"):
        sent(f"/api/{name}?position={quote(position)}")
