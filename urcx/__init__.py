"""urcx measures how complex the Royal Game of Ur and its relatives are.

What is public is imported on first use, so that ``import urcx`` costs nothing. Among it are

- `urcx.Game`: a position with its rules, to play from; `urcx.path`, `urcx.ruleset`, `urcx.dice`,
  `urcx.board`: the catalogue's entries;
- `urcx.ssc`: closed forms and the enumerated count of one path and number of pieces; `urcx.forms`:
  the forms as expressions, and the proof that they are equal;
- `urcx.count`, `urcx.diagrams`: the depth-first enumerator;
- `urcx.ranking`, `urcx.rank`, `urcx.unrank`: the bijection between diagrams and 0..N-1;
- `urcx.legal_moves`, `urcx.perft`: the move generator, and the game tree counted exactly;
- `urcx.agent`: who plays, and how likely which move; `urcx.Engine`: another program that plays;
  `urcx.simulate`, `urcx.measures`, `urcx.match`: games between agents, and what is measured of
  them;
- `urcx.PlayedGame`, `urcx.read_game`, `urcx.read_games`: games with their rolls and moves;
  `urcx.review`, `urcx.hint`: what decisions cost, and what can be done with a roll;
  `urcx.openings`: the best replies to sequences of rolls;
- `urcx.gtc`: game-tree complexity in every convention, from games or exactly;
- `urcx.expected`, `urcx.exact_measures`: the same on average over all games, without sampling;
- `urcx.lengths`, `urcx.luck`: how long games are, and what dice and decisions do to them;
- `urcx.reach`: what can be reached from the start;
- `urcx.solve`, `urcx.open_tablebase`, `urcx.check`: perfect play; `urcx.regret`: agents judged by
  it; `urcx.mistakes`: the decisions that cost one most;
- `urcx.journey`, `urcx.rush`: one piece on its path, or several, and from the start to home in one
  turn;
- `urcx.gain`, `urcx.capture`: the gain of sequences of pieces, and the chances that pieces are
  captured;
- `urcx.dice_chances`: chances of one roll or several;
- `urcx.compare`: several rule sets in one table;
- `urcx.verify`: the published figures and their verdicts.
"""

from importlib import import_module
from os.path import isfile

__version__ = "0.2.0"

# Kernels are cached by the text of their modules, and data lie beside them.
if not isfile(__file__.removesuffix("c")):  # noqa: PTH113 - pathlib would slow the import down
    raise ImportError(
        f"urcx needs its .py files, unpacked, and {__file__} is alone or in an archive: install it "
        "with pip, without removing its .py files",
        name=__name__,
    )

# The module of each public name: docs/names.py writes it from what modules list as ``__all__``.
PUBLIC = {
    "Agent": "urcx.agents.agents",
    "agent": "urcx.agents.agents",
    "Engine": "urcx.agents.engines",
    "OwnAgent": "urcx.agents.own_agents",
    "forms": "urcx.complexity.symbolic",
    "Move": "urcx.engine.moves",
    "legal_moves": "urcx.engine.moves",
    "count": "urcx.enumerate.enumerator",
    "diagrams": "urcx.enumerate.enumerator",
    "perft": "urcx.enumerate.perft",
    "Ranking": "urcx.enumerate.rankings.ranking",
    "rank": "urcx.enumerate.rankings.ranking",
    "ranking": "urcx.enumerate.rankings.ranking",
    "unrank": "urcx.enumerate.rankings.ranking",
    "reach": "urcx.enumerate.reach",
    "ssc": "urcx.enumerate.state_space",
    "UrcxError": "urcx.errors",
    "compare": "urcx.expectations.compare",
    "exact_measures": "urcx.expectations.expected",
    "expected": "urcx.expectations.expected",
    "lengths": "urcx.expectations.lengths",
    "luck": "urcx.expectations.luck",
    "mistakes": "urcx.expectations.mistakes",
    "regret": "urcx.expectations.regret",
    "Game": "urcx.game",
    "match": "urcx.games.match",
    "Games": "urcx.games.records",
    "simulate": "urcx.games.simulator",
    "measures": "urcx.games.statistics",
    "hint": "urcx.played.hints",
    "read_game": "urcx.played.notation",
    "read_games": "urcx.played.notation",
    "openings": "urcx.played.openings",
    "PlayedGame": "urcx.played.record",
    "review": "urcx.played.review",
    "gtc": "urcx.published.gtc",
    "verify": "urcx.published.verify",
    "figure": "urcx.reports.figures.figure",
    "board": "urcx.rules.catalogue",
    "dice": "urcx.rules.catalogue",
    "path": "urcx.rules.catalogue",
    "path_names": "urcx.rules.catalogue",
    "ruleset": "urcx.rules.catalogue",
    "Board": "urcx.rules.model",
    "Dice": "urcx.rules.model",
    "Path": "urcx.rules.model",
    "RuleSet": "urcx.rules.model",
    "Position": "urcx.rules.position",
    "parse_position": "urcx.rules.position",
    "check": "urcx.solving.checking",
    "Tablebase": "urcx.solving.files.tablebase",
    "open_tablebase": "urcx.solving.files.tablebase",
    "solve": "urcx.solving.solution",
    "capture": "urcx.strategy.capture",
    "dice_chances": "urcx.strategy.dice",
    "gain": "urcx.strategy.gain",
    "journey": "urcx.strategy.journey",
    "rush": "urcx.strategy.journey",
}

__all__ = ["__version__", *PUBLIC]  # noqa: PLE0604 - a list of strings all the same


def __getattr__(name: str) -> object:
    if name in PUBLIC:
        return getattr(import_module(PUBLIC[name]), name)
    raise AttributeError(f"module 'urcx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
