"""The quantities behind the published figures, each a function of its parameters.

A quantity is a public function of a module here whose first argument is ``params``, from parameters
to a number, a range or a text; figures name it with hyphens. Parameters that a figure's
``readings`` change select other meanings of the source's words, or slips that it may have made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from inspect import signature
from pathlib import Path
from types import ModuleType

from urcx.published.quantities import dice, games, solved, states, strategy
from urcx.published.rounding import Params, Value

# What a recorded value rests on, computed in minutes from the solved game in a file.
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
    """Return a recorded number as it is."""
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
            continue  # parameters of readings or errors, and values recorded
        elif key in ("form", "path", "dice", "rules", "what", "game", "agent"):
            parts.append(str(value))
        else:
            parts.append(f"{key.replace('_', ' ')} {value}")
    return ", ".join(parts)
