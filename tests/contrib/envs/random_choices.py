"""A choice that looks random and is a function of position and roll: the same wherever asked."""

from __future__ import annotations

from urcx.contrib.envs.states import Rulebook, State
from urcx.engine.moves import Move
from urcx.rules.position import Position


def scattered(position: Position, roll: int, moves: tuple[Move, ...]) -> Move:
    """Choose as an agent of urcx does."""
    return moves[number(position, roll) % len(moves)]


def number(position: Position, roll: int) -> int:
    text = f"{position}{roll}".encode()
    found = 0
    for byte in text:
        found = found * 131 + byte
    return found >> 3


def action(book: Rulebook, state: State) -> int:
    """Choose the same as an action."""
    legal = book.legal(state)
    return legal[number(state.position, state.roll) % len(legal)]
