"""Tablebases: solved rule sets on disk, memory-mapped and probed one position at a time.

The file is a sealed file (`urcx.engine.files.sealed`) of the kind ``urcx-tb`` and a line feed. Its
data are the values of one layer after another, each a plain array, possibly with zeros between
them. Its header has

- ``format``: 4
- ``version``: the version of urcx
- ``store``: the type of the values
- ``rules``: ``name``, ``light`` and ``dark`` (the tiles of each path in order), ``rosettes``,
  ``pieces``, ``rolls``, ``probabilities`` (as strings), ``rosette_grants_roll`` (a list of the
  granting rosettes if not all grant a roll), ``rosette_protects``, ``capture_grants_roll``
- ``gap``: the error bound of the values before they were rounded to ``store``
- ``layers``: for each ``light`` and ``dark``, the pieces home of the player to move and of the
  other side, with ``states``, ``offset`` in the file, and ``gap``
- ``data``: as in every sealed file

Format 3, of urcx 0.1.0, had no block checksums. Such files are refused and must be written again
with ``urcx solve``.

A value is the probability that the player to move wins, as ``f64`` or ``f32`` (little-endian
floats) or ``u16`` (little-endian, 65,535 for certainty).

The states of a layer (i, j), the player to move being light, are numbered ``begin[pattern] + row *
columns + column``. A pattern is a number in base 3 with a digit for each shared tile, in the order
of light's path with the first tile least significant. A digit is 0 for an empty tile, 1 for the
mover's piece, and 2 for the other side's piece. Patterns are sorted by the sum of the steps of all
pieces on these tiles, greatest first, then by number. Patterns with more pieces than a side has
left are missing. A side's private tiles, in the order of its path, are the bits of a mask. If u of
the mover's and v of the other side's pieces are on the pattern, there is a row for each mask of at
most p - i - u bits, and a column for each mask of at most p - j - v bits. Masks are sorted by their
number of bits, most first, then by value, greatest first. Row and column are the places of the
mover's mask and of the other side's mask.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from urcx.engine.files.sealed import Closing, SealedFile, SealedWriter, write_sealed
from urcx.engine.moves import Move, check_open, legal_moves
from urcx.errors import TablebaseError, UrcxError, WrongObjectError, check_name, printable
from urcx.reading import as_path
from urcx.results.numbers import bound_text, number
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules.catalogue import ruleset, split_file_name
from urcx.rules.load import NAME
from urcx.rules.model import RuleSet
from urcx.rules.position import GameLike, Position, as_position, check
from urcx.solving.files.header import FULL_U16, STORES, describe_rules, read_header
from urcx.solving.files.kept import check_named, explained, is_place, solution_named
from urcx.solving.layered.order import Layer, LayerOrder, LayerSize
from urcx.solving.ties import width_of

__all__ = ["Tablebase", "open_tablebase"]

MAGIC = b"urcx-tb\n"
FORMAT = 4
OLDER = "write it again with urcx solve"
# The greatest rounding error of a stored value up to 1, including the division.
ROUNDED = {"f64": 0.0, "f32": 2.0**-25, "u16": 0.5 / FULL_U16 + 2.0**-52}
CHUNK = 1 << 22
ROOM_A_LAYER = 160  # bytes of the header per layer

OFF_BY = "error bound"
CHECK_SCHEMA = "urcx.check/1"  # of a file, checked or not

Values = NDArray[np.float64]
Chance = TypeVar("Chance", float, Fraction)


@dataclass(frozen=True)
class MoveValue(Generic[Chance]):
    """A legal move, the mover's win probability after it, and its loss against the best move.

    The loss, ``regret``, of every best move is 0, even if their values differ
    (`urcx.solving.ties`).
    """

    move: Move
    value: Chance
    regret: Chance


def ranked_moves(
    position: Position | str | GameLike,
    roll: int,
    rules: RuleSet,
    probe: Callable[[Position], Chance],
    width: float = 0,
) -> tuple[MoveValue[Chance], ...]:
    """Return the legal moves for a roll with their values, best first, or none for a pass.

    ``probe`` returns the win probability of the player to move, as a float or a fraction. Moves
    within ``width`` of the best are best moves. The errors are the same as in
    `Tablebase.best_moves`.
    """
    place = as_position(position, rules)
    check_open(place, rules)
    values = []
    for move in legal_moves(place, roll, rules):
        value = probe(move.position)
        same = move.position.light_to_move == place.light_to_move
        values.append((move, value if same else 1 - value))
    lost = losses([value for _, value in values], width)
    moves = [MoveValue(*item, loss) for item, loss in zip(values, lost, strict=True)]
    return tuple(sorted(moves, key=lambda item: item.regret))


def losses(values: Sequence[Chance], width: float) -> list[Chance]:
    """Return the loss of each move, from the values after the moves.

    The loss is 0 for moves within ``width`` of the best.
    """
    lost = [max(values) - value for value in values]
    return [loss if loss > width else loss - loss for loss in lost]


def certain_chance(position: Position, rules: RuleSet) -> int | None:
    """Return the win probability of the player to move in a finished game, else None.

    Raise `PositionError` if the position breaks a rule.
    """
    check(position, rules.path, rules.pieces)
    own, other = position.home if position.light_to_move else position.home[::-1]
    return int(own == rules.pieces) if rules.pieces in (own, other) else None


def _encode(values: Values, store: str) -> NDArray[Any]:
    """Convert win probabilities to the stored type."""
    if store == "u16":
        return np.rint(values * FULL_U16).astype("<u2")
    return values.astype(STORES[store])


def decode_values(values: NDArray[Any], store: str) -> Values:
    """Convert stored values to win probabilities."""
    floats: Values = values.astype(np.float64)
    return floats / FULL_U16 if store == "u16" else floats


def precision(bound: float | None) -> str:
    """Return the error bound of a file's values, as text."""
    return "unknown" if bound is None else bound_text(bound, 3)


