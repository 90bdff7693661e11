"""Reports of single results about games, for commands that show several together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from urcx.enumerate.perft import Levels
from urcx.expectations.expected import Expected
from urcx.gambling.rules import CHOICES, GamblingGame
from urcx.gambling.simulator import Gambles
from urcx.games.records import Games
from urcx.games.statistics import Measure, Measures
from urcx.reports.display.output import Column, Report, Table
from urcx.reports.games import gamble as gambling
from urcx.reports.games import gtc
from urcx.reports.games.expected import report as expected_report
from urcx.reports.games.measure_cells import (
    MEASURE_COLUMNS,
    SPREAD_NOTE,
    flat,
    measure_cells,
    measure_row,
)
from urcx.reports.games.positions import perft_report


def simulate(games: Games) -> Report:
    """Return the report of ``urcx gtc`` on games."""
    return gtc.report(gtc.evaluated(games))


def measures(found: Measures) -> Report:
    """Return measures of games, the first table of ``urcx gtc``."""
    table = Table("Measures", MEASURE_COLUMNS, list(map(measure_cells, found)), [SPREAD_NOTE])
    return _measures_report(found, table)


def exact_measures(found: Measures) -> Report:
    """Return exact means, the first table of ``urcx gtc --exact``."""
    cells = [[measure.title, f"{measure.mean:.10f}"] for measure in found]
    columns = [Column("measure", text=True, least=32), Column("mean")]
    return _measures_report(found, Table("Measures, exactly", columns, cells))


def _measures_report(found: Sequence[Measure], table: Table) -> Report:
    rows = {measure.name: measure_row(measure) for measure in found}
    records = [{"name": name, "title": row["title"], **flat(row)} for name, row in rows.items()]
    return Report("urcx.gtc/1", {"measures": rows}, records, [table])


def expected(found: Expected) -> Report:
    """Return the report of ``urcx gtc --exact``."""
    return expected_report(found, None)


def perft(levels: Levels) -> Report:
    """Return the report of ``urcx perft``."""
    return perft_report(levels.rules, levels.position, levels, None)


def gamble(games: Gambles) -> Report:
    """Return the report of ``urcx gamble`` on games, without counting states."""
    report = gambling.games_report(games, ())
    return replace(report, tables=[table for table in report.tables if table.rows])


def gambling_game(game: GamblingGame) -> Report:
    """Return a gambling game's pieces, and the choices made where its text is open."""
    records: list[dict[str, Any]] = [
        {
            "piece": piece.name,
            "title": piece.title,
            "roll": piece.roll,
            "step": step,
            "counters": piece.counters,
        }
        for piece, step in zip(game.pieces, game.entries, strict=True)
    ]
    cells = [[row["title"], *map(str, (row["roll"], row["step"], row["counters"]))]
             for row in records]  # fmt: skip
    choices = [[name, game.choices[name], choice.question] for name, choice in CHOICES.items()]
    data = {
        "game": game.name,
        "path": game.path.name,
        "die": game.die.name,
        "counters": game.counters,
        "pool": game.pool,
        "choices": dict(game.choices),
        "rows": records,
    }
    tables = [
        Table(
            f"{game.title}: path {game.path.name}, die {game.die.name}, {game.counters} counters "
            f"each and {game.pool} in the pool",
            ["<piece", "enters by", "on step", "counters"],
            cells,
        ),
        Table("What the text leaves open", ["<choice", "<value", "<question"], choices),
    ]
    return Report("urcx.gamble/1", data, records, tables)
