"""The kinds of agents that are built in: soon imported, for the shell and the list of agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from urcx.results.fields import Fields, Kind, Schema, fields_of, member
from urcx.results.report import Report
from urcx.results.tables import Column

NONE = Kind(none="-")


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent: what it does, its tie rule, and for those that look ahead their defaults.

    ``few_rolls`` is explained in `urcx.agents.lookahead`.
    """

    name: Annotated[str, member("<name", about="name of an agent")]
    title: Annotated[str, member(Column("plays", text=True, least=16), about="what it does")]
    ties: Annotated[str, member("<ties", about="which of equally good moves it plays")]
    depth: Annotated[int | None, member("depth", NONE, "plies it looks ahead, or null")] = None
    leaf: Annotated[str | None, member("<leaf", NONE, "its leaf value, or null")] = None
    few_rolls: bool = False

    @property
    @member(about="whether it looks ahead")
    def looks_ahead(self) -> bool:
        """Return whether it looks ahead."""
        return self.depth is not None


_ALL = (
    AgentKind("random", "any legal move with equal chance", "random"),
    AgentKind("first", "the least advanced piece; one that enters counts as on step 0", "first"),
    AgentKind("last", "the most advanced piece", "last"),
    AgentKind("greedy", "any move that captures, else any to a rosette, else any", "last"),
    AgentKind(
        "gain",
        "tiles walked and taken less what the enemy may take, the gain of Raposo and Lamont",
        "last",
    ),
    AgentKind(
        "expectimax",
        "the highest leaf value after all plies looked at, over all rolls",
        "first",
        3,
        "advance",
    ),
    AgentKind(
        "optimal",
        "the highest chance of winning in a solution: optimal:FILE, or found on the fly",
        "first",
    ),
    AgentKind(
        "panda",
        "as expectimax, but beyond the two next plies only rolls 1, 2, 3: Raposo and Lamont's",
        "first",
        7,
        "advance+centre",
        few_rolls=True,
    ),
    AgentKind("net", "the highest chance of winning to a network: net:FILE", "first", 1),
    AgentKind(
        "learned", "the highest chance of winning to the network that comes with urcx", "first", 1
    ),
)
KINDS = {kind.name: kind for kind in _ALL}

ONLY_TIES = ("random", "first", "last")  # what they are is a tie rule among all legal moves
NOTES = (
    (
        "written NAME[:DEPTH][:LEAF][:TIES], such as panda:5 or greedy:random; optimal:FILE; "
        "net:FILE[:DEPTH]; FILE.py:FUNCTION is one of your own"
    ),
    (
        "ties: which of equally good moves it plays, that of the piece found first (the least "
        "advanced), last (the most advanced), or any at random"
    ),
    (
        "depth: plies looked at, its own move included; leaf: what a position is worth after them: "
        "steps and pieces home less the enemy's, advance+centre with 4 for the centre rosette"
    ),
)
ROWS = fields_of(AgentKind).pick("name", "title", "depth", "leaf", "ties", "looks_ahead")
AGENTS = Schema("urcx.agents/1", {"": Fields(), "rows": ROWS})


def agents_report() -> Report:
    """Return the list of agents with their default settings."""
    data = AGENTS.data(None, rows=KINDS.values())
    shown = ROWS.pick("name", "depth", "leaf", "ties", "title")
    table = shown.table("Agents", KINDS.values(), NOTES)
    return Report(AGENTS.name, data, data["rows"], [table])
