"""Quantities that perfect play judges, from endings small enough to be solved when asked for.

What is found in endings is found in the full game. With k pieces left on each side they are the
whole game with k pieces; those in which one side has a single piece left depend on each other only.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, parse_position

TOLERANCE = 1e-12
TOLERANCES = (1e-3, 1e-4, 1e-6, 1e-8, 1e-10)  # that sources speak of


@cache
def _solved(rules: RuleSet) -> Any:
    from urcx.solve.solver import MemoryStore, solve_layers  # noqa: PLC0415 - numba is slow

    store = MemoryStore(keep=True)
    solve_layers(rules, store)
    return store


@cache
def _closeness(name: str, tolerances: tuple[float, ...]) -> Any:
    """Return how close moves come in the endings in which one side has one piece left."""
    from urcx.engine.threads import chosen_threads  # noqa: PLC0415 - numba is slow to import
    from urcx.solve.closeness import closeness  # noqa: PLC0415
    from urcx.solve.order import LayerOrder  # noqa: PLC0415
    from urcx.solve.solver import MemoryStore, solve_pair  # noqa: PLC0415

    order = LayerOrder(catalogue.ruleset(name))
    last = order.rules.pieces - 1
    store = MemoryStore(keep=True)
    for layers in order.pairs:
        if max(layers[0]) == last:
            solve_pair(order, layers, store, TOLERANCE, chosen_threads(None))
    return closeness(order, store, tolerances=tolerances, home=last)


def close(params: dict[str, Any]) -> str:
    """Return in how many states and rolls of the endings the best two moves are that close.

    ``tolerance`` is of the chance of winning; 0 counts what is equal. With ``whether``, only
    whether there are any.
    """
    found = _closeness(params["rules"], TOLERANCES)
    tolerance = float(params["tolerance"])
    number = found.within[TOLERANCES.index(tolerance)] if tolerance else found.equal
    if not number:
        return "none"
    return "some" if "whether" in params else f"{number:,} of {found.choices:,}"


def first_piece(params: dict[str, Any]) -> str:
    """Return which piece perfect play moves, where the roll leaves a choice.

    Pieces are labelled from the least advanced one, those in the pool as one; several labels mean
    that it depends on the roll. Of the position as many pieces must be left on both sides.
    """
    from urcx.engine.moves import legal_moves  # noqa: PLC0415 - numba is slow to import
    from urcx.solve.order import LayerOrder  # noqa: PLC0415

    full, where = catalogue.ruleset(params["rules"]), parse_position(params["position"])
    rules = replace(full, pieces=full.pieces - where.home[0])
    position = replace(where, home=(0, 0))
    order, store = LayerOrder(rules), _solved(rules)

    def value(after: Position) -> float:
        layer, state = order.place(after)
        chance = float(store.layers[layer][0][state])
        return chance if after.light_to_move == position.light_to_move else 1.0 - chance

    own = position.light if position.light_to_move else position.dark
    starts = sorted({0, *own} if len(own) < rules.pieces else own)
    best = set()
    for roll in rules.dice.rolls:
        moves = legal_moves(position, roll, rules)
        if len(moves) > 1:
            best.add(starts.index(max(moves, key=lambda move: value(move.position)).start))
    return " ".join(chr(ord("A") + k) for k in sorted(best))
