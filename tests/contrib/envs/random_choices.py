"""A choice that looks random, but depends only on position and roll."""

from __future__ import annotations

from urcx.contrib.envs.states import Rulebook, State
from urcx.engine.moves import Move
from urcx.rules.position import Position


def scattered(position: Position, roll: int, moves: tuple[Move, ...]) -> Move:
    """Choose a move, as an agent of urcx."""
    return moves[number(position, roll) % len(moves)]


def number(position: Position, roll: int) -> int:
    text = f"{position}{roll}".encode()
    found = 0
    for byte in text:
        found = found * 131 + byte
    return found >> 3


def action(book: Rulebook, state: State) -> int:
    """Choose the same move, as an action."""
    legal = book.legal(state)
    return legal[number(state.position, state.roll) % len(legal)]
