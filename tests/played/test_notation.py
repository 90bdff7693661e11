"""Games in notation: what is written is read again, and what is broken is named by its place."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fuzzing import time_limit
from hypothesis import given, settings
from hypothesis import strategies as st
from own_rules import SHORT, own
from test_record import SMALL, play_out

import urcx
from urcx.errors import NotationError, UnusableFileError, UsageError
from urcx.played.notation import parse_game
from urcx.played.royalur import tile_before, tile_beyond
from urcx.played.texts import MOST_PLIES
from urcx.rules import catalogue
from urcx.rules.catalogue import RuleSources
from urcx.rules.model import RuleSet

HEAD = "urcx game 1\nrules: finkel\n"
TILES = "B1 B2 B3 B4"
OWN = replace(
    urcx.ruleset("finkel", pieces=2),
    name="mine",
    path=replace(urcx.path("bell"), light=tuple(TILES.split()), dark=tuple(TILES.split())),
    capture_grants_roll=True,
)


@pytest.mark.parametrize(
    "rules",
    [SMALL, urcx.ruleset("blitz", pieces=1), OWN, urcx.ruleset("seleucid", pieces=2), own("some")],
    ids=str,
)
def test_a_game_is_read_as_it_was(rules: RuleSet) -> None:
    played = play_out(rules, light="you", dark="greedy: one")
    for game in (played, played.undo(3), played.undo(2).undo(0), urcx.PlayedGame(rules)):
        again = parse_game(game.to_text())
        assert again.plies == game.plies or rules.name in ("mine", "some")
        assert [ply.steps for ply in again.plies] == [ply.steps for ply in game.plies]
        assert again.rules.plays_like(game.rules)
        assert (again.roll, again.light, again.dark) == (game.roll, game.light, game.dark)
        assert again.to_text() == game.to_text()


def test_what_was_said_of_a_game_is_kept() -> None:
    played = urcx.PlayedGame(
        urcx.Game("finkel", "4/9/0-0/D"),
        light="one\nname # no comment",
        date="2026-11-22",
        seed=12,
        more=(("x-place", "Ur"), ("StartTime", "noon")),
    ).throw(3)
    text = played.to_text()
    assert text == (
        "urcx game 1\nrules: finkel\npieces: 7\nstart: 4/9/0-0/D\nlight: one name no comment\n"
        "date: 2026-11-22\nseed: 12\nx-place: Ur\nx-start-time: noon\nresult: unfinished\n\n"
        "1. dark 3:?\n"
    )
    again = parse_game(text)
    assert (again.roll, again.date, again.seed) == (3, "2026-11-22", 12)
    assert again.start == played.start
    assert dict(again.more) == {"x-place": "Ur", "x-start-time": "noon"}


def test_tiles_are_read_as_steps_are() -> None:
    steps = parse_game(HEAD + "1. light 4:0-4* 2:4-6\n2. dark 2:0-2 ")
    tiles = parse_game(HEAD + "1. light 4:start-A1* 2:a1-B2\n2. dark 2:start-C3")
    assert tiles == steps
    twice = "urcx game 1\nrules: murray\nstart: 11/-/6-6/L\n1. light 1:"
    assert parse_game(f"{twice}11-C7") == parse_game(f"{twice}11-12"), "B7 is crossed twice"


def test_comments_marks_and_line_ends_are_free() -> None:
    text = HEAD + "# about\n\n1. light 4:0-4* # a rosette\n   2:0-2\n"
    with pytest.raises(NotationError, match="line 6, column 4: expected turn 2 or the end"):
        parse_game(text)
    plain = parse_game(HEAD + "1. light 4:0-4* 2:0-2\n2. dark 0:pass\n")
    for other in (
        "\ufeffurcx  game 1\r\n\r\n1.  light 4:0-4 2:0-2 # said\r\n2. dark 0:pass".encode(),
        "urcx game 1\r1. light 4:0-4* 2:0-2\r2. dark 0:pass\r",
    ):
        assert parse_game(other) == plain


# Each text is wrong at a line and column, with what the message says of it.
BROKEN = [
    ("", 1, 1, "the text is empty"),
    ("# only this\n", 1, 1, "the text is empty"),
    ('{\n  "schema": 1}\n', 1, 1, "games from .txt, .rgn and .royalur.json"),
    ("<svg/>\n", 1, 1, "games from .txt, .rgn and .royalur.json"),
    ("ur game 1\n", 1, 1, "the first line must be urcx game 1"),
    ("urcx game 2\n", 1, 11, "reads format 1"),
    ("urcx game\n", 1, 6, "reads format 1"),
    (HEAD + "  pieces 7\n", 3, 3, "a line such as rules: finkel or 1. light"),
    (HEAD + "piece: 7\n", 3, 1, "unknown name 'piece'; known: rules, pieces"),
    (HEAD + "Light: 7\n", 3, 1, "unknown name 'Light'"),
    (HEAD + "rules: blitz\n", 3, 1, "rules is repeated"),
    (HEAD + "light:\n", 3, 1, "light is empty"),
    (HEAD + "pieces:   many\n", 3, 11, "'many' is not a number of pieces"),
    (HEAD + "pieces: 256\n", 3, 9, "pieces 256: must be from 1 to 255"),
    ("urcx game 1\nrules: finkl\n", 2, 8, "did you mean finkel"),
    (HEAD + "start: 4/9\n", 3, 8, "is not LIGHT/DARK/HOME/TURN"),
    (HEAD + "start: 8/8/0-0/L\n", 3, 8, "B4"),
    (HEAD + "start: -/-/7-0/L\n", 3, 8, "cannot start after light has won"),
    (HEAD + "date: 22 November\n", 3, 7, "is not a date such as 2026-11-22"),
    (HEAD + "seed: -1\n", 3, 7, "is not an integer from 0"),
    (HEAD + "seed: " + "9" * 5000 + "\n", 3, 7, "is not an integer from 0"),
    (HEAD + "result: light\n", 3, 9, "the result is unfinished, not light"),
    (HEAD + "flags: none\n", 3, 8, "also need light-path, dark-path"),
    (HEAD + "2. light 2:0-2\n", 3, 1, "expected turn 1., not 2."),
    (HEAD + "1. white 2:0-2\n", 3, 4, "light or dark"),
    (HEAD + "1.\n", 3, 1, "light or dark"),
    (HEAD + "1. light\n", 3, 4, "at least one ply"),
    (HEAD + "1. dark 2:0-2\n", 3, 9, "it is light's turn"),
    (HEAD + "1. light 2:0-2 1:0-1\n", 3, 16, "it is dark's turn"),
    (HEAD + "1. light 4:0-4\n2. light 1:0-1\n", 4, 4, "light's turn continues"),
    (HEAD + "1. light 2-0-2\n", 3, 10, "is not a ply such as"),
    (HEAD + "1. light 02:0-2 x\n", 3, 17, "it is dark's turn"),
    (HEAD + "1. light 5:0-5\n", 3, 10, "roll 5: the dice binary4 give"),
    (HEAD + "1. light 2:0-3\n", 3, 10, "start-A2 is not a move for the roll 2"),
    (HEAD + "1. light 2:1-3\n", 3, 10, "A4-A2 is not legal in -/-/0-0/L"),
    (HEAD + "1. light 2:0-2x\n", 3, 10, "x: this move does not capture"),
    (HEAD + "1. light 2:0-2*\n", 3, 10, "*: this move does not land on a rosette"),
    (HEAD + "1. light 2:pass\n", 3, 10, "light has a legal move for roll 2"),
    (HEAD + "1. light 2:?\n2. dark 1:0-1\n", 4, 9, "it is light's turn"),
    (HEAD + "1. light 2:? 2:0-2\n", 3, 14, "nothing may follow a roll"),
    (HEAD + "1. light 4:0-4\nlight: me\n", 4, 1, "expected turn 2 or the end"),
    (
        "urcx game 1\npieces: 1\nstart: 14/1/0-0/L\n1. light 1:14-15\n2. dark 1:1-2\n",
        5, 1, "the game is over, light has won",
    ),
    # RGN
    ("(1) r2.5a3\n(3) r1\n", 2, 1, "expected turn (2), not (3)"),
    ("(1) r2.5a3 r1.5c4\n", 1, 12, "expected (2), because it is dark's turn"),
    ("(1) r4.5a1+ (2) r1.5c4\n", 1, 13, "it is still light's turn"),
    ("(1) (2) r1\n", 1, 1, "at least one ply"),
    ("[Rules finkel 2]\n", 1, 1, "a line such as [Name"),
    ('[Rules "finkl"]\n\n(1) r0\n', 1, 9, "did you mean finkel"),
    ('[Rules "finkel x"]\n', 1, 9, "'x' is not a number of pieces"),
    ("(1) 2.5a3\n", 1, 5, "is not a ply such as A@A3"),
    ("2. A@A3\n", 1, 1, "expected turn 1., not 2."),
    ("1. A@A3 C@C4\n", 1, 9, "expected /, because it is dark's turn"),
    ("1. A@A3 2. C@C4\n", 1, 9, "expected turn /, not 2."),
    ("1. A@A1 * / C@C4\n", 1, 11, "it is still light's turn"),
    ("1. / 1 --\n", 1, 1, "at least one ply"),
    ("1. A@A3 *\n", 1, 4, "does not land on a rosette"),
    ("1. A@A1\n", 1, 4, "move lands on a rosette"),
    ("1. A@A3x\n", 1, 4, "does not capture"),
    ("1. A3A2\n", 1, 4, "A3 to A2 is not legal in -/-/0-0/L with any roll"),
    ("1. 2 -- / 0 --\n", 1, 4, "light has a legal move for roll 2"),
    ("1. 9 --\n", 1, 4, "roll 9: the dice binary4 give"),
    ("(1) r9\n", 1, 5, "roll 9: the dice binary4 give"),
    ("(1) r2 (2) r0\n", 1, 5, "light has a legal move for roll 2"),
    ("(1) r2.5a2\n", 1, 5, "start to A2 is not legal in -/-/0-0/L with roll 2; legal: start to A3"),
    ("(1) r2.5xa3\n", 1, 5, "does not capture"),
    ("(1) r4.5a1\n", 1, 5, "move lands on a rosette"),
    ("(1) r2.5a3# (2) r0\n", 1, 5, "# must follow the winning ply"),
    # The lines of royalur's example
    ("Light: Rolls 2\n", 1, 8, "'Rolls 2' is not a roll or a move"),
    ("Light: Roll 2\nLight: Roll 1\n", 2, 8, "the roll 2 has not been played"),
    ("Dark: Roll 2\n", 1, 1, "it is light's turn"),
    ("Light: Introduce a piece to A3\n", 1, 8, "a roll must come before"),
    ("Light: Roll 2\nLight: Move A3 to A1\n", 2, 8, "A3 to A1 is not legal in"),
    ("Light: Roll 2\nLight won the game!\n", 2, 1, "light has not won"),
    ("Light: Roll 0\nYou: Roll 2\n", 2, 1, "a line such as Light: Roll 2"),
    ("Light:\n", 1, 1, "is not a roll or a move"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "why"), BROKEN)
def test_what_is_broken_is_named_by_its_place(text: str, line: int, column: int, why: str) -> None:
    with pytest.raises(NotationError) as found:
        parse_game(text, name="my.txt")
    assert str(found.value).startswith(f"my.txt, line {line}, column {column}: ")
    assert why in str(found.value)
    assert (found.value.line, found.value.column) == (line, column)
    assert "\n" not in str(found.value)
    assert found.value.exit_code == 2


RULES = """urcx game 1
rules: mine
pieces: 2
light-path: B1 B2 B3 B4
dark-path: B1 B2 B3 B4
rosettes: B4
rolls: 0=1/8 1=3/8 2=3/8 3=1/8
flags: rosette-grants-roll
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("pieces: 2\n", "", 3, "also need pieces"),
        ("0=1/8", "0=1/4", 2, "sum 1"),
        ("0=1/8", "1=1/8", 7, "'1=3/8' is not a roll such as 2=3/8"),
        ("0=1/8", "x", 7, "'x' is not a roll"),
        ("B1 B2 B3 B4\nd", "B1 b2 B3 B4\nd", 2, "a list of tiles"),
        ("grants-roll", "gives-roll", 8, "'rosette-gives-roll': must be none, or one of"),
        ("grants-roll", "grants-roll=B3", 2, "rosette_grants_roll is a list, not true, false or"),
        ("rules: mine", "rules: Mine!", 2, "lower-case letters"),
    ],
)
def test_rules_of_ones_own_are_checked(old: str, new: str, line: int, why: str) -> None:
    rules = parse_game(RULES).rules
    assert (rules.pieces, rules.path.length, str(rules.dice.mean)) == (2, 4, "3/2")
    assert (rules.rosette_grants_roll, rules.rosette_protects) == (True, False)
    with pytest.raises(NotationError, match=f"line {line}, ") as found:
        parse_game(RULES.replace(old, new))
    assert why in str(found.value)


