"""Tablebases: written, probed, resumed, damaged."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.errors import PositionError, TablebaseError, UsageError
from urcx.rules.model import RuleSet
from urcx.solve import solution, solver
from urcx.solve.checking import check_tablebase
from urcx.solve.order import LayerOrder
from urcx.solve.solution import solve
from urcx.solve.tablebase import open_tablebase
from urcx.solve.work import WorkStore, work_directory

ONE = replace(urcx.ruleset("finkel"), pieces=1)
START = urcx.parse_position("-/-/0-0/L")


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("solved") / "one.urcx"
    solve(ONE, file, threads=1)
    return file


def test_probing_gives_the_chance_of_who_moves(solved: Path) -> None:
    with urcx.open_tablebase(solved) as base:
        # Another engine's opening value; what is certain; the same seen from dark's side.
        assert base.probe(START) == pytest.approx(0.5300498395248594, abs=1e-12)
        assert base.probe(urcx.parse_position("-/-/0-0/D")) == base.probe(START)
        assert base.probe(urcx.parse_position("3/-/0-1/L")) == 0.0
        assert base.probe(urcx.parse_position("3/-/0-1/D")) == 1.0
        assert base.gap < 1e-12
        assert base.rules.pieces == 1


@pytest.mark.parametrize(("store", "error"), [("f64", 0.0), ("f32", 1e-7), ("u16", 1e-5)])
def test_every_value_in_every_store(tmp_path: Path, solved: Path, store: str, error: float) -> None:
    file = tmp_path / "other.urcx"
    found = solve(ONE, file, store=store, threads=1)
    assert found.file_size == file.stat().st_size
    order = LayerOrder(ONE)
    with open_tablebase(file) as base, open_tablebase(solved) as exact:
        for rank in range(order.size((0, 0))):
            position = order.position((0, 0), rank)
            assert abs(base.probe(position) - exact.probe(position)) <= error
        checked = check_tablebase(base, threads=1)
    assert checked.damaged == ()
    assert checked.residual <= max(1e-14, 2 * error)
    assert not work_directory(file).exists()


def test_best_moves_and_regrets(solved: Path) -> None:
    with open_tablebase(solved) as base:
        position = urcx.parse_position("8/9/0-0/D")
        (move,) = base.best_moves(position, 2)
        assert move.regret == 0.0
        assert base.best_moves(position, 0) == ()
        position = urcx.parse_position("8/9/0-0/L")
        (capture,) = base.best_moves(position, 1)
        assert capture.value > base.probe(position)


def test_errors_name_what_is_missing(solved: Path) -> None:
    with open_tablebase(solved) as base:
        with pytest.raises(PositionError):
            base.probe(urcx.parse_position("1,2/-/0-0/L"))
        with pytest.raises(TablebaseError, match="no layer 3-0"):
            base.layer((3, 0))
        base._layers.clear()
        with pytest.raises(TablebaseError, match="no layer 0-0"):
            base.probe(START)
        assert base.get(START) is None
        assert base.get(START, 0.5) == 0.5


def spoiled(file: Path, solved: Path, change: Any) -> Path:
    shutil.copy(solved, file)
    data = bytearray(file.read_bytes())
    file.write_bytes(bytes(change(data)))
    return file


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data[:-100], "cut off"),
        (lambda data: data[:20], "cut off"),
        (lambda data: b"x" + data[1:], "no urcx tablebase"),
        (lambda _: b"", "no urcx tablebase"),
        (lambda data: data.replace(b'"format"', b'"fermat"'), "header is damaged"),
        (lambda data: data.replace(b'"format": 3', b'"format": 9'), "format"),
        (lambda data: data.replace(b'"store": "f64"', b'"store": "f99"'), "format"),
        (lambda data: data.replace(b'"pieces": 1', b'"pieces": 2'), "wrong number"),
        (lambda data: data.replace(b'"rolls"', b'"rulls"'), "rules in the header"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, solved: Path, change: Any, says: str) -> None:
    file = spoiled(tmp_path / "bad.urcx", solved, change)
    with pytest.raises(TablebaseError, match=says):
        open_tablebase(file)


def test_a_flipped_bit_is_found(tmp_path: Path, solved: Path) -> None:
    def flip(data: bytearray) -> bytearray:
        data[-70] ^= 1
        return data

    with open_tablebase(spoiled(tmp_path / "bad.urcx", solved, flip)) as base:
        assert check_tablebase(base, threads=1).damaged == ((0, 0),)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(TablebaseError, match="cannot read"):
        open_tablebase(tmp_path / "none.urcx")
    with pytest.raises(UsageError, match="unknown store 'f16'"):
        solve(ONE, store="f16")
    with pytest.raises(TablebaseError, match="cannot write"):
        solve(ONE, tmp_path / "nowhere" / "x.urcx", threads=1)


def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "two.urcx"
    rules = replace(ONE, pieces=1)
    order = LayerOrder(rules)
    work = WorkStore(work_directory(file), order, 1e-12)
    reference = solver.MemoryStore()
    solver.solve_layers(rules, reference, threads=1)
    work.put((0, 0), *reference.layers[0, 0])

    def fail(*_: object) -> None:
        raise AssertionError("it was solved already")

    monkeypatch.setattr(solver, "solve_pair", fail)
    found = solve(rules, file, threads=1)
    assert found.resumed == 1
    assert found.solved.opening == pytest.approx(0.5300498395248594, abs=1e-12)
    assert file.exists()


def test_layers_of_other_rules_or_damaged_ones_are_solved_again(tmp_path: Path) -> None:
    file = tmp_path / "one.urcx"
    order = LayerOrder(ONE)
    other = WorkStore(work_directory(file), order, 1e-3)
    other.put((0, 0), np.zeros(order.size((0, 0))), 0.0)
    assert solve(ONE, file, threads=1).resumed == 0  # another tolerance
    again = WorkStore(work_directory(file), order, 1e-12)
    again.put((0, 0), np.zeros(order.size((0, 0))), 0.0)
    layer = work_directory(file) / "0-0.layer"
    data = bytearray(layer.read_bytes())
    data[-1] ^= 1
    layer.write_bytes(data)
    assert again.get((0, 0)) is None
    assert solve(ONE, file, threads=1).solved.opening == pytest.approx(0.53005, abs=1e-4)


def test_a_full_disk_is_refused_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=10)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(TablebaseError, match="GB are free"):
        solve(ONE, tmp_path / "one.urcx")
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


@pytest.mark.jit
def test_the_optimal_agent_plays_by_a_file_or_on_the_fly(tmp_path: Path) -> None:
    rules: RuleSet = replace(ONE, pieces=2)
    for store in ("f64", "u16"):
        file = tmp_path / f"{store}.urcx"
        solve(rules, file, store=store)
        by_file = urcx.simulate(f"optimal:{file}", "greedy", rules, games=2000, seed=4)
        assert (by_file.results[:, 1] == 0).mean() > 0.6
        if store == "f64":
            on_the_fly = urcx.simulate("optimal", "greedy", rules, games=2000, seed=4)
            assert (by_file.records == on_the_fly.records).all()
    with pytest.raises(TablebaseError, match="with 2 pieces, not of finkel with 7"):
        urcx.simulate(f"optimal:{file}", games=2)


def test_optimal_needs_a_file_where_there_are_many_states() -> None:
    with pytest.raises(urcx.UrcxError, match="urcx solve --rules finkel -o FILE"):
        urcx.simulate("optimal", games=2)
    with pytest.raises(UsageError, match="plays by no tablebase"):
        urcx.agent("greedy:x.urcx")
