"""How strong a policy is against perfect play, or another policy, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from urcx.agents.agent_kernels import FIRST
from urcx.engine.moves import Move, legal_moves
from urcx.engine.threads import chosen_threads
from urcx.expectations.expected_layers import LayerFlow
from urcx.expectations.pair_choices import LayerPolicy
from urcx.expectations.side_means import Decided, Visits, Wanted
from urcx.results.fields import TEXT, decimals, member
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.tablebase import TablebaseLayers
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerSource
from urcx.solving.ties import tie_width


@dataclass(frozen=True)
class Decision:
    """What an agent plays in a position with a roll, and what that costs it."""

    position: Annotated[
        Position, "the position, with who decides as light", member("", TEXT, "the position")
    ]
    roll: Annotated[int, member("roll", about="the roll")]
    played: Annotated[
        Move,
        "the move that is played",
        member(
            about="step that the piece leaves in it (0: the start pool)", key="from", of="start"
        ),
        member(about="step that it reaches", key="to", of="end"),
    ]
    best: Annotated[
        Move,
        "the best move, or the one played if none is better",
        member(about="step that the piece leaves in the best move", key="best_from", of="start"),
        member(about="step that it reaches", key="best_to", of="end"),
    ]
    visits: Annotated[float, member(about="how often the position comes up in a game")]
    often: Annotated[
        float,
        member(
            "times a game", decimals(6), "how often this is played there, of this roll, in a game"
        ),
    ]
    loss: Annotated[
        float,
        member("loss", decimals(6), "how much less likely the agent wins then than after the best"),
    ]

    @property
    @member("loss a game", decimals(7), "what this costs in a game: often times loss")
    def cost(self) -> float:
        """Return what this decision costs in a game."""
        return self.often * self.loss


def strength(
    policy: Any,
    solution: LayerSource,
    rules: RuleSet,
    *,
    opponent: Any = None,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Visits:
    """Return what a policy and its opponent do, and win, without playing games.

    Each side begins half of the games; the policy is light.

    Parameters
    ----------
    policy
        A policy as kernels take it, such as `urcx.agents.policies.Policies.of` returns, or
        `urcx.expectations.pair_choices.LayerPolicy`, which has values of all states layer by layer.
    solution
        The layers of the solved rule set, such as
        `urcx.solving.files.tablebase.TablebaseLayers`.
    rules
        The rule set, with a path that is crossed once and alike for both sides.
    opponent
        Another policy; perfect play by ``solution``, with the first of equal moves, by default.
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
        LayerOrder(rules), (policy, other), solution, chosen_threads(threads), Wanted()
    )
    return flow.run((0.5, 0.5), progress).checked()


def perfect_wins(solution: LayerSource, ties: int = FIRST) -> LayerPolicy:
    """Return perfect play by a solution, as a policy."""

    def layer(key: Layer) -> Any:
        found = solution.get(key)
        assert found is not None
        return found[0]

    if isinstance(solution, TablebaseLayers):
        return LayerPolicy(layer, 1.0, ties, tie_width(solution.gap), solution.release)
    first = solution.get((0, 0))  # its gap is the widest
    assert first is not None
    return LayerPolicy(layer, 1.0, ties, tie_width(first[1]))


def decision_of(order: LayerOrder, found: Decided) -> Decision:
    """Return a decision with its position and moves."""
    position = order.position(found.layer, found.state)
    roll = order.rules.dice.rolls[found.roll]
    moves = legal_moves(position, roll, order.rules)
    return Decision(
        position, roll, moves[found.move], moves[found.best], found.visits, found.often, found.loss
    )