def test_files_that_are_no_text_or_too_long_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_bytes(HEAD.encode() + b"light: \xff\n")
    with pytest.raises(NotationError, match="line 3, column 8: this is not UTF-8"):
        urcx.read_game(file)
    file.write_bytes(b"#" * 1_000_001)
    with pytest.raises(UsageError, match="has more than 1,000,000 bytes"):
        urcx.read_game(file)
    with pytest.raises(UnusableFileError, match=r"cannot read .*none"):
        urcx.read_game(tmp_path / "none")
    with pytest.raises(UnusableFileError, match="cannot read"):
        urcx.read_game(tmp_path)


def test_rules_that_are_asked_for_must_be_the_games() -> None:
    with pytest.raises(UsageError, match="is a game of finkel with 7 pieces, not of blitz with 5"):
        parse_game(HEAD, "blitz")
    assert parse_game("(1) r1.5a4", "blitz").rules.name == "blitz"
    assert parse_game("(1) r1.5a4").rules.name == "finkel"


def house(pieces: int) -> urcx.RuleSet:
    return replace(urcx.ruleset("finkel"), name="house", rosette_protects=False, pieces=pieces)


@pytest.mark.parametrize("write", [urcx.PlayedGame.to_text, urcx.PlayedGame.to_rgn])
def test_a_game_with_rules_of_its_own_keeps_its_number_of_pieces(
    write: Callable[[urcx.PlayedGame], str],
) -> None:
    text = write(urcx.PlayedGame(house(5)).throw(4).play("0-4"))
    unlike = "is a game of house with 5 pieces, not of house with 3"
    for sources in (
        RuleSources(tablebase=house(3)),
        RuleSources(own=house(3)),
        RuleSources(tablebase=house(3), own=house(3), pieces=5),
        RuleSources(named=house(5)),
    ):
        assert parse_game(text, sources).rules.pieces == 5
    for sources in (RuleSources(named=house(3)), RuleSources(pieces=3)):
        with pytest.raises(UsageError, match=unlike):
            parse_game(text, sources)


