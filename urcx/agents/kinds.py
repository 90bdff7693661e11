"""The kinds of agents that are built in: soon imported, for the shell and the list of agents."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent: what it does, its tie rule, and for those that look ahead their defaults.

    ``few_rolls`` is explained in `urcx.agents.lookahead`.
    """

    title: str
    ties: str
    depth: int | None = None
    leaf: str | None = None
    few_rolls: bool = False


KINDS = {
    "random": AgentKind("any legal move with equal chance", "random"),
    "first": AgentKind("the least advanced piece; one that enters counts as on step 0", "first"),
    "last": AgentKind("the most advanced piece", "last"),
    "greedy": AgentKind("any move that captures, else any to a rosette, else any", "last"),
    "gain": AgentKind(
        "tiles walked and taken less what the enemy may take, the gain of Raposo and Lamont", "last"
    ),
    "expectimax": AgentKind(
        "the highest leaf value after all plies looked at, over all rolls", "first", 3, "advance"
    ),
    "optimal": AgentKind(
        "the highest chance of winning in a solution: optimal:FILE, or found on the fly", "first"
    ),
    "panda": AgentKind(
        "as expectimax, but beyond the two next plies only rolls 1, 2, 3: Raposo and Lamont's",
        "first",
        7,
        "advance+centre",
        few_rolls=True,
    ),
    "net": AgentKind("the highest chance of winning to a network: net:FILE", "first", 1),
    "learned": AgentKind(
        "the highest chance of winning to the network that comes with urcx", "first", 1
    ),
}

ONLY_TIES = ("random", "first", "last")  # what they are is a tie rule among all legal moves
