"""The built-in catalogue against the tables of the sources, typed again by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import pytest
from own_rules import SHORT

import urcx
from urcx.complexity import tiles
from urcx.errors import UnknownNameError, UsageError
from urcx.rules import catalogue
from urcx.rules.load import load
from urcx.rules.model import Path

STANDARD = "A1 A2 A3 A4 A7 A8 B1 B2 B3 B4 B5 B6 B7 B8 C1 C2 C3 C4 C7 C8"
ASEB = "A1 A2 A3 A4 C1 C2 C3 C4 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12"

# Light's tiles in order, whose mirror images are dark's; private tiles per side, shared tiles.
WAYS = {
    "bell": (
        "A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 B8 A8 A7",
        6,
        8,
    ),
    "masters": (
        "A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 C7 C8 B8 A8 A7",
        4,
        12,
    ),
    "murray": (
        "A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 C7 C8 B8 A8 A7 B7 B6 B5 B4 B3 B2 B1 C1 C2 C3 C4",
        0,
        20,
    ),
    "skiriuk": (
        "A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 C7 C8 B8 A8 A7 B7 B6 B5 B4 B3 B2 B1",
        4,
        12,
    ),
    "aseb": (
        "A4 A3 A2 A1 B1 B2 B3 B4 B5 B6 B7 B8 B9 B10 B11 B12",
        4,
        12,
    ),
}

# path, pieces, dice, a rosette grants a roll, a rosette protects, a capture grants a roll
CORNERS = frozenset({"A1", "C1"})
RULES = {
    "finkel": ("bell", 7, "binary4", True, True, False),
    "kwan": ("bell", 6, "binary4", True, True, False),
    "blitz": ("masters", 5, "binary4", True, False, True),
    "masters": ("masters", 7, "binary3-0as4", True, False, False),
    "masters-four-dice": ("masters", 7, "binary4", True, False, False),
    "aseb": ("aseb", 5, "binary4", True, True, False),
    "murray": ("murray", 7, "binary4", True, True, False),
    "skiriuk": ("skiriuk", 7, "binary4", True, True, False),
    "seleucid": ("aseb", 7, "astragali", CORNERS, True, False),
    "seleucid-ludii": ("aseb", 7, "astragali-added", True, True, False),
}

# Michon's list of the shapes of tracks, in his order.
MICHON = (
    "single-short",
    "single-long",
    "double-short",
    "double-long",
    "short-long",
    "long-short",
    "twisted-short",
    "twisted-long",
    "twisted-short-long",
    "twisted-long-short",
    "short-backtrack",
    "long-backtrack",
    "short-central-backtrack",
    "long-central-backtrack",
    "short-twisted-backtrack",
    "long-twisted-backtrack",
)
ALL_PATHS = catalogue.path_names()


def exchanged(tile: str) -> str:
    """Exchange the columns A and C."""
    return tile.translate(str.maketrans("AC", "CA"))


def adjacent(one: str, other: str) -> bool:
    columns = abs(ord(one[0]) - ord(other[0]))
    rows = abs(int(one[1:]) - int(other[1:]))
    return columns + rows == 1


def laps(path: Path) -> list[tuple[str, ...]]:
    found, start = [], 0
    for length in path.laps:
        found.append(path.light[start : start + length])
        start += length
    return found


# Boards and paths.


@pytest.mark.parametrize(
    ("name", "tiles", "rosettes"),
    [("standard", STANDARD, "A1 C1 B4 A7 C7"), ("aseb", ASEB, "A1 C1 B4 B8 B12")],
)
def test_boards_have_the_tiles_and_rosettes_of_the_real_ones(
    name: str, tiles: str, rosettes: str
) -> None:
    board = urcx.board(name)
    assert sorted(board.tiles) == sorted(tiles.split())
    assert board.rosettes == set(rosettes.split())


@pytest.mark.parametrize("name", WAYS)
def test_tiles_in_order(name: str) -> None:
    light, private, shared = WAYS[name]
    path = urcx.path(name)
    assert path.light == tuple(light.split())
    assert path.private == (private, private)
    assert path.shared == shared


def test_rosettes_come_on_the_steps_that_michon_gives() -> None:
    def steps(name: str) -> list[int]:
        path = urcx.path(name)
        return [s for s, tile in enumerate(path.light, start=1) if tile in path.board.rosettes]

    assert steps("bell") == [4, 8, 14]
    # He calls a track regular if every fourth step is a rosette.
    assert steps("masters") == steps("aseb") == [4, 8, 12, 16]


@pytest.mark.parametrize("name", ALL_PATHS)
def test_dark_walks_lights_way_with_the_wings_exchanged(name: str) -> None:
    path = urcx.path(name)
    assert path.dark == tuple(map(exchanged, path.light))
    assert path.symmetric


@pytest.mark.parametrize("name", ALL_PATHS)
def test_laps_are_walks_that_cross_no_tile_twice(name: str) -> None:
    path = urcx.path(name)
    assert sum(path.laps) == len(path.light)
    for lap in laps(path):
        assert len(set(lap)) == len(lap)
        assert all(adjacent(one, other) for one, other in pairwise(lap))
    if path.board.name in ("standard", "aseb"):
        assert path.light[0] == "A4", "every way starts at the own notch"


def symmetric(text: str) -> bool:
    return load("t.toml", text).paths["x"].symmetric


def test_symmetric_wants_equal_lengths_tiles_and_rosettes() -> None:
    board = '[board.b]\ntiles = "A1..A3 B1..B3 C1..C3"\nrosettes = "{}"\n[path.x]\nboard = "b"\n'
    way = 'light = "A1 B1 B2"\n'
    assert symmetric(board.format("A1 C1") + way)
    assert not symmetric(board.format("A1") + way)
    assert not symmetric(board.format("A1 C1") + way + 'dark = "C1 B1"\n')
    # Exchanging the players must lead back: B1 to B2 and B2 to B3 does not.
    assert not symmetric(board.format("") + 'light = "B1 B2 B3"\ndark = "B2 B3 B1"\n')
    assert symmetric(board.format("") + 'light = "B1 B2 B3"\ndark = "B3 B2 B1"\n')


# Michon's shapes.


@pytest.mark.parametrize("shape", MICHON)
def test_michons_shapes_are_read_as_his_words_say(shape: str) -> None:
    path = urcx.path(f"michon-{shape}")
    words = shape.split("-")
    lap = laps(path)
    first = "long" if words[0] == "long" or words[:2] == ["twisted", "long"] else "short"
    if words[0] in ("single", "double"):
        first = words[1]
    # His short tracks have 14 squares, his long ones 16; the first lap ends on a corner rosette.
    assert len(lap[0]) == {"short": 14, "long": 16}[first]
    twisted_laps = words[0] == "twisted"
    assert lap[0][-1] == ("C7" if twisted_laps else "A7")
    if words[0] == "single":
        assert len(lap) == 1
    elif "backtrack" in words:
        # Back "into the central lane" and out of it: central, untwisted or twisted.
        assert lap[1][0] == "B7"
        out = {"central": ["B1"], "twisted": ["B1", "C1", "C2", "C3", "C4"]}
        ends = out.get(words[1], ["B1", "A1", "A2", "A3", "A4"])
        assert list(lap[1][-len(ends) :]) == ends
    else:
        second = words[-1]
        assert len(lap[1]) == {"short": 14, "long": 16}[second]
        assert lap[1][0] == ("C4" if twisted_laps else "A4")
        assert lap[1][-1] == "A7", "the second lap is normally even: it ends on the own side"
    # "In the twisted variants, the wing of a player isn't private."
    if "twisted" in words:
        wings = {f"{column}{row}" for column in "AC" for row in range(1, 5)}
        times = dict(zip(path.tiles, path.crossings, strict=True))
        assert all(min(times[tile]) > 0 for tile in wings)
    else:
        assert path.private[0] >= 4


def test_michons_backtracks_that_others_play_under_their_names() -> None:
    assert urcx.path("michon-long-twisted-backtrack") is urcx.path("murray")
    assert urcx.path("michon-long-central-backtrack") is urcx.path("skiriuk")
    assert urcx.path("michon-single-short") is urcx.path("bell")
    assert urcx.path("michon-single-long") is urcx.path("masters")
    assert urcx.path("michon-egyptian") is urcx.path("aseb")


def test_odd_second_laps_end_on_the_opposing_side() -> None:
    odd = [name for name in ALL_PATHS if name.endswith("-odd")]
    assert len(odd) == 8, "one for each shape of two laps"
    for name in odd:
        even = urcx.path(name.removesuffix("-odd"))
        path = urcx.path(name)
        assert laps(path)[0] == laps(even)[0]
        assert path.light[-1] == "C7"
        assert len(path.light) == len(even.light)


# Dice.


def coins(number: int) -> dict[int, Fraction]:
    """Return the distribution of the number of heads, from every throw."""
    found: dict[int, Fraction] = {}
    for throw in product((0, 1), repeat=number):
        found[sum(throw)] = found.get(sum(throw), Fraction(0)) + Fraction(1, 2**number)
    return found


def test_dice() -> None:
    def table(name: str) -> dict[int, Fraction]:
        return dict(urcx.dice(name).items())

    assert table("binary4") == coins(4)
    assert [16 * p for p in table("binary4").values()] == [1, 4, 6, 4, 1]
    assert table("binary3") == coins(3)
    # Michon: 4 when no marked corner is up; 1, 2, 3, 4 with 3, 3, 1, 1 chances of 8.
    assert table("binary3-0as4") == {roll or 4: p for roll, p in coins(3).items()}
    assert [8 * p for p in table("binary3-0as4").values()] == [3, 3, 1, 1]
    # Ludii's rule set 35, the ox's "yes" in half of the throws: its text, then its code.
    raised = {1: 5, 2: 6, 3: 7, 4: 10}
    for name, added in (("astragali", False), ("astragali-added", True)):
        faces = [*raised, *(added * sheep + more for sheep, more in raised.items())]
        assert table(name) == dict.fromkeys(faces, Fraction(1, 8))
    six: dict[int, Fraction] = {}
    for face in range(1, 7):
        roll = {5: 0, 6: 2}.get(face, face)
        six[roll] = six.get(roll, Fraction(0)) + Fraction(1, 6)
    assert table("d6-substitute") == six


@pytest.mark.parametrize("name", ["binary4", "binary3-0as4", "d6-substitute"])
def test_dice_that_michon_says_average_two(name: str) -> None:
    assert urcx.dice(name).mean == 2


# Rule sets.


@pytest.mark.parametrize("name", RULES)
def test_rule_sets(name: str) -> None:
    rules = urcx.ruleset(name)
    assert rules.name == name
    assert (
        rules.path.name,
        rules.pieces,
        rules.dice.name,
        rules.rosette_grants_roll,
        rules.rosette_protects,
        rules.capture_grants_roll,
    ) == RULES[name]


@pytest.mark.parametrize("alias", ["bell", "bm", "standard"])
def test_finkel_is_called_differently_elsewhere(alias: str) -> None:
    assert urcx.ruleset(alias) is urcx.ruleset("finkel")


def test_rule_sets_of_another_size() -> None:
    finkel = urcx.ruleset("finkel")
    assert urcx.ruleset("finkel", pieces=3) == replace(finkel, pieces=3)
    assert urcx.ruleset(replace(finkel, pieces=3), pieces=7) == finkel
    assert urcx.ruleset(finkel, pieces=None) is finkel


@pytest.mark.parametrize("pieces", [0, 256])
def test_rule_sets_of_no_size(pieces: int) -> None:
    with pytest.raises(UsageError, match=f"^pieces {pieces}: must be from 1 to 255"):
        urcx.ruleset("finkel", pieces=pieces)


def test_the_corners_of_the_seleucid_text_grant_a_roll_and_its_other_rosettes_protect() -> None:
    text, code = urcx.ruleset("seleucid"), urcx.ruleset("seleucid-ludii")
    assert not text.plays_like(replace(text, rosette_grants_roll=True))
    assert code.plays_like(replace(text, dice=code.dice, rosette_grants_roll=True))
    game = urcx.Game(text, "2,7/8/0-0/L")
    again = {move.end: move.rolls_again for roll in (2, 5) for move in game.legal_moves(roll)}
    assert again == {4: True, 5: False, 9: False, 12: False}
    assert [move.start for move in game.legal_moves(1)] == [0, 2]  # not onto the enemy on B4
    for rules in (text, code):
        assert tiles.diagrams(rules.path, 7) == 501_032_952


# Look-ups.


def test_names_without_aliases() -> None:
    assert set(WAYS) <= set(ALL_PATHS)
    assert len(set(ALL_PATHS)) == len(ALL_PATHS)
    assert all(urcx.path(name).name == name for name in ALL_PATHS)


@pytest.mark.parametrize(
    ("call", "name", "kind", "near"),
    [
        (urcx.path, "bel", "path", "bell"),
        (urcx.path, "Murray", "path", "murray"),
        (urcx.board, "standart", "board", "standard"),
        (urcx.dice, "binary5", "dice", "binary4"),
        (urcx.ruleset, "finkle", "rule set", "finkel"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(
    call: object, name: str, kind: str, near: str
) -> None:
    assert callable(call)
    with pytest.raises(UnknownNameError, match=f"unknown {kind} '{name}'; did you mean .*{near}"):
        call(name)


def test_a_name_like_no_other_gets_the_list() -> None:
    with pytest.raises(
        LookupError,
        match=r"known: bell, masters, murray, skiriuk, aseb, .*\.\.\. \(all: urcx paths\)$",
    ):
        urcx.path("zzzzzz")


def test_entries_of_a_file_of_ones_own() -> None:
    known, _ = catalogue.read_catalogue_file(SHORT)
    own = f"{SHORT}:strip"
    assert urcx.ruleset("strip", path_file=SHORT) == urcx.ruleset(own) == known.rules["strip"]
    assert urcx.ruleset(own, pieces=2).pieces == 2
    assert urcx.path("strip", path_file=str(SHORT)) == urcx.path(own) == known.paths["strip"]
    assert urcx.board(own) == known.boards["strip"]
    assert urcx.dice(f"{SHORT}:coin") == known.dice["coin"]
    assert urcx.ruleset("finkel", path_file=SHORT) == urcx.ruleset(f"{SHORT}:finkel")
    # Every function that takes a name takes this one.
    assert urcx.Game(own).rules == known.rules["strip"]
    assert urcx.perft(own, 1) == urcx.perft(known.rules["strip"], 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: urcx.ruleset(f"{SHORT}:strop"), "did you mean strip"),
        (lambda: urcx.ruleset(f"{SHORT}:coin"), "coin is the name of dice"),
        (lambda: urcx.ruleset("coin", path_file=SHORT), "coin is the name of dice"),
        (lambda: urcx.ruleset(str(SHORT)), "short.toml:NAME for"),
        (lambda: urcx.path("none.toml:strip"), "cannot read none.toml"),
    ],
)
def test_what_a_file_does_not_have_is_one_line(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_the_package_lists_what_it_has() -> None:
    assert all(hasattr(urcx, name) for name in dir(urcx))
    with pytest.raises(AttributeError, match="nothing"):
        _ = urcx.nothing  # type: ignore[attr-defined]
