"""What gtc shows: measures of games, and the size of the game tree in every convention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from urcx.complexity import tiles
from urcx.complexity.game_tree import (
    Estimate,
    OtherGame,
    constants,
    evaluate,
    other_games,
)
from urcx.games.simulator import Games
from urcx.games.statistics import Measure, measured, measures, wilson
from urcx.published.quantities.game_tree import PublishedMeasure, compare
from urcx.reports.display.output import Column, Note, Report, Table, Toned, counted, number
from urcx.reports.games.measure_cells import (
    MEASURE_COLUMNS,
    SPREAD_NOTE,
    estimate_row,
    flat,
    interval,
    measure_cells,
    measure_row,
)


@dataclass(frozen=True)
class Found:
    """Games with their measures, and the conventions' figures."""

    games: Games
    measures: tuple[Measure, ...]
    estimates: tuple[Estimate, ...]
    published: tuple[PublishedMeasure, ...]


def evaluated(games: Games) -> Found:
    """Return what is measured of games, and the sources' figures beside it where they apply."""
    found = measures(games)
    estimates = evaluate(measured(games), constants(games.rules))
    return Found(games, found, estimates, compare(games, found, estimates))


def report(found: Found) -> Report:
    """Return the report on games."""
    games = found.games
    data: dict[str, Any] = {
        **_parameters(games),
        "measures": {m.name: measure_row(m) for m in found.measures},
        "gtc": [estimate_row(estimate) for estimate in found.estimates],
        "published": [vars(item) for item in found.published],
        "wins": _wins(games),
        "rolls": _rolls(games),
        "legal_moves": _legal_moves(games),
        "other_games": [_other(game) for game in other_games()],
    }
    records = [
        {"kind": "measure", "name": name, **flat(row)} for name, row in data["measures"].items()
    ]
    records += [
        {"kind": "gtc", "name": row["convention"], "mean": row["log10"], **flat(row)}
        for row in data["gtc"]
    ]
    records += [
        {"kind": "wins", "name": name, "mean": row["share"], **flat(row)}
        for name, row in data["wins"].items()
    ]
    tables = [
        _measure_table(found),
        _wins_table(data),
        _gtc_table(found),
        *([_published_table(found)] if found.published else []),
        _games_table(found),
    ]
    return Report("urcx.gtc/1", data, records, tables)


def _parameters(games: Games) -> dict[str, Any]:
    return {
        "rules": games.rules.name,
        "light": games.light.name,
        "dark": games.dark.name,
        "ties": {"light": games.light.ties, "dark": games.dark.ties},
        "games": len(games),
        "games_asked_for": games.asked,
        "interrupted": games.interrupted,
        "first": games.first,
        "seed": games.seed,
        "exactness": "estimate",
    }


def _wins(games: Games) -> dict[str, Any]:
    n = len(games)
    counts = {
        "light": games.wins("light"),
        "dark": games.wins("dark"),
        "first_mover": games.wins("first"),
    }
    return {
        name: {"games": str(count), "share": count / n, "ci95": wilson(count, n)}
        for name, count in counts.items()
    }


def _rolls(games: Games) -> list[dict[str, Any]]:
    counts = games.rolls.sum(axis=(0, 1), dtype=np.int64)
    total = int(counts.sum())
    dice = games.rules.dice
    return [
        {"roll": roll, "thrown": str(count), "share": int(count) / total, "chance": str(chance)}
        for roll, count, chance in zip(dice.rolls, counts, dice.probabilities, strict=True)
    ]


def _legal_moves(games: Games) -> list[dict[str, Any]]:
    counts = games.by_choices.sum(axis=(0, 1), dtype=np.int64)
    total = int(counts.sum())
    return [
        {"legal_moves": k, "plies": str(count), "share": int(count) / total}
        for k, count in enumerate(counts)
    ]


def _other(game: OtherGame) -> dict[str, Any]:
    return {
        "game": game.name,
        "source": game.source,
        "ssc_log10": game.ssc,
        "gtc_log10": game.gtc,
        "counts": game.counts,
        "with_chance_log10": game.with_chance(),
        "without_chance_log10": game.without_chance(),
    }


