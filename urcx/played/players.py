"""Who plays in a game that goes on: dice that follow from a seed, agents' answers, perfect play.

What the dice give at a ply follows from the seed and the number of the ply alone, and so does what
an agent draws where it plays one of several moves. A game that is resumed goes on as it would have
gone on, and a move that is taken back does not change the roll.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from random import Random

import numpy as np

from urcx.agents.agents import Agent, agent
from urcx.agents.networks import has_shipped
from urcx.engine.moves import Move
from urcx.errors import UsageError
from urcx.game import Game
from urcx.played.hints import hint
from urcx.played.record import PlayedGame, as_played
from urcx.rules.model import Dice, RuleSet
from urcx.solving.probing import WinningChances


def thrown(dice: Dice, seed: int, ply: int) -> int:
    """Return what dice give at a ply, counted from 0, of the game with a seed.

    Examples
    --------
    >>> import urcx
    >>> [thrown(urcx.dice("binary4"), 1, ply) for ply in range(8)]
    [0, 3, 0, 1, 0, 2, 2, 1]
    """
    below = math.lcm(*(p.denominator for p in dice.probabilities))
    weights = [int(p * below) for p in dice.probabilities]
    drawn = _generator("dice", seed, ply).randrange(below)
    return dice.rolls[bisect_right([*accumulate(weights)], drawn)]


def rolled(game: PlayedGame) -> PlayedGame:
    """Return a game with its next roll thrown, by its seed; as it is if one is waiting.

    Raises
    ------
    UsageError
        If the game has no seed.
    PositionError
        If it is over.
    """
    given = as_played(game)
    if given.roll is not None:
        return given
    if given.seed is None:
        raise UsageError("the game has no seed for its dice; throw(roll) says what they gave")
    return given.throw(thrown(given.rules.dice, given.seed, len(given.plies)))


def choice(game: PlayedGame, agent: Agent) -> Move | None:
    """Return the move that an agent plays by the roll that was thrown, None for a pass.

    Raises
    ------
    UsageError
        If no roll was thrown, or an agent of the user's fails.
    TooLargeError, TablebaseError
        If the agent cannot be prepared to play these rules.
    """
    given = as_played(game)
    if not given.legal_moves():
        return None
    assert given.roll is not None
    drawing = _generator("agent", given.seed, len(given.plies))
    return agent.choose(given.game, given.roll, drawing)


def answered(game: PlayedGame, agent: Agent) -> PlayedGame:
    """Return the game after a ply that an agent plays; throws the dice if nobody has.

    Raises as `rolled` and `choice` do.
    """
    ready = rolled(game)
    move = choice(ready, agent)
    return ready.passed() if move is None else ready.play(move)


def _generator(what: str, seed: int | None, ply: int) -> Random:
    """Return random numbers of their own for a purpose and a ply; unpredictable without a seed."""
    return Random(None if seed is None else f"urcx {what} {seed} {ply}")  # noqa: S311 - a game


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
        return {move: self.errs / len(moves) + (1 - self.errs) * (move == best) for move in moves}


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
