"""Perfect play in exact fractions, for rule sets and endings of few states.

Values. In mover view, x(s) = sum_r P(r) max_a y(s, r, a), the chance that the player to move wins:
y is x after the move where the mover rolls again, 1 - x where the turn passes, and 1 once the game
is won.

Method. Policy iteration (R. A. Howard, 1960; for two players, both at once). A choice of one move
for each state and roll turns this into linear equations, which `urcx.solving.exact.lifting` solves
exactly. States are numbered by the steps that all pieces have gone, home counted as one step more
than the path has, most first: a move that captures nothing leads to an earlier state, a pass to the
same diagram with the other side to move, and only a capture can lead to a later state. Few states
follow a capture, so that a small dense system is left of the equations. The first choice is the
best by the 64-bit values of `urcx.solving.general.solver`; wherever a move is better by the exact
values, the best one is taken instead, and the equations are solved again.

Proof. The end is reached when no state and roll has a move that is better, compared as integers
over the common denominator: the values then satisfy the equation above exactly. Its solution is
unique, and is what perfect play is worth, if the game ends with probability 1 whatever both sides
do. That is looked at too: a state ends if for some roll every move leads to the end of the game or
to a state that ends, and all states must. So neither the 64-bit values nor the way to the last
choice of moves is leant on.

Ties. Two moves are tied if their values are the same fraction. Of tied best moves all are listed.

Endings. Pieces at home take no part in the game any more. With k pieces left of each side, it is
that of k pieces a side.
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
from urcx.rules.position import Position, as_position, check
from urcx.solving.exact.equations import (
    Game,
    IntArray,
    best_by,
    common_scale,
    ends,
    equations,
    game_of,
    worth_of,
)
from urcx.solving.exact.lifting import Fractions, solve_in_fractions
from urcx.solving.general.solver import general_order, solve_general

Pair = tuple[int, int]

MOST_STATES = 30_000
COPIES = 3  # of the numerators, in digits and in limbs, for the estimate of memory
DIGITS_TO_FIND = 3.3  # times the denominator's: numerators, denominators, and both again
MOST_LOOPS = 6_000  # states that follow a capture; some ten minutes
MOST_SCALE = 1 << 20  # common denominator of the dice's chances
MOST_ROUNDS = 50


@dataclass(frozen=True)
class ExactMove:
    """A legal move, the mover's chance of winning after it, and how much that is below the best."""

    move: Move
    value: Fraction
    regret: Fraction


