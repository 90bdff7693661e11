"""Quantities that perfect play judges, from endings small enough to be solved when asked for.

With k pieces left on each side, the endings of a rule set are the whole game with k pieces: what is
found in them is found in the full game.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, parse_position

ENDINGS = 2  # pieces left on each side


@cache
def _solved(rules: RuleSet) -> Any:
    from urcx.solve.solver import MemoryStore, solve_layers  # noqa: PLC0415 - numba is slow

    store = MemoryStore(keep=True)
    solve_layers(rules, store)
    return store


@cache
def _closeness(name: str, tolerances: tuple[float, ...]) -> Any:
    from urcx.solve.closeness import closeness  # noqa: PLC0415 - numba is slow to import
    from urcx.solve.order import LayerOrder  # noqa: PLC0415

    rules = replace(catalogue.ruleset(name), pieces=ENDINGS)
    return closeness(LayerOrder(rules), _solved(rules), tolerances=tolerances)


def close(params: dict[str, Any]) -> str:
    """Return in how many states and rolls of the endings the best two moves are that close.

    ``tolerance`` is of the chance of winning; 0 counts what is equal. With ``whether``, only
    whether there are any.
    """
    tolerance = float(params["tolerance"])
    found = _closeness(params["rules"], (tolerance or 1.0,))
    number = found.within[0] if tolerance else found.equal
    if not number:
        return "none"
    return "some" if "whether" in params else f"{number} of {found.choices:,}"


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
