"""The longest expected game of large rule sets, a pair of layers at a time.

Values of layers are saved in a directory, by rule set and pieces that each side still has to bring
home. So a stopped run can continue, and a game with more pieces begins with the layers of a game
with fewer:

    python benchmarks/longest_game.py DIRECTORY [--rules NAME] [-p PIECES] [--tolerance T]

prints a line of JSON for each pair, and the bounds of the game. With ``--sweeps N``, layers that
are not in the directory only get lower bounds, by N sweeps, which is quick. With ``--unit moves``,
passes do not count.
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

DOWN = 1e-6  # relative margin for the rounding of sweeps from below


@dataclass
class SavedLayers:
    """The layers of a rule set in a directory, with a record of each pair."""

    directory: Path
    order: LayerOrder
    unit: str
    pairs: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.records = self.directory / f"{self.order.rules.name}-{self.unit}.json"
        text = self.records.read_text(encoding="utf-8") if self.records.exists() else "{}"
        self.pairs = json.loads(text)

    def file(self, layer: Layer, kind: str = "") -> Path:
        """Return the file of a layer's values, or of their lower bounds."""
        left = "-".join(str(self.order.rules.pieces - home) for home in layer)
        return self.directory / f"{self.order.rules.name}-{left}-{self.unit}{kind}.npy"

    def save(self, values_by_layer: dict[Layer, Values], kind: str = "") -> None:
        """Write the values of layers."""
        for layer, values in values_by_layer.items():
            new = self.file(layer, "-new")
            np.save(new, values)
            new.rename(self.file(layer, kind))

    def settled(self, layer: Layer) -> Values:
        """Return the values of a layer."""
        values: Values = np.load(self.file(layer))
        return values

    def at_least(self, layer: Layer) -> Values:
        """Return lower bounds of the values of a layer."""
        if self.file(layer).exists():
            return self.settled(layer) / (1.0 + self.change()) * (1.0 - 2.0**-50)
        values: Values = np.load(self.file(layer, "-least"))
        return values

    def change(self) -> float:
        """Return the greatest change of a value of all pairs, including rounding."""
        parts = sum(int(pair["parts"]) for pair in self.pairs.values())
        worst = max(float(pair["change"]) for pair in self.pairs.values())
        return STORED * parts + worst

    def record(self, pair: str, data: dict[str, Any]) -> None:
        """Write the record of a pair, and print it."""
        self.pairs[pair] = data
        self.records.write_text(json.dumps(self.pairs, indent=1), encoding="utf-8")
        sys.stdout.write(json.dumps({pair: data}) + "\n")
        sys.stdout.flush()


def settle(saved: SavedLayers, tolerance: float, threads: int) -> None:
    """Settle the missing pairs."""
    order = saved.order
    for layers in order.pairs:
        if all(saved.file(layer).exists() for layer in layers):
            continue
        began = time.process_time()
        pair = settle_pair(order, layers, saved.settled, tolerance, threads, unit=saved.unit)
        saved.save(pair.values)
        most = max(float(values.max()) for values in pair.values.values())
        data = {
            "change": pair.change, "parts": pair.parts, "sweeps": pair.sweeps, "most": most,
            "seconds": time.process_time() - began,
        }  # fmt: skip
        saved.record("-".join(str(order.rules.pieces - home) for home in layers[0]), data)


def least_of_pair(
    order: LayerOrder,
    layers: tuple[Layer, ...],
    later: Callable[[Layer], Values],
    sweeps: int,
    threads: int,
    unit: str = "plies",
) -> dict[Layer, Values]:
    """Return lower bounds of a pair's values, from lower bounds of later layers.

    Sweeps begin with 0, a lower bound, so all later values are lower bounds. They are rounded down
    by `DOWN`, because rounding may have raised them.
    """
    pair = LayerPair(order, layers, threads)
    values = pair.filled(later)
    for part in parts_of(pair, values, unit):
        part_values = PartValues(part, 0.0)
        for _ in range(sweeps):
            part_values.renew()
        part_values.y *= 1.0 - DOWN
        part_values.hand_back(values)
    return pair.values_of(values)


def bound(saved: SavedLayers, sweeps: int, threads: int) -> None:
    """Compute lower bounds of the missing pairs."""
    for layers in saved.order.pairs:
        if not all(
            saved.file(layer).exists() or saved.file(layer, "-least").exists() for layer in layers
        ):
            lower_bounds = least_of_pair(
                saved.order, layers, saved.at_least, sweeps, threads, saved.unit
            )
            saved.save(lower_bounds, "-least")


def main() -> None:
    """Settle the missing pairs, and print the bounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--rules", default="finkel")
    parser.add_argument("-p", "--pieces", type=int, default=4)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--sweeps", type=int)
    parser.add_argument("--unit", default="plies", choices=("plies", "moves"))
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    order = LayerOrder(urcx.ruleset(options.rules, pieces=options.pieces))
    saved = SavedLayers(options.directory, order, options.unit)
    at = order.place(Position())[1]
    name = f"{options.pieces} pieces of {options.rules}"
    if options.sweeps is not None:
        bound(saved, options.sweeps, options.threads)
        sys.stdout.write(f"{name}: at least {float(saved.at_least((0, 0))[at])!r} {options.unit}\n")
        return
    settle(saved, options.tolerance, options.threads)
    plies = float(saved.settled((0, 0))[at])
    lower, upper = least_and_most(plies, saved.change())
    sys.stdout.write(f"{name}: {plies!r}, {lower!r} to {upper!r} {options.unit}\n")


if __name__ == "__main__":
    main()
