"""The report on a match."""

from __future__ import annotations

from dataclasses import replace

import urcx
from urcx.games.match import match

RULES = replace(urcx.ruleset("finkel"), pieces=1)


def test_shares_with_their_intervals_and_habits_below() -> None:
    found = match(["random", "first"], RULES, games=20, seed=1, habits=True)
    shown = found.report()
    pair = found.pairs[1]
    assert shown.data["rows"][1] == {
        "agent": "random",
        "opponent": "first",
        "games": "20",
        "wins": str(pair.wins),
        "share": pair.wins / 20,
        "ci95_low": pair.ci95[0],
        "ci95_high": pair.ci95[1],
    }
    assert shown.tables[0].rows[0][2].startswith(f"{pair.share:.2%} (")
    assert [row["kind"] for row in shown.records[:3]] == ["pair"] * 3
    habit = shown.records[3]
    stored = shown.data["habits"]["random"][habit["habit"]]
    assert (habit["kind"], habit["agent"], habit["mean"]) == ("habit", "random", stored["mean"])
    assert (habit["ci95_low"], habit["ci95_high"]) == (stored["ci95"] or (None, None))
    assert len(shown.tables[1].rows) == len(shown.data["habits"]["random"])


def test_without_habits_there_is_one_table() -> None:
    shown = match(["random", "first"], RULES, games=4, seed=1).report()
    assert len(shown.tables) == 1
    assert "habits" not in shown.data
    assert "kind" not in shown.records[0]


def test_an_agent_keeps_its_name_whatever_it_begins_with() -> None:
    found = match([lambda _position, _roll, moves: moves[0], "random"], RULES, games=4, seed=1)
    assert found.agents[0].name == "<lambda>()"
    assert [head.title for head in found.report().tables[0].heads[1:]] == [
        "<lambda>()",
        "random",
    ]
