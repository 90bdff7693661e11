"""Exact means of whole rule sets, computed once and kept in ``data/exact.toml``.

Beside them, ``data/longest.toml`` has proven bounds of the longest expected game.

Each entry has the means over all games of an agent against itself, with the bounds of their errors,
the command that computes them and the commit it was run with. `benchmarks/exact_table.py` writes
the file. Where games of such an agent are simulated, the exact means are the truth that an interval
should cover.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import Any

from urcx.agents.agents import Agent
from urcx.reading import own_toml
from urcx.rules import catalogue
from urcx.rules.model import RuleSet

AGENTS = ("random", "greedy", "optimal")
EXACT_FILES = (".urcx", ".play")  # of perfect play; other files hold rounded values

Mean = tuple[float, float]  # a mean and the bound of its error


@dataclass(frozen=True)
class ExactMeans:
    """The means over all games of an agent against itself, if each side begins half of them.

    ``measures`` and ``gtc`` are by the names that `urcx.exact_measures` and the conventions of
    game-tree complexity have; each has a mean and the bound of its error, as has ``first_wins``,
    the chance that the side wins which begins.
    """

    rules: str
    pieces: int
    agent: str
    ties: str
    states: int
    first_wins: Mean
    measures: dict[str, Mean]
    gtc: dict[str, Mean]
    command: str
    commit: str


@dataclass(frozen=True)
class LongestMean:
    """The longest expected game, if both players prolong it, between proven bounds.

    The ``unit`` is plies, or moves: then passes do not count. ``upper`` is None where only a lower
    bound was computed.
    """

    rules: str
    pieces: int
    unit: str
    lower: float
    upper: float | None
    command: str
    commit: str


@cache
def longest_table() -> tuple[LongestMean, ...]:
    """Return all bounds of longest games, in the order of the file."""
    found = own_toml("published/data/longest.toml")
    return tuple(LongestMean(**{"upper": None} | one) for one in found["longest"])


@cache
def exact_table() -> tuple[ExactMeans, ...]:
    """Return all entries, in the order of the file."""
    return tuple(map(_entry, own_toml("published/data/exact.toml").get("means", [])))


def _entry(one: dict[str, Any]) -> ExactMeans:
    pairs = {
        name: {key: tuple(map(float, pair)) for key, pair in one[name].items()}
        for name in ("measures", "gtc")
    }
    return ExactMeans(**one | pairs | {"first_wins": tuple(map(float, one["first_wins"]))})


def exact_means(rules: RuleSet, light: Agent, dark: Agent) -> ExactMeans | None:
    """Return what is known of all games of two agents, or None."""
    if light != dark or light.depth is not None or light.kind not in AGENTS:
        return None
    if light.table is not None and PurePath(light.table).suffix not in EXACT_FILES:
        return None
    for one in exact_table():
        if (one.rules, one.pieces, one.agent, one.ties) == (
            rules.name, rules.pieces, light.kind, light.ties
        ) and rules == catalogue.ruleset(rules.name):  # fmt: skip
            return one
    return None
