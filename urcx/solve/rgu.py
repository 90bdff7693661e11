"""Solutions in the .rgu format of RoyalUr-Java, read and written.

A file is big endian. ``RGU`` and a zero byte; the length of a header, a JSON object in UTF-8; the
number of maps; the number of entries of each map; all keys, ascending, of 32 bits each; all values
in the same order, percents of light's chance to win with light to move. ``percent16`` scales them
to 65,535, ``f32`` and ``f64`` are floats.

A key has, from its lowest bit: dark's private tiles, the shared tiles, light's private tiles, and 3
bits each for the pieces in dark's and in light's start pool. Bits above the 32nd number the map.
Tiles are taken by rows; shared ones in segments of 8 or of 6, each a number: its rank among the
words, over empty, dark and light, that have no more of a side's pieces than there are. States that
dark has won have no entry; those that light has won have 100.
"""

from __future__ import annotations

import json
import mmap
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from urcx import __version__
from urcx.enumerate.pattern_kernels import OWN_MASK, OWN_SHIFT, PATTERN_MASK
from urcx.errors import OutOfDomainError, TablebaseError, UnusableFileError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position, as_position, check
from urcx.solve import rgu_kernels
from urcx.solve.order import Layer, LayerOrder
from urcx.solve.tablebase import (
    CHUNK,
    FULL_U16,
    STORES,
    Tablebase,
    Values,
    describe_rules,
    open_tablebase,
)

MAGIC = b"RGU\0"
MAX_PIECES = 7  # of a start pool's 3 bits
POOL_BITS = 3
MAX_HEADER = 1 << 20
VALUES: dict[str, str] = {"percent16": ">u2", "f32": ">f4", "f64": ">f8"}
FULL: dict[str, float] = {"percent16": FULL_U16, "f32": 100.0, "f64": 100.0}
# At most, of a chance of winning: percents up to 100 lie 2^-17 apart in 32 bits.
ROUNDED = {"percent16": 0.5 / FULL_U16, "f32": 2.0**-18 / 100.0, "f64": 0.0}
SEGMENTS: dict[str, tuple[int, ...]] = {"bell": (8,), "masters": (6, 6), "aseb": (6, 6)}
DICE = {"four_binary": "binary4", "three_binary_0eq4": "binary3-0as4"}
FLAGS = {
    "safe_rosettes": "rosette_protects",
    "rosettes_grant_rolls": "rosette_grants_roll",
    "captures_grant_rolls": "capture_grants_roll",
}

IntArray = NDArray[np.int64]


def check_values(values: str) -> None:
    """Raise `UsageError` if the format has no values of this name."""
    if values not in VALUES:
        raise UsageError(f"unknown values {values!r}; known: {', '.join(VALUES)}")


def path_name(rules: RuleSet) -> str:
    """Return which of the format's paths a rule set is played on.

    Raises
    ------
    OutOfDomainError
        If it is none of them, or its rosettes are others.
    """
    for name in SEGMENTS:
        path = catalogue.path(name)
        if (rules.path.light, rules.path.dark) == (path.light, path.dark):
            if rules.path.board.rosettes & {*path.tiles} != path.board.rosettes & {*path.tiles}:
                raise OutOfDomainError(f"the .rgu format has no other rosettes on the path {name}")
            return name
    raise OutOfDomainError(
        f"the .rgu format has the paths {', '.join(SEGMENTS)} only, not that of {rules.name}"
    )


def dice_name(rules: RuleSet) -> str:
    """Return which of the format's dice a rule set has; raises `OutOfDomainError` if none."""
    chances = dict(zip(rules.dice.rolls, rules.dice.probabilities, strict=True))
    for theirs, ours in DICE.items():
        dice = catalogue.dice(ours)
        if chances == dict(zip(dice.rolls, dice.probabilities, strict=True)):
            return theirs
    raise OutOfDomainError(f"the .rgu format has no dice such as those of {rules.name}")


