"""Reachability: the states that can be reached from the start, by exhaustive search.

States are canonical views if both sides have the same path, positions otherwise. A ply is one roll
with the move or pass that answers it, as in `urcx.enumerate.perft`. A state's depth is the least
number of plies from the start. Finished games are counted separately.

The search is breadth first over the ranks of all states, with one byte per state. Ranks are in the
order by shared pattern if it is defined, otherwise in the order by tiles.
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

MAX_STATES = 1 << 38  # far below the limit of int64, but more bytes than any memory holds
MAX_SLOW_STATES = 500_000_000  # in the order by tiles, about 1.4 million per second and core
CHUNK = 1 << 18  # states per thread and chunk, a multiple of 8
TABLES_MEMORY = 100_000_000  # for tables, batches and the program, plus a byte per state

# (whether the mover has a piece on a rosette that grants a roll, places of the other side's pieces)
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
    """The states that are first reached at one depth."""

    depth: Annotated[int, Field("plies", about="least number of plies from the start")]
    new: Annotated[int, Field("new", COUNT, "unfinished states first reached at this depth")]
    states: Annotated[int, Field("total", COUNT, "unfinished states reached so far", key="total")]
    terminals: Annotated[
        int, Field("finished", COUNT, "finished states first reached at this depth")
    ]


@dataclass(frozen=True)
class StateCounts:
    """Numbers of unfinished states."""

    states: Annotated[int, Field("states", COUNT, "all states of this kind")]
    unreachable: Annotated[int, Field("unreachable", COUNT, "states that cannot be reached")]
    orphans: Annotated[
        int, Field("no predecessor", COUNT, "states without an unfinished predecessor")
    ]


@dataclass(frozen=True)
class KindCounts(StateCounts):
    """Unfinished states by the places of the pieces."""

    mover_on_rosette: Annotated[
        bool, Field(about="whether the mover has a piece on a rosette that grants a roll")
    ]
    other: Annotated[str, Field(about="places of the other side's pieces on the board")]


@dataclass(frozen=True)
class HomeCounts(StateCounts):
    """Unfinished states by the pieces home."""

    mover: Annotated[int, Field(about="the mover's pieces home")]
    other: Annotated[int, Field(about="the other side's pieces home")]


@dataclass(frozen=True)
class Missing:
    """The unreachable states.

    ``orphans`` have no unfinished state as predecessor, reachable or not. All other unreachable
    states have only unreachable predecessors. ``kinds`` classifies all states by `KINDS`, and
    ``home`` by the numbers of pieces home of the mover and of the other side.
    """

    unreachable: int
    orphans: Annotated[int, Field(kind=COUNT, about="states without an unfinished predecessor")]
    kinds: tuple[KindCounts, ...]
    home: tuple[HomeCounts, ...]
    examples: Annotated[
        tuple[Position, ...], Field(kind=POSITIONS, about="examples of unreachable states")
    ]

    @property
    def record(self) -> dict[str, Any]:
        """Return the JSON object."""
        kinds, home = (fields_of(item).records for item in (KindCounts, HomeCounts))
        own = fields_of(Missing).record(self)
        return own | {"kinds": kinds(self.kinds), "home": home(self.home)}

    def tables(self, rules: RuleSet) -> list[Table]:
        """Return the tables of all states by places of the pieces, and by pieces home."""
        notes = [
            "no predecessor: no unfinished state leads there; others have unreachable predecessors"
        ]
        stuck = sum(
            kind.orphans for kind in self.kinds if not kind.mover_on_rosette and kind.other != PLAIN
        )
        if stuck:
            share = f"{number(stuck)} of these {number(self.orphans)} states"
            notes.append(
                f"in {share}, the mover has no piece on a rosette, and all pieces of the other "
                "side on the board are on rosettes"
            )
        if isinstance(rules.rosette_grants_roll, frozenset):
            notes.append("rosettes in this table are rosettes that grant a roll")
        if 0 not in rules.dice.rolls:
            notes.append("these dice never give 0, so a player who can move must move")
        notes.append(f"examples of unreachable states: {_listed(self.examples, rules)}")
        mover = column(
            "<the mover is",
            lambda item: "on a rosette" if item.mover_on_rosette else "on no rosette",
        )
        by_kind = Fields(mover, column("<the other side is", lambda item: item.other))
        by_home = Fields(column("<mover-other", lambda item: f"{item.mover}-{item.other}"))
        counts = fields_of(StateCounts)
        return [
            (by_kind + counts).table("By places of the pieces", self.kinds, notes),
            (by_home + counts).table("By pieces home", self.home),
        ]


@dataclass(frozen=True)
class Reach(Result, function="reach"):
    """The result of a search.

    Examples
    --------
    >>> import urcx
    >>> from dataclasses import replace
    >>> reachable = urcx.reach(replace(urcx.ruleset("finkel"), pieces=1))
    >>> [str(position) for position in reachable.farthest]
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
    convention: Annotated[str, Field(about="the kind of states: mover-view or positions")]
    exactness: ClassVar[Annotated[str, Field(about="exact: all states are searched")]] = "exact"
    states: Annotated[
        int, Field("reachable, unfinished", COUNT, "unfinished states that can be reached")
    ]
    terminals: Annotated[
        int, Field("reachable, finished", COUNT, "finished states that can be reached")
    ]
    closed_form: Annotated[int, Field("of all unfinished", COUNT, "all unfinished states")]
    closed_form_terminals: Annotated[int, Field("of all finished", COUNT, "all finished states")]
    levels: Annotated[tuple[ReachDepth, ...], "the states first reached at each depth"]
    farthest: Annotated[
        tuple[Position, ...], Field(kind=POSITIONS, about="states at the greatest depth")
    ]
    missing: Annotated[
        Missing | None,
        Field(about="the unreachable states, null if there are none", of="record"),
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
        "unfinished states that cannot be reached",
        after="closed_form_terminals",
    )
    def unreachable(self) -> int:
        """Return the number of unreachable unfinished states."""
        return self.closed_form - self.states

    @property
    @Field("most plies from the start", about="the greatest depth, in plies", after="unreachable")
    def depth(self) -> int:
        """Return the depth of the farthest unfinished states, in plies."""
        return max(level.depth for level in self.levels if level.new)

    def tables(self) -> list[Table]:
        """Return the tables of reachable states, by depth, and of unreachable states."""
        fields = fields_of(Reach).pick(
            "states", "closed_form", "unreachable", "terminals", "closed_form_terminals", "depth",
        )  # fmt: skip
        fields += Fields(column("for example", lambda item: _listed(item.farthest, self.rules)))
        notes = [
            "exact; plies: least number from the start, each a roll with its move or pass",
            "finished: the player to move has lost",
        ]
        return [
            fields.listed("", self, notes),
            fields_of(ReachDepth).table("By depth", self.levels),
            *(self.missing.tables(self.rules) if self.missing else []),
        ]

    @property
    def terms(self) -> list[int]:
        """Return the numbers of states first reached after each number of plies."""
        return [level.new for level in self.levels]

    @property
    def remarks(self) -> list[str]:
        """Return the remark on the terms."""
        states = f"unfinished states ({self.convention}) of {self.rules.with_pieces}"
        return [f"a(n): {states}, n plies from the start; 0 for all greater n"]

    @property
    def answer(self) -> str:
        """Return the sentence on the number of reachable states and the greatest depth."""
        part = f"{number(self.states)} of {number(self.closed_form)}"
        reachable = part if self.unreachable else f"all {number(self.states)}"
        cannot = f", {number(self.unreachable)} cannot" if self.unreachable else ""
        return (
            f"{self.rules.with_pieces}: {reachable} unfinished states can be reached from the start"
            f"{cannot} (exact, by search); the farthest takes {self.depth} plies"
        )


