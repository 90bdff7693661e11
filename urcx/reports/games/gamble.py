"""What ``urcx gamble`` shows: length and branching of games, winnings, and numbers of states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from urcx.complexity.game_tree import plus_minus
from urcx.gambling.match import Pairing
from urcx.gambling.records import Gambles
from urcx.gambling.rules import CHOICES, GamblingGame
from urcx.gambling.state_counts import PieceStates, conventions
from urcx.gambling.statistics import estimates, measures, winnings, wins
from urcx.games.statistics import Measure
from urcx.games.tallies import Tally
from urcx.reports.games.measure_cells import (
    ESTIMATE,
    MEASURE,
    WINS,
    against,
    begins,
    estimate_flat,
    flat,
    interval,
    measure_row,
    measure_table,
)
from urcx.results.fields import COUNT, INTERVAL, TEXT, Field, Fields, Kind, Schema, always, column
from urcx.results.numbers import number
from urcx.results.report import Report
from urcx.results.tables import Column, Note, Table, Toned


def _choices(games: Gambles) -> dict[str, str]:
    return dict(games.game.choices)


def _agree(same: object) -> str:
    return Toned("agrees", "good") if same else Toned("DIFFERS", "bad")


ENDS = Kind(json=INTERVAL.csv or ())  # two members in JSON too
SHARES = WINS.pick("share", "ci95").headed({"share": "ends with more", "ci95": "its 95 % interval"})
PARAMETERS = Fields(
    Field("game", about="name of the game", of="game.name"),
    Field("choices", about="by name, how what the text leaves open was played", of=_choices),
    Field("light", about="who plays light", of="light.name"),
    Field("dark", about="who plays dark", of="dark.name"),
    Field("games", about="how many were played", of=len),
    Field("games_asked_for", about="how many should have been", of="asked"),
    Field("interrupted", about="whether it was interrupted"),
    Field("first", about="who begins"),
    Field("seed", about="the seed"),
    always("exactness", "estimate", "of all but the states"),
)
STATES = Fields(
    Field("pieces", "pieces", about="the first pieces of each player"),
    Field("diagrams", "diagrams", COUNT, "their diagrams, by formula"),
    Field(
        "diagrams_any_step",
        Column("on any step", secondary=True),
        COUNT,
        "the same, with the steps before the one that a piece enters on",
        of="any_step",
    ),
    Field("enumerated", "enumerated", COUNT, "diagrams visited, null if none were"),
    Field(
        "agree",
        Column("visited", text=True, least=12),
        Kind(_agree, none="not visited; --enumerate does it"),
        "whether these are as many",
    ),
)
OF_STATES = Fields(
    always("exactness", "exact", "of the states"),
    Field("conventions", about="the number of states in each convention"),
)
PAIRS = Fields(
    Field("agent", about="an agent", of="agent.name"),
    Field("opponent", about="whom it plays", of="opponent.name"),
    Field("games", kind=TEXT, about="how many games"),
    Field("wins", kind=TEXT, about="how many the agent ended with more counters"),
    Field("draws", kind=TEXT, about="how many nobody did"),
    Field("winnings", about="counters that the agent won, on average", of="won.mean"),
    Field("winnings_ci95", kind=ENDS, about="its 95 % interval", of="won.ci95"),
    # The opponent's winnings are separate: the pool takes part, so they are not the negative.
    Field("opponent_winnings", about="counters that the opponent won", of="lost.mean"),
    Field("opponent_winnings_ci95", kind=ENDS, about="its 95 % interval", of="lost.ci95"),
)
PIECES = Fields(
    Field("piece", of=lambda entering: entering[0].name),
    Field("title", "<piece", of=lambda entering: entering[0].title),
    Field("roll", "enters by", of=lambda entering: entering[0].roll),
    Field("step", "on step", of=lambda entering: entering[1]),
    Field("counters", "counters", of=lambda entering: entering[0].counters),
)
GAMBLE = Schema(
    "urcx.gamble/1",
    {
        "": PARAMETERS,
        "measures.NAME": MEASURE.without("bound"),
        "winnings.NAME": MEASURE.without("per_game", "bound"),
        "wins.NAME": WINS,
        "gtc": ESTIMATE,
        "states": OF_STATES,
        "states.rows": STATES,
    },
)
MATCH = Schema(
    "urcx.gamble/1",
    {
        "": PARAMETERS.pick("game", "choices", "games", "seed", "exactness")
        + Fields(
            Field("agents", about="names of the agents"), always("first", "coin", "who begins")
        ),
        "rows": PAIRS,
        "states": OF_STATES,
        "states.rows": STATES,
    },
    "with ``--match``",
)


def gambles_report(games: Gambles, counted: Sequence[PieceStates] = ()) -> Report:
    """Return the report on games of two agents, and on states if some were counted."""
    found = {"measures": measures(games), "winnings": winnings(games)}
    trees = estimates(games)
    won = {name: Tally(name, count, len(games)) for name, count in wins(games).items()}
    data: dict[str, Any] = {
        **PARAMETERS.record(games),
        **{kind: {m.name: measure_row(m) for m in rows} for kind, rows in found.items()},
        "wins": {name: WINS.record(tally) for name, tally in won.items()},
        "gtc": ESTIMATE.records(trees),
        "states": _states(games.game, counted),
    }
    records = [
        {"kind": kind, "name": m.name, **flat(data[kind][m.name])}
        for kind, rows in found.items()
        for m in rows
    ]
    records += [estimate_flat(row) for row in data["gtc"]]
    shown = ESTIMATE.headed({"formula": "<formula"}).pick("convention", "formula", "log10", "ci95")
    tables = [
        _measure_table(games, found["measures"]),
        _winnings_table(games, found["winnings"], won),
        shown.table(
            "Game-tree complexity, log10",
            trees,
            [
                (
                    "allis, ludii: legal moves of the roll that counted; sum-log: the options of "
                    "each choice, the second die among them; conventions as in urcx gtc"
                )
            ],
        ),
        *_states_tables(games.game, counted),
        _choices_table(games.game),
    ]
    return Report(GAMBLE.name, data, records, tables)


def gambling_match_report(
    game: GamblingGame,
    pairs: Sequence[Pairing],
    games: int,
    seed: int,
    counted: Sequence[PieceStates],
) -> Report:
    """Return the report on games between every two agents."""
    rows = PAIRS.records(pairs)
    names = list(dict.fromkeys(pair.agent.name for pair in pairs))
    seen = {}
    for pair in pairs:
        seen[pair.opponent.name, pair.agent.name] = pair.lost
        seen[pair.agent.name, pair.opponent.name] = pair.won
    cells = [[one, *(_plus_minus(seen[one, other]) for other in names)] for one in names]
    data = {
        "game": game.name,
        "choices": dict(game.choices),
        "agents": names,
        "games": games,
        "first": "coin",
        "seed": seed,
        "exactness": "estimate",
        "rows": rows,
        "states": _states(game, counted),
    }
    tables = [
        Table(
            f"Counters won, {games:,} games of each pair, {game.name}, seed {seed}",
            ["<agent", *names],
            cells,
            [
                (
                    "the row's counters at the end less those at the start, on average, against "
                    "the column; ± half of the 95 % interval"
                ),
                "half the games with each colour, a coin decides who begins",
            ],
        ),
        *_states_tables(game, counted),
        _choices_table(game),
    ]
    return Report(MATCH.name, data, rows, tables)


def gambling_game_report(game: GamblingGame) -> Report:
    """Return a game's pieces, and what its text leaves open."""
    pieces = list(zip(game.pieces, game.entries, strict=True))
    rows = PIECES.records(pieces)
    title = (
        f"{game.title}: path {game.path.name}, die {game.die.name}, {game.counters} counters "
        f"each and {game.pool} in the pool"
    )
    tables = [PIECES.without("piece").table(title, pieces), _choices_table(game, "")]
    return Report(GAMBLE.name, {"game": game.name, "rows": rows}, rows, tables)


