"""Sealed files: checksums of blocks against those of the whole, and damage by block."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import xxhash

from urcx.engine.files.sealed import BLOCK, Checksums, SealedFile, SealedWriter, write_sealed
from urcx.errors import TablebaseError, UnusableFileError

KIND = b"urcx-xx\n"


def sealed(file: Path, data: bytes) -> Path:
    def fill(writer: SealedWriter) -> dict[str, object]:
        writer.write(data)
        return {"format": 1, "name": "x"}

    size = write_sealed(file, KIND, 100, fill)
    assert size == file.stat().st_size
    return file


def opened(file: Path) -> SealedFile:
    return SealedFile(file, KIND, 1, "file of tests", "make it again")


@pytest.mark.parametrize("size", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 3 * BLOCK + 77])
def test_what_is_written_is_read(tmp_path: Path, size: int) -> None:
    data = random.Random(size).randbytes(size)  # noqa: S311 - the same for the same size
    with opened(sealed(tmp_path / "x", data)) as found:
        assert found.header.text("name") == "x"
        assert found.map[found.begin : found.begin + found.size] == data
        assert found.intact(found.begin, found.begin + size)
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_checksums_do_not_depend_on_the_pieces_that_data_comes_in() -> None:
    data = random.Random(3).randbytes(5 * BLOCK + 123)  # noqa: S311
    ref = b"".join(
        xxhash.xxh3_64_intdigest(data[at : at + BLOCK]).to_bytes(8, "little")
        for at in range(0, len(data), BLOCK)
    )
    for piece in (1000, BLOCK // 2, BLOCK, BLOCK + 1, len(data)):
        found = Checksums()
        for at in range(0, len(data), piece):
            found.add(data[at : at + piece])
        assert found.all() == ref


def test_damage_is_found_in_its_block_and_nowhere_else(tmp_path: Path) -> None:
    file = sealed(tmp_path / "x", bytes(4 * BLOCK))
    with opened(file) as found:
        begin = found.begin
    data = bytearray(file.read_bytes())
    data[begin + 2 * BLOCK + 5] ^= 8
    file.write_bytes(data)
    with opened(file) as found:
        assert found.intact(begin, begin + 2 * BLOCK)
        assert found.intact(begin + 3 * BLOCK, begin + 4 * BLOCK)
        assert not found.intact(begin + 2 * BLOCK, begin + 2 * BLOCK + 1)
        assert not found.intact(begin, begin + 4 * BLOCK)
        assert not found.intact(begin, begin + 4 * BLOCK)  # nor the second time


def test_every_bit_is_under_a_checksum(tmp_path: Path) -> None:
    file = sealed(tmp_path / "x", bytes(range(50)))
    whole = file.read_bytes()
    for at in range(len(whole)):
        data = bytearray(whole)
        data[at] ^= 1 << at % 8
        file.write_bytes(data)
        try:
            with opened(file) as found:
                assert not found.intact(found.begin, found.begin + found.size), at
        except TablebaseError:
            pass


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnusableFileError, match="cannot read"):
        opened(tmp_path / "none")
    with pytest.raises(UnusableFileError, match="cannot read"):
        opened(tmp_path)
    (tmp_path / "other").write_bytes(b"something else, that is long enough")
    with pytest.raises(UnusableFileError, match="is no file of tests"):
        opened(tmp_path / "other")
