"""Tablebases: solved rule sets on disk, memory-mapped and probed position by position.

The file. The eight bytes `urcx-tb` and a line feed, the length of the header as a little-endian
64-bit integer, and the header, a JSON object in UTF-8; then, from ``offset`` of each layer on, its
values as a plain array. The header has

- ``format``, 3; ``version``, of urcx; ``store``, how values are kept;
- ``rules``: ``name``, ``light`` and ``dark`` (the tiles of each path in order), ``rosettes``,
  ``pieces``, ``rolls``, ``probabilities`` (as texts), ``rosette_grants_roll``,
  ``rosette_protects``, ``capture_grants_roll``;
- ``gap``: the widest distance of a value, before it was rounded to ``store``, from the truth;
- ``layers``: for each ``light`` and ``dark``, the pieces home of the player to move and of the
  other, with ``states``, ``offset`` in the file, ``gap``, and ``crc32`` of its bytes.

A value is the chance that the player to move wins, in ``f64`` or ``f32`` (little-endian floats) or
``u16`` (little-endian, 65,535 for certainty).

The states of a layer (i, j), the player to move being light, are numbered ``begin[pattern] + row *
columns + column``. A pattern is a number in base 3, a digit for each tile on both paths, in the
order of light's path and the first counting least: 0 empty, 1 the mover's, 2 the other's. Patterns
lie by the sum of the steps of all pieces on these tiles, the greatest first, equal ones by number;
those with more pieces than a side has left are not there. A side's private tiles, in the order of
its path, are the bits of a mask. With u and v pieces on the pattern there are as many rows as masks
of at most p - i - u bits, and as many columns as masks of at most p - j - v. They lie by how many
bits they have, the most first, equal ones by value, the greatest first; row and column say where
the mover's mask and the other's lie.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from urcx import __version__
from urcx.engine.moves import Move, check_open, legal_moves
from urcx.errors import TablebaseError, UnusableFileError, UsageError, WrongObjectError
from urcx.rules.model import Board, Dice, RuleSet
from urcx.rules.model import Path as BoardPath
from urcx.rules.position import Position, as_position, check
from urcx.solve.order import Layer, LayerOrder

MAGIC = b"urcx-tb\n"
FORMAT = 3
ALIGNED = 64
STORES: dict[str, str] = {"f64": "<f8", "f32": "<f4", "u16": "<u2"}
FULL_U16 = 65535
ROUNDED = {"f64": 0.0, "f32": 2.0**-25, "u16": 0.5 / FULL_U16}  # at most, of a value up to 1
CHUNK = 1 << 22

Values = NDArray[np.float64]


@dataclass(frozen=True)
class MoveValue:
    """A legal move, the mover's chance of winning after it, and how much that is below the best."""

    move: Move
    value: float
    regret: float


def encode(values: Values, store: str) -> NDArray[Any]:
    """Return chances of winning as they are stored."""
    if store == "u16":
        return np.rint(values * FULL_U16).astype("<u2")
    return values.astype(STORES[store])


def decode(values: NDArray[Any], store: str) -> Values:
    """Return chances of winning from what is stored."""
    found: Values = values.astype(np.float64)
    return found / FULL_U16 if store == "u16" else found


def check_store(store: str) -> None:
    """Raise `UsageError` if there is no way of storing of this name."""
    if store not in STORES:
        raise UsageError(f"unknown store {store!r}; known: {', '.join(STORES)}")


def describe_rules(rules: RuleSet) -> dict[str, Any]:
    """Return all that matters of a rule set, as in a file's header."""
    return {
        "name": rules.name,
        "light": list(rules.path.light),
        "dark": list(rules.path.dark),
        "rosettes": sorted(rules.path.board.rosettes),
        "pieces": rules.pieces,
        "rolls": list(rules.dice.rolls),
        "probabilities": [str(p) for p in rules.dice.probabilities],
        "rosette_grants_roll": rules.rosette_grants_roll,
        "rosette_protects": rules.rosette_protects,
        "capture_grants_roll": rules.capture_grants_roll,
    }


