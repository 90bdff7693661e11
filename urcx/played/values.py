"""Sources of win probabilities: a tablebase, a small game solved now, or a network's estimates."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

from urcx.agents.agent_kernels import FIRST, RankPolicy, TablePolicy
from urcx.agents.network_kernels import WON, evaluate_network
from urcx.agents.networks import Network, network_arrays, shipped, shipped_file
from urcx.agents.policies import table_policy
from urcx.agents.search import mover_state
from urcx.complexity import tiles
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import UsageError, WrongObjectError, get_attribute
from urcx.game import Game, check_side
from urcx.reading import package_toml
from urcx.results.numbers import percent_text
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.header import check_game
from urcx.solving.files.kept import (
    can_be_solved,
    check_on_the_fly,
    find_solution,
    saved_solution,
)
from urcx.solving.files.rgu import open_solution
from urcx.solving.files.tablebase import (
    ProbedGame,
    Tablebase,
    open_tablebase,
)
from urcx.solving.general.solver import solve_general
from urcx.solving.layered.order import LayerOrder
from urcx.solving.probing import WinningChances
from urcx.solving.solution import solve
from urcx.solving.ties import width_of

MOST_ESTIMATES = 64  # rule sets for which the network, or its absence, is cached


class SolvedGame(ProbedGame):
    """A small rule set on any path, solved in memory and probed like a tablebase.

    Raises
    ------
    TooLargeError
        If the rule set is too large to solve now. The message has the command to solve it.
    """

    file: Path | None = None  # always
    store = "f64"

    def __init__(
        self, rules: RuleSet, *, threads: int | None = None, stage: Stage = no_progress
    ) -> None:
        check_on_the_fly(rules)
        self.rules = rules
        if not layer_obstacle(rules):
            solution = solve(rules, threads=threads, keep=True, stage=stage)
            self._order, self._layers = LayerOrder(rules), solution.layers
            self._all = None
            self.bound = solution.solved.gap
        else:
            total = tiles.conventions(rules.path, rules.pieces)["positions"]
            solved, order, values = solve_general(
                rules, progress=stage(f"solving {rules.name}", total, "states")
            )
            self._all = order, values
            self.bound = solved.gap
        self.gap: float | None = self.bound

    @property
    def policy(self) -> TablePolicy | RankPolicy:
        """Return optimal play for the kernels. Ties go to the first move."""
        width = width_of(self)
        if self._all is not None:
            order, values = self._all
            return RankPolicy(FIRST, values, 1.0, width, order.ranking.arrays)
        return table_policy(self._order, lambda layer: self._layers[layer][0], FIRST, 1.0, width)

    def _value(self, position: Position) -> float:
        if self._all is not None:
            order, values = self._all
            return float(values[order.index(position)])
        layer, rank = self._order.place(position)
        return float(self._layers[layer][0][rank])


class Estimates(ProbedGame):
    """A network's values, probed like a tablebase, without proven bounds."""

    file: Path | None = None
    store = "network"
    bound: float | None = None
    gap: float | None = None

    def __init__(self, rules: RuleSet, network: Network) -> None:
        self.rules = rules
        self._arrays = network_arrays(network)
        self._lock = threading.Lock()  # the arrays have room for only one thread

    def _value(self, position: Position) -> float:
        with self._lock:
            value = int(evaluate_network(self._arrays, *mover_state(position)[1]))
        return (1 + value / WON) / 2

    @cached_property
    def about(self) -> str:
        """Return the source of the values and their measured quality, in one line."""
        cards = package_toml("agents/data/learned/cards.toml")
        card = cards[shipped_file(self.rules).stem]
        text = f"wins {percent_text(card['wins'])} of games against optimal play"
        if "mistaken" in card:
            right = percent_text(1 - card["mistaken"], 1)
            text = f"plays the best move in {right} of decisions, and {text}"
        if "off" in card:
            mean, most = (f"{100 * card['off'][key]:.2f}" for key in ("mean", "p95"))
            text = (
                f"is off by {mean} points on average and by less than {most} points in 95 % of "
                f"positions of games, {text}"
            )
        return f"estimates by a network, which {text}"


@lru_cache(MOST_ESTIMATES)
def network_estimates(rules: RuleSet) -> Estimates | None:
    """Return the estimates for a rule set, or None if urcx comes without a network for it."""
    try:
        return Estimates(rules, shipped(rules))
    except UsageError:
        return None


def estimates_for(rules: RuleSet) -> Estimates | None:
    """Return the estimates for a rule set that is too large to solve now and has no solution."""
    if can_be_solved(rules) or saved_solution(rules) is not None:
        return None
    return network_estimates(rules)


@lru_cache(maxsize=2)
def solve_in_memory(rules: RuleSet) -> SolvedGame:
    """Return a small rule set solved in memory. The last two stay there. Raises as `SolvedGame`."""
    return SolvedGame(rules)


@contextmanager
def open_or_solve(
    rules: RuleSet, *, threads: int | None = None, stage: Stage = no_progress
) -> Iterator[Tablebase | SolvedGame]:
    """Open the saved solution of a rule set, or solve a small game now.

    Parameters and errors are as in `open_chances`.
    """
    file = find_solution(rules)
    if file is not None:
        with open_tablebase(file) as base:
            yield base
    elif stage is no_progress:  # hints come singly, so the solution stays in memory
        yield solve_in_memory(rules)
    else:
        yield SolvedGame(rules, threads=threads, stage=stage)


@contextmanager
def open_chances(
    rules: RuleSet,
    value: WinningChances | str | Path | None = None,
    *,
    threads: int | None = None,
    stage: Stage = no_progress,
) -> Iterator[WinningChances]:
    """Open the win probabilities of a rule set.

    Parameters
    ----------
    rules
        The rule set.
    value
        An open tablebase or another object of `WinningChances`, or the name of a file, which is
        closed afterwards. None uses the saved solution, or solves a small rule set now.
    threads, stage
        As in `urcx.solve`.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, is not a tablebase, or has other rules.
    TooLargeError
        If there is no solution, and the rule set is too large to solve now.
    """
    if value is None:
        with open_or_solve(rules, threads=threads, stage=stage) as result:
            yield result
    elif isinstance(value, str | Path):
        with open_solution(value) as base:
            check_game(base.file, base.rules, rules, advice=False)
            yield base
    elif callable(get_attribute(value, "probe")) and get_attribute(value, "rules") is not None:
        file = get_attribute(value, "file") or "the solution"
        check_game(file, value.rules, rules, advice=False)
        yield value
    else:
        raise WrongObjectError("tablebase", Tablebase, value, "a file name")


def chance_of(solution: WinningChances, game: Game, side: str) -> Fraction:
    """Return a side's win probability, exactly as probed for the side to move.

    Raises
    ------
    UsageError
        If ``side`` is neither ``light`` nor ``dark``.
    """
    check_side(side)
    mover = Fraction(solution.probe(game.position))
    return mover if game.turn == side else 1 - mover
