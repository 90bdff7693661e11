"""The explorer's page in a real browser: by pointer, by keyboard alone, small, dark, printed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="the extra urcx[explore] is not installed")
pytest.importorskip("uvicorn", reason="the extra urcx[explore] is not installed")
pytest.importorskip("playwright", reason="Playwright is not installed")

from chromium_window import Seen, browser
from explorer_pictures import explorer

import urcx
from urcx.complexity import tiles

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.chromium

DOCS = Path(__file__).parents[2] / "docs"
GAME = (DOCS / "examples" / "game.txt").read_text(encoding="utf-8")
STATIC = Path(urcx.__file__).parent / "explore" / "static"
PLACE = "5,8/3,6/0-0/L"
Open = Callable[..., Seen]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("page") / "finkel2.urcx"
    urcx.solve(urcx.ruleset("finkel", pieces=2), found)
    return found


@pytest.fixture(scope="module")
def address(base: Path) -> Iterator[str]:
    with explorer(base) as found:
        yield found


@pytest.fixture
def window(chromium: Browser, address: str) -> Iterator[Open]:
    """Open windows, each with a memory of its own; nothing may go wrong in any."""
    opened: list[Seen] = []

    def new(**options: Any) -> Seen:
        opened.append(Seen(chromium, address, **options))
        return opened[-1]

    yield new
    for one in opened:
        one.close()


def place(page: Page) -> str:
    """Return the position that the page's address holds."""
    found = re.search(r"[?&]position=([^&]*)", page.url)
    return found[1] if found else "-/-/0-0/L"


def spot(page: Page, name: str) -> tuple[float, float]:
    box = page.locator(f'[data-place="{name}"]').bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, start: str, end: str) -> None:
    page.mouse.move(*spot(page, start))
    page.mouse.down()
    page.mouse.move(*spot(page, end), steps=4)
    page.mouse.up()


def click(page: Page, *names: str) -> None:
    for name in names:
        page.mouse.click(*spot(page, name))


def until(page: Page, position: str) -> None:
    """Wait until the page shows a position, in its address, its notation, and on its board."""
    page.wait_for_function(
        """wanted => new URLSearchParams(location.search).get("position") === wanted
           || (wanted === "-/-/0-0/L" && !location.search.includes("position="))""",
        arg=position,
    )
    page.wait_for_function(
        'wanted => document.querySelector("[name=notation]")?.value === wanted', arg=position
    )


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
    page.fill("[name=notation]", f"  {PLACE} ")
    page.keyboard.press("Enter")
    until(page, PLACE)
    page.fill("[name=notation]", "1,1/-/0-0/L")
    page.keyboard.press("Enter")
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


def test_values_are_those_of_the_tablebase_and_moves_best_first(window: Open, base: Path) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}")
    with urcx.open_tablebase(base) as table:
        light = table.probe(PLACE)
        wanted = table.best_moves(PLACE, 2)
    assert shown(light) in page.inner_text("#headline")
    page.keyboard.press("2")
    page.wait_for_selector("button:text-is('Take the roll back')")
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
    assert "certified" in page.inner_text("#panel")


def test_what_agents_would_play_stands_beside_the_moves(window: Open) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}&roll=2")
    page.check("#panel label:has-text('random') input")
    page.wait_for_selector("#panel .chip:has-text('random 1/')")
    page.wait_for_selector("#panel td .chip:text-is('greedy')")


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
    assert page.inner_text("#notice-text") == "That is no legal move with this roll"
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
    page.fill("#pieces", "3")
    page.press("#pieces", "Tab")
    page.wait_for_function('() => location.search.includes("pieces=3")')
    page.fill("[name=notation]", "5,8/3,6/0-1/D")
    page.keyboard.press("Enter")
    until(page, "5,8/3,6/0-1/D")
    page.click("[data-key=roll-3]")
    page.wait_for_function('() => location.search.includes("roll=3")')
    other = window().go("?" + page.url.partition("?")[2])
    other.wait_for_selector("button:text-is('Take the roll back')")
    until(other, "5,8/3,6/0-1/D")
    assert other.input_value("#rules") == "blitz"
    assert other.input_value("#pieces") == "3"
    assert other.get_attribute("[data-key=roll-3]", "aria-pressed") == "true"
    page.click("#tab-counts")
    page.wait_for_selector("#h-counts")
    page.go_back()
    page.wait_for_selector("button:text-is('Take the roll back')")
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
    ):
        page = seen.go(query)
        page.wait_for_selector("#notice:not([hidden])")
        assert said in page.inner_text("#notice-text")
        assert place(page) == "-/-/0-0/L"


