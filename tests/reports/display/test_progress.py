from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable

import pytest

from urcx.reports.display import progress as module
from urcx.reports.display.progress import progress, progress_bars, rate_text


@pytest.mark.parametrize(
    ("done", "seconds", "text"),
    [
        (0, 35.0, "at the first games for 35 s"),
        (70, 35.0, "2 games/s"),
        (1, 35.0, "0.029 games/s"),
        (77_000, 35.0, "2,200 games/s"),
        (245_000_000_000, 35.0, "7,000 M games/s"),
        (1, 0.0, "1,000 M games/s"),
        (1_000_000, 1.0, "1 M games/s"),
        (999_999, 2.0, "500,000 games/s"),
        (994, 10.0, "99 games/s"),
        (995, 10.0, "100 games/s"),
    ],
)
def test_a_rate_has_two_digits_and_is_never_nothing(done: int, seconds: float, text: str) -> None:
    assert rate_text(done, seconds, "games") == text


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """Return a function for what bars have written since, on a wide terminal."""
    monkeypatch.setattr(module, "SHOW_AFTER", -1.0)
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(name, value)
    # The stream itself is another one in the test than here.
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True)
    return lambda: re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", capsys.readouterr().err)


def test_a_bar_is_for_a_terminal_and_for_what_takes_long(
    drawn: Callable[[], str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(*done: int) -> None:
        with progress("work", 10, "things") as update:
            for number in done:
                update(number)

    work(5, 10)
    captured = capsys.readouterr()
    assert captured.out == "", "stdout carries the result only"
    assert "work" in captured.err
    work(10)
    assert drawn() == "", "done at once"
    monkeypatch.setattr(module, "SHOW_AFTER", 1e9)
    work(5)
    assert drawn() == ""
    monkeypatch.setattr(module, "SHOW_AFTER", -1.0)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: False)
    work(5)
    assert drawn() == ""


def test_behind_a_bar_a_line_has_room_for_what_ctrl_c_writes(
    drawn: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    with progress("work", 1000, "things of a long name") as update:
        update(5)
        time.sleep(0.2)
    lines = [line for line in re.split(r"[\r\n]", drawn()) if "work" in line]
    assert lines
    assert max(map(len, lines)) <= 60 - len("^C")


def test_a_bar_says_what_is_done_how_much_and_how_fast(drawn: Callable[[], str]) -> None:
    with progress("work", 1000, "things") as update:
        update(5)
        time.sleep(0.15)
        update(500)
        time.sleep(0.15)
    shown = drawn()
    assert re.search(r"work .* 0 % .* things/s", shown)
    assert re.search(r"work .* 50 % .* things/s", shown)


def test_of_several_stages_one_has_a_bar(drawn: Callable[[], str]) -> None:
    with progress_bars() as begin:
        first = begin("first", 10, "things")
        first(1)
        assert len(module._visible) == 1
        second = begin("second", 20, "states")
        assert module._visible == []
        second(5)
        assert len(module._visible) == 1
    assert module._visible == []
    shown = drawn()
    assert "first" in shown
    assert re.search(r"second .* 25 % .* states/s", shown)
