"""Quantities that are found by playing: means of games with their errors, and who wins."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from urcx.complexity.game_tree import Z95, other_games, plus_minus
from urcx.rules import catalogue

GAMES = 20_000
SEED = 1
FAR = 0.75  # a share of wins from here on is "far above"
NEAR = 10


@dataclass(frozen=True)
class Sampled:
    """A mean of games; ``error`` is the standard error of what a printed figure may differ by.

    That is its own, and that of the games the printed figure comes from.
    """

    value: float
    error: float

    def __str__(self) -> str:
        """Return the mean with the half width of its 95 % interval."""
        return plus_minus(f"{self.value:.5g}", f"{Z95 * self.error:.2g}")

    def allows(self, printed: Decimal) -> bool:
        """Return whether a printed figure lies within 95 %, but for its rounding."""
        half_unit = 0.5 * 10.0 ** int(printed.as_tuple().exponent)
        return abs(float(printed) - self.value) <= Z95 * self.error + half_unit


@cache
def _measures(rules: str, agent: str, games: int) -> dict[str, Any]:
    from urcx.play.simulator import simulate  # noqa: PLC0415 - numba is slow to import
    from urcx.play.statistics import measures  # noqa: PLC0415

    return {m.name: m for m in measures(simulate(agent, rules=rules, games=games, seed=SEED))}


def measure(params: dict[str, Any]) -> Sampled:
    """Return a measure of games, as the source has it: times ``times``, from ``printed_games``."""
    found = _measures(params["rules"], params["agent"], GAMES)[params["measure"]]
    times = params.get("times", 1)
    own = (found.ci95[1] - found.ci95[0]) / 2 / Z95
    error = own * math.sqrt(1 + GAMES / params["printed_games"])
    return Sampled(found.mean * times, error * times)


@cache
def _share(rules: str, agent: str, opponent: str) -> tuple[float, tuple[float, float]]:
    from urcx.play.match import match  # noqa: PLC0415 - numba is slow to import

    agents = list(dict.fromkeys((agent, opponent)))
    found = match(agents, rules, games=GAMES, seed=SEED)
    one, other = (found.agents[agents.index(name)] for name in (agent, opponent))
    pair = found.share(one, other)
    assert pair is not None  # noqa: S101 - all pairs have played
    return pair.share, pair.ci95


def wins(params: dict[str, Any]) -> str:
    """Return in words how often an agent wins against another."""
    share, (low, high) = _share(params["rules"], params["agent"], params["opponent"])
    if low <= 0.5 <= high:
        return "50 %"
    if share >= FAR or share <= 1 - FAR:
        return "far above 50 %" if share > 0.5 else "far below 50 %"
    return "above 50 %" if share > 0.5 else "below 50 %"


def power_log10(params: dict[str, Any]) -> float:
    """Return log10 of b^d, or of (b c)^d where there is a c."""
    return float(params["d"] * math.log10(params["b"] * params.get("c", 1)))


def power(params: dict[str, Any]) -> int:
    """Return b^d, or (b c)^d, rightly to some ten digits."""
    whole, rest = divmod(power_log10(params), 1)
    return int(round(10 ** (rest + 15)) * 10 ** (int(whole) - 15))


def other_plies(params: dict[str, Any]) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the same with the number of plies that the post really uses."""
    yield 1.0, {**params, "d": 120}


def one_player(params: dict[str, Any]) -> Iterator[tuple[float, dict[str, Any]]]:
    """Yield the same with the plies of one player only."""
    yield 1.0, {**params, "plies": "one player"}


def alone(params: dict[str, Any]) -> float:
    """Return the fewest plies, in the mean, that one player alone needs."""
    from urcx.play.alone import plies_alone  # noqa: PLC0415 - sees the kernels' room

    return plies_alone(catalogue.ruleset(params["rules"]), params["pieces"])


def compared(params: dict[str, Any]) -> str:
    """Return how the game tree of the paper's b, c and N stands beside another game's.

    With the plies of both players, Ur's are counted as the other game's are; with those of one, as
    printed. Figures less than 10^10 apart are similar.
    """
    both = 2 if params["plies"] == "both players" else 1
    own = power_log10({"b": 2.45, "c": 5, "d": 106.35 * both})
    printed = other_game(params)
    if abs(own - printed) < NEAR:
        return "similar"
    return "smaller" if own < printed else "larger"


def other_game(params: dict[str, Any]) -> int:
    """Return log10 of another game's tree, as the paper's Table 1 has it."""
    return round(next(item for item in other_games() if item.name == params["game"]).gtc)
