"""urcx explore: its answers equal the output of commands; how it starts, fails and ends."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
import timeit
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import assert_one_line, interrupted, run, started
from requests_in_place import FAR, get, sent
from starlette.types import ASGIApp

import urcx.explore
from urcx.explore import server
from urcx.explore.app import application
from urcx.explore.explorer import Explorer
from urcx.game import SIDES
from urcx.reading import install_command
from urcx.solving.files.rgu import open_solution

pytest_plugins = ["command_fixtures"]

PLACE = "5,8/3,6/0-0/L"


@pytest.fixture(scope="module")
def file(two_pieces: Path) -> Path:
    return two_pieces


@pytest.fixture(scope="module")
def app(file: Path) -> Iterator[ASGIApp]:
    with open_solution(file) as base:
        yield application(Explorer([base]))


@pytest.mark.parametrize("place", ["-/-/0-0/L", PLACE, "-/14/2-1/L"])
@pytest.mark.parametrize("roll", ["", "2"])
def test_a_position_is_what_probe_gives(
    app: ASGIApp, file: Path, place: str, roll: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    wanted = run("probe", file.name, place, *(("--roll", roll) if roll else ()), "--json").json
    asked = f"/api/position?position={place}" + (f"&roll={roll}" if roll else "")
    assert get(app, asked) == wanted
    assert get(app, f"{asked}&rules=bell&pieces=2") == wanted  # an alias


def test_a_review_is_what_the_command_gives(app: ASGIApp, tmp_path: Path) -> None:
    game = urcx.PlayedGame(urcx.Game("finkel", PLACE, pieces=2), light="a", dark="b")
    game = game.play("5-6").passed(0).throw(2)
    file = tmp_path / "game.txt"
    game.save(file)
    wanted = run("review", str(file), "--json").json
    found = sent(app, "/api/review", {"text": file.read_text(encoding="utf-8")})
    more = ("notation", "rgn", "answer", "grades")
    assert {k: v for k, v in found.items() if k not in more} == wanted
    drawn = sent(app, "/api/review", {"text": found["notation"], "svg": True})
    assert drawn["svg"].lstrip().startswith("<?xml")


def test_counts_are_those_of_ssc_and_of_the_ranking(app: ASGIApp) -> None:
    found = get(app, "/api/counts?path=murray&pieces=2..4")
    wanted = run("ssc", "murray", "-p", "2..4", "--no-enumerate", "--json").json
    assert found["exactness"] == wanted["exactness"]
    for row, other in zip(found["rows"], wanted["rows"], strict=True):
        same = {k: v for k, v in row.items() if k != "ranked"}
        assert same == {k: other[k] for k in same}
        assert row["ranked"] == other["conventions"]["diagrams"]
    assert [row["pieces"] for row in found["rows"]] == [2, 3, 4]


def opened(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[Any, dict[str, Any]]:
    """Run the command without its server; return how it ended, and what it would serve."""
    served: dict[str, Any] = {}

    def serve(explorer: Explorer, taken: Any, host: str, **more: Any) -> None:
        port = taken.getsockname()[1]
        served.update(explorer=explorer, host=host, port=port, **more)
        served["catalogue"] = get(application(explorer), "/api/catalogue")
        more["ready"]()

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.setattr(server, "open_browser", lambda address: served.update(opened=address))
    return run("explore", *arguments), served


def test_without_a_file_the_whole_of_finkel_is_estimated_until_it_is_solved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found, served = opened(monkeypatch)
    assert found.code == 0, found.err
    assert found.out == f"The explorer is at http://127.0.0.1:{served['port']}/\n"
    assert served["opened"] == f"http://127.0.0.1:{served['port']}/"
    default = served["catalogue"]["default"]
    assert (default["rules"], default["pieces"]) == ("finkel", 7)
    assert "button solves the game" in found.err
    assert served["explorer"].solves
    found, served = opened(monkeypatch, "--host", server.EVERYWHERE[0])
    assert not served["explorer"].solves  # others would fill this machine's disk
    assert served["catalogue"]["whole"] in found.err


def test_files_paths_agents_and_a_port_are_used(
    monkeypatch: pytest.MonkeyPatch, file: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own.py"
    own.write_text("def choose(position, roll, moves):\n    return moves[-1]\n", encoding="utf-8")
    short = Path(__file__).parents[2] / "docs" / "examples" / "short.toml"
    port = free_port()
    found, served = opened(
        monkeypatch, str(file), "--no-open", "--port", str(port), "--path-file", str(short),
        "--agent", f"{own}:choose", "--allow-origin", "http://localhost:8888",
    )  # fmt: skip
    assert (found.code, found.err) == (0, "")
    assert served["port"] == port
    assert "opened" not in served
    assert served["origins"] == ["http://localhost:8888"]
    catalogue = served["catalogue"]
    assert [one["file"] for one in catalogue["tablebases"]] == [file.name]
    assert "strip" in {one["name"] for one in catalogue["rules"]}
    assert "own.py:choose" in {one["name"] for one in catalogue["agents"]}
    assert str(tmp_path) not in str(catalogue)


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1", "::ffff:127.0.0.1"])  # noqa: S104
def test_other_machines_are_said_where_they_reach_it(
    monkeypatch: pytest.MonkeyPatch, file: Path, host: str
) -> None:
    arguments = (str(file), "--no-open", "--host", host, "--allow-host", "Ur.example")
    found, served = opened(monkeypatch, *arguments)
    assert found.code == 0, found.err
    assert served["names"] == ["ur.example"]
    if host != "0.0.0.0":  # noqa: S104
        assert found.err == ""
        return
    assert re.fullmatch(
        rf"urcx: .* http://(?!localhost)[^/ ]+:{served['port']}/ without a login.*"
        r"--allow-host NAME\n",
        found.err,
    )


def test_what_cannot_be_served_is_one_line(
    monkeypatch: pytest.MonkeyPatch, file: Path, tmp_path: Path
) -> None:
    monkeypatch.setattr(server, "serve", pytest.fail)
    broken = tmp_path / "broken.urcx"
    broken.write_bytes(file.read_bytes()[:-1000])
    base = str(file)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        wrong = run("explore", base, "--port", port)
        assert f"--port {port}" in assert_one_line(wrong, 1)
        assert_one_line(run("explore", "--port", port), 1)
    (tmp_path / "bad.npz").write_bytes(b"no network")
    for arguments, code, words in (
        (("none.urcx",), 2, "none.urcx"),
        ((str(broken),), 1, "broken.urcx is cut off"),
        ((base, "--port", "0"), 2, "--port 0: must be from 1 to 65535"),
        ((base, "--host", "192.0.2.1"), 2, "--host 192.0.2.1"),
        ((base, "--host", "no host"), 2, "--host no host"),
        ((base, "--host", ""), 2, "is empty"),
        ((base, "--allow-origin", "*"), 2, "--allow-origin '*'"),
        ((base, "--allow-host", "a.example:80"), 2, "without a port"),
        ((base, "--agent", "winner"), 2, "unknown agent"),
        ((base, "--agent", "net:none.npz"), 2, "none.npz"),
        ((base, "--agent", f"net:{tmp_path}/bad.npz"), 2, "bad.npz"),
        ((base, "--agent", f"optimal:{broken}"), 1, "broken.urcx is cut off"),
        ((base, "--path-file", "none.toml"), 2, "none.toml"),
    ):
        assert words in assert_one_line(run("explore", *arguments), code), arguments


def test_without_the_extra_the_command_says_which_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("uvicorn", "starlette.applications"):
        with monkeypatch.context() as patch:
            patch.delattr(urcx.explore, "server")
            for module in ("server", "app"):
                patch.delitem(sys.modules, f"urcx.explore.{module}")
            patch.setitem(sys.modules, name, None)
            line = assert_one_line(run("explore"), 2)
        which = name.partition(".")[0]
        assert line.startswith(f"urcx explore needs {which}.")
        assert line.endswith(install_command("explore"))


def test_a_browser_that_cannot_be_opened_is_only_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(_: str = "") -> Any:
        raise webbrowser.Error("could not locate runnable browser")

    console = webbrowser.GenericBrowser("w3m")
    for found, known in ((nothing, nothing), (lambda _: True, lambda: console)):
        monkeypatch.delenv("BROWSER", raising=False)
        monkeypatch.setattr(webbrowser, "open", found)
        monkeypatch.setattr(webbrowser, "get", known)
        server._open("http://127.0.0.1:1/")
        said = capsys.readouterr().err
        assert said == "urcx: no browser could be opened. Open http://127.0.0.1:1/ in one\n"


def raw(address: str, request: bytes) -> bytes:
    """Return the beginning of the answer to what is sent, which need not be HTTP."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(request)
        return connection.recv(1000)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def answered(address: str, data: bytes | None = None) -> bytes:
    """Return what is answered to a question, or to what is sent."""
    headers = {"Content-Type": "application/json"} if data else {}
    asked = urllib.request.Request(address, data, headers)  # noqa: S310 - of this machine
    with urllib.request.urlopen(asked, timeout=90) as found:  # noqa: S310
        assert "server" not in found.headers
        return bytes(found.read())


