"""The losses of agents against optimal play, as exact expectations."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from urcx.agents.agents import Agent, as_several
from urcx.agents.kinds import KINDS
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import COARSE
from urcx.engine.threads import Stage, no_progress
from urcx.errors import check_functions
from urcx.expectations.layers import VISITED
from urcx.expectations.losses import (
    Decision,
    LossFlow,
    decision_of,
    matched,
)
from urcx.expectations.tally import TOLERANCE, Side, TallyOptions
from urcx.results.fields import COUNT, TEXT, Field, decimals, fields_of
from urcx.results.numbers import bound_text, number, percent_text
from urcx.results.result import Result
from urcx.results.tables import Table, key, secondary
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.rgu import rule_sources
from urcx.solving.layered.solver import check_tolerance
from urcx.solving.probing import PERCENT, POINTS, points_text, wide

__all__ = ["regret"]

SHOWN = 1e-7  # error bounds of win probabilities above this need a note


@dataclass(frozen=True)
class Regret:
    """An agent's loss in games against an opponent. Each of them begins in half of the games."""

    agent: Annotated[Agent, Field(key("agent"), about="an agent", of="name")]
    opponent: Annotated[Agent, Field(key("against"), about="its opponent", of="name")]
    side: Annotated[
        Side,
        "the agent's expectations per game",
        Field("wins", PERCENT, "its win probability", key="wins", of="wins"),
        Field("loss (points)", POINTS, "its loss per game", key="loss", of="loss"),
        Field(about="its plies per game", key="plies", of="plies"),
        Field(
            secondary("decisions"),
            decimals(2),
            "plies with two or more legal moves",
            key="decisions",
            of="decisions",
        ),
        Field(about="decisions in which it loses something", key="mistakes", of="mistakes"),
    ]
    opposite: Annotated[
        Side,
        "the opponent's expectations per game",
        Field(about="the opponent's loss per game", key="opponents_loss", of="loss"),
    ]
    wins_bound: Annotated[
        float,
        "the error bound of the agent's win probability: the probability of games that were not "
        "followed to their end, and rounding",
        Field(about="error bound of wins, without the solution's gap"),
    ]
    counts_bound: Annotated[float, Field(about="error bound of plies, decisions and mistakes")]
    loss_bound: Annotated[float, Field(about="error bound of loss, including the solution's gap")]
    states: Annotated[
        int,
        Field(
            "",
            COUNT,
            f"states with it to move that occur more than {VISITED:g} times per game",
            key="visited",
        ),
    ]
    worst: Annotated[
        Decision | None,
        "the decision in these states with the greatest loss, None if the agent loses nothing",
        Field(
            about="greatest loss of a decision in these states, null without a loss",
            key="worst_loss",
            of="loss",
        ),
        Field(
            "",
            TEXT,
            "position of that decision, with the agent as light",
            key="worst_position",
            of="position",
        ),
        Field(about="its roll", key="worst_roll", of="roll"),
        Field(
            about="step that the piece leaves (0: the start pool)",
            key="worst_from",
            of="played.start",
        ),
        Field(about="step that it reaches", key="worst_to", of="played.end"),
        Field(
            about="step that the piece leaves in the best move",
            key="worst_best_from",
            of="best.start",
        ),
        Field(about="step that it reaches", key="worst_best_to", of="best.end"),
        Field(about="visits of the position per game", key="worst_visits", of="visits"),
    ]

    @property
    @Field(about="its tie-breaking rule", after="opponent")
    def ties(self) -> str:
        """Return the agent's tie-breaking rule."""
        return self.agent.ties

    @property
    @Field(secondary("per ply"), POINTS, "its loss per ply", key="loss_per_ply")
    def a_ply(self) -> float:
        """Return the mean loss per ply of the agent."""
        return self.side.loss / self.side.plies

    @property
    @Field("per decision", POINTS, "its loss per decision", key="loss_per_decision")
    def a_decision(self) -> float:
        """Return the mean loss per decision (two or more legal moves)."""
        return self.side.loss / self.side.decisions if self.side.decisions else 0.0

    @property
    @Field("mistakes", PERCENT, "their share of all decisions", after="side")
    def mistaken(self) -> float:
        """Return the share of decisions in which the agent does not play a best move."""
        return self.side.mistakes / self.side.decisions if self.side.decisions else 0.0

    def met(self, rules: RuleSet) -> str:
        """Return a note on the states that the agent meets, and on its worst decision in them."""
        met = (
            f"{self.agent.name} meets {number(self.states)} states more than {VISITED:g} times per "
            "game"
        )
        if self.worst is None:
            return f"{met} and loses nothing there"
        worst = self.worst
        played, best = (
            move.describe(rules.path, light=True) for move in (worst.played, worst.best)
        )
        where = worst.position.on(rules.path)
        return (
            f"{met}. Its worst decision there loses {points_text(worst.loss)} points: as light in "
            f"{where} with a {worst.roll} ({worst.visits:.1e} times per game), it plays {played}; "
            f"better: {best}"
        )


BEFORE = ("agent", "opponent", "ties", "wins", "loss", "loss_per_ply", "loss_per_decision")
LOSSES = fields_of(Regret).pick(*BEFORE) + fields_of(Regret).without(*BEFORE)


