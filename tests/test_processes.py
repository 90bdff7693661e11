"""Python processes that we start: the current directory is no place of modules for any of them."""

from __future__ import annotations

import ast
import contextlib
import os
import pkgutil
import shutil
import sys
import time
from pathlib import Path

import dataset
import pytest

import urcx
from urcx.explore.whole import SolvingProcess
from urcx.solving.files.kept import place_of
from urcx.solving.independent import compiler

ROOT = Path(__file__).parents[1]
FOLDERS = ("urcx", "tests", "docs", "benchmarks", "packaging", "checker")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a directory with a module of every name that can be imported; each leaves a mark."""
    place = tmp_path / "hostile"
    place.mkdir()
    names = {*sys.stdlib_module_names, *(module.name for module in pkgutil.iter_modules())}
    assert {"urcx", "numpy", "numba", "multiprocessing", "signal"} <= names
    for name in names:
        text = f"open({str(tmp_path / 'executed')!r}, 'a').write({name!r} + ' ')\n"
        (place / f"{name}.py").write_text(text)
    return place


def executed(place: Path) -> str:
    mark = place.parent / "executed"
    return mark.read_text() if mark.exists() else ""


def test_a_download_that_is_checked_executes_nothing(
    hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f".{os.pathsep}")
    failed = dataset.urcx_in(hostile, "perft -d 1 -o one")
    assert executed(hostile) == ""
    assert failed == ""
    assert (hostile / "one").is_file()


def test_the_process_that_solves_executes_nothing(
    hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_DATA_DIR", str(hostile.parent / "data"))
    rules = urcx.ruleset("finkel", pieces=1)
    with contextlib.chdir(hostile):
        process = SolvingProcess(rules)
        while process.running():
            time.sleep(0.05)
    assert executed(hostile) == ""
    assert process.error == ""
    assert place_of(rules).is_file()


def test_no_program_of_the_current_directory_is_taken_for_a_compiler(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As ``shutil.which`` finds them on Windows, and where PATH has a dot."""
    monkeypatch.setattr(shutil, "which", lambda name: f"./{name}" if name == "cc" else None)
    assert compiler() is None
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name == "gcc" else "./cc")
    assert compiler() == "/bin/gcc"


def commands(tree: ast.AST) -> list[list[object]]:
    """Return the lists of words that begin with this Python; names of variables are left out."""
    lists = [node.elts for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple)]
    return [
        [word.value for word in words[1:] if isinstance(word, ast.Constant)]
        for words in lists
        if words and ast.unparse(words[0]) == "sys.executable"
    ]


def test_every_python_that_we_start_leaves_out_the_current_directory() -> None:
    """One that is told a module or a program would import from there, but for -P or -I."""
    files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.py"))]
    found = {file: commands(ast.parse(file.read_text("utf-8"))) for file in files}
    assert sum(map(len, found.values())) > 30
    assert [
        f"{file.relative_to(ROOT)}: {words}"
        for file, lists in found.items()
        for words in lists
        if {"-m", "-c"}.intersection(words) and not {"-P", "-I"}.intersection(words)
    ] == []
