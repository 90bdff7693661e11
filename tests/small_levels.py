"""Rule sets with small levels, and functions to look them up."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import urcx
from urcx.agents import levels
from urcx.agents.lookahead import Lookahead, lookahead
from urcx.rules.catalogue import catalogue
from urcx.rules.load import load
from urcx.rules.model import RuleSet

# Both players share one lane, which they cross in opposite directions: the same tile is another
# step to each of them. Some dice values are as long as the way, and the rolls have a gap.
HEAD_ON = """
[board.lane]
tiles = "A1..A2 B1..B5 C1..C2"
rosettes = "A2 B3 C2"
[path.head-on]
board = "lane"
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
"""


def small(name: str, pieces: int) -> RuleSet:
    if name == "head-on":
        return replace(load("lane.toml", HEAD_ON, catalogue()).rules[name], pieces=pieces)
    rules: RuleSet = urcx.ruleset(name)
    return replace(rules, pieces=pieces)


def look_for(rules: RuleSet, depth: int, leaf: str = "advance", few: bool = False) -> Lookahead:
    return lookahead(rules, depth, leaf, few_rolls=few)


# The order's tables take a second for twelve shared tiles: made once for all tests.
ranking_once = cache(levels.ranking_for)
