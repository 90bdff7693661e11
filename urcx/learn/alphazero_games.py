"""Games of Simple AlphaGo Zero: self-play, gating, and the examples that training takes of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import FIRST
from urcx.agents.networks import Network, number_of_inputs
from urcx.engine.moves import tables
from urcx.engine.threads import for_chunks
from urcx.errors import UrcxError
from urcx.games.game_kernels import ALTERNATELY, GamesPlan, GameWinners, play_games
from urcx.games.simulator import MAX_PLIES, dice_arrays
from urcx.learn import alphazero_kernels as kernels
from urcx.learn.alphazero_search import Searches, heads_of
from urcx.learn.alphazero_search_kernels import OTHER, OTHER_HOME, OWN, OWN_HOME, BySearch
from urcx.learn.alphazero_settings import AlphaZeroSettings
from urcx.learn.checkpoints import Kept, are_positions
from urcx.rules.model import RuleSet

CHUNK = 8  # games that a thread plays at a time
PLIES = 256  # of a game, roughly: room for examples, doubled where it does not suffice


@dataclass(frozen=True)
class Examples:
    """Examples of self-play; see `urcx.learn.alphazero_kernels.self_play`."""

    positions: NDArray[np.int64]
    targets: NDArray[np.int16]
    means: NDArray[np.float32]

    @classmethod
    def room(cls, number: int, moves: int) -> Examples:
        """Return room for a number of examples, with ``moves`` moves a roll."""
        return cls(
            np.zeros((number, kernels.EXAMPLE), np.int64),
            np.zeros((number, moves), np.int16),
            np.zeros(number, np.float32),
        )

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """Return the arrays, in order."""
        return [getattr(self, item.name) for item in fields(self)]

    def kept(self, rules: RuleSet) -> list[Kept]:
        """Return the arrays as a checkpoint keeps them; rows that are not yet filled are zeros."""

        def are_examples() -> bool:
            place = self.positions.T
            columns = (place[k] for k in (OWN, OWN_HOME, OTHER, OTHER_HOME))
            result, roll = place[kernels.RESULT], place[kernels.ROLL]
            known = np.isin(roll, [0, *rules.dice.rolls]) & (np.abs(result) <= 1)
            unfinished = place[[OWN_HOME, OTHER_HOME]] < rules.pieces
            return are_positions(rules, *columns) and bool(known.all() and unfinished.all())

        return [
            Kept(self.positions, -1, 1 << rules.path.length, are_examples),
            Kept(self.targets, 0, np.iinfo(np.int16).max),
            Kept(self.means, -1.0, 1.0),
        ]


def self_play_games(
    rules: RuleSet, network: Network, searches: Searches, games: int, seed: int
) -> Examples:
    """Return the examples of a network's games against itself, game by game.

    They depend on the seed, not on the number of threads.
    """
    ways, heads, moves = tables(rules).ways, heads_of(network), rules.path.length + 1
    found: dict[int, Examples] = {}

    def play(thread: int, first: int, last: int) -> None:
        room = (last - first) * PLIES
        number = -1
        while number < 0:
            examples = Examples.room(room, moves)
            with np.errstate(over="ignore"):  # random streams wrap; compiled code does not warn
                number = kernels.self_play(
                    ways, heads, searches.trees[thread], searches.plan, seed, first, last,
                    MAX_PLIES, *examples.arrays,
                )  # fmt: skip
            if number == kernels.ENDLESS:
                raise UrcxError(f"a game does not end within {MAX_PLIES:,} plies")
            room *= 2
        found[first] = Examples(*(array[:number].copy() for array in examples.arrays))

    for_chunks(games, CHUNK, play, len(searches.trees))
    parts = [found[first].arrays for first in sorted(found)]
    return Examples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def share_won(
    rules: RuleSet, network: Network, rival: Network, searches: Searches, games: int, seed: int
) -> float:
    """Return the share of the games against a rival that a network wins, without noise.

    Each begins every other game, and two games in a row have the same dice.
    """
    ways, dice = tables(rules).ways, dice_arrays(rules)
    heads = heads_of(network), heads_of(rival)
    winners = np.zeros(games, np.int8)

    def play(thread: int, first: int, last: int) -> None:
        # Searches begin anew for each move, so that both may use the same room.
        players = (BySearch(FIRST, own, searches.trees[thread], searches.plan) for own in heads)
        plan = GamesPlan(seed, ALTERNATELY, first, last, MAX_PLIES, shared=1)
        with np.errstate(over="ignore"):
            endless = play_games(ways, dice, *players, GameWinners(winners[first:last]), plan)
        if endless >= 0:
            raise UrcxError(f"a game does not end within {MAX_PLIES:,} plies")

    for_chunks(games, CHUNK, play, len(searches.trees))
    return float((winners == 0).mean())


def batches_of(
    rules: RuleSet, examples: Examples, drawn: NDArray[np.int64], settings: AlphaZeroSettings
) -> tuple[NDArray[Any], ...]:
    """Return examples as a training step takes them, with a first axis for the batch.

    The value to learn is the result z, or the part of it that ``bootstrap`` leaves, the rest being
    the mean value of the search, where there was one.
    """
    number, moves = len(drawn), rules.path.length + 1
    inputs = np.empty((number, number_of_inputs(rules)), np.float32)
    rolls = np.empty(number, np.int32)
    legal = np.empty((number, moves), np.bool_)
    shares = np.empty((number, moves), np.float32)
    kernels.gather_games(
        tables(rules).ways,
        examples.positions,
        examples.targets,
        drawn,
        inputs,
        rolls,
        legal,
        shares,
    )
    values = examples.positions[drawn, kernels.RESULT].astype(np.float32)
    if settings.bootstrap:
        part = np.where(legal.any(axis=1), np.float32(settings.bootstrap), np.float32(0))
        values += part * (examples.means[drawn] - values)
    arrays = (inputs, rolls, legal, shares, values)
    return tuple(array.reshape(-1, settings.batch, *array.shape[1:]) for array in arrays)
