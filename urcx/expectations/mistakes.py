"""Mistakes: which decisions cost an agent most in its games, and how often each comes up.

A decision is a position, a roll and the move that is played. What it costs in a game is how often
it comes up, times by how much the chance of winning under perfect play is lower after that move
than after the best one. All of an agent's decisions together cost its regret
(`urcx.expectations.regret`), and come from the same sweeps: no games are played.
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
from urcx.results.fields import Field, Fields, column, fields_of, percents_of
from urcx.results.numbers import bound_text, count_text, percent_text
from urcx.results.tables import Table, key
from urcx.rules import catalogue
from urcx.rules.drawing import position_board
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.rgu import rule_sources

__all__ = ["mistakes"]

RANKED_BY = ("loss", "cost", "visits")  # in the order of `urcx.expectations.tally_kernels`
MOST = 1000  # decisions


@dataclass(frozen=True)
class Mistakes(CompiledResult, function="mistakes"):
    """The decisions of an agent that cost it most in games against an opponent.

    All are means over all games, each side beginning half of them.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.mistakes("greedy", urcx.ruleset("finkel", pieces=2), most=3)
    >>> [(str(one.position), one.roll, round(one.cost, 5)) for one in found.rows]
    [('3/2,3/0-0/L', 2, 0.00172), ('4/2,3/0-0/L', 2, 0.0013), ('2/2,3/0-0/L', 3, 0.00109)]
    """

    schema = "urcx.mistakes/1"
    lists = ("rows",)
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="of all but bound")]] = (
        "exact but for rounding in 64 bits and the solution's gap"
    )
    agent: Annotated[Agent, Field(about="whose decisions they are", of="name")]
    opponent: Annotated[Agent, Field(about="whom it plays", of="name")]
    by: Annotated[str, Field(about="what the decisions are ordered by: cost, loss or visits")]
    first: ClassVar[Annotated[str, Field(about="who begins")]] = "alternate"
    side: Annotated[
        Side,
        "the agent's expectations per game",
        Field(about="how likely it wins", key="wins", of="wins"),
        Field(about="what all of its decisions cost in a game", key="loss", of="loss"),
        Field(about="plies with two or more legal moves", key="decisions", of="decisions"),
        Field(about="decisions in which it gives something away", key="mistakes", of="mistakes"),
    ]
    rows: Annotated[tuple[Decision, ...], "the decisions, greatest first"]
    bound: Annotated[float, Field(about="by how much any sum of costs is off at most")]
    seconds: Annotated[float, Field(about="how long that took")]
    notes: Annotated[tuple[str, ...], "what is to be said of how it was computed"] = ()

    @property
    @Field("", percents_of(), "what the rows cost, as a share of all", after="side")
    def share(self) -> float:
        """Return what the decisions of the rows cost, as a share of what all cost."""
        return sum(row.cost for row in self.rows) / self.side.loss if self.side.loss else 0.0

    @property
    def body(self) -> str:
        """Return the board of the first decision."""
        return position_board(self.rules, self.rows[0].position) if self.rows else ""

    def tables(self) -> list[Table]:
        """Return a row for each decision."""
        path, own = self.rules.path, fields_of(Decision)
        shown = Fields(
            column(key("position"), lambda item: item.position.on(path)),
            *own.pick("roll"),
            column("<played", lambda item: item.played.describe(path, light=True)),
            column("<better", lambda item: better(item, self.rules)),
            *own.pick("often", "loss", "cost"),
        )
        notes = [
            f"times a game: how often {self.agent.name} plays this there; it is light",
            (
                "loss: by how much less likely it wins than after the better move, if both play "
                "perfectly from then on"
            ),
            "loss a game: their product; each side begins in half of the games",
            f"only positions that come up more than {VISITED:g} times a game are looked at",
        ]
        return [shown.table("", self.rows, notes)]

    @property
    def answer(self) -> str:
        """Return what the decisions cost, and the first of them."""
        who = f"{self.rules.with_pieces}: {self.agent.name}"
        against = f"in a game against {self.opponent.name}"
        if not self.rows:
            return f"{who} gives nothing away {against} (exact, off by at most {self.off})"
        one = self.rows[0]
        return (
            f"{who} gives away {self.side.loss:.6f} of its chance {against}, "
            f"{percent_text(self.share)} of it in {count_text(len(self.rows), 'decision')}; "
            f"the first, "
            f"{one.position.on(self.rules.path)} with a {one.roll}, costs {one.cost:.7f} "
            f"(exact, off by at most {self.off})"
        )

    @property
    def off(self) -> str:
        """Return the bound as text."""
        return bound_text(self.bound)


def better(item: Decision, rules: RuleSet) -> str:
    """Return the best move in words, or nothing if it is played."""
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
    """Find the decisions that cost an agent most in its games, exactly.

    Parameters
    ----------
    agent
        The agent: ``NAME[:DEPTH][:LEAF][:TIES]``. Such a text, or an agent.
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides. By
        default that of the tablebase, or finkel.
    opponent
        Its opponent: an agent, or ``self``. The latter has it play against itself.
    most
        How many decisions, from 1 to 1000.
    by
        What ranks them: ``cost`` in a game, ``loss`` each time, or ``visits``, how often they come
        up.
    tablebase
        The rule set's solution. By default that which urcx solve has kept; small ones are solved
        on the fly.
    threads
        By default as many as there are cores.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Mistakes

    Raises
    ------
    UnknownNameError
        If there is no such agent, rule set or order.
    UsageError
        If the agent is one of the user's, or a number is out of range.
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
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> found = urcx.mistakes("greedy", short, most=1000)
    >>> round(found.side.loss, 6), round(found.share, 3)
    (0.124615, 0.865)
    """
    check_functions(stage=stage)
    chosen = rule_sources(rules, tablebase=tablebase).decided()
    ((player, rival),) = matched([agent], opponent, tablebase)
    check_name("order", by, RANKED_BY)
    if not 1 <= (number := catalogue.as_integer("most", most)) <= MOST:
        raise UsageError(f"most {number}: from 1 to {MOST:,} decisions")
    began = compute_clock()
    with contextlib.ExitStack() as stack:
        flow = LossFlow(chosen, tablebase, threads, stage, stack)
        games = flow.follow(player, rival, TallyOptions(decisions=number, by=RANKED_BY.index(by)))
        rows = tuple(decision_of(flow.order, decision) for decision in games.worst[0])
    return Mistakes(
        chosen, player, rival, by, games.side(0), rows, flow.bound(games, 0),
        compute_clock() - began, tuple(flow.policies.notes),
    )  # fmt: skip
