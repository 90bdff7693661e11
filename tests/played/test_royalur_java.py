"""Games that RoyalUr-Java wrote, in each form that it has had, and what urcx writes for it.

The files in ``royalur`` were printed by RoyalUr-Java at the commits 91c1aae (December 2022),
bdf4f6b (June 2023), 4fa373e (August 2023), d961068 (version 1 of its JSON) and f09c562 (all
others): random games, each as RGN, as JSON and as the lines of its example, which have every roll.
``now.rgn``, ``unquoted.rgn`` and ``two-pieces.log`` are games that others sent.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import urcx
from urcx.errors import NotationError, OutOfDomainError, UsageError
from urcx.played.notation import parse_game
from urcx.rules.catalogue import RuleSources
from urcx.rules.model import RuleSet

THEIRS = Path(__file__).parent / "royalur"
PATHS = ["masters", "aseb", "murray", "skiriuk"]
TWO = urcx.ruleset("finkel", pieces=2)


def text(name: str) -> str:
    return (THEIRS / name).read_text(encoding="utf-8")


def read(name: str, rules: str | RuleSet | None = None) -> urcx.PlayedGame:
    return parse_game(text(name), RuleSources(rules), name=name)


def plies(played: urcx.PlayedGame) -> list[tuple[str, int, str, str]]:
    return [(ply.side, ply.roll, ply.steps, ply.marks) for ply in played.plies]


def rules_of(name: str) -> RuleSet:
    if name in PATHS:
        return urcx.ruleset(name, pieces=2)
    return TWO if name == "two" else urcx.ruleset("finkel")


@pytest.mark.parametrize(
    ("name", "log", "rules", "number"),
    [
        ("december-2022.rgn", "december-2022.log", None, 230),
        ("june-2023.rgn", "two.log", TWO, 48),
        ("august-2023.rgn", "two.log", TWO, 48),
        ("august-2023.rgn", "full-stops.log", TWO, 48),
        ("two.rgn", "two.log", TWO, 48),
        ("version-1.json", "two.log", TWO, 48),
        ("two.json", "two.log", TWO, 48),
        ("now.rgn", "two-pieces.log", TWO, 27),
        *(
            (f"{name}.{form}", f"{name}.log", rules_of(name), None)
            for name in (*PATHS, "waits", "resigned")
            for form in ("rgn", "json")
        ),
    ],
)
def test_every_form_is_read_as_the_lines_that_have_all_rolls(
    name: str, log: str, rules: RuleSet | None, number: int | None
) -> None:
    played, lines = read(name, rules), read(log, rules)
    assert plies(played) == plies(lines)
    assert (played.roll, played.result) == (lines.roll, lines.result)
    assert number in (None, len(played.plies))


def test_a_line_of_each_form_is_written_out() -> None:
    # Line 4 of the same game in three forms: A3 to A1, a rosette; A1 to B1, a capture; ...
    three = [("3a1+ axb1 ~ 3c1+ 5c3"), ("a3a1+ a1b1x / c3c1+ c5c3"), ("A3A1 * A1B1x / C3C1 * C@C3")]
    for name, line in zip(("june-2023", "august-2023", "two"), three, strict=True):
        assert f"\n4. {line}\n" in text(f"{name}.rgn")
        assert plies(read(f"{name}.rgn", TWO))[6:10] == [
            ("light", 2, "2-4", "*"),
            ("light", 1, "4-5", "x"),
            ("dark", 2, "2-4", "*"),
            ("dark", 2, "0-2", ""),
        ]
    assert "(5) r3.ab2 (6) r2.5c3\n(7) r2.3a1+ r1.axb1 " in text("december-2022.rgn")
    assert plies(read("december-2022.rgn"))[6:8] == [
        ("light", 2, "2-4", "*"),
        ("light", 1, "4-5", "x"),
    ]


def test_metadata_of_all_times_is_read() -> None:
    two = read("two.rgn", TWO)
    assert (two.light, two.dark, two.date) == ("anna", 'the "dark" one', "2026-11-28")
    assert dict(two.more)["Odd key"] == "x"
    old = read("december-2022.rgn")
    assert (old.light, old.date, old.rules.name) == ("an na", "2026-11-28", "finkel")
    assert read("version-1.json").date == "2026-11-28"
    one, two = urcx.read_games(THEIRS / "unquoted.rgn")
    assert (one.light, one.dark, one.date, one.winner) == ("anna", "greedy", "2026-11-23", "light")
    assert (two.light, two.plies) == ("ben", ())


@pytest.mark.parametrize("name", ["two", "waits", *PATHS])
def test_what_is_written_is_what_royalur_java_wrote(name: str) -> None:
    played = read(f"{name}.log", rules_of(name))
    assert played.to_rgn().rstrip("\n").endswith(text(f"{name}.rgn").partition("\n\n")[2])
    theirs, ours = json.loads(text(f"{name}.json")), json.loads(played.to_royalur_json())
    for state in theirs["states"]:
        state["time"] = 0
    assert ours["metadata"] == {}
    assert {**ours, "metadata": theirs["metadata"]} == theirs
    assert list(ours) == list(theirs)


@pytest.mark.parametrize("name", ["two", *PATHS])
def test_what_is_read_is_written_as_it_was(name: str) -> None:
    played = read(f"{name}.json")
    for again in (parse_game(played.to_rgn()), parse_game(played.to_royalur_json())):
        assert plies(again) == plies(played)
        assert (again.rules, again.light, again.dark) == (played.rules, played.light, played.dark)
        assert (again.date, dict(again.more)) == (played.date, dict(played.more))


def test_a_game_that_begins_elsewhere_keeps_its_start() -> None:
    played = urcx.PlayedGame(urcx.Game("finkel", "4,6/9/1-2/D")).throw(3).play("9-12").throw(1)
    for written in (played.to_rgn(), played.to_royalur_json()):
        again = parse_game(written)
        assert (again.start, plies(again), again.roll) == (played.start, plies(played), 1)
    assert "[Start " in played.to_rgn()
    initial = json.loads(played.to_royalur_json())["initial_state"]
    assert initial["board"] == {"pieces": {"A1": 4, "B2": 6, "B5": -9}}
    assert initial["players"]["D"] == {"pieces": 4, "score": 2}
    with pytest.raises(NotationError, match="line 1, column 9: "):
        parse_game('[Start "9/9"]\n')


def test_a_game_that_somebody_resigned_is_unfinished() -> None:
    for name in ("resigned.rgn", "resigned.json"):
        sources = RuleSources()
        played = parse_game(text(name), sources, name=name)
        assert (played.result, len(played.plies)) == ("unfinished", 17)
        (note,) = sources.notes
        assert name in note
        assert "unfinished" in note
        assert "resigned" in note
    with pytest.raises(NotationError, match="# must follow the winning ply"):
        parse_game("1. A@A3# / C@C3")


def test_a_roll_that_does_not_follow_is_named() -> None:
    path = replace(urcx.path("bell"), light=("B1", "B2", "B1", "B3"), dark=("C1", "C2"))
    with pytest.raises(UsageError):
        parse_game("1. B@B1")  # not by the default rules
    rules = replace(TWO, name="twice", path=path)
    with pytest.raises(NotationError, match=r"line 1, column 4: .* start to B1 .*: 1 or 3"):
        parse_game("1. B@B1", rules)
    for play, text_of in (("0-1", None), ("0-2", "1. B@B2\n")):
        played = urcx.PlayedGame(rules).play(play)
        if text_of:
            assert played.to_rgn().endswith(text_of)
            continue
        with pytest.raises(OutOfDomainError, match=r"start to B1 .*several rolls"):
            played.to_rgn()
    assert plies(parse_game("(1) r3.0b1", rules))[0][1:3] == (3, "0-3")


@pytest.mark.parametrize(
    "name", ["now.rgn", "june-2023.rgn", "two.rgn", "two.log", "two-pieces.log"]
)
def test_fewer_pieces_are_tried_and_named(name: str) -> None:
    sources = RuleSources()
    played = parse_game(text(name), sources, name=name)
    assert played.rules == TWO
    assert played.winner == "light"
    (note,) = sources.notes
    assert name in note
    assert "finkel with 2 pieces" in note
    for sources in (RuleSources(pieces=7), RuleSources(urcx.ruleset("finkel"))):
        with pytest.raises(NotationError, match=r"legal by the rules of finkel with 2 pieces$"):
            parse_game(text(name), sources)
        assert not sources.notes
    assert parse_game(text(name), RuleSources(tablebase=urcx.ruleset("finkel"))).rules == TWO


def test_games_of_all_forms_stand_in_one_file(tmp_path: Path) -> None:
    names = ["now.rgn", "two.json", "two.log", "june-2023.rgn", "version-1.json", "two.rgn"]
    own = read("now.rgn", TWO).to_text().replace("light: anna", "Light: anna")
    file = tmp_path / "all"
    pretty = json.dumps(json.loads(text("two.json")), indent=2)
    bare = text("now.rgn").partition("\n\n")[2]
    file.write_text("\n".join([*map(text, names), bare, bare, pretty]))
    games = urcx.read_games(file, "finkel", pieces=2)
    assert [len(game.plies) for game in games] == [27, 48, 48, 48, 48, 48, 27, 27, 48]
    file.write_text("\n".join([text("two.log"), own]))
    with pytest.raises(NotationError, match=r"line \d+, column 1: unknown name 'Light'"):
        urcx.read_games(file, "finkel", pieces=2)
    file.write_text(own)
    with pytest.raises(NotationError, match="line 4, column 1: unknown name 'Light'"):
        urcx.read_games(file)


def damaged(*where: Any) -> str:
    """Return a game with another value at the end of a path, or without it if that is None."""
    *keys, last, value = where
    whole = json.loads(text("two.json"))
    part = whole
    for key in keys:
        part = part[key]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return json.dumps(whole)


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("{", "the JSON is damaged"),
        ('{"schema": "urcx.game/1"}', "no notation_version"),
        (damaged("notation_version", 3), "notation_version is 3, not"),
        (damaged("settings", None), "no settings"),
        (damaged("settings", "dice", "six"), 'settings.dice is "six", not one of'),
        (damaged("settings", "paths", "snake"), "settings.paths"),
        (damaged("settings", "start_pieces", 7), "players.L.pieces is 2, not"),
        (damaged("initial_state", "board", "pieces", "B9", 3), "'B9' cannot hold"),
        (
            damaged("initial_state", "board", "pieces", "A1", 3),
            "'A1' cannot hold a piece of step 3",
        ),
        (
            damaged("initial_state", "board", "pieces", "A1", 0),
            "'A1' cannot hold a piece of step 0",
        ),
        (damaged("states", 0, "type", "fly"), 'states[0].type is "fly", not'),
        (damaged("states", 0, "turn", "D"), "states[0].turn is "),
        (damaged("states", 0, "roll", "value", 9), "states[0]: roll 9: the dice"),
        (
            damaged("states", 0, "roll", "value", 2),
            "states[0]: start-A2 is not a move for the roll 2",
        ),
        (damaged("states", 0, "move", "dest", -3), "states[0]: "),
        (damaged("states", 0, "move", "captured", -3), "states[0].move.captured is -3, not"),
        (damaged("states", 7, "move", "captured", None), "no states[7].move.captured"),
        (damaged("states", 12, "roll", "value", 1), "states[13].turn is "),
        (damaged("states", 48, "type", "wait4roll"), "the JSON has no states[48].turn"),
    ],
)
def test_damaged_json_is_named_by_its_field(broken: str, why: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_game(broken, name="my.json")
    assert str(error.value).startswith("my.json, line 1, column 1: ")
    assert why in str(error.value)
    assert "\n" not in str(error.value)


def test_rules_that_royalur_does_not_have_are_not_written() -> None:
    for rules in (urcx.ruleset("seleucid"), replace(TWO, path=urcx.path("michon-double-short"))):
        with pytest.raises(OutOfDomainError, match="RoyalUr's JSON"):
            urcx.PlayedGame(rules).to_royalur_json()


def test_saved_games_are_read_again(tmp_path: Path) -> None:
    played = read("two.json")
    for name in ("g.rgn", "g.royalur.json", "G.ROYALUR.JSON"):
        played.save(tmp_path / name)
        assert plies(urcx.read_game(tmp_path / name)) == plies(played)
    assert json.loads((tmp_path / "G.ROYALUR.JSON").read_text())["notation_version"] == 2
