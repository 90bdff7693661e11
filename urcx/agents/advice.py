"""Advice of an agent in one position: the moves that it would play, and its value of each."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from urcx.agents.agent_kernels import (
    FIRST,
    RANDOM,
    TIES,
    candidates,
    chance_by_solution,
    width_of_ties,
)
from urcx.agents.agents import Agent
from urcx.agents.network_kernels import WON
from urcx.agents.network_tree_kernels import NetworkPolicy, WeighedPolicy, value_by_network
from urcx.agents.own_agents import custom_probabilities
from urcx.agents.policies import Policies, agent_lookahead
from urcx.agents.search import TreeSearch, mover_state
from urcx.engine.moves import (
    Advice,
    Choice,
    Choices,
    Move,
    check_open,
    choices_of,
    legal_moves,
    move_from,
    tables,
)
from urcx.game import Game
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.strategy.gain import move_gains


class Adviser:
    """An agent that judges single positions of one rule set, with notes on its preparation.

    Raises
    ------
    TooLargeError
        If the agent's values do not fit into 64 bits, or the rule set is too large to solve now.
    TablebaseError
        If the agent's tablebase cannot be read, or belongs to another game.
    """

    def __init__(self, agent: Agent, rules: RuleSet) -> None:
        self.agent, self.rules = agent, rules
        self._plays = plays = agent.plays
        self._search: TreeSearch | None = None
        self._policy: Any = None
        self.notes: list[str] = []
        look, leaves = (None, None) if plays.depth is None else agent_lookahead(plays, rules)
        if look is not None and leaves is None:
            self._search = TreeSearch(rules, look, most_nodes=plays.most_nodes)
        else:
            policies = Policies(rules, 1, method="tree")
            self._policy, self.notes = policies.of(self._plays), policies.notes
        self._errs = Fraction(agent.percent, 100)
        # Whether the agent values moves, instead of only choosing one.
        self.values_moves = self._search is not None or hasattr(self._policy, "value")

    @property
    def _width(self) -> Fraction:
        """Return the tie width: how far below the best an equally good move may be."""
        width = Fraction(width_of_ties(self._policy))
        return width / Fraction(self._policy.certain) if width else width

    def only_move(self, position: Position, roll: int) -> Move | None:
        """Return the only move that the agent plays, if its policy has a method ``only_move``.

        Otherwise return None, and `about` has the answer. This is several times faster, because no
        other moves are made. The errors are the same as in `about`.
        """
        only_move = getattr(self._policy, "only_move", None)
        if only_move is None or self._errs:
            return None
        check_open(position, self.rules)
        if roll not in self.rules.dice.rolls:
            return None
        start = only_move(roll, *mover_state(position)[1])
        return move_from(position, start, roll, self.rules) if start >= 0 else None

    def about(self, position: Position, roll: int) -> tuple[Advice, ...]:
        """Return the agent's advice on each legal move, least advanced piece first.

        Raises
        ------
        PositionError
            If the position breaks a rule, or the game is over.
        UsageError
            If the dice cannot give the roll, or a user's agent fails.
        """
        moves = legal_moves(position, roll, self.rules)
        if not moves:
            return ()
        if self.agent.is_own:
            chances = custom_probabilities(self.agent, Game(self.rules, position), roll, moves)
            most = max(chances)
            return tuple(Advice(m, None, p == most, p) for m, p in zip(moves, chances, strict=True))
        values, ties = self._values(position, roll, moves), TIES.index(self.agent.ties)
        if values is None:
            best = moves_by_ties(self._best(position, roll, moves), ties)
            advice = [Advice(move, None, move in best) for move in moves]
        else:
            least = max(values) - self._width
            advice = [Advice(m, v, v >= least) for m, v in zip(moves, values, strict=True)]
        equal = tuple(item.move for item in advice if item.best)
        played = moves_by_ties(equal, ties)
        share, worse = (1 - self._errs) / len(played), self._errs / len(advice)
        return tuple(replace(a, chance=worse + share * (a.move in played)) for a in advice)

    def _values(
        self, position: Position, roll: int, moves: tuple[Move, ...]
    ) -> list[Fraction] | None:
        """Return the agent's value of each move, or None if it does not value moves."""
        if self._search is not None:
            return [value for _, value in self._search.values(position, roll)]
        if not self.values_moves:
            return None
        if self._plays.kind == "gain":
            worth = move_gains(position, roll, self.rules)
            return [worth[move.start] for move in moves]
        policy = self._policy
        if isinstance(policy, NetworkPolicy):
            unit = WON * int(policy.plan.scales[-1])
            return [
                (1 + Fraction(value, unit)) / 2 for value in self._by_tree(position, roll, moves)
            ]
        if isinstance(policy, WeighedPolicy):
            unit = policy.net.unit * int(policy.plan.scales[-1])
            return [Fraction(value, unit) for value in self._by_tree(position, roll, moves)]
        return [self._chance(move.position, position.light_to_move) for move in moves]

    def _by_tree(self, position: Position, roll: int, moves: tuple[Move, ...]) -> list[int]:
        """Return the values of moves by a policy that searches the full tree."""
        policy, (_, state) = self._policy, mover_state(position)
        starts = [move.start for move in moves]
        return [int(value_by_network(policy, policy.ways, 0, *state, s, roll)) for s in starts]

    def _chance(self, after: Position, light: bool) -> Fraction:
        """Return a side's win probability after its move, by the solution."""
        if self.rules.pieces in after.home:
            return Fraction(1)
        policy, (side, state) = self._policy, mover_state(after)
        chance = Fraction(float(chance_by_solution(policy, side, *state))) / Fraction(
            policy.certain
        )
        return chance if after.light_to_move == light else 1 - chance

    def _best(self, position: Position, roll: int, moves: tuple[Move, ...]) -> tuple[Move, ...]:
        """Return the best moves of an agent that does not value moves."""
        side, state = mover_state(position)
        legal, ways = sum(1 << move.start for move in moves), tables(self.rules).ways
        best = int(candidates(self._policy, ways, side, legal, roll, *state))
        return tuple(move for move in moves if best >> move.start & 1)


def moves_by_ties(best: tuple[Any, ...], ties: int) -> tuple[Any, ...]:
    """Return the moves that a tie-breaking rule (an index of `TIES`) picks from the best ones."""
    return best if ties == RANDOM else best[:1] if ties == FIRST else best[-1:]


def choices(
    position: Position, rules: RuleSet, roll: int | None = None, adviser: Adviser | None = None
) -> Choices:
    """Return the choices for a roll, or for each roll of the dice, least advanced piece first.

    Raises
    ------
    PositionError
        If the position breaks a rule, or the game is over.
    UsageError
        If the dice cannot give the roll, or a user's agent fails.
    """
    check_open(position, rules)
    rows: list[Choice] = []
    for value in rules.dice.rolls if roll is None else (roll,):
        moves = legal_moves(position, value, rules)
        rows += choices_of(moves, adviser.about(position, value) if adviser and moves else ())
    agent = adviser.agent if adviser else None
    return Choices(
        rows,
        rules=rules,
        position=position,
        agent=agent.name if agent else "",
        prefers=agent is not None and agent.prefers,
    )
