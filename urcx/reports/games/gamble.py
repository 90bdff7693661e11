"""What gamble shows: how long and how wide its games are, what is won, and how many states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from urcx.complexity.game_tree import plus_minus
from urcx.engine.threads import Stage, silent
from urcx.gambling import closed_form as labelled
from urcx.gambling import enumerator
from urcx.gambling.match import Pairing
from urcx.gambling.rules import CHOICES, GamblingGame
from urcx.gambling.simulator import Gambles
from urcx.gambling.statistics import estimates, measures, winnings, wins
from urcx.games.statistics import Measure, wilson
from urcx.reports.display.output import Column, Note, Report, Table, Toned, number
from urcx.reports.games.measure_cells import (
    MEASURE_COLUMNS,
    SPREAD_NOTE,
    estimate_row,
    flat,
    interval,
    measure_cells,
    measure_row,
)

SCHEMA = "urcx.gamble/1"
QUICK = 10**9  # diagrams that are enumerated without being asked for
SHARES = 1000  # what a progress bar of the enumerator counts up to


@dataclass(frozen=True)
class States:
    """The diagrams of the first pieces of a game; ``enumerated`` is None if nobody visited them."""

    pieces: int
    diagrams: int
    any_step: int
    enumerated: int | None


def visited(game: GamblingGame, *, all_of_them: bool) -> int:
    """Return how many diagrams `states` visits in all."""
    totals = (
        labelled.diagrams(game.path, game.entries[:pieces])
        for pieces in range(1, len(game.pieces) + 1)
    )
    return sum(total for total in totals if all_of_them or total <= QUICK)


def states(
    game: GamblingGame, *, all_of_them: bool, threads: int | None = None, stage: Stage = silent
) -> tuple[States, ...]:
    """Count the diagrams of a game with its first piece, its first two, and so on.

    The enumerator visits those of up to `QUICK` diagrams, or ``all_of_them``.
    """
    found = []
    for pieces in range(1, len(game.pieces) + 1):
        entries = game.entries[:pieces]
        total = labelled.diagrams(game.path, entries)
        visited = None
        if all_of_them or total <= QUICK:
            update = stage(f"diagrams of {pieces} pieces", SHARES, "thousandths")
            visited = enumerator.count(
                game.path,
                entries,
                threads=threads,
                progress=partial(_tell, update),
            )
        any_step = labelled.on_any_step(game.path, pieces, pieces)
        found.append(States(pieces, total, any_step, visited))
    return tuple(found)


def _tell(update: Callable[[int], None], share: float) -> None:
    update(int(share * SHARES))


def games_report(games: Gambles, counted: Sequence[States]) -> Report:
    """Return the report on games of two agents."""
    found = {
        "measures": measures(games),
        "winnings": winnings(games),
    }
    trees = estimates(games)
    data: dict[str, Any] = {
        "game": games.game.name,
        "choices": dict(games.game.choices),
        "light": games.light.name,
        "dark": games.dark.name,
        "games": len(games),
        "games_asked_for": games.asked,
        "interrupted": games.interrupted,
        "first": games.first,
        "seed": games.seed,
        "exactness": "estimate",
        **{kind: {m.name: measure_row(m) for m in rows} for kind, rows in found.items()},
        "wins": _wins(games),
        "gtc": [estimate_row(estimate) for estimate in trees],
        "states": _states(games.game, counted),
    }
    records = [
        {"kind": kind, "name": m.name, **flat(data[kind][m.name])}
        for kind, rows in found.items()
        for m in rows
    ]
    records += [
        {"kind": "gtc", "name": row["convention"], "mean": row["log10"], **flat(row)}
        for row in data["gtc"]
    ]
    tables = [
        _measure_table(games, found["measures"]),
        _winnings_table(games, found["winnings"], data["wins"]),
        Table(
            "Game-tree complexity, log10",
            ["<convention", "<formula", "log10", "95 % interval"],
            [
                [
                    e.convention.name,
                    e.convention.written,
                    f"{e.log10:.2f}",
                    interval(e.ci95, 2),
                ]
                for e in trees
            ],
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
    return Report(SCHEMA, data, records, tables)


def match_report(
    game: GamblingGame,
    pairs: Sequence[Pairing],
    games: int,
    seed: int,
    counted: Sequence[States],
) -> Report:
    """Return the report on agents each against each."""
    rows = [_pair_row(pair) for pair in pairs]
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
                    "the row's counters at the end less those at the start, in the mean, against "
                    "the column; ± half of the 95 % interval"
                ),
                "half the games with each colour, a coin decides who begins",
            ],
        ),
        *_states_tables(game, counted),
        _choices_table(game),
    ]
    return Report(SCHEMA, data, rows, tables)


def _plus_minus(measure: Measure) -> str:
    low, high = measure.ci95 or (measure.mean, measure.mean)
    return plus_minus(f"{measure.mean:+.2f}", f"{(high - low) / 2:.2f}")


def _pair_row(pair: Pairing) -> dict[str, Any]:
    row: dict[str, Any] = {
        "agent": pair.agent.name,
        "opponent": pair.opponent.name,
        "games": str(pair.games),
        "wins": str(pair.wins),
        "draws": str(pair.draws),
    }
    for name, measure in (("won", pair.won), ("lost", pair.lost)):
        # What the opponent has won stands beside it: the pool takes part, so it is not the same.
        key = "winnings" if name == "won" else "opponent_winnings"
        row[key] = measure.mean
        row[f"{key}_ci95_low"], row[f"{key}_ci95_high"] = measure.ci95 or (None, None)
    return row


def _wins(games: Gambles) -> dict[str, Any]:
    n = len(games)
    return {
        name: {"games": str(count), "share": count / n, "ci95": wilson(count, n)}
        for name, count in wins(games).items()
    }


def _states(game: GamblingGame, counted: Sequence[States]) -> dict[str, Any]:
    conventions = _conventions(game)
    return {
        "exactness": "exact",
        "conventions": {name: str(count) for name, count in conventions.items()},
        "rows": [
            {
                "pieces": row.pieces,
                "diagrams": str(row.diagrams),
                "diagrams_any_step": str(row.any_step),
                "enumerated": None if row.enumerated is None else str(row.enumerated),
                "agree": None if row.enumerated is None else row.enumerated == row.diagrams,
            }
            for row in counted
        ],
    }


def _measure_table(games: Gambles, found: Sequence[Measure]) -> Table:
    against = games.light.name
    if games.dark != games.light:
        against = f"{games.light.name} (light) against {games.dark.name} (dark)"
    begins = {"alternate": "each colour begins in turn", "coin": "a coin decides who begins"}
    who = begins.get(games.first, f"{games.first} begins")
    notes = [
        "mean of ratios: over all plies together",
        SPREAD_NOTE,
        "a ply is a throw of the first die, and perhaps of the second, with the move or none",
    ]
    if games.interrupted:
        notes.append(f"interrupted: {games.asked:,} games were asked for")
    return Table(
        f"{len(games):,} games of {against}, {games.game.name}, seed {games.seed}, {who}",
        MEASURE_COLUMNS,
        [measure_cells(m) for m in found],
        notes,
    )


def _winnings_table(games: Gambles, found: Sequence[Measure], won: dict[str, Any]) -> Table:
    rows = []
    for measure in found:
        share = won.get(measure.name)
        rows.append(
            [
                measure.title,
                f"{measure.mean:.3f}" if measure.name == "pool" else f"{measure.mean:+.3f}",
                interval(measure.ci95, 3),
                "" if measure.sd is None else f"{measure.sd:.3f}",
                "" if share is None else f"{share['share']:.2%}",
                "" if share is None else _share_interval(share["ci95"]),
            ]
        )
    draw = won["draw"]
    rows.append(["neither", "", "", "", f"{draw['share']:.2%}", _share_interval(draw["ci95"])])
    game = games.game
    return Table(
        f"Counters won, of {game.counters} each and {game.pool} in the pool",
        [
            "<player",
            "mean",
            "95 % interval",
            Column("deviation", secondary=True),
            "ends with more",
            "its 95 % interval",
        ],
        rows,
        ["counters at the end less those at the start; the game is won by having more at the end"],
    )


def _share_interval(pair: tuple[float, float]) -> str:
    """Return an interval of a share as text."""
    return f"{pair[0]:.2%} to {pair[1]:.2%}"


def _conventions(game: GamblingGame) -> dict[str, int]:
    # On credit accounts go below zero, and there is no end of ways to share the counters.
    bounded = game.choices["stakes"] == "counters"
    return labelled.conventions(game.path, game.entries, game.total if bounded else None)


def _states_tables(game: GamblingGame, counted: Sequence[States]) -> list[Table]:
    names = [piece.title for piece in game.pieces]
    rows = []
    for row in counted:
        agree: str = "not visited; --enumerate does it"
        if row.enumerated is not None:
            same = row.enumerated == row.diagrams
            agree = Toned("agrees", "good") if same else Toned("DIFFERS", "bad")
        rows.append(
            [
                str(row.pieces),
                number(row.diagrams),
                "" if row.enumerated is None else number(row.enumerated),
                agree,
                number(row.any_step),
                ("only " if row.pieces == 1 else "and ") + names[row.pieces - 1],
            ]
        )
    conventions = _conventions(game)
    return [
        Table(
            f"States of {game.name}: diagrams of labelled pieces, both players'",
            [
                "pieces",
                "diagrams",
                "enumerated",
                Column("visited", text=True, least=12),
                Column("on any step", secondary=True),
                "<which",
            ],
            rows,
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
        ),
        Table(
            f"With all {len(game.pieces)} pieces, in each convention; exact",
            ["<convention", "states"],
            [[name, number(count)] for name, count in conventions.items()],
        ),
    ]


def _choices_table(game: GamblingGame) -> Table:
    return Table(
        "What the text leaves open, as it was played",
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
