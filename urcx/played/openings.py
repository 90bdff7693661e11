"""Openings: the best reply to every sequence of rolls, and the win probability after it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Annotated

from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import UsageError, check_functions
from urcx.game import Game
from urcx.played.hints import CHANCE, LOSS, hint, precision_note
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


@dataclass(frozen=True)
class Reply:
    """The best reply to a roll, after a best reply to each roll before it."""

    rolls: Annotated[tuple[int, ...], Field(key("rolls"), ROLLS, "the rolls, this one last")]
    probability: Annotated[Fraction, Field(kind=FRACTION, about="probability of these rolls")]
    ply: Annotated[Ply, "the best reply to the last of them", *PLAYED_PLY, *PLAYED_MOVE, *AFTER]
    equal: Annotated[int, Field(about="number of best moves, this one included")]
    ahead: Annotated[
        Fraction | None,
        Field(
            "action gap (points)",
            LOSS,
            "how far the second best move is below it, null if it is the only one",
        ),
    ]
    light: Annotated[
        Fraction,
        Field("light wins", CHANCE, "light's win probability after it, under optimal play"),
    ]


@dataclass(frozen=True)
class Openings(Result, function="openings"):
    """The best replies to all sequences of rolls from a position on.

    Examples
    --------
    >>> import urcx
    >>> openings = urcx.openings(urcx.ruleset("finkel", pieces=1), plies=1)
    >>> [(reply.rolls, reply.ply.describe()) for reply in openings.replies][1:3]
    [((1,), 'start to A4'), ((2,), 'start to A3')]
    """

    schema = "urcx.openings/1"
    lists = ("replies",)
    game: Annotated[
        Game,
        "the game before the first roll, with its rules",
        *RULES,
        Field("", TEXT, "the position before the first roll", key="position", of="position"),
    ]
    plies: Annotated[int, Field(about="the most rolls in a row")]
    light: Annotated[Fraction, Field("", CHANCE, "light's win probability before the first roll")]
    replies: Annotated[
        tuple[Reply, ...], "in the order of a tree: each before those that follow it"
    ]
    bound: Annotated[float | None, Field(about="error bound of win probabilities, null if unknown")]

    @property
    def rules(self) -> RuleSet:
        """Return the rules."""
        return self.game.rules

    def tables(self) -> list[Table]:
        """Return a row for each sequence of rolls."""
        own = fields_of(Reply)
        fields = (
            own.pick("rolls", "side")
            + Fields(
                column(Column("best reply", text=True, least=24), lambda item: item.ply.describe())
            )
            + own.pick("ahead", "light")
        )
        notes = [
            "rolls: from the start, each answered with a best move; 0 moves nothing",
            "action gap: how far the second best move is below the best",
            precision_note(self.bound),
        ]
        return [fields.table("", self.replies, notes)]

    @property
    def answer(self) -> str:
        """Return light's win probability at the start, and the best first roll."""
        turn = self.game.turn
        first = [reply for reply in self.replies if len(reply.rolls) == 1]
        best = max(first, key=lambda item: item.light if turn == "light" else 1 - item.light)
        before, after = percent_text(self.light), percent_text(best.light)
        return (
            f"{self.rules.with_pieces}: {turn} to move, light wins {before} under optimal play; "
            f"after {turn}'s best roll, {best.rolls[0]} ({best.ply.describe()}), light wins {after}"
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
        A rule set or its name. Or a game, whose position is then the default.
    position
        The first position or its notation. By default the start of the game.
    plies
        The number of rolls in a row, from 1 to 5.
    tablebase
        The rule set's solution. By default the solution saved by urcx solve. Small rule sets are
        solved now.
    threads
        Threads for solving, by default one for each core.
    stage
        Called as each stage of the work begins.

    Returns
    -------
    Openings

    Raises
    ------
    UnknownNameError
        If the rule set is unknown.
    UsageError
        If the number of plies is out of range.
    PositionError
        If the position breaks a rule, or the game is over.
    TooLargeError
        If there is no tablebase, and the rule set is too large to solve now.
    TablebaseError
        If the tablebase cannot be read, is damaged, or has other rules.

    Examples
    --------
    >>> import urcx
    >>> openings = urcx.openings(urcx.ruleset("finkel", pieces=2))
    >>> best = {reply.rolls: reply.ply.describe() for reply in openings.replies}
    >>> best[4,], best[4, 4], best[2, 2]
    ('start to A1, rosette, rolls again', 'A1 to B4, rosette, rolls again', 'start to C3')
    """
    check_functions(stage=stage)
    place, chosen = catalogue.resolve_position(position, rules)
    begin = Game(chosen, place)
    begin.legal_moves(chosen.dice.rolls[0])  # raises if it is over
    plies = catalogue.as_integer("plies", plies)
    if not 1 <= plies <= MOST_PLIES:
        raise UsageError(f"plies {plies}: must be from 1 to {MOST_PLIES}")
    chances = dict(chosen.dice.items())
    threads = chosen_threads(threads)
    with open_chances(chosen, tablebase, threads=threads, stage=stage) as solution:
        bound = solution.bound

        def replies(game: Game, before: tuple[int, ...]) -> list[Reply]:
            """Return the best replies to all rolls in a game, which follow the rolls ``before``."""
            result: list[Reply] = []
            for roll in () if game.is_over or len(before) == plies else chances:
                best, *others = hint(game, roll, solution).moves
                regrets = [other.regret or Fraction(0) for other in others]
                rolls = (*before, roll)
                result.append(
                    Reply(
                        rolls, prod((chances[roll] for roll in rolls), start=Fraction(1)),
                        Ply(roll, best.move, game, best.after),
                        1 + sum(regret <= 2 * (bound or 0.0) for regret in regrets),
                        min(regrets, default=None), chance_of(solution, best.after, "light"),
                    )
                )  # fmt: skip
                result += replies(best.after, rolls)
            return result

        light = chance_of(solution, begin, "light")
        return Openings(begin, plies, light, tuple(replies(begin, ())), bound)
