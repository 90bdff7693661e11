"""Quantities of perfect play, computed from endings small enough to be solved on demand.

Whatever occurs in an ending occurs in the full game. Endings with k pieces left on each side are
the whole game with k pieces; those in which one side has a single piece left depend only on each
other.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from urcx.published.rounding import Params, Worded
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, parse_position

TOLERANCE = 1e-12
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10)  # that the sources may refer to
STEPS_16_BITS = 65_535


@cache
def _solved(rules: RuleSet) -> Any:
    from urcx.solving.layered.solver import solve_layers
    from urcx.solving.layered.stores import MemoryStore

    store = MemoryStore(keep=True)
    solve_layers(rules, store)
    return store


@cache
def _closeness(name: str, tolerances: tuple[float, ...]) -> Any:
    """Return the action gaps in the endings in which one side has one piece left."""
    from urcx.engine.threads import chosen_threads
    from urcx.solving.closeness import closeness
    from urcx.solving.layered.order import LayerOrder
    from urcx.solving.layered.solver import solve_pair
    from urcx.solving.layered.stores import MemoryStore

    order = LayerOrder(catalogue.ruleset(name))
    last = order.rules.pieces - 1
    store = MemoryStore(keep=True)
    for layers in order.pairs:
        if max(layers[0]) == last:
            solve_pair(order, layers, store, TOLERANCE, chosen_threads(None))
    return closeness(order, store, tolerances=tolerances, home=last)


def close(params: Params) -> str:
    """Return the number of states and rolls of the endings with an action gap that small.

    ``tolerance`` is the winning probability in per cent; 0 counts equal values. With ``whether``,
    returns only whether there are any.
    """
    gaps = _closeness(params["rules"], TOLERANCES)
    tolerance = float(params["tolerance"])
    if not tolerance:
        number = gaps.equal
    else:
        chance = tolerance / 100
        # The tolerances are powers of ten, but dividing by 100 may change the last bit.
        nearest = min(TOLERANCES, key=lambda known: abs(math.log(known / chance)))
        number = gaps.within[nearest]
    if not number:
        return "none"
    return "some" if "whether" in params else f"{number:,} of {gaps.choices:,}"


def tolerance(params: Params) -> Fraction:
    """Return a percentage as printed, or with ``of`` 1 as a probability."""
    return Fraction(Decimal(params["percent"])) * Fraction(params["of"]) / 100


def storage_order(params: Params) -> int:
    """Return the power of ten nearest to the step between 16-bit values, in per cent or ``of``."""
    return round(math.log10(params["of"] / STEPS_16_BITS))


def key_bits(params: Params) -> int:
    """Return the number of bits of a state's key in the files of the report's program."""
    from urcx.solving.files.rgu_keys import Keys
    from urcx.solving.layered.order import LayerOrder

    return Keys(LayerOrder(catalogue.ruleset(params["rules"]))).bits


def moves_by_value(
    rules_name: str, position: str, roll: int, left: int | None = None
) -> list[tuple[float, int]]:
    """Return the winning probability and the start of each legal move, best first.

    Pieces at home are removed on both sides, so the game to be solved has as many pieces as the
    side with more has left, or ``left`` if the position has pieces in the pool.
    """
    from urcx.engine.moves import legal_moves
    from urcx.solving.layered.order import LayerOrder

    full, where = catalogue.ruleset(rules_name), parse_position(position)
    left = left or full.pieces - min(where.home)
    rules = replace(full, pieces=left)
    gone = min(where.home)
    at = replace(where, home=(where.home[0] - gone, where.home[1] - gone))
    order, store = LayerOrder(rules), _solved(rules)

    def value(after: Position) -> float:
        layer, state = order.place(after)
        chance = float(store.layers[layer][0][state])
        return chance if after.light_to_move == at.light_to_move else 1.0 - chance

    moves = [(value(move.position), move.start) for move in legal_moves(at, roll, rules)]
    return sorted(moves, reverse=True)


def better_move(params: Params) -> Worded:
    """Return which of two moves for a roll perfect play prefers, for each number of pieces left."""
    first, second = params["starts"]
    better, texts = set(), []
    for left in params["left"]:
        values = {
            start: value
            for value, start in moves_by_value(
                params["rules"], params["position"], params["roll"], left
            )
        }
        better.add("the second" if values[second] > values[first] else "the first")
        texts.append(f"{values[second]:.4f} to {values[first]:.4f} with {left} left")
    return Worded(" or ".join(sorted(better)), ", ".join(texts))
