"""Tables of few bits a state, made of a solution, as players.

A table with a code for each state, the number of the cell of 0..1 that the state's value lies in,
plays the move that leads to the highest cell. After a move that passes the turn, the mover's chance
is 1 minus the other's, so cells must be the same seen from either side: they are of equal width.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import TablePolicy
from urcx.contrib.learning import strength_kernels as kernels
from urcx.engine.threads import for_chunks

MOST_BITS = 16
MOST_LEVELS = (1 << MOST_BITS) - 2  # codes 1, 2, ... with 0 and one more for lost and won games
FEW_STATES = 20_000_000
LOOK_UP = 1 << 16  # parts of 0..1 for each of which the first cell is looked up
CHUNK = 1 << 20  # states


def uniform_bounds(bits: int) -> NDArray[np.float64]:
    """Return the lower bounds of all cells but the first, symmetric about 1/2."""
    levels = min(1 << bits, MOST_LEVELS)
    upper = np.arange(levels // 2 + 1, levels) / levels
    # 1 - b is exact for b of 1/2 or more, and so is 1 - (1 - b).
    return np.concatenate([1.0 - upper[::-1], [0.5], upper])


class QuantisedTables:
    """The quantised tables of one solution: perfect play, with the values of all states."""

    def __init__(self, perfect: TablePolicy, threads: int) -> None:
        self.perfect, self.threads = perfect, threads
        self.states = len(perfect.values)
        # Of the values' own type, for which kernels are compiled anyway, where memory allows it.
        code = perfect.values.dtype if self.states <= FEW_STATES else np.uint16
        self._codes = np.zeros(self.states, code)

    def player(self, bits: int) -> tuple[TablePolicy, float]:
        """Return who plays by codes of so many bits, and the codes' entropy in bits a state.

        The player is for use until the next one is made, as both have their codes in one array.
        """
        bounds = uniform_bounds(bits)
        begin = np.searchsorted(bounds, np.arange(LOOK_UP) / LOOK_UP, side="right")
        certain = len(bounds) + 2  # the code of a won game: those of states are 1 to one less
        counts = np.zeros((self.threads, certain), np.int64)

        def write(thread: int, first: int, last: int) -> None:
            kernels.quantise(
                self.perfect.values, self.perfect.certain, bounds, begin, first, last,
                self._codes, counts[thread],
            )  # fmt: skip

        for_chunks(self.states, CHUNK, write, self.threads)
        share = counts.sum(axis=0) / self.states
        share = share[share > 0.0]
        entropy = abs(float(share @ np.log2(share)))
        values = {"values": self._codes, "certain": float(certain), "tie_width": 0.0}
        return self.perfect._replace(**values), entropy
