"""Reviews of many games, and what they say of each player.

A player's *loss a decision* is the regret of all decisions, divided by their number; its interval
is that of a ratio over games (`urcx.games.statistics.ratio`), as decisions of one game are alike. A
player's *accuracy* is the share of decisions in which a best move was played, one that costs no
more than the chances may be off by; its interval is Wilson's. Decisions are rolls with two legal
moves or more. Luck and regret are those of `urcx.played.review`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import numpy as np

from urcx.complexity.intervals import wilson
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.errors import (
    TooLargeError,
    UnusableFileError,
    UsageError,
    WrongObjectError,
    check_functions,
)
from urcx.game import SIDES
from urcx.games.statistics import ratio
from urcx.played.hints import CHANCE
from urcx.played.record import PlayedGame, as_played
from urcx.played.review import CHANGE, SIDE, SideReview, review
from urcx.played.values import opened
from urcx.results.fields import INTERVAL, RULES, Field, Fields, Kind, Schema, fields_of, member
from urcx.results.numbers import counted, in_percent
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.results.tables import key
from urcx.rules.model import RuleSet
from urcx.solving.files.kept import solution_of
from urcx.solving.probing import WinningChances

__all__ = ["GameReview", "GamesReview", "PlayerReview", "review_games"]

SHARE = Kind(lambda share: f"{share:.2%}")
BOUNDS = Kind(
    lambda pair: f"{float(pair[0]):.2%} to {float(pair[1]):.2%}", INTERVAL.json, INTERVAL.csv
)


@dataclass(frozen=True)
class GameReview:
    """What a review says of one of many games."""

    game: Annotated[str, member(key("game"), about="what it is called")]
    rules: Annotated[RuleSet, "its rules"]
    date: Annotated[str, member(about="when it was played, empty if not said")]
    light: Annotated[SideReview, "light's luck and skill"]
    dark: Annotated[SideReview, "dark's"]
    result: Annotated[str, member("<won by", about="light, dark or unfinished")]
    plies: Annotated[int, member("plies", about="rolls of both")]
    light_start: Annotated[Fraction, member("", CHANCE, "light's chance before the first ply")]
    light_end: Annotated[Fraction, member("", CHANCE, "light's chance after the last")]
    bound: Annotated[float | None, member(about="how far a chance is off at most, null if unknown")]

    def sides_of(self, player: str) -> list[SideReview]:
        """Return the sides that a player has played, both where one plays against itself."""
        return [one for one in (self.light, self.dark) if one.player == player]


@dataclass(frozen=True)
class PlayerReview:
    """A player's luck and skill over several games."""

    player: Annotated[str, member(key("player"), about="who plays, or the side if unsaid")]
    games: Annotated[int, member("games", about="games played")]
    won: Annotated[int, member("won", about="games won")]
    decisions: Annotated[int, member("decisions", about="rolls with two legal moves or more")]
    mistakes: Annotated[int, member(about="decisions that cost more than the error of the chances")]
    lost: Annotated[Fraction, member("", CHANCE, "sum of what decisions cost")]
    loss_ci95: Annotated[
        tuple[float, float] | None,
        "95 % interval of the loss a decision, None where one game is all there is",
        member("95 % interval", BOUNDS, "95 % interval of loss_per_decision, null for one game"),
    ]
    luck: Annotated[Fraction, member("", CHANGE, "sum of what the dice gave")]

    @property
    @member("accuracy", SHARE, "share of decisions without a mistake", after="mistakes")
    def accuracy(self) -> float | None:
        """Return the share of decisions in which a best move was played; None without any."""
        return 1 - self.mistakes / self.decisions if self.decisions else None

    @property
    @member("", BOUNDS, "its 95 % interval", after="accuracy")
    def accuracy_ci95(self) -> tuple[float, float] | None:
        """Return Wilson's 95 % interval of the accuracy."""
        return wilson(self.decisions - self.mistakes, self.decisions) if self.decisions else None

    @property
    @member("loss a decision", CHANCE, "lost by decisions", after="lost")
    def loss_per_decision(self) -> Fraction | None:
        """Return what a decision cost on average; None without any."""
        return self.lost / self.decisions if self.decisions else None

    @property
    @member("luck a game", CHANGE, "luck by games", after="luck")
    def luck_per_game(self) -> Fraction:
        """Return what the dice gave in a game on average."""
        return self.luck / self.games


@dataclass(frozen=True, repr=False)
class GamesReview(Result, function="review_games"):
    """Many games reviewed, and each player's sums.

    Examples
    --------
    >>> import urcx
    >>> played = urcx.PlayedGame(urcx.Game("finkel", pieces=1), light="anna").play("0-2")
    >>> found = urcx.review_games([played, played.play("0-1"), played.play("0-4").play("4-5")])
    >>> [(one.player, one.games, one.decisions, one.mistakes) for one in found.players]
    [('anna', 3, 0, 0), ('dark', 3, 0, 0)]
    """

    rows: Annotated[tuple[GameReview, ...], "the games"]

    @property
    @member(about="how many games")
    def games(self) -> int:
        """Return how many games there are."""
        return len(self.rows)

    @property
    def players(self) -> tuple[PlayerReview, ...]:
        """Return each player's sums, who loses least a decision first."""
        names = dict.fromkeys(one.player for game in self.rows for one in (game.light, game.dark))
        found = [_summed(name, self.rows) for name in names]
        return tuple(
            sorted(found, key=lambda one: (one.loss_per_decision is None, one.loss_per_decision))
        )

    @property
    def answer(self) -> str:
        """Return who loses least a decision."""
        players = self.players
        best = players[0]
        if best.loss_per_decision is None:
            return f"{counted(self.games, 'game')}: nothing was to be decided"
        what = f"{in_percent(best.loss_per_decision, 3)} of the chance of winning a decision"
        within = counted(best.decisions, "decision")
        if best.loss_ci95 is not None:
            low, high = (in_percent(end, 3) for end in best.loss_ci95)
            within = f"95 % interval {low} to {high}; {within}"
        who = f"{best.player} loses" if len(players) == 1 else f"{best.player} loses least,"
        return f"{counted(self.games, 'game')}: {who} {what} ({within})"

    def report(self) -> Report:
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
        tables = [
            PLAYER.table(f"Players of {counted(self.games, 'game')}", self.players, notes),
            GAME.headed({f"{side}_lost": f"{side} regret" for side in SIDES}).table(
                "Every game", self.rows
            ),
        ]
        return Report.of(REVIEWS, self, tables, players=self.players, rows=self.rows)


