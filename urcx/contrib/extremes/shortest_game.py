"""The shortest game, if both players and the dice do their best to end it.

Search. All positions are continued ply by ply. Equal positions are merged and counted with their
multiplicity (`urcx.enumerate.perft`). Positions that cannot end in time are dropped, by a bound: a
piece needs at least a certain number of plies to come home, including the other side's answers, and
other pieces can only delay it. If no game ends within a limit, the limit increases by one. The
first limit is the bound at the start. So no shorter game exists, and all games of this length are
counted.

Probability. Backwards from the finished games, each roll is answered by the move that makes a
shortest game most likely, and the probabilities are summed over the rolls. Both players cooperate,
and only the dice are random.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from urcx.contrib.extremes import shortest_kernels
from urcx.engine.moves import Move, Tables, after_pass, move_from, tables
from urcx.engine.threads import Stage, no_progress
from urcx.enumerate import perft_kernels
from urcx.enumerate.perft import count_limbs, depth_slots, next_positions, position_words
from urcx.enumerate.perft_kernels import HOME_MASK, HOME_SHIFT, TURN_SHIFT
from urcx.errors import TooLargeError, UrcxError, check_functions
from urcx.results.fields import COUNT, FRACTION, TEXT, Field, Format, fields_of
from urcx.results.numbers import count_text, number
from urcx.results.result import Result
from urcx.results.tables import Column, Table
from urcx.rules import catalogue
from urcx.rules.model import GameRules, RuleSet, check_flags
from urcx.rules.position import Position

TINY = Format(lambda chance: f"{chance:.4g}")
MOST_POSITIONS = 20_000_000  # over all plies, about 2 GB
BYTES_A_POSITION = 95
MOST_TRIES = 60  # limits tried above the bound at the start
CHUNK_BITS = 11  # of a mask of steps, for the tables of the plies that pieces need
NEVER = 10_000  # the plies for a piece that cannot come home

IntArray = NDArray[np.int64]
Counts = NDArray[np.uint64]


def _side(position: Position) -> str:
    return "light" if position.light_to_move else "dark"


@dataclass(frozen=True)
class ShortestPly:
    """One ply of a game: the position before it, the roll, and the move or None for a pass."""

    number: Annotated[int, Field(Column("ply", key=True), about="number of the ply", key="ply")]
    position: Annotated[
        Position,
        Field("<side", about="the side to roll: light or dark", key="side", of=_side),
        Field("", TEXT, "the position before the ply"),
    ]
    roll: Annotated[int, Field("roll", about="the roll")]
    move: Annotated[
        Move | None,
        Field(about="the step that the piece leaves, null for a pass", key="from", of="start"),
        Field(about="the step that it reaches, null for a pass", key="to", of="end"),
    ]
    words: Annotated[str, Field("<move", about="the move in words", key="move")]


@dataclass(frozen=True)
class Shortest(Result, function="shortest"):
    """The shortest game of a rule set.

    Examples
    --------
    >>> import urcx
    >>> from urcx.contrib.extremes import shortest
    >>> result = shortest(urcx.ruleset("finkel", pieces=1))
    >>> result.length, result.number_of_games, result.turns
    (5, 8, 3)
    """

    schema = "urcx.shortest/1"
    lists = ("course",)
    rules: GameRules
    exactness: ClassVar[Annotated[str, Field(about="a proof by search")]] = "exact"
    unit: ClassVar[Annotated[str, Field(about="unit of length: plies, which are rolls")]] = "plies"
    length: Annotated[int, Field(about="plies of the shortest game")]
    number_of_games: Annotated[
        int, Field("games of this length", COUNT, "number of games of this length", key="games")
    ]
    chance: Annotated[
        float,
        Field(
            "probability of such a game",
            TINY,
            "probability of such a game if both players choose the best moves for it",
        ),
    ]
    course: Annotated[tuple[ShortestPly, ...], "the likeliest of these games"]
    course_chance: Annotated[Fraction, Field("", FRACTION, "probability of the rolls shown")]
    positions: Annotated[
        int, Field("", COUNT, "positions that these games reach, counted at each ply")
    ]
    limits: Annotated[int, "number of limits tried; 1 if the bound at the start is attained"]

    @property
    @Field("plies, which are rolls", about="plies of the game shown", after="length")
    def plies(self) -> int:
        """Return the number of plies of the likeliest game, which are its rolls."""
        return len(self.course)

    @property
    @Field("turns", about="turns of the game shown", after="plies")
    def turns(self) -> int:
        """Return the number of turns of the likeliest game."""
        sides = [ply.position.light_to_move for ply in self.course]
        return 1 + sum(a != b for a, b in zip(sides, sides[1:], strict=False))

    @property
    @Field("won by", about="winner of the game shown; light begins", after="turns")
    def winner(self) -> str:
        """Return the winner of the likeliest game. Light begins."""
        return _side(self.course[-1].position)

    def tables(self) -> list[Table]:
        """Return the table of such games, and the likeliest of them ply by ply."""
        notes = [
            "games of this length: different rolls or different moves are different games",
            "probability: both players choose the moves that make such a game likeliest",
        ]
        likeliest = f"The likeliest of these games (probability {float(self.course_chance):.4g})"
        return [
            fields_of(Shortest).listed("", self, notes),
            fields_of(ShortestPly).table(likeliest, self.course),
        ]

    @property
    def answer(self) -> str:
        """Return the length of the shortest game, and the number of such games."""
        has = "has" if self.number_of_games == 1 else "have"
        return (
            f"{self.rules.with_pieces}: the shortest game takes {number(self.length)} {self.unit}. "
            f"{count_text(self.number_of_games, 'game')} {has} this length (exact)"
        )


def shortest(rules: str | RuleSet = "finkel", *, stage: Stage = no_progress) -> Shortest:
    """Find the shortest game, and count the games of this length.

    Parameters
    ----------
    rules
        A rule set or its name, with any path and up to 255 pieces.
    stage
        Called at the start of each part of the work.

    Returns
    -------
    Shortest

    Raises
    ------
    UnknownNameError
        If there is no such rule set.
    TooLargeError
        If the shortest games reach too many positions.
    UrcxError
        If no game ends.

    Examples
    --------
    >>> from urcx.contrib.extremes import shortest
    >>> result = shortest("finkel")
    >>> result.length, result.turns, result.winner
    (41, 27, 'light')
    >>> [(ply.roll, ply.move.start, ply.move.end) for ply in result.course[:3]]
    [(4, 0, 4), (4, 4, 8), (3, 8, 11)]
    """
    check_functions(stage=stage)
    rule_set = catalogue.ruleset(rules)
    search = _Search(rule_set)
    if min(needs[0] for needs in search.needs) >= NEVER:
        raise UrcxError(f"no game of {rule_set.name} ends: its dice bring no piece home")
    first = search.bound(search.start)[0]
    limit = int(first)
    for limit in range(int(first), int(first) + MOST_TRIES):
        stages = search.within(limit, stage(f"games of {limit} plies", limit, "plies"))
        if stages is not None:
            games = search.games
            break
    else:
        raise UrcxError(f"no game of {rule_set.name} ends within {limit} plies")
    chance, course = search.back(stages, stage("their probability", len(stages), "plies"))
    probabilities = [
        rule_set.dice.probabilities[rule_set.dice.rolls.index(ply.roll)] for ply in course
    ]
    return Shortest(
        rule_set, limit, games, chance, course, math.prod(probabilities, start=Fraction(1)),
        sum(len(stage.keys) for stage in stages), limit - int(first) + 1,
    )  # fmt: skip


@dataclass
class _Stage:
    """Positions that a shortest game can reach after a number of plies, with the best moves.

    ``worth`` are the values of `urcx.contrib.extremes.shortest_kernels.step_back`.
    """

    keys: IntArray

    def __post_init__(self) -> None:
        self.worth = np.zeros((len(self.keys), 2))
        self.way = np.zeros((len(self.keys), 2), np.int64)


class _Search:
    """The positions of all games that can end within a limit."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.arrays: Tables = tables(rules)
        self.start = position_words(Position(), turned=False)
        self.needs = [search_memory(rules, side) for side in (0, 1)]
        self.chunks = [_by_chunks(need) for need in self.needs]
        self.games = 0

    def bound(self, keys: IntArray) -> IntArray:
        """Return the least number of plies in which either side can end the game."""
        turn = keys[:, 0] >> TURN_SHIFT & 1
        result = np.full(len(keys), NEVER * 300)
        for side in (0, 1):
            mine = np.where(turn == side, keys[:, 0], keys[:, 1])
            mask = mine & ((1 << HOME_SHIFT) - 1)
            home = mine >> HOME_SHIFT & HOME_MASK
            pool = self.rules.pieces - home - np.bitwise_count(mask)
            total = pool * self.needs[side][0] - 1 + (turn != side)
            for k, table in enumerate(self.chunks[side]):
                total = total + table[mask >> (k * CHUNK_BITS) & ((1 << CHUNK_BITS) - 1)]
            result = np.minimum(result, total)
        return result

    def finished(self, keys: IntArray) -> NDArray[np.bool_]:
        """Return whether each position is the end of a game."""
        home: NDArray[np.bool_] = (keys >> HOME_SHIFT & HOME_MASK == self.rules.pieces).any(axis=1)
        return home

    def within(self, limit: int, progress: Callable[[int], None]) -> list[_Stage] | None:
        """Return the stages of all games that end within a limit, None without such games."""
        limbs = count_limbs(self.rules, 2 * limit)
        keys, counts = self.start, np.zeros((1, limbs), np.uint64)
        counts[0, 0] = 1
        stages: list[_Stage] = []
        ended = 0
        for played in range(limit):
            stages.append(_Stage(keys))
            if sum(len(stage.keys) for stage in stages) > MOST_POSITIONS:
                raise TooLargeError(
                    f"the shortest games of {self.rules.name} reach more than "
                    f"{MOST_POSITIONS:,} positions. Choose fewer pieces with -p"
                )
            keys, counts = next_positions(
                self.arrays, keys, counts, turned=False, level=len(stages)
            )
            done = self.finished(keys)
            ended += _total(counts[done])
            in_time = (self.bound(keys) + played + 1 <= limit) | done
            keys, counts = keys[in_time], counts[in_time]
            progress(played + 1)
            if not len(keys):
                return None
        self.games = ended
        stages.append(_Stage(keys))
        return stages if ended else None

    def back(
        self, stages: list[_Stage], progress: Callable[[int], None]
    ) -> tuple[float, tuple[ShortestPly, ...]]:
        """Return the probability of a shortest game, and the course of the likeliest."""
        after = _Stage(np.zeros((0, 2), np.int64))
        for k, stage in enumerate(reversed(stages)):
            stage.worth[self.finished(stage.keys)] = 1.0
            later = _table_of(after.keys), after.keys, after.worth
            with np.errstate(over="ignore"):  # the hash wraps, and compiled code does not warn
                shortest_kernels.step_back(
                    self.arrays.ways, self.arrays.rolls, self.arrays.chance, stage.keys, *later,
                    stage.worth, stage.way,
                )  # fmt: skip
            after = stage
            progress(k + 1)
        return float(stages[0].worth[0, 0]), tuple(self._course(stages))

    def _course(self, stages: list[_Stage]) -> list[ShortestPly]:
        position = Position()
        course: list[ShortestPly] = []
        for stage in stages[:-1]:
            (k,) = np.flatnonzero(
                (stage.keys == position_words(position, turned=False)).all(axis=1)
            )
            roll, start = map(int, stage.way[k])
            move = None if start < 0 else move_from(position, start, roll, self.rules)
            light = position.light_to_move
            words = move.describe(self.rules.path, light=light) if move else "pass"
            course.append(ShortestPly(len(course) + 1, position, roll, move, words))
            position = move.position if move else after_pass(position)
        return course


