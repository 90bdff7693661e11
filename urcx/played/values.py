"""Where chances of winning are known: a tablebase, or a small game solved at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from urcx.agents.agent_kernels import FIRST, RankPolicy, TablePolicy
from urcx.agents.policies import table_policy
from urcx.complexity import tiles
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import WrongObjectError, get_attribute
from urcx.game import Game, check_side
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files.header import check_game
from urcx.solving.files.kept import check_on_the_fly, find_solution
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


class SolvedGame(ProbedGame):
    """A small rule set, solved in memory, on any path; it is probed like a tablebase.

    Raises
    ------
    TooLargeError
        If it is too large to be solved at once; the message says what to do.
    """

    file: Path | None = None  # it has none
    store = "f64"

    def __init__(
        self, rules: RuleSet, *, threads: int | None = None, stage: Stage = no_progress
    ) -> None:
        check_on_the_fly(rules)
        self.rules = rules
        if not layer_obstacle(rules):
            found = solve(rules, threads=threads, keep=True, stage=stage)
            self._order, self._layers = LayerOrder(rules), found.layers
            self._all = None
            self.bound = found.solved.gap
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
        """Return perfect play as kernels take it; it takes the first of equal moves."""
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


@lru_cache(maxsize=2)
def solve_in_memory(rules: RuleSet) -> SolvedGame:
    """Return a small rule set solved in memory; the last two are kept. Raises as `SolvedGame`."""
    return SolvedGame(rules)


@contextmanager
def open_or_solve(
    rules: RuleSet, *, threads: int | None = None, stage: Stage = no_progress
) -> Iterator[Tablebase | SolvedGame]:
    """Give the solution of a rule set: that which is kept, or a small game solved now.

    Takes ``threads`` and ``stage``, and raises, as `open_chances` does.
    """
    file = find_solution(rules)
    if file is not None:
        with open_tablebase(file) as base:
            yield base
    elif stage is no_progress:  # hints come one by one
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
    """Give what knows the chances of winning of a rule set.

    Parameters
    ----------
    rules
        The rule set.
    value
        An open tablebase, or another object of `WinningChances`; the name of a file, which is
        closed afterwards; or None for the solution that is kept, or to solve a small rule set at
        once.
    threads, stage
        As `urcx.solve` takes them.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, is not a tablebase or of other rules.
    TooLargeError
        If there is no file, none is kept, and the rule set is too large to be solved at once.
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


def chance_of(known: WinningChances, game: Game, side: str) -> Fraction:
    """Return the chance that a side wins, exactly the number that is known for who is to move.

    Raises
    ------
    UsageError
        If there is no such side.
    """
    check_side(side)
    mover = Fraction(known.probe(game.position))
    return mover if game.turn == side else 1 - mover
