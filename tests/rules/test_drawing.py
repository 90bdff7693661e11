"""Boards from left to right: as narrow as asked, with every piece where the rules have it."""

from __future__ import annotations

import random
import re

import pytest

import urcx
from urcx.played.dice import answered
from urcx.rules.drawing import Standing, across

RULES = ("finkel", "masters", "aseb", "murray", "skiriuk")


def some_positions(name: str) -> list[urcx.Game]:
    """Return some positions of a game at random, and its start."""
    played = urcx.PlayedGame(urcx.ruleset(name, pieces=3), seed=1)
    while not played.is_over and len(played.plies) < 60:
        played = answered(played, urcx.agent("last"))
    chooser = random.Random(1)
    return [played.start, *(ply.after for ply in chooser.sample(played.plies, 5))]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", RULES)
def test_a_board_fits_and_shows_every_piece(name: str, width: int) -> None:
    for game in some_positions(name):
        text = across(game.rules, game.position, width)
        assert max(map(len, text.splitlines())) <= width
        tiles = len(re.findall(r"\|", text))
        assert tiles >= len(game.rules.path.board.tiles)
        for letter, taken in (("L", game.position.light), ("D", game.position.dark)):
            assert len(re.findall(letter, text)) == len(taken)
            # Steps only say which time a tile is crossed.
            way = getattr(game.rules.path, "light" if letter == "L" else "dark")
            steps = sorted(int(step) for step in re.findall(rf"{letter}(\d+)", text))
            assert steps == [step for step in taken if way.count(way[step - 1]) > 1]
        assert text.count("*") == len(game.rules.path.board.rosettes)
        assert len("   ".join(Standing(game.rules, game.position).pools)) <= 60


def test_rows_are_as_on_the_drawing() -> None:
    text = across(urcx.ruleset("finkel"), urcx.parse_position("4,8/3,14/0-0/L"))
    rows = [line for line in text.splitlines() if line[:1] in "ABC" and line[:1] != " "]
    assert rows == [
        "C |  *  |  D  |     |     |           |  D* |     |",
        "B |     |     |     |  L* |     |     |     |     |",
        "A |  L* |     |     |     |           |  *  |     |",
    ]
    standing = Standing(urcx.ruleset("finkel"), urcx.parse_position("4,8/3,14/1-0/L"))
    assert standing.pools == ["light: 4 to start, 1 home", "dark: 5 to start, 0 home"]
