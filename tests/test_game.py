"""The game as an object: it plays like the move generator, and refuses impossible positions."""

from __future__ import annotations

import copy
import pickle
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from random import Random
from types import FrameType
from typing import Any

import naive
import pytest

import urcx
from urcx.cli import main
from urcx.errors import (
    OutOfDomainError,
    PositionError,
    UnknownNameError,
    UsageError,
    WrongObjectError,
)
from urcx.game import Game, as_game

PLACE = "5,8/3,6/0-0/L"
RULES = ["finkel", "blitz", "masters", "aseb", "murray", "skiriuk"]


def changed_rules() -> urcx.RuleSet:
    return replace(urcx.ruleset("finkel"), capture_grants_roll=True)


# --- making a game


def test_a_game_begins_at_the_start_by_finkels_rules() -> None:
    game = Game()
    assert game.rules == urcx.ruleset("finkel")
    assert game.position == urcx.Position()
    assert game.turn == "light"
    assert not game.is_over
    assert game.winner is None


def test_names_and_texts_do_as_well_as_objects() -> None:
    game = Game("kwan", PLACE)
    assert game == Game(urcx.ruleset("kwan"), position=urcx.parse_position(PLACE))
    assert Game("finkel", pieces=3).rules == replace(urcx.ruleset("finkel"), pieces=3)
    assert Game("bm") == Game("finkel")  # another name of the same rules


def test_a_game_of_a_game_keeps_its_position() -> None:
    game = Game("finkel", PLACE)
    assert Game(game) == game
    assert Game(game, pieces=3) == Game("finkel", PLACE, pieces=3)
    assert Game(game, "-/-/0-0/D") == Game("finkel", "-/-/0-0/D")


def test_games_are_values() -> None:
    game, same = Game("finkel", PLACE), Game("finkel", "8,5/6,3/0-0/L")
    assert game == same
    assert hash(game) == hash(same)
    assert len({game, same, game.passed(), Game("kwan", PLACE)}) == 3
    assert pickle.loads(pickle.dumps(game)) == game  # noqa: S301 - our own
    assert copy.deepcopy(game) == game
    with pytest.raises(FrozenInstanceError):
        game.position = urcx.Position()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        game.opening = "an attribute that games do not have"  # type: ignore[attr-defined]


