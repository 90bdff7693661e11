"""Openings: the best reply to every sequence of rolls, and what the game is worth then."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Annotated

from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import UsageError, check_functions
from urcx.game import Game
from urcx.played.hints import CHANCE, hint, precision_note
from urcx.played.record import AFTER, PLAYED_MOVE, PLAYED_PLY, Ply
from urcx.played.values import chance_of, open_chances
from urcx.results.fields import FRACTION, RULES, TEXT, Field, Fields, Format, column, fields_of
from urcx.results.numbers import percent_text
from urcx.results.result import Result
from urcx.results.tables import Column, Table, key
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.probing import WinningChances

__all__ = ["openings"]

MOST_PLIES = 5
ROLLS = Format(lambda rolls: " ".join(map(str, rolls)), (("", list),))
AHEAD = Format(lambda value: f"{float(value):.2%}", (("", float),))


@dataclass(frozen=True)
class Reply:
    """The best reply to a roll, where all rolls before it were answered best."""

    rolls: Annotated[tuple[int, ...], Field(key("rolls"), ROLLS, "the rolls, this one last")]
    probability: Annotated[Fraction, Field(kind=FRACTION, about="how probable these rolls are")]
    ply: Annotated[Ply, "the best reply to the last of them", *PLAYED_PLY, *PLAYED_MOVE, *AFTER]
    equal: Annotated[int, Field(about="how many moves are as good, this one included")]
    ahead: Annotated[
        Fraction | None,
        Field(
            "ahead by", AHEAD, "by how much better it is than the next best, null if it is the only"
        ),
    ]
    light: Annotated[
        Fraction, Field("light wins", CHANCE, "light's chance after it, if both play perfectly")
    ]


@dataclass(frozen=True)
class Openings(Result, function="openings"):
    """The best replies to all sequences of rolls from a position on.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.openings(urcx.ruleset("finkel", pieces=1), plies=1)
    >>> [(one.rolls, one.ply.describe()) for one in found.replies][1:3]
    [((1,), 'start to A4'), ((2,), 'start to A3')]
    """

    schema = "urcx.openings/1"
    lists = ("replies",)
    game: Annotated[
        Game,
        "where they begin, with its rules",
        *RULES,
        Field("", TEXT, "where they begin", key="position", of="position"),
    ]
    plies: Annotated[int, Field(about="the most rolls in a row")]
    light: Annotated[Fraction, Field("", CHANCE, "light's chance before the first roll")]
    replies: Annotated[tuple[Reply, ...], "as a tree is read: each before what follows it"]
    bound: Annotated[float | None, Field(about="how far a chance is off at most, null if unknown")]

    @property
    def rules(self) -> RuleSet:
        """Return the rules."""
        return self.game.rules

    def tables(self) -> list[Table]:
        """Return a row for each sequence of rolls."""
        own = fields_of(Reply)
        shown = (
            own.pick("rolls", "side")
            + Fields(
                column(Column("best reply", text=True, least=24), lambda item: item.ply.describe())
            )
            + own.pick("ahead", "light")
        )
        notes = [
            "rolls: from the start on, each answered best; 0 moves nothing",
            "ahead by: by how much less the player wins after the next best move",
            precision_note(self.bound),
        ]
        return [shown.table("", self.replies, notes)]

    @property
    def answer(self) -> str:
        """Return what the start is worth, and which roll is best there."""
        turn = self.game.turn
        first = [reply for reply in self.replies if len(reply.rolls) == 1]
        best = max(first, key=lambda item: item.light if turn == "light" else 1 - item.light)
        return (
            f"{self.rules.with_pieces}: {turn} to move, light wins with "
            f"{percent_text(self.light)}; "
            f"with {best.rolls[0]}, {turn}'s best roll, {best.ply.describe()}: light wins with "
            f"{percent_text(best.light)}"
        )


def openings(
    rules: str | RuleSet = "finkel",
    position: str | Position | Game | None = None,
    *,
    plies: int = 2,
    tablebase: WinningChances | str | Path | None = None,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Openings:
    """Find the best reply to every sequence of rolls.

    Parameters
    ----------
    rules
        A rule set or its name; or a game, whose position is then the default.
    position
        Where to begin: a position or its notation. By default the start.
    plies
        How many rolls in a row, from 1 to 5.
    tablebase
        The rule set's solution. By default that which urcx solve has kept; small ones are solved
        on the fly.
    threads
        To solve it, by default one for each core.
    stage
        Called as each stage of the work begins.

    Returns
    -------
    Openings

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    UsageError
        If the number of plies is out of range.
    PositionError
        If the position breaks a rule, or the game is over.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved at once.
    TablebaseError
        If the tablebase cannot be read, is damaged, or of other rules.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.openings(urcx.ruleset("finkel", pieces=2))
    >>> first = {one.rolls: one.ply.describe() for one in found.replies}
    >>> first[4,], first[4, 4], first[2, 2]
    ('start to A1, rosette, rolls again', 'A1 to B4, rosette, rolls again', 'start to C3')
    """
    check_functions(stage=stage)
    place, chosen = catalogue.resolve_position(position, rules)
    begin = Game(chosen, place)
    begin.legal_moves(chosen.dice.rolls[0])  # raises if it is over
    plies = catalogue.as_integer("plies", plies)
    if not 1 <= plies <= MOST_PLIES:
        raise UsageError(f"{plies} plies: from 1 to {MOST_PLIES}")
    chances = dict(zip(chosen.dice.rolls, chosen.dice.probabilities, strict=True))
    threads = chosen_threads(threads)
    with open_chances(chosen, tablebase, threads=threads, stage=stage) as known:
        bound = known.bound

        def replies(game: Game, before: tuple[int, ...]) -> list[Reply]:
            """Return the best replies from a game on, after these rolls."""
            result: list[Reply] = []
            for roll in () if game.is_over or len(before) == plies else chances:
                best, *others = hint(game, roll, known).moves
                regrets = [other.regret or Fraction(0) for other in others]
                rolls = (*before, roll)
                result.append(
                    Reply(
                        rolls, prod((chances[roll] for roll in rolls), start=Fraction(1)),
                        Ply(roll, best.move, game, best.after),
                        1 + sum(regret <= 2 * (bound or 0.0) for regret in regrets),
                        min(regrets, default=None), chance_of(known, best.after, "light"),
                    )
                )  # fmt: skip
                result += replies(best.after, rolls)
            return result

        light = chance_of(known, begin, "light")
        return Openings(begin, plies, light, tuple(replies(begin, ())), bound)
