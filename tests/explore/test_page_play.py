"""Play on the explorer's page in a real browser: a first visit, the board, the levels, the end."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from explorer_page import Open, box_of, played_on, plies_played, throw

import urcx
from urcx.explore.boards import board_members, opponents
from urcx.played.players import thrown

if TYPE_CHECKING:
    from chromium_window import Seen
    from playwright.sync_api import Page, Route

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

WHOLE = "?view=play&rules=finkel&pieces=7"
QUICK = "localStorage.setItem('urcx.pace', '0.01')"
BOXES = """() => Object.fromEntries([...document.querySelectorAll(
  "#board svg, #panel h2, #panel .say, #panel .choices, #panel button[data-key]:not(.moves *), "
  + "#panel .log, #panel input")].map((element, k) => {
  const {x, y, width, height} = element.getBoundingClientRect();
  return [`${k} ${element.dataset.key ?? element.className.baseVal ?? element.className}`,
          [x, y, width, height].join()];
}))"""


def begun(seen: Seen, query: str = WHOLE, **fields: str) -> Page:
    """Begin a game of the form with some fields."""
    page = seen.go(query)
    page.click("[data-key=more]")
    for name, value in fields.items():
        if name == "seed":
            page.fill("[name=seed]", value)
        else:
            page.select_option(f"[name={name}]", value)
    page.click("[data-key=begin]")
    page.wait_for_selector("#panel .choices")
    return page


def clicked_on_board(page: Page) -> None:
    """Throw the dice, or move the first piece with a move, as soon as that is possible."""
    page.locator("[data-place=dice], .place.grab").first.click()


def test_a_first_visit_throws_and_moves_on_the_board_alone(window: Open) -> None:
    seen = window(first_visit=True)
    seen.context.add_init_script(QUICK)
    page = seen.go()
    page.click("dialog button:text-is('Play')")
    page.wait_for_selector("[data-place=dice]")
    assert page.locator("dialog").count() == 0
    while page.locator("#panel .log td:text-is('light')").count() < 5:
        clicked_on_board(page)  # forced passes need no click
    assert "First game" in page.inner_text("#h-play")


def test_the_introduction_counts_the_piece_on_its_way(window: Open) -> None:
    page = window(first_visit=True, reduced_motion="no-preference").go()
    page.wait_for_selector(".intro .captions li:nth-child(2).on")
    texts = page.locator(".intro-board .pool-name").all_text_contents()
    start = next(k for k, text in enumerate(texts) if "light start" in text)
    assert texts[start : start + 2] == ["▸ light start", "1"], "one of the two is on its way"


def test_the_introduction_goes_on_with_a_saved_game(window: Open) -> None:
    seen = window()
    page = begun(seen, dark="greedy", seed="4")
    played_on(page, 6)
    notation = "() => JSON.parse(localStorage.getItem('urcx.game')).notation"
    page.goto(page.url.partition("?")[0])
    page.wait_for_selector("#panel .strip")
    game = page.evaluate(notation)
    page.click("#help-open")
    page.click("text=Show how to play")
    page.click("dialog button:text-is('Play')")
    page.wait_for_selector("#panel .choices")
    plies_played(page, 6)
    assert page.evaluate(notation).startswith(game.partition("\n\n")[0])


def test_an_answer_for_another_view_is_dropped(window: Open) -> None:
    page = begun(window(), light="greedy", dark="greedy", seed="4")
    plies_played(page, 1)
    late: list[Route] = []

    def held(route: Route) -> None:
        late.append(route)

    page.route("**/api/game", held)
    with page.expect_request("**/api/game"):
        pass
    page.click("#tab-explore")
    page.wait_for_selector("#panel .strip")
    position = page.url
    with page.expect_response("**/api/game"):
        late[0].continue_()
    page.unroute("**/api/game")
    page.wait_for_selector("#panel .strip")
    assert page.url == position
    page.click("#tab-play")
    plies_played(page, 4)


def test_an_introduction_has_all_captions_at_once_without_motion(window: Open) -> None:
    page = window(first_visit=True).go()
    assert page.locator("dialog .captions li.on").count() == 4
    assert "marked corners count" in page.inner_text("dialog")
    assert page.eval_on_selector("dialog .way", "line => line.style.strokeDashoffset") == "0"
    assert page.evaluate("document.activeElement.textContent") == "Play"
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.goto(page.url.partition("?")[0])
    page.wait_for_selector("#panel .card")
    assert page.locator("dialog").count() == 0
    page.click("#help-open")
    about = page.inner_text("#about")
    assert "A piece that lands on an enemy sends it back to the start." in about
    page.click("text=Show how to play")
    page.wait_for_selector("dialog .captions")
    assert page.is_hidden("#help")


def test_a_piece_walks_while_the_captions_appear(window: Open) -> None:
    page = window(first_visit=True, reduced_motion="no-preference").go()
    counts = []
    for at in (1, 2, 3, 4):
        page.wait_for_function(
            "at => document.querySelectorAll('dialog .captions li.on').length >= at", arg=at
        )
        counts.append(page.locator("dialog .piece.dark").count())
    assert counts == [2] * 4  # captured, and back in the start pool
    page.wait_for_selector("dialog.done")
    home = page.get_attribute("dialog [data-place=light-home]", "aria-label")
    assert home == "light's home: 1 piece"


@pytest.mark.parametrize(
    "query",
    [
        "?position=5,8/3,6/0-0/L",
        *(pytest.param(q, marks=pytest.mark.slow) for q in (WHOLE, "?rules=kwan", "?roll=2")),
    ],
)
def test_a_link_shows_no_introduction(window: Open, query: str) -> None:
    page = window(first_visit=True).go(query)
    page.wait_for_selector("#headline:not(:empty)")
    assert page.locator("dialog").count() == 0
    assert page.evaluate("localStorage.getItem('urcx.seen')") is None


@pytest.mark.parametrize("width", [pytest.param(1366, marks=pytest.mark.slow), 390])
@pytest.mark.parametrize("light", ["you", pytest.param("greedy", marks=pytest.mark.slow)])
def test_nothing_moves_between_plies(window: Open, width: int, light: str) -> None:
    seen = window(viewport={"width": width, "height": 844})
    seen.page.goto(f"{seen.address}static/icon.svg")
    seen.page.evaluate(QUICK)
    page = begun(seen, light=light, dark="greedy", seed="3")
    page.evaluate("window.undo = document.querySelector('[data-key=undo]')")
    before = page.evaluate(BOXES)
    assert len(before) > 10
    for plies in range(1, 21):
        played_on(page, plies)
        assert page.evaluate(BOXES) == before, plies
    assert page.evaluate("window.undo.isConnected")
    assert page.locator("#panel .log th").all_inner_texts() == ["Ply", "Side", "Roll", "Move"]


def test_a_forced_pass_passes_by_itself(window: Open) -> None:
    dice = urcx.ruleset("finkel").dice
    seed = next(seed for seed in count(1) if thrown(dice, seed, 0) == 0)
    page = begun(window(), seed=str(seed))
    throw(page)
    page.wait_for_selector(".choices:has-text('No legal move with a 0')")
    plies_played(page, 1)
    assert page.locator("#panel .log tr:last-child td").all_inner_texts()[1:] == [
        "light", "0", "pass",
    ]  # fmt: skip


def test_pieces_that_can_move_have_a_ring_and_show_their_target(window: Open) -> None:
    page = begun(window(), f"{WHOLE}&position=4,8/3,10,12/2-1/L", seed="3")
    assert page.locator(".able").count() == 0
    page.click('[data-place="B4"]')
    assert page.inner_text("#notice-text") == "Throw the dice first"
    throw(page)
    moves = page.locator(".moves li").count()
    assert page.locator(".able").count() == moves > 1
    assert page.locator(".place.pointed").count() == 0
    for place in page.locator(".place.grab").all():
        place.hover()
        label = str(place.get_attribute("aria-label"))
        target = label.rpartition("moves to ")[2].replace("'s ", "-")
        assert page.get_attribute(".place.pointed", "data-place") == target
    page.mouse.move(0, 0)
    assert page.locator(".place.pointed").count() == 0
    page.focus('[data-place="B4"]')
    for key in ("ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    assert page.get_attribute(".place.pointed", "data-place") == "B6"
    page.focus("[data-key=save]")
    assert page.locator(".place.pointed").count() == 0


def test_win_probabilities_are_shown_on_demand(window: Open) -> None:
    page = begun(window(), seed="3")
    assert "%" not in page.inner_text("#table")
    assert page.locator(".bar").count() == 0
    page.check("[data-key=chances]")
    page.wait_for_selector("#headline:has-text('%')")
    assert page.locator(".bar").count() == 1
    page.click("text=New game")
    page.click("[data-key=begin]")
    page.wait_for_selector("#headline:has-text('%')")


def test_five_levels_have_their_win_rates(window: Open) -> None:
    page = window().go(WHOLE)
    levels = page.locator(".levels label")
    titles = ["First game", "Easy", "Fair", "Hard", "Perfect"]
    assert levels.locator("span").all_inner_texts() == titles
    known = opponents(urcx.ruleset("finkel"))
    rates = []
    for k, title in enumerate(titles):
        levels.nth(k).click()
        strength = known[page.input_value("[name=dark]")]
        rates.append(strength["wins"])
        shown = f"{100 * strength['wins']:.{1 if strength['within'] else 2}f}\u202f%"
        assert shown in levels.nth(k).inner_text(), title
        assert f"{shown} against optimal play" in str(levels.nth(k).get_attribute("title")), title
    assert rates == sorted(rates)
    assert page.input_value("[name=dark]") == "learned"
    assert "Perfect is the network here" in page.inner_text("#new-game")
    page.select_option("[name=side]", "dark")
    assert page.input_value("[name=light]") == "learned"
    assert page.input_value("[name=dark]") == "you"
    page.click("[data-key=more]")
    page.select_option("[name=dark]", "random")  # two agents are no level
    assert page.locator(".levels :checked").count() == 0
    page = window().go("?view=play&rules=finkel&pieces=2")  # which is solved
    page.click(".levels label:has-text('Perfect')")
    assert page.input_value("[name=dark]") == "optimal"
    page = window().go("?view=play&rules=murray")
    assert page.is_disabled(".levels label:has-text('Perfect') input")
    page.click(".levels label:has-text('Easy')")
    page.select_option("#rules", "kwan")  # the level stays
    page.wait_for_function(
        "() => document.querySelector('[name=dark]').value === 'mistakes:33:learned'"
    )
    assert page.is_checked("[data-key=level-Easy]")


def test_the_end_of_a_game_has_the_first_sentence_of_its_review(window: Open) -> None:
    seen = window()
    seen.page.goto(f"{seen.address}static/icon.svg")
    seen.page.evaluate(QUICK)
    query = "?view=play&rules=finkel&pieces=2&position=14/14/1-1/L"
    page = begun(seen, query, light="greedy", dark="greedy")
    page.wait_for_selector(".won:has-text(' has won 2 : 1')")
    page.wait_for_selector(".choices:has-text('by decisions')")
    page.route("**/api/review", lambda route: route.fulfill(status=404, json={"error": "none"}))
    page.click("text=New game")
    page = begun(seen, query, light="greedy", dark="greedy")
    page.wait_for_selector(".won:has-text(' has won 2 : 1')")
    page.wait_for_load_state("networkidle")
    assert "decisions" not in page.inner_text(".choices")
    assert page.is_hidden("#notice")


def test_fingers_hit_the_dice_and_every_button(window: Open) -> None:
    seen = window(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = seen.go(WHOLE)
    for drawn in (False, True):
        if drawn:
            page.click("[data-key=begin]")
            page.wait_for_selector("[data-place=dice]")
            assert box_of(page.locator("[data-place=dice]"))["height"] >= 44
        controls = "button, select, summary, #panel label, #panel input[type=text]"
        for control in page.locator(controls).locator("visible=true").all():
            box = box_of(control)
            assert min(box["width"], box["height"]) >= 44, control.inner_text()


def test_dice_lie_beside_a_board_without_a_notch(window: Open) -> None:
    names = tuple(f"A{k}" for k in range(1, 9))
    plain = urcx.Board("long", "Long", names, frozenset(), ("B", "C"))
    path = urcx.Path("long", "Long", plain, names, names, (8,))
    page = window().go("?rules=finkel&pieces=2&position=5,8/3,6/0-0/L")
    overlaps = page.evaluate(
        """async geometry => {
          const { createBoard } = await import("./static/board.js");
          const place = document.querySelector("#board");
          place.replaceChildren();
          const boxes = of => [...place.querySelectorAll(of)].map(e => e.getBoundingClientRect());
          return ["light", "dark"].map(side => {
            place.replaceChildren();
            createBoard(place, {geometry, pieces: 3, mode: "move",
              dice: [{side, marks: [true, false], text: "Throw", label: "Throw", live: true}]});
            const [dice] = boxes("[data-place=dice]");
            const [board] = boxes("svg");
            return boxes("[data-place]:not([data-place=dice])").filter(a => a.left < dice.right
              && dice.left < a.right && a.top < dice.bottom && dice.top < a.bottom).length
              + (dice.right > board.right || dice.bottom > board.bottom ? 100 : 0);
          });
        }""",
        board_members(path, 3),
    )
    assert overlaps == [0, 0]
