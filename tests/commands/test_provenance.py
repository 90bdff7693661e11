"""Results record how they were made."""

from __future__ import annotations

import csv
import io
import json
import platform
import shlex
from importlib import metadata
from pathlib import Path

import pytest
from command_line import run
from own_rules import SHORT
from recorded import recorded

import urcx
from urcx.results.result import Report
from urcx.results.writing import csv_text

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
def test_every_kind_of_file_says_how_it_was_made(suffix: str) -> None:
    file, command = made(suffix)
    said = {"command": command, "versions": VERSIONS, "seed": None, "definitions": {}}
    assert recorded(file) == said
    before = file.read_bytes()
    assert made(suffix)[0].read_bytes() == before, "nothing of the time is in it"


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
    (tmp_path / "sign.csv").write_text(
        csv_text(Report("", {}, [row]), {"command": "urcx"}), "utf-8"
    )
    frame = pandas.read_csv(tmp_path / "sign.csv", comment="#")
    assert frame.to_dict("records") == [{"player": "net:my#1.npz", "wins": 3}]


def test_a_sign_of_comments_in_a_row_is_in_quotes() -> None:
    text = csv_text(Report("", {}, [{"player": "net:my#1.npz", "wins": 3}]))
    assert text == '"player","wins"\n"net:my#1.npz","3"\n'
    assert list(csv.DictReader(io.StringIO(text))) == [{"player": "net:my#1.npz", "wins": "3"}]


@pytest.mark.parametrize("suffix", FILES)
def test_paths_of_ones_own_are_in_the_result(suffix: str) -> None:
    Path("own (1) & é.toml").write_text(OWN, encoding="utf-8")
    command = "ssc strip -p 1..2 --no-enumerate --path-file 'own (1) & é.toml'"
    file, _ = made(suffix, command)
    assert recorded(file)["definitions"] == {"own (1) & é.toml": OWN}


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
    assert json.loads(run("show", "--json").out)["provenance"]["definitions"] == {}


def test_a_figure_that_python_saved_has_the_versions() -> None:
    urcx.figure(urcx.gain("2/3,6/5-5/L")).save("gain.svg")
    said = {"command": None, "versions": VERSIONS, "seed": None, "definitions": {}}
    assert recorded(Path("gain.svg")) == said
