"""What ``urcx lengths`` shows: how likely games have each number of plies."""

from __future__ import annotations

from types import SimpleNamespace

from urcx.extremes.lengths import SHOWN, Lengths
from urcx.reports.display.output import Column, Report, Table, counted
from urcx.reports.display.result_fields import (
    COMPILED,
    RULES,
    Field,
    Fields,
    Schema,
    always,
    decimals,
    shown_as,
)

SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
CHANCE = shown_as(lambda chance: f"{chance:.6g}")
ROWS = Fields(
    Field("plies", Column("plies", key=True), about="a number of plies"),
    Field("chance", "chance", CHANCE, "the probability of just as many"),
    Field("at_most", "at most so many", CHANCE, "the probability of at most as many"),
)
FOUND = Fields(
    Field("light", about="the agent that plays light", of="light.name"),
    Field("dark", about="the agent that plays dark", of="dark.name"),
    Field("first", about="who begins"),
    Field("mean", "mean", decimals(4), "mean plies, the tail counted as if it ended there"),
    Field("sd", "standard deviation", decimals(4), "their standard deviation, in the same way"),
    Field(
        "shortest",
        f"fewest, likelier than {SHOWN:g}",
        about=f"the fewest plies with a chance above {SHOWN:g}: rounding hides rarer games",
    ),
    Field("likeliest", "likeliest", about="the likeliest number of plies"),
    Field("tail", "chance of a longer game", CHANCE, "the probability of more plies than listed"),
    Field("seconds", about="how long that took"),
)
LENGTHS = Schema(
    "urcx.lengths/1",
    {
        "": RULES
        + Fields(always("exactness", "exact but for rounding in 64 bits", "of the probabilities"))
        + FOUND
        + COMPILED,
        "rows": ROWS,
    },
)


def lengths_report(found: Lengths) -> Report:
    """Return the report on the lengths of games: all of them in JSON and CSV, shares in a table."""
    total, rows = 0.0, []
    for plies, chance in enumerate(found.chances.tolist()):
        total += chance
        rows.append(SimpleNamespace(plies=plies, chance=chance, at_most=min(total, 1.0)))
    rows = rows[found.shortest :]
    data = LENGTHS.data(found, rows=rows)
    players = found.light.name
    if found.dark != found.light:
        players = f"{players} against {found.dark.name}"
    rules = found.rules
    pieces = counted(rules.pieces, "piece")
    title = f"Plies of a game of {players}, {rules.name}, {pieces} a side, exactly"
    shown = FOUND.pick("mean", "sd", "shortest", "likeliest", "tail")
    quantiles = [
        [f"{share:.0%}", "" if plies is None else str(plies)]
        for share, plies in ((share, found.quantile(share)) for share in SHARES)
    ]
    return Report(
        LENGTHS.name,
        data,
        data["rows"],
        [
            Table(title, ["<", "<"], shown.lines(found)),
            Table("How many plies so many games do not exceed", ["games", "plies"], quantiles),
        ],
    )
