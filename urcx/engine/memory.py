"""How much memory is free, so that work that would not fit can be refused beforehand."""

from __future__ import annotations

from pathlib import Path

from urcx.errors import TooLargeError

# Where Linux reports it: for the machine, and for the container if there is one.
MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Return how many bytes can be used without swapping, or None if unknown."""
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


def size_text(size: float) -> str:
    """Return a number of bytes as text: ``551 MB``, ``1.2 GB``."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.5 or unit == "GB":
            break
        size /= 1000
    return f"{size:.1f} {unit}" if unit == "GB" else f"{size:.0f} {unit}"


def check_memory(needed: int, what: str, advice: str) -> None:
    """Raise `TooLargeError` if less memory is free than ``what`` needs."""
    free = available_memory()
    if free is not None and needed > free:
        raise TooLargeError(
            f"{what} needs {size_text(needed)} of memory, and {size_text(free)} are free; {advice}"
        )
