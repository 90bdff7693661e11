"""Damaged files of every format: the values that were written, or one line, and nothing else."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from damage import damages, edited, holds_for, numbers, said, sealed_again
from made_up_values import made_up, with_header

import urcx
from urcx.agents import levels
from urcx.agents.lookahead import lookahead
from urcx.errors import TablebaseError
from urcx.solving.files.rgu import open_solution
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.files.work import WorkStore
from urcx.solving.layered.order import LayerOrder
from urcx.solving.probing import probe

TWO = replace(urcx.ruleset("finkel"), pieces=2)
ONE = replace(TWO, pieces=1)
POSITIONS = ("-/-/0-0/L", "4,9/8,14/0-0/D", "12/5/1-1/L")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tablebase of two blocks; damage does not ask whether values solve the game."""
    file = tmp_path_factory.mktemp("damage") / "two.urcx"
    with open_tablebase(made_up(file, TWO)) as found:
        export_rgu(found, file.with_suffix(".rgu"), "percent16")
    return file


def probed(file: Path, position: str) -> str:
    with open_solution(file) as found:
        return probe(found, position).report().json()


@numbers
def test_damaged_tablebases(base: Path, tmp_path: Path, number: int, seed: int) -> None:
    file, out = tmp_path / "x.urcx", tmp_path / "x.rgu"
    file.write_bytes(base.read_bytes())

    def look() -> tuple[str, ...]:
        out.unlink(missing_ok=True)
        exported = said(written)
        assert out.exists() == bool(exported)
        return *(said(partial(probed, file, at)) for at in POSITIONS), exported

    def written() -> str:
        with open_tablebase(file) as found:
            export_rgu(found, out, "f64")
        return out.read_bytes().hex()

    holds_for(file, file, number, seed, look)


@numbers
def test_damaged_rgu_files(base: Path, tmp_path: Path, number: int, seed: int) -> None:
    """They may give other values, which nothing can know; but never as if they were proven."""
    file = tmp_path / "x.rgu"
    whole = base.with_suffix(".rgu").read_bytes()
    for what, data in damages(whole, number, seed):
        file.write_bytes(data)
        found = said(lambda: probed(file, POSITIONS[0]))
        if found:
            assert json.loads(found)["bound"] is None, what


def layer_of_work(directory: Path) -> tuple[LayerOrder, Path, bytes]:
    """Store the one layer of one piece a side; return the order, the file and what it has."""
    order, layer = LayerOrder(ONE), directory / "x.work" / "0-0.layer"
    values = np.random.default_rng(7).random(order.size((0, 0)))
    WorkStore(layer.parent, order, 1e-12).put((0, 0), values, 1e-13)
    return order, layer, layer.read_bytes()


@numbers
def test_damaged_layers_of_work(tmp_path: Path, number: int, seed: int) -> None:
    order, layer, whole = layer_of_work(tmp_path)
    for what, data in damages(whole, number, seed):
        layer.write_bytes(data)
        assert WorkStore(tmp_path / "x.work", order, 1e-12).damaged == [(0, 0)], what
        assert not layer.exists()


@numbers
def test_damaged_levels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, seed: int
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    look = lookahead(ONE, 3, "advance", few_rolls=False)
    first = levels.last_level(ONE, look)
    assert first.file is not None
    ref, whole = first.values.copy(), first.file.read_bytes()
    for what, data in damages(whole, number, seed):
        first.file.write_bytes(data)
        again = levels.last_level(ONE, look)
        assert again.damaged, what
        assert np.array_equal(again.values, ref), what


@numbers
@pytest.mark.parametrize("name", ["x.urcx", "x.rgu"])
def test_headers_that_somebody_has_made(
    base: Path, tmp_path: Path, name: str, number: int, seed: int
) -> None:
    """With good checksums they may say anything, but end in an answer or in one line."""
    file = tmp_path / name
    whole = base.with_suffix(file.suffix).read_bytes()
    chance = random.Random(seed)
    for _ in range(number):
        if name == "x.rgu":
            data = with_header(whole, partial(edited, chance=chance))
        else:
            data = sealed_again(whole, chance)
        file.write_bytes(data)
        found = said(lambda: probed(file, POSITIONS[1]))
        assert found.replace("\n", "").isprintable()


@numbers
def test_layers_of_work_that_somebody_has_made(tmp_path: Path, number: int, seed: int) -> None:
    order, layer, whole = layer_of_work(tmp_path)
    chance = random.Random(seed)
    for _ in range(number):
        layer.write_bytes(sealed_again(whole, chance))
        with suppress(TablebaseError):  # as of other rules
            again = WorkStore(tmp_path / "x.work", order, 1e-12)
            assert len(again.taken) + len(again.damaged) <= 1
