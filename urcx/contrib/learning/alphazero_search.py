"""Networks with two heads as kernels take them, room for search trees, and what plays by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from urcx.agents.network_kernels import MEN, NUMBERS, PATH, SQUARED
from urcx.agents.networks import Network
from urcx.contrib.learning.alphazero_search_kernels import AlphaZeroTree, Heads, Tree
from urcx.contrib.learning.alphazero_settings import AlphaZeroSettings
from urcx.contrib.learning.input_kernels import COLUMNS
from urcx.errors import UnusableFileError, UsageError
from urcx.games.simulator import dice_arrays
from urcx.rules.model import RuleSet

MOST_HEAD = 2.0**20  # of the weights of a policy head, so that no sum of them overflows


def heads_of(network: Network) -> Heads:
    """Return a network as searches take it.

    Raises
    ------
    UnusableFileError
        If it has no policy head.
    UsageError
        If that one's weights are too large, or not numbers.
    """
    if network.policy is None or network.policy_bias is None:
        raise UnusableFileError(
            "the network has no policy head, which searching needs; urcx train alphazero makes one"
        )
    if not all(np.abs(array).max() <= MOST_HEAD for array in (network.policy, network.policy_bias)):
        raise UsageError("the weights of the network's policy head are too large to play")
    numbers = np.zeros(NUMBERS, np.int64)
    numbers[PATH], numbers[MEN] = network.rules.path.length, network.rules.pieces
    numbers[SQUARED] = network.activation == "squared"
    return Heads(
        numbers,
        *(
            np.array(array, np.float32, order="C")  # kernels of one type: none read only
            for array in (
                network.first,
                network.first_bias,
                network.second,
                network.second_bias,
                network.last,
                np.array([network.last_bias]),
                network.policy.T,
                network.policy_bias,
            )
        ),
    )


def tree_for(rules: RuleSet, units: int, hidden: int, simulations: int) -> Tree:
    """Return room for the tree of a search; for one thread.

    ``units`` are those of the first hidden layer, ``hidden`` those of the last.
    """
    nodes, rolls = simulations + 1, len(rules.dice.rolls)
    edges = nodes * max(rules.pieces, 1)
    return Tree(
        boards=np.zeros((nodes, COLUMNS), np.int64),
        value=np.zeros(nodes),
        hidden=np.zeros((nodes, hidden), np.float32),
        phase=np.zeros(nodes, np.uint64),
        first=np.zeros((nodes, rolls), np.int64),
        number=np.zeros((nodes, rolls), np.int64),
        start=np.zeros(edges, np.int64),
        prior=np.zeros(edges),
        visits=np.zeros(edges, np.int64),
        total=np.zeros(edges),
        child=np.zeros(edges, np.int64),
        keeps=np.zeros(edges, np.bool_),
        route=np.zeros(nodes, np.int64),
        sums=np.zeros(units, np.float32),
    )


def plan_of(rules: RuleSet, *what: Any) -> AlphaZeroTree:
    """Return what a search does, as kernels take it: the members after the dice."""
    dice = dice_arrays(rules)
    return AlphaZeroTree(dice.rolls, dice.slots, *what)


@dataclass(frozen=True)
class Searches:
    """How searches are done in training, with room for the trees of all threads."""

    plan: AlphaZeroTree
    trees: list[Tree]

    @classmethod
    def of(
        cls, rules: RuleSet, settings: AlphaZeroSettings, threads: int, *, noisy: bool = False
    ) -> Searches:
        """Return them by the settings, with noise and drawn moves or without."""
        number, hidden = settings.simulations, settings.later or settings.units
        more = (settings.warm, settings.noise, settings.concentration) if noisy else ()
        plan = plan_of(rules, number, settings.explore, *more)
        trees = [tree_for(rules, settings.units, hidden, number) for _ in range(threads)]
        return cls(plan, trees)
