"""What is known of a rule set or its endings once it is solved in exact fractions.

`urcx.solving.exact.rational` finds and proves the values. Two moves are tied if their values are
the same fraction; all tied best moves are listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd

from urcx.engine.moves import Move, check_open, legal_moves
from urcx.errors import OutOfDomainError
from urcx.results.result import Result
from urcx.rules.model import RuleSet
from urcx.rules.position import GameLike, Position, as_position, check
from urcx.solving.exact.equations import StateGraph
from urcx.solving.exact.lifting import Fractions

Pair = tuple[int, int]


@dataclass(frozen=True)
class ExactMove:
    """A legal move, the mover's winning probability after it, and its regret against the best."""

    move: Move
    value: Fraction
    regret: Fraction


@dataclass(frozen=True)
class ExactRoll:
    """A roll with one of its legal moves, or None for a pass."""

    roll: int
    best: ExactMove | None


@dataclass(frozen=True)
class ExactState:
    """A state, the mover's winning probability, and the starts of the best moves for each roll.

    ``starts`` has for each roll all steps from which a best move starts, 0 for the pool, ascending;
    none for a pass.
    """

    position: Position
    value: Fraction
    starts: dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Ties:
    """Ties between moves in the states with given numbers of pieces left, the greater number first.

    ``denominator`` is the common denominator of the states' probabilities. A decision is a state
    and roll with at least two moves. Of ``decisions``, ``tied`` have two moves of exactly equal
    value, and ``best_tied`` two best moves. ``smallest`` is the least difference above 0 between
    two moves of a decision, found at ``place``; None if there is none.
    """

    left: Pair
    states: int
    denominator: int
    decisions: int
    tied: int
    best_tied: int
    smallest: Fraction | None
    place: tuple[Position, int] | None
    example: tuple[Position, int] | None


