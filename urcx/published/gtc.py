"""Game-tree complexity in every convention, from games, from exact means or both.

The figures of published sources that apply stand beside.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.agents.policies import Policies
from urcx.complexity.game_tree import Estimate, at_means, constants, convention_estimates
from urcx.engine.threads import Stage, silent
from urcx.errors import UsageError
from urcx.expectations.bounds import of_conventions
from urcx.expectations.expected import Expected, expected
from urcx.expectations.pair_choices import ALL_STATES
from urcx.games.records import Games
from urcx.games.simulator import simulate
from urcx.games.statistics import Measure, measured, measures
from urcx.published.exact import ExactMeans, Mean, exact_means
from urcx.published.quantities.game_tree import PublishedMeasure, published_measures
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

if TYPE_CHECKING:
    from urcx.agents.own_agents import Chooser

GAMES = 2000  # as many as Raposo and Lamont's


@dataclass(frozen=True)
class Played:
    """Games with their measures, the conventions' figures, and the published figures that apply.

    ``exact`` are the means over all games of the same agents, if they are known.
    """

    games: Games
    measures: tuple[Measure, ...]
    estimates: tuple[Estimate, ...]
    published: tuple[PublishedMeasure, ...]
    exact: ExactMeans | None = None


@dataclass(frozen=True)
class GameTree(Result, function="gtc"):
    """The complexity of the game tree of two agents, as log10 in every convention.

    Attributes
    ----------
    played : Played or None
        Games with their ``measures``, the ``estimates`` of every convention with their intervals,
        and ``published`` figures that they are compared with; None if none were played.
    expected : Expected or None
        The means over all games, if they were followed.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.gtc("random", rules=urcx.ruleset("finkel", pieces=1), exact=True)
    >>> log10, bound = found.exact["raposo-lamont-both"]
    >>> round(log10, 6), bound < 1e-9
    (10.678391, True)
    """

    played: Played | None
    expected: Expected | None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Return every convention's estimate from the games, with its intervals; () without."""
        return () if self.played is None else self.played.estimates

    @property
    def published(self) -> tuple[PublishedMeasure, ...]:
        """Return published figures, with what the games give and how far that is off."""
        return () if self.played is None else self.played.published

    @cached_property
    def exact(self) -> dict[str, Mean]:
        """Return exact figures and the bounds of their errors, by the names of conventions.

        Conventions that are means over single games have none. Where games were not followed, it
        has what is known of such games: of whole rule sets between copies of some agents.
        """
        if (found := self.expected) is not None:
            fixed = constants(found.rules)
            off = of_conventions(found.measured, found.measured_off, fixed)
            return {k: (log10, off[k]) for k, log10 in at_means(found.measured, fixed).items()}
        known = None if self.played is None else self.played.exact
        return {} if known is None else known.gtc


def evaluated(games: Games) -> Played:
    """Return the measures of games, with the published figures that apply to them."""
    found = measures(games)
    estimates = convention_estimates(measured(games), constants(games.rules))
    exact = exact_means(games.rules, games.light, games.dark)
    return Played(games, found, estimates, published_measures(games, found, estimates), exact)


def gtc(  # noqa: PLR0913 - all but the agents and rules by name
    light: str | Agent | Chooser = "panda",
    dark: str | Agent | Chooser | None = None,
    rules: str | RuleSet = "finkel",
    *,
    games: int | None = None,
    exact: bool = False,
    first: str = "alternate",
    seed: int = 1,
    threads: int | None = None,
    executor: Executor | None = None,
    layers: str | Path | None = None,
    stage: Stage = silent,
) -> GameTree:
    """Return the complexity of the game tree of two agents, in every convention.

    Without arguments it repeats Raposo and Lamont's experiment: 2,000 games of their agent.

    Parameters
    ----------
    light, dark
        Agents, or texts as `urcx.agent` reads them; dark is as light by default.
    rules
        A rule set or its name.
    games
        How many to play; by default 2,000, or none if ``exact``.
    exact
        Whether to follow all games, for exact means; see `urcx.expected`.
    first
        Who begins: ``light``, ``dark``, ``alternate`` or ``coin``.
    seed
        Of the games, from 0 to 2^63 - 1.
    threads
        By default as many as there are cores; they change no game, and means in their last digits.
    executor
        What works in place of threads of this process; see :doc:`/executors`.
    layers
        With an executor and ``exact``, a directory that all its workers share.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    urcx.GameTree

    Raises
    ------
    UrcxError
        As `urcx.simulate` and `urcx.expected` do.
    UsageError
        If there are to be neither games nor exact means, or an argument is out of range.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.gtc("greedy", games=100)
    >>> [(e.convention.name, round(e.log10, 1)) for e in found.estimates][:2]
    [('raposo-lamont', 55.3), ('raposo-lamont-both', 110.6)]
    """
    chosen = catalogue.ruleset(rules)
    one = agent(light)
    other = one if dark is None else agent(dark)
    number = (0 if exact else GAMES) if games is None else catalogue.whole("games", games)
    if number == 0 and not exact:
        raise UsageError("0 games: play at least one, or ask for exact means")
    ready = Policies(chosen, ALL_STATES if exact else number, threads=threads, stage=stage)
    means = played = None
    if exact:
        means = expected(
            one, other, chosen, first=first, threads=threads, executor=executor, layers=layers,
            policies=ready, stage=stage,
        )  # fmt: skip
    if number:
        played = simulate(
            one, other, chosen, games=number, seed=seed, first=first, threads=threads,
            executor=executor, policies=ready, stage=stage,
        )  # fmt: skip
    return GameTree(None if played is None else evaluated(played), means)