@dataclass(frozen=True)
class ExactState:
    """A state, the chance that the player to move wins, and where each roll's best moves start.

    ``starts`` has all steps that a best move starts from, 0 for the pool, ascending; none for a
    pass.
    """

    position: Position
    value: Fraction
    starts: dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Ties:
    """How the moves compare in the states with some numbers of pieces left, the greater first.

    ``denominator`` is common to the states' chances. Of ``decisions``, states and rolls with at
    least two moves, ``tied`` have two moves that are worth exactly the same, and ``best_tied`` two
    best ones. ``smallest`` is the least difference above 0 between two moves of a decision, found
    at ``place``; None without any.
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
    """A rule set, or its endings with ``left`` pieces of each side, solved in fractions.

    The chances of all states have the common ``denominator``. ``rounds`` is how often the equations
    were solved.
    """

    rules: RuleSet
    left: int
    game: Game
    fractions: Fractions
    rounds: int
    seconds: float

    @property
    def states(self) -> int:
        """Return the number of unfinished states: mover views where both sides are alike."""
        return len(self.game.states)

    @property
    def denominator(self) -> int:
        """Return the common denominator of all chances."""
        return self.fractions.denominator

    @property
    def start(self) -> Position:
        """Return the position with all pieces that are not home in the start pools."""
        home = self.rules.pieces - self.left
        return Position((), (), (home, home))

    def value(self, position: Position | str) -> Fraction:
        """Return the chance that the player to move wins in a position, or a text in notation.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        OutOfDomainError
            If more pieces are left than were solved.
        """
        position = as_position(position)
        check(position, self.rules.path, self.rules.pieces)
        own, other = position.home if position.light_to_move else position.home[::-1]
        if self.rules.pieces in (own, other):
            return Fraction(int(own == self.rules.pieces))
        return self._value(self._inner(position))

    def best_moves(self, position: Position | str, roll: int) -> tuple[ExactMove, ...]:
        """Return the legal moves for a roll with their values, the best first; none for a pass.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set, or the game is over.
        OutOfDomainError
            If more pieces are left than were solved.
        UsageError
            If the dice cannot give the roll.
        """
        position = as_position(position)
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

    def policy(self) -> Iterator[ExactState]:
        """Yield every state with its best moves; light to move where both sides are alike."""
        for k in range(self.states):
            position = self._outer(k)
            starts = {}
            for r, roll in enumerate(self.rules.dice.rolls):
                moves = legal_moves(position, roll, self.rules)
                worth = self.game.worth(k, r, self.fractions)
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
        """Return how moves compare, for each pair of numbers of pieces left, the fewest first."""
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
            for r in range(len(self.game.chances)):
                worth = sorted(self.game.worth(k, r, self.fractions))
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
        k = int(self.game.local[self.game.order.index(inner)])
        return Fraction(self.fractions.numerators[k], self.denominator)

    def _inner(self, position: Position) -> Position:
        return as_ending(position, self.rules, self.left)

    def _outer(self, k: int) -> Position:
        """Return a state as a position of the rule set."""
        off = self.rules.pieces - self.left
        inner = self.game.order.ranking.unrank(int(self.game.states[k]))
        return replace(inner, home=(inner.home[0] + off, inner.home[1] + off))


def as_ending(position: Position, rules: RuleSet, left: int) -> Position:
    """Return a position as it is in the game with ``left`` pieces a side.

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
    """Solve a rule set in exact fractions, with a proof that they are perfect play's.

    Parameters
    ----------
    rules
        A rule set or its name; any path.
    endings
        Solve only the states with at most so many pieces left of each side.
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
    game = game_of(inner, general_order(inner))
    if not ends(game):
        raise UrcxError(f"a game of {chosen.name} need not end, so nothing would prove its values")
    again = len(game.loops())
    if again > MOST_LOOPS:
        raise TooLargeError(
            f"{again:,} states of {inner.name} with {left} pieces a side follow a capture; exact "
            f"fractions are found for up to {MOST_LOOPS:,}: take fewer pieces with -p or --endings"
        )
    choice = best_by(game, solve_general(inner)[2])
    digits = round(len(game.states) * bits_a_state(inner) / 31 * DIGITS_TO_FIND)
    for rounds in range(1, MOST_ROUNDS + 1):
        update = stage(f"solving {chosen.name} in fractions", digits, "digits")
        fractions = solve_in_fractions(equations(game, choice), update)
        if not _improve(game, fractions, choice):
            seconds = clock() - began
            return ExactSolution(chosen, left, game, fractions, rounds, seconds)
    raise UrcxError(f"moves still improve after {MOST_ROUNDS} rounds")


def check_left(rules: RuleSet, endings: int | None) -> RuleSet:
    """Return the rule set with no more pieces than are left in the endings.

    Raises
    ------
    UsageError
        If the rule set has fewer pieces.
    TooLargeError
        If there are too many states, or too little memory.
    """
    left = rules.pieces if endings is None else endings
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
    """Return how many bits each state adds to the common denominator, at most, as found."""
    return 0.95 * max(log2(common_scale(rules)), 1.0)


def _improve(game: Game, fractions: Fractions, choice: IntArray) -> bool:
    """Choose the best move wherever the one chosen is not; return whether there was any."""
    better = False
    for at in np.flatnonzero(np.diff(game.first) > 1):
        first, last = int(game.first[at]), int(game.first[at + 1])
        worth = [worth_of(int(o), fractions) for o in game.options[first:last]]
        best = max(worth)
        if worth[choice[at] - first] < best:
            choice[at] = first + worth.index(best)
            better = True
    return better
