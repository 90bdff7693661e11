"""Tables of few bits a state, made of a solution, as players."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from urcx.agents.agent_kernels import TablePolicy
from urcx.contrib.learning import quantiser_kernels as kernels
from urcx.contrib.learning.quantisers import (
    Array,
    Quantiser,
    companded,
    levels_of,
    lloyd_max,
    partition,
    uniform_levels,
)
from urcx.engine.threads import Stage, for_chunks, silent
from urcx.games.game_kernels import ALTERNATELY, GamesPlan
from urcx.games.simulator import MAX_PLIES, play_before
from urcx.rules.model import RuleSet

FEW_STATES = 20_000_000
GRID = 1 << 20  # parts of 0..1 in which values of states are counted
COARSE_GRID = 2048  # parts for decisions
MOST_SEARCHED = 7  # bits up to which the best cells are searched on the coarse grid
NARROW = 1 / 128  # the width of cells from which the cost of narrower ones is extrapolated
LOOK_UP = 1 << 16  # parts of 0..1 for each of which the first cell is looked up
CHUNK = 1 << 20  # states
GAMES = 20_000  # that decisions are weighed in
GAMES_CHUNK = 64


class QuantisedTables:
    """The quantised tables of one solution.

    Parameters
    ----------
    rules
        The rule set.
    perfect
        Perfect play of it, with the values of all states.
    seed
        Of the games in which decisions are weighed.
    threads
        How many to use.
    stage
        What to call as the work begins.
    """

    def __init__(
        self,
        rules: RuleSet,
        perfect: TablePolicy,
        *,
        seed: int,
        threads: int,
        stage: Stage = silent,
    ) -> None:
        self.rules, self.perfect, self.seed = rules, perfect, seed
        self.threads, self.stage = threads, stage
        self.states = len(perfect.values)
        # Of the values' own type, for which kernels are compiled anyway, where memory allows it.
        code = perfect.values.dtype if self.states <= FEW_STATES else np.uint16
        self._codes = np.zeros(self.states, code)

    def quantiser(self, kind: str, bits: int) -> Quantiser:
        """Return a quantiser of a kind of `urcx.contrib.learning.quantisers.KINDS`."""
        levels = levels_of(bits)
        if kind == "uniform":
            bounds = uniform_levels(levels)
        elif kind == "values":
            bounds = lloyd_max(self.counts, levels)
        elif bits <= MOST_SEARCHED:
            bounds = partition(self.decisions[0], levels)
        else:
            bounds = companded(self.decisions[1], levels)
        return Quantiser(kind, bits, bounds)

    def player(self, quantiser: Quantiser) -> tuple[TablePolicy, float]:
        """Return who plays by a table of codes, and the codes' entropy in bits a state.

        The player is for use until the next one is made, as both have their codes in one array.
        """
        bounds = quantiser.bounds
        begin = np.searchsorted(bounds, np.arange(LOOK_UP) / LOOK_UP, side="right")
        found = np.zeros((self.threads, quantiser.certain), np.int64)

        def write(thread: int, first: int, last: int) -> None:
            kernels.quantise(
                self.perfect.values, self.perfect.certain, bounds, begin, first, last,
                self._codes, found[thread],
            )  # fmt: skip

        for_chunks(self.states, CHUNK, write, self.threads)
        share = found.sum(axis=0) / self.states
        share = share[share > 0.0]
        entropy = abs(float(share @ np.log2(share)))
        certain = float(quantiser.certain)
        player = self.perfect._replace(values=self._codes, certain=certain, tie_width=0.0)
        return player, entropy

    @cached_property
    def counts(self) -> Array:
        """Return how many states have values in each part of an even grid on 0..1."""
        values, certain = self.perfect.values, self.perfect.certain
        found = np.zeros(GRID)
        update = self.stage("counting values", self.states, "states")
        for first in range(0, self.states, CHUNK):
            some = values[first : first + CHUNK].astype(np.float64) * (GRID / certain)
            place = np.minimum(some.astype(np.int64), GRID - 1)
            found += np.bincount(place, minlength=GRID)
            update(min(first + CHUNK, self.states))
        return found

    @cached_property
    def decisions(self) -> tuple[Array, Array]:
        """Return what confusing moves costs in perfect play against itself.

        As `partition` takes it, and as `companded` does.
        """
        jumps = np.zeros((self.threads, COARSE_GRID, COARSE_GRID))
        near = np.zeros((self.threads, COARSE_GRID))
        weights = [
            kernels.DecisionWeights(self.perfect, NARROW, np.zeros(64), *arrays)
            for arrays in zip(jumps, near, strict=True)
        ]

        def play(thread: int, first: int, last: int) -> None:
            plan = GamesPlan(self.seed, ALTERNATELY, first, last, MAX_PLIES)
            play_before(weights[thread], (self.perfect, self.perfect), self.rules, plan)

        update = self.stage("weighing decisions", GAMES, "games")
        for_chunks(GAMES, GAMES_CHUNK, play, self.threads, update)
        return jumps.sum(axis=0), near.sum(axis=0)
