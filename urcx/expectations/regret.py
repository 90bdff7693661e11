"""Regret: how far agents fall short of perfect play, as an exact expectation."""

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
from urcx.results.fields import COUNT, TEXT, Field, decimals, fields_of, percents_of
from urcx.results.numbers import bound_text, known_digits, number, percent_text
from urcx.results.result import Result
from urcx.results.tables import key, secondary
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.files.rgu import rule_sources
from urcx.solving.layered.solver import check_tolerance

__all__ = ["regret"]

SHOWN = 1e-7  # greater error bounds of a share of wins than the table's last digits are told


@dataclass(frozen=True)
class Regret:
    """An agent's regret in games against an opponent; each begins half of them."""

    agent: Annotated[Agent, Field(key("agent"), about="an agent", of="name")]
    opponent: Annotated[Agent, Field(key("against"), about="whom it plays", of="name")]
    side: Annotated[
        Side,
        "the agent's expectations per game",
        Field("wins", percents_of(4), "how likely it wins", key="wins", of="wins"),
        Field("loss a game", decimals(6), "what it gives away in a game", key="loss", of="loss"),
        Field(about="plies in a game", key="plies", of="plies"),
        Field(
            secondary("decisions"),
            decimals(2),
            "plies with two or more legal moves",
            key="decisions",
            of="decisions",
        ),
        Field(about="decisions in which it gives something away", key="mistakes", of="mistakes"),
    ]
    opposite: Annotated[
        Side,
        "those of the opponent",
        Field(about="what its opponent gives away in a game", key="opponents_loss", of="loss"),
    ]
    wins_bound: Annotated[
        float,
        "by how much the agent's wins are off at most: the probability of games that were not "
        "followed to their end, and rounding",
        Field(about="by how much wins is off at most, besides the solution's gap"),
    ]
    counts_bound: Annotated[
        float, Field(about="by how much plies, decisions and mistakes are off at most")
    ]
    loss_bound: Annotated[
        float, Field(about="by how much loss is off at most, the solution's gap included")
    ]
    states: Annotated[
        int,
        Field(
            "",
            COUNT,
            f"states with it to move that come up more than {VISITED:g} times a game",
            key="visited",
        ),
    ]
    worst: Annotated[
        Decision | None,
        "the decision in these states that loses most; None if none loses anything",
        Field(
            about="the greatest loss of a decision in these, null if there is none",
            key="worst_loss",
            of="loss",
        ),
        Field(
            "",
            TEXT,
            "the position of that decision, with the agent as light",
            key="worst_position",
            of="position",
        ),
        Field(about="its roll", key="worst_roll", of="roll"),
        Field(
            about="step that the piece leaves in it (0: the start pool)",
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
        Field(about="how often the position comes up in a game", key="worst_visits", of="visits"),
    ]

    @property
    @Field(about="which of equally good moves it plays", after="opponent")
    def ties(self) -> str:
        """Return which of equally good moves the agent plays."""
        return self.agent.ties

    @property
    @Field(secondary("a ply"), decimals(6), "a ply", key="loss_per_ply")
    def a_ply(self) -> float:
        """Return the mean loss of winning probability per ply of the agent."""
        return self.side.loss / self.side.plies

    @property
    @Field("a decision", decimals(6), "a decision", key="loss_per_decision")
    def a_decision(self) -> float:
        """Return the mean loss of winning probability per decision (two or more legal moves)."""
        return self.side.loss / self.side.decisions if self.side.decisions else 0.0

    @property
    @Field("mistaken", percents_of(2), "their share of all decisions", after="side")
    def mistaken(self) -> float:
        """Return the share of decisions in which the agent does not play a best move."""
        return self.side.mistakes / self.side.decisions if self.side.decisions else 0.0

    def met(self, rules: RuleSet) -> str:
        """Return which states the agent meets, and its worst decision in them."""
        met = f"{self.agent.name} meets {number(self.states)} states more than {VISITED:g} times "
        if self.worst is None:
            return f"{met}a game and gives away nothing there"
        one = self.worst
        played, best = (move.describe(rules.path, light=True) for move in (one.played, one.best))
        where = one.position.on(rules.path)
        return (
            f"{met}a game; its worst decision there, as light in {where} with a {one.roll}: "
            f"{played}; better: {best}; it loses {one.loss:.6f}, {one.visits:.1e} times a game"
        )


BEFORE = ("agent", "opponent", "ties", "wins", "loss", "loss_per_ply", "loss_per_decision")
LOSSES = fields_of(Regret).pick(*BEFORE) + fields_of(Regret).without(*BEFORE)


@dataclass(frozen=True)
class AgentLosses(Result, function="regret"):
    """The regret of several agents.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.regret("greedy", urcx.ruleset("finkel", pieces=1))
    >>> round(found.opening, 6), len(found.regrets)
    (0.53005, 1)
    """

    schema = "urcx.regret/1"
    lists = ("regrets",)
    parts: ClassVar = {"rows": LOSSES}
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="of all but opening")]] = (
        "exact but for rounding in 64 bits and the solution's gap"
    )
    opening: Annotated[float, Field(about="how likely who begins wins under perfect play")]
    regrets: Annotated[tuple[Regret, ...], "one for each agent"]
    bound: Annotated[float, Field(about="by how much values of the solution may be off")]
    first: ClassVar[Annotated[str, Field(about="who begins")]] = "alternate"
    notes: Annotated[tuple[str, ...], "on what was computed"] = ()

    @property
    def legend(self) -> list[str]:
        """Return notes on bounds, and on the worst decision of each agent."""
        notes = [
            (
                "loss: winning probability given away against the best move, weighted by expected "
                "visit counts"
            ),
            "each side begins in half of the games; decisions: plies with two or more legal moves",
            f"under perfect play who begins wins with {known_digits(self.opening, self.bound)}",
        ]
        notes += [item.met(self.rules) for item in self.regrets]
        bound = max((item.wins_bound for item in self.regrets), default=0.0)
        if bound > SHOWN:
            notes.insert(0, f"shares of wins are off by at most {bound_text(bound)}")
        if self.bound > COARSE:
            warning = (
                f"values are off by at most {bound_text(self.bound)}, so a move's loss by "
                f"twice that: "
                "smaller differences between moves are not resolved"
            )
            notes.insert(0, warning)
        return notes

    @property
    def answer(self) -> str:
        """Return what the best agent gives away in a game, and the worst."""
        best, *others = sorted(self.regrets, key=lambda item: item.side.loss)
        text = (
            f"{self.rules.with_pieces}: {best.agent.name} gives away {best.side.loss:.6f} of its "
            f"chance in a game against {best.opponent.name} (exact, off by at most "
            f"{bound_text(best.loss_bound)}) and wins {percent_text(best.side.wins)}"
        )
        if others:
            worst = others[-1]
            text += f"; {worst.agent.name}, the worst of {len(self.regrets)}, "
            text += f"{worst.side.loss:.6f} and {percent_text(worst.side.wins)}"
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
    """Compute what agents give away against perfect play, exactly.

    Parameters
    ----------
    agents
        Agents to judge: ``NAME[:DEPTH][:LEAF][:TIES]``. One or several such texts, or agents.
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides. By
        default the tablebase's, else ``finkel``.
    opponent
        Their opponent: an agent, or ``self``. The latter has each play against itself.
    tablebase
        The rule set's solution. By default that which urcx solve has kept; small ones are solved
        on the fly.
    tolerance
        Probability of games that need not be followed to their end, from 1e-13 to 1e-2; more takes
        less time.
    threads
        By default as many as there are cores.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    AgentLosses

    Raises
    ------
    UsageError
        If an agent is one of the user's, or the tolerance is out of range.
    OutOfDomainError
        If the path has no layers.
    TablebaseError
        If the tablebase cannot be read, or is of another game.
    TooLargeError
        If there is no solution and the rule set is too large, or memory does not suffice.

    Notes
    -----
    A move's loss is by how much the mover's chance of winning under perfect play after it is below
    that after the best move. It is weighted by how often each state comes up in games against the
    opponent, computed as in `urcx.expectations.expected`. Against a perfect opponent, the losses of
    a game add up to what the agent's chance of winning lacks.

    Examples
    --------
    >>> import urcx
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> found = urcx.regret(["random", "greedy"], short)
    >>> [(item.agent.name, round(item.side.loss, 4)) for item in found.regrets]
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
