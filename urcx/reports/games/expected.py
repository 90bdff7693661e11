"""What gtc shows of exact means, and of games beside them."""

from __future__ import annotations

import math
from typing import Any

from urcx.complexity.game_tree import CONVENTIONS, Z95, at_means, constants
from urcx.engine.compiling import seconds as compile_seconds
from urcx.expectations.expected import Expected, exact_measures
from urcx.expectations.side_means import Side
from urcx.games.statistics import Measure
from urcx.reports.display.output import Column, Report, Table, counted, number
from urcx.reports.games.gtc import Found
from urcx.reports.games.gtc import report as games_report

TIES = {"first": "the least advanced", "last": "the most advanced", "random": "each as likely"}


def report(found: Expected, played: Found | None) -> Report:
    """Return the report on exact means; games that were played beside are compared with them."""
    means = exact_measures(found)
    figures = at_means(found.measured, constants(found.rules))
    sampled = {} if played is None else {m.name: m for m in played.measures}
    estimates = {} if played is None else {e.convention.name: e for e in played.estimates}
    wins = _wins(found)
    data: dict[str, Any] = {
        "rules": found.rules.name,
        "pieces": found.rules.pieces,
        "light": found.light.name,
        "dark": found.dark.name,
        "ties": {"light": found.light.ties, "dark": found.dark.ties},
        "first": found.first,
        "exactness": "exact but for rounding in 64 bits and left_out",
        "left_out": found.left_out,
        "states": str(found.states),
        "seconds": found.seconds,
        "compile_seconds": compile_seconds(),
        "measures": {m.name: _measure(m, sampled.get(m.name)) for m in means},
        "gtc": [
            {
                "convention": c.name,
                "formula": c.written,
                "counts": c.counts,
                "log10": figures.get(c.name),
                "ci95": None,
                "sampled": estimates[c.name].log10 if c.name in estimates else None,
            }
            for c in CONVENTIONS
        ],
        "wins": {name: {"share": share} for name, share in wins.items()},
        "sides": {"light": _side(found.sides[0]), "dark": _side(found.sides[1])},
        "legal_moves": [
            {"legal_moves": k, "plies": float(plies), "share": float(plies / found.measured.plies)}
            for k, plies in enumerate(found.by_choices.sum(axis=0))
        ],
    }
    if played is not None:
        data["sample"] = games_report(played).data
    records: list[dict[str, Any]] = [
        {"kind": "measure", "name": name, "mean": row["mean"]}
        for name, row in data["measures"].items()
    ]
    records += [
        {"kind": "gtc", "name": row["convention"], "mean": row["log10"]} for row in data["gtc"]
    ]
    records += [{"kind": "wins", "name": name, "mean": share} for name, share in wins.items()]
    return Report(
        "urcx.gtc/1",
        data,
        records,
        [
            _measure_table(found, means, played),
            _wins_table(wins, played),
            _gtc_table(found, figures, played),
        ],
    )


def _wins(found: Expected) -> dict[str, float]:
    return {
        "light": found.sides[0].wins,
        "dark": found.sides[1].wins,
        "first_mover": found.first_wins,
    }


def _measure(measure: Measure, sample: Measure | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "title": measure.title,
        "mean": measure.mean,
        "sd": None,
        "ci95": None,
        "quartiles": None,
    }
    if sample is not None:
        row["sampled"] = sample.mean
        row["standard_errors_off"] = _off(measure.mean, sample.mean, sample.ci95)
    return row


def _side(side: Side) -> dict[str, float]:
    return {
        "plies": side.plies,
        "turns": side.turns,
        "moves": side.plies - float(side.by_choices[:, 0].sum()),
        "decisions": side.decisions,
        "captures": side.captures,
        "rosettes": side.landed,
        "wins": side.wins,
    }


def _off(exact: float, mean: float, interval: tuple[float, float] | None) -> float | None:
    """Return how many standard errors a sample's mean is off."""
    if interval is None or interval[0] == interval[1]:
        return None
    return (mean - exact) / ((interval[1] - interval[0]) / 2 / Z95)


def _shown_off(off: float | None) -> str:
    return "" if off is None else f"{off:+.1f}"


def _measure_table(found: Expected, means: tuple[Measure, ...], played: Found | None) -> Table:
    sampled = {} if played is None else {m.name: m for m in played.measures}
    rows = []
    for m in means:
        row = [m.title, f"{m.mean:.10f}"]
        if m.name in sampled:
            off = _off(m.mean, sampled[m.name].mean, sampled[m.name].ci95)
            row += [f"{sampled[m.name].mean:.4f}", _shown_off(off)]
        rows.append(row)
    who = found.light.name
    if found.dark != found.light:
        who = f"{found.light.name} (light) against {found.dark.name} (dark)"
    columns: list[str | Column] = [Column("measure", text=True, least=32), "mean"]
    if played is not None:
        columns += [f"{len(played.games):,} games", "standard errors off"]
    ties = dict.fromkeys(f"{a.name}: {TIES[a.ties]}" for a in (found.light, found.dark))
    sides = f"{counted(found.rules.pieces, 'piece')} a side"
    return Table(
        f"All games of {who}, {found.rules.name}, {sides}, exactly",
        columns,
        rows,
        [
            f"over all {number(found.states)} states; games left out: {found.left_out:.0e}",
            f"of equal moves, {'; '.join(ties)}",
        ],
    )


def _wins_table(wins: dict[str, float], played: Found | None) -> Table:
    names = {"light": "light wins", "dark": "dark wins", "first_mover": "who begins wins"}
    columns = ["<", "probability"]
    cells = [[names[name], f"{share:.12f}"] for name, share in wins.items()]
    if played is not None:
        columns += ["in games", "standard errors off"]
        n = len(played.games)
        sample = games_report(played).data["wins"]
        for cell, (name, share) in zip(cells, wins.items(), strict=True):
            seen = sample[name]["share"]
            error = math.sqrt(share * (1 - share) / n)
            cell += [f"{seen:.4f}", _shown_off((seen - share) / error if error else None)]
    return Table("Wins", columns, cells)


def _gtc_table(found: Expected, figures: dict[str, float], played: Found | None) -> Table:
    estimates = {} if played is None else {e.convention.name: e for e in played.estimates}
    formula = Column("formula", text=True, least=len("mean of sum -log p_i + d H"))
    columns: list[str | Column] = ["<convention", formula, "log10"]
    columns += [] if played is None else ["in games"]
    rows = []
    for c in CONVENTIONS:
        row = [c.name, c.written, f"{figures[c.name]:.8f}" if c.name in figures else "needs games"]
        if c.name in estimates:
            row.append(f"{estimates[c.name].log10:.2f}")
        rows.append([*row, c.counts])
    fixed = constants(found.rules)
    return Table(
        "Game-tree complexity, log10, in each convention",
        [*columns, Column("what it counts", text=True, least=24)],
        rows,
        [
            (
                f"d plies and m moves of both players, b legal moves; c = {fixed.c} outcomes "
                f"of the dice, H = {fixed.h:.4f} digits; the post's b = {fixed.branches:.4f}"
            ),
        ],
    )
