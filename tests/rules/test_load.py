"""Catalogue files: what the schema allows, and messages about mistakes."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from fuzzing import time_limit

from urcx.errors import CatalogueError, UsageError
from urcx.rules.catalogue import catalogue, read_catalogue_file
from urcx.rules.load import Catalogue, load, parse_toml

FLAGS = "rosette_grants_roll = true\nrosette_protects = true\ncapture_grants_roll = false\n"


def read(text: str) -> Catalogue:
    return load("mine.toml", text, catalogue())


# Valid files.


def test_runs_go_up_down_and_nowhere() -> None:
    path = read('[path.x]\nboard = "standard"\nlight = "A4..A2 B1 B3..B5 C7..C7"\n').paths["x"]
    assert path.light == ("A4", "A3", "A2", "B1", "B3", "B4", "B5", "C7")
    assert path.laps == (8,)


def test_a_tile_may_come_again_in_another_lap() -> None:
    path = read('[path.x]\nboard = "standard"\nlight = ["B1 B2", "B2 B1", "B1"]\n').paths["x"]
    assert path.light == ("B1", "B2", "B2", "B1", "B1")
    assert path.laps == (2, 2, 1)
    assert dict(zip(path.tiles, path.crossings, strict=True)) == {"B1": (3, 3), "B2": (2, 2)}


def test_dark_is_the_mirror_image_unless_given() -> None:
    start = '[path.x]\nboard = "standard"\nlight = "A1 B1"\n'
    assert read(start).paths["x"].dark == ("C1", "B1")
    assert read(start + 'dark = "mirror"\n').paths["x"].dark == ("C1", "B1")
    given = read(start + 'dark = ["C2 B1 B2", "B1"]\n').paths["x"]
    assert given.dark == ("C2", "B1", "B2", "B1")
    assert given.light == ("A1", "B1")
    assert given.length == 4, "the longer side"
    assert given.private == (1, 2)
    assert given.shared == 1


def test_a_file_may_refer_to_itself_in_any_order() -> None:
    full = read(
        f"""
        [rules.r]
        path = "p"
        pieces = 255
        dice = "d"
        aliases = ["also"]
        {FLAGS}
        [path.p]
        board = "b"
        light = "D1 E1"
        [dice.d]
        title = "A coin"
        probabilities = {{ 3 = "1/2", 1 = "2/4" }}
        [board.b]
        tiles = "D1 E1 F1"
        rosettes = "E1"
        mirror = "D F"
        """
    )
    rules = full.rules["r"]
    assert full.rules["also"] is rules
    assert rules.path is full.paths["p"]
    assert rules.path.dark == ("F1", "E1")
    assert rules.path.board.rosettes == {"E1"}
    assert (rules.dice.title, rules.dice.rolls) == ("A coin", (1, 3))
    assert rules.dice.mean == Fraction(2)
    assert rules.pieces == 255
    assert (rules.title, rules.path.title) == ("r", "p"), "a title defaults to the name"


def test_the_base_is_left_alone_and_its_entries_can_be_replaced() -> None:
    before = catalogue().paths["bell"]
    full = read('[path.bell]\nboard = "standard"\nlight = "A1"\n')
    assert full.paths["bell"].light == ("A1",)
    assert full.paths["masters"] is catalogue().paths["masters"]
    assert catalogue().paths["bell"] is before


def test_an_empty_file_adds_nothing() -> None:
    assert read("# nothing\n").paths == catalogue().paths
    assert load("mine.toml", "").paths == {}


def test_without_a_base_there_are_no_built_in_boards() -> None:
    with pytest.raises(CatalogueError, match="unknown board 'standard'"):
        load("mine.toml", '[path.x]\nboard = "standard"\nlight = "A1"\n')


# Mistakes. Each message names the file, the line, the table with its key, and what is wrong.

PATH = '[path.x]\nboard = "standard"\n'
BOARD = '[board.b]\ntiles = "A1 B1 C1"\n'
RULES = f'[rules.r]\n{FLAGS}path = "bell"\ndice = "binary4"\n'

PLAIN = '[rules.r]\npath = "bell"\npieces = 7\ndice = "binary4"\n'

MISTAKES = {
    "unknown table": ("\n[tiles.x]\na = 1\n", 2, "tiles", "unknown table"),
    "unknown key outside tables": ("\n\nfoo = 3\n", 3, "foo", "unknown table"),
    "unknown key": (PATH + 'colour = "red"\n', 3, "path.x.colour", "unknown key"),
    "tile not on the board": (PATH + 'light = "A4 B9"\n', 3, "path.x.light", "B9 is not on the"),
    "tile twice in one lap": (PATH + 'light = ["A4 B1", "A3 B1 A3"]\n', 3,
        "path.x.light", "A3 comes twice"),
    "tile twice on dark's way": (PATH + 'light = "A4"\ndark = "C4..C1 C4"\n', 4,
        "path.x.dark", "C4 comes twice"),
    "run across columns": (PATH + 'light = "A4..B1"\n', 3, "path.x.light", "'A4..B1'"),
    "run without an end": (PATH + 'light = "A4.."\n', 3, "path.x.light", "'A4..'"),
    "no tile": (PATH + 'light = "A4 b3"\n', 3, "path.x.light", "'b3' is not a tile"),
    "row 0": (PATH + 'light = "A0"\n', 3, "path.x.light", "'A0' is not a tile"),
    "no laps": (PATH + "light = []\n", 3, "path.x.light", "at least one lap"),
    "empty lap": (PATH + 'light = ["A4", ""]\n', 3, "path.x.light", "must be a string of tiles"),
    "lap of numbers": (PATH + "light = [1, 2]\n", 3, "path.x.light", "must be a string of tiles"),
    "unknown board": ('[path.x]\nlight = "A4"\nboard = "ur"\n', 3, "path.x.board", "'ur'"),
    "board no text": ('[path.x]\nlight = "A4"\nboard = 3\n', 3, "path.x.board", "a string"),
    "board missing": ('\n[path.x]\nlight = "A4"\n', 2, "path.x.board", "missing"),
    "light missing": (PATH, 1, "path.x.light", "missing"),
    "mirror image missing": (
        '[board.b]\ntiles = "A1 B1"\n[path.x]\nboard = "b"\nlight = "B1 A1"\n', 5,
        "path.x.light", "the mirror image C1 of A1 is not on the board"),
    "aliases no list": (PATH + 'light = "A4"\naliases = "y"\n', 4, "path.x.aliases", "list"),
    "alias no name": (PATH + 'light = "A4"\naliases = ["Y y"]\n', 4, "path.x.aliases", "'Y y'"),
    "title no text": (PATH + 'light = "A4"\ntitle = 3\n', 4, "path.x.title", "a string"),
    "bad name": ('[path.Mine]\nboard = "standard"\n', 1, "path.Mine", "names are lower-case"),
    "board without tiles": ("[board.b]\n", 1, "board.b.tiles", "missing"),
    "board tile twice": ('[board.b]\ntiles = "A1 A1"\n', 2, "board.b.tiles", "A1 comes twice"),
    "rosette off the board": (BOARD + 'rosettes = "B2"\n', 3, "board.b.rosettes", "B2 is not"),
    "rosette twice": (BOARD + 'rosettes = "B1 B1"\n', 3, "board.b.rosettes", "B1 comes twice"),
    "mirror of one column": (BOARD + 'mirror = "A"\n', 3, "board.b.mirror", "two columns"),
    "mirror of no columns": (BOARD + 'mirror = "A 1"\n', 3, "board.b.mirror", "two columns"),
    "sum below 1": ('[dice.d]\nprobabilities = { 0 = "1/2", 1 = "1/3" }\n', 2,
        "dice.d.probabilities", "must sum to 1, not 5/6"),
    "no rolls": ("[dice.d]\nprobabilities = {}\n", 2, "dice.d.probabilities", "must sum to 1"),
    "float": ('[dice.d]\nprobabilities = { 0 = 0.5, 1 = "1/2" }\n', 2,
        "dice.d.probabilities", "0.5 is not an exact fraction"),
    "decimal": ('[dice.d]\nprobabilities = { 0 = "0.5", 1 = "1/2" }\n', 2,
        "dice.d.probabilities", "'0.5' is not an exact fraction"),
    "division by zero": ('[dice.d]\nprobabilities = { 0 = "1/0", 1 = "1" }\n', 2,
        "dice.d.probabilities", "'1/0' is not an exact fraction"),
    "negative": ('[dice.d]\nprobabilities = { 0 = "-1/2", 1 = "3/2" }\n', 2,
        "dice.d.probabilities", "'-1/2' is not an exact fraction"),
    "probability 0": ('[dice.d]\nprobabilities = { 0 = "0/3", 1 = "1" }\n', 2,
        "dice.d.probabilities", "probability 0"),
    "roll no number": ('[dice.d]\nprobabilities = { one = "1" }\n', 2,
        "dice.d.probabilities", "'one' is not a roll"),
    "unknown path": (f'[rules.r]\n{FLAGS}path = "bel"\ndice = "binary4"\npieces = 7\n', 5,
        "rules.r.path", "unknown path 'bel'"),
    "unknown dice": (f'[rules.r]\n{FLAGS}path = "bell"\ndice = "d8"\npieces = 7\n', 6,
        "rules.r.dice", "unknown dice 'd8'"),
    "bool for pieces": (RULES + "pieces = true\n", 7, "rules.r.pieces", "an integer"),
    "no pieces": (RULES + "pieces = 0\n", 7, "rules.r.pieces", "from 1 to"),
    "too many pieces": (RULES + "pieces = 256\n", 7, "rules.r.pieces", "from 1 to 255"),
    "number for a flag": (PLAIN + "rosette_grants_roll = 1\n", 5,
        "rules.r.rosette_grants_roll", "true or false"),
    "rosettes that are no tiles": (PLAIN + 'rosette_grants_roll = "yes"\n', 5,
        "rules.r.rosette_grants_roll", "'yes' is not a tile"),
    "not all rosettes": (PLAIN + 'rosette_grants_roll = "B4 B5"\n', 5,
        "rules.r.rosette_grants_roll", "must be true, false or some of the board's rosettes"),
    "one side's rosettes": (PLAIN + 'rosette_grants_roll = "A1"\n', 5,
        "rules.r.rosette_grants_roll", "must be the same steps for both sides"),
    "flag missing": (PLAIN + "rosette_grants_roll = true\n", 1,
        "rules.r.rosette_protects", "missing; also: capture_grants_roll"),
    "name taken by an alias": (
        PATH + 'light = "A4"\n[path.y]\naliases = ["x"]\nboard = "standard"\nlight = "A4"\n', 4,
        "path.y", "'x' is taken"),
    "own name as an alias": (PATH + 'light = "A4"\naliases = ["x"]\n', 1, "path.x", "'x' is taken"),
    "line after a comment that looks like a header": (
        '# [path.x]\n[path.x] # [path.y]\nboard = "standard"\nlight = "Z9"\n', 4,
        "path.x.light", "Z9"),
    "the right one of several tables": (
        PATH + 'light = "A4"\n[path.y]\nboard = "standard"\nlight = "A5"\n', 6,
        "path.y.light", "A5"),
    # Ways to write the same tables that TOML allows besides [path.x].
    "dotted keys": ('[path]\nx.board = "standard"\nx.light = "A5"\n', 3,
        "path.x.light", "A5 is not on the board"),
    "dotted keys without a header": ('path.x.board = "standard"\npath.x.light = "A5"\n', 2,
        "path.x.light", "A5 is not on the board"),
    "inline table": ('[path]\nx = { board = "standard", light = "A5" }\n', 2,
        "path.x.light", "A5 is not on the board"),
    "a kind that is no table": ("\npath = 3\n", 2, "path", "must be tables"),
    "an entry that is no table": ("[path]\nx = 3\n", 2, "path.x", "must be a table"),
    "list of tables": ('[[path]]\nboard = "standard"\n', 1, "path", "must be tables"),
    "quoted name": ('\n[path."my path"]\nlight = "A4"\n', 2, "path.my path", "names are lower"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_file_line_and_key(mistake: str) -> None:
    text, line, key, reason = MISTAKES[mistake]
    with pytest.raises(CatalogueError) as raised:
        read(text)
    message = str(raised.value)
    assert message.startswith(f"mine.toml, line {line}: {key}: ")
    assert reason in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[path.x]\nboard = \n", 2),
        ("[path.x\n", 1),
        (PATH + 'board = "standard"\n', 3),
        (PATH + "[path.x]\n", 3),
        ('[path.x]\nboard = "stand\x00"\n', 2),
    ],
    ids=["no value", "open header", "key twice", "table twice", "control character"],
)
def test_a_syntax_error_is_named_with_file_and_line(text: str, line: int) -> None:
    with pytest.raises(CatalogueError, match=rf"^mine\.toml.*\bline {line}\b"):
        read(text)


def test_numbers_without_end_are_a_mistake_like_others() -> None:
    digits = "9" * 5000  # more than Python turns into a number
    with pytest.raises(CatalogueError, match=r"line 2: dice\.d\.probabilities: "):
        read(f'[dice.d]\nprobabilities = {{ 0 = "{digits}/3" }}\n')


# Files.


def test_a_file_tells_which_paths_are_its_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        '[path.two]\nboard = "standard"\nlight = "A4"\naliases = ["zwei"]\n'
        '[path.one]\nboard = "standard"\nlight = "A3"\n',
        encoding="utf-8",
    )
    full, own = read_catalogue_file(file)
    assert own == ("two", "one")
    assert full.paths["zwei"].light == ("A4",)
    assert full.rules == catalogue().rules


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for file, reason in (
        (tmp_path / "none.toml", "No such file"),
        (tmp_path, ""),
        (binary, "UTF-8"),
    ):
        with pytest.raises(UsageError, match=f"{re.escape(str(file))}.*{reason}"):
            read_catalogue_file(file)


def test_a_mistake_in_a_file_names_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(PATH, encoding="utf-8")
    with pytest.raises(CatalogueError) as raised:
        read_catalogue_file(str(file))
    assert str(raised.value).startswith(f"{file}, line 1: path.x.light: ")


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 30_000 + "]" * 30_000,
        "x = " + "{a=" * 30_000 + "1" + "}" * 30_000,
        "[" + ".".join("a" * 30_000) + "]",
        "x = {b = 1, " + " . ".join([r'"a\"."'] * 30_000) + " = 1}",
        "[dice.deep]\nprobabilities.0." + ".".join("a" * 30_000) + " = 1",
        "[path.deep]\nlight = " + "[" * 21 + "]" * 21,
    ],
)
def test_what_is_nested_without_end_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError, match=r"^deep.toml: .* nested more than 20 deep$"):
        load("deep.toml", text)


def test_nesting_that_the_schema_may_use_is_read() -> None:
    assert parse_toml("x.toml", "x = " + "[" * 19 + "]" * 19)


def test_a_file_without_end_is_not_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    with file.open("wb") as stream:
        stream.truncate(10**12)  # takes no space
    with pytest.raises(CatalogueError, match="more than 10,000,000 bytes"):
        read_catalogue_file(file)


# The worst cases of regular expressions: long blanks, dots and quotes, keys that grow by the line.
@pytest.mark.parametrize(
    "text",
    [
        *(
            f"{begin}{' ' * 300_000}{end}"
            for begin in ("", "[", "[a", "[a.", "a", '"')
            for end in "x]"
        ),
        *("[" + part * 100_000 for part in ("a.", "a . ", '""', "',", "[", ", ", '"\\\\')),
        "[" + "a." * 100_000 + "a]\n" + "a = 1\n" * 100_000,
        'board.a.tiles = "' + "A1..A99 " * 1_000_000 + '"',
    ],
    ids=range(21),
)
def test_no_text_takes_more_than_linear_time(text: str) -> None:
    with time_limit(10), pytest.raises(CatalogueError):
        load("long.toml", text)
