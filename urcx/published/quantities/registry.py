"""The quantities behind the published figures, each a function of its parameters.

A quantity is a public function with the only argument ``params`` in a module of this package. It
returns a number, a range or words, and figures name it with hyphens instead of underscores. The
``readings`` of a figure change parameters, which select other meanings of the source's words or
possible slips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from inspect import signature
from pathlib import Path
from types import ModuleType

from urcx.published.quantities import dice, games, solved, states, strategy
from urcx.published.rounding import Params, Value

# Functions that compute recorded values again, in minutes, from the solved game in a file.
AGAIN: dict[str, Callable[[Params, Path], float | Fraction]] = {
    "reach": solved.reach_again,
    "arrivals": solved.arrivals_again,
    "perfect-plies": solved.plies_again,
    "opening": solved.opening_again,
    "move-chance": solved.move_again,
    "centre-worth": solved.centre_again,
    "share": solved.share_again,
    "win-rate": solved.share_again,
}


def _recorded(params: Params) -> Fraction:
    """Return a recorded number unchanged."""
    return Fraction(params["found"])


def _quantities(module: ModuleType) -> Iterator[tuple[str, Callable[[Params], Value]]]:
    """Yield the quantities of a module with their names."""
    for name, function in vars(module).items():
        own = getattr(function, "__module__", "") == module.__name__
        if own and not name.startswith("_") and [*signature(function).parameters] == ["params"]:
            yield name.replace("_", "-"), function


QUANTITIES: dict[str, Callable[[Params], Value]] = {
    **dict.fromkeys((*AGAIN, "longest-layer"), _recorded),
    **{
        name: quantity
        for module in (dice, games, solved, states, strategy)
        for name, quantity in _quantities(module)
    },
}


def describe(params: Params) -> str:
    """Return parameters as text: ``raposo-program, bell, p = 7``."""
    parts = []
    for key, value in params.items():
        if key == "pieces":
            parts.append(f"p = {value}" if isinstance(value, int) else f"p {value}")
        elif key == "tiles":
            parts.append(f"t = {value[0]}, t' = {value[1]}")
        elif key in ("own", "ours", "found", "within"):
            continue  # parameters of readings or errors, and recorded values
        elif key in ("form", "path", "dice", "rules", "what", "game", "agent"):
            parts.append(str(value))
        else:
            parts.append(f"{key.replace('_', ' ')} {value}")
    return ", ".join(parts)
