"""The explorer's answers are those of the commands and functions that it uses."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import naive
import pytest
from own_rules import SHORT
from requests_in_place import ask, get, post, sent
from starlette.types import ASGIApp

import urcx
from urcx.complexity import tiles
from urcx.explore import explorer as module
from urcx.explore.app import application
from urcx.explore.explorer import MOST_SOLVED, Explorer
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.pictures import board_svg
from urcx.rules.position import Position
from urcx.solving.files.rgu import open_solution

pytest_plugins = ["explorer_fixtures"]

PLACE = "5,8/3,6/0-0/L"


def test_a_view_has_the_values_of_probe_and_the_moves_of_a_game(app: ASGIApp) -> None:
    view = get(app, f"/api/view?position={PLACE}")
    probed = get(app, f"/api/position?position={PLACE}")
    bounds = ("value", "lower", "upper")
    assert [view[name] for name in bounds] == [probed[name] for name in bounds]
    assert view["light_value"] == view["value"]
    rows = [(one["roll"], move) for one in view["rolls"] for move in one["moves"]]
    for (roll, move), row in zip(rows, probed["rows"], strict=True):
        assert (roll, move["pass"]) == (row["roll"], row["pass"])
        if not row["pass"]:
            assert (move["from"], move["to"]) == (row["from"], row["to"])
            assert move["value"] == pytest.approx(row["value"], abs=1e-15)
            assert move["regret"] == pytest.approx(row["regret"], abs=1e-15)
    game = urcx.Game("finkel", PLACE, pieces=2)
    for one in view["rolls"]:
        legal = {(m.start, m.end): m for m in game.legal_moves(one["roll"])}
        moves = [m for m in one["moves"] if not m["pass"]]
        assert {(m["from"], m["to"]) for m in moves} == set(legal)
        for m in moves:
            move = legal[m["from"], m["to"]]
            assert m["position"] == str(move.position)
            assert (m["captures"], m["rosette"]) == (move.captures, move.rosette)
            assert m["words"] == move.describe(game.rules.path, light=True)
        assert one["moves"][0]["best"]
        assert one["value"] == one["moves"][0]["value"]
    total = sum(one["chance_decimal"] * one["value"] for one in view["rolls"])
    assert total == pytest.approx(view["value"], abs=1e-9)


def test_many_positions_are_what_each_of_them_is(app: ASGIApp) -> None:
    places = [PLACE, "A3/C4/0-0/D", "-/14/2-1/L"]
    for more, query in (({}, ""), ({"roll": 2}, "&roll=2")):
        request = {"positions": places, "rules": "bell", "pieces": 2, **more}
        found = sent(app, "/api/positions", request)
        head = [found[name] for name in ("schema", "rules", "pieces")]
        assert head == ["urcx.positions/1", "finkel", 2]
        for place, one in zip(places, found["positions"], strict=True):
            alone = get(app, f"/api/position?pieces=2&position={place}{query}")
            assert {"schema": "urcx.probe/1", "version": urcx.__version__, **one} == alone
    assert sent(app, "/api/positions", {"pieces": 2})["positions"] == []
    for asked, why in (
        ({"positions": [PLACE, "5/3/0-0"]}, r"positions\[1\]: "),
        ({"positions": [PLACE, 7]}, r"positions\[1\]: position: must be a string"),
        ({"positions": ["x" * 401]}, r"positions\[0\]: position: .* 400 characters"),
        ({"positions": [PLACE], "roll": 9}, r"positions\[0\]: roll 9"),
        ({"positions": PLACE}, "positions: must be a list"),
        ({"positions": [PLACE] * 1001}, "positions: .* 1000 entries"),
        ({"positions": [PLACE], "agents": []}, "unknown parameter 'agents'"),
    ):
        refused = post(app, "/api/positions", {"pieces": 2, **asked})
        assert refused.status == 400
        assert re.match(why, refused.error), refused.error
    assert post(app, "/api/positions", {"positions": [PLACE], "pieces": 7}).status == 404
    assert ask(app, "/api/positions").status == 405


def test_a_view_says_where_pieces_are_and_the_position_s_rank(app: ASGIApp) -> None:
    view = get(app, "/api/view?position=5/3,14/1-0/D&roll=1")
    assert view["to_move"] == "dark"
    assert view["light_value"] == 1.0 - view["value"]
    light = {"start": 0, "home": 1, "pieces": [{"step": 5, "tile": "B1"}]}
    assert view["sides"]["light"] == light
    assert [one["tile"] for one in view["sides"]["dark"]["pieces"]] == ["C2", "C7"]
    assert [one["roll"] for one in view["rolls"]] == [1]
    home = next(m for m in view["rolls"][0]["moves"] if m["from"] == 14)
    assert (home["from_tile"], home["to_tile"]) == ("C7", None)
    for name in ("diagrams", "positions", "mover-view"):
        ranking = urcx.ranking("bell", 2, convention=name)
        assert view["ranks"][name] == {
            "rank": str(ranking.rank("5/3,14/1-0/D")),
            "size": str(ranking.size),
        }
    over = get(app, "/api/view?position=-/14/2-1/L")
    assert (over["winner"], over["rolls"], over["value"], over["lower"]) == ("light", [], 1.0, 1.0)


def test_agents_are_prepared_in_the_background_and_then_say_what_they_play(
    app: ASGIApp,
) -> None:
    asked = f"/api/view?position={PLACE}&roll=1&agents=greedy,expectimax:2:random,optimal,learned"
    for _ in range(600):
        view = get(app, asked)
        if all(one["state"] != "preparing" for one in view["agents"]):
            break
        time.sleep(0.1)
    states = {one["name"]: one for one in view["agents"]}
    assert states["greedy"]["state"] == states["optimal"]["state"] == "ready"
    assert states["learned"]["state"] == "refused"  # the network is of seven pieces
    assert "no network of finkel with 2 pieces" in states["learned"]["message"]
    game = urcx.Game("finkel", PLACE, pieces=2)
    for name in ("greedy", "expectimax:2:random"):
        chances = urcx.agent(name).move_probabilities(game, 1)
        assert {m["from"]: m["plays"][name] for m in view["rolls"][0]["moves"]} == {
            move.start: str(chance) for move, chance in chances.items()
        }
    best = [m["best"] for m in view["rolls"][0]["moves"]]
    plays = [m["plays"]["optimal"] for m in view["rolls"][0]["moves"]]
    assert best[0]
    assert plays == ["1"] + ["0"] * (len(plays) - 1)


@pytest.mark.parametrize("path", ["bell", "murray", "strip"])
def test_a_board_is_drawn_from_the_path_s_data(app: ASGIApp, path: str) -> None:
    board = get(app, f"/api/board?path={path}&pieces=3")
    full = catalogue.read_catalogue_file(SHORT)[0]
    known = full.paths[path]
    assert (board["light"], board["dark"]) == (list(known.light), list(known.dark))
    tiles = {one["name"]: one for one in board["tiles"]}
    assert set(tiles) == set(known.board.tiles)
    places = {(one["x"], one["y"]) for one in tiles.values()}
    assert len(places) == len(tiles)
    assert max(x for x, _ in places) == board["columns"] - 1
    assert max(y for _, y in places) == board["rows"] - 1
    drawn = re.findall(r'class="tile" x="(\d+)" y="(\d+)"', board_svg(known))
    first = min(int(x) for x, _ in drawn)
    shown = [((int(x) - first) // 100, int(y) // 100) for x, y in drawn]
    assert [(one["x"], one["y"]) for one in board["tiles"]] == shown
    for side in ("light", "dark"):
        for step, tile in enumerate(board[side], start=1):
            assert step in tiles[tile][side]
    assert {n for n, one in tiles.items() if one["rosette"]} == set(known.board.rosettes)
    assert tiles["B2"]["zone"] == "shared"
    assert board["dice"] is board["rules"] is None
    row = urcx.ssc(known, 3, enumerate=False)
    assert board["counts"]["forms"]["tile-polynomial"] == board["states"]["diagrams"]
    assert board["states"]["diagrams"] == str(row.exact)


def test_a_board_of_rules_has_their_dice_and_what_protects(app: ASGIApp) -> None:
    finkel, blitz = (get(app, f"/api/board?rules={name}") for name in ("finkel", "blitz"))
    chances = [row["chance"] for row in finkel["dice"]["rolls"]]
    assert chances == ["1/16", "1/4", "3/8", "1/4", "1/16"]
    assert finkel["home"] == {"light": 15, "dark": 15}
    safe = [{t["name"] for t in one["tiles"] if t["safe"]} for one in (finkel, blitz)]
    assert "B4" in safe[0]
    assert "B4" not in safe[1]
    assert blitz["effects"]["capture_grants_roll"]
    assert get(app, "/api/board?rules=seleucid")["effects"] == {
        "rosette_grants_roll": ["A1", "C1"],
        "rosette_protects": True,
        "capture_grants_roll": False,
        "captures_blocked": False,
        "rosette_disarms": False,
    }
    assert finkel["pieces"] == 7


def test_the_catalogue_lists_what_there_is(app: ASGIApp, file: Path) -> None:
    found = get(app, "/api/catalogue")
    start = {"position": "-/-/0-0/L", "roll": None}
    assert found["default"] == {"rules": "finkel", "pieces": 2} | start
    assert found["whole"] is None
    (base,) = found["tablebases"]
    assert base["file"] == file.name
    assert base["bytes"] == file.stat().st_size
    counts = tiles.conventions(urcx.path("bell"), 2)
    assert base["states"] == str(counts["mover-view, finished left out"])
    rules = {one["name"]: one for one in found["rules"]}
    assert {"finkel", "strip"} <= set(rules)
    assert rules["strip"]["solvable_pieces"] == rules["strip"]["pieces"]
    assert 1 <= rules["finkel"]["solvable_pieces"] < 7
    assert {one["name"] for one in found["paths"]} >= {*urcx.path_names(), "strip"}
    assert str(file.parent) not in str(found)


def test_checks_say_what_is_wrong_with_a_position(app: ASGIApp) -> None:
    good = get(app, "/api/check?position=8,5/6,3/0-0/D")
    assert (good["ok"], good["position"], good["error"]) == (True, "5,8/3,6/0-0/D", None)
    bad = get(app, "/api/check?position=5,8/8/0-0/L")
    assert not bad["ok"]
    assert bad["error"] == "dark: both players are on tile B4"


def test_a_small_game_is_solved_in_the_background(app: ASGIApp) -> None:
    asked = "/api/values?rules=strip&pieces=1"
    assert get(app, asked)["state"] == "solvable"
    refused = ask(app, "/api/position?rules=strip&pieces=1")
    assert refused.status == 404
    assert "POST /api/values" in refused.error
    now = sent(app, "/api/values", {"rules": "strip", "pieces": 1})
    assert now["state"] in ("solving", "known")
    for _ in range(600):
        now = get(app, asked)
        if now["state"] == "known":
            break
        time.sleep(0.1)
    assert now["source"] == "solved"
    value = get(app, "/api/position?rules=strip&pieces=1")["value"]
    rules = replace(catalogue.read_catalogue_file(SHORT)[0].rules["strip"], pieces=1)
    assert value == pytest.approx(float(naive.perfect(rules)[Position()]), abs=1e-9)
    elsewhere = application(Explorer(solves=False))
    large = get(elsewhere, "/api/values?rules=finkel")
    assert large["state"] == "unknown"
    assert "urcx solve --rules finkel --yes" in large["message"]
    assert sent(elsewhere, "/api/values", {"rules": "finkel"})["state"] == "unknown"


def test_a_path_that_is_crossed_twice_is_solved_too() -> None:
    explorer = Explorer()
    rules = explorer.ruleset("murray", 1)
    explorer.solve_now(rules)
    view = get(application(explorer), "/api/view?rules=murray&pieces=1&position=26/-/0-0/L")
    home = next(m for one in view["rolls"] for m in one["moves"] if m["to"] == 28)
    assert (home["value"], home["to_tile"]) == (1.0, None)
    assert view["values"]["source"] == "solved"
    large = get(application(explorer), "/api/values?rules=murray")
    assert "take fewer pieces" in large["message"]


def test_few_games_are_solved_at_a_time_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = Explorer(full=catalogue.read_catalogue_file(SHORT)[0])
    queue: list[RuleSet] = []
    monkeypatch.setattr(explorer._solver, "submit", lambda _, rules: queue.append(rules))
    some = [explorer.ruleset(name, 1) for name in ("finkel", "aseb", "blitz", "masters", "kwan")]
    for rules in [*some, explorer.ruleset("strip", 1)] * 2:  # asked twice, solved once
        assert explorer.solve(rules).state == "solving"
    assert len(queue) == MOST_SOLVED
    found = post(application(explorer), "/api/values", {"rules": "strip", "pieces": 2})
    assert (found.status, "other games" in found.error) == (429, True)
    assert found.headers["retry-after"] == "1"
    for rules in queue:
        explorer._solve(rules)
    assert explorer.solve(explorer.ruleset("strip", 2)).state == "solving"
    explorer._solve(queue[-1])
    states = [explorer.known(rules).state for rules in queue]
    assert states == ["solvable"] + ["known"] * MOST_SOLVED  # the first had to go


def test_a_game_that_could_not_be_solved_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(module, "SolvedGame", fails)
    explorer = Explorer()
    monkeypatch.setattr(explorer._solver, "submit", lambda function, rules: function(rules))
    found = explorer.solve(explorer.ruleset("finkel", 1))
    assert (found.state, found.message) == (
        "unknown",
        "the win probabilities of finkel with 1 piece are not known: not enough memory",
    )


def test_a_drawing_is_the_board_with_its_pieces(app: ASGIApp) -> None:
    found = ask(app, f"/api/drawing.svg?position={PLACE}&ways=light")
    assert found.headers["content-type"] == "image/svg+xml"
    text = found.body.decode()
    assert text.count('class="piece light"') == 3  # two on the board, one beside the pool
    assert "way light" in text
    assert "way dark" not in text


def test_two_tablebases_of_the_same_name_are_told_apart(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.urcx"
    strip = catalogue.read_catalogue_file(SHORT)[0].rules["strip"]
    urcx.solve(replace(strip, name="finkel", pieces=1), other)
    with open_solution(file) as one, open_solution(other) as two:
        app = application(Explorer([one, two]))
        bases = get(app, "/api/catalogue")["tablebases"]
        assert [base["rules"] for base in bases] == ["finkel", "finkel-2"]
        light = get(app, "/api/board?rules=finkel-2")["light"]
        assert light == ["A2", "A1", "B1", "B2", "B3", "B4"]
        found = get(app, "/api/position?rules=finkel-2&pieces=1")
        assert (found["file"], found["rules"]) == ("other.urcx", "finkel-2")
        assert found["value"] == two.probe("-/-/0-0/L")


def test_a_damaged_tablebase_is_one_line_without_its_directory(file: Path, tmp_path: Path) -> None:
    with open_solution(file) as base:
        row = base.rows[0, 0]
    data = bytearray(file.read_bytes())
    data[row.offset : row.offset + 8 * row.states] = bytes(8 * row.states)
    broken = tmp_path / "broken.urcx"
    broken.write_bytes(data)
    with open_solution(broken) as base:
        app = application(Explorer([base]))
        found = ask(app, "/api/position")
        assert found.status == 500
        assert "broken.urcx is damaged (layer 0-0)" in found.error
        assert str(tmp_path) not in found.error
        assert ask(app, "/api/position?position=-/14/2-1/L").status == 200
