from __future__ import annotations

import re
import time

import pytest

from urcx.reports.display.progress import progress, rate_text


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
