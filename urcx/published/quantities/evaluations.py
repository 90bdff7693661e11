"""What moves are worth to an agent that looks ahead, as the data set of Côté's page has them.

Its program stores what a move adds: the agent's value of the move less the leaf value of the
position before it, both to the player who moves, in 32-bit numbers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from urcx.published.quantities.values import Params, Ranged, rules_from
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, parse_position

ROUNDING = 2.0**-24  # the relative error of a 32-bit operation
OPERATIONS = 5  # of them that round, at most, in a mean over four dice: 0.375 v, and four sums


@cache
def _search(rules: RuleSet, name: str) -> Any:
    from urcx.agents.agent_texts import agent
    from urcx.agents.lookahead import lookahead
    from urcx.agents.search import TreeSearch

    chosen = agent(name)
    assert chosen.depth is not None
    look = lookahead(rules, chosen.depth, chosen.leaf or "advance", few_rolls=False)
    room = (OPERATIONS * (chosen.depth - 1) + 1) * look.bound * ROUNDING
    return TreeSearch(rules, look), look.home, room


def _present(position: Position, home: int) -> int:
    """Return the leaf value of a position to the player to move; a piece home is worth ``home``."""
    light, dark = (
        home * count + sum(pieces)
        for count, pieces in zip(position.home, (position.light, position.dark), strict=True)
    )
    return light - dark if position.light_to_move else dark - light


def evaluation(params: Params) -> Ranged:
    """Return what an ``agent`` expects a move to add, give or take the errors of 32-bit numbers."""
    search, home, room = _search(rules_from(params), params["agent"])
    position = parse_position(params["position"])
    values = {move.start: value for move, value in search.values(position, params["roll"])}
    gain = float(values[params["start"]] - _present(position, home))
    return Ranged(gain - room, gain + room)
