"""The agents of gambling games, and their names.

``winnings`` can have a depth: ``winnings:2``. All agents except ``random`` throw the second die
whenever the first allows no move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from urcx.contrib.gambling.agent_kernels import Policy
from urcx.errors import UnknownNameError, UsageError, WrongObjectError

MAX_DEPTH = 4
# A description of each kind, in the order of the numbers in `agent_kernels` (RANDOM and so on).
AGENTS = {
    "random": "any option with equal probability, including the second die",
    "first": "the least advanced piece; the second die if the first allows no move",
    "last": "the most advanced piece; the second die if the first allows no move",
    "greedy": "captures, or lands on a rosette, or moves; the second die for a better one of these",
    "winnings": "the greatest mean lead in counters after DEPTH plies",
}


@dataclass(frozen=True)
class Gambler:
    """An agent: its kind, and its depth in plies (1 for an agent that does not look ahead)."""

    kind: str
    depth: int = 1

    @property
    def name(self) -> str:
        """Return the agent's name."""
        return f"{self.kind}:{self.depth}" if self.depth > 1 else self.kind

    @property
    def policy(self) -> Policy:
        """Return the agent in the form that the kernels take."""
        return Policy(list(AGENTS).index(self.kind), self.depth)


def gambler(text: str | Gambler) -> Gambler:
    """Return the agent of a name.

    Raises
    ------
    UnknownNameError
        If there is no such agent.
    UsageError
        If a depth is not from 1 to `MAX_DEPTH`, or if an agent that does not look ahead has one.
    """
    if isinstance(text, Gambler):
        return text
    if not isinstance(text, str):
        raise WrongObjectError("agent", Gambler, text, "a name such as 'greedy'")
    name, colon, depth = text.partition(":")
    if name not in AGENTS:
        raise UnknownNameError("agent", name, AGENTS)
    if not colon:
        return Gambler(name)
    if name != "winnings":
        raise UsageError(f"agent {text!r}: {name} does not look ahead, so it has no depth")
    if not re.fullmatch("[0-9]{1,9}", depth) or not 1 <= int(depth) <= MAX_DEPTH:
        raise UsageError(f"agent {text!r}: depth must be from 1 to {MAX_DEPTH}")
    return Gambler(name, int(depth))
