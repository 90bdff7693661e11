"""Players of a game in progress: dice from a seed, agents' answers, optimal play.

A roll depends only on the seed and the number of the ply. The random numbers of an agent that plays
one of several moves depend on the same two numbers. So a resumed game goes on as it would have, and
taking a move back does not change the roll.
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
    """Return the roll of the dice at a ply, counted from 0, of the game with a seed.

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
    """Return a game with its next roll thrown by its seed, or unchanged if a roll is waiting.

    Raises
    ------
    UsageError
        If the game has no seed.
    PositionError
        If the game is over.
    """
    played = as_played(game)
    if played.roll is not None:
        return played
    if played.seed is None:
        raise UsageError("the game has no seed for its dice. Use throw(roll) instead")
    return played.throw(thrown(played.rules.dice, played.seed, len(played.plies)))


def choice(game: PlayedGame, agent: Agent) -> Move | None:
    """Return the move that an agent plays for the thrown roll, None for a pass.

    Raises
    ------
    UsageError
        If no roll was thrown, or a user's agent fails.
    TooLargeError, TablebaseError
        If the agent cannot be prepared to play these rules.
    """
    played = as_played(game)
    if not played.legal_moves():
        return None
    assert played.roll is not None
    rng = _generator("agent", played.seed, len(played.plies))
    return agent.choose(played.game, played.roll, rng)


def answered(game: PlayedGame, agent: Agent) -> PlayedGame:
    """Return the game after an agent's ply, throwing the dice first if no roll is waiting.

    Raises the same errors as `rolled` and `choice`.
    """
    ready = rolled(game)
    move = choice(ready, agent)
    return ready.passed() if move is None else ready.play(move)


def _generator(purpose: str, seed: int | None, ply: int) -> Random:
    """Return separate random numbers for a purpose and a ply, unpredictable without a seed."""
    return Random(None if seed is None else f"urcx {purpose} {seed} {ply}")  # noqa: S311 - a game


LAST_RESORT = "expectimax"


@dataclass(frozen=True)
class _BySolution:
    """Plays the best move of the least advanced piece, or any legal move as a mistake."""

    solution: WinningChances
    name: str
    mistakes: Fraction  # their share

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        """Return a move. Without mistakes, no random number is drawn."""
        if self.mistakes and rng.random() < self.mistakes:
            moves = game.legal_moves(roll)
            return moves[rng.integers(len(moves))]
        best = hint(game, roll, self.solution).best
        assert best is not None
        return best

    def move_probabilities(self, game: Game, roll: int) -> dict[Move, Fraction]:
        """Return the probability of playing each move."""
        best, moves = hint(game, roll, self.solution).best, game.legal_moves(roll)
        any_move, best_move = self.mistakes / len(moves), 1 - self.mistakes
        return {move: any_move + best_move * (move == best) for move in moves}


def perfect(solution: WinningChances, like: Agent | None = None) -> Agent:
    """Return an agent that plays by an open tablebase or a solved small game.

    It plays optimally, or ``like`` another agent that plays by a solution. But it reads only the
    positions that it meets, and nothing in advance.
    """
    like = like or agent("optimal")
    return agent(_BySolution(solution, like.name, Fraction(like.percent, 100)))


def opponent(rules: RuleSet, solution: WinningChances | None = None) -> Agent:
    """Return a strong agent for a rule set that is ready immediately.

    It plays optimally by the win probabilities of ``solution``, else by the network that comes with
    urcx, else as `LAST_RESORT`.
    """
    if solution is not None:
        return perfect(solution)
    return agent("learned" if has_shipped(rules) else LAST_RESORT)
