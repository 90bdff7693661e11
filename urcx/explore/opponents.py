"""Opponents of graded strength: who there is, and how often each wins against perfect play.

``mistakes:20`` plays the best move that is known, but in 20 % of its decisions any legal move,
each with equal chance. What it wins against perfect play is one half less what its moves give away
in a game, on average over games: a mean over all moves that it might play in each decision, which
varies little from game to game.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

from urcx.agents.agent_texts import agent
from urcx.agents.agents import Agent
from urcx.complexity.game_tree import Z95
from urcx.engine.moves import Move
from urcx.game import Game
from urcx.rules.model import RuleSet
from urcx.solving.probing import Solution

FILE = Path(__file__).parent / "data" / "opponents.toml"
MISTAKES = "mistakes"
SHARES = (2, 5, 10, 20, 40)  # in percent


@dataclass(frozen=True)
class Wins:
    """How often an opponent wins against perfect play; ``within`` is 0 if that is exact."""

    wins: float
    within: float = 0.0


@dataclass(frozen=True)
class _Erring:
    """Plays the best move that is known, but any legal one in a share of its decisions."""

    known: Solution
    percent: int
    name: str

    def move_probabilities(self, game: Game, roll: int) -> dict[Move, Fraction]:
        """Return how likely each move is played."""
        ranked = [one.move for one in self.known.best_moves(game.position, roll)]
        any_move = Fraction(self.percent, 100 * len(ranked))
        shares = dict.fromkeys(ranked, any_move)
        shares[ranked[0]] += 1 - Fraction(self.percent, 100)
        return shares

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        """Return a move, drawn by its share."""
        shares = self.move_probabilities(game, roll)
        moves = list(shares)
        return moves[rng.choice(len(moves), p=[float(share) for share in shares.values()])]


def erring(known: Solution, percent: int) -> Agent:
    """Return the agent that errs in so many percent of its decisions."""
    return agent(_Erring(known, percent, f"{MISTAKES}:{percent}"))


def judged(perfect: Solution, percent: int, games: int, seed: int) -> Wins:
    """Return how often an erring agent wins against perfect play, by what its moves give away.

    Parameters
    ----------
    perfect
        The solution, by which both play.
    percent
        In how many percent of its decisions it errs.
    games, seed
        How many games are played, and by which dice.
    """
    rules, rng = perfect.rules, np.random.default_rng(seed)
    one = _Erring(perfect, percent, MISTAKES)
    weights = [float(p) for p in rules.dice.probabilities]
    lost = np.zeros(games)
    for number in range(games):
        game, errs = Game(rules), ("light", "dark")[number % 2]
        while not game.is_over:
            roll = int(rng.choice(rules.dice.rolls, p=weights))
            ranked = perfect.best_moves(game.position, roll)
            if not ranked:
                game = game.passed(roll)
                continue
            move = ranked[0].move
            if game.turn == errs and len(ranked) > 1:
                shares = one.move_probabilities(game, roll)
                regrets = {item.move: item.regret for item in ranked}
                lost[number] += sum(float(shares[item]) * regrets[item] for item in shares)
                move = one.choose(game, roll, rng)
            game = game.play(move)
    error = Z95 * float(lost.std(ddof=1)) / math.sqrt(games)
    return Wins(0.5 - float(lost.mean()), error)


@cache
def _kept() -> dict[str, dict[str, dict[str, float]]]:
    found: dict[str, dict[str, dict[str, float]]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return found


def opponents(rules: RuleSet) -> dict[str, Wins]:
    """Return the opponents whose strength by a rule set is known, the weakest first."""
    kept = _kept().get(f"{rules.name}-{rules.pieces}", {})
    found = {name: Wins(**one) for name, one in kept.items()}
    return dict(sorted(found.items(), key=lambda item: item[1].wins))
