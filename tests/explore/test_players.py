"""The explorer's agents: prepared once, used by one thread at a time, named without folders."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest
from requests_in_place import ask, post

import urcx
from urcx.agents.agents import Agent
from urcx.errors import UsageError
from urcx.explore.app import application
from urcx.explore.explorer import Explorer
from urcx.explore.players import Players
from urcx.explore.positions import view_answer
from urcx.explore.schema import RefusedError, ViewRequest

RULES = urcx.ruleset("finkel", pieces=2)
OWN = (
    "def last(position, roll, moves):\n    return moves[-1]\ndef fails(*given):\n    return 1 / 0\n"
)


def test_an_agent_of_one_s_own_plays_under_the_name_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(OWN, encoding="utf-8")
    explorer = Explorer(agents=[f"{file}:last", f"{file}:fails"])
    app = application(explorer)
    asked = {"new": {"pieces": 2}, "do": [{"throw": 4}, {"play": "0-4"}, {"throw": 1}]}
    game = post(app, "/api/game", asked | {"agents": ["own.py:last"]}).data
    assert [m["plays"]["own.py:last"] for m in game["view"]["rolls"][0]["moves"]] == ["0", "1"]
    answer = {"text": game["notation"], "do": [{"answer": "own.py:last"}]}
    assert post(app, "/api/game", answer).data["rows"][-1]["from"] == 4
    wrong = post(app, "/api/game", {"text": game["notation"], "do": [{"answer": "own.py:fails"}]})
    assert "own.py:fails" in wrong.error
    assert str(tmp_path) not in wrong.error
    assert ask(app, f"/api/view?agents={file}:last").status == 400  # not by its path


def test_names_that_cannot_be_asked_for_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a,b.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    with pytest.raises(UsageError, match=r"name a,b\.py:last"):
        Players([f"{tmp_path}/a,b.py:last"])
    with pytest.raises(UsageError, match=r"name own\.py:last"):
        Players([f"{tmp_path}/own.py:last", f"{tmp_path}/../{tmp_path.name}/own.py:last"])


def test_an_agent_is_asked_by_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = Explorer()
    names = ["expectimax", "panda:3", "panda:3:first", "greedy"]
    for name in names:
        explorer.players.get(name, RULES, None)
    asked, inside, together = Agent.move_probabilities, Counter[str](), set()

    def slow(agent: Agent, game: urcx.Game, roll: int) -> dict[urcx.Move, Fraction]:
        inside[agent.name] += 1
        together.add(inside[agent.name])
        time.sleep(0.002)
        inside[agent.name] -= 1
        return asked(agent, game, roll)

    monkeypatch.setattr(Agent, "move_probabilities", slow)

    def view(order: list[str]) -> object:
        request = ViewRequest(pieces=2, position="2,5/3,9/0-0/L", agents=order)
        return view_answer(explorer, request)["rolls"]

    alone = view(names)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(view, [names, names[::-1]] * 4)) == [alone] * 8
    assert together == {1}


def test_an_agent_that_is_not_ready_is_waited_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    players = Players()
    monkeypatch.setattr("urcx.explore.players.WAIT", 0.01)
    monkeypatch.setattr("urcx.explore.players._prepare", lambda *_: None)  # never done
    assert players.state("greedy", RULES, None) == ("preparing", "")
    with pytest.raises(RefusedError, match="still being prepared") as refused:
        players.get("greedy", RULES, None)
    assert refused.value.status == 503
    with pytest.raises(RefusedError, match=r"optimal: .*not known"):
        players.get("optimal", RULES, None)


def test_not_more_agents_are_kept_than_are_meant_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.explore.players.MOST_PREPARED", 3)
    players = Players()
    for name in ("random", "first", "last", "greedy", "greedy:first", "greedy:random"):
        assert players.get(name, RULES, None).name == name
    assert len(players._agents) <= 5
    assert len(players._ready) <= 4
