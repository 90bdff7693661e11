r"""Reviews: the loss of each decision in a game, and the luck of each roll.

Let :math:`v` be the win probability of the player to move before the roll, :math:`w` the win
probability after the roll with the best move, and :math:`u` the win probability after the actual
move. The player's *luck* in this ply is :math:`w - v`. The *loss* of the decision is :math:`w - u`,
which is never negative, and 0 without a choice. Each ply begins where the last one ended, so the
sums telescope. Over a game, with :math:`V_0` light's win probability at its start,

.. math::

   V_\text{end} - V_0 = (\text{luck of light} - \text{loss of light})
                      - (\text{luck of dark} - \text{loss of dark}),

where :math:`V_\text{end}` is 1 if light has won and 0 if dark has won. The numbers come from the
tablebase. Their sums stay fractions, so the equation holds exactly, not only up to rounding. Before
a roll, the expected luck is 0.

If a rule set is too large to solve now and no solution is saved, the numbers are estimates of the
network that comes with urcx, if it has one for the rule set. The equation still holds exactly.

A decision has a grade if its loss is large: see `GRADES`.

Many games are summed by player. A player's *loss per decision* is the loss of all decisions divided
by their number. Its interval is that of a ratio over games (`urcx.games.statistics.ratio`), because
decisions of a game are not independent. A player's *accuracy* is the share of decisions with a best
move: a move whose loss is within the error of the win probabilities. Its interval is Wilson's.
Decisions are rolls with two legal moves or more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, overload

import numpy as np

from urcx.complexity.game_tree import wilson
from urcx.engine.moves import Move
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import (
    TooLargeError,
    UnusableFileError,
    UsageError,
    WrongObjectError,
    check_functions,
)
from urcx.game import check_side
from urcx.games.statistics import ratio
from urcx.played.hints import CHANCE, LOSS, Hint, hint, precision_note
from urcx.played.record import GAMES, PLAYED_MOVE, PLAYED_PLY, PlayedGame, Ply, as_played, described
from urcx.played.values import Estimates, chance_of, estimates_for, open_chances
from urcx.results.fields import INTERVAL, Field, Fields, Format, column, fields_of
from urcx.results.numbers import count_text, number_word, percent_text, with_interval
from urcx.results.result import Result
from urcx.results.tables import MOVE_LOSS, Column, Note, Table, key
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.kept import find_solution, solve_command
from urcx.solving.probing import WinningChances

__all__ = ["review"]

YOU = "you"  # the name of a person in games of urcx play and of the page
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


def _shown(fields: Fields, *, approximate: bool) -> Fields:
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


def _exact_note(rules: RuleSet) -> str:
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
            *([self._plies_table("The worst mistakes", worst)] if worst else []),
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
            _exact_note(self.rules) if self.approximate else exact,
            "luck: gained by the dice; loss: lost by decisions; both in points of win probability",
        ]
        fields = fields_of(SideReview) + Fields(
            column(Column("worst", text=True, secondary=True), worst)
        )
        fields = _shown(fields, approximate=self.approximate)
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
        return _shown(fields, approximate=self.approximate).table(title, plies, [note])

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


def _of_side(side: str) -> Iterator[Field]:
    """Yield the fields of a side, with the side in their names."""
    headings = {"player": f"<{side}", "lost": f"{side} loss (points)"}
    for field in fields_of(SideReview).pick("player", "luck", "lost", "decisions", "mistakes"):
        key = side if field.key == "player" else f"{side}_{field.key}"
        yield replace(field, key=key, heading=headings.get(field.key, ""))


@dataclass(frozen=True)
class GameReview:
    """The review of one of many games."""

    game: Annotated[str, Field(key("game"), about="name of the game")]
    date: Annotated[str, Field(about="date of the game, empty if unknown")]
    rules: GameRules
    light: Annotated[SideReview, "light's luck and losses", *_of_side("light")]
    dark: Annotated[SideReview, "dark's luck and losses", *_of_side("dark")]
    result: Annotated[str, Field("<won by", about="light, dark or unfinished")]
    plies: Annotated[int, Field("plies", about="rolls of both")]
    light_start: Annotated[
        Fraction, Field("", CHANCE, "light's win probability before the first ply")
    ]
    light_end: Annotated[Fraction, Field("", CHANCE, "light's win probability after the last ply")]
    bound: Annotated[float | None, Field(about="error bound of win probabilities, null if unknown")]
    approximate: Annotated[
        bool, Field(about="whether win probabilities are estimates by a network")
    ] = False

    @classmethod
    def of(cls, name: str, review: Review) -> GameReview:
        """Return a review's row, under a game's name."""
        game = review.played
        return cls(
            name, game.date, game.rules, *review.sides, game.result, len(review.plies),
            review.light_start, review.light_end, review.bound, review.approximate,
        )  # fmt: skip

    def sides_of(self, player: str) -> list[SideReview]:
        """Return the sides of a player: both, if it plays against itself."""
        return [side for side in (self.light, self.dark) if side.player == player]


@dataclass(frozen=True)
class PlayerReview:
    """The luck and losses of a player in several games."""

    player: Annotated[str, Field(key("player"), about="name of the player, or else the side")]
    games: Annotated[int, Field("games", about="games played")]
    won: Annotated[int, Field("won", about="games won")]
    decisions: Annotated[int, Field("decisions", about="rolls with two legal moves or more")]
    mistakes: Annotated[
        int, Field(about="decisions with a loss above the error of win probabilities")
    ]
    lost: Annotated[Fraction, Field("", LOSS, "sum of the losses of all decisions")]
    loss_ci95: Annotated[
        tuple[float, float] | None,
        "95 % interval of the loss per decision, None for a single game",
        Field("", BOUNDS, "95 % interval of loss_per_decision, null for one game"),
    ]
    luck: Annotated[Fraction, Field("", LUCK, "sum of the luck of all rolls")]

    @property
    @Field("accuracy", SHARE, "share of decisions without a mistake", after="mistakes")
    def accuracy(self) -> float | None:
        """Return the share of decisions with a best move, or None without decisions."""
        return 1 - self.mistakes / self.decisions if self.decisions else None

    @property
    @Field("", BOUNDS, "its 95 % interval", after="accuracy")
    def accuracy_ci95(self) -> tuple[float, float] | None:
        """Return Wilson's 95 % interval of the accuracy."""
        return wilson(self.decisions - self.mistakes, self.decisions) if self.decisions else None

    @property
    @Field("", LOSS, "lost divided by decisions", after="lost")
    def loss_per_decision(self) -> Fraction | None:
        """Return the mean loss of a decision, or None without decisions."""
        return self.lost / self.decisions if self.decisions else None

    @property
    @Field("luck per game (points)", LUCK, "luck divided by games", after="luck")
    def luck_per_game(self) -> Fraction:
        """Return the mean luck of a game."""
        return self.luck / self.games


