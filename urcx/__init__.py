"""urcx measures how complex the Royal Game of Ur and its relatives are.

The functions are imported on first use, so that ``import urcx`` costs nothing:

- `urcx.path`, `urcx.ruleset`: the catalogue's entries;
- `urcx.ssc`: closed forms and the enumerated count of one path and number of pieces;
- `urcx.count`, `urcx.diagrams`: the depth-first enumerator;
- `urcx.ranking`, `urcx.rank`, `urcx.unrank`: the bijection between diagrams and 0..N-1;
- `urcx.legal_moves`, `urcx.perft`: the move generator, and the game tree counted exactly;
- `urcx.simulate`, `urcx.measures`, `urcx.match`, `urcx.agent`: games between agents, and what is
  measured of them;
- `urcx.expected`, `urcx.exact_measures`: the same in the mean over all games, without sampling;
- `urcx.gamble`, `urcx.gambling_game`: the gambling game with labelled pieces, played for counters;
- `urcx.reach`: what can be reached from the start;
- `urcx.solve`, `urcx.open_tablebase`: perfect play; `urcx.regret`: agents judged by it;
- `urcx.solve_exactly`: perfect play in exact fractions;
- `urcx.nalimov`: Michon's procedure, and where it stalls;
- `urcx.track`, `urcx.journey`, `urcx.rush`, `urcx.throughput`: one piece on its way, and many;
- `urcx.gain`, `urcx.hunt`: the gain of a sequence of pieces, and the chance that one piece takes
  another;
- `urcx.verify`: the published figures and their verdicts.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_LAZY = {
    "agent": "urcx.agents.agents",
    "board": "urcx.rules.catalogue",
    "count": "urcx.enumerate.enumerator",
    "diagrams": "urcx.enumerate.enumerator",
    "dice": "urcx.rules.catalogue",
    "exact_measures": "urcx.expectations.expected",
    "expected": "urcx.expectations.expected",
    "journey": "urcx.strategy.journey",
    "gain": "urcx.strategy.gain",
    "hunt": "urcx.strategy.capture",
    "gamble": "urcx.gambling.simulator",
    "gambling_game": "urcx.gambling.rules",
    "legal_moves": "urcx.engine.moves",
    "match": "urcx.games.match",
    "measures": "urcx.games.statistics",
    "parse_position": "urcx.rules.position",
    "path": "urcx.rules.catalogue",
    "nalimov": "urcx.solving.michon.nalimov",
    "open_tablebase": "urcx.solving.files.tablebase",
    "perft": "urcx.enumerate.perft",
    "path_names": "urcx.rules.catalogue",
    "Position": "urcx.rules.position",
    "rank": "urcx.enumerate.rankings.ranking",
    "ranking": "urcx.enumerate.rankings.ranking",
    "reach": "urcx.enumerate.reach",
    "regret": "urcx.expectations.regret",
    "ruleset": "urcx.rules.catalogue",
    "rush": "urcx.strategy.rush",
    "simulate": "urcx.games.simulator",
    "solve": "urcx.solving.solution",
    "solve_exactly": "urcx.solving.exact.rational",
    "ssc": "urcx.enumerate.state_space",
    "throughput": "urcx.strategy.throughput",
    "track": "urcx.strategy.journey",
    "unrank": "urcx.enumerate.rankings.ranking",
    "UrcxError": "urcx.errors",
    "verify": "urcx.published.verify",
}

__all__ = ["__version__", *_LAZY]  # noqa: PLE0604 - a literal list of texts all the same


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'urcx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
