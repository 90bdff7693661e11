"""The positions that are worth looking at which come with urcx.

There are three kinds. A *dilemma* is a decision early in perfect play whose best two moves are
nearly equal, a *mistake* what a rule of thumb, the agent greedy, gives away most by in the first
plies of its games against perfect play. The *closest* decision is the one of all states whose best
two moves differ least, but do. ``benchmarks/example_positions.py`` finds them in a tablebase.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from urcx.engine.moves import legal_moves
from urcx.rules.model import RuleSet

FILE = Path(__file__).parent / "data" / "examples.toml"
EXAMPLES_OF = "finkel"


@dataclass(frozen=True)
class Example:
    """A position with a roll.

    ``played`` is the step that the piece of a mistake leaves, ``apart`` what it loses; of the other
    kinds, by how much the best two moves differ. Light is to move.
    """

    kind: str
    position: str
    roll: int
    apart: float
    often: float | None = None
    played: int | None = None

    def title(self, rules: RuleSet) -> str:
        """Return what is to be seen, in a line."""
        points = f"exactly {_rounded(100 * self.apart)} points"
        if self.kind == "dilemma":
            return f"Opening dilemma with a {self.roll}: the best moves are {points} apart"
        if self.kind == "closest":
            return f"The closest decision of the whole game: the best moves are {points} apart"
        moves = legal_moves(self.position, self.roll, rules)
        (move,) = (one for one in moves if one.start == self.played)
        words = move.describe(rules.path, light=True)
        return f"Common mistake with a {self.roll}: {words} loses {points}"


def _rounded(points: float) -> str:
    """Return percentage points as they are read beside chances in percent."""
    return f"{points:.2f}" if points >= 0.01 else f"{points:.1e}"


@cache
def examples() -> tuple[Example, ...]:
    """Return the examples that come with urcx, of Finkel's whole game."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tuple(Example(**one) for one in found["example"])
