"""What ``urcx regret`` shows: agents judged by perfect play."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from urcx.agents.policies import COARSE
from urcx.expectations.pair_flow import VISITED
from urcx.expectations.regret import Judged, Regret
from urcx.results.fields import COUNT, RULES, Field, Fields, Schema, always, decimals, percents_of
from urcx.results.numbers import at_most, counted, known_digits, number
from urcx.results.report import Report
from urcx.results.tables import Column
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

SHOWN = 1e-7  # greater error bounds of a share of wins than the table's last digits are told


def worst(key: str, about: str, of: str) -> Field:
    """Return a field of the decision that loses most; null without one."""
    value = attrgetter(of)

    def found(item: Regret) -> Any:
        one = None if item.worst is None else value(item.worst)
        return str(one) if isinstance(one, Position) else one

    return Field(f"worst_{key}", about=about, of=found)


ROWS = Fields(
    Field("agent", Column("agent", text=True, key=True), about="an agent", of="agent.name"),
    Field(
        "opponent",
        Column("against", text=True, key=True),
        about="whom it plays",
        of="opponent.name",
    ),
    Field("ties", about="which of equally good moves it plays", of="agent.ties"),
    Field("wins", "wins", percents_of(4), "how likely it wins", of="side.wins"),
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
    Field("mistaken", "mistaken", percents_of(2), "their share of all decisions"),
    Field("opponents_loss", about="what its opponent gives away in a game", of="opposite.loss"),
    Field("wins_bound", about="by how much wins is off at most, besides the solution's gap"),
    Field("counts_bound", about="by how much plies, decisions and mistakes are off at most"),
    Field("loss_bound", about="by how much loss is off at most, the solution's gap included"),
    Field(
        "visited",
        kind=COUNT,
        about=f"states with it to move that come up more than {VISITED:g} times a game",
        of="states",
    ),
    worst("loss", "the greatest loss of a decision in these, null if there is none", "loss"),
    worst("position", "the position of that decision, with the agent as light", "position"),
    worst("roll", "its roll", "roll"),
    worst("from", "step that the piece leaves in it (0: the start pool)", "played.start"),
    worst("to", "step that it reaches", "played.end"),
    worst("best_from", "step that the piece leaves in the best move", "best.start"),
    worst("best_to", "step that it reaches", "best.end"),
    worst("visits", "how often the position comes up in a game", "visits"),
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


def _met(item: Regret, rules: RuleSet) -> str:
    """Return which states an agent meets, and its worst decision in them."""
    met = f"{item.agent.name} meets {number(item.states)} states more than {VISITED:g} times a game"
    if item.worst is None:
        return f"{met} and gives away nothing there"
    one = item.worst
    played, best = (move.describe(rules.path, light=True) for move in (one.played, one.best))
    return (
        f"{met}; its worst decision there, as light in {one.position} with a {one.roll}: {played}; "
        f"better: {best}; it loses {one.loss:.6f}, {one.visits:.1e} times a game"
    )


def regret_report(found: Judged) -> Report:
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
    notes += [_met(item, found.rules) for item in found.regrets]
    bound = max((item.wins_bound for item in found.regrets), default=0.0)
    if bound > SHOWN:
        notes.append(f"shares of wins are off by at most {at_most(bound)}")
    if found.bound > COARSE:
        notes.append(
            f"values are off by at most {at_most(found.bound)}, so a move's loss by twice that: "
            "smaller differences between moves are not resolved"
        )
    title = f"Regret, {found.rules.name}, {counted(found.rules.pieces, 'piece')} a side, exactly"
    return Report(REGRET.name, data, data["rows"], [ROWS.table(title, found.regrets, notes)])
