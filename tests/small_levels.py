"""Levels of look-ahead of small games."""

from __future__ import annotations

from functools import cache

from urcx.agents import levels
from urcx.agents.search import Lookahead, lookahead
from urcx.rules.model import RuleSet


def look_for(rules: RuleSet, depth: int, leaf: str = "advance", few: bool = False) -> Lookahead:
    return lookahead(rules, depth, leaf, few_rolls=few)


# The order's tables take a second for twelve shared tiles: made once for all tests.
ranking_once = cache(levels.ranking_for)
