"""Positions: reading and writing notation, errors of strict parsing, broken rules."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import urcx
from urcx.errors import PositionError
from urcx.rules.position import Position, check, parse_position, position_on

STEPS = st.sets(st.integers(1, 999_999), max_size=9).map(lambda s: tuple(sorted(s)))
HOME = st.tuples(st.integers(0, 999_999), st.integers(0, 999_999))
POSITIONS = st.builds(Position, STEPS, STEPS, HOME, st.booleans())


# Notation.


@given(POSITIONS)
def test_what_is_written_is_read(position: Position) -> None:
    assert parse_position(str(position)) == position


@given(st.text("0123456789,-/LD ", max_size=24))
def test_what_is_read_is_written_the_same_way(text: str) -> None:
    # One position has one notation, so that lines of text can be compared.
    try:
        position = parse_position(text)
    except PositionError:
        return
    assert str(position) == text.strip()


def test_figure_8_of_the_paper() -> None:
    position = parse_position("2/3,6/5-5/L")
    assert position == Position(light=(2,), dark=(3, 6), home=(5, 5), light_to_move=True)
    check(position, urcx.path("masters"), 7)


def test_tiles_are_steps_of_each_players_own_path() -> None:
    bell, murray = urcx.path("bell"), urcx.path("murray")
    position = position_on("a3,B8/C2,B2/1-0/D", bell)
    assert position == position_on("2,12/3,6/1-0/D", bell) == parse_position("2,12/3,6/1-0/D")
    assert position.on(bell) == "A3,B8/C2,B2/1-0/D"
    # A tile that is crossed twice needs a step; the others are tiles.
    assert position_on("A4,23/C2,B8/0-0/L", murray).on(murray) == "A4,23/C2,B8/0-0/L"
    for text, path, reason in (
        ("A9/-/0-0/L", bell, "light 'A9': 'A9' is not a tile"),
        ("-/A4/0-0/L", bell, "dark 'A4': 'A4' is not a tile"),
        ("B1/-/0-0/L", murray, "B1 is crossed more than once. Write its step, 5 or 23"),
        ("A4,1/-/0-0/L", bell, "two pieces on step 1"),
        ("x/-/0-0/L", bell, "'x' is not a tile such as A4, a step such as 5, or -"),
    ):
        with pytest.raises(PositionError, match=re.escape(reason)):
            position_on(text, path)


@pytest.mark.parametrize("name", urcx.path_names())
def test_tiles_that_are_written_are_read(name: str) -> None:
    path = urcx.path(name)
    numbering = urcx.ranking(path, 2)
    for rank in range(0, numbering.size, 1 + numbering.size // 97):
        position = numbering.unrank(rank)
        assert position_on(position.on(path), path) == position
        assert numbering.rank(position.on(path)) == rank


@pytest.mark.parametrize("text", ["start", " start\n"])
def test_start_is_the_start_position(text: str) -> None:
    assert parse_position(text) == Position() == position_on(text, urcx.path("bell"))


def test_blanks_around_a_position_do_no_harm() -> None:
    assert parse_position("  1/2/3-4/D\n") == Position((1,), (2,), (3, 4), light_to_move=False)


@pytest.mark.parametrize(
    ("text", "field", "reason"),
    [
        ("", "LIGHT/DARK/HOME/TURN", "1 field instead of 4"),
        ("-/-/0-0", "LIGHT/DARK/HOME/TURN", "3 fields"),
        ("-/-/0-0/L/", "LIGHT/DARK/HOME/TURN", "5 fields"),
        ("/-/0-0/L", "light", "'' is not a step"),
        ("0/-/0-0/L", "light", "'0' is not a step"),
        ("01/-/0-0/L", "light", "'01' is not a step"),
        ("1,/-/0-0/L", "light", "'' is not a step"),
        ("1, 2/-/0-0/L", "light", "' 2' is not a step"),
        ("a/-/0-0/L", "light", "'a' is not a step"),
        ("+1/-/0-0/L", "light", "'+1' is not a step"),
        ("1.0/-/0-0/L", "light", "'1.0' is not a step"),
        ("\u0663/-/0-0/L", "light", "is not a step"),
        ("1234567/-/0-0/L", "light", "is not a step"),
        ("2,2/-/0-0/L", "light", "two pieces on step 2"),
        ("3,5,3/-/0-0/L", "light", "two pieces on step 3"),
        ("-/-1/0-0/L", "dark", "'-1' is not a step"),
        ("-/1,-/0-0/L", "dark", "'-' is not a step"),
        ("-/3,4,4/0-0/L", "dark", "two pieces on step 4"),
        ("-/-/0/L", "home", "'0'"),
        ("-/-/-/L", "home", "'-'"),
        ("-/-/0-0-0/L", "home", "'0-0-0'"),
        ("-/-/0--1/L", "home", "'0--1'"),
        ("-/-/00-0/L", "home", "'00-0'"),
        ("-/-/x-0/L", "home", "'x-0'"),
        ("-/-/0-0/l", "turn", "must be L or D"),
        ("-/-/0-0/", "turn", "must be L or D"),
        ("-/-/0-0/LD", "turn", "must be L or D"),
    ],
)
def test_a_parsing_error_names_the_field_and_the_reason(text: str, field: str, reason: str) -> None:
    with pytest.raises(PositionError) as raised:
        parse_position(text)
    message = str(raised.value)
    subject = message.split(":", maxsplit=1)[0]
    assert field in subject
    assert reason in message
    others = {"light", "dark", "home", "turn"} - {field}
    assert not others & set(subject.split())


# Exchanging the players.


@given(POSITIONS)
def test_turned_exchanges_everything_and_turned_twice_nothing(position: Position) -> None:
    turned = position.turned()
    assert turned.light == position.dark
    assert turned.dark == position.light
    assert turned.home == (position.home[1], position.home[0])
    assert turned.light_to_move != position.light_to_move
    assert turned.turned() == position


# The rules of the board.


@pytest.mark.parametrize(
    ("path", "text", "pieces", "dark_pieces", "side", "facts"),
    [
        ("bell", "15/-/0-0/L", 7, None, "light", ["step 15", "bell", "1 to 14"]),
        ("bell", "-/3,17/0-0/L", 7, None, "dark", ["step 17", "bell", "1 to 14"]),
        ("bell", "5/5/0-0/L", 7, None, "dark", ["both players", "B1"]),
        # The corners are met in the opposite order, so equal steps are different tiles there.
        ("masters", "12/16/0-0/L", 7, None, "dark", ["both players", "C7"]),
        # A piece on the way out and one on the way back.
        ("murray", "5,23/-/0-0/L", 7, None, "light", ["two pieces of light", "B1"]),
        ("murray", "-/11,17/0-0/L", 7, None, "dark", ["two pieces of dark", "B7"]),
        ("murray", "5/23/0-0/L", 7, None, "dark", ["both players", "B1"]),
        ("bell", "1,2,3/-/0-0/L", 2, None, "light", ["3 on the board", "0 home", "more than 2"]),
        ("bell", "-/1/0-2/L", 2, None, "dark", ["1 on the board", "2 home", "more than 2"]),
        ("bell", "1/1/1-1/L", 2, 1, "dark", ["1 on the board", "1 home", "more than 1"]),
    ],
)
def test_check_names_the_broken_rule(
    path: str, text: str, pieces: int, dark_pieces: int | None, side: str, facts: list[str]
) -> None:
    with pytest.raises(PositionError) as raised:
        check(parse_position(text), urcx.path(path), pieces, dark_pieces)
    message = str(raised.value)
    assert message.startswith(f"{side}: ")
    assert all(fact in message for fact in facts)


@pytest.mark.parametrize("home", [(-1, 0), (0, -1)])
def test_check_refuses_fewer_than_no_pieces_home(home: tuple[int, int]) -> None:
    # Notation cannot express this, but a Position made in Python can.
    with pytest.raises(PositionError, match="home"):
        check(Position(home=home), urcx.path("bell"), 7)


SIDE = st.sets(st.integers(1, 30), max_size=4).map(lambda s: tuple(sorted(s)))


@given(
    st.sampled_from(["bell", "masters", "murray", "skiriuk", "michon-twisted-long"]),
    st.builds(Position, SIDE, SIDE, st.tuples(st.integers(0, 3), st.integers(0, 3))),
    st.integers(1, 5),
    st.integers(1, 5),
)
def test_check_passes_exactly_what_the_rules_allow(
    name: str, position: Position, pieces: int, dark_pieces: int
) -> None:
    path = urcx.path(name)
    allowed = True
    for steps, way, home, number in (
        (position.light, path.light, position.home[0], pieces),
        (position.dark, path.dark, position.home[1], dark_pieces),
    ):
        allowed &= all(step <= len(way) for step in steps) and len(steps) + home <= number
    if allowed:
        tiles = [path.light[s - 1] for s in position.light] + [
            path.dark[s - 1] for s in position.dark
        ]
        allowed = len(set(tiles)) == len(tiles)
    try:
        check(position, path, pieces, dark_pieces)
    except PositionError:
        assert not allowed
    else:
        assert allowed


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("5,3/-/0-0/L", "3,5/-/0-0/L"),
        ("2,1/10,9,4/1-0/D", "1,2/4,9,10/1-0/D"),
    ],
)
def test_steps_are_read_in_any_order_and_written_in_ascending_order(typed: str, meant: str) -> None:
    assert str(parse_position(typed)) == meant
    assert parse_position(typed) == parse_position(meant)


# Positions made by hand.


def test_positions_made_by_hand_are_put_in_order() -> None:
    steps: Any = (np.int64(3), 2)
    assert urcx.Game(position=Position(steps)).position == Position((2, 3))
    assert type(urcx.Game(position=Position(steps)).position.light[1]) is int


@pytest.mark.parametrize(
    ("position", "said"),
    [
        (Position(("a",)), "light: must be a tuple of integers, not ('a',)"),  # type: ignore[arg-type]
        (Position(dark=5), "dark: must be a tuple of integers, not 5"),  # type: ignore[arg-type]
        (Position(home=(1,)), "home: must be light's and dark's numbers of pieces, not (1,)"),  # type: ignore[arg-type]
        (Position(light_to_move="L"), "light_to_move: must be True or False, not 'L'"),  # type: ignore[arg-type]
    ],
)
def test_positions_made_by_hand_of_wrong_types(position: Position, said: str) -> None:
    with pytest.raises(PositionError, match=f"^{re.escape(said)}$"):
        urcx.Game(position=position)
    with pytest.raises(PositionError, match=f"^{re.escape(said)}$"):
        urcx.legal_moves(position, 2)