@dataclass(frozen=True)
class ExactSolution(Result, function="solve_exactly"):
    """A rule set, or its endings with ``left`` pieces on each side, solved in fractions.

    Attributes
    ----------
    rules : RuleSet
    left : int
        Pieces that may be left on each side.
    graph
        The states and their moves, as numbers.
    fractions
        The probabilities of all states, over a common denominator.
    rounds : int
        How often the equations were solved.
    seconds : float

    Examples
    --------
    >>> import urcx
    >>> found = urcx.solve_exactly("finkel", endings=1)
    >>> found.states, found.left, str(found.start)
    (217, 1, '-/-/6-6/L')
    """

    rules: RuleSet
    left: int
    graph: StateGraph
    fractions: Fractions
    rounds: int
    seconds: float

    @property
    def states(self) -> int:
        """Return the number of unfinished states: mover views where both sides are alike."""
        return len(self.graph.states)

    @property
    def denominator(self) -> int:
        """Return the common denominator of all probabilities."""
        return self.fractions.denominator

    @property
    def start(self) -> Position:
        """Return the start of the endings: all pieces left are in the start pools."""
        home = self.rules.pieces - self.left
        return Position((), (), (home, home))

    def value(self, position: Position | str | GameLike) -> Fraction:
        """Return the chance that the player to move wins in a position, its notation or a game.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        OutOfDomainError
            If more pieces are left than were solved.
        """
        position = as_position(position, self.rules)
        check(position, self.rules.path, self.rules.pieces)
        own, other = position.home if position.light_to_move else position.home[::-1]
        if self.rules.pieces in (own, other):
            return Fraction(int(own == self.rules.pieces))
        return self._value(self._inner(position))

    def best_moves(self, position: Position | str | GameLike, roll: int) -> tuple[ExactMove, ...]:
        """Return the legal moves for a roll with their values, best first; none for a pass.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set, or the game is over.
        OutOfDomainError
            If more pieces are left than were solved.
        UsageError
            If the dice cannot give the roll.
        """
        position = as_position(position, self.rules)
        check_open(position, self.rules)
        self._inner(position)
        values = []
        for move in legal_moves(position, roll, self.rules):
            value = self.value(move.position)
            same = move.position.light_to_move == position.light_to_move
            values.append((move, value if same else 1 - value))
        best = max((value for _, value in values), default=Fraction(0))
        ranked = sorted(values, key=lambda item: -item[1])
        return tuple(ExactMove(move, value, best - value) for move, value in ranked)

    def all_moves(self, position: Position | str) -> tuple[ExactRoll, ...]:
        """Return the moves of every roll, the best first; nothing where the game is over.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        OutOfDomainError
            If more pieces are left than were solved.
        """
        position = as_position(position)
        if self.rules.pieces in position.home:
            return ()
        return tuple(
            ExactRoll(roll, item)
            for roll in self.rules.dice.rolls
            for item in self.best_moves(position, roll) or (None,)
        )

    @property
    def tied(self) -> int:
        """Return in how many states and rolls two moves are worth exactly the same."""
        return sum(item.tied for item in self.ties)

    def policy(self) -> Iterator[ExactState]:
        """Yield every state with its best moves; with light to move if both sides are alike."""
        for k in range(self.states):
            position = self._outer(k)
            starts = {}
            for r, roll in enumerate(self.rules.dice.rolls):
                moves = legal_moves(position, roll, self.rules)
                worth = self.graph.worth(k, r, self.fractions)
                best = max(worth)
                starts[roll] = tuple(
                    move.start
                    for move, value in zip(moves, worth, strict=bool(moves))
                    if value == best
                )
            value = Fraction(self.fractions.numerators[k], self.denominator)
            yield ExactState(position, value, starts)

    @cached_property
    def ties(self) -> tuple[Ties, ...]:
        """Return the ties for each pair of numbers of pieces left, fewest first."""
        groups: dict[Pair, list[int]] = {}
        for k in range(self.states):
            home = self._outer(k).home
            few, many = sorted(self.rules.pieces - n for n in home)
            groups.setdefault((many, few), []).append(k)
        return tuple(self._ties(left, groups[left]) for left in sorted(groups, key=_by_total))

    def _ties(self, left: Pair, states: list[int]) -> Ties:
        common = self.denominator
        divisor = common
        decisions = tied = best_tied = 0
        least: tuple[int, int, int] | None = None
        example = None
        for k in states:
            if divisor > 1:
                divisor = gcd(divisor, self.fractions.numerators[k])
            for r in range(len(self.graph.chances)):
                worth = sorted(self.graph.worth(k, r, self.fractions))
                if len(worth) < 2:
                    continue
                decisions += 1
                steps = [high - low for low, high in zip(worth, worth[1:], strict=False)]
                if not all(steps):
                    tied += 1
                    example = (k, r) if example is None else example
                best_tied += steps[-1] == 0
                for step in steps:
                    if step and (least is None or step < least[0]):
                        least = (step, k, r)
        return Ties(
            left,
            len(states),
            common // divisor,
            decisions,
            tied,
            best_tied,
            None if least is None else Fraction(least[0], common),
            None if least is None else self._place(*least[1:]),
            None if example is None else self._place(*example),
        )

    def _place(self, k: int, r: int) -> tuple[Position, int]:
        return self._outer(k), self.rules.dice.rolls[r]

    def _value(self, inner: Position) -> Fraction:
        k = int(self.graph.local[self.graph.order.index(inner)])
        return Fraction(self.fractions.numerators[k], self.denominator)

    def _inner(self, position: Position) -> Position:
        return as_ending(position, self.rules, self.left)

    def _outer(self, k: int) -> Position:
        """Return a state as a position of the rule set."""
        off = self.rules.pieces - self.left
        inner = self.graph.order.ranking.unrank(int(self.graph.states[k]))
        return replace(inner, home=(inner.home[0] + off, inner.home[1] + off))


def as_ending(position: Position, rules: RuleSet, left: int) -> Position:
    """Return an ending as a position of the game with ``left`` pieces a side.

    Raises
    ------
    PositionError
        If the position breaks a rule of the rule set.
    OutOfDomainError
        If a side has more than ``left`` pieces that are not home.
    """
    check(position, rules.path, rules.pieces)
    off = rules.pieces - left
    home = position.home[0] - off, position.home[1] - off
    if min(home) < 0:
        raise OutOfDomainError(
            f"{position} has more than {left} pieces left on a side; take more with --endings"
        )
    return replace(position, home=home)


def _by_total(left: Pair) -> tuple[int, Pair]:
    return sum(left), left
