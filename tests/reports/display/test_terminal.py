from __future__ import annotations

import re

import pytest

from urcx.reports.display import terminal
from urcx.reports.display.output import Style, note
from urcx.results.layout import plain_table, terminal_width
from urcx.results.report import Report
from urcx.results.tables import Table, Toned


def unstyled(text: str) -> str:
    """Return a terminal's text without its bold and dim."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_table_without_titles_has_no_head(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table("", ["<", "<"], [["depth", "7"], ["states", "12"]], ["a note"])
    assert plain_table(table).splitlines() == ["depth   7", "states  12", "", "* a note", ""]
    monkeypatch.setenv("COLUMNS", "60")
    terminal.show("", [table])
    shown = capsys.readouterr().out
    assert "depth" in shown
    assert "─" not in shown, "no rule under a head that is not there"


@pytest.mark.parametrize("columns", ["0", "-3", "none"])
def test_a_width_that_is_none_hides_nothing(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table("", ["<", "<"], [["depth", "7"]])
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width() == 80
    terminal.show("what there is", [table])
    assert unstyled(capsys.readouterr().out).split() == ["what", "there", "is", "depth", "7"]


def test_text_is_as_wide_as_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    wide = Table("", ["p", *(f"column {k}" for k in range(40))], [[str(k) for k in range(41)]])
    Style().show(Report("urcx.test/1", {}, [], [wide]))
    text = capsys.readouterr().out
    assert "column 39" in text.splitlines()[0]
    assert text.splitlines()[2].split() == [str(k) for k in range(41)]


@pytest.mark.parametrize("width", [40, 60, 200])
def test_a_terminal_shows_every_cell_whole(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    columns = [f"column_{k}" for k in range(8)]
    rows = [[f"{10**9 + 10 * row + k:,}" for k in range(8)] for row in range(6)]
    rows[0][0] = "[bold]"
    Style().show(Report("urcx.test/1", {}, [], [Table("[red]title", columns, rows, ["[note]"])]))
    text = unstyled(capsys.readouterr().out)
    for cell in (*columns, *(cell for row in rows for cell in row), "[red]title", "[note]"):
        assert cell in text, "square brackets are no markup"
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    # The first column says in each group of columns what a row is about.
    heads = [line for line in text.splitlines() if "column" in line]
    assert (len(heads) == 1) == (width == 200)
    assert all("column_0" in line for line in heads)


def test_a_long_last_column_wraps_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    remark = " ".join(f"word{k}" for k in range(40))
    Style().show(Report("urcx.test/1", {}, [], [Table("", ["p", "<remark"], [["1", remark]])]))
    text = unstyled(capsys.readouterr().out)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 60
    assert all(word in text.split() for word in remark.split())


def test_a_body_is_not_broken_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    body = "+---------+---------+---------+\n| A1*     | [b]     |\n"
    Style().show(Report("urcx.test/1", {}, [], body=body))
    assert body in capsys.readouterr().out


COLOURS = Table("", ["<what", "<verdict"], [["one", Toned("contradicted", "bad")]])


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colour_where_it_is_wanted_and_never_alone(
    environment: dict[str, str],
    coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    Style().show(Report("urcx.test/1", {}, [], [COLOURS]))
    shown = capsys.readouterr().out
    assert ("\x1b[1;31m" in shown) == coloured, "red"
    assert "contradicted" in unstyled(shown)
    assert Report("urcx.test/1", {}, [], [COLOURS]).text() == plain_table(COLOURS)
    assert "\x1b" not in plain_table(COLOURS), "nor in pipes"


@pytest.mark.parametrize("seen", [True, False])
def test_messages_break_at_words_on_a_terminal_and_nowhere_in_a_pipe(
    seen: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stderr.isatty", lambda: seen)
    text = "solving 500,929,993 states will take up to 10.4 GB of memory, 8.0 GB on disk"
    note(text)
    lines = capsys.readouterr().err.splitlines()
    assert [word for line in lines for word in line.split()] == ["urcx:", *text.split()]
    assert len(lines) == (3 if seen else 1)
    assert not seen or max(map(len, lines)) <= 40