def reach(rules: str | RuleSet, *, threads: int | None = None, stage: Stage = no_progress) -> Reach:
    """Return the states of a rule set that can be reached from the start.

    Parameters
    ----------
    rules
        A rule set or its name.
    threads
        Number of threads, by default one per core. The result does not depend on it.
    stage
        A function that is called as each part of the work begins.

    Returns
    -------
    Reach

    Raises
    ------
    TooLargeError
        If memory does not suffice for a byte per state.
    UsageError
        If the number of threads is below 1.

    Examples
    --------
    >>> import urcx
    >>> from dataclasses import replace
    >>> short = replace(urcx.ruleset("finkel"), pieces=1)
    >>> reachable = urcx.reach(short)
    >>> reachable.states, reachable.unreachable, reachable.depth
    (217, 0, 9)
    >>> reachable.to_dict()["new"].tolist()
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

    In a finished state the player to move has lost, because a game ends with the winner's move.
    """
    path, pieces = rules.path, rules.pieces
    diagrams = TileRanking(path, pieces, None, "diagrams").size
    light, dark = (placements_alone(way, pieces) for way in (path.light, path.dark))
    unfinished = diagrams - light - dark + 1  # "both home" is counted in both numbers
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
        work = f"a search of {self.size:,} states"
        if self.size > MAX_STATES:
            raise TooLargeError(
                f"{work} is too large: at most {MAX_STATES:,}. Take fewer pieces, or use --samples"
            )
        check_memory(self.size + TABLES_MEMORY, work, "take fewer pieces, or use --samples")
        if not layer_obstacle(rules):  # the order by tiles works for every path
            self.order = PatternRanking(rules.path, rules.pieces, None, "diagrams")
        elif self.size > MAX_SLOW_STATES:
            raise TooLargeError(
                f"{work} would take hours, because this path needs the order by tiles: at most "
                f"{MAX_SLOW_STATES:,}. Take fewer pieces, or use --samples"
            )
        self.codes = np.zeros(-(-self.size // 8) * 8, np.uint8)
        arrays, words = tables(rules), self.codes.view(np.uint64)
        self.search = Searched(
            self.order.arrays, self.turned, arrays.ways, arrays.rolls, self.codes, words
        )

    def levels(self, stage: Stage) -> tuple[tuple[ReachDepth, ...], tuple[Position, ...]]:
        """Search from the start, and return the levels and the farthest states."""
        update = stage("searching states", self.size, "states")
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
            update(total)
            now, after = after, now

    def missing(self, stage: Stage) -> Missing:
        """Return the unreachable states, after the search."""
        stage("predecessors of unreachable states", self.size, "states")(0)
        # Successors of reached states are reached, so only unreached states lead to unreached
        # states.
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
        """Run the kernel over all states, and return its counts and the first examples."""
        counts = np.zeros((self.threads, 2), np.int64)
        examples = np.full((self.threads, EXAMPLES), -1, np.int64)

        def work(thread: int, first: int, last: int) -> None:
            expand_states(
                self.search, selected, code, first, last, counts[thread], examples[thread]
            )

        self._chunks(work)
        new, terminals = counts.sum(axis=0).tolist()
        return new, terminals, self._positions(examples)

    def _chunks(self, work: Callable[[int, int, int], None]) -> None:
        for_chunks(self.size, CHUNK, work, self.threads)

    def _positions(self, examples: IntArray) -> tuple[Position, ...]:
        """Return the examples of least rank from the first examples of each thread."""
        ranks = np.sort(examples[examples >= 0])[:EXAMPLES]
        return tuple(self.order.unrank(int(rank)) for rank in ranks)
