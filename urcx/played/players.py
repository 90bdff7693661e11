"""Who plays against people: perfect play by whatever knows the chances, and a sensible choice."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.agents.network_files import shipped
from urcx.engine.moves import Move
from urcx.errors import UsageError
from urcx.game import Game
from urcx.played.hints import hint
from urcx.rules.model import RuleSet
from urcx.solving.probing import WinningChances

LAST_RESORT = "expectimax"


@dataclass(frozen=True)
class _Perfect:
    """Plays a best move; the least advanced piece's of several."""

    known: WinningChances
    name: str = "optimal"

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        """Return the first of the best moves; nothing is drawn."""
        del rng
        best = hint(game, roll, self.known).best
        assert best is not None
        return best

    def move_probabilities(self, game: Game, roll: int) -> dict[Move, Fraction]:
        """Return 1 for the move that is played."""
        return {self.choose(game, roll, np.random.default_rng(0)): Fraction(1)}


def perfect(known: WinningChances) -> Agent:
    """Return an agent that plays perfectly by an open tablebase, or a small game that was solved.

    Unlike the agent ``optimal:FILE`` it reads nothing beforehand, and only what it meets.
    """
    return agent(_Perfect(known))


def opponent(rules: RuleSet, known: WinningChances | None = None) -> Agent:
    """Return a strong agent for a rule set, one that is ready at once.

    Perfect play where the chances are ``known``; else the network that comes with urcx; else
    `LAST_RESORT`.
    """
    if known is not None:
        return perfect(known)
    try:
        shipped(rules)
    except UsageError:
        return agent(LAST_RESORT)
    return agent("learned")
