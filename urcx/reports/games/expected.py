"""What ``urcx gtc --exact`` shows: exact means, and sampled games beside them."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from urcx.complexity.game_tree import CONVENTIONS, at_means, constants
from urcx.engine.compiling import COMPILED
from urcx.expectations.bounds import Accuracy, of_conventions
from urcx.expectations.expected import Expected, exact_measures
from urcx.expectations.sampled import mean_off, share_off
from urcx.expectations.side_means import Side
from urcx.games.statistics import Measure
from urcx.games.tallies import wins as tallied
from urcx.published.gtc import GameTree, Played
from urcx.reports.games.gtc import NAMES, members, played_report
from urcx.reports.games.measure_cells import (
    ESTIMATE,
    EXACT_COLUMNS,
    against,
    power_of_ten,
    shown_bound,
)
from urcx.results.fields import COUNT, RULES, Field, Fields, Schema, always
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.tables import Column, Table

TIES = {"first": "the least advanced", "last": "the most advanced", "random": "each as likely"}
PARAMETERS = (
    RULES
    + Fields(
        Field("light", about="who plays light", of="light.name"),
        Field("dark", about="who plays dark", of="dark.name"),
        Field(
            "ties",
            about="of light and dark: which of equally good moves they play",
            of=lambda found: {"light": found.light.ties, "dark": found.dark.ties},
        ),
        Field("first", about="who begins"),
        always("exactness", "exact but for rounding in 64 bits and left_out", "of all means"),
        Field(
            "left_out",
            about="bound of the probability of games not followed to their end, and of rounding",
        ),
        Field("states", "", COUNT, "how many were followed, with either side to move"),
        Field("seconds", about="how long that took"),
    )
    + COMPILED
)
SIDE = Fields(
    Field("plies", about="plies in a game"),
    Field("turns", about="turns"),
    Field("moves", about="moves"),
    Field("decisions", about="plies with two or more legal moves"),
    Field("captures", about="captures"),
    Field("rosettes", about="rosettes landed on", of="landed"),
    Field("wins", about="probability of winning"),
    Field("bound", about="by how much any of these is off at most"),
)
LEGAL_MOVES = Fields(
    Field("legal_moves", about="a number of legal moves"),
    Field("plies", about="plies of a game that have so many"),
    Field("share", about="their share of all plies"),
)
SAMPLED = Fields(
    Field("sampled", about="the mean of games played beside, with --games"),
    Field("standard_errors_off", about="by how many standard errors that is off"),
)


@dataclass(frozen=True)
class _Side:
    """The counts of a side, with their bound."""

    side: Side
    accuracy: Accuracy

    def __getattr__(self, name: str) -> float:
        found: float = getattr(self.side, name)
        return found

    @property
    def bound(self) -> float:
        return max(self.accuracy.wins, self.accuracy.counted())


EXACT_GTC = Schema(
    "urcx.gtc/1",
    {
        "": PARAMETERS,
        "measures.NAME": Fields(
            Field("title", about="what is measured"),
            Field("mean", about="over all games, or all plies of all games"),
            Field("bound", about="by how much that is off at most"),
            always("sd", None, "null"),
            always("ci95", None, "null"),
            always("quartiles", None, "null"),
        ),
        "gtc": ESTIMATE.without("games95")
        + Fields(
            Field("bound", about="by how much log10 is off at most, null without it"),
            Field("sampled", about="the figure of games played beside, null without"),
        ),
        "wins.NAME": Fields(
            Field("share", about="the probability"),
            Field("bound", about="by how much that is off at most"),
        ),
        "sides.SIDE": SIDE,
        "legal_moves": LEGAL_MOVES,
    },
    "with ``--exact``; ``sample`` are the members without it, of games played beside",
)


def tree_report(found: GameTree) -> Report:
    """Return the report on game-tree complexity: of games, of exact means, or both."""
    if found.expected is not None:
        return exact_report(found.expected, found.played)
    assert found.played is not None
    return played_report(found.played)


def exact_report(found: Expected, played: Played | None = None) -> Report:
    """Return the report on exact means, compared with sampled games if there are any."""
    means = exact_measures(found)
    fixed = constants(found.rules)
    figures = at_means(found.measured, fixed)
    off = of_conventions(found.measured, found.measured_off, fixed)
    sampled = {} if played is None else {m.name: m for m in played.measures}
    estimates = {} if played is None else {e.convention.name: e.log10 for e in played.estimates}
    wins = {
        "light": found.sides[0].wins,
        "dark": found.sides[1].wins,
        "first_mover": found.first_wins,
    }
    measure, gtc = EXACT_GTC.parts["measures.NAME"], EXACT_GTC.parts["gtc"]
    data: dict[str, Any] = {
        **PARAMETERS.record(found),
        "measures": {m.name: measure.record(m) | _beside(m, sampled.get(m.name)) for m in means},
        "gtc": [
            gtc.record(
                SimpleNamespace(
                    convention=convention,
                    log10=figures.get(convention.name),
                    ci95=None,
                    bound=off.get(convention.name),
                    sampled=estimates.get(convention.name),
                )
            )
            for convention in CONVENTIONS
        ],
        "wins": {
            name: {"share": share, "bound": found.accuracy.wins} for name, share in wins.items()
        },
        "sides": {
            name: SIDE.record(_Side(side, found.accuracy))
            for name, side in zip(("light", "dark"), found.sides, strict=True)
        },
        "legal_moves": [
            {"legal_moves": k, "plies": float(plies), "share": float(plies / found.measured.plies)}
            for k, plies in enumerate(found.by_choices.sum(axis=0))
        ],
    }
    if played is not None:
        data["sample"] = members(played)
    records: list[dict[str, Any]] = [
        {"kind": "measure", "name": name, "mean": row["mean"], "bound": row["bound"]}
        for name, row in data["measures"].items()
    ]
    records += [
        {"kind": "gtc", "name": row["convention"], "mean": row["log10"], "bound": row["bound"]}
        for row in data["gtc"]
    ]
    records += [
        {"kind": "wins", "name": name, "mean": share, "bound": found.accuracy.wins}
        for name, share in wins.items()
    ]
    tables = [
        _measure_table(found, means, played),
        _wins_table(wins, found.accuracy.wins, played),
        _gtc_table(found, figures, off, estimates),
    ]
    return Report(EXACT_GTC.name, data, records, tables)


def _beside(measure: Measure, sample: Measure | None) -> dict[str, Any]:
    """Return the cells that compare a sample with an exact mean."""
    if sample is None:
        return {}
    off = mean_off(measure.mean, sample)
    return SAMPLED.record(SimpleNamespace(sampled=sample.mean, standard_errors_off=off))


def _shown_off(off: float | None) -> str:
    return "" if off is None else f"{off:+.1f}"


def _measure_table(found: Expected, means: tuple[Measure, ...], played: Played | None) -> Table:
    sampled = {} if played is None else {m.name: m for m in played.measures}
    rows = []
    for m in means:
        row = [m.title, f"{m.mean:.10f}", shown_bound(m.bound)]
        if m.name in sampled:
            off = mean_off(m.mean, sampled[m.name])
            row += [f"{sampled[m.name].mean:.4f}", _shown_off(off)]
        rows.append(row)
    columns: list[str | Column] = [*EXACT_COLUMNS]
    if played is not None:
        columns += [f"{len(played.games):,} games", "standard errors off"]
    ties = dict.fromkeys(f"{a.name}: {TIES[a.ties]}" for a in (found.light, found.dark))
    sides = f"{counted(found.rules.pieces, 'piece')} a side"
    return Table(
        f"All games of {against(found.light.name, found.dark.name)}, {found.rules.name}, {sides}, "
        "exactly",
        columns,
        rows,
        [
            (
                f"over all {number(found.states)} states; probability not followed to its end: "
                f"at most {power_of_ten(found.left_out):.0e}"
            ),
            f"of equal moves, {'; '.join(ties)}",
        ],
    )


def _wins_table(wins: dict[str, float], bound: float, played: Played | None) -> Table:
    columns = ["<", "probability", "off by at most"]
    cells = [[NAMES[name], f"{share:.12f}", shown_bound(bound)] for name, share in wins.items()]
    if played is not None:
        columns += ["in games", "standard errors off"]
        for cell, seen in zip(cells, tallied(played.games), strict=True):
            off = share_off(wins[str(seen.name)], seen.share, seen.total)
            cell += [f"{seen.share:.4f}", _shown_off(off)]
    return Table("Wins", columns, cells)


def _gtc_table(
    found: Expected, figures: dict[str, float], off: dict[str, float], sampled: dict[str, float]
) -> Table:
    name, formula, counts = ESTIMATE.pick("convention", "formula", "counts").columns
    rows = []
    for c in CONVENTIONS:
        row = [c.name, c.written, f"{figures[c.name]:.8f}" if c.name in figures else "needs games"]
        row.append(shown_bound(off.get(c.name)))
        row += [f"{sampled[c.name]:.2f}"] if c.name in sampled else []
        rows.append([*row, c.counts])
    fixed = constants(found.rules)
    return Table(
        "Game-tree complexity, log10, in each convention",
        [name, formula, "log10", "off by at most", *(["in games"] if sampled else []), counts],
        rows,
        [
            (
                f"d plies and m moves of both players, b legal moves; c = {fixed.c} outcomes "
                f"of the dice, H = {fixed.h:.4f} digits; the post's b = {fixed.branches:.4f}"
            ),
        ],
    )
