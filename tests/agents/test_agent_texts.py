from __future__ import annotations

import pytest

from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.errors import UnknownNameError, UsageError


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("panda", Agent("panda", "first", 7, "advance+centre")),
        ("expectimax:random:2", Agent("expectimax", "random", 2, "advance")),
        ("greedy", Agent("greedy", "last")),
        ("random", Agent("random", "random")),
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
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(UsageError) as said:
        agent(text)
    assert message in str(said.value)


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="greedi"):
        agent("greedi")
    with pytest.raises(UsageError, match="unknown tie rule 'none'"):
        agent("greedy", ties="none")
    with pytest.raises(UsageError, match="unknown leaf 'none'"):
        agent("panda", leaf="none")
