"""The report on a match."""

from __future__ import annotations

from urcx.games.match import match


def test_an_agent_keeps_its_name_whatever_it_begins_with() -> None:
    found = match([lambda _position, _roll, moves: moves[0], "random"], games=4, seed=1)
    assert found.agents[0].name == "<lambda>()"
    assert [head.title for head in found.tables()[0].heads[1:]] == [
        "<lambda>()",
        "random",
    ]
