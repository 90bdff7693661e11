"""Sealed files: a header, data, and checksums of all blocks. JSON with checked fields.

All files that urcx makes for values or code are sealed files: tablebases, layers of unfinished
solutions, value tables, compiled kernels, checkpoints. A sealed file has

- eight bytes that name its kind
- the length of the header, a little-endian 64-bit integer
- the header, a JSON object in UTF-8, padded with blanks
- the checksum of everything so far
- the data, starting at ``begin``, ``size`` bytes
- the checksum of each block of ``block`` bytes of the data (the last block may be shorter)

A checksum is XXH3 of 64 bits (https://xxhash.com), little-endian. The header's field ``data`` has
``begin``, ``size``, ``block``, and as ``checksums`` the checksum, as hexadecimal text, of all the
blocks' checksums. ``format`` is the number of the kind's format. The last checksum ends the file.

Opening a file verifies the header, the list of checksums and the file's size. Each block is
verified when it is first read. XXH3 detects damage, not forgery.

Headers, including the headers of other programs, are read through `Members`. For any content of a
file, each value that it returns has the requested type and range. Otherwise a `TablebaseError`
names the file, the field and the fault.
"""

from __future__ import annotations

import contextlib
import json
import mmap
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, BinaryIO, Self

import xxhash

from urcx import __version__
from urcx.engine.files.writing import open_own, replacing
from urcx.errors import TablebaseError, UnusableFileError
from urcx.reading import open_regular, parse_json

BLOCK = 1 << 16  # bytes: a few microseconds of hashing
CHECKSUM = 8  # bytes
HEAD = 16  # bytes before the header
MAX_HEADER = 1 << 24
ALIGNED = 64
LARGEST = 1 << 62
ROOM = 256  # bytes, for the fields common to all headers
LONGEST_TEXT = 200
SHOWN = 40  # characters of an invalid value in an error message


def checksum(data: Any) -> bytes:
    """Return the checksum of a bytes-like object."""
    return xxhash.xxh3_64_intdigest(data).to_bytes(CHECKSUM, "little")


