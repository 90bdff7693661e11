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

Many games are summed by player. A player's *loss a decision* is the regret of all decisions,
divided by their number; its interval is that of a ratio over games (`urcx.games.statistics.ratio`),
because decisions of a game are not independent. A player's *accuracy* is the share of decisions in
which a best move was played, one that costs no more than the chances may be off by; its interval is
Wilson's. Decisions are rolls with two legal moves or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
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
from urcx.played.hints import CHANCE, Hint, hint
from urcx.played.record import GAMES, PLAYED_MOVE, PLAYED_PLY, PlayedGame, Ply, as_played, described
from urcx.played.values import chance_of, open_chances
from urcx.results.fields import INTERVAL, Field, Fields, Format, column, fields_of
from urcx.results.numbers import bound_text, count_text, percent_text
from urcx.results.result import Result
from urcx.results.tables import Column, Note, Table, key
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.kept import find_solution
from urcx.solving.probing import WinningChances

__all__ = ["review"]

MOST_MISTAKES = 8  # that are shown without --wide
CHANGE = Format(lambda value: f"{float(value):+.2%}", (("", float),))
SHARE = Format(lambda share: f"{share:.2%}")
BOUNDS = Format(
    lambda pair: f"{float(pair[0]):.2%} to {float(pair[1]):.2%}", INTERVAL.json, INTERVAL.csv
)


