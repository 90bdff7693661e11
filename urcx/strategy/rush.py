"""Rushing a piece: its journey from the start to home within one turn.

Every roll except the last must land on a rosette that grants an extra roll (section 4.2 of Raposo
and Lamont).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Annotated, ClassVar, NamedTuple

from urcx.errors import UsageError
from urcx.results.fields import COUNT, FRACTION, Field, Format
from urcx.results.numbers import number
from urcx.results.result import Result
from urcx.results.tables import key
from urcx.rules import catalogue
from urcx.rules.model import Dice, Path
from urcx.strategy.dice import (
    PAPER_ROLLS,
    PERCENT,
    Rolls,
    chances,
    dice_kinds,
    probability_text,
    several,
    written,
)
from urcx.strategy.journey import Track, path_track

__all__ = ["rush"]

ROUNDED = Format(lambda games: number(round(games)), FRACTION.json, none="never")


class RushChance(NamedTuple):
    """The probability of rushing a piece, and the most likely sequence of rolls."""

    probability: Fraction = Fraction(0)
    sequences: int = 0
    likeliest: Rolls = ()
    of_likeliest: Fraction = Fraction(0)


def rush_chance(way: Track) -> RushChance:
    """Return the exact probability that a piece gets from the start to home in a turn.

    Raises
    ------
    UsageError
        If the track has no end.
    """
    if way.length is None:
        raise UsageError("track: must have an end for a rush")
    rolls = {roll: p for roll, p in chances(way.dice).items() if roll}
    # By the step at which the rest of the rush begins.
    rushes = {way.length + 1: RushChance(Fraction(1), 1, (), Fraction(1))}
    for at in (*sorted(way.rosettes, reverse=True), 0):
        ends = [(roll, p, rushes[at + roll]) for roll, p in rolls.items() if at + roll in rushes]
        if ends:
            roll, p, best = max(ends, key=lambda end: end[1] * end[2].of_likeliest)
            rushes[at] = RushChance(
                sum((p * after.probability for _, p, after in ends), Fraction(0)),
                sum(after.sequences for _, _, after in ends),
                (roll, *best.likeliest),
                p * best.of_likeliest,
            )
    return rushes.get(0, RushChance())


def _written_or_none(rolls: Rolls) -> str | None:
    return written(rolls) or None


@dataclass(frozen=True)
class PathRush:
    """Rushing a piece along a path."""

    path: Annotated[Path, Field(key("path"), about="name of the path", of="name")]
    dice: Annotated[Dice, Field(key("dice"), about="name of the dice", of="name")]
    sequences: Annotated[int, Field(kind=COUNT, about="sequences of rolls that rush the piece")]
    likeliest: Annotated[
        Rolls, Field("<rolls", about="the most likely sequence, or null", of=_written_or_none)
    ]
    exactness: ClassVar[Annotated[str, Field(about="fractions, without rounding")]] = "exact"
    probability: Annotated[Fraction, Field("%", PERCENT, "its probability")]
    games: Annotated[Fraction | None, Field("games", ROUNDED, "mean number of games per rush")]


@dataclass(frozen=True)
class Rushes(Result, function="rush"):
    """Rushes along several paths with several kinds of dice.

    Examples
    --------
    >>> import urcx
    >>> urcx.rush("bell", "binary4").rows[0].sequences
    0
    """

    schema = "urcx.rush/2"
    lists = ("rows",)
    turns: Annotated[int, Field(about="a player's turns per game, with an attempt in each turn")]
    rows: Annotated[
        tuple[PathRush, ...], "a row for each path and kind of dice, the most likely rush first"
    ]

    @property
    def legend(self) -> list[str]:
        """Return notes on the columns."""
        return [
            "a piece alone on the board; rolls: the most likely sequence",
            f"games: mean number per rush, with an attempt in each of {self.turns} turns per game",
        ]

    @property
    def answer(self) -> str:
        """Return the highest probability."""
        best, others = self.rows[0], sum(not row.sequences for row in self.rows)
        if not best.sequences:
            return "A piece cannot be rushed from the start to home in one turn (exact)"
        never = f"; impossible in {others} of {len(self.rows)} cases" if others else ""
        return (
            "The highest probability of rushing a piece home in one turn is "
            f"{probability_text(best.probability)}, on {best.path.name} with {best.dice.name} "
            f"(exact){never}"
        )


def rush(
    path: str | Path | Sequence[str | Path] | None = None,
    dice: str | Dice | Sequence[str | Dice] | None = None,
    *,
    turns: int = PAPER_ROLLS,
) -> Rushes:
    """Return the probability of rushing a piece from the start to home in one turn.

    All rosettes grant a roll.

    Parameters
    ----------
    path
        Paths or their names, one or several. By default all paths of the catalogue.
    dice
        Dice or their names, one or several. By default all dice of the catalogue.
    turns
        A player's turns per game, with an attempt in each turn. By default Raposo and Lamont's 106.

    Returns
    -------
    Rushes

    Raises
    ------
    UnknownNameError
        If there is no such path, or no such dice.
    UsageError
        If there are no turns.

    Examples
    --------
    >>> import urcx
    >>> row = urcx.rush("aseb", "binary4").rows[0]
    >>> row.probability, row.likeliest
    (Fraction(1, 262144), (4, 4, 4, 4, 1))
    """
    names = several(path or catalogue.path_names())
    turns = catalogue.as_integer("turns", turns)
    if turns < 1:
        raise UsageError(f"--turns {turns}: must be at least 1")
    rows = []
    for route, kind in product(map(catalogue.path, names), dice_kinds(dice)):
        p, sequences, likeliest, _ = rush_chance(path_track(route, kind))
        games = 1 / (turns * p) if p else None
        rows.append(PathRush(route, kind, sequences, likeliest, p, games))
    return Rushes(turns, tuple(sorted(rows, key=lambda row: -row.probability)))
