"""urcx measures how complex the Royal Game of Ur and its relatives are.

Public names are imported on first use, so ``import urcx`` is fast. They include:

- `urcx.Game`: a position with its rules, to play from
- `urcx.path`, `urcx.ruleset`, `urcx.dice`, `urcx.board`: entries of the catalogue
- `urcx.ssc`: closed forms and the enumerated count for one path and number of pieces
- `urcx.forms`: the forms as expressions, with the proof that they are equal
- `urcx.board_games`: the states of other games, from backgammon to Go
- `urcx.count`, `urcx.diagrams`: the depth-first enumerator
- `urcx.ranking`, `urcx.rank`, `urcx.unrank`: the bijection between configurations and 0 to N - 1
- `urcx.legal_moves`, `urcx.perft`: the move generator, and exact counts of the game tree
- `urcx.agent`: a player, with the probability of each move
- `urcx.Engine`: another program as a player
- `urcx.simulate`, `urcx.measures`, `urcx.match`: games between agents, and their statistics
- `urcx.PlayedGame`, `urcx.read_game`, `urcx.read_games`: games with their rolls and moves
- `urcx.review`, `urcx.hint`: the loss of each decision, and the moves for a roll with their values
- `urcx.openings`: the best replies to sequences of rolls
- `urcx.gtc`: game-tree complexity in every convention, from games or exactly
- `urcx.expected`, `urcx.exact_measures`: the same statistics as means over all games, without
  sampling
- `urcx.lengths`, `urcx.luck`: the lengths of games, and the effects of dice and decisions
- `urcx.reach`: the states that can be reached from the start
- `urcx.solve`, `urcx.open_tablebase`, `urcx.check`: optimal play
- `urcx.regret`: the loss of agents compared with it
- `urcx.mistakes`: the decisions in which an agent loses most
- `urcx.journey`, `urcx.rush`: the path of one piece or of several, and the way from start to home
  in one turn
- `urcx.gain`, `urcx.capture`: the gain of sequences of pieces, and the probabilities of captures
- `urcx.dice_chances`: probabilities of one roll or of several
- `urcx.compare`: several rule sets in one table
- `urcx.verify`: the published figures and their verdicts
"""

from importlib import import_module
from os.path import isfile

__version__ = "0.2.0"

# The cache of kernels reads the text of their modules, and data files are next to the modules.
if not isfile(__file__.removesuffix("c")):  # noqa: PTH113 - pathlib would slow the import down
    raise ImportError(
        f"urcx needs its unpacked .py files, but {__file__} is alone or in an archive. Install it "
        "with pip, without removing .py files",
        name=__name__,
    )

# The module of each public name. docs/names.py writes this list from the modules' ``__all__``.
PUBLIC = {
    "Agent": "urcx.agents.agents",
    "agent": "urcx.agents.agents",
    "Engine": "urcx.agents.engines",
    "OwnAgent": "urcx.agents.own_agents",
    "forms": "urcx.complexity.symbolic",
    "Move": "urcx.engine.moves",
    "legal_moves": "urcx.engine.moves",
    "board_games": "urcx.enumerate.board_spaces",
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
    "Outcome": "urcx.game",
    "match": "urcx.games.match",
    "elo": "urcx.games.ratings",
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
    "rush": "urcx.strategy.rush",
}

__all__ = ["__version__", *PUBLIC]  # noqa: PLE0604 - PUBLIC consists of strings, too


def __getattr__(name: str) -> object:
    if name in PUBLIC:
        return getattr(import_module(PUBLIC[name]), name)
    raise AttributeError(f"module 'urcx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
