"""How strong a policy is against perfect play, or another policy, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from urcx.agents.agent_kernels import FIRST
from urcx.engine.moves import Move, legal_moves
from urcx.engine.threads import chosen_threads
from urcx.expectations.expected_layers import TOLERANCE, LayerFlow
from urcx.expectations.pair_choices import ByLayers
from urcx.expectations.side_means import Farthest, Visits
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import TablebaseLayers
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerSource


@dataclass(frozen=True)
class WorstDecision:
    """The decision that loses most among those that come up in games.

    ``position`` has the player who decides as light; ``played`` and ``best`` are moves of the
    ``roll``; ``loss`` is by how much the chance of winning is less after the first, under perfect
    play; ``visits`` is how often the position comes up in a game.
    """

    position: Position
    roll: int
    played: Move
    best: Move
    loss: float
    visits: float


def strength(
    policy: Any,
    solution: LayerSource,
    rules: RuleSet,
    *,
    opponent: Any = None,
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Visits:
    """Return what a policy and its opponent do, and win, without playing games.

    Each side begins half of the games; the policy is light.

    Parameters
    ----------
    policy
        A policy as kernels take it, such as `urcx.agents.policies.Policies.of` returns, or
        `urcx.expectations.pair_choices.ByLayers`, which has values of all states layer by layer.
    solution
        The layers of the solved rule set, such as
        `urcx.solving.files.tablebase.TablebaseLayers`.
    rules
        The rule set, with a path that is crossed once and alike for both sides.
    opponent
        Another policy; perfect play by ``solution``, with the first of equal moves, by default.
    tolerance
        Of probability that may be left out; less takes longer.
    threads
        By default as many as there are cores.
    progress
        Called with the number of states done, of twice the states of the rule set.

    Raises
    ------
    OutOfDomainError
        If the path has no layers.
    TooLargeError
        If memory does not suffice.
    UrcxError
        If games do not end, or the chances of winning do not add up to 1.
    """
    other = perfect_wins(solution) if opponent is None else opponent
    flow = LayerFlow(
        LayerOrder(rules), (policy, other), solution, chosen_threads(threads), tolerance
    )
    return flow.run((0.5, 0.5), progress).checked()


def perfect_wins(solution: LayerSource, ties: int = FIRST) -> ByLayers:
    """Return perfect play by a solution, as a policy."""

    def layer(key: Layer) -> Any:
        found = solution.get(key)
        assert found is not None
        return found[0]

    if isinstance(solution, TablebaseLayers):
        return ByLayers(layer, 1.0, ties, solution.release)
    return ByLayers(layer, 1.0, ties)


def described(order: LayerOrder, worst: Farthest) -> WorstDecision:
    """Return a decision with its position and moves."""
    position = order.position(worst.layer, worst.state)
    roll = order.rules.dice.rolls[worst.roll]
    moves = legal_moves(position, roll, order.rules)
    return WorstDecision(
        position, roll, moves[worst.move], moves[worst.best], worst.loss, worst.visits
    )
