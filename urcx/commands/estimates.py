"""About how long, and how large: counts of states times rates once measured.

All of it is said as "about"; the rates are in `urcx.commands.rates`. What needs counting is counted
by the closed forms, so that no estimate takes long itself. Those of games are in
`urcx.commands.game_estimates`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from urcx.commands.consent import WorkEstimate
from urcx.commands.rates import (
    BACK,
    BACK_TWICE,
    DRAWN,
    EXPORTED,
    FORMULATED,
    FRACTIONS,
    GROWTH,
    LINE,
    PACKED,
    PACKED_BYTES,
    PACKED_UNIT,
    PLACEMENT,
    PROCEDURE,
    RANKED_DIAGRAM,
    REPORT,
    SEARCHED,
    SEARCHED_BY_TILES,
    SHORTEST,
    SHORTEST_POSITION,
    SHORTEST_TWICE,
    SIMULATED,
    SOLVED,
    SOLVED_BY_TILES,
    SWEPT,
    VISIT,
    WRITTEN_DIAGRAM,
)
from urcx.complexity import tiles
from urcx.engine.memory import available_memory
from urcx.engine.threads import available_cores, chosen_threads
from urcx.enumerate.rankings.pattern_ranking import why_no_layers
from urcx.rules.model import Path, RuleSet

if TYPE_CHECKING:
    from urcx.solving.files.tablebase import Tablebase
    from urcx.solving.layered.order import LayerOrder


def spread(seconds: float, threads: int | None) -> float:
    """Return processor seconds as seconds on so many threads."""
    return seconds / min(chosen_threads(threads), available_cores())


def states_of(rules: RuleSet) -> int:
    """Return the unfinished states of a rule set, as solvers have them."""
    kind = "diagrams" if rules.path.symmetric else "positions"
    return tiles.conventions(rules.path, rules.pieces)[f"{kind}, finished left out"]


def fewer(rules: RuleSet) -> str:
    """Return what to ask for instead where work is too large."""
    return "take fewer pieces with -p" if rules.pieces > 1 else "take a shorter path"


def layers_of(rules: RuleSet) -> LayerOrder | None:
    """Return the layers that a rule set is solved in, None if it is in another way."""
    from urcx.solving.layered.order import LayerOrder

    return None if why_no_layers(rules) else LayerOrder(rules)


def enumerating(
    diagrams: int, path: str = "the paths", advice: str = "take fewer pieces"
) -> WorkEstimate:
    """Estimate visits of so many diagrams, on all cores."""
    return WorkEstimate(
        f"visiting {diagrams:,} diagrams of {path}", spread(diagrams * VISIT, None), advice=advice
    )


def formulating(paths: int, pieces: Sequence[int]) -> WorkEstimate:
    """Estimate rows of closed forms, one for each path and number of pieces."""
    return WorkEstimate(
        f"{paths * len(pieces):,} rows of closed forms",
        paths * sum(pieces) * FORMULATED,
        advice="take fewer numbers with -p",
    )


def writing(path: Path, pieces: int, dark: int | None, *, to_file: bool) -> WorkEstimate:
    """Estimate a text with every diagram."""
    diagrams = tiles.diagrams(path, pieces, dark)
    return WorkEstimate(
        f"writing {diagrams:,} diagrams of {path.name}",
        diagrams * WRITTEN_DIAGRAM,
        disk=diagrams * LINE if to_file else 0,
        advice="take fewer pieces with -p, or --visit count",
    )


def proving(path: Path, pieces: int, dark: int | None) -> WorkEstimate:
    """Estimate the proof of a ranking, which has a byte for each diagram."""
    diagrams = tiles.diagrams(path, pieces, dark)
    return WorkEstimate(
        f"ranking {diagrams:,} diagrams of {path.name}",
        diagrams * RANKED_DIAGRAM,
        memory=diagrams,
        advice="take fewer pieces with -p",
    )


def drawing(number: int, *, held: bool, to_file: bool) -> WorkEstimate:
    """Estimate a sample of positions, which JSON and CSV hold as a whole."""
    return WorkEstimate(
        f"drawing {number:,} positions",
        number * DRAWN * (2 if held else 1),
        memory=number * 600 if held else 0,
        disk=number * LINE if to_file else 0,
        advice="draw fewer with -n",
    )


def conflicting(placements: Sequence[int]) -> WorkEstimate:
    """Estimate the conflicts of so many placements a side, one number after the other."""
    return WorkEstimate(
        f"pairing {sum(placements):,} placements of each side",
        2 * sum(placements) * PLACEMENT,
        advice="take fewer numbers with -p",
    )


def searching(rules: RuleSet, threads: int | None) -> WorkEstimate:
    """Estimate a search of all states from the start."""
    size = tiles.conventions(rules.path, rules.pieces)[
        "diagrams" if rules.path.symmetric else "positions"
    ]
    rate = SEARCHED_BY_TILES if why_no_layers(rules) else SEARCHED
    return WorkEstimate(
        f"searching {size:,} states of {rules.name}",
        spread(size * rate, threads),
        memory=size,
        advice="take fewer pieces (-p), or --samples",
    )


def shortening(rules: RuleSet) -> WorkEstimate:
    """Estimate a search for the shortest games, which gives up at too many positions."""
    from urcx.extremes.shortest import BYTES_A_POSITION, MOST_POSITIONS

    rate, power = SHORTEST if rules.path.crossed_once else SHORTEST_TWICE
    positions = min(rate * rules.pieces**power / SHORTEST_POSITION, MOST_POSITIONS)
    return WorkEstimate(
        f"searching the shortest games of {rules.name}",
        positions * SHORTEST_POSITION,
        memory=positions * BYTES_A_POSITION,
        advice="take fewer pieces with -p",
    )


def searching_back(rules: RuleSet, samples: int) -> WorkEstimate:
    """Estimate searches back from random states."""
    return WorkEstimate(
        f"searching back from {samples:,} states of {rules.name}",
        samples * (BACK if rules.path.crossed_once else BACK_TWICE),
        advice="take fewer --samples",
    )


def deciding(rules: RuleSet, threads: int | None) -> WorkEstimate:
    """Estimate Michon's procedure."""
    from urcx.solving.michon.procedure import BYTES_A_STATE

    states = states_of(rules)
    return WorkEstimate(
        f"running the procedure on {states:,} states of {rules.name}",
        spread(states * PROCEDURE, threads),
        memory=states * BYTES_A_STATE,
        advice=fewer(rules),
    )


