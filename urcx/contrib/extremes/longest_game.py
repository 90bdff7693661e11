"""The longest expected game, if both players prolong it.

They choose the moves after which most plies are to come on average.
`urcx.contrib.extremes.prolonging` explains the method and proves the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import TYPE_CHECKING, Annotated, ClassVar

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

if TYPE_CHECKING:
    from urcx.reports.figures.plots import Drawing

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
        str, Field(about="unit of length: plies, or moves, which are plies without passes")
    ]
    mean: Annotated[float, Field("mean of a game", PLIES, "mean length of a game (estimate)")]
    lower: Annotated[float, Field("at least", AT_LEAST, "proven lower bound of the mean (bound)")]
    upper: Annotated[float, Field("at most", AT_MOST, "proven upper bound of the mean (bound)")]
    change: Annotated[float, Field(about="greatest change of a value in the last sweep, in plies")]
    states: Annotated[int, Field("states", COUNT, "unfinished states, canonical views")]
    layers: Annotated[tuple[LongestLayer, ...], "from the end of the game to its start"]
    seconds: Annotated[float, Field(about="wall time in seconds")]

    def tables(self) -> list[Table]:
        """Return the mean with its bounds, and the pairs of layers."""
        return [
            fields_of(Longest).listed("", self),
            fields_of(LongestLayer).table("By pieces home", self.layers),
        ]

    def figure(self) -> Drawing:
        """Return the figure of the lengths by pieces home, the same as `urcx.figure`."""
        from urcx.contrib.extremes.longest_plot import longest_figure

        return longest_figure(self)

    @property
    def answer(self) -> str:
        """Return the mean and its error bound."""
        bound = max(self.upper - self.mean, self.mean - self.lower)
        return (
            f"{self.rules.with_pieces}: {self.mean:.6f} {self.unit} per game on average, if both "
            f"players prolong it (proven, ± {bound_text(bound, 2)})"
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
        A rule set or its name, with a symmetric path that crosses no tile twice.
    unit
        The unit of length: ``plies``, or ``moves``, which are plies without passes.
    tolerance
        Half the distance of the bounds, relative to the mean, from 1e-9 to 0.5. In the last sweep,
        values may change by at most this number of plies. Bounds are wider for long games with dice
        whose probabilities are not floats, such as 1/3.
    threads
        The number of threads, by default one per core. It does not change the result, and saves
        little time.
    stage
        Called at the start of each part of the work.

    Returns
    -------
    Longest

    Raises
    ------
    UnknownNameError
        If there is no such rule set or unit.
    OutOfDomainError
        If the path is of another kind.
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
    rule_set = catalogue.ruleset(rules)
    order = LayerOrder(rule_set)
    check_name("unit", unit, UNITS)
    tolerance = catalogue.as_float("tolerance", tolerance, (LEAST, MOST))
    check_memory(longest_memory(order), f"prolonging {rule_set.name}", "choose fewer pieces")
    began = compute_clock()
    states = order.states(order.layers)
    progress = stage(f"prolonging games of {rule_set.name}", states, "states")
    game = prolong(order, tolerance, chosen_threads(threads), progress, unit)
    lower, upper = least_and_most(game.start, game.change)
    return Longest(
        rule_set, unit, game.start, lower, upper, game.change, states, tuple(game.layers),
        compute_clock() - began,
    )  # fmt: skip


def longest_memory(order: LayerOrder) -> int:
    """Return an estimate of the memory in bytes, with double-doubles for the greatest part."""
    rolls, most = len(order.tables.rolls), 0
    secants = 16 + secants_size(DEPTH, pairs=True)
    picks = rolls * mask_type(order.rules).itemsize
    for layers in order.pairs:
        # The greatest part, with the values of moves that leave it, and the pair's values.
        part = max(part_size(order, layers, kind) for kind in last_tiles(order).kinds(layers))
        size = 20 * order.states(layers) + 8 * order.beyond(layers)
        size += part * (secants + picks + 8 * (3 + rolls))
        most = max(most, size + 4 * ops_a_row(order) * rows_of(order, layers))
    return most + 300_000_000
