"""Measures of games: means with intervals, spread and quartiles.

A measure is a number a game, such as its plies, or a ratio of two, such as legal moves a ply. A
ratio's mean is taken over all games together (all legal moves over all plies), its interval by the
delta method from the games; its spread and quartiles are those of the single games' ratios.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urcx.complexity.game_tree import Z95, Measured, entropy
from urcx.errors import WrongObjectError
from urcx.games.game_kernels import CAPTURES, LANDED, TURNS
from urcx.games.simulator import Games
from urcx.results import Rows

Array = NDArray[np.float64]


# Measures by name as in the JSON interface, in order: what they are, what is counted, and what that
# is divided by, if they are ratios.
MEASURES: tuple[tuple[str, str, str, str | None], ...] = (
    ("plies", "plies, both players", "plies", None),
    ("turns", "turns", "turns", None),
    ("moves", "moves", "moves", None),
    ("passes", "passes", "passes", None),
    ("decisions", "plies with two or more legal moves", "decisions", None),
    ("captures", "captures", "captures", None),
    ("rosettes", "rosettes landed on", "rosettes", None),
    ("choices_per_ply", "legal moves a ply, 0 for a pass", "choices", "plies"),
    ("choices_per_roll", "legal moves a roll above 0", "choices", "rolls"),
    ("choices_per_move", "legal moves a move", "choices", "moves"),
    (
        "choices_per_decision",
        "legal moves where there are two or more",
        "choices of decisions",
        "decisions",
    ),
    ("sum_log10_choices", "sum of log10 of the legal moves", "sum_log10_choices", None),
    ("entropy", "entropy of choices and dice, decimal digits", "entropy", None),
)


@dataclass(frozen=True)
class Measure:
    """A measure over games.

    ``mean``; ``sd`` and ``quartiles`` (lower, median, upper) of single games; ``ci95`` of the mean.
    ``per_game`` is the mean of single games' ratios where that is not the mean. None where the
    games cannot tell, and where means are exact, without any games.
    """

    name: str
    title: str
    mean: float
    sd: float | None
    ci95: tuple[float, float] | None
    quartiles: tuple[float, float, float] | None
    per_game: float | None = None


class Measures(Rows[Measure], function="measures"):
    """Measures of games, in order."""


def plain(name: str, title: str, values: NDArray[np.generic]) -> Measure:
    """Return the measure of one number a game."""
    x = values.astype(np.float64)
    n = len(x)
    mean = float(x.mean())
    sd = float(x.std(ddof=1)) if n > 1 else None
    return Measure(name, title, mean, sd, _interval(mean, sd, n), _quartiles(x))


def ratio(name: str, title: str, above: NDArray[np.generic], below: NDArray[np.generic]) -> Measure:
    """Return the measure of one number a game over another; games with 0 below count in the mean.

    Raises
    ------
    ZeroDivisionError
        If the number below is 0 in all games.
    """
    x, y = above.astype(np.float64), below.astype(np.float64)
    n = len(x)
    if not y.any():
        raise ZeroDivisionError(f"{name}: nothing to divide by in any game")
    mean = float(x.sum() / y.sum())
    single = x[y > 0] / y[y > 0]
    # The delta method: a game moves the ratio by (x - mean y) / (mean of y).
    error = float((x - mean * y).std(ddof=1) / y.mean()) if n > 1 else None
    sd = float(single.std(ddof=1)) if len(single) > 1 else None
    return Measure(
        name, title, mean, sd, _interval(mean, error, n), _quartiles(single), float(single.mean())
    )


def _interval(mean: float, sd: float | None, n: int) -> tuple[float, float] | None:
    if sd is None:
        return None
    half = Z95 * sd / math.sqrt(n)
    return mean - half, mean + half


def _quartiles(x: Array) -> tuple[float, float, float]:
    low, middle, high = (float(q) for q in np.quantile(x, [0.25, 0.5, 0.75]))
    return low, middle, high


def wilson(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a chance of winning (E. B. Wilson, 1927), games at least 1."""
    share = wins / games
    scale = 1 + Z95**2 / games
    middle = (share + Z95**2 / (2 * games)) / scale
    half = Z95 / scale * math.sqrt(share * (1 - share) / games + Z95**2 / (4 * games**2))
    return max(0.0, middle - half), min(1.0, middle + half)


def measured(games: Games) -> Measured:
    """Return what the conventions of game-tree complexity are functions of."""
    by_choices = games.by_choices.sum(axis=1).astype(np.float64)
    number = np.arange(by_choices.shape[1])
    logs = np.log10(np.maximum(number, 1))
    plies = games.results[:, 2].astype(np.float64)
    return Measured(
        plies,
        plies - by_choices[:, 0],
        by_choices @ number,
        by_choices @ logs,
        games.entropy.sum(axis=1),
    )


def measures(games: Games) -> Measures:
    """Return every measure of the games, by name as in the JSON interface ``urcx.gtc/1``.

    Parameters
    ----------
    games
        What `urcx.simulate` returns.

    Returns
    -------
    Measures
        A tuple of `Measure`.

    Raises
    ------
    UsageError
        If it is anything else.

    Examples
    --------
    >>> import urcx
    >>> games = urcx.simulate("greedy", "random", games=100, seed=1)
    >>> found = urcx.measures(games)
    >>> [(measure.name, round(measure.mean, 2)) for measure in found[:3]]
    [('plies', 127.85), ('turns', 103.7), ('moves', 117.63)]
    >>> found.to_dict()["name"].tolist()[:3]
    ['plies', 'turns', 'moves']
    """
    if not isinstance(games, Games):
        raise WrongObjectError("games", Games, games)
    x = measured(games)
    by_choices = games.by_choices.sum(axis=1)
    rolls = games.rolls.sum(axis=1)
    zero = np.array([roll == 0 for roll in games.rules.dice.rolls])
    thrown = rolls[:, ~zero].sum(axis=1)
    several = by_choices[:, 2:].sum(axis=1)
    chosen = by_choices[:, 2:] @ np.arange(2, by_choices.shape[1])
    fixed = games.records.sum(axis=1)
    digits = x.plies * entropy(games.rules.dice)
    counts = {
        "plies": x.plies,
        "turns": fixed[:, TURNS],
        "moves": x.moves,
        "passes": x.plies - x.moves,
        "decisions": several,
        "captures": fixed[:, CAPTURES],
        "rosettes": fixed[:, LANDED],
        "choices": x.choices,
        "rolls": thrown,
        "choices of decisions": chosen,
        "sum_log10_choices": x.log_choices,
        "entropy": x.log_picks + digits,
    }
    return Measures(
        plain(name, title, counts[above])
        if below is None
        else ratio(name, title, counts[above], counts[below])
        for name, title, above, below in MEASURES
        if below is None or counts[below].any()
    )
