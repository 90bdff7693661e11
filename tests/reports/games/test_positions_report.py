"""The reports on positions: moves, the drawing, the tree; and the list of agents."""

from __future__ import annotations

import urcx
from urcx.agents.advice import Adviser
from urcx.agents.agent_texts import agent
from urcx.agents.choices import choices
from urcx.agents.kinds import KINDS, agents_report
from urcx.enumerate.perft import Branch, Level, Levels
from urcx.rules.drawing import Standing

RULES = urcx.ruleset("finkel")
POSITION = urcx.parse_position("2/3,6/5-5/L")


def test_moves_without_and_with_an_agent() -> None:
    plain = choices(POSITION, RULES).report()
    assert [head.title for head in plain.tables[0].heads] == ["roll", "chance", "move", "leads to"]
    assert plain.records[0] == {
        "roll": 0,
        "chance": "1/16",
        "pass": True,
        "position": "2/3,6/5-5/D",
    }
    assert "agent" not in plain.data
    asked = agent("panda:1")
    report = choices(POSITION, RULES, 2, Adviser(asked, RULES)).report()
    assert [head.title for head in report.tables[0].heads][-3:] == ["value", "choice", "plays"]
    assert report.data["agent"] == "panda:1"
    best = [row for row in report.records if row["best"]]
    assert best[0]["plays"] == "1"
    assert all(row["value"] <= best[0]["value"] for row in report.records)


def test_an_agent_without_preferences_has_no_choice() -> None:
    asked = agent("random")
    found = choices(POSITION, RULES, 2, Adviser(asked, RULES))
    heads = [h.title for h in found.report().tables[0].heads]
    assert heads == ["roll", "chance", "move", "leads to", "plays"]


def test_a_finished_game_is_drawn() -> None:
    report = Standing(RULES, urcx.parse_position("-/1/7-0/D")).report()
    assert report.data["light"] == {"start": 0, "home": 7}
    assert report.data["tiles"] == {"C4": "dark 1"}
    assert "dark: 6 to start, 0 home" in report.body


def test_the_tree_by_levels_and_branches() -> None:
    rows = (Level(1, 5, 4, 5, 5.0), Level(2, 28, 20, 25, 5.6))
    (move,) = urcx.legal_moves(urcx.Position(), 1, RULES)
    branches = (Branch(0, None, 8), Branch(1, move, 20))
    report = Levels(rows, rules=RULES, position=urcx.Position(), branches=branches).report()
    assert report.tables[0].rows[1] == ["2", "28", "5.6000", "20", "25"]
    assert report.tables[1].rows[0] == ["0", "pass", "8"]
    assert report.data["divide"][0] == {"roll": 0, "from": None, "to": None, "nodes": "8"}
    assert [row["kind"] for row in report.records] == ["level", "level", "branch", "branch"]
    assert [row["pass"] for row in report.records[2:]] == [True, False]


def test_all_agents_are_listed() -> None:
    report = agents_report()
    assert [row["name"] for row in report.records] == list(KINDS)
    assert [row[0] for row in report.tables[0].rows] == list(KINDS)
    assert report.tables[0].rows[0][1] == "-"
