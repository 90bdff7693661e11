"""The losses of moves in all games of two agents: following games, and comparing moves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from urcx.agents.agent_kernels import FIRST, TIES
from urcx.agents.agents import Agent
from urcx.agents.own_agents import CustomAgent
from urcx.agents.policies import Policies, with_mistakes
from urcx.engine.moves import Move, legal_moves
from urcx.engine.threads import Stage
from urcx.expectations.choices import ALL_STATES, LayerPolicy, exact_agent, make_policy
from urcx.expectations.flow import Flow
from urcx.expectations.tally import DecisionTally, Tally, TallyOptions
from urcx.results.fields import TEXT, Field, decimals
from urcx.results.tables import MOVE_LOSS
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.header import check_game
from urcx.solving.files.kept import find_solution, saved_solution_note
from urcx.solving.files.tablebase import TablebaseLayers, open_tablebase
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerSource
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.probing import POINTS
from urcx.solving.solution import solve
from urcx.solving.ties import tie_width


@dataclass(frozen=True)
class Decision:
    """An agent's move in a position with a roll, and the loss of that move."""

    position: Annotated[
        Position, "the position, with the agent as light", Field("", TEXT, "the position")
    ]
    roll: Annotated[int, Field("roll", about="the roll")]
    played: Annotated[
        Move,
        "the move that is played",
        Field(about="step that the piece leaves (0: the start pool)", key="from", of="start"),
        Field(about="step that it reaches", key="to", of="end"),
    ]
    best: Annotated[
        Move,
        "the best move, or the move played if that is a best move",
        Field(about="step that the piece leaves in the best move", key="best_from", of="start"),
        Field(about="step that it reaches", key="best_to", of="end"),
    ]
    visits: Annotated[float, Field(about="visits of the position per game")]
    often: Annotated[
        float,
        Field("times per game", decimals(6), "how often this move is played there with this roll"),
    ]
    loss: Annotated[float, Field(MOVE_LOSS, POINTS, "loss of the move against the best move")]

    @property
    @Field("loss per game", POINTS, "loss of the decision per game: often times loss")
    def cost(self) -> float:
        """Return the loss of this decision per game."""
        return self.often * self.loss


def decision_of(order: LayerOrder, result: DecisionTally) -> Decision:
    """Return a decision with its position and moves."""
    position = order.position(result.layer, result.state)
    roll = order.rules.dice.rolls[result.roll]
    moves = legal_moves(position, roll, order.rules)
    return Decision(
        position,
        roll,
        moves[result.move],
        moves[result.best],
        result.visits,
        result.often,
        result.loss,
    )


class LossFlow:
    """All games of agents, with their moves compared with a rule set's solution.

    The solution is the tablebase, or the saved solution, or a small rule set is solved now. ``gap``
    bounds its errors, and ``opening`` is its win probability of the first player. The stack closes
    files.

    Raises
    ------
    OutOfDomainError, TablebaseError, TooLargeError
        As `urcx.expectations.regret.regret` does.
    """

    def __init__(
        self,
        rules: RuleSet,
        tablebase: str | Path | None,
        threads: int | None,
        stage: Stage,
        stack: contextlib.ExitStack,
    ) -> None:
        self.order, self.stack = LayerOrder(rules), stack
        self.source = find_solution(rules) if tablebase is None else tablebase
        self.policies = Policies(rules, ALL_STATES, threads=threads, stage=stage)
        self.solution: LayerSource
        if self.source is not None:
            base = stack.enter_context(open_tablebase(self.source))
            check_game(base.file, base.rules, rules)
            self.solution = TablebaseLayers(base)
            self.policies.notes += [] if tablebase is not None else [saved_solution_note(base.file)]
        else:
            self.solution = MemoryStore(keep=True)
            self.solution.layers = solve(rules, threads=threads, keep=True, stage=stage).layers
        values, self.gap = _start_layer(self.solution)
        self.opening = float(values[self.order.place(Position())[1]])
        self.made: dict[Agent, Any] = {}

    def follow(self, player: Agent, other: Agent, options: TallyOptions) -> Tally:
        """Return the sums over all games of two agents, each of which begins half of them."""
        for agent in (player, other):
            if agent not in self.made and agent.by_solution:
                wins = perfect_wins(self.solution, TIES.index(agent.ties))
                self.made[agent] = with_mistakes(agent, wins)
            elif agent not in self.made:
                self.made[agent] = make_policy(agent, self.policies, self.stack)
        policies = self.made[player], self.made[other]
        flow = Flow(self.order, policies, self.policies.threads, self.solution, options)
        text = f"following {player.name} against {other.name}"
        return flow.run((0.5, 0.5), self.policies.stage(text, flow.states, "states"))

    def bound(self, games: Tally, *sides: int) -> float:
        """Return the error bound of the losses of some sides.

        Two values enter a decision.
        """
        counts = games.accuracy.counted()
        decisions = max(games.side(side).decisions for side in sides)
        return counts + 2.0 * self.gap * (decisions + counts)


def matched(
    agents: Iterable[str | Agent | CustomAgent], opponent: str | Agent, tablebase: str | Path | None
) -> list[tuple[Agent, Agent]]:
    """Return each agent with its opponent, which may be ``self``, as `with_tablebase` does."""
    players = [with_tablebase(exact_agent(player), tablebase) for player in agents]
    if opponent == "self":
        return [(player, player) for player in players]
    rival = with_tablebase(exact_agent(opponent), tablebase)
    return [(player, rival) for player in players]


def with_tablebase(player: Agent, tablebase: str | Path | None) -> Agent:
    """Return the agent, with the tablebase if it plays by a solution and does not name a file."""
    if not player.by_solution or tablebase is None:
        return player
    if player.base is not None:
        return replace(player, base=with_tablebase(player.base, tablebase))
    return replace(player, table=str(tablebase))


def strength(
    policy: Any,
    solution: LayerSource,
    rules: RuleSet,
    *,
    opponent: Any = None,
    threads: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Tally:
    """Return the expectations of a policy and its opponent, without playing games.

    Each side begins in half of the games. The policy is light.

    Parameters
    ----------
    policy
        A policy for kernels, such as the result of `urcx.agents.policies.Policies.of`, or a
        `urcx.expectations.choices.LayerPolicy`, which has values of all states layer by layer.
    solution
        The layers of the solved rule set, such as
        `urcx.solving.files.tablebase.TablebaseLayers`.
    rules
        The rule set. Its path must cross no tile twice and be the same for both sides.
    opponent
        Another policy. By default optimal play by ``solution``, with the first of equal moves.
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
        If games do not end, or the win probabilities do not add up to 1.
    """
    other = perfect_wins(solution) if opponent is None else opponent
    flow = Flow(LayerOrder(rules), (policy, other), threads, solution)
    return flow.run((0.5, 0.5), progress)


def perfect_wins(solution: LayerSource, ties: int = FIRST) -> LayerPolicy:
    """Return optimal play by a solution, as a policy."""

    def layer(key: Layer) -> Any:
        stored = solution.get(key)
        assert stored is not None
        return stored[0]

    if isinstance(solution, TablebaseLayers):
        return LayerPolicy(layer, 1.0, ties, tie_width(solution.gap), solution.release)
    return LayerPolicy(layer, 1.0, ties, tie_width(_start_layer(solution)[1]))


def _start_layer(solution: LayerSource) -> tuple[Any, float]:
    """Return the values of the first layer of a game, and their gap, which is the widest."""
    layer = solution.get((0, 0))
    assert layer is not None
    return layer
