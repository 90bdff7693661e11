"""What match shows: who wins how often against whom, and the agents' habits."""

from __future__ import annotations

from typing import Any

from urcx.complexity.game_tree import plus_minus
from urcx.games.match import Match, Pair
from urcx.reports.display.output import Column, Report, Table


def report(found: Match) -> Report:
    """Return the report on a match."""
    rows = [_pair(pair) for pair in found.pairs]
    names = [agent.name for agent in found.agents]
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
            f"{found.games:,} games of each pair, {found.rules.name}, seed {found.seed}",
            ["<agent", *names],
            cells,
            notes,
        )
    ]
    data: dict[str, Any] = {
        "rules": found.rules.name,
        "agents": names,
        "games": found.games,
        "seed": found.seed,
        "first": "coin",
        "exactness": "estimate",
        "interrupted": found.interrupted,
        "rows": rows,
    }
    records: list[dict[str, Any]] = rows
    if found.habits:
        data["habits"] = {
            name: {
                m.name: {"title": m.title, "mean": m.mean, "sd": m.sd, "ci95": m.ci95}
                for m in measures
            }
            for name, measures in found.habits.items()
        }
        tables.append(_habits(found))
        records = [{**row, "kind": "pair"} for row in rows] + _habit_records(found)
    return Report("urcx.match/1", data, records, tables)


def _pair(pair: Pair) -> dict[str, Any]:
    low, high = pair.ci95
    return {
        "agent": pair.agent.name,
        "opponent": pair.opponent.name,
        "games": str(pair.games),
        "wins": str(pair.wins),
        "share": pair.share,
        "ci95_low": low,
        "ci95_high": high,
    }


def _habit_records(found: Match) -> list[dict[str, Any]]:
    """Return the agents' habits as rows for CSV, below those of pairs."""
    rows = []
    for name, measures in found.habits.items():
        for m in measures:
            low, high = m.ci95 or (None, None)
            row = {"kind": "habit", "agent": name, "habit": m.name, "title": m.title}
            rows.append({**row, "mean": m.mean, "sd": m.sd, "ci95_low": low, "ci95_high": high})
    return rows


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
        "How they play, over all their games", [Column("habit", text=True, least=32), *names], rows
    )