def aligned(at: int) -> int:
    """Return the next offset at which data may begin."""
    return -(-at // ALIGNED) * ALIGNED


def let_go(mapped: mmap.mmap) -> None:
    """Release the memory of a mapped file's pages that have been read."""
    if hasattr(mmap, "MADV_DONTNEED"):  # not on every system
        with contextlib.suppress(OSError):  # advice only
            mapped.madvise(mmap.MADV_DONTNEED)


class Checksums:
    """Block checksums of data that arrives in pieces of any size."""

    def __init__(self) -> None:
        self.finished = bytearray()
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
        self.finished += self._hash.intdigest().to_bytes(CHECKSUM, "little")
        self._hash.reset()
        self._left = BLOCK

    def all(self) -> bytes:
        """Return the checksums of all blocks. Nothing can be added afterwards."""
        if self._left < BLOCK:
            self._end_block()
        return bytes(self.finished)


class SealedWriter:
    """A writer of a sealed file to a stream: first the data, then the rest with `finish`.

    ``room`` is the greatest length of the header.
    """

    def __init__(self, stream: BinaryIO, kind: bytes, room: int) -> None:
        self._stream, self._kind = stream, kind
        self.begin = self.at = aligned(HEAD + room + ROOM + CHECKSUM)
        self._room = self.begin - HEAD - CHECKSUM
        self._checksums = Checksums()
        stream.write(bytes(self.begin))  # reserves the place of the header

    def write(self, data: Any) -> None:
        """Write a bytes-like object."""
        self._stream.write(data)
        self._checksums.add(data)
        self.at += memoryview(data).nbytes

    def align(self) -> None:
        """Write zeros up to the next offset at which a layer may start."""
        self.write(bytes(aligned(self.at) - self.at))

    def finish(self, header: dict[str, Any]) -> int:
        """Write the checksums and the header, and return the size of the file."""
        checksums = self._checksums.all()
        self._stream.write(checksums)
        data = {
            "begin": self.begin,
            "size": self.at - self.begin,
            "block": BLOCK,
            "checksums": checksum(checksums).hex(),
        }
        text = json.dumps({**header, "version": __version__, "data": data}).encode()
        assert len(text) <= self._room
        text = text.ljust(self._room)
        text = self._kind + len(text).to_bytes(8, "little") + text
        self._stream.seek(0)
        self._stream.write(text + checksum(text))
        return self.at + len(checksums)


def write_sealed(
    file: Path,
    kind: bytes,
    room: int,
    fill: Callable[[SealedWriter], dict[str, Any]],
    *,
    own: bool = False,
) -> int:
    """Write a sealed file, which appears under its name only when complete. Return its size.

    ``fill`` writes the data and returns the header. For ``own`` and the errors see
    `urcx.engine.files.writing.replacing`. After an error nothing is left behind.
    """
    with replacing(file, own=own) as temporary, temporary.open("wb") as stream:
        writer = SealedWriter(stream, kind, room)
        return writer.finish(fill(writer))


def seal(file: Path, kind: bytes, header: dict[str, Any], data: Any, *, own: bool = False) -> int:
    """Write a sealed file with one bytes-like object, like `write_sealed`. Return its size."""

    def fill(writer: SealedWriter) -> dict[str, Any]:
        writer.write(data)
        return header

    return write_sealed(file, kind, len(json.dumps(header)), fill, own=own)


class Closing:
    """An object that the ``with`` statement closes."""

    def close(self) -> None:
        """Close the object."""

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the object."""
        self.close()


class SealedFile(Closing):
    """An open sealed file.

    ``what`` names the expected kind in errors, and ``older`` advises on files in an older format.
    ``header`` is the header, and ``map`` the complete file. The data are its ``size`` bytes from
    ``begin`` on. Do not read them before `intact` or `numbers` has verified them. A file that is
    ``own`` is opened only if nobody else can have written it
    (`urcx.engine.files.writing.open_own`).

    Raises
    ------
    UnusableFileError
        If the file cannot be read, or is of another kind.
    TablebaseError
        If the file is damaged, or in another format.
    """

    def __init__(
        self, file: Path, kind: bytes, form: int, what: str, older: str = "", *, own: bool = False
    ) -> None:
        self.file, self._what, self._older = file, what, older
        try:
            with (open_own if own else open_regular)(file) as stream:
                length = stream.seek(0, 2)
                stream.seek(0)
                self.header = self._header(stream, kind, form, length)
                self._open(stream, length)
        except OSError as error:
            raise UnusableFileError(f"cannot read {file}: {error.strerror or error}") from None

    def _header(self, stream: BinaryIO, kind: bytes, form: int, length: int) -> Members:
        start = stream.read(HEAD)
        if start[: len(kind)] != kind:
            raise UnusableFileError(f"{self.file} is not a {self._what}")
        size = int.from_bytes(start[len(kind) :], "little")
        if len(start) < HEAD or size > length - HEAD:
            raise TablebaseError(f"{self.file} is cut off within its header")
        if size > MAX_HEADER:
            raise TablebaseError(f"{self.file}: the header is damaged")
        text = stream.read(size)
        where = f"{self.file}: the header"
        sealed = checksum(start + text) == stream.read(CHECKSUM)
        header = read_json(text, where)
        number = header.members.get("format")
        if type(number) is int and 0 < number < form and self._older:
            raise TablebaseError(
                f"{self.file} has the format {number} of an older urcx, without checksums of "
                f"blocks; {self._older}"
            )
        if not sealed:
            raise TablebaseError(f"{where} is damaged")
        if number != form:
            raise TablebaseError(f"{self.file} has a format that this version of urcx cannot read")
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
            fault = "is cut off" if length < end else "goes on after its end"
            raise TablebaseError(f"{self.file} {fault}: it has {length:,} bytes instead of {end:,}")
        stream.seek(self.begin + self.size)
        checksums = stream.read(blocks * CHECKSUM)
        if checksum(checksums).hex() != ends:
            raise TablebaseError(f"{self.file}: its checksums are damaged")
        self.map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        self._checksums = checksums
        self._verified = bytearray(blocks)  # 1 for a verified block

    def intact(self, first: int, last: int) -> bool:
        """Return whether the bytes from ``first`` to ``last`` of the file are undamaged.

        Each block is verified only once.
        """
        verified = self._verified
        block = (first - self.begin) // BLOCK
        end = (last - 1 - self.begin) // BLOCK + 1
        while (block := verified.find(0, block, end)) >= 0:
            at = self.begin + block * BLOCK
            with memoryview(self.map)[at : min(at + BLOCK, self.begin + self.size)] as part:
                digest = checksum(part)
            if digest != self._checksums[block * CHECKSUM : (block + 1) * CHECKSUM]:
                return False
            verified[block] = 1
        return True

    def numbers(self, kind: str, count: int, advice: str = "make it again") -> Any:
        """Verify the data, and return them as an array of ``count`` numbers that maps the file.

        Raises
        ------
        TablebaseError
            If the data have another size, or are damaged.
        """
        import numpy as np

        size = count * np.dtype(kind).itemsize
        if self.size != size or not self.intact(self.begin, self.begin + size):
            raise TablebaseError(f"{self.file} is damaged; {advice}")
        return np.frombuffer(self.map, kind, count, self.begin)

    def release(self) -> None:
        """Release the memory of the pages that have been read. Reading loads them again."""
        if not self.map.closed:
            let_go(self.map)

    def close(self) -> None:
        """Close the file, unless a view of it is still in use."""
        with contextlib.suppress(BufferError):
            self.map.close()


def read_json(data: bytes, where: str) -> Members:
    """Return the fields of a JSON object, which ``where`` names in errors.

    Raises
    ------
    TablebaseError
        If the data are not a JSON object that `urcx.reading.parse_json` can read.
    """
    try:
        members = parse_json(data)
    except ValueError as error:
        raise TablebaseError(f"{where} is damaged: {error}") from None
    if not isinstance(members, dict):
        raise TablebaseError(f"{where} is damaged: it is not a JSON object")
    return Members(members, where)


def _value_text(value: Any) -> str:
    if isinstance(value, dict | list):
        return "a list" if isinstance(value, list) else "an object"
    text = json.dumps(value)  # ASCII, without control characters
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


class Members:
    """The fields of a JSON object.

    ``where`` names the object in errors, such as ``finkel.urcx: the header``. ``prefix`` precedes
    each field's name there. Each method takes a field's name, and raises `TablebaseError` if the
    field is missing or invalid.
    """

    def __init__(self, members: dict[str, Any], where: str, prefix: str = "") -> None:
        self.members, self.where, self.prefix = members, where, prefix

    def wrong(self, name: str, required: str) -> TablebaseError:
        """Return an error with the value of a field and the required kind of value."""
        full = f"{self.prefix}{name}"
        if name not in self.members:
            return TablebaseError(f"{self.where} has no {full}")
        return TablebaseError(
            f"{self.where}: {full} is {_value_text(self.members[name])}, not {required}"
        )

    def whole(self, name: str, least: int, most: int) -> int:
        """Return an integer within bounds."""
        value = self.members.get(name)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(name, f"an integer from {least:,} to {most:,}")
        return value

    def number(self, name: str, least: float, most: float) -> float:
        """Return a finite number within bounds."""
        value: Any = self.members.get(name)
        if type(value) not in (int, float) or not least <= value <= most:  # also rejects NaN
            raise self.wrong(name, f"a number from {least:g} to {most:g}")
        return float(value)

    def text(self, name: str, longest: int = LONGEST_TEXT) -> str:
        """Return a string that is safe to print: without control characters and not too long."""
        value = self.members.get(name)
        if not isinstance(value, str) or len(value) > longest or not value.isprintable():
            raise self.wrong(name, f"a string of up to {longest} printable characters")
        return value

    def choice(self, name: str, known: Collection[str], default: str | None = None) -> str:
        """Return a string that is in ``known``. The default, if any, replaces a missing field."""
        value = self.members.get(name, default)
        if not isinstance(value, str) or value not in known:
            raise self.wrong(name, f"one of {', '.join(known)}")
        return value

    def flag(self, name: str, default: bool | None = None) -> bool:
        """Return true or false. The default, if any, replaces a missing field."""
        value = self.members.get(name, default)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def several(self, name: str, least: int, most: int) -> list[Any]:
        """Return a list whose length is within bounds. Its items are not checked."""
        value = self.members.get(name)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.wrong(name, f"a list of {least:,} to {most:,} items")
        return value

    def inside(self, name: str) -> Members:
        """Return the fields of a nested object."""
        value = self.members.get(name)
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return Members(value, self.where, f"{self.prefix}{name}.")

    def items(self, name: str, least: int, most: int) -> list[Members]:
        """Return the fields of each object in a list whose length is within bounds."""
        items = []
        for k, value in enumerate(self.several(name, least, most)):
            label = f"{name}[{k}]"
            if not isinstance(value, dict):
                raise Members({label: value}, self.where, self.prefix).wrong(label, "an object")
            items.append(Members(value, self.where, f"{self.prefix}{label}."))
        return items
