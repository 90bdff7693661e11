"""How soon one of several pieces reaches a step: one player alone, optimal play, exact.

Section 5.2 of Raposo and Lamont asks this of the centre rosette. With a limited number of pieces,
all of them may be forced past a step, so the mean time does not exist. What is computed is the
greatest probability of reaching the step within a number of turns, over all choices of moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from urcx.errors import UsageError
from urcx.rules.model import RuleSet
from urcx.strategy.dice import chances
from urcx.strategy.journey import track

MAX_TURNS = 10
MAX_PIECES = 15


def arrival(rules: RuleSet, to: int, pieces: int, turns: int) -> tuple[Fraction, ...]:
    """Return the probability that a light piece reaches a step within 1, 2, ... ``turns`` turns.

    Each is maximised separately; moving is compulsory. ``to`` may be home. There are no dark
    pieces.

    Raises
    ------
    UsageError
        If the step is not on the path, or a number is out of range.
    """
    home = len(rules.path.light) + 1
    if not 1 <= to <= home:
        raise UsageError(f"step {to} is not on the path, whose steps are 1 to {home}, home")
    if not 1 <= turns <= MAX_TURNS:
        raise UsageError(f"{turns} turns: from 1 to {MAX_TURNS} are gone through")
    if not 1 <= pieces <= MAX_PIECES:
        raise UsageError(f"{pieces} pieces: from 1 to {MAX_PIECES} are gone through")
    search = _ArrivalSearch(rules.path.light, track(rules).rosettes, chances(rules.dice), to)
    return tuple(search.best(n, pieces, frozenset()) for n in range(1, turns + 1))


@dataclass(frozen=True)
class _ArrivalSearch:
    """The search over all choices of one player, with memoised probabilities."""

    tiles: tuple[str, ...]
    rosettes: frozenset[int]
    chances: dict[int, Fraction]
    to: int
    known: dict[tuple[int, int, frozenset[int]], Fraction] = field(default_factory=dict)

    def best(self, left: int, pool: int, board: frozenset[int]) -> Fraction:
        """Return the greatest probability with ``left`` turns left, the current one included."""
        if left == 0:
            return Fraction(0)
        state = (left, pool, board)
        if state not in self.known:
            total = Fraction(0)
            for roll, p in self.chances.items():
                found = list(self._moved(left, pool, board, roll)) if roll else []
                total += p * (max(found) if found else self.best(left - 1, pool, board))
            self.known[state] = total
        return self.known[state]

    def _moved(self, left: int, pool: int, board: frozenset[int], roll: int) -> Iterator[Fraction]:
        """Yield the probability after each legal move by a roll above 0."""
        home = len(self.tiles) + 1
        for start in (0, *board) if pool else board:
            end = start + roll
            others = board - {start}
            taken = {self.tiles[step - 1] for step in others}
            if end > home or (end < home and self.tiles[end - 1] in taken):
                continue
            if end == self.to:
                yield Fraction(1)
                continue
            after = others if end == home else others | {end}
            yield self.best(left - (end not in self.rosettes), pool - (start == 0), after)
