"""The limits of requests: their sizes, times and numbers."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from fuzzing import time_limit
from requests_in_place import FAR, ask, post
from starlette.types import ASGIApp

from urcx.agents.kinds import KINDS
from urcx.explore import app as web
from urcx.explore import games, players
from urcx.explore.app import (
    LARGEST_HEADERS,
    MOST_HEADERS,
    MOST_QUERY,
    MOST_WAITING,
    WorkerPool,
    application,
)
from urcx.explore.explorer import Explorer
from urcx.explore.schema import MOST_BODY, RefusedError, Request

CHECK = "/api/check"


@pytest.fixture(scope="module")
def app() -> ASGIApp:
    return application(Explorer())


# Sizes.


def test_requests_that_are_too_large_are_refused(app: ASGIApp) -> None:
    assert ask(app, f"{CHECK}?position={'1' * MOST_QUERY}").status == 414
    assert ask(app, "/" + "a" * 300).status == 414
    found = post(app, "/api/review", {"text": "x" * MOST_BODY})
    assert found.status == 413
    assert "262,144 bytes" in found.error
    for headers in ({"x": "a" * LARGEST_HEADERS}, {f"x{n}": "" for n in range(MOST_HEADERS)}):
        found = ask(app, CHECK, headers=headers)
        assert (found.status, found.error) == (431, "the headers have more than 16,384 bytes")


BROKEN_BODIES = [
    (b"", "not JSON"),
    (b"[]", "a JSON object"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"new": {"seed": ' + b"9" * 5000 + b"}}", "more than 18 digits"),
    (b'{"new": {"seed": 1e3}}', "must be an integer"),
    (b'{"new": {"seed": true}}', "must be an integer"),
    (b'{"new": {}, "new": {}}', "'new'"),
    (b'{"new": {"light": "a\\nb"}}', "printable characters"),
    (b'{"new": {"light": 7}}', "must be a string"),
    (b'{"new": {"pieces": 61}}', "from 1 to 60"),
    (b'{"new": {"date": "yesterday"}}', "date 'yesterday'"),
    (b'{"new": []}', "must be an object"),
    (b'{"new": {"file": 1}}', "unknown parameter 'file'"),
    (b'{"new": {}, "text": ""}', "one of the two"),
    (b'{"new": null}', "one of the two"),
    (b'{"new": {}, "file": "/etc/passwd"}', "unknown parameter 'file'"),
    (b'{"new": {}, "do": {}}', "must be a list"),
    (b'{"new": {}, "do": [1]}', "do, entry 1: must be an object"),
    (b'{"new": {}, "do": [{"jump": 1}]}', "one of throw, play"),
    (b'{"new": {}, "do": [{"throw": 1}, {"throw": 1}]}', "has not been played"),
    (b'{"new": {}, "do": [{"throw": 9}]}', "9"),
    (b'{"new": {}, "do": [{"play": 1}]}', "a move such as A4-B1"),
    (b'{"new": {}, "do": [{"play": "../.."}]}', "not a move"),
    (b'{"new": {}, "do": [{"pass": 1}]}', "must be true"),
    (b'{"new": {}, "do": [{"answer": 1}]}', "the name of an agent"),
    (b'{"new": {}, "do": [{"answer": "net:/etc/passwd"}]}', "agent 'net:/etc/passwd'"),
    (b'{"new": {}, "do": [{"undo": 1}]}', "plies 1"),
    (b'{"new": {}, "do": [{"redo": 1}]}', "plies 1"),
    (b'{"new": {}, "do": [' + b"1," * 100 + b"1]}", "100 entries"),
    (b'{"new": {}, "undone": ["1"]}', "plies such as"),
    (b'{"new": {}, "undone": ["4:0-2"]}', "not a move for the roll"),
    (b'{"text": 1}', "must be a string"),
    (b'{"text": ""}', "the text is empty"),
    (b'{"text": "urcx game 1\\nrules: /etc/passwd"}', "unknown rule set"),
    (b'{"text": "urcx game 1\\npieces: 61"}', "at most 60 pieces"),
]
BROKEN_QUERIES = [
    ("view?pieces", "cannot be read"),
    ("view?rules=%ff", "cannot be read"),
    ("view?" + "&".join(f"a{k}=1" for k in range(30)), "cannot be read"),
    ("view?rules=finkel&rules=kwan", "'rules'"),
    ("view?rules=finkl", "did you mean finkel?"),
    ("view?rules=../../etc/passwd", "unknown rule set"),
    ("view?pieces=0", "from 1 to 60"),
    ("view?pieces=" + "9" * 30, "must be an integer"),
    ("view?position=" + "1," * 300, "400 characters"),
    ("view?position=-/-/7-7/L", "both players"),
    ("view?roll=7", "7"),
    ("view?agents=" + ",".join("abcdefg"), "6 names"),
    ("view?agents=winner", "unknown agent"),
    ("view?agents=expectimax:9", "at most 3"),
    ("view?agents=optimal:finkel.urcx", "agent 'optimal:finkel.urcx'"),
    ("view?agents=net:x.npz", "agent 'net:x.npz'"),
    ("view?agents=net", "agent 'net'"),
    ("view?agents=x.py:y", "agent 'x.py:y'"),
    ("view?agents=" + "a" * 100, "80 characters"),
    ("counts?pieces=1..31", "at most 30 numbers"),
    ("counts?pieces=1..61", "from 1 to 60"),
    ("counts?pieces=3..2", "ascending"),
    ("counts?pieces=x", "a range"),
    ("counts?path=kwan", "kwan is a rule set"),
    ("board?path=bell&rules=finkel", "one of the two"),
    ("board?path=nothing", "unknown path"),
    ("drawing.svg?ways=up", "light, dark"),
    ("catalogue?x=1", "known: none"),
]
NOT_THERE = re.compile("did you mean|unknown (rule set|agent|path)|is a rule set")


@pytest.mark.parametrize(("data", "words"), BROKEN_BODIES)
def test_broken_bodies_are_one_line(app: ASGIApp, data: bytes, words: str) -> None:
    headers = {"content-type": "application/json; charset=utf-8"}
    found = ask(app, "/api/game", method="POST", body=data, headers=headers)
    assert found.status == 400
    assert words in found.error


@pytest.mark.parametrize(("target", "words"), BROKEN_QUERIES)
def test_broken_queries_are_one_line(app: ASGIApp, target: str, words: str) -> None:
    found = ask(app, f"/api/{target}")
    assert words in found.error
    assert found.status == (404 if NOT_THERE.search(found.error) else 400)


def test_games_have_a_greatest_length(app: ASGIApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MOST_PLIES", 3)
    ply = "urcx game 1\npieces: 1\n1. light 0:pass\n2. dark 0:pass\n3. light 0:pass\n"
    assert post(app, "/api/game", {"text": ply}).status == 200
    for longer in (
        {"text": f"{ply}4. dark 0:pass\n"},
        {"text": ply, "do": [{"throw": 0}, {"pass": True}]},
        {"text": "(1) " + "r0\t" * 1000},
    ):
        found = post(app, "/api/game", longer)
        assert (found.status, "at most 3 plies" in found.error) == (400, True)


def test_a_body_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "SLOWEST_BODY", 0.01)
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/api/game", "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }  # fmt: skip
    asyncio.run(application(Explorer())(scope, receive, send))
    assert sent[0]["status"] == 408


# Work at a time.


def test_questions_that_take_too_long_are_not_waited_for() -> None:
    done = threading.Event()
    pool = WorkerPool(Explorer(), 0.05)
    with pytest.raises(RefusedError, match=r"more than 0\.05 seconds") as refused:
        asyncio.run(pool.answered(lambda *_: done.wait(30), Request))
    assert refused.value.status == 503
    done.set()


def test_no_more_questions_wait_than_are_meant_to() -> None:
    done = threading.Event()
    pool = WorkerPool(Explorer(), 30.0)

    def asking() -> Any:
        return pool.answered(lambda *_: done.wait(30), Request)

    async def several() -> list[Any]:
        waiting = [asyncio.ensure_future(asking()) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="too many requests") as refused:
            await asking()
        assert refused.value.status == 429
        done.set()
        return await asyncio.gather(*waiting)

    assert asyncio.run(several()) == [True] * MOST_WAITING
    assert pool._waiting == 0


def test_agents_that_take_too_long_are_not_asked(app: ASGIApp) -> None:
    assert set(players.DEEPEST) == set(KINDS) - {"net", "engine", "priority"}
    many = " ".join(f"{k}=1/20" for k in range(1, 21))
    text = (
        "urcx game 1\nrules: many\npieces: 1\nlight-path: A1 B1 B2\ndark-path: C1 B1 B2\n"
        f"rosettes: none\nrolls: {many}\nflags: none\n"
    )
    found = post(app, "/api/game", {"text": text, "agents": ["expectimax", "first"]})
    states = {agent["name"]: agent["state"] for agent in found.data["view"]["agents"]}
    assert states["expectimax"] == "refused"
    assert states["first"] in ("preparing", "ready")


@pytest.mark.jit
def test_agents_that_look_too_far_are_refused_where_they_would(app: ASGIApp) -> None:
    asked = {"text": FAR + "start: 2,4,6,8,13,15/1,3,5,7,14,16/0-0/L\n"}
    with time_limit(120):  # compiling included
        played = post(app, "/api/game", {**asked, "do": [{"answer": "panda:7"}] * 100})
        assert "smaller depth" in played.error or "ask for less" in played.error
        states = {"": "preparing"}
        while "preparing" in states.values():
            found = post(app, "/api/game", {**asked, "agents": ["panda:7", "first"]})
            states = {agent["name"]: agent["state"] for agent in found.data["view"]["agents"]}
    assert states == {"panda:7": "refused", "first": "ready"}


def test_an_answer_that_takes_too_long_is_given_up(
    app: ASGIApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "LONGEST", -1.0)
    for actions in ([], [{"throw": None}]):
        found = post(app, "/api/game", {"new": {}, "do": actions})
        assert (found.status, "takes too long" in found.error) == (503, True)


def test_questions_are_not_begun_when_nobody_waits_any_longer() -> None:
    done = threading.Event()
    begun: list[int] = []
    pool = WorkerPool(Explorer(), 30.0)

    def wait(number: int, *_: object) -> None:
        begun.append(number)
        done.wait(30)

    def asked(number: int) -> asyncio.Task[None]:
        return asyncio.create_task(pool.answered(partial(wait, number), Request))

    def until(condition: Callable[[], bool]) -> None:  # while the loop waits, as if it were late
        end = time.monotonic() + 10
        while not condition() and time.monotonic() < end:
            time.sleep(0.01)

    async def all_given_up() -> None:
        at_work = [asked(number) for number in range(2)]
        await asyncio.sleep(0)
        until(lambda: len(begun) == 2)
        pool.patience = 0.05
        with pytest.raises(RefusedError, match="takes more than"):
            await asked(2)
        late = asked(3)
        await asyncio.sleep(0)
        given_up = time.monotonic() + 0.1
        until(lambda: time.monotonic() > given_up)
        done.set()  # a thread is free before the loop gives up
        until(pool._threads._waiting.empty)
        until(lambda: time.monotonic() > given_up + 0.2)
        with pytest.raises(RefusedError, match="takes more than"):
            await late
        await asyncio.gather(*at_work)

    asyncio.run(all_given_up())
    assert sorted(begun) == [0, 1]
