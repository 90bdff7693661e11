"""Games: gtc and match on the command line."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import assert_one_line, interrupted, run, started

from urcx.complexity.game_tree import wilson
from urcx.games.match import match
from urcx.rules import catalogue

pytest_plugins = ["command_fixtures"]

pytestmark = pytest.mark.usefixtures("here")

GAMES = ("--games", "40", "--agent", "random", "--seed", "3")
OWN = """
def last(position, roll, moves):
    return moves[-1]

def wrong(position, roll, moves):
    return None

def broken(position, roll, moves):
    raise ValueError("no idea")
"""


@pytest.mark.parametrize("games", ["1", "2"])
def test_intervals_are_promised_only_where_there_are_some(games: str) -> None:
    shown = run("gtc", "--agent", "first", "-p", "1", "-g", games).out
    first, _, rest = shown.partition("\n")
    assert ("95 % interval" in first, "without an interval" in first) == (
        games == "2",
        games == "1",
    )
    assert ("interval" in rest) == (games == "2")


def test_gtc_of_two_agents_and_other_rules() -> None:
    players = ("--light", "greedy", "--dark", "random", "--rules", "kwan")
    data = run("gtc", *players, "--games", "60", "--json").json
    assert (data["light"], data["dark"], data["rules"]) == ("greedy", "random", "kwan")
    assert int(data["wins"]["light"]["games"]) > 40
    assert data["published"] == []
    out = run("gtc", *players, "--games", "2", "--seed", "2", "--wide").out
    assert "greedy (light) against random (dark)" in out
    assert "seed 2, light and dark alternate" in out


@pytest.mark.jit
@pytest.mark.parametrize(
    ("pieces", "unit"), [("2", "kB"), pytest.param("5", "MB", marks=pytest.mark.slow)]
)
def test_gtc_by_tree_and_by_levels_plays_the_same(
    here: Path, monkeypatch: pytest.MonkeyPatch, pieces: str, unit: str
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(here))
    options = ("gtc", "--rules", "blitz", "-p", pieces, "--agent", "panda:3", "-g", "50", "--json")
    tree = run(*options, "--method", "tree")
    levels = run(*options, "--method", "levels")
    assert tree.json["measures"] == levels.json["measures"]
    assert "cached for the next run" in levels.err
    assert unit in levels.err
    again = run(*options, "--method", "levels")
    assert (again.out, again.err) == (levels.out, "")
    assert list(here.glob("levels/blitz-2-*.level"))


def test_moves_with_an_agents_opinion() -> None:
    position = ("moves", "5,8/3,6,9/2-3/L", "--roll", "1")
    rows = run(*position, "--agent", "greedy", "--json").json["rows"]
    # Both 5-6 and 8-9 capture; of these greedy takes the more advanced piece.
    assert [row["from"] for row in rows if row["best"]] == [8]
    found = run(*position, "--agent", "panda:2", "--json").json
    assert found["agent"] == "panda:2"
    rows = found["rows"]
    assert max(row["value"] for row in rows if not row["best"]) < max(r["value"] for r in rows)
    rows = run(*position, "--agent", "random", "--json").json["rows"]
    assert [row["plays"] for row in rows] == ["1/3"] * 3
    out = run(*position, "--agent", "random").out
    assert out.count("  1/3\n") == 3
    assert not re.search("value|choice", out)  # it has none, nor is any move better to it
    out = run(*position, "--agent", "panda:2").out
    assert re.search(" value +choice +plays *$", out, re.MULTILINE)
    marked = [line for line in out.splitlines() if line.endswith(("best", "best        1"))]
    rows = run(*position, "--agent", "panda:2", "--json").json["rows"]
    best = [row["to"] for row in rows if row["best"]]
    light = catalogue.path("bell").light
    assert [light.index(line.split()[4].strip(",")) + 1 for line in marked] == best
    # Light's last piece has no choice.
    out = run("moves", "13/-/6-0/L", "--roll", "2", "--agent", "panda:2").out
    assert "only" in out
    every = run("moves", "5,8/3,6,9/2-3/L", "--agent", "last", "--json").json["rows"]
    played = [row["roll"] for row in every if not row["pass"] and row["plays"] == "1"]
    assert played == [1, 2, 3, 4]
    (row,) = run("moves", "2/3,6/5-5/L", "--roll", "0", "--json").json["rows"]
    assert (row["pass"], row["position"]) == (True, "2/3,6/5-5/D")
    assert "pass  A3/C2,B2/5-5/D" in run("moves", "2/3,6/5-5/L", "--roll", "0").out


@pytest.mark.parametrize("ties", ["first", "last", "random"])
def test_what_an_agent_plays_is_what_it_played(ties: str) -> None:
    # By hand: three moves by one step, none captures or ends on a rosette; all advance as far.
    rows = run("moves", "5,9/-/0-0/L", "--roll", "1", "--agent", f"expectimax:1:{ties}", "--json")
    equal = [row for row in rows.json["rows"] if row["best"]]
    assert [row["from"] for row in equal] == [0, 5, 9]
    share = {"first": ["1", "0"], "last": ["0", "1"], "random": ["1/3", "1/3"]}[ties]
    assert [equal[0]["plays"], equal[-1]["plays"]] == share


def test_pieces_are_said_where_they_are_others() -> None:
    few = ("random", "-g", "20", "-p", "2")
    said = "finkel, 2 pieces per side"
    assert run("match", *few).out.startswith(f"{said}: random wins ")
    assert run("match", *few, "--json").json["pieces"] == 2
    assert run("match", "random", "-g", "4").out.startswith("finkel: random wins ")
    assert f"of {said}: " in run("gtc", "--agent", *few, "--plot", "games.svg").out
    assert f"{said}, seed 1" in Path("games.svg").read_text("utf-8")
    # Published figures of seven pieces are not compared with games of two.
    few_pieces = run("gtc", "--agent", *few, "--json").json
    assert few_pieces["pieces"] == 2
    assert {row["verdict"] for row in few_pieces["published"]} == {"another number of pieces"}
    whole = run("gtc", "--agent", "random", "-g", "20", "--json").json
    assert "another number of pieces" not in {row["verdict"] for row in whole["published"]}


def test_shares_of_a_match_have_their_intervals() -> None:
    pair = ("match", "random", "greedy", "--games", "40", "--seed", "1")
    rows = {(r["agent"], r["opponent"]): r for r in run(*pair, "--json").json["rows"]}
    row = rows["random", "greedy"]
    low, high = row["ci95_low"], row["ci95_high"]
    assert (low, high) == pytest.approx(wilson(round(40 * row["share"]), 40))
    assert (row["games"], row["wins"]) == ("40", str(round(40 * row["share"])))
    out = run(*pair).out
    line, rated = re.findall(r"^random  .*", out, re.MULTILINE)
    assert line.endswith(f" {100 * row['share']:.1f} ({100 * low:.1f} to {100 * high:.1f})")
    # No habits where none were asked for.
    assert "captures" not in out
    assert "habits" not in run(*pair, "--json").json
    assert "kind" not in run(*pair, "--csv").rows[0]
    assert "an agent against itself: " not in out
    assert "an agent against itself: " in run(*pair, "--self").out
    rating = next(r for r in run(*pair, "--json").json["ratings"] if r["agent"] == "random")
    assert re.match(rf"random +{rating['elo']:.1f} ", rated)
    assert f"{100 * row['second_share']:.2f} %\n" in run(*pair, "--wide").out
    assert run("match", "random", "--games", "4", "--json").json["agents"] == ["random"]


def test_a_side_and_the_agent_of_the_other() -> None:
    assert run("gtc", "--light", "last", "--agent", "first", "-g", "2").code == 0


def test_own_agents() -> None:
    own = "mine.py"
    Path(own).write_text(OWN, encoding="utf-8")
    data = run("gtc", "--agent", f"{own}:last", "--games", "6", "--json").json
    same = run("gtc", "--agent", "last", "--games", "6", "--json").json
    assert data["measures"] == same["measures"]
    opinion = ("moves", "5,8/3/0-0/L", "--roll", "1", "--agent", f"{own}:last", "--json")
    assert [row["from"] for row in run(*opinion).json["rows"] if row["best"]] == [8]
    # One that fails names the position.
    for name, says in (("wrong", "chose None in"), ("broken", "no idea")):
        line = assert_one_line(run("gtc", "--agent", f"{own}:{name}", "--games", "3"), 2)
        assert says in line
        assert "/0-0/" in line
    assert "no function nobody" in assert_one_line(run("gtc", "--agent", f"{own}:nobody"), 2)
    Path("bad.py").write_text("1 +", encoding="utf-8")
    assert "SyntaxError" in assert_one_line(run("gtc", "--agent", "bad.py:f"), 2)


@pytest.mark.jit
def test_interrupted_runs_report_what_was_played(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    (tmp_path / "slow.py").write_text(
        f"import pathlib, time\n\ndef slow(position, roll, moves):\n"
        f"    pathlib.Path({str(asked)!r}).touch()\n    time.sleep(0.002)\n    return moves[0]\n",
        encoding="utf-8",
    )
    players = ("--agent", f"{tmp_path / 'slow.py'}:slow", "--dark", "last")
    command = ("gtc", *players, "--games", "5000", "--json")
    with started(*command, ready=lambda _: asked.exists()) as process:
        time.sleep(2)  # some games
        done = interrupted(process)
    assert done.code == 130
    assert "interrupted after" in done.err
    assert "Traceback" not in done.err
    data = json.loads(done.out)
    assert 0 < data["games"] < 5000
    assert data["interrupted"] is True


def test_csv_has_all_rows_of_what_was_asked_for() -> None:
    def kinds(*arguments: str, kind: str) -> list[dict[str, str]]:
        return [row for row in run(*arguments, "--csv").rows if row["kind"] == kind]

    played = ("match", "random", "greedy", "-g", "20", "-p", "1", "--habits")
    data = run(*played, "--json").json
    habits = kinds(*played, kind="habit")
    assert len(habits) == sum(len(found) for found in data["habits"].values())
    assert all(row["mean"] and row["title"] for row in habits)
    assert len(kinds(*played, kind="pair")) == len(data["rows"])
    branches = kinds("perft", "--depth", "3", "--divide", kind="branch")
    assert [row["pass"] for row in branches] == ["True"] + ["False"] * 4
    assert len(kinds("perft", "--depth", "3", "--divide", kind="level")) == 3
    assert sum(int(row["nodes"]) for row in branches) == 192
    (game,) = kinds("solve", "-p", "1", kind="game")
    (layer,) = kinds("solve", "-p", "1", kind="layer")
    assert (layer["light"], layer["dark"], layer["states"]) == ("0", "0", "217")
    assert float(game["lower"]) <= float(game["opening"]) <= float(game["upper"])


def test_an_interrupted_match_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = match(["random", "first"], games=2)
    assert whole.unfinished == ""
    fewer = replace(whole, pairs=whole.pairs[:1], interrupted=True)
    monkeypatch.setattr("urcx.games.match.match", lambda *_, **__: fewer)
    result = run("match", "random", "first")
    assert (result.code, result.err) == (130, "urcx: interrupted after 1 pairs\n")
    assert "interrupted: cells of pairs" in result.out
