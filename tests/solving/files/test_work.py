"""Layers on disk while a rule set is solved: taken up, damaged, of other work, on a full disk."""

from __future__ import annotations

import pickle
import random
import shutil
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest
from disks import full_after
from own_rules import own

import urcx
from urcx.errors import TablebaseError
from urcx.solving import solution
from urcx.solving.files import work
from urcx.solving.files.rgu import open_rgu
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.files.work import WorkStore, work_directory
from urcx.solving.layered import convergence, solver
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.solution import solve

pytest_plugins = ["solved_games"]

ONE = replace(urcx.ruleset("finkel"), pieces=1)


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "two.urcx"
    rules = replace(ONE, pieces=1)
    order = LayerOrder(rules)
    store = WorkStore(work_directory(file), order, 1e-12)
    reference = MemoryStore()
    solver.solve_layers(rules, reference, threads=1)
    store.put((0, 0), *reference.layers[0, 0])

    def fail(*_: object) -> None:
        raise AssertionError("it was solved already")

    monkeypatch.setattr(convergence, "converge", fail)
    found = solve(rules, file, threads=1)
    assert found.resumed == 1
    assert found.solved.opening == pytest.approx(0.5300498395248594, abs=1e-12)
    assert found.file_size == file.stat().st_size
    assert not work_directory(file).exists()


def test_layers_of_other_rules_or_tolerances_are_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "one.urcx"
    order = LayerOrder(ONE)
    for rules, tolerance in ((ONE, 1e-3), (replace(ONE, rosette_protects=False), 1e-12)):
        other = WorkStore(work_directory(file), LayerOrder(rules), tolerance)
        other.put((0, 0), np.zeros(order.size((0, 0))), 0.0)
        kept = {file: file.read_bytes() for file in other.directory.iterdir()}
        with pytest.raises(TablebaseError, match="has layers of other rules or another tolerance"):
            solve(ONE, file, threads=1)
        assert {file: file.read_bytes() for file in other.directory.iterdir()} == kept
        other.remove()
    # Those of a larger game, whose names the smaller one does not have.
    larger = LayerOrder(replace(ONE, pieces=2))
    two = WorkStore(work_directory(file), larger, 1e-12)
    two.put((1, 1), np.zeros(larger.size((1, 1))), 0.0)
    with pytest.raises(TablebaseError, match="has layers of other rules"):
        solve(ONE, file, threads=1)
    assert two.get((1, 1)) is not None


def of_an_older_urcx(data: bytes) -> bytes:
    values = data[-8 - 217 * 8 : -8]
    return struct.pack("<dI", 1e-13, zlib.crc32(values)) + values


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-1] + b"\1",
        lambda _: b"",
        of_an_older_urcx,
        *(
            pytest.param(change, marks=pytest.mark.jit)
            for change in (
                lambda data: data[:-9] + b"\1" + data[-8:],
                lambda data: data[:-8],
                lambda data: data + b"\0",
                lambda data: data.replace(b'"gap": ', b'"gap":1'),
                lambda data: data[:60] + bytes([data[60] ^ 4]) + data[61:],
            )
        ),
    ],
)
def test_damaged_layers_are_solved_anew(
    tmp_path: Path, one_piece: Path, change: Callable[[bytes], bytes]
) -> None:
    file = tmp_path / "one.urcx"
    order = LayerOrder(ONE)
    with open_tablebase(one_piece) as base:
        store = WorkStore(work_directory(file), order, 1e-12)
        store.put((0, 0), np.array(base.layer((0, 0))), 0.0)
        assert WorkStore(work_directory(file), order, 1e-12).taken == [(0, 0)]
    layer = work_directory(file) / "0-0.layer"
    layer.write_bytes(change(layer.read_bytes()))
    with pytest.raises(TablebaseError):
        store.get((0, 0))
    found = solve(ONE, file, threads=1)
    assert (found.resumed, found.damaged) == (0, ((0, 0),))
    assert file.read_bytes() == one_piece.read_bytes()


@pytest.mark.jit
def test_layers_that_somebody_has_made_are_not_believed(tmp_path: Path) -> None:
    """Of one layer the values are wrong, of another the gap is, of a third half of its pair."""
    rules = replace(ONE, pieces=2)
    whole, file = tmp_path / "whole.urcx", tmp_path / "two.urcx"
    solve(rules, whole, threads=1)
    order = LayerOrder(rules)
    store = WorkStore(work_directory(file), order, 1e-12)
    with open_tablebase(whole) as base:
        right = {layer: np.array(base.layer(layer)) for layer in order.layers}
        gaps = {layer: base.rows[layer].gap for layer in order.layers}
    chances = np.random.default_rng(7).random(order.size((0, 0)))
    store.put((1, 1), right[1, 1], 0.5)
    store.put((1, 0), right[1, 0], gaps[1, 0])
    store.put((0, 0), chances, gaps[0, 0])
    found = solve(rules, file, threads=1)
    assert (found.resumed, found.damaged) == (1, ((0, 0),))
    assert file.read_bytes() == whole.read_bytes()
    # A little off is noticed, too: every value is certified.
    for off in (1e-9, np.nan, 2.0):
        store = WorkStore(work_directory(file), order, 1e-12)
        for layer, values in right.items():
            store.put(layer, values, gaps[layer])
        right_here = right[0, 0].copy()
        right_here[100] -= off
        store.put((0, 0), right_here, gaps[0, 0])
        file.unlink()
        found = solve(rules, file, threads=1)
        assert (found.resumed, found.damaged) == (3, ((0, 0),))
        assert file.read_bytes() == whole.read_bytes()


