"""What ``urcx match`` shows: each agent's share of wins against each other, and their habits."""

from __future__ import annotations

from typing import Any

from urcx.complexity.game_tree import plus_minus
from urcx.games.match import Match, Pair
from urcx.results.fields import COUNT, INTERVAL, RULES, Field, Fields, Kind, Schema, always
from urcx.results.report import Report
from urcx.results.tables import Column, Table
from urcx.rules.catalogue import game_name


def _names(found: Match) -> list[str]:
    return [agent.name for agent in found.agents]


PAIRS = Fields(
    Field("agent", about="an agent", of="agent.name"),
    Field("opponent", about="whom it plays", of="opponent.name"),
    Field("games", kind=COUNT, about="how many games"),
    Field("wins", kind=COUNT, about="how many the agent won"),
    Field("share", about="their share"),
    Field("ci95", kind=Kind(json=INTERVAL.csv or ()), about="its 95 % interval"),
)
HABITS = Fields(
    Field("title", about="what is measured"),
    Field("mean", about="over all the agent's games"),
    Field("sd", about="standard deviation of single games"),
    Field("ci95", kind=INTERVAL, about="95 % interval of the mean"),
)
MATCH = Schema(
    "urcx.match/1",
    {
        "": Fields(
            *RULES,
            Field("agents", about="names of the agents", of=_names),
            Field("games", about="games of each pair"),
            Field("seed", about="the seed"),
            always("first", "coin", "who begins"),
            always("exactness", "estimate", "of all shares and means"),
            Field("interrupted", about="whether it was interrupted"),
        ),
        "rows": PAIRS,
        "habits.AGENT.HABIT": HABITS,
    },
)


def match_report(found: Match) -> Report:
    """Return the report on a match."""
    data = MATCH.data(found, rows=found.pairs)
    rows, names = data["rows"], data["agents"]
    cells = []
    for agent in found.agents:
        line = [agent.name]
        for opponent in found.agents:
            pair = found.share(agent, opponent)
            line.append("" if pair is None else _cell(pair))
        cells.append(line)
    notes = [
        (
            "the row's share of wins against the column (in brackets its 95 % interval); "
            "half the games with each colour, a coin decides who begins"
        ),
        (
            "an agent against itself: the wins of one of two copies, the one that is light in the "
            "first half of the games"
        ),
    ]
    if found.interrupted:
        notes.append("interrupted: pairs that had not played are left empty")
    tables = [
        Table(
            f"{found.games:,} games of each pair, {game_name(found.rules)}, seed {found.seed}",
            ["<agent", *map(Column, names)],  # whatever a user's agent is called
            cells,
            notes,
        )
    ]
    records: list[dict[str, Any]] = rows
    if found.habits:
        data["habits"] = {
            name: {m.name: HABITS.record(m) for m in measures}
            for name, measures in found.habits.items()
        }
        tables.append(_habits(found))
        records = [{**row, "kind": "pair"} for row in rows] + _habit_records(found)
    return Report(MATCH.name, data, records, tables)


def _habit_records(found: Match) -> list[dict[str, Any]]:
    """Return the agents' habits as rows for CSV, which follow those of pairs."""
    return [
        {"kind": "habit", "agent": name, "habit": m.name, **HABITS.flat(m)}
        for name, measures in found.habits.items()
        for m in measures
    ]


def _cell(pair: Pair) -> str:
    low, high = pair.ci95
    return f"{pair.share:.2%} ({100 * low:.2f} to {100 * high:.2f})"


def _habits(found: Match) -> Table:
    names = list(found.habits)
    columns = {name: {m.name: m for m in measures} for name, measures in found.habits.items()}
    titles = {m.name: m.title for measures in found.habits.values() for m in measures}
    rows = []
    for key, title in titles.items():
        line = [title]
        for name in names:
            measure = columns[name].get(key)
            if measure is None or measure.ci95 is None:
                line.append("" if measure is None else f"{measure.mean:.3f}")
                continue
            low, high = measure.ci95
            line.append(plus_minus(f"{measure.mean:.3f}", f"{(high - low) / 2:.3f}"))
        rows.append(line)
    return Table(
        "How they play, over all their games",
        [Column("habit", text=True, least=32), *map(Column, names)],
        rows,
    )
