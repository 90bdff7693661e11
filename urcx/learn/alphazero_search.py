"""Networks with two heads as kernels take them, room for search trees, and policies of both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urcx.agents.network_kernels import MEN, NUMBERS, PATH, SQUARED
from urcx.agents.networks import Network
from urcx.engine.moves import tables
from urcx.errors import UnusableFileError, UsageError
from urcx.games.simulator import dice_slots
from urcx.learn import alphazero_search_kernels as kernels
from urcx.learn.alphazero_search_kernels import AlphaZeroTree, ByPolicy, BySearch, Heads, Tree
from urcx.learn.alphazero_settings import AlphaZeroSettings
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
        boards=np.zeros((nodes, kernels.COLUMNS), np.int64),
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


def _tree(heads: Heads, rules: RuleSet, simulations: int) -> Tree:
    return tree_for(rules, len(heads.first_bias), len(heads.last), simulations)


def plan_of(
    rules: RuleSet,
    simulations: int,
    explore: float,
    *,
    noise: float = 0.0,
    concentration: float = 1.0,
    warm: int = 0,
) -> AlphaZeroTree:
    """Return what a search does, as kernels take it."""
    numbers = np.zeros(kernels.N_NUMBERS, np.int64)
    numbers[kernels.SIMULATIONS], numbers[kernels.WARM] = simulations, warm
    weights: NDArray[np.float64] = np.zeros(kernels.N_WEIGHTS)
    weights[kernels.EXPLORE], weights[kernels.NOISE] = explore, noise
    weights[kernels.CONCENTRATION] = concentration
    return AlphaZeroTree(numbers, weights, tables(rules).rolls, dice_slots(rules.dice))


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
        if noisy:
            plan = plan_of(
                rules,
                number,
                settings.explore,
                noise=settings.noise,
                concentration=settings.concentration,
                warm=settings.warm,
            )
        else:
            plan = plan_of(rules, number, settings.explore)
        trees = [tree_for(rules, settings.units, hidden, number) for _ in range(threads)]
        return cls(plan, trees)


def search_policy(network: Network, simulations: int, explore: float, ties: int = 0) -> BySearch:
    """Return the policy that plays the move with the most visits of a search; for one thread."""
    heads = heads_of(network)
    plan = plan_of(network.rules, simulations, explore)
    return BySearch(ties, heads, _tree(heads, network.rules, simulations), plan)


def head_policy(network: Network, ties: int = 0) -> ByPolicy:
    """Return the policy that plays by the policy head alone; for one thread."""
    heads = heads_of(network)
    return ByPolicy(ties, heads, _tree(heads, network.rules, 1), plan_of(network.rules, 1, 1.0))
