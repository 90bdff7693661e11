"""What the report's sections compute before showing it; the first page uses it too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from urcx.complexity import forms, tiles
from urcx.enumerate.counts import Count
from urcx.enumerate.state_space import StateSpace, state_spaces
from urcx.errors import printable
from urcx.reports.book.tables import Given
from urcx.rules.model import RuleSet
from urcx.solving.layered.solver import Solved

DIGITS = 12  # which do not depend on the order of summation over threads


def steady(value: Any) -> float:
    """Return a value rounded to the digits that do not depend on the order of summation."""
    return float(f"{float(value):.{DIGITS}g}")


@dataclass(frozen=True)
class Visited:
    """Diagrams visited one by one, and the formulas' values for them."""

    count: Count

    @cached_property
    def row(self) -> StateSpace:
        """Return every form's value."""
        return state_spaces(self.count.path, self.count.pieces)

    @property
    def formula(self) -> int:
        """Return the diagrams by the tile polynomial."""
        return tiles.diagrams(self.count.path, self.count.pieces)

    @property
    def branches(self) -> int:
        """Return light's branches by formula."""
        return tiles.branches(self.count.path, self.count.pieces)[0]

    @property
    def agree(self) -> bool:
        """Return whether the numbers of diagrams and branches equal the formulas' values."""
        count = self.count
        return count.diagrams == self.formula and count.branches == self.branches

    @property
    def exact_forms(self) -> list[str]:
        """Return the exact forms that give the number of diagrams."""
        return [
            name
            for name, value in self.row.forms.items()
            if forms.FORMS[name].status == "exact" and value == self.count.diagrams
        ]


@dataclass(frozen=True)
class Opening:
    """The value of a game's start, its error bound ``gap``, and ``how`` it was obtained.

    ``lower``, ``upper`` and ``gap`` are None where nothing proves it.
    """

    rules: RuleSet
    states: int
    opening: float
    lower: float | None
    upper: float | None
    gap: float | None
    how: str

    @property
    def proven(self) -> bool:
        """Return whether bounds are known."""
        return self.gap is not None

    @classmethod
    def solved(cls, found: Solved) -> Opening:
        """Return the start's value in a game that was solved for the report."""
        bounds = (found.lower, found.upper, found.gap)
        return cls(found.rules, found.states, found.opening, *bounds, "bounds, solved here")

    @classmethod
    def looked_up(cls, given: Given) -> Opening:
        """Return the start's value as stored in a tablebase."""
        low = high = None
        if given.bound is not None:
            low, high = given.opening - given.bound, given.opening + given.bound
        how = f"looked up in {printable(given.file.name)}, values kept as {given.store}"
        return cls(given.rules, given.states, given.opening, low, high, given.bound, how)
