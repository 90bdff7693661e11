"""Opponents of graded strength: who there is, and how often each wins against perfect play."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from urcx.rules.model import RuleSet

FILE = Path(__file__).parent / "data" / "opponents.toml"


@dataclass(frozen=True)
class Wins:
    """How often an opponent wins against perfect play; ``within`` is 0 if that is exact."""

    wins: float
    within: float = 0.0


@cache
def _kept() -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return found


def opponents(rules: RuleSet) -> dict[str, Wins]:
    """Return the opponents whose strength by a rule set is known, the weakest first."""
    kept = _kept().get(f"{rules.name}-{rules.pieces}", {})
    found = {name: Wins(**one) for name, one in kept.items()}
    return dict(sorted(found.items(), key=lambda item: item[1].wins))
