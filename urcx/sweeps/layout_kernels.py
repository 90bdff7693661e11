# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""The arguments of kernels that go through rows of states: rows, chosen moves, configurations.

`urcx.solving.layered.kernels` describes the layout of values.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.vector_types import MOST_LANES
from urcx.enumerate.rankings.pattern_kernels import PatternTables

IntArray = NDArray[np.int64]

MARGIN = MOST_LANES  # entries of arrays over states before the first one and after the last


NO_SHARES = np.empty(0)


class StateRows(NamedTuple):
    """Patterns, each with rows of states, in the order of their updates.

    For the t-th pattern, ``rows[t]`` and ``columns[t]`` are the numbers of rows and columns. Its
    values start at ``begin[t]``, and the values of the same states with the sides exchanged at
    ``turned[t]``. Its first row has the number ``first_row[t]``. From ``ops[first_op[t]]`` on there
    are, for every row and roll, the number of moves and the index where the values after each move
    start. ``chance`` are the probabilities of the rolls.
    """

    rows: IntArray
    columns: IntArray
    begin: IntArray
    turned: IntArray
    first_row: IntArray
    first_op: IntArray
    ops: NDArray[np.uint32]
    chance: NDArray[np.float64]

    def of(self, patterns: IntArray) -> StateRows:
        """Return the rows of the patterns with these numbers, in this order."""
        return StateRows._make([*(item[patterns] for item in self[:-2]), *self[-2:]])


def row_begins(begin: IntArray, rows: IntArray, columns: IntArray) -> IntArray:
    """Return the index where each row starts, from the starts and sizes of its patterns."""
    numbers = np.arange(int(rows.sum())) - np.repeat(np.cumsum(rows) - rows, rows)
    result: IntArray = np.repeat(begin, rows) + numbers * np.repeat(columns, rows)
    return result


class Picks(NamedTuple):
    """A policy's moves in the swept states, as masks over the legal moves of each roll.

    ``any_of[roll, row]`` are the moves chosen in some state of a row, and in all of its states if
    ``by_row``. Otherwise ``masks[roll * stride + MARGIN + state]`` are the moves in a state. Rows
    and states are numbered over both layers. If ``shared``, several moves may be chosen, with equal
    probability. If the masks are stored moves, ``any_of`` are the moves that any state may have. In
    a share ``astray`` of decisions any legal move is played instead. Unless ``shares`` is empty,
    moves are ``shared``, and where the mask is ``masks[place]``, the m-th move is played with the
    probability ``shares[m * len(masks) + place]``.
    """

    by_row: bool
    shared: bool
    any_of: NDArray[Any]
    masks: NDArray[Any]
    stride: int
    astray: float = 0.0
    shares: NDArray[np.float64] = NO_SHARES


class Diagrams(NamedTuple):
    """The configurations of a pair of layers, in the order of its rows, with the rules of moves.

    ``layer_of`` contains for each pattern the number of its layer, and ``homes`` for each layer the
    pieces home of the mover and of the other side. The other fields are described in
    `urcx.engine.moves.tables` and `urcx.solving.layered.order.LayerOrder`.
    """

    ways: IntArray
    table: PatternTables
    rolls: IntArray
    patterns: IntArray
    width: IntArray
    mask: IntArray
    number: IntArray
    layer_of: IntArray
    homes: IntArray
