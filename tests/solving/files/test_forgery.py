"""Files that somebody has made, with all checksums right: an answer or one line, never a crash.

Files are made and looked at in other processes (``tests/forging.py``).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import disturbed, edited, forged
from forging import FEW, MANY, Change, Looks, look_elsewhere, network_changes, written
from random_networks import made

import urcx
from urcx.agents import levels
from urcx.agents.networks import write_network
from urcx.engine.threads import Threads
from urcx.solving.checking import check_tablebase
from urcx.solving.files.rgu import open_solution
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.files.work import WorkStore, work_directory
from urcx.solving.layered.order import LayerOrder

TWO = replace(urcx.ruleset("finkel"), pieces=2)
ORDER = LayerOrder(TWO)
POSITIONS = ("-/-/0-0/L", "4,9/8,14/0-0/D", "12/5/1-1/L")


def looks_at_solution(file: Path) -> Looks:
    def probe() -> None:
        with open_solution(file) as base:
            for position in POSITIONS:
                assert 0 <= base.probe(position) <= 1

    def check() -> None:
        with open_solution(file) as base:
            check_tablebase(base, threads=1)

    return [probe, check, lambda: urcx.simulate(f"optimal:{file}", rules=TWO, games=2, threads=1)]


def tablebase(place: Path, store: str) -> tuple[Change, Looks]:
    file = place / "two.urcx"
    urcx.solve(TWO, file, store=store, threads=1)
    types = [{"f64": "<f8", "f32": "<f4", "u16": "<u2"}[store]]
    looks = looks_at_solution(file)  # games are compiled for each type: for two, the widest apart
    return written(file, partial(forged, types=types)), looks[:2] if store == "f32" else looks


def values_of(file: Path) -> tuple[dict[tuple[int, int], Any], float]:
    """Return the values of a tablebase, and their widest gap."""
    with open_tablebase(file) as base:
        layers = {layer: np.array(base.layer(layer)) for layer in ORDER.layers}
        return layers, max(row.gap for row in base.rows.values())


def layers(place: Path, *, workers: bool) -> tuple[Change, Looks]:
    """Of which no values may come that are further off than is said."""
    true, file = place / "true.urcx", place / "two.urcx"
    urcx.solve(TWO, true, threads=1)
    right, widest = values_of(true)
    directory = place / "layers" if workers else work_directory(file)
    store = WorkStore(directory, ORDER, 1e-12)
    for layer, values in right.items():
        store.put(layer, values, widest)
    whole = {layer: layer.read_bytes() for layer in directory.iterdir()}

    def change(chance: random.Random) -> None:
        directory.mkdir(exist_ok=True)
        for layer, data in whole.items():
            layer.write_bytes(forged(data, chance, ["<f8"]) if chance.random() < 0.5 else data)

    def look() -> None:
        if workers:
            with Threads(2) as executor:
                found = urcx.solve(TWO, executor=executor, layers=directory, threads=1)
            urcx.solve(TWO, file, layers=directory, threads=1)
        else:
            found = urcx.solve(TWO, file, threads=1)
        assert 2 * found.solved.gap <= 1e-12
        for layer, values in values_of(file)[0].items():
            assert np.abs(values - right[layer]).max() <= found.solved.gap + widest

    return change, [look]


def level(place: Path) -> tuple[Change, Looks]:
    vars(levels)["level_directory"] = lambda: place  # not where the kernels are

    def look() -> None:
        urcx.simulate("panda:4", "random", TWO, games=2, threads=1, method="levels")

    look()
    (file,) = place.glob("*.level")
    return written(file, partial(forged, types=["<i4"])), [look]


def network(place: Path) -> tuple[Change, Looks]:
    file = place / "two.npz"
    write_network(made(TWO, 6, 3), file)
    game = partial(urcx.simulate, f"net:{file}", "random", TWO, games=2, threads=1)
    return network_changes(file), [game, partial(game, method="levels", no_cache=True)]


def rgu(place: Path, store: str) -> tuple[Change, Looks]:
    base, file = place / "two.urcx", place / "two.rgu"
    urcx.solve(TWO, base, threads=1)
    with open_tablebase(base) as found:
        export_rgu(found, file, store)
    whole = file.read_bytes()
    length = int.from_bytes(whole[4:8], "big")
    header, rest = json.loads(whole[8 : 8 + length]), whole[8 + length :]

    def change(chance: random.Random) -> None:
        text, data = json.dumps(header), bytearray(rest)
        if chance.random() < 0.3:
            text = json.dumps(edited(header, chance))
        else:
            kind = chance.choice((">u4", {"f64": ">f8", "percent16": ">u2"}[store]))
            size = 4 * (len(data) // (4 + np.dtype(kind).itemsize) if kind == ">u4" else 1)
            part = slice(0, size) if kind == ">u4" else slice(len(data) % 8, None)
            numbers = np.frombuffer(data[part], kind)
            data[part] = disturbed(numbers, chance).tobytes()
        file.write_bytes(whole[:4] + len(text).to_bytes(4, "big") + text.encode() + data)

    return change, looks_at_solution(file)[:2]  # no agent plays by it


MADE: dict[str, Callable[[Path], tuple[Change, Looks]]] = {
    "tablebase of 64 bits": partial(tablebase, store="f64"),
    "tablebase of 32 bits": partial(tablebase, store="f32"),
    "tablebase of 16 bits": partial(tablebase, store="u16"),
    "layers": partial(layers, workers=False),
    "layers that workers share": partial(layers, workers=True),
    "level": level,
    "network": network,
    "rgu of 64 bits": partial(rgu, store="f64"),
    "rgu of per cent": partial(rgu, store="percent16"),
}  # fmt: skip


@pytest.mark.jit
@pytest.mark.parametrize(
    ("names", "number", "seed"),
    [
        (", ".join(MADE), FEW, 1),
        *(
            # Of layers all is refused in one of two ways, soon, and each is solved again.
            pytest.param(name, MANY // 2 if "layers" in name else MANY, 2, marks=pytest.mark.slow)
            for name in MADE
        ),
    ],
)
def test_forged_files(names: str, number: int, seed: int, tmp_path: Path) -> None:
    look_elsewhere(__file__, names, number, seed, tmp_path)
