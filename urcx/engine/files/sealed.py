"""Sealed files: a header, data, and checksums over all of it, by blocks.

Tablebases, the layers of an unfinished solve and the value tables in the cache are sealed files. A
sealed file has

- eight bytes that name its kind;
- the length of the header, a little-endian 64-bit integer;
- the header, a JSON object in UTF-8, padded with blanks;
- the checksum of everything so far;
- the data, from ``begin`` on, ``size`` bytes;
- the checksum of each block of ``block`` bytes of the data, the last of which may be shorter.

A checksum is XXH3 of 64 bits (https://xxhash.com), little-endian. The header's member ``data`` has
``begin``, ``size``, ``block``, and as ``checksums`` the checksum, as hexadecimal text, of all the
blocks' checksums; ``format`` is the number of the kind's format. Nothing follows the last checksum.

Opening a file verifies the header, the list of checksums and the file's size; each block is
verified when it is first read. XXH3 detects damage, not forgery.
"""

from __future__ import annotations

import contextlib
import json
import mmap
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import xxhash

from urcx import __version__
from urcx.engine.files.atomic import replacing
from urcx.engine.files.fields import Members, read_json
from urcx.errors import TablebaseError, UnusableFileError
from urcx.reading import open_regular

BLOCK = 1 << 16  # bytes: a few microseconds of hashing
CHECKSUM = 8  # bytes
HEAD = 16  # bytes before the header
MAX_HEADER = 1 << 24
ALIGNED = 64
LARGEST = 1 << 62
ROOM = 256  # bytes, for the members common to all headers


def checksum(data: Any) -> bytes:
    """Return the checksum of a bytes-like object."""
    return xxhash.xxh3_64_intdigest(data).to_bytes(CHECKSUM, "little")


