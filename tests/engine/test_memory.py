from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from urcx.engine import memory
from urcx.engine.jit import njit
from urcx.engine.memory import available_memory, check_memory, peak_memory, size_text
from urcx.engine.threads import started_threads
from urcx.errors import TooLargeError

MEMINFO = "MemTotal:  9000 kB\nMemFree:  1 kB\nMemAvailable:    2000 kB\nBuffers:  5 kB\n"
FREE = 2000 * 1024


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory of a system that has 2,048,000 bytes free, in no container."""
    (tmp_path / "meminfo").write_text(MEMINFO)
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("limit", "used", "free"),
    [(5000, 1000, 4000), (5000, 6000, 0), (1000, 1000, 0), (99999999, 5, FREE), ("max", 5, FREE)],
)
def test_a_container_may_have_less(system: Path, limit: object, used: int, free: int) -> None:
    assert available_memory() == FREE
    (system / "memory.max").write_text(f"{limit}\n")
    (system / "memory.current").write_text(f"{used}\n")
    assert available_memory() == free


@pytest.mark.parametrize("text", ["", "MemFree: 3 kB\n", "MemAvailable:\n", "MemAvailable: x kB\n"])
def test_a_system_that_says_only_what_there_is_in_all(
    system: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (system / "meminfo").write_text(text)
    sizes = {"SC_PHYS_PAGES": 500, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)
    assert available_memory() == FREE
    (system / "meminfo").unlink()
    assert available_memory() == FREE


def test_a_system_that_does_not_say(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (system / "meminfo").unlink()
    with monkeypatch.context() as patch:
        sizes = {"SC_PHYS_PAGES": -1, "SC_PAGE_SIZE": 4096}
        patch.setattr(os, "sysconf", sizes.__getitem__, raising=False)
        assert available_memory() is None
    monkeypatch.delattr(os, "sysconf", raising=False)
    assert available_memory() is None
    check_memory(10**30, "anything", "nothing")  # is not refused


@pytest.fixture
def limits(system: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """Return the limits of a process that has 100 pages of address space, and 50 of data."""
    resource: Any = pytest.importorskip("resource")
    (system / "statm").write_text("100 20 5 1 0 50 0\n")
    monkeypatch.setattr(memory, "STATM", system / "statm")
    monkeypatch.setattr(resource, "getpagesize", lambda: 1000)
    found = dict.fromkeys((resource.RLIMIT_AS, resource.RLIMIT_DATA), resource.RLIM_INFINITY)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (found[which], 0))
    return found


def test_a_process_may_have_limits_of_its_own(
    limits: dict[int, int], system: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "LIBRARIES", {"numpy": 30_000})
    monkeypatch.setattr(memory, "COMPILING", 10_000)
    assert memory.room() is None
    memory.check_room(10**30, "anything")
    space, data = limits
    limits[space] = 150_000
    assert memory.room() == 50_000
    monkeypatch.setitem(sys.modules, "numba", None)
    assert available_memory() == 40_000
    monkeypatch.delitem(sys.modules, "numba")
    assert available_memory() == 20_000
    limits[data] = 60_000
    assert memory.room() == 10_000
    assert available_memory() == 0
    memory.check_room(10_000, "just so much")
    with pytest.raises(TooLargeError) as said:
        memory.check_room(10_001, "one more")
    assert str(said.value) == (
        "one more needs 10 kB of memory, and a limit of this process leaves 10 kB. Raise the limit "
        "(ulimit -v, ulimit -d)"
    )
    # The message names a limit as the cause: fewer games or pieces may not help.
    with pytest.raises(TooLargeError, match=r" 0 bytes are free; play less, or raise the limit of"):
        check_memory(1, "a game", "play less")
    limits[data] = limits[space] = 10**18
    with pytest.raises(TooLargeError, match=r"are free; play less$"):
        check_memory(10**15, "a game", "play less")
    limits[space] = 5
    assert memory.room() == 0
    (system / "statm").unlink()
    assert memory.room() is None


@pytest.mark.jit
def test_nothing_is_compiled_loaded_or_started_without_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))

    def one(x: int) -> int:
        return x + 1

    first, second = njit(one), njit(one)
    assert first(1) == 2
    monkeypatch.setattr(memory, "room", lambda: 1_000_000)
    for work in (lambda: second(1), lambda: njit(one)(1.0), lambda: started_threads(print)):
        with pytest.raises(TooLargeError, match="limit of this process leaves 1 MB"):
            work()
    monkeypatch.undo()
    assert njit(one)(1.0) == 2.0


class _Kernel:
    """Windows' functions on memory, as its documentation has their structures."""

    def __init__(self, works: int = 1) -> None:
        self.works = works

    def GlobalMemoryStatusEx(self, status: Any) -> int:  # noqa: N802 - Windows' name
        fields = struct.Struct("<LL7Q")  # dwLength, dwMemoryLoad, ullTotalPhys, ullAvailPhys, ...
        assert ctypes.sizeof(status) == fields.size == 64
        assert fields.unpack_from(status)[0] == fields.size
        fields.pack_into(status, 0, 64, 50, 16 << 30, 3 << 30, 1, 2, 3, 4, 5)
        return self.works

    def K32GetProcessMemoryInfo(self, process: Any, counters: Any, size: int) -> int:  # noqa: N802
        fields = struct.Struct("<LL8Q")  # cb, PageFaultCount, PeakWorkingSetSize, WorkingSetSize,
        assert process.value == 2**64 - 1
        assert ctypes.sizeof(counters) == fields.size == size
        assert fields.unpack_from(counters)[0] == size
        fields.pack_into(counters, 0, size, 99, 5 << 20, 1, 2, 3, 4, 5, 6, 7)
        return self.works


@pytest.mark.parametrize(("works", "free", "peak"), [(1, 3 << 30, 5 << 20), (0, None, 0)])
def test_windows_says_it_by_functions(
    monkeypatch: pytest.MonkeyPatch, works: int, free: int | None, peak: int
) -> None:
    library = SimpleNamespace(kernel32=_Kernel(works))
    monkeypatch.setattr(ctypes, "windll", library, raising=False)
    monkeypatch.setattr(memory, "WINDOWS", True)
    assert available_memory() == free
    assert peak_memory() == peak


def test_the_most_that_was_used() -> None:
    assert 1 << 20 < peak_memory() < 1 << 40


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (999_499, "999 kB"),
        (999_600, "1 MB"),
        (551_000_000, "551 MB"),
        (999_499_999, "999 MB"),
        (999_500_000, "1.0 GB"),
        (1_153_311_488, "1.2 GB"),
        (999_400_000_000, "999.4 GB"),
        (1_153_311_488_000, "1.2 TB"),
        (19_002_000_000_000, "19 TB"),
        (1_303_660_966_400_000_000, "1,303,661 TB"),
    ],
)
def test_sizes_as_text(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.usefixtures("system")
def test_refuses_what_does_not_fit_and_names_both_sizes() -> None:
    check_memory(FREE, "just so much", "nothing")
    with pytest.raises(TooLargeError) as said:
        check_memory(3_000_000_000, "the whole board", "take fewer pieces")
    assert str(said.value) == (
        "the whole board needs 3.0 GB of memory, and 2 MB are free; take fewer pieces"
    )
    with pytest.raises(TooLargeError):
        check_memory(FREE + 1, "one more", "nothing")