@dataclass(frozen=True, repr=False)
class GamesReview(Result, function="review"):
    """The reviews of many games, summed by player.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", pieces=1), light="anna").play("0-2")
    >>> reviews = urcx.review([played, played.play("0-1"), played.play("0-4").play("4-5")])
    >>> [(row.player, row.games, row.decisions, row.mistakes) for row in reviews.players]
    [('anna', 3, 0, 0), ('dark', 3, 0, 0)]
    """

    schema = "urcx.reviews/1"
    lists = ("rows", "players")
    rows: Annotated[tuple[GameReview, ...], "the games"]

    @property
    @Field(about="number of games")
    def games(self) -> int:
        """Return the number of games."""
        return len(self.rows)

    @property
    @Field(about="whether some win probabilities are estimates by a network")
    def approximate(self) -> bool:
        """Return whether some win probabilities are estimates by a network."""
        return any(game.approximate for game in self.rows)

    @property
    def players(self) -> tuple[PlayerReview, ...]:
        """Return the sums of each player, with the least loss per decision first."""
        sides = [side for game in self.rows for side in (game.light, game.dark)]
        players = [
            _summed(name, self.rows) for name in dict.fromkeys(side.player for side in sides)
        ]
        return tuple(
            sorted(
                players, key=lambda item: (item.loss_per_decision is None, item.loss_per_decision)
            )
        )

    @property
    def answer(self) -> str:
        """Return the player with the least loss per decision."""
        players = self.players
        best = players[0]
        if best.loss_per_decision is None:
            return f"{count_text(self.games, 'game')}: no decisions"
        near, points, bounds = "", LOSS, BOUNDS
        if self.approximate:
            near, points, bounds = "≈ ", ESTIMATED[LOSS], ESTIMATED[BOUNDS]
        loss = f"{near}{points.cell(best.loss_per_decision)} points per decision"
        source = count_text(best.decisions, "decision")
        if best.loss_ci95 is not None:
            source = f"95 % interval {bounds.cell(best.loss_ci95)}; {source}"
        loses = f"{best.player} loses" if len(players) == 1 else f"{best.player} loses least,"
        return f"{count_text(self.games, 'game')}: {loses} {loss} ({source})"

    def tables(self) -> list[Table]:
        """Return the table of all players and the table of all games."""
        unknown = any(game.bound is None and not game.approximate for game in self.rows)
        notes = [
            "accuracy: share of decisions with a best move (rolls with two or more moves)",
            "loss per decision: ± half of its 95 % interval over games, rough for a few games",
            "luck per game: win probability gained by the dice",
        ]
        if unknown:
            notes.append("some win probabilities have unknown precision: the file proves nothing")
        unsolved = dict.fromkeys(game.rules for game in self.rows if game.approximate)
        if unsolved:
            notes.append("accuracy by estimates: nearly equal moves may count as mistakes")
        notes = [*map(_exact_note, unsolved), *notes]
        players, games = (
            _shown(fields_of(kind), approximate=self.approximate)
            for kind in (PlayerReview, GameReview)
        )
        mark, digits = ("≈ ", 1) if self.approximate else ("", 2)
        loss = partial(_loss_per_decision, digits=digits)
        columns = players.without("luck_per_game") + Fields(
            column(f"{mark}loss per decision (points)", loss), *players.pick("luck_per_game")
        )
        return [columns.table("", self.players, notes), games.table("Every game", self.rows)]


