"""What an agent would play in one position, and what it thinks of each move."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from urcx.engine.moves import Move, legal_moves, masks, tables
from urcx.play.agent_kernels import FIRST, RANDOM, TIES, AnyMove, Greedy, candidates
from urcx.play.agents import Agent, own_move
from urcx.play.lookahead import lookahead
from urcx.play.search import TreeSearch
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.strategy.gain import move_gains


@dataclass(frozen=True)
class Advice:
    """A legal move; what it is worth to the mover, where the agent looks ahead; whether it is best.

    Several moves are best where the agent looks ahead and they have equal values (its tie rule then
    decides), or where it chooses at random.
    """

    move: Move
    value: Fraction | None
    best: bool


class Adviser:
    """An agent asked about single positions of one rule set.

    Raises
    ------
    TooLargeError
        If the agent's values do not fit 64 bits.
    """

    def __init__(self, agent: Agent, rules: RuleSet) -> None:
        self.agent, self.rules = agent, rules
        self._search: TreeSearch | None = None
        if agent.depth is not None and agent.leaf is not None:
            look = lookahead(rules, agent.depth, agent.leaf, few_rolls=agent.few_rolls)
            self._search = TreeSearch(rules, look)

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
        if self._search is not None:
            valued = self._search.values(position, roll)
            most = max(value for _, value in valued)
            return tuple(Advice(move, value, value == most) for move, value in valued)
        if self.agent.kind == "gain":
            worth = move_gains(position, roll, self.rules)
            most = max(worth.values())
            return tuple(Advice(m, worth[m.start], worth[m.start] == most) for m in moves)
        best = self._best(position, roll, moves)
        return tuple(Advice(move, None, move in best) for move in moves)

    def _best(self, position: Position, roll: int, moves: tuple[Move, ...]) -> tuple[Move, ...]:
        if len(moves) == 1:
            return moves
        if self.agent.choose is not None:
            return (own_move(self.agent, position, roll, moves),)
        ties = TIES.index(self.agent.ties)
        policy = Greedy(ties) if self.agent.kind == "greedy" else AnyMove(ties)
        side = 0 if position.light_to_move else 1
        board, home = masks(position), position.home
        legal = sum(1 << move.start for move in moves)
        state = (board[side], home[side], board[1 - side], home[1 - side])
        found = int(candidates(policy, tables(self.rules).ways, side, legal, roll, *state))
        equal = tuple(move for move in moves if found >> move.start & 1)
        return equal if ties == RANDOM else equal[:1] if ties == FIRST else equal[-1:]
