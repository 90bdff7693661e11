"""The free memory, to refuse work in advance that would not fit."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from urcx.errors import TooLargeError

# Linux reports the memory of the machine, and of the container if there is one, in these places.
MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")
STATM = Path("/proc/self/statm")
WINDOWS = os.name == "nt"

# Limits of a process count address space (ulimit -v). Without enough, OpenBLAS, LLVM and the C
# library end the process without a message, or never return, so urcx checks in advance.
LIBRARIES = {  # bytes to load a module and do the least work with it, measured
    "numpy": 500_000_000,  # with numba and a few kernels
    "scipy": 400_000_000,  # numba loads scipy for products of matrices: training
    "jax": 1_600_000_000,
}
COMPILING = 150_000_000  # bytes to compile and load kernels: up to 140 MB
THREAD = 16_000_000  # bytes of a thread: a stack of 8 MB, and its work
BY = "(ulimit -v, ulimit -d)"  # the commands that set such limits


def available_memory() -> int | None:
    """Return the bytes that can be used without swapping, or None if unknown.

    On macOS, where only the total memory is known, return that.
    """
    if WINDOWS:
        return _windows_memory()
    free = _linux_memory()
    if free is None:
        free = _total_memory()
    left = _left_by_limits()
    return min((size for size in (free, left) if size is not None), default=None)


def _left_by_limits() -> int | None:
    """Return the bytes that this process's limits leave besides compiling, None without limits."""
    left = room()
    if left is None:
        return None
    return max(left - (COMPILING if "numba" in sys.modules else LIBRARIES["numpy"]), 0)


def room() -> int | None:
    """Return the bytes that this process's limits leave (``ulimit -v``, ``-d``), or None.

    The limits count address space, of which a process reserves more than it uses.
    """
    if WINDOWS:
        return None
    import resource

    kinds = (resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)  # with their places in STATM
    limits = [(resource.getrlimit(kind)[0], place) for kind, place in kinds]
    limits = [(limit, place) for limit, place in limits if limit != resource.RLIM_INFINITY]
    if not limits or not STATM.exists():  # only Linux enforces these limits
        return None
    pages = STATM.read_text(encoding="ascii").split()
    left = min(limit - int(pages[place]) * resource.getpagesize() for limit, place in limits)
    return max(left, 0)


def check_room(needed: int, what: str) -> None:
    """Raise `TooLargeError` if limits of this process leave less than ``what`` needs."""
    left = room()
    if left is not None and left < needed:
        raise TooLargeError(
            f"{what} needs {size_text(needed)} of memory, and a limit of this process leaves "
            f"{size_text(left)}. Raise the limit {BY}"
        )


def _linux_memory() -> int | None:
    """Return the available memory that Linux reports, for the container if there is one."""
    try:
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvail"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None
    try:
        limit = int((CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((CGROUP / "memory.current").read_text(encoding="ascii"))
        free = min(free, max(limit - used, 0))
    except (OSError, ValueError):  # no container, or a container without a limit ("max")
        pass
    return free


def _total_memory() -> int | None:
    """Return the total memory of the machine."""
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # no such function, or no such name
        return None
    return size if size > 0 else None


def _windows_memory() -> int | None:
    """Return ullAvailPhys of MEMORYSTATUSEX, from GlobalMemoryStatusEx."""
    status, kernel = _words(8)
    return int(status[2]) if kernel.GlobalMemoryStatusEx(status) else None


def _words(number: int) -> tuple[Any, Any]:
    """Return a structure of 64-bit words, the first with its size, and Windows' kernel."""
    import ctypes

    library: Any = ctypes
    return (ctypes.c_uint64 * number)(8 * number), library.windll.kernel32


def peak_memory() -> int:
    """Return the greatest memory use of this process in bytes, or 0 if unknown."""
    if WINDOWS:
        # PeakWorkingSetSize of PROCESS_MEMORY_COUNTERS. The handle -1 means this process.
        import ctypes

        counters, kernel = _words(9)
        this = ctypes.c_void_p(-1)
        return int(counters[1]) if kernel.K32GetProcessMemoryInfo(this, counters, 72) else 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def size_text(size: float) -> str:
    """Return a number of bytes as text: ``551 MB``, ``1.2 GB``, ``19 TB``."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 999.5 or unit == "TB":
            break
        size /= 1000
    decimals = 1 if unit == "GB" or (unit == "TB" and size < 9.95) else 0
    return f"{size:,.{decimals}f} {unit}"


def check_memory(needed: int, what: str, advice: str) -> None:
    """Raise `TooLargeError` if less memory is free than ``what`` needs."""
    free = available_memory()
    if free is not None and needed > free:
        left = _left_by_limits()
        if left is not None and needed > left:
            advice += f", or raise the limit of this process {BY}"
        raise TooLargeError(
            f"{what} needs {size_text(needed)} of memory, and {size_text(free)} are free; {advice}"
        )
