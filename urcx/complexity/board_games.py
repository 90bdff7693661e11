"""The states of any board game whose tiles are independent, by one generating function.

The contents of a tile are a polynomial: a term for each way to fill it, whose exponents count the
pieces. The product over all tiles has a term for each arrangement of the board, so the number of
states is a coefficient of the product, or a sum of coefficients. These are the kinds of tiles:

``choice``
    Nothing, or one of the letters. A letter that is listed twice has two ways to stand there.
``stack``, ``pool``
    Any number of pieces of one letter. A pool has one letter, such as a start, a bar, a home.
``shared``
    Any number of pieces of all letters, so it is a pool for each letter.
``column``
    A sequence of at most ``height`` letters.

A tile may have several kinds. Its contents are then those of any of them. The games are in
``data/games.toml``, whose head describes the entries. `urcx.complexity.board_series` counts the
same states again by sympy.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from urcx.complexity.polynomials import Exponents, Polynomial, truncated_power, truncated_product
from urcx.errors import UsageError
from urcx.reading import package_toml
from urcx.rules import catalogue

UNLIMITED = 10**6  # pieces of a total without a limit of its own
EXACTNESS = {"exact": "exact", "upper": "upper bound", "cited": "cited"}


@dataclass(frozen=True)
class TileGroup:
    """A number of equal tiles: the letters of each kind of content."""

    number: int
    kinds: Mapping[str, str]
    height: int = 0

    @property
    def parts(self) -> tuple[TileGroup, ...]:
        """Return these tiles, or a pool for each letter that shares them with others."""
        shared = self.kinds.get("shared", "")
        return tuple(TileGroup(self.number, {"pool": letter}) for letter in shared) or (self,)


@dataclass(frozen=True)
class Setup:
    """A board with numbers: its tiles, and the conditions on the numbers of pieces.

    - ``counted``: the totals in which a letter counts, for letters with other totals than their
      own.
    - ``totals``: the least and greatest value of a total.
    - ``alternate``: two totals, of which the first is equal or one greater.
    - ``without``: the number of states that are taken off.
    - ``named``: whether the pieces of a letter differ from each other.
    """

    tiles: tuple[TileGroup, ...]
    totals: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    alternate: tuple[str, ...] = ()
    counted: Mapping[str, str] = field(default_factory=dict)
    without: int = 0
    named: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the totals with a condition; only these are variables of the polynomials."""
        return tuple(dict.fromkeys((*self.totals, *self.alternate)))

    @property
    def limits(self) -> tuple[int, ...]:
        """Return the greatest value of each variable."""
        return tuple(self.totals.get(name, (0, UNLIMITED))[1] for name in self.variables)

    def letter(self, letter: str, times: int = 1) -> Exponents:
        """Return the exponents of several equal pieces."""
        counted = self.counted.get(letter, letter)
        return tuple(times * counted.count(name) for name in self.variables)

    def allows(self, exponents: Exponents) -> bool:
        """Return whether the totals of an arrangement meet the conditions."""
        values = dict(zip(self.variables, exponents, strict=True))
        if self.alternate:
            first, second = self.alternate
            if values[first] - values[second] not in (0, 1):
                return False
        return all(least <= values[name] <= most for name, (least, most) in self.totals.items())

    def contents(self, tiles: TileGroup, cycle: int = 1) -> Polynomial:
        """Return the polynomial of a tile, or of ``cycle`` tiles with equal contents."""
        terms: Counter[Exponents] = Counter({self.letter("", 0): 1})
        for kind, letters in tiles.kinds.items():
            terms.update(self._filled(kind, letters, tiles.height, cycle))
        return dict(terms)

    def _filled(self, kind: str, letters: str, height: int, cycle: int) -> Iterator[Exponents]:
        """Yield the exponents of every content of a kind, except of the empty tile."""
        if kind == "choice":
            yield from (self.letter(letter, cycle) for letter in letters)
        elif kind == "column":
            level: Polynomial = {self.letter("", 0): 1}
            pieces = dict(Counter(map(self.letter, letters)))
            for _ in range(height):
                level = truncated_product((level, pieces), self.limits)
                yield from Counter(level).elements()
        else:
            for piece in map(self.letter, letters):
                most = min(top // n for n, top in zip(piece, self.limits, strict=True) if n)
                yield from (tuple(n * times for n in piece) for times in range(1, most + 1))

    def states(self) -> int:
        """Return the number of states, by the coefficients of the product."""
        factors = [
            truncated_power(self.contents(part), part.number, self.limits, named=self.named)
            for tiles in self.tiles
            for part in tiles.parts
        ]
        result = truncated_product(factors, self.limits, named=self.named)
        return sum(ways for e, ways in result.items() if self.allows(e)) - self.without


@dataclass(frozen=True)
class Printed:
    """A published number of states, with its author and a key of the bibliography.

    ``counts`` describes what it counts, if that is not the same.
    """

    printed: str
    by: str
    key: str
    counts: str = ""

    @property
    def log10(self) -> float:
        """Return the base-10 logarithm of the figure, such as ``10^46`` or ``4.8e44``."""
        base, _, exponent = self.printed.partition("^")
        return float(exponent) if exponent else math.log10(float(base.replace(",", "")))


@dataclass(frozen=True)
class BoardGame:
    """A game: the data of its board, and what others have published.

    ``span`` are the least and the greatest number of pieces, if that is a parameter. Its numbers of
    tiles and totals are then integers, ``p`` or ``2p``.
    """

    name: str
    about: str
    bound: str
    why: str
    pieces: int | None = None
    span: tuple[int, int] = (0, 0)
    tiles: tuple[Mapping[str, Any], ...] = ()
    totals: Mapping[str, tuple[int | str, int | str]] = field(default_factory=dict)
    symmetries: tuple[Mapping[str, Any], ...] = ()
    small: Mapping[str, Any] = field(default_factory=dict)
    published: tuple[Printed, ...] = ()
    conditions: Mapping[str, Any] = field(default_factory=dict)

    def setup(self, pieces: int | None = None) -> Setup:
        """Return the board with a number of pieces, by default the game's own."""
        p = self.check(pieces)
        tiles = tuple(
            TileGroup(
                _value(entry["number"], p),
                {k: v for k, v in entry.items() if k not in ("number", "height")},
                entry.get("height", 0),
            )
            for entry in self.tiles
        )
        totals = {k: (_value(low, p), _value(high, p)) for k, (low, high) in self.totals.items()}
        return Setup(tiles, totals, **self.conditions)

    def small_setup(self) -> Setup | None:
        """Return the small version whose states can be visited, or None."""
        if not self.small:
            return None
        own = {name: self.small[name] for name in ("height",) if name in self.small}
        tiles = tuple(
            {**entry, **own, "number": number}
            for entry, number in zip(self.tiles, self.small["numbers"], strict=True)
        )
        return replace(self, tiles=tiles, pieces=self.small.get("pieces", self.pieces)).setup()

    def check(self, pieces: int | None, name: str = "pieces") -> int:
        """Return the number of pieces, the game's own for None; 0 if it is no parameter.

        ``name`` is how the user calls the number.

        Raises
        ------
        UsageError
            If the game has no such parameter, or the number is out of its range.
        """
        if pieces is None:
            return self.pieces or 0
        if self.pieces is None:
            raise UsageError(f"{name} {pieces}: {self.name} has a fixed number of pieces")
        low, high = self.span
        if not low <= pieces <= high:
            raise UsageError(f"{name} {pieces}: must be from {low} to {high} for {self.name}")
        return pieces

    def states(self, pieces: int | None = None) -> int | None:
        """Return the number of states, or None if the game's figures are only cited."""
        if self.bound == "cited":
            return None
        setup = self.setup(pieces)
        if not self.symmetries:
            return setup.states()
        # Burnside's lemma: the mean number of arrangements that a symmetry leaves as they are.
        (tiles,) = setup.tiles
        total: int = 0
        for symmetry in self.symmetries:
            factors = [
                truncated_power(setup.contents(tiles, int(cycle)), number, setup.limits)
                for cycle, number in symmetry["cycles"].items()
            ]
            terms = truncated_product(factors, setup.limits)
            total += symmetry["of"] * sum(ways for e, ways in terms.items() if setup.allows(e))
        weight: int = sum(symmetry["of"] for symmetry in self.symmetries)
        return total // weight


def _value(number: int | str, pieces: int) -> int:
    """Return an integer of the data, or a multiple of the number of pieces such as ``2p``."""
    if isinstance(number, int):
        return number
    return int(number.removesuffix("p") or 1) * pieces


@cache
def boards() -> dict[str, BoardGame]:
    """Return all games by name: those of ``data/games.toml``, and the paths of the sources."""
    data = package_toml("complexity/data/games.toml")
    games = [_board(**entry) for entry in data["board"]]
    games += [_board(**_ur(name), **entry) for name, entry in data["ur"].items()]
    return {game.name: game for game in games}


def _board(**entry: Any) -> BoardGame:
    conditions: dict[str, Any] = {
        name: entry.pop(name)
        for name in ("alternate", "counted", "without", "named")
        if name in entry
    }
    published = tuple(Printed(**figure) for figure in entry.pop("published", ()))
    return BoardGame(
        span=tuple(entry.pop("range", (0, 0))), published=published, conditions=conditions, **entry
    )


def _ur(name: str) -> dict[str, Any]:
    """Return the entry of the game of Ur on a path, whose tiles are crossed a and b times."""
    crossed = Counter(catalogue.path(name).crossings)
    tiles = [{"number": n, "choice": "x" * a + "y" * b} for (a, b), n in crossed.items()]
    return {
        "name": f"ur-{name}",
        "about": f"the Royal Game of Ur on the path {name}",
        "range": (1, 30),
        "tiles": (*tiles, {"number": 2, "pool": "x"}, {"number": 2, "pool": "y"}),
        "totals": dict.fromkeys("xy", ("p", "p")),
        "bound": "exact",
        "why": "a tile holds one piece, on one of the steps on which its side crosses the tile",
        "small": {"pieces": 2, "numbers": [*(min(n, 3) for n in crossed.values()), 2, 2]},
    }
