"""The rules and keys of .rgu files, whose format `urcx.solving.files.rgu` describes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.engine.files.sealed import Members
from urcx.enumerate.rankings.pattern_kernels import OWN_MASK, OWN_SHIFT, PATTERN_MASK
from urcx.errors import OutOfDomainError, check_name
from urcx.rules import catalogue
from urcx.rules.model import RuleSet, check_flags
from urcx.rules.position import Position
from urcx.solving.files.header import FULL_U16
from urcx.solving.files.rgu_kernels import UnitStates
from urcx.solving.layered.order import LayerOrder

RGU = "the .rgu format"
MAX_PIECES = 7  # limited by the 3 bits for a start pool
POOL_BITS = 3
VALUES: dict[str, str] = {"percent16": ">u2", "f32": ">f4", "f64": ">f8"}
FULL: dict[str, float] = {"percent16": FULL_U16, "f32": 100.0, "f64": 100.0}
SEGMENTS: dict[str, tuple[int, ...]] = {"bell": (8,), "masters": (6, 6), "aseb": (6, 6)}
DICE = {"four_binary": "binary4", "three_binary_0eq4": "binary3-0as4"}
# The names before June 2024, which RoyalUr-Java still reads.
OLD_NAMES = {
    "Standard": "standard",
    "Bell": "bell",
    "Masters": "masters",
    "Murray": "murray",
    "Skiriuk": "skiriuk",
    "Aseb": "aseb",
    "FourBinary": "four_binary",
    "fourbinary": "four_binary",
    "ThreeBinary0Max": "three_binary_0eq4",
    "threebinary0max": "three_binary_0eq4",
}
FLAGS = {
    "safe_rosettes": "rosette_protects",
    "rosettes_grant_rolls": "rosette_grants_roll",
    "captures_grant_rolls": "capture_grants_roll",
}

IntArray = NDArray[np.int64]


def check_values(values: str) -> None:
    """Raise `UsageError` if the format has no value type of this name."""
    check_name("values", values, VALUES)


def path_name(rules: RuleSet, paths: Iterable[str] = SEGMENTS, what: str = RGU) -> str:
    """Return the format's name for the path of a rule set, one of ``paths``.

    Raises
    ------
    OutOfDomainError
        If the format does not have the path, or has it with other rosettes.
    """
    for name in paths:
        path = catalogue.path(name)
        if (rules.path.light, rules.path.dark) == (path.light, path.dark):
            if rules.path.board.rosettes & {*path.tiles} != path.board.rosettes & {*path.tiles}:
                raise OutOfDomainError(
                    f"{what} does not support the rosettes of {rules.name} on the path {name}"
                )
            return name
    raise OutOfDomainError(
        f"{what} does not support the path of {rules.name}, only {', '.join(paths)}"
    )


def dice_name(rules: RuleSet, what: str = RGU) -> str:
    """Return the format's name for the dice of a rule set, or raise `OutOfDomainError`."""
    chances = dict(rules.dice.items())
    for theirs, ours in DICE.items():
        dice = catalogue.dice(ours)
        if chances == dict(dice.items()):
            return theirs
    raise OutOfDomainError(f"{what} does not support the dice of {rules.name}")


def game_settings(
    rules: RuleSet, paths: Iterable[str] = SEGMENTS, what: str = RGU, most: int = MAX_PIECES
) -> dict[str, Any]:
    """Return a rule set in the form of the format's header, or of RoyalUr's JSON.

    Raises
    ------
    OutOfDomainError
        If the format has no such path, dice, effects or number of pieces.
    """
    path = path_name(rules, paths, what)
    dice = dice_name(rules, what)
    check_flags(what, rules, FLAGS.values())
    if isinstance(rules.rosette_grants_roll, frozenset):
        raise OutOfDomainError(f"{what} requires that all rosettes grant a roll, or none")
    if not 1 <= rules.pieces <= most:
        raise OutOfDomainError(
            f"{what} supports at most {most} pieces per side, not {rules.pieces}"
        )
    return {
        "board_shape": catalogue.path(path).board.name,
        "paths": path,
        "dice": dice,
        "start_pieces": rules.pieces,
        **{theirs: getattr(rules, ours) for theirs, ours in FLAGS.items()},
    }


