"""Proofs: checksums and error bounds for files whose format has neither.

The proof of ``finkel.rgu`` is ``finkel.rgu.proof`` beside it, a sealed file of the kind ``urcx-pf``
and a line feed, whose data are the checksums of all blocks of the other file, from its first byte
on. Its header has ``format``, 1; ``file_size``, of the other file; ``bound``, the error bound of
the probabilities in it; ``gap``, their error bound before they were stored, or null; and ``how``,
``export`` or ``check``.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from pathlib import Path

from urcx.engine.files.sealed import (
    BLOCK,
    CHECKSUM,
    Blocks,
    Checksums,
    SealedFile,
    SealedWriter,
    write_sealed,
)
from urcx.engine.files.sealed import LARGEST as LARGEST_FILE
from urcx.errors import TablebaseError

KIND = b"urcx-pf\n"
FORMAT = 1
ROOM = 256  # bytes, for the header
PART = BLOCK << 8
HOW = ("export", "check")


def proof_file(file: Path) -> Path:
    """Return the path of a file's proof."""
    return file.with_name(f"{file.name}.proof")


class FileProof:
    """The proof of an open, mapped file; the module describes its members.

    Raises
    ------
    TablebaseError
        If it cannot be read, is damaged, or belongs to a file of another size.
    """

    def __init__(self, file: Path, mapped: mmap.mmap) -> None:
        self.file = file
        own = proof_file(file)
        with SealedFile(own, KIND, FORMAT, "proof of urcx's") as sealed:
            header = sealed.header
            size = header.whole("file_size", 0, LARGEST_FILE)
            self.bound = header.number("bound", 0.0, 2.0)
            has_gap = header.members.get("gap") is not None
            self.gap = header.number("gap", 0.0, 1.0) if has_gap else None
            self.how = header.choice("how", HOW)
            end = sealed.begin + sealed.size
            if sealed.size != -(-size // BLOCK) * CHECKSUM or not sealed.intact(sealed.begin, end):
                raise TablebaseError(f"{own} is damaged; remove it, or write the file again")
            if size != len(mapped):
                raise self.wrong()
            self._blocks = Blocks(mapped, 0, size, sealed.map[sealed.begin : end])

    def wrong(self) -> TablebaseError:
        """Return the error for a file that does not match its proof."""
        return TablebaseError(
            f"{self.file} is damaged: it is not as {proof_file(self.file).name} says; if you have "
            "replaced it, remove that"
        )

    def check(self, first: int, last: int) -> None:
        """Raise `TablebaseError` unless the bytes from ``first`` to ``last`` are as written."""
        if self._blocks.first_wrong(first, last) is not None:
            raise self.wrong()


def checksums_of(mapped: mmap.mmap, progress: Callable[[int], None] = lambda _: None) -> bytes:
    """Return the checksums of the blocks of a file that is mapped, all of it.

    ``progress`` is called with the number of bytes done.
    """
    checksums = Checksums()
    size = len(mapped)
    with memoryview(mapped) as view:
        for first in range(0, size, PART):
            with view[first : first + PART] as part:
                checksums.add(part)
            progress(min(size, first + PART))
    return checksums.all()


def write_proof(
    file: Path, size: int, checksums: bytes, bound: float, gap: float | None, how: str
) -> Path:
    """Write the proof of a file of so many bytes and these checksums, and return where.

    Raises `OSError`.
    """

    def fill(writer: SealedWriter) -> dict[str, object]:
        writer.write(checksums)
        return {"format": FORMAT, "file_size": size, "bound": bound, "gap": gap, "how": how}

    write_sealed(proof_file(file), KIND, ROOM, fill)
    return proof_file(file)