def game_settings(rules: RuleSet) -> dict[str, Any]:
    """Return a rule set as the format's header describes it.

    Raises
    ------
    OutOfDomainError
        If the format has no such path, dice or number of pieces.
    """
    path = path_name(rules)
    dice = dice_name(rules)
    if not 1 <= rules.pieces <= MAX_PIECES:
        raise OutOfDomainError(
            f"the .rgu format has up to {MAX_PIECES} pieces a side, not {rules.pieces}"
        )
    return {
        "board_shape": catalogue.path(path).board.name,
        "paths": path,
        "dice": dice,
        "start_pieces": rules.pieces,
        **{theirs: getattr(rules, ours) for theirs, ours in FLAGS.items()},
    }


def rules_of_settings(settings: Any) -> RuleSet:
    """Return the rule set that a header describes, by its name in the catalogue if it has one.

    Raises
    ------
    TablebaseError
        If something is missing or unknown.
    """
    if not isinstance(settings, dict):
        raise TablebaseError("the header has no game_settings")
    path = settings.get("paths")
    if not isinstance(path, str) or path not in SEGMENTS:
        raise TablebaseError(f"the paths {path!r} are not supported, only {', '.join(SEGMENTS)}")
    found = catalogue.path(path)
    if settings.get("board_shape") != found.board.name:
        raise TablebaseError(f"the path {path} is not for a board {settings.get('board_shape')!r}")
    dice = settings.get("dice")
    if not isinstance(dice, str) or dice not in DICE:
        raise TablebaseError(f"the dice {dice!r} are not supported, only {', '.join(DICE)}")
    pieces = settings.get("start_pieces")
    if type(pieces) is not int or not 1 <= pieces <= MAX_PIECES:
        raise TablebaseError(f"start_pieces is {pieces!r}, not a number from 1 to {MAX_PIECES}")
    flags = {ours: settings.get(theirs) for theirs, ours in FLAGS.items()}
    for theirs, ours in FLAGS.items():
        if not isinstance(flags[ours], bool):
            raise TablebaseError(f"{theirs} is {flags[ours]!r}, neither true nor false")
    rules = RuleSet(path, "", found, pieces, catalogue.dice(DICE[dice]), **flags)  # type: ignore[arg-type]
    for known in catalogue.catalogue().rules.values():
        same = {"name": known.name, "title": known.title, "aliases": known.aliases}
        if replace(known, pieces=pieces) == replace(rules, **same):  # type: ignore[arg-type]
            return replace(known, pieces=pieces)
    return rules


@dataclass(frozen=True)
class Unit:
    """States that lie together in a file: their pools, light's mask, and where the first is."""

    light_pool: int
    dark_pool: int
    light_mask: int
    first: int
    size: int


