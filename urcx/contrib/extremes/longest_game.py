"""The longest expected game, if both players prolong it, or one against an agent's play.

Both players together choose the moves after which most plies are to come on average; or one of
them does, and the other plays as an agent does. The methods, and why the bounds hold, are in
`urcx.contrib.extremes.prolonging` for both players, in `urcx.contrib.extremes.courses` for one.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Annotated, ClassVar

from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser
from urcx.agents.policies import Policies
from urcx.contrib.extremes.courses import PLIES, LongestLayer, followed, least_and_most, mean_plies
from urcx.contrib.extremes.parts import last_tiles, part_size
from urcx.contrib.extremes.prolonging import DEPTH as MORE_DEPTH
from urcx.contrib.extremes.prolonging import UNITS, prolong
from urcx.engine.compiling import COMPILED, clock
from urcx.engine.memory import check_memory
from urcx.engine.threads import Stage, chosen_threads, silent
from urcx.errors import UsageError, check_functions, check_name
from urcx.expectations.choices import ALL_STATES, built_in_agent, make_policy, mask_type
from urcx.results.fields import COUNT, Schema, fields_of, member, shown_as
from urcx.results.numbers import at_most
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.solving.layered.estimates import ops_a_row, rows_of
from urcx.solving.layered.order import LayerOrder
from urcx.sweeps.acceleration import DEPTH, secants_size

LEAST, MOST = 1e-9, 0.5  # tolerances, in plies
AT_LEAST = shown_as(lambda plies: mean_plies(plies, ROUND_FLOOR))
AT_MOST = shown_as(lambda plies: mean_plies(plies, ROUND_CEILING))


@dataclass(frozen=True)
class Longest(Result, function="longest"):
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

    rules: GameRules
    exactness: ClassVar[Annotated[str, member(about="of the mean")]] = "proven bounds on both sides"
    against: Annotated[
        Agent | None,
        member(
            about="the agent that does not prolong the game, null if both players do", of="name"
        ),
    ]
    unit: Annotated[
        str, member(about="what is counted: plies, or moves, which are plies that are no passes")
    ]
    mean: Annotated[
        float, member("mean of a game", PLIES, "the mean of a game", exactness="estimate")
    ]
    lower: Annotated[
        float, member("at least", AT_LEAST, "a proven lower bound of it", exactness="bound")
    ]
    upper: Annotated[
        float, member("at most", AT_MOST, "a proven upper bound of it", exactness="bound")
    ]
    begins: Annotated[
        float | None,
        member("if who stalls begins", PLIES, "mean plies if who stalls begins, else null"),
    ]
    answers: Annotated[
        float | None,
        member("if the agent begins", PLIES, "mean plies if the agent begins, else null"),
    ]
    ordinary: Annotated[
        float | None,
        member(
            "if both play as the agent",
            PLIES,
            "mean plies if both play as the agent does, else null",
        ),
    ]
    change: Annotated[
        float, member(about="the greatest change of a value at the end, as a part of a ply")
    ]
    states: Annotated[int, member("states", COUNT, "unfinished states, mover views")]
    layers: Annotated[tuple[LongestLayer, ...], "from the end of the game to its start"]
    seconds: Annotated[float, member(about="how long that took")]
    notes: Annotated[tuple[str, ...], "what is to be said of how it was computed"] = ()

    def report(self) -> Report:
        """Return the mean and its bounds, and what each pair of layers took."""
        who = "both players prolong it"
        names = ["mean", "lower", "upper", "states"]
        notes = []
        if self.against is not None:
            who = f"one player stalls against {self.against.name}"
            names[3:3] = ["begins", "answers", "ordinary"]
            notes = ["each side begins in half of the games"]
        title = f"Longest expected games in {self.unit}, {self.rules.with_pieces}: {who}"
        tables = [
            FIELDS.pick(*names).listed(title, self, notes),
            LAYERS.table("By pieces home", self.layers),
        ]
        return Report.of(LONGEST, self, tables, rows=self.layers, row_fields=LAYERS)

    @property
    def answer(self) -> str:
        """Return the mean and by how much it is off."""
        who = "if both players prolong it"
        if self.against is not None:
            who = f"if one player prolongs it against {self.against.name}"
        bound = max(self.upper - self.mean, self.mean - self.lower)
        return (
            f"{self.rules.with_pieces}: at most {self.mean:.6f} {self.unit} a game on average, "
            f"{who}; proven to within {at_most(bound, 2)}"
        )


FIELDS = fields_of(Longest)
LAYERS = fields_of(LongestLayer)
LONGEST = Schema("urcx.longest/1", {"": FIELDS + COMPILED, "rows": LAYERS})


def longest(
    rules: str | RuleSet = "finkel",
    *,
    against: str | Agent | Chooser | None = None,
    unit: str = "plies",
    tolerance: float = 1e-6,
    threads: int | None = None,
    stage: Stage = silent,
) -> Longest:
    """Compute how long players can make a game, with proven bounds.

    Parameters
    ----------
    rules
        A rule set or its name, with a path that is crossed once and alike for both sides.
    against
        One player stalls against this agent, such as ``optimal:FILE``. By default both prolong. A
        text is read as `urcx.agents.agents.agent` reads it.
    unit
        What is counted: ``plies``, or ``moves``, which leave out passes. Against an agent it is
        plies.
    tolerance
        Half the distance of the bounds, as a part of the mean, from 1e-9 to 0.5. Values may still
        change by so many plies at the end. Bounds are wider if dice have
        probabilities that are no floats, such as 1/3, and games are long.
    threads
        By default one for each core. If both players prolong the game, they change no number, and
        save little time; against an agent, the last bits differ from run to run with several, and
        the bounds hold for each run.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Longest

    Raises
    ------
    UnknownNameError
        If there is no such rule set or agent.
    OutOfDomainError
        If the path is another.
    UsageError
        If the unit is another, or not plies against an agent; if the tolerance is out of range, or
        the agent is one of the user's.
    TooLargeError
        If there is not enough memory.
    UrcxError
        If the values do not settle.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.extremes import longest
    >>> short = urcx.ruleset("finkel", pieces=2)
    >>> result = longest(short, against="greedy")
    >>> result.ordinary < result.mean < longest(short).mean
    True
    """
    check_functions(stage=stage)
    chosen = catalogue.ruleset(rules)
    order = LayerOrder(chosen)
    check_name("unit", unit, UNITS)
    player = None if against is None else built_in_agent(against)
    if player is not None and unit != "plies":
        raise UsageError(f"against an agent plies are counted, not {unit}")
    tolerance = catalogue.real("tolerance", tolerance, (LEAST, MOST))
    sides = 1 if player is None else 2
    check_memory(longest_memory(order, sides), f"prolonging {chosen.name}", "take fewer pieces")
    threads = chosen_threads(threads)
    began = clock()
    states = order.states(order.layers)
    ordinary = begins = answers = None
    ready = Policies(chosen, ALL_STATES, threads=threads, stage=stage)
    with contextlib.ExitStack() as stack:
        policy = None
        if player is not None:
            policy = make_policy(player, ready, stack)
            text = f"following {player.name} against itself"
            usual = followed(order, [policy], threads, tolerance, stage(text, states, "states"))
            ordinary = usual.start[0]
        progress = stage(f"prolonging games of {chosen.name}", states, "states")
        if player is None:
            found = prolong(order, tolerance, threads, progress, unit)
        else:
            found = followed(order, [None, policy], threads, tolerance, progress)
    mean = sum(found.start) / sides
    if player is not None:
        begins, answers = found.start
    lower, upper = least_and_most(mean, found.change)
    return Longest(
        chosen, player, unit, mean, lower, upper, begins, answers, ordinary, found.change, states,
        tuple(found.layers), clock() - began, tuple(ready.notes),
    )  # fmt: skip


def longest_memory(order: LayerOrder, sides: int) -> int:
    """Return about how many bytes it takes to settle the plies of one or two sides.

    With one side, both players prolong the game.
    """
    rolls = len(order.tables.rolls)
    most = 0
    for layers in order.pairs:
        states = order.states(layers)
        beyond = order.beyond(layers)
        if sides == 1:
            # As if values of the greatest part came to be pairs of floats.
            secants = 16 + secants_size(MORE_DEPTH, pairs=True)
            # What a part has, with the values of moves that leave it, and the pair's values.
            part = max(part_size(order, layers, kind) for kind in last_tiles(order).kinds(layers))
            picks = rolls * mask_type(order.rules).itemsize
            needed = 8 * (2 * states + beyond) + 4 * states
            needed += part * (secants + picks + 8 * (3 + rolls))
            needed += 4 * ops_a_row(order) * rows_of(order, layers)
        else:
            secants = secants_size(DEPTH)
            needed = sides * (8 * (2 * states + 3 * beyond) + states * (secants + rolls + 8))
        most = max(most, needed)
    return most + 300_000_000
