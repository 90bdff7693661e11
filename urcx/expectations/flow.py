"""All games of two policies, followed from the start to the end, with the errors bounded.

Pieces home stay there, so games go through the layers by pieces home in groups, which are solved
one after the other: (i, j) together with (j, i) on paths that are crossed once and are alike for
both sides (`urcx.expectations.layers`), else each by itself (`urcx.expectations.tiles`).

What is left out. Let the absolute values of what remains of a group's equations add up to m. Then
its visits are exact for games of which a part of m comes or goes: win probabilities are off by at
most the sum of m over all groups, and rounding. What comes or goes in a group is visited for as
long as games last from there on, so all counts together are off by at most the sum, over all
groups, of m times a bound of the plies to come from any of its states. What is counted in a ply is
at most a known number, and so every mean has a bound.
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

    The agents may differ, so by tiles every diagram is two states even if the sides are alike.
    """
    return general_order(rules, turned=False) if layer_obstacle(rules) else LayerOrder(rules)


class Flow:
    """All games of two policies of a rule set.

    Parameters
    ----------
    order
        The order of its states, which decides how games are followed; see `flow_order`.
    policies
        Light's and dark's, one and the same if they play alike.
    threads
        By default as many as there are cores.
    solution
        What moves are compared to, in the order by layers alone; None to compare nothing.
    options
        How far games are followed, and which decisions are kept, in the order by layers alone.
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
        """Return the sums over all games that light and dark begin with given probabilities.

        ``progress`` is called with the number of states done.

        Raises
        ------
        UrcxError
            If games do not end, or the probabilities of winning do not add up to 1.
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
