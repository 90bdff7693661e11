"""What regret shows: agents judged by perfect play."""

from __future__ import annotations

from typing import Any

from urcx.agents.policies import COARSE
from urcx.expectations.regret import Judged, Regret
from urcx.reports.display.output import Column, Report, Table, counted
from urcx.reports.solving.solve import known_digits
from urcx.solving.files.tablebase import at_most


def report(found: Judged) -> Report:
    """Return the report on agents judged by perfect play."""
    rows = [_row(item) for item in found.regrets]
    data: dict[str, Any] = {
        "rules": found.rules.name,
        "pieces": found.rules.pieces,
        "exactness": "exact but for rounding in 64 bits and the solution's gap",
        "opening": found.opening,
        "bound": found.bound,
        "first": "alternate",
        "rows": rows,
    }
    cells = [
        [
            row["agent"],
            row["opponent"],
            f"{row['wins']:.4%}",
            f"{row['loss']:.6f}",
            f"{row['loss_per_ply']:.6f}",
            f"{row['loss_per_decision']:.6f}",
            f"{row['decisions']:.2f}",
            f"{row['mistaken']:.2%}",
        ]
        for row in rows
    ]
    columns: list[str | Column] = [
        *(Column(title, text=True, key=True) for title in ("agent", "against")),
        "wins", "loss a game", Column("a ply", secondary=True), "a decision",
        Column("decisions", secondary=True), "mistaken",
    ]  # fmt: skip
    notes = [
        (
            "loss: by how much the chance of winning under perfect play after a move is below "
            "that after the best one, over all states as often as they come up"
        ),
        "each side begins in half of the games; decisions: plies with two or more legal moves",
        f"under perfect play who begins wins with {known_digits(found.opening, found.bound)}",
    ]
    if found.bound > COARSE:
        notes.append(
            f"chances are off by at most {at_most(found.bound)}, so a move's loss by twice that: "
            "moves that are nearer to each other are not told apart"
        )
    title = f"Regret, {found.rules.name}, {counted(found.rules.pieces, 'piece')} a side, exactly"
    return Report("urcx.regret/1", data, rows, [Table(title, columns, cells, notes)])


def _row(item: Regret) -> dict[str, Any]:
    return {
        "agent": item.agent.name,
        "opponent": item.opponent.name,
        "ties": item.agent.ties,
        "wins": item.side.wins,
        "loss": item.side.loss,
        "loss_per_ply": item.a_ply,
        "loss_per_decision": item.a_decision,
        "plies": item.side.plies,
        "decisions": item.side.decisions,
        "mistakes": item.side.mistakes,
        "mistaken": item.mistaken,
        "opponents_loss": item.opposite.loss,
    }
