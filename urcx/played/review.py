r"""Reviews: what each decision of a game cost, and what the dice gave.

Let :math:`v` be the chance of winning of the player to move, before the roll; :math:`w` the chance
after it, if the best is done with it; and :math:`u` that after what was done. The player's *luck*
in this ply is :math:`w - v`, and the *regret* of the decision :math:`w - u`, which is never
negative. Where nothing can be decided the regret is 0. Each ply ends where the next one begins, so
the sums telescope: over a whole game, with :math:`V_0` light's chance at its start,

.. math::

   V_\text{end} - V_0 = (\text{luck of light} - \text{regret of light})
                      - (\text{luck of dark} - \text{regret of dark}),

where :math:`V_\text{end}` is 1 if light has won and 0 if dark has. The numbers are those of the
tablebase, and sums of them are kept as fractions, so that the equation holds exactly, not only up
to rounding. Seen before a roll, luck is 0 on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from urcx.engine.moves import Move
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.errors import check_functions
from urcx.game import check_side
from urcx.played.hints import CHANCE, Hint, hint
from urcx.played.record import GAMES, PLAYED_MOVE, PLAYED_PLY, PlayedGame, Ply, as_played, described
from urcx.played.values import chance_of, opened
from urcx.results.fields import Fields, Kind, Schema, column, fields_of, member
from urcx.results.numbers import at_most, in_percent
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import Column, Note, Table
from urcx.rules.model import RuleSet
from urcx.solving.probing import WinningChances

__all__ = ["review"]

MOST_MISTAKES = 8  # that are shown without --wide
CHANGE = Kind(lambda value: f"{float(value):+.2%}", (("", float),))


@dataclass(frozen=True)
class ReviewedPly:
    """A ply of a game with what it was worth, to the player who rolled."""

    number: Annotated[
        int, member(Column("ply", key=True), about="the ply's number, from 1", key="ply")
    ]
    ply: Annotated[Ply, "the ply"]
    before: Annotated[
        Fraction, member("", CHANCE, "the player's chance of winning before the roll")
    ]
    rolled: Annotated[Fraction, member("", CHANCE, "after the roll, if the best is done with it")]
    after: Annotated[Fraction, member("", CHANCE, "after what was done")]
    choices: Annotated[int, member(about="the number of legal moves")]
    best: Annotated[
        Move | None,
        "a best move: the one that was played, if none is better",
        member(about="a best move", key="best_from", of="start"),
        member(about="the step that it reaches", key="best_to", of="end"),
    ]
    hint: Annotated[Hint, "all moves with their chances"]

    @property
    def side(self) -> str:
        """Return who rolled, ``"light"`` or ``"dark"``."""
        return self.ply.side

    @property
    def roll(self) -> int:
        """Return the roll."""
        return self.ply.roll

    @property
    def move(self) -> Move | None:
        """Return what was played, None for a pass."""
        return self.ply.move

    @property
    @member("luck", CHANGE, "rolled less before: what the dice gave", after="after")
    def luck(self) -> Fraction:
        """Return what the dice gave."""
        return self.rolled - self.before

    @property
    @member("", CHANCE, "rolled less after: what the decision cost", after="luck")
    def regret(self) -> Fraction:
        """Return what the decision cost."""
        return self.rolled - self.after

    @property
    def is_decision(self) -> bool:
        """Return whether there were two legal moves or more."""
        return self.choices > 1

    @property
    def light_before(self) -> Fraction:
        """Return light's chance before the roll."""
        return self.before if self.side == "light" else 1 - self.before

    @property
    @member("light wins", CHANCE, "light's chance after it", key="light", after="regret")
    def light_after(self) -> Fraction:
        """Return light's chance after what was done."""
        return self.after if self.side == "light" else 1 - self.after


@dataclass(frozen=True)
class SideReview:
    """One player's luck and skill over a game."""

    side: Annotated[str, member("<side", about="light or dark")]
    player: Annotated[str, member("<player", about="who plays it")]
    luck: Annotated[Fraction, member("luck", CHANGE, "sum of what the dice gave")]
    lost: Annotated[Fraction, member("regret", CHANCE, "sum of what decisions cost")]
    plies: Annotated[int, member("plies", about="rolls")]
    decisions: Annotated[int, member("decisions", about="rolls with two legal moves or more")]
    mistakes: Annotated[
        int, member("mistakes", about="moves that cost more than the error of the chances")
    ]
    worst: Annotated[ReviewedPly | None, "the mistake that cost most; None without mistakes"]


