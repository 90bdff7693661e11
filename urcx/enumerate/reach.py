"""Reachability: which states can be reached from the start, by exhaustive search.

States are mover views if both sides are alike, positions otherwise. A ply is one roll with the move
or pass that answers it, as in `urcx.enumerate.perft`; a state's depth is the least number of plies
from the start. Finished games are counted apart.

The search is breadth first over the ranks of all states, with one byte each; ranks are by shared
pattern if that order is defined, otherwise by tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.engine.memory import check_memory
from urcx.engine.moves import tables
from urcx.engine.threads import Stage, chosen_threads, for_chunks, no_progress
from urcx.enumerate.enumerator import placements_alone
from urcx.enumerate.rankings.ranking import PatternRanking, TileRanking, layer_obstacle
from urcx.enumerate.reach_kernels import (
    DONE,
    EXAMPLES,
    FRONTIERS,
    LED,
    Searched,
    Selected,
    expand_states,
    survey_states,
)
from urcx.errors import TooLargeError, check_functions
from urcx.results.fields import COUNT, Field, Fields, Format, column, fields_of
from urcx.results.numbers import number
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import Dice, GameRules, RuleSet
from urcx.rules.position import Position

__all__ = ["reach"]

MAX_STATES = 1 << 38  # far below the limit of int64, yet more bytes than any memory holds
MAX_SLOW_STATES = 500_000_000  # in the order by tiles, some 1.4 million per second and core
CHUNK = 1 << 18  # states that a thread takes at a time, a multiple of 8
TABLES_MEMORY = 100_000_000  # beside a byte per state: tables, batches, the program

# (whether the mover has a piece on a rosette that grants a roll, where the other's pieces stand)
PLAIN, ONLY_ROSETTES, NOWHERE = "elsewhere too", "on rosettes only", "nowhere"
KINDS = tuple(
    (mine, theirs) for mine in (False, True) for theirs in (PLAIN, ONLY_ROSETTES, NOWHERE)
)

IntArray = NDArray[np.int64]


POSITIONS = Format(json=(("", lambda values: list(map(str, values))),))


def _listed(positions: Iterable[Position], rules: RuleSet) -> str:
    return ", ".join(position.on(rules.path) for position in positions)


@dataclass(frozen=True)
class ReachDepth:
    """What is first reached after so many plies."""

    depth: Annotated[int, Field("plies", about="the fewest plies that lead there")]
    new: Annotated[int, Field("new", COUNT, "unfinished states that are reached with so many")]
    states: Annotated[int, Field("in all", COUNT, "unfinished states reached so far", key="total")]
    terminals: Annotated[int, Field("finished", COUNT, "finished states reached so far")]


@dataclass(frozen=True)
class StateCounts:
    """Numbers of unfinished states."""

    states: Annotated[int, Field("states", COUNT, "all states of this kind")]
    unreachable: Annotated[int, Field("unreachable", COUNT, "those that are not reached")]
    orphans: Annotated[int, Field("no way", COUNT, "those to which no unfinished state leads")]


@dataclass(frozen=True)
class KindCounts(StateCounts):
    """Unfinished states by where the pieces stand."""

    mover_on_rosette: Annotated[
        bool, Field(about="whether the mover has a piece on a rosette that grants a roll")
    ]
    other: Annotated[str, Field(about="where the other's pieces stand")]


@dataclass(frozen=True)
class HomeCounts(StateCounts):
    """Unfinished states by the pieces home."""

    mover: Annotated[int, Field(about="the mover's pieces home")]
    other: Annotated[int, Field(about="the other's")]


@dataclass(frozen=True)
class Missing:
    """The unreachable states.

    ``orphans`` have no unfinished state as predecessor, reachable or not; all other unreachable
    states have only unreachable predecessors. ``kinds`` and ``home`` classify all states, by
    `KINDS` and by the numbers of pieces home of the mover and of the other side.
    """

    unreachable: int
    orphans: Annotated[int, Field(kind=COUNT, about="states to which no unfinished state leads")]
    kinds: tuple[KindCounts, ...]
    home: tuple[HomeCounts, ...]
    examples: Annotated[
        tuple[Position, ...], Field(kind=POSITIONS, about="states that are not reached")
    ]

    @property
    def record(self) -> dict[str, Any]:
        """Return what JSON has."""
        kinds, home = (fields_of(of).records for of in (KindCounts, HomeCounts))
        own = fields_of(Missing).record(self)
        return own | {"kinds": kinds(self.kinds), "home": home(self.home)}

    def tables(self, rules: RuleSet) -> list[Table]:
        """Return the tables of all states by where the pieces stand, and by pieces home."""
        notes = [
            "no way: no unfinished state leads there; to the others only unreachable ones lead"
        ]
        stuck = sum(
            kind.orphans for kind in self.kinds if not kind.mover_on_rosette and kind.other != PLAIN
        )
        if stuck:
            share = f"{number(stuck)} of these {number(self.orphans)}"
            notes.append(
                f"in {share} the mover has no piece on a rosette, and the other none off them"
            )
        if isinstance(rules.rosette_grants_roll, frozenset):
            notes.append("a rosette here is one that grants a roll")
        if 0 not in rules.dice.rolls:
            notes.append("these dice never give 0: whoever can move has to")
        notes.append(f"unreachable, for example: {_listed(self.examples, rules)}")
        mover = column(
            "<the mover is",
            lambda item: "on a rosette" if item.mover_on_rosette else "on no rosette",
        )
        by_kind = Fields(mover, column("<the other is", lambda item: item.other))
        by_home = Fields(column("<mover-other", lambda item: f"{item.mover}-{item.other}"))
        counts = fields_of(StateCounts)
        return [
            (by_kind + counts).table("By where the pieces stand", self.kinds, notes),
            (by_home + counts).table("By pieces home", self.home),
        ]


@dataclass(frozen=True)
class Reach(Result, function="reach"):
    """The result of a search.

    Examples
    --------
    >>> import urcx
    >>> from dataclasses import replace
    >>> found = urcx.reach(replace(urcx.ruleset("finkel"), pieces=1))
    >>> [str(position) for position in found.farthest]
    ['13/14/0-0/L', '14/14/0-0/L']
    """

    schema = "urcx.reach/1"
    lists = ("levels",)
    parts: ClassVar = {
        "missing": fields_of(Missing),
        "missing.kinds": fields_of(KindCounts),
        "missing.home": fields_of(HomeCounts),
    }
    rules: GameRules
    convention: Annotated[str, Field(about="how states are told apart: mover-view or positions")]
    exactness: ClassVar[Annotated[str, Field(about="all states are searched")]] = "exact"
    states: Annotated[
        int, Field("reachable, unfinished", COUNT, "unfinished states that are reached")
    ]
    terminals: Annotated[
        int, Field("reachable, finished", COUNT, "finished states that are reached")
    ]
    closed_form: Annotated[int, Field("of all unfinished", COUNT, "all unfinished states")]
    closed_form_terminals: Annotated[int, Field("of all finished", COUNT, "all finished states")]
    levels: Annotated[tuple[ReachDepth, ...], "what is first reached at each depth"]
    farthest: Annotated[
        tuple[Position, ...], Field(kind=POSITIONS, about="states that take so many")
    ]
    missing: Annotated[
        Missing | None,
        Field(about="which are not reached, null if that was not found out", of="record"),
    ]

    @property
    @Field(about="name of the dice", of="name", after="rules")
    def dice(self) -> Dice:
        """Return the dice."""
        return self.rules.dice

    @property
    @Field(
        "unreachable",
        COUNT,
        "unfinished states that are not reached",
        after="closed_form_terminals",
    )
    def unreachable(self) -> int:
        """Return the number of unreachable unfinished states."""
        return self.closed_form - self.states

    @property
    @Field(
        "most plies from the start", about="the most plies that a state takes", after="unreachable"
    )
    def depth(self) -> int:
        """Return the depth of the farthest unfinished states, in plies."""
        return max(level.depth for level in self.levels if level.new)

    def tables(self) -> list[Table]:
        """Return what is reached, by depth, and what is not."""
        shown = fields_of(Reach).pick(
            "states", "closed_form", "unreachable", "terminals", "closed_form_terminals", "depth",
        )  # fmt: skip
        shown += Fields(column("for example", lambda item: _listed(item.farthest, self.rules)))
        notes = [
            "exact; plies: least number from the start, each a roll with its move or pass",
            "finished: the player to move has lost",
        ]
        return [
            shown.listed("", self, notes),
            fields_of(ReachDepth).table("By depth", self.levels),
            *(self.missing.tables(self.rules) if self.missing else []),
        ]

    @property
    def terms(self) -> list[int]:
        """Return how many states are first reached after each number of plies."""
        return [level.new for level in self.levels]

    @property
    def remarks(self) -> list[str]:
        """Return the remark on the terms."""
        states = f"unfinished states ({self.convention}) of {self.rules.with_pieces}"
        return [f"a(n): {states}, n plies from the start; 0 for all further n"]

    @property
    def answer(self) -> str:
        """Return how many states are reached, and in how many plies the farthest."""
        whole = f"{number(self.states)} of {number(self.closed_form)}"
        found = whole if self.unreachable else f"all {number(self.states)}"
        cannot = f", {number(self.unreachable)} cannot" if self.unreachable else ""
        return (
            f"{self.rules.with_pieces}: {found} unfinished states can be reached from the start"
            f"{cannot} (exact, by search); the farthest takes {self.depth} plies"
        )


def reach(rules: str | RuleSet, *, threads: int | None = None, stage: Stage = no_progress) -> Reach:
    """Return which states of a rule set are reachable from the start, for any number of threads.

    Parameters
    ----------
    rules
        A rule set or its name.
    threads
        By default as many as there are cores; the result is the same.
    stage
        What to call as each part of the work begins.

    Returns
    -------
    Reach

    Raises
    ------
    TooLargeError
        If memory does not hold a byte for each state.
    UsageError
        If the number of threads is below 1.

    Examples
    --------
    >>> import urcx
    >>> from dataclasses import replace
    >>> short = replace(urcx.ruleset("finkel"), pieces=1)
    >>> found = urcx.reach(short)
    >>> found.states, found.unreachable, found.depth
    (217, 0, 9)
    >>> found.to_dict()["new"].tolist()
    [1, 4, 20, 36, 49, 43, 35, 18, 9, 2]
    """
    check_functions(stage=stage)
    rules = catalogue.ruleset(rules)
    search = _ReachSearch(rules, chosen_threads(threads))
    levels, farthest = search.levels(stage)
    closed, finished = closed_forms(rules)
    states = levels[-1].states
    return Reach(
        rules,
        "mover-view" if search.turned else "positions",
        states,
        sum(level.terminals for level in levels),
        closed,
        finished,
        levels,
        farthest,
        search.missing(stage) if states < closed else None,
    )


def closed_forms(rules: RuleSet) -> tuple[int, int]:
    """Return the numbers of unfinished and finished states by the closed form.

    In a finished state the player to move has lost: a game ends with the winner's own move.
    """
    path, pieces = rules.path, rules.pieces
    diagrams = TileRanking(path, pieces, None, "diagrams").size
    light, dark = (placements_alone(way, pieces) for way in (path.light, path.dark))
    unfinished = diagrams - light - dark + 1  # "both home" is in each of the two
    if path.symmetric:
        return unfinished, light - 1
    return 2 * unfinished, light + dark - 2


class _ReachSearch:
    """A code for every state, and the kernels for their order."""

    def __init__(self, rules: RuleSet, threads: int) -> None:
        self.rules, self.threads = rules, threads
        self.turned = rules.path.symmetric
        self.order: TileRanking | PatternRanking = TileRanking(
            rules.path, rules.pieces, None, "diagrams" if self.turned else "positions"
        )
        self.size = self.order.size
        what = f"a search of {self.size:,} states"
        if self.size > MAX_STATES:
            raise TooLargeError(
                f"{what} is too large: at most {MAX_STATES:,}; take fewer pieces, or samples"
            )
        check_memory(self.size + TABLES_MEMORY, what, "take fewer pieces, or samples")
        if not layer_obstacle(rules):  # the order by tiles works for every path
            self.order = PatternRanking(rules.path, rules.pieces, None, "diagrams")
        elif self.size > MAX_SLOW_STATES:
            raise TooLargeError(
                f"{what} would take hours in the order by tiles, which this path needs: at most "
                f"{MAX_SLOW_STATES:,}; take fewer pieces, or samples"
            )
        self.codes = np.zeros(-(-self.size // 8) * 8, np.uint8)
        arrays, words = tables(rules), self.codes.view(np.uint64)
        self.search = Searched(
            self.order.arrays, self.turned, arrays.ways, arrays.rolls, self.codes, words
        )

    def levels(self, stage: Stage) -> tuple[tuple[ReachDepth, ...], tuple[Position, ...]]:
        """Search from the start; return the levels and the farthest states."""
        show = stage("searching states", self.size, "states")
        now, after = FRONTIERS
        self.codes[self.order.rank(Position())] = now
        levels: list[ReachDepth] = []
        farthest: tuple[Position, ...] = ()
        total = 0
        while True:
            new, terminals, examples = self._expand(Selected(0, now, DONE), after)
            if not new and not terminals:
                return tuple(levels), farthest
            total += new
            levels.append(ReachDepth(len(levels), new, total, terminals))
            farthest = examples or farthest
            show(total)
            now, after = after, now

    def missing(self, stage: Stage) -> Missing:
        """Return what is not reached, after the search."""
        stage("what leads to the others", self.size, "states")(0)
        # Successors of reached states are reached, so only unreached states can lead to unreached
        # ones.
        self._expand(Selected(DONE, DONE, 0), LED)
        p = self.rules.pieces
        by_home = np.zeros((self.threads, p, p, 3), np.int64)
        by_kind = np.zeros((self.threads, len(KINDS), 3), np.int64)
        examples = np.full((self.threads, EXAMPLES), -1, np.int64)

        def work(thread: int, first: int, last: int) -> None:
            survey_states(
                self.search, first, last, by_home[thread], by_kind[thread], examples[thread]
            )

        self._chunks(work)
        kinds = by_kind.sum(axis=0).tolist()
        home = by_home.sum(axis=0).tolist()
        return Missing(
            sum(row[1] for row in kinds),
            sum(row[2] for row in kinds),
            tuple(
                KindCounts(row[0], row[1], row[2], *kind)
                for kind, row in zip(KINDS, kinds, strict=True)
            ),
            tuple(
                HomeCounts(row[0], row[1], row[2], i, j)
                for i, rows in enumerate(home)
                for j, row in enumerate(rows)
            ),
            self._positions(examples),
        )

    def _expand(self, selected: Selected, code: int) -> tuple[int, int, tuple[Position, ...]]:
        """Run the kernel over all states; return its counts and the first examples."""
        found = np.zeros((self.threads, 2), np.int64)
        examples = np.full((self.threads, EXAMPLES), -1, np.int64)

        def work(thread: int, first: int, last: int) -> None:
            expand_states(self.search, selected, code, first, last, found[thread], examples[thread])

        self._chunks(work)
        new, terminals = found.sum(axis=0).tolist()
        return new, terminals, self._positions(examples)

    def _chunks(self, work: Callable[[int, int, int], None]) -> None:
        for_chunks(self.size, CHUNK, work, self.threads)

    def _positions(self, examples: IntArray) -> tuple[Position, ...]:
        """Return the examples of least rank; each thread has found its own first ones in order."""
        ranks = np.sort(examples[examples >= 0])[:EXAMPLES]
        return tuple(self.order.unrank(int(rank)) for rank in ranks)
