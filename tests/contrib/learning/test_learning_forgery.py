"""Forged files of learning with right checksums: an answer or one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import forged
from forging import FEW, MANY, Change, Looks, look_elsewhere, network_changes, written
from searching import search_policy

import urcx
from urcx.agents.agent_kernels import candidates
from urcx.agents.networks import read_network, write_network
from urcx.contrib.learning import compress, train, training
from urcx.contrib.learning.alphazero import AlphaZeroSettings, network_from, parameters_for
from urcx.contrib.learning.compressing import prove_play
from urcx.contrib.learning.play_file import PlayFile
from urcx.engine.moves import tables
from urcx.solving.files.tablebase import open_tablebase

TWO = replace(urcx.ruleset("finkel"), pieces=2)


def play(place: Path) -> tuple[Change, Looks]:
    base, file = place / "two.urcx", place / "two.play"
    urcx.solve(TWO, base, threads=1)
    compress(base, file, threads=1)

    def check() -> None:
        with PlayFile(file) as found, open_tablebase(base) as right:
            prove_play(found, right, threads=1)

    game = partial(urcx.simulate, f"optimal:{file}", "random", TWO, games=2, threads=1)
    return written(file, partial(forged, types=["u1", "<u2", "<u4"])), [check, game]


def network(place: Path) -> tuple[Change, Looks]:
    file = place / "two.npz"
    settings = AlphaZeroSettings(units=6, later=3)
    write_network(network_from(TWO, parameters_for(TWO, settings, 1), "squared"), file)

    def searched() -> None:
        policy = search_policy(read_network(file), simulations=8, explore=1.0)
        with np.errstate(over="ignore"):  # random streams wrap
            candidates(policy, tables(TWO).ways, 0, 0b11, 1, 1, 0, 0, 0)

    return network_changes(file), [searched]


def checkpoint(place: Path, method: str, taken: int, **settings: Any) -> tuple[Change, Looks]:
    training.GAMES = 2
    output = place / "net.npz"
    step = partial(train, method, TWO, output=output, settings=settings, threads=1)
    for _ in range(taken):
        step(minutes=1e-9)
    change = written(place / "net.npz.checkpoint", forged)
    return change, [step]


TD: dict[str, Any] = {"units": 6, "iterations": 3, "games": 20, "plies": 8}
MADE: dict[str, Callable[[Path], tuple[Change, Looks]]] = {
    "file of exact play": play,
    "network that searches": network,
    "td": partial(checkpoint, method="td", taken=1, **TD, two_plies=0.4),
    "td by decisions": partial(checkpoint, method="td", taken=2, **TD, decisions=0.7, later=3),
    "td by rounds": partial(
        checkpoint, method="td", taken=2, **{**TD, "iterations": 1}, rounds=2, steps=2, ahead=2
    ),
    "distil": partial(
        checkpoint, method="distil", taken=1, units=6, later=3, iterations=3, batch=1
    ),
    "alphazero": partial(
        checkpoint, method="alphazero", taken=1, iterations=2, games=4, simulations=4, units=6,
        gate_games=2, window=700, batch=16, epochs=1.0,
    ),
}  # fmt: skip


@pytest.mark.jit
@pytest.mark.parametrize(
    ("names", "number", "seed"),
    [
        (", ".join([*MADE][:3]), FEW, 1),
        *(pytest.param(name, MANY, 2, marks=pytest.mark.slow) for name in MADE),
    ],
)
def test_forged_files(names: str, number: int, seed: int, tmp_path: Path) -> None:
    look_elsewhere(__file__, names, number, seed, tmp_path)
