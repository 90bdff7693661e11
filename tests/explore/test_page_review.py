"""The view Review in a real browser: the coach, the mistakes, the curve, dropped files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from explorer_page import DOCS, GAME, Open, box_of, reviewed, spot

import urcx
from urcx.played.game_review import GRADES

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from urcx.played.game_review import Review

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

REVIEW = "?rules=finkel&pieces=2&view=review"
GRAVE = 0.04  # the least loss of a mistake
DROP = """text => {
  const files = new DataTransfer();
  files.items.add(new File([text], "game.rgn"));
  const drop = name => document.querySelector("#board").dispatchEvent(
    new DragEvent(name, {dataTransfer: files, bubbles: true, cancelable: true}));
  drop("dragover");
  const shown = document.body.classList.contains("dropping");
  drop("drop");
  return shown && !document.body.classList.contains("dropping");
}"""
SENTENCE = """async ([review, players]) =>
  (await import("./static/coach.js")).coachSentence(review, players)"""


@pytest.fixture
def table_review(file: Path) -> Review:
    """Return the review of the documentation's game."""
    with urcx.open_tablebase(file) as table:
        return urcx.review(urcx.read_game(DOCS / "examples" / "game.txt"), table)


def edited(page: Page, name: str, **fields: Any) -> None:
    """Change fields of an answer of the server; dots lead into the answer."""

    def answer(route: Route) -> None:
        response = route.fetch()
        data = response.json()
        for key, value in fields.items():
            *outer, last = key.split("__")
            place = data
            for part in outer:
                place = place[part]
            place[last] = value
        route.fulfill(response=response, json=data)

    page.route(f"**/api/{name}", answer)


def test_the_coach_names_losses_luck_and_grades(window: Open, table_review: Review) -> None:
    page = window().go(REVIEW)
    light, dark = table_review.sides
    coach = page.locator("#h-coach")
    reviewed(page)
    for side, name in ((light, "Light (anna)"), (dark, "Dark (greedy)")):
        lost, luck = 100 * float(side.lost), 100 * float(side.luck)
        dice = f"gave {side.side} {luck:.1f}" if luck > 0 else f"took {-luck:.1f} from {side.side}"
        words = f"{name} lost {lost:.1f} points by decisions; the dice {dice}."
        assert words in coach.inner_text()
    bars = [box_of(bar)["width"] for bar in page.locator(".tally rect").all()]
    sizes = [abs(float(size)) for side in (light, dark) for size in (side.luck, side.lost)]
    assert [bar / max(bars) for bar in bars] == pytest.approx(
        [size / max(sizes) for size in sizes], abs=0.02
    )


def test_the_coach_speaks_to_you_and_marks_estimates(window: Open) -> None:
    page = window().go(REVIEW)
    sides = [
        {"side": "light", "luck": -0.034, "lost": 0.333},
        {"side": "dark", "luck": 0.1, "lost": 0},
    ]
    row = {"side": "light", "regret": 0.0}
    rows = [row | {"grade": grade} for grade in ("blunder", "mistake", "mistake", None)]
    grades = [{"name": grade.name, "sign": grade.sign} for grade in GRADES]
    answer = {"sides": sides, "rows": rows, "grades": grades}

    def said(approximate: bool, **players: str) -> str:
        review = answer | {"approximate": approximate}
        return str(page.evaluate(SENTENCE, [review, players])).replace("\u00a0", " ")

    you = "You lost 33.3 points by decisions; the dice took 3.4 from you."
    assert said(False, light="you", dark="greedy") == you
    near = "You lost \u2248 33 points by decisions; the dice took \u2248 3 from you."
    assert said(True, light="you", dark="greedy") == near
    dark = "You lost nothing by decisions; the dice gave you 10.0."
    assert said(False, light="greedy", dark="you") == dark
    both = said(False, light="you", dark="you")
    assert both.startswith("Light (you) lost 33.3 points")
    assert "Dark (you) lost nothing" in both
    words = "async review => (await import('./static/coach.js')).gradesInWords(review, 'light')"
    assert page.evaluate(words, answer) == "One blunder, two mistakes."


