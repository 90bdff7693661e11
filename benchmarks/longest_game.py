"""The longest expected game of large rule sets, a pair of layers at a time.

Values of layers are kept in a directory, by rule set and pieces that each side has still to bring
home, so that a run that is stopped goes on where it was, and a game with more pieces begins with
the layers of one with fewer:

    python benchmarks/longest_game.py DIRECTORY [--rules NAME] [-p PIECES] [--tolerance T]

writes a line of JSON for each pair and the bounds of the game. With ``--sweeps N``, layers that the
directory does not have are only bounded from below, by so many sweeps, which is quick. With
``--unit moves``, passes do not count.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import urcx
from urcx.contrib.extremes.part_values import PartValues
from urcx.contrib.extremes.parts import parts_of
from urcx.contrib.extremes.prolonging import STORED, least_and_most, settle_pair
from urcx.rules.position import Position
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.blocks import Values

DOWN = 1e-6  # part of a value that covers the rounding of sweeps from below


@dataclass
class Kept:
    """The layers of a rule set in a directory, and what is known of each pair of them."""

    directory: Path
    order: LayerOrder
    unit: str
    pairs: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.records = self.directory / f"{self.order.rules.name}-{self.unit}.json"
        text = self.records.read_text(encoding="utf-8") if self.records.exists() else "{}"
        self.pairs = json.loads(text)

    def file(self, layer: Layer, kind: str = "") -> Path:
        """Return the file of a layer's values, or of lower bounds of them."""
        left = "-".join(str(self.order.rules.pieces - home) for home in layer)
        return self.directory / f"{self.order.rules.name}-{left}-{self.unit}{kind}.npy"

    def keep(self, found: dict[Layer, Values], kind: str = "") -> None:
        """Write the values of layers."""
        for layer, values in found.items():
            new = self.file(layer, "-new")
            np.save(new, values)
            new.rename(self.file(layer, kind))

    def settled(self, layer: Layer) -> Values:
        """Return the values of a layer."""
        found: Values = np.load(self.file(layer))
        return found

    def at_least(self, layer: Layer) -> Values:
        """Return lower bounds of the values of a layer."""
        if self.file(layer).exists():
            return self.settled(layer) / (1.0 + self.change()) * (1.0 - 2.0**-50)
        found: Values = np.load(self.file(layer, "-least"))
        return found

    def change(self) -> float:
        """Return the greatest change of a value of all pairs, rounding included."""
        parts = sum(int(pair["parts"]) for pair in self.pairs.values())
        worst = max(float(pair["change"]) for pair in self.pairs.values())
        return STORED * parts + worst

    def record(self, pair: str, data: dict[str, Any]) -> None:
        """Write what is known of a pair, and print it."""
        self.pairs[pair] = data
        self.records.write_text(json.dumps(self.pairs, indent=1), encoding="utf-8")
        sys.stdout.write(json.dumps({pair: data}) + "\n")
        sys.stdout.flush()


def settle(kept: Kept, tolerance: float, threads: int) -> None:
    """Settle the pairs that are missing."""
    order = kept.order
    for layers in order.pairs:
        if all(kept.file(layer).exists() for layer in layers):
            continue
        began = time.process_time()
        pair = settle_pair(order, layers, kept.settled, tolerance, threads, unit=kept.unit)
        kept.keep(pair.values)
        most = max(float(values.max()) for values in pair.values.values())
        data = {
            "change": pair.change, "parts": pair.parts, "sweeps": pair.sweeps, "most": most,
            "seconds": time.process_time() - began,
        }  # fmt: skip
        kept.record("-".join(str(order.rules.pieces - home) for home in layers[0]), data)


def least_of_pair(
    order: LayerOrder,
    layers: tuple[Layer, ...],
    later: Callable[[Layer], Values],
    sweeps: int,
    threads: int,
    unit: str = "plies",
) -> dict[Layer, Values]:
    """Return lower bounds of a pair's values, from lower bounds of later layers.

    Sweeps begin with 0, which is too little, so all that follows is too little as well. It is
    rounded down by `DOWN`, as rounding of each evaluation may have raised it.
    """
    pair = LayerPair(order, layers, threads)
    values = pair.filled(later)
    for part in parts_of(pair, values, unit):
        found = PartValues(part, 0.0)
        for _ in range(sweeps):
            found.renew()
        found.y *= 1.0 - DOWN
        found.hand_back(values)
    return pair.values_of(values)


def bound(kept: Kept, sweeps: int, threads: int) -> None:
    """Bound the pairs that are missing from below."""
    for layers in kept.order.pairs:
        if not all(kept.file(one).exists() or kept.file(one, "-least").exists() for one in layers):
            found = least_of_pair(kept.order, layers, kept.at_least, sweeps, threads, kept.unit)
            kept.keep(found, "-least")


def main() -> None:
    """Settle what is missing, and print the bounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rules", default="finkel")
    parser.add_argument("-p", "--pieces", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--sweeps", type=int)
    parser.add_argument("--unit", default="plies", choices=("plies", "moves"))
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    order = LayerOrder(urcx.ruleset(asked.rules, pieces=asked.pieces))
    kept = Kept(asked.directory, order, asked.unit)
    at = order.place(Position())[1]
    name = f"{asked.pieces} pieces of {asked.rules}"
    if asked.sweeps is not None:
        bound(kept, asked.sweeps, asked.threads)
        sys.stdout.write(f"{name}: at least {float(kept.at_least((0, 0))[at])!r} {asked.unit}\n")
        return
    settle(kept, asked.tolerance, asked.threads)
    plies = float(kept.settled((0, 0))[at])
    lower, upper = least_and_most(plies, kept.change())
    sys.stdout.write(f"{name}: {plies!r}, {lower!r} to {upper!r} {asked.unit}\n")


if __name__ == "__main__":
    main()
