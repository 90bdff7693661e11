"""The players of Heled's program royalur, and the length of their games.

    python benchmarks/heled_players.py [-p PIECES] [--cut]

J. Heled's page has 209.810273 turns for a game between two perfect players. His players choose by
win probabilities of 16 bits, and among equal ones by the order of his boards. This script repeats
the method of his program for any number of pieces, from the descriptions in its scripts makedb.py
and expectedToEnd.py (repository jheled/royalur). They take weeks in Python, and minutes here:

- Win probabilities come from Gauss-Seidel sweeps that start at 1/2. A position is updated together
  with the same position for the other side, in the order of the pips that both still have to go.
  Values are truncated to 2^-31. Sweeps end when no value changes by more than 1e-6.
- The values are rounded (``--cut``: truncated) to 65535ths. For every roll, the player chooses the
  move with the greatest value, p or 1 - p in 64-bit floats, and among equal ones the board with the
  greatest list.
- The expected turns (plies) of games with these moves come from sweeps in the same order from a
  rough guess, rounded to 2^-21, until no value changes by more than 1e-5.

Positions with equally many pips to go do not lead to each other, so their order does not matter.
Seven pieces take about 35 CPU minutes and 4 GB.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from heled_kernels import CHANCE_BITS, choose, code_boards, list_pairs, sweep_chances, sweep_turns
from numpy.typing import NDArray

import urcx
from urcx.engine.threads import chosen_threads, for_chunks
from urcx.rules.position import Position
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair, LayerShape
from urcx.sweeps.layout_kernels import row_begins

FULL = 65535
CHANCE_STOP, TURN_STOP = 1e-6, 1e-5
BOARDS = 2.0**31  # more than the codes of boards
ALONE = 20_000  # up to this number of positions, one thread does the work

Array = NDArray[Any]


class Pairs:
    """The positions of a pair of layers, each with its reverse, in the order of the sweeps."""

    def __init__(self, order: LayerOrder, layers: tuple[Layer, ...], threads: int) -> None:
        self.order, self.threads = order, threads
        self.pair = pair = LayerPair(order, layers, threads)
        shape, other_shape = pair.shape(layers[0]), pair.shape(layers[-1])
        first_rows = [np.cumsum(of.rows) - of.rows for of in (shape, other_shape)]
        number = np.empty(order.patterns, np.int64)
        number[other_shape.patterns] = np.arange(len(other_shape.patterns))
        size = order.size(shape.layer)
        pips = np.empty(size, np.int32)
        self.pairs = tuple(np.empty(size, kind) for kind in (np.int32, np.uint8) * 2)
        count = list_pairs(
            shape.patterns, shape.begin, shape.rows, shape.columns, order.pattern.lane,
            order.pattern.own_steps, order.mask, order.rules.pieces, np.array(shape.layer),
            order.rules.path.length, len(layers) == 1, first_rows[0],
            number[order.turned[shape.patterns]], other_shape.begin, first_rows[1], pips,
            *self.pairs,
        )  # fmt: skip
        self.by = np.argsort(pips[:count], kind="stable")
        ends = np.flatnonzero(np.diff(pips[self.by])) + 1
        self.waves = list(zip([0, *ends], [*ends, count], strict=True))
        others = pair.row_ops[-int(other_shape.rows.sum()) :]
        self.programs = pair.row_ops, pair.ops, others, pair.ops
        self.places = tuple(
            pair.at[part, of.layer] + row_begins(of.begin, of.rows, of.columns)
            for of in (shape, other_shape)
            for part in "VU"
        )

    def turn(self, shape: LayerShape, source: Array, out: Array) -> None:
        """Write the values of a layer for the other side's layer, with exchanged sides."""
        self.pair.turn(shape, source.__getitem__, out)
        np.negative(out, out=out)  # turning negates

    def fill(
        self, out: Array, here: Callable[[Layer], Array], turned: Callable[[Layer], Array]
    ) -> None:
        """Fill V of both layers, and U and later layers from layers with exchanged sides."""
        pair = self.pair
        for layer in pair.layers:
            out[pair.own(layer)] = here(layer)
            to = pair.at["U", layer[::-1]]
            part = out[to : to + self.order.size(layer)]
            self.turn(pair.shape(layer), turned(layer), part)
        self.fill_beyond(out, turned)

    def fill_beyond(self, out: Array, turned: Callable[[Layer], Array]) -> None:
        """Fill the layers after the pair, except won games."""
        for i, j in self.pair.layers:
            if i + 1 < self.order.rules.pieces:
                first = self.pair.at["beyond", (i, j)]
                part = out[first : first + self.order.size((i + 1, j))]
                self.turn(self.pair.shape((j, i + 1)), turned((j, i + 1)), part)

    def in_parts(self, first: int, last: int, work: Callable[[int, int], float]) -> float:
        """Do work on pairs of positions; return the greatest result."""
        if last - first < ALONE:
            return work(first, last)
        changes = [0.0]

        def part(_: int, i: int, j: int) -> None:
            changes.append(work(first + i, first + j))

        for_chunks(last - first, -(-(last - first) // (4 * self.threads)), part, self.threads)
        return max(changes)

    def settle(self, sweep: Callable[[int, int], float], stop: float) -> int:
        """Sweep until nothing changes by more than ``stop``; return the number of sweeps."""
        sweeps, most = 0, np.inf
        while most > stop:
            most = 0.0
            for first, last in self.waves:
                most = max(most, self.in_parts(first, last, sweep))
            sweeps += 1
        return sweeps


def keys_of(chances: Array, codes: Array, *, cut: bool) -> tuple[Array, Array]:
    """Return the keys by which moves are compared, for positions of either side to move."""
    p = np.arange(FULL + 1) / FULL
    ranks = np.unique(np.concatenate([p, 1 - p]), return_inverse=True)[1] * BOARDS
    number = (np.floor if cut else np.rint)(chances / CHANCE_BITS * FULL).astype(np.int64)
    return ranks[number] + codes, ranks[FULL + 1 + number] + codes


def main() -> None:
    """Print the sweeps of each pair, and the turns of a game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pieces", type=int, default=7)
    parser.add_argument("--cut", action="store_true")
    options = parser.parse_args()
    order = LayerOrder(urcx.ruleset("finkel", pieces=options.pieces))
    threads = chosen_threads(None)
    chances: dict[Layer, Array] = {}
    keys: dict[Layer, tuple[Array, Array]] = {}
    turns: dict[Layer, Array] = {}
    for layers in order.pairs:
        of = Pairs(order, layers, threads)
        pair = of.pair
        values = np.full(pair.size, 0.5)
        of.fill_beyond(values, lambda layer: 1.0 - chances[layer] / CHANCE_BITS)
        values[pair.won :] = 1.0

        def chances_of(first: int, last: int, of: Pairs = of, values: Array = values) -> float:
            change: float = sweep_chances(
                values, of.by, first, last, of.pairs, of.programs, of.places
            )
            return change

        sweeps = [of.settle(chances_of, CHANCE_STOP)]
        guesses: dict[Layer, Array] = {}
        for layer in layers:
            at, size = pair.at["V", layer], order.size(layer)
            chances[layer] = (values[at : at + size] * CHANCE_BITS).astype(np.uint32)
            guesses[layer], codes = np.empty(size), np.empty(size, np.int64)
            code_boards(
                order.pattern.lane, order.pattern.own_steps, order.width, order.mask,
                order.rules.pieces, np.array(layer), order.rules.path.length, order.offsets(layer),
                guesses[layer], codes,
            )  # fmt: skip
            keys[layer] = keys_of(chances[layer], codes, cut=options.cut)
        of.fill(values, lambda layer: keys[layer][0], lambda layer: keys[layer][1])
        values[pair.won :] = np.inf
        chosen = [np.empty((len(of.by), 4), np.uint32) for _ in range(2)]

        def choices(
            first: int, last: int, of: Pairs = of, values: Array = values,
            chosen: list[Array] = chosen,
        ) -> float:  # fmt: skip
            for side in (0, 1):
                row, column = of.pairs[2 * side : 2 * side + 2]
                program = of.programs[2 * side : 2 * side + 2]
                choose(values, of.by, first, last, row, column, *program, chosen[side])
            return 0.0

        of.in_parts(0, len(of.by), choices)
        of.fill(values, guesses.__getitem__, {**turns, **guesses}.__getitem__)
        values[pair.won :] = 0.0

        def turns_of(
            first: int, last: int, of: Pairs = of, values: Array = values,
            chosen: list[Array] = chosen,
        ) -> float:  # fmt: skip
            change: float = sweep_turns(values, of.by, first, last, of.pairs, of.places, *chosen)
            return change

        sweeps.append(of.settle(turns_of, TURN_STOP))
        for layer in layers:
            at = pair.at["V", layer]
            turns[layer] = values[at : at + order.size(layer)].copy()
        for values_by_layer in (chances, keys, turns):
            for layer in [layer for layer in values_by_layer if sum(layer) > sum(layers[0]) + 1]:
                del values_by_layer[layer]
        sys.stdout.write(f"{layers}: {sweeps[0]} sweeps of chances, {sweeps[1]} of turns\n")
        sys.stdout.flush()
    sys.stdout.write(f"{turns[0, 0][order.place(Position())[1]]:.6f} turns\n")


if __name__ == "__main__":
    main()
