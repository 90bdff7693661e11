"""Reading solutions in the .rgu format of RoyalUr-Java.

A file is big endian. It has, in this order:

- ``RGU`` and a zero byte
- the length of a header, and the header, a JSON object in UTF-8
- the number of maps, and the number of entries of each map
- all keys, ascending, of 32 bits each
- all values in the same order: light's win probability in percent, with light to move.
  ``percent16`` scales them to 65,535, and ``f32`` and ``f64`` are floats.

A key has, from its lowest bit: dark's private tiles, the shared tiles, light's private tiles, and 3
bits each for the pieces in dark's and in light's start pool. Bits above the 32nd are the number of
the map. Tiles are ordered by rows. The shared tiles are divided into segments of 8 or of 6. The
code of a segment is its rank among all words over empty, dark and light in which no side has more
pieces than the game. States that dark has won have no entry. States that light has won have 100.

RoyalUr-Java's older files are read too. Before March 2025 a header has no ``value_type``, and
values are ``percent16``. Before June 2024 boards, paths and dice have other names, such as
``FourBinary``. Before March 2024 words have up to seven pieces of each side, even if the game has
fewer. The last key in a file, the key of the start, tells the two kinds of words apart.

The format has neither checksums nor error bounds. ``training-precision`` in a header is the last
change of the values, which is not a bound of their errors. Every read compares keys with the
expected keys, and checks that values are probabilities. The precision of the values is unknown, but
``urcx check`` computes an error bound.
"""

from __future__ import annotations

import contextlib
import mmap
import sys
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from urcx.engine.files.sealed import LONGEST_TEXT, Members, read_json
from urcx.errors import (
    TablebaseError,
    UnusableFileError,
    WrongObjectError,
    get_attribute,
    printable,
)
from urcx.reading import open_regular
from urcx.rules import catalogue
from urcx.rules.catalogue import RuleSources
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.files import rgu_kernels
from urcx.solving.files.header import FULL_U16, LayerEntry, describe_rules
from urcx.solving.files.rgu_keys import FULL, MAX_PIECES, VALUES, Keys, rules_of_settings
from urcx.solving.files.tablebase import CHUNK, Tablebase, Values, open_tablebase
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.probing import WinningChances

MAGIC = b"RGU\0"
MAX_HEADER = 1 << 20
# The greatest rounding error of a probability. 32-bit floats near 100 percent differ by 2^-17, and
# each conversion to or from percent adds 2^-53.
ROUNDED = {
    "percent16": 0.5 / FULL_U16 + 2.0**-52,
    "f32": 2.0**-18 / 100.0 + 2.0**-52,
    "f64": 2.0**-52,
}


