"""Luck and mistakes: how the chance of winning moves along a game, by dice and by decisions.

Let V be light's chance of winning under perfect play, before each roll, W that after the roll with
the best move still to come, and V' that after the move played. A ply changes the chance by the
dice, W - V, and by the decision, V' - W. The mean of W over the rolls is V, so what the dice change
are martingale differences: uncorrelated over the plies, and the variance of their sum is the sum of
the means of the squares. Decisions only lose: V' - W is at most 0 for light's moves and at least 0
for dark's. Under perfect play nothing is lost, and all of the variance of the result, v (1 - v) for
a chance of v at the start, is the dice's; if each side begins half of the games, (v - 1/2)^2 more
says who begins. With mistakes the squares do not add up to the variance, as what decisions lose
depends on what came before: they say how much either moves the chance, not who owns which part of
the result.

All sums are exact expectations over all games of two agents, without sampling: what happens in a
state, times how often games visit it (`urcx.expectations.expected`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from urcx.agents.agents import Agent, DarkAgent, LightAgent, agent, players
from urcx.agents.own_agents import CustomAgent
from urcx.engine.compiling import CompiledResult, compute_clock
from urcx.engine.threads import Stage, no_progress
from urcx.errors import check_functions
from urcx.expectations.regret import regret
from urcx.results.fields import Field, decimals, percents_of
from urcx.results.numbers import bound_text, percent_text
from urcx.rules.model import GameRules, RuleSet

__all__ = ["luck"]


def _side_fields(name: str, heading: str, about: str) -> Iterator[Field]:
    """Yield the fields of a pair of numbers, light's and dark's."""
    for k, side in enumerate(("light", "dark")):
        words = heading.format(side), decimals(6), about.format(side)
        yield Field(*words, key=f"{side}_{name}", of=itemgetter(k))


@dataclass(frozen=True)
class Luck(CompiledResult, function="luck"):
    """What dice and decisions do to the chance of winning along a game of two agents.

    All are means over all games, each side beginning half of them.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.luck("optimal", rules=urcx.ruleset("finkel", pieces=1))
    >>> round(found.dice, 6), round(found.a_ply, 4), found.decisions
    (0.249097, 0.1208, (0.0, 0.0))
    """

    schema = "urcx.luck/1"
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="of all sums")]] = "exact but for the bound"
    light: LightAgent
    dark: DarkAgent
    first: ClassVar[Annotated[str, Field(about="who begins")]] = "alternate"
    wins: Annotated[float, Field("light wins", percents_of(4), "how likely light wins")]
    outcome: Annotated[
        float, Field("variance of the result", decimals(6), "the variance of who wins")
    ]
    dice: Annotated[
        float, Field("dice, squares a game", decimals(6), "sum of squares of what the dice change")
    ]
    decisions: Annotated[
        tuple[float, float],
        *_side_fields(
            "decisions", "{}'s decisions, squares", "sum of squares of what {}'s decisions lose"
        ),
    ]
    losses: Annotated[
        tuple[float, float],
        *_side_fields("losses", "{} loses by decisions", "what {}'s decisions lose in a game"),
    ]
    plies: Annotated[float, Field("plies of a game", decimals(4), "mean plies of a game")]
    bound: Annotated[float, Field(about="by how much each sum is off at most")]
    seconds: Annotated[float, Field(about="how long that took")]
    notes: Annotated[tuple[str, ...], "what is to be said of how it was computed"] = ()

    @property
    @Field(
        "the dice's share of squares",
        percents_of(2),
        "the dice's share of all squares",
        after="decisions",
    )
    def share(self) -> float:
        """Return the dice's share of all squares."""
        return self.dice / (self.dice + sum(self.decisions))

    @property
    @Field(
        "a roll's change, root mean square",
        decimals(6),
        "root mean square of what a roll changes",
        after="losses",
    )
    def a_ply(self) -> float:
        """Return the root of the mean square of what the dice change in a ply."""
        return float(np.sqrt(self.dice / self.plies))

    @property
    def legend(self) -> list[str]:
        """Return notes on the sums, and on the part of the variance that who begins has."""
        # Squares add up to the variance where nothing is lost.
        begins = self.outcome - self.dice
        rest = "" if any(self.losses) else f", the other {begins:.6f} of the variance"
        return [
            (
                "dice: by how much a roll changes the chance of winning under perfect play, "
                "squared and added up over a game, on average over all games"
            ),
            "decisions: by how much moves lower the mover's chance, in the same way",
            (
                f"each side begins in half of the games{rest}; no sum is off by more than "
                f"{self.bound:.1e}"
            ),
        ]

    @property
    def answer(self) -> str:
        """Return the dice's share, and by how much a roll and a decision change the chance."""
        return (
            f"{self.rules.with_pieces}: dice cause {percent_text(self.share)} of the movement "
            f"in win "
            f"probability (sum of squared changes), decisions of "
            f"{players(self.light, self.dark)} the rest; a roll moves it by "
            f"{100 * self.a_ply:.2f} points (root mean square; exact, ± {bound_text(self.bound)})"
        )


def luck(
    light: str | Agent | CustomAgent = "optimal",
    dark: str | Agent | CustomAgent | None = None,
    rules: str | RuleSet | None = None,
    *,
    tablebase: str | Path | None = None,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Luck:
    """Split what moves the chance of winning into dice and decisions.

    Parameters
    ----------
    light, dark
        Who plays: ``NAME[:DEPTH][:LEAF][:TIES]``. Such texts, or agents; dark is as light by
        default.
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides. By
        default the tablebase's, else ``finkel``.
    tablebase
        The rule set's solution. By default that which urcx solve has kept; small ones are solved
        on the fly.
    threads
        By default as many as there are cores; sums differ within the bound with their number, and
        from run to run unless it is 1.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Luck

    Raises
    ------
    UnknownNameError
        If there is no such agent or rule set.
    UsageError
        If an agent is one of the user's.
    OutOfDomainError
        If the path is another.
    TablebaseError
        If the tablebase cannot be read, or is of another rule set.
    TooLargeError
        If the rule set is not small and there is no tablebase, or memory does not suffice.
    UrcxError
        If games do not end.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.luck("random", "optimal", urcx.ruleset("finkel", pieces=2))
    >>> found.losses[1], found.losses[0] > 0, found.share > 0.8
    (0.0, True, True)
    """
    check_functions(stage=stage)
    one = agent(light)
    other = one if dark is None else agent(dark)
    began = compute_clock()
    judged = regret(one, rules, opponent=other, tablebase=tablebase, threads=threads, stage=stage)
    (found,) = judged.regrets
    own, opposite = found.side, found.opposite
    plies = own.plies + opposite.plies
    # A square is at most 1; the values that it comes from may both be off.
    bound = found.counts_bound + 4.0 * judged.bound * (plies + found.counts_bound)
    return Luck(
        judged.rules, one, other, own.wins, own.wins * (1.0 - own.wins), own.dice + opposite.dice,
        (own.squares, opposite.squares), (own.loss, opposite.loss), plies, bound,
        compute_clock() - began, judged.notes,
    )  # fmt: skip
