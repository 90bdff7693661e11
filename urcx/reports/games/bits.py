"""What ``urcx bits`` shows: how many bits players take, and how well they play."""

from __future__ import annotations

from urcx.agents.policies import COARSE
from urcx.learn.curve.bits import Bits
from urcx.learn.curve.points import Point
from urcx.results.fields import (
    COUNT,
    INTERVAL,
    RULES,
    Field,
    Fields,
    Schema,
    decimals,
    percents_of,
    shown_as,
)
from urcx.results.numbers import at_most, counted
from urcx.results.report import Report
from urcx.results.tables import Column, secondary

TITLES = {
    "rule": "rule",
    "network": "network",
    "uniform": "table, uniform",
    "values": "table, for values",
    "decisions": "table, for decisions",
    "play": "exact play",
    "table": "solution",
}


def title(point: Point) -> str:
    """Return what kind of player a point is, in words."""
    return f"{TITLES[point.kind]}, {point.origin}" if point.origin else TITLES[point.kind]


def scientific(value: float) -> str:
    """Return a loss as text: 0 where there is none."""
    return f"{value:.2e}" if value else "0"


POINTS = Fields(
    Field("player", Column("player", text=True, key=True), about="an agent or a file", of="name"),
    Field("", Column("kind", text=True, key=True), of=title),
    Field(
        "kind",
        about=(
            "rule, network, uniform, values or decisions (how a table is quantised), play (exact "
            "play in a file), table (the solution)"
        ),
    ),
    Field("origin", about="of a network: self-play, distilled, or empty if its card does not say"),
    Field(
        "bits",
        "bits",
        COUNT,
        "bits of its data without headers; the program that reads them does not count",
    ),
    Field("bits_a_state", "a state", decimals(2), "bits divided by the number of states"),
    Field(
        "entropy",
        secondary("entropy"),
        decimals(2),
        "of a table's codes, bits a state: about what they take compressed",
    ),
    Field("wins", "wins", percents_of(4), "how likely it wins; each begins half of the games"),
    Field("loss", "loss", shown_as(scientific), "what that lacks to 1/2"),
    Field(
        "error",
        "±",
        shown_as(lambda error: scientific(error) if error else ""),
        "half width of the 95 % interval",
    ),
    Field("ci95", kind=INTERVAL, about="95 % interval of wins if estimated", of="interval"),
    Field("exactness", about="exact or estimate"),
    Field("ties", Column("ties", text=True), about="which of equally good moves it plays"),
    Field(
        "frontier",
        Column("best", text=True),
        shown_as(lambda best: "*" if best else ""),
        "whether no other row takes as few bits and loses as little",
    ),
)
BITS = Schema(
    "urcx.bits/1",
    {
        "": RULES
        + Fields(
            Field("states", kind=COUNT, about="unfinished mover views, as tables have them"),
            Field("games", about="games of each estimate, 0 if all is exact", of="sample"),
            Field("seed", about="the seed"),
            Field("bound", about="by how much values of the solution may be off"),
        ),
        "rows": POINTS,
    },
)


def bits_report(found: Bits) -> Report:
    """Return the report on a strategy-complexity curve."""
    data = BITS.data(found, rows=found.points)
    notes = [
        (
            "bits: of the player's data, without headers and checksums; programs are not counted, "
            "so a rule has 0"
        ),
        (
            "wins: against perfect play; each side begins in half of the games; loss: what that "
            "lacks to 50 %"
        ),
        "*: no other row takes as few bits and loses as little",
    ]
    if any(point.entropy is not None for point in found.points):
        notes.insert(
            1,
            (
                f"tables: a code for each of {found.states:,} states; the move to the highest "
                "code, among equals by the tie rule"
            ),
        )
    if any(point.kind == "network" for point in found.points):
        notes.append(
            "networks: 16 bits a weight, before their files are compressed; chances of captures "
            "that they see are computed by the program; distilled: taught by the solution, "
            "self-play: from games against itself alone"
        )
    if found.sample:
        notes.append(
            f"estimates with 95 % intervals, from what moves lose in {found.sample:,} games; "
            "no interval: exact, or no loss was seen"
        )
    if found.bound > COARSE:
        notes.append(
            f"values of the solution are off by at most {at_most(found.bound)}, a move's loss by "
            "twice that: smaller differences between moves are not resolved"
        )
    how = "estimated" if found.sample else "exactly"
    pieces = counted(found.rules.pieces, "piece")
    heading = f"Strategy complexity, {found.rules.name}, {pieces} a side, {how}"
    return Report(BITS.name, data, data["rows"], [POINTS.table(heading, found.points, notes)])
