"""What ``urcx agents`` shows."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from urcx.agents.kinds import KINDS, AgentKind
from urcx.results.fields import PLAIN, Field, Fields, Kind, Schema
from urcx.results.report import Report
from urcx.results.tables import Column

AGENTS_NOTES = (
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


def _of_kind(name: str) -> Callable[[tuple[str, AgentKind]], Any]:
    return lambda item: getattr(item[1], name)


ROWS = Fields(
    Field("name", "<name", about="name of an agent", of=itemgetter(0)),
    Field("title", Column("plays", text=True, least=16), PLAIN, "what it does", _of_kind("title")),
    Field("depth", "depth", Kind(none="-"), "plies it looks ahead, or null", _of_kind("depth")),
    Field("leaf", "<leaf", Kind(none="-"), "its leaf value, or null", _of_kind("leaf")),
    Field("ties", "<ties", about="which of equally good moves it plays", of=_of_kind("ties")),
    Field(
        "looks_ahead",
        about="whether it looks ahead",
        of=lambda item: item[1].depth is not None,
    ),
)
AGENTS = Schema("urcx.agents/1", {"": Fields(), "rows": ROWS})


def agents_report() -> Report:
    """Return the list of agents with their default settings."""
    kinds = list(KINDS.items())
    data = AGENTS.data(None, rows=kinds)
    shown = ROWS.pick("name", "depth", "leaf", "ties", "title")
    table = shown.table("Agents", kinds, AGENTS_NOTES)
    return Report(AGENTS.name, data, data["rows"], [table])