def _table_of(keys: IntArray) -> IntArray:
    table = depth_slots(max(len(keys), 1))
    with np.errstate(over="ignore"):
        perft_kernels.insert(table, np.empty_like(keys), 0, keys)
    return table


def _total(counts: Counts) -> int:
    return sum(int(limb) << (32 * k) for k, limb in enumerate(counts.sum(axis=0, dtype=object)))


@cache
def search_memory(rules: RuleSet, side: int) -> tuple[int, ...]:
    """Return the least number of plies to bring a piece home from each step, with all answers.

    A move takes a ply, and another ply for the answer unless it grants an extra roll. If captures
    grant rolls, a piece to capture may be on any shared tile.
    """
    check_flags("the bound of the shortest games", rules)
    path = rules.path
    way, enemy = (path.light, path.dark) if side == 0 else (path.dark, path.light)
    home = len(way) + 1
    least = [NEVER] * home + [0]

    def paid(step: int) -> int:
        if step == home:
            return 2
        tile = way[step - 1]
        guarded = rules.rosette_protects and tile in path.board.rosettes
        captures = tile in enemy and not guarded
        again = tile in rules.granting or (captures and rules.capture_grants_roll)
        return 1 if again else 2

    for step in range(home - 1, -1, -1):
        ends = [step + roll for roll in rules.dice.rolls if 0 < roll <= home - step]
        least[step] = min((paid(end) + least[end] for end in ends), default=NEVER)
    return tuple(least)


def _by_chunks(needs: tuple[int, ...]) -> list[IntArray]:
    """Return the plies for the pieces of a mask, by part of `CHUNK_BITS` bits and its value."""
    values = np.arange(1 << CHUNK_BITS)
    parts = [needs[first:-1][:CHUNK_BITS] for first in range(1, len(needs) - 1, CHUNK_BITS)]
    return [((values[:, None] >> np.arange(len(part))) & 1) @ np.array(part) for part in parts]
