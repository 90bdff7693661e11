"""Small rule sets, and their reachable states by a naive search."""

from __future__ import annotations

from dataclasses import replace

import naive

import urcx
from urcx.rules import catalogue
from urcx.rules.load import load
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


def small(name: str, pieces: int = 1, dice: str = "binary4") -> RuleSet:
    return replace(catalogue.ruleset(name), pieces=pieces, dice=urcx.dice(dice))


UNEVEN = load(
    "uneven.toml",
    """
    [path.uneven]
    board = "standard"
    light = "A4..A1 B1..B4"
    dark = "B8..B3"
    [rules.uneven]
    path = "uneven"
    pieces = 1
    dice = "binary3-0as4"
    rosette_grants_roll = true
    rosette_protects = true
    capture_grants_roll = false
    """,
    catalogue.catalogue(),
).rules["uneven"]


def after(position: Position, rules: RuleSet) -> set[Position]:
    """Return what a position leads to, from the rules' words; turned where both sides are alike."""
    if rules.pieces in position.home:
        return set()
    return {
        child.turned() if rules.path.symmetric and not child.light_to_move else child
        for _, children in naive.rolled(position, rules)
        for child in children
    }


def naive_levels(rules: RuleSet) -> list[set[Position]]:
    levels, seen = [{Position()}], {Position()}
    while levels[-1]:
        levels.append({child for position in levels[-1] for child in after(position, rules)} - seen)
        seen |= levels[-1]
    return levels[:-1]


def unfinished(rules: RuleSet) -> set[Position]:
    found = set()
    for diagram in naive.diagrams(rules.path, rules.pieces):
        if rules.pieces not in diagram.home:
            found.add(diagram)
            if not rules.path.symmetric:
                found.add(replace(diagram, light_to_move=False))
    return found
