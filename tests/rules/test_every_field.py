"""Every field of the rules: what plays, keeps or writes a game uses it, or it is only a name.

A new field of `RuleSet` fails here until it has a change below, and all that is asked of it.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from examples import FUNCTIONS, first_call, kinds

import urcx
from urcx.agents.levels import level_file
from urcx.agents.networks import by_steps
from urcx.agents.search import lookahead, plan_for
from urcx.engine import moves
from urcx.engine.files.sealed import Members
from urcx.enumerate.rankings.ranking import check_layers, layer_obstacle
from urcx.errors import OutOfDomainError, TablebaseError
from urcx.played.notation import parse_game
from urcx.reports.figures import board
from urcx.reports.figures.board import RULE_SETS
from urcx.results.fields import Fields
from urcx.rules import catalogue, load, model
from urcx.rules.drawing import rules_in_words, rules_text
from urcx.rules.model import EFFECTS, RuleSet, unknown_flag
from urcx.rules.position import Position
from urcx.solving.files import header
from urcx.solving.files.header import describe_rules, rules_of
from urcx.solving.files.rgu_keys import game_settings
from urcx.strategy.journey import plies_alone

FINKEL = replace(urcx.ruleset("finkel"), pieces=2)
NAMES = {"name": "other", "title": "Another title", "aliases": ("another",)}
CHANGES: dict[str, Any] = {
    "path": urcx.path("masters"),
    "pieces": 3,
    "dice": urcx.ruleset("masters").dice,
    "rosette_grants_roll": frozenset({"B4"}),
    "rosette_protects": False,
    "capture_grants_roll": True,
    "captures_blocked": True,
    "rosette_disarms": True,
}
FIELDS = [field.name for field in dataclasses.fields(RuleSet)]


def changed(name: str) -> RuleSet:
    return replace(FINKEL, **{name: (NAMES | CHANGES)[name]})


def test_each_field_has_a_change() -> None:
    lacking = set(FIELDS) ^ set(NAMES | CHANGES)
    assert not lacking, f"{lacking}: put another value into CHANGES of this file, or into NAMES"
    for name in FIELDS:
        assert getattr(changed(name), name) != getattr(FINKEL, name)


@pytest.mark.parametrize("name", FIELDS)
def test_what_is_the_same_game(name: str) -> None:
    assert FINKEL.plays_like(changed(name)) == (name in NAMES)


def played(rules: RuleSet) -> dict[Position, Any]:
    """Return positions after moves from the start, with the legal moves in each."""
    found: dict[Position, Any] = {}
    waiting = [Position()]
    while waiting and len(found) < 500:  # with one piece per side there are 434
        at = waiting.pop()
        if at in found or rules.pieces in at.home:
            continue
        moves = {roll: urcx.legal_moves(at, roll, rules) for roll in rules.dice.rolls}
        found[at] = moves, rules.dice.probabilities
        waiting += [move.position for answers in moves.values() for move in answers]
        waiting.append(replace(at, light_to_move=not at.light_to_move))  # a pass
    return found


@pytest.mark.parametrize("name", CHANGES)
def test_moves_follow(name: str) -> None:
    one = replace(FINKEL, pieces=1)
    other = replace(changed(name), pieces=2 if name == "pieces" else 1)
    assert played(one) != played(other)


def test_a_header_with_a_rule_of_a_later_version_is_refused() -> None:
    later = describe_rules(FINKEL) | {"stacking": True}
    with pytest.raises(TablebaseError, match=r"it: .* rule 'stacking'"):
        rules_of(Members(later, "it"))


@pytest.mark.parametrize("name", FIELDS)
def test_headers_of_files_have_it(name: str) -> None:
    header = describe_rules(changed(name))
    same = header == {**describe_rules(FINKEL), "name": header["name"]}
    assert same == (name in NAMES)
    assert rules_of(Members(header, "it")).plays_like(changed(name))


@pytest.mark.parametrize("name", FIELDS)
def test_levels_of_look_ahead_are_kept_apart(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    one, other = (
        level_file(rules, lookahead(rules, 2, "advance", few_rolls=False))
        for rules in (FINKEL, changed(name))
    )
    assert one is not None
    assert other is not None
    assert (one.name.split("-", 1)[1] == other.name.split("-", 1)[1]) == (name in NAMES)


@pytest.mark.parametrize("name", CHANGES)
def test_tables_of_royalur_have_it_or_refuse(name: str) -> None:
    try:
        described = game_settings(changed(name))
    except OutOfDomainError:
        return
    assert described != game_settings(FINKEL), f"have game_settings write or refuse {name}"


@pytest.mark.parametrize("name", CHANGES)
def test_games_are_read_as_they_were_written(name: str) -> None:
    rules = replace(changed(name), name="house")
    assert parse_game(urcx.PlayedGame(rules).to_text()).rules.plays_like(rules)


@pytest.mark.parametrize("name", FIELDS)
def test_records_have_it(name: str) -> None:
    assert RULE_SETS.record(changed(name)) != RULE_SETS.record(FINKEL)


@pytest.mark.parametrize("name", EFFECTS)
def test_the_rules_in_words_have_every_effect(name: str) -> None:
    assert rules_in_words(changed(name)) != rules_in_words(FINKEL)


def test_words_and_the_table_of_rules_say_a_flag_with_a_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    later = [name for name, plain in EFFECTS.items() if plain is not None]
    assert all(RULE_SETS[name].heading for name in later)
    for module in (model, board):
        monkeypatch.setattr(module, "EFFECTS", EFFECTS | {"pieces_stack": False})
    rules = with_later_flag(FINKEL)
    assert Fields(board._effect("pieces_stack")).lines(rules) == [["pieces stack", "yes"]]
    assert rules_text(rules).endswith("a capture grants no roll, pieces stack: yes")


def test_what_has_no_layers_says_why_and_what_works() -> None:
    finkel = urcx.ruleset("finkel", pieces=1)
    bridge = tuple(f"B{k}" for k in range(1, 15))
    tiles = tuple(dict.fromkeys((*finkel.path.tiles, *bridge)))
    board = replace(finkel.path.board, tiles=tiles)
    light, dark = (("A4", *bridge), ("C4", *bridge))
    path = replace(finkel.path, name="long", board=board, light=light, dark=dark, laps=(15,))
    long = replace(finkel, name="long", path=path)
    assert layer_obstacle(long) == "the path long has 14 shared tiles, more than 13"
    with pytest.raises(OutOfDomainError, match=r"14 shared tiles.*gtc"):
        urcx.luck("random", rules=long)
    assert urcx.expected("random", rules=long).states > 0


@dataclass(frozen=True)
class LaterRules(RuleSet):
    """Rules with an unknown flag."""

    pieces_stack: bool = False


def with_later_flag(rules: RuleSet, *, stacking: bool = True) -> LaterRules:
    known = {name: getattr(rules, name) for name in FIELDS} | {"name": "house"}
    return LaterRules(**known, pieces_stack=stacking)


class MovesAsked(Exception):  # noqa: N818  # nothing is wrong
    """The move generator was asked for, which has all flags."""


# Take or give rules, and nothing that they answer depends on flags; or ask the others.
WITHOUT_FLAGS = ("ruleset", "read_game", "read_games", "open_tablebase", "compare")
WITH_RULES = [
    (name, parameter)
    for name in FUNCTIONS
    for parameter, taken in kinds(name).items()
    if "RuleSet" in taken and name not in WITHOUT_FLAGS
]


@pytest.mark.parametrize(("name", "parameter"), WITH_RULES)
def test_a_flag_is_left_to_the_move_generator_or_refused(
    name: str, parameter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: Any) -> None:
        raise MovesAsked

    arguments = first_call(name, answered=False).arguments
    given = arguments.get(parameter, "finkel")
    several = isinstance(given, list | tuple)
    rules = given[0] if several else given
    later = with_later_flag(rules if isinstance(rules, RuleSet) else urcx.ruleset(rules))
    monkeypatch.setattr(moves, "_way", asked)
    with pytest.raises((MovesAsked, OutOfDomainError)) as found:
        FUNCTIONS[name](**arguments | {parameter: [later] if several else later})
    if not isinstance(found.value, MovesAsked):
        assert "pieces_stack" in str(found.value)


READS = re.compile(rf"\.(granting|{'|'.join(EFFECTS)})\b")
PACKAGE = Path(urcx.__file__).parent
# They write, draw or name what flags say, or value layers, which `layer_obstacle` refuses.
WORDS = (
    *("engine/moves.py", "enumerate/reach.py", "explore/boards.py", "explore/static/intro.js"),
    *("played/texts.py", "published/quantities/games.py"),
    *("reports/figures/board.py", "solving/independent.py", "solving/layered/order.py"),
)


def test_what_reads_flags_by_itself_asks_for_unknown_ones() -> None:
    texts = {
        file.relative_to(PACKAGE).as_posix(): file.read_text(encoding="utf-8")
        for kind in ("py", "js")
        for file in PACKAGE.rglob(f"*.{kind}")
        if not file.is_relative_to(PACKAGE / "rules")
    }
    asking = re.compile(r"\b(check_flags|unknown_flag)\(")
    silent = {
        name for name, text in texts.items() if READS.search(text) and not asking.search(text)
    }
    assert silent == {*WORDS, "explore/static/offline.js"}, "have them ask, or add them to WORDS"
    assert asking.search(texts["explore/export.py"])  # before it hands rules to offline.js


@pytest.mark.parametrize(
    "ask",
    [
        lambda rules: plies_alone(rules, 1)[0],
        lambda rules: plan_for(rules, lookahead(rules, 2, "advance", few_rolls=False)),
        check_layers,
        game_settings,
    ],
    ids=["alone", "search", "layers", "royalur"],
)
def test_a_flag_that_is_not_known_is_refused_where_it_is_set(ask: Any) -> None:
    ask(with_later_flag(FINKEL, stacking=False))
    with pytest.raises(OutOfDomainError, match="rule pieces_stack"):
        ask(with_later_flag(FINKEL))


def test_networks_take_captures_by_an_unknown_flag_from_the_move_generator() -> None:
    assert by_steps(with_later_flag(FINKEL, stacking=False))
    assert not by_steps(with_later_flag(FINKEL))


def test_a_flag_is_known_once_it_is_named() -> None:
    later = with_later_flag(FINKEL)
    assert unknown_flag(later) == "pieces_stack"
    assert not unknown_flag(later, ["pieces_stack"])


def test_a_flag_with_a_default_may_be_left_out_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (model, load, header):
        monkeypatch.setattr(module, "EFFECTS", EFFECTS | {"capture_grants_roll": False})
    written = describe_rules(FINKEL)
    assert "capture_grants_roll" not in written
    assert rules_of(Members(written, "it")).plays_like(FINKEL)
    other = changed("capture_grants_roll")
    assert rules_of(Members(describe_rules(other), "it")).plays_like(other)
    text = "\n".join(
        line
        for line in (PACKAGE / "rules" / "data" / "rules.toml").read_text("utf-8").splitlines()
        if not re.match("capture_grants_roll *= *false", line)
    )
    read = load.load("it", text, catalogue.read_catalogue(None))
    assert read.rules["finkel"].plays_like(urcx.ruleset("finkel"))
