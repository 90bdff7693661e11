"""The kinds of agents that are built in: soon imported, for the shell and the list of agents.

All that is to be known of a kind stands here; a new one needs no more, unless it chooses as none
does yet (``chooses``; `urcx.agents.policies` has how each is prepared).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent.

    Attributes
    ----------
    title : str
        What it does.
    ties : str
        Its tie rule.
    chooses : str
        What finds its moves: ``ties`` alone, ``greedy``, ``gain``, a ``solution``, or a ``search``
        of positions, which a ``network`` may value.
    depth, leaf : int or None, str or None
        Defaults of those that look ahead; positions that a network values have no leaf values.
    few_rolls : bool
        See `urcx.agents.lookahead`.
    file : str
        Whether its text ``may`` or ``must`` name a file to play by, or there is ``none``.
    deepest : int or None
        The greatest depth in the explorer: what looks further takes longer than anybody waits.
    seconds : float
        Processor seconds of a choice, of those that do not look ahead.
    """

    title: str
    ties: str
    chooses: str
    depth: int | None = None
    leaf: str | None = None
    few_rolls: bool = False
    file: str = "none"
    deepest: int | None = None
    seconds: float = 5e-8

    @property
    def has_values(self) -> bool:
        """Return whether it has a value for each move, and not only a choice."""
        return self.chooses not in {"ties", "greedy"}


KINDS = {
    "random": AgentKind("any legal move with equal chance", "random", "ties"),
    "first": AgentKind(
        "the least advanced piece; one that enters counts as on step 0", "first", "ties"
    ),
    "last": AgentKind("the most advanced piece", "last", "ties"),
    "greedy": AgentKind(
        "any move that captures, else any to a rosette, else any", "last", "greedy", seconds=1e-7
    ),
    "gain": AgentKind(
        "tiles walked and taken less what the enemy may take, the gain of Raposo and Lamont",
        "last",
        "gain",
        seconds=5e-6,
    ),
    "expectimax": AgentKind(
        "the highest leaf value after all plies looked at, over all rolls",
        "first",
        "search",
        depth=3,
        leaf="advance",
        deepest=3,
    ),
    "optimal": AgentKind(
        "the highest chance of winning in a solution: optimal:FILE, or found on the fly",
        "first",
        "solution",
        file="may",
        seconds=2e-6,
    ),
    "panda": AgentKind(
        "as expectimax, but beyond the two next plies only rolls 1, 2, 3: Raposo and Lamont's",
        "first",
        "search",
        depth=7,
        leaf="advance+centre",
        few_rolls=True,
        deepest=7,
    ),
    "net": AgentKind(
        "the highest chance of winning to a network: net:FILE",
        "first",
        "network",
        depth=1,
        file="must",
    ),
    "learned": AgentKind(
        "the highest chance of winning to the network that comes with urcx",
        "first",
        "network",
        depth=1,
        deepest=2,
    ),
}
