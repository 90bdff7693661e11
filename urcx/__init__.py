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
  `urcx.review`, `urcx.hint`: what decisions cost, and what can be done with a roll;
  `urcx.openings`: the best replies to sequences of rolls;
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

import re
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

# The module of each public name. The stub beside this file has them for type checkers;
# docs/names.py makes it from what modules list as ``__all__``.
_STUB = __loader__.get_data(f"{__file__}i").decode()
MODULES = {name: module for module, name in re.findall(r"\n    from (\S+) import (\w+)", _STUB)}

__all__ = ["__version__", *MODULES]  # noqa: PLE0604 - a list of texts all the same


def __getattr__(name: str) -> object:
    if name in MODULES:
        return getattr(import_module(MODULES[name]), name)
    raise AttributeError(f"module 'urcx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
