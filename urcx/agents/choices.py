"""What can be played in a position: by each roll, its moves, and an agent's advice on them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from urcx.agents.advice import Advice, Adviser
from urcx.engine.moves import Move, after_pass, check_open, legal_moves
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


@dataclass(frozen=True)
class Choice:
    """A move by a roll, or the pass (``move`` is None), and the position that it leads to.

    ``chance`` is the roll's. ``only`` says that there is no other move by it; ``advice`` is what an
    agent thinks of the move, None for a pass or where none was asked.
    """

    roll: int
    chance: Fraction
    move: Move | None
    after: Position
    only: bool
    advice: Advice | None = None


def choices(
    position: Position, rules: RuleSet, roll: int | None = None, adviser: Adviser | None = None
) -> tuple[Choice, ...]:
    """Return what can be played by a roll, or by each roll of the dice, least advanced piece first.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll, or an agent of the user's fails.
    """
    check_open(position, rules)
    chances = dict(zip(rules.dice.rolls, rules.dice.probabilities, strict=True))
    found: list[Choice] = []
    for value in rules.dice.rolls if roll is None else (roll,):
        moves = legal_moves(position, value, rules)
        chance = chances[value]
        if not moves:
            found.append(Choice(value, chance, None, after_pass(position), only=True))
            continue
        advice = adviser.about(position, value) if adviser else (None,) * len(moves)
        found += [
            Choice(value, chance, move, move.position, len(moves) == 1, said)
            for move, said in zip(moves, advice, strict=True)
        ]
    return tuple(found)
