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

A decision has a grade if its loss is large: see `urcx.played.game_review.GRADES`.

Many games are summed by player. A player's *loss per decision* is the loss of all decisions divided
by their number. Its interval is that of a ratio over games (`urcx.games.statistics.ratio`), because
decisions of a game are not independent. A player's *accuracy* is the share of decisions with a best
move: a move whose loss is within the error of the win probabilities. Its interval is Wilson's.
Decisions are rolls with two legal moves or more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import overload

from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import (
    TooLargeError,
    UnusableFileError,
    UsageError,
    WrongObjectError,
    check_functions,
)
from urcx.played.game_review import Review, ReviewedPly
from urcx.played.hints import Hint, hint
from urcx.played.player_reviews import GameReview, GamesReview
from urcx.played.record import PlayedGame, Ply, as_played
from urcx.played.values import Estimates, chance_of, estimates_for, open_chances
from urcx.results.numbers import count_text
from urcx.rules.model import RuleSet
from urcx.solving.files.kept import find_solution
from urcx.solving.probing import WinningChances

__all__ = ["review"]


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
