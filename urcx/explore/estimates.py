"""Estimated chances of winning, by the networks that come with urcx, where nothing is solved."""

from __future__ import annotations

import threading
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from urcx.agents.network_kernels import WON, evaluate_network
from urcx.agents.networks import SHIPPED, Network, network_arrays, shipped, shipped_file
from urcx.agents.search import mover_state
from urcx.errors import UsageError
from urcx.results.numbers import in_percent
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import ProbedGame

KEPT = 64  # rule sets of which it is remembered whether there is a network


class Estimates(ProbedGame):
    """A network's values, probed like a tablebase; nothing is proven of them."""

    file: Path | None = None
    store = "network"
    bound: float | None = None
    gap: float | None = None

    def __init__(self, rules: RuleSet, network: Network) -> None:
        self.rules = rules
        self._arrays = network_arrays(network)
        self._lock = threading.Lock()  # the arrays have room for one thread

    def _value(self, position: Position) -> float:
        with self._lock:
            value = int(evaluate_network(self._arrays, *mover_state(position)[1]))
        return (1 + value / WON) / 2

    @property
    def about(self) -> str:
        """Return where the values come from and how good they are known to be."""
        card = _cards()[shipped_file(self.rules).stem]
        known = f"wins {in_percent(card['wins'])} against perfect play"
        if "mistaken" in card:
            right = in_percent(1 - card["mistaken"], 1)
            known = f"plays the best move in {right} of decisions and {known}"
        if "off" in card:
            mean, most = (f"{100 * card['off'][key]:.2f}" for key in ("mean", "p95"))
            known = (
                f"is off by {mean} points on average, by less than {most} in 95 % of the positions "
                f"of games, {known}"
            )
        return f"a network's estimates; it {known}"


@cache
def _cards() -> dict[str, Any]:
    return tomllib.loads((SHIPPED / "cards.toml").read_text(encoding="utf-8"))


@lru_cache(KEPT)
def network_estimates(rules: RuleSet) -> Estimates | None:
    """Return the estimates of a rule set, None if no network of it comes with urcx."""
    try:
        return Estimates(rules, shipped(rules))
    except UsageError:
        return None