@dataclass(frozen=True)
class AgentLosses(Result, function="regret"):
    """The losses of several agents.

    Examples
    --------
    >>> import urcx
    >>> result = urcx.regret("greedy", urcx.ruleset("finkel", pieces=1))
    >>> round(result.opening, 6), len(result.regrets)
    (0.53005, 1)
    """

    schema = "urcx.regret/1"
    lists = ("regrets",)
    parts: ClassVar = {"rows": LOSSES}
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="of all but opening")]] = (
        "exact but for rounding in 64 bits and the solution's gap"
    )
    opening: Annotated[float, Field(about="win probability of the first player under optimal play")]
    regrets: Annotated[tuple[Regret, ...], "the loss of each agent"]
    bound: Annotated[float, Field(about="error bound of the solution's values")]
    first: ClassVar[Annotated[str, Field(about="the first player")]] = "alternate"
    notes: Annotated[tuple[str, ...], "notes on the computation"] = ()

    @property
    def legend(self) -> list[str]:
        """Return notes on bounds, and on the worst decision of each agent."""
        notes = [
            "loss: per game, per ply and per decision, compared with the best moves, in points",
            "each side begins in half of the games; decisions: plies with two or more legal moves",
            f"under optimal play the first player wins {percent_text(self.opening)} of games",
        ]
        notes += [item.met(self.rules) for item in self.regrets]
        bound = max((item.wins_bound for item in self.regrets), default=0.0)
        if bound > SHOWN:
            notes.insert(0, f"error bound of win probabilities: {bound_text(bound)}")
        if self.bound > COARSE:
            warning = (
                f"error bound of the solution's values: {bound_text(self.bound)}. A move's loss "
                "may be wrong by twice that, and smaller differences between moves count as ties"
            )
            notes.insert(0, warning)
        return notes

    def wide_tables(self) -> list[Table]:
        """Return the table with more decimals."""
        return [wide(LOSSES).table("", self.regrets, self.legend)]

    @property
    def answer(self) -> str:
        """Return the losses per game of the best agent and of the worst."""
        best, *others = sorted(self.regrets, key=lambda item: item.side.loss)
        text = (
            f"{self.rules.with_pieces}: {best.agent.name} loses {points_text(best.side.loss)} "
            f"points per game against {best.opponent.name} (exact, ± "
            f"{bound_text(best.loss_bound)}) and wins {percent_text(best.side.wins)} of games"
        )
        if others:
            worst = others[-1]
            text += f"; {worst.agent.name}, the worst of {len(self.regrets)}, loses "
            text += f"{points_text(worst.side.loss)} points and wins "
            text += percent_text(worst.side.wins)
        return text


OPPONENTS = (*KINDS, "self")


def regret(
    agents: str | Agent | CustomAgent | Sequence[str | Agent | CustomAgent] = "greedy",
    rules: str | RuleSet | None = None,
    *,
    opponent: str | Agent = "optimal",
    tablebase: str | Path | None = None,
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> AgentLosses:
    """Compute the losses of agents against optimal play, exactly.

    Parameters
    ----------
    agents
        The agents to judge: one or several agents or strings ``NAME[:DEPTH][:LEAF][:TIES]``.
    rules
        A rule set or its name. Its path must cross no tile twice and be the same for both sides. By
        default the tablebase's, else ``finkel``.
    opponent
        Their opponent: an agent, or ``self``, with which each agent plays against itself.
    tablebase
        The rule set's solution. By default the solution that urcx solve has saved. Small rule sets
        are solved on the fly.
    tolerance
        Probability of games that need not be followed to their end, from 1e-13 to 1e-2. A greater
        tolerance takes less time.
    threads
        By default as many as there are cores.
    stage
        Called when each part of the work begins.

    Returns
    -------
    AgentLosses

    Raises
    ------
    UsageError
        If the tolerance is out of range, an agent is another program, or a user's own agent cannot
        be asked in every state (:doc:`/agents`).
    OutOfDomainError
        If the path has no layers.
    TablebaseError
        If the tablebase cannot be read, or belongs to another game.
    TooLargeError
        If there is no solution and the rule set is too large, or memory does not suffice.

    Notes
    -----
    The loss of a move is the mover's win probability under optimal play after the best move, minus
    the win probability after this move. The loss per game weights it with the expected visit counts
    of the states in games against the opponent, computed as in `urcx.expectations.expected`.
    Against an optimal opponent, the losses of a game add up to the difference between the agent's
    win probability and 50 %.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> result = urcx.regret(["random", "greedy"], short)
    >>> [(item.agent.name, round(item.side.loss, 4)) for item in result.regrets]
    [('random', 0.2386), ('greedy', 0.1246)]
    """
    check_functions(stage=stage)
    chosen = rule_sources(rules, tablebase=tablebase).decided()
    pairs = matched(as_several(agents), opponent, tablebase)
    options = TallyOptions(check_tolerance(tolerance))
    regrets = []
    with contextlib.ExitStack() as stack:
        flow = LossFlow(chosen, tablebase, threads, stage, stack)
        for pair in pairs:
            games = flow.follow(*pair, options)
            sides = games.side(0), games.side(1)
            bounds = games.left, games.accuracy.counted(), flow.bound(games, 0, 1)
            worst = [decision_of(flow.order, decision) for decision in games.worst[0]]
            met = int(games.states[0])
            regrets.append(Regret(*pair, *sides, *bounds, met, worst[0] if worst else None))
    return AgentLosses(chosen, flow.opening, tuple(regrets), flow.gap, tuple(flow.policies.notes))
