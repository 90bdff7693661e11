"""Labels of the mover's pieces, from A on and least advanced first, and sequences of them.

Each piece in the start pool has its own label, since several may move in a turn. A sequence such as
``AB`` says which piece moves first, and which one next if that grants an extra roll.
"""

from __future__ import annotations

from string import ascii_uppercase

from urcx.engine.moves import Move, check_open, legal_moves
from urcx.errors import PositionError, TooLargeError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.strategy.attack import sides

MOST_MOVES = 6  # of a sequence

Places = dict[str, int]


def pieces(position: Position, rules: RuleSet) -> Places:
    """Return the steps of the mover's pieces that are not home, by label.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    TooLargeError
        If there are more pieces than letters.
    """
    check_open(position, rules)
    board = sides(position)[0]
    home = position.home[0 if position.light_to_move else 1]
    pool = rules.pieces - len(board) - home
    steps = (0,) * pool + board
    if len(steps) > len(ascii_uppercase):
        raise TooLargeError(
            f"{len(steps)} pieces are not home; labels go to {len(ascii_uppercase)} of them"
        )
    return dict(zip(ascii_uppercase, steps, strict=False))


def place_text(step: int) -> str:
    """Return a piece's place as text: ``start`` or ``step 2``."""
    return f"step {step}" if step else "start"


def by_piece(position: Position, roll: int, start: int, rules: RuleSet) -> Move | None:
    """Return the legal move of the piece on a step by a roll, or None."""
    moves = legal_moves(position, roll, rules)
    return next((move for move in moves if move.start == start), None)


def rolls_of(rules: RuleSet, roll: int | None) -> tuple[int, ...]:
    """Return the possible rolls, or just the known one; raises `UsageError` if it is impossible."""
    if roll is not None and roll not in rules.dice.rolls:
        known = ", ".join(map(str, rules.dice.rolls))
        raise UsageError(f"roll {roll}: the dice {rules.dice.name} give {known}")
    return rules.dice.rolls if roll is None else (roll,)


def default_sequences(
    position: Position, rules: RuleSet, roll: int | None = None
) -> tuple[str, ...]:
    """Return the possible sequences, of two pieces if the first may get an extra roll.

    The pieces in the pool are interchangeable; the first that has not moved stands for all.

    Parameters
    ----------
    position, rules
        A position with the rules it is played by.
    roll
        The first roll where it is known.

    Raises
    ------
    PositionError
        If no piece may move by any of the rolls, the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll.
    """
    places = pieces(position, rules)
    found: list[str] = []
    for first, start in _alike(places, ""):
        moves = [by_piece(position, value, start, rules) for value in rolls_of(rules, roll)]
        made = [move for move in moves if move is not None]
        again = [move for move in made if move.rolls_again]
        if not made:
            continue
        seconds = [
            label
            for label, step in _alike(places, first)
            if any(_movable(move, label == first, step, rules) for move in again)
        ]
        found += [first + second for second in seconds] or [first]
    if not found:
        by = "any roll" if roll is None else f"the roll {roll}"
        side = "light" if position.light_to_move else "dark"
        raise PositionError(f"{position.on(rules.path)}: no piece of {side} may move by {by}")
    return tuple(found)


def _alike(places: Places, moved: str) -> list[tuple[str, int]]:
    """Return the pieces with their steps; of those in the pool, only the moved and one more."""
    pool = [label for label, step in places.items() if step == 0 and label != moved][:1]
    return [(a, s) for a, s in places.items() if s or a == moved or a in pool]


def _movable(move: Move, same: bool, step: int, rules: RuleSet) -> bool:
    start = move.end if same else step
    return any(by_piece(move.position, roll, start, rules) for roll in rules.dice.rolls)


def parse_sequences(text: str, places: Places) -> tuple[str, ...]:
    """Parse sequences such as ``AB,BA``, in order and without duplicates.

    Raises
    ------
    UsageError
        If a sequence is empty, longer than `MOST_MOVES`, or names a piece that is not there.
    """
    found = [part.strip().upper() for part in text.split(",")]
    for sequence in found:
        if not sequence:
            raise UsageError(f"sequences {text!r}: a sequence is empty; write AB,BA")
        if len(sequence) > MOST_MOVES:
            raise UsageError(f"sequence {sequence!r}: at most {MOST_MOVES} moves in a turn")
        for label in sequence:
            if label not in places:
                known = ", ".join(f"{a} ({place_text(step)})" for a, step in places.items())
                raise UsageError(
                    f"sequence {sequence!r}: there is no piece {label!r}; known: {known}"
                )
    return tuple(dict.fromkeys(found))