def test_estimates_are_marked_and_made_exact_on_demand(window: Open) -> None:
    page = window().go(REVIEW)
    edited(page, "review", approximate=True, bound=None)
    solvable = {"state": "solvable", "source": "network", "fits": True, "takes": "80 s"}
    edited(page, "game", view__values=solvable)
    reviewed(page)
    assert "\u2248" in page.inner_text("#h-coach")
    assert re.search(r"\u2248 \d+\.\d\u202f%", page.inner_text("#headline"))
    assert re.fullmatch(r"\w+ \?+!? loses \u2248\s\d+\.\d points\.", page.inner_text(".verdict p"))
    assert page.is_hidden("#status .hint")
    requests: list[Any] = []

    def solve(route: Route) -> None:
        requests.append(route.request.post_data_json)
        route.fulfill(json={})

    page.route("**/api/values", solve)
    page.unroute("**/api/review")
    page.unroute("**/api/game")
    page.click("[data-key=exact]")
    page.wait_for_selector("text=Win probabilities are proven")
    assert "\u2248" not in page.inner_text("#h-coach")
    assert requests == [{"rules": "finkel", "pieces": 2, "stop": False}]


def test_better_moves_are_found_or_revealed_and_counted(window: Open, table_review: Review) -> None:
    page = reviewed(window().go(REVIEW))
    grave = sorted((p for p in table_review.plies if p.regret >= GRAVE), key=lambda p: -p.regret)
    strip = page.locator(".boards button")
    numbers = [re.search(r"\d+", name)[0] for name in labels(strip)]  # type: ignore[index]
    assert numbers == [str(ply.number) for ply in grave]
    assert len(grave) > 1
    assert page.locator(".small-board .best").count() == 0
    counter = page.locator("#h-mistakes + p")
    assert counter.inner_text() == f"0 of {len(grave)} found"
    page.click("[data-key=again]")
    page.wait_for_selector(".place.target")
    best = grave[0].hint.moves[0].move
    assert best is not None
    way = getattr(urcx.path("bell"), grave[0].side)
    page.mouse.click(
        *spot(page, f"{grave[0].side}-start" if best.start == 0 else way[best.start - 1])
    )
    page.wait_for_selector("[data-key=next]")
    assert counter.inner_text() == f"1 of {len(grave)} found"
    assert "found" in labels(strip)[0]
    assert page.locator(".small-board .arrow.best").count() == 1
    page.click("[data-key=next]")
    page.wait_for_selector(f"#headline:has-text('Ply {grave[1].number}:')")
    page.click("[data-key=reveal]")
    page.wait_for_selector(".verdict:has-text('best was')")
    assert counter.inner_text() == f"1 of {len(grave)} found"
    assert "revealed" in labels(strip)[1]
    page.click("[data-key=worse]")
    page.wait_for_selector(f"#headline:has-text('Ply {grave[0].number}:')")


def labels(buttons: Any) -> list[str]:
    """Return the names of buttons for screen readers."""
    names: list[str] = buttons.evaluate_all(
        "buttons => buttons.map(button => button.getAttribute('aria-label'))"
    )
    return names


def test_your_mistakes_are_those_of_your_side(window: Open, table_review: Review) -> None:
    page = window().go(REVIEW)
    page.fill("textarea", GAME.replace("light: anna", "light: you"))
    page.click("text=Review it")
    page.wait_for_selector("#h-mistakes:has-text('Your mistakes')")
    worst = table_review.side("light").worst
    assert worst is not None
    page.wait_for_selector(f"#headline:has-text('Ply {worst.number}: light')")
    assert page.inner_text("#h-coach").startswith("You lost")
    assert "Dark" not in page.inner_text("#h-coach")


def test_the_curve_leads_to_each_ply(window: Open) -> None:
    page = reviewed(window().go(REVIEW))
    plies = len(urcx.read_game(DOCS / "examples" / "game.txt").plies)
    box = box_of(page.locator(".curve"))
    for ply in (3, 9):
        page.mouse.click(box["x"] + box["width"] * ply / plies, box["y"] + 10)
        page.wait_for_selector(f"#headline:has-text('Ply {ply}:')")
        assert page.get_attribute(".curve", "aria-valuenow") == str(ply)
        assert float(page.get_attribute(".curve .cursor", "x1") or 0) == ply
    page.press("[data-key=ply]", "ArrowLeft")
    page.wait_for_selector("#headline:has-text('Ply 8:')")
    assert page.locator(".chart").count() == 0


def test_a_dropped_file_and_an_example_are_reviewed(window: Open) -> None:
    page = window().go(REVIEW)
    assert page.locator(".lines li").count() == 3
    assert page.evaluate(DROP, urcx.read_game(DOCS / "examples" / "game.txt").to_rgn())
    page.wait_for_selector(".sum")
    assert "+19.07" in page.inner_text("#panel")
    edited(page, "catalogue", example_game=GAME)
    page.reload()
    page.click("[data-key=example]")
    page.wait_for_selector("#h-coach:has-text('anna')")
