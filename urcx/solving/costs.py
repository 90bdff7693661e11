"""What solving, checking and exporting takes, estimated before it begins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from urcx.complexity import tiles
from urcx.engine.memory import available_memory, size_text
from urcx.engine.work import WorkEstimate, duration, on_threads
from urcx.enumerate.rankings.ranking import why_no_layers
from urcx.rules.model import RuleSet
from urcx.solving.files.header import ITEM
from urcx.solving.files.rgu_keys import VALUES
from urcx.solving.general import solver as general
from urcx.solving.layered.estimates import memory_needed
from urcx.solving.layered.order import LayerOrder, order_of

if TYPE_CHECKING:  # to open one needs what solving takes, where it is not kept
    from urcx.solving.files.tablebase import Tablebase

# Seconds of one core for a state.
SOLVED = 1.2e-6  # a state, by shared pattern, both bounds proven
SOLVED_BY_TILES = 1e-5  # on one thread
SWEPT = 1e-7  # of a tablebase that is checked
PROVEN = 2.5e-6  # by urcx-check
EXPORTED = 2e-7


def states_of(rules: RuleSet) -> int:
    """Return the unfinished states of a rule set, as solvers have them."""
    kind = "diagrams" if rules.path.symmetric else "positions"
    return tiles.conventions(rules.path, rules.pieces)[f"{kind}, finished left out"]


def fewer(rules: RuleSet) -> str:
    """Return what to ask for instead where work is too large."""
    return "take fewer pieces with -p" if rules.pieces > 1 else "take a shorter path"


def layer_order(rules: RuleSet) -> LayerOrder | None:
    """Return the layers that a rule set is solved in, None if it is in another way."""
    return None if why_no_layers(rules) else order_of(rules)


def solving(rules: RuleSet, threads: int | None, item: int | None = None) -> WorkEstimate:
    """Estimate a solution; ``item`` is the size of a value where it is written to a file."""
    states = states_of(rules)
    order = layer_order(rules)
    return WorkEstimate(
        f"solving {states:,} states of {rules.name}",
        states * SOLVED_BY_TILES if order is None else on_threads(states * SOLVED, threads),
        memory=general.general_memory(states) if order is None else memory_needed(order),
        disk=states * (8 + item) if item else 0,
        advice=fewer(rules),
    )


def keeping(rules: RuleSet) -> str:
    """Return the time that solving takes, and the disk space of the solution that is kept.

    Memory, for which layers are numbered, takes seconds to tell.
    """
    states = states_of(rules)
    time = duration(on_threads(states * SOLVED, None))
    return f"about {time}, {size_text(states * ITEM['f64'])} on disk, twice that meanwhile"


def checking(base: Tablebase, threads: int | None) -> list[WorkEstimate]:
    """Estimate a check of a tablebase, which is solved again where nothing is known of its bound.

    That is left out where memory does not suffice, since the check then goes without.
    """
    order, name = base.order, base.file.name
    states = order.states(order.layers)
    advice = "look single positions up with urcx probe"
    parts = [
        WorkEstimate(f"checking {states:,} states of {name}", on_threads(states * SWEPT, threads))
    ]
    memory, free = memory_needed(order), available_memory()
    if base.bound is None and (free is None or memory <= free):
        what = f"checking {states:,} states of {name}, and solving them again for a bound,"
        parts.append(WorkEstimate(what, on_threads(states * SOLVED, threads), memory))
    return [replace(part, advice=advice) for part in parts]


def exporting(file: str, states: int, values: str) -> WorkEstimate:
    """Estimate a file for other programs, with values of a kind of the format's."""
    item = int(VALUES[values][-1])  # numpy's names of types end in their bytes
    return WorkEstimate(
        f"writing {states:,} states of {file}",
        states * EXPORTED,
        disk=states * (4 + item),
        advice="take smaller --values",
    )


def checking_independently(base: Tablebase, threads: int | None) -> WorkEstimate:
    """Estimate a check by urcx-check."""
    states = base.order.states(base.order.layers)
    return WorkEstimate(
        f"checking {states:,} states of {base.file.name} by urcx-check",
        on_threads(states * PROVEN, threads),
        memory=8 * (states + 2 * max(map(base.order.size, base.order.layers))),
        advice="check it without --independent",
    )
