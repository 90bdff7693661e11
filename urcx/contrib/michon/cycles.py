"""Cycles of positions: finding a shortest one breadth first, and the states that lie on any."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.michon import cycle_kernels as kernels
from urcx.contrib.michon.nalimov_kernels import Order
from urcx.engine.moves import Move, Tables, after_pass, legal_moves
from urcx.results.fields import TEXT, fields_of, member
from urcx.results.tables import Column, key
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

MAX_SEARCHED = 200_000  # positions searched for a cycle


@dataclass(frozen=True)
class CyclePly:
    """A roll in a position with the move that answers it, None for a pass."""

    position: Annotated[Position, member(key("position"), TEXT, "a position of the cycle")]
    roll: Annotated[int, member(Column("roll", key=True), about="the roll")]
    move: Annotated[
        Move | None,
        member(about="the step that the piece leaves, null for a pass", key="from", of="start"),
        member(about="the step that the piece reaches, null for a pass", key="to", of="end"),
    ]

    @property
    @member(about="whether the move captures")
    def captures(self) -> bool:
        """Return whether the ply is a move that captures."""
        return self.move is not None and self.move.captures

    @property
    @member("<leads to", TEXT, "the position that it leads to")
    def after(self) -> Position:
        """Return the position after the ply."""
        return after_pass(self.position) if self.move is None else self.move.position


PLIES = fields_of(CyclePly)


def plies(position: Position, rules: RuleSet) -> Iterator[CyclePly]:
    """Yield every roll with every move or pass that answers it; none if the game is over."""
    if rules.pieces in position.home:
        return
    for roll in rules.dice.rolls:
        for move in legal_moves(position, roll, rules) or (None,):
            yield CyclePly(position, roll, move)


def shortest_cycle(
    start: Position, onward: Callable[[Position], Iterator[CyclePly]], *, passing: bool
) -> tuple[CyclePly, ...]:
    """Return a shortest cycle through a position; empty if none was found.

    ``onward`` yields the plies to follow. Unless ``passing``, the cycle must contain a move.
    """
    # A node of the search is a position and whether the way to it has a move.
    begin = (start, False)
    came: dict[tuple[Position, bool], tuple[tuple[Position, bool], CyclePly] | None] = {begin: None}
    left = deque([begin])
    while left and len(came) < MAX_SEARCHED:
        at = left.popleft()
        for ply in onward(at[0]):
            to = (ply.after, passing or at[1] or ply.move is not None)
            if to in came:
                continue
            came[to] = at, ply
            if to == (start, True):
                return _way(came, to)
            left.append(to)
    return ()


def _way(
    came: dict[tuple[Position, bool], tuple[tuple[Position, bool], CyclePly] | None],
    at: tuple[Position, bool],
) -> tuple[CyclePly, ...]:
    found: list[CyclePly] = []
    while (step := came[at]) is not None:
        at = step[0]
        found.append(step[1])
    return tuple(reversed(found))


def first_repeated(
    position: Position, onward: Callable[[Position], Iterator[CyclePly]]
) -> Position:
    """Return the first position visited twice, preferring moves to passes."""
    seen: set[Position] = set()
    while position not in seen:
        seen.add(position)
        ahead = list(onward(position))
        position = min(ahead, key=lambda ply: ply.move is None).after
    return position


def mark_cycles(
    order: Order, arrays: Tables, codes: NDArray[np.uint8], undecided: NDArray[np.int64]
) -> None:
    """Mark the undecided states that lie on a cycle with a move; passes count as solved.

    ``codes`` has the marks of all states; a cycle consists of undecided states.
    """
    node = np.full(len(codes), -1, np.int32)
    node[undecided] = np.arange(len(undecided))
    partners = np.empty(len(undecided), np.int32)
    arguments = (order, arrays.ways, arrays.rolls, codes, undecided, node, partners)
    first_link = np.zeros(len(undecided) + 1, np.int64)
    room = int(kernels.links(*arguments, first_link, np.empty(0, np.int32)))
    ends: NDArray[np.int32] = np.empty(room, np.int32)
    kernels.links(*arguments, first_link, ends)
    component = np.empty(len(undecided), np.int32)
    kernels.components(first_link, ends, component)
    sizes = np.bincount(component) if len(component) else np.zeros(0, np.int64)
    kernels.mark_cycle_states(undecided, partners, component, sizes, codes)