class Failing:
    """Fails whatever it is asked."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError(name)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"tablebase": 5}, "tablebase: must be a file, an open tablebase"),
        ({"tablebase": Failing()}, "asking Failing for rules fails"),
        ({"pieces": 0}, "pieces 0: must be from 1"),
    ],
)
def test_what_cannot_say_rules_is_refused(given: dict[str, Any], why: str, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(HEAD)
    with pytest.raises(UsageError, match=why):
        urcx.read_game(file, **given)


def test_what_contradicts_the_rules_is_a_warning_in_python(tmp_path: Path) -> None:
    kwan: Any = SimpleNamespace(rules=urcx.ruleset("kwan"))  # what read_game asks of a tablebase
    file = tmp_path / "game.rgn"
    file.write_text('[Rules "strip 2"]\n')
    words = "strip with 2 pieces, but the tablebase has kwan with 6"
    with pytest.warns(UserWarning, match=words) as warned:
        urcx.read_game(file, tablebase=kwan, path_file=SHORT)
    assert len(warned) == 1
    assert urcx.read_game(file, path_file=SHORT).rules.name == "strip"


def test_rules_of_one_name_that_differ_are_told_apart() -> None:
    text = urcx.PlayedGame(replace(house(5), name="finkel")).to_text()
    with pytest.raises(UsageError, match="finkel with 5 pieces, not of the rules known by this"):
        parse_game(text, urcx.ruleset("finkel", pieces=5))


@settings(max_examples=60)
@given(st.text(max_size=60), st.integers(0, 200), st.integers(0, 20))
def test_no_text_breaks_the_reader(junk: str, at: int, cut: int) -> None:
    text = GAME[:at] + junk + GAME[at + cut :]
    said = ""
    try:
        parse_game(text)
    except UsageError as error:
        said = str(error)
    assert "\n" not in said


GAME = play_out().to_text()


@pytest.mark.parametrize("name", ["finkel", "blitz", "murray", "aseb"])
def test_rgn_is_read_as_it_was_written(name: str) -> None:
    played = play_out(urcx.ruleset(name, pieces=1), light='a "b" \\', dark="c")
    # A roll that leaves no move is a pass at once.
    half = next(one for k in range(2, 20) if (one := played.undo(k)).legal_moves())
    for game in (played, half):
        text = game.to_rgn()
        again = parse_game(text)
        assert again.plies == game.plies
        assert (again.light, again.dark, again.roll) == (game.light, game.dark, game.roll)
        assert max(map(len, text.split("\n")[4:])) < 60
    assert played.to_rgn().startswith(
        f'[Rules "{name} 1"]\n[Light "a \\"b\\" \\\\"]\n[Dark c]\n\n1. '
    )
    assert played.to_rgn().rstrip().endswith("#")


def test_rules_that_are_asked_for_are_those_that_an_rgn_names() -> None:
    text = '[Rules "finkel 2"]\n\n(1) r0\n'
    with pytest.raises(UsageError, match="is a game of finkel with 2 pieces, not of finkel with 7"):
        parse_game(text, "finkel")
    three = urcx.ruleset("finkel", pieces=3)
    assert parse_game(text.replace("finkel 2", "finkel"), three).rules == three
    assert parse_game(text.replace("finkel 2", "Their rules"), three).rules == three
    assert parse_game(text).rules.pieces == 2


def test_rgn_of_royalur_java_is_read() -> None:
    # A capture, rosettes, a pass and two rolls in a turn, as `RGN.java` writes them.
    plies = "(1) r4.5a1+ r1.ab1 (2) r4.5c1+ r1.cxb1\n(3) r0 (4) r1.1b2"
    text = f'[StartTime "2023-05-01T10:00:00Z"]\n\n{plies}'
    played = parse_game(text)
    assert played.date == "2023-05-01"
    assert dict(played.more) == {"StartTime": "2023-05-01T10:00:00Z"}
    assert [ply.steps for ply in played.plies] == ["0-4", "4-5", "0-4", "4-5", "pass", "5-6"]
    assert played.plies[3].move is not None
    assert played.plies[3].move.captures
    assert parse_game(played.to_rgn()).plies == played.plies


@pytest.mark.parametrize("name", ["bell", "masters", "murray", "skiriuk", "aseb"])
@pytest.mark.royalur
def test_pieces_enter_and_leave_where_royalur_has_them(name: str) -> None:
    royalur = pytest.importorskip("royalur", reason="royalur, the other implementation, is missing")
    theirs = royalur.PathType[name.upper()].create_path_pair()
    path = urcx.path(name)
    for way, tiles in ((path.light, theirs.light_with_ends), (path.dark, theirs.dark_with_ends)):
        assert (tile_before(way), tile_beyond(way)) == (str(tiles[0]), str(tiles[-1]))


@pytest.mark.royalur
def test_what_the_example_of_royalur_prints_is_read() -> None:
    royalur = pytest.importorskip("royalur", reason="royalur, the other implementation, is missing")
    chooser = random.Random(4)
    game = royalur.Game.create_finkel()
    said, rolls, ends = [], [], 0
    while not game.is_finished():
        player = game.get_turn().text_name
        if game.is_waiting_for_roll():
            roll = game.roll_dice(chooser.choices(range(5), (1, 4, 6, 4, 1))[0])
            rolls.append(roll.value)
            said.append(f"{player}: Roll {roll.value}")
        else:
            moves = game.find_available_moves()
            move = moves[chooser.randrange(len(moves))]
            ends += move.is_scoring_piece()
            game.make_move(move)
            said.append(f"{player}: {move.describe()}")
    said += ["", f"{game.get_winner().text_name} won the game!"]
    played = parse_game("\n".join(said))
    assert [ply.roll for ply in played.plies] == rolls
    assert played.winner == game.get_winner().text_name.lower()
    assert sum(played.game.position.home) == ends
    assert any("capture" in line for line in said)


def test_what_says_the_rules_comes_in_an_order() -> None:
    strip = replace(own("short"), name="strip")
    known = {**catalogue.catalogue().rules, "strip": strip}
    base = urcx.ruleset("blitz", pieces=3)
    silent, named = "(1) r0\n", '[Rules "strip"]\n(1) r0\n'
    every = RuleSources("kwan", tablebase=base, own=strip, known=known)
    assert parse_game(silent, every).rules.name == "kwan"
    less = replace(every, named=None)
    assert parse_game(named, less).rules == strip
    assert parse_game(silent, less).rules == base
    assert parse_game(silent, replace(less, tablebase=None)).rules == strip
    assert parse_game(silent).rules == urcx.ruleset("finkel")
    # The number of pieces has the same order, and what nobody says is the rule set's own.
    assert parse_game(silent, replace(less, pieces=2)).rules == replace(base, pieces=2)
    assert parse_game('[Rules "blitz"]\n(1) r0\n', less).rules == base
    assert parse_game('[Rules "blitz 4"]\n(1) r0\n', less).rules.pieces == 4
    assert parse_game('[Rules "mine 2"]\n(1) r0\n', RuleSources(tablebase=OWN)).rules == OWN


@pytest.mark.parametrize(
    ("text", "sources", "note"),
    [
        ("(1) r0", RuleSources(own=OWN), ""),
        (
            "(1) r0",
            RuleSources("finkel", own=OWN),
            "finkel, because the request says so, not of mine",
        ),
        (
            "(1) r0",
            RuleSources(tablebase=urcx.ruleset("kwan"), own=OWN),
            "because the tablebase says so",
        ),
        (
            '[Rules "kwan"]\n(1) r0',
            RuleSources(own=OWN),
            "a game of kwan, because its text says so, not of mine",
        ),
        ('[Rules "x 3"]\n(1) r0', RuleSources("kwan"), "unknown rules, 'x'. It is read as"),
    ],
)
def test_what_contradicts_the_rules_is_noted(text: str, sources: RuleSources, note: str) -> None:
    parse_game(text, replace(sources, notes=[]))
    parse_game(text, sources)
    assert len(sources.notes) == bool(note)
    assert note in "".join(sources.notes)


def test_rules_of_ones_own_are_in_an_rgn() -> None:
    played = play_out(OWN, light="you")
    text = played.to_rgn()
    assert text.startswith('[Rules "mine 2"]\n[LightPath "B1 B2 B3 B4"]\n')
    again = parse_game(text)
    assert again.rules.plays_like(OWN)
    assert [ply.steps for ply in again.plies] == [ply.steps for ply in played.plies]
    assert again.to_rgn() == text
    with pytest.raises(NotationError, match=r"line 5, column 9: '0=x/16' is not a roll"):
        parse_game(text.replace('[Rolls "0=1', '[Rolls "0=x'))
    with pytest.raises(NotationError, match=r"line 2, column 13: rules .* also need"):
        parse_game('[Rules "mine 2"]\n[LightPath "B1 B2"]\n')


def test_a_foreign_game_that_breaks_says_what_rules_it_would_have() -> None:
    game = play_out(urcx.ruleset("blitz", pieces=5), light="you")
    text = "\n".join(line for line in game.to_rgn().split("\n") if not line.startswith("[Rules"))
    with pytest.raises(NotationError, match=r"game is legal by the rules of blitz$"):
        parse_game(text)
    assert parse_game(text, "blitz").plies == game.plies
    with pytest.raises(NotationError, match=r"unknown rule set 'theirs'.* legal by .*blitz"):
        parse_game(f'[Rules "Theirs"]\n{text}')
    with pytest.raises(NotationError) as found:
        parse_game("(1) r2.5a3 (2) r9")
    assert "legal by" not in str(found.value)


@pytest.mark.parametrize("text", ['[Rules "theirs"]', '[Rules "', '[Rolls "x"]\n[Rules "theirs"]'])
def test_a_game_that_only_says_its_rules_is_one_line(text: str) -> None:
    with pytest.raises(NotationError, match="line 1"):
        parse_game(text)


LONG = "-" * 100_000
OWN_HEAD = "urcx game 1\npieces: 1\nlight-path: A1\ndark-path: C1\nrosettes: none"


@pytest.mark.parametrize(
    "text",
    [
        f"(1) {LONG}", f"Light: {LONG}", f"{HEAD}1. light {LONG}", f"{HEAD}date: {LONG}",
        f"{HEAD}seed: {LONG}", f"{HEAD}pieces: {LONG}", f"{HEAD}{LONG}: a", f"{HEAD}result: {LONG}",
        f"{HEAD}start: {LONG}",
        f"{OWN_HEAD}\nrolls: {LONG}\nflags: none", f"{OWN_HEAD}\nrolls: 1=1\nflags: {LONG}",
        f"{OWN_HEAD}\nrolls: 1=1\nflags: none".replace("A1", LONG),
    ],
    ids=range(12),
)  # fmt: skip
def test_long_words_are_shown_in_part(text: str) -> None:
    with pytest.raises(UsageError) as found:
        parse_game(text)
    assert len(str(found.value)) < 1000


def test_long_games_are_read_soon_or_not_at_all() -> None:
    def text(plies: int) -> str:
        sides = ("light", "dark")
        turns = [f"{k + 1}. {sides[k % 2]} 0:pass" for k in range(plies)]
        return "\n".join(["urcx game 1", *turns])

    with time_limit(60):  # all of these are read in linear time
        assert len(parse_game(text(MOST_PLIES)).plies) == MOST_PLIES
        for long in (text(MOST_PLIES + 1), "(1) r0\n" * 85_000, "(1)\tr0\t" * 85_000):
            with pytest.raises(
                UsageError, match=r"at most 20,000 plies|more than 200,000 characters"
            ):
                parse_game(long)


# What patterns are worst at: blanks, what is nearly a match, what never ends.
ADVERSARIAL = [
    "(1) r0{}", "[{}", '[A "{}', '[A "\\\\{}', "urcx game 1\n{}: a", "urcx game 1\nrules: {}",
    "1. A@A3{}", "1. {}", "1. 0{}", '["{}', '{"notation_version": 2{}', '{"a": "{}"}',
    "urcx game 1\n1. light {}", "(1) r{}", "({}", "Light: Roll {}", "Light: Move A1 to {}",
    "urcx game 1\npieces: 1\nlight-path: {}\ndark-path: {}\nrosettes: {}\nrolls: {}\nflags: {}",
]  # fmt: skip
FILLED = [" ", "\t", "\n", "\n ", "\r", "a", "-a", "x-", "1", "1=", '"', "\\\\", "[", "#", "\u2028"]


@pytest.mark.parametrize("pattern", ADVERSARIAL)
def test_no_text_takes_more_than_linear_time(pattern: str) -> None:
    for filled in FILLED:
        with time_limit(10), suppress(UsageError):
            parse_game(pattern.replace("{}", filled * (50_000 // len(filled))))
