"""Tables, JSON, CSV and files: the one way in which results are shown."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path
from typing import Annotated, NamedTuple

import pytest

import urcx
from urcx.engine.files.writing import atomic_file, real_file
from urcx.errors import UrcxError, UsageError
from urcx.reports.display import output
from urcx.reports.display.output import Style, check_plot, check_writable
from urcx.reports.display.provenance import provenance
from urcx.results.fields import Field
from urcx.results.layout import lay_out, text_of
from urcx.results.result import Report, Rows
from urcx.results.tables import Table
from urcx.results.writing import csv_text, json_text, plain_text

TABLE = Table("Numbers", ["p", "<name"], [["1", "an [odd] one"]], ["a note"])
REPORT = Report(
    "urcx.test/1",
    {"rows": [{"count": "12"}]},
    [{"a": 1, "b": "x,y"}, {"a": 2, "c": 'say "z"'}],
    [TABLE],
)


class Pair(NamedTuple):
    a: Annotated[int, Field()]
    b: Annotated[int, Field()]


class Pairs(Rows[Pair]):
    pass


def test_body_comes_before_tables() -> None:
    text = plain_text(Report("urcx.test/1", {}, [], [TABLE], body="Some words.\n"))
    assert text.startswith("Some words.\n")
    assert text.endswith(text_of(lay_out([TABLE])))


def test_json_starts_with_schema_and_version() -> None:
    document = json.loads(json_text(REPORT))
    assert list(document) == ["schema", "version", "rows"]
    assert document["schema"] == "urcx.test/1"
    assert document["version"] == urcx.__version__
    assert json_text(REPORT).splitlines()[1] == '  "schema": "urcx.test/1",', "indented for people"
    assert json_text(REPORT).endswith("}\n")


def test_csv_has_every_column_of_any_row() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(REPORT))))
    assert rows == [
        {"a": "1", "b": "x,y", "c": ""},
        {"a": "2", "b": "", "c": 'say "z"'},
    ]
    assert "\r" not in csv_text(REPORT)
    assert csv_text(Pairs()) == "a,b\n", "without rows"


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://x","y")',
        "+1+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "-x.py",
        "-1/0/2",
        "+1e",
        "-1.5=",
        "=1",
    ],
)
def test_no_text_is_a_formula_of_a_spreadsheet(text: str) -> None:
    found = csv_text(
        Report("urcx.test/1", {}, [{"player": text, text: 1}]), {"command": f"urcx x,{text}"}
    )
    cells = [cell for row in csv.reader(io.StringIO(found)) for cell in row]
    assert cells.count(f"'{text}") == 2, "the cell and the name of its column"
    assert not [cell for cell in cells if cell[:1] in "=+-@"]
    command = found.partition(": ")[2].partition("\n")[0]
    assert json.loads(command) == f"urcx x,{text}"


@pytest.mark.parametrize(
    "value", ["-1.5", "+2", "-49/165", "-1e-07", "-.5", "-inf", "-", "-/-/0-0/L", "a=b", -1.5]
)
def test_numbers_and_positions_stay_what_they_are_in_csv(value: object) -> None:
    cells = [*csv.DictReader(io.StringIO(csv_text(Report("urcx.test/1", {}, [{"a": value}]))))]
    assert cells == [{"a": str(value)}]


@pytest.mark.parametrize("form", ["json", "csv", "table"])
def test_style_writes_the_form_asked_for(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    Style.chosen(json=form == "json", csv=form == "csv", file=None).show(REPORT)
    captured = capsys.readouterr()
    made = provenance()
    expected = {
        "json": json_text(REPORT, made),
        "csv": csv_text(REPORT, made),
        "table": plain_text(REPORT),
    }
    assert captured.out == expected[form]
    assert captured.err == ""
    with pytest.raises(UsageError, match="--json and --csv"):
        Style.chosen(json=True, csv=True, file=None)


@pytest.mark.parametrize("json", [True, False])
def test_a_file_is_written_and_said_so(
    json: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    file = tmp_path / "out"
    style = Style.chosen(json=json, csv=False, file=file)
    assert not file.exists(), "the check alone touches nothing"
    style.show(REPORT)
    assert capsys.readouterr() == ("", f"urcx: wrote {file}\n")
    assert file.read_text(encoding="utf-8") == (
        json_text(REPORT, provenance()) if json else plain_text(REPORT)
    )


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


def test_what_is_no_result_is_said_as_it_is_but_wrapped_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "four words of text, and more\n"
    output.say(text)
    assert capsys.readouterr().out == text
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    output.say(text)
    assert capsys.readouterr().out == "four words of text,\n  and more\n"


def test_a_figure_needs_a_name_of_its_own_that_can_be_drawn_to(tmp_path: Path) -> None:
    check_writable(None)
    check_plot(None, None)
    check_plot(None, tmp_path / "x.json")
    check_plot(tmp_path / "x.PNG", tmp_path / "x.json")
    with pytest.raises(UsageError, match="--plot and --output both name"):
        check_plot(tmp_path / "x.png", tmp_path / "." / "x.png")
    with pytest.raises(UsageError, match=r"the name must end in .*\.svg"):
        check_plot(tmp_path / "x.txt", None)
    with pytest.raises(UrcxError, match="there is no directory"):
        check_plot(tmp_path / "none" / "x.svg", None)


def test_a_directory_without_permission_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, int]] = []

    def access(place: Path, mode: int) -> bool:
        asked.append((place, mode))
        return False

    monkeypatch.setattr(os, "access", access)  # root may write anywhere
    with pytest.raises(UrcxError, match=f"no permission in {re.escape(str(tmp_path))}"):
        check_writable(tmp_path / "out.txt")
    assert asked == [(tmp_path, os.W_OK)]


def test_what_a_link_leads_to_is_written_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "out.txt", tmp_path / "link"
    link.symlink_to(target)
    for text in ("first", "second"):
        check_writable(link)
        with atomic_file(link) as stream:
            stream.write(text)
        assert target.read_text("utf-8") == text
    assert link.is_symlink()
    assert real_file(link) == target.resolve()
    for k in (1, 2):
        (tmp_path / f"loop{k}").symlink_to(tmp_path / f"loop{3 - k}")
    for error in (real_file, check_writable):
        with pytest.raises(UrcxError, match="loop1: its links form a circle"):
            error(tmp_path / "loop1")
        with pytest.raises(UrcxError, match=r"no directory .*out\.txt"):
            error(target / "x")
