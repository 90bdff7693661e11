"""Policies of small games, prepared once for all tests that follow them."""

from __future__ import annotations

from functools import cache

from own_rules import small

from urcx.agents.policies import Policies
from urcx.expectations.choices import ALL_STATES


@cache
def policies_of(name: str) -> Policies:
    return Policies(small(name, 2), ALL_STATES)
