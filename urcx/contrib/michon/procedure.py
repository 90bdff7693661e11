"""The marks of all states in Michon's procedure. `urcx.contrib.michon.result` explains it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.michon import nalimov_kernels as kernels
from urcx.contrib.michon.nalimov_kernels import LITERAL, MARKS, NO_ZEROS, PASSES, Order
from urcx.engine.memory import check_memory
from urcx.engine.move_kernels import GUARDS, LENGTH, SHARED
from urcx.engine.moves import Move, after_pass, legal_moves, tables
from urcx.engine.threads import Stage, for_chunks
from urcx.enumerate.rankings.ranking import PatternRanking, TileRanking, layer_obstacle, no_patterns
from urcx.errors import TooLargeError, UrcxError
from urcx.results.fields import COUNT, TEXT, Field, fields_of
from urcx.results.tables import Column, key
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import layers_of

READINGS = {"literal": LITERAL, "zero-rolls": NO_ZEROS, "passes": PASSES}
MEANING = {
    "literal": "all rolls count; a pass leads to the other player's turn",
    "zero-rolls": "rolls of 0 are ignored; other passes count",
    "passes": "passes of both players are solved as equations",
}

MAX_STATES = (1 << 32) - 1  # states are queued as 32-bit numbers
MAX_SLOW_STATES = 100_000_000  # in the order by tiles
BYTES_A_STATE = 20  # marks, keys, and memory to sort the queue
TABLES_MEMORY = 100_000_000
MAX_SEARCHED = 200_000  # positions searched for a cycle
CHUNK = 1 << 14  # states that a thread processes at a time
SMALL = 1 << 15  # states. Threads do not pay for fewer

IntArray = NDArray[np.int64]

# The argument of the kernels if there is no order by shared pattern.
NO_PATTERNS = no_patterns()


def reading_key(reading: str) -> str:
    """Return the name of a reading in JSON and CSV."""
    return reading.replace("-", "_")


# The numbers of decided states, by reading.
Decided = Annotated[
    dict[str, int],
    "a count for each reading",
    *(
        Field(name, COUNT, f"decided states: {meaning}", key=reading_key(name), of=itemgetter(name))
        for name, meaning in MEANING.items()
    ),
]


@dataclass(frozen=True)
class CyclePly:
    """A roll in a position with its move, None for a pass."""

    position: Annotated[Position, Field(key("position"), TEXT, "a position of the cycle")]
    roll: Annotated[int, Field(Column("roll", key=True), about="the roll")]
    move: Annotated[
        Move | None,
        Field(about="the step that the piece leaves, null for a pass", key="from", of="start"),
        Field(about="the step that the piece reaches, null for a pass", key="to", of="end"),
    ]

    @property
    @Field(about="whether the move captures")
    def captures(self) -> bool:
        """Return whether the ply is a move that captures."""
        return self.move is not None and self.move.captures

    @property
    @Field("<leads to", TEXT, "the next position")
    def after(self) -> Position:
        """Return the position after the ply."""
        return after_pass(self.position) if self.move is None else self.move.position


PLIES = fields_of(CyclePly)


def plies(position: Position, rules: RuleSet) -> Iterator[CyclePly]:
    """Yield every roll with every move or the pass, or nothing if the game is over."""
    if rules.pieces in position.home:
        return
    for roll in rules.dice.rolls:
        for move in legal_moves(position, roll, rules) or (None,):
            yield CyclePly(position, roll, move)


def shortest_cycle(
    start: Position, onward: Callable[[Position], Iterator[CyclePly]], *, passing: bool
) -> tuple[CyclePly, ...]:
    """Return a shortest cycle through a position, or nothing if the search finds none.

    ``onward`` yields the plies to follow. Unless ``passing``, the cycle must contain a move.
    """
    # A node of the search is a position, and whether the way to it has a move.
    begin = (start, False)
    came: dict[tuple[Position, bool], tuple[tuple[Position, bool], CyclePly] | None] = {begin: None}
    left = deque([begin])
    while left and len(came) < MAX_SEARCHED:
        at = left.popleft()
        for ply in onward(at[0]):
            to = (ply.after, passing or at[1] or ply.move is not None)
            if to in came:
                continue
            came[to] = at, ply
            if to == (start, True):
                return _path_to(came, to)
            left.append(to)
    return ()


def _path_to(
    came: dict[tuple[Position, bool], tuple[tuple[Position, bool], CyclePly] | None],
    at: tuple[Position, bool],
) -> tuple[CyclePly, ...]:
    steps: list[CyclePly] = []
    while (step := came[at]) is not None:
        at = step[0]
        steps.append(step[1])
    return tuple(reversed(steps))


def first_repeated(
    position: Position, onward: Callable[[Position], Iterator[CyclePly]]
) -> Position:
    """Return the first position that is visited twice if moves are preferred to passes."""
    seen: set[Position] = set()
    while position not in seen:
        seen.add(position)
        ahead = list(onward(position))
        position = min(ahead, key=lambda ply: ply.move is None).after
    return position


@dataclass(frozen=True)
class LayerMarks:
    """The states of a layer, counted by marks."""

    home: Annotated[
        tuple[int, int],
        Field(about="pieces home of the player to move", key="mover_home", of=itemgetter(0)),
        Field(about="pieces home of the other player", key="other_home", of=itemgetter(1)),
    ]
    states: Annotated[int, Field("states", COUNT, "unfinished states")]
    decided: Decided
    quiet: Annotated[int, Field("", COUNT, "states without any further capture")]
    settled: Annotated[int, "states that are quiet, and decided with passes solved"]


@dataclass(frozen=True)
class Stall:
    """The first position on which a reading stalls, with a shortest cycle to which it leads."""

    position: Annotated[Position, Field("", TEXT, "the undecided position nearest to the end")]
    on_cycle: Annotated[bool, Field(about="whether it is on the cycle")]
    cycle: Annotated[tuple[CyclePly, ...], Field(about="a cycle, ply by ply", of=PLIES.records)]


class Procedure:
    """The marks of all states, and the queue in which they are examined.

    ``codes[state]`` has a bit for each mark. ``queue`` has the unfinished states from the end of
    the game. ``starts[total]`` are the places in the queue at which each key begins, for each total
    number of pieces not home, minus 2 (see `urcx.contrib.michon.nalimov_kernels.write_keys`).
    """

    def __init__(self, rules: RuleSet, threads: int) -> None:
        self.rules, self.threads = rules, threads
        self.turned = rules.path.symmetric
        self.arrays = tables(rules)
        self.ranking: TileRanking | PatternRanking = TileRanking(
            rules.path, rules.pieces, None, "diagrams" if self.turned else "positions"
        )
        self.size = self.ranking.size
        work = f"running the procedure on {self.size:,} states"
        if self.size > MAX_STATES:
            raise TooLargeError(
                f"{work} is too large: must be at most {MAX_STATES:,}. Choose fewer pieces"
            )
        check_memory(self.size * BYTES_A_STATE + TABLES_MEMORY, work, "choose fewer pieces")
        tiles, patterns = self.ranking.arrays, NO_PATTERNS
        if not layer_obstacle(rules):  # the order by tiles works for every path
            self.ranking = PatternRanking(rules.path, rules.pieces, None, "diagrams")
            patterns = self.ranking.arrays
        if patterns is NO_PATTERNS and self.size > MAX_SLOW_STATES:
            raise TooLargeError(
                f"{work} would take hours in the order by tiles, which this path needs: must be at "
                f"most {MAX_SLOW_STATES:,}. Choose fewer pieces"
            )
        self.order = Order(int(patterns is not NO_PATTERNS), patterns, tiles)
        self.codes = np.zeros(self.size, np.uint8)
        self.queue = np.empty(0, np.uint32)
        self.starts: list[list[int]] = []
        self.sweeps = 0

    def enqueue(self, stage: Stage) -> None:
        """Sort the unfinished states from the end of the game, and mark the finished ones."""
        show = stage("sorting states", self.size, "states")
        keys = np.full(self.size, -1, np.int32)

        def write(_: int, first: int, last: int) -> None:
            kernels.write_keys(self.order, self.arrays.ways, self.codes, first, last, keys)

        for_chunks(self.size, CHUNK, write, self.threads, show)
        finished = np.count_nonzero(keys < 0)
        self.queue = np.argsort(keys, kind="stable")[finished:].astype(np.uint32)
        ordered = keys[self.queue]
        cuts = np.flatnonzero(np.diff(ordered, prepend=-1, append=-1))  # the borders between keys
        size = int(self.arrays.ways[:, LENGTH].sum() + 2) * self.rules.pieces + 1
        total = ordered[cuts[:-1]] // size
        self.starts = [
            cuts[np.searchsorted(total, n) : np.searchsorted(total, n, "right") + 1].tolist()
            for n in range(2 * self.rules.pieces - 1)
        ]

    def run(self, stage: Stage, label: str, *, captures: bool = True) -> None:
        """Mark decided states, starting from the finished ones, until nothing changes.

        Pieces never leave home, so states with more pieces home are completed before states with
        fewer. Without captures, every tile protects the piece on it.
        """
        ways = self.arrays.ways
        if not captures:
            ways = ways.copy()
            ways[:, GUARDS] = ways[:, SHARED]
            ways.flags.writeable = False  # kernels are compiled for read-only arrays
            self.codes[self.queue] = 0
        show = stage(label, len(self.queue), "states")
        for starts in self.starts:
            changed, times = 1, 0
            # Without captures progress never decreases, so one sweep suffices.
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

    def layers(self) -> tuple[LayerMarks, ...]:
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
                int(row[5]),
            )
            for layer in layers_of(pieces)
            for row in [total[layer]]
        )

    def marks(self, position: Position) -> int:
        """Return the marks of a position."""
        turn = self.turned and not position.light_to_move
        return int(self.codes[self.ranking.rank(position.turned() if turn else position)])

    def stall(self, reading: str) -> Stall | None:
        """Return the first stall of a reading, None if it decides everything."""
        mark = READINGS[reading]
        undecided_states = np.flatnonzero(self.codes[self.queue] & mark == 0)
        if not len(undecided_states):
            return None
        position = self.ranking.unrank(int(self.queue[undecided_states[0]]))

        def undecided(position: Position) -> Iterator[CyclePly]:
            for ply in plies(position, self.rules):
                if reading == "zero-rolls" and ply.roll == 0:
                    continue
                if not self.marks(ply.after) & mark:
                    yield ply

        passing = reading != "passes"
        cycle = shortest_cycle(position, undecided, passing=passing)
        if cycle:
            return Stall(position, True, cycle)
        meeting = first_repeated(position, undecided)
        cycle = shortest_cycle(meeting, undecided, passing=passing)
        # If nobody can ever move, the only cycle consists of passes.
        cycle = cycle or shortest_cycle(meeting, undecided, passing=True)
        if not cycle:
            raise UrcxError(f"there is no cycle within {MAX_SEARCHED} positions of {position}")
        return Stall(position, False, cycle)