def _loss_per_decision(item: PlayerReview, digits: int) -> str:
    if item.loss_per_decision is None:
        return ""
    ends = item.loss_ci95 and (100 * item.loss_ci95[0], 100 * item.loss_ci95[1])
    return with_interval(100 * float(item.loss_per_decision), ends, digits)


def _summed(player: str, games: Iterable[GameReview]) -> PlayerReview:
    """Return the sums of a player over its games."""
    played = [(game, sides) for game in games if (sides := game.sides_of(player))]
    lost = [sum((side.lost for side in sides), Fraction(0)) for _, sides in played]
    decisions = [sum(side.decisions for side in sides) for _, sides in played]
    interval = None
    if len(played) > 1 and any(decisions):
        estimate = ratio("", "", np.array([float(x) for x in lost]), np.array(decisions)).ci95
        interval = None if estimate is None else (max(estimate[0], 0.0), estimate[1])
    every = [side for _, sides in played for side in sides]
    return PlayerReview(
        player,
        len(played),
        sum(any(side.side == game.result for side in sides) for game, sides in played),
        sum(decisions),
        sum(side.mistakes for side in every),
        sum(lost, Fraction(0)),
        interval,
        sum((side.luck for side in every), Fraction(0)),
    )


@overload
def review(
    games: PlayedGame,
    tablebase: WinningChances | str | Path | None = None,
    *,
    names: Sequence[str] = (),
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Review: ...


@overload
def review(
    games: Sequence[PlayedGame],
    tablebase: WinningChances | str | Path | None = None,
    *,
    names: Sequence[str] = (),
    threads: int | None = None,
    stage: Stage = no_progress,
) -> GamesReview: ...


def review(
    games: PlayedGame | Sequence[PlayedGame],
    tablebase: WinningChances | str | Path | None = None,
    *,
    names: Sequence[str] = (),
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Review | GamesReview:
    """Review one game or many: the loss of every decision, and the luck of every roll.

    Parameters
    ----------
    games
        A played game, such as `urcx.read_game` returns. Or a list of games with any rules, such as
        `urcx.read_games` returns, which are summed by player.
    tablebase
        An open tablebase or the name of its file, for the rules of all games. None uses the
        solution saved by urcx solve, or solves a small rule set now. For a larger rule set without
        a solution, a network estimates the win probabilities, if urcx has one for the rule set.
    names
        A name for each of many games in the result, by default its number from 1.
    threads
        Threads for solving, by default one for each core.
    stage
        Called as each stage of the work begins.

    Returns
    -------
    Review or GamesReview
        The second of these for a list.

    Raises
    ------
    WrongObjectError
        If ``games`` is not a played game or a list of played games.
    UsageError
        If the list is empty, or the number of names differs from the number of games.
    TooLargeError
        If there is neither a tablebase nor a network, and a rule set is too large to solve now.
    TablebaseError
        If the tablebase cannot be read, is damaged, or has other rules.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", "14/13/1-1/L", pieces=2))
    >>> played = played.passed(2).play("13-15")
    >>> review = urcx.review(played)
    >>> light, dark = review.sides
    >>> review.light_end - review.light_start == (light.luck - light.lost) - (dark.luck - dark.lost)
    True
    >>> round(float(review.light_start), 3), int(review.light_end), dark.lost == 0
    (0.46, 0, True)
    >>> many = urcx.review(urcx.read_games("docs/examples/games.rgn"))
    >>> many.games, [player.player for player in many.players]
    (3, ['anna', 'greedy', 'ben'])
    """
    check_functions(stage=stage)
    threads = chosen_threads(threads)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise WrongObjectError("names", list, names, "a list of names, one for each game")
    if isinstance(games, Iterable):
        return _review_many([as_played(game) for game in games], tablebase, names, threads, stage)
    played = as_played(games)
    with _open(played.rules, tablebase, threads, stage) as chances:
        return _review(played, chances)


def _open(
    rules: RuleSet, tablebase: WinningChances | str | Path | None, threads: int, stage: Stage
) -> AbstractContextManager[WinningChances]:
    """Open win probabilities like `open_chances`, or a network's estimates of a large rule set."""
    estimates = estimates_for(rules) if tablebase is None else None
    if estimates is not None:
        return nullcontext(estimates)
    return open_chances(rules, tablebase, threads=threads, stage=stage)


def _review_many(
    games: list[PlayedGame],
    tablebase: WinningChances | str | Path | None,
    names: Sequence[str],
    threads: int,
    stage: Stage,
) -> GamesReview:
    names = list(names) or [str(number) for number in range(1, len(games) + 1)]
    if not games:
        raise UsageError("there are no games to review")
    if len(names) != len(games):
        raise UsageError(f"names: must be one for each of {count_text(len(games), 'game')}")
    by_rules: dict[RuleSet, list[int]] = {}
    for k, game in enumerate(games):
        by_rules.setdefault(game.rules, []).append(k)
    for rules, places in by_rules.items():  # errors come before long work
        try:
            if tablebase is None:
                if estimates_for(rules) is None:
                    find_solution(rules)
            else:
                with open_chances(rules, tablebase):
                    pass
        except (TooLargeError, UnusableFileError) as error:
            raise type(error)(f"game {names[places[0]]}: {error}") from None
    rows: dict[int, GameReview] = {}
    for rules, places in by_rules.items():
        with _open(rules, tablebase, threads, stage) as solution:
            plies = sum(len(games[k].plies) for k in places)
            show, done = stage(f"reviewing games of {rules.name}", plies, "plies"), 0
            for k in places:
                rows[k] = GameReview.of(names[k], _review(games[k], solution))
                done += rows[k].plies
                show(done)
    return GamesReview(tuple(rows[k] for k in range(len(games))))


def _review(played: PlayedGame, solution: WinningChances) -> Review:
    """Return the review of a game by the win probabilities of its solution."""
    plies = tuple(
        _reviewed(number, ply, hint(ply.before, ply.roll, solution))
        for number, ply in enumerate(played.plies, start=1)
    )
    start, end = (chance_of(solution, game, "light") for game in (played.start, played.game))
    approximate = isinstance(solution, Estimates)
    return Review(played, plies, start, end, solution.bound, approximate)


def _reviewed(number: int, ply: Ply, hints: Hint) -> ReviewedPly:
    actual = next(move for move in hints.moves if move.move == ply.move)
    assert hints.before is not None
    assert hints.rolled is not None
    assert actual.chance is not None
    return ReviewedPly(
        number,
        ply,
        hints.before,
        actual.chance if actual.is_best else hints.rolled,
        actual.chance,
        sum(move.move is not None for move in hints.moves),
        ply.move if actual.is_best else hints.best,
        hints,
    )
