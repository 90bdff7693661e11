"""Every field of the rules: what plays, keeps or writes a game uses it, or it is only a name.

A new field of `RuleSet` fails here until it has a change below, and all that is asked of it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import urcx
from urcx.agents.levels import kept_file
from urcx.agents.lookahead import lookahead
from urcx.engine.files.fields import Members
from urcx.enumerate.rankings.pattern_ranking import why_no_layers
from urcx.errors import OutOfDomainError, TablebaseError
from urcx.played.notation import parse_game
from urcx.reports.figures.board import RULE_SETS
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.header import describe_rules, rules_of, same_rules
from urcx.solving.files.rgu_keys import game_settings

FINKEL = replace(urcx.ruleset("finkel"), pieces=2)
NAMES = {"name": "other", "title": "Another title", "aliases": ("another",)}
CHANGES: dict[str, Any] = {
    "path": urcx.path("masters"),
    "pieces": 3,
    "dice": urcx.ruleset("masters").dice,
    "rosette_grants_roll": frozenset({"B4"}),
    "rosette_protects": False,
    "capture_grants_roll": True,
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
    """Return positions that moves lead to from the start, and what can be played in each."""
    found: dict[Position, Any] = {}
    waiting = [Position()]
    while waiting and len(found) < 500:  # with a piece a side there are 434
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
    with pytest.raises(TablebaseError, match="it: this urcx knows no rule 'stacking'"):
        rules_of(Members(later, "it"))


@pytest.mark.parametrize("name", FIELDS)
def test_headers_of_files_have_it(name: str) -> None:
    header = describe_rules(changed(name))
    assert same_rules(describe_rules(FINKEL), header) == (name in NAMES)
    assert rules_of(Members(header, "it")).plays_like(changed(name))


@pytest.mark.parametrize("name", FIELDS)
def test_levels_of_look_ahead_are_kept_apart(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    one, other = (
        kept_file(rules, lookahead(rules, 2, "advance", few_rolls=False))
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


def test_what_has_no_layers_says_why_and_what_works() -> None:
    finkel = urcx.ruleset("finkel", pieces=1)
    bridge = tuple(f"B{k}" for k in range(1, 15))
    tiles = tuple(dict.fromkeys((*finkel.path.tiles, *bridge)))
    board = replace(finkel.path.board, tiles=tiles)
    light, dark = (("A4", *bridge), ("C4", *bridge))
    path = replace(finkel.path, name="long", board=board, light=light, dark=dark, laps=(15,))
    long = replace(finkel, name="long", path=path)
    assert why_no_layers(long) == "the path long has 14 shared tiles, more than 13"
    with pytest.raises(OutOfDomainError, match=r"14 shared tiles.*gtc.*take every path"):
        urcx.luck("random", rules=long)
    assert urcx.expected("random", rules=long).states > 0
