"""Positions on the explorer's page in a real browser: set up, played, valued and shared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from explorer_page import PLACE, Open, click, drag, typed, until

import urcx

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium


def place(page: Page) -> str:
    """Return the position that the page's address holds."""
    found = re.search(r"[?&]position=([^&]*)", page.url)
    return found[1] if found else "-/-/0-0/L"


def roll(page: Page, value: int) -> None:
    """Choose a roll by its key, and wait until the board has its moves."""
    page.keyboard.press(str(value))
    page.wait_for_selector(f'#board svg[aria-label$="moves with a {value}"]')


def shown(value: float) -> str:
    return f"{100 * value:.2f}\u202f%"


def test_a_position_is_set_up_by_dragging_and_by_clicking(window: Open) -> None:
    page = window().go()
    drag(page, "light-start", "A1")
    until(page, "4/-/0-0/L")
    drag(page, "dark-start", "A2")  # not on dark's path
    assert page.inner_text("#notice-text") == "dark's path does not cross A2"
    click(page, "dark-start", "B4", "C3")  # piece after piece
    until(page, "4/2,8/0-0/L")
    drag(page, "A1", "B4")  # what stood there goes to its start pool
    until(page, "8/2/0-0/L")
    click(page, "B4", "light-home")
    until(page, "-/2/1-0/L")
    page.click("text=Dark moves")
    until(page, "-/2/1-0/D")
    for expected in ("-/2/1-0/L", "8/2/0-0/L", "4/2,8/0-0/L"):
        page.click("button:text-is('Undo')")
        until(page, expected)
    page.click("button:text-is('Redo')")
    until(page, "8/2/0-0/L")
    page.click("button:text-is('Start')")
    until(page, "-/-/0-0/L")


def test_another_roll_does_not_wait_for_the_server(window: Open) -> None:
    page = window().go()
    page.route(re.compile(r"/view\?"), lambda _: None)  # never answered
    page.keyboard.press("4")
    click(page, "light-start")
    until(page, "4/-/0-0/L")


def test_a_position_is_pasted_and_one_that_cannot_be_is_told(window: Open) -> None:
    page = window().go()
    typed(page, f"  {PLACE} ")
    until(page, PLACE)
    typed(page, "1,1/-/0-0/L")
    page.wait_for_selector("#notice:not([hidden])")
    assert "1" in page.inner_text("#notice-text")
    assert "\n" not in page.inner_text("#notice-text")
    assert place(page) == PLACE
    page.click("#notice-close")
    assert page.is_hidden("#notice")


def test_a_piece_goes_to_its_other_lap_by_a_second_click(window: Open) -> None:
    page = window().go("?rules=murray&pieces=2")
    click(page, "light-start", "B3")
    until(page, "7/-/0-0/L")
    page.keyboard.press("Escape")
    click(page, "B3", "B3")
    until(page, "21/-/0-0/L")
    assert page.locator(".piece.light .ring").count() == 1


def test_values_are_those_of_the_tablebase_and_moves_best_first(window: Open, file: Path) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}")
    with urcx.open_tablebase(file) as table:
        light = table.probe(PLACE)
        wanted = table.best_moves(PLACE, 2)
    assert shown(light) in page.inner_text("#headline")
    page.keyboard.press("2")
    page.wait_for_selector(".strip [aria-pressed=true]")
    rows = page.locator("#panel [aria-label=Moves] tbody tr")
    assert rows.count() == len(wanted) > 1
    for k, one in enumerate(wanted):
        said = rows.nth(k).inner_text()
        assert shown(one.value) in said
        assert one.move.describe(urcx.path("bell"), light=True) in said
    assert "best" in rows.nth(0).inner_text()
    assert page.locator(".arrow").count() == len(wanted)
    assert page.locator(".arrow.best").count() == 1
    assert "finkel2.urcx" in page.inner_text("#panel")
    assert "proven, \u00b1" in page.inner_text("#panel")


def test_a_line_below_the_moves_names_what_agents_would_play(window: Open) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}&roll=2")
    page.click("[data-key=agents]")
    page.check("#panel label:has-text('random') input")
    page.wait_for_selector("#panel .players:has-text('greedy plays')")
    page.wait_for_selector("#panel .players:has-text('random plays 1 (1/2), 2 (1/2)')")


def test_moves_are_played_on_the_board_and_passes_by_the_button(window: Open) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}&roll=3")
    click(page, "B4")
    until(page, "5,11/3,6/0-0/D")
    page.keyboard.press("0")
    page.click("button:text-is('Pass')")
    until(page, "5,11/3,6/0-0/L")
    page.keyboard.press("1")
    page.wait_for_selector(".place.target")
    drag(page, "B1", "B3")
    assert "legal move" in page.inner_text("#notice-text")
    drag(page, "B1", "B2")  # captures
    until(page, "6,11/3/0-0/D")


