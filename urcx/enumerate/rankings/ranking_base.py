"""What the rankings share: conventions, checks, sampling, and the proof by enumeration."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Annotated, ClassVar

import numpy as np

from urcx.enumerate.enumerator import DiagramBlock, diagram_blocks
from urcx.enumerate.layout import IntArray, check_pieces
from urcx.enumerate.rankings import ranking_kernels
from urcx.errors import OutOfDomainError, TooLargeError, UsageError, check_name
from urcx.results.fields import COUNT, fields_of, member
from urcx.results.numbers import counted
from urcx.results.report import Report
from urcx.results.result import Result
from urcx.rules.catalogue import seed as checked_seed
from urcx.rules.catalogue import whole
from urcx.rules.model import Path, RuleSet
from urcx.rules.position import GameLike, Position, as_position, check, position_on

__all__ = ["Ranking"]

CONVENTIONS = ("diagrams", "positions", "mover-view")
MAX_MARKS = 500_000_000  # a byte per rank in `Ranking.prove`


@dataclass(frozen=True)
class Marks:
    """The result of ranking all diagrams of the enumerator."""

    order: Annotated[str, member("order", about="the order of the ranking")]
    size: Annotated[int, member("diagrams", COUNT, "all diagrams", key="diagrams")]
    once: Annotated[
        int, member("ranks hit once", COUNT, "ranks that one diagram has", key="ranks_hit_once")
    ]
    repeated: Annotated[
        int, member("ranks hit repeatedly", COUNT, "by several", key="ranks_hit_repeatedly")
    ]
    outside: Annotated[int, member("outside", COUNT, "diagrams with a rank out of range")]

    @property
    @member("bijective", about="whether each rank was hit once")
    def bijective(self) -> bool:
        """Return whether each of the ranks 0..size - 1 occurred exactly once."""
        return self.once == self.size and self.outside == 0


class Ranking(Result, ABC, function="ranking"):
    """A bijection between states and 0..N-1, where N is its ``size``.

    Made by `ranking`. All methods work with Python integers of any size.
    """

    order: ClassVar[Annotated[str, member("order")]] = ""
    path: Annotated[Path, member(of="name")]
    pieces: Annotated[int, member()]
    dark_pieces: Annotated[int, member()]
    convention: Annotated[str, member("convention")]

    def __init__(self, path: Path, pieces: int, dark_pieces: int | None, convention: str) -> None:
        check_name("convention", convention, CONVENTIONS)
        self.path = path
        self.pieces, self.dark_pieces = check_pieces(pieces, dark_pieces)
        self.convention = convention
        if convention == "mover-view" and not (path.symmetric and self.pieces == self.dark_pieces):
            raise OutOfDomainError(
                "mover-view needs a path that is alike for both players and equal numbers of pieces"
            )

    @property
    @member("states", COUNT, key="states")
    def size(self) -> int:
        """Return N, the number of states."""
        return self._size() * (2 if self.convention == "positions" else 1)

    def report(self) -> Report:
        """Return what is numbered, and how many there are."""
        data = RANKING.record(self)
        pieces = f"{self.pieces} light and {counted(self.dark_pieces, 'dark piece')}"
        table = RANKING.listed(f"Ranking of {self.path.name}, {pieces}", self)
        return Report("urcx.rank/1", data, [data], [table], row_fields=RANKING)

    def rank(self, position: Position | str | GameLike) -> int:
        """Return the rank of a position, its notation, or a game, from 0 to ``size`` - 1.

        The convention ``diagrams`` ignores the side to move.

        Raises
        ------
        PositionError
            If the position breaks a rule of the board.
        UsageError
            If a game has another path or other numbers of pieces.
        OutOfDomainError
            In ``mover-view``, if the player to move has already won.
        """
        if isinstance(position, GameLike):
            self._check_game(position.rules)
        if isinstance(position, str):
            position = position_on(position, self.path)
        position = as_position(position)
        check(position, self.path, self.pieces, self.dark_pieces)
        if self.convention == "positions":
            return 2 * self._rank(position) + (not position.light_to_move)
        if self.convention == "mover-view":
            if not position.light_to_move:
                position = position.turned()
            if position.home[0] == self.pieces:
                raise OutOfDomainError("the player to move has already won: no mover-view state")
        return self._rank(position)

    def _check_game(self, rules: RuleSet) -> None:
        """Raise `UsageError` if a game's positions are not those that are ranked here."""
        path, own = rules.path, (rules.path.light, rules.path.dark, rules.pieces, rules.pieces)
        if own != (self.path.light, self.path.dark, self.pieces, self.dark_pieces):
            raise UsageError(
                f"the game is on the path {path.name} with {rules.pieces} pieces a side, not on "
                f"{self.path.name} with {self.pieces} and {self.dark_pieces}"
            )

    def unrank(self, rank: int) -> Position:
        """Return the position with a rank; light is to move unless the convention has both sides.

        Raises
        ------
        UsageError
            If the rank is not from 0 to ``size`` - 1.
        """
        rank = whole("rank", rank)
        if not 0 <= rank < self.size:
            raise UsageError(f"rank {rank} is outside 0..{self.size - 1}")
        if self.convention == "positions":
            position = self._unrank(rank // 2)
            return Position(position.light, position.dark, position.home, rank % 2 == 0)
        return self._unrank(rank)

    def sample(self, number: int | None, seed: int) -> Iterator[Position]:
        """Return independent, uniformly distributed positions; the same for the same seed.

        If ``number`` is None, the iterator does not end.

        Ranks are drawn without bias by Python's Mersenne Twister (``random.Random.randrange``).

        Raises
        ------
        UsageError
            If the number is below 0 or not a whole number, or the seed is not from 0 to 2^63 - 1.
        """
        draw = random.Random(checked_seed(seed))  # noqa: S311 - reproducible, nothing secret
        if number is not None and whole("number", number) < 0:
            raise UsageError(f"{number} positions: at least 0 are needed")
        return self._drawn(number, draw)

    def _drawn(self, number: int | None, draw: random.Random) -> Iterator[Position]:
        for _ in count() if number is None else range(number):
            yield self.unrank(draw.randrange(self.size))

    def prove(self, progress: Callable[[int], None] | None = None) -> Marks:
        """Rank every diagram that the enumerator visits, and count how often each rank occurs.

        ``progress`` is called regularly with the number ranked so far.

        Raises
        ------
        TooLargeError
            If there are more than `MAX_MARKS` diagrams.
        OutOfDomainError
            If the convention is not ``diagrams``.
        """
        if self.convention != "diagrams":
            raise OutOfDomainError("the enumerator visits diagrams")
        if self.size > MAX_MARKS:
            raise TooLargeError(
                f"marking {self.size} ranks takes as many bytes; at most {MAX_MARKS} are marked"
            )
        seen = np.zeros(self.size, np.uint8)
        outside = done = 0
        for block in diagram_blocks(self.path, self.pieces, self.dark_pieces):
            ranks = self._rank_block(block)
            outside += int(ranking_kernels.mark_ranks(ranks, seen))
            done += ranks.size
            if progress:
                progress(done)
        return Marks(self.order, self.size, int((seen == 1).sum()), int((seen > 1).sum()), outside)

    @abstractmethod
    def _size(self) -> int:
        """Return the number of diagrams, or of mover views."""

    @abstractmethod
    def _rank(self, position: Position) -> int:
        """Return the rank of a valid position among diagrams, or mover views."""

    @abstractmethod
    def _unrank(self, rank: int) -> Position:
        """Return the position with a valid rank."""

    @abstractmethod
    def _rank_block(self, block: DiagramBlock) -> IntArray:
        """Return the ranks of a batch of diagrams, a row for each placement of light."""


RANKING = fields_of(Ranking).pick("path", "pieces", "dark_pieces", "convention", "order", "states")
