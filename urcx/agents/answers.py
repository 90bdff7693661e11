"""The answers of a user's agent in all states of a small game, for exact figures.

The agent is asked once about each decision: each position with a roll for which there are two legal
moves or more. Its answers become a table, which plays like any built-in agent. If both sides have
the same path, light is to move in all positions, because exact figures treat both sides alike.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from urcx.agents.agent_kernels import FIRST, RANDOM
from urcx.agents.agents import Agent
from urcx.agents.answer_kernels import FIELDS, AnswerPolicy, list_decisions
from urcx.agents.own_agents import custom_probabilities
from urcx.engine.moves import legal_moves, tables
from urcx.engine.threads import Stage
from urcx.enumerate.rankings.ranking import TileRanking
from urcx.errors import TooLargeError, UsageError
from urcx.game import Game
from urcx.results.numbers import number
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

MOST_STATES = 3_000_000  # in which an agent is asked
CHUNK = 1 << 12  # states listed at a time
AGAIN = 64  # every so many decisions the agent is asked again

Chances = tuple[Fraction, ...]


def states_to_ask(player: Agent, rules: RuleSet) -> TileRanking:
    """Return the order of the states in which exact figures ask a user's agent.

    Raises
    ------
    TooLargeError
        If the game has more than `MOST_STATES` states.
    """
    kind = "diagrams" if rules.path.symmetric else "positions"
    ranking = TileRanking(rules.path, rules.pieces, None, kind)
    if ranking.size > MOST_STATES:
        raise TooLargeError(
            f"agent {player.name}: exact figures would ask it in {number(ranking.size)} states of "
            f"{rules.full_name}: must be at most {MOST_STATES:,}. Take fewer pieces, or play games "
            "with it: urcx match"
        )
    return ranking


def answer_policy(player: Agent, rules: RuleSet, stage: Stage) -> AnswerPolicy:
    """Return a policy that plays as a user's agent, which is asked about every decision.

    ``stage`` is called once, and what it returns with the number of states done.

    Raises
    ------
    TooLargeError
        If the game has more than `MOST_STATES` states.
    UsageError
        If the agent fails, draws random numbers, or answers differently to the same question.
    """
    alike = rules.path.symmetric
    ranking = states_to_ask(player, rules)
    arrays = tables(rules)
    rolls = arrays.rolls.tolist()
    most = min(rules.pieces, rules.path.length + 1)
    kinds = np.zeros((ranking.size, len(rolls)), np.uint32)
    numbers: dict[Chances, int] = {}
    progress = stage(f"asking {player.name} in all states", ranking.size, "states")
    asked = 0
    views, counts = np.empty((CHUNK, FIELDS), np.int64), np.empty((CHUNK, len(rolls)), np.int64)
    for first in range(0, ranking.size, CHUNK):
        last = min(first + CHUNK, ranking.size)
        list_decisions(ranking.arrays, arrays.ways, arrays.rolls, first, last, views, counts)
        open_states = np.flatnonzero(counts[: last - first].max(axis=1) > 1).tolist()
        for k in open_states:
            game = Game(rules, _position(*views[k].tolist()))
            for r in np.flatnonzero(counts[k] > 1).tolist():
                chances = _answer(player, game, rolls[r])
                if asked % AGAIN == 0:
                    _check(player, game, rolls[r], chances, alike=alike)
                asked += 1
                kinds[first + k, r] = numbers.setdefault(chances, len(numbers))
        progress(last)
    answers = list(numbers) or [(Fraction(1),)]
    shares = np.zeros((len(answers), most))
    for row, chances in zip(shares, answers, strict=True):
        row[: len(chances)] = [float(chance) for chance in chances]
    masks = [sum(1 << m for m, chance in enumerate(chances) if chance) for chances in answers]
    order = np.zeros(max(rolls) + 1, np.int64)
    order[rolls] = range(len(rolls))
    even = all(len({chance for chance in chances if chance}) == 1 for chances in answers)
    single = all(mask & (mask - 1) == 0 for mask in masks)
    return AnswerPolicy(
        FIRST if single else RANDOM, ranking.arrays, order, kinds, np.array(masks, np.int64),
        shares, even,
    )  # fmt: skip


def _position(own: int, own_home: int, other: int, other_home: int, side: int) -> Position:
    """Return the position of a view."""
    view = Position(_steps(own), _steps(other), (own_home, other_home))
    return view.turned() if side else view


def _steps(mask: int) -> tuple[int, ...]:
    return tuple(k + 1 for k in range(mask.bit_length()) if mask >> k & 1)


def _answer(player: Agent, game: Game, roll: int) -> Chances:
    moves = legal_moves(game.position, roll, game.rules)
    return custom_probabilities(player, game, roll, moves, fixed=True)


def _check(player: Agent, game: Game, roll: int, chances: Chances, *, alike: bool) -> None:
    """Raise `UsageError` if the agent answers differently to the same question, or as dark."""
    where = f"in {game.position.on(game.rules.path)} with roll {roll}"
    if _answer(player, game, roll) != chances:
        raise UsageError(
            f"agent {player.name} answers differently to the same question {where}: exact figures "
            "need probabilities from an agent that chooses at random"
        )
    if alike and _answer(player, Game(game.rules, game.position.turned()), roll) != chances:
        raise UsageError(
            f"agent {player.name} plays differently as dark {where}: exact figures need an agent "
            "that plays both colours alike"
        )
