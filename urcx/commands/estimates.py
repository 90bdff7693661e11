"""About how long, and how large: counts of states, games and plies times rates once measured.

All of it is said as "about"; the rates are in `urcx.commands.rates`. What needs counting is counted
by the closed forms, so that no estimate takes long itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from urcx.commands.consent import WorkEstimate
from urcx.commands.rates import (
    AGAIN,
    BACK,
    BACK_TWICE,
    BY_VALUES,
    CAPTURED,
    CHOICE,
    CODED,
    CODED_BYTES,
    DRAWN,
    EXPORTED,
    FOLLOWED,
    FOLLOWED_BY_TILES,
    FORMULATED,
    FRACTIONS,
    GAMBLED,
    GROWTH,
    LINE,
    LOOKED_UP,
    OWN_MOVE,
    PACKED,
    PACKED_BYTES,
    PACKED_UNIT,
    PLACEMENT,
    PLY,
    PROCEDURE,
    PRUNED,
    RANKED_DIAGRAM,
    REPORT,
    SEARCHED,
    SEARCHED_BY_TILES,
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
from urcx.errors import OutOfDomainError
from urcx.reports.display.output import counted
from urcx.rules.model import Path, RuleSet

if TYPE_CHECKING:
    from urcx.agents.agents import Agent
    from urcx.agents.policies import Policies
    from urcx.learn.methods import Method
    from urcx.solving.files.tablebase import Tablebase
    from urcx.solving.layered.order import LayerOrder


def _spread(seconds: float, threads: int | None) -> float:
    """Return processor seconds as seconds on so many threads."""
    return seconds / min(chosen_threads(threads), available_cores())


def _states(rules: RuleSet) -> int:
    """Return the unfinished states of a rule set, as solvers have them."""
    kind = "diagrams" if rules.path.symmetric else "positions"
    return tiles.conventions(rules.path, rules.pieces)[f"{kind}, finished left out"]


def _by_pattern(rules: RuleSet) -> bool:
    return rules.path.symmetric and rules.path.crossed_once


def _fewer(rules: RuleSet) -> str:
    return "take fewer pieces with -p" if rules.pieces > 1 else "take a shorter path"


def _layers(rules: RuleSet) -> LayerOrder | None:
    """Return the layers that a rule set is solved in, None if it is in another way."""
    from urcx.solving.layered.order import LayerOrder  # noqa: PLC0415

    try:
        return LayerOrder(rules)
    except OutOfDomainError:
        return None


def enumerating(
    diagrams: int, path: str = "the paths", advice: str = "take fewer pieces"
) -> WorkEstimate:
    """Estimate visits of so many diagrams, on all cores."""
    return WorkEstimate(
        f"visiting {diagrams:,} diagrams of {path}", _spread(diagrams * VISIT, None), advice=advice
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
    rate = SEARCHED if _by_pattern(rules) else SEARCHED_BY_TILES
    return WorkEstimate(
        f"searching {size:,} states of {rules.name}",
        _spread(size * rate, threads),
        memory=size,
        advice="take fewer pieces (-p), or --samples",
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
    from urcx.solving.michon.nalimov import BYTES_A_STATE  # noqa: PLC0415

    states = _states(rules)
    return WorkEstimate(
        f"running the procedure on {states:,} states of {rules.name}",
        _spread(states * PROCEDURE, threads),
        memory=states * BYTES_A_STATE,
        advice=_fewer(rules),
    )


def solving(rules: RuleSet, threads: int | None, item: int | None = None) -> WorkEstimate:
    """Estimate a solution; ``item`` is the size of a value where it is written to a file."""
    from urcx.solving.general import solver as general  # noqa: PLC0415
    from urcx.solving.layered import solver  # noqa: PLC0415

    states = _states(rules)
    order = _layers(rules)
    return WorkEstimate(
        f"solving {states:,} states of {rules.name}",
        states * SOLVED_BY_TILES if order is None else _spread(states * SOLVED, threads),
        memory=general.memory_needed(states) if order is None else solver.memory_needed(order),
        disk=states * (8 + item) if item else 0,
        advice=_fewer(rules),
    )


def solving_exactly(rules: RuleSet) -> WorkEstimate:
    """Estimate a solution in fractions."""
    states = _states(rules)
    return WorkEstimate(
        f"solving {states:,} states of {rules.name} in fractions",
        states**2 * FRACTIONS,
        advice="take fewer pieces with -p or --endings",
    )


def checking(base: Tablebase, threads: int | None) -> list[WorkEstimate]:
    """Estimate a check of a tablebase, which is solved again where nothing is known of its bound.

    That is left out where memory does not suffice, since the check then goes without.
    """
    from urcx.solving.layered import solver  # noqa: PLC0415

    order, name = base.order, base.file.name
    states = sum(order.size(layer) for layer in order.layers)
    advice = "look single positions up with urcx probe"
    parts = [
        WorkEstimate(f"checking {states:,} states of {name}", _spread(states * SWEPT, threads))
    ]
    memory, free = solver.memory_needed(order), available_memory()
    if base.bound is None and (free is None or memory <= free):
        what = f"checking {states:,} states of {name}, and solving them again for a bound,"
        parts.append(WorkEstimate(what, _spread(states * SOLVED, threads), memory))
    return [replace(part, advice=advice) for part in parts]


def exporting(file: str, states: int, values: str) -> WorkEstimate:
    """Estimate a file for other programs, with values of a kind of the format's."""
    from urcx.solving.files.rgu_keys import VALUES  # noqa: PLC0415

    item = int(VALUES[values][-1])  # numpy's names of types end in their bytes
    return WorkEstimate(
        f"writing {states:,} states of {file}",
        states * EXPORTED,
        disk=states * (4 + item),
        advice="take smaller --values",
    )


