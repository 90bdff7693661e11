"""Perfect play in exact fractions, for rule sets and endings with few states.

Values. In mover view, x(s) = sum_r P(r) max_a y(s, r, a) is the probability that the player to move
wins; y is x of the successor after an extra roll, 1 - x of the successor if the turn passes, and 1
if the move wins the game.

Method. Policy iteration (R. A. Howard, 1960; for two players, both at once). A policy, one move for
each state and roll, turns this into linear equations, which `urcx.solving.exact.lifting` solves
exactly. States are numbered in descending order of progress, the sum of the steps of all pieces
with home as step L + 1: a move without capture leads to an earlier state, a pass to the same
diagram with the other side to move, and only a capture can lead to a later state. Few states follow
a capture, so the equations reduce to a small dense system. The first policy is the best by the
64-bit values of `urcx.solving.general.solver`; wherever the exact values show a better move, the
best one replaces it, and the equations are solved again.

Proof. The iteration ends when no state and roll has a better move, compared as integers over the
common denominator: the values then satisfy the equation above exactly. Its solution is unique, and
is the value of perfect play, if the game ends with probability 1 however both sides play. That is
checked too: a state ends if for some roll every move leads to the end of the game or to a state
that ends, and all states must. So the proof relies neither on the 64-bit values nor on the course
of the iteration.

Ties. Two moves are tied if their values are the same fraction. All tied best moves are listed.

Endings. Pieces at home no longer take part in the game. An ending with k pieces left on each side
is a position of the game with k pieces a side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, log2

import numpy as np

from urcx.complexity import tiles
from urcx.engine.compiling import clock
from urcx.engine.memory import check_memory
from urcx.engine.moves import Move, check_open, legal_moves
from urcx.engine.threads import Stage, silent
from urcx.errors import OutOfDomainError, TooLargeError, UrcxError, UsageError
from urcx.results import Result
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import GameLike, Position, as_position, check
from urcx.solving.exact.equations import (
    IntArray,
    StateGraph,
    best_by,
    common_scale,
    ends,
    equations,
    state_graph,
    worth_of,
)
from urcx.solving.exact.lifting import Fractions, solve_in_fractions
from urcx.solving.general.solver import general_order, solve_general

Pair = tuple[int, int]

MOST_STATES = 30_000
COPIES = 3  # of the numerators, as digits and as limbs, for the memory estimate
DIGITS_TO_FIND = 3.3  # times the denominator's length: numerators and denominators, and both again
MOST_LOOPS = 6_000  # states that follow a capture; they take some ten minutes
MOST_SCALE = 1 << 20  # common denominator of the probabilities of the rolls
MOST_ROUNDS = 50


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


def solve_exactly(
    rules: str | RuleSet = "finkel", endings: int | None = None, *, stage: Stage = silent
) -> ExactSolution:
    """Solve a rule set in exact fractions, with a proof that they are the values of perfect play.

    Parameters
    ----------
    rules
        A rule set or its name; any path.
    endings
        Solve only the states with at most so many pieces left on each side.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    ExactSolution

    Raises
    ------
    UnknownNameError, UsageError
        If there is no such rule set, or it has fewer pieces than ``endings``.
    TooLargeError
        If there are too many states, or too little memory.
    UrcxError
        If the game need not end.

    Examples
    --------
    >>> import urcx
    >>> found = urcx.solve_exactly("finkel", endings=1)
    >>> found.value("13/14/6-6/L")
    Fraction(116, 161)
    >>> [(item.move.start, item.regret) for item in found.best_moves("13/14/6-6/L", 1)]
    [(13, Fraction(0, 1))]
    """
    chosen = catalogue.ruleset(rules)
    began = clock()
    inner = check_left(chosen, endings)
    left = inner.pieces
    graph = state_graph(inner, general_order(inner))
    if not ends(graph):
        raise UrcxError(f"a game of {chosen.name} need not end, so nothing would prove its values")
    again = len(graph.loops())
    if again > MOST_LOOPS:
        raise TooLargeError(
            f"{again:,} states of {inner.name} with {left} pieces a side follow a capture; exact "
            f"fractions are found for up to {MOST_LOOPS:,}: take fewer pieces with -p or --endings"
        )
    choice = best_by(graph, solve_general(inner)[2])
    digits = round(len(graph.states) * bits_a_state(inner) / 31 * DIGITS_TO_FIND)
    for rounds in range(1, MOST_ROUNDS + 1):
        update = stage(f"solving {chosen.name} in fractions", digits, "digits")
        fractions = solve_in_fractions(equations(graph, choice), update)
        if not _improve(graph, fractions, choice):
            seconds = clock() - began
            return ExactSolution(chosen, left, graph, fractions, rounds, seconds)
    raise UrcxError(f"moves still improve after {MOST_ROUNDS} rounds")


def check_left(rules: RuleSet, endings: int | None) -> RuleSet:
    """Return the rule set with as many pieces as are left in the endings.

    Raises
    ------
    UsageError
        If the rule set has fewer pieces.
    TooLargeError
        If there are too many states, or too little memory.
    """
    left = rules.pieces if endings is None else catalogue.whole("endings", endings)
    if not 1 <= left <= rules.pieces:
        raise UsageError(f"endings {left}: {rules.name} has 1 to {rules.pieces} pieces left")
    inner = replace(rules, pieces=left)
    check_size(inner)
    return inner


def check_size(rules: RuleSet) -> None:
    """Raise `TooLargeError` if a rule set is too large to be solved in fractions."""
    kind = "diagrams, finished left out" if rules.path.symmetric else "positions, finished left out"
    states = tiles.conventions(rules.path, rules.pieces)[kind]
    what = f"{rules.name} with {rules.pieces} pieces a side"
    advice = "take fewer pieces with -p or --endings"
    scale = common_scale(rules)
    if scale > MOST_SCALE:
        raise TooLargeError(
            f"the chances of the dice {rules.dice.name} have the common denominator {scale:,}; "
            f"exact fractions are found for up to {MOST_SCALE:,}"
        )
    bits = states * bits_a_state(rules)
    if states > MOST_STATES:
        raise TooLargeError(
            f"{what} has {states:,} states with fractions of some {round(bits / 3.32):,} digits "
            f"each; exact fractions are found for up to {MOST_STATES:,} states: {advice}"
        )
    check_memory(round(states * bits / 8 * COPIES) + 200_000_000, f"{what} in fractions", advice)


def bits_a_state(rules: RuleSet) -> float:
    """Return how many bits each state adds to the common denominator at most, by experience."""
    return 0.95 * max(log2(common_scale(rules)), 1.0)


def _improve(graph: StateGraph, fractions: Fractions, choice: IntArray) -> bool:
    """Improve the policy wherever a better move exists; return whether there was one."""
    better = False
    for at in np.flatnonzero(np.diff(graph.first) > 1):
        first, last = int(graph.first[at]), int(graph.first[at + 1])
        worth = [worth_of(int(o), fractions) for o in graph.options[first:last]]
        best = max(worth)
        if worth[choice[at] - first] < best:
            choice[at] = first + worth.index(best)
            better = True
    return better
