"""Hosts, origins, files, methods and types: who is answered, and with what."""

from __future__ import annotations

import asyncio
from importlib import resources
from typing import Any

import pytest
from requests_in_place import HOST, ask, post

from urcx.errors import UsageError
from urcx.explore import app as web
from urcx.explore.app import application, static_files
from urcx.explore.explorer import Explorer
from urcx.explore.security import Application, checked_host, checked_origin, host_is_ours

CHECK = "/api/check"
FOREIGN = "http://evil.example"


@pytest.fixture(scope="module")
def app() -> Application:
    return application(Explorer())


# Hosts and origins.


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8000",
        "127.0.0.1:1",
        "[::1]:8000",
        "127.9.9.9",
        "[::ffff:127.0.0.1]:1",
    ],
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
        "[::ffff:10.0.0.1]",
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
    assert host_is_ours("[::ffff:10.0.0.1]", frozenset({"10.0.0.1"}))
    assert [checked_host(one) for one in ("My.Host", "[::2]")] == ["my.host", "::2"]
    for wrong in ("my.host:80", "a b", "http://a", ""):
        with pytest.raises(UsageError, match="without a port"):
            checked_host(wrong)


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


def test_an_error_of_ours_is_one_line_and_no_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(web.ASKED, "check", lambda *_: 1 / 0)
    found = ask(application(Explorer()), CHECK)
    assert (found.status, found.error) == (500, "this could not be answered: an error of urcx")
    assert capsys.readouterr().err == (
        "urcx: a question could not be answered: ZeroDivisionError: division by zero\n"
    )