class RguFile(Tablebase):
    """An open .rgu file, read like any tablebase. Made by `open_rgu`.

    ``store`` is the type of its values, ``author`` the author's name, and ``claimed`` the last
    change of its probabilities as stated in the header, or None. ``gap`` and ``bound`` are None,
    because the format does not have them.
    """

    rounded = ROUNDED
    writer = "urcx export"

    def _open(self) -> None:
        try:
            with open_regular(self.file) as stream:
                if stream.read(len(MAGIC)) != MAGIC:
                    raise UnusableFileError(f"{self.file} is not an .rgu file")
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise UnusableFileError(f"cannot read {self.file}: {error.strerror or error}") from None
        try:
            self._read_all()
        except BaseException:
            self._map.close()
            raise

    def release(self) -> None:
        """Do nothing: values are read one by one, not by layers."""

    def _read_all(self) -> None:
        size = len(self._map)
        header, begin = self._members()
        self.store = header.choice("value_type", VALUES, "percent16")
        self.author = _author(header)
        self.claimed = _claimed(header)
        self.gap = self.bound = None
        self.rules = rules_of_settings(header.inside("game_settings"))
        self.described = describe_rules(self.rules)
        self.order = LayerOrder(self.rules)
        self.keys = Keys(self.order)
        counts, begin = self._read_counts(begin)
        if counts != self.keys.counts[: len(counts)] or sum(counts) != self.keys.total:
            raise TablebaseError(
                f"{self.file} is damaged: it has {sum(counts):,} entries, not {self.keys.total:,}, "
                "or has them in other maps"
            )
        total = self.keys.total
        item = np.dtype(VALUES[self.store]).itemsize
        end = begin + total * (4 + item)
        if size != end:
            wrong = "is cut off" if size < end else "is too long"
            raise TablebaseError(f"{self.file} {wrong}: it has {size:,} bytes, not {end:,}")
        self._first = np.cumsum([0, *counts]).tolist()
        self._begin = begin
        self._keys = np.frombuffer(self._map, ">u4", total, begin)
        self._values = np.frombuffer(self._map, VALUES[self.store], total, begin + 4 * total)
        if self._keys[-1] != self.keys.last & 0xFFFFFFFF:
            older = Keys(self.order, MAX_PIECES)
            if (older.counts, older.last) == (counts, self._keys[-1]):
                self.keys = older
        self.rows = {
            (i, j): LayerEntry(self.order.size((i, j)), 0, 0.0) for i, j in self.order.layers
        }

    def _members(self) -> tuple[Members, int]:
        first = len(MAGIC) + 4
        end = first + int.from_bytes(self._of_header(len(MAGIC), first), "big")
        text = self._of_header(first, end, MAX_HEADER)
        return read_json(text, f"{self.file}: the header"), end

    def _of_header(self, first: int, last: int, most: int = sys.maxsize) -> bytes:
        """Return bytes, or raise `TablebaseError` if ``last`` is beyond the file or ``most``."""
        if last > min(len(self._map), most):
            raise TablebaseError(f"{self.file} is cut off within its header")
        return self._map[first:last]

    def _read_counts(self, begin: int) -> tuple[list[int], int]:
        maps = int.from_bytes(self._of_header(begin, begin + 4), "big")
        if not 1 <= maps <= self.keys.maps:
            raise TablebaseError(
                f"{self.file} is damaged: it has {maps} maps, and its rules need {self.keys.maps}"
            )
        end = begin + 4 + 4 * maps
        counts = np.frombuffer(self._of_header(begin + 4, end), ">u4")
        return counts.astype(np.int64).tolist(), end

    def close(self) -> None:
        """Close the file, which cannot be probed afterwards."""
        self._keys = self._values = np.empty(0)
        with contextlib.suppress(BufferError):  # a layer's array is still in use
            self._map.close()

    def _value(self, position: Position) -> float:
        if not position.light_to_move:
            position = position.turned()
        number, low = divmod(self.keys.key(position), 1 << 32)
        if number + 1 < len(self._first):
            end = self._first[number + 1]
            k = bisect_left(range(end), low, lo=self._first[number], key=self._key)
            if k < end and self._key(k) == low:
                value = float(self._values[k]) / FULL[self.store]
                if 0.0 <= value <= 1.0:
                    return value
        raise TablebaseError(f"{self.file} is damaged ({position} has no entry or no value)")

    def _key(self, k: int) -> int:
        """Return the key of an entry."""
        at = self._begin + 4 * k
        return int.from_bytes(self._map[at : at + 4], "big")

    def layer(self, layer: Layer) -> Values:
        """Return a layer's win probabilities in the order of `LayerOrder`.

        Raises
        ------
        TablebaseError
            If entries of the layer are damaged.
        """
        result, wrong = self._layer(layer)
        if wrong:
            raise TablebaseError(
                f"{self.file} is damaged ({wrong} entries of layer {layer[0]}-{layer[1]})"
            )
        return result

    def damaged(self) -> Iterator[tuple[Layer, bool]]:
        """Yield each layer with whether it is damaged, including layers of won games.

        A layer is damaged if its keys are not the expected keys or its values are not
        probabilities.
        """
        won = [(self.rules.pieces, j) for j in range(self.rules.pieces)]
        for layer in (*self.order.layers, *won):
            yield layer, self._layer(layer)[1] > 0

    def _layer(self, layer: Layer) -> tuple[Values, int]:
        """Return a layer's probabilities and the number of invalid entries."""
        keys = self.keys
        size = self.order.size(layer)
        at = np.full(size, -1, np.int64)
        expected = np.zeros(size, np.int64)
        offset = self.order.offsets(layer)
        for unit in keys.units:
            states = keys.states(unit)
            if unit.light_pool + states.light_count + layer[0] > keys.pieces:
                continue
            if unit.dark_pool + layer[1] > keys.pieces:
                continue
            rgu_kernels.places(
                keys.words, keys.masks, keys.before, self.order.width, offset, keys.pieces,
                layer, states, unit.first, at, expected,
            )  # fmt: skip
        probabilities = np.empty(size)
        wrong = 0
        lowest = 1.0 if layer[0] == keys.pieces else 0.0
        for first in range(0, size, CHUNK):
            part = slice(first, first + CHUNK)
            with np.errstate(invalid="ignore"):  # damaged values may be NaN, which counts as wrong
                values = self._values[at[part]].astype(np.float64) / FULL[self.store]
            right = self._keys[at[part]] == (expected[part] & 0xFFFFFFFF)
            right &= (values >= lowest) & (values <= 1.0)
            wrong += int(np.count_nonzero(~right))
            probabilities[part] = values
        return probabilities, wrong


