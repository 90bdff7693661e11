"""urcx measures how complex the Royal Game of Ur and its relatives are.

The functions are imported on first use, so that ``import urcx`` costs nothing:

- `urcx.Game`: a position with its rules, to play from; `urcx.path`, `urcx.ruleset`, `urcx.dice`,
  `urcx.board`: the catalogue's entries;
- `urcx.ssc`: closed forms and the enumerated count of one path and number of pieces;
- `urcx.count`, `urcx.diagrams`: the depth-first enumerator;
- `urcx.ranking`, `urcx.rank`, `urcx.unrank`: the bijection between diagrams and 0..N-1;
- `urcx.legal_moves`, `urcx.perft`: the move generator, and the game tree counted exactly;
- `urcx.agent`: who plays, and how likely which move; `urcx.simulate`, `urcx.measures`,
  `urcx.match`: games between agents, and what is measured of them;
- `urcx.PlayedGame`, `urcx.read_game`: a game with its rolls and moves; `urcx.review`, `urcx.hint`:
  what its decisions cost, and what can be done with a roll;
- `urcx.expected`, `urcx.exact_measures`: the same on average over all games, without sampling;
- `urcx.shortest`, `urcx.longest`: the shortest game, and the longest on average; `urcx.lengths`,
  `urcx.luck`: how long games are, and what dice and decisions do to them;
- `urcx.gamble`, `urcx.gambling_game`: the gambling game with labelled pieces, played for counters;
- `urcx.reach`: what can be reached from the start;
- `urcx.solve`, `urcx.open_tablebase`: perfect play; `urcx.regret`: agents judged by it;
- `urcx.train`: networks that learn to play;
- `urcx.bits`: how many bits players take, and how well they play;
- `urcx.compress`: perfect play in a small file, without values;
- `urcx.solve_exactly`: perfect play in exact fractions;
- `urcx.nalimov`: Michon's procedure, and where it stalls;
- `urcx.track`, `urcx.journey`, `urcx.rush`, `urcx.throughput`: one piece on its way, and many;
- `urcx.gain`, `urcx.hunt`: the gain of a sequence of pieces, and the chance that one piece takes
  another;
- `urcx.verify`: the published figures and their verdicts;
- `urcx.widget`: a board to click on in a notebook.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# What is public, for type checkers and editors; `_LAZY` says the same to Python, and a test holds
# the two against each other.
if TYPE_CHECKING:
    from urcx.agents.agent_texts import agent as agent
    from urcx.agents.agents import Agent as Agent
    from urcx.agents.own_agents import OwnAgent as OwnAgent
    from urcx.agents.play_files.compressing import (
        Compressed as Compressed,
        compress as compress,
    )
    from urcx.engine.moves import Move as Move, legal_moves as legal_moves
    from urcx.enumerate.enumerator import Count as Count, count as count, diagrams as diagrams
    from urcx.enumerate.perft import Level as Level, perft as perft
    from urcx.enumerate.rankings.ranking import rank as rank, ranking as ranking, unrank as unrank
    from urcx.enumerate.rankings.ranking_base import Ranking as Ranking
    from urcx.enumerate.reach import Reach as Reach, reach as reach
    from urcx.enumerate.state_space import StateSpace as StateSpace, ssc as ssc
    from urcx.errors import UrcxError as UrcxError
    from urcx.explore.widget import widget as widget
    from urcx.expectations.expected import (
        Expected as Expected,
        exact_measures as exact_measures,
        expected as expected,
    )
    from urcx.expectations.regret import Judged as Judged, Regret as Regret, regret as regret
    from urcx.extremes.lengths import Lengths as Lengths, lengths as lengths
    from urcx.extremes.longest import Longest as Longest, longest as longest
    from urcx.extremes.luck import Luck as Luck, luck as luck
    from urcx.extremes.shortest import Shortest as Shortest, shortest as shortest
    from urcx.gambling.agents import Gambler as Gambler
    from urcx.gambling.records import Gambles as Gambles
    from urcx.gambling.rules import GamblingGame as GamblingGame, gambling_game as gambling_game
    from urcx.gambling.simulator import gamble as gamble
    from urcx.game import Game as Game
    from urcx.games.match import Match as Match, Pair as Pair, match as match
    from urcx.games.records import Games as Games, SideCounts as SideCounts
    from urcx.games.simulator import simulate as simulate
    from urcx.games.statistics import Measure as Measure, measures as measures
    from urcx.learn.curve.bits import Bits as Bits, bits as bits
    from urcx.learn.runs import StrengthAt as StrengthAt
    from urcx.learn.training import Trained as Trained, train as train
    from urcx.played.hints import Hint as Hint, HintMove as HintMove, hint as hint
    from urcx.played.notation import read_game as read_game
    from urcx.played.record import PlayedGame as PlayedGame, Ply as Ply
    from urcx.played.review import (
        Review as Review,
        ReviewedPly as ReviewedPly,
        SideReview as SideReview,
        review as review,
    )
    from urcx.published.verify import Verdict as Verdict, verify as verify
    from urcx.rules.catalogue import (
        board as board,
        dice as dice,
        path as path,
        path_names as path_names,
        ruleset as ruleset,
    )
    from urcx.rules.model import Board as Board, Dice as Dice, Path as Path, RuleSet as RuleSet
    from urcx.rules.position import Position as Position, parse_position as parse_position
    from urcx.solving.exact.exact_solution import ExactSolution as ExactSolution
    from urcx.solving.exact.rational import solve_exactly as solve_exactly
    from urcx.solving.files.tablebase import (
        Tablebase as Tablebase,
        open_tablebase as open_tablebase,
    )
    from urcx.solving.michon.nalimov import Nalimov as Nalimov, nalimov as nalimov
    from urcx.solving.solution import Solution as Solution, solve as solve
    from urcx.strategy.capture import Hunt as Hunt, hunt as hunt
    from urcx.strategy.gain import Gain as Gain, gain as gain
    from urcx.strategy.journey import (
        Journey as Journey,
        Track as Track,
        journey as journey,
        track as track,
    )
    from urcx.strategy.rush import Rush as Rush, rush as rush
    from urcx.strategy.throughput import Throughput as Throughput, throughput as throughput

_LAZY = {
    "Agent": "urcx.agents.agents",
    "agent": "urcx.agents.agent_texts",
    "Bits": "urcx.learn.curve.bits",
    "bits": "urcx.learn.curve.bits",
    "Board": "urcx.rules.model",
    "board": "urcx.rules.catalogue",
    "Compressed": "urcx.agents.play_files.compressing",
    "compress": "urcx.agents.play_files.compressing",
    "Count": "urcx.enumerate.enumerator",
    "count": "urcx.enumerate.enumerator",
    "diagrams": "urcx.enumerate.enumerator",
    "Dice": "urcx.rules.model",
    "dice": "urcx.rules.catalogue",
    "exact_measures": "urcx.expectations.expected",
    "ExactSolution": "urcx.solving.exact.exact_solution",
    "Expected": "urcx.expectations.expected",
    "expected": "urcx.expectations.expected",
    "Gain": "urcx.strategy.gain",
    "gain": "urcx.strategy.gain",
    "gamble": "urcx.gambling.simulator",
    "Gambler": "urcx.gambling.agents",
    "Gambles": "urcx.gambling.records",
    "gambling_game": "urcx.gambling.rules",
    "GamblingGame": "urcx.gambling.rules",
    "Game": "urcx.game",
    "Games": "urcx.games.records",
    "Hint": "urcx.played.hints",
    "hint": "urcx.played.hints",
    "HintMove": "urcx.played.hints",
    "Hunt": "urcx.strategy.capture",
    "hunt": "urcx.strategy.capture",
    "Journey": "urcx.strategy.journey",
    "journey": "urcx.strategy.journey",
    "Judged": "urcx.expectations.regret",
    "legal_moves": "urcx.engine.moves",
    "Level": "urcx.enumerate.perft",
    "Lengths": "urcx.extremes.lengths",
    "lengths": "urcx.extremes.lengths",
    "Longest": "urcx.extremes.longest",
    "longest": "urcx.extremes.longest",
    "Luck": "urcx.extremes.luck",
    "luck": "urcx.extremes.luck",
    "Match": "urcx.games.match",
    "match": "urcx.games.match",
    "Measure": "urcx.games.statistics",
    "measures": "urcx.games.statistics",
    "Move": "urcx.engine.moves",
    "Nalimov": "urcx.solving.michon.nalimov",
    "nalimov": "urcx.solving.michon.nalimov",
    "open_tablebase": "urcx.solving.files.tablebase",
    "OwnAgent": "urcx.agents.own_agents",
    "Pair": "urcx.games.match",
    "parse_position": "urcx.rules.position",
    "Path": "urcx.rules.model",
    "path": "urcx.rules.catalogue",
    "path_names": "urcx.rules.catalogue",
    "perft": "urcx.enumerate.perft",
    "PlayedGame": "urcx.played.record",
    "Ply": "urcx.played.record",
    "Position": "urcx.rules.position",
    "rank": "urcx.enumerate.rankings.ranking",
    "Ranking": "urcx.enumerate.rankings.ranking_base",
    "ranking": "urcx.enumerate.rankings.ranking",
    "Reach": "urcx.enumerate.reach",
    "reach": "urcx.enumerate.reach",
    "read_game": "urcx.played.notation",
    "Regret": "urcx.expectations.regret",
    "regret": "urcx.expectations.regret",
    "StateSpace": "urcx.enumerate.state_space",
    "Review": "urcx.played.review",
    "review": "urcx.played.review",
    "ReviewedPly": "urcx.played.review",
    "RuleSet": "urcx.rules.model",
    "ruleset": "urcx.rules.catalogue",
    "Rush": "urcx.strategy.rush",
    "rush": "urcx.strategy.rush",
    "Shortest": "urcx.extremes.shortest",
    "shortest": "urcx.extremes.shortest",
    "SideCounts": "urcx.games.records",
    "SideReview": "urcx.played.review",
    "simulate": "urcx.games.simulator",
    "Solution": "urcx.solving.solution",
    "solve": "urcx.solving.solution",
    "solve_exactly": "urcx.solving.exact.rational",
    "ssc": "urcx.enumerate.state_space",
    "StrengthAt": "urcx.learn.runs",
    "Tablebase": "urcx.solving.files.tablebase",
    "Throughput": "urcx.strategy.throughput",
    "throughput": "urcx.strategy.throughput",
    "Track": "urcx.strategy.journey",
    "track": "urcx.strategy.journey",
    "train": "urcx.learn.training",
    "Trained": "urcx.learn.training",
    "unrank": "urcx.enumerate.rankings.ranking",
    "UrcxError": "urcx.errors",
    "Verdict": "urcx.published.verify",
    "verify": "urcx.published.verify",
    "widget": "urcx.explore.widget",
}

__all__ = ["__version__", *_LAZY]  # noqa: PLE0604 - a literal list of texts all the same

if not TYPE_CHECKING:  # else every name would seem to be there

    def __getattr__(name: str) -> object:
        if name in _LAZY:
            return getattr(import_module(_LAZY[name]), name)
        raise AttributeError(f"module 'urcx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
