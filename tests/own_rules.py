"""Rule sets for tests, small enough to be solved by slow twins."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import urcx
from urcx.rules import catalogue
from urcx.rules.load import load
from urcx.rules.model import RuleSet

# The documentation's file with a path of a user's, strip, and rules on it.
SHORT = Path(__file__).parents[1] / "docs" / "examples" / "short.toml"

# short: alike for both sides, five steps; corner: three; tiny: four, and captures grant a roll.
# odd: sides that differ, and a tile that light steps on twice. race: sides that never meet.
# wings: four steps before the one that is shared, so that rows of a layer are longer than a vector.
# some: only some rosettes grant a roll, on tiles of one player and of both.
# peace: no captures on the path of short; harmless: none from its rosette.
# loop: a path that comes back to its own tile within a roll, both players in one wing, every flag
# set. long: more steps than kernels take.
# head-on: one lane that both cross in opposite directions, so that a tile is another step to each;
# some dice values are as long as the way, and the rolls have a gap.
# lane: two pieces that face each other on two tiles that protect. stuck: games that do not end.
TEXT = """
[board.short]
tiles = "A1..A2 B1..B3 C1..C2"
rosettes = "B2"
[path.short]
board = "short"
light = ["A2 A1 B1 B2 B3"]
[rules.short]
path = "short"
pieces = 2
dice = "binary3"
rosette_grants_roll = true
rosette_protects = true
capture_grants_roll = false

[rules.peace]
path = "short"
pieces = 2
dice = "binary3"
rosette_grants_roll = true
rosette_protects = false
capture_grants_roll = false
captures_blocked = true
[rules.harmless]
path = "short"
pieces = 2
dice = "binary3"
rosette_grants_roll = true
rosette_protects = false
capture_grants_roll = false
rosette_disarms = true

[board.corner]
tiles = "A1 B1..B2 C1"
rosettes = "B2"
[path.corner]
board = "corner"
light = ["A1 B1 B2"]
[rules.corner]
path = "corner"
pieces = 2
dice = "binary3"
rosette_grants_roll = true
rosette_protects = true
capture_grants_roll = false

[board.tiny]
tiles = "A1 B1..B3 C1"
rosettes = "B2"
[path.tiny]
board = "tiny"
light = ["A1 B1 B2 B3"]
[rules.tiny]
path = "tiny"
pieces = 2
dice = "binary3"
rosette_grants_roll = true
rosette_protects = false
capture_grants_roll = true

[board.some]
tiles = "A1 B1..B3 C1"
rosettes = "A1 B1..B3 C1"
[path.some]
board = "some"
light = ["A1 B1 B2 B3"]
[rules.some]
path = "some"
pieces = 2
dice = "binary3"
rosette_grants_roll = "A1 B2 C1"
rosette_protects = false
capture_grants_roll = false

[board.wings]
tiles = "A1..A4 B1 C1..C4"
rosettes = "A3 C3"
[path.wings]
board = "wings"
light = ["A1..A4 B1"]
[rules.wings]
path = "wings"
pieces = 2
dice = "binary3"
rosette_grants_roll = true
rosette_protects = true
capture_grants_roll = true

[board.odd]
tiles = "A1..A4 B1..B2"
rosettes = "A2"
[path.odd]
board = "odd"
light = ["A1 A2 A4", "A1"]
dark = ["A2 A3 A4", "B1 B2"]
[rules.odd]
path = "odd"
pieces = 2
dice = "binary3"
rosette_grants_roll = true
rosette_protects = false
capture_grants_roll = true

[board.lane]
tiles = "B1..B2"
rosettes = "B1 B2"
[path.lane]
board = "lane"
light = ["B1 B2"]
dark = ["B2 B1"]
[dice.one]
probabilities = { 1 = "1" }
[rules.lane]
path = "lane"
pieces = 1
dice = "one"
rosette_grants_roll = false
rosette_protects = true
capture_grants_roll = false

[board.lanes]
tiles = "A1..A3 C1..C3"
rosettes = ""
[path.lanes]
board = "lanes"
light = ["A1 A2 A3"]
[dice.coin]
probabilities = { 0 = "1/3", 1 = "2/3" }
[dice.two]
probabilities = { 2 = "1" }
[rules.race]
path = "lanes"
pieces = 2
dice = "coin"
rosette_grants_roll = false
rosette_protects = false
capture_grants_roll = false
[rules.stuck]
path = "lanes"
pieces = 1
dice = "two"
rosette_grants_roll = false
rosette_protects = false
capture_grants_roll = false

[board.facing]
tiles = "A1..A2 B1..B5 C1..C2"
rosettes = "A2 B3 C2"
[path.head-on]
board = "facing"
light = "A1..A2 B1..B5"
dark = "C1..C2 B5..B1"
[dice.gap]
title = "a gap, and a roll that nothing moves by but from the pool"
probabilities = { 1 = "1/2", 3 = "3/10", 8 = "1/5" }
[rules.head-on]
path = "head-on"
pieces = 2
dice = "gap"
rosette_grants_roll = true
rosette_protects = true
capture_grants_roll = true

[path.loop]
board = "standard"
light = ["A4..A1 B1..B3", "B2..B1 A1..A4"]
dark = ["A4..A1 B1..B3", "B2..B1 A1..A4"]
[rules.loop]
path = "loop"
pieces = 4
dice = "binary4"
rosette_grants_roll = true
rosette_protects = true
capture_grants_roll = true

[board.long]
tiles = "A1..A60"
[path.long]
board = "long"
light = "A1..A60"
dark = "A1..A60"
[rules.long]
path = "long"
pieces = 1
dice = "binary4"
rosette_grants_roll = true
rosette_protects = true
capture_grants_roll = true
"""


@cache
def rule_sets() -> dict[str, RuleSet]:
    """Return the catalogue's rule sets and these, read once: that takes longer than most tests."""
    known = catalogue.catalogue()
    return {**known.rules, **load("own.toml", TEXT, known).rules}


def own(name: str, **changes: Any) -> RuleSet:
    """Return one of these rule sets, or of the catalogue's, with some of its fields changed."""
    return replace(rule_sets()[name], **changes)


def small(name: str, pieces: int) -> RuleSet:
    """Return one of the catalogue's rule sets, with so few pieces."""
    return replace(catalogue.ruleset(name), pieces=pieces)


# For tests of whole games: one that runs without compilation in a few seconds, and a real one.
SIZES = [
    own("corner"),
    *(
        pytest.param(rules, marks=pytest.mark.jit)
        for rules in (own("short"), own("finkel", pieces=2))
    ),
]


def rules_of(row: dict[str, Any]) -> RuleSet:
    """Return the rules of a row of ``golden/solved-small.json``: finkel's but for what it says."""
    return replace(
        urcx.ruleset("finkel"),
        path=urcx.path(row["path"]),
        dice=urcx.dice(row["dice"]),
        pieces=row["pieces"],
        rosette_protects=row["rosette_protects"],
        capture_grants_roll=row["capture_grants_roll"],
    )
