"""Games as they are played: plies, rolls, taking back, dice with a seed."""

from __future__ import annotations

import re
from collections import Counter
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import urcx
from urcx.errors import PositionError, UrcxError, UsageError
from urcx.played.players import answered, choice, rolled, thrown

SMALL = urcx.ruleset("finkel", pieces=2)


def play_out(
    rules: Any = SMALL, seed: int = 3, agents: tuple[str, str] = ("greedy", "random"), **said: str
) -> urcx.PlayedGame:
    """Return a whole game of two agents, light's and dark's."""
    played = urcx.PlayedGame(rules, seed=seed, **{"light": agents[0], **said})  # type: ignore[arg-type] # texts
    light, dark = map(urcx.agent, agents)
    while not played.is_over:
        played = answered(played, light if played.turn == "light" else dark)
    return played


def test_a_game_is_what_its_plies_make_of_the_start() -> None:
    played = play_out()
    game = urcx.Game(SMALL)
    for ply in played.plies:
        assert ply.before == game
        assert ply.side == game.turn
        game = game.passed(ply.roll) if ply.move is None else game.play(ply.move)
        assert ply.after == game
    assert played.game == game
    assert played.result == game.winner
    assert played.is_over


def test_a_roll_waits_until_it_is_played() -> None:
    played = urcx.PlayedGame().throw(2)
    assert played.roll == 2
    assert [move.end for move in played.legal_moves()] == [2]
    with pytest.raises(UsageError, match="the roll 2 has not been played"):
        played.throw(1)
    with pytest.raises(UsageError, match="start-A2 is not a move for the roll 2"):
        played.play("0-3")
    with pytest.raises(UsageError, match="light has a legal move for roll 2"):
        played.passed()
    with pytest.raises(UsageError, match="the roll is 2, not 0"):
        played.passed(0)
    assert played.play("0-2").roll is None
    with pytest.raises(UsageError, match="no roll was thrown"):
        urcx.PlayedGame().passed()
    with pytest.raises(UsageError, match="no roll was thrown"):
        urcx.PlayedGame().legal_moves()
    with pytest.raises(UsageError, match="roll 5: the dice binary4 give"):
        urcx.PlayedGame().throw(5)


def test_what_is_taken_back_can_be_played_again() -> None:
    played = play_out()
    back = played.undo(3)
    assert back.plies == played.plies[:-3]
    assert back.roll == played.plies[-3].roll
    assert back.redo().redo().redo() == played
    assert not back.redo().redo().redo().undone
    move = played.plies[-3].move
    again = back.passed() if move is None else back.play(move)
    assert len(again.undone) == 2
    assert again.redo().redo() == played
    with pytest.raises(UsageError, match="plies 1: must be from 0 to 0"):
        played.redo()
    with pytest.raises(
        UsageError, match=f"plies {len(played.plies) + 1}: must be from 0 to {len(played.plies)}"
    ):
        played.undo(len(played.plies) + 1)
    assert back.undo(0).roll is None
    assert played.at(4).plies == played.plies[:4]
    with pytest.raises(UsageError, match="plies -1: must be from 0"):
        played.at(-1)


def test_another_move_forgets_what_was_taken_back() -> None:
    played = urcx.PlayedGame().play("0-2").play("0-1").undo(2)
    assert len(played.undone) == 2
    assert not played.play("0-2").undo(1).undo(0).throw(1).play("0-1").undone


def test_a_finished_game_is_over() -> None:
    played = play_out()
    with pytest.raises(PositionError, match="the game is over"):
        played.throw(1)
    with pytest.raises(PositionError, match="the game is over"):
        played.play("0-1")
    with pytest.raises(PositionError, match="the game is over"):
        rolled(played)
    with pytest.raises(PositionError, match="cannot start after light has won"):
        urcx.PlayedGame(urcx.Game(SMALL, "-/-/2-0/D"))


def test_copies_are_equal_and_games_are_hashable() -> None:
    played = play_out()
    assert deepcopy(played) == played
    assert hash(deepcopy(played)) == hash(played)
    assert played != played.undo()
    assert played != urcx.PlayedGame(SMALL, seed=4)


def test_dice_of_a_seed_have_the_chances_of_the_dice() -> None:
    for name in ("binary4", "binary3", "d6-substitute"):
        dice = urcx.dice(name)
        found = Counter(thrown(dice, 7, ply) for ply in range(4000))
        assert set(found) == set(dice.rolls)
        for roll, chance in zip(dice.rolls, dice.probabilities, strict=True):
            spread = (float(chance) * (1 - float(chance)) / 4000) ** 0.5
            assert abs(found[roll] / 4000 - float(chance)) < 4 * spread