def _measure_table(found: Found) -> Table:
    games = found.games
    against = games.light.name
    if games.dark.name != games.light.name:
        against = f"{games.light.name} (light) against {games.dark.name} (dark)"
    begins = {"alternate": "each colour begins in turn", "coin": "a coin decides who begins"}
    who = begins.get(games.first, f"{games.first} begins")
    notes = [
        "mean of ratios: over all plies together",
        SPREAD_NOTE,
        "a ply is one roll with its move or pass; a turn is a run of plies by one player",
    ]
    if games.interrupted:
        notes.append(f"interrupted: {games.asked:,} games were asked for")
    return Table(
        f"{counted(len(games), 'game')} of {against}, {games.rules.name}, seed {games.seed}, {who}",
        MEASURE_COLUMNS,
        [measure_cells(m) for m in found.measures],
        notes,
    )


def _wins_table(data: dict[str, Any]) -> Table:
    names = {"light": "light wins", "dark": "dark wins", "first_mover": "who begins wins"}
    cells = []
    for name, row in data["wins"].items():
        low, high = row["ci95"]
        cells.append(
            [
                names[name],
                number(int(row["games"])),
                f"{row['share']:.2%}",
                f"{low:.2%} to {high:.2%}",
            ]
        )
    cells += [
        [f"roll {row['roll']}", number(int(row["thrown"])), f"{row['share']:.2%}", row["chance"]]
        for row in data["rolls"]
    ]
    return Table(
        "Wins and rolls",
        ["<", "number", "share", "95 % interval, or chance of the dice"],
        cells,
    )


def _gtc_table(found: Found) -> Table:
    rows = [
        [
            e.convention.name,
            e.convention.written,
            f"{e.log10:.2f}",
            interval(e.ci95, 2),
            interval(e.games95, 0),
            e.convention.counts,
        ]
        for e in found.estimates
    ]
    fixed = constants(found.games.rules)
    return Table(
        "Game-tree complexity, log10, in each convention",
        [
            "<convention",
            Column("formula", text=True, least=len("mean of sum -log p_i + d H")),
            "log10",
            "95 % interval",
            Column("95 % of games", secondary=True),
            Column("what it counts", text=True, least=24),
        ],
        rows,
        [
            (
                f"d plies and m moves of both players, b legal moves; c = {fixed.c} outcomes "
                f"of the dice, H = {fixed.h:.4f} digits; the post's b = {fixed.branches:.4f}"
            ),
            "the interval is the figure's own, by the jackknife over games",
            Note("95 % of games: what 95 % of single games give", "95 % of games"),
        ],
    )


def _toned(verdict: str) -> str:
    """Return a verdict on a published figure, coloured where the games say something of it."""
    if "within" in verdict:
        return Toned(verdict, "good")
    return Toned(verdict, "bad") if "beyond" in verdict or "outside" in verdict else verdict


def _published_table(found: Found) -> Table:
    return Table(
        "Published figures",
        [
            Column("source", text=True, least=12),
            Column("figure", text=True, key=True),
            "printed",
            "here",
            Column("verdict", text=True, least=18),
        ],
        [
            [item.source, item.figure, item.printed, item.here, _toned(item.verdict)]
            for item in found.published
        ],
    )


def _games_table(found: Found) -> Table:
    by_name = {e.convention.name: e.log10 for e in found.estimates}
    rules = found.games.rules
    own_ssc = np.log10(float(tiles.diagrams(rules.path, rules.pieces)))
    rows = [
        [
            f"{rules.name}, here",
            f"{own_ssc:.1f}",
            f"{by_name['raposo-lamont']:.1f}",
            f"{by_name['raposo-lamont-both']:.1f}",
            f"{by_name['allis']:.1f}",
            "games above; state space: diagrams, exact",
        ]
    ]
    for game in other_games():
        chance, choices = game.with_chance(), game.without_chance()
        rows.append(
            [
                game.name,
                f"{game.ssc:.0f}",
                f"{game.gtc:.0f}",
                "" if chance is None else f"{chance:.1f}",
                "" if choices is None else f"{choices:.1f}",
                f"{game.counts} ({game.source})",
            ]
        )
    return Table(
        "Beside other games, log10: Raposo and Lamont's Table 1, and with plies counted alike",
        [
            "<game",
            "states",
            "as in Table 1",
            "both, dice",
            "both, no dice",
            Column("what it counts", text=True, least=24),
        ],
        rows,
        [
            (
                "as in Table 1: for the Royal Game of Ur the plies of one player, for the others "
                "those of both; both, dice: (b c)^d; both, no dice: b^d, or b^m with passes"
            ),
        ],
    )
