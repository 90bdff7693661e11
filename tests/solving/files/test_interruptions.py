"""Solving and exporting cut short: killed at any moment, or with a disk that is full."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from disks import full_after
from own_rules import own

import urcx
from urcx.errors import TablebaseError
from urcx.solving.files.rgu import open_rgu
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.files.work import WorkStore, work_directory
from urcx.solving.layered.order import LayerOrder
from urcx.solving.solution import solve

ONE = replace(urcx.ruleset("finkel"), pieces=1)
TWO = replace(ONE, pieces=2)
START = urcx.parse_position("-/-/0-0/L")
SOLVE = (
    "import sys, urcx; from dataclasses import replace; from pathlib import Path\n"
    "rules = replace(urcx.ruleset('finkel'), pieces=int(sys.argv[1]))\n"
    "print('ready', flush=True)\n"
    "urcx.solve(rules, Path(sys.argv[2]), threads=1)\n"
)


def started(pieces: int, file: Path) -> subprocess.Popen[str]:
    """Start solving in a process of its own, with all that it needs imported and compiled."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", SOLVE, str(pieces), str(file)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.jit
@pytest.mark.parametrize(("pieces", "kills"), [(2, 2), pytest.param(4, 30, marks=pytest.mark.slow)])
def test_killed_runs_go_on_to_the_same_file(tmp_path: Path, pieces: int, kills: int) -> None:
    whole, file = tmp_path / "whole.urcx", tmp_path / "killed.urcx"
    solve(replace(ONE, pieces=pieces), whole, threads=1)  # compiles, too
    began = time.perf_counter()
    with started(pieces, file) as process:
        process.communicate()
    takes = time.perf_counter() - began
    assert file.read_bytes() == whole.read_bytes()
    file.unlink()
    chance = random.Random(5)
    killed = 0
    for _ in range(10 * kills):
        with started(pieces, file) as process:
            try:
                process.wait(chance.uniform(0.0, 0.8 * takes))
            except subprocess.TimeoutExpired:
                process.kill()
                killed += 1
            process.communicate()
        if file.exists():
            assert file.read_bytes() == whole.read_bytes()
            file.unlink()
        if killed == kills:
            break
    found = solve(replace(ONE, pieces=pieces), file, threads=1)
    assert found.damaged == ()
    assert file.read_bytes() == whole.read_bytes()
    assert not work_directory(file).exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["killed.urcx", "whole.urcx"]


@pytest.mark.posix("limits the size of files")
@pytest.mark.jit
def test_a_full_disk_leaves_what_can_be_gone_on_from(tmp_path: Path) -> None:
    whole, file = tmp_path / "whole.urcx", tmp_path / "full.urcx"
    solve(TWO, whole, threads=1)
    # The last layer does not fit; then it does, and the finished file does not.
    for size, resumed, says in ((50_000, 0, "0-0.layer"), (100_000, 3, "full.urcx")):
        with (
            full_after(size),
            pytest.raises(TablebaseError, match=f"cannot write .*{says}.* again"),
        ):
            solve(TWO, file, threads=1)
        assert not file.exists()
        work = work_directory(file)
        assert len(list(work.iterdir())) == 3 + (resumed == 3)
        assert all(found.suffix == ".layer" for found in work.iterdir())
        assert sorted(p.name for p in tmp_path.iterdir()) == ["full.urcx.work", "whole.urcx"]
    found = solve(TWO, file, threads=1)
    assert (found.resumed, found.damaged) == (4, ())
    assert file.read_bytes() == whole.read_bytes()


@pytest.mark.posix("limits the size of files")
@pytest.mark.parametrize(("size", "named"), [(100, True), (1_500, False)])
def test_a_full_disk_keeps_no_layers_that_it_says_it_does(
    tmp_path: Path, size: int, named: bool
) -> None:
    """Not one fits; or some do, but in a directory that goes with the run."""
    file = tmp_path / "full.urcx" if named else None
    with full_after(size), pytest.raises(TablebaseError, match=r"layer: [A-Z][a-z ]+$"):
        solve(own("wings"), file, executor=None if named else ThreadPoolExecutor(1))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.posix("limits the size of files")
def test_a_full_disk_leaves_no_half_file_of_an_export(tmp_path: Path) -> None:
    solve(ONE, tmp_path / "one.urcx", threads=1)
    out = tmp_path / "one.rgu"
    with open_tablebase(tmp_path / "one.urcx") as base:
        with full_after(1000), pytest.raises(TablebaseError, match=r"cannot write .*one.rgu"):
            export_rgu(base, out, "f64")
        assert [p.name for p in tmp_path.iterdir()] == ["one.urcx"]
        export_rgu(base, out, "f64")
        before = out.read_bytes()
        with full_after(1000), pytest.raises(TablebaseError, match=r"cannot write .*one.rgu"):
            export_rgu(base, out, "percent16")
    assert out.read_bytes() == before
    with open_rgu(out) as found:
        assert found.probe(START) == pytest.approx(0.5300498395248594, abs=1e-12)


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "x.work").write_text("a file where the directory should be")
    with pytest.raises(TablebaseError, match=r"cannot write .*x.work"):
        WorkStore(tmp_path / "x.work", LayerOrder(ONE), 1e-12)