def test_a_game_resumed_goes_on_as_it_would_have() -> None:
    played = play_out(seed=5)
    half = played.at(len(played.plies) // 2)
    again = urcx.PlayedGame(half.start, seed=5)
    for ply in half.plies:
        again = again.passed(ply.roll) if ply.move is None else again.play(ply.move)
    while not again.is_over:
        again = answered(again, urcx.agent("greedy" if again.turn == "light" else "random"))
    assert again.plies == played.plies
    # Taking back does not change the dice.
    assert rolled(played.undo(2).undo(0)).roll == played.plies[-2].roll
    assert rolled(half.throw(0)).roll == 0


def test_without_a_seed_rolls_are_to_be_said() -> None:
    with pytest.raises(UsageError, match="the game has no seed for its dice"):
        rolled(urcx.PlayedGame())
    assert choice(urcx.PlayedGame().throw(0), urcx.agent("random")) is None
    with pytest.raises(UsageError, match="seed -1: must be at least 0"):
        urcx.PlayedGame(seed=-1)


def test_players_are_named_by_side_where_nobody_is_named() -> None:
    played = urcx.PlayedGame(light="you")
    assert (played.player("light"), played.player("dark")) == ("you", "dark")
    with pytest.raises(UsageError, match="side 'red'"):
        played.player("red")


def test_a_name_from_a_file_gives_a_terminal_no_orders(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("urcx game 1\nlight: \x1b[31myou\n1. light 1:0-1\n", encoding="utf-8")
    played = urcx.read_game(file)
    assert played.heading.isprintable()
    assert played.player("light") == r"\x1b[31myou"
    played.save(tmp_path / "game.svg")
    assert "\x1b" not in (tmp_path / "game.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", ["txt", "rgn", "json", "svg", "SVG"])
def test_games_are_saved_by_suffix(suffix: str, tmp_path: Path) -> None:
    played = play_out()
    file = tmp_path / f"game.{suffix}"
    played.save(file)
    text = file.read_text(encoding="utf-8")
    assert [*tmp_path.iterdir()] == [file]
    begins = {"txt": "urcx game 1\n", "rgn": "[Rules ", "json": "{\n", "svg": "<svg "}
    assert text.startswith(begins[suffix.lower()])
    if suffix in ("txt", "rgn"):
        assert urcx.read_game(file).plies == played.plies
    with pytest.raises(UrcxError, match="cannot write"):
        played.save(tmp_path / "none" / f"game.{suffix}")


def test_a_game_is_drawn_with_its_turns() -> None:
    played = play_out()
    drawn = played._repr_svg_()
    assert drawn is not None
    assert drawn == played._repr_svg_()
    assert drawn.count("<svg") == drawn.count("</svg>") == 1
    assert "greedy against dark, finkel" in drawn
    assert drawn.count('class="piece') >= 2
    assert ">  1. L 2:0-2<" in drawn
    said = re.findall(r"[0-4]:(?:pass|[0-9]+-[0-9]+)", drawn)
    assert said == [f"{ply.roll}:{ply.steps}" for ply in played.plies]
    assert urcx.PlayedGame()._repr_svg_() is not None


@pytest.mark.jit
def test_chances_of_hints_are_those_of_the_solution() -> None:
    game = urcx.Game("finkel", "4/9/0-0/L", pieces=2)
    found = urcx.hint(game, 1, agents=["first", "random"])
    assert [str(one.plays[1]) for one in found.moves] == ["1/2", "1/2"]
    assert {one.move.start: one.plays[0] for one in found.moves if one.move} == {4: 0, 0: 1}
    assert found.best == found.moves[0].move
    assert found.moves[0].regret == 0
    assert found.moves[0].chance - found.moves[1].chance == found.moves[1].regret  # type: ignore[operator]
    assert found.moves[0].is_best
    assert not found.moves[1].is_best
    unknown = urcx.hint(urcx.PlayedGame(game).throw(1), agents="greedy", known=False)
    assert [one.regret for one in unknown.moves] == [None, None]
    assert (unknown.before, unknown.best, unknown.rolled) == (None, None, None)
    assert [sum(one.plays) for one in unknown.moves] == [Fraction(0), Fraction(1)]
    passing = urcx.hint(game, 0)
    assert passing.moves[0].move is None
    assert passing.moves[0].after.turn == "dark"
    with pytest.raises(UsageError, match="roll: is missing"):
        urcx.hint(game)
