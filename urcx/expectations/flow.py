"""All games of two policies, followed from the start to the end, with the errors bounded.

Pieces home stay there, so games go through groups of layers, which are solved one after the other.
On paths that cross no tile twice and are the same for both sides, a group is (i, j) with (j, i)
(`urcx.expectations.layers`). On other paths each layer is a group (`urcx.expectations.tiles`).

Error bounds. Let m be the sum of the absolute residuals of a group's equations. Then the group's
visits are exact for modified games, in which a probability of m is added or removed. So the error
of win probabilities is at most the sum of m over all groups, plus rounding. The added or removed
probability is visited until the game ends. So the errors of all counts together are at most the
sum, over all groups, of m times a bound of the plies to come from any state of the group. Every
measure counts at most a fixed number in a ply, so every mean has a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from urcx.engine.threads import chosen_threads
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.expectations.layers import Layers
from urcx.expectations.tally import Tally, TallyOptions
from urcx.expectations.tiles import Tiles
from urcx.rules.model import RuleSet
from urcx.solving.general.solver import GeneralOrder, general_order
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerSource

DEFAULT_OPTIONS = TallyOptions()


def flow_order(rules: RuleSet) -> LayerOrder | GeneralOrder:
    """Return the order of states in which games of a rule set are followed.

    The agents may differ, so in the order by tiles every configuration is two states, even if both
    sides have the same path.
    """
    return general_order(rules, turned=False) if layer_obstacle(rules) else LayerOrder(rules)


class Flow:
    """All games of two policies of a rule set.

    Parameters
    ----------
    order
        The order of the states, which decides how games are followed, as `flow_order` returns it.
    policies
        Light's and dark's policy, the same object if they play the same.
    threads
        By default as many as there are cores.
    solution
        The solution to compare moves with, only in the order by layers. None for no comparison.
    options
        The accuracy, and the decisions to report, only in the order by layers.
    """

    def __init__(
        self,
        order: LayerOrder | GeneralOrder,
        policies: tuple[Any, Any],
        threads: int | None = None,
        solution: LayerSource | None = None,
        options: TallyOptions = DEFAULT_OPTIONS,
    ) -> None:
        self.rules = order.rules
        self.backend: Layers | Tiles
        if isinstance(order, LayerOrder):
            self.backend = Layers(order, policies, chosen_threads(threads), solution, options)
        else:
            self.backend = Tiles(order, policies)
        self.states = self.backend.states

    def run(
        self, begins: Sequence[float], progress: Callable[[int], None] = lambda _: None
    ) -> Tally:
        """Return the sums over all games. Light and dark begin with the probabilities ``begins``.

        ``progress`` is called with the number of states done.

        Raises
        ------
        UrcxError
            If games do not end, or the win probabilities do not add up to 1.
        """
        total = Tally.empty(self.rules)
        followed = list(self.backend.follow(begins, total, progress))
        total.left = math.fsum(part.left for part in followed)
        to_come: dict[Layer, float] = {}  # a bound of the expected plies from any state
        for layers, left, stay in reversed(followed):
            later = [to_come.get(to, 0.0) for i, j in layers for to in ((i + 1, j), (i, j + 1))]
            to_come |= dict.fromkeys(layers, stay + max(later))
            total.visits_left += left * to_come[layers[0]]
        total.check()
        return total