@dataclass(frozen=True, repr=False)
class Review(Result, function="review"):
    """A game with the chances of winning at every ply.

    It shows itself as ``urcx review`` prints it.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", pieces=1)).play("0-2").play("0-1")
    >>> found = urcx.review(played)
    >>> [f"{float(ply.luck):+.3f}" for ply in found.plies]
    ['-0.003', '-0.039']
    >>> found.side("light").mistakes
    0
    """

    played: Annotated[PlayedGame, "the game"]
    plies: Annotated[tuple[ReviewedPly, ...], "its plies"]
    light_start: Annotated[Fraction, member("", CHANCE, "light's chance before the first ply")]
    light_end: Annotated[
        Fraction,
        "light's chance of winning after the last ply; 1 or 0 at the end of a finished game",
        member("", CHANCE, "light's chance after the last"),
    ]
    bound: Annotated[float | None, member(about="how far a chance is off at most, null if unknown")]

    @property
    def rules(self) -> RuleSet:
        """Return the rules of the game."""
        return self.played.rules

    @property
    def sides(self) -> tuple[SideReview, SideReview]:
        """Return light's luck and skill, and dark's."""
        return self.side("light"), self.side("dark")

    def report(self) -> Report:
        """Return the table of both sides' luck and skill, and that of all plies."""
        worst = sorted(self._mistakes, key=lambda one: -one.regret)
        first = [self._sides_table()]
        if worst:
            first.append(self._plies_table("The costliest mistakes", worst[:MOST_MISTAKES]))
        tables = [*first, self._plies_table("Every ply", self.plies)]
        brief = len(first)
        return Report.of(REVIEW, self, tables, sides=self.sides, rows=self.plies, brief=brief)

    @property
    def answer(self) -> str:
        """Return who won, and what each side's mistakes cost."""
        off = (
            "of unknown precision"
            if self.bound is None
            else f"off by at most {at_most(self.bound)}"
        )
        light, dark = (in_percent(side.lost) for side in self.sides)
        return f"mistakes cost light {light} and dark {dark} (chances {off}); {self.played.heading}"

    @property
    def _mistakes(self) -> list[ReviewedPly]:
        return [one for one in self.plies if one.regret > 0]

    def _sides_table(self) -> Table:
        def worst(side: SideReview) -> str:
            found = side.worst
            return f"ply {found.number}: {CHANCE.cell(found.regret)}" if found else ""

        light, dark = self.sides
        start, end = CHANCE.cell(self.light_start), CHANCE.cell(self.light_end)
        own, other = (
            f"({CHANGE.cell(side.luck)} - {CHANCE.cell(side.lost)})" for side in (light, dark)
        )
        notes = [
            "luck: what the dice gave; regret: what decisions cost; both in chances of winning",
            f"light's chance {start} + {own} - {other} = {end}",
        ]
        shown = SIDE + Fields(column(Column("worst", text=True, secondary=True), worst))
        return shown.table(self.played.heading, self.sides, notes)

    def _plies_table(self, title: str, plies: Sequence[ReviewedPly]) -> Table:
        def cost(item: ReviewedPly) -> str:
            return CHANCE.cell(item.regret) if item.regret > 0 else ""

        def better(item: ReviewedPly) -> str:
            if item.regret == 0 or item.best is None:
                return ""
            return described(item.ply.before, item.best)

        shown = (
            REVIEWED.pick("ply")
            + PLAYED_PLY.inside("ply")
            + Fields(column(Column("move", text=True, least=16), lambda item: item.ply.describe()))
            + REVIEWED.pick("luck")
            + Fields(column("regret", cost), column("<best", better))
            + REVIEWED.pick("light")
        )
        note = Note("best: what would have cost nothing, where the move cost something", "best")
        return shown.table(title, plies, [note])

    def side(self, side: str) -> SideReview:
        """Return the luck and skill of ``"light"`` or ``"dark"``.

        Raises
        ------
        UsageError
            If it is neither.
        """
        check_side(side)
        own = [one for one in self.plies if one.side == side]
        worst = max(own, key=lambda one: one.regret, default=None)
        return SideReview(
            side,
            self.played.player(side),
            sum((one.luck for one in own), Fraction(0)),
            sum((one.regret for one in own), Fraction(0)),
            len(own),
            sum(one.is_decision for one in own),
            sum(one.side == side for one in self._mistakes),
            worst if worst is not None and worst.regret > 0 else None,
        )


REVIEWED, SIDE = fields_of(ReviewedPly), fields_of(SideReview)
REVIEW = Schema(
    "urcx.review/1",
    {
        "": GAMES.inside("played") + fields_of(Review),
        "sides": SIDE,
        "rows": REVIEWED.pick("ply")
        + (PLAYED_PLY + PLAYED_MOVE).inside("ply")
        + REVIEWED.without("ply"),
    },
)


def review(
    game: PlayedGame,
    tablebase: WinningChances | str | Path | None = None,
    *,
    threads: int | None = None,
    stage: Stage = silent,
) -> Review:
    """Review a game: every decision's regret, and luck and skill apart.

    Parameters
    ----------
    game
        A played game, such as `urcx.read_game` returns.
    tablebase
        An open tablebase or the name of one's file; None for the solution that urcx solve has kept,
        or to solve a small rule set at once.
    threads
        To solve it, by default one for each core.
    stage
        Called as each stage of the work begins.

    Returns
    -------
    Review

    Raises
    ------
    WrongObjectError
        If it is no played game.
    TooLargeError
        If there is no tablebase, and the rule set is too large to be solved at once.
    TablebaseError
        If the tablebase cannot be read, is damaged, or of other rules.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", "14/13/1-1/L", pieces=2))
    >>> played = played.passed(2).play("13-15")
    >>> found = urcx.review(played)
    >>> light, dark = found.sides
    >>> found.light_end - found.light_start == (light.luck - light.lost) - (dark.luck - dark.lost)
    True
    >>> round(float(found.light_start), 3), int(found.light_end), dark.lost == 0
    (0.46, 0, True)
    """
    check_functions(stage=stage)
    given = as_played(game)
    threads = chosen_threads(threads)
    with opened(given.rules, tablebase, threads=threads, stage=stage) as known:
        plies = tuple(
            _reviewed(number, ply, hint(ply.before, ply.roll, known))
            for number, ply in enumerate(given.plies, start=1)
        )
        start, end = (chance_of(known, at, "light") for at in (given.start, given.game))
        return Review(given, plies, start, end, known.bound)


def _reviewed(number: int, ply: Ply, found: Hint) -> ReviewedPly:
    done = next(one for one in found.moves if one.move == ply.move)
    assert found.before is not None
    assert found.rolled is not None
    assert done.chance is not None
    return ReviewedPly(
        number,
        ply,
        found.before,
        done.chance if done.is_best else found.rolled,
        done.chance,
        sum(one.move is not None for one in found.moves),
        ply.move if done.is_best else found.best,
        found,
    )