@contextmanager
def serving(file: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start the explorer as a process of its own, and wait until it answers."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"

    def ready(_: int) -> bool:
        with contextlib.suppress(OSError):
            return bool(answered(f"{address}/"))
        return False

    line = ("explore", str(file), "--no-open", "--port", str(port))
    with started(*line, ready=ready) as process:
        yield address, process


@pytest.mark.posix("the signal of Ctrl-C")
def test_the_server_answers_until_ctrl_c(file: Path) -> None:
    """The whole of it once: a process, its page, its answers, errors of the network's, Ctrl-C."""
    with serving(file) as (address, process):
        check = json.loads(answered(f"{address}/api/check"))
        assert check["schema"] == "urcx.position-check/1"
        game = answered(f"{address}/api/game", b'{"new": {"seed": 1}, "do": [{"throw": null}]}')
        assert json.loads(game)["seed"] == 1
        with pytest.raises(urllib.error.HTTPError) as refused:
            answered(f"{address}/static/..%2fapp.py")
        assert refused.value.code == 404
        refused.value.close()
        head = b"POST /api/game HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        for request, status in (
            (b"garbage\r\n\r\n", b"400"),
            (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"403"),
            (head + b"Content-Length: 9999999\r\n\r\n" + b" " * 300_000, b"413"),
        ):
            assert raw(address, request).startswith(b"HTTP/1.1 " + status)
        result = interrupted(process)
    assert (result.code, result.err) == (130, "urcx: interrupted\n")
    assert result.out == f"The explorer is at {address}/\n"


