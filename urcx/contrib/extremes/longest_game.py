"""The longest expected game, if both players prolong it.

They choose the moves after which most plies are to come on average. The method, and why the bounds
hold, are in `urcx.contrib.extremes.prolonging`.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Annotated, ClassVar

from urcx.contrib.extremes.parts import last_tiles, part_size
from urcx.contrib.extremes.prolonging import (
    DEPTH,
    PLIES,
    UNITS,
    LongestLayer,
    least_and_most,
    mean_plies,
    prolong,
)
from urcx.engine.compiling import CompiledResult, compute_clock
from urcx.engine.memory import check_memory
from urcx.engine.threads import Stage, chosen_threads, no_progress
from urcx.errors import check_functions, check_name
from urcx.expectations.choices import mask_type
from urcx.results.fields import COUNT, Field, Format, fields_of
from urcx.results.numbers import bound_text
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.layered.estimates import ops_a_row, rows_of
from urcx.solving.layered.order import LayerOrder
from urcx.sweeps.acceleration import secants_size

LEAST, MOST = 1e-9, 0.5  # tolerances, in plies
AT_LEAST = Format(lambda plies: mean_plies(plies, ROUND_FLOOR))
AT_MOST = Format(lambda plies: mean_plies(plies, ROUND_CEILING))


@dataclass(frozen=True)
class Longest(CompiledResult, function="longest"):
    """The longest expected game.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.extremes import longest
    >>> result = longest(urcx.ruleset("finkel", pieces=2))
    >>> round(result.mean, 4), result.lower < result.mean < result.upper
    (70.1657, True)
    >>> round(longest(urcx.ruleset("finkel", pieces=2), unit="moves").mean, 4)
    62.7378
    """

    schema = "urcx.longest/1"
    lists = ("layers",)
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="of the mean")]] = "proven bounds on both sides"
    unit: Annotated[
        str, Field(about="what is counted: plies, or moves, which are plies that are no passes")
    ]
    mean: Annotated[float, Field("mean of a game", PLIES, "the mean of a game (estimate)")]
    lower: Annotated[float, Field("at least", AT_LEAST, "a proven lower bound of it (bound)")]
    upper: Annotated[float, Field("at most", AT_MOST, "a proven upper bound of it (bound)")]
    change: Annotated[
        float, Field(about="the greatest change of a value at the end, as a part of a ply")
    ]
    states: Annotated[int, Field("states", COUNT, "unfinished states, mover views")]
    layers: Annotated[tuple[LongestLayer, ...], "from the end of the game to its start"]
    seconds: Annotated[float, Field(about="how long that took")]

    def tables(self) -> list[Table]:
        """Return the mean and its bounds, and what each pair of layers took."""
        return [
            fields_of(Longest).listed("", self),
            fields_of(LongestLayer).table("By pieces home", self.layers),
        ]

    @property
    def answer(self) -> str:
        """Return the mean and by how much it is off."""
        bound = max(self.upper - self.mean, self.mean - self.lower)
        return (
            f"{self.rules.with_pieces}: at most {self.mean:.6f} {self.unit} a game on average, "
            f"if both players prolong it; proven to within {bound_text(bound, 2)}"
        )


def longest(
    rules: str | RuleSet = "finkel",
    *,
    unit: str = "plies",
    tolerance: float = 1e-6,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Longest:
    """Compute how long players can make a game, with proven bounds.

    Parameters
    ----------
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides.
    unit
        What is counted: ``plies``, or ``moves``, which leave out passes.
    tolerance
        Half the distance of the bounds, as a part of the mean, from 1e-9 to 0.5. Values may still
        change by so many plies at the end. Bounds are wider if dice have
        probabilities that are no floats, such as 1/3, and games are long.
    threads
        By default one for each core. They change no number, and save little time.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Longest

    Raises
    ------
    UnknownNameError
        If there is no such rule set, or the unit is another.
    OutOfDomainError
        If the path is another.
    UsageError
        If the tolerance is out of range.
    TooLargeError
        If there is not enough memory.
    UrcxError
        If the values do not settle.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.extremes import longest
    >>> result = longest(urcx.ruleset("finkel", pieces=1), tolerance=1e-7, threads=1)
    >>> result.lower < result.mean < result.upper
    True
    """
    check_functions(stage=stage)
    chosen = catalogue.ruleset(rules)
    order = LayerOrder(chosen)
    check_name("unit", unit, UNITS)
    tolerance = catalogue.as_float("tolerance", tolerance, (LEAST, MOST))
    check_memory(longest_memory(order), f"prolonging {chosen.name}", "take fewer pieces")
    began = compute_clock()
    states = order.states(order.layers)
    progress = stage(f"prolonging games of {chosen.name}", states, "states")
    game = prolong(order, tolerance, chosen_threads(threads), progress, unit)
    lower, upper = least_and_most(game.start, game.change)
    return Longest(
        chosen, unit, game.start, lower, upper, game.change, states, tuple(game.layers),
        compute_clock() - began,
    )  # fmt: skip


def longest_memory(order: LayerOrder) -> int:
    """Return about how many bytes it takes to settle the plies.

    As if values of the greatest part came to be pairs of floats.
    """
    rolls, most = len(order.tables.rolls), 0
    secants = 16 + secants_size(DEPTH, pairs=True)
    picks = rolls * mask_type(order.rules).itemsize
    for layers in order.pairs:
        # What a part has, with the values of moves that leave it, and the pair's values.
        part = max(part_size(order, layers, kind) for kind in last_tiles(order).kinds(layers))
        needed = 20 * order.states(layers) + 8 * order.beyond(layers)
        needed += part * (secants + picks + 8 * (3 + rolls))
        most = max(most, needed + 4 * ops_a_row(order) * rows_of(order, layers))
    return most + 300_000_000
