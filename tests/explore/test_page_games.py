"""Games on the explorer's page in a real browser: played, watched, reviewed and exported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chromium_window import Seen
from explorer_page import (
    DOCS,
    GAME,
    Open,
    box_of,
    entered,
    played_on,
    plies_played,
    reviewed,
    slid,
    unfolded,
)

import urcx

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

REVIEW = "?rules=finkel&pieces=2&view=review"


def begin(seen: Seen, light: str = "you", dark: str = "greedy") -> Page:
    seen.page.goto(f"{seen.address}static/icon.svg")
    seen.page.evaluate('localStorage.setItem("urcx.pace", "0.01")')
    page = seen.go("?rules=finkel&pieces=2&view=play")
    page.click("[data-key=more]")
    page.select_option("[name=light]", light)
    page.select_option("[name=dark]", dark)
    page.fill("[name=seed]", "4")
    page.click("text=Begin")
    page.wait_for_selector("#h-play")
    return page


def test_a_game_against_an_agent_with_hint_and_undo(window: Open) -> None:
    seen = window()
    page = begin(seen)
    page.keyboard.press("r")
    page.keyboard.press("1")  # is played once the roll is there
    # As `urcx play --seed 4 -p 2 --against greedy` in the documentation: 1, 1, then a 4.
    page.wait_for_function('() => document.querySelectorAll("#panel .log tbody tr").length === 2')
    page.keyboard.press("r")
    page.wait_for_selector(".moves button:nth-child(1)")
    assert page.locator(".arrow").count() == 0
    page.keyboard.press("h")
    page.wait_for_selector(".arrow.best")
    assert "56.66\u202f%" in page.inner_text("#panel")
    page.click(".moves button:has-text('A4 to B1')")
    plies_played(page, 4)
    page.keyboard.press("u")
    page.wait_for_selector(".moves button")
    page.wait_for_function('() => document.querySelectorAll("#panel .log tbody tr").length === 2')
    assert page.text_content(".dice:not(.past) .dice-text") == "4"
    page.keyboard.press("Shift+U")
    plies_played(page, 3)
    played_on(page, 8)
    # An answer that does not come loses nothing, nor does a reload.
    kept = page.evaluate('JSON.parse(localStorage.getItem("urcx.game")).notation')
    page.wait_for_selector("[data-place=dice]", state="attached")
    page.route("**/api/game", lambda route: route.abort())
    page.wait_for_function(
        """() => {
          const key = name => document.querySelector("#panel").dispatchEvent(
            new KeyboardEvent("keydown", {key: name, bubbles: true}));
          for (const name of ["r", "1", "p"]) key(name);
          return !document.querySelector("#notice").hidden;
        }""",
        polling=50,
    )
    assert "does not answer" in page.inner_text("#notice-text")
    page.unroute("**/api/game")
    page.reload()
    page.wait_for_selector("#h-play")
    now = page.evaluate('JSON.parse(localStorage.getItem("urcx.game")).notation')
    assert now.startswith(kept.rpartition(".")[0])


def numbers(text: str) -> list[float]:
    return [
        float(found.replace("\u2212", "-")) for found in re.findall(r"[+\u2212]?\d+\.\d+", text)
    ]


def test_a_game_that_was_watched_is_reviewed_and_exported(window: Open, tmp_path: Path) -> None:
    seen = window()
    page = begin(seen, "optimal", "random")
    page.wait_for_selector("#headline:has-text('has won')")
    page.click("button:text-is('Review')")
    page.wait_for_selector(".sum")
    start, *parts, end = numbers(page.inner_text(".sum"))
    light_luck, light_lost, dark_luck, dark_lost = parts
    assert start + (light_luck - light_lost) - (dark_luck - dark_lost) == pytest.approx(
        end, abs=0.03
    )
    assert light_lost == 0
    assert end in {0.0, 100.0}

    unfolded(page, "x-save")

    def saved(name: str) -> str:
        with page.expect_download() as found:
            page.click(f"#panel button:text-is('{name}')")
        found.value.save_as(tmp_path / name)
        return (tmp_path / name).read_text(encoding="utf-8")

    review = json.loads(saved("JSON"))
    assert review["schema"] == "urcx.review/1"
    lost = {side["side"]: side["luck"] - side["lost"] for side in review["sides"]}
    total = review["light_start"] + lost["light"] - lost["dark"]
    assert total == pytest.approx(review["light_end"], abs=1e-12)
    rules = urcx.ruleset("finkel", pieces=2)
    game = urcx.read_game(_written(tmp_path, saved("Text")))
    assert len(game.plies) == len(review["rows"])
    assert urcx.read_game(_written(tmp_path, saved("RGN")), rules).plies == game.plies
    entered(page, (tmp_path / "RGN").read_text(encoding="utf-8"))
    page.wait_for_function('() => !document.querySelector("textarea").value')
    assert numbers(page.inner_text(".sum")) == [start, *parts, end]
    assert saved("SVG").count("<svg") == 1
    unfolded(page, "x-plies")
    page.click("[data-key=ply-3]")
    page.wait_for_selector("#headline:has-text('Ply 3:')")
    page.focus("[data-key=ply]")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#headline:has-text('Ply 2:')")
    assert page.evaluate("document.activeElement.dataset.key") == "ply"
    page.keyboard.press("End")
    page.wait_for_selector("#headline:has-text('has won')")
    winner = urcx.read_game(tmp_path / "game.txt").winner
    assert f"{winner}'s home: 2 pieces" in said_of_places(page)


def said_of_places(page: Page) -> list[str]:
    """Return the label of each place of the board for screen readers."""
    said: list[str] = page.locator("[data-place]").evaluate_all(
        "places => places.map(place => place.getAttribute('aria-label'))"
    )
    return said


def _written(directory: Path, text: str) -> Path:
    file = directory / "game.txt"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_game_is_loaded_and_a_broken_one_is_told(window: Open, tmp_path: Path) -> None:
    page = window().go(REVIEW)
    entered(page, GAME.replace("2. dark 3:0-3", "2. dark 3:0-4"))
    page.wait_for_selector("#notice:not([hidden])")
    assert re.search(r"line \d+", page.inner_text("#notice-text"))
    hostile = GAME.replace("light: anna", "light: <img src=x onerror=alert(1)>")
    page.set_input_files("input[type=file]", _written(tmp_path, hostile))
    page.wait_for_selector(".sum")
    assert page.is_hidden("#notice")
    assert "<img src=x onerror=alert(1)> (light)" in page.inner_text("#panel")
    assert page.locator("#panel img").count() == 0
    # The figures of the documentation's `urcx review examples/game.txt`.
    assert "+19.07" in page.inner_text("#panel")


def test_a_new_game_begins_at_the_start_with_who_can_play(window: Open) -> None:
    page = begin(window(), "random", "optimal")
    plies_played(page, 4)
    page.click("text=New game")
    assert page.locator("[name=from]").count() == 0  # so it is the start
    page.click("[data-key=more]")
    assert page.input_value("[name=dark]") == "optimal"
    page.fill("[name=seed]", "123456789012345678")
    page.click("text=Begin")
    page.wait_for_selector("#notice:has-text('at most 15 digits')")
    page.select_option("#rules", "kwan")  # whose chances are not known
    page.wait_for_selector("[name=dark] option[value=optimal]:disabled", state="attached")
    assert page.input_value("[name=dark]") != "optimal"


def test_an_opponent_without_a_percentage_is_named_with_the_usual_one(window: Open) -> None:
    page = window().go("?view=play")
    page.wait_for_selector("[name=dark]", state="attached")
    names = page.locator("[name=dark] option").all_text_contents()
    assert any(f" {urcx.agent('mistakes').percent}\u202f% of " in name for name in names)
    assert "undefined" not in "".join(names)


def test_a_game_that_was_won_is_no_start_of_another(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2&view=play&position=-/2/2-0/D")
    page.wait_for_selector("[data-key=begin]")
    assert page.locator("[name=from]").count() == 0


def test_undo_waits_for_a_decision_of_yours(window: Open) -> None:
    page = begin(window(), "greedy", "you")
    page.wait_for_selector("#panel .log tbody tr")
    assert page.is_disabled("[data-key=undo]")


def test_a_review_keeps_its_game_and_what_is_typed(window: Open) -> None:
    page = begin(window())
    page.keyboard.press("r")
    page.keyboard.press("1")
    page.wait_for_selector("#panel .log tbody tr")
    page.click("#tab-review")
    page.click("[data-key=other]")
    page.select_option("[data-key=rules]", "blitz")  # the game says its own
    reviewed(page)
    page.wait_for_selector("#h-coach:has-text('anna')")
    page.click("#tab-explore")
    page.click("#tab-review")
    page.wait_for_selector("#h-coach:has-text('anna')")
    assert page.is_hidden("#rules")
    assert "finkel" in page.title()
    unfolded(page, "other")
    page.fill("textarea", "begun")
    slid(page, "ply", [0.97, 0.8, 0.5, 0.2])
    page.wait_for_selector("#headline:has-text('\u2192')")  # before and after the ply
    assert (
        int(page.get_attribute("[data-key=ply]", "aria-valuenow") or 0)
        < len(urcx.read_game(DOCS / "examples" / "game.txt").plies) / 2
    )
    assert page.input_value("textarea") == "begun"


def test_a_list_of_plies_stays_where_it_was_scrolled(window: Open) -> None:
    page = reviewed(window(viewport={"width": 1280, "height": 800}).go(REVIEW))
    unfolded(page, "x-plies")
    page.evaluate('document.querySelector(".log").scrollTop = 100')
    page.evaluate("""document.querySelectorAll(".log button")[7].click()""")
    assert page.evaluate('document.querySelector(".log").scrollTop') == 100


def test_a_ply_that_is_chosen_on_a_phone_is_seen(window: Open) -> None:
    page = reviewed(window(viewport={"width": 390, "height": 844}).go(REVIEW))
    unfolded(page, "x-plies")
    page.click("[data-key=ply-9]")
    page.wait_for_selector("#headline:has-text('Ply 9:')")
    page.click("[data-key=ply-end]")
    page.wait_for_selector("#headline:has-text('has won')")
    assert page.is_visible("tr.here:has-text('Light has won')")
    box = box_of(page.locator("#board svg"))
    assert 0 <= box["y"] < box["y"] + box["height"] <= 844


def test_a_review_opens_at_the_worst_mistake_which_is_tried_again(
    window: Open, file: Path, tmp_path: Path
) -> None:
    page = reviewed(window().go(REVIEW))
    with urcx.open_tablebase(file) as table:
        plies = urcx.review(urcx.read_game(_written(tmp_path, GAME)), table).plies
    worst = max(plies, key=lambda ply: ply.regret)
    assert page.inner_text("#headline").startswith(f"Ply {worst.number}:")
    moves = [one.move for one in worst.hint.moves if one.move]
    way = getattr(urcx.path("bell"), worst.side)
    names = [f"{worst.side}-start", *way]
    words = [move.describe(urcx.path("bell"), light=worst.side == "light") for move in moves]
    best = words[0].partition(",")[0]
    said = page.inner_text(".verdict p")
    assert f"{float(worst.regret):.2%}"[:-1] in said
    assert "best" not in said
    assert page.locator("#board .arrow.best").count() == 0
    unfolded(page, "x-plies")
    grades = [(0.08, "Blunder"), (0.04, "Mistake"), (0.02, "Inaccuracy")]
    assert said.startswith(next(name for least, name in grades if worst.regret >= least))
    signs = {"?!": (0.02, 0.04), "?": (0.04, 0.08), "??": (0.08, 1)}
    for sign, (least, most) in signs.items():
        graded = [ply.number for ply in plies if least <= ply.regret < most]
        rows = page.locator(f".plies tr:has(.grade:text-is('{sign}')) button")
        assert rows.all_inner_texts() == [str(number) for number in graded]
    page.click("[data-key=again]")
    page.wait_for_selector(".place.target")
    assert page.locator("#board .arrow").count() == 0
    assert best not in page.inner_text("#under")
    page.focus(f'[data-place="{names[moves[-1].start]}"]')
    page.keyboard.press("Enter")
    page.wait_for_selector(f".verdict:has-text('{words[-1]} loses')")
    page.focus(f'[data-place="{names[moves[0].start]}"]')
    page.keyboard.press("Enter")
    page.wait_for_selector(f".verdict:has-text('you found {best}')")
    page.wait_for_selector("#board .arrow.best")
    page.click("[data-key=again]")
    page.wait_for_selector(".place.target")
    page.keyboard.press("Escape")
    page.wait_for_selector("[data-key=again]")


def test_a_review_is_gone_through_by_keys_and_by_buttons_and_the_list_follows(window: Open) -> None:
    page = reviewed(window(viewport={"width": 1280, "height": 720}).go(REVIEW))
    unfolded(page, "x-plies")
    page.focus("#panel")
    for key, button, said in (
        ("Home", "first", "The start"),
        ("ArrowRight", "on", "Ply 1:"),
        ("End", "last", "Light has won"),
        ("ArrowLeft", "back", f"Ply {len(urcx.read_game(DOCS / 'examples' / 'game.txt').plies)}:"),
    ):
        page.keyboard.press(key)
        page.wait_for_selector(f"#headline:has-text('{said}')")
        row = page.locator(".plies tr.here")
        if said != "The start":
            inside, box = box_of(row), box_of(page.locator(".plies"))
            assert box["y"] <= inside["y"] <= box["y"] + box["height"] - inside["height"] + 1
        before = {"back": "ply-end", "on": "first"}.get(button, "ply-2")
        page.click(f"[data-key={before}]")
        page.click(f"[data-key={button}]")
        page.wait_for_selector(f"#headline:has-text('{said}')")
