"""Damaged files of exact play: the same moves, or one line, and nothing else."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from damage import holds_for, numbers, said, sealed_again
from made_up_values import made_up

import urcx
from urcx.contrib.learning import compress

TWO = replace(urcx.ruleset("finkel"), pieces=2)
POSITIONS = ("-/-/0-0/L", "4,9/8,14/0-0/D")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tablebase, with its file of exact play in the same folder."""
    file = tmp_path_factory.mktemp("damage") / "two.urcx"
    made_up(file, TWO)
    compress(file, file.with_suffix(".play"))
    return file


def played(file: Path, position: str) -> str:
    """Return the moves of a file of exact play for rolls of 1 to 4."""
    player = urcx.agent(f"optimal:{file}")
    game = urcx.Game(TWO, position=position)
    return " ".join(str(player.choose(game, roll)) for roll in range(1, 5))


@numbers(1500)
def test_damaged_files_of_exact_play(base: Path, tmp_path: Path, number: int, seed: int) -> None:
    file = tmp_path / "x.play"
    file.write_bytes(base.with_suffix(".play").read_bytes())

    def look() -> tuple[str, ...]:
        return tuple(said(partial(played, file, at)) for at in POSITIONS)

    holds_for(file, file, number, seed, look)


@numbers(4000)
def test_headers_that_somebody_has_made(base: Path, tmp_path: Path, number: int, seed: int) -> None:
    """With right checksums, any header gives an answer or one line."""
    file = tmp_path / "x.play"
    whole = base.with_suffix(".play").read_bytes()
    chance = random.Random(seed)
    for _ in range(number):
        file.write_bytes(sealed_again(whole, chance))
        found = said(lambda: played(file, POSITIONS[1]))
        assert found.replace("\n", "").isprintable()