def _author(header: Members) -> str:
    """Return the author of a file, as printable text."""
    author = header.members.get("author")
    return printable(author)[:LONGEST_TEXT] if isinstance(author, str) else ""


def _claimed(header: Members) -> float | None:
    """Return the last change of the probabilities in a header, or None if it is invalid."""
    precision: Any = header.members.get("training-precision")
    if type(precision) not in (int, float) or not 0 <= precision <= 100:
        return None
    return float(precision) / 100.0


def open_rgu(file: str | Path) -> RguFile:
    """Open an .rgu file, for use in a ``with`` statement.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, or is not an .rgu file.
    TablebaseError
        If it is damaged, or its rules are not supported.
    """
    return RguFile(Path(file))


def is_rgu(file: str | Path) -> bool:
    """Return whether a file can be read and begins like an .rgu file."""
    try:
        with open_regular(file) as stream:
            return stream.read(len(MAGIC)) == MAGIC
    except (OSError, UnusableFileError):
        return False


def open_solution(file: str | Path) -> Tablebase:
    """Open a tablebase or an .rgu file, depending on the first bytes. Use it with ``with``.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, or is of another kind.
    TablebaseError
        If the file is damaged.
    """
    return open_rgu(file) if is_rgu(file) else open_tablebase(file)


def rule_sources(
    rules: str | RuleSet | None = None,
    pieces: int | None = None,
    tablebase: WinningChances | str | Path | None = None,
    path_file: str | Path | None = None,
) -> RuleSources:
    """Return the sources of a game's rules, from the arguments of a command or function.

    Raises
    ------
    UnusableFileError, TablebaseError
        As `open_solution` does.
    CatalogueError
        If the user's rules file cannot be used.
    """
    full, base = catalogue.read_catalogue(path_file), None
    own = None if path_file is None else catalogue.only_own(full)
    if isinstance(tablebase, str | Path):
        with open_solution(tablebase) as opened:
            base = opened.rules
    elif tablebase is not None:
        base = get_attribute(tablebase, "rules")
        if not isinstance(base, RuleSet):
            raise WrongObjectError("tablebase", RuleSet, tablebase, "a file, an open tablebase")
    if base is not None and base.name in full.rules:  # with its title, if it is the same
        entry = replace(full.rules[base.name], pieces=base.pieces)
        base = entry if entry.plays_like(base) else base
    return RuleSources(rules, pieces, base, own, full.rules)
