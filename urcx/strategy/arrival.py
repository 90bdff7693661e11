"""How soon one of several pieces reaches a step: one player alone, optimal play, exact.

Section 5.2 of Raposo and Lamont asks this of the centre rosette. With a limited number of pieces,
all of them may be forced past a step, so the mean time does not exist. What is computed is the
greatest probability of reaching the step within a number of turns, over all choices of moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, ClassVar, NamedTuple

from urcx.errors import UsageError
from urcx.results.fields import FRACTION, Schema, fields_of, member
from urcx.results.fractions import percent
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import RuleSet, RulesWithDice
from urcx.rules.position import step_called
from urcx.strategy.dice import chances
from urcx.strategy.journey import goal_name, track

__all__ = ["PieceArrivals", "arrivals"]

MAX_TURNS = 10
MAX_PIECES = 15


class ArrivalChance(NamedTuple):
    """How probable it is that one of several pieces arrives within a number of turns."""

    pieces: Annotated[int, member(about="number of pieces")]
    turns: Annotated[int, member(about="number of turns")]
    probability: Annotated[
        Fraction,
        member(
            kind=FRACTION,
            about="how probable it is by the best choice that one stands there within them",
        ),
    ]


@dataclass(frozen=True)
class PieceArrivals(Result, function="arrivals"):
    """How soon one of several pieces reaches a step.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.arrivals("B4", within=2, pieces=[1, 7])
    >>> found.goal, found.within[1][0]
    ('B4, rosette', Fraction(1, 256))
    """

    rules: RulesWithDice
    to: Annotated[int, member(about="the step")]
    exactness: ClassVar[Annotated[str, member(about="fractions, without rounding")]] = "exact"
    within: Annotated[
        Mapping[int, Sequence[Fraction]],
        "by number of pieces, the probability within 1, 2, ... turns",
    ]

    @property
    @member(about="what the step is called", after="to")
    def goal(self) -> str:
        """Return what the step is called."""
        return goal_name(self.rules.path, self.to)

    def report(self) -> Report:
        """Return the probability that a piece stands on the step, by turns and pieces."""
        rules, columns = self.rules, self.within.values()
        rows = [
            ArrivalChance(pieces, turns, probability)
            for pieces, column in self.within.items()
            for turns, probability in enumerate(column, start=1)
        ]
        title = f"A piece on {self.goal}, within so many turns, %"
        table = Table(
            f"{title}: {rules.name}, {rules.dice.name}",
            ["turns", *(f"{n} pieces" if n > 1 else "1 piece" for n in self.within)],
            [
                [str(turns), *(percent(one, 4) for one in row)]
                for turns, row in enumerate(zip(*columns, strict=True), start=1)
            ],
            ["one player alone; for each number of turns the best choice of moves for it"],
        )
        last = rows[-1]
        answer = (
            f"{rules.with_pieces}: one of {counted(last.pieces, 'piece')} stands on step {self.to} "
            f"({self.goal}) within {counted(last.turns, 'turn')} with "
            f"{percent(last.probability, 4)} % under best play (exact, no opponent)"
        )
        return Report.of(ARRIVAL, self, [table], rows=rows, answer=answer)


ARRIVAL = Schema("urcx.arrival/1", {"": fields_of(PieceArrivals), "rows": fields_of(ArrivalChance)})


def arrivals(
    to: int | str,
    rules: str | RuleSet = "finkel",
    *,
    within: int = 6,
    pieces: int | Sequence[int] | None = None,
) -> PieceArrivals:
    """Return how likely one of several pieces stands on a step within a number of turns.

    One player is alone, and has for each number of turns the best choice of moves for it.

    Parameters
    ----------
    to
        A step of light's path, up to L + 1, which is ``home``; or a tile that it crosses once.
    rules
        A rule set or its name.
    within
        The number of turns, from 1 to 10; each up to it has its probability.
    pieces
        A number of pieces from 1 to 15, or several; by default all up to the rule set's.

    Returns
    -------
    PieceArrivals

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    PositionError
        If the path has no such tile, or crosses it more than once.
    UsageError
        If the step is not on the path, or a number is out of range.

    Examples
    --------
    >>> import urcx
    >>> [round(float(chance), 4) for chance in urcx.arrivals("B4", within=4, pieces=7).within[7]]
    [0.0039, 0.0423, 0.2447, 0.5038]
    """
    rules = catalogue.ruleset(rules)
    at_tile = isinstance(to, str) and not to[:1].isdecimal()
    step = step_called(str(to), rules.path.light) if at_tile else catalogue.whole("to", to)
    given = range(1, rules.pieces + 1) if pieces is None else pieces
    numbers = given if isinstance(given, Iterable) else (given,)
    counts = [catalogue.whole("pieces", number) for number in numbers]
    if not counts:
        raise UsageError("there is no number of pieces")
    turns = catalogue.whole("within", within)
    return PieceArrivals(rules, step, {n: arrival(rules, step, n, turns) for n in counts})


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
    tiles, stars, odds = rules.path.light, track(rules).rosettes, chances(rules.dice)

    @cache
    def best(left: int, pool: int, board: frozenset[int]) -> Fraction:
        """Return the greatest probability with ``left`` turns left, the current one included."""
        if left == 0:
            return Fraction(0)
        total = Fraction(0)
        for roll, p in odds.items():
            found = list(moved(left, pool, board, roll)) if roll else []
            total += p * (max(found) if found else best(left - 1, pool, board))
        return total

    def moved(left: int, pool: int, board: frozenset[int], roll: int) -> Iterator[Fraction]:
        """Yield the probability after each legal move by a roll above 0."""
        for start in (0, *board) if pool else board:
            end, others = start + roll, board - {start}
            if end > home or (end < home and tiles[end - 1] in {tiles[s - 1] for s in others}):
                continue
            after = others if end == home else others | {end}
            arrived = end == to
            yield (
                Fraction(1)
                if arrived
                else best(left - (end not in stars), pool - (not start), after)
            )

    return tuple(best(n, pieces, frozenset()) for n in range(1, turns + 1))
