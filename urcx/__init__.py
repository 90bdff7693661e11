"""urcx measures how complex the Royal Game of Ur and its relatives are.

The functions are imported on first use, so that ``import urcx`` costs nothing:

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
  roll; `urcx.openings`: the best replies to sequences of rolls; `urcx.puzzles`: positions whose
  best move is missed;
- `urcx.gtc`: game-tree complexity in every convention, from games or exactly;
- `urcx.expected`, `urcx.exact_measures`: the same on average over all games, without sampling;
- `urcx.shortest`, `urcx.longest`: the shortest game, and the longest on average; `urcx.lengths`,
  `urcx.luck`: how long games are, and what dice and decisions do to them;
- `urcx.gamble`, `urcx.gambling_game`: the gambling game with labelled pieces, played for counters;
- `urcx.reach`: what can be reached from the start;
- `urcx.solve`, `urcx.open_tablebase`: perfect play; `urcx.regret`: agents judged by it;
  `urcx.mistakes`: the decisions that cost one most;
- `urcx.train`: networks that learn to play;
- `urcx.bits`: how many bits players take, and how well they play;
- `urcx.compress`: perfect play in a small file, without values;
- `urcx.solve_exactly`: perfect play in exact fractions;
- `urcx.nalimov`: Michon's procedure, and where it stalls;
- `urcx.track`, `urcx.journey`, `urcx.arrivals`, `urcx.rush`, `urcx.throughput`: one piece on its
  way, and many;
- `urcx.gain`, `urcx.capture`: the gain of sequences of pieces, and the chances that pieces are
  captured;
- `urcx.dice_sequence`, `urcx.dice_sequences`, `urcx.dice_sums`, `urcx.dice_counts`,
  `urcx.dice_intervals`, `urcx.compare_dice`: chances of several rolls, and dice beside each other;
- `urcx.compare`: several rule sets beside each other;
- `urcx.verify`: the published figures and their verdicts;
- `urcx.widget`: a board to click on in a notebook.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.2.0"

# What is public. Type checkers and editors follow these imports; Python reads them, and makes each
# when its name is first asked for.
if TYPE_CHECKING:
    from urcx.agents.agent_texts import agent as agent
    from urcx.agents.agents import Agent as Agent
    from urcx.agents.engines import Engine as Engine
    from urcx.agents.own_agents import OwnAgent as OwnAgent
    from urcx.agents.play_files.compressing import (
        Compressed as Compressed,
        compress as compress,
    )
    from urcx.engine.moves import Move as Move, legal_moves as legal_moves
    from urcx.enumerate.counts import Count as Count
    from urcx.enumerate.enumerator import count as count, diagrams as diagrams
    from urcx.enumerate.perft import Level as Level, perft as perft
    from urcx.enumerate.rankings.ranking import rank as rank, ranking as ranking, unrank as unrank
    from urcx.enumerate.rankings.ranking_base import Ranking as Ranking
    from urcx.enumerate.reach import Reach as Reach, reach as reach
    from urcx.enumerate.state_space import (
        StateSpace as StateSpace,
        StateSpaces as StateSpaces,
        ssc as ssc,
    )
    from urcx.errors import UrcxError as UrcxError
    from urcx.explore.widget import widget as widget
    from urcx.expectations.expected import (
        Expected as Expected,
        exact_measures as exact_measures,
        expected as expected,
    )
    from urcx.expectations.mistakes import Mistakes as Mistakes, mistakes as mistakes
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
    from urcx.played.notation import read_game as read_game, read_games as read_games
    from urcx.played.openings import Openings as Openings, openings as openings
    from urcx.played.puzzles import Puzzle as Puzzle, Puzzles as Puzzles, puzzles as puzzles
    from urcx.played.record import PlayedGame as PlayedGame, Ply as Ply
    from urcx.played.review import (
        Review as Review,
        ReviewedPly as ReviewedPly,
        SideReview as SideReview,
        review as review,
    )
    from urcx.played.reviews import (
        GameReview as GameReview,
        GamesReview as GamesReview,
        PlayerReview as PlayerReview,
        review_games as review_games,
    )
    from urcx.published.gtc import GameTree as GameTree, gtc as gtc
    from urcx.published.verify import Verdict as Verdict, verify as verify
    from urcx.rules.catalogue import (
        board as board,
        dice as dice,
        path as path,
        path_names as path_names,
        ruleset as ruleset,
    )
    from urcx.rules.comparison import Comparison as Comparison, compare as compare
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
    from urcx.strategy.arrival import PieceArrivals as PieceArrivals, arrivals as arrivals
    from urcx.strategy.capture import Captures as Captures, Hunt as Hunt, capture as capture
    from urcx.strategy.gain import Gain as Gain, Gains as Gains, gain as gain
    from urcx.strategy.journey import (
        Journey as Journey,
        Track as Track,
        journey as journey,
        track as track,
    )
    from urcx.strategy.rush import Rush as Rush, rush as rush
    from urcx.strategy.dice_comparison import (
        DiceComparison as DiceComparison,
        compare_dice as compare_dice,
    )
    from urcx.strategy.frequencies import (
        dice_counts as dice_counts,
        dice_intervals as dice_intervals,
    )
    from urcx.strategy.sequences import (
        dice_sequence as dice_sequence,
        dice_sequences as dice_sequences,
        dice_sums as dice_sums,
    )
    from urcx.strategy.alone import Throughput as Throughput, throughput as throughput

_IMPORT = re.compile(r"^    from (urcx\.\S+) import (\([^)]*\)|.*)", re.MULTILINE)
_SOURCE = __loader__.get_data(__file__).decode()  # type: ignore[name-defined]
_MODULES = {
    name: module
    for module, names in _IMPORT.findall(_SOURCE)
    for name in re.findall(r" as (\w+)", names)
}

__all__ = ["__version__", *_MODULES]  # noqa: PLE0604 - a list of texts all the same

if not TYPE_CHECKING:  # else every name would seem to be there

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return getattr(import_module(_MODULES[name]), name)
        raise AttributeError(f"module 'urcx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