class Keys:
    """The keys of a rule set, and the order of its states in a file.

    ``bits`` is the length of a key, ``maps`` how many maps they need, ``counts`` how many entries
    each has, ``units`` the states in their order.

    Raises
    ------
    OutOfDomainError
        If the format has no such rules.
    """

    def __init__(self, order: LayerOrder) -> None:
        rules = order.rules
        self.order, self.pieces = order, rules.pieces
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
        fits = ((digits == 1).sum(0) <= self.pieces) & ((digits == 2).sum(0) <= self.pieces)
        return np.where(fits, np.cumsum(fits) - 1, -1).astype(np.int64)

    def _words(self) -> IntArray:
        """Return all words of the shared tiles in order, as `rgu_kernels.fill` reads them."""
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
        """Return the number that the order has for each mask of a side's private tiles."""
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
            # By how many pieces light has left for the shared tiles and home.
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
        """Return what the keys of a unit have in common."""
        return (
            unit.light_pool << self._light_pool_shift
            | unit.dark_pool << self._dark_pool_shift
            | unit.light_mask << self._light_shift
        )

    @cached_property
    def _parts(self) -> list[list[tuple[int, int, int]]]:
        """Return for each step of a side its bit, or its segment (from 1) and its digit there."""
        places = [(k + 1, tiles, n) for k, tiles in enumerate(self.segments) for n in range(tiles)]
        found = []
        for side, shift in ((0, self._light_shift), (1, 0)):
            own = {tile: (1 << bit + shift, 0, 0) for bit, tile in enumerate(self._own[side])}
            shared = {
                tile: (0, k, (2 - side) * 3 ** (tiles - 1 - n))
                for tile, (k, tiles, n) in zip(self._shared, places, strict=True)
            }
            parts = own | shared
            found.append([(0, 0, 0), *(parts[tile] for tile in self._steps[side])])
        return found

    def key(self, position: Position) -> int:
        """Return the key of a position that is checked, light to move; map number included."""
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
    """Return the digits of all words over three signs in order, a row for each tile."""
    words = np.arange(3**tiles)
    return np.array([words // 3 ** (tiles - 1 - k) % 3 for k in range(tiles)], np.int8)


def segment_bits(words: int) -> int:
    """Return the bits of a segment: at least 1, and 2 to that power no less than words - 1."""
    bits = 1
    while words - 1 > 1 << bits:
        bits += 1
    return bits


class RguFile(Tablebase):
    """An .rgu file that is open, read as any tablebase; made by `open_rgu`, and closed with it.

    ``store`` is the type of its values, ``gap`` the precision that it says it was computed to,
    ``author`` who made it.
    """

    def _open(self) -> None:
        size = self.file.stat().st_size
        header, begin = self._read_header(size)
        self.store = str(header["value_type"])
        self.author = str(header.get("author", ""))
        precision = header.get("training-precision")
        plain = isinstance(precision, int | float) and not isinstance(precision, bool)
        self.gap = float(precision) / 100 if plain and precision is not None else 0.0
        try:
            self.rules = rules_of_settings(header.get("game_settings"))
        except TablebaseError as error:
            raise TablebaseError(f"{self.file}: {error}") from None
        self.described = describe_rules(self.rules)
        self.order = LayerOrder(self.rules)
        self.keys = Keys(self.order)
        counts, begin = self._read_counts(begin)
        if counts != self.keys.counts[: len(counts)] or sum(counts) != self.keys.total:
            raise TablebaseError(
                f"{self.file} has {sum(counts):,} entries, where its rules have "
                f"{self.keys.total:,}, or has them in other maps"
            )
        total = self.keys.total
        item = np.dtype(VALUES[self.store]).itemsize
        end = begin + total * (4 + item)
        if size != end:
            wrong = "is cut off" if size < end else "goes on after its end"
            raise TablebaseError(f"{self.file} {wrong}: it has {size:,} bytes and not {end:,}")
        self._first = np.cumsum([0, *counts]).tolist()
        self._map = mmap.mmap(self._stream.fileno(), 0, access=mmap.ACCESS_READ)
        self._begin = begin
        self._keys = np.frombuffer(self._map, ">u4", total, begin)
        self._values = np.frombuffer(self._map, VALUES[self.store], total, begin + 4 * total)
        self.rows = {(i, j): {"states": self.order.size((i, j))} for i, j in self.order.layers}

    def _read(self, count: int) -> bytes:
        found = self._stream.read(count)
        if len(found) < count:
            raise TablebaseError(f"{self.file} is cut off within its header")
        return found

    def _read_header(self, size: int) -> tuple[dict[str, Any], int]:
        if self._stream.read(len(MAGIC)) != MAGIC:
            raise UnusableFileError(f"{self.file} is no .rgu file")
        length = int.from_bytes(self._read(4), "big")
        if length > min(size, MAX_HEADER):
            raise TablebaseError(f"{self.file} is cut off within its header")
        try:
            header = json.loads(self._read(length))
        except (ValueError, RecursionError):
            header = None
        if not isinstance(header, dict):
            raise TablebaseError(f"{self.file}: the header is damaged")
        kind = header.get("value_type")
        if not isinstance(kind, str) or kind not in VALUES:
            raise TablebaseError(
                f"{self.file}: values {kind!r} are not supported, only {', '.join(VALUES)}"
            )
        return header, len(MAGIC) + 4 + length

    def _read_counts(self, begin: int) -> tuple[list[int], int]:
        maps = int.from_bytes(self._read(4), "big")
        if not 1 <= maps <= self.keys.maps:
            raise TablebaseError(
                f"{self.file} has {maps} maps, where its rules have {self.keys.maps}"
            )
        data = self._read(4 * maps)
        return np.frombuffer(data, ">u4").astype(np.int64).tolist(), begin + 4 + 4 * maps

    def close(self) -> None:
        """Close the file; nothing can be probed any more."""
        self._keys = self._values = np.empty(0)
        self._layers = {}
        super().close()

    def probe(self, position: Position | str) -> float:
        """Return the chance that the player to move wins.

        A finished game is certain: 1 if that player has won, else 0.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        TablebaseError
            If the file is damaged where it should have the position.
        """
        position = as_position(position)
        check(position, self.rules.path, self.rules.pieces)
        if not position.light_to_move:
            position = position.turned()
        pieces = self.rules.pieces
        if pieces in position.home:
            return float(position.home[0] == pieces)
        number, low = divmod(self.keys.key(position), 1 << 32)
        if number + 1 < len(self._first):
            data, begin = self._map, self._begin
            end = self._first[number + 1]
            k = bisect_left(
                range(end),
                low,
                lo=self._first[number],
                key=lambda n: int.from_bytes(data[begin + 4 * n : begin + 4 * n + 4], "big"),
            )
            value = float(self._values[k]) / FULL[self.store] if k < end else -1.0
            if k < end and int(self._keys[k]) == low and 0.0 <= value <= 1.0:
                return value
        raise TablebaseError(f"{self.file} is damaged: {position} has no entry or no value")

    def layer(self, layer: Layer) -> Values:
        """Return a layer's chances of winning in the order of `LayerOrder`.

        Raises
        ------
        TablebaseError
            If the file is damaged where it should have them.
        """
        found, wrong = self._layer(layer)
        if wrong:
            raise TablebaseError(
                f"{self.file} is damaged: {wrong} entries of layer {layer[0]}-{layer[1]}"
            )
        return found

    @property
    def rounding(self) -> float:
        """The most that storing a chance of winning may have changed it."""
        return ROUNDED[self.store]

    def damaged(self) -> Iterator[tuple[Layer, bool]]:
        """Yield each layer with whether keys or values in it are damaged; won ones as well."""
        won = [(self.rules.pieces, j) for j in range(self.rules.pieces)]
        for layer in (*self.order.layers, *won):
            yield layer, self._layer(layer)[1] > 0

    def _layer(self, layer: Layer) -> tuple[Values, int]:
        """Return a layer's chances and how many of its entries are wrong."""
        keys = self.keys
        size = self.order.size(layer)
        at = np.full(size, -1, np.int64)
        wanted = np.zeros(size, np.int64)
        offset = self.order.offsets(layer)
        for unit in keys.units:
            light_count = int(keys.mask_pieces[unit.light_mask])
            if unit.light_pool + light_count + layer[0] > keys.pieces:
                continue
            if unit.dark_pool + layer[1] > keys.pieces:
                continue
            rgu_kernels.places(
                keys.words, keys.masks, keys.before, self.order.width, offset, keys.pieces,
                layer[0], layer[1], unit.light_pool, unit.dark_pool, light_count,
                keys.rows[unit.light_mask], keys.head(unit), unit.first, at, wanted,
            )  # fmt: skip
        found = np.empty(size)
        wrong = 0
        lowest = 1.0 if layer[0] == keys.pieces else 0.0
        for first in range(0, size, CHUNK):
            part = slice(first, first + CHUNK)
            values = self._values[at[part]].astype(np.float64) / FULL[self.store]
            right = self._keys[at[part]] == (wanted[part] & 0xFFFFFFFF)
            right &= (values >= lowest) & (values <= 1.0)
            wrong += int(np.count_nonzero(~right))
            found[part] = values
        return found, wrong


def open_rgu(file: str | Path) -> RguFile:
    """Open an .rgu file; use it in a ``with`` statement.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, or is none.
    TablebaseError
        If it is damaged, or of rules that are not supported.
    """
    return RguFile(Path(file))


def is_rgu(file: str | Path) -> bool:
    """Return whether a file begins as an .rgu file does; False if it cannot be read."""
    try:
        with Path(file).open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def open_solution(file: str | Path) -> Tablebase:
    """Open a tablebase or an .rgu file, by how it begins; use it in a ``with`` statement.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, or is neither.
    TablebaseError
        If it is damaged.
    """
    return open_rgu(file) if is_rgu(file) else open_tablebase(file)


def export_rgu(
    base: Tablebase, file: Path, values: str, progress: Callable[[int], None] | None = None
) -> int:
    """Write a tablebase as an .rgu file and return its size in bytes.

    It appears under its name once it is complete. ``progress`` is called with the number of states
    written.

    Raises
    ------
    UsageError
        If the format has no such values, or the tablebase is an .rgu file itself.
    OutOfDomainError
        If the format has no such rules.
    TablebaseError
        If a layer is missing, or the file cannot be written; nothing is left behind.
    """
    check_values(values)
    if isinstance(base, RguFile):
        raise UsageError(f"{base.file} is an .rgu file already")
    keys = Keys(base.order)
    for layer in base.order.layers:
        base.layer(layer)
    precision = 100 * base.gap
    header = {
        "value_type": values,
        "author": f"urcx {__version__}",
        "target-precision": precision,
        "training-precision": precision,
        "game_settings": keys.settings,
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    head = MAGIC + len(text).to_bytes(4, "big") + text + keys.maps.to_bytes(4, "big")
    head += np.array(keys.counts, ">u4").tobytes()
    temporary = file.with_name(f".{file.name}.part")
    try:
        with temporary.open("wb") as stream:
            stream.write(head)
            _write(stream, base, keys, values, len(head), progress)
            size = stream.seek(0, 2)
        temporary.replace(file)
    except OSError as error:
        raise TablebaseError(f"cannot write {file}: {error.strerror or error}") from None
    finally:
        temporary.unlink(missing_ok=True)
    return size


def _write(
    stream: BinaryIO,
    base: Tablebase,
    keys: Keys,
    values: str,
    begin: int,
    progress: Callable[[int], None] | None,
) -> None:
    """Write all keys from ``begin`` on, and all values after them, unit by unit."""
    order, p = base.order, keys.pieces
    kind = np.dtype(STORES[base.store])
    stored = np.memmap(base.file, kind, "r", shape=(base.file.stat().st_size // kind.itemsize,))
    start = np.zeros(p * p, np.int64)
    offset = np.zeros((p * p, order.patterns), np.int64)
    for i, j in order.layers:
        start[i * p + j] = base.rows[i, j]["offset"] // kind.itemsize
        offset[i * p + j] = order.offsets((i, j))
    full = FULL_U16 if base.store == "u16" else 1.0
    item = np.dtype(VALUES[values]).itemsize
    most = max(unit.size for unit in keys.units)
    key, found = np.empty(most, np.int64), np.empty(most)
    for unit in keys.units:
        n = rgu_kernels.fill(
            keys.words, keys.masks, order.width, offset, start, stored, float(full), p,
            unit.light_pool, unit.dark_pool, int(keys.mask_pieces[unit.light_mask]),
            keys.rows[unit.light_mask], keys.head(unit), key, found,
        )  # fmt: skip
        for first in range(0, n, CHUNK):
            part = slice(first, min(n, first + CHUNK))
            scaled = found[part] * (FULL[values] / full)
            if values == "percent16":
                np.floor(scaled + 0.5, out=scaled)
            stream.seek(begin + 4 * (unit.first + first))
            stream.write((key[part] & 0xFFFFFFFF).astype(">u4").tobytes())
            stream.seek(begin + 4 * keys.total + item * (unit.first + first))
            stream.write(scaled.astype(VALUES[values]).tobytes())
        if progress:
            progress(unit.first + n)