def _plus_minus(measure: Measure) -> str:
    low, high = measure.ci95 or (measure.mean, measure.mean)
    return plus_minus(f"{measure.mean:+.2f}", f"{(high - low) / 2:.2f}")


def _states(game: GamblingGame, counted: Sequence[PieceStates]) -> dict[str, Any]:
    return {
        "exactness": "exact",
        "conventions": {name: str(count) for name, count in conventions(game).items()},
        "rows": STATES.records(counted),
    }


def _measure_table(games: Gambles, found: Sequence[Measure]) -> Table:
    return measure_table(
        f"{len(games):,} games of {against(games.light.name, games.dark.name)}, "
        f"{games.game.name}, seed {games.seed}, {begins(games.first)}",
        games,
        found,
        "a ply is a throw of the first die, and perhaps of the second, with the move or none",
    )


def _winnings_table(games: Gambles, found: Sequence[Measure], won: dict[str, Tally]) -> Table:
    rows = []
    for measure in found:
        share = won.get(measure.name)
        rows.append(
            [
                measure.title,
                f"{measure.mean:.3f}" if measure.name == "pool" else f"{measure.mean:+.3f}",
                interval(measure.ci95, 3),
                "" if measure.sd is None else f"{measure.sd:.3f}",
                *(["", ""] if share is None else SHARES.cells(share)),
            ]
        )
    rows.append(["neither", "", "", "", *SHARES.cells(won["draw"])])
    game = games.game
    return Table(
        f"Counters won, of {game.counters} each and {game.pool} in the pool",
        [
            "<player",
            "mean",
            "95 % interval",
            Column("deviation", secondary=True),
            *SHARES.columns,
        ],
        rows,
        ["counters at the end less those at the start; the game is won by having more at the end"],
    )


def _states_tables(game: GamblingGame, counted: Sequence[PieceStates]) -> list[Table]:
    names = [piece.title for piece in game.pieces]

    def which(row: PieceStates) -> str:
        return ("only " if row.pieces == 1 else "and ") + names[row.pieces - 1]

    shown = STATES.pick("pieces", "diagrams", "enumerated", "agree", "diagrams_any_step")
    visited = (shown + Fields(column("<which", which))).table(
        f"States of {game.name}: diagrams of labelled pieces, both players'",
        counted,
        [
            (
                "diagrams: each piece in its pool, home, or on a step from the one it enters "
                "on; both home included; counters are no part of them"
            ),
            Note(
                "on any step: the steps before that, too, where no piece ever stands",
                "on any step",
            ),
        ],
    )
    return [
        *([visited] if counted else []),
        Table(
            f"With all {len(game.pieces)} pieces, in each convention; exact",
            ["<convention", "states"],
            [[name, number(count)] for name, count in conventions(game).items()],
        ),
    ]


def _choices_table(game: GamblingGame, played: str = ", as it was played") -> Table:
    return Table(
        f"What the text leaves open{played}",
        [
            "<choice",
            "<value",
            "<others",
            Column("question", text=True, least=24),
            Column("answer", text=True, least=24),
        ],
        [
            [
                name,
                game.choices[name],
                ", ".join(value for value in choice.values if value != game.choices[name]),
                choice.question,
                choice.values[game.choices[name]],
            ]
            for name, choice in CHOICES.items()
        ],
    )