WORST_PLIES = 2000
PASSES = "".join(f"{k + 1}. {SIDES[k % 2]} 0:pass\n" for k in range(WORST_PLIES))
LONG = f"urcx game 1\npieces: 2\n{PASSES}"
# What takes longest of what is answered, and what used to hold Python's lock.
WORST: dict[str, tuple[str, dict[str, Any]]] = {
    "patterns": ("game", {"text": "(1) r0" + "\n" * 3990 + " " * 190_000}),
    "words": ("game", {"text": "(1) r0 " + "a\t" * 60_000}),
    "review": ("review", {"text": LONG, "svg": True}),
    "undone": ("game", {"text": LONG, "do": [{"undo": WORST_PLIES}, {"redo": WORST_PLIES}] * 50}),
    "numbers": ("game", {"new": {}, "do": [1] * 85_000}),
    "agents": ("game", {"new": {"seed": 1}, "do": [{"answer": "expectimax:3"}] * 100}),
    "far": ("game", {"text": FAR, "do": [{"answer": "panda:7"}] * 100}),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", WORST)
def test_the_page_is_there_under_twenty_of_the_worst_requests(file: Path, kind: str) -> None:
    target, data = WORST[kind]
    body = json.dumps(data).encode()
    with serving(file) as (address, _), ThreadPoolExecutor(20) as pool:

        def send(path: str, sent: bytes | None = None) -> None:
            with contextlib.suppress(urllib.error.HTTPError):
                answered(f"{address}{path}", sent)

        def keep_busy() -> None:
            while not stop.is_set():
                send(f"/api/{target}", body)
                ended.append(target)

        send(f"/api/{target}", body)  # compiles
        alone = min(timeit.repeat(lambda: send(f"/api/{target}", body), number=1, repeat=3))
        stop, waited = threading.Event(), []
        ended: list[str] = []
        busy = [pool.submit(keep_busy) for _ in range(20)]
        for _ in range(5):
            before = len(ended)
            send("/")
            send("/api/check")
            waited.append(len(ended) - before)
        stop.set()
        assert all(worker.exception() is None for worker in busy)
    # Quick requests are answered in turn: twenty of them keep nobody waiting for long.
    assert alone < 0.2 or min(waited) < 20, "the page waited for all of the worst requests"
