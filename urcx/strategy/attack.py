"""The probability that a player captures a given piece in one turn, and the rolls that do it.

The turn continues if a move grants an extra roll, with the same or another piece (Raposo and
Lamont, Eq. 11 and 44: the sequences s). The player is assumed to do everything to capture that
piece: of several moves that grant an extra roll, the one with the highest probability of a capture.
So no rolls are counted twice, and the sum over the sequences is a probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from urcx.engine.moves import Move, legal_moves
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import Position
from urcx.strategy.dice import chances

MOST_ROLLS = 3  # in one turn; the paper's appendix C also stops at three moves


@dataclass(frozen=True)
class Attempt:
    """Rolls of one turn that capture a piece, and their probability.

    ``rolls`` are the rolls in order and ``moves`` the (from, to) steps that answer them.
    """

    rolls: tuple[int, ...]
    moves: tuple[tuple[int, int], ...]
    chance: Fraction


def sides(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the steps of the player to move and of the other."""
    if position.light_to_move:
        return position.light, position.dark
    return position.dark, position.light


def takes(move: Move, step: int, light: bool) -> bool:
    """Return whether a move captures the piece on an enemy step; ``light``: who moves."""
    theirs = move.position.dark if light else move.position.light
    return move.captures and step not in theirs


def attempts(
    position: Position, step: int, rules: RuleSet, left: int = MOST_ROLLS
) -> tuple[Attempt, ...]:
    """Return the sequences of rolls with which the player to move captures the piece on a step.

    Parameters
    ----------
    position
        A valid, unfinished position (see `urcx.engine.moves.check_open`).
    step
        A step on which the player not to move has a piece.
    rules
        The rule set.
    left
        The greatest number of rolls in the turn, from 1.

    Returns
    -------
        Sequences of which none is a prefix of another, so that their probabilities add up, shortest
        first.
    """
    light = position.light_to_move
    found: list[Attempt] = []
    for roll, chance in chances(rules.dice).items():
        moves = legal_moves(position, roll, rules)
        hit = next((move for move in moves if takes(move, step, light)), None)
        if hit is not None:
            found.append(Attempt((roll,), ((hit.start, hit.end),), chance))
        elif left > 1:
            found += _after(roll, chance, moves, step, rules, left)
    return tuple(sorted(found, key=lambda attempt: (len(attempt.rolls), attempt.rolls)))


def _after(
    roll: int, chance: Fraction, moves: tuple[Move, ...], step: int, rules: RuleSet, left: int
) -> list[Attempt]:
    """Return the attempts that begin with the best of the moves that grant an extra roll."""
    best: list[Attempt] = []
    for move in moves:
        if not move.rolls_again:
            continue
        further = [
            Attempt(
                (roll, *more.rolls), ((move.start, move.end), *more.moves), chance * more.chance
            )
            for more in attempts(move.position, step, rules, left - 1)
        ]
        if total(further) > total(best):
            best = further
    return best


def total(found: list[Attempt] | tuple[Attempt, ...]) -> Fraction:
    """Return the probability that any of the attempts succeeds."""
    return sum((attempt.chance for attempt in found), Fraction(0))


def common(dice: Dice) -> int:
    """Return the least common denominator of the probabilities, 16 for four binary dice."""
    return lcm(*(p.denominator for p in dice.probabilities))


def product_text(factor: str, rolls: tuple[int, ...], dice: Dice) -> str:
    """Return a product as the paper prints it, such as ``-6*(4/16)*(6/16)``."""
    known, below = chances(dice), common(dice)
    return "*".join([factor, *(f"({int(known[roll] * below)}/{below})" for roll in rolls)])
