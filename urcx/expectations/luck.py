"""Luck and mistakes: how dice and decisions move the win probability along a game.

Let V be light's win probability under optimal play before each roll. W is the same after the roll,
before the best move, and V' the same after the move played. A ply changes the win probability by
the dice, W - V, and by the decision, V' - W. The mean of W over the rolls is V, so the changes by
dice are martingale differences. They are uncorrelated over the plies, and the variance of their sum
is the sum of the means of their squares. Decisions only lose: V' - W is at most 0 for light's moves
and at least 0 for dark's moves.

Under optimal play nothing is lost, and the dice cause all of the variance of the result: v (1 - v)
if the win probability at the start is v. If each side begins half of the games, the choice of the
first player adds (v - 1/2)^2. With mistakes the squares do not add up to the variance, because the
losses of decisions depend on earlier plies. The squares measure how much dice and decisions move
the win probability. They do not divide the result between them.

All sums are exact expectations over all games of two agents, without sampling: the change in a
state times the expected visit count of the state (`urcx.expectations.expected`).
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
from urcx.results.fields import Field, Format, decimals, fields_of
from urcx.results.numbers import bound_text, percent_text
from urcx.results.tables import Table
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.probing import PERCENT, POINTS, points_text, wide

__all__ = ["luck"]


def _side_fields(name: str, heading: str, kind: Format, about: str) -> Iterator[Field]:
    """Yield the fields of a pair of numbers, light's and dark's."""
    for k, side in enumerate(("light", "dark")):
        words = heading.format(side), kind, about.format(side)
        yield Field(*words, key=f"{side}_{name}", of=itemgetter(k))


@dataclass(frozen=True)
class Luck(CompiledResult, function="luck"):
    """The movement of the win probability by dice and decisions in games of two agents.

    All numbers are means over all games. Each side begins in half of the games.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.luck("optimal", rules=urcx.ruleset("finkel", pieces=1))
    >>> round(result.dice, 6), round(result.a_ply, 4), result.decisions
    (0.249097, 0.1208, (0.0, 0.0))
    """

    schema = "urcx.luck/1"
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="of all sums")]] = "exact but for the bound"
    light: LightAgent
    dark: DarkAgent
    first: ClassVar[Annotated[str, Field(about="the first player")]] = "alternate"
    wins: Annotated[float, Field("light wins", PERCENT, "light's win probability")]
    outcome: Annotated[
        float, Field("variance of the result", decimals(6), "variance of the result for light")
    ]
    dice: Annotated[
        float,
        Field("dice, squares per game", decimals(6), "sum of the squared changes by the dice"),
    ]
    decisions: Annotated[
        tuple[float, float],
        *_side_fields(
            "decisions",
            "{}'s decisions, squares per game",
            decimals(6),
            "sum of the squared losses of {}'s decisions",
        ),
    ]
    losses: Annotated[
        tuple[float, float],
        *_side_fields("losses", "{} loses per game (points)", POINTS, "{}'s loss per game"),
    ]
    plies: Annotated[float, Field("plies per game", decimals(4), "mean plies of a game")]
    bound: Annotated[float, Field(about="error bound of each sum")]
    seconds: Annotated[float, Field(about="wall time")]
    notes: Annotated[tuple[str, ...], "notes on the computation"] = ()

    @property
    @Field(
        "dice, share of squares",
        PERCENT,
        "share of the dice in all squares",
        after="decisions",
    )
    def share(self) -> float:
        """Return the share of the dice in all squares."""
        return self.dice / (self.dice + sum(self.decisions))

    @property
    @Field(
        "change by a roll, root mean square (points)",
        POINTS,
        "root mean square of the change by a roll",
        after="losses",
    )
    def a_ply(self) -> float:
        """Return the root mean square of the change of the win probability by a roll."""
        return float(np.sqrt(self.dice / self.plies))

    @property
    def legend(self) -> list[str]:
        """Return notes on the sums, and on the variance that the choice of first player causes."""
        # Squares add up to the variance if nothing is lost.
        begins = self.outcome - self.dice
        rest = "" if any(self.losses) else f", which adds {begins:.6f} to the variance"
        return [
            (
                "dice: change of the win probability under optimal play by a roll, squared, added "
                "up over a game, and averaged over all games"
            ),
            "decisions: loss of the mover's win probability by a move, in the same way",
            (
                f"each side begins in half of the games{rest}; error bound of each sum: "
                f"{self.bound:.1e}"
            ),
        ]

    def wide_tables(self) -> list[Table]:
        """Return the table with more decimals."""
        return [wide(fields_of(Luck)).listed("", self, self.legend)]

    @property
    def answer(self) -> str:
        """Return the share of the dice, and the root mean square change by a roll."""
        return (
            f"{self.rules.with_pieces}: dice cause {percent_text(self.share)} of the movement in "
            f"win probability (sum of squared changes), decisions of "
            f"{players(self.light, self.dark)} the rest; a roll moves it by "
            f"{points_text(self.a_ply)} points (root mean square; exact, ± "
            f"{bound_text(self.bound)})"
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
    """Split the movement of the win probability into dice and decisions.

    Parameters
    ----------
    light, dark
        The players: agents, or strings ``NAME[:DEPTH][:LEAF][:TIES]``. By default dark is the same
        as light.
    rules
        A rule set or its name. Its path must cross no tile twice and be the same for both sides. By
        default the tablebase's, else ``finkel``.
    tablebase
        The rule set's solution. By default the solution that urcx solve has saved. Small rule sets
        are solved on the fly.
    threads
        By default as many as there are cores. Sums differ within the bound with their number, and
        from run to run unless it is 1.
    stage
        Called when each part of the work begins.

    Returns
    -------
    Luck

    Raises
    ------
    UnknownNameError
        If there is no such agent or rule set.
    UsageError
        If an agent is another program, or a user's own agent cannot be asked in every state
        (:doc:`/agents`).
    OutOfDomainError
        If the path is not of that kind.
    TablebaseError
        If the tablebase cannot be read, or belongs to another rule set.
    TooLargeError
        If the rule set is not small and there is no tablebase, or memory does not suffice.
    UrcxError
        If games do not end.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.luck("random", "optimal", urcx.ruleset("finkel", pieces=2))
    >>> result.losses[1], result.losses[0] > 0, result.share > 0.8
    (0.0, True, True)
    """
    check_functions(stage=stage)
    player = agent(light)
    other = player if dark is None else agent(dark)
    began = compute_clock()
    judged = regret(
        player, rules, opponent=other, tablebase=tablebase, threads=threads, stage=stage
    )
    (row,) = judged.regrets
    own, opposite = row.side, row.opposite
    plies = own.plies + opposite.plies
    # A square is at most 1, and both of the values that it comes from may have errors.
    bound = row.counts_bound + 4.0 * judged.bound * (plies + row.counts_bound)
    return Luck(
        judged.rules, player, other, own.wins, own.wins * (1.0 - own.wins),
        own.dice + opposite.dice, (own.squares, opposite.squares), (own.loss, opposite.loss), plies,
        bound, compute_clock() - began, judged.notes,
    )  # fmt: skip