def check_store(store: str) -> None:
    """Raise `UsageError` if there is no stored type of this name."""
    check_name("store", store, STORES)


def write_tablebase(
    file: Path,
    order: LayerOrder,
    layer: Callable[[Layer], tuple[Values, float]],
    store: str,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """Write a tablebase of all layers and return its size in bytes.

    The file appears under its name only when complete. ``layer`` returns a layer's values and gap.
    ``progress`` is called with the number of states written.

    Raises
    ------
    UsageError
        If there is no such store.
    OSError
        If the file cannot be written. Then nothing is left behind.
    """
    check_store(store)
    layers: list[dict[str, Any]] = []
    rules = describe_rules(order.rules)

    def fill(writer: SealedWriter) -> dict[str, Any]:
        widest = 0.0
        done = 0
        for i, j in order.layers:
            values, gap = layer((i, j))
            row = {"light": i, "dark": j, "states": len(values), "offset": writer.at, "gap": gap}
            layers.append(row)
            for first in range(0, len(values), CHUNK):
                writer.write(_encode(values[first : first + CHUNK], store).view(np.uint8))
            writer.align()
            widest = max(widest, gap)
            done += len(values)
            progress(done)
        return {"format": FORMAT, "store": store, "rules": rules, "gap": widest, "layers": layers}

    room = len(json.dumps(rules)) + ROOM_A_LAYER * len(order.layers)
    return write_sealed(file, MAGIC, room, fill, own=is_place(file))


class ProbedGame(ABC):
    """A game with the win probability of every position of its ``rules``.

    ``bound`` is the error bound of the probabilities, None if nothing is proven.
    """

    rules: RuleSet
    bound: float | None

    def probe(self, position: Position | str | GameLike) -> float:
        """Return the win probability of the player to move in a position, its notation or a game.

        In a finished game it is 1 if that player has won, else 0.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set.
        TablebaseError
            If the file is damaged at the position, or closed.
        """
        position = as_position(position, self.rules)
        certain = certain_chance(position, self.rules)
        return self._value(position) if certain is None else float(certain)

    @abstractmethod
    def _value(self, position: Position) -> float:
        """Return the result of `probe` for a position in which the game is not over."""

    def best_moves(
        self, position: Position | str | GameLike, roll: int
    ) -> tuple[MoveValue[float], ...]:
        """Return the legal moves for a roll with their values, best first, or none for a pass.

        Raises
        ------
        PositionError
            If the position breaks a rule of this rule set, or the game is over.
        UsageError
            If the dice cannot give the roll.
        TablebaseError
            If a layer is not in the file.
        """
        return ranked_moves(position, roll, self.rules, self.probe, width_of(self))


class Tablebase(ProbedGame, Closing, Result, function="open_tablebase"):
    """An open tablebase, made by `open_tablebase`.

    ``rules`` is the rule set, ``store`` the type of the stored values. ``gap`` is the error bound
    of the values before they were stored, ``rounding`` the greatest rounding error of storing them,
    and ``bound`` their sum, the error bound of the values that `probe` returns. ``gap`` and
    ``bound`` are None if nothing is proven, as for files of other programs.
    """

    schema = CHECK_SCHEMA
    lists = ("sizes",)
    gap: float | None
    bound: float | None
    rounded: ClassVar[dict[str, float]] = ROUNDED  # by the type of values
    writer: ClassVar[str] = "urcx solve"  # the command that writes it again

    def __init__(self, file: str | Path) -> None:
        self.file = file = as_path(file)
        self._verified: set[Layer] = set()
        with explained(file):
            self._open()
            check_named(file, self.rules)

    @property
    def sizes(self) -> list[LayerSize]:
        """Return the layers with their numbers of states."""
        return [LayerSize(layer, self.order.size(layer)) for layer in self.order.layers]

    def document(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {"file": str(self.file)} | super().document()

    def tables(self) -> list[Table]:
        """Return the rules of the tablebase, and its precision."""
        rules, *others = self.recorded
        lines = [
            rules,
            ["layers", number(len(self.sizes))],
            ["states (canonical views, unfinished)", number(sum(x.states for x in self.sizes))],
            *others,
            [OFF_BY, precision(self.bound)],
        ]
        return [Table(f"Tablebase {printable(str(self.file))}", ["<", "<"], lines)]

    @property
    def recorded(self) -> list[list[str]]:
        """Return the file's rules, the type of its values and its gap, for a table."""
        return [
            ["rules", self.rules.with_pieces],
            ["stored as", self.store],
            ["gap, as recorded", "none" if self.gap is None else bound_text(self.gap, 3)],
        ]

    def _open(self) -> None:
        self._sealed = SealedFile(self.file, MAGIC, FORMAT, "urcx tablebase", OLDER)
        try:
            self._read_header()
        except BaseException:
            self._sealed.close()
            raise

    def _read_header(self) -> None:
        sealed = self._sealed
        header = read_header(sealed.header, sealed.begin, sealed.size)
        self.store, self.rules, self.gap = header.store, header.rules, header.gap
        self.bound = header.gap + self.rounding
        self.described: dict[str, Any] = describe_rules(self.rules)
        try:
            self.order = LayerOrder(self.rules)
        except UrcxError as error:
            raise TablebaseError(f"{self.file}: the header's rules: {error}") from None
        self.rows = header.rows
        for (i, j), row in self.rows.items():
            if row.states != self.order.size((i, j)):
                raise TablebaseError(
                    f"{self.file} is damaged (number of states of layer {i}-{j}). "
                    "Make it again with urcx solve"
                )
        self._layers = {
            layer: np.frombuffer(sealed.map, STORES[self.store], row.states, row.offset)
            for layer, row in self.rows.items()
        }

    def close(self) -> None:
        """Close the file, which cannot be probed afterwards."""
        self._layers = {}
        self._sealed.close()

    def release(self) -> None:
        """Release the memory of the layers that were read."""
        self._sealed.release()

    def layer(self, layer: Layer) -> NDArray[Any]:
        """Return a layer as stored, memory-mapped and read only, verified on first use.

        Raises
        ------
        TablebaseError
            If the layer is damaged, or the file is closed.
        """
        result = self._stored(layer)
        if layer not in self._verified:
            if self._is_damaged(layer):
                raise self._damage(layer)
            self._verified.add(layer)
        return result

    def _stored(self, layer: Layer) -> NDArray[Any]:
        try:
            return self._layers[layer]
        except KeyError:
            i, j = layer
            raise TablebaseError(
                f"{self.file} has no layer {i}-{j} (pieces home of the player to move and of the "
                "other side)"
            ) from None

    def _is_damaged(self, layer: Layer) -> bool:
        values, row = self._stored(layer), self.rows[layer]
        if not self._sealed.intact(row.offset, row.offset + values.nbytes):
            return True
        # Checksums detect damage. This detects a forged file, because kernels rely on the range.
        return values.dtype.kind == "f" and not 0.0 <= values.min() <= values.max() <= 1.0

    def _damage(self, layer: Layer) -> TablebaseError:
        i, j = layer
        return TablebaseError(
            f"{self.file} is damaged (layer {i}-{j}). Make it again with urcx solve"
        )

    def _value(self, position: Position) -> float:
        layer, rank = self.order.place(position)
        values = self._stored(layer)
        at = self.rows[layer].offset + rank * values.itemsize
        value = float(values[rank])
        if self.store == "u16":
            value /= FULL_U16
        if not self._sealed.intact(at, at + values.itemsize) or not 0.0 <= value <= 1.0:
            raise self._damage(layer)
        return value

    @property
    def rounding(self) -> float:
        """Return the greatest rounding error of a stored probability."""
        return self.rounded[self.store]

    def damaged(self) -> Iterator[tuple[Layer, bool]]:
        """Yield each layer with whether it is damaged."""
        for layer in self.order.layers:
            yield layer, self._is_damaged(layer)


class TablebaseLayers:
    """A tablebase's layers as a `urcx.solving.layered.pair.LayerSource`, in 64-bit floats.

    Their gap is the tablebase's error bound, which is infinite if nothing is proven.
    """

    def __init__(self, base: Tablebase) -> None:
        self.base = base
        self.gap = math.inf if base.bound is None else base.bound

    def get(self, layer: Layer) -> tuple[Values, float]:
        """Return a layer's values and gap, or raise `TablebaseError` if the layer is damaged."""
        return decode_values(self.base.layer(layer), self.base.store), self.gap

    def release(self) -> None:
        """Release the memory of the layers that were read."""
        self.base.release()


def open_tablebase(file: str | Path | RuleSet) -> Tablebase:
    """Open a tablebase.

    Parameters
    ----------
    file
        The name of a file that `urcx.solve` has written, or a rule set or its name. With a rule
        set, the solution that ``urcx solve`` or ``urcx.solve(rules, True)`` has saved is opened. If
        a file has the name of a rule set, the file is opened. A file contains its ``rules``,
        including a rule set of your own.

    Returns
    -------
    Tablebase
        An open file: use it in a ``with`` statement, which closes it.

    Raises
    ------
    UnusableFileError
        If the file cannot be read or is not a tablebase, or if the rule set has no saved solution.
    TablebaseError
        If the file is damaged, or in an older format.
    UnknownNameError
        If there is no file and no rule set of that name.

    Examples
    --------
    >>> import tempfile
    >>> from dataclasses import replace
    >>> from pathlib import Path
    >>> import urcx
    >>> short = replace(urcx.ruleset("finkel"), pieces=1)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     file = Path(directory, "short.urcx")
    ...     _ = urcx.solve(short, file)
    ...     with urcx.open_tablebase(file) as base:
    ...         value = base.probe("-/-/0-0/L")
    >>> round(value, 9)
    0.53004984
    """
    if not isinstance(file, str | Path | RuleSet):
        raise WrongObjectError("file", RuleSet, file, "a file name, a name such as 'finkel'")
    is_name = isinstance(file, str) and (NAME.match(file) or split_file_name(file)[0])
    if isinstance(file, str) and is_name and not Path(file).exists():
        file = ruleset(file)
    return Tablebase(solution_named(file) if isinstance(file, RuleSet) else Path(file))