def test_all_goes_by_keyboard_alone(window: Open) -> None:
    page = window().go()
    while page.evaluate("document.activeElement.dataset.place ?? ''") != "light-start":
        page.keyboard.press("Tab")
    for key in ("ArrowUp", "ArrowLeft", "l"):
        page.keyboard.press(key)
    reached = page.evaluate("document.activeElement.dataset.place")
    step = urcx.path("bell").light.index(reached) + 1
    until(page, f"{step}/-/0-0/L")
    page.keyboard.press("Enter")  # picks it up
    assert page.get_attribute(f'[data-place="{reached}"]', "aria-pressed") == "true"
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")  # and puts it down
    page.wait_for_function("old => !location.search.includes(old)", arg=f"={step}/")
    moved = place(page)
    page.keyboard.press("u")
    until(page, f"{step}/-/0-0/L")
    page.keyboard.press("Shift+U")
    until(page, moved)
    page.keyboard.press("Delete")
    until(page, "-/-/0-0/L")
    for key in "41110p":  # however quickly
        page.keyboard.press(key)
    until(page, "5/-/0-0/L")
    page.keyboard.press("r")
    page.wait_for_function('() => location.search.includes("roll=")')
    page.keyboard.press("Escape")
    page.wait_for_function('() => !location.search.includes("roll=")')


def test_an_address_shows_the_same_to_somebody_else(window: Open) -> None:
    page = window().go()
    page.select_option("#rules", "blitz")
    page.wait_for_function('() => location.search.includes("rules=blitz")')
    page.select_option("#pieces", "3")
    page.wait_for_function('() => location.search.includes("pieces=3")')
    typed(page, "5,8/3,6/0-1/D")
    until(page, "5,8/3,6/0-1/D")
    page.click("[data-key=roll-3]")
    page.wait_for_function('() => location.search.includes("roll=3")')
    other = window().go("?" + page.url.partition("?")[2])
    other.wait_for_selector(".strip [aria-pressed=true]")
    until(other, "5,8/3,6/0-1/D")
    assert other.input_value("#rules") == "blitz"
    assert other.input_value("#pieces") == "3"
    assert other.get_attribute("[data-key=roll-3]", "aria-pressed") == "true"
    page.click("#tab-counts")
    page.wait_for_selector("#h-counts")
    page.go_back()
    page.wait_for_selector(".strip [aria-pressed=true]")
    assert page.url == other.url


def test_a_position_is_handed_on_as_a_link_a_drawing_and_a_game(window: Open) -> None:
    seen = window(permissions=["clipboard-read", "clipboard-write"])
    page = seen.go(f"?rules=finkel&pieces=2&position={PLACE}")
    page.click("text=Copy link")
    page.wait_for_function("() => document.querySelector('#live').textContent.includes('clip')")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    with page.expect_download() as found:
        page.click("text=Save as SVG")
    drawing = found.value.path().read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    assert PLACE in drawing
    page.click("text=Play from here")
    page.click("text=Begin")
    page.wait_for_selector("#h-play")
    assert place(page) == PLACE


def test_agents_of_another_time_are_left_out(window: Open) -> None:
    page = window().go()
    page.evaluate("""localStorage.setItem("urcx.agents", '["net:gone.npz", "gain"]')""")
    page.reload()
    page.wait_for_selector("#panel [aria-label=Moves]")
    assert page.is_hidden("#notice")
    assert page.is_checked("[data-key=agent-gain]")


def test_an_address_that_cannot_be_shown_is_told(window: Open) -> None:
    seen = window()
    for query, said in (
        ("?rules=nobody", "nobody"),
        ("?rules=finkel&pieces=2&position=99/-/0-0/L", "99"),
        ("?rules=finkel&pieces=2&roll=9", "9"),
        ("?rules=finkel&pieces=1000", "1000"),
        ("?rules=finkel&pieces=abc", "pieces abc"),
        ("?rules=finkel&pieces=2&roll=-1", "roll -1"),
        ("?rules=finkel&pieces=2&view=foo", "foo"),
    ):
        page = seen.go(query)
        page.wait_for_selector("#notice:not([hidden])")
        assert said in page.inner_text("#notice-text")
        assert place(page) == "-/-/0-0/L"


def test_a_game_that_cannot_be_solved_says_so(window: Open) -> None:
    page = window().go("?rules=murray")
    page.click("#status summary")
    roll(page, 4)
    assert "take fewer pieces" in page.inner_text("#status")  # it stays unfolded
    click(page, "light-start")
    until(page, "4/-/0-0/L")
    page.select_option("#pieces", "1")
    page.wait_for_selector("#headline strong")
    assert "solved in memory" in page.inner_text("#panel")


