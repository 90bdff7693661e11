# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""What kernels that go through rows of states take: the rows, moves chosen, and diagrams.

The layout of values is described in `urcx.solving.layered.kernels`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.vector_types import MOST_LANES
from urcx.enumerate.rankings.pattern_kernels import PatternTables

IntArray = NDArray[np.int64]

MARGIN = MOST_LANES  # entries of arrays over states before the first one and after the last


class StateRows(NamedTuple):
    """Patterns, each with rows of states, in the order in which they are renewed.

    Of the t-th pattern, ``rows[t]`` and ``columns[t]`` are the numbers of rows and columns. Its
    values begin at ``begin[t]``, those of the same states seen with the sides exchanged at
    ``turned[t]``; its first row is number ``first_row[t]``. From ``ops[first_op[t]]`` on, there are
    for every row and roll the number of moves and where the values of each begin. ``chance`` are
    the probabilities of the rolls.
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
        """Return the rows of some patterns, by their numbers, in this order."""
        return StateRows._make([*(item[patterns] for item in self[:-2]), *self[-2:]])


def row_begins(begin: IntArray, rows: IntArray, columns: IntArray) -> IntArray:
    """Return where each row begins, of patterns that begin there and have so many."""
    numbers = np.arange(int(rows.sum())) - np.repeat(np.cumsum(rows) - rows, rows)
    result: IntArray = np.repeat(begin, rows) + numbers * np.repeat(columns, rows)
    return result


class Picks(NamedTuple):
    """A policy's moves in what is swept, as masks over the legal moves of each roll.

    ``any_of[roll, row]`` are the moves chosen in some state of a row, and in all of its states if
    ``by_row``. Else ``masks[roll * stride + MARGIN + state]`` are those of a state. Rows and states
    are counted over both layers. ``shared`` tells whether several moves may be chosen, with equal
    probability. Moves chosen in a row are those that any state might have, if moves are kept. In a
    share ``astray`` of decisions any legal move is played instead.
    """

    by_row: bool
    shared: bool
    any_of: NDArray[Any]
    masks: NDArray[Any]
    stride: int
    astray: float = 0.0


class Diagrams(NamedTuple):
    """The diagrams of a pair of layers, in the order of its rows, and the rules that moves follow.

    ``layer_of`` has for each pattern the number of its layer, ``homes`` for each layer the mover's
    and the other side's pieces home. The rest is that of `urcx.engine.moves.tables` and of
    `urcx.solving.layered.order.LayerOrder`.
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
