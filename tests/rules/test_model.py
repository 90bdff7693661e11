"""Boards, paths, dice and rule sets made by hand."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from own_rules import own

import urcx
from urcx.errors import CatalogueError, UsageError
from urcx.played.players import answered
from urcx.results.drawings import Drawing
from urcx.rules.drawing import BoardView, position_board, win_bar
from urcx.rules.load import load

HALF = Fraction(1, 2)
FINKEL = urcx.ruleset("finkel")


@pytest.mark.parametrize(
    ("rolls", "probabilities", "said"),
    [
        ((-1, 2), (HALF, HALF), "-1 is not a roll"),
        ((1, 100), (HALF, HALF), "100 is not a roll"),
        ((1.0, 2), (HALF, HALF), "1.0 is not a roll"),
        ((2, 2), (HALF, HALF), "a roll comes twice"),
        ([1, 2], (HALF, HALF), "must be tuples"),
        ((1, 2), (HALF,), "1 probabilities for 2 rolls"),
        ((1, 2), (0.5, 0.5), "0.5 is not a positive Fraction"),
        ((1, 2), (Fraction(3, 2), Fraction(-1, 2)), "is not a positive Fraction"),
        ((1, 2), (HALF, Fraction(1, 3)), "sum to 5/6, not to 1"),
        ((), (), "sum to 0, not to 1"),
    ],
)
def test_dice_that_cannot_be(rolls: Any, probabilities: Any, said: str) -> None:
    with pytest.raises(UsageError, match=f"^dice mine: .*{said}"):
        urcx.Dice("mine", "", rolls, probabilities)


def test_a_path_that_one_side_alone_crosses_twice_is_not_crossed_once() -> None:
    path = own("odd").path
    assert (2, 0) in path.crossings
    assert not path.crossed_once
    assert not replace(path, light=path.dark, dark=path.light).crossed_once


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pieces": 0}, "pieces 0: must be from 1 to 255"),
        ({"path": replace(FINKEL.path, dark=())}, "the path bell has no steps"),
        ({"pieces": 256}, "pieces 256"),
        ({"pieces": 2.5}, "pieces 2.5"),
        ({"path": "bell"}, "path: must be a Path, not 'bell'"),
        ({"dice": None}, "dice: must be a Dice, not None"),
        ({"rosette_protects": 1}, "rosette_protects must be True or False, not 1"),
        ({"rosette_protects": frozenset({"B4"})}, "rosette_protects must be True or False, not"),
        ({"rosette_grants_roll": {"B4"}}, "rosette_grants_roll must be True or False, not"),
        ({"rosette_grants_roll": frozenset()}, "rosette_grants_roll must be true, false or some"),
        ({"rosette_grants_roll": frozenset({"A7"})}, "rosette_grants_roll must be the same steps"),
    ],
)
def test_rule_sets_that_cannot_be(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=f"^rule set finkel[:,] {said}"):
        replace(FINKEL, **change)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"light": ["A4"]}, "must be a tuple of tiles such as .*, not"),
        ({"dark": "A4"}, "must be a tuple of tiles .* not 'A4'"),
        ({"dark": ("A4", 4)}, "must be a tuple of tiles .* not .'A4', 4."),
        ({"board": "standard"}, "board: must be a Board, not 'standard'"),
    ],
)
def test_paths_that_cannot_be(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=f"^path bell[:,] {said}"):
        replace(FINKEL.path, **change)


def test_boards_that_cannot_be() -> None:
    board = FINKEL.path.board
    with pytest.raises(UsageError, match=r"^board standard: must be a tuple of tiles"):
        replace(board, tiles=(4,))  # type: ignore[arg-type]


def test_a_file_is_told_by_its_line_not_by_the_object() -> None:
    with pytest.raises(CatalogueError, match=r"line 2.*must sum to 1"):
        load("own.toml", "[dice.own]\nprobabilities = { 1 = '1/2' }\n")


@pytest.mark.parametrize("other", ["finkel", None, 7, urcx.Game("finkel")])
def test_only_rule_sets_play_like_one(other: Any) -> None:
    with pytest.raises(UsageError, match=r"^other: must be a RuleSet, not "):
        FINKEL.plays_like(other)


RULES = ("finkel", "masters", "aseb", "murray", "skiriuk")


def some_positions(name: str) -> list[urcx.Game]:
    """Return random positions of a game, and its start."""
    played = urcx.PlayedGame(urcx.ruleset(name, pieces=3), seed=1)
    while not played.is_over and len(played.plies) < 60:
        played = answered(played, urcx.agent("last"))
    chooser = random.Random(1)
    return [played.start, *(ply.after for ply in chooser.sample(played.plies, 5))]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", RULES)
def test_a_board_fits_and_shows_every_piece(name: str, width: int) -> None:
    for game in some_positions(name):
        text = position_board(game.rules, game.position, width)
        assert max(map(len, text.splitlines())) <= width
        tiles = len(re.findall(r"\|", text))
        assert tiles >= len(game.rules.path.board.tiles)
        for letter, taken in (("L", game.position.light), ("D", game.position.dark)):
            assert len(re.findall(letter, text)) == len(taken)
            # A tile that is crossed twice is written as a step.
            way = getattr(game.rules.path, "light" if letter == "L" else "dark")
            steps = sorted(int(step) for step in re.findall(rf"{letter}(\d+)", text))
            assert steps == [step for step in taken if way.count(way[step - 1]) > 1]
        assert text.count("*") == len(game.rules.path.board.rosettes)
        assert len("   ".join(BoardView(game.rules, game.position).pools)) <= 60


def test_rows_are_as_on_the_drawing() -> None:
    text = position_board(urcx.ruleset("finkel"), urcx.parse_position("4,8/3,14/0-0/L"))
    rows = [line for line in text.splitlines() if line[:1] in "ABC" and line[:1] != " "]
    assert rows == [
        "C |  *  |  D  |     |     |           |  D* |     |",
        "B |     |     |     |  L* |     |     |     |     |",
        "A |  L* |     |     |     |           |  *  |     |",
    ]
    standing = BoardView(urcx.ruleset("finkel"), urcx.parse_position("4,8/3,14/1-0/L"))
    assert standing.pools == ["light: 4 to start, 1 home", "dark: 5 to start, 0 home"]


def painted(drawing: Drawing, width: int) -> list[str]:
    return ["".join(text for text, _ in line) for line in drawing.paint(width)]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", RULES)
def test_a_painted_board_fits_and_shows_every_piece(name: str, width: int) -> None:
    for game in some_positions(name):
        board = game.rules.path.board
        lines = position_board(game.rules, game.position).paint(width)
        text = "\n".join("".join(part for part, _ in line) for line in lines)
        assert max(map(len, text.splitlines())) <= width
        assert text.count("○") == len(game.position.light)
        assert text.count("●") == len(game.position.dark)
        assert text.count("✽") == len(board.rosettes)
        styles = [style for line in lines for _, style in line if style]
        assert len(styles) == 3 * len(board.tiles)
        other = sum(style.startswith("other ") for style in styles)
        assert 0.4 < other / len(styles) < 0.6, "two tones"
        assert len(painted(BoardView(game.rules, game.position).body, 60)[-1]) <= 60


@pytest.mark.parametrize(("light", "filled"), [(0.0, 0), (0.5, 15), (0.99, 29), (1.0, 30)])
def test_a_bar_is_as_long_as_the_win_probability(light: float, filled: int) -> None:
    bar = win_bar(light)
    assert bar == "", "nothing in pipes"
    (line,) = painted(bar, 60)
    assert line.count("█") == filled
    assert f"{100 * light:.1f} %" in line
    assert f"{100 * (1 - light):.1f} %" in line
    assert len(line) <= 60
    assert painted(bar, 40) == []
