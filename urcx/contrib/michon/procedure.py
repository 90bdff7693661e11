"""The marks of all states in Michon's procedure; `urcx.contrib.michon.result` explains it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.michon import nalimov_kernels as kernels
from urcx.contrib.michon.cycles import (
    MAX_SEARCHED,
    PLIES,
    CyclePly,
    first_repeated,
    mark_cycles,
    plies,
    shortest_cycle,
)
from urcx.contrib.michon.nalimov_kernels import LITERAL, MARKS, NO_ZEROS, PASSES, Order
from urcx.engine.memory import check_memory
from urcx.engine.move_kernels import GUARDS, SHARED
from urcx.engine.moves import tables
from urcx.engine.threads import Stage, for_chunks
from urcx.enumerate.rankings.ranking import PatternRanking, TileRanking, no_patterns, why_no_layers
from urcx.errors import TooLargeError, UrcxError
from urcx.results.fields import COUNT, TEXT, member
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import layers_of

READINGS = {"literal": LITERAL, "zero-rolls": NO_ZEROS, "passes": PASSES}
MEANING = {
    "literal": "every roll counts, a pass leads to the other player's turn",
    "zero-rolls": "rolls of 0 left out, other passes count",
    "passes": "passes of both players solved as equations",
}

MAX_STATES = (1 << 32) - 1  # states are queued as 32-bit numbers
MAX_SLOW_STATES = 100_000_000  # in the order by tiles
BYTES_A_STATE = 5  # a byte of marks, and an entry of the queue
TABLES_MEMORY = 100_000_000
PARTS = 64  # into which the states are divided for sorting
CHUNK = 1 << 14  # states that a thread takes at a time
SMALL = 1 << 15  # states; with fewer, threads do not pay off

IntArray = NDArray[np.int64]

# Passed to the kernels if there is no order by shared pattern.
NO_PATTERNS = no_patterns()


def reading_key(reading: str) -> str:
    """Return the name of a reading in JSON and CSV."""
    return reading.replace("-", "_")


# States that are decided, by reading.
Decided = Annotated[
    dict[str, int],
    "a count for each reading",
    *(
        member(name, COUNT, f"those decided: {meaning}", key=reading_key(name), of=itemgetter(name))
        for name, meaning in MEANING.items()
    ),
]


@dataclass(frozen=True)
class LayerMarks:
    """States with given numbers of the mover's and the other's pieces home, counted by marks."""

    home: Annotated[
        tuple[int, int],
        member(about="pieces home of who moves", key="mover_home", of=itemgetter(0)),
        member(about="pieces home of the other", key="other_home", of=itemgetter(1)),
    ]
    states: Annotated[int, member("states", COUNT, "their unfinished states")]
    decided: Decided
    quiet: Annotated[int, member("", COUNT, "those in which no capture can come any more")]
    settled: Annotated[int, "those that are quiet and decided, passes solved"]
    on_cycle: Annotated[int | None, member("", COUNT, "those on a cycle, null if not looked for")]


@dataclass(frozen=True)
class Stall:
    """Where a reading stalls first, and a shortest cycle through it, or one that it leads to."""

    position: Annotated[Position, member("", TEXT, "the undecided position nearest to the end")]
    on_cycle: Annotated[bool, member(about="whether it lies on the cycle")]
    cycle: Annotated[tuple[CyclePly, ...], member(about="a cycle, ply by ply", of=PLIES.records)]


class Procedure:
    """The marks of all states, and the queue in which they are examined.

    ``codes[state]`` has a bit for each mark, ``queue`` the unfinished states from the end of the
    game; ``starts[total]`` are the places in the queue where each key begins, for each total number
    of pieces still to come home but one; see `urcx.contrib.michon.nalimov_kernels.key_of`.
    """

    def __init__(self, rules: RuleSet, threads: int) -> None:
        self.rules, self.threads = rules, threads
        self.turned = rules.path.symmetric
        self.arrays = tables(rules)
        self.ranking: TileRanking | PatternRanking = TileRanking(
            rules.path, rules.pieces, None, "diagrams" if self.turned else "positions"
        )
        self.size = self.ranking.size
        what = f"running the procedure on {self.size:,} states"
        if self.size > MAX_STATES:
            raise TooLargeError(f"{what} is too large: at most {MAX_STATES:,}; take fewer pieces")
        check_memory(self.size * BYTES_A_STATE + TABLES_MEMORY, what, "take fewer pieces")
        tiles, patterns = self.ranking.tables, NO_PATTERNS
        if not why_no_layers(rules):  # the order by tiles works for every path
            self.ranking = PatternRanking(rules.path, rules.pieces, None, "diagrams")
            patterns = self.ranking.tables
        if patterns is NO_PATTERNS and self.size > MAX_SLOW_STATES:
            raise TooLargeError(
                f"{what} would take hours in the order by tiles, which this path needs: at most "
                f"{MAX_SLOW_STATES:,}; take fewer pieces"
            )
        self.order = Order(int(patterns is not NO_PATTERNS), patterns, tiles)
        self.codes = np.zeros(self.size, np.uint8)
        self.queue = np.empty(0, np.uint32)
        self.starts: list[list[int]] = []
        self.sweeps = 0

    def enqueue(self, stage: Stage) -> None:
        """Sort the unfinished states from the end of the game; mark the finished ones."""
        ways = self.arrays.ways
        cuts = np.linspace(0, self.size, PARTS + 1).astype(np.int64).tolist()
        counts = np.zeros((PARTS, int(kernels.keys(ways))), np.int64)
        show = stage("putting states in order", 2 * PARTS, "parts")

        def count(_: int, part: int, end: int) -> None:
            kernels.count_keys(self.order, ways, self.codes, cuts[part], cuts[end], counts[part])

        for_chunks(PARTS, 1, count, self.threads, show)
        ends = np.cumsum(counts.sum(axis=0))
        begins = np.concatenate([[0], ends[:-1]])
        # Where each part's states of a key go: after those of earlier parts.
        at = begins + np.cumsum(counts, axis=0) - counts
        groups = np.split(begins, 2 * self.rules.pieces - 1)
        lasts = [*(int(group[0]) for group in groups[1:]), int(ends[-1])]
        self.starts = [
            sorted({*group.tolist(), last}) for group, last in zip(groups, lasts, strict=True)
        ]
        self.queue = np.empty(lasts[-1], np.uint32)

        def place(_: int, part: int, end: int) -> None:
            kernels.place_keys(self.order, ways, cuts[part], cuts[end], at[part], self.queue)

        for_chunks(PARTS, 1, place, self.threads, lambda done: show(PARTS + done))

    def run(self, stage: Stage, label: str, *, captures: bool = True) -> None:
        """Mark decided states, starting from the finished ones, until nothing changes.

        Pieces home never decrease, so all states with the same number of them are completed before
        those with fewer. Without captures, every tile protects the piece on it.
        """
        ways = self.arrays.ways
        if not captures:
            ways = ways.copy()
            ways[:, GUARDS] = ways[:, SHARED]
            ways.flags.writeable = False  # as all others, for which the kernels are compiled
            self.codes[self.queue] = 0
        show = stage(label, len(self.queue), "states")
        for starts in self.starts:
            changed, times = 1, 0
            # Without captures progress never decreases, so one sweep is enough.
            while changed and (captures or times == 0):
                changed = sum(
                    self._decide(ways, first, last)
                    for first, last in zip(starts, starts[1:], strict=False)
                )
                times += 1
            self.sweeps = max(self.sweeps, times)
            show(starts[-1])

    def _decide(self, ways: IntArray, first: int, last: int) -> int:
        arguments = (self.order, ways, self.arrays.rolls, self.codes, self.queue)
        if last - first < SMALL:
            return int(kernels.decide_states(*arguments, first, last))
        changed = [0] * self.threads

        def part(thread: int, begin: int, end: int) -> None:
            changed[thread] += int(kernels.decide_states(*arguments, first + begin, first + end))

        for_chunks(last - first, CHUNK, part, self.threads)
        return sum(changed)

    def link(self, stage: Stage) -> None:
        """Mark the states that lie on a cycle with a move; passes count as solved."""
        undecided = self.queue[(self.codes[self.queue] & PASSES) == 0].astype(np.int64)
        show = stage("finding cycles", len(undecided), "states")
        mark_cycles(self.order, self.arrays, self.codes, undecided)
        show(len(undecided))

    def layers(self, *, linked: bool) -> tuple[LayerMarks, ...]:
        """Return the counts of marks by layer, from the end of the game."""
        pieces = self.rules.pieces
        counts = np.zeros((self.threads, pieces, pieces, MARKS + 2), np.int64)

        def part(thread: int, first: int, last: int) -> None:
            kernels.tally_decided(self.order, self.codes, self.queue, first, last, counts[thread])

        for_chunks(len(self.queue), CHUNK, part, self.threads)
        total = counts.sum(axis=0)
        return tuple(
            LayerMarks(
                layer,
                int(row[0]),
                dict(zip(READINGS, row[1:4].tolist(), strict=True)),
                int(row[4]),
                int(row[6]),
                int(row[5]) if linked else None,
            )
            for layer in layers_of(pieces)
            for row in [total[layer]]
        )

    def marks(self, position: Position) -> int:
        """Return the marks of a position."""
        turn = self.turned and not position.light_to_move
        return int(self.codes[self.ranking.rank(position.turned() if turn else position)])

    def stall(self, reading: str) -> Stall | None:
        """Return where a reading stalls first, None if it decides everything."""
        mark = READINGS[reading]
        state = int(kernels.first_without(self.codes, self.queue, mark))
        if state < 0:
            return None
        position = self.ranking.unrank(state)

        def undecided(position: Position) -> Iterator[CyclePly]:
            for ply in plies(position, self.rules):
                if reading == "zero-rolls" and ply.roll == 0:
                    continue
                if not self.marks(ply.after) & mark:
                    yield ply

        passing = reading != "passes"
        found = shortest_cycle(position, undecided, passing=passing)
        if found:
            return Stall(position, True, found)
        meeting = first_repeated(position, undecided)
        found = shortest_cycle(meeting, undecided, passing=passing)
        # Where nobody can ever move, the only cycle consists of passes.
        found = found or shortest_cycle(meeting, undecided, passing=True)
        if not found:
            raise UrcxError(f"no cycle found within {MAX_SEARCHED} positions of {position}")
        return Stall(position, False, found)
