"""What ``urcx gtc`` shows: measures of games, and game-tree complexity in every convention."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from urcx.complexity import tiles
from urcx.complexity.game_tree import OtherGame, constants, other_games
from urcx.games import tallies
from urcx.games.records import Games
from urcx.games.statistics import Measure
from urcx.published.gtc import Played, evaluated
from urcx.reports.games.measure_cells import (
    ESTIMATE,
    EXACT_COLUMNS,
    MEASURE,
    MEASURE_COLUMNS,
    SPREAD_NOTE,
    WINS,
    against,
    begins,
    estimate_flat,
    flat,
    game_name,
    measure_cells,
    measure_row,
    measure_table,
    shown_bound,
)
from urcx.results.fields import (
    COUNT,
    TEXT,
    Field,
    Fields,
    Kind,
    Schema,
    always,
    column,
    percents_of,
)
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.tables import Column, Note, Table, Toned


def _toned(verdict: str) -> str:
    """Return a verdict on a published figure, coloured if the games bear on it."""
    if "within" in verdict:
        return Toned(verdict, "good")
    return Toned(verdict, "bad") if "beyond" in verdict or "outside" in verdict else verdict


def _rounded(value: float) -> str:
    return f"{value:.0f}"


def _decimal(value: float) -> str:
    return f"{value:.1f}"


NAMES = {"light": "light wins", "dark": "dark wins", "first_mover": "who begins wins"}
PARAMETERS = Fields(
    Field("rules", about="name of the rule set", of="games.rules.name"),
    Field("pieces", about="pieces a side", of="games.rules.pieces"),
    Field("light", about="who plays light", of="games.light.name"),
    Field("dark", about="who plays dark", of="games.dark.name"),
    Field("ties", about="of light and dark: which of equally good moves they play"),
    Field("games", about="how many were played", of=lambda found: len(found.games)),
    Field("games_asked_for", about="how many should have been", of="games.asked"),
    Field("interrupted", about="whether it was interrupted", of="games.interrupted"),
    Field("first", about="who begins", of="games.first"),
    Field("seed", about="the seed", of="games.seed"),
    always("exactness", "estimate", "of all measures; with --exact they are exact"),
)
PUBLISHED = Fields(
    Field("source", Column("source", text=True, least=12), about="where it is printed"),
    Field("figure", Column("figure", text=True, key=True), about="what it is a figure of"),
    Field("printed", "printed", about="as printed"),
    Field("here", "here", about="as these games have it"),
    Field("verdict", Column("verdict", text=True, least=18), Kind(_toned), "in words"),
)
ROLLS = Fields(
    Field("roll", "<", Kind("roll {}".format), "the roll", of="name"),
    Field("thrown", "number", COUNT, "how often it was thrown", of="number"),
    Field("share", "share", percents_of(2), "its share of all rolls"),
    Field("chance", "chance", TEXT, "its probability"),
)
LEGAL_MOVES = Fields(
    Field("legal_moves", about="a number of legal moves", of="name"),
    Field("plies", kind=COUNT, about="plies that had so many", of="number"),
    Field("share", about="their share of all plies"),
)
EXACTLY = Fields(
    Field(
        "exact",
        about="the mean over all games, where it is known: what the interval should cover",
        of=lambda one: one.known[0],
    ),
    Field("bound", about="by how much that is off at most", of=lambda one: one.known[1]),
)
OTHER_GAMES = Fields(
    Field("game", "<game", about="name of another game", of="name"),
    Field("source", about="where its sizes are printed"),
    Field("ssc_log10", "states", Kind(_rounded), "its number of states", of="ssc"),
    Field("gtc_log10", "as in Table 1", Kind(_rounded), "its tree, as printed", of="gtc"),
    Field("counts", about="what that counts"),
    Field(
        "with_chance_log10",
        "both, dice",
        Kind(_decimal),
        "plies of both, dice by their outcomes; null if unknown",
        of=lambda game: game.with_chance(),
    ),
    Field(
        "without_chance_log10",
        "both, no dice",
        Kind(_decimal),
        "plies of both, without dice; null if unknown",
        of=lambda game: game.without_chance(),
    ),
)
GTC = Schema(
    "urcx.gtc/1",
    {
        "": PARAMETERS,
        "measures.NAME": MEASURE.without("bound") + EXACTLY,
        "gtc": ESTIMATE + EXACTLY,
        "published": PUBLISHED,
        "wins.NAME": WINS,
        "rolls": ROLLS,
        "legal_moves": LEGAL_MOVES,
        "other_games": OTHER_GAMES,
    },
)


def played_report(found: Played) -> Report:
    """Return the report on games."""
    data = members(found)
    records = [
        {"kind": "measure", "name": name, **flat(row)} for name, row in data["measures"].items()
    ]
    records += [estimate_flat(row) for row in data["gtc"]]
    records += [
        {"kind": "wins", "name": name, "mean": row["share"], **flat(row)}
        for name, row in data["wins"].items()
    ]
    published = PUBLISHED.table("Published figures", found.published)
    tables = [
        _measure_table(found),
        _wins_table(found),
        _gtc_table(found),
        *([published] if found.published else []),
        games_table(found),
    ]
    return Report(GTC.name, data, records, tables)


def games_report(games: Games) -> Report:
    """Return the report on games, with what is published on such games."""
    return played_report(evaluated(games))


def measures_report(found: Sequence[Measure]) -> Report:
    """Return measures of games alone."""
    cells = list(map(measure_cells, found))
    return _of_measures(found, Table("Measures", MEASURE_COLUMNS, cells, [SPREAD_NOTE]))


def exact_measures_report(found: Sequence[Measure]) -> Report:
    """Return exact means alone."""
    cells = [
        [measure.title, f"{measure.mean:.10f}", shown_bound(measure.bound)] for measure in found
    ]
    return _of_measures(found, Table("Measures, exactly", EXACT_COLUMNS, cells))


def _of_measures(found: Sequence[Measure], table: Table) -> Report:
    rows = {measure.name: measure_row(measure) for measure in found}
    records = [{"name": name, "title": row["title"], **flat(row)} for name, row in rows.items()]
    return Report(GTC.name, {"measures": rows}, records, [table])


def members(found: Played) -> dict[str, Any]:
    """Return the members of the JSON object on games."""
    games = found.games
    ties = {"light": games.light.ties, "dark": games.dark.ties}
    return {
        **PARAMETERS.record(SimpleNamespace(games=games, ties=ties)),
        "measures": {
            m.name: measure_row(m) | _exactly(found, "measures", m.name) for m in found.measures
        },
        "gtc": [
            ESTIMATE.record(one) | _exactly(found, "gtc", one.convention.name)
            for one in found.estimates
        ],
        "published": PUBLISHED.records(found.published),
        "wins": {won.name: WINS.record(won) for won in tallies.wins(games)},
        "rolls": ROLLS.records(tallies.rolls(games)),
        "legal_moves": LEGAL_MOVES.records(tallies.legal_move_counts(games)),
        "other_games": [other_game_row(game) for game in other_games()],
    }


def _exactly(found: Played, kind: str, name: str) -> dict[str, Any]:
    """Return the members that compare a sampled figure with the exact one, if it is known."""
    known = {} if found.exact is None else getattr(found.exact, kind)
    return EXACTLY.record(SimpleNamespace(known=known[name])) if name in known else {}


def _shown_exactly(found: Played, kind: str, name: str, digits: int) -> str:
    known = getattr(found.exact, kind).get(name)
    return "" if known is None else f"{known[0]:.{digits}f}"


def other_game_row(game: OtherGame) -> dict[str, Any]:
    """Return another game's complexities for JSON."""
    return OTHER_GAMES.record(game)


