"""One player alone on the board: the expected plies to bear off all pieces.

An extra roll is a ply like any other, so rosettes do not matter here; a roll without a legal move
is a ply too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.engine.threads import Stage, silent
from urcx.errors import TooLargeError, UsageError
from urcx.results.fields import Fields, Schema, decimals, fields_of, member
from urcx.results.report import Report
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.strategy.journey import NEVER, ExpectedTimes, journey, track
from urcx.strategy.throughput import LONG_RUN, NAME, Throughput, long_run_table, throughput

IntArray = NDArray[np.int64]

MAX_LENGTH = 16  # 2^16 boards for each number of pieces home


def plies_alone(
    rules: RuleSet, pieces: int, best: Callable[[Iterable[float]], float] = min
) -> float:
    """Return the expected plies of light alone, its moves chosen by ``best``: `min` or `max`.

    Raises
    ------
    TooLargeError
        If the path has more than `MAX_LENGTH` steps.
    UsageError
        If the dice may never bring all pieces home.
    """
    return plies_alone_each(rules, pieces, best)[-1]


def plies_alone_each(
    rules: RuleSet,
    pieces: int,
    best: Callable[[Iterable[float]], float] = min,
    progress: Callable[[int], None] | None = None,
) -> tuple[float, ...]:
    """Return the expected plies of `plies_alone` for each number of pieces from 1 to ``pieces``.

    ``progress`` is called with the number of pieces done.
    """
    length = rules.path.length
    if length > MAX_LENGTH:
        raise TooLargeError(f"{rules.path.name}: one alone is followed on {MAX_LENGTH} steps")
    pick = np.minimum if best is min else np.maximum
    never = np.inf if best is min else -np.inf
    chances = list(zip(rules.dice.rolls, map(float, rules.dice.probabilities), strict=True))
    groups = _groups(length)
    on_board = np.bitwise_count(np.arange(1 << length))
    # Expected plies from each board with a given number of pieces left; infinite if impossible.
    home = np.zeros(1 << length)
    found = []
    for left in range(1, pieces + 1):
        plies = np.full(1 << length, never)
        # A move increases the sum of steps or bears a piece off, so its successor's value is known.
        for group in groups:
            boards = group[on_board[group] <= left]
            total, idle = np.ones(len(boards)), np.zeros(len(boards))
            ever = np.zeros(len(boards), np.bool_)
            for roll, chance in chances:
                after = np.full(len(boards), never)
                movable = np.zeros(len(boards), np.bool_)
                for can, where, gone in _moves(boards, on_board[boards] < left, roll, length):
                    values = (home if gone else plies)[where]
                    after[can] = pick(after[can], values)
                    movable[can] = True
                idle[~movable] += chance
                total[movable] += chance * after[movable]
                ever |= movable
            plies[boards] = np.where(ever, total, np.inf) / np.where(ever, 1 - idle, 1.0)
        if np.isinf(plies[0]):
            raise UsageError(
                f"with the dice {rules.dice.name} a piece on {rules.path.name} may never come home"
            )
        found.append(float(plies[0]))
        home = plies
        if progress:
            progress(left)
    return tuple(found)


def _groups(length: int) -> list[IntArray]:
    """Return all boards, grouped by the sum of the steps of their pieces, greatest first."""
    boards = np.arange(1 << length)
    steps = sum((boards >> (s - 1) & 1) * s for s in range(1, length + 1))
    return [boards[steps == total] for total in range(length * (length + 1) // 2, -1, -1)]


def _moves(
    boards: IntArray, pool: NDArray[np.bool_], roll: int, length: int
) -> Iterator[tuple[IntArray, IntArray, bool]]:
    """Yield for each start the boards that can move, their successors, and whether it bears off.

    Boards are masks with bit s - 1 for step s; ``pool`` marks the boards with pieces in the start
    pool.
    """
    for start in range(max(0, length + 1 - roll + 1) if roll else 0):
        end = start + roll
        may = boards >> (start - 1) & 1 == 1 if start else pool
        if end <= length:
            may = may & (boards >> (end - 1) & 1 == 0)
        can = np.flatnonzero(may)
        after = boards[can] & ~(1 << start >> 1)
        yield can, after if end > length else after | 1 << (end - 1), end > length


@dataclass(frozen=True)
class PiecesAlone:
    """One player alone with so many pieces."""

    pieces: Annotated[int, member("pieces", about="number of pieces")]
    rolls: Annotated[
        float, member("rolls", decimals(4), "expected rolls by the best choice of moves")
    ]
    rolls_worst: Annotated[
        float, member("worst choice", decimals(4), "expected rolls by the worst")
    ]
    added_by_last: Annotated[
        float, member("by the last", decimals(6), "how many more than with a piece less")
    ]

    @property
    @member("rolls a piece", decimals(4), "rolls by the number of pieces", after="rolls_worst")
    def rolls_a_piece(self) -> float:
        """Return the expected plies by the best choice, for each piece."""
        return self.rolls / self.pieces


@dataclass(frozen=True)
class Alone:
    """One player alone under a rule set, with numbers of pieces and in the long run."""

    rules: Annotated[
        RuleSet,
        member(about="name of the rule set", of="name"),
        member(about="name of its path", key="path", of="path.name"),
        member(about="name of its dice", key="dice", of="dice.name"),
    ]
    exactness: ClassVar[Annotated[str, member(about="how numbers were obtained")]] = (
        "computed in floating point; one_piece and bound are exact"
    )
    rows: tuple[PiecesAlone, ...]
    single: Annotated[
        ExpectedTimes | None,
        "one piece's exact time, None if it may never come home",
        member("one piece, rolls", NEVER, "one piece's rolls", key="one_piece_rolls", of="rolls"),
        member("one piece, turns", NEVER, "one piece's turns", key="one_piece_turns", of="turns"),
    ]
    long_run: Throughput

    def report(self) -> Report:
        """Return the expected time by number of pieces, and the long run."""
        rules, data = self.rules, PIECES.data(self, rows=self.rows)
        notes = [
            (
                "rolls of one player alone until all pieces are home, 0s and rosettes' extra rolls "
                "counted"
            ),
            (
                "by the last: how many more rolls than with a piece fewer, which is less than the "
                "long run's where one more piece wastes fewer steps in all; worst choice: by the "
                "moves that take longest"
            ),
        ]
        order = ("pieces", "rolls", "rolls_a_piece", "added_by_last", "rolls_worst")
        title = f"One player alone: {rules.name}, {rules.path.name}, {rules.dice.name}"
        tables = [
            NUMBERS.pick(*order).table(title, self.rows, notes),
            long_run_table("", PIECES.parts[""], self),
        ]
        return Report(NAME, data, data["rows"], tables)


NUMBERS = fields_of(PiecesAlone)
LASTING = Fields(
    *(
        one if one.key.startswith("bound") else replace(one, key=f"long_run_{one.key}")
        for one in LONG_RUN.inside("long_run")
    )
)
PIECES = Schema(NAME, {"": fields_of(Alone) + LASTING, "rows": NUMBERS})


def alone(rules: str | RuleSet, numbers: Sequence[int], stage: Stage = silent) -> Alone:
    """Return how long one player alone takes with numbers of pieces, in ascending order.

    ``stage`` is what to call as each part of the work begins.

    Raises
    ------
    TooLargeError
        If the path has more than `MAX_LENGTH` steps.
    UsageError
        If the dice may never bring all pieces home.
    """
    rules = catalogue.ruleset(rules)
    most = numbers[-1]
    fewest = plies_alone_each(rules, most, min, stage("the fewest plies", most, "pieces"))
    longest = plies_alone_each(rules, most, max, stage("the most plies", most, "pieces"))
    way = track(rules)
    rows = (
        PiecesAlone(n, fewest[n - 1], longest[n - 1], fewest[n - 1] - (0.0, *fewest)[n - 1])
        for n in numbers
    )
    single = journey(way, len(rules.path.light) + 1).alone
    return Alone(rules, tuple(rows), single, throughput(way))