def test_a_game_that_is_not_solved_says_how_to_solve_it(window: Open) -> None:
    page = window().go("?rules=kwan")
    assert "urcx solve --rules kwan" in page.inner_text("#panel .hint")
    roll(page, 4)
    click(page, "light-start")
    until(page, "4/-/0-0/L")
    page.fill("#pieces", "1")
    page.press("#pieces", "Tab")
    page.click("text=Solve it now")
    page.wait_for_selector("#headline strong")
    assert "solved in memory" in page.inner_text("#panel")


def played_on(page: Page, plies: int) -> None:
    """Play a game by keyboard until it has so many plies, or is over."""
    page.wait_for_function(
        """plies => {
          const over = document.querySelector("#headline").textContent.includes("has won");
          const rows = document.querySelectorAll("#panel .log tbody tr");
          if (over || rows.length >= plies) return true;
          const key = name => document.querySelector("#panel").dispatchEvent(
            new KeyboardEvent("keydown", {key: name, bubbles: true}));
          for (const name of ["r", "1", "p"]) key(name);
          return false;
        }""",
        arg=plies,
        polling=30,
    )


def begin(seen: Seen, light: str = "you", dark: str = "greedy") -> Page:
    page = seen.go("?rules=finkel&pieces=2&view=play")
    page.evaluate('localStorage.setItem("urcx.pace", "0.01")')
    page.reload()
    page.wait_for_selector("[name=light]")
    page.select_option("[name=light]", light)
    page.select_option("[name=dark]", dark)
    page.fill("[name=seed]", "4")
    page.click("text=Begin")
    page.wait_for_selector("#h-play")
    return page


def test_a_game_against_an_agent_with_hint_undo_and_cost(window: Open) -> None:
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
    page.click("#panel td button:has-text('A4 to B1')")
    page.wait_for_function(
        """() => [...document.querySelectorAll("#panel .log td")].some(
             cell => cell.textContent.includes("\\u22124.32"))"""
    )
    page.keyboard.press("u")
    page.wait_for_selector(".moves button")
    page.wait_for_function('() => document.querySelectorAll("#panel .log tbody tr").length === 2')
    assert page.inner_text(".die") == "4"
    page.keyboard.press("Shift+U")
    page.wait_for_function('() => document.querySelectorAll("#panel .log tbody tr").length >= 3')
    played_on(page, 8)
    # An answer that does not come loses nothing, nor does a reload.
    kept = page.evaluate('JSON.parse(localStorage.getItem("urcx.game")).notation')
    page.wait_for_selector("button:text-is('Roll')")
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
    seen = window(accept_downloads=True)
    page = begin(seen, "optimal", "random")
    page.wait_for_selector("#headline:has-text('has won')")
    page.click("button:text-is('Review')")
    page.wait_for_selector("#h-graph")
    start, *parts, end = numbers(page.inner_text(".sum"))
    light_luck, light_lost, dark_luck, dark_lost = parts
    assert start + (light_luck - light_lost) - (dark_luck - dark_lost) == pytest.approx(
        end, abs=0.03
    )
    assert light_lost == 0
    assert end in {0.0, 100.0}

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
    page.fill("textarea", (tmp_path / "RGN").read_text(encoding="utf-8"))
    page.click("text=Review it")
    page.wait_for_function('() => !document.querySelector("textarea").value')
    assert numbers(page.inner_text(".sum")) == [start, *parts, end]
    assert saved("SVG").count("<svg") == 1
    page.click("[data-key=ply-3]")
    page.wait_for_selector("#headline:has-text('Ply 3:')")
    page.focus("[data-key=ply]")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#headline:has-text('Ply 2:')")
    assert page.evaluate("document.activeElement.dataset.key") == "ply"


def _written(directory: Path, text: str) -> Path:
    file = directory / "game.txt"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_game_is_loaded_and_a_broken_one_is_told(window: Open, tmp_path: Path) -> None:
    page = window().go("?rules=finkel&pieces=2&view=review")
    page.fill("textarea", GAME.replace("2. dark 3:0-3", "2. dark 3:0-4"))
    page.click("text=Review it")
    page.wait_for_selector("#notice:not([hidden])")
    assert re.search(r"line \d+", page.inner_text("#notice-text"))
    hostile = GAME.replace("light: anna", "light: <img src=x onerror=alert(1)>")
    page.set_input_files("input[type=file]", _written(tmp_path, hostile))
    page.wait_for_selector("#h-graph")
    assert page.is_hidden("#notice")
    assert "<img src=x onerror=alert(1)> (light)" in page.inner_text("#panel")
    assert page.locator("#panel img").count() == 0
    # The figures of the documentation's `urcx review examples/game.txt`.
    assert "+19.07\u202f%" in page.inner_text("#panel")
    page.locator("#panel svg.chart").first.click(position={"x": 300, "y": 60})
    page.wait_for_selector("#headline:has-text('Ply')")


