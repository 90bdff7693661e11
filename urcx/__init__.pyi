# Public names and their modules, for type checkers.
# Made from the lists __all__ of the modules by python docs/names.py
from typing import TYPE_CHECKING

PUBLIC: dict[str, str]
__version__: str

if TYPE_CHECKING:  # by which mypy knows where to break the cycle of imports
    from urcx.agents.agents import Agent as Agent
    from urcx.agents.agents import agent as agent
    from urcx.agents.engines import Engine as Engine
    from urcx.agents.own_agents import OwnAgent as OwnAgent
    from urcx.complexity.symbolic import forms as forms
    from urcx.engine.moves import Move as Move
    from urcx.engine.moves import legal_moves as legal_moves
    from urcx.enumerate.board_spaces import board_games as board_games
    from urcx.enumerate.enumerator import count as count
    from urcx.enumerate.enumerator import diagrams as diagrams
    from urcx.enumerate.perft import perft as perft
    from urcx.enumerate.rankings.ranking import Ranking as Ranking
    from urcx.enumerate.rankings.ranking import rank as rank
    from urcx.enumerate.rankings.ranking import ranking as ranking
    from urcx.enumerate.rankings.ranking import unrank as unrank
    from urcx.enumerate.reach import reach as reach
    from urcx.enumerate.state_space import ssc as ssc
    from urcx.errors import UrcxError as UrcxError
    from urcx.expectations.compare import compare as compare
    from urcx.expectations.expected import exact_measures as exact_measures
    from urcx.expectations.expected import expected as expected
    from urcx.expectations.lengths import lengths as lengths
    from urcx.expectations.luck import luck as luck
    from urcx.expectations.mistakes import mistakes as mistakes
    from urcx.expectations.regret import regret as regret
    from urcx.game import Game as Game
    from urcx.game import Outcome as Outcome
    from urcx.games.match import match as match
    from urcx.games.ratings import elo as elo
    from urcx.games.records import Games as Games
    from urcx.games.simulator import simulate as simulate
    from urcx.games.statistics import measures as measures
    from urcx.played.hints import hint as hint
    from urcx.played.notation import read_game as read_game
    from urcx.played.notation import read_games as read_games
    from urcx.played.openings import openings as openings
    from urcx.played.record import PlayedGame as PlayedGame
    from urcx.played.review import review as review
    from urcx.published.gtc import gtc as gtc
    from urcx.published.verify import verify as verify
    from urcx.reports.figures.figure import figure as figure
    from urcx.rules.catalogue import board as board
    from urcx.rules.catalogue import dice as dice
    from urcx.rules.catalogue import path as path
    from urcx.rules.catalogue import path_names as path_names
    from urcx.rules.catalogue import ruleset as ruleset
    from urcx.rules.model import Board as Board
    from urcx.rules.model import Dice as Dice
    from urcx.rules.model import Path as Path
    from urcx.rules.model import RuleSet as RuleSet
    from urcx.rules.position import Position as Position
    from urcx.rules.position import parse_position as parse_position
    from urcx.solving.checking import check as check
    from urcx.solving.files.tablebase import Tablebase as Tablebase
    from urcx.solving.files.tablebase import open_tablebase as open_tablebase
    from urcx.solving.solution import solve as solve
    from urcx.strategy.capture import capture as capture
    from urcx.strategy.dice import dice_chances as dice_chances
    from urcx.strategy.gain import gain as gain
    from urcx.strategy.journey import journey as journey
    from urcx.strategy.rush import rush as rush
