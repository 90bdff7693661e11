"""Writing tablebases in the .rgu format of RoyalUr-Java."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, BinaryIO

import numpy as np

from urcx import __version__
from urcx.engine.files.writing import checked_writing, replacing
from urcx.engine.memory import size_text
from urcx.errors import UsageError, printable
from urcx.results.fields import COUNT, TEXT, Field, Format, fields_of
from urcx.results.numbers import bound_text
from urcx.results.result import Result
from urcx.results.tables import Table
from urcx.rules.model import GameRules
from urcx.solving.files import rgu_kernels
from urcx.solving.files.header import FULL_U16, STORES
from urcx.solving.files.rgu import MAGIC, ROUNDED, RguFile
from urcx.solving.files.rgu_keys import FULL, VALUES, Keys, check_values
from urcx.solving.files.tablebase import CHUNK, Tablebase


@dataclass(frozen=True)
class Exported(Result):
    """A written .rgu file."""

    schema = "urcx.export/1"
    file: Annotated[Path, Field("", TEXT, "name of the file")]
    rules: GameRules
    values: Annotated[str, Field("values", about="type of the values")]
    file_size: Annotated[int, Field("bytes", COUNT, "its size in bytes")]
    bound: Annotated[
        float, Field("error bound", Format(bound_text), "error bound of the win probabilities")
    ]

    def tables(self) -> list[Table]:
        """Return the properties of the file, and its precision."""
        lines = [["rules", self.rules.with_pieces], *fields_of(Exported).lines(self)]
        return [Table("", ["<", "<written"], lines)]

    @property
    def answer(self) -> str:
        """Return the precision of the file, and its size."""
        return (
            f"wrote {printable(str(self.file))}, {self.rules.with_pieces}: "
            f"{size_text(self.file_size)} (proven, ± {bound_text(self.bound)})"
        )


def export_rgu(
    base: Tablebase, file: Path, values: str, progress: Callable[[int], None] = lambda _: None
) -> int:
    """Write a tablebase as an .rgu file, and return the file's size in bytes.

    The file appears under its name when it is complete. ``progress`` is called with the number of
    states written.

    Raises
    ------
    UsageError
        If the format has no such values, or the tablebase is an .rgu file itself.
    OutOfDomainError
        If the format has no such rules.
    TablebaseError
        If a layer is missing, or the file cannot be written. Then nothing is left behind.
    """
    check_values(values)
    if isinstance(base, RguFile):
        raise UsageError(f"{base.file} is an .rgu file already")
    assert base.gap is not None
    keys = Keys(base.order)
    for layer in base.order.layers:
        base.layer(layer)  # verifies it
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
    with checked_writing(file), replacing(file) as temporary, temporary.open("wb") as stream:
        stream.write(head)
        _write(stream, base, keys, values, len(head), progress)
    return file.stat().st_size


def exported_bound(base: Tablebase, values: str) -> float:
    """Return the error bound of a tablebase's probabilities after an export with these values."""
    assert base.bound is not None
    same = base.store == "u16" and values == "percent16"  # both in 65,535ths
    return base.bound + (0.0 if same else ROUNDED[values])


def _write(
    stream: BinaryIO,
    base: Tablebase,
    keys: Keys,
    values: str,
    begin: int,
    progress: Callable[[int], None],
) -> None:
    """Write all keys from ``begin`` on, and all values after them, unit by unit."""
    order, p = base.order, keys.pieces
    kind = np.dtype(STORES[base.store])
    stored = np.memmap(base.file, kind, "r", shape=(base.file.stat().st_size // kind.itemsize,))
    start = np.zeros(p * p, np.int64)
    offset = np.zeros((p * p, order.patterns), np.int64)
    for i, j in order.layers:
        start[i * p + j] = base.rows[i, j].offset // kind.itemsize
        offset[i * p + j] = order.offsets((i, j))
    full = FULL_U16 if base.store == "u16" else 1.0
    item = np.dtype(VALUES[values]).itemsize
    most = max(unit.size for unit in keys.units)
    key, probabilities = np.empty(most, np.int64), np.empty(most)
    for unit in keys.units:
        n = rgu_kernels.fill(
            keys.words, keys.masks, order.width, offset, start, stored, float(full), p,
            keys.states(unit), key, probabilities,
        )  # fmt: skip
        for first in range(0, n, CHUNK):
            part = slice(first, min(n, first + CHUNK))
            scaled = probabilities[part] * (FULL[values] / full)
            if values == "percent16":
                np.floor(scaled + 0.5, out=scaled)
            stream.seek(begin + 4 * (unit.first + first))
            stream.write((key[part] & 0xFFFFFFFF).astype(">u4").tobytes())
            stream.seek(begin + 4 * keys.total + item * (unit.first + first))
            stream.write(scaled.astype(VALUES[values]).tobytes())
        progress(unit.first + n)