def test_counts_grow_with_the_slider(window: Open) -> None:
    page = window().go("?view=counts&rules=finkel&pieces=2")
    page.focus("[data-key=pieces]")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    exact = str(tiles.diagrams(urcx.path("bell"), 7, 7))
    assert re.sub(r"\D", "", page.inner_text(".big")) == exact
    page.select_option("[data-key=path]", "masters")
    page.wait_for_selector("text=4 private and 12 shared tiles")
    exact = str(tiles.diagrams(urcx.path("masters"), 7, 7))
    assert re.sub(r"\D", "", page.inner_text(".big")) == exact


VIEWS = {
    "explore": f"?rules=finkel&pieces=2&position={PLACE}&roll=2",
    "play": "?rules=finkel&pieces=2&view=play",
    "review": "?rules=finkel&pieces=2&view=review",
    "counts": "?rules=aseb&pieces=5&view=counts",
}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_view_fits_a_phone_and_passes_an_audit(window: Open, dark: bool) -> None:
    axe = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    seen = window(viewport={"width": 360, "height": 740}, color_scheme="dark" if dark else "light")
    for name, query in VIEWS.items():
        if dark and name in {"play", "counts"}:  # they have no colours of their own
            continue
        page = seen.go(query)
        if name == "review":
            page.fill("textarea", GAME)
            page.click("text=Review it")
            page.wait_for_selector("#h-graph")
        assert page.evaluate("document.documentElement.scrollWidth") == 360, name
        ground, ink = page.evaluate(
            """() => [getComputedStyle(document.documentElement).backgroundColor,
                      getComputedStyle(document.body).color]"""
        )
        assert (_level(ground) < _level(ink)) == dark
        page.evaluate(axe)
        found = page.evaluate("axe.run().then(found => found.violations)")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], name


def _level(colour: str) -> int:
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


def test_a_printed_page_has_the_board_and_no_buttons(window: Open) -> None:
    page = window().go(VIEWS["explore"])
    page.emulate_media(media="print")
    assert page.is_visible("#board svg")
    assert page.is_hidden("#tools")
    assert page.is_hidden(".tabs")
    assert page.is_visible("#panel table")


def test_screen_readers_are_told_places_and_what_happened(window: Open) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}")
    said = {
        "B4": "B4, rosette, shared: light piece on step 8",
        "A7": "A7, rosette, private: empty",
        "dark-start": "dark's start pool: 0 pieces",
        "light-home": "light's home: 0 pieces",
    }
    for name, label in said.items():
        assert page.get_attribute(f'[data-place="{name}"]', "aria-label") == label
    drag(page, "B4", "light-home")
    until(page, "5/3,6/1-0/L")
    assert page.inner_text("#live").strip() == "light piece put on light's home"


def test_paths_are_drawn_on_demand(window: Open) -> None:
    page = window().go(f"?rules=finkel&pieces=2&position={PLACE}")
    assert page.locator("polyline.way").count() == 0
    page.check("#way-dark")
    assert page.locator("polyline.way.dark").count() == 1
    assert page.locator(".step.dark").count() == len(urcx.path("bell").dark)
    page.reload()  # it is remembered
    page.wait_for_selector("polyline.way.dark")


def test_pictures_of_the_page_are_small_and_all_shown() -> None:
    tour = (DOCS / "explore.rst").read_text(encoding="utf-8")
    pictures = sorted((DOCS / "explore").iterdir())
    assert [file.name for file in pictures if f"explore/{file.name}" not in tour] == []
    assert max(file.stat().st_size for file in pictures) < 150_000


def test_the_page_is_small_and_its_board_stands_alone() -> None:
    assert sum(file.stat().st_size for file in STATIC.iterdir()) < 160_000
    board = (STATIC / "board.js").read_text(encoding="utf-8")
    assert not re.search(r"^import ", board, re.MULTILINE)
    for file in STATIC.iterdir():
        text = file.read_text(encoding="utf-8")
        assert "innerHTML" not in text
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
        assert " style=" not in text