def compressing(base: Tablebase, units: int, threads: int | None) -> WorkEstimate:
    """Estimate a file of exact play, whose moves are ranked by a network of so many units."""
    states = sum(base.order.size(layer) for layer in base.order.layers)
    return WorkEstimate(
        f"coding every move of {states:,} states of {base.file.name}",
        _spread(states * (PACKED + units * PACKED_UNIT), threads),
        disk=int(states * PACKED_BYTES),
        advice="play by the tablebase itself",
    )


def comparing(base: Tablebase, units: int, threads: int | None) -> WorkEstimate:
    """Estimate the proof of a file of exact play."""
    states = sum(base.order.size(layer) for layer in base.order.layers)
    return WorkEstimate(
        f"comparing every move of {states:,} states of {base.file.name}",
        _spread(states * (PACKED + units * PACKED_UNIT), threads),
        advice="prove a smaller game's",
    )


def _plies(rules: RuleSet) -> float:
    """Return about how many plies a game of both sides has."""
    ways = len(rules.path.light) + len(rules.path.dark) + 2
    longer = 1 if rules.path.crossed_once else AGAIN * rules.pieces
    return longer * CAPTURED * rules.pieces * ways / max(float(rules.dice.mean), 0.01)


def _choosing(ready: Policies, agent: Agent, threads: int | None) -> tuple[WorkEstimate, float]:
    """Return what making an agent ready takes, and processor seconds of one of its choices."""
    rules = ready.rules
    nothing = WorkEstimate(f"playing {agent.name}", 0.0)
    if agent.is_own:
        return nothing, OWN_MOVE
    if agent.depth is None:
        from urcx.agents.play_files.play_file import is_play_file  # noqa: PLC0415

        if agent.kind == "optimal" and agent.table is None:
            from urcx.agents.policies import check_on_the_fly  # noqa: PLC0415

            check_on_the_fly(rules)
            return solving(rules, threads), CHOICE["optimal"]
        if agent.kind == "optimal" and is_play_file(str(agent.table)):
            return nothing, LOOKED_UP
        return nothing, CHOICE[agent.kind]
    return _looking_ahead(ready, agent, threads)


def _looking_ahead(
    ready: Policies, agent: Agent, threads: int | None
) -> tuple[WorkEstimate, float]:
    """Return what making an agent that looks ahead ready takes, and seconds of a choice."""
    if agent.leaf is None:
        return _by_network(ready, agent, threads)
    rules = ready.rules
    nothing = WorkEstimate(f"playing {agent.name}", 0.0)
    assert agent.depth is not None  # noqa: S101 - of its kind
    from urcx.agents import policies  # noqa: PLC0415
    from urcx.agents.levels import kept_file, memory_needed, ranking_for, value_type  # noqa: PLC0415
    from urcx.agents.lookahead import lookahead  # noqa: PLC0415

    look = lookahead(rules, agent.depth, agent.leaf, few_rolls=agent.few_rolls)
    plies = len(look.weights)
    if not ready.by_levels(look):
        return nothing, policies.SEARCH_SECONDS * PRUNED**plies
    size = ranking_for(rules).size
    kept = kept_file(rules, look) if ready.keep else None
    if kept is not None and kept.exists():
        return nothing, CHOICE["optimal"]
    levels = WorkEstimate(
        f"looking {plies} plies ahead over {size:,} states of {rules.name}",
        _spread(size * (plies + 1) * policies.SWEEP_SECONDS, threads),
        memory=memory_needed(size, look),
        disk=size * value_type(look)().itemsize if kept is not None else 0,
        advice="take --method tree, or fewer pieces with -p",
    )
    return levels, CHOICE["optimal"]


