"""Saved solutions: urcx solve saves them, and other commands find them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import COMMAND, assert_one_line, run, settled
from own_rules import SHORT
from owners import give_away

import urcx
from urcx import ruleset
from urcx.engine.files.cache import solved_directory
from urcx.errors import UnusableFileError
from urcx.solving.files.kept import saved_solution
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.files.work import exclusive, work_directory

pytest_plugins = ["command_fixtures"]
pytestmark = pytest.mark.usefixtures("here")

GAME = "urcx game 1\nrules: finkel\npieces: 2\n1. light 2:0-2\n2. dark 4:0-4 1:4-5\n"


def solved(*arguments: str) -> Path:
    """Solve a game, and return the file in which it is kept, as is noted."""
    done = run("solve", *arguments, "--json")
    line = re.fullmatch(r"urcx: saved the solution to (.+) \([0-9.]+ \w+\); .+\n", done.err)
    assert line, done.err
    assert done.json["file"] == line[1]
    return Path(line[1])


def test_the_answer_comes_before_where_the_solution_is_saved() -> None:
    line = [*COMMAND, "solve", "-p", "1"]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    first, last = done.stdout.splitlines()[:: len(done.stdout.splitlines()) - 1]
    assert first.startswith(b"finkel, 1 piece")
    assert last.startswith(b"urcx: saved")


def forbid_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(*_: Any, **__: Any) -> None:
        raise AssertionError("solved once more")

    monkeypatch.setattr("urcx.solving.solution.solve_layers", solve)


@pytest.mark.parametrize(
    "line",
    [
        "probe -p 2 3,5/8/0-0/L --json",
        "match random optimal greedy -p 2 -g 20 --json",
        "gtc --agent optimal -p 2 -g 20 --json",
        "gtc --agent optimal -p 2 --exact --json",
        "lengths --agent optimal -p 2 --json",
        "luck --light greedy --dark optimal -p 2 --threads 1 --json",
        "regret --agent greedy,optimal -p 2 --json",
        "review game.txt --json",
        "moves -p 2 --agent optimal --roll 2 --json",
    ],
)
def test_whatever_needs_a_solution_finds_it(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("game.txt").write_text(GAME, encoding="utf-8")
    at_once = run(*line.split())
    assert "saved solution" not in at_once.err
    file = solved("-p", "2")
    forbid_solving(monkeypatch)
    found = run(*line.split())
    assert found.code == 0, found.err
    assert found.err.count(f"urcx: used the saved solution {file}\n") == 1
    assert settled(found.json, "file") == settled(at_once.json, "file")


@pytest.mark.posix("owners")
@pytest.mark.parametrize(
    "line",
    [
        "probe -p 2 3,5/8/0-0/L",
        "probe",
        "regret --agent greedy -p 2",
        "luck --light greedy --dark optimal -p 2 --threads 1",
        "play -p 2 --seed 1",
        "moves -p 2 --agent optimal --roll 2",
    ],
)
def test_a_solution_of_another_user_is_believed_by_no_command(
    line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = solved("-p", "2")
    give_away(file, monkeypatch)
    done = run(*line.split(), stdin="?\nq\n")
    assert "saved solution" not in done.err
    assert "solved last" not in done.err
    assert str(file) not in done.out
    (line,) = [line for line in done.err.splitlines() if str(file) in line]
    assert "not used" in line


def test_one_plays_against_it_and_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    file = solved("-p", "2")
    forbid_solving(monkeypatch)
    played = run("play", "-p", "2", "--seed", "1", stdin="?\nq\n")
    assert str(file) in played.err
    assert "optimal" in played.out
    assert re.search("regret|loss", played.out)


def test_what_was_solved_last_is_probed_unless_one_is_named() -> None:
    assert run("probe", "-p", "1", "--json").json["file"] is None
    two = solved("-p", "2")
    one = solved("-p", "1")
    last = run("probe", "--json")
    assert re.fullmatch(f"urcx: last saved .*finkel.*{re.escape(str(one))}\n", last.err)
    assert (last.json["file"], last.json["pieces"]) == (str(one), 1)
    named = run("probe", "5,8/3,6/0-0/L", "-p", "2", "--json")
    assert (named.json["file"], named.json["position"]) == (str(two), "5,8/3,6/0-0/L")
    assert run("probe", str(two), "--json").json["pieces"] == 2
    assert "cannot be combined with" in assert_one_line(run("probe", str(two), "-p", "2"), 2)
    assert "--rules finkel" in assert_one_line(run("probe", "finkel"), 2)


@pytest.mark.parametrize(
    "line",
    [
        "probe -p 5", "match random optimal -p 5", "gtc --exact --agent optimal -p 5", "luck -p 5",
        "regret -p 5", "mistakes greedy -p 5", "openings -p 5", "lengths --agent optimal -p 5",
        "moves --agent optimal -p 5",
    ],
)  # fmt: skip
def test_without_it_the_line_says_the_command_and_what_it_takes(line: str) -> None:
    message = assert_one_line(run(*line.split()), 1)
    assert "finkel with 5 pieces is not solved" in message
    assert re.search(r"about \d+ s, \d+ MB .*: urcx solve --rules finkel -p 5 --yes;", message)


def test_own_rules_are_known_by_what_they_are() -> None:
    text = SHORT.read_text(encoding="utf-8")
    Path("own.toml").write_text(text, encoding="utf-8")
    file = solved("--rules", "strip", "--path-file", "own.toml")
    assert file.name.startswith("strip-")
    wanted = ("probe", "--path-file", "own.toml", "--json")
    assert run(*wanted).json["file"] == str(file)
    changed = text.replace("rosette_protects = true", "rosette_protects = false")
    assert changed != text
    Path("own.toml").write_text(changed, encoding="utf-8")
    assert run(*wanted).json["file"] is None


def test_a_tablebase_brings_its_rules() -> None:
    base = "strip.urcx"
    assert run("solve", "--rules", f"{SHORT}:strip", "-p", "2", "-o", base).code == 0
    strip = ruleset(f"{SHORT}:strip", pieces=2)
    with open_tablebase(base) as opened:
        assert opened.rules.plays_like(strip)
        value = opened.probe("-/-/0-0/L")
    assert run("probe", base, "--json").json["value"] == value
    judged = urcx.regret("greedy", tablebase=base)
    (row,) = run("regret", "--tablebase", base, "--agent", "greedy", "--json").json["rows"]
    assert row["loss"] == judged.regrets[0].side.loss
    assert judged.opening == value
    assert urcx.luck("greedy", tablebase=base).rules.plays_like(strip)
    line = ("luck", "--tablebase", base, "--agent", "greedy", "--json")
    assert run(*line).json["rules"] == "strip"
    with pytest.raises(UnusableFileError, match="of strip with 2 pieces, not of finkel"):
        urcx.regret("greedy", "finkel", tablebase=base)
    # A game that says no rules is one of the tablebase's.
    Path("g.rgn").write_text(re.sub(r"\[.*\]", "", urcx.PlayedGame(strip).throw(1).to_rgn()))
    found = run("review", "g.rgn", "--tablebase", base, "--json").json
    assert (found["rules"], found["pieces"]) == ("strip", 2)
    file = solved("--rules", f"{SHORT}:strip")
    with open_tablebase(f"{SHORT}:strip") as opened:
        assert opened.file == file


def garbled(file: Path, _: Path) -> str:
    file.write_bytes(b"x" * 100)
    return "is not a urcx tablebase"


def cut(file: Path, _: Path) -> str:
    file.write_bytes(file.read_bytes()[:-1])
    return "is cut off"


def another(file: Path, item: Path) -> str:
    shutil.copyfile(item, file)
    return "has the wrong name"


def damaged(file: Path, _: Path) -> str:
    content = bytearray(file.read_bytes())
    content[-5000] ^= 1
    file.write_bytes(content)
    return "is damaged (layer"


@pytest.mark.parametrize(
    ("line", "harm"),
    [
        ("probe -p 2", garbled),
        # Which is in the block that is damaged.
        ("probe -p 2 1,2/3,4/0-0/L", damaged),
        ("regret -p 2", cut),
        ("match optimal random -p 2", another),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_named_and_replaced(
    line: str, harm: Callable[[Path, Path], str]
) -> None:
    one = solved("-p", "1")
    file = solved("-p", "2")
    why = harm(file, one)
    message = assert_one_line(run(*line.split()), 2 if "is no" in why else 1)
    assert f"{file}" in message
    assert why in message
    assert "urcx solve" in message
    assert solved("-p", "2") == file
    assert run(*line.split()).code == 0


def test_there_is_one_solution_of_a_game_the_last() -> None:
    file = solved("-p", "2")
    size = file.stat().st_size
    assert solved("-p", "2", "--store", "u16") == file
    assert file.stat().st_size < size / 3
    assert "stored as u16" in run("probe", "-p", "2").out
    assert [one.name for one in solved_directory().iterdir()] == [file.name]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("-p 1 --no-keep", ""),
        ("-p 1 --tolerance 1e-6", "not saved (tolerance above 1e-09); -o FILE writes it"),
        ("--rules murray -p 1", "not saved: the path murray"),
        ("-p 1 -o here.urcx", ""),
        ("-p 1 --layers layers", ""),
    ],
)
def test_what_is_not_kept(line: str, note: str) -> None:
    done = run("solve", *line.split())
    assert done.code == 0
    assert note in done.err
    assert "kept for" not in done.err
    assert not solved_directory().exists()


def test_what_cannot_be_kept_is_solved_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def note() -> str:
        done = run("solve", "-p", "1", "--json")
        assert [done.json[name] for name in ("file", "store", "bound")] == [None] * 3
        assert done.json["opening"] == pytest.approx(0.53004984)
        assert done.err.startswith("urcx: not saved: ")
        assert done.err.count("\n") == 1
        return done.err

    with exclusive(work_directory(solved("-p", "1"))):
        assert "another run is writing to" in note()
    with monkeypatch.context() as full:
        usage = shutil.disk_usage(".")
        full.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
        assert "1 kB are free" in note()
    Path("file").touch()
    monkeypatch.setenv("URCX_DATA_DIR", "file")
    assert "cannot write" in note()


def test_what_is_not_begun_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(".")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    message = assert_one_line(run("solve", "--rules", "masters"), 1)
    assert message.startswith("solving 500,929,993 states of masters will take")


def test_two_processes_at_once() -> None:
    command = [*COMMAND, "solve", "-p", "2", "--json"]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for one in both:
        out, err = one.communicate(timeout=300)
        assert one.returncode == 0, err
        assert json.loads(out)["states"] == "12869"
    file = saved_solution(ruleset("finkel", pieces=2))
    assert file is not None
    with open_tablebase(file) as base:
        assert not any(wrong for _, wrong in base.damaged())
    assert list(solved_directory().iterdir()) == [file]


def test_it_is_listed_and_cleared() -> None:
    file = solved("-p", "1")
    half = work_directory(file.with_name(f"finkel-7-{'0' * 16}.urcx"))
    half.mkdir()
    (half / "0-0.layer").write_bytes(bytes(2000))
    (file.parent / "mine.txt").touch()
    rows = {row["name"]: row for row in run("cache", "--only", "solved", "--json").json["rows"]}
    assert set(rows) == {file.name, half.name}
    assert rows[file.name]["size"] == str(file.stat().st_size)
    shown = run("cache", "--wide")
    assert re.search(rf"solved +{half.name} +1 +2 kB +today +unfinished", shown.out)
    assert f"in {file.parent}" in shown.out
    with exclusive(half):
        failed = run("cache", "--only", "solved", "--clear")
    assert "cannot remove 1 file" in failed.err
    assert (half / "0-0.layer").exists()
    assert not file.exists()
    assert run("cache", "--only", "solved", "--clear").code == 0
    assert [one.name for one in file.parent.iterdir()] == ["mine.txt"]
