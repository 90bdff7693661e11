"""Optimal play in exact fractions, for rule sets and endings with few states.

Values. In canonical view, x(s) = sum_r P(r) max_a y(s, r, a) is the win probability of the player
to move. Here y is x of the successor after an extra roll, 1 - x of the successor if the turn
passes, and 1 if the move wins the game.

Method. Policy iteration (R. A. Howard, 1960) for both players at once. A policy, one move for each
state and roll, turns this into linear equations, which `urcx.contrib.exact.equations` solves
exactly. States are numbered in descending order of progress, the sum of the steps of all pieces
with home as step L + 1. A move without capture leads to an earlier state, a pass to the same
configuration with the other side to move, and only a capture can lead to a later state. So a few
sweeps in this order solve the equations in floats. The first policy is the best one by the 64-bit
values of `urcx.solving.general.solver`. If the exact values show a better move, the best move
replaces it, and the equations are solved again.

Proof. The iteration ends when no state and roll has a better move, compared as integers over the
common denominator. Then the values satisfy the equation above exactly. Its solution is unique, and
it is the value of optimal play, if the game ends with probability 1 for all ways of playing. This
condition is checked, too: a state ends if, for some roll, every move leads to the end of the game
or to a state that ends. All states must end. So the proof does not depend on the 64-bit values
or on the course of the iteration.

Endings. Pieces at home no longer take part in the game. An ending with k pieces left per side is a
position of the game with k pieces per side.
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
COPIES = 5  # of all values, in memory: values of twice the length, their digits, and numerators
MOST_SCALE = 1 << 20  # common denominator of the probabilities of the rolls
MOST_ROUNDS = 50
SECONDS = 1e-7  # per square of the number of states, because digits grow with it


def solve_exactly(
    rules: str | RuleSet = "finkel", endings: int | None = None, *, stage: Stage = no_progress
) -> ExactSolution:
    """Solve a rule set in exact fractions, with a proof that they are the values of optimal play.

    Parameters
    ----------
    rules
        A rule set or its name, with any path.
    endings
        Solve only the states with at most this number of pieces left per side.
    stage
        Called at the start of each part of the work.

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
        If a game can last for ever.

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
    rule_set = catalogue.ruleset(rules)
    began = compute_clock()
    inner = check_left(rule_set, endings)
    left = inner.pieces
    graph = state_graph(inner, general_order(inner))
    if not ends(graph):
        raise UrcxError(f"a game of {rule_set.name} need not end, so its values cannot be proven")
    choice = best_by(graph, solve_general(inner)[2])
    bits = round(2 * len(graph.states) * bits_a_state(inner))
    for rounds in range(1, MOST_ROUNDS + 1):
        update = stage(f"solving {rule_set.name} in fractions", bits, "bits")
        fractions = solve_in_fractions(equations(graph, choice), update)
        if not _improve(graph, fractions, choice):
            seconds = compute_clock() - began
            return ExactSolution(rule_set, left, graph, fractions, rounds, seconds)
    raise UrcxError(f"moves still improve after {MOST_ROUNDS} rounds")


def check_left(rules: RuleSet, endings: int | None) -> RuleSet:
    """Return the rule set with the number of pieces left in the endings.

    Raises
    ------
    UsageError
        If the rule set has fewer pieces.
    TooLargeError
        If there are too many states, or too little memory.
    """
    left = rules.pieces if endings is None else catalogue.as_integer("endings", endings)
    if not 1 <= left <= rules.pieces:
        raise UsageError(f"endings {left}: must be from 1 to {rules.pieces} ({rules.name})")
    inner = replace(rules, pieces=left)
    _check_size(inner)
    return inner


def _check_size(rules: RuleSet) -> None:
    """Raise `TooLargeError` if a rule set is too large to be solved in fractions."""
    convention = (
        "diagrams, finished left out" if rules.path.symmetric else "positions, finished left out"
    )
    states = tiles.conventions(rules.path, rules.pieces)[convention]
    game = f"{rules.full_name} per side"
    advice = "choose fewer pieces with -p or --endings"
    scale = common_scale(rules)
    if scale > MOST_SCALE:
        raise TooLargeError(
            f"the probabilities of the dice {rules.dice.name} have the common denominator "
            f"{scale:,}: must be at most {MOST_SCALE:,} for exact fractions"
        )
    bits = states * bits_a_state(rules)
    if states > MOST_STATES:
        raise TooLargeError(
            f"{game} has {states:,} states with fractions of about {round(bits / 3.32):,} digits "
            f"each: must be at most {MOST_STATES:,} states. To do less: {advice}"
        )
    check_memory(round(states * bits / 8 * COPIES) + 200_000_000, f"{game} in fractions", advice)


def bits_a_state(rules: RuleSet) -> float:
    """Return the most bits that each state adds to the common denominator, by experience."""
    return 0.95 * max(log2(common_scale(rules)), 1.0)


def _improve(graph: StateGraph, fractions: Fractions, choice: IntArray) -> bool:
    """Improve the policy where a better move exists, and return whether there is one."""
    better = False
    for at in np.flatnonzero(np.diff(graph.first) > 1):
        first, last = int(graph.first[at]), int(graph.first[at + 1])
        worth = [worth_of_unknown(int(o), fractions) for o in graph.options[first:last]]
        best = max(worth)
        if worth[choice[at] - first] < best:
            choice[at] = first + worth.index(best)
            better = True
    return better
