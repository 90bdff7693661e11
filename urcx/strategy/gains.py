"""The gains of all sequences of pieces in a position, and of all moves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.strategy.gain import READINGS, Gain, Term, gain
from urcx.strategy.pieces import Places, default_sequences, pieces


@dataclass(frozen=True)
class Gains:
    """The gains of several sequences of pieces in one position.

    ``places`` has the step of each piece by its label; ``of[reading]`` the gains in a reading, one
    for each sequence, in order.
    """

    rules: RuleSet
    position: Position
    roll: int | None
    places: Places
    of: Mapping[str, tuple[Gain, ...]]

    def best(self, reading: str) -> Gain:
        """Return the highest gain in a reading, the first of several."""
        return max(self.of[reading], key=lambda item: item.part("G"))

    def tile(self, term: Term) -> str | None:
        """Return the tile where a term has somebody captured, if it has."""
        if term.tile is None:
            return None
        light = self.position.light_to_move != (term.part == "A")
        return (self.rules.path.light if light else self.rules.path.dark)[term.tile - 1]


def gains(
    position: Position | str,
    rules: str | RuleSet,
    sequences: Sequence[str] | None = None,
    *,
    roll: int | None = None,
) -> Gains:
    """Return the gains of sequences of pieces in all readings.

    Parameters
    ----------
    position, rules
        A position with the rules it is played by, or texts that say them.
    sequences
        Labels of pieces (see `urcx.strategy.pieces`); by default all sequences of two that can
        happen.
    roll
        The first roll, where it is known.

    Raises
    ------
    PositionError, UsageError
        As `gain` does.
    """
    position, rules = catalogue.placed(position, rules)
    if sequences is None:
        sequences = default_sequences(position, rules, roll)
    found = {
        name: tuple(gain(position, s, rules, roll=roll, reading=name) for s in sequences)
        for name in READINGS
    }
    return Gains(rules, position, roll, pieces(position, rules), found)


def move_gains(position: Position, roll: int, rules: RuleSet) -> dict[int, Fraction]:
    """Return the gain of each legal move by its start, the criterion of the agent ``gain``.

    The gain of a move that grants an extra roll is that of the best sequence of two that begins
    with it. All are in the reading ``mended`` with a known first roll.

    Raises
    ------
    PositionError
        If no piece may move by the roll, the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll.
    """
    places = pieces(position, rules)
    found: dict[int, Fraction] = {}
    for start, worth in _valued(position, roll, rules, places):
        found[start] = max(worth, found.get(start, worth))
    return found


def _valued(
    position: Position, roll: int, rules: RuleSet, places: Places
) -> Iterator[tuple[int, Fraction]]:
    for sequence in default_sequences(position, rules, roll):
        yield places[sequence[0]], gain(position, sequence, rules, roll=roll).part("G")
