"""Hosts, origins, sizes, rates and times: who is answered, and how much is asked at a time."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest
from requests_in_place import HOST, ask, post

from urcx.agents.agents import KINDS
from urcx.errors import UsageError
from urcx.explore import app as web
from urcx.explore import games, players
from urcx.explore.app import MOST_WAITING, Desk, application, static_files
from urcx.explore.explorer import Explorer
from urcx.explore.parameters import MOST_BODY, MOST_QUERY, Parameters, RefusedError
from urcx.explore.security import (
    BURST,
    LARGEST_HEADERS,
    MOST_ADDRESSES,
    MOST_HEADERS,
    RATE,
    Application,
    Rates,
    checked_origin,
    host_is_ours,
)

CHECK = "/api/check"
FOREIGN = "http://evil.example"


@pytest.fixture(scope="module")
def app() -> Application:
    return application(Explorer())


# Hosts and origins.


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]:8000", "127.9.9.9"]
)
def test_hosts_of_this_machine_are_answered(app: Application, host: str) -> None:
    assert ask(app, CHECK, headers={"host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "[::2]",
        "",
        "localhost:x",
        "a b",
        "\xe9",
    ],
)
def test_other_hosts_are_not(app: Application, host: str) -> None:
    for target in ("/", CHECK, "/static/index.html"):
        found = ask(app, target, headers={"host": host})
        assert found.status == 403
        assert "not asked as the host" in found.error


def test_an_address_in_digits_is_ours_where_all_are() -> None:
    assert host_is_ours("10.0.0.1:80", frozenset({"*"}))
    assert not host_is_ours("evil.example", frozenset({"*"}))
    assert host_is_ours("my.host", frozenset({"my.host"}))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": FOREIGN},
        {"origin": "null"},
        {"origin": "http://localhost:9000"},
        {"origin": "http://["},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_pages_of_other_origins_get_no_answer(app: Application, headers: dict[str, str]) -> None:
    found = ask(app, CHECK, headers=headers)
    assert found.status == 403
    assert "other origins" in found.error
    assert "access-control-allow-origin" not in found.headers
    assert ask(app, "/", headers=headers).status == 200  # a link may lead here
    sent = post(app, "/api/game", {"new": {}}, **headers)
    assert sent.status == 403


def test_an_origin_that_is_allowed_is_answered() -> None:
    app = application(Explorer(), origins=["http://localhost:8888"])
    headers = {"origin": "http://localhost:8888", "sec-fetch-site": "same-site"}
    found = ask(app, CHECK, headers=headers)
    assert found.status == 200
    assert found.headers["access-control-allow-origin"] == "http://localhost:8888"
    assert found.headers["vary"] == "Origin"
    assert found.headers["cross-origin-resource-policy"] == "cross-origin"
    before = ask(app, "/api/game", method="OPTIONS", headers=headers)
    assert before.status == 204
    assert before.headers["access-control-allow-headers"] == "content-type"
    assert ask(app, CHECK, headers={"origin": FOREIGN}).status == 403
    assert ask(app, "/api/game", method="OPTIONS", headers={"origin": FOREIGN}).status == 403
    own = ask(app, CHECK, headers={"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"})
    assert own.status == 200
    assert "access-control-allow-origin" not in own.headers


def test_origins_are_checked_beforehand() -> None:
    assert checked_origin("https://My.Host:8888") == "https://my.host:8888"
    for text in ("*", "null", "localhost", "http://a/b", "http://a b", ""):
        with pytest.raises(UsageError, match="write an origin"):
            checked_origin(text)


def test_every_answer_has_the_headers_that_protect(app: Application) -> None:
    for found in (
        ask(app, "/"),
        ask(app, CHECK),
        ask(app, "/nothing"),
        ask(app, "/", headers={"host": "evil.example"}),
    ):
        policy = found.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert found.headers["x-content-type-options"] == "nosniff"
        assert found.headers["cross-origin-resource-policy"] == "same-origin"


# What is served.


def test_files_are_those_of_the_page_and_no_others(app: Application) -> None:
    files = static_files()
    directory = resources.files("urcx.explore").joinpath("static")
    assert "index.html" in files
    for name, data in files.items():
        found = ask(app, f"/static/{name}")
        assert (found.status, found.body) == (200, data)
        assert data == directory.joinpath(name).read_bytes()
    assert ask(app, "/").body == files["index.html"]
    for target in (
        "/static/", "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py",
        "/static//etc/passwd", "/etc/passwd", "/static/index.html/", "/static/INDEX.HTML", "//",
        "/api", "/api/", "/api/../", "/api/position/", "/static/index.html%00.js",
    ):  # fmt: skip
        found = ask(app, target)
        assert found.status == 404, target
        assert found.error == "there is nothing here"


def test_only_known_kinds_of_files_are_served(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "static"
    (directory / "inside.js").mkdir(parents=True)
    for name in ("index.html", "a.js", "b.py", ".hidden", "c"):
        (directory / name).write_bytes(name.encode())
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    assert static_files() == {"index.html": b"index.html", "a.js": b"a.js"}


def test_methods_and_types_are_those_of_the_documentation(app: Application) -> None:
    for target, method in (("/", "POST"), (CHECK, "POST"), ("/api/game", "GET"), ("/", "TRACE")):
        found = ask(app, target, method=method)
        assert found.status == 405
        assert found.error == f"{method} is not answered here"
    data = b'{"new": {}}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        found = ask(app, "/api/game", method="POST", body=data, headers={"content-type": kind})
        assert found.status == 415
        assert "application/json" in found.error
    both = ask(
        app, "/api/game?x=1", method="POST", body=data, headers={"content-type": "application/json"}
    )
    assert both.status == 400


def test_anything_but_http_is_closed(app: Application) -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(app({"type": "websocket", "path": "/"}, receive, send))  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close", "code": 1008}]
    asyncio.run(app({"type": "lifespan"}, receive, send))  # type: ignore[arg-type]
    assert len(sent) == 1


# Sizes.


def test_what_is_too_large_is_refused(app: Application) -> None:
    assert ask(app, f"{CHECK}?position={'1' * MOST_QUERY}").status == 414
    assert ask(app, "/" + "a" * 300).status == 414
    large = json.dumps({"text": "x" * MOST_BODY})
    found = ask(
        app,
        "/api/review",
        method="POST",
        body=large.encode(),
        headers={"content-type": "application/json"},
    )
    assert found.status == 413
    assert "262,144 bytes" in found.error
    for headers in ({"x": "a" * LARGEST_HEADERS}, {f"x{n}": "" for n in range(MOST_HEADERS)}):
        found = ask(app, CHECK, headers=headers)
        assert (found.status, found.error) == (431, "the headers have more than 16,384 bytes")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no JSON"),
        (b"[]", "no JSON object"),
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"new": {"seed": ' + b"9" * 5000 + b"}}", "more than 18 digits"),
        (b'{"new": {"seed": NaN}}', "NaN"),
        (b'{"new": {"seed": 1e3}}', "a whole number is wanted"),
        (b'{"new": {"seed": true}}', "a whole number is wanted"),
        (b'{"new": {"seed": -1}}', "from 0"),
        (b'{"new": {}, "new": {}}', "'new' is there twice"),
        (b'{"new": {"light": "\\ud800"}}', "no JSON"),
        (b'{"new": {"light": "a\\nb"}}', "characters that can be printed"),
        (b'{"new": {"light": 7}}', "a text is wanted"),
        (b'{"new": {"pieces": 61}}', "from 1 to 60"),
        (b'{"new": {"date": "yesterday"}}', "is not a date"),
        (b'{"new": []}', "an object is wanted"),
        (b'{"new": {}, "text": ""}', "one of the two"),
        (b"{}", "one of the two"),
        (b'{"new": {}, "file": "/etc/passwd"}', "unknown parameter 'file'"),
        (b'{"new": {}, "do": {}}', "a list is wanted"),
        (b'{"new": {}, "do": [1]}', "do, entry 1: an object is wanted"),
        (b'{"new": {}, "do": [{}]}', "one of throw, play"),
        (b'{"new": {}, "do": [{"jump": 1}]}', "one of throw, play"),
        (b'{"new": {}, "do": [{"throw": 1}, {"throw": 1}]}', "still to be played"),
        (b'{"new": {}, "do": [{"throw": 9}]}', "9"),
        (b'{"new": {}, "do": [{"play": 1}]}', "a move's steps"),
        (b'{"new": {}, "do": [{"play": "../.."}]}', "not a move"),
        (b'{"new": {}, "do": [{"pass": 1}]}', "true is wanted"),
        (b'{"new": {}, "do": [{"answer": 1}]}', "an agent's name"),
        (b'{"new": {}, "do": [{"answer": "net:/etc/passwd"}]}', "there is no agent"),
        (b'{"new": {}, "do": [{"undo": 1}]}', "plies to take back"),
        (b'{"new": {}, "do": [{"redo": 1}]}', "no ply to play again"),
        (b'{"new": {}, "undone": ["1"]}', "plies such as"),
        (b'{"new": {}, "undone": ["4:0-2"]}', "no move by the roll"),
        (b'{"text": 1}', "a text is wanted"),
        (b'{"text": ""}', "the text is empty"),
        (b'{"text": "urcx game 1\\nrules: /etc/passwd"}', "unknown rule set"),
        (b'{"text": "urcx game 1\\npieces: 61"}', "at most 60 pieces"),
    ],
)
def test_broken_bodies_are_one_line(app: Application, data: bytes, words: str) -> None:
    headers = {"content-type": "application/json; charset=utf-8"}
    found = ask(app, "/api/game", method="POST", body=data, headers=headers)
    assert found.status == 400
    assert words in found.error


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ("pieces", 400, "cannot be read"),
        ("rules=%ff", 400, "cannot be read"),
        ("&".join(f"a{k}=1" for k in range(30)), 400, "cannot be read"),
        ("rules=finkel&rules=kwan", 400, "'rules' is there twice"),
        ("rules=finkl", 404, "did you mean finkel?"),
        ("rules=../../etc/passwd", 404, "unknown rule set"),
        ("pieces=0", 400, "from 1 to 60"),
        ("pieces=1e9", 400, "a whole number"),
        ("pieces=" + "9" * 30, 400, "a whole number"),
        ("position=" + "1," * 300, 400, "more than 400 characters"),
        ("position=-/-/3-3/L", 400, "both players"),
        ("roll=7", 400, "7"),
        ("roll=-1", 400, "from 0"),
        ("agents=" + ",".join("abcdefg"), 400, "more than 6 names"),
        ("agents=winner", 404, "unknown agent"),
        ("agents=expectimax:9", 400, "at most depth 3"),
        ("agents=optimal:first", 400, "no options"),
        ("agents=optimal:finkel.urcx", 400, "there is no agent"),
        ("agents=net:x.npz", 400, "there is no agent"),
        ("agents=net", 400, "there is no agent"),
        ("agents=x.py:y", 400, "there is no agent"),
        ("agents=" + "a" * 100, 400, "more than 80 characters"),
    ],
)
def test_broken_queries_are_one_line(app: Application, query: str, status: int, words: str) -> None:
    found = ask(app, f"/api/view?{query}")
    assert words in found.error
    assert found.status == status


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/api/counts?pieces=1..31", "at most 30 numbers"),
        ("/api/counts?pieces=1..61", "from 1 to 60"),
        ("/api/counts?pieces=3..2", "ascending"),
        ("/api/counts?pieces=x", "write a range"),
        ("/api/counts?path=kwan", "kwan is a rule set"),
        ("/api/board?path=bell&rules=finkel", "one of the two"),
        ("/api/board?path=nothing", "unknown path"),
        ("/api/drawing.svg?ways=up", "light, dark"),
        ("/api/catalogue?x=1", "known: none"),
    ],
)
def test_other_questions_have_bounds_too(app: Application, target: str, words: str) -> None:
    found = ask(app, target)
    assert words in found.error
    assert found.status in (400, 404)


def test_games_have_a_greatest_length(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MOST_PLIES", 3)
    ply = "urcx game 1\npieces: 1\n1. light 0:pass\n2. dark 0:pass\n3. light 0:pass\n"
    assert post(app, "/api/game", {"text": ply}).status == 200
    longer = post(app, "/api/game", {"text": f"{ply}4. dark 0:pass\n"})
    assert (longer.status, "at most 3 plies" in longer.error) == (400, True)
    done = post(app, "/api/game", {"text": ply, "do": [{"throw": 0}, {"pass": True}]})
    assert (done.status, "at most 3 plies" in done.error) == (400, True)
    much = post(app, "/api/game", {"text": "1:" * 1000})
    assert "at most 3 plies" in much.error
    many = post(app, "/api/game", {"new": {}, "do": [{"throw": None}] * 101})
    assert "more than 100 entries" in many.error


def test_a_body_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "SLOWEST_BODY", 0.05)
    app = application(Explorer())
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http", "method": "POST", "path": "/api/game", "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 408


# Rates, and work at a time.


def test_rates_are_bounded_by_address() -> None:
    now = 0.0
    rates = Rates(lambda: now)
    assert [rates.allows("a") for _ in range(BURST + 1)] == [True] * BURST + [False]
    assert rates.allows("b")
    now = 1.0
    assert [rates.allows("a") for _ in range(int(RATE) + 1)] == [True] * int(RATE) + [False]
    now = 1e6
    assert [rates.allows("a") for _ in range(BURST + 1)] == [True] * BURST + [False]
    for k in range(MOST_ADDRESSES + 10):
        rates.allows(str(k))
    assert len(rates._left) <= MOST_ADDRESSES + 1


def test_too_many_requests_are_refused() -> None:
    app = application(Explorer())
    statuses = [ask(app, "/nothing").status for _ in range(BURST + 60)]
    assert statuses[0] == 404
    assert 429 in statuses
    refused = ask(app, "/nothing")
    if refused.status == 429:  # unless the machine was so slow that one is allowed again
        assert refused.headers["retry-after"] == "1"


def desk_of(question: Callable[[], Any], patience: float) -> tuple[Desk, Callable[[], Any]]:
    desk = Desk(Explorer(), patience)

    async def asking() -> Any:
        return await desk.answered(lambda _explorer, _said: question(), Parameters({}))

    return desk, asking


def test_questions_that_take_too_long_are_not_waited_for() -> None:
    done = threading.Event()
    _, asking = desk_of(lambda: done.wait(30), 0.05)
    with pytest.raises(RefusedError, match=r"more than 0\.05 seconds") as refused:
        asyncio.run(asking())
    assert refused.value.status == 503
    done.set()


def test_no_more_questions_wait_than_are_meant_to() -> None:
    done = threading.Event()
    desk, asking = desk_of(lambda: done.wait(30), 30.0)

    async def several() -> list[Any]:
        waiting = [asyncio.ensure_future(asking()) for _ in range(MOST_WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="too many questions") as refused:
            await asking()
        assert refused.value.status == 429
        done.set()
        return await asyncio.gather(*waiting)

    assert asyncio.run(several()) == [True] * MOST_WAITING
    assert desk._waiting == 0


def test_an_error_of_ours_is_one_line_and_no_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(web.ASKED, "check", lambda *_: 1 / 0)
    found = ask(application(Explorer()), CHECK)
    assert (found.status, found.error) == (500, "this could not be answered: an error of urcx")
    assert capsys.readouterr().err == (
        "urcx: a question could not be answered: ZeroDivisionError: division by zero\n"
    )


def test_agents_that_take_too_long_are_not_asked(app: Application) -> None:
    assert set(players.DEEPEST) == set(KINDS) - {"net"}
    many = " ".join(f"{k}=1/20" for k in range(1, 21))
    text = (
        "urcx game 1\nrules: many\npieces: 1\nlight-path: A1 B1 B2\ndark-path: C1 B1 B2\n"
        f"rosettes: none\nrolls: {many}\nflags: none\n"
    )
    found = post(app, "/api/game", {"text": text, "agents": ["expectimax", "first"]})
    states = {one["name"]: one["state"] for one in found.data["view"]["agents"]}
    assert states["expectimax"] == "refused"
    assert states["first"] in ("preparing", "ready")
