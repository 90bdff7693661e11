"""Perft: the exact number of nodes of the game tree at each depth.

The branches of a position are its rolls, 0 included, each with every legal move, or with the pass
if there is no legal move. Perft merges equal positions and counts them with their multiplicity, in
integers of any size, so it does not walk the tree. Finished games have no branches. If both sides
have the same path, positions are canonical views (``mover-view``), finished games included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.engine.memory import check_memory
from urcx.engine.moves import Move, Tables, after_pass, check_open, legal_moves, masks, tables
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate import perft_kernels
from urcx.errors import TooLargeError, UsageError, check_booleans, check_functions
from urcx.results.fields import COUNT, TEXT, Field, Fields, column, decimals, fields_of
from urcx.results.numbers import count_text, number
from urcx.results.result import Rows
from urcx.results.tables import Table
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet
from urcx.rules.position import GameLike, Position

__all__ = ["perft"]

MAX_POSITIONS = 40_000_000  # per depth, about 6 GB with counts and tables
MAX_DEPTH = 200
POSITION_BYTES = 48  # two words, and two to four slots of the hash table

IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Level:
    """The counts of perft at one depth.

    ``positions`` includes the root. ``growth`` is 0 if the depth before has no nodes.
    """

    depth: Annotated[int, Field("depth", about="plies after the first position")]
    nodes: Annotated[int, Field("nodes", COUNT, "nodes of the tree at exactly this depth")]
    distinct: Annotated[int, Field("distinct", COUNT, "different positions among the nodes")]
    positions: Annotated[int, Field("", COUNT, "different positions up to this depth")]
    growth: Annotated[float, Field("growth", decimals(4), "nodes per node of the depth before")]


class Branch(NamedTuple):
    """A first roll with its move, or None for a pass, and the nodes below at the greatest depth."""

    roll: Annotated[int, Field("roll", about="the first roll")]
    move: Annotated[
        Move | None,
        Field(about="the step that the piece leaves, null for a pass", key="from", of="start"),
        Field(about="the step that the piece reaches, null for a pass", key="to", of="end"),
    ]
    nodes: Annotated[int, Field("nodes", COUNT, "nodes below this branch, at the greatest depth")]


class Levels(Rows[Level], function="perft"):
    """The levels of a tree: a tuple of `Level`, the first at depth 1.

    Examples
    --------
    >>> import urcx
    >>> levels = urcx.perft("finkel", 2)
    >>> levels.rules.name, str(levels.position), levels[-1].nodes
    ('finkel', '-/-/0-0/L', 28)
    """

    schema = "urcx.perft/1"
    parts: ClassVar = {"divide": fields_of(Branch)}
    brief = 2
    rules: GameRules
    position: Annotated[Position, Field("", TEXT, "the first position")]
    branches: Annotated[tuple[Branch, ...] | None, "the first branches, if counted"] = None
    exactness: ClassVar[Annotated[str, Field(about="exact: every node is counted")]] = "exact"

    @property
    @Field(about="the kind of states: mover-view or positions", after="position")
    def convention(self) -> str:
        """Return the kind of states: ``mover-view`` or ``positions``."""
        return "mover-view" if self.rules.path.symmetric else "positions"

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object, with branches if they were counted."""
        divide = fields_of(Branch).records(self.branches or ())
        return super().document() | ({} if self.branches is None else {"divide": divide})

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each level and each branch."""
        if self.branches is None:
            return super().records()
        levels = [{**record, "kind": "level"} for record in super().records()]
        return levels + [
            {"depth": self[-1].depth, "kind": "branch", **part, "pass": part["from"] is None}
            for part in fields_of(Branch).records(self.branches)
        ]

    def tables(self) -> list[Table]:
        """Return the levels of the tree, and the counts below each first branch."""
        fields = fields_of(Level)
        positions = replace(fields["positions"], heading=f"positions ({self.convention})")
        columns = Fields(fields.pick("depth", "nodes", "growth", "distinct"), positions)
        tables = [columns.table("", self, [NOTE])]
        if self.branches is not None:

            def words(branch: Branch) -> str:
                path, light = self.rules.path, self.position.light_to_move
                return branch.move.describe(path, light=light) if branch.move else "pass"

            parts = fields_of(Branch)
            described = Fields(parts["roll"], column("<move", words), parts["nodes"])
            title = f"Nodes at depth {self[-1].depth} below each first branch"
            tables.append(described.table(title, self.branches))
        return tables

    @property
    def terms(self) -> list[int]:
        """Return the numbers of nodes after 0, 1, 2 and more plies."""
        return [1, *(level.nodes for level in self)]

    @property
    def remarks(self) -> list[str]:
        """Return the remark on the terms."""
        tree = f"the game tree of {self.rules.with_pieces} after n plies from {self.position}"
        return [f"a(n): nodes of {tree}, rolls of 0 and passes included"]

    @property
    def answer(self) -> str:
        """Return the sentence on the size of the last level."""
        last = self[-1]
        where = "the start" if self.position == Position() else str(self.position)
        return (
            f"{self.rules.with_pieces}: {count_text(last.nodes, 'node')} at depth "
            f"{last.depth} from "
            f"{where} (exact), {number(last.distinct)} of them different"
        )


NOTE = (
    "growth: nodes per node of the depth before; distinct: different positions at this depth; "
    "positions: different positions up to this depth, the first included"
)


def perft(
    rules: str | RuleSet | GameLike,
    depth: int = 8,
    position: Position | str | GameLike | None = None,
    *,
    divide: bool = False,
    stage: Stage = no_progress,
) -> Levels:
    """Count the game tree exactly: nodes and positions by depth.

    A ply is one roll, 0 included. Each legal move, or the pass, is a branch.

    Parameters
    ----------
    rules
        A rule set, its name, or a game, whose position is then the default.
    depth
        The number of plies to count, from 1 to 200.
    position
        A position, its notation, or a game with the same rules. By default the start.
    divide
        Whether to count the nodes below each first roll and move too. The result has them as
        ``branches``.
    stage
        A function that is called as the work begins.

    Returns
    -------
    Levels
        A tuple of `Level`, one for each depth.

    Raises
    ------
    UsageError
        If the depth is not from 1 to `MAX_DEPTH`.
    PositionError
        If the position breaks a rule, or the game is over.
    TooLargeError
        If a depth has more than `MAX_POSITIONS` positions, or memory does not suffice. The message
        names the depth that is possible.

    Examples
    --------
    >>> import urcx
    >>> levels = urcx.perft("finkel", 3)
    >>> [level.nodes for level in levels]
    [5, 28, 192]
    >>> levels  # doctest: +ELLIPSIS
    finkel, 7 pieces per side: 192 nodes at depth 3 from the start (exact), 104 of them different
    <BLANKLINE>
    depth  nodes  growth  distinct  positions (mover-view)
    -----  -----  ------  --------  ----------------------
        1      5  5.0000         5                       5
        2     28  5.6000        28                      28
        3    192  6.8571       104                     104
    <BLANKLINE>
    * growth: ...
    """
    check_functions(stage=stage)
    check_booleans(divide=divide)
    depth = check_depth(depth)
    first, rules = catalogue.resolve_position(position, rules)
    check_open(first, rules)
    arrays = tables(rules)
    turned = rules.path.symmetric
    keys = position_words(first, turned=turned)
    counts = np.zeros((1, count_limbs(rules, depth)), np.uint64)
    counts[0, 0] = 1
    seen = _Seen()
    seen.add(keys)
    levels = []
    before = 1
    progress = stage(f"perft of {rules.name}", depth, "plies")
    for level in range(1, depth + 1):
        keys, counts = next_positions(arrays, keys, counts, turned=turned, level=level)
        limbs = counts.sum(axis=0, dtype=object)
        nodes = sum(int(limb) << (32 * k) for k, limb in enumerate(limbs))
        growth = nodes / before if before else 0.0
        levels.append(Level(level, nodes, len(keys), seen.add(keys), growth))
        before = nodes
        progress(level)
    branches = branches_of(rules, depth, first) if divide else None
    return Levels(levels, rules=rules, position=first, branches=branches)


def check_depth(depth: int) -> int:
    """Return a depth as an integer, or raise `UsageError` if it is not from 1 to `MAX_DEPTH`."""
    number = catalogue.as_integer("depth", depth)
    if not 1 <= number <= MAX_DEPTH:
        raise UsageError(f"depth {number}: must be from 1 to {MAX_DEPTH}")
    return number


def count_limbs(rules: RuleSet, depth: int) -> int:
    """Return a sufficient number of limbs for the greatest branching factor to the power depth."""
    most = len(rules.dice.rolls) * (rules.pieces + 1)
    return math.ceil(depth * math.log2(most) / 32) + 1


def bytes_a_position(rules: RuleSet, depth: int) -> int:
    """Return the bytes per position at the last depth, its count included."""
    return POSITION_BYTES + 8 * count_limbs(rules, depth)


def branches_of(rules: RuleSet, depth: int, first: Position) -> tuple[Branch, ...]:
    """Return the first branches of the tree, with the nodes below each.

    The errors are the same as in `perft`.
    """
    branches = [
        (roll, move, move.position if move else after_pass(first))
        for roll in rules.dice.rolls
        for move in legal_moves(first, roll, rules) or (None,)
    ]
    return tuple(
        Branch(roll, move, _nodes(rules, depth - 1, after)) for roll, move, after in branches
    )


def _nodes(rules: RuleSet, depth: int, position: Position) -> int:
    """Return the number of nodes ``depth`` plies below a position."""
    if depth == 0:
        return 1
    return 0 if rules.pieces in position.home else perft(rules, depth, position)[-1].nodes


def position_words(position: Position, *, turned: bool) -> IntArray:
    """Return a position's two words, beginning with the player to move."""
    words = [
        mask | home << perft_kernels.HOME_SHIFT
        for mask, home in zip(masks(position), position.home, strict=True)
    ]
    if not position.light_to_move:
        words.reverse()
        if not turned:
            words[0] |= 1 << perft_kernels.TURN_SHIFT
    return np.array([words], np.int64)