@pytest.mark.parametrize("made", [Game, lambda: hash(Game()), lambda: Game().legal_moves(2)])
def test_games_are_cheap(made: Callable[[], object]) -> None:
    """Few functions are called, on any machine, because searches make millions of games."""
    made()
    called = Counter[str]()

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        called[event] += event.endswith("call")

    sys.setprofile(count)
    try:
        made()
    finally:
        sys.setprofile(None)
    assert 0 < called.total() < 80, called


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("finkl",), UnknownNameError, "did you mean finkel"),
        ((7,), WrongObjectError, "'finkel' or a RuleSet, not 7"),
        (("finkel", "5,8/3,6/0-0"), PositionError, "3 fields instead of 4"),
        (("finkel", "15/-/0-0/L"), PositionError, "step 15 is off the path bell"),
        (("finkel", "5/5/0-0/L"), PositionError, "both players are on tile B1"),
        (("finkel", "-/-/8-0/L"), PositionError, "more than 7"),
        (("finkel", "-/-/7-7/L"), PositionError, "both players have all pieces home"),
        (("finkel", 7), WrongObjectError, "position"),
    ],
)
def test_what_is_no_game_is_refused(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Game(*arguments)


@pytest.mark.parametrize("pieces", [0, -1, 256])
def test_numbers_of_pieces_are_in_range(pieces: int) -> None:
    with pytest.raises(UsageError, match="must be from 1 to 255"):
        Game("finkel", pieces=pieces)
    assert Game("finkel", pieces=255).rules.pieces == 255


# --- playing


@pytest.mark.parametrize("name", RULES)
def test_games_played_at_random_follow_the_rules(name: str) -> None:
    draw = Random(name)
    game = Game(name, pieces=2)
    plies = 0
    while not game.is_over:
        assert game.turn == ("light" if game.position.light_to_move else "dark")
        roll = draw.choice(game.rules.dice.rolls)
        legal = game.legal_moves(roll)
        twin = {start: after for start, _, after in naive.moves(game.position, roll, game.rules)}
        assert {move.start: move.position for move in legal} == twin
        if legal:
            move = draw.choice(legal)
            after = game.play(move)
            assert (
                after
                == game.play(f"{move.start}-{move.end}")
                == game.play(f" {move.start}-{move.end} ")
            )
            assert after.position == twin[move.start]
        else:
            after = game.passed(roll)
            assert after == game.passed()
            assert after.turn != game.turn
            assert replace(after.position, light_to_move=True) == replace(
                game.position, light_to_move=True
            )
        assert after.rules is game.rules
        game, plies = after, plies + 1
    assert plies > 10
    assert game.winner == ("light" if game.position.home[0] == 2 else "dark")


@pytest.mark.parametrize("name", ["finkel", "masters", "murray"])
def test_outcomes_are_the_rolls_with_all_moves_or_the_pass(name: str) -> None:
    rules = urcx.ruleset(name, pieces=3)
    passes = 0
    for position in naive.random_positions(rules, 20, seed=5):
        outcomes = Game(rules, position).outcomes()
        assert sum(outcome.probability for outcome in outcomes) == 1
        assert tuple((o.roll, o.probability) for o in outcomes) == rules.dice.items()
        for outcome in outcomes:
            ref = naive.moves(position, outcome.roll, rules)
            assert [(move.start, move.end) for move in outcome.moves] == [row[:2] for row in ref]
            after = [row[2] for row in ref] or [naive.passed(position)]
            assert [game.position for game in outcome.games] == after
            passes += not ref
    assert passes or 0 not in rules.dice.rolls
    with pytest.raises(PositionError, match="is over"):
        Game(rules, "-/-/3-0/L").outcomes()


def test_a_race_by_outcomes_has_its_exact_value() -> None:
    # Each side has one piece on the last step, and needs a 1: p + (1 - p)^2 p + ... = 4/7.
    game = Game("finkel", "14/14/6-6/L")
    win, turn = Fraction(0), Fraction(0)
    for _, p, _, games in game.outcomes():
        (after,) = games
        win += p * (after.winner == "light")
        turn += p * (after.turn == "dark" and after.winner is None)
    assert win / (1 - turn**2) == Fraction(4, 7)


def test_a_move_that_is_not_legal_is_refused_with_those_that_are() -> None:
    game = Game("finkel", PLACE)
    with pytest.raises(
        UsageError, match=r"B3-B4 is not legal in B1,B4/.* roll 1; legal: start-A4, B1-B2, B4-B5"
    ):
        game.play("7-8")
    with pytest.raises(UsageError, match="roll 6: the dice binary4 give 0, 1, 2, 3, 4"):
        game.play("5-11")
    with pytest.raises(UsageError, match=r"^A1-A2 goes backwards$"):
        urcx.Game("finkel").play("A1-A2")
    with pytest.raises(UsageError, match="'five' is not a move"):
        game.play("five")
    with pytest.raises(UsageError, match=r"start-A2 is not legal .* legal: A2-B2, B1-B4$"):
        Game("finkel", "3,5/-/0-0/L").play("0-3")
    move: Any = 5
    with pytest.raises(WrongObjectError, match="move: must be its tiles such as 'A4-B1' or a Move"):
        game.play(move)


def test_a_move_is_said_by_its_tiles_or_its_steps() -> None:
    game = Game("finkel", "B1,B4/C2,B2/0-0/L")
    assert game == Game("finkel", PLACE)
    for text in ("B1-B2", "b1 to b2", "5-6"):
        assert game.play(text).position == urcx.parse_position("6,8/3/0-0/D")
    assert game.play("start-A4") == game.play("0-1")
    assert Game("finkel", "A7/-/0-0/L").play("A7-home").position.home == (1, 0)
    dark = Game("finkel", "-/C2/0-0/D").play("C2-B1")
    assert dark.position == urcx.parse_position("-/5/0-0/L")
    with pytest.raises(PositionError, match="'C2' is not a tile"):
        game.play("C2-B1")
    with pytest.raises(PositionError, match=r"B1 is crossed more than once.* step, 5 or 23"):
        Game("murray", "5/-/0-0/L").play("B1-B2")


def test_a_move_of_another_position_is_refused() -> None:
    game, other = Game("finkel", PLACE), Game("finkel", "5,9/3,6/0-0/L")
    (stranger,) = (move for move in other.legal_moves(1) if move.start == 5)
    with pytest.raises(UsageError, match="B1-B2 leads elsewhere from B1,B4/C2,B2/0-0/L"):
        game.play(stranger)


def test_nobody_passes_who_can_move() -> None:
    game = Game("finkel", PLACE)
    assert game.passed() == Game("finkel", "5,8/3,6/0-0/D")
    with pytest.raises(UsageError, match="light has a legal move for roll 2"):
        game.passed(2)
    # The dice of the masters never give 0, so there is always a piece to enter.
    with pytest.raises(UsageError, match="dark has a legal move for any roll"):
        Game("masters", "-/-/0-0/D").passed()
    with pytest.raises(UsageError, match="the dice binary4 give"):
        game.passed(9)


@pytest.mark.parametrize(("home", "winner"), [("7-0", "light"), ("2-7", "dark")])
def test_a_finished_game_has_a_winner_and_no_moves(home: str, winner: str) -> None:
    game = Game("finkel", f"-/-/{home}/D")
    assert game.is_over
    assert game.winner == winner
    assert f"{winner} has won" in str(game)
    for attempt in (lambda: game.legal_moves(1), lambda: game.play("0-1"), game.passed):
        with pytest.raises(PositionError, match=f"the game is over, all of {winner}'s pieces"):
            attempt()


# --- turned, ranked


@pytest.mark.parametrize("name", ["finkel", "masters"])
def test_the_mirrored_game_has_the_same_moves(name: str) -> None:
    game = Game(name, "2,5/3,7/1-2/L")
    mirrored = game.mirrored()
    assert mirrored.turn == "dark"
    assert mirrored.position == urcx.parse_position("3,7/2,5/2-1/D")
    assert mirrored.mirrored() == game
    for roll in (1, 2, 3):
        moves = game.legal_moves(roll)
        assert [game.play(move).mirrored() for move in moves] == [
            mirrored.play(move) for move in mirrored.legal_moves(roll)
        ]


def test_players_who_walk_different_ways_cannot_be_exchanged() -> None:
    path = replace(urcx.path("bell"), name="lame", dark=urcx.path("bell").dark[:-1])
    game = Game(replace(urcx.ruleset("finkel"), path=path))
    with pytest.raises(OutOfDomainError, match="paths on lame"):
        game.mirrored()


def test_the_rank_is_that_of_the_position() -> None:
    game = Game("finkel", PLACE)
    for convention in ("diagrams", "positions", "mover-view"):
        expected = urcx.ranking("bell", 7, convention=convention).rank(PLACE)
        assert game.rank(convention) == expected
        assert urcx.rank(game, convention=convention) == expected
    assert game.rank() == urcx.rank(PLACE, "bell", 7)
    assert game.rank("positions") != game.passed().rank("positions")


# --- instead of a position


def test_functions_take_a_game_for_a_position_and_its_rules() -> None:
    game = Game("blitz", "2,5/3,7/1-2/L", pieces=5)
    assert urcx.legal_moves(game, 2) == urcx.legal_moves(game.position, 2, "blitz")
    assert urcx.perft(game, 2) == urcx.perft("blitz", 2, game.position)
    assert urcx.perft("blitz", 2, game) == urcx.perft(game, 2)
    assert urcx.perft(game, 2, "-/-/0-0/L") == urcx.perft("blitz", 2)
    assert urcx.gain(Game("finkel", "2/3,6/5-5/L"), roll=2) == urcx.gain("2/3,6/5-5/L", roll=2)
    ending = Game("finkel", "1/6/6-6/D")
    assert urcx.capture(ending) == urcx.capture("1/6/6-6/D", "finkel")


def test_a_game_of_other_rules_is_refused() -> None:
    game = Game("finkel", PLACE)
    with pytest.raises(UsageError, match="the game is of finkel with 7 pieces, not of kwan"):
        urcx.legal_moves(game, 2, "kwan")
    with pytest.raises(UsageError, match="the game is of finkel"):
        urcx.perft("blitz", 1, game)
    with pytest.raises(UsageError, match=r"path bell .* masters"):
        urcx.rank(game, "masters")
    with pytest.raises(UsageError, match=r"7 pieces .* bell with 7 and 6"):
        urcx.ranking("bell", 7, 6).rank(game)
    # The same game under another name is accepted.
    assert urcx.legal_moves(Game("finkel", pieces=6), 2, "kwan")


def test_a_position_alone_needs_a_path_and_pieces_for_its_rank() -> None:
    with pytest.raises(UsageError, match="path and pieces"):
        urcx.rank(PLACE)
    with pytest.raises(UsageError, match="path and pieces"):
        urcx.rank(PLACE, "bell")


def test_rule_sets_are_alike_by_what_they_say_and_not_by_their_names() -> None:
    # Each field by itself: tests/rules/test_every_field.py.
    finkel = urcx.ruleset("finkel")
    assert replace(finkel, pieces=6).plays_like(urcx.ruleset("kwan"))
    path = finkel.path
    for other in (
        replace(path, dark=path.light),
        replace(path, board=replace(path.board, rosettes=frozenset())),
    ):
        assert not finkel.plays_like(replace(finkel, path=other))


def test_only_a_game_is_a_game() -> None:
    assert as_game(Game()) == Game()
    for given in ("finkel", PLACE, urcx.Position(), None):
        with pytest.raises(WrongObjectError, match="or a Game, not"):
            as_game(given)


# --- shown


@pytest.mark.parametrize("name", RULES)
def test_a_game_prints_as_the_command_shows_it(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    position = "2,5/3,7/1-0/D"
    with pytest.raises(SystemExit):
        main(["show", position, "--rules", name])
    assert str(Game(name, position)) == capsys.readouterr().out


@pytest.mark.parametrize(
    "game",
    [Game(), Game("kwan"), Game("finkel", pieces=3), Game("murray", "20/-/0-1/D", pieces=2)],
    ids=repr,
)
def test_the_representation_makes_the_game(game: Game) -> None:
    assert eval(repr(game), {"Game": Game}) == game  # noqa: S307 - what `repr` promises


def test_rules_without_a_name_are_not_said_to_have_one() -> None:
    assert repr(Game(changed_rules(), PLACE)) == f"Game(<rules finkel>, position='{PLACE}')"


def test_notebooks_draw_the_board() -> None:
    game = Game("finkel", "5,8/3,6/1-0/L")
    svg = ET.fromstring(game._repr_svg_() or "")  # noqa: S314 - our own
    texts = {text.strip() for text in svg.itertext()}
    assert "B1,B4/C2,B2/1-0/L (finkel)" in texts
    html = game._repr_html_() or ""
    assert html.count("<svg") == 1
    assert "light to move" in html
    assert "color-scheme" not in html  # a page's own colours; a file has some of its own
    assert "color-scheme" in (game._repr_svg_() or "")