def aligned(at: int) -> int:
    """Return the next offset at which data may begin."""
    return -(-at // ALIGNED) * ALIGNED


def let_go(mapped: mmap.mmap) -> None:
    """Let go of the memory of what was read of a mapped file."""
    if hasattr(mmap, "MADV_DONTNEED"):  # not on every system
        with contextlib.suppress(OSError):  # advice only
            mapped.madvise(mmap.MADV_DONTNEED)


class Blocks:
    """The blocks of a file's data, each verified on first use."""

    def __init__(self, data: mmap.mmap, begin: int, size: int, checksums: bytes) -> None:
        self._data, self._begin, self._size = data, begin, size
        self._checksums = checksums
        self._known = bytearray(len(checksums) // CHECKSUM)  # 1 for a verified block

    def first_wrong(self, first: int, last: int) -> int | None:
        """Verify the bytes from ``first`` to ``last`` of the file.

        Return None if all their blocks are as written, else the offset of the first that is not.
        """
        known = self._known
        k = (first - self._begin) // BLOCK
        end = (last - 1 - self._begin) // BLOCK + 1
        k = known.find(0, k, end)
        if k < 0:  # the usual case
            return None
        with memoryview(self._data) as view:
            while k >= 0:
                at = self._begin + k * BLOCK
                until = min(at + BLOCK, self._begin + self._size)
                with view[at:until] as part:
                    found = checksum(part)
                if found != self._checksums[k * CHECKSUM : (k + 1) * CHECKSUM]:
                    return at
                known[k] = 1
                k = known.find(0, k, end)
        return None


class Checksums:
    """Block checksums of data that arrives in pieces of any size."""

    def __init__(self) -> None:
        self.found = bytearray()
        self._hash = xxhash.xxh3_64()
        self._left = BLOCK

    def add(self, data: Any) -> None:
        """Append a bytes-like object."""
        with memoryview(data).cast("B") as view:
            at = 0
            while at < len(view):
                part = view[at : at + self._left]
                self._hash.update(part)
                at += len(part)
                self._left -= len(part)
                if not self._left:
                    self._end_block()

    def _end_block(self) -> None:
        self.found += self._hash.intdigest().to_bytes(CHECKSUM, "little")
        self._hash.reset()
        self._left = BLOCK

    def all(self) -> bytes:
        """Return the checksums of all blocks; nothing can be added afterwards."""
        if self._left < BLOCK:
            self._end_block()
        return bytes(self.found)


class SealedWriter:
    """Writes a sealed file to a stream: the data first, then `finish`.

    ``room`` is the greatest length of the header.
    """

    def __init__(self, stream: BinaryIO, kind: bytes, room: int) -> None:
        self._stream, self._kind = stream, kind
        self.begin = self.at = aligned(HEAD + room + ROOM + CHECKSUM)
        self._room = self.begin - HEAD - CHECKSUM
        self._checksums = Checksums()
        stream.write(bytes(self.begin))  # overwrites whatever was there

    def write(self, data: Any) -> None:
        """Write a bytes-like object."""
        self._stream.write(data)
        self._checksums.add(data)
        self.at += memoryview(data).nbytes

    def align(self) -> None:
        """Write zeros up to the next offset at which a layer may begin."""
        self.write(bytes(aligned(self.at) - self.at))

    def finish(self, header: dict[str, Any]) -> int:
        """Write the checksums and the header; return the size of the file."""
        found = self._checksums.all()
        self._stream.write(found)
        data = {
            "begin": self.begin,
            "size": self.at - self.begin,
            "block": BLOCK,
            "checksums": checksum(found).hex(),
        }
        text = json.dumps({**header, "version": __version__, "data": data}).encode()
        assert len(text) <= self._room
        text = text.ljust(self._room)
        text = self._kind + len(text).to_bytes(8, "little") + text
        self._stream.seek(0)
        self._stream.write(text + checksum(text))
        return self.at + len(found)


def write_sealed(
    file: Path,
    kind: bytes,
    room: int,
    fill: Callable[[SealedWriter], dict[str, Any]],
    *,
    own: bool = False,
) -> int:
    """Write a sealed file, which appears under its name only when complete; return its size.

    ``fill`` writes the data and returns the header. Raises what
    `urcx.engine.files.atomic.replacing` does, which also describes ``own``; nothing is left behind.
    """
    with replacing(file, own=own) as temporary, temporary.open("wb") as stream:
        writer = SealedWriter(stream, kind, room)
        return writer.finish(fill(writer))


class Closing:
    """What is open until ``with`` closes it."""

    def close(self) -> None:
        """Close it."""

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


class SealedFile(Closing):
    """An open sealed file.

    ``what`` names the expected kind in errors, ``older`` advises on files in an older format.
    ``header`` is the header, ``map`` the whole file; the data are its ``size`` bytes from ``begin``
    on, and must not be read before `intact` has verified them.

    Raises
    ------
    UnusableFileError
        If it cannot be read, or is of another kind.
    TablebaseError
        If it is damaged, or in another format.
    """

    def __init__(self, file: Path, kind: bytes, form: int, what: str, older: str = "") -> None:
        self.file, self._what, self._older = file, what, older
        try:
            with open_regular(file) as stream:
                length = stream.seek(0, 2)
                stream.seek(0)
                self.header = self._header(stream, kind, form, length)
                self._open(stream, length)
        except OSError as error:
            raise UnusableFileError(f"cannot read {file}: {error.strerror or error}") from None

    def _header(self, stream: BinaryIO, kind: bytes, form: int, length: int) -> Members:
        start = stream.read(HEAD)
        if start[: len(kind)] != kind:
            raise UnusableFileError(f"{self.file} is no {self._what}")
        size = int.from_bytes(start[len(kind) :], "little")
        if len(start) < HEAD or size > length - HEAD:
            raise TablebaseError(f"{self.file} is cut off within its header")
        if size > MAX_HEADER:
            raise TablebaseError(f"{self.file}: the header is damaged")
        text = stream.read(size)
        where = f"{self.file}: the header"
        sealed = checksum(start + text) == stream.read(CHECKSUM)
        header = read_json(text, where)
        found = header.members.get("format")
        if type(found) is int and 0 < found < form and self._older:
            raise TablebaseError(
                f"{self.file} has the format {found} of an older urcx, which has no checksums of "
                f"blocks; {self._older}"
            )
        if not sealed:
            raise TablebaseError(f"{where} is damaged")
        if found != form:
            raise TablebaseError(f"{self.file} has a format that this version does not know")
        return header

    def _open(self, stream: BinaryIO, length: int) -> None:
        data = self.header.inside("data")
        head = stream.tell()
        self.begin = data.whole("begin", head, head)
        self.size = data.whole("size", 0, LARGEST)
        data.whole("block", BLOCK, BLOCK)
        ends = data.text("checksums")
        blocks = -(-self.size // BLOCK)
        end = self.begin + self.size + blocks * CHECKSUM
        if length != end:
            wrong = "is cut off" if length < end else "goes on after its end"
            raise TablebaseError(f"{self.file} {wrong}: it has {length:,} bytes and not {end:,}")
        stream.seek(self.begin + self.size)
        checksums = stream.read(blocks * CHECKSUM)
        if checksum(checksums).hex() != ends:
            raise TablebaseError(f"{self.file}: its checksums are damaged")
        self.map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        self._blocks = Blocks(self.map, self.begin, self.size, checksums)

    def intact(self, first: int, last: int) -> bool:
        """Return whether the bytes from ``first`` to ``last`` of the file are as written."""
        return self._blocks.first_wrong(first, last) is None

    def release(self) -> None:
        """Let go of the memory of what was read; it is read again where it is needed again."""
        if not self.map.closed:
            let_go(self.map)

    def close(self) -> None:
        """Close the file, unless a view of it is still in use."""
        with contextlib.suppress(BufferError):
            self.map.close()
