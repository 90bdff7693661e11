"""Dice that follow from a seed, and agents' answers.

What the dice give at a ply follows from the seed and the number of the ply alone, and so does what
an agent draws where it plays one of several moves. A game that is resumed goes on as it would have
gone on, and a move that is taken back does not change the roll.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import accumulate
from random import Random

from urcx.agents.agents import Agent
from urcx.engine.moves import Move
from urcx.errors import UsageError
from urcx.played.record import PlayedGame, as_played
from urcx.rules.model import Dice


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
