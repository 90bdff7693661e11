"""What agents that look ahead expect moves to add, against a search without any pruning."""

from __future__ import annotations

from dataclasses import replace

import naive
import pytest

import urcx
from urcx.published.quantities import games as module
from urcx.published.rounding import Params
from urcx.rules.position import parse_position

RULES = replace(urcx.ruleset("finkel"), pieces=3)


@pytest.mark.parametrize("agent", ["expectimax:1", "expectimax:3"])
@pytest.mark.parametrize(
    ("text", "present"),
    # A piece home is worth 16.
    [("2,9/5/0-1/L", 11 - 21), ("2,9/5/0-1/D", 21 - 11), ("-/14/2-2/L", 32 - 46)],
)
def test_what_a_move_adds_is_its_value_less_that_of_the_position(
    agent: str, text: str, present: int
) -> None:
    depth = int(agent[-1])
    position = parse_position(text)
    for roll in (1, 2):
        ref = naive.lookahead_values(position, roll, depth, RULES, "advance", False)
        assert ref
        for start, value in ref:
            params: Params = {
                "rules": "finkel", "pieces": 3, "agent": agent,
                "position": text, "roll": roll, "start": start,
            }  # fmt: skip
            found = module.evaluation(params)
            assert (found.low + found.high) / 2 == pytest.approx(float(value) - present, abs=1e-12)
            # Six decimals of 32-bit numbers are not all theirs.
            assert 1e-6 < found.high - found.low < 1e-3
