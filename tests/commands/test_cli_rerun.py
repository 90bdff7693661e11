"""What results say of how they were made, and that it can be repeated."""

from __future__ import annotations

import csv
import io
import json
import platform
import re
import shlex
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from command_line import assert_one_line, run
from own_rules import SHORT

import urcx
from urcx.reports.display.provenance import recorded
from urcx.results.report import Report

pytest_plugins = ["command_fixtures"]
pytestmark = pytest.mark.usefixtures("here")

OWN = SHORT.read_text(encoding="utf-8")
VERSIONS = {
    "urcx": urcx.__version__,
    "python": platform.python_version(),
    "numba": metadata.version("numba"),
    "numpy": metadata.version("numpy"),
}
# By suffix: the form that a command is to print, and what stands before the file's name.
FILES = {
    "json": ("--json", "-o "),
    "csv": ("--csv", "--output="),
    "svg": ("", "--plot "),
    "png": ("", "--plot="),
    "pdf": ("", "--plot "),
}


def made(suffix: str, command: str = "dice --dice binary4") -> tuple[Path, str]:
    """Have a command write a file of a kind; return it, and the command as the file has it."""
    file = Path(f"made.{suffix}")
    form, target = FILES[suffix]
    result = run(*shlex.split(f"{command} {form} {target}{file}"))
    assert result.code == 0, result.err
    return file, f"urcx {command} {form}".rstrip()


@pytest.mark.parametrize("suffix", FILES)
def test_every_kind_of_file_says_how_it_was_made_and_is_repeated(suffix: str) -> None:
    file, command = made(suffix)
    said = {"command": command, "versions": VERSIONS, "seed": None, "definitions": {}}
    assert recorded(file) == said
    before = file.read_bytes()
    assert made(suffix)[0].read_bytes() == before, "nothing of the time is in it"
    again = run("rerun", str(file))
    assert (again.code, again.err) == (0, f"urcx: repeats {command}\n")
    assert again.out == (
        f"{file}: the same result again from {command}; the versions are the same\n"
    )
    assert sorted(Path().iterdir()) == [file]
    assert file.read_bytes() == before


def test_json_has_it_last_and_csv_in_comments_first() -> None:
    found = json.loads(run("sample", "-n", "2", "--seed", "7", "--json").out)
    assert list(found)[:2] == ["schema", "version"]
    assert list(found)[-1] == "provenance"
    assert found["provenance"]["seed"] == 7
    said = run("sample", "-n", "2", "--seed", "7", "--csv").out
    plain = run("sample", "-n", "2", "--seed", "7", "--csv", "--no-header").out
    assert said.endswith(plain)
    assert said.removesuffix(plain).splitlines() == [
        '# command: "urcx sample -n 2 --seed 7 --csv"',
        f"# versions: {json.dumps(VERSIONS)}",
        "# seed: 7",
    ]
    assert plain.startswith("rank,")