@dataclass(frozen=True)
class ReviewedPly:
    """A ply of a game with what it was worth, to the player who rolled."""

    number: Annotated[
        int, Field(Column("ply", key=True), about="the ply's number, from 1", key="ply")
    ]
    ply: Annotated[Ply, "the ply", *PLAYED_PLY, *PLAYED_MOVE]
    before: Annotated[Fraction, Field("", CHANCE, "the player's chance of winning before the roll")]
    rolled: Annotated[Fraction, Field("", CHANCE, "after the roll, if the best is done with it")]
    after: Annotated[Fraction, Field("", CHANCE, "after what was done")]
    choices: Annotated[int, Field(about="the number of legal moves")]
    best: Annotated[
        Move | None,
        "a best move: the one that was played, if none is better",
        Field(about="a best move", key="best_from", of="start"),
        Field(about="the step that it reaches", key="best_to", of="end"),
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
    @Field("luck", CHANGE, "rolled less before: what the dice gave", after="after")
    def luck(self) -> Fraction:
        """Return what the dice gave."""
        return self.rolled - self.before

    @property
    @Field("", CHANCE, "rolled less after: what the decision cost", after="luck")
    def regret(self) -> Fraction:
        """Return what the decision cost."""
        return self.rolled - self.after

    @property
    def is_decision(self) -> bool:
        """Return whether there were two legal moves or more."""
        return self.choices > 1

    @property
    @Field("light wins", CHANCE, "light's chance after it", key="light", after="regret")
    def light_after(self) -> Fraction:
        """Return light's chance after what was done."""
        return self.after if self.side == "light" else 1 - self.after


@dataclass(frozen=True)
class SideReview:
    """One player's luck and skill over a game."""

    side: Annotated[str, Field("<side", about="light or dark")]
    player: Annotated[str, Field("<player", about="who plays it")]
    luck: Annotated[Fraction, Field("luck", CHANGE, "sum of what the dice gave")]
    lost: Annotated[Fraction, Field("regret", CHANCE, "sum of what decisions cost")]
    plies: Annotated[int, Field("plies", about="rolls")]
    decisions: Annotated[int, Field("decisions", about="rolls with two legal moves or more")]
    mistakes: Annotated[
        int, Field("mistakes", about="moves that cost more than the error of the chances")
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

    schema = "urcx.review/1"
    lists = ("plies", "sides")
    played: Annotated[PlayedGame, "the game", *GAMES]
    plies: Annotated[tuple[ReviewedPly, ...], "its plies"]
    light_start: Annotated[Fraction, Field("", CHANCE, "light's chance before the first ply")]
    light_end: Annotated[
        Fraction,
        "light's chance of winning after the last ply; 1 or 0 at the end of a finished game",
        Field("", CHANCE, "light's chance after the last"),
    ]
    bound: Annotated[float | None, Field(about="how far a chance is off at most, null if unknown")]

    @property
    def rules(self) -> RuleSet:
        """Return the rules of the game."""
        return self.played.rules

    @property
    def sides(self) -> tuple[SideReview, SideReview]:
        """Return light's luck and skill, and dark's."""
        return self.side("light"), self.side("dark")

    @property
    def seed(self) -> int | None:
        """Return the seed of the game."""
        return self.played.seed

    @property
    def brief(self) -> int:
        """Return how many tables are shown: both sides, and mistakes if there are any."""
        return 2 if self._mistakes else 1

    def tables(self) -> list[Table]:
        """Return both sides' luck and skill, the costliest mistakes, and all plies."""
        worst = sorted(self._mistakes, key=lambda item: -item.regret)[:MOST_MISTAKES]
        return [
            self._sides_table(),
            *([self._plies_table("The costliest mistakes", worst)] if worst else []),
            self._plies_table("Every ply", self.plies),
        ]

    @property
    def answer(self) -> str:
        """Return who won, and what each side's mistakes cost."""
        off = (
            "of unknown precision"
            if self.bound is None
            else f"off by at most {bound_text(self.bound)}"
        )
        light, dark = (percent_text(side.lost) for side in self.sides)
        return f"mistakes cost light {light} and dark {dark} (chances {off}); {self.played.heading}"

    @property
    def _mistakes(self) -> list[ReviewedPly]:
        return [ply for ply in self.plies if ply.regret > 0]

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
        shown = fields_of(SideReview) + Fields(
            column(Column("worst", text=True, secondary=True), worst)
        )
        return shown.table("", self.sides, notes)

    def _plies_table(self, title: str, plies: Sequence[ReviewedPly]) -> Table:
        def cost(item: ReviewedPly) -> str:
            return CHANCE.cell(item.regret) if item.regret > 0 else ""

        def better(item: ReviewedPly) -> str:
            if item.regret == 0 or item.best is None:
                return ""
            return described(item.ply.before, item.best)

        own = fields_of(ReviewedPly)
        shown = (
            own.pick("ply", "side", "roll")
            + Fields(column(Column("move", text=True, least=16), lambda item: item.ply.describe()))
            + own.pick("luck")
            + Fields(column("regret", cost), column("<best", better))
            + own.pick("light")
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
        own = [ply for ply in self.plies if ply.side == side]
        worst = max(own, key=lambda item: item.regret, default=None)
        return SideReview(
            side,
            self.played.player(side),
            sum((one.luck for one in own), Fraction(0)),
            sum((one.regret for one in own), Fraction(0)),
            len(own),
            sum(one.is_decision for one in own),
            sum(mistake.side == side for mistake in self._mistakes),
            worst if worst is not None and worst.regret > 0 else None,
        )


def _of_side(side: str) -> Iterator[Field]:
    """Yield the fields of a side, by names that say which."""
    headings = {"player": f"<{side}", "lost": f"{side} regret"}
    for field in fields_of(SideReview).pick("player", "luck", "lost", "decisions", "mistakes"):
        key = side if field.key == "player" else f"{side}_{field.key}"
        yield replace(field, key=key, heading=headings.get(field.key, ""))


@dataclass(frozen=True)
class GameReview:
    """What a review says of one of many games."""

    game: Annotated[str, Field(key("game"), about="what it is called")]
    date: Annotated[str, Field(about="when it was played, empty if not said")]
    rules: GameRules
    light: Annotated[SideReview, "light's luck and skill", *_of_side("light")]
    dark: Annotated[SideReview, "dark's", *_of_side("dark")]
    result: Annotated[str, Field("<won by", about="light, dark or unfinished")]
    plies: Annotated[int, Field("plies", about="rolls of both")]
    light_start: Annotated[Fraction, Field("", CHANCE, "light's chance before the first ply")]
    light_end: Annotated[Fraction, Field("", CHANCE, "light's chance after the last")]
    bound: Annotated[float | None, Field(about="how far a chance is off at most, null if unknown")]

    @classmethod
    def of(cls, name: str, review: Review) -> GameReview:
        """Return what a review says, under a game's name."""
        game = review.played
        return cls(
            name, game.date, game.rules, *review.sides, game.result, len(review.plies),
            review.light_start, review.light_end, review.bound,
        )  # fmt: skip

    def sides_of(self, player: str) -> list[SideReview]:
        """Return the sides that a player has played, both where one plays against itself."""
        return [one for one in (self.light, self.dark) if one.player == player]


@dataclass(frozen=True)
class PlayerReview:
    """A player's luck and skill over several games."""

    player: Annotated[str, Field(key("player"), about="who plays, or the side if unsaid")]
    games: Annotated[int, Field("games", about="games played")]
    won: Annotated[int, Field("won", about="games won")]
    decisions: Annotated[int, Field("decisions", about="rolls with two legal moves or more")]
    mistakes: Annotated[int, Field(about="decisions that cost more than the error of the chances")]
    lost: Annotated[Fraction, Field("", CHANCE, "sum of what decisions cost")]
    loss_ci95: Annotated[
        tuple[float, float] | None,
        "95 % interval of the loss a decision, None where one game is all there is",
        Field("95 % interval", BOUNDS, "95 % interval of loss_per_decision, null for one game"),
    ]
    luck: Annotated[Fraction, Field("", CHANGE, "sum of what the dice gave")]

    @property
    @Field("accuracy", SHARE, "share of decisions without a mistake", after="mistakes")
    def accuracy(self) -> float | None:
        """Return the share of decisions in which a best move was played; None without any."""
        return 1 - self.mistakes / self.decisions if self.decisions else None

    @property
    @Field("", BOUNDS, "its 95 % interval", after="accuracy")
    def accuracy_ci95(self) -> tuple[float, float] | None:
        """Return Wilson's 95 % interval of the accuracy."""
        return wilson(self.decisions - self.mistakes, self.decisions) if self.decisions else None

    @property
    @Field("loss a decision", CHANCE, "lost by decisions", after="lost")
    def loss_per_decision(self) -> Fraction | None:
        """Return what a decision cost on average; None without any."""
        return self.lost / self.decisions if self.decisions else None

    @property
    @Field("luck a game", CHANGE, "luck by games", after="luck")
    def luck_per_game(self) -> Fraction:
        """Return what the dice gave in a game on average."""
        return self.luck / self.games


@dataclass(frozen=True, repr=False)
class GamesReview(Result, function="review"):
    """Many games reviewed, and each player's sums.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", pieces=1), light="anna").play("0-2")
    >>> found = urcx.review([played, played.play("0-1"), played.play("0-4").play("4-5")])
    >>> [(one.player, one.games, one.decisions, one.mistakes) for one in found.players]
    [('anna', 3, 0, 0), ('dark', 3, 0, 0)]
    """

    schema = "urcx.reviews/1"
    lists = ("rows", "players")
    rows: Annotated[tuple[GameReview, ...], "the games"]

    @property
    @Field(about="how many games")
    def games(self) -> int:
        """Return how many games there are."""
        return len(self.rows)

    @property
    def players(self) -> tuple[PlayerReview, ...]:
        """Return each player's sums, who loses least a decision first."""
        names = dict.fromkeys(one.player for game in self.rows for one in (game.light, game.dark))
        found = [_summed(name, self.rows) for name in names]
        return tuple(
            sorted(found, key=lambda item: (item.loss_per_decision is None, item.loss_per_decision))
        )

    @property
    def answer(self) -> str:
        """Return who loses least a decision."""
        players = self.players
        best = players[0]
        if best.loss_per_decision is None:
            return f"{count_text(self.games, 'game')}: nothing was to be decided"
        what = f"{percent_text(best.loss_per_decision, 3)} of the chance of winning a decision"
        within = count_text(best.decisions, "decision")
        if best.loss_ci95 is not None:
            low, high = (percent_text(end, 3) for end in best.loss_ci95)
            within = f"95 % interval {low} to {high}; {within}"
        who = f"{best.player} loses" if len(players) == 1 else f"{best.player} loses least,"
        return f"{count_text(self.games, 'game')}: {who} {what} ({within})"

    def tables(self) -> list[Table]:
        """Return the table of all players, and that of all games."""
        unknown = any(game.bound is None for game in self.rows)
        notes = [
            (
                "accuracy: decisions in which a best move was played; decisions: rolls with two "
                "legal moves or more"
            ),
            (
                "loss a decision: the chance of winning that decisions cost, by their number; its "
                "interval is over games, and rough for a few"
            ),
            "luck a game: the chance of winning that the dice gave",
        ]
        if unknown:
            notes.append("some chances are of unknown precision: nothing is proven of the file")
        return [
            fields_of(PlayerReview).table("", self.players, notes),
            fields_of(GameReview).table("Every game", self.rows),
        ]


def _summed(player: str, games: Iterable[GameReview]) -> PlayerReview:
    """Return a player's sums over the games that it has played."""
    played = [(game, sides) for game in games if (sides := game.sides_of(player))]
    lost = [sum((side.lost for side in sides), Fraction(0)) for _, sides in played]
    decisions = [sum(side.decisions for side in sides) for _, sides in played]
    interval = None
    if len(played) > 1 and any(decisions):
        found = ratio("", "", np.array([float(x) for x in lost]), np.array(decisions)).ci95
        interval = None if found is None else (max(found[0], 0.0), found[1])
    every = [side for _, sides in played for side in sides]
    return PlayerReview(
        player,
        len(played),
        sum(any(side.side == game.result for side in sides) for game, sides in played),
        sum(decisions),
        sum(one.mistakes for one in every),
        sum(lost, Fraction(0)),
        interval,
        sum((one.luck for one in every), Fraction(0)),
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
    """Review a game, or many: every decision's regret, and luck and skill apart.

    Parameters
    ----------
    games
        A played game, such as `urcx.read_game` returns; or a list of them (`urcx.read_games`), by
        any rules, which are summed by player.
    tablebase
        An open tablebase or the name of one's file, of the rules of all games; None for the
        solution that urcx solve has kept, or to solve a small rule set at once.
    names
        What each of many games is called in the result, by default its number from 1.
    threads
        To solve it, by default one for each core.
    stage
        Called as each stage of the work begins.

    Returns
    -------
    Review or GamesReview
        The latter of a list.

    Raises
    ------
    WrongObjectError
        If it is no played game.
    UsageError
        If the list is empty, or there is not a name for each.
    TooLargeError
        If there is no tablebase, and a rule set is too large to be solved at once.
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
    with open_chances(played.rules, tablebase, threads=threads, stage=stage) as known:
        return _review(played, known)


def _review_many(
    games: list[PlayedGame],
    tablebase: WinningChances | str | Path | None,
    names: Sequence[str],
    threads: int,
    stage: Stage,
) -> GamesReview:
    called = list(names) or [str(number) for number in range(1, len(games) + 1)]
    if not games:
        raise UsageError("there are no games to review")
    if len(called) != len(games):
        raise UsageError(f"{len(called)} names of {count_text(len(games), 'game')}: each needs one")
    by_rules: dict[RuleSet, list[int]] = {}
    for k, game in enumerate(games):
        by_rules.setdefault(game.rules, []).append(k)
    for rules, places in by_rules.items():  # errors come before long work
        try:
            if tablebase is None:
                find_solution(rules)
            else:
                with open_chances(rules, tablebase):
                    pass
        except (TooLargeError, UnusableFileError) as error:
            raise type(error)(f"game {called[places[0]]}: {error}") from None
    rows: dict[int, GameReview] = {}
    for rules, places in by_rules.items():
        with open_chances(rules, tablebase, threads=threads, stage=stage) as known:
            plies = sum(len(games[k].plies) for k in places)
            show, done = stage(f"reviewing games of {rules.name}", plies, "plies"), 0
            for k in places:
                rows[k] = GameReview.of(called[k], _review(games[k], known))
                done += rows[k].plies
                show(done)
    return GamesReview(tuple(rows[k] for k in range(len(games))))


def _review(played: PlayedGame, known: WinningChances) -> Review:
    """Return the review of a game by what knows its chances."""
    plies = tuple(
        _reviewed(number, ply, hint(ply.before, ply.roll, known))
        for number, ply in enumerate(played.plies, start=1)
    )
    start, end = (chance_of(known, game, "light") for game in (played.start, played.game))
    return Review(played, plies, start, end, known.bound)


def _reviewed(number: int, ply: Ply, result: Hint) -> ReviewedPly:
    done = next(move for move in result.moves if move.move == ply.move)
    assert result.before is not None
    assert result.rolled is not None
    assert done.chance is not None
    return ReviewedPly(
        number,
        ply,
        result.before,
        done.chance if done.is_best else result.rolled,
        done.chance,
        sum(move.move is not None for move in result.moves),
        ply.move if done.is_best else result.best,
        result,
    )
