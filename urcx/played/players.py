"""Who plays against people: perfect play by whatever knows the chances, and a sensible choice."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.agents.network_files import has_shipped
from urcx.engine.moves import Move
from urcx.game import Game
from urcx.played.hints import hint
from urcx.rules.model import RuleSet
from urcx.solving.probing import WinningChances

LAST_RESORT = "expectimax"


@dataclass(frozen=True)
class _ByKnown:
    """Plays a best move, the least advanced piece's of several; any one where it errs."""

    known: WinningChances
    name: str
    errs: Fraction

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        """Return a move; nothing is drawn by one who never errs."""
        if self.errs and rng.random() < self.errs:
            moves = game.legal_moves(roll)
            return moves[rng.integers(len(moves))]
        best = hint(game, roll, self.known).best
        assert best is not None
        return best

    def move_probabilities(self, game: Game, roll: int) -> dict[Move, Fraction]:
        """Return how likely each move is played."""
        best, moves = hint(game, roll, self.known).best, game.legal_moves(roll)
        return {one: self.errs / len(moves) + (1 - self.errs) * (one == best) for one in moves}


def perfect(known: WinningChances, like: Agent | None = None) -> Agent:
    """Return an agent that plays by an open tablebase, or a small game that was solved.

    It plays perfectly, or ``like`` another agent that plays by a solution; but it reads nothing
    beforehand, and only what it meets.
    """
    like = like or agent("optimal")
    return agent(_ByKnown(known, like.name, Fraction(like.percent, 100)))


def opponent(rules: RuleSet, known: WinningChances | None = None) -> Agent:
    """Return a strong agent for a rule set, one that is ready at once.

    Perfect play where the chances are ``known``; else the network that comes with urcx; else
    `LAST_RESORT`.
    """
    if known is not None:
        return perfect(known)
    return agent("learned" if has_shipped(rules) else LAST_RESORT)
