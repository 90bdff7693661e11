from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from urcx.reports.display.output import Style, note
from urcx.results.layout import lay_out, terminal_width, text_of
from urcx.results.result import Report
from urcx.results.tables import ColouredText, Table

Shown = Callable[..., str]


def unstyled(text: str) -> str:
    """Return a terminal's text without its bold and dim."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shown:
    """Return a function for what a terminal shows of a table, or of a text before it."""

    def show(*tables: Table, width: object = 60, body: str = "") -> str:
        # The stream of the test is another one than that of its preparation.
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", str(width))
        Style().show(Report("urcx.test/1", {}, [], tables, body=body))
        return capsys.readouterr().out

    return show


def test_a_table_without_titles_has_no_head(shown: Shown) -> None:
    table = Table("", ["<", "<"], [["depth", "7"], ["states", "12"]], ["a note"])
    assert text_of(lay_out([table])).splitlines() == ["depth   7", "states  12", "", "* a note", ""]
    text = shown(table)
    assert "depth" in text
    assert "─" not in text, "no rule under a head that is not there"


@pytest.mark.parametrize("columns", ["0", "-3", "none"])
def test_a_width_that_is_none_hides_nothing(columns: str, shown: Shown) -> None:
    text = shown(Table("", ["<", "<"], [["depth", "7"]]), width=columns, body="what there is")
    assert terminal_width() == 80
    assert unstyled(text).split() == ["what", "there", "is", "depth", "7"]


def test_text_is_as_wide_as_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    wide = Table("", ["p", *(f"column {k}" for k in range(40))], [[str(k) for k in range(41)]])
    Style().show(Report("urcx.test/1", {}, [], [wide]))
    text = capsys.readouterr().out
    assert "column 39" in text.splitlines()[0]
    assert text.splitlines()[2].split() == [str(k) for k in range(41)]


@pytest.mark.parametrize("width", [40, 60, 200])
def test_a_terminal_shows_every_cell_whole(width: int, shown: Shown) -> None:
    columns = [f"column_{k}" for k in range(8)]
    rows = [[f"{10**9 + 10 * row + k:,}" for k in range(8)] for row in range(6)]
    rows[0][0] = "[bold]"
    text = unstyled(shown(Table("[red]title", columns, rows, ["[note]"]), width=width))
    for cell in (*columns, *(cell for row in rows for cell in row), "[red]title", "[note]"):
        assert cell in text, "square brackets are no markup"
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    # The first column says in each group of columns what a row is about.
    heads = [line for line in text.splitlines() if "column" in line]
    assert (len(heads) == 1) == (width == 200)
    assert all("column_0" in line for line in heads)


def test_words_are_wrapped_and_drawings_are_not(shown: Shown) -> None:
    remark = " ".join(f"word{k}" for k in range(40))
    text = unstyled(shown(Table("", ["p", "<remark"], [["1", remark]])))
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 60
    assert all(word in text.split() for word in remark.split())
    board = "+---------+---------+---------+\n| A1*     | [b]     |\n"
    assert board in shown(body=board, width=20)


COLOURS = Table("", ["<what", "<verdict"], [["one", ColouredText("contradicted", "bad")]])


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colour_where_it_is_wanted_and_never_alone(
    environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    text = shown(COLOURS)
    assert ("\x1b[1;31m" in text) == coloured, "red"
    assert "contradicted" in unstyled(text)
    assert "\x1b" not in text_of(lay_out([COLOURS])), "nor in pipes"


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