def test_layers_of_other_places_are_not_taken_up(tmp_path: Path) -> None:
    """Layers (1, 0) and (0, 1) are of one size."""
    order = LayerOrder(replace(ONE, pieces=2))
    store = WorkStore(tmp_path / "x.work", order, 1e-12)
    store.put((1, 0), np.full(order.size((1, 0)), 0.5), 0.0)
    (tmp_path / "x.work" / "1-0.layer").rename(tmp_path / "x.work" / "0-1.layer")
    again = WorkStore(tmp_path / "x.work", order, 1e-12)
    assert again.damaged == [(0, 1)]
    assert again.get((0, 1)) is None


def test_what_is_not_ours_stays_in_the_directory(tmp_path: Path) -> None:
    directory = work_directory(tmp_path / "one.urcx")
    directory.mkdir()
    (directory / "thesis.txt").write_text("years of work")
    solve(ONE, tmp_path / "one.urcx", threads=1)
    assert [p.name for p in directory.iterdir()] == ["thesis.txt"]


def test_what_a_killed_run_left_half_written_is_removed(tmp_path: Path) -> None:
    store = WorkStore(tmp_path / "x.work", LayerOrder(ONE), 1e-12)
    killed = "import os, sys; from pathlib import Path; "
    killed += "from urcx.engine.files.sealed import write_sealed; "
    killed += "write_sealed(Path(sys.argv[1]), b'urcx-wk\\n', 9, lambda _: os._exit(9))"
    layer = str(store.directory / "0-0.layer")
    assert subprocess.run([sys.executable, "-P", "-c", killed, layer], check=False).returncode == 9
    (half,) = store.directory.iterdir()
    assert half.name.startswith(".0-0.layer.")
    (store.directory / ".notes.part").touch()
    WorkStore(store.directory, store.order, 1e-12)
    assert [p.name for p in store.directory.iterdir()] == [".notes.part"]


def test_a_full_disk_is_refused_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(TablebaseError, match=r"needs 3 kB on the disk of .* 10 bytes are free"):
        solve(ONE, tmp_path / "one.urcx")
    assert list(tmp_path.iterdir()) == []


def test_layers_and_the_file_need_room_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    file, layers = tmp_path / "one.urcx", tmp_path / "layers"
    for free, enough in ((217 * 16 - 1, False), (217 * 16, True)):
        there = usage._replace(free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _, there=there: there)
        needed = work.room_to_solve(217, layers, file, 8)
        with nullcontext() if enough else pytest.raises(TablebaseError, match="on the disk of"):
            work.check_disk("finkel", needed)
    WorkStore(layers, LayerOrder(ONE), 1e-12).put((0, 0), np.zeros(217), 0.0)
    assert work.room_to_solve(217, layers, file, 8) == {layers: 0, file: 217 * 8}


def test_two_runs_do_not_share_a_directory(tmp_path: Path) -> None:
    """A second run on the same file could remove layers of the first."""
    file = tmp_path / "one.urcx"
    holder = (
        "import sys\nfrom pathlib import Path\nfrom urcx.solving.files.work import exclusive\n"
        "with exclusive(Path(sys.argv[1])):\n    print('locked', flush=True)\n    input()\n"
    )
    command = [sys.executable, "-P", "-c", holder, str(work_directory(file))]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(TablebaseError, match=r"another run is writing to .*one\.urcx\.work"):
            solve(ONE, file, threads=1)
        other.kill()
    assert work_directory(file).exists()  # killed runs clean nothing up, but hold nothing either
    solve(ONE, file, threads=1)
    assert [found.name for found in tmp_path.iterdir()] == ["one.urcx"]


def test_a_directory_of_layers_that_was_there_stays(tmp_path: Path) -> None:
    with work.exclusive(tmp_path):
        assert [found.name for found in tmp_path.iterdir()] == ["lock"]
    assert list(tmp_path.iterdir()) == []
    with work.exclusive(tmp_path / "new"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fails_keeps_the_layers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "one.urcx"

    def full(*_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(solution, "write_tablebase", full)
    with pytest.raises(TablebaseError, match="No space left"):
        solve(ONE, file, threads=1)
    assert not file.exists()
    assert (work_directory(file) / "0-0.layer").exists()


def test_a_pair_is_solved_by_what_was_pickled(tmp_path: Path) -> None:
    """As in another process: all it needs are the pickled arguments and the store's directory."""
    order = LayerOrder(own("tiny"))
    store = WorkStore(tmp_path / "tiny.work", order, 1e-12)
    reference = MemoryStore()
    solver.solve_layers(order.rules, reference, threads=1)
    for layers in order.pairs:
        arguments = pickle.dumps((order, layers, store, 1e-12, 1))
        assert len(arguments) < 5_000
        reports = solver.solve_pair(*pickle.loads(arguments))  # noqa: S301
        assert [report.layer for report in reports] == list(layers)
        for layer in layers:
            found = store.get(layer)
            assert found is not None
            values, gap = found
            assert np.array_equal(values, reference.layers[layer][0])
            assert gap == reference.layers[layer][1]
    assert len(WorkStore(store.directory, order, 1e-12).taken) == len(order.layers)
    assert pickle.loads(pickle.dumps(order)) is pickle.loads(pickle.dumps(order))  # noqa: S301


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
@pytest.mark.parametrize(("pieces", "kills"), [(2, 1), pytest.param(4, 10, marks=pytest.mark.slow)])
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


@pytest.mark.jit
def test_a_run_killed_before_its_first_layer_leaves_no_directory(tmp_path: Path) -> None:
    file = tmp_path / "killed.urcx"
    work_directory(file).mkdir()
    solve(TWO, file, threads=1)
    assert not work_directory(file).exists()


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
