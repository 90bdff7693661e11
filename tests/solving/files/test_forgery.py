"""Files that somebody has made, with all checksums right: an answer or one line, never a crash.

Kernels do not check what they read, so each case might end the process: files are made and looked
at in other processes, which say what they are about to do.
"""

from __future__ import annotations

import faulthandler
import io
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import disturbed, edited, forged, said
from searching import search_policy

import urcx
from urcx.agents import levels
from urcx.agents.agent_kernels import candidates
from urcx.agents.network_files import read_network, write_network
from urcx.agents.play_files.play_file import PlayFile
from urcx.agents.play_files.proving import prove_play
from urcx.engine.executors import Threads
from urcx.engine.moves import tables
from urcx.learn import runs
from urcx.learn.alphazero import network_from, parameters_for
from urcx.learn.alphazero_settings import AlphaZeroSettings
from urcx.solving.checking import check_tablebase
from urcx.solving.files.rgu import open_solution
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase
from urcx.solving.files.work import WorkStore, work_directory
from urcx.solving.layered.order import LayerOrder

TWO = replace(urcx.ruleset("finkel"), pieces=2)
ORDER = LayerOrder(TWO)
POSITIONS = ("-/-/0-0/L", "4,9/8,14/0-0/D", "12/5/1-1/L")
HANGS = 120  # seconds after which a case is taken to hang; they take some hundredths

Change = Callable[[random.Random], None]
Looks = list[Callable[[], object]]


def written(file: Path, change: Callable[[bytes, random.Random], bytes]) -> Change:
    """Return what writes a changed file in place of a whole one."""
    whole = file.read_bytes()
    return lambda chance: void(file.write_bytes(change(whole, chance)))


def void(_: object) -> None:
    """Return nothing."""


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


def play(place: Path) -> tuple[Change, Looks]:
    base, file = place / "two.urcx", place / "two.play"
    urcx.solve(TWO, base, threads=1)
    urcx.compress(base, file, threads=1)

    def check() -> None:
        with PlayFile(file) as found, open_tablebase(base) as right:
            prove_play(found, right, threads=1)

    game = partial(urcx.simulate, f"optimal:{file}", "random", TWO, games=2, threads=1)
    return written(file, partial(forged, types=["u1", "<u2", "<u4"])), [check, game]


def network(place: Path) -> tuple[Change, Looks]:
    file = place / "two.npz"
    settings = AlphaZeroSettings(units=6, later=3)
    write_network(network_from(TWO, parameters_for(TWO, settings, 1), "squared"), file)
    with np.load(file) as archive:
        whole = dict(archive)

    def change(chance: random.Random) -> None:
        arrays = dict(whole)
        for name in chance.sample(list(arrays), chance.choice((1, 1, 3))):
            array = arrays[name]
            if name == "header":
                text = json.dumps(edited(json.loads(array.tobytes()), chance))
                arrays[name] = np.frombuffer(text.encode(), np.uint8)
            elif array.size and chance.random() < 0.9:
                kind = chance.choice(("<i2", "<i2", "<f4", "<f4", "<f8"))
                arrays[name] = disturbed(array.astype(kind), chance)
            else:
                arrays[name] = chance.choice((array[:-1], array[None], array.astype(bool)))
        out = io.BytesIO()
        np.savez(out, **arrays)
        assert zipfile.is_zipfile(out)
        file.write_bytes(out.getvalue())

    def searched() -> None:
        policy = search_policy(read_network(file), simulations=8, explore=1.0)
        with np.errstate(over="ignore"):  # random streams wrap
            candidates(policy, tables(TWO).ways, 0, 0b11, 1, 1, 0, 0, 0)

    def all_at_once() -> None:
        game(method="levels", no_cache=True)

    game = partial(urcx.simulate, f"net:{file}", "random", TWO, games=2, threads=1)
    return change, [game, all_at_once, searched]


def checkpoint(place: Path, method: str, taken: int, **settings: Any) -> tuple[Change, Looks]:
    runs.GAMES = 2
    output = place / "net.npz"
    train = partial(urcx.train, method, TWO, output=output, settings=settings, threads=1)
    for _ in range(taken):
        train(minutes=1e-9)
    change = written(place / "net.npz.checkpoint", forged)
    return change, [train]


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


TD: dict[str, Any] = {"units": 6, "iterations": 3, "games": 20, "plies": 8}
MADE: dict[str, Callable[[Path], tuple[Change, Looks]]] = {
    "tablebase of 64 bits": partial(tablebase, store="f64"),
    "tablebase of 32 bits": partial(tablebase, store="f32"),
    "tablebase of 16 bits": partial(tablebase, store="u16"),
    "layers": partial(layers, workers=False),
    "layers that workers share": partial(layers, workers=True),
    "level": level,
    "file of exact play": play,
    "network": network,
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
    "rgu of 64 bits": partial(rgu, store="f64"),
    "rgu of per cent": partial(rgu, store="percent16"),
}  # fmt: skip


def make_and_look(names: str, number: int, seed: int, place: Path) -> None:
    """Make forged files and look at them, in a process of its own."""
    for name in names.split(", "):
        chance = random.Random(f"{name} {seed}")
        directory = place / name
        directory.mkdir()
        change, looks = MADE[name](directory)
        for look in looks:
            look()
        refused = 0
        for k in range(number):
            print(f"{name}, the {k}th with seed {seed}", flush=True)  # noqa: T201 - to the test
            faulthandler.dump_traceback_later(HANGS, exit=True)
            change(chance)
            refused += sum(not said(look) for look in looks)
            faulthandler.cancel_dump_traceback_later()
        if number == MANY:
            least = 0 if name == "level" else 1  # what is wrong with a level is made again
            assert least <= refused < number * len(looks)


CALL = (
    "import sys; sys.path[:0] = sys.argv[1:3]; from pathlib import Path; import test_forgery as t; "
    "t.make_and_look(sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), Path(sys.argv[6]))"
)
FEW, MANY = 4, 134  # of each kind, the latter 2,010 in all


@pytest.mark.jit
@pytest.mark.parametrize(
    ("names", "number", "seed"),
    [
        (", ".join(MADE), FEW, 1),
        *(pytest.param(name, MANY, 2, marks=pytest.mark.slow) for name in MADE),
    ],
)
def test_forged_files(names: str, number: int, seed: int, tmp_path: Path) -> None:
    here = Path(__file__).parent
    command = [
        sys.executable,
        "-P",
        "-W",
        "error::RuntimeWarning",
        "-X",
        "faulthandler",
        "-c",
        CALL,
    ]
    paths = [here, here.parents[1]]
    arguments = [*paths, names, number, seed, tmp_path]
    done = subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    last = done.stdout.rstrip().rpartition("\n")[2]
    assert done.returncode == 0, (last, done.stderr[-3000:])
