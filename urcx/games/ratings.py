"""Elo ratings from win rates, by maximum likelihood.

In the model of R. A. Bradley and M. E. Terry (Biometrika 39, 1952, pages 324-345) every agent has a
strength, and the difference of two strengths alone decides how often one beats the other. On Elo's
scale an agent that is d points stronger wins with probability 1 / (1 + 10^(-d / 400)). Games fix
differences only, so the mean of all ratings is set to 1500.

The likelihood is greatest where every agent's expected wins equal its wins. Newton's method finds
that point. The intervals follow from the curvature of the likelihood there (the Fisher
information). They are the intervals of differences from the mean of all agents. They do not contain
the error of the model, in which no agent is better against some opponents than against others.

If some agents have won all games against the others, the greatest likelihood is at infinity. Then
half a win is added for both agents of each pair in which one won all games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from urcx.complexity.game_tree import Z95
from urcx.errors import UsageError, WrongObjectError
from urcx.results.fields import INTERVAL, Field, Fields, column
from urcx.results.numbers import with_interval
from urcx.results.result import Rows
from urcx.results.tables import Table
from urcx.rules import catalogue

__all__ = ["elo"]

MEAN = 1500.0  # of all ratings
POINT = 400.0 / np.log(10.0)  # Elo points per unit of the logarithm of the odds
STEP = 1.5  # of a logarithm of odds: shorter steps always increase the likelihood
SMALL, CLOSE = 0.01, 1e-9  # steps of a logarithm of odds
Array = NDArray[Any]


@dataclass(frozen=True)
class Rating:
    """An agent's Elo rating. The interval is None if the win probabilities are exact."""

    agent: Annotated[str, Field(about="name of the agent")]
    elo: Annotated[float, Field(about=f"its rating; the mean is {MEAN:.0f}")]
    ci95: Annotated[
        tuple[float, float] | None,
        Field(kind=INTERVAL, about="its 95 % interval, null for exact win probabilities"),
    ]


class Ratings(Rows[Rating], function="elo"):
    """Elo ratings, the greatest first.

    ``adjusted`` is True if half a win was added for both agents of each pair without a loss.
    """

    schema = "urcx.elo/1"
    adjusted: Annotated[
        bool, Field(about="whether half a win was added for both agents of pairs without a loss")
    ]

    @property
    def legend(self) -> list[str]:
        """Return the notes on anchor, model, and pairs without a loss."""
        notes = [
            (
                "Elo ratings by maximum likelihood (Bradley and Terry), ± half of a 95 % interval, "
                f"without games of an agent against itself; the mean of all agents is {MEAN:.0f}"
            )
        ]
        if self.adjusted:
            notes.append(
                "some agents won all games: half a win is added for both agents of such pairs"
            )
        return notes

    def tables(self) -> list[Table]:
        """Return the table of the ratings."""
        columns = Fields(
            column("<agent", lambda row: row.agent),
            column("Elo", lambda row: with_interval(row.elo, row.ci95, 1)),
        )
        return [columns.table("", self, self.legend)]


