"""Perfect play in exact fractions, for rule sets and endings with few states.

Values. In mover view, x(s) = sum_r P(r) max_a y(s, r, a) is the probability that the player to move
wins; y is x of the successor after an extra roll, 1 - x of the successor if the turn passes, and 1
if the move wins the game.

Method. Policy iteration (R. A. Howard, 1960; for two players, both at once). A policy, one move for
each state and roll, turns this into linear equations, which `urcx.contrib.exact.equations` solves
exactly. States are numbered in descending order of progress, the sum of the steps of all pieces
with home as step L + 1: a move without capture leads to an earlier state, a pass to the same
diagram with the other side to move, and only a capture can lead to a later state. So a few sweeps
in this order solve the equations in floats. The first policy is the best by the 64-bit values of
`urcx.solving.general.solver`; wherever the exact values show a better move, the best one replaces
it, and the equations are solved again.

Proof. The iteration ends when no state and roll has a better move, compared as integers over the
common denominator: the values then satisfy the equation above exactly. Its solution is unique, and
is the value of perfect play, if the game ends with probability 1 however both sides play. That is
checked too: a state ends if for some roll every move leads to the end of the game or to a state
that ends, and all states must. So the proof relies neither on the 64-bit values nor on the course
of the iteration.

Endings. Pieces at home no longer take part in the game. An ending with k pieces left on each side
is a position of the game with k pieces a side.
"""

from __future__ import annotations

from dataclasses import replace
from math import log2

import numpy as np

from urcx.complexity import tiles
from urcx.contrib.exact.equations import (
    Fractions,
    IntArray,
    StateGraph,
    best_by,
    common_scale,
    ends,
    equations,
    solve_in_fractions,
    state_graph,
    worth_of_unknown,
)
from urcx.contrib.exact.exact_solution import ExactSolution
from urcx.engine.compiling import compute_clock
from urcx.engine.memory import check_memory
from urcx.engine.threads import Stage, no_progress
from urcx.errors import TooLargeError, UrcxError, UsageError, check_functions
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.general.solver import general_order, solve_general

MOST_STATES = 30_000
COPIES = 5  # values of twice the length, their digits, and numerators: for the memory estimate
MOST_SCALE = 1 << 20  # common denominator of the probabilities of the rolls
MOST_ROUNDS = 50
SECONDS = 1e-7  # times the square of the states: digits grow with their number


def solve_exactly(
    rules: str | RuleSet = "finkel", endings: int | None = None, *, stage: Stage = no_progress
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
    >>> from urcx.contrib.exact import solve_exactly
    >>> solution = solve_exactly("finkel", endings=1)
    >>> solution.value("13/14/6-6/L")
    Fraction(116, 161)
    >>> [(item.move.start, item.regret) for item in solution.best_moves("13/14/6-6/L", 1)]
    [(13, Fraction(0, 1))]
    """
    check_functions(stage=stage)
    chosen = catalogue.ruleset(rules)
    began = compute_clock()
    inner = check_left(chosen, endings)
    left = inner.pieces
    graph = state_graph(inner, general_order(inner))
    if not ends(graph):
        raise UrcxError(f"a game of {chosen.name} need not end, so nothing would prove its values")
    choice = best_by(graph, solve_general(inner)[2])
    bits = round(2 * len(graph.states) * bits_a_state(inner))
    for rounds in range(1, MOST_ROUNDS + 1):
        update = stage(f"solving {chosen.name} in fractions", bits, "bits")
        fractions = solve_in_fractions(equations(graph, choice), update)
        if not _improve(graph, fractions, choice):
            seconds = compute_clock() - began
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
    left = rules.pieces if endings is None else catalogue.as_integer("endings", endings)
    if not 1 <= left <= rules.pieces:
        raise UsageError(f"endings {left}: {rules.name} has 1 to {rules.pieces} pieces left")
    inner = replace(rules, pieces=left)
    _check_size(inner)
    return inner


def _check_size(rules: RuleSet) -> None:
    """Raise `TooLargeError` if a rule set is too large to be solved in fractions."""
    kind = "diagrams, finished left out" if rules.path.symmetric else "positions, finished left out"
    states = tiles.conventions(rules.path, rules.pieces)[kind]
    what = f"{rules.full_name} a side"
    advice = "take fewer pieces, or endings of few"
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
        worth = [worth_of_unknown(int(o), fractions) for o in graph.options[first:last]]
        best = max(worth)
        if worth[choice[at] - first] < best:
            choice[at] = first + worth.index(best)
            better = True
    return better
