"""Quantities estimated from games: means with standard errors, and winners."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from urcx.complexity.game_tree import Z95
from urcx.published.quantities.values import Ranged, Sampled, Value
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.strategy.dice import chances
from urcx.strategy.journey import Track, journey, track

GAMES = 20_000
SEED = 1
FAR = 0.75  # a share of wins from here on is "far above"


@cache
def _measures(rules: str, agent: str, games: int) -> dict[str, Any]:
    from urcx.games.simulator import simulate
    from urcx.games.statistics import measures

    return {m.name: m for m in measures(simulate(agent, rules=rules, games=games, seed=SEED))}


def published_measure(params: dict[str, Any]) -> Sampled:
    """Return a measure of games in the source's units: times ``times``, from ``sample`` games."""
    found = _measures(params["rules"], params["agent"], GAMES)[params["measure"]]
    times = params.get("times", 1)
    own = (found.ci95[1] - found.ci95[0]) / 2 / Z95
    error = own * math.sqrt(1 + (GAMES / params["sample"] if "sample" in params else 0))
    return Sampled(found.mean * times, error * times)


def measure_readings(params: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield turns and moves instead of plies."""
    if params["measure"] == "plies":
        yield "turns, extra rolls in the same turn", {**params, "measure": "turns"}
        yield "moves, passes left out", {**params, "measure": "moves"}


@cache
def _share(rules: str, agent: str, opponent: str) -> tuple[float, tuple[float, float]]:
    from urcx.games.match import match

    agents = list(dict.fromkeys((agent, opponent)))
    found = match(agents, rules, games=GAMES, seed=SEED)
    one, other = (found.agents[agents.index(name)] for name in (agent, opponent))
    pair = found.share(one, other)
    assert pair is not None
    return pair.share, pair.ci95


def published_wins(params: dict[str, Any]) -> str:
    """Return in words how often an agent wins against another."""
    share, (low, high) = _share(params["rules"], params["agent"], params["opponent"])
    if low <= 0.5 <= high:
        return "50 %"
    if share >= FAR or share <= 1 - FAR:
        return "far above 50 %" if share > 0.5 else "far below 50 %"
    return "above 50 %" if share > 0.5 else "below 50 %"


def alone_measure(params: dict[str, Any]) -> Value:
    """Return the mean plies that one player alone needs to bring its pieces home.

    They depend on the choice of moves, so the result is the range from the best choice to the
    worst; for a single piece it is one value. For a single piece, ``what`` may also be the "mean"
    number of rolls whose sum is the way, its "turns", its "moves" without unusable rolls, or the
    plies until it is home "or beyond".
    """
    from urcx.strategy.alone import plies_alone

    rules, pieces = catalogue.ruleset(params["rules"]), params["pieces"]
    if "what" in params:
        return _piece_alone(rules, params["what"])
    low, high = (plies_alone(rules, pieces, best) for best in (min, max))
    return low if pieces == 1 else Ranged(low, high)


def alone_readings(params: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield turns, moves, and bearing off without the exact roll, for a single piece."""
    if params["pieces"] == 1:
        yield "the way by the mean roll", {**params, "what": "mean"}
        yield "turns, a rosette's extra roll in the same turn", {**params, "what": "turns"}
        yield "moves, rolls that move nothing left out", {**params, "what": "moves"}
        yield "the time until home or beyond, no exact roll needed", {**params, "what": "or beyond"}


def _piece_alone(rules: RuleSet, what: str) -> Fraction:
    way = track(rules)
    home = len(rules.path.light) + 1
    if what == "mean":
        return home / rules.dice.mean
    if what == "moves":
        left = [Fraction(0)] * (home + 1)
        rolls = {roll: p for roll, p in chances(rules.dice).items() if roll}
        for at in range(home - 1, -1, -1):
            able = {roll: p for roll, p in rolls.items() if at + roll <= home}
            total = sum((p * left[at + roll] for roll, p in able.items()), Fraction(0))
            left[at] = 1 + total / sum(able.values())
        return left[0]
    found = journey(Track(rules.dice) if what == "or beyond" else way, home).passing
    assert found is not None
    return found.turns if what == "turns" else found.rolls
