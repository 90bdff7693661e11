"""How strong a policy is against perfect play, or another policy, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from urcx.agents.agent_kernels import FIRST
from urcx.engine.moves import Move, legal_moves
from urcx.engine.threads import chosen_threads
from urcx.errors import UrcxError
from urcx.expectations.bounds import Accuracy
from urcx.expectations.expected_layers import TOLERANCE, LayerFlow
from urcx.expectations.flow_graph import GraphFlow
from urcx.expectations.pair_choices import ByLayers
from urcx.expectations.side_means import Farthest, Side
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import TablebaseLayers
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerSource

LOST = 1e-10  # of probability, through rounding in 64 bits


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


@dataclass(frozen=True)
class ExactStrength:
    """A policy's strength, if each side begins half of the games; figures are per game.

    Attributes
    ----------
    wins : float
        Its chance of winning.
    bound : float
        By how much ``wins`` is off at most: what was not followed, and rounding.
    side, opposite : Side
        What it and its opponent do in a game, on average.
    states : int
        The number of states with itself to move that come up more than
        `urcx.expectations.pair_flow.VISITED` times a game.
    worst : WorstDecision or None
        The decision in these states that loses most; None if none loses anything.
    accuracy : Accuracy
        Bounds of the errors of the counts.
    """

    wins: float
    bound: float
    side: Side
    opposite: Side
    states: int
    worst: WorstDecision | None
    accuracy: Accuracy

    @property
    def loss(self) -> float:
        """Return the chance of winning given away in a game, against the best moves."""
        return self.side.loss

    @property
    def decisions(self) -> float:
        """Return the decisions (two or more legal moves) in a game."""
        return self.side.decisions

    @property
    def mistakes(self) -> float:
        """Return the decisions in a game that give something away."""
        return self.side.mistakes


def strength(
    policy: Any,
    solution: LayerSource,
    rules: RuleSet,
    *,
    opponent: Any = None,
    tolerance: float = TOLERANCE,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> ExactStrength:
    """Return how strong a policy is, without playing games.

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
    order = LayerOrder(rules)
    other = perfect_wins(solution) if opponent is None else opponent
    flow = LayerFlow(order, (policy, other), solution, chosen_threads(threads), tolerance)
    return judged(flow, progress)


def judged(
    flow: LayerFlow | GraphFlow, progress: Callable[[int], None] | None = None
) -> ExactStrength:
    """Return how strong the first of two players is, by following the games of both.

    Raises as `strength` does.
    """
    found = flow.run((0.5, 0.5), progress or (lambda _: None))
    if not abs(1.0 - found.wins.sum()) <= found.left + LOST:
        raise UrcxError(
            f"games end in wins with a probability of {found.wins.sum()}, not 1: that is a fault "
            "of urcx; please report it with what you asked for"
        )
    worst = found.worst[0]
    return ExactStrength(
        float(found.wins[0]),
        found.left,
        found.side(0),
        found.side(1),
        int(found.states[0]),
        None if worst is None else described(flow.order, worst),
        Accuracy(found.left, found.visits_left, found.additions, float(found.by_choices.sum())),
    )


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
