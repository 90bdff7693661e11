"""What tests ask agents about, and whether games are equal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import urcx
from urcx.engine.moves import Move
from urcx.game import Game
from urcx.games.records import Games
from urcx.rules.model import RuleSet

THREE = Game("finkel", "2,6/7/0-0/L")  # with a roll of 1: enter, go on, or capture


def steps(move: Move) -> str:
    return f"{move.start}-{move.end}"


def small(pieces: int = 2) -> RuleSet:
    return replace(urcx.ruleset("finkel"), pieces=pieces)


def equal(one: Games, other: Games) -> bool:
    return np.array_equal(one.records, other.records) and np.array_equal(one.results, other.results)
