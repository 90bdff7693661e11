"""Action gaps under optimal play: how much better the best move is than the second best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.results.fields import COUNT, TEXT, Field
from urcx.rules.position import Position
from urcx.solving import closeness_kernels
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.pair import LayerPair, LayerSource
from urcx.solving.ties import tie_width
from urcx.sweeps.blocks import Values

TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)


@dataclass(frozen=True)
class Closeness:
    """Action gaps over all states and rolls with two or more legal moves.

    The action gap is the difference between the win probabilities of the best two moves.
    """

    choices: Annotated[int, Field("", COUNT, "states and rolls with a choice of moves")]
    equal: Annotated[int, Field("", COUNT, "states and rolls whose best two moves are equal")]
    within: Annotated[
        dict[float, int],
        Field(
            about="states and rolls whose best two moves differ by less than the name",
            of=lambda within: {f"{most:g}": str(count) for most, count in within.items()},
        ),
    ]
    least: Annotated[float | None, Field(about="smallest action gap above 0", key="closest")]
    position: Annotated[
        Position | None, Field("", TEXT, "position of the smallest gap", key="closest_position")
    ]
    roll: Annotated[int | None, Field(about="roll of the smallest gap", key="closest_roll")]
    gap: Annotated[
        float, "the error bound of the values. Moves within twice this bound are equally good"
    ]


def closeness(
    order: LayerOrder,
    solution: LayerSource,
    *,
    tolerances: tuple[float, ...] = TOLERANCES,
    home: int = 0,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Closeness:
    """Return the distribution of action gaps in a solution.

    ``tolerances`` must be in descending order. With ``home``, only endings count in which one side
    has at least this number of pieces home. The solution must have all their layers.
    """
    threads = chosen_threads(threads)
    within = 2.0 * np.array(tolerances)  # values are between -1 and 1
    counts = np.zeros(2 + len(within), np.int64)
    least, position, roll = np.inf, None, None
    gap, done = 0.0, 0
    pairs = [layers for layers in order.pairs if max(layers[0]) >= home]
    states = sum(map(order.states, pairs))
    update = stage("comparing moves", states, "states")
    for layers in pairs:
        pair = LayerPair(order, layers, threads)
        values, widest = pair.solved(solution)
        gap = max(gap, widest)
        same = 2.0 * tie_width(widest if np.isfinite(widest) else 0.0)
        more, (by, state, r) = _compare(pair, values, same, within)
        counts += more
        if by < least:
            least, roll = by, order.rules.dice.rolls[int(r)]
            position = order.position(*pair.ranked(int(state)))
        done += pair.states
        update(done)
    return Closeness(
        int(counts[0]),
        int(counts[1]),
        dict(zip(tolerances, counts[2:].tolist(), strict=True)),
        least / 2.0 if position else None,
        position,
        roll,
        gap,
    )


def _compare(
    pair: LayerPair, values: Values, same: float, within: Values
) -> tuple[NDArray[np.int64], tuple[float, ...]]:
    """Return a pair's counts and its smallest action gap, in the arrays of the kernel."""
    results: list[tuple[NDArray[np.int64], tuple[float, ...]]] = []

    def part(_: int, first: int, last: int) -> None:
        counts, closest = np.zeros(2 + len(within), np.int64), np.full(3, np.inf)
        closeness_kernels.nearest(pair.rows, values, same, within, first, last, counts, closest)
        results.append((counts, tuple(closest.tolist())))

    pair.each_layer(part)
    counts, closest = zip(*results, strict=True)
    return np.sum(counts, axis=0), min(closest)