def rules_of_settings(
    settings: Members, paths: Collection[str] = SEGMENTS, most: int = MAX_PIECES
) -> RuleSet:
    """Return the rule set that a header describes, the catalogue's if it has the rule set.

    Raises
    ------
    TablebaseError
        If a field is missing or unknown.
    """
    names = {
        key: OLD_NAMES.get(value, value) if isinstance(value, str) else value
        for key, value in settings.members.items()
    }
    settings = Members(names, settings.where, settings.prefix)
    name = settings.choice("paths", paths)
    path = catalogue.path(name)
    settings.choice("board_shape", [path.board.name])
    dice = settings.choice("dice", DICE)
    pieces = settings.whole("start_pieces", 1, most)
    flags = {ours: settings.flag(theirs) for theirs, ours in FLAGS.items()}
    rules = RuleSet(name, "", path, pieces, catalogue.dice(DICE[dice]), **flags)  # type: ignore[arg-type]
    for entry in catalogue.catalogue().rules.values():
        same = {"name": entry.name, "title": entry.title, "aliases": entry.aliases}
        if replace(entry, pieces=pieces) == replace(rules, **same):  # type: ignore[arg-type]
            return replace(entry, pieces=pieces)
    return rules


@dataclass(frozen=True)
class Unit:
    """Adjacent states in a file: start pools, light's private mask, first place and number."""

    light_pool: int
    dark_pool: int
    light_mask: int
    first: int
    size: int


