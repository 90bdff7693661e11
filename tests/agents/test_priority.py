"""The agent ``priority``: its wishes by a reference in plain Python, its names and its errors."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from naive_simulator import equal
from naive_wishes import wished
from own_rules import own, small

import urcx
from urcx.agents.agent_kernels import candidates
from urcx.agents.agents import Agent, agent, split_agents
from urcx.agents.kinds import AgentKinds
from urcx.agents.policies import Policies
from urcx.agents.search import mover_state
from urcx.agents.wishes import WISHES
from urcx.engine.moves import tables
from urcx.errors import UnknownNameError, UsageError, WrongObjectError
from urcx.expectations.expected import expected
from urcx.games.match import match
from urcx.rules.model import RuleSet

LISTS = (
    "again-capture,capture-advanced,least-risk",
    "flee,safe,into-shared,back",
    "capture,stay-centre,again,enter,off,out-of-shared,safe,least-risk,capture-advanced",
)
RULES = ("finkel", "masters", "murray", "blitz", "skiriuk", "aseb")
# Sides that differ, opposite directions, and a path that comes back to its own tile.
OWN = ("odd", "head-on", "loop", "corner", "peace", "harmless")


def possible(rules: RuleSet) -> list[str]:
    """Return the lists of wishes that the rules can meet, each wish alone first."""
    result = []
    for text in (*WISHES, "3", *LISTS):
        try:
            Policies(rules, 1).of(agent(f"priority:{text}"))
        except UsageError:
            continue
        result.append(text)
    return result


@pytest.mark.parametrize(
    "name",
    [*RULES[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in RULES[2:]), *OWN],
)
def test_moves_are_the_reference_moves(name: str) -> None:
    rules = own(name) if name in OWN else urcx.ruleset(name)
    ways, lists = tables(rules).ways, possible(rules)
    policies = {text: Policies(rules, 1).of(agent(f"priority:{text}")) for text in lists}
    narrowed = dict.fromkeys(lists, 0)
    for position in sorted(set(naive.random_positions(rules, 120, seed=7))):
        side, state = mover_state(position)
        for roll in rules.dice.rolls:
            moves = naive.moves(position, roll, rules)
            if len(moves) < 2:
                continue
            legal = np.int64(sum(1 << start for start, _, _ in moves))
            for text, policy in policies.items():
                best = int(candidates(policy, ways, side, legal, roll, *map(np.int64, state)))
                reference = wished(position, moves, rules, text.split(","))
                assert best == sum(1 << start for start, _, _ in reference), (text, position, roll)
                narrowed[text] += len(reference) < len(moves)
    assert name in OWN or len(lists) == len(WISHES) + 1 + len(LISTS)
    never = {text for text, count in narrowed.items() if not count}
    assert name in OWN or not never - ({"into-shared"} if name == "murray" else set())


@pytest.mark.parametrize("ties", ["first", "last", "random"])
@pytest.mark.parametrize("name", ["finkel", "aseb"])
def test_greedy_is_two_wishes_if_rosettes_protect(name: str, ties: str) -> None:
    rules = small(name, 2)
    text = f"greedy:{ties}", f"priority:capture,rosette:{ties}"
    games = [urcx.simulate(each, "random", rules, games=6, seed=3) for each in text]
    assert equal(*games)


def test_the_second_wish_decides_between_captures() -> None:
    game = urcx.Game("blitz", position="6,7/8,9/0-0/L")  # with a 2, both capture, 6-8 on a rosette
    starts = {}
    for text in ("greedy", "priority:capture,rosette", "priority:capture:first"):
        move = agent(text).choose(game, 2)
        assert move is not None
        assert move.captures
        starts[text] = move.start
    assert list(starts.values()) == [7, 6, 6]


def test_first_and_last_are_one_wish() -> None:
    rules = small("masters", 2)
    for name, wish in (("first", "back"), ("last", "front")):
        games = [
            urcx.simulate(each, "random", rules, games=6, seed=3)
            for each in (name, f"priority:{wish}:random")
        ]
        assert equal(*games)


@pytest.mark.jit
@pytest.mark.parametrize("name", ["finkel", pytest.param("aseb", marks=pytest.mark.slow)])
def test_exact_answers_of_greedy_and_of_its_wishes_are_equal(name: str) -> None:
    rules = small(name, 2)
    results = []
    for text in ("greedy", "priority:capture,rosette"):
        loss = urcx.regret(text, rules).regrets[0].side.loss
        mistakes = urcx.mistakes(text, rules, most=5).rows
        lengths = urcx.lengths(text, rules=rules).chances.tolist()
        luck = urcx.luck(text, rules=rules).share
        exact = [m.mean for m in urcx.exact_measures(expected(text, rules=rules))]
        results.append((loss, [row.position for row in mistakes], lengths, luck, exact))
    assert results[0] == results[1]


def test_names_round_trip() -> None:
    for text in ("priority:capture", "priority:off,14,rosette:random", "priority:haven:first"):
        assert agent(text).name == text
        assert agent(agent(text).name) == agent(text)
    assert agent("priority:capture:last").name == "priority:capture"
    assert agent("priority", wishes=["capture", "off"]) == agent("priority:capture,off")
    assert agent("priority:first", wishes=("off",)).name == "priority:off:first"
    mixed = agent("mistakes:20:priority:capture,off:first")
    assert mixed.name == "mistakes:20:priority:capture,off:first"
    assert mixed.base == agent("priority:capture,off:first")
    assert hash(mixed) == hash(agent(mixed.name))


def test_lists_of_agents_keep_wishes_together() -> None:
    text = "greedy,priority:capture,off,random,mistakes:5:priority:off,14:first,last,a.py:b"
    assert split_agents(text) == [
        "greedy", "priority:capture,off", "random", "mistakes:5:priority:off,14:first", "last",
        "a.py:b",
    ]  # fmt: skip
    with pytest.raises(UnknownNameError, match="unknown wish 'ofe'; did you mean off"):
        agent(split_agents("priority:capture,ofe")[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("priority:captur,off", "unknown wish 'captur'; did you mean capture"),
        ("priority", "agent 'priority': the wishes are missing. Try: priority:capture"),
        ("priority:last", "the wishes are missing"),
        ("priority:off,off", "'off' is a second wish"),
        ("priority:off:3", "priority does not look ahead"),
        ("priority:off:lst", "'lst' must be a depth, a leaf"),
        ("priority::last", "unknown wish ''"),
    ],
)
def test_wrong_texts(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        agent(text)


def test_wrong_wishes_in_python() -> None:
    wrong: Any = 3
    with pytest.raises(WrongObjectError, match="wishes: must be a list of names"):
        agent("priority", wishes=wrong)
    with pytest.raises(UsageError, match="the wishes are missing"):
        Agent("priority", "last")


@pytest.mark.parametrize(
    ("wish", "rules", "message"),
    [
        ("stay-centre", "race", "the path lanes has no centre rosette"),
        ("rosette", "race", "the path lanes has no rosette"),
        ("capture", "race", "no piece can be captured by the rules race"),
        ("again", "race", "no move grants a roll by the rules race"),
        ("99", "finkel", "must be a step from 1 to 14 of the path bell"),
        ("0", "finkel", "must be a step from 1 to 14"),
    ],
)
def test_wishes_that_no_move_can_meet(wish: str, rules: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"agent priority: wish '{wish}': {message}"):
        match(
            [f"priority:off,{wish}", "random"],
            urcx.ruleset(rules) if rules == "finkel" else own(rules),
        )


def test_the_list_of_agents_has_the_wishes() -> None:
    result = AgentKinds(())
    assert [row["name"] for row in result.document()["wishes"]] == list(WISHES)
    assert "capture-advanced" in result.text(wide=True)
