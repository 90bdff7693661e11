"""Games of Simple AlphaGo Zero: self-play, gating, and the examples that training takes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import FIRST
from urcx.agents.networks import Network, number_of_inputs
from urcx.contrib.learning import alphazero_kernels as kernels
from urcx.contrib.learning.alphazero_kernels import Examples
from urcx.contrib.learning.alphazero_search import Searches, heads_of
from urcx.contrib.learning.alphazero_search_kernels import BySearch
from urcx.contrib.learning.alphazero_settings import AlphaZeroSettings
from urcx.contrib.learning.checkpoints import Kept, are_positions
from urcx.contrib.learning.input_kernels import OTHER, OTHER_HOME, OWN, OWN_HOME
from urcx.engine.moves import tables
from urcx.engine.threads import for_chunks
from urcx.errors import UrcxError
from urcx.games.game_kernels import ALTERNATELY, GamesPlan, GameWinners
from urcx.games.simulator import MAX_PLIES, play_before
from urcx.rules.model import RuleSet

CHUNK = 8  # games that a thread plays at a time
LIGHT = 0  # begins
PLIES = 256  # of a game, roughly: room for examples, doubled where it does not suffice


def examples_for(rules: RuleSet, number: int) -> Examples:
    """Return room for a number of examples."""
    return Examples(
        np.zeros((number, kernels.EXAMPLE), np.int64),
        np.zeros((number, rules.path.length + 1), np.int16),
        np.zeros(number, np.float32),
    )


def kept_examples(rules: RuleSet, examples: Examples) -> list[Kept]:
    """Return examples as a checkpoint keeps them; rows that are not yet filled are zeros."""

    def are_examples() -> bool:
        place = examples.positions
        views = place[:, [OWN, OWN_HOME, OTHER, OTHER_HOME]]
        known = np.isin(place[:, kernels.ROLL], [0, *rules.dice.rolls])
        ended = np.abs(place[:, kernels.RESULT]) <= 1
        return are_positions(rules, views, unfinished=True) and bool((known & ended).all())

    return [
        Kept(examples.positions, -1, 1 << rules.path.length, are_examples),
        Kept(examples.targets, 0, np.iinfo(np.int16).max),
        Kept(examples.means, -1.0, 1.0),
    ]


def self_play_games(
    rules: RuleSet, network: Network, searches: Searches, games: int, seed: int
) -> Examples:
    """Return the examples of a network's games against itself, game by game.

    They depend on the seed, not on the number of threads.
    """
    ways, heads = tables(rules).ways, heads_of(network)
    found: dict[int, Examples] = {}

    def play(thread: int, first: int, last: int) -> None:
        room = (last - first) * PLIES
        number = -1
        while number < 0:
            examples = examples_for(rules, room)
            plan = GamesPlan(seed, LIGHT, first, last, MAX_PLIES)
            tree = searches.trees[thread]
            with np.errstate(over="ignore"):  # random streams wrap; compiled code does not warn
                number = kernels.self_play(ways, heads, tree, searches.plan, plan, examples)
            if number == kernels.ENDLESS:
                raise UrcxError(f"a game does not end within {MAX_PLIES:,} plies")
            room *= 2
        found[first] = Examples._make(array[:number].copy() for array in examples)

    for_chunks(games, CHUNK, play, len(searches.trees))
    parts = [found[first] for first in sorted(found)]
    return Examples._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def share_won(
    rules: RuleSet, network: Network, rival: Network, searches: Searches, games: int, seed: int
) -> float:
    """Return the share of the games against a rival that a network wins, without noise.

    Each begins every other game, and two games in a row have the same dice.
    """
    heads = heads_of(network), heads_of(rival)
    winners = np.zeros(games, np.int8)

    def play(thread: int, first: int, last: int) -> None:
        # Searches begin anew for each move, so that both may use the same room.
        players = (BySearch(FIRST, own, searches.trees[thread], searches.plan) for own in heads)
        plan = GamesPlan(seed, ALTERNATELY, first, last, MAX_PLIES, shared=1)
        play_before(GameWinners(winners[first:last]), players, rules, plan)

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
    kernels.gather_games(tables(rules).ways, examples, drawn, inputs, rolls, legal, shares)
    values = examples.positions[drawn, kernels.RESULT].astype(np.float32)
    if settings.bootstrap:
        part = np.where(legal.any(axis=1), np.float32(settings.bootstrap), np.float32(0))
        values += part * (examples.means[drawn] - values)
    arrays = (inputs, rolls, legal, shares, values)
    return tuple(array.reshape(-1, settings.batch, *array.shape[1:]) for array in arrays)