def _summed(player: str, games: Iterable[GameReview]) -> PlayerReview:
    """Return a player's sums over the games that it has played."""
    played = [(game, sides) for game in games if (sides := game.sides_of(player))]
    lost = [sum((one.lost for one in sides), Fraction(0)) for _, sides in played]
    decisions = [sum(one.decisions for one in sides) for _, sides in played]
    interval = None
    if len(played) > 1 and any(decisions):
        found = ratio("", "", np.array([float(x) for x in lost]), np.array(decisions)).ci95
        interval = None if found is None else (max(found[0], 0.0), found[1])
    every = [one for _, sides in played for one in sides]
    return PlayerReview(
        player,
        len(played),
        sum(any(one.side == game.result for one in sides) for game, sides in played),
        sum(decisions),
        sum(one.mistakes for one in every),
        sum(lost, Fraction(0)),
        interval,
        sum((one.luck for one in every), Fraction(0)),
    )


def _of_side(side: str) -> Fields:
    """Return what is shown of a side, by names that say which."""
    own = SIDE.pick("player", "luck", "lost", "decisions", "mistakes").inside(side)

    def named(one: Field) -> Field:
        key = side if one.key == "player" else f"{side}_{one.key}"
        return replace(one, key=key, heading=f"<{side}" if one.key == "player" else "")

    return Fields(lambda: map(named, own))


ONE, PLAYER = fields_of(GameReview), fields_of(PlayerReview)
GAME = (
    ONE.pick("game", "date")
    + RULES
    + _of_side("light")
    + _of_side("dark")
    + ONE.pick("result", "plies", "light_start", "light_end", "bound")
)
REVIEWS = Schema("urcx.reviews/1", {"": fields_of(GamesReview), "players": PLAYER, "rows": GAME})


def _check_lists(**lists: object) -> None:
    """Raise `WrongObjectError` unless all values can be gone through."""
    for name, values in lists.items():
        if not isinstance(values, Iterable):
            raise WrongObjectError(name, list, values)


def review_games(
    games: Sequence[PlayedGame],
    tablebase: WinningChances | str | Path | None = None,
    *,
    names: Sequence[str] = (),
    threads: int | None = None,
    stage: Stage = silent,
) -> GamesReview:
    """Review many games: each player's accuracy, loss a decision and luck.

    Parameters
    ----------
    games
        Played games, such as `urcx.read_games` returns, by whatever rules.
    tablebase, threads, stage
        As `urcx.review` takes them. A tablebase must be of the rules of all games.
    names
        What each game is called in results, by default its number from 1.

    Returns
    -------
    GamesReview

    Raises
    ------
    UsageError
        If there is no game, or not a name for each.
    WrongObjectError, TooLargeError, TablebaseError
        As `urcx.review` does, before any game is reviewed.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.review_games(urcx.read_games("docs/examples/games.rgn"))
    >>> found.games, [one.player for one in found.players]
    (3, ['anna', 'greedy', 'ben'])
    """
    check_functions(stage=stage)
    games = [games] if isinstance(games, PlayedGame) else games
    _check_lists(games=games, names=names)
    given = [as_played(game) for game in games]
    called = list(names) or [str(number) for number in range(1, len(given) + 1)]
    if not given:
        raise UsageError("there are no games to review")
    if len(called) != len(given):
        raise UsageError(f"{len(called)} names of {counted(len(given), 'game')}: each needs one")
    threads = chosen_threads(threads)
    by_rules: dict[RuleSet, list[int]] = {}
    for k, game in enumerate(given):
        by_rules.setdefault(game.rules, []).append(k)
    for rules, places in by_rules.items():
        try:
            if tablebase is None:
                solution_of(rules)
            else:
                with opened(rules, tablebase):
                    pass
        except (TooLargeError, UnusableFileError) as error:
            raise type(error)(f"game {called[places[0]]}: {error}") from None
    found: dict[int, GameReview] = {}
    for rules, places in by_rules.items():
        with opened(rules, tablebase, threads=threads, stage=stage) as known:
            plies = sum(len(given[k].plies) for k in places)
            show, done = stage(f"reviewing games of {rules.name}", plies, "plies"), 0
            for k in places:
                found[k] = _reviewed(called[k], given[k], known)
                done += found[k].plies
                show(done)
    return GamesReview(tuple(found[k] for k in range(len(given))))


def _reviewed(name: str, played: PlayedGame, known: WinningChances) -> GameReview:
    one = review(played, known)
    return GameReview(
        name,
        played.rules,
        played.date,
        *one.sides,
        played.result,
        len(one.plies),
        one.light_start,
        one.light_end,
        one.bound,
    )
