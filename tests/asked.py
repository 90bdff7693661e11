"""What tests ask agents about."""

from __future__ import annotations

from urcx.engine.moves import Move
from urcx.game import Game

THREE = Game("finkel", "2,6/7/0-0/L")  # with a roll of 1: enter, go on, or capture


def steps(move: Move) -> str:
    return f"{move.start}-{move.end}"