def _by_network(ready: Policies, agent: Agent, threads: int | None) -> tuple[WorkEstimate, float]:
    """Return what making a network's agent ready takes, and seconds of one of its choices."""
    from urcx.agents import policies  # noqa: PLC0415
    from urcx.agents.levels import memory_needed, ranking_for  # noqa: PLC0415
    from urcx.agents.networks import network_lookahead  # noqa: PLC0415

    rules = ready.rules
    network = policies.network_of(agent, rules)
    assert agent.depth is not None  # noqa: S101 - of its kind
    look = network_lookahead(rules, agent.depth)
    if not ready.values_all(network, look):
        return WorkEstimate(f"playing {agent.name}", 0.0), policies.network_choice(network, look)
    size = ranking_for(rules).size
    valued = WorkEstimate(
        f"valuing {size:,} states of {rules.name} by a network",
        _spread(policies.network_sweeps(network, look, size), threads),
        memory=memory_needed(size, look),
        advice="take --method tree, or fewer pieces with -p",
    )
    return valued, CHOICE["optimal"]


def playing(
    ready: Policies, pairs: Iterable[tuple[Agent, Agent]], games: int, threads: int | None
) -> list[WorkEstimate]:
    """Estimate games of pairs of agents, and what it takes to make each agent ready."""
    from urcx.games.simulator import game_memory  # noqa: PLC0415

    rules, plies = ready.rules, _plies(ready.rules)
    before: dict[str, WorkEstimate] = {}
    seconds, played = 0.0, 0
    own = False
    for pair in pairs:
        choices = []
        for agent in pair:
            estimate, choice = _choosing(ready, agent, threads)
            before[agent.name] = estimate
            choices.append(choice)
        own |= any(agent.is_own for agent in pair)
        seconds += games * plies * (PLY + sum(choices) / 2)
        played += games
    return [
        *before.values(),
        WorkEstimate(
            f"playing {counted(played, 'game')} of {rules.name} with {rules.pieces} pieces a side",
            seconds if own else _spread(seconds, min(chosen_threads(threads), max(games, 1))),
            memory=games * game_memory(rules),
            advice="take fewer --games, a lower --depth or fewer pieces with -p",
        ),
    ]


def following(
    ready: Policies,
    pairs: Sequence[tuple[Agent, Agent]],
    first: str,
    threads: int | None,
    *,
    judged: bool = False,
) -> list[WorkEstimate]:
    """Estimate exact expectations of games of pairs of agents, ``judged`` by a solution or not."""
    from urcx.expectations.expected_layers import memory_needed  # noqa: PLC0415
    from urcx.solving.general import solver as general  # noqa: PLC0415

    rules = ready.rules
    order = _layers(rules)
    states = 2 * tiles.conventions(rules.path, rules.pieces)["diagrams, finished left out"]
    rolls = len(rules.dice.rolls)
    found: dict[str, WorkEstimate] = {}
    seconds = 0.0
    for pair in pairs:
        choice = 0.0
        for agent in pair:
            found[agent.name], one = _choosing(ready, agent, threads)
            if order and one == CHOICE["optimal"]:
                one = BY_VALUES
            choice += states / 2 * rolls * one
        alike = pair[0] == pair[1] and rules.path.symmetric
        twice = first not in ("light", "dark") and not alike and not judged
        seconds += (1 + twice) * states * (FOLLOWED if order else FOLLOWED_BY_TILES) + choice
    return [
        *found.values(),
        WorkEstimate(
            f"following all games through {states:,} states of {rules.name}",
            _spread(seconds, threads) if order else seconds,
            memory=memory_needed(order, judged=judged) if order else general.memory_needed(states),
            advice="take fewer pieces with -p, or play --games",
        ),
    ]