def test_more_pieces_than_in_the_list(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2")
    assert page.is_hidden("#pieces-other")
    page.select_option("#pieces", "other")
    page.fill("#pieces-other", "9")
    page.press("#pieces-other", "Enter")
    page.wait_for_function("() => location.search.includes('pieces=9')")
    page.reload()
    page.wait_for_selector("#pieces-other:not([hidden])")
    assert page.input_value("#pieces-other") == "9"
    assert page.input_value("#pieces") == "other"
    page.select_option("#pieces", "2")
    page.wait_for_selector("#pieces-other", state="hidden")
    page.wait_for_function("() => location.search.includes('pieces=2')")


def test_a_link_within_the_page_forgets_nothing(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2")
    roll(page, 4)
    click(page, "light-start")
    until(page, "4/-/0-0/L")
    page.focus(".skip")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash === '#panel'")
    assert page.is_enabled("[data-key=undo]")


def test_six_agents_at_a_time(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2")
    page.click("[data-key=agents]")
    names = page.evaluate("[...document.querySelectorAll('.agents input')].map(i => i.dataset.key)")
    for name in names[:7]:
        if not page.is_checked(f"[data-key={name}]"):
            page.click(f"[data-key={name}]")
    page.wait_for_selector("#notice:has-text('6 agents')")
    assert page.locator(".agents input:checked").count() == 6


def test_tiles_are_typed_and_read_and_steps_are_taken_too(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2&position=B1,B4/C2,B2/0-0/L")
    until(page, PLACE)
    typed(page, "a4/C1/0-0/D")
    until(page, "1/4/0-0/D")
    typed(page, "A9/-/0-0/L")
    page.wait_for_selector("#notice:has-text(\"'A9' is not a tile of this path\")")
    later = "done => setTimeout(done, 200)"
    page.evaluate(
        "const at_once = fetch; fetch = "
        f"async (...all) => (await new Promise({later}), at_once(...all))"
    )
    typed(page, "5,B4/3,6/0-0/L")
    until(page, PLACE)
    typed(page, "B1 to B2")  # captures, by a 1; values of the position are not there yet
    until(page, "6,8/3/0-0/D")
    page.click("[data-key=undo]")
    until(page, PLACE)
    roll(page, 3)
    typed(page, "B4")
    until(page, "5,11/3,6/0-0/D")
    page.click("[data-key=undo]")
    page.wait_for_selector(".strip [aria-pressed=true]")
    typed(page, "5-6")
    page.wait_for_selector("#notice:has-text('5-6 is not a legal move with a 3')")
    typed(page, "5-8")
    page.wait_for_selector("#notice:has-text('5-8 is not a legal move')")


def test_after_a_roll_the_bar_has_the_chance_after_it(window: Open, file: Path) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE[:-1]}D")
    with urcx.open_tablebase(file) as table:
        before = 1 - table.probe(f"{PLACE[:-1]}D")
        after = 1 - table.best_moves(f"{PLACE[:-1]}D", 4)[0].value
    bar = "#bar [role=img]"
    assert shown(before) in str(page.get_attribute(bar, "aria-label"))
    roll(page, 4)
    assert shown(after) != shown(before)
    page.wait_for_selector(f"#headline:has-text('{shown(after)}')")  # which the server is asked for
    assert shown(after) in str(page.get_attribute(bar, "aria-label"))
    assert shown(after) in page.inner_text("#headline")


def test_binary_dice_are_drawn_by_their_marked_corners(window: Open) -> None:
    for rules, dice in (
        ("finkel", [(k, 4, k) for k in range(5)]),
        ("masters", [(k, 3, k % 4) for k in range(1, 5)]),
        ("seleucid", [(10, 0, 0)]),
    ):
        for number, sides, marks in dice:
            page = window().go(f"?rules={rules}&pieces=2&roll={number}")
            page.wait_for_selector(f".strip [data-key=roll-{number}][aria-pressed=true]")
            assert page.locator("#panel .die-side").count() == sides
            assert page.locator("#panel .die-mark").count() == marks


def test_best_replies_unfold_roll_by_roll(window: Open) -> None:
    page = window().go("?rules=finkel&pieces=2")
    page.click("summary:text-is('Best replies, roll by roll')")
    page.click("[data-key=replies-4]")
    page.click("[data-key=replies-4-2]")
    page.wait_for_selector("[data-key=replies-4-2-show]")
    found = urcx.openings(urcx.ruleset("finkel", pieces=2), plies=3)
    for one in found.replies:
        key = "-".join(["replies", *map(str, one.rolls)])
        node = page.locator(f"[data-key={key}]")
        if one.rolls[:-1] in ((), (4,), (4, 2)):
            said = f"{one.rolls[-1]} {one.ply.describe()} light {shown(float(one.light))}"
            assert node.inner_text() == said
        else:
            assert node.count() == 0
    page.click("[data-key=replies-4-2-show]")
    after = next(one.ply.after for one in found.replies if one.rolls == (4, 2))
    until(page, str(after.position))
