"""The board in a notebook: Python's side by its messages, and the script in a real browser."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("anywidget", reason="the extra urcx[notebook] is not installed")

from chromium_window import browser
from notebook_page import Shown

import urcx
from urcx.errors import PositionError, UnusableFileError, UrcxError, UsageError, install_command
from urcx.explore.board_widget import BoardWidget, script

pytest_plugins = ["solved_games"]

PLACE = "4,8/3/0-1/L"


def _game(position: str | None = None, pieces: int = 2) -> urcx.Game:
    return urcx.Game("finkel", position, pieces=pieces)


def _ask(widget: BoardWidget, message: Any) -> dict[str, Any]:
    """Send what the browser sends, and return what it is given to draw."""
    widget._handle_custom_msg(message, [])
    state: dict[str, Any] = widget._state
    return state


def test_a_move_in_the_browser_is_the_widgets_game() -> None:
    widget = urcx.widget(_game())
    heard: list[Any] = []
    widget.observe(lambda change: heard.append(change["new"]), names="game")
    state = _ask(widget, {"do": "roll", "roll": 4})
    assert (widget.roll, state["roll"]) == (4, 4)
    assert [(move["from"], move["to"]) for move in state["moves"]] == [(0, 4)]
    assert state["moves"][0]["words"] == "start to A1, rosette, rolls again"
    state = _ask(widget, {"do": "play", "move": "0-4"})
    assert heard == [widget.game] == [_game().play("0-4")]
    assert (state["position"], state["roll"], state["moves"]) == ("4/-/0-0/L", None, [])


def test_a_game_set_in_python_is_drawn() -> None:
    widget = urcx.widget(_game(), roll=1)
    widget.game = _game(PLACE)
    assert widget._state["position"] == PLACE
    assert (widget.roll, widget._state["moves"]) == (None, [])
    before = widget._board
    widget.game = urcx.Game("aseb")
    assert widget._board != before
    assert [tile["name"] for tile in widget._board["tiles"]] == list(urcx.board("aseb").tiles)
    assert widget._board["pieces"] == 5


@pytest.mark.parametrize("name", urcx.path_names())
def test_the_board_is_that_of_any_path(name: str) -> None:
    path = urcx.path(name)
    rules = urcx.RuleSet("own", "own", path, 2, urcx.dice("binary4"), True, True, False)
    found = urcx.widget(rules)._board
    assert (tuple(found["light"]), tuple(found["dark"])) == (path.light, path.dark)
    assert {one["name"] for one in found["tiles"] if one["rosette"]} == path.board.rosettes
    assert sum(one["zone"] == "shared" for one in found["tiles"]) == path.shared


def test_every_legal_move_is_offered_and_no_other() -> None:
    for position in (PLACE, "1,14/-/0-0/D", "5/4,6/1-0/L"):
        game = _game(position)
        widget = urcx.widget(game)
        for roll in game.rules.dice.rolls:
            state = _ask(widget, {"do": "roll", "roll": roll})
            offered = {(move["from"], move["to"]) for move in state["moves"]}
            assert offered == {(move.start, move.end) for move in game.legal_moves(roll)}
            assert state["pass"] is not bool(offered)


def test_undo_and_redo_go_through_all_positions() -> None:
    widget = urcx.widget(_game())
    assert not widget._state["undo"]
    widget.play("0-2")
    widget.game = _game(PLACE)
    assert (_ask(widget, {"do": "undo"})["position"], widget._state["redo"]) == ("2/-/0-0/D", True)
    assert _ask(widget, {"do": "undo"})["position"] == "-/-/0-0/L"
    assert "nothing to undo" in _ask(widget, {"do": "undo"})["notice"]
    assert _ask(widget, {"do": "redo"})["position"] == "2/-/0-0/D"
    assert _ask(widget, {"do": "redo"})["position"] == PLACE
    with pytest.raises(UsageError, match="nothing to do again"):
        widget.redo()
    widget.undo()
    widget.play("0-1")
    assert not widget._state["redo"], "another move was played since"


def test_a_pass_is_played_where_there_is_no_move() -> None:
    widget = urcx.widget(_game(), roll=0)
    assert widget._state["pass"]
    assert _ask(widget, {"do": "pass"})["position"] == "-/-/0-0/D"
    widget.roll = 1
    assert "has a legal move" in _ask(widget, {"do": "pass"})["notice"]
    assert widget.game.turn == "dark"


def test_dice_are_thrown_by_chance() -> None:
    widget = urcx.widget(_game())
    rolls = [_ask(widget, {"do": "throw"})["roll"] for _ in range(60)]
    assert set(rolls) <= set(widget.game.rules.dice.rolls)
    assert len(set(rolls)) > 1


def test_a_position_that_is_set_up_is_taken_if_it_can_be() -> None:
    widget = urcx.widget(_game())
    assert _ask(widget, {"do": "setup", "position": "3,1/-/0-0/D"})["position"] == "1,3/-/0-0/D"
    sent: list[Any] = []
    widget.send = sent.append
    state = _ask(widget, {"do": "setup", "position": "1,3/-/2-2/L"})
    assert "light" in state["notice"]
    assert state["position"] == "1,3/-/0-0/D"
    assert sent == [{"redraw": True}], "the browser shows what was refused"
    assert _ask(widget, {"do": "roll", "roll": 1})["notice"] == ""


@pytest.mark.parametrize(
    "message",
    [
        {"do": "play", "move": "0-9"},
        {"do": "play", "move": "home"},
        {"do": "play", "move": 4},
        {"do": "roll", "roll": 7},
        {"do": "roll", "roll": None},
        {"do": "setup", "position": "../../etc/passwd"},
        {"do": "eval", "code": "1"},
        {},
        [],
        "play",
        None,
    ],
    ids=repr,
)
def test_what_cannot_be_done_is_a_line_below_the_board(message: Any) -> None:
    widget = urcx.widget(_game(PLACE))
    state = _ask(widget, message)
    assert state["notice"]
    assert "\n" not in state["notice"]
    assert widget.game == _game(PLACE)


def test_a_game_that_is_over_takes_no_roll() -> None:
    widget = urcx.widget(_game("14/3/1-0/L"))
    widget.play("14-15")
    assert widget._state["said"] == "light has won"
    assert widget._state["over"]
    with pytest.raises(PositionError):
        widget.throw(1)
    with pytest.raises(PositionError):
        urcx.widget(widget.game, roll=1)


def test_values_are_those_of_the_tablebase(two_pieces: Path) -> None:
    with urcx.open_tablebase(two_pieces) as base:
        widget = urcx.widget(_game(PLACE), base, roll=2)
        best = base.best_moves(PLACE, 2)
        assert widget._state["said"] == f"light to move, wins with {base.probe(PLACE):.2%}"
        shown = [(move["from"], move["worth"], move["best"]) for move in widget._state["moves"]]
    assert shown == [
        (best[0].move.start, f"{best[0].value:.2%}, best", True),
        (
            best[1].move.start,
            f"{best[1].value:.2%}, {best[1].regret:.2%} less than the best",
            False,
        ),
    ]
    assert urcx.widget(_game(PLACE), two_pieces, roll=2)._state == widget._state
    assert urcx.widget(_game(PLACE), roll=2)._state["moves"][0]["worth"] == ""


def test_a_tablebase_of_other_rules_is_refused_and_the_game_stays(two_pieces: Path) -> None:
    with pytest.raises(UnusableFileError, match="of finkel with 2 pieces"):
        urcx.widget("finkel", two_pieces)
    widget = urcx.widget(_game(), two_pieces)
    with pytest.raises(UnusableFileError, match="of finkel with 2 pieces"):
        widget.game = _game(pieces=3)
    assert widget.game == _game()
    assert widget._state["position"] == "-/-/0-0/L"


def test_without_anywidget_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(UrcxError, match=re.escape(install_command("notebook"))) as refused:
        urcx.widget("finkel")
    assert "\n" not in str(refused.value)


def test_where_no_widgets_are_a_drawing_is_shown() -> None:
    data, _ = urcx.widget(_game(PLACE))._repr_mimebundle_()
    assert data["text/html"] == _game(PLACE)._repr_html_()
    assert data["text/plain"] == f"<BoardWidget of {_game(PLACE)!r}>"
    assert "application/vnd.jupyter.widget-view+json" in data


def test_the_script_is_the_explorers_and_loads_nothing() -> None:
    text = script()
    static = Path(urcx.__file__).parent / "explore" / "static"
    assert text.startswith((static / "board.js").read_text(encoding="utf-8"))
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    assert "import" not in code
    assert code.count("export default") == 1
    assert "http://www.w3.org/2000/svg" in text
    assert text.count("http") == 1


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    pytest.importorskip("playwright", reason="Playwright is not installed")
    with browser() as started:
        yield started


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(reduced_motion="reduce")
    context.set_default_timeout(10_000)
    opened = context.new_page()
    opened.goto("about:blank")
    yield opened
    context.close()


@pytest.mark.chromium
def test_a_click_plays_and_python_redraws(page: Any, two_pieces: Path) -> None:
    shown = Shown(page, urcx.widget(_game(), two_pieces))
    shown.click("4")
    page.locator(".moves button").wait_for()
    assert "best" in page.locator(".moves li").inner_text()
    page.locator('[data-place="light-start"]').click()
    shown.wait("4/-/0-0/L")
    assert shown.widget.game == _game().play("0-4")
    page.locator('[data-place="A1"][aria-label*="light piece on step 4"]').wait_for()
    shown.widget.game = _game("-/14/0-0/D")
    shown.sync()
    page.locator('[data-place="C7"][aria-label*="dark piece on step 14"]').wait_for()
    assert page.locator(".said").inner_text().startswith("dark to move, wins with")
    shown.click("undo")
    shown.wait("4/-/0-0/L")
    page.evaluate("window.end()")
    assert page.locator("svg, button").count() == 0
    assert shown.troubles == []


@pytest.mark.chromium
def test_a_position_is_set_up_by_keyboard_alone(page: Any) -> None:
    shown = Shown(page, urcx.widget(_game()))
    page.get_by_label("set up").focus()
    page.keyboard.press("Space")
    page.locator('[data-place="B4"]').focus()
    page.keyboard.press("d")
    shown.wait("-/8/0-0/L")
    shown.click("other side's turn")
    shown.wait("-/8/0-0/D")
    page.get_by_label("set up").uncheck()
    shown.click("0")
    shown.click("pass")
    shown.wait("-/8/0-0/L")
    assert str(shown.widget.game.position) == "-/8/0-0/L"
    assert shown.troubles == []


@pytest.mark.chromium
def test_what_python_refuses_is_drawn_back_with_the_reason(page: Any) -> None:
    shown = Shown(page, urcx.widget(_game("14/-/1-2/L")))
    page.get_by_label("set up").check()
    page.locator('[data-place="A7"]').click()
    page.locator('[data-place="light-home"]').click()
    page.get_by_text("both players have all pieces home").wait_for()
    page.locator('[data-place="A7"][aria-label*="light piece on step 14"]').wait_for()
    assert shown.widget.game == _game("14/-/1-2/L")
    assert shown.troubles == []


@pytest.mark.chromium
def test_the_board_has_the_theme_of_the_notebook(page: Any) -> None:
    Shown(page, urcx.widget(_game()))
    theme = "document.querySelector('.urcx-board').dataset.theme"
    assert page.evaluate(theme) == "light"
    page.evaluate("document.body.setAttribute('style', 'background: #111; color: #eee')")
    page.wait_for_function(f"{theme} === 'dark'")
    page.evaluate("document.body.setAttribute('style', 'background: #fff; color: #222')")
    page.wait_for_function(f"{theme} === 'light'")