class Keys:
    """The keys of a rule set's states, and their order in a file.

    ``bits`` is the length of a key, ``maps`` the number of maps, ``counts`` the number of entries
    of each map, ``units`` the states in order. The segments' words have up to ``in_word`` pieces of
    each side, by default all pieces.

    Raises
    ------
    OutOfDomainError
        If the format does not support the rules.
    """

    def __init__(self, order: LayerOrder, in_word: int | None = None) -> None:
        rules = order.rules
        self.order, self.pieces = order, rules.pieces
        self.in_word = rules.pieces if in_word is None else in_word
        self.settings = game_settings(rules)
        ways = (rules.path.light, rules.path.dark)
        self._by_row = [sorted(way, key=lambda tile: (int(tile[1:]), tile)) for way in ways]
        self._shared = [tile for tile in self._by_row[0] if tile in ways[1]]
        self._own = [[tile for tile in tiles if tile not in self._shared] for tiles in self._by_row]
        self._steps = [{tile: s for s, tile in enumerate(way, start=1)} for way in ways]
        self.segments = SEGMENTS[self.settings["paths"]]
        self._rank = [self._ranks(tiles) for tiles in self.segments]
        self.segment_bits = [segment_bits(int(ranks.max()) + 1) for ranks in self._rank]
        own = len(self._own[0])
        self._lane_shift = own
        self._light_shift = own + sum(self.segment_bits)
        self._dark_pool_shift = self._light_shift + own
        self._light_pool_shift = self._dark_pool_shift + POOL_BITS
        self.bits = self._light_pool_shift + POOL_BITS
        self.maps = 1 << max(self.bits - 32, 0)
        self.words = self._words()
        masks = np.arange(1 << own)
        self.mask_pieces = np.array([mask.bit_count() for mask in range(1 << own)], np.int64)
        self.rows, columns = (self._numbers(side) for side in (0, 1))
        self.masks = np.array([self.mask_pieces, columns])
        few = self.mask_pieces <= np.arange(self.pieces + 1)[:, None]
        self.before: IntArray = np.cumsum(few, axis=1) - few
        self.units = self._units(masks)
        self.total = sum(unit.size for unit in self.units)
        self.counts = [0] * self.maps
        for unit in self.units:
            self.counts[self.head(unit) >> 32] += unit.size

    def _ranks(self, tiles: int) -> IntArray:
        """Return the rank of each word of a segment, -1 if a side has too many pieces."""
        digits = ternary(tiles)
        fits = ((digits == 1).sum(0) <= self.in_word) & ((digits == 2).sum(0) <= self.in_word)
        return np.where(fits, np.cumsum(fits) - 1, -1).astype(np.int64)

    def _words(self) -> IntArray:
        """Return all words of the shared tiles in order, as expected by `rgu_kernels.fill`."""
        digits = ternary(len(self._shared))
        lights, darks = (digits == 2).sum(0), (digits == 1).sum(0)
        fits = (lights <= self.pieces) & (darks <= self.pieces)
        digits = digits[:, fits]
        pattern = np.zeros(digits.shape[1], np.int64)
        for tile, digit in zip(self._shared, digits, strict=True):
            for side, sign in ((0, 2), (1, 1)):
                step = self._steps[side][tile]
                pattern += (digit == sign) * (self.order.spread(side, 1 << step - 1) & PATTERN_MASK)
        code = np.zeros_like(pattern)
        first = 0
        for tiles, ranks, bits in zip(self.segments, self._rank, self.segment_bits, strict=True):
            weights = 3 ** np.arange(tiles - 1, -1, -1)
            code = code << bits | ranks[weights @ digits[first : first + tiles]]
            first += tiles
        return np.array([code << self._lane_shift, pattern, lights[fits], darks[fits]], np.int64)

    def _numbers(self, side: int) -> IntArray:
        """Return the layer order's number of each mask of a side's private tiles."""
        own = np.zeros(len(self.mask_pieces), np.int64)
        for bit, tile in enumerate(self._own[side]):
            steps = 1 << self._steps[side][tile] - 1
            part = self.order.spread(side, steps) >> OWN_SHIFT & OWN_MASK
            own |= (np.arange(len(own)) >> bit & 1) * part
        return self.order.number[own]

    def _units(self, masks: IntArray) -> list[Unit]:
        p = self.pieces
        together = np.zeros((p + 1, p + 1), np.int64)
        np.add.at(together, (self.words[2], self.words[3]), 1)
        pairs = [(a, b, int(n)) for (a, b), n in np.ndenumerate(together) if n]
        width = self.order.width.tolist()
        units = []
        first = 0
        for light_pool, dark_pool in product(range(p + 1), repeat=2):
            # Indexed by the pieces that light has left for the shared tiles and home.
            sizes = [
                sum(
                    n * (width[p - dark_pool - b] - (dark_pool == b == 0))
                    for a, b, n in pairs
                    if a <= left and b <= p - dark_pool
                )
                for left in range(p - light_pool + 1)
            ]
            for mask, count in zip(masks.tolist(), self.mask_pieces.tolist(), strict=True):
                if light_pool + count <= p:
                    size = sizes[p - light_pool - count]
                    units.append(Unit(light_pool, dark_pool, mask, first, size))
                    first += size
        return units

    def head(self, unit: Unit) -> int:
        """Return the common part of the keys of a unit."""
        return (
            unit.light_pool << self._light_pool_shift
            | unit.dark_pool << self._dark_pool_shift
            | unit.light_mask << self._light_shift
        )

    @property
    def last(self) -> int:
        """Return the greatest key, which belongs to the start of the game."""
        return self.head(self.units[-1])

    def states(self, unit: Unit) -> UnitStates:
        """Return the common properties of the states of a unit, for kernels."""
        mask = unit.light_mask
        count, row = int(self.mask_pieces[mask]), int(self.rows[mask])
        return UnitStates(unit.light_pool, unit.dark_pool, count, row, self.head(unit))

    @cached_property
    def _parts(self) -> list[list[tuple[int, int, int]]]:
        """Return the bit of each step of a side, or its segment (from 1) and its place in it."""
        places = [(k + 1, tiles, n) for k, tiles in enumerate(self.segments) for n in range(tiles)]
        result = []
        for side, shift in ((0, self._light_shift), (1, 0)):
            own = {tile: (1 << bit + shift, 0, 0) for bit, tile in enumerate(self._own[side])}
            shared = {
                tile: (0, k, (2 - side) * 3 ** (tiles - 1 - n))
                for tile, (k, tiles, n) in zip(self._shared, places, strict=True)
            }
            parts = own | shared
            result.append([(0, 0, 0), *(parts[tile] for tile in self._steps[side])])
        return result

    def key(self, position: Position) -> int:
        """Return the key of a valid position with light to move, including the map's number."""
        pools = [
            self.pieces - len(steps) - home
            for steps, home in zip((position.light, position.dark), position.home, strict=True)
        ]
        key = pools[0] << self._light_pool_shift | pools[1] << self._dark_pool_shift
        words = [0] * (len(self.segments) + 1)
        for parts, steps in zip(self._parts, (position.light, position.dark), strict=True):
            for step in steps:
                bit, segment, digit = parts[step]
                key |= bit
                words[segment] += digit
        code = 0
        for word, ranks, bits in zip(words[1:], self._rank, self.segment_bits, strict=True):
            code = code << bits | int(ranks[word])
        return key | code << self._lane_shift


def ternary(tiles: int) -> NDArray[np.int8]:
    """Return the digits of all words over three symbols in order, a row for each tile."""
    words = np.arange(3**tiles)
    return np.array([words // 3 ** (tiles - 1 - k) % 3 for k in range(tiles)], np.int8)


def segment_bits(words: int) -> int:
    """Return the number of bits of a segment: the least n >= 1 with 2^n >= words - 1."""
    bits = 1
    while words - 1 > 1 << bits:
        bits += 1
    return bits
