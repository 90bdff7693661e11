"""Sealed files: checksums of blocks, damage by block; JSON of files, member by member."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xxhash

from urcx.engine.files.sealed import (
    BLOCK,
    Checksums,
    Members,
    SealedFile,
    SealedWriter,
    read_json,
    write_sealed,
)
from urcx.errors import TablebaseError, UnusableFileError, printable

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
    data = random.Random(size).randbytes(size)
    with opened(sealed(tmp_path / "x", data)) as found:
        assert found.header.text("name") == "x"
        assert found.map[found.begin : found.begin + found.size] == data
        assert found.intact(found.begin, found.begin + size)
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_checksums_do_not_depend_on_the_pieces_that_data_comes_in() -> None:
    data = random.Random(3).randbytes(5 * BLOCK + 123)
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
        assert not found.intact(begin, begin + 4 * BLOCK)  # also the second time


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
    with pytest.raises(UnusableFileError, match="is not a file of tests"):
        opened(tmp_path / "other")


def test_a_file_is_closed_when_it_is_left_unless_it_is_in_use(tmp_path: Path) -> None:
    file = sealed(tmp_path / "x", bytes(100))
    with opened(file) as found:
        closed = [found.map.closed]
    assert [*closed, found.map.closed] == [False, True]
    with opened(file) as found:
        view = memoryview(found.map)
    closed = [found.map.closed]
    view.release()
    found.close()
    closed.append(found.map.closed)
    assert closed == [False, True]


@pytest.mark.parametrize("length", [8, 12, 15, 16, 40, 200])
def test_a_header_that_is_cut_off(tmp_path: Path, length: int) -> None:
    file = sealed(tmp_path / "x", bytes(100))
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(TablebaseError, match="x is cut off within its header"):
        opened(file)


@pytest.mark.parametrize(("more", "says"), [(-1, "is cut off"), (1, "goes on after its end")])
def test_data_of_another_length(tmp_path: Path, more: int, says: str) -> None:
    file = sealed(tmp_path / "x", bytes(100))
    data = file.read_bytes()
    file.write_bytes((data + b"?")[: len(data) + more])
    with pytest.raises(TablebaseError, match=says) as error:
        opened(file)
    assert str(error.value).endswith(f"{len(data) + more:,} bytes instead of {len(data):,}")


def test_a_header_may_be_as_long_as_there_is_room(tmp_path: Path) -> None:
    header = {"format": 1, "name": "x" * 9000}  # the members of all headers are added
    write_sealed(tmp_path / "x", KIND, len(json.dumps(header)), lambda _: header)
    with opened(tmp_path / "x") as found:
        assert found.header.text("name", 9000) == header["name"]


def test_layers_begin_at_whole_lines_of_memory(tmp_path: Path) -> None:
    begins = []

    def fill(writer: SealedWriter) -> dict[str, object]:
        for size in (1, 64, 63, 0, 65):
            writer.write(b"a" * size)
            writer.align()
            begins.append(writer.at - writer.begin)
        return {"format": 1}

    write_sealed(tmp_path / "x", KIND, 100, fill)
    assert begins == [64, 128, 192, 192, 320]
    with opened(tmp_path / "x") as found:
        assert found.begin % 64 == 0
        data = found.map[found.begin : found.begin + found.size]
    assert data == b"a" + bytes(63) + b"a" * 64 + b"a" * 63 + bytes(1) + b"a" * 65 + bytes(63)


def test_nothing_is_left_of_a_file_whose_writing_fails(tmp_path: Path) -> None:
    file = sealed(tmp_path / "x", b"as before")
    before = file.read_bytes()

    def fill(writer: SealedWriter) -> dict[str, object]:
        writer.write(b"half of it")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        write_sealed(file, KIND, 100, fill)
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
    assert file.read_bytes() == before


# --- members of headers


def of(**members: Any) -> Members:
    return read_json(json.dumps(members).encode(), "x: the header")


def test_what_is_right_comes_out() -> None:
    found = of(n=3, x=0.5, y=1, t="text", c="b", f=False, s=[1, "a"], o={"n": 4}, i=[{"n": 5}])
    assert (found.whole("n", 0, 3), found.number("x", 0, 1), found.number("y", 0, 1)) == (3, 0.5, 1)
    assert (found.text("t"), found.choice("c", "abc"), found.flag("f")) == ("text", "b", False)
    assert found.several("s", 2, 2) == [1, "a"]
    assert found.inside("o").whole("n", 4, 4) == 4
    assert [each.whole("n", 5, 5) for each in found.items("i", 0, 1)] == [5]


@pytest.mark.parametrize(
    ("value", "take", "says"),
    [
        (4, lambda f: f.whole("x", 0, 3), "x: the header: x is 4, not an integer from 0 to 3"),
        (True, lambda f: f.whole("x", 0, 3), "x is true, not"),
        (1.0, lambda f: f.whole("x", 0, 3), "x is 1.0, not"),
        ("1", lambda f: f.whole("x", 0, 3), 'x is "1", not'),
        (None, lambda f: f.number("x", 0, 1), "x is null, not a number from 0 to 1"),
        (1.5, lambda f: f.number("x", 0, 1), "x is 1.5, not"),
        (False, lambda f: f.number("x", 0, 1), "x is false, not"),
        ("a" * 300, lambda f: f.text("x"), r"x is \"a{39}\.\.\., not a string of up to 200"),
        ("a\tb", lambda f: f.text("x"), r'x is "a\\tb", not a string'),
        (1, lambda f: f.text("x"), "x is 1, not a string"),
        ("d", lambda f: f.choice("x", ["a", "b"]), 'x is "d", not one of a, b'),
        ([], lambda f: f.choice("x", ["a", "b"]), "x is a list, not one of a, b"),
        (0, lambda f: f.flag("x"), "x is 0, not true or false"),
        ({}, lambda f: f.several("x", 0, 1), "x is an object, not a list of 0 to 1 items"),
        ([1, 2], lambda f: f.several("x", 0, 1), "x is a list, not a list of 0 to 1 items"),
        ([], lambda f: f.inside("x"), "x is a list, not an object"),
        ([1], lambda f: f.items("x", 1, 1), r"x\[0\] is 1, not an object"),
        ({}, lambda f: f.inside("x").flag("y"), "x: the header has no x.y"),
        ([{}], lambda f: f.items("x", 1, 1)[0].flag("y"), r"the header has no x\[0\].y"),
    ],
)
def test_what_is_wrong_is_named(value: Any, take: Callable[[Members], object], says: str) -> None:
    with pytest.raises(TablebaseError, match=says) as found:
        take(of(x=value))
    assert str(found.value).isprintable()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"1", b"{", b"\xff", b'{"x": NaN}', b'{"x": Infinity}', b"1" * 5000,
        b'{"x": ' + b"1" * 19 + b"}", b"[" * 100_000, b'{"x":' * 100_000, b'{"x": 1e999}',
        b'{"x": 1, "x": 1}', b'{"x": [{"y": 0, "\\u0079": 1}]}', b'{"x": "\\ud800"}',
    ],
)  # fmt: skip
def test_what_is_no_object_is_damaged(data: bytes) -> None:
    with pytest.raises(TablebaseError, match=r"^x is damaged: [^\n]+$"):
        read_json(data, "x")


def test_texts_are_shown_without_what_terminals_obey() -> None:
    assert printable("finkel é ß") == "finkel é ß"
    odd = "\x1b[2J\x07\r\n\t\x9b31m\u202e\u2028\ud800\x00"
    assert printable(odd).isprintable()
    assert printable("\x1b[2J\u202e") == r"\x1b[2J\u202e"