def same_rules(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two descriptions are of the same game, whatever its name."""
    return {**one, "name": ""} == {**other, "name": ""}


def rules_of(described: dict[str, Any]) -> RuleSet:
    """Return the rule set that a header describes; raises `TablebaseError` if it is no game."""
    try:
        light, dark = tuple(described["light"]), tuple(described["dark"])
        tiles = tuple(dict.fromkeys((*light, *dark)))
        board = Board("of the file", "", tiles, frozenset(described["rosettes"]), ("A", "C"))
        path = BoardPath("of the file", "", board, light, dark, (len(light),))
        chances = tuple(Fraction(text) for text in described["probabilities"])
        dice = Dice("of the file", "", tuple(described["rolls"]), chances)
        return RuleSet(
            described["name"],
            "",
            path,
            int(described["pieces"]),
            dice,
            bool(described["rosette_grants_roll"]),
            bool(described["rosette_protects"]),
            bool(described["capture_grants_roll"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TablebaseError(f"the rules in the header cannot be read: {error}") from None


def write_tablebase(
    file: Path,
    order: LayerOrder,
    layer: Callable[[Layer], tuple[Values, float]],
    store: str,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write a tablebase of all layers and return its size in bytes.

    It appears under its name once it is complete. ``layer`` returns a layer's values and gap;
    ``progress`` is called with the number of states written.

    Raises
    ------
    UsageError
        If there is no such store.
    OSError
        If it cannot be written; nothing is left behind.
    """
    check_store(store)
    item = np.dtype(STORES[store]).itemsize
    rows: list[dict[str, Any]] = [
        {"light": i, "dark": j, "states": order.size((i, j))} for i, j in order.layers
    ]
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "store": store,
        "rules": describe_rules(order.rules),
        "gap": 0.0,
        "layers": rows,
    }
    # Room for the header with all that is filled in below.
    at = _aligned(len(MAGIC) + 8 + len(json.dumps(header)) + 120 * len(rows) + 64)
    for row in rows:
        row["offset"] = at
        at = _aligned(at + row["states"] * item)
    temporary = file.with_name(f".{file.name}.part")
    try:
        with temporary.open("wb") as stream:
            done = 0
            for row in rows:
                values, gap = layer((row["light"], row["dark"]))
                stream.seek(row["offset"])
                crc = 0
                for first in range(0, len(values), CHUNK):
                    data = encode(values[first : first + CHUNK], store).tobytes()
                    crc = zlib.crc32(data, crc)
                    stream.write(data)
                row |= {"gap": gap, "crc32": crc}
                header["gap"] = max(header["gap"], gap)
                done += len(values)
                if progress:
                    progress(done)
            stream.truncate(at)
            text = json.dumps(header).encode()
            stream.seek(0)
            stream.write(MAGIC + len(text).to_bytes(8, "little") + text)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
    return at


