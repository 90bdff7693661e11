"""The luck strip in a real browser: its areas, its texts, and the roll that it chooses."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from explorer_page import PLACE, Open

import urcx

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest_plugins = ["explorer_fixtures"]
pytestmark = pytest.mark.chromium

SIZES = [(1440, 900), (844, 390), (390, 844), (360, 640)]
SOLVED = f"?rules=finkel&pieces=2&position={PLACE}"
# Four dice, three dice, eight equally likely rolls, and estimates.
GAMES = [
    SOLVED,
    "?rules=masters&pieces=1",
    "?rules=seleucid&pieces=1&position=3/4/0-0/D",
    "?rules=kwan&position=1,4,6,9/3,10,12/0-1/L",
]
COLUMNS = """() => [...document.querySelectorAll(".strip [data-probability]")].map(group => {
  const bar = group.querySelector(".column");
  return [group.dataset.probability, group.dataset.value, bar.getAttribute("width"),
    bar.getAttribute("height"), bar.classList.contains("over") ? 1 : -1].map(Number);
})"""
# The height of a box of text is that of a line, and letters have about two thirds of it.
TEXTS = """() => [...document.querySelectorAll(".strip text")].filter(t => t.textContent).map(t => {
  const {left, right, top, bottom, height} = t.getBoundingClientRect();
  return [t.textContent, left, right, top + height / 6, bottom - height / 6];
})"""
# Nine rolls, four of them rare, from few or many points apart.
NINE = """async ([spread, width]) => {
  const { luckStrip } = await import("./static/strip.js");
  const ways = [1, 4, 10, 16, 19, 16, 10, 4, 1];
  const move = { pass: false, words: "start to A4, rosette, rolls again", rosette: true };
  const rolls = ways.map((n, k) => ({
    roll: k + 4, chance: `${n}/81`, chance_decimal: n / 81, moves: [move],
    value: 0.5 + spread * (k % 2 - 40 / 81) * (1 + k / 9),
  }));
  const before = rolls.reduce((sum, r) => sum + r.value * r.chance_decimal, 0);
  const strip = luckStrip({ before, rolls, side: "dark", roll: 7, played: before - spread });
  const place = document.createElement("div");
  place.style.width = `${width}px`;
  place.append(strip);
  document.querySelector("#panel").replaceChildren(place);
}"""


def columns(page: Page) -> list[list[float]]:
    """Return probability, value, width, height and sign of the columns, when they are placed."""
    page.wait_for_selector(".strip .column[width]", state="attached")
    found: list[list[float]] = page.evaluate(COLUMNS)
    return found


def before(page: Page) -> float:
    return float(page.get_attribute(".strip", "data-before") or "nan")


def check_areas(found: list[list[float]], before: float, exact: bool = True) -> None:
    """Check that widths are probabilities, and heights are distances from the line."""
    total = sum(width for _, _, width, _, _ in found)
    steep = max(height for *_, height, _ in found) / max(abs(v - before) for _, v, *_ in found)
    for probability, value, width, height, way in found:
        assert width == pytest.approx(total * probability, rel=1e-9)
        assert height == pytest.approx(steep * abs(value - before), abs=1e-6)
        assert way == (1 if value >= before else -1)
    if exact:  # the line is the mean of the columns
        areas = [way * width * height for *_, width, height, way in found]
        assert sum(areas) == pytest.approx(0, abs=1e-6 * max(map(abs, areas)))


def check_texts(page: Page, case: Any) -> None:
    """Check that no texts of the strip overlap, and that none is outside it."""
    texts = page.evaluate(TEXTS)
    left, right = page.eval_on_selector(
        ".strip", "s => { const b = s.getBoundingClientRect(); return [b.left, b.right]; }"
    )
    for name, start, end, *_ in texts:
        assert left - 1 <= start < end <= right + 1, (case, name)
    for a, b in itertools.combinations(texts, 2):
        apart = a[2] <= b[1] or b[2] <= a[1] or a[4] <= b[3] or b[4] <= a[3]
        assert apart, (case, a[0], b[0])


@pytest.mark.parametrize(
    "query", [*GAMES[:2], *(pytest.param(query, marks=pytest.mark.slow) for query in GAMES[2:])]
)
def test_areas_are_probabilities_times_distances_and_texts_do_not_overlap(
    window: Open, query: str
) -> None:
    page = window().go(query)
    page.wait_for_selector(".strip line.before", state="attached", timeout=120_000)
    rolls = len(columns(page))
    for size, chosen in itertools.product(SIZES, (False, True)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        if chosen != bool(page.locator(".strip [aria-pressed=true]").count()):
            page.locator(".strip [role=button]").nth(2).press("Enter")
        page.wait_for_function(
            """([width, chosen]) => {
              const strip = document.querySelector(".strip");
              const pressed = Boolean(strip?.querySelector("[aria-pressed=true]"));
              return pressed === chosen && innerWidth === width
                && Math.abs(strip.viewBox.baseVal.width - strip.clientWidth) < 1;
            }""",
            arg=[size[0], chosen],
        )
        found = columns(page)
        assert len(found) == rolls
        check_areas(found, before(page), exact="kwan" not in query)
        check_texts(page, (size, chosen))
        texts = [text for text, *_ in page.evaluate(TEXTS)]
        assert {text for text in texts if "%" not in text} > {
            str(key).removeprefix("roll-")
            for key in page.eval_on_selector_all(
                ".strip [role=button]", "all => all.map(one => one.dataset.key)"
            )
        }


def test_values_are_those_of_the_tablebase(window: Open, file: Path) -> None:
    page = window().go(SOLVED)
    found = columns(page)
    with urcx.open_tablebase(file) as table:
        best = [table.best_moves(PLACE, roll)[0].value for roll in range(1, 5)]
        now = table.probe(PLACE)
    assert [value for _, value, *_ in found[1:]] == pytest.approx(best)
    assert [probability for probability, *_ in found] == [1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16]
    assert before(page) == pytest.approx(now)
    check_areas(found, now)
    assert page.text_content(".strip text.before") == f"{100 * now:.1f}\u202f%"


def test_nine_rolls_of_any_spread_keep_their_texts_apart(window: Open) -> None:
    page = window().go(SOLVED)
    for spread, width in itertools.product((0, 1e-4, 0.01, 0.2), (300, 360, 560)):
        page.evaluate(NINE, [spread, width])
        found = columns(page)
        if spread:
            check_areas(found, before(page))
        check_texts(page, (spread, width))
        mark = page.locator(".strip .played")
        line = page.locator(".strip line.before")
        below = float(mark.get_attribute("y1") or 0) - float(line.get_attribute("y1") or 0)
        outlined = page.eval_on_selector(".strip .chosen", "one => one.getAttribute('height')")
        (value, height) = found[3][1], float(outlined)
        if spread:  # the mark has the scale of the columns
            assert below / spread == pytest.approx(height / abs(value - before(page)), rel=1e-6)


def test_a_click_chooses_a_roll_and_the_second_takes_it_back(window: Open) -> None:
    page = window().go(SOLVED)
    columns(page)
    acts: list[Callable[[], None]] = [
        lambda: page.click("[data-key=roll-2] .hit"),
        lambda: page.press("[data-key=roll-2]", "Enter"),
        lambda: page.press("[data-key=roll-2]", " "),
    ]
    for act in acts:
        act()
        page.wait_for_selector("[data-key=roll-2][aria-pressed=true]")
        page.wait_for_function("() => location.search.includes('roll=2')")
        assert page.locator(".strip .chosen").count() == 1
        act()
        page.wait_for_selector("[data-key=roll-2][aria-pressed=false]")
        page.wait_for_function("() => !location.search.includes('roll=')")
        assert page.evaluate("document.activeElement.dataset.key") == "roll-2"


def test_a_column_under_the_pointer_or_focus_draws_its_best_move(window: Open, file: Path) -> None:
    page = window().go(SOLVED)
    columns(page)
    with urcx.open_tablebase(file) as table:
        best = table.best_moves(PLACE, 3)[0].move
    assert best is not None
    words = best.describe(urcx.path("bell"), light=True)
    label = page.get_attribute("[data-key=roll-3]", "aria-label") or ""
    assert label.startswith("Roll 3, probability 1/4, win probability ")
    assert label.endswith(f"best {words}")
    page.hover("[data-key=roll-3] .hit")
    page.wait_for_selector(".arrow.best")
    assert page.locator(".arrow").count() == 1
    page.mouse.move(0, 0)
    page.wait_for_selector(".arrow", state="detached")
    page.focus("[data-key=roll-3]")
    page.wait_for_selector(".arrow.best")
    page.focus("[data-key=throw]")
    page.wait_for_selector(".arrow", state="detached")


def test_fingers_reach_each_column(window: Open) -> None:
    seen = window(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    page = seen.go(SOLVED)
    columns(page)
    widths = page.eval_on_selector_all(
        ".strip .hit", "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert min(widths) > 43.9