def test_other_readers_of_csv_skip_the_comments(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    file, _ = made("csv", "ssc bell -p 1..3 --no-enumerate")
    frame = pandas.read_csv(file, comment="#")
    assert frame["tile-polynomial"].tolist() == [248, 13112, 264304]
    # A comment in the middle of a row would cut it: it is in quotes.
    row = {"player": "net:my#1.npz", "wins": "3"}
    (tmp_path / "sign.csv").write_text(Report("", {}, [row]).csv({"command": "urcx"}), "utf-8")
    frame = pandas.read_csv(tmp_path / "sign.csv", comment="#")
    assert frame.to_dict("records") == [{"player": "net:my#1.npz", "wins": 3}]


def test_a_sign_of_comments_in_a_row_is_in_quotes() -> None:
    text = Report("", {}, [{"player": "net:my#1.npz", "wins": 3}]).csv()
    assert text == '"player","wins"\n"net:my#1.npz","3"\n'
    assert list(csv.DictReader(io.StringIO(text))) == [{"player": "net:my#1.npz", "wins": "3"}]


@pytest.mark.parametrize("suffix", FILES)
def test_paths_of_ones_own_are_in_the_result(suffix: str) -> None:
    Path("own (1) & é.toml").write_text(OWN, encoding="utf-8")
    command = "ssc strip -p 1..2 --no-enumerate --path-file 'own (1) & é.toml'"
    file, _ = made(suffix, command)
    assert recorded(file)["definitions"] == {"own (1) & é.toml": OWN}
    Path("own (1) & é.toml").unlink()
    assert run("rerun", str(file)).code == 0, "the file's own text is taken"


@pytest.mark.jit
def test_rules_that_a_tablebase_has_are_in_the_result() -> None:
    Path("own.toml").write_text(OWN, encoding="utf-8")
    solved = ("solve", "-p", "1", "--path-file", "own.toml", "-o", "strip.urcx", "--json")
    assert json.loads(run(*solved).out)["provenance"]["definitions"]["own.toml"] == OWN
    found = run("probe", "strip.urcx", "--json", "-o", "probed.json")
    assert found.code == 0
    said = recorded(Path("probed.json"))["definitions"]
    assert list(said) == ["rules strip"]
    assert json.loads(said["rules strip"])["light"] == ["A2", "A1", "B1", "B2", "B3", "B4"]
    assert run("rerun", "probed.json").code == 0
    assert json.loads(run("show", "--json").out)["provenance"]["definitions"] == {}


@pytest.mark.jit
@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_files_of_exact_fractions_are_repeated(suffix: str) -> None:
    arguments = ("solve", "--exact-fractions", "-p", "1", "-o", f"all.{suffix}")
    assert run(*arguments).code == 0
    assert recorded(Path(f"all.{suffix}"))["command"] == f"urcx {' '.join(arguments)}"
    assert run("rerun", f"all.{suffix}").code == 0
    text = Path(f"all.{suffix}").read_text("utf-8")
    Path(f"all.{suffix}").write_text(text.replace("1/2", "1/3"), "utf-8")
    assert run("rerun", f"all.{suffix}").code == 1


def test_what_differs_is_named_with_its_place_and_so_are_versions() -> None:
    file, command = made("json", "ssc bell -p 1..3 --no-enumerate")
    text = file.read_text(encoding="utf-8")
    changed = text.replace('"264304"', '"264305"').replace(VERSIONS["numpy"], "1.0")
    file.write_text(changed, encoding="utf-8")
    found = run("rerun", str(file))
    assert found.code == 1
    numpy = f"numpy 1.0, now {VERSIONS['numpy']}"
    assert found.out.startswith(
        f"{file}: another result now from {command}, in 4 places; versions differ: {numpy}\n"
    )
    row = re.search(r"^rows 3\.forms\.michon +(\S+) +(\S+)$", found.out, re.MULTILINE)
    assert row
    assert row.groups() == ("264305", "264304")
    listed = json.loads(run("rerun", str(file), "--json").out)
    assert (listed["same"], len(listed["rows"])) == (False, 4)
    assert listed["versions"]["numpy"] == "1.0"
    drawing, _ = made("svg")
    drawing.write_text(drawing.read_text("utf-8").replace("#e69f00", "#e69f01"), "utf-8")
    assert run("rerun", str(drawing)).code == 1


def test_times_are_not_compared() -> None:
    file, _ = made("csv", "ssc bell -p 1..2")
    first, *rows = csv.reader(io.StringIO(file.read_text("utf-8").partition("\npath,")[2]))
    assert "seconds" in first
    assert all(row[first.index("seconds") + 1] for row in rows)
    assert run("rerun", str(file)).code == 0


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "does not say how it was made"),
        ({"command": 3}, "does not say how it was made"),
        ({"command": None}, "was made in Python"),
        ({"command": "rm -r x"}, "no command of urcx"),
        ({"command": "urcx 'dice"}, "no command of urcx"),
        ({"command": "urcx cache --clear --json"}, "not repeated"),
        ({"command": "urcx nothing"}, "not repeated"),
        ({"command": "urcx review g.txt --save h.txt --json"}, "writes other files"),
        ({"command": "urcx match bot.py:f greedy --json"}, "add --yes"),
        ({"command": "urcx match engine':'rm greedy --json"}, "add --yes"),
        ({"command": "urcx match 'engine:touch x' greedy --json"}, "runs another program; add --y"),
        ({"command": "urcx dice --dice no --json"}, "'no'"),
        ({"command": "urcx dice --wrong 1 --json"}, "--wrong"),
        ({"command": "urcx"}, "no command of urcx"),
    ],
)
def test_what_cannot_be_repeated_is_one_line(said: dict[str, Any], words: str) -> None:
    whole = {"versions": {}, "seed": None, "definitions": {}} | said if said else said
    Path("found.json").write_text(json.dumps({"provenance": whole}), encoding="utf-8")
    result = run("rerun", "found.json")
    assert result.code == 2
    assert result.out == ""
    (line,) = (x for x in result.err.splitlines() if not x.startswith("urcx: repeats "))
    assert words in line


def test_a_figure_of_what_draws_none_is_one_line() -> None:
    said: dict[str, Any] = {"command": "urcx cite", "versions": {}, "seed": None, "definitions": {}}
    Path("made.svg").write_text(f"<svg>{json.dumps(said)}</svg>", encoding="utf-8")
    result = run("rerun", "made.svg")
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith("urcx: urcx cite draws no figure\n")


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "{", "# command: x\n", "%PDF", "\x89PNG"])
def test_a_file_that_says_nothing_is_refused(text: str) -> None:
    Path("found").write_bytes(text.encode("latin-1"))
    assert "does not say" in assert_one_line(run("rerun", "found"), 2)


def test_a_file_that_is_not_there_is_refused() -> None:
    assert "cannot read none.csv" in assert_one_line(run("rerun", "none.csv"), 2)


def test_a_figure_that_python_saved_has_the_versions() -> None:
    urcx.gain("2/3,6/5-5/L").figure().save("gain.svg")
    said = {"command": None, "versions": VERSIONS, "seed": None, "definitions": {}}
    assert recorded(Path("gain.svg")) == said


@pytest.mark.jit
@pytest.mark.parametrize("suffix", ["svg", "pdf", "html"])
def test_sheets_are_repeated(suffix: str) -> None:
    words = ("mistakes", "greedy", "-p", "1")
    result = run(*words, "--sheet", f"sheet.{suffix}")
    assert result.code == 0, result.err
    assert recorded(Path(f"sheet.{suffix}"))["command"] == f"urcx {' '.join(words)}"
    assert run("rerun", f"sheet.{suffix}").code == 0
    data = Path(f"sheet.{suffix}").read_bytes()
    Path(f"sheet.{suffix}").write_bytes(data + b" ")
    assert run("rerun", f"sheet.{suffix}").code == 1
