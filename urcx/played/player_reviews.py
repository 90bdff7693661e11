"""The reviews of many games, as a result, summed by player.

`urcx.played.review` explains the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Annotated

import numpy as np

from urcx.complexity.game_tree import wilson
from urcx.games.statistics import ratio
from urcx.played.game_review import (
    BOUNDS,
    ESTIMATED,
    LUCK,
    SHARE,
    Review,
    SideReview,
    exact_note,
    shown,
)
from urcx.played.hints import CHANCE, LOSS
from urcx.results.fields import Field, Fields, column, fields_of
from urcx.results.numbers import count_text, with_interval
from urcx.results.result import Result
from urcx.results.tables import Table, key
from urcx.rules.model import GameRules


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
        notes = [*map(exact_note, unsolved), *notes]
        players, games = (
            shown(fields_of(kind), approximate=self.approximate)
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
