"""urcx cache lists, measures and clears files; first starts at the same time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path
from unittest import mock

import pytest
from command_line import COMMAND, Result, in_shell, run, run_process
from terminals import on_terminal

from urcx.engine.files import cache
from urcx.engine.files.writing import DAY

SMALL = ("perft", "--depth", "3", "--json")  # compiles for a second


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def filled(root: Path) -> dict[str, Path]:
    """Return a file of each kind."""
    names = {
        "own": root / "kernels" / cache.kernel_version() / "a.kernel",
        "other": root / "kernels" / f"0.0.9-{'a' * 16}" / "a.kernel",
        "old": root / "kernels" / f"0.0.8-{'b' * 16}" / "a.kernel",
        "level": root / "levels" / f"finkel-6-{'c' * 16}.level",
    }
    for k, file in enumerate(names.values(), start=1):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(bytes(1000 * k))
    long_ago = time.time() - 40 * DAY
    os.utime(names["old"], (long_ago, long_ago))
    return names


@pytest.mark.usefixtures("filled")
def test_it_lists_and_measures_what_is_kept(root: Path) -> None:
    document = run("cache", "--json").json
    assert document["schema"] == "urcx.cache/1"
    assert document["directory"] == str(root)
    assert document["size"] == "10000"
    rows = {row["name"]: row for row in document["rows"]}
    own, old = rows[cache.kernel_version()], rows[f"0.0.8-{'b' * 16}"]
    assert (own["kind"], own["current"], own["size"]) == ("kernels", True, "1000")
    assert (old["current"], old["files"]) == (False, 1)
    sums = run("cache").out
    assert f"10 kB in {root}" in sums
    assert re.search(r"kernels +3 +6 kB +today", sums)
    assert re.search(r"levels +1 +4 kB +today", sums)
    assert "finkel-6" not in sums
    assert "finkel-6" in run("cache", "--only", "levels").out
    text = run("cache", "--wide").out
    assert re.search(r"0\.0\.8-b+ +1 +3 kB +40 days ago +another version", text)
    assert re.search(r"levels +finkel-6-c+ +1 +4 kB +today +cached", text)
    lines = run("cache", "--csv").rows
    assert [line["size"] for line in lines] == [row["size"] for row in document["rows"]]


def test_an_empty_cache_is_no_mistake(root: Path) -> None:
    assert run("cache", "--json").json["rows"] == []
    assert run("cache", "--clear").code == 0
    assert not root.exists()


@pytest.mark.parametrize(
    ("only", "gone"),
    [
        (None, {"own", "other", "old", "level"}),
        ("kernels", {"own", "other", "old"}),
        ("levels", {"level"}),
    ],
)
def test_what_is_listed_can_be_cleared(
    filled: dict[str, Path], only: str | None, gone: set[str]
) -> None:
    arguments = ("cache", *(("--only", only) if only else ()))
    listed = run(*arguments, "--json").json
    assert all(file.exists() for file in filled.values()), "listing removes nothing"
    cleared = run(*arguments, "--json", "--clear").json
    assert cleared["rows"] == listed["rows"]
    assert cleared["cleared"]
    assert {name for name, file in filled.items() if not file.exists()} == gone
    assert "removed" in run(*arguments, "--clear").out
    assert run(*arguments, "--json").json["rows"] == []


def test_what_cannot_be_removed_is_said(
    filled: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "unlink", mock.Mock(side_effect=PermissionError))
    result = run("cache", "--clear")
    assert result.code == 1
    assert result.err.startswith("urcx: cannot remove 4 files")
    assert all(file.exists() for file in filled.values())


# --- first starts


def side_by_side(number: int) -> list[Result]:
    """Start a command several times at once, with nothing compiled."""
    started = [
        subprocess.Popen([*COMMAND, *SMALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(number)
    ]
    ended = [(*process.communicate(timeout=300), process.returncode) for process in started]
    return [Result(code, out.decode(), err.decode()) for out, err, code in ended]


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 8])
def test_first_starts_at_once_do_not_disturb_each_other(root: Path, number: int) -> None:
    expected = run(*SMALL)
    assert all(result == expected for result in side_by_side(number))
    kept = sorted((root / "kernels" / cache.kernel_version()).iterdir())
    assert all(file.suffix == ".kernel" for file in kept), "nothing half written"
    # What they left is whole: the next finds all of it.
    again = run_process(*SMALL)
    assert again == expected
    assert sorted((root / "kernels" / cache.kernel_version()).iterdir()) == kept


@pytest.mark.jit
@pytest.mark.posix("modes and limits")
def test_a_cache_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = run(*SMALL)
    locked = tmp_path / "locked"
    monkeypatch.setenv("URCX_CACHE_DIR", str(locked))
    locked.mkdir(mode=0o500)  # root may write all the same, so nobody may write a file's first byte
    done = in_shell("ulimit -f 0;", " ".join(SMALL), seconds=300)
    assert (done.code, done.out) == (expected.code, expected.out)
    assert "cannot be cached in" in done.err
    assert done.err.count("\n") == 1
    locked.chmod(0o700)
    assert [file for file in locked.rglob("*") if file.is_file()] == []


# --- compiling is told apart


@pytest.mark.jit
@pytest.mark.posix("a terminal of its own")
def test_a_first_run_says_on_a_terminal_that_it_compiles() -> None:
    shown = on_terminal([*COMMAND, "ssc", "-p", "1", "--json"], "stderr", 100)
    text, document = shown.text, json.loads(shown.rest)
    assert re.search(r"compiling, once, about \d+ s", text)
    bars = set(re.findall(r"compiling, once[^\r\n]*", shown.raw))
    assert len(bars) > 5, "it moves"
    assert re.search(r"urcx: compiled in \d+ s \(once; cached", text)
    # Seconds of compiling are in neither the row's seconds nor its rate.
    (row,) = document["rows"]
    assert document["compile_seconds"] > 0.5
    assert row["seconds"] < document["compile_seconds"] / 2
    assert row["diagrams_per_second"] > 248 / document["compile_seconds"]