def solving(rules: RuleSet, threads: int | None, item: int | None = None) -> WorkEstimate:
    """Estimate a solution; ``item`` is the size of a value where it is written to a file."""
    from urcx.solving.general import solver as general
    from urcx.solving.layered.estimates import memory_needed

    states = states_of(rules)
    order = layers_of(rules)
    return WorkEstimate(
        f"solving {states:,} states of {rules.name}",
        states * SOLVED_BY_TILES if order is None else spread(states * SOLVED, threads),
        memory=general.general_memory(states) if order is None else memory_needed(order),
        disk=states * (8 + item) if item else 0,
        advice=fewer(rules),
    )


def solving_exactly(rules: RuleSet) -> WorkEstimate:
    """Estimate a solution in fractions."""
    states = states_of(rules)
    return WorkEstimate(
        f"solving {states:,} states of {rules.name} in fractions",
        states**2 * FRACTIONS,
        advice="take fewer pieces with -p or --endings",
    )


def checking(base: Tablebase, threads: int | None) -> list[WorkEstimate]:
    """Estimate a check of a tablebase, which is solved again where nothing is known of its bound.

    That is left out where memory does not suffice, since the check then goes without.
    """
    from urcx.solving.layered.estimates import memory_needed

    order, name = base.order, base.file.name
    states = sum(order.size(layer) for layer in order.layers)
    advice = "look single positions up with urcx probe"
    parts = [WorkEstimate(f"checking {states:,} states of {name}", spread(states * SWEPT, threads))]
    memory, free = memory_needed(order), available_memory()
    if base.bound is None and (free is None or memory <= free):
        what = f"checking {states:,} states of {name}, and solving them again for a bound,"
        parts.append(WorkEstimate(what, spread(states * SOLVED, threads), memory))
    return [replace(part, advice=advice) for part in parts]


def exporting(file: str, states: int, values: str) -> WorkEstimate:
    """Estimate a file for other programs, with values of a kind of the format's."""
    from urcx.solving.files.rgu_keys import VALUES

    item = int(VALUES[values][-1])  # numpy's names of types end in their bytes
    return WorkEstimate(
        f"writing {states:,} states of {file}",
        states * EXPORTED,
        disk=states * (4 + item),
        advice="take smaller --values",
    )


def compressing(base: Tablebase, units: int, threads: int | None) -> WorkEstimate:
    """Estimate a file of exact play, whose moves are ranked by a network of so many units."""
    from urcx.agents.play_files.layers import compress_memory

    states = sum(base.order.size(layer) for layer in base.order.layers)
    return WorkEstimate(
        f"coding every move of {states:,} states of {base.file.name}",
        spread(states * (PACKED + units * PACKED_UNIT), threads),
        memory=compress_memory(base.order),
        disk=int(states * PACKED_BYTES),
        advice="play by the tablebase itself",
    )


def comparing(base: Tablebase, units: int, threads: int | None) -> WorkEstimate:
    """Estimate the proof of a file of exact play."""
    from urcx.agents.play_files.layers import compress_memory

    states = sum(base.order.size(layer) for layer in base.order.layers)
    return WorkEstimate(
        f"comparing every move of {states:,} states of {base.file.name}",
        spread(states * (PACKED + units * PACKED_UNIT), threads),
        memory=compress_memory(base.order),
        advice="prove a smaller game's",
    )


def growing(rules: RuleSet, depth: int, *, divided: bool) -> WorkEstimate:
    """Estimate perft: positions grow with the depth until there are no more of them."""
    from urcx.enumerate import perft

    perft.check_depth(depth)
    most = min(2 * tiles.diagrams(rules.path, rules.pieces), perft.MAX_POSITIONS)
    levels = [min(GROWTH**k, most) for k in range(1, depth + 1)]
    return WorkEstimate(
        f"counting {depth} plies of {rules.name}",
        sum(levels) * perft.PLACED * (2 if divided else 1),
        memory=levels[-1] * perft.bytes_a_position(rules, depth),
        advice="take a lower --depth",
    )


def rushing(particles: int, rows: int) -> WorkEstimate:
    """Estimate simulated rushes."""
    return WorkEstimate(
        f"simulating {particles:,} pieces for each of {rows} rows",
        particles * rows * SIMULATED,
        memory=particles / 40 * 64,
        advice="take fewer --samples",
    )


def reporting(*, quick: bool, threads: int | None) -> WorkEstimate:
    """Estimate the report."""
    return WorkEstimate("the report", spread(REPORT[quick], threads), advice="take --quick")
