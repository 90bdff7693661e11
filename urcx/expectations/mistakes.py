"""Mistakes: the decisions in which an agent loses most in its games, and how often each occurs.

A decision is a position, a roll and the move that is played. Its loss is the win probability under
optimal play after the best move, minus the win probability after the move played. Its loss per game
is its frequency times its loss. The sum over all of an agent's decisions is the agent's loss
(`urcx.expectations.regret`). Both come from the same sweeps: no games are played.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from urcx.agents.agents import Agent
from urcx.agents.own_agents import CustomAgent
from urcx.engine.compiling import CompiledResult, compute_clock
from urcx.engine.threads import Stage, no_progress
from urcx.errors import UsageError, check_functions, check_name
from urcx.expectations.layers import VISITED
from urcx.expectations.losses import Decision, LossFlow, decision_of, matched
from urcx.expectations.tally import Side, TallyOptions
from urcx.results.fields import Field, Fields, column, fields_of
from urcx.results.numbers import bound_text, count_text, percent_text
from urcx.results.tables import Table, key
from urcx.rules import catalogue
from urcx.rules.drawing import position_board
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.rgu import rule_sources
from urcx.solving.probing import PERCENT, points_text, wide

__all__ = ["mistakes"]

RANKED_BY = ("loss", "cost", "visits")  # in the order of `urcx.expectations.tally_kernels`
MOST = 1000  # decisions


@dataclass(frozen=True)
class Mistakes(CompiledResult, function="mistakes"):
    """The decisions in which an agent loses most in games against an opponent.

    All numbers are means over all games. Each side begins in half of the games.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.mistakes("greedy", urcx.ruleset("finkel", pieces=2), most=3)
    >>> [(str(row.position), row.roll, round(row.cost, 5)) for row in result.rows]
    [('3/2,3/0-0/L', 2, 0.00172), ('4/2,3/0-0/L', 2, 0.0013), ('2/2,3/0-0/L', 3, 0.00109)]
    """

    schema = "urcx.mistakes/1"
    lists = ("rows",)
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="of all but bound")]] = (
        "exact but for rounding in 64 bits and the solution's gap"
    )
    agent: Annotated[Agent, Field(about="the agent that decides", of="name")]
    opponent: Annotated[Agent, Field(about="its opponent", of="name")]
    by: Annotated[str, Field(about="order of the decisions: cost, loss or visits")]
    first: ClassVar[Annotated[str, Field(about="the first player")]] = "alternate"
    side: Annotated[
        Side,
        "the agent's expectations per game",
        Field(about="its win probability", key="wins", of="wins"),
        Field(about="loss of all its decisions per game", key="loss", of="loss"),
        Field(about="plies with two or more legal moves", key="decisions", of="decisions"),
        Field(about="decisions in which it loses something", key="mistakes", of="mistakes"),
    ]
    rows: Annotated[tuple[Decision, ...], "the decisions, greatest first"]
    bound: Annotated[float, Field(about="error bound of any sum of losses per game")]
    seconds: Annotated[float, Field(about="wall time")]
    notes: Annotated[tuple[str, ...], "notes on the computation"] = ()

    @property
    @Field("", PERCENT, "share of the rows in the loss of all decisions", after="side")
    def share(self) -> float:
        """Return the share of the rows in the loss of all decisions."""
        return sum(row.cost for row in self.rows) / self.side.loss if self.side.loss else 0.0

    @property
    def body(self) -> str:
        """Return the board of the first decision."""
        return position_board(self.rules, self.rows[0].position) if self.rows else ""

    def tables(self) -> list[Table]:
        """Return a row for each decision, with losses in points with two decimals."""
        return self._tables(fields_of(Decision))

    def wide_tables(self) -> list[Table]:
        """Return a row for each decision, with more decimals."""
        return self._tables(wide(fields_of(Decision)))

    def _tables(self, own: Fields) -> list[Table]:
        path = self.rules.path
        columns = Fields(
            column(key("position"), lambda item: item.position.on(path)),
            *own.pick("roll"),
            column("<played", lambda item: item.played.describe(path, light=True)),
            column("<better", lambda item: better(item, self.rules)),
            *own.pick("often", "loss", "cost"),
        )
        notes = [
            f"times per game: how often {self.agent.name}, as light, plays this move there",
            "loss: compared with the better move under optimal play, in points",
            "loss per game: their product; each side begins in half of the games",
            f"only positions that occur more than {VISITED:g} times per game are examined",
        ]
        return [columns.table("", self.rows, notes)]

    @property
    def answer(self) -> str:
        """Return the loss of the decisions, and the first decision."""
        who = f"{self.rules.with_pieces}: {self.agent.name}"
        against = f"against {self.opponent.name}"
        if not self.rows:
            return f"{who} loses nothing {against} (exact, ± {self.off})"
        first = self.rows[0]
        return (
            f"{who} loses {points_text(self.side.loss)} points per game {against}, "
            f"{percent_text(self.share)} of them in {count_text(len(self.rows), 'decision')}; the "
            f"first, {first.position.on(self.rules.path)} with a {first.roll}, loses "
            f"{points_text(first.cost)} points per game (exact, ± {self.off})"
        )

    @property
    def off(self) -> str:
        """Return the error bound as text."""
        return bound_text(self.bound)


def better(item: Decision, rules: RuleSet) -> str:
    """Return the best move in words, or an empty string if it is played."""
    return "" if item.best == item.played else item.best.describe(rules.path, light=True)


def mistakes(
    agent: str | Agent | CustomAgent,
    rules: str | RuleSet | None = None,
    *,
    opponent: str | Agent = "optimal",
    most: int = 10,
    by: str = "cost",
    tablebase: str | Path | None = None,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Mistakes:
    """Find the decisions in which an agent loses most in its games, exactly.

    Parameters
    ----------
    agent
        An agent, or a string ``NAME[:DEPTH][:LEAF][:TIES]``.
    rules
        A rule set or its name. Its path must cross no tile twice and be the same for both sides. By
        default the tablebase's, else finkel.
    opponent
        Its opponent: an agent, or ``self``, with which the agent plays against itself.
    most
        The number of decisions, from 1 to 1000.
    by
        The order: ``cost`` (the loss per game), ``loss`` (the loss each time) or ``visits`` (the
        frequency).
    tablebase
        The rule set's solution. By default the solution that urcx solve has saved. Small rule sets
        are solved on the fly.
    threads
        By default as many as there are cores.
    stage
        Called when each part of the work begins.

    Returns
    -------
    Mistakes

    Raises
    ------
    UnknownNameError
        If there is no such agent, rule set or order.
    UsageError
        If a number is out of range, the agent is another program, or a user's own agent cannot be
        asked in every state (:doc:`/agents`).
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
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> result = urcx.mistakes("greedy", short, most=1000)
    >>> round(result.side.loss, 6), round(result.share, 3)
    (0.124615, 0.865)
    """
    check_functions(stage=stage)
    chosen = rule_sources(rules, tablebase=tablebase).decided()
    ((player, rival),) = matched([agent], opponent, tablebase)
    check_name("order", by, RANKED_BY)
    if not 1 <= (number := catalogue.as_integer("most", most)) <= MOST:
        raise UsageError(f"most {number}: must be from 1 to {MOST:,}")
    began = compute_clock()
    with contextlib.ExitStack() as stack:
        flow = LossFlow(chosen, tablebase, threads, stage, stack)
        games = flow.follow(player, rival, TallyOptions(decisions=number, by=RANKED_BY.index(by)))
        rows = tuple(decision_of(flow.order, decision) for decision in games.worst[0])
    return Mistakes(
        chosen, player, rival, by, games.side(0), rows, flow.bound(games, 0),
        compute_clock() - began, tuple(flow.policies.notes),
    )  # fmt: skip
