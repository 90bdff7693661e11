from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asked import THREE

import urcx
from urcx.agents.agent_texts import agent, as_sent, split
from urcx.agents.agents import Agent
from urcx.errors import UnknownNameError, UsageError


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("panda", Agent("panda", "first", 7, "advance+centre")),
        ("expectimax:random:2", Agent("expectimax", "random", 2, "advance")),
        ("greedy", Agent("greedy", "last")),
        ("random", Agent("random", "random")),
        ("net:dir/b:3", Agent("net", "first", 3, table="dir/b")),
        ("learned", Agent("learned", "first", 1)),
        ("net:3", Agent("net", "first", 1, table="3")),
        ("net:run 08:04/b:3", Agent("net", "first", 3, table="run 08:04/b")),
        ("net:random:04/b.npz", Agent("net", "first", 1, table="random:04/b.npz")),
        ("optimal:run 08:04/x", Agent("optimal", "first", table="run 08:04/x")),
        ("optimal:run 08:04/x.urcx:last", Agent("optimal", "last", table="run 08:04/x.urcx")),
        ("optimal:last:C:\\run\\x.urcx", Agent("optimal", "last", table="C:\\run\\x.urcx")),
    ],
)
def test_agents_read_their_defaults(text: str, ref: Agent) -> None:
    assert agent(text) == ref
    assert agent(ref.name) == ref
    assert agent(ref) is ref


def test_what_a_text_leaves_open_is_filled_in() -> None:
    found = agent("panda:3", depth=5, leaf="advance", ties="random")
    assert found == Agent("panda", "random", 3, "advance")
    assert found.name == "panda:3:advance:random"
    assert agent("random", depth=5, leaf="advance", ties="last") == Agent("random", "random")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("expectimax:0", "depth 0 is not from 1 to 40"),
        ("expectimax:-3", "depth -3 is not from 1 to 40"),
        ("panda:41", "depth 41 is not from 1 to 40"),
        ("panda:x", "'x' is no depth, no leaf"),
        ("panda:", "'' is no depth, no leaf"),
        ("panda:3:4", "'4' is a second depth"),
        ("panda:advance:3:advance+centre", "is a second leaf"),
        ("greedy:last:first", "'first' is a second ties"),
        ("random:3", "random does not look ahead"),
        ("greedy:advance", "greedy does not look ahead"),
        ("last:first", "no two moves are equally good"),
        ("nowhere.py:f", "there is no file nowhere.py"),
        ("nowhere.py", "write FILE.py:FUNCTION"),
        ("run 08:04/nowhere.py:f", "there is no file run 08:04/nowhere.py"),
        ("C:\\run\\nowhere.py:f", "there is no file C:\\run\\nowhere.py"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(UsageError) as said:
        agent(text)
    assert message in str(said.value)


@pytest.mark.parametrize(
    "ask", [urcx.agent, urcx.gtc, urcx.luck, urcx.match, urcx.regret, urcx.simulate]
)
def test_a_rule_set_in_place_of_an_agent_is_called_one(ask: Any) -> None:
    with pytest.raises(UnknownNameError, match=r"masters.*is a rule set: pass rules='masters'"):
        ask("masters")


def test_an_agent_of_a_directory_with_a_colon(tmp_path: Path) -> None:
    place = tmp_path / "run 2026-11-28T08:04"
    place.mkdir()
    (place / "mine.py").write_text("def last(position, roll, moves):\n    return moves[-1]\n")
    found = agent(f"{place}/mine.py:last")
    assert found.choose(THREE, 1) == THREE.legal_moves(1)[-1]
    assert as_sent(found) == f"{place.resolve()}/mine.py:last"
    erring = agent(f"mistakes:5:net:{place}/b.npz:2")
    assert (erring.percent, erring.plays.table) == (5, f"{place}/b.npz")
    assert split(erring.name)[-2:] == [f"{place}/b.npz", "2"]


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="greedi"):
        agent("greedi")
    with pytest.raises(UsageError, match="unknown tie rule 'none'"):
        agent("greedy", ties="none")
    with pytest.raises(UsageError, match="unknown leaf 'none'"):
        agent("panda", leaf="none")


def test_an_agent_that_errs_plays_as_another_but_for_a_share_of_decisions() -> None:
    short = urcx.ruleset("finkel", pieces=2)
    game, base = urcx.Game(short, "2,6/7/0-0/L"), urcx.agent("greedy:random")
    one = urcx.agent("mistakes:30:greedy:random")
    assert (one.name, one.percent, one.plays, one.ties) == (one.name, 30, base, "random")
    for roll in short.dice.rolls:
        as_base = base.move_probabilities(game, roll)
        expects = {
            move: Fraction(7, 10) * share + Fraction(3, 10) / len(as_base)
            for move, share in as_base.items()
        }
        assert one.move_probabilities(game, roll) == expects
    shares = one.move_probabilities(game, 2)
    rng = np.random.default_rng(1)
    drawn = Counter(one.choose(game, 2, rng) for _ in range(2000))
    for move, share in shares.items():
        assert abs(drawn[move] / 2000 - share) < 0.05
    assert one.values(game, 2) == base.values(game, 2)


def test_what_an_erring_agent_is_called() -> None:
    assert urcx.agent("mistakes").name == "mistakes:10"
    assert urcx.agent("mistakes:5:optimal").name == "mistakes:5"
    assert urcx.agent("mistakes:panda:3", leaf="advance").name == "mistakes:10:panda:3:advance"
    assert urcx.agent("mistakes:5:optimal:a.urcx").plays.table == "a.urcx"
    for text, why in (
        ("mistakes:101", "101 percent is not from 0 to 100"),
        ("mistakes:-1", "-1 percent is not from 0 to 100"),
        ("mistakes:5:mistakes:5", "no agent that mistakes are made from"),
        ("mistakes:5:gredy", "unknown agent 'gredy'"),
    ):
        with pytest.raises(UsageError, match=why):
            urcx.agent(text)
