"""The page as one file: its rules and values are those of urcx, and it plays without a server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import naive
import pytest
from chromium_window import Seen
from explorer_page import GAME, played_on

import urcx
from urcx.explore import export
from urcx.explore.boards import example_game
from urcx.explore.explorer import Explorer
from urcx.explore.files import static_files
from urcx.explore.positions import view_answer
from urcx.explore.schema import ViewRequest
from urcx.played.notation import parse_game

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

FEW = 2  # pieces of the solved game here, so that it is soon written
SAME = ("pass", "from", "to", "from_tile", "to_tile", "captures", "rosette", "rolls_again", "words")
NEAR = 1e-3  # of a network in fixed point, and in floats
AGENTS = "random,greedy"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "SMALL", FEW)
        found = tmp_path_factory.mktemp("export") / "ur.html"
        found.write_text(export.exported(), encoding="utf-8")
        yield found


@pytest.fixture(scope="module")
def address(file: Path) -> str:
    return file.as_uri()


@pytest.fixture(scope="module")
def api(chromium: Browser, file: Path) -> Page:
    """Return a page with only the API of the file."""
    page = file.read_text(encoding="utf-8")
    begin = page.index('<script type="application/json" id="offline">')
    data = page[begin : page.index("</script>", begin)]
    scripts = {name: text.decode() for name, text in static_files().items()}
    made = chromium.new_page()
    script = f"{export.bundled(scripts, 'api')} window.api = modules.api;"
    made.set_content(f'{data}</script><script type="module">{script}</script>')
    made.wait_for_function("window.api")
    return made


@pytest.mark.parametrize(("pieces", "near"), [(FEW, 1e-7), (7, NEAR)])
def test_views_are_those_of_the_server(api: Page, pieces: int, near: float) -> None:
    explorer = Explorer(solves=False)
    explorer.solve_now(explorer.ruleset("finkel", FEW))
    for name in AGENTS.split(","):
        explorer.players.get(name, explorer.ruleset("finkel", pieces), None)
    rules = urcx.ruleset("finkel", pieces=pieces)
    over = f"-/2/{pieces}-0/D"
    for position in [over, *map(str, naive.random_positions(rules, 60, seed=pieces))]:
        asked = {"pieces": pieces, "position": position, "agents": AGENTS}
        wanted = view_answer(
            explorer, ViewRequest("finkel", pieces, position, agents=AGENTS.split(","))
        )
        found = api.evaluate("asked => api.get('view', asked)", asked)
        for name in ("position", "to_move", "winner"):
            assert found[name] == wanted[name]
        assert found["value"] == pytest.approx(wanted["value"], abs=near)
        assert found["light_value"] == pytest.approx(wanted["light_value"], abs=near)
        for one, other in zip(found["rolls"], wanted["rolls"], strict=True):
            assert (one["roll"], one["chance"]) == (other["roll"], other["chance"])
            ours, theirs = ({move["from"]: move for move in r["moves"]} for r in (one, other))
            assert ours.keys() == theirs.keys()
            for start, move in theirs.items():
                assert [ours[start][name] for name in SAME] == [move[name] for name in SAME]
                assert ours[start]["value"] == pytest.approx(move["value"], abs=near)
                if not move["pass"]:
                    assert ours[start]["plays"] == move["plays"]
                assert ours[start]["position"] == move["position"]
        if pieces == FEW and found["winner"] is None:
            assert found["lower"] <= wanted["value"] <= found["upper"]


def test_wrong_positions_and_other_games_are_refused(api: Page) -> None:
    for position in ("5,8/8/0-0/L", "5,5/-/0-0/L", "15/-/0-0/L", "1,2,3/-/0-0/L", "-/-/2-2/L", "x"):
        found = api.evaluate("position => api.get('check', {position, pieces: 2})", position)
        assert not found["ok"], position
        assert found["error"]
    told = api.evaluate("api.get('board', {pieces: 4}).catch(error => error.message)")
    assert "urcx explore has all" in told


def test_games_are_played_taken_back_and_go_on(api: Page) -> None:
    def post(**asked: Any) -> dict[str, Any]:
        found: dict[str, Any] = api.evaluate("asked => api.post('game', asked)", asked)
        return found

    game = post(new={"rules": "finkel", "pieces": 2, "light": "you", "dark": "optimal"})
    plies = 0
    while game["result"] == "unfinished":
        game = post(text=game["notation"], do=[{"answer": "optimal"}])
        plies += 1
        (row,) = game["played"]
        assert (row["ply"], row["regret"]) == (plies, 0)
    assert game["position"].split("/")[2].split("-").count("2") == 1
    roll = game["rows"][-1]["roll"]
    back = post(text=game["notation"], do=[{"undo": 1}])
    assert (back["roll"], len(back["rows"]), len(back["undone"])) == (roll, plies - 1, 1)
    again = post(text=back["notation"], do=[{"redo": 1}])
    assert again["position"] == game["position"]
    assert json.loads(again["notation"])["undone"] == []
    wrong = "asked => api.post('game', asked).catch(error => error.message)"
    told = api.evaluate(wrong, {"text": back["notation"], "do": [{"play": "14-14"}]})
    assert "legal move" in told


def test_an_opponent_errs_in_its_share_of_decisions(api: Page) -> None:
    drawn = """async ([agent, times]) => {
        const found = {};
        for (let k = 0; k < times; k += 1) {
            const game = { pieces: 7, position: "4,8/3,10,12/2-1/L", roll: 2 };
            const after = await api.post("game", { new: game, do: [{ answer: agent }] });
            const { from } = after.rows[0];
            found[from] = (found[from] ?? 0) + 1;
        }
        return found;
    }"""
    moves = urcx.Game("finkel", "4,8/3,10,12/2-1/L").legal_moves(2)
    (best,) = api.evaluate(drawn, ["learned", 1])
    found = api.evaluate(drawn, ["mistakes:60:learned", 400])
    assert set(map(int, found)) == {move.start for move in moves}
    assert found[best] / 400 == pytest.approx(0.4 + 0.6 / len(moves), abs=0.1)
    assert api.evaluate(drawn, ["mistakes:0:learned", 20]) == {best: 20}


@pytest.mark.jit
def test_the_file_opens_at_what_costs_greedy_most() -> None:
    worst = urcx.mistakes("greedy", urcx.ruleset("finkel", pieces=export.SMALL)).rows[0]
    assert {"position": str(worst.position), "roll": worst.roll} == export.OPENING


def test_the_file_plays_and_asks_for_nothing(chromium: Browser, address: str) -> None:
    seen = Seen(chromium, address, first_visit=True)
    page = seen.go()
    page.click("dialog button:text-is('Play')")
    page.click("[data-place=dice]")
    page.wait_for_selector(".dice .cast", state="attached")
    page.press("#tab-play", "ArrowRight")  # past the hidden tabs
    assert page.get_attribute("#tab-explore", "aria-selected") == "true"
    assert page.is_hidden("#tab-review")
    page.wait_for_selector("text=proven, \u00b1")
    page.click("[data-key=roll-4]")
    page.wait_for_selector(".arrow.best")
    assert page.locator("#pieces option").all_inner_texts() == [str(FEW), "7"]
    page.select_option("#pieces", "7")
    page.wait_for_selector("#headline:has-text('\u2248')")
    assert "no solution of the whole game" in (page.text_content("#status") or "")
    assert page.is_visible(f"button:has-text('With {FEW} pieces this game is solved')")
    page.click("#tab-play")
    page.click("text=Begin")
    page.wait_for_selector("[data-place=dice]")
    played_on(page, 3)
    page.reload()
    page.wait_for_selector("#panel .card")
    seen.close()


@pytest.mark.jit
def test_a_review_is_a_file_that_opens_from_disk(chromium: Browser, tmp_path: Path) -> None:
    review = urcx.review(parse_game(GAME))
    file = tmp_path / "game.html"
    file.write_text(export.review_page(review), encoding="utf-8")
    assert file.stat().st_size < 500_000
    seen = Seen(chromium, file.as_uri())
    page = seen.go()
    page.wait_for_selector("[data-key=again]")
    assert [name for name in ("explore", "play", "counts") if page.is_visible(f"#tab-{name}")] == []
    assert page.get_attribute("#tab-review", "aria-selected") == "true"
    assert page.is_hidden("[data-key=load]")
    worst = max(review.plies, key=lambda ply: ply.regret)
    assert page.inner_text("#headline").startswith(f"Ply {worst.number}:")
    assert "Blunder ?? loses" in page.inner_text(".verdict")
    page.click("[data-key=again]")  # the better move is found without a server
    assert worst.best is not None
    way = [f"{worst.side}-start", *getattr(review.rules.path, worst.side)]
    page.wait_for_selector(".place.target")
    page.focus(f'[data-place="{way[worst.best.start]}"]')
    page.keyboard.press("Enter")
    page.wait_for_selector(".place.target", state="detached")
    page.reload()
    page.wait_for_selector("[data-key=again]")
    assert page.is_hidden("#notice")
    seen.close()


@pytest.mark.jit
def test_a_review_by_the_network_is_a_file_with_every_decision_that_loses() -> None:
    review = urcx.review(parse_game(example_game()))
    page = export.review_page(review)
    assert len(page) < 500_000
    stored = page.partition('id="offline">')[2].partition("</script>")[0]
    data = json.loads(stored)
    assert data["review"]["approximate"]
    assert data["game"]["view"]["values"]["source"] == "network"
    places = [data["game"]["start"], *(row["position"] for row in data["game"]["rows"])]
    for place, row in zip(places, data["review"]["rows"], strict=False):
        if row["regret"] > 0:
            (roll,) = data["views"][f"{place} {row['roll']}"]["rolls"]
            best, *_ = roll["moves"]
            assert (best["from"], best["to"]) == (row["best_from"], row["best_to"])
            losses = {(move["from"], move["to"]): move["regret"] for move in roll["moves"]}
            assert losses[row["from"], row["to"]] == row["regret"]
