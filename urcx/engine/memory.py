"""How much memory is free, so that work that would not fit can be refused beforehand."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from urcx.errors import TooLargeError

# Where Linux reports it: for the machine, and for the container if there is one.
MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")
STATM = Path("/proc/self/statm")
WINDOWS = os.name == "nt"

# Address space, which limits of a process count (ulimit -v). OpenBLAS, LLVM and the C library end
# the process without a word where they get none, or never end, so it is looked for beforehand.
LIBRARIES = {  # that are loaded, by module, with what is then done at least; measured
    "numpy": 500_000_000,  # numba and a few kernels
    "scipy": 400_000_000,  # which numba loads for products of matrices: training
    "jax": 1_600_000_000,
}
COMPILING = 150_000_000  # of it, to compile and load kernels: up to 140 MB
THREAD = 16_000_000  # a stack, which has 8 MB, and what is started on it
BY = "(ulimit -v, ulimit -d)"  # what sets such limits


def available_memory() -> int | None:
    """Return how many bytes can be used without swapping, or None if unknown.

    Where a system says only how much there is in all (macOS), that is returned.
    """
    if WINDOWS:
        return _of_windows()
    free = _of_linux()
    if free is None:
        free = _in_all()
    left = _left_by_limits()
    return min((size for size in (free, left) if size is not None), default=None)


def _left_by_limits() -> int | None:
    """Return what limits of this process leave beside compiling, None without limits."""
    left = room()
    if left is None:
        return None
    return max(left - (COMPILING if "numba" in sys.modules else LIBRARIES["numpy"]), 0)


def room() -> int | None:
    """Return what limits of this process (``ulimit -v``, ``-d``) leave, None without limits.

    In bytes of address space, which is more than what is used of it.
    """
    if WINDOWS:
        return None
    import resource

    kinds = (resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)  # with their places in STATM
    limits = [(resource.getrlimit(kind)[0], place) for kind, place in kinds]
    limits = [(limit, place) for limit, place in limits if limit != resource.RLIM_INFINITY]
    if not limits or not STATM.exists():  # not on Linux, where alone limits are kept
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
            f"{size_text(left)}; raise it {BY}"
        )


def _of_linux() -> int | None:
    """Return what Linux says is available, to the container if there is one."""
    try:
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvail"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None
    try:
        limit = int((CGROUP / "memory.max").read_text(encoding="ascii"))
        used = int((CGROUP / "memory.current").read_text(encoding="ascii"))
        free = min(free, max(limit - used, 0))
    except (OSError, ValueError):  # no container, or one without a limit ("max")
        pass
    return free


def _in_all() -> int | None:
    """Return the memory of the machine."""
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # no such function, or no such name
        return None
    return size if size > 0 else None


def _of_windows() -> int | None:
    """Return what GlobalMemoryStatusEx says: the member ullAvailPhys of MEMORYSTATUSEX."""
    status, kernel = _words(8)
    return int(status[2]) if kernel.GlobalMemoryStatusEx(status) else None


def _words(number: int) -> tuple[Any, Any]:
    """Return a structure of 64-bit words, the first of which has its size, and Windows' kernel."""
    import ctypes

    library: Any = ctypes
    return (ctypes.c_uint64 * number)(8 * number), library.windll.kernel32


def peak_memory() -> int:
    """Return the most memory this process has used, in bytes; 0 if the system does not say."""
    if WINDOWS:
        # PeakWorkingSetSize of PROCESS_MEMORY_COUNTERS; -1 stands for this process.
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
