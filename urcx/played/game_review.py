"""The review of one game, as a result: its plies, both sides, grades of losses, and tables.

`urcx.played.review` explains the numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Annotated

from urcx.engine.moves import Move
from urcx.game import check_side
from urcx.played.hints import CHANCE, LOSS, Hint, precision_note
from urcx.played.record import GAMES, PLAYED_MOVE, PLAYED_PLY, YOU, PlayedGame, Ply, described
from urcx.results.fields import INTERVAL, Field, Fields, Format, column, fields_of
from urcx.results.numbers import number_word, percent_text
from urcx.results.result import Result
from urcx.results.tables import MOVE_LOSS, Column, Note, Table
from urcx.rules.model import RuleSet
from urcx.solving.files.kept import solve_command

MOST_MISTAKES = 8  # without --wide
# In points. Adding 0 makes -0 positive.
LUCK = Format(lambda value: f"{round(100 * float(value), 2) + 0.0:+.2f}", (("", float),))
SHARE = Format(percent_text)
BOUNDS = Format(
    lambda pair: f"{LOSS.cell(pair[0])} to {LOSS.cell(pair[1])}", INTERVAL.json, INTERVAL.csv
)
# The same with one decimal, for estimates.
ESTIMATED = {
    CHANCE: Format(partial(percent_text, digits=1)),
    SHARE: Format(partial(percent_text, digits=1)),
    LOSS: Format(lambda value: f"{100 * float(value):.1f}"),
    LUCK: Format(lambda value: f"{round(100 * float(value), 1) + 0.0:+.1f}"),
    BOUNDS: Format(lambda pair: f"{100 * pair[0]:.1f} to {100 * pair[1]:.1f}"),
}


@dataclass(frozen=True)
class Grade:
    """A grade of decisions with a large loss: its name, its sign, and the least loss."""

    name: str
    sign: str
    least: Fraction


# The worst first. They are gnubg's: 0.16, 0.08 and 0.04 of its points.
GRADES = (
    Grade("blunder", "??", Fraction(8, 100)),
    Grade("mistake", "?", Fraction(4, 100)),
    Grade("inaccuracy", "?!", Fraction(2, 100)),
)
SIGNS = "; ".join(f"{grade.sign} {grade.name}, from {100 * grade.least} points" for grade in GRADES)


def shown(fields: Fields, *, approximate: bool) -> Fields:
    """Return fields for a table: estimates have a mark in the heading and one decimal."""
    if not approximate:
        return fields

    def marked(field: Field) -> Field:
        if field.kind not in ESTIMATED or not field.heading:
            return field
        title = f"≈ {field.title or field.key}"
        heading = replace(MOVE_LOSS, title=title) if field.heading == MOVE_LOSS else title
        return replace(field, kind=ESTIMATED[field.kind], heading=heading)

    return Fields(lambda: map(marked, fields))


def exact_note(rules: RuleSet) -> str:
    """Return a note on estimates: how to get exact numbers."""
    command = solve_command(rules, f"For exact numbers solve {rules.with_pieces}")
    return f"≈: estimated by a network. {command}"


@dataclass(frozen=True)
class ReviewedPly:
    """A ply of a game with the win probabilities of the player who rolled."""

    number: Annotated[
        int, Field(Column("ply", key=True), about="the ply's number, from 1", key="ply")
    ]
    ply: Annotated[Ply, "the ply", *PLAYED_PLY, *PLAYED_MOVE]
    before: Annotated[Fraction, Field("", CHANCE, "the player's win probability before the roll")]
    rolled: Annotated[Fraction, Field("", CHANCE, "after the roll, with the best move")]
    after: Annotated[Fraction, Field("", CHANCE, "after the actual move")]
    choices: Annotated[int, Field(about="the number of legal moves")]
    best: Annotated[
        Move | None,
        "a best move: the actual move, if no move is better",
        Field(about="a best move", key="best_from", of="start"),
        Field(about="the step that it reaches", key="best_to", of="end"),
    ]
    hint: Annotated[Hint, "all moves with their win probabilities"]

    @property
    def side(self) -> str:
        """Return the side that rolled, ``"light"`` or ``"dark"``."""
        return self.ply.side

    @property
    def roll(self) -> int:
        """Return the roll."""
        return self.ply.roll

    @property
    def move(self) -> Move | None:
        """Return the actual move, None for a pass."""
        return self.ply.move

    @property
    @Field("luck (points)", LUCK, "luck of the roll: rolled minus before", after="after")
    def luck(self) -> Fraction:
        """Return the luck of the roll."""
        return self.rolled - self.before

    @property
    @Field("", LOSS, "loss of the decision: rolled minus after", after="luck")
    def regret(self) -> Fraction:
        """Return the loss of the decision."""
        return self.rolled - self.after

    @property
    @Field(about="grade of the loss: blunder, mistake, inaccuracy or null", after="regret")
    def grade(self) -> str | None:
        """Return the name of the loss's grade (`GRADES`), or None."""
        return next((grade.name for grade in GRADES if self.regret >= grade.least), None)

    @property
    def is_decision(self) -> bool:
        """Return whether there were two legal moves or more."""
        return self.choices > 1

    @property
    @Field("light wins", CHANCE, "light's win probability after it", key="light", after="grade")
    def light_after(self) -> Fraction:
        """Return light's win probability after the actual move."""
        return self.after if self.side == "light" else 1 - self.after


