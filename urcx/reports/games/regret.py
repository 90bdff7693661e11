"""What ``urcx regret`` shows: agents judged by perfect play."""

from __future__ import annotations

from urcx.agents.policies import COARSE
from urcx.expectations.regret import Judged
from urcx.reports.display.output import Column, Report, counted
from urcx.reports.display.result_fields import (
    RULES,
    Field,
    Fields,
    Schema,
    always,
    decimals,
    percent,
)
from urcx.reports.solving.solve import known_digits
from urcx.solving.files.tablebase import at_most

ROWS = Fields(
    Field("agent", Column("agent", text=True, key=True), about="an agent", of="agent.name"),
    Field(
        "opponent",
        Column("against", text=True, key=True),
        about="whom it plays",
        of="opponent.name",
    ),
    Field("ties", about="which of equally good moves it plays", of="agent.ties"),
    Field("wins", "wins", percent(4), "how likely it wins", of="side.wins"),
    Field("loss", "loss a game", decimals(6), "what it gives away in a game", of="side.loss"),
    Field("loss_per_ply", Column("a ply", secondary=True), decimals(6), "a ply", of="a_ply"),
    Field("loss_per_decision", "a decision", decimals(6), "a decision", of="a_decision"),
    Field("plies", about="plies in a game", of="side.plies"),
    Field(
        "decisions",
        Column("decisions", secondary=True),
        decimals(2),
        "plies with two or more legal moves",
        of="side.decisions",
    ),
    Field("mistakes", about="decisions in which it gives something away", of="side.mistakes"),
    Field("mistaken", "mistaken", percent(2), "their share of all decisions"),
    Field("opponents_loss", about="what its opponent gives away in a game", of="opposite.loss"),
)
REGRET = Schema(
    "urcx.regret/1",
    {
        "": RULES
        + Fields(
            always(
                "exactness",
                "exact but for rounding in 64 bits and the solution's gap",
                "of all but opening",
            ),
            Field("opening", about="how likely who begins wins under perfect play"),
            Field("bound", about="by how much values of the solution may be off"),
            always("first", "alternate", "who begins"),
        ),
        "rows": ROWS,
    },
)


def report(found: Judged) -> Report:
    """Return the report on agents judged by perfect play."""
    data = REGRET.data(found, rows=found.regrets)
    notes = [
        (
            "loss: winning probability given away against the best move, weighted by expected "
            "visit counts"
        ),
        "each side begins in half of the games; decisions: plies with two or more legal moves",
        f"under perfect play who begins wins with {known_digits(found.opening, found.bound)}",
    ]
    if found.bound > COARSE:
        notes.append(
            f"values are off by at most {at_most(found.bound)}, so a move's loss by twice that: "
            "smaller differences between moves are not resolved"
        )
    title = f"Regret, {found.rules.name}, {counted(found.rules.pieces, 'piece')} a side, exactly"
    return Report(REGRET.name, data, data["rows"], [ROWS.table(title, found.regrets, notes)])
