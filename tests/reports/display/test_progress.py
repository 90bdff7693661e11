from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable

import pytest

from urcx.reports.display import progress as module
from urcx.reports.display.progress import interlude, progress, rate_text, stages, two_digits


def test_there_is_no_bar_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("urcx.reports.display.progress.SHOW_AFTER", -1.0)
    with progress("work", 10, "things") as update:
        for done in range(10):
            update(done)
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal_is_for_what_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("urcx.reports.display.progress.SHOW_AFTER", 1e9)
    with progress("quick work", 10, "things") as update:
        update(5)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr("urcx.reports.display.progress.SHOW_AFTER", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress("long work", 10, "things") as update:
        update(5)
        update(10)
    captured = capsys.readouterr()
    assert captured.out == "", "stdout carries the result only"
    assert "long work" in captured.err
    with progress("done at once", 10, "things") as update:
        update(10)
    assert capsys.readouterr() == ("", "")


def test_behind_a_bar_a_line_has_room_for_what_ctrl_c_writes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("urcx.reports.display.progress.SHOW_AFTER", -1.0)
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "60")):
        monkeypatch.setenv(name, value)
    with progress("work", 1000, "things of a long name") as update:
        update(5)
        time.sleep(0.2)
    shown = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", capsys.readouterr().err)
    lines = [line for line in re.split(r"[\r\n]", shown) if "work" in line]
    assert lines
    assert max(map(len, lines)) <= 60 - len("^C")


@pytest.mark.parametrize(
    ("done", "text"),
    [
        (0, "at the first games for 35 s"),
        (70, "2 games/s"),
        (1, "0.029 games/s"),
        (77_000, "2,200 games/s"),
        (245_000_000_000, "7,000 M games/s"),
    ],
)
def test_a_bar_never_shows_a_rate_of_nothing(done: int, text: str) -> None:
    assert rate_text(done, 35.0, "games") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0251, "0.025"), (3.14, "3.1"), (99.4, "99"), (99.5, "100"), (2249.0, "2,200")],
)
def test_two_digits(value: float, text: str) -> None:
    assert two_digits(value) == text


def test_rates_of_no_time_at_all() -> None:
    assert rate_text(1, 0.0, "games") == "1,000 M games/s"
    assert rate_text(1_000_000, 1.0, "games") == "1 M games/s"
    assert rate_text(999_999, 2.0, "games") == "500,000 games/s"


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """Return a function for what bars have written since, on a wide terminal."""
    monkeypatch.setattr("urcx.reports.display.progress.SHOW_AFTER", -1.0)
    for name, value in (("FORCE_COLOR", "1"), ("TERM", "xterm"), ("COLUMNS", "120")):
        monkeypatch.setenv(name, value)
    # The stream itself is another one in the test than here.
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True)
    return lambda: re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", capsys.readouterr().err)


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
    with stages() as begin:
        first = begin("first", 10, "things")
        first(1)
        assert len(module._shown) == 1
        second = begin("second", 20, "states")
        assert module._shown == []
        second(5)
        assert len(module._shown) == 1
    assert module._shown == []
    shown = drawn()
    assert "first" in shown
    assert re.search(r"second .* 25 % .* states/s", shown)


def test_another_bar_takes_the_place_of_one_for_a_while(drawn: Callable[[], str]) -> None:
    with progress("work", 10, "things") as update:
        update(1)
        (bar,) = module._shown
        with interlude() as other:
            assert not bar.live.is_started
            other.add_task("meanwhile", total=3, state="compiling")
        assert bar.live.is_started
    assert not bar.live.is_started
    with interlude() as other:  # where there is none
        other.add_task("alone", total=3, state="compiling")
    shown = drawn()
    assert "meanwhile" in shown
    assert "alone" in shown
