"""Action gaps under perfect play: how much the best move is better than the second best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import Stage, chosen_threads, for_chunks, silent
from urcx.rules.position import Position
from urcx.solving import closeness_kernels
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair, LayerProgram, LayerSource, Values

TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)


@dataclass(frozen=True)
class Closeness:
    """Action gaps over all states and rolls with two or more legal moves.

    The action gap is the difference between the winning probabilities of the best two moves. Of
    ``choices`` states and rolls, ``equal`` have an action gap of 0, and ``within[k]`` one below
    ``tolerances[k]``. ``least`` is the smallest action gap above 0, with its ``position`` and
    ``roll``; None if there is none. ``gap`` is the error bound of the values: action gaps below
    twice that are not certain.
    """

    choices: int
    equal: int
    tolerances: tuple[float, ...]
    within: tuple[int, ...]
    least: float | None
    position: Position | None
    roll: int | None
    gap: float


def closeness(
    order: LayerOrder,
    solution: LayerSource,
    *,
    tolerances: tuple[float, ...] = TOLERANCES,
    home: int = 0,
    threads: int | None = None,
    stage: Stage = silent,
) -> Closeness:
    """Return the distribution of action gaps in a solution.

    ``tolerances`` must be in descending order. With ``home``, only endings in which one side has at
    least so many pieces home are examined; the solution must have all their layers.
    """
    threads = chosen_threads(threads)
    within = 2.0 * np.array(tolerances)  # values are between -1 and 1
    counts = np.zeros(2 + len(within), np.int64)
    nearest: tuple[float, LayerProgram | None, int, int] = (np.inf, None, 0, 0)
    gap, done = 0.0, 0
    pairs = [layers for layers in order.pairs if max(layers[0]) >= home]
    states = sum(order.size(layer) for layers in pairs for layer in layers)
    update = stage("comparing moves", states, "states")
    for layers in pairs:
        pair = LayerPair(order, layers, threads)
        values, widest = pair.solved(solution)
        gap = max(gap, widest)
        for program in pair.programs:
            found, closest = _compare(pair, program, values, within)
            counts += found
            if closest[0] < nearest[0]:
                state = int(closest[1]) - pair.at["V", program.layer]
                nearest = (closest[0], program, state, int(closest[2]))
        done += pair.states
        update(done)
    least, program_of, state, roll = nearest
    return Closeness(
        int(counts[0]),
        int(counts[1]),
        tolerances,
        tuple(int(n) for n in counts[2:]),
        float(least) / 2.0 if program_of else None,
        order.position(program_of.layer, state) if program_of else None,
        order.rules.dice.rolls[roll] if program_of else None,
        gap,
    )


def _compare(
    pair: LayerPair, program: LayerProgram, values: Values, within: Values
) -> tuple[NDArray[np.int64], Values]:
    """Return a layer's counts and its smallest action gap, as the kernel writes them."""
    parts = len(program.cuts) - 1
    counts = np.zeros((parts, 2 + len(within)), np.int64)
    closest = np.full((parts, 3), np.inf)

    def part(_: int, first: int, last: int) -> None:
        closeness_kernels.nearest(
            program.in_pair, values, within, program.cuts[first], program.cuts[last],
            counts[first], closest[first],
        )  # fmt: skip

    for_chunks(parts, 1, part, pair.threads)
    return counts.sum(axis=0), closest[closest[:, 0].argmin()]
