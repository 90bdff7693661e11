"""urcx measures how complex the Royal Game of Ur and its relatives are.

What is public is imported on first use, so that ``import urcx`` costs nothing. Among it are

- `urcx.Game`: a position with its rules, to play from; `urcx.path`, `urcx.ruleset`, `urcx.dice`,
  `urcx.board`: the catalogue's entries;
- `urcx.ssc`: closed forms and the enumerated count of one path and number of pieces;
- `urcx.count`, `urcx.diagrams`: the depth-first enumerator;
- `urcx.ranking`, `urcx.rank`, `urcx.unrank`: the bijection between diagrams and 0..N-1;
- `urcx.legal_moves`, `urcx.perft`: the move generator, and the game tree counted exactly;
- `urcx.agent`: who plays, and how likely which move; `urcx.Engine`: another program that plays;
  `urcx.simulate`, `urcx.measures`, `urcx.match`: games between agents, and what is measured of
  them;
- `urcx.PlayedGame`, `urcx.read_game`, `urcx.read_games`: games with their rolls and moves;
  `urcx.review`, `urcx.review_games`, `urcx.hint`: what decisions cost, and what can be done with a
  roll; `urcx.openings`: the best replies to sequences of rolls;
- `urcx.gtc`: game-tree complexity in every convention, from games or exactly;
- `urcx.expected`, `urcx.exact_measures`: the same on average over all games, without sampling;
- `urcx.lengths`, `urcx.luck`: how long games are, and what dice and decisions do to them;
- `urcx.reach`: what can be reached from the start;
- `urcx.solve`, `urcx.open_tablebase`: perfect play; `urcx.regret`: agents judged by it;
  `urcx.mistakes`: the decisions that cost one most;
- `urcx.track`, `urcx.journey`, `urcx.arrivals`, `urcx.rush`, `urcx.throughput`: one piece on its
  way, and many;
- `urcx.gain`, `urcx.capture`: the gain of sequences of pieces, and the chances that pieces are
  captured;
- `urcx.dice_sequence`, `urcx.dice_sequences`, `urcx.dice_sums`, `urcx.dice_counts`,
  `urcx.dice_intervals`, `urcx.compare_dice`: chances of several rolls, and dice beside each other;
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
    "agent": "urcx.agents.agent_texts",
    "Agent": "urcx.agents.agents",
    "Engine": "urcx.agents.engines",
    "OwnAgent": "urcx.agents.own_agents",
    "Move": "urcx.engine.moves",
    "legal_moves": "urcx.engine.moves",
    "Count": "urcx.enumerate.counts",
    "count": "urcx.enumerate.enumerator",
    "diagrams": "urcx.enumerate.enumerator",
    "Level": "urcx.enumerate.perft",
    "perft": "urcx.enumerate.perft",
    "rank": "urcx.enumerate.rankings.ranking",
    "ranking": "urcx.enumerate.rankings.ranking",
    "unrank": "urcx.enumerate.rankings.ranking",
    "Ranking": "urcx.enumerate.rankings.ranking_base",
    "Reach": "urcx.enumerate.reach",
    "reach": "urcx.enumerate.reach",
    "StateSpace": "urcx.enumerate.state_space",
    "StateSpaces": "urcx.enumerate.state_space",
    "ssc": "urcx.enumerate.state_space",
    "UrcxError": "urcx.errors",
    "Comparison": "urcx.expectations.compare",
    "compare": "urcx.expectations.compare",
    "Expected": "urcx.expectations.expected",
    "exact_measures": "urcx.expectations.expected",
    "expected": "urcx.expectations.expected",
    "Lengths": "urcx.expectations.lengths",
    "lengths": "urcx.expectations.lengths",
    "Luck": "urcx.expectations.luck",
    "luck": "urcx.expectations.luck",
    "Mistakes": "urcx.expectations.mistakes",
    "mistakes": "urcx.expectations.mistakes",
    "Judged": "urcx.expectations.regret",
    "Regret": "urcx.expectations.regret",
    "regret": "urcx.expectations.regret",
    "Game": "urcx.game",
    "Match": "urcx.games.match",
    "Pair": "urcx.games.match",
    "match": "urcx.games.match",
    "Games": "urcx.games.records",
    "SideCounts": "urcx.games.records",
    "simulate": "urcx.games.simulator",
    "Measure": "urcx.games.statistics",
    "measures": "urcx.games.statistics",
    "Hint": "urcx.played.hints",
    "HintMove": "urcx.played.hints",
    "hint": "urcx.played.hints",
    "read_game": "urcx.played.notation",
    "read_games": "urcx.played.notation",
    "Openings": "urcx.played.openings",
    "openings": "urcx.played.openings",
    "PlayedGame": "urcx.played.record",
    "Ply": "urcx.played.record",
    "Review": "urcx.played.review",
    "ReviewedPly": "urcx.played.review",
    "SideReview": "urcx.played.review",
    "review": "urcx.played.review",
    "GameReview": "urcx.played.reviews",
    "GamesReview": "urcx.played.reviews",
    "PlayerReview": "urcx.played.reviews",
    "review_games": "urcx.played.reviews",
    "GameTree": "urcx.published.gtc",
    "gtc": "urcx.published.gtc",
    "Verdict": "urcx.published.verify",
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
    "Tablebase": "urcx.solving.files.tablebase",
    "open_tablebase": "urcx.solving.files.tablebase",
    "Solution": "urcx.solving.solution",
    "solve": "urcx.solving.solution",
    "PieceArrivals": "urcx.strategy.alone",
    "Throughput": "urcx.strategy.alone",
    "arrivals": "urcx.strategy.alone",
    "throughput": "urcx.strategy.alone",
    "Captures": "urcx.strategy.capture",
    "Hunt": "urcx.strategy.capture",
    "capture": "urcx.strategy.capture",
    "dice_counts": "urcx.strategy.dice",
    "dice_intervals": "urcx.strategy.dice",
    "dice_sequence": "urcx.strategy.dice",
    "dice_sequences": "urcx.strategy.dice",
    "dice_sums": "urcx.strategy.dice",
    "Gain": "urcx.strategy.gain",
    "Gains": "urcx.strategy.gain",
    "gain": "urcx.strategy.gain",
    "DiceComparison": "urcx.strategy.journey",
    "Journey": "urcx.strategy.journey",
    "Rush": "urcx.strategy.journey",
    "Track": "urcx.strategy.journey",
    "compare_dice": "urcx.strategy.journey",
    "journey": "urcx.strategy.journey",
    "rush": "urcx.strategy.journey",
    "track": "urcx.strategy.journey",
}

__all__ = ["__version__", *PUBLIC]  # noqa: PLE0604 - a list of strings all the same


def __getattr__(name: str) -> object:
    if name in PUBLIC:
        return getattr(import_module(PUBLIC[name]), name)
    raise AttributeError(f"module 'urcx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
