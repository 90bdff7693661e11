"""Unsolved games: their estimates, and the process that solves them on request."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from requests_in_place import get, post, sent
from starlette.types import ASGIApp

import urcx
from urcx.engine.time_left import TimeLeft
from urcx.explore import whole
from urcx.explore.app import application
from urcx.explore.explorer import Explorer
from urcx.played.values import network_estimates
from urcx.solving.files.kept import place_of
from urcx.solving.files.work import work_directory

pytest_plugins = ["explorer_fixtures"]

PLACE = "2,5,8/3,6,11/1-2/D"
RULES = urcx.ruleset("finkel", pieces=2)
ASKED = {"rules": "finkel", "pieces": 2}


def solved(app: ASGIApp) -> dict[str, Any]:
    """Wait until `RULES` is no longer being solved, and return its state."""
    for _ in range(1200):
        now: dict[str, Any] = get(app, "/api/values?rules=finkel&pieces=2")
        if now["state"] != "solving":
            return now
        time.sleep(0.1)
    raise AssertionError(now)


def test_a_large_game_is_solved_by_a_process_and_kept(unsolved: Explorer, tmp_path: Path) -> None:
    app = application(unsolved)
    before = get(app, "/api/values?rules=finkel&pieces=2")
    assert (before["state"], before["fits"], before["most_pieces"]) == ("solvable", True, 2)
    assert before["takes"].startswith("about ")
    begun = sent(app, "/api/values", ASKED)
    assert (begun["state"], begun["stops"]) == ("solving", True)
    assert sent(app, "/api/values", ASKED)["state"] == "solving"  # not another one
    other = post(app, "/api/values", {"rules": "kwan", "pieces": 2})
    assert (other.status, "one at a time" in other.error) == (429, True)
    assert get(application(Explorer()), "/api/values?rules=finkel&pieces=2")["state"] == "solvable"
    now = solved(app)
    assert (now["state"], now["source"], now["bound"] < 1e-12) == ("known", "tablebase", True)
    value = get(app, "/api/position?rules=finkel&pieces=2")["value"]
    assert value == pytest.approx(urcx.solve(RULES).solved.opening, abs=1e-12)
    again = Explorer()  # as after a new start
    assert again.known(RULES).members()["file"] == now["file"]
    again.close()
    assert str(tmp_path) not in str(now)


def test_solving_is_stopped_and_ends_with_the_server(unsolved: Explorer) -> None:
    app = application(unsolved)
    sent(app, "/api/values", ASKED)
    process = unsolved._process
    assert process is not None
    assert sent(app, "/api/values", ASKED | {"stop": True})["state"] == "solvable"
    assert process._process.returncode is not None
    sent(app, "/api/values", ASKED)
    process = unsolved._process
    assert process is not None
    unsolved.close()
    assert process._process.returncode is not None


def test_what_a_stopped_process_has_solved_is_said(unsolved: Explorer) -> None:
    kept = work_directory(place_of(RULES))
    kept.mkdir(parents=True)
    (kept / "1-1.layer").write_bytes(bytes(10_000))
    now = get(application(unsolved), "/api/values?rules=finkel&pieces=2")
    assert (now["state"], now["kept"], now["at_once"]) == ("solvable", "10 kB", False)
    assert now["share"] == pytest.approx(10_000 / (8 * whole._states(RULES)))


def test_what_is_left_goes_by_what_was_solved_last(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(whole, "monotonic", lambda: now[0])
    process = whole.SolvingProcess.__new__(whole.SolvingProcess)
    process.share, process._left = 0.0, TimeLeft(0.0, 0.4)
    waiting = [sys.executable, "-P", "-c", "input()"]
    said: list[str] = []
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as other:
        process._process = other
        for second in range(0, 126, 5):
            now[0] = second
            process.share = 0.4 + second / 600 if second else 0.0
            assert process.running()
            said.append(process.left())
    assert said[0] == ""
    assert said[-1] == "about 4 minutes left"
    assert set(said[5:]) <= {f"about {minutes} minutes left" for minutes in (4, 5, 6)}


def test_what_went_wrong_is_said_and_may_be_tried_again(unsolved: Explorer, tmp_path: Path) -> None:
    place_of(RULES).mkdir(parents=True)  # no file can be written there
    app = application(unsolved)
    sent(app, "/api/values", ASKED)
    now = solved(app)
    assert now["state"] == "solvable"
    assert now["error"]
    assert str(tmp_path) not in now["error"]


def test_what_does_not_fit_is_refused_and_fewer_pieces_are_offered(
    unsolved: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = whole.offer(urcx.ruleset("masters", pieces=2)).work.memory
    monkeypatch.setattr(whole, "available_memory", lambda: round(room))
    app = application(unsolved)
    now = get(app, "/api/values?rules=masters&pieces=4")
    assert (now["state"], now["fits"], now["most_pieces"]) == ("solvable", False, 2)
    assert "MB of memory" in whole.offer(urcx.ruleset("kwan")).takes
    found = post(app, "/api/values", {"rules": "masters", "pieces": 4})
    assert found.status == 400
    assert "with 2 pieces it fits" in found.error
    monkeypatch.setattr(whole, "_free", lambda _: 0)
    assert get(app, "/api/values?rules=masters&pieces=4")["most_pieces"] == 0


@pytest.mark.usefixtures("unsolved")
def test_other_machines_cannot_have_large_games_solved() -> None:
    app = application(Explorer(solves=False))
    assert sent(app, "/api/values", ASKED)["state"] == "unknown"


@pytest.mark.parametrize("rules", ["finkel", "kwan", "blitz", "masters"])
def test_estimates_are_the_values_of_the_network_that_comes_with_urcx(
    unsolved: Explorer, rules: str
) -> None:
    view = get(application(unsolved), f"/api/view?rules={rules}&position={PLACE}")
    assert view["values"]["source"] == "network"
    assert "optimal play" in view["values"]["estimates"]
    assert view["lower"] is view["upper"] is None
    assert view["light_value"] == 1.0 - view["value"]
    game, learned = urcx.Game(rules, PLACE), urcx.agent("learned")
    for one in view["rolls"]:
        worth = learned.values(game, one["roll"]) if one["roll"] else {}
        found = {(m["from"], m["to"]): m["value"] for m in one["moves"] if not m["pass"]}
        assert found == {(m.start, m.end): float(v) for m, v in (worth or {}).items()}
        assert one["value"] == max(found.values(), default=one["value"])


def test_estimates_are_what_their_card_says() -> None:
    finkel = network_estimates(urcx.ruleset("finkel"))
    assert finkel is not None
    assert "95.2 % of decisions" in finkel.about
    assert "wins 49.43 %" in finkel.about
    assert finkel.probe("-/-/2-7/L") == 0.0
    assert network_estimates(urcx.ruleset("finkel", pieces=6)) is None


def test_a_game_without_a_solution_is_reviewed_by_estimates(unsolved: Explorer) -> None:
    app = application(unsolved)
    new = {"rules": "finkel", "pieces": 7, "light": "you"}
    game = sent(app, "/api/game", {"new": new, "do": [{"throw": 2}, {"play": "0-2"}]})
    review = sent(app, "/api/review", {"text": game["notation"]})
    network = network_estimates(urcx.ruleset("finkel"))
    assert network is not None
    assert (review["approximate"], review["bound"]) == (True, None)
    assert review["light_start"] == network.probe("-/-/0-0/L")
    assert review["answer"].startswith("The game is unfinished. You lost \u2248 0.0 points")
    assert [grade["least"] for grade in review["grades"]] == [0.08, 0.04, 0.02]
    (row,), (played,) = review["rows"], game["played"]
    assert row["after"] == 1 - network.probe("2/-/0-0/D")
    assert played == {**row, "approximate": True}
    wrong = post(app, "/api/review", {"text": game["notation"].replace("pieces: 7", "pieces: 6")})
    assert (wrong.status, "not known" in wrong.error) == (404, True)
