"""Damaged files of every format: the values that were written, or one line, and nothing else."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from damage import damages, edited, holds_for, numbers, said, sealed_again
from made_up_values import made_up, with_header

import urcx
from urcx.results.writing import json_text
from urcx.solving.files.rgu import open_solution
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase
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
        return json_text(probe(found, position))


@numbers(1500)
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


@numbers(3000)
def test_damaged_rgu_files(base: Path, tmp_path: Path, number: int, seed: int) -> None:
    """They may give other values, which nothing can know; but never as if they were proven."""
    file = tmp_path / "x.rgu"
    whole = base.with_suffix(".rgu").read_bytes()
    for what, data in damages(whole, number, seed):
        file.write_bytes(data)
        found = said(lambda: probed(file, POSITIONS[0]))
        if found:
            assert json.loads(found)["bound"] is None, what


@numbers(4000)
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
