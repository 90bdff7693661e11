"""A network that searches, as a policy."""

from __future__ import annotations

from urcx.agents.networks import Network
from urcx.contrib.learning.alphazero import heads_of, plan_of, tree_for
from urcx.contrib.learning.alphazero_kernels import BySearch


def search_policy(network: Network, simulations: int, explore: float) -> BySearch:
    """Return the policy that plays the move with the most visits of a search; for one thread."""
    heads, rules = heads_of(network), network.rules
    tree = tree_for(rules, len(heads.first_bias), len(heads.last), simulations)
    return BySearch(0, heads, tree, plan_of(rules, simulations, explore))
