"""Forges files, with all checksums right, and has them looked at in another process.

Kernels do not check what they read, so each case might end the process: it says which case is about
to begin.
"""

from __future__ import annotations

import faulthandler
import io
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from damage import disturbed, edited, said

HANGS = 120  # seconds after which a case is taken to hang; they take some hundredths

Change = Callable[[random.Random], None]
Looks = list[Callable[[], object]]


def written(file: Path, change: Callable[[bytes, random.Random], bytes]) -> Change:
    """Return what writes a changed file in place of a whole one."""
    whole = file.read_bytes()
    return lambda chance: void(file.write_bytes(change(whole, chance)))


def void(_: object) -> None:
    """Return nothing."""


def network_changes(file: Path) -> Change:
    """Return the change of the network in a file."""
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

    return change


def make_and_look(
    made: Mapping[str, Callable[[Path], tuple[Change, Looks]]],
    names: str,
    number: int,
    seed: int,
    place: Path,
) -> None:
    """Make forged files and look at them; each name has its changes and looks."""
    for name in names.split(", "):
        chance = random.Random(f"{name} {seed}")
        directory = place / name
        directory.mkdir()
        change, looks = made[name](directory)
        for look in looks:
            look()
        refused = 0
        for k in range(number):
            print(f"{name}, the {k}th with seed {seed}", flush=True)  # noqa: T201 - to the test
            faulthandler.dump_traceback_later(HANGS, exit=True)
            change(chance)
            refused += sum(not said(look) for look in looks)
            faulthandler.cancel_dump_traceback_later()
        if number > FEW:
            least = 0 if name == "level" else 1  # what is wrong with a level is made again
            assert least <= refused < number * len(looks)


FEW, MANY = 4, 50  # of each kind
CALL = (
    "import sys; sys.path[:0] = sys.argv[1:3]; from importlib import import_module; "
    "from pathlib import Path; from forging import make_and_look; "
    "make_and_look(import_module(sys.argv[3]).MADE, sys.argv[4], int(sys.argv[5]), "
    "int(sys.argv[6]), Path(sys.argv[7]))"
)


def look_elsewhere(test: str, names: str, number: int, seed: int, place: Path) -> None:
    """Make forged files and look at them, in a process of its own; ``test`` is the test's file."""
    file = Path(test)
    flags = ["-W", "error::RuntimeWarning", "-X", "faulthandler"]
    arguments = [file.parent, Path(__file__).parent, file.stem, names, number, seed, place]
    done = subprocess.run(
        [sys.executable, "-P", *flags, "-c", CALL, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stdout.rstrip().rpartition("\n")[2]
    assert done.returncode == 0, (last, done.stderr[-3000:])
