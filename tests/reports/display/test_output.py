"""Tables, JSON, CSV and files: the one way in which results are shown."""

from __future__ import annotations

import csv
import io
import json
import re
import time
from pathlib import Path

import pytest

import urcx
from urcx.errors import UrcxError, UsageError
from urcx.reports.display import output, terminal
from urcx.reports.display.layout import lay_out
from urcx.reports.display.output import (
    Column,
    Report,
    Style,
    Table,
    Toned,
    atomic_file,
    check_writable,
    grouped,
    note,
    number,
    plain,
    power_of_two,
)
from urcx.reports.display.progress import progress, rate_text

TABLE = Table(
    "Numbers",
    ["p", "<name", "count", "<remark"],
    [["1", "one", "1,234,567", "an [odd] one"], ["10", "ten thousand", "8", ""]],
    ["first note", "second note"],
)
REPORT = Report(
    "urcx.test/1",
    {"rows": [{"count": "12"}]},
    [{"a": 1, "b": "x,y"}, {"a": 2, "c": 'say "z"'}],
    [TABLE],
)


# Text.


def test_columns_line_up() -> None:
    lines = plain(TABLE).splitlines()
    assert lines[0] == "Numbers"
    head, rule, one, ten = lines[2:6]
    assert head == " p  name              count  remark"
    assert rule == "--  ------------  ---------  ------------"
    assert one == " 1  one           1,234,567  an [odd] one"
    assert ten == "10  ten thousand          8", "no blanks at the end"
    assert plain(TABLE).rstrip().endswith("\n* first note\n* second note")


def test_a_table_without_rows_or_title_has_its_head() -> None:
    assert plain(Table("", ["a", "<b"], [])).splitlines()[0] == "a  b"


