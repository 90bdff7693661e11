"""What an agent would play in one position, and how it values each move."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from urcx.agents.agent_kernels import (
    FIRST,
    RANDOM,
    ByRank,
    candidates,
    chance_by_rank,
    pick_chance,
)
from urcx.agents.agents import Agent
from urcx.agents.kinds import KINDS
from urcx.agents.lookahead import lookahead
from urcx.agents.network_kernels import WON
from urcx.agents.network_tree_kernels import ByNetwork, after_move
from urcx.agents.own_agents import own_chances
from urcx.agents.play_files.look_up_kernels import ByPlay, looked_up_moves
from urcx.agents.policies import Policies
from urcx.agents.search import TreeSearch
from urcx.engine.moves import Advice, Move, check_open, legal_moves, masks, move_from, tables
from urcx.game import Game
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.strategy.gain import move_gains


class Adviser:
    """An agent asked about single positions of one rule set.

    Raises
    ------
    TooLargeError
        If the agent's values do not fit 64 bits, or the rule set is too large to solve it for this.
    TablebaseError
        If the agent's tablebase cannot be read, or is of another game.
    """

    def __init__(self, agent: Agent, rules: RuleSet) -> None:
        self.agent, self.rules = agent, rules
        self._search: TreeSearch | None = None
        if agent.depth is not None and agent.leaf is not None:
            look = lookahead(rules, agent.depth, agent.leaf, few_rolls=agent.few_rolls)
            self._search = TreeSearch(rules, look, most_nodes=agent.most_nodes)
        else:
            self._policy = Policies(rules, 1, method="tree").of(agent)

    @property
    def values_moves(self) -> bool:
        """Return whether the agent has values of moves, and not only a choice."""
        if self._search is None and isinstance(self._policy, ByPlay):
            return False
        return self._search is not None or (
            not self.agent.is_own and KINDS[self.agent.kind].has_values
        )

    def only_move(self, position: Position, roll: int) -> Move | None:
        """Return the move that an agent plays which plays one move, if any is legal, by look-up.

        For the rest it returns None: ask `about`. It is several times as fast, as it makes no other
        moves. Raises as `about` does.
        """
        policy = None if self._search is not None or self.agent.is_own else self._policy
        if not isinstance(policy, ByPlay):
            return None
        check_open(position, self.rules)
        if roll not in self.rules.dice.rolls:
            return None
        side = 0 if position.light_to_move else 1
        board, home = masks(position), position.home
        state = (board[side], home[side], board[1 - side], home[1 - side])
        start = looked_up_moves(policy.play, policy.room, roll, *state)
        return move_from(position, start, roll, self.rules) if start >= 0 else None

    def about(self, position: Position, roll: int) -> tuple[Advice, ...]:
        """Return what the agent thinks of each legal move, least advanced piece first.

        Raises
        ------
        PositionError
            If the position breaks a rule, or the game is over.
        UsageError
            If the dice cannot give the roll, or an agent of the user's fails.
        """
        moves = legal_moves(position, roll, self.rules)
        if not moves:
            return ()
        if self.agent.is_own:
            chances = own_chances(self.agent, Game(self.rules, position), roll, moves)
            most = max(chances)
            return tuple(Advice(m, None, p == most, p) for m, p in zip(moves, chances, strict=True))
        found = self._opinions(position, roll, moves)
        best = [item.move for item in found if item.best]
        played = {"first": best[:1], "last": best[-1:], "random": best}[self.agent.ties]
        share = Fraction(1, len(played))
        return tuple(replace(a, chance=share) if a.move in played else a for a in found)

    def _opinions(
        self, position: Position, roll: int, moves: tuple[Move, ...]
    ) -> tuple[Advice, ...]:
        """Return the agent's advice on each move, without the chances."""
        if self._search is not None:
            valued = self._search.values(position, roll)
            most = max(value for _, value in valued)
            return tuple(Advice(move, value, value == most) for move, value in valued)
        if self.agent.kind == "gain":
            worth = move_gains(position, roll, self.rules)
            most = max(worth.values())
            return tuple(Advice(m, worth[m.start], worth[m.start] == most) for m in moves)
        if isinstance(self._policy, ByNetwork):
            values = [self._value(self._policy, position, roll, move) for move in moves]
            most = max(values)
            return tuple(Advice(m, v, v == most) for m, v in zip(moves, values, strict=True))
        if self.agent.kind == "optimal" and not isinstance(self._policy, ByPlay):
            chances = [self._chance(move.position, position.light_to_move) for move in moves]
            return tuple(
                Advice(move, chance, chance == max(chances))
                for move, chance in zip(moves, chances, strict=True)
            )
        best = self._best(position, roll, moves)
        return tuple(Advice(move, None, move in best) for move in moves)

    def _value(self, policy: ByNetwork, position: Position, roll: int, move: Move) -> Fraction:
        """Return the chance of winning after a move, as a network has it."""
        side = 0 if position.light_to_move else 1
        board, home = masks(position), position.home
        state = (board[side], home[side], board[1 - side], home[1 - side])
        found = after_move(policy.ways, policy.net, policy.plan, *state, move.start, roll)
        return (1 + Fraction(int(found), WON * int(policy.plan.scales[-1]))) / 2

    def _chance(self, after: Position, light: bool) -> Fraction:
        """Return the chance of winning after a move of one side, as the solution has it."""
        policy, side = self._policy, 0 if after.light_to_move else 1
        if self.rules.pieces in after.home:
            return Fraction(1)
        board, home = masks(after), after.home
        state = (board[side], home[side], board[1 - side], home[1 - side])
        look_up = chance_by_rank if isinstance(policy, ByRank) else pick_chance
        chance = Fraction(float(look_up(policy, side, *state))) / Fraction(policy.certain)
        return chance if after.light_to_move == light else 1 - chance

    def _best(self, position: Position, roll: int, moves: tuple[Move, ...]) -> tuple[Move, ...]:
        """Return what an agent without values would play, by its tie rule."""
        ties = self._policy.ties
        side = 0 if position.light_to_move else 1
        board, home = masks(position), position.home
        legal = sum(1 << move.start for move in moves)
        state = (board[side], home[side], board[1 - side], home[1 - side])
        found = int(candidates(self._policy, tables(self.rules).ways, side, legal, roll, *state))
        equal = tuple(move for move in moves if found >> move.start & 1)
        return after_ties(equal, ties)


def after_ties(best: tuple[Any, ...], ties: int) -> tuple[Any, ...]:
    """Return which of several equally good moves are played, by the number of a tie rule."""
    return best if ties == RANDOM else best[:1] if ties == FIRST else best[-1:]