@dataclass(frozen=True)
class SideReview:
    """The luck and losses of one player in a game."""

    side: Annotated[str, Field("<side", about="light or dark")]
    player: Annotated[str, Field("<player", about="name of the player")]
    luck: Annotated[Fraction, Field("luck (points)", LUCK, "sum of the luck of all rolls")]
    lost: Annotated[Fraction, Field("loss (points)", LOSS, "sum of the losses of all decisions")]
    blunders: Annotated[int, Field("??", about="moves with the grade blunder")]
    graded_mistakes: Annotated[int, Field("?", about="moves with the grade mistake")]
    inaccuracies: Annotated[int, Field("?!", about="moves with the grade inaccuracy")]
    plies: Annotated[int, Field("plies", about="rolls")]
    decisions: Annotated[int, Field("decisions", about="rolls with two legal moves or more")]
    mistakes: Annotated[
        int,
        Field(
            about="moves with a loss above the error of win probabilities, or with any loss by "
            "estimates"
        ),
    ]
    worst: Annotated[
        ReviewedPly | None, "the mistake with the greatest loss, or None without mistakes"
    ]


@dataclass(frozen=True, repr=False)
class Review(Result, function="review"):
    """A game with the win probabilities at every ply.

    It prints like ``urcx review``.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", pieces=1)).play("0-2").play("0-1")
    >>> review = urcx.review(played)
    >>> [f"{float(ply.luck):+.3f}" for ply in review.plies]
    ['-0.003', '-0.039']
    >>> review.side("light").mistakes
    0
    """

    schema = "urcx.review/1"
    lists = ("plies", "sides")
    played: Annotated[PlayedGame, "the game", *GAMES]
    plies: Annotated[tuple[ReviewedPly, ...], "its plies"]
    light_start: Annotated[
        Fraction, Field("", CHANCE, "light's win probability before the first ply")
    ]
    light_end: Annotated[
        Fraction,
        "light's win probability after the last ply, 1 or 0 at the end of a finished game",
        Field("", CHANCE, "light's win probability after the last ply"),
    ]
    bound: Annotated[float | None, Field(about="error bound of win probabilities, null if unknown")]
    approximate: Annotated[
        bool, Field(about="whether win probabilities are estimates by a network")
    ] = False

    @property
    def rules(self) -> RuleSet:
        """Return the rules of the game."""
        return self.played.rules

    @property
    def sides(self) -> tuple[SideReview, SideReview]:
        """Return the luck and losses of light and of dark."""
        return self.side("light"), self.side("dark")

    @property
    def seed(self) -> int | None:
        """Return the seed of the game."""
        return self.played.seed

    @property
    def brief(self) -> int:
        """Return the number of tables shown: one for the sides, and one for mistakes, if any."""
        return 2 if self._graded else 1

    def tables(self) -> list[Table]:
        """Return both sides' luck and losses, the worst mistakes, and all plies."""
        worst = sorted(self._graded, key=lambda item: -item.regret)[:MOST_MISTAKES]
        return [
            self._sides_table(),
            *([self._plies_table("The largest losses", worst)] if worst else []),
            self._plies_table("Every ply", self.plies),
        ]

    @property
    def answer(self) -> str:
        """Return the winner, and your loss, luck, blunders and mistakes, or those of both sides."""
        winner = self.played.winner
        ended = f"{winner.capitalize()} won" if winner else "The game is unfinished"
        if not self.plies:
            return f"{ended}. There are no plies to review."
        yours = [side for side in self.sides if side.player == YOU]
        sides = yours if len(yours) == 1 else self.sides
        summaries = (self._summary(side, you=len(sides) == 1) for side in sides)
        return " ".join(f"{sentence}." for sentence in (ended, *summaries))

    def _summary(self, side: SideReview, *, you: bool) -> str:
        named = "" if side.player == side.side else f" ({side.player})"
        name = "You" if you else f"{side.side.capitalize()}{named}"
        near = "≈ " if self.approximate else ""
        lost, luck = (near + self._cell(LOSS, value) for value in (side.lost, abs(side.luck)))
        dice = f"gave {'you ' * you}{luck}" if side.luck >= 0 else f"took {luck}{' from you' * you}"
        counts = (("blunder", side.blunders), ("mistake", side.graded_mistakes))
        grades = ", ".join(
            f"{number_word(count)} {noun}{'' if count == 1 else 's'}"
            for noun, count in counts
            if count
        )
        return (
            f"{name} lost {lost} points by decisions and the dice {dice}; "
            f"{grades or 'no blunders or mistakes'}"
        )

    def _cell(self, kind: Format, value: Fraction) -> str:
        """Return a number in a format, or with one decimal if it is an estimate."""
        return (ESTIMATED[kind] if self.approximate else kind).cell(value)

    @property
    def _graded(self) -> list[ReviewedPly]:
        return [ply for ply in self.plies if ply.grade]

    def _sides_table(self) -> Table:
        def worst(side: SideReview) -> str:
            return f"ply {side.worst.number}" if side.worst else ""

        light, dark = self.sides
        start, end = (self._cell(CHANCE, value) for value in (self.light_start, self.light_end))
        own, other = (
            f"({self._cell(LUCK, side.luck)} - {self._cell(LOSS, side.lost)})"
            for side in (light, dark)
        )
        near = "≈ " if self.approximate else ""
        exact = f"{self.rules.with_pieces}: {precision_note(self.bound)}"
        notes = [
            f"light's win probability {near}{start} + {own} - {other} points = {end}",
            Note(SIGNS, "??", "?", "?!"),
            exact_note(self.rules) if self.approximate else exact,
            "luck: gained by the dice; loss: lost by decisions; both in points of win probability",
        ]
        fields = fields_of(SideReview) + Fields(
            column(Column("worst", text=True, secondary=True), worst)
        )
        fields = shown(fields, approximate=self.approximate)
        return fields.table("", self.sides, notes)

    def _plies_table(self, title: str, plies: Sequence[ReviewedPly]) -> Table:
        signs = {grade.name: grade.sign for grade in GRADES}

        def grade(item: ReviewedPly) -> str:
            return signs.get(item.grade or "", "")

        def better(item: ReviewedPly) -> str:
            if item.regret == 0 or item.best is None:
                return ""
            return described(item.ply.before, item.best)

        own = fields_of(ReviewedPly)
        loss = replace(own["regret"], heading=MOVE_LOSS, of=lambda item: item.regret or None)
        fields = (
            own.pick("ply", "side", "roll")
            + Fields(column(Column("move", text=True, least=16), lambda item: item.ply.describe()))
            + own.pick("luck")
            + Fields(loss, column("<", grade), column("<best", better))
            + own.pick("light")
        )
        note = Note("best: a best move, if the actual move has a loss", "best")
        return shown(fields, approximate=self.approximate).table(title, plies, [note])

    def side(self, side: str) -> SideReview:
        """Return the luck and losses of ``"light"`` or ``"dark"``.

        Raises
        ------
        UsageError
            If ``side`` is neither.
        """
        check_side(side)
        own = [ply for ply in self.plies if ply.side == side]
        grades = Counter(ply.grade for ply in own)
        worst = max(own, key=lambda item: item.regret, default=None)
        return SideReview(
            side,
            self.played.player(side),
            sum((ply.luck for ply in own), Fraction(0)),
            sum((ply.regret for ply in own), Fraction(0)),
            grades["blunder"],
            grades["mistake"],
            grades["inaccuracy"],
            len(own),
            sum(ply.is_decision for ply in own),
            sum(ply.regret > 0 for ply in own),
            worst if worst is not None and worst.regret > 0 else None,
        )
