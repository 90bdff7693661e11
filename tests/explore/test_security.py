"""Hosts, origins, files, methods and types: which requests get which answers."""

from __future__ import annotations

import gzip
from importlib import resources
from pathlib import Path

import pytest
from requests_in_place import HOST, ask, post
from starlette.types import ASGIApp

from urcx.errors import UsageError
from urcx.explore import app as web
from urcx.explore.app import application, host_is_ours
from urcx.explore.explorer import Explorer
from urcx.explore.files import static_files
from urcx.explore.schema import Request
from urcx.explore.server import checked_host, checked_origin

CHECK = "/api/check"
FOREIGN = "http://evil.example"
OURS = (
    "localhost",
    "LOCALHOST:8000",
    "127.0.0.1:1",
    "[::1]:8000",
    "127.9.9.9",
    "[::ffff:127.0.0.1]:1",
)
OTHERS = (
    *("evil.example", "localhost.evil.example", "10.0.0.1", "[::2]", "[::ffff:10.0.0.1]"),
    *("", "localhost:x", "a b", "\xe9"),
)


@pytest.fixture(scope="module")
def app() -> ASGIApp:
    return application(Explorer())


def test_hosts_of_this_machine_are_answered_and_no_others(app: ASGIApp) -> None:
    for host in OURS:
        assert ask(app, CHECK, headers={"host": host}).status == 200, host
    for host in OTHERS:
        for target in ("/", CHECK, "/static/index.html"):
            found = ask(app, target, headers={"host": host})
            assert found.status == 403, host
            assert "--allow-host" in found.error
    assert host_is_ours("10.0.0.1:80", frozenset({"*"}))
    assert not host_is_ours("evil.example", frozenset({"*"}))
    assert host_is_ours("my.host", frozenset({"my.host"}))
    assert host_is_ours("[::ffff:10.0.0.1]", frozenset({"10.0.0.1"}))


def test_hosts_and_origins_of_options_are_checked() -> None:
    assert [checked_host(name) for name in ("My.Host", "[::2]")] == ["my.host", "::2"]
    for wrong in ("my.host:80", "a b", "http://a", ""):
        with pytest.raises(UsageError, match="without a port"):
            checked_host(wrong)
    assert checked_origin("https://My.Host:8888") == "https://my.host:8888"
    for wrong in ("*", "null", "localhost", "http://a/b", "http://a b", ""):
        with pytest.raises(UsageError, match="an origin such as"):
            checked_origin(wrong)


@pytest.mark.parametrize(
    "headers",
    [
        *({"origin": name} for name in (FOREIGN, "null", "http://localhost:9000", "http://[")),
        *({"sec-fetch-site": site} for site in ("cross-site", "same-site")),
    ],
)
def test_pages_of_other_origins_get_no_answer(app: ASGIApp, headers: dict[str, str]) -> None:
    found = ask(app, CHECK, headers=headers)
    assert found.status == 403
    assert "other origins" in found.error
    assert "access-control-allow-origin" not in found.headers
    assert ask(app, "/", headers=headers).status == 200  # a link may lead here
    assert post(app, "/api/game", {"new": {}}, **headers).status == 403


def test_an_origin_that_is_allowed_is_answered() -> None:
    app = application(Explorer(), origins=["http://localhost:8888"])
    headers = {"origin": "http://localhost:8888", "sec-fetch-site": "same-site"}
    asked = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    found = ask(app, CHECK, headers=headers)
    before = ask(app, "/api/game", method="OPTIONS", headers=headers | asked)
    assert found.status == before.status == 200
    assert found.headers["access-control-allow-origin"] == "http://localhost:8888"
    assert "Origin" in found.headers["vary"]
    assert found.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "Content-Type" in before.headers["access-control-allow-headers"]
    for method in ("GET", "OPTIONS"):
        refused = ask(app, CHECK, method=method, headers=asked | {"origin": FOREIGN})
        assert refused.status == 403
    own = ask(app, CHECK, headers={"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"})
    assert own.status == 200
    assert "access-control-allow-origin" not in own.headers


def test_every_answer_has_the_headers_that_protect(app: ASGIApp) -> None:
    for target, host in (("/", HOST), (CHECK, HOST), ("/nothing", HOST), ("/", "evil.example")):
        headers = ask(app, target, headers={"host": host}).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_files_are_those_of_the_page_and_no_others(app: ASGIApp) -> None:
    files = static_files()
    directory = resources.files("urcx.explore").joinpath("static")
    for name, data in files.items():
        found = ask(app, f"/static/{name}")
        assert (found.status, found.body) == (200, data)
        assert data == directory.joinpath(name).read_bytes()
    assert ask(app, "/").body == files["index.html"]
    packed = ask(app, "/", headers={"accept-encoding": "gzip"})
    assert gzip.decompress(packed.body) == files["index.html"]
    for target in (
        "/static/", "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py",
        "/static//etc/passwd", "/etc/passwd", "/static/index.html/", "/static/INDEX.HTML", "//",
        "/api", "/api/", "/api/../", "/api/position/", "/static/index.html%00.js",
    ):  # fmt: skip
        found = ask(app, target)
        assert found.status == 404, target
        assert found.error


def test_only_known_kinds_of_files_are_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "static"
    (directory / "inside.js").mkdir(parents=True)
    for name in ("index.html", "a.js", "b.py", ".hidden", "c"):
        (directory / name).write_bytes(name.encode())
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    assert static_files() == {"index.html": b"index.html", "a.js": b"a.js"}


def test_methods_and_types_are_those_of_the_documentation(app: ASGIApp) -> None:
    for target, method in (("/", "POST"), (CHECK, "POST"), ("/api/game", "GET"), ("/", "TRACE")):
        found = ask(app, target, method=method)
        assert found.status == 405
        assert method in found.error
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        found = post(app, "/api/game", {"new": {}}, **{"content-type": kind})
        assert found.status == 415
        assert "application/json" in found.error
    assert post(app, "/api/game?x=1", {"new": {}}).status == 400


def test_an_error_of_ours_is_one_line_and_no_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(web.GET, "check", (lambda *_: 1 / 0, Request))
    found = ask(application(Explorer()), CHECK)
    assert found.status == 500
    assert "division" not in found.error
    assert "ZeroDivisionError: division by zero\n" in capsys.readouterr().err