def _measure_table(found: Played) -> Table:
    games = found.games
    shown = measure_table(
        f"{counted(len(games), 'game')} of {against(games.light.name, games.dark.name)}, "
        f"{game_name(games.rules)}, seed {games.seed}, {begins(games.first)}",
        games,
        found.measures,
        "a ply is one roll with its move or pass; a turn is a run of plies by one player",
    )
    if found.exact is None:
        return shown
    rows = [
        [*row[:3], _shown_exactly(found, "measures", m.name, 6), *row[3:]]
        for row, m in zip(shown.rows, found.measures, strict=True)
    ]
    wins, bound = found.exact.first_wins
    note = (
        f"exactly: over all games, by {found.exact.command}; who begins wins with {wins:.10f}, "
        f"off by at most {shown_bound(bound)}"
    )
    heads = [*MEASURE_COLUMNS[:3], Column("exactly"), *MEASURE_COLUMNS[3:]]
    return Table(shown.title, heads, rows, [*shown.notes, Note(note, "exactly")])


def _wins_table(found: Played) -> Table:
    won = Fields(column("<", lambda tally: NAMES[tally.name])) + WINS
    cells = [won.cells(tally) for tally in tallies.wins(found.games)]
    cells += [ROLLS.cells(tally) for tally in tallies.rolls(found.games)]
    columns = ["<", "number", "share", "95 % interval, or chance of the dice"]
    return Table("Wins and rolls", columns, cells)


def _gtc_table(found: Played) -> Table:
    fixed = constants(found.games.rules)
    shown = ESTIMATE.pick("convention", "formula", "log10", "ci95")
    if found.exact is not None:
        shown += Fields(
            column("exactly", lambda one: _shown_exactly(found, "gtc", one.convention.name, 6))
        )
    shown += ESTIMATE.pick("games95", "counts")
    return shown.table(
        "Game-tree complexity, log10, in each convention",
        found.estimates,
        [
            (
                f"d plies and m moves of both players, b legal moves; c = {fixed.c} outcomes "
                f"of the dice, H = {fixed.h:.4f} digits; the post's b = {fixed.branches:.4f}"
            ),
            "the interval is the figure's own, by the jackknife over games",
            Note("95 % of games: what 95 % of single games give", "95 % of games"),
        ],
    )


def games_table(found: Played) -> Table:
    """Return the table that compares the game with others."""
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
    others = OTHER_GAMES.without("source", "counts") + Fields(
        column(
            Column("what it counts", text=True, least=24),
            lambda game: f"{game.counts} ({game.source})",
        )
    )
    rows += [others.cells(game) for game in other_games()]
    return Table(
        "Beside other games, log10: Raposo and Lamont's Table 1, and with plies counted alike",
        others.columns,
        rows,
        [
            (
                "as in Table 1: for the Royal Game of Ur the plies of one player, for the others "
                "those of both; both, dice: (b c)^d; both, no dice: b^d, or b^m with passes"
            ),
        ],
    )
