"""Perfect play in exact fractions, for rule sets and endings of few states.

Values. In mover view, x(s) = sum_r P(r) max_a y(s, r, a), the chance that the player to move wins:
y is x after the move where the mover rolls again, 1 - x where the turn passes, and 1 once the game
is won.

Method. Policy iteration (R. A. Howard, 1960; for two players, both at once). A choice of one move
for each state and roll turns this into linear equations, which `urcx.solve.lifting` solves exactly.
States are numbered by the steps that all pieces have gone, home counted as one step more than the
path has, most first: a move that captures nothing leads to an earlier state, a pass to the same
diagram with the other side to move, and only a capture can lead to a later state. Few states follow
a capture, so that a small dense system is left of the equations. The first choice is the best by
the 64-bit values of `urcx.solve.general`; wherever a move is better by the exact values, the best
one is taken instead, and the equations are solved again.

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

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from urcx.complexity import tiles
from urcx.engine.memory import check_memory, size_text
from urcx.engine.moves import Move, check_open, legal_moves, tables
from urcx.engine.threads import Stage, silent
from urcx.errors import OutOfDomainError, TooLargeError, UrcxError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, check
from urcx.solve import general_kernels
from urcx.solve.general import GeneralOrder, solve_general
from urcx.solve.lifting import Fractions, System, loops, solve_in_fractions

IntArray = NDArray[np.int64]
Pair = tuple[int, int]

MOST_STATES = 30_000
BITS_A_STATE = 3.8  # of the common denominator, as found
MOST_SCALE = 1 << 20  # common denominator of the dice's chances
MOST_ROUNDS = 50


@dataclass(frozen=True)
class ExactMove:
    """A legal move, the mover's chance of winning after it, and how much that is below the best."""

    move: Move
    value: Fraction
    regret: Fraction


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
class ExactSolution:
    """A rule set, or its endings with ``left`` pieces of each side, solved in fractions.

    The chances of all states have the common ``denominator``. ``rounds`` is how often the equations
    were solved.
    """

    rules: RuleSet
    left: int
    game: _Game
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

    def value(self, position: Position) -> Fraction:
        """Return the chance that the player to move wins.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        OutOfDomainError
            If more pieces are left than were solved.
        """
        check(position, self.rules.path, self.rules.pieces)
        own, other = position.home if position.light_to_move else position.home[::-1]
        if self.rules.pieces in (own, other):
            return Fraction(int(own == self.rules.pieces))
        return self._value(self._inner(position))

    def best_moves(self, position: Position, roll: int) -> tuple[ExactMove, ...]:
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

    def positions(self) -> Iterator[Position]:
        """Yield every state as a position: light to move where both sides are alike."""
        for k in range(self.states):
            yield self._outer(k)

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
        """Return a position as it is with ``left`` pieces a side."""
        off = self.rules.pieces - self.left
        home = position.home[0] - off, position.home[1] - off
        if min(home) < 0:
            raise OutOfDomainError(
                f"{position} has more than {self.left} pieces left on a side; "
                "only endings with fewer were solved"
            )
        return replace(position, home=home)

    def _outer(self, k: int) -> Position:
        """Return a state as a position of the rule set."""
        off = self.rules.pieces - self.left
        state = int(self.game.states[k])
        order = self.game.order
        inner = order.ranking.unrank(state if order.alike else state // 2)
        home = inner.home[0] + off, inner.home[1] + off
        return replace(inner, home=home, light_to_move=order.alike or state % 2 == 0)


def _by_total(left: Pair) -> tuple[int, Pair]:
    return sum(left), left


@dataclass(frozen=True)
class _Game:
    """Unfinished states, numbered for the equations, and what each leads to.

    ``states[k]`` is the index of state k in ``order``, ``local`` the other way round, and
    ``partner[k]`` the state with the other side to move. Moves of state k with the r-th roll are
    ``options[first[k * R + r] : first[k * R + r + 1]]``: `general_kernels.WON`, or twice the state
    after the move, plus 1 if the turn passes. ``chances`` are the rolls', times ``scale``.
    """

    order: GeneralOrder
    states: IntArray
    local: IntArray
    partner: IntArray
    first: IntArray
    options: IntArray
    chances: IntArray
    scale: int

    def worth(self, k: int, r: int, fractions: Fractions) -> list[int]:
        """Return what the moves of a state and roll are worth, times the common denominator."""
        at = k * len(self.chances) + r
        return [_worth(int(o), fractions) for o in self.options[self.first[at] : self.first[at + 1]]]


def _worth(option: int, fractions: Fractions) -> int:
    if option == general_kernels.WON:
        return fractions.denominator
    after = fractions.numerators[option >> 1]
    return fractions.denominator - after if option & 1 else after


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

    Raises
    ------
    UnknownNameError, UsageError
        If there is no such rule set, or it has fewer pieces than ``endings``.
    TooLargeError
        If there are too many states, or too little memory.
    UrcxError
        If the game need not end.
    """
    chosen = catalogue.ruleset(rules) if isinstance(rules, str) else rules
    left = chosen.pieces if endings is None else endings
    if not 1 <= left <= chosen.pieces:
        raise UsageError(f"endings {left}: {chosen.name} has 1 to {chosen.pieces} pieces left")
    began = time.perf_counter()
    inner = replace(chosen, pieces=left)
    check_size(inner)
    _, order, values = solve_general(inner)
    game = _game(inner, order)
    if not _ends(game):
        raise UrcxError(f"a game of {chosen.name} need not end, so that its values are not proven")
    choice = _best_by(game, values)
    seen = len(game.states) * BITS_A_STATE
    for rounds in range(1, MOST_ROUNDS + 1):
        update = stage(f"solving {chosen.name} in fractions", round(seen * 3.3 / 31), "digits")
        fractions = solve_in_fractions(_equations(game, choice), update)
        if not _improve(game, fractions, choice):
            seconds = time.perf_counter() - began
            return ExactSolution(chosen, left, game, fractions, rounds, seconds)
    raise UrcxError(f"moves still improve after {MOST_ROUNDS} rounds")


def check_size(rules: RuleSet) -> None:
    """Raise `TooLargeError` if a rule set is too large to be solved in fractions."""
    kind = "diagrams, finished left out" if rules.path.symmetric else "positions, finished left out"
    states = tiles.conventions(rules.path, rules.pieces)[kind]
    digits = round(states * BITS_A_STATE / 3.32)
    needed = round(states * states * BITS_A_STATE / 8 * 3) + 200_000_000
    if states > MOST_STATES:
        raise TooLargeError(
            f"{rules.name} with {rules.pieces} pieces a side has {states:,} states, with fractions "
            f"of some {digits:,} digits that would take {size_text(needed)}; exact fractions are "
            f"found for up to {MOST_STATES:,} states: take fewer pieces with -p or --endings"
        )
    check_memory(needed, f"{rules.name} in fractions", "take fewer pieces with -p or --endings")
    scale = lcm(*(p.denominator for p in rules.dice.probabilities))
    if scale > MOST_SCALE:
        raise TooLargeError(
            f"the chances of the dice {rules.dice.name} have the common denominator {scale:,}; "
            f"exact fractions are found for up to {MOST_SCALE:,}"
        )


def _game(rules: RuleSet, order: GeneralOrder) -> _Game:
    """Return the states of a rule set as they are numbered for the equations."""
    arrays = tables(rules)
    n = order.ranking.size
    homes = np.empty((n, 2), np.int16)
    steps = np.empty(n, np.int32)
    general_kernels.describe(order.ways_left, order.first, order.steps, 0, n, homes, steps)
    gone = steps + homes @ np.array([len(rules.path.light) + 1, len(rules.path.dark) + 1])
    unfinished = np.flatnonzero((homes < rules.pieces).all(1))
    if order.alike:
        states = unfinished
        turned = np.array(
            [order.ranking.rank(order.ranking.unrank(int(k)).turned()) for k in unfinished]
        )
    else:
        states = np.repeat(2 * unfinished, 2) + np.tile([0, 1], len(unfinished))
        turned = states ^ 1
        gone = np.repeat(gone, 2)
    # A state and its partner have gone equally far; sorted by the smaller of both they are
    # neighbours.
    sort = np.lexsort((np.minimum(states, turned), -gone[states]))
    states, turned = states[sort].astype(np.int64), turned[sort]
    local = np.full(order.size, -1)
    local[states] = np.arange(len(states))
    arguments = (
        order.ways_left, order.first, order.steps, arrays.ways, arrays.rolls, order.alike, states,
    )  # fmt: skip
    room = general_kernels.successors(*arguments, np.empty(0, np.int64), np.empty(0, np.int64))
    first_op = np.empty(len(states), np.int64)
    ops: IntArray = np.empty(room, np.int64)
    general_kernels.successors(*arguments, first_op, ops)
    first, options = _options(ops, len(states) * len(arrays.rolls), local)
    scale = lcm(*(p.denominator for p in rules.dice.probabilities))
    chances = np.array([int(p * scale) for p in rules.dice.probabilities], np.int64)
    return _Game(order, states, local, local[turned], first, options, chances, scale)


def _options(ops: IntArray, decisions: int, local: IntArray) -> tuple[IntArray, IntArray]:
    """Return `_Game.first` and `_Game.options` of what `general_kernels.successors` writes."""
    counts = np.empty(decisions, np.int64)
    heads = np.empty(decisions, np.int64)
    at = 0
    for k in range(decisions):
        heads[k], counts[k] = at, ops[at]
        at += 1 + int(ops[at])
    first = np.concatenate([[0], np.cumsum(counts)])
    moves = np.delete(ops, heads)
    won = moves == general_kernels.WON
    after = 2 * local[np.where(won, 0, moves) >> 1] + (moves & 1)
    return first, np.where(won, general_kernels.WON, after)


def _ends(game: _Game) -> bool:
    """Return whether the game ends with probability 1 whatever both sides do."""
    won = game.options == general_kernels.WON
    after = np.where(won, 0, game.options) >> 1
    over = np.zeros(len(game.states), bool)
    while not over.all():
        forced = np.logical_and.reduceat(won | over[after], game.first[:-1])
        now = forced.reshape(len(over), -1).any(1)
        if (now == over).all():
            return False
        over = now
    return True


def _best_by(game: _Game, values: NDArray[np.float64]) -> IntArray:
    """Return for each decision which of `_Game.options` is best by chances of winning."""
    won = game.options == general_kernels.WON
    after = values[game.states][np.where(won, 0, game.options) >> 1]
    worth = np.where(won, 1.0, np.where(game.options & 1, 1.0 - after, after))
    best = np.maximum.reduceat(worth, game.first[:-1])
    found = np.flatnonzero(worth == np.repeat(best, np.diff(game.first)))
    return found[np.searchsorted(found, game.first[:-1])]


def _equations(game: _Game, choice: IntArray) -> System:
    """Return the equations for the chances of winning with a choice of moves."""
    n = len(game.states)
    options = game.options[choice].reshape(n, -1)
    rows = np.broadcast_to(np.arange(n)[:, None], options.shape)
    won = options == general_kernels.WON
    passes = ~won & (options & 1 == 1)
    weights = np.where(won, 0, np.where(passes, -game.chances, game.chances))
    constants = np.where(won | passes, game.chances, 0).sum(1)
    return System(game.scale, np.where(won, rows, options >> 1), weights, constants, game.partner)


def _improve(game: _Game, fractions: Fractions, choice: IntArray) -> bool:
    """Choose the best move wherever the one chosen is not; return whether there was any."""
    better = False
    for at in np.flatnonzero(np.diff(game.first) > 1):
        first, last = int(game.first[at]), int(game.first[at + 1])
        worth = [_worth(int(o), fractions) for o in game.options[first:last]]
        best = max(worth)
        if worth[choice[at] - first] < best:
            choice[at] = first + worth.index(best)
            better = True
    return better