def growing(rules: RuleSet, depth: int, *, divided: bool) -> WorkEstimate:
    """Estimate perft: positions grow with the depth until there are no more of them."""
    from urcx.enumerate import perft  # noqa: PLC0415

    perft.check_depth(depth)
    most = min(2 * tiles.diagrams(rules.path, rules.pieces), perft.MAX_POSITIONS)
    levels = [min(GROWTH**k, most) for k in range(1, depth + 1)]
    return WorkEstimate(
        f"counting {depth} plies of {rules.name}",
        sum(levels) * perft.PLACED * (2 if divided else 1),
        memory=levels[-1] * perft.bytes_a_position(rules, depth),
        advice="take a lower --depth",
    )


def valuing(rules: RuleSet, agent: Agent) -> WorkEstimate:
    """Estimate what an agent thinks of the moves of one position."""
    from urcx.agents.policies import SEARCH_GROWTH, SEARCH_SECONDS, check_on_the_fly  # noqa: PLC0415

    if agent.kind == "optimal" and agent.table is None:
        check_on_the_fly(rules)
        return solving(rules, None)
    plies = max((agent.depth or 1) - 1, 0)
    return WorkEstimate(
        f"looking {plies} plies ahead from one position of {rules.name}",
        SEARCH_SECONDS * SEARCH_GROWTH**plies * len(rules.dice.rolls),
        advice="take a lower --depth",
    )


def gambling(games: int, depths: Sequence[int], threads: int | None) -> WorkEstimate:
    """Estimate gambling games; ``depths`` are the look-aheads of one pair after another."""
    seconds = sum(games * GAMBLED[depth] / 2 for depth in depths)
    return WorkEstimate(
        f"playing {counted(games * len(depths) // 2, 'gambling game')}",
        _spread(seconds, threads),
        memory=games * 200,
        advice="take fewer --games or a lower depth",
    )


def training(
    rules: RuleSet, method: Method, settings: Any, minutes: float | None, threads: int | None
) -> WorkEstimate:
    """Estimate a training."""
    seconds, memory = method.needs(rules, settings)
    limit = math.inf if minutes is None else 60 * minutes
    return WorkEstimate(
        f"training by {method.name}",
        min(_spread(seconds, threads), limit),
        memory=memory,
        advice="take fewer --iterations, --quick, or --minutes",
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
    return WorkEstimate("the report", _spread(REPORT[quick], threads), advice="take --quick")


def judging(
    ready: Any,
    players: Sequence[Agent],
    opponent: Agent | None,
    threads: int | None,
    *,
    solved: bool,
) -> list[WorkEstimate]:
    """Estimate the regret of agents against an opponent, each against itself without."""
    pairs = [(player, opponent or player) for player in players]
    first = [] if solved else [solving(ready.rules, threads)]
    return [*first, *following(ready, pairs, "alternate", threads, judged=True)]


def curving(
    rules: RuleSet,
    players: Sequence[Agent],
    widths: int,
    games: int,
    threads: int | None,
    *,
    exact: bool | None,
    solved: bool,
) -> list[WorkEstimate]:
    """Estimate the strategy-complexity curve: players, and so many widths of quantised tables."""
    from urcx.agents.agents import Agent  # noqa: PLC0415
    from urcx.agents.policies import Policies  # noqa: PLC0415
    from urcx.expectations.expected import MANY_GAMES  # noqa: PLC0415
    from urcx.learn.curve.bits import small  # noqa: PLC0415
    from urcx.learn.curve.quantisers import KINDS  # noqa: PLC0415

    exact = small(rules) if exact is None else exact
    ready = Policies(rules, MANY_GAMES if exact else games, threads=threads)
    perfect, other = (Agent("optimal", ties, table="-") for ties in ("first", "last"))
    tables = len(KINDS) * widths
    pairs = [(player, perfect) for player in players] + [(other, perfect)] * tables
    states = _states(rules)
    work = (
        following(ready, pairs, "alternate", threads)
        if exact
        else playing(ready, pairs, games, threads)
    )
    coding = WorkEstimate(
        f"tables of {states:,} states of {rules.name}",
        _spread(tables * states * CODED, threads),
        memory=states * CODED_BYTES,
        advice="take fewer --table-bits",
    )
    return [*([] if solved else [solving(rules, threads)]), *work, coding]
