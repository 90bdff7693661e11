from __future__ import annotations

import re
from fractions import Fraction
from importlib import resources
from pathlib import Path

import pytest

from urcx.contrib.gambling.rules import CHOICES, gambling_game, load_gambling, read_game_file
from urcx.errors import CatalogueError, UnknownNameError, UsageError
from urcx.rules import catalogue

TEXT = (
    resources.files("urcx.contrib.gambling")
    .joinpath("data", "gamble.toml")
    .read_text(encoding="utf-8")
)


def test_the_game_as_its_source_tells_it() -> None:
    game = gambling_game()
    assert [(p.title, p.roll, p.step, p.counters) for p in game.pieces] == [
        ("Swallow", 2, 4, 3),
        ("Storm-bird", 5, 5, 4),
        ("Raven", 6, 6, 4),
        ("Rooster", 7, 7, 4),
        ("Eagle", 10, 10, 5),
    ]
    assert (game.counters, game.pool, game.total) == (15, 20, 50)
    assert game.path.name == "aseb"
    assert dict(zip(game.die.rolls, game.doubled, strict=True)) == {1: 5, 2: 6, 3: 7, 4: 10}
    assert set(game.die.probabilities) == {Fraction(1, 4)}
    assert game.doubling == Fraction(1, 2)
    # The swallow enters on the first rosette, which is the player's own.
    assert game.path.light[3] in game.path.board.rosettes
    assert game.path.light[3] not in game.path.dark


def test_every_choice_is_in_the_file_with_its_values() -> None:
    said = re.search(r"choices\]\n(.*?)\n\n", TEXT, re.DOTALL)
    assert said
    lines = re.findall(r'^(\w+) = "(\w+)"  # or (.+)$', said[1], re.MULTILINE)
    written = {name: [first, *others.split(", ")] for name, first, others in lines}
    assert written == {name: list(choice.values) for name, choice in CHOICES.items()}
    assert gambling_game().choices == {name: first for name, first, _ in lines}
    assert all(len(choice.values) >= 2 and choice.question for choice in CHOICES.values())


def test_choosing_changes_only_what_it_says() -> None:
    game = gambling_game()
    other = game.choosing(double="together", rest=None)
    assert other.choices == {**game.choices, "double": "together"}
    assert game.choices["double"] == "risk"
    assert other.pieces == game.pieces


def test_squares_by_rolls_change_the_entries() -> None:
    game = gambling_game()
    assert game.entries == (4, 5, 6, 7, 10)
    assert game.choosing(squares="rolls").entries == (2, 5, 6, 7, 10)


@pytest.mark.parametrize(
    ("choices", "error", "message"),
    [
        ({"doubel": "risk"}, UnknownNameError, "did you mean double"),
        ({"double": "never"}, UsageError, "double 'never': must be risk or together"),
        ({"order": ["strict"]}, UsageError, "must be strict or eagle"),
    ],
)
def test_choices_there_are_not(choices: dict[str, str], error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        gambling_game().choosing(**choices)


def test_fewer_pieces() -> None:
    assert [p.name for p in gambling_game().with_pieces(2).pieces] == ["swallow", "storm-bird"]
    for number in (0, 6):
        with pytest.raises(UsageError, match=f"{number} pieces: must be from 1 to 5"):
            gambling_game().with_pieces(number)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('path = "aseb"', 'path = "asebb"', r"line \d+: .*path: unknown name 'asebb'"),
        ('die = "tetrahedron"', "die = 4", "die: must be a string"),
        ("counters = 15", "counters = -1", "counters: must be from 0"),
        ("pool = 20", "", "pool: missing"),
        ("pool = 20", "pond = 20", "pond: unknown key"),
        ('doubling = "1/2"', 'doubling = "2/2"', "doubling: '2/2': must be a fraction below 1"),
        ('doubling = "1/2"', 'doubling = "half"', "doubling: 'half': must be a fraction below 1"),
        ("4 = 10 }", "5 = 10 }", "must have a roll for each of 1, 2, 3, 4"),
        ("4 = 10 }", '4 = "10" }', "'10': must be a roll"),
        ("4 = 10 }", "4 = true }", "True: must be a roll"),
        ("4 = 10 }", "4 = 11 }", "eagle.roll: the dice never give 10. They give 1, 2, 3, 4, 5"),
        ('double = "risk"', 'double = "never"', "choices: double 'never': must be risk or tog"),
        ('double = "risk"', "double = []", "choices: .*must be risk or together"),
        ('double = "risk"', 'dubble = "risk"', "unknown choice 'dubble'"),
        ("step = 10", "step = 17", "eagle.step: must be from 1 to 16"),
        ("step = 10", "", "eagle.step: missing"),
        ("step = 10", "stop = 10", "eagle.stop: unknown key"),
        ('die = "tetrahedron"', "die = [", "gamble.toml: "),
        ("[gamble.itti-marduk-balatu]", "[path.itti]", "unknown table"),
    ],
)
def test_files_that_break_the_schema(old: str, new: str, message: str) -> None:
    assert TEXT.count(old) >= 1
    with pytest.raises(CatalogueError, match=message):
        load_gambling("gamble.toml", TEXT.replace(old, new), catalogue.catalogue())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gamble = 3", r"must be tables, \[gamble.NAME\]"),
        ("[gamble]\nx = 3", "must be a table"),
        ('[gamble.x]\npath = "aseb"\ndie = "tetrahedron"\ndoubled = {}', "must have a roll for"),
    ],
)
def test_small_files_that_break_the_schema(text: str, message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        load_gambling("mine.toml", text, catalogue.catalogue())


def test_squares_by_rolls_must_be_on_the_path() -> None:
    text = TEXT.replace("4 = 10 }", "4 = 20 }").replace("roll = 10", "roll = 20")
    text = text.replace('squares = "given"', 'squares = "rolls"')
    with pytest.raises(CatalogueError, match=r"step 20, .* aseb has 16 steps"):
        load_gambling("x", text, catalogue.catalogue())


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(TEXT.replace("itti-marduk-balatu", "mine"), encoding="utf-8")
    game = read_game_file(file)
    assert game.name == "mine"
    assert game.pieces == gambling_game().pieces
    file.write_text("", encoding="utf-8")
    with pytest.raises(CatalogueError, match="has 0 gambling games"):
        read_game_file(file)
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CatalogueError, match="not a text file"):
        read_game_file(file)
    with pytest.raises(CatalogueError, match="cannot read"):
        read_game_file(tmp_path / "none.toml")


def test_pieces_are_one_to_six() -> None:
    game = "[gamble.itti-marduk-balatu.piece"
    more = f"\n{game}.bird]\nroll = 2\nstep = 1\ncounters = 1\n"
    known = load_gambling("gamble.toml", TEXT + more, catalogue.catalogue())
    assert len(known["itti-marduk-balatu"].pieces) == 6
    none = TEXT[: TEXT.index(game)] + f"\n{game}]\n"
    for text, number in ((none, 0), (TEXT + more + more.replace("bird", "owl"), 7)):
        with pytest.raises(CatalogueError, match=f"must be from 1 to 6 tables, not {number}"):
            load_gambling("gamble.toml", text, catalogue.catalogue())