def _aligned(at: int) -> int:
    return -(-at // ALIGNED) * ALIGNED


class Tablebase:
    """A tablebase that is open; made by `open_tablebase`, and closed with it.

    ``rules`` are the rule set's, ``store`` how values are kept, ``gap`` how far a value can be from
    the truth, rounding to ``store`` left out.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            self._stream = file.open("rb")
        except OSError as error:
            raise UnusableFileError(f"cannot read {file}: {error.strerror or error}") from None
        try:
            self._open()
        except BaseException:
            self._stream.close()
            raise

    def _open(self) -> None:
        header = self._header()
        self.store = str(header["store"])
        self.gap = float(header["gap"])
        self.described: dict[str, Any] = header["rules"]
        self.rules = rules_of(self.described)
        self.order = LayerOrder(self.rules)
        self.rows: dict[Layer, dict[str, Any]] = {
            (row["light"], row["dark"]): row for row in header["layers"]
        }
        item = np.dtype(STORES[self.store]).itemsize
        size = self.file.stat().st_size
        for (i, j), row in self.rows.items():
            if row["states"] != self.order.size((i, j)):
                raise TablebaseError(f"{self.file}: layer {i}-{j} has a wrong number of states")
            if row["offset"] + row["states"] * item > size:
                raise TablebaseError(
                    f"{self.file} is cut off: layer {i}-{j} ends beyond its {size:,} bytes"
                )
        self._map = mmap.mmap(self._stream.fileno(), 0, access=mmap.ACCESS_READ)
        self._layers = {
            layer: np.frombuffer(self._map, STORES[self.store], row["states"], row["offset"])
            for layer, row in self.rows.items()
        }

    def _header(self) -> dict[str, Any]:
        start = self._stream.read(len(MAGIC) + 8)
        if start[: len(MAGIC)] != MAGIC:
            raise UnusableFileError(f"{self.file} is no urcx tablebase")
        length = int.from_bytes(start[len(MAGIC) :], "little")
        if length > self.file.stat().st_size:
            raise TablebaseError(f"{self.file} is cut off within its header")
        try:
            header: dict[str, Any] = json.loads(self._stream.read(length))
            known = header["format"] == FORMAT and header["store"] in STORES
        except (ValueError, KeyError, TypeError):
            raise TablebaseError(f"{self.file}: the header is damaged") from None
        if not known:
            raise TablebaseError(f"{self.file} has a format that this version does not know")
        return header

    def __enter__(self) -> Self:
        """Return the tablebase itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; nothing can be probed any more."""
        self._layers = {}
        with contextlib.suppress(BufferError):  # somebody still holds a layer's array
            self._map.close()
        self._stream.close()

    def layer(self, layer: Layer) -> NDArray[Any]:
        """Return a layer as it is stored, memory-mapped, read only.

        Raises
        ------
        TablebaseError
            If it is not in the file.
        """
        try:
            return self._layers[layer]
        except KeyError:
            i, j = layer
            raise TablebaseError(
                f"{self.file} has no layer {i}-{j} (pieces home of who moves and of the other)"
            ) from None

    def probe(self, position: Position | str) -> float:
        """Return the chance that the player to move wins in a position, or a text in notation.

        A finished game is certain: 1 if that player has won, else 0.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        TablebaseError
            If its layer is not in the file.
        """
        position = as_position(position)
        check(position, self.rules.path, self.rules.pieces)
        pieces = self.rules.pieces
        mine, other = position.home if position.light_to_move else position.home[::-1]
        if pieces in (mine, other):
            return float(mine == pieces)
        layer, rank = self.order.place(position)
        value = float(self.layer(layer)[rank])
        return value / FULL_U16 if self.store == "u16" else value

    def get(self, position: Position | str, default: float | None = None) -> float | None:
        """Return what `probe` does, or ``default`` where the position's layer is not in the file.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        """
        try:
            return self.probe(position)
        except TablebaseError:
            return default

    def best_moves(self, position: Position | str, roll: int) -> tuple[MoveValue, ...]:
        """Return the legal moves for a roll with their values, the best first; none for a pass.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set, or the game is over.
        UsageError
            If the dice cannot give the roll.
        TablebaseError
            If a layer is not in the file.
        """
        position = as_position(position)
        check_open(position, self.rules)
        side = position.light_to_move
        values = []
        for move in legal_moves(position, roll, self.rules):
            after = move.position
            value = self.probe(after)
            values.append((move, value if after.light_to_move == side else 1.0 - value))
        best = max((value for _, value in values), default=0.0)
        ranked = sorted(values, key=lambda item: -item[1])
        return tuple(MoveValue(move, value, best - value) for move, value in ranked)

    @property
    def rounding(self) -> float:
        """The most that storing a chance of winning may have changed it."""
        return ROUNDED[self.store]

    def damaged(self) -> Iterator[tuple[Layer, bool]]:
        """Yield each layer with whether its bytes differ from its checksum."""
        for layer, row in self.rows.items():
            yield layer, zlib.crc32(self.layer(layer).view(np.uint8).data) != row["crc32"]


class TablebaseLayers:
    """A tablebase's layers as a `urcx.solve.layer_pair.Source`: chances of winning in 64 bits.

    Their gap is the tablebase's, widened by what storing them may have rounded away.
    """

    def __init__(self, base: Tablebase) -> None:
        self.base = base
        self.gap = base.gap + base.rounding

    def get(self, layer: Layer) -> tuple[Values, float]:
        """Return a layer's values and gap; raises `TablebaseError` if it is not in the file."""
        return decode(self.base.layer(layer), self.base.store), self.gap


def open_tablebase(file: str | Path) -> Tablebase:
    """Open a tablebase; use it in a ``with`` statement.

    Raises
    ------
    UnusableFileError
        If the file cannot be read, or is none.
    TablebaseError
        If it is damaged.
    """
    if not isinstance(file, str | Path):
        raise WrongObjectError("file", Path, file, "a file's name")
    return Tablebase(Path(file))
