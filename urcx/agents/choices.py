"""What can be played in a position: by each roll, its moves, and an agent's advice on them."""

from __future__ import annotations

from urcx.agents.advice import Adviser
from urcx.engine.moves import Choice, Choices, check_open, choices_of, legal_moves
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


def choices(
    position: Position, rules: RuleSet, roll: int | None = None, adviser: Adviser | None = None
) -> Choices:
    """Return what can be played by a roll, or by each roll of the dice, least advanced piece first.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll, or an agent of the user's fails.
    """
    check_open(position, rules)
    found: list[Choice] = []
    for value in rules.dice.rolls if roll is None else (roll,):
        moves = legal_moves(position, value, rules)
        found += choices_of(moves, adviser.about(position, value) if adviser and moves else ())
    agent = adviser.agent if adviser else None
    return Choices(
        found,
        rules=rules,
        position=position,
        agent=agent.name if agent else "",
        prefers=agent is not None and agent.prefers,
    )
