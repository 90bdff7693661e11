"""gtc and match on the command line."""

from __future__ import annotations

import csv
import io
import json
import math
import time
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import assert_one_line, interrupted, run, started

import urcx
from urcx.agents.policies import Policies

GAMES = ("--games", "40", "--agent", "random", "--seed", "3")
OWN = """
def last(position, roll, moves):
    return moves[-1]

def wrong(position, roll, moves):
    return None

def broken(position, roll, moves):
    raise ValueError("no idea")
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(OWN, encoding="utf-8")
    return file


def test_gtc_as_json() -> None:
    data = run("gtc", *GAMES, "--json").json
    assert data["schema"] == "urcx.gtc/1"
    assert (data["rules"], data["games"], data["seed"]) == ("finkel", 40, 3)
    measures = data["measures"]
    assert {
        "plies",
        "turns",
        "moves",
        "passes",
        "choices_per_ply",
        "choices_per_roll",
        "choices_per_move",
        "choices_per_decision",
        "sum_log10_choices",
    } <= set(measures)
    for measure in measures.values():
        low, high = measure["ci95"]
        assert low < measure["mean"] < high
        assert measure["sd"] > 0
        assert measure["quartiles"] == sorted(measure["quartiles"])
    plies, choices = measures["plies"]["mean"], measures["choices_per_ply"]["mean"]
    assert measures["moves"]["mean"] + measures["passes"]["mean"] == pytest.approx(plies)
    gtc = {row["convention"]: row for row in data["gtc"]}
    # Raposo and Lamont's formula by hand, with the plies of one player and of both.
    assert gtc["raposo-lamont"]["log10"] == pytest.approx(plies / 2 * math.log10(choices * 5))
    assert gtc["raposo-lamont-both"]["log10"] == pytest.approx(2 * gtc["raposo-lamont"]["log10"])
    assert all(row["formula"] and row["ci95"][0] < row["ci95"][1] for row in gtc.values())
    wins = data["wins"]
    assert int(wins["light"]["games"]) + int(wins["dark"]["games"]) == 40
    assert sum(int(row["thrown"]) for row in data["rolls"]) == pytest.approx(40 * plies)


def test_gtc_does_not_depend_on_threads() -> None:
    one, two = (run("gtc", *GAMES, "--threads", n, "--json").out for n in ("1", "2"))
    assert one == two
    assert one != run("gtc", *GAMES[:-1], "4", "--json").out


def test_gtc_as_a_table_and_csv() -> None:
    out = run("gtc", *GAMES).out
    assert "40 games of random, finkel, seed 3" in out
    assert "raposo-lamont-both" in out
    assert "Backgammon" in out
    rows = list(csv.DictReader(io.StringIO(run("gtc", *GAMES, "--csv").out)))
    assert {row["kind"] for row in rows} == {"measure", "gtc", "wins"}
    assert all(float(row["mean"]) for row in rows)
    shares = {row["name"]: float(row["mean"]) for row in rows if row["kind"] == "wins"}
    assert shares["light"] + shares["dark"] == pytest.approx(1)


def test_gtc_of_two_agents_and_other_rules() -> None:
    data = run(
        "gtc", "--light", "greedy", "--dark", "random", "--rules", "kwan", "--games", "60", "--json"
    ).json
    assert (data["light"], data["dark"], data["rules"]) == ("greedy", "random", "kwan")
    assert int(data["wins"]["light"]["games"]) > 40
    assert data["published"] == []


def test_gtc_with_an_agent_of_ones_own(own: Path) -> None:
    data = run("gtc", "--agent", f"{own}:last", "--games", "6", "--json").json
    same = run("gtc", "--agent", "last", "--games", "6", "--json").json
    assert data["measures"] == same["measures"]


def test_gtc_draws_its_figure(tmp_path: Path) -> None:
    file = tmp_path / "games.svg"
    assert run("gtc", *GAMES, "--plot", str(file)).code == 0
    assert file.read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.jit
@pytest.mark.parametrize(
    ("pieces", "unit"), [("2", "kB"), pytest.param("5", "MB", marks=pytest.mark.slow(90))]
)
def test_gtc_by_tree_and_by_levels_plays_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces: str, unit: str
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    options = ("gtc", "--rules", "blitz", "-p", pieces, "--agent", "panda:3", "-g", "50", "--json")
    tree = run(*options, "--method", "tree")
    levels = run(*options, "--method", "levels")
    assert tree.json["measures"] == levels.json["measures"]
    assert "kept for the next run" in levels.err
    assert unit in levels.err
    again = run(*options, "--method", "levels")
    assert (again.out, again.err) == (levels.out, "")
    assert list(tmp_path.glob("levels/blitz-2-*.level"))


def test_levels_and_trees_of_few_pieces_play_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    rules = replace(urcx.ruleset("finkel"), pieces=1)
    results = []
    for method in ("tree", "levels", "auto"):
        ready = Policies(rules, 20, method=method, threads=1)
        played = urcx.simulate("expectimax:2", "optimal", rules, games=20, policies=ready)
        results.append(played.records.tolist())
    assert results[0] == results[1] == results[2]


def test_moves_with_an_agents_opinion() -> None:
    position = ("moves", "5,8/3,6,9/2-3/L", "--roll", "1")
    rows = run(*position, "--agent", "greedy", "--json").json["rows"]
    # Both 5-6 and 8-9 capture; of these greedy takes the more advanced piece.
    assert [row["from"] for row in rows if row["best"]] == [8]
    rows = run(*position, "--agent", "panda:2", "--json").json["rows"]
    assert max(row["value"] for row in rows if not row["best"]) < max(r["value"] for r in rows)
    rows = run(*position, "--agent", "random", "--json").json["rows"]
    assert [row["plays"] for row in rows] == ["1/3"] * 3
    out = run(*position, "--agent", "random").out
    assert out.count("  1/3\n") == 3
    assert "value" not in out  # it has none
    assert "choice" not in out  # nor is any move better to it
    out = run(*position, "--agent", "panda:2").out
    marked = [line for line in out.splitlines() if line.endswith(("best", "best        1"))]
    assert [line.split()[2] for line in marked] == [
        f"{row['from']}-{row['to']}"
        for row in run(*position, "--agent", "panda:2", "--json").json["rows"]
        if row["best"]
    ]
    # Light's last piece has no choice.
    out = run("moves", "13/-/6-0/L", "--roll", "2", "--agent", "panda:2").out
    assert "only" in out
    every = run("moves", "5,8/3,6,9/2-3/L", "--agent", "last", "--json").json["rows"]
    played = [row["roll"] for row in every if not row["pass"] and row["plays"] == "1"]
    assert played == [1, 2, 3, 4]


@pytest.mark.parametrize("ties", ["first", "last", "random"])
def test_what_an_agent_plays_is_what_it_played(ties: str) -> None:
    # By hand: three moves by one step, none captures or ends on a rosette; all advance as far.
    rows = run("moves", "5,9/-/0-0/L", "--roll", "1", "--agent", f"expectimax:1:{ties}", "--json")
    equal = [row for row in rows.json["rows"] if row["best"]]
    assert [row["from"] for row in equal] == [0, 5, 9]
    share = {"first": ["1", "0"], "last": ["0", "1"], "random": ["1/3", "1/3"]}[ties]
    assert [equal[0]["plays"], equal[-1]["plays"]] == share


def test_a_pass_leads_to_the_others_turn() -> None:
    (row,) = run("moves", "2/3,6/5-5/L", "--roll", "0", "--json").json["rows"]
    assert (row["pass"], row["position"]) == (True, "2/3,6/5-5/D")
    assert "pass  2/3,6/5-5/D" in run("moves", "2/3,6/5-5/L", "--roll", "0").out


def test_an_own_agents_opinion(own: Path) -> None:
    rows = run("moves", "5,8/3/0-0/L", "--roll", "1", "--agent", f"{own}:last", "--json").json[
        "rows"
    ]
    assert [row["from"] for row in rows if row["best"]] == [8]


def test_match_as_json_and_as_a_table() -> None:
    data = run("match", "random", "greedy", "first", "--games", "50", "--json").json
    assert data["schema"] == "urcx.match/1"
    assert len(data["rows"]) == 6  # each against each, itself included
    for row in data["rows"]:
        assert row["ci95_low"] <= row["share"] <= row["ci95_high"]
    greedy = next(row for row in data["rows"] if (row["agent"], row["opponent"])[1] == "greedy")
    assert greedy["share"] < 0.3
    out = run("match", "random", "greedy", "--games", "20", "--habits").out
    assert "captures when possible" in out
    habits = run("match", "random", "greedy", "--games", "20", "--habits", "--json").json["habits"]
    assert habits["greedy"]["capture_chosen"]["mean"] == 1.0


def test_pieces_are_said_where_they_are_others(tmp_path: Path) -> None:
    few = ("random", "-g", "4", "-p", "2")
    assert "finkel, 2 pieces a side, seed 1" in run("match", *few).out
    assert run("match", *few, "--json").json["pieces"] == 2
    assert "finkel, seed 1" in run("match", "random", "-g", "4").out
    drawn = tmp_path / "games.svg"
    out = run("gtc", "--agent", *few, "--plot", str(drawn)).out
    assert "finkel, 2 pieces a side, seed 1" in out
    assert "finkel, 2 pieces a side, seed 1" in drawn.read_text("utf-8")
    assert run("gtc", "--agent", *few, "--json").json["pieces"] == 2


def test_shares_of_a_match_have_their_intervals() -> None:
    pair = ("match", "random", "greedy", "--games", "40", "--seed", "1")
    rows = {(r["agent"], r["opponent"]): r for r in run(*pair, "--json").json["rows"]}
    row = rows["random", "greedy"]
    # Wilson's interval, by its equation: (p - share)**2 = z**2 p (1 - p) / n at both its ends.
    for end in (row["ci95_low"], row["ci95_high"]):
        assert (end - row["share"]) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / 40)
    cell = f"({100 * row['ci95_low']:.2f} to {100 * row['ci95_high']:.2f})"
    out = run(*pair).out
    assert f"{row['share']:.2%} {cell}" in out
    assert "an agent against itself: the wins of one of two copies" in out
    assert run("match", "random", "--games", "4", "--json").json["agents"] == ["random"]


def test_options_hold_for_the_agents_that_leave_them_open() -> None:
    out = run("match", "last", "panda:1", "expectimax", "--depth", "2", "-p", "1", "-g", "4").out
    assert "expectimax:2" in out
    assert "panda:1" in out
    assert run("gtc", "--light", "last", "--agent", "first", "-g", "2").code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gtc", "--games", "0"], "0 games"),
        (["gtc", "--depth", "0"], "depth 0"),
        (["gtc", "--agent", "greedy", "--depth", "3"], "--depth needs an agent that looks"),
        (["gtc", "--agent", "last", "--leaf", "advance+centre"], "expectimax or panda"),
        (
            ["gtc", "--agent", "random", "--ties", "last"],
            "greedy, gain, expectimax, optimal, panda, net or",
        ),
        (
            ["match", "greedy", "panda:2", "--depth", "3"],
            "leaves it open: expectimax, panda, net or learned",
        ),
        (["moves", "--agent", "greedy", "--depth", "2"], "expectimax, panda, net or learned"),
        (["moves", "--depth", "2"], "need --agent"),
        (["moves", "--leaf", "advance"], "need --agent"),
        (["gtc", "--light", "last", "--dark", "first", "--agent", "foo"], "leave out --agent"),
        (["gtc", "--agent", "pnda"], "did you mean panda"),
        (["gtc", "--agent", "greedy:3"], "does not look ahead"),
        (["gtc", "--agent", "panda:x"], "'x' is no depth"),
        (["gtc", "--agent", "panda:2:3"], "second depth"),
        (["gtc", "--agent", "random:last"], "no two moves"),
        (["gtc", "--leaf", "best"], "unknown leaf"),
        (["gtc", "--agent", "greedy", "--ties", "x"], "unknown tie rule"),
        (["gtc", "--first", "me", "--agent", "random"], "unknown first mover"),
        (["gtc", "--method", "x"], "unknown method"),
        (["gtc", "--seed", "-1", "--agent", "random"], "seed -1"),
        (["gtc", "--threads", "0", "--agent", "random"], "0 threads"),
        (["gtc", "--rules", "chess"], "unknown rule set"),
        (["gtc", "--agent", "nowhere.py:f"], "no file nowhere.py"),
        (
            ["gtc", "--method", "levels", "--rules", "murray"],
            "there are no levels: the path murray",
        ),
        (["gtc", "--agent", "expectimax:20"], "take at most"),
        (["match", "random", "random"], "twice"),
        (["match", "random", "--games", "1"], "1 games"),
    ],
)
def test_bad_input(arguments: list[str], says: str) -> None:
    assert says in assert_one_line(run(*arguments), 2 if "take at most" not in says else 1)


@pytest.mark.parametrize(("name", "says"), [("wrong", "chose None in"), ("broken", "no idea")])
def test_own_agents_that_fail_name_the_position(own: Path, name: str, says: str) -> None:
    line = assert_one_line(run("gtc", "--agent", f"{own}:{name}", "--games", "3"), 2)
    assert says in line
    assert "/0-0/" in line


def test_own_agents_that_cannot_be_read(tmp_path: Path, own: Path) -> None:
    assert "no function nobody" in assert_one_line(run("gtc", "--agent", f"{own}:nobody"), 2)
    bad = tmp_path / "bad.py"
    bad.write_text("1 +", encoding="utf-8")
    assert "SyntaxError" in assert_one_line(run("gtc", "--agent", f"{bad}:f"), 2)
    assert "FILE.py:FUNCTION" in assert_one_line(run("gtc", "--agent", str(bad)), 2)


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
    def rows(*arguments: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(run(*arguments, "--csv").out)))

    played = ("match", "random", "greedy", "-g", "20", "-p", "1", "--habits")
    data = run(*played, "--json").json
    habits = [row for row in rows(*played) if row["kind"] == "habit"]
    assert len(habits) == sum(len(found) for found in data["habits"].values())
    assert all(row["mean"] and row["title"] for row in habits)
    assert [row["kind"] for row in rows(*played)].count("pair") == len(data["rows"])

    branches = [r for r in rows("perft", "--depth", "3", "--divide") if r["kind"] == "branch"]
    levels = run("perft", "--depth", "3", "--json").json["rows"]
    assert sum(int(row["nodes"]) for row in branches) == int(levels[-1]["nodes"])

    assert run("capture", "--csv").out.startswith("step,tile,")
    hunts = [row for row in rows("capture", "1/6/6-6/D") if row["kind"] == "hunt"]
    assert {row["hunter"] for row in hunts} == {"light", "dark"}

    (game,) = (row for row in rows("solve", "-p", "1") if row["kind"] == "game")
    assert float(game["lower"]) <= float(game["opening"]) <= float(game["upper"])


def test_figures_of_seven_pieces_are_not_compared_with_games_of_two() -> None:
    data = run("gtc", "-p", "2", "-g", "20", "--agent", "random", "--json").json
    assert {row["verdict"] for row in data["published"]} == {"another number of pieces"}
    data = run("gtc", "-g", "20", "--agent", "random", "--json").json
    assert "another number of pieces" not in {row["verdict"] for row in data["published"]}
