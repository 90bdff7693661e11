"""Writing the file of exact play of a tablebase: `urcx.compress`.

A first pass over a part of the decisions counts how often a move is right in each context; the second
codes all decisions with these probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import check_network, read_network
from urcx.agents.play_files import play_kernels as kernels
from urcx.agents.play_files.coding_kernels import PROBABILITY
from urcx.agents.play_files.layers import go_through
from urcx.agents.play_files.predictor import Predictor, no_predictor, predictor_of
from urcx.agents.play_files.tables import play_tables
from urcx.engine.threads import Stage, silent
from urcx.solving.files.tablebase import Tablebase

STATES = 512  # of a block
COUNTED = 4_000_000  # states, about, whose decisions the first pass counts
LEAST_CHANCE = 8  # in units of 2^-16


@dataclass(frozen=True, eq=False)
class Packed:
    """All decisions of a game, coded; ``totals`` are as in the kernels."""

    chance: NDArray[np.int64]
    begin: NDArray[np.uint32]
    data: NDArray[np.uint8]
    totals: NDArray[np.int64]


def pack(
    base: Tablebase,
    predictor: Predictor,
    within: float,
    block: int = STATES,
    *,
    threads: int | None = None,
    stage: Stage = silent,
) -> Packed:
    """Code all decisions of a tablebase."""
    order = base.order
    states = sum(order.size(layer) for layer in order.layers)
    even = np.full(kernels.CONTEXTS, 1 << (PROBABILITY - 1), np.int64)
    nothing = np.zeros(1, np.uint8)
    play = play_tables(order, predictor, block, even, np.zeros(1, np.uint32), nothing)
    update = stage("counting", states, "states")
    every = max(1, states // COUNTED)
    crew, _ = go_through(base, play, kernels.COUNT, within, update, every=every, threads=threads)
    chance = _chances(sum(worker.room.counts for worker in crew))
    play = play._replace(chance=chance)
    update = stage("coding decisions", states, "states")
    crew, parts = go_through(base, play, kernels.ENCODE, within, update, threads=threads)
    ends = np.cumsum([len(part) for part in parts])
    begin = np.concatenate([[0], ends[:-1]]).astype(np.uint32)
    data = np.frombuffer(b"".join(parts), np.uint8)
    return Packed(chance, begin, data, sum(worker.totals for worker in crew))


def _chances(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the probability in each context that a move is right, in units of 2^-16."""
    share = (counts[:, 1] + 0.4) / (counts.sum(axis=1) + 0.8)
    one = 1 << PROBABILITY
    return np.clip(np.rint(share * one), LEAST_CHANCE, one - LEAST_CHANCE).astype(np.int64)