def depth_slots(entries: int) -> IntArray:
    """Return an empty hash table that is at most half full with ``entries`` entries."""
    return np.full(1 << max(4, (2 * entries - 1).bit_length()), -1, np.int64)


def next_positions(
    arrays: Tables, keys: IntArray, counts: NDArray[np.uint64], *, turned: bool, level: int
) -> tuple[IntArray, NDArray[np.uint64]]:
    """Return the positions one ply after others, and their counts (see `perft_kernels`).

    Raises
    ------
    TooLargeError
        If there are more than `MAX_POSITIONS` positions, or memory does not suffice.
    """
    capacity = 4 * len(keys) + 64
    while True:
        capacity = min(capacity, MAX_POSITIONS)
        check_memory(
            capacity * (POSITION_BYTES + 8 * counts.shape[1]),
            f"depth {level} after {len(keys):,} positions",
            f"use a depth of {level - 1} or less",
        )
        out = np.empty((capacity, 2), np.int64)
        total = np.zeros((capacity, counts.shape[1]), np.uint64)
        with np.errstate(over="ignore"):  # the hash wraps (compiled code does not warn)
            n = perft_kernels.ply(
                arrays.ways,
                arrays.rolls,
                turned,
                keys,
                counts,
                depth_slots(capacity),
                out,
                total,
            )
        if n >= 0:
            return out[:n].copy(), total[:n].copy()
        if capacity == MAX_POSITIONS:
            raise TooLargeError(
                f"depth {level} has more than {MAX_POSITIONS:,} positions. Use a depth of "
                f"{level - 1} or less"
            )
        capacity *= 2


class _Seen:
    """The set of positions seen so far."""

    def __init__(self) -> None:
        self.keys = np.empty((1024, 2), np.int64)
        self.table = depth_slots(len(self.keys))
        self.stored = 0

    def add(self, keys: IntArray) -> int:
        """Add positions, and return the number of distinct positions so far."""
        total = self.stored + len(keys)
        with np.errstate(over="ignore"):
            if total > len(self.keys):
                old = self.keys[: self.stored]
                self.keys = np.empty((2 * total, 2), np.int64)
                self.table = depth_slots(len(self.keys))
                self.stored = perft_kernels.insert(self.table, self.keys, 0, old)
            self.stored = perft_kernels.insert(self.table, self.keys, self.stored, keys)
        return self.stored
