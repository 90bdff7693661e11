"""Proofs beside .rgu files: the damage that only they can find."""

from __future__ import annotations

import mmap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up_values import made_up

import urcx
from urcx.engine.files.sealed import BLOCK, CHECKSUM
from urcx.errors import TablebaseError
from urcx.solving.checking import check_tablebase
from urcx.solving.files import proof
from urcx.solving.files.proof import FileProof, checksums_of, proof_file, write_proof
from urcx.solving.files.rgu import open_rgu
from urcx.solving.files.rgu_export import export_rgu
from urcx.solving.files.tablebase import open_tablebase

TWO = replace(urcx.ruleset("finkel"), pieces=2)
ENTRIES = 12_990  # as RoyalUr-Java's file of two pieces has
START = urcx.parse_position("-/-/0-0/L")


def test_a_flipped_value_is_found_by_the_proof(tmp_path: Path) -> None:
    """The least bit of a value, which no range and no order betrays, in a block without keys."""
    file = tmp_path / "two.rgu"
    with open_tablebase(made_up(tmp_path / "two.urcx", TWO)) as base:
        export_rgu(base, file, "percent16")
    data = bytearray(file.read_bytes())
    assert len(data) - 2 * ENTRIES < BLOCK < len(data)
    data[-1] ^= 1  # the start is the last entry
    file.write_bytes(data)
    with open_rgu(file) as found:
        for read in (
            lambda: found.probe(START),
            lambda: found.get(START, 0.5),
            lambda: found.layer((0, 0)),
            lambda: found.layer((1, 1)),  # whose values may lie anywhere
        ):
            with pytest.raises(TablebaseError, match=r"damaged: it is not as two.rgu.proof says"):
                read()
        assert all(wrong for _, wrong in found.damaged())
        assert check_tablebase(found, threads=1).bound is None
    proof_file(file).unlink()
    with open_rgu(file) as found:
        assert found.bound is None
        assert found.probe(START) == pytest.approx(last_value(bytes(data)), abs=1e-12)


def last_value(data: bytes) -> float:
    return int.from_bytes(data[-2:], "big") / 65535


def mapped(file: Path) -> mmap.mmap:
    with file.open("rb") as stream:
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)


def test_a_proof_holds_for_the_file_it_was_written_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, told = tmp_path / "file", list[int]()
    size = 2 * BLOCK + 77
    file.write_bytes(np.random.default_rng(3).bytes(size))
    monkeypatch.setattr(proof, "PART", BLOCK)
    with mapped(file) as data:
        checksums = checksums_of(data, told.append)
        assert checksums == checksums_of(data)
        assert told == [BLOCK, 2 * BLOCK, size]
        assert write_proof(file, size, checksums, 0.25, 0.125, "check") == proof_file(file)
        found = FileProof(file, data)
        assert (found.bound, found.gap, found.how) == (0.25, 0.125, "check")
        found.check(0, size)
        write_proof(file, size, checksums, 0.25, None, "export")
        assert FileProof(file, data).gap is None
        # Checksums of fewer blocks than the file has: it would be read beyond their end.
        write_proof(file, size, checksums[:-CHECKSUM], 0.25, None, "export")
        with pytest.raises(TablebaseError, match=r"file.proof is damaged; remove it"):
            FileProof(file, data)
        write_proof(file, size - 1, checksums, 0.25, None, "export")
        with pytest.raises(TablebaseError, match=r"file is damaged: it is not as file.proof says"):
            FileProof(file, data)