def test_a_table_without_titles_has_no_head(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = Table("", ["<", "<"], [["depth", "7"], ["states", "12"]], ["a note"])
    assert plain(table).splitlines() == ["depth   7", "states  12", "", "* a note", ""]
    monkeypatch.setenv("COLUMNS", "60")
    terminal.show("", [table])
    shown = capsys.readouterr().out
    assert "depth" in shown
    assert "─" not in shown, "no rule under a head that is not there"


def test_text_is_as_wide_as_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    wide = Table("", ["p", *(f"column {k}" for k in range(40))], [[str(k) for k in range(41)]])
    Style().show(Report("urcx.test/1", {}, [], [wide]))
    text = capsys.readouterr().out
    assert "column 39" in text.splitlines()[0]
    assert text.splitlines()[2].split() == [str(k) for k in range(41)]


def test_body_comes_before_tables() -> None:
    text = Report("urcx.test/1", {}, [], [TABLE], body="Some words.\n").text()
    assert text.startswith("Some words.\n")
    assert text.endswith(plain(TABLE))


def test_numbers() -> None:
    assert [output.counted(n, "piece") for n in (0, 1, 2000)] == [
        "0 pieces",
        "1 piece",
        "2,000 pieces",
    ]
    assert number(1234567) == "1,234,567"
    assert number(10**21 - 1) == f"{10**21 - 1:,}", "no float on the way"
    assert [number(n) for n in (10**21, -(10**25), 2**200)] == ["1.0e21", "-1.0e25", "1.606938e60"]
    assert number(10**30 - 1) == "1.0e30", "rounded up"
    assert power_of_two(2**34) == "2^34"
    assert power_of_two(2**34 - 1) == "17,179,869,183"
    assert power_of_two(2**34 + 1) == "17,179,869,185"
    assert power_of_two(256) == "256", "readable as it is"


# JSON and CSV.


def test_json_starts_with_schema_and_version() -> None:
    document = json.loads(REPORT.json())
    assert list(document) == ["schema", "version", "rows"]
    assert document["schema"] == "urcx.test/1"
    assert document["version"] == urcx.__version__
    assert REPORT.json().endswith("}\n")


def test_csv_has_every_column_of_any_row() -> None:
    rows = list(csv.DictReader(io.StringIO(REPORT.csv())))
    assert rows == [
        {"a": "1", "b": "x,y", "c": ""},
        {"a": "2", "b": "", "c": 'say "z"'},
    ]
    assert "\r" not in REPORT.csv()


@pytest.mark.parametrize("form", ["json", "csv", "table"])
def test_style_writes_the_form_asked_for(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    Style.chosen(json=form == "json", csv=form == "csv", file=None).show(REPORT)
    captured = capsys.readouterr()
    expected = {"json": REPORT.json(), "csv": REPORT.csv(), "table": REPORT.text()}
    assert captured.out == expected[form]
    assert captured.err == ""


def test_json_and_csv_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="--json and --csv"):
        Style.chosen(json=True, csv=True, file=None)


# A terminal.


def unstyled(text: str) -> str:
    """Return a terminal's text without its bold and dim."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


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
    assert Report("urcx.test/1", {}, [], [COLOURS]).text() == plain(COLOURS)
    assert "\x1b" not in plain(COLOURS), "nor in pipes"


WIDE = Table(
    "",
    [
        Column("id", key=True),
        Column("of", text=True, key=True),
        "n",
        Column("m", secondary=True),
        "k",
    ],
    [[str(k), "x" * 12, "1" * 18, "2" * 18, "3" * 18] for k in range(6)],
)


def laid(table: Table, width: int, *, wide: bool = False) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in lay_out(table, width, wide=wide)]


def test_secondary_columns_go_first_then_blocks_then_records() -> None:
    assert laid(WIDE, 80)[0].split() == ["id", "of", "n", "m", "k"]
    assert laid(WIDE, 60)[0].split() == ["id", "of", "n", "k"]
    assert "left out to fit: m; --wide shows" in " ".join(laid(WIDE, 60))
    blocks = [line.split() for line in laid(WIDE, 60, wide=True) if line.startswith("id")]
    assert blocks == [["id", "of", "n", "m"], ["id", "of", "k"]]
    blocks = [line.split() for line in laid(WIDE, 40) if line.startswith("id")]
    assert blocks == [["id", "of", "n"], ["id", "of", "k"]]
    records = laid(WIDE, 30)
    assert records[:4] == ["id  0", "of  xxxxxxxxxxxx", "n   " + "1" * 18, "k   " + "3" * 18]


def test_a_single_row_that_does_not_fit_is_turned() -> None:
    table = Table("", WIDE.columns, WIDE.rows[:1])
    assert [line.split()[0] for line in laid(table, 60) if line] == ["id", "of", "n", "m", "k"]


def test_texts_wrap_at_words_and_keep_a_least_width() -> None:
    words = "a remark of several words, 105.3 ± 0.1 and 95 % and 4: 1/16"
    table = Table("", ["p", Column("remark", text=True, least=24), "n"], [["1", words, "9" * 9]])
    for width in range(40, 80):
        lines = laid(Table("", table.columns, [*table.rows] * 5), width)
        assert max(map(len, lines)) <= width
        text = " ".join(lines)
        assert all(whole in text for whole in ("105.3 ± 0.1", "95 %", "4: 1/16", "several"))


def test_numbers_are_grouped_but_what_only_looks_like_one_is_not() -> None:
    assert grouped("15788044 and 2021, 0.123456789") == "15,788,044 and 2021, 0.123456789"
    assert grouped(f"{10**30:,}; {10**20:,}") == f"1.0e30; {10**20:,}"
    assert grouped("00012 10^12345 x12345 12345.5") == "00012 10^12345 x12345 12345.5"


def test_csv_has_a_header_where_there_are_no_rows() -> None:
    assert Report("urcx.test/1", {}, [], fields=("a", "b")).csv() == "a,b\n"


# Files.


def test_a_file_is_written_and_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.json"
    Style.chosen(json=True, csv=False, file=file).show(REPORT)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert str(file) in captured.err
    assert file.read_text(encoding="utf-8") == REPORT.json()


def test_a_file_for_a_terminal_is_plain_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    file = tmp_path / "out.txt"
    Style(file=file).show(REPORT)
    assert file.read_text(encoding="utf-8") == REPORT.text()
    assert capsys.readouterr().out == ""


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    with atomic_file(file) as stream:
        stream.write("\u2208 half")
        stream.flush()
        assert not file.exists()
    assert file.read_text(encoding="utf-8") == "\u2208 half"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    file = tmp_path / "out.txt"
    file.write_text("old", encoding="utf-8")

    def write() -> None:
        with atomic_file(file) as stream:
            stream.write("new")
            raise error

    with pytest.raises(error):
        write()
    assert file.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_binary_files(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "out.png", "wb") as stream:
        stream.write(b"\x89\r\n")
    assert (tmp_path / "out.png").read_bytes() == b"\x89\r\n"


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    with atomic_file(tmp_path / "out.txt") as stream:
        stream.write("x")
    assert (tmp_path / "out.txt").stat().st_mode == usual.stat().st_mode


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    for file, reason in ((tmp_path / "none" / "x", "No such file"), (tmp_path, "directory")):
        with (
            pytest.raises(UrcxError, match=f"cannot write {re.escape(str(file))}.*{reason}"),
            atomic_file(file),
        ):
            pytest.fail("opened")
        with pytest.raises(UrcxError, match=f"cannot write {re.escape(str(file))}"):
            check_writable(file)
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_written_is_not_touched_by_the_check(tmp_path: Path) -> None:
    check_writable(None)
    check_writable(tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []


def test_notes_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    output.note("by the way")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "urcx: by the way\n")


# Progress.


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