def elo(shares: Mapping[tuple[str, str], float], games: int | None = None) -> Ratings:
    """Return Elo ratings from the win rates or exact win probabilities of pairs.

    The mean of all ratings is 1500.

    Parameters
    ----------
    shares
        The win rate of the first agent of each pair of different names, from 0 to 1. Not every
        pair is necessary, but a chain of pairs must connect every two agents.
    games
        Games per pair, from 1. If None, the shares are exact probabilities, so the ratings have no
        intervals and every pair has the same weight.

    Returns
    -------
    Ratings
        A tuple of `Rating`, the greatest first.

    Raises
    ------
    UsageError
        If a share is out of range, a pair is listed twice, no chain of pairs connects two agents,
        or exact probabilities of 0 and 1 make a rating infinite.

    Examples
    --------
    >>> import urcx
    >>> ratings = urcx.elo({("a", "b"): 0.75, ("b", "c"): 0.75})
    >>> [(rating.agent, round(rating.elo, 1)) for rating in ratings]
    [('a', 1690.8), ('b', 1500.0), ('c', 1309.2)]

    Exact ratings of agents in a small game:

    >>> rules = urcx.ruleset("finkel", pieces=2)
    >>> wins = urcx.expected("greedy", "random", rules).wins["light"]
    >>> [round(rating.elo, 2) for rating in urcx.elo({("greedy", "random"): wins})]
    [1543.55, 1456.45]
    """
    names = _names(shares)
    number = None if games is None else catalogue.as_integer("games", games)
    if number is not None and number < 1:
        raise UsageError(f"games {number}: must be 1 or more")
    at = np.array([[names.index(name) for name in pair] for pair in shares]).reshape(-1, 2)
    won = np.array([float(share) for share in shares.values()])
    weight = np.full(len(won), 1.0 if number is None else float(number))
    unanimous = (won == 0.0) | (won == 1.0)
    apart = _unconnected(len(names), at[won > 0.0], at[won < 1.0])
    adjusted = bool(apart and number is not None)
    if adjusted:
        won = np.where(unanimous, (won * weight + 0.5) / (weight + 1.0), won)
        weight += unanimous
        apart = _unconnected(len(names), at, at)
    if apart:
        first, second = (names[k] for k in apart)
        raise UsageError(
            f"shares: {first} and {second} cannot be compared. Connect them by pairs in which "
            "both win some games"
        )
    ratings, covariance = _fitted(len(names), at, won, weight)
    half = Z95 * np.sqrt(covariance.diagonal())
    rows = [
        Rating(name, float(r), None if number is None else (float(r - h), float(r + h)))
        for name, r, h in zip(names, MEAN + POINT * ratings, POINT * half, strict=True)
    ]
    return Ratings(sorted(rows, key=lambda row: -row.elo), adjusted=adjusted)


def _names(shares: Any) -> list[str]:
    """Return the names of the agents, or raise `UsageError` for wrong pairs or shares."""
    if not isinstance(shares, Mapping) or not shares:
        raise WrongObjectError("shares", dict, shares, "{('greedy', 'random'): 0.95}")
    for pair, share in shares.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] == pair[1]:
            raise UsageError(f"shares {pair!r}: must be a pair of different names")
        if pair[::-1] in shares:
            raise UsageError(f"shares {pair!r}: the pair is listed twice")
        catalogue.as_float(f"share of {pair[0]} against {pair[1]}", share, (0.0, 1.0))
    return list(dict.fromkeys(name for pair in shares for name in pair))


def _unconnected(agents: int, wins: Array, losses: Array) -> tuple[int, int] | None:
    """Return two agents without a chain of wins from one to the other, None if there are none."""
    chain = np.eye(agents, dtype=bool)
    chain[wins[:, 0], wins[:, 1]] = chain[losses[:, 1], losses[:, 0]] = True
    for via in range(agents):
        chain |= chain[:, via, None] & chain[via]
    missing = np.argwhere(~chain)
    return (int(missing[0, 0]), int(missing[0, 1])) if len(missing) else None


def _fitted(agents: int, at: Array, won: Array, weight: Array) -> tuple[Array, Array]:
    """Return log strengths with mean 0 that maximize the likelihood, and their covariances."""
    ratings = np.zeros(agents)
    ends = np.eye(agents)[at[:, 0]] - np.eye(agents)[at[:, 1]]  # +1 and -1 for the pair's agents
    before = greatest = np.inf
    # Below SMALL each step is much smaller than the one before, until only rounding is left.
    while greatest > CLOSE and not before / 2.0 < greatest < SMALL:
        p = 1.0 / (1.0 + np.exp(-(ends @ ratings)))
        information = (ends.T * (weight * p * (1.0 - p))) @ ends
        step = np.zeros(agents)  # the first agent stays
        step[1:] = np.linalg.solve(information[1:, 1:], (ends.T @ (weight * (won - p)))[1:])
        before, greatest = greatest, float(np.ptp(step))
        ratings += step * (STEP / max(greatest, STEP))
    centred = np.eye(agents) - 1.0 / agents
    covariance = np.zeros((agents, agents))
    covariance[1:, 1:] = np.linalg.inv(information[1:, 1:])
    return centred @ ratings, centred @ covariance @ centred
