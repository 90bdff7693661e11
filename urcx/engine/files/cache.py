"""The cache directory: where it is, what is in it, and how large it may get; and solved games.

It holds compiled kernels (`urcx.engine.kernel_store`), in a directory for each version, and the
value tables of agents that look ahead (`urcx.agents.levels`). Everything in it can be recreated. A
directory that others could have written to is not used (`urcx.engine.files.private`).

Whenever something new is written, entries unused for `STALE_AFTER_DAYS` are removed, except this
version's kernels whose source is as it was; if the cache would exceed its limit, the least recently
used entries go first.

Solved games (`urcx.solving.files.kept`) are no cache, as they may take minutes: they lie in a
directory of the user's data, count towards no limit, and are removed only on request.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from urcx import __version__
from urcx.engine.files import private
from urcx.engine.files.lock import locked, remove_abandoned
from urcx.engine.files.sources import NOT_FOLLOWED, SOURCES
from urcx.engine.memory import size_text
from urcx.errors import UsageError, printable
from urcx.results.fields import COUNT, TEXT, Field, Fields, Kind, Schema, fields_of, member
from urcx.results.numbers import counted, number
from urcx.results.report import Report
from urcx.results.tables import Column, secondary

DAY = 86400
STALE_AFTER_DAYS = 30
LIMIT = 2_000_000_000  # bytes in total, unless URCX_CACHE_LIMIT is set
LIMIT_VARIABLE = "URCX_CACHE_LIMIT"
DATA_VARIABLE = "URCX_DATA_DIR"
TOUCH_AFTER = 3600  # seconds before another use is recorded
ABANDONED_AFTER = DAY  # seconds after which a partly written file counts as abandoned
OTHER_CACHE = "URCX_CACHE_DIR names another directory"
KERNELS = "kernels"
LEVELS = "levels"
SOLVED = "solved"
# Only directories with such names are ever removed, whatever URCX_CACHE_DIR points to.
_VERSION = re.compile(r"\d+\.\d+\S*-[0-9a-f]{16}")
_KERNEL = re.compile(r"([\w.]+)-\d+\..+-([0-9a-f]{16})-[0-9a-f]{16}\.kernel")
_SOLVED = re.compile(r"[a-z0-9-]+-[0-9]+-[0-9a-f]{16}\.urcx(\.work)?|\..+\.[0-9a-f]{16}\.part")
_LAYER = re.compile(r"\.?[0-9]+-[0-9]+\.layer(\..+)?")
_LEVEL = re.compile(r"(\.level\..+)|([^.].*-[0-9a-f]{16})\..+")
_HALF_WRITTEN = re.compile(r"\.|.*\.tmp\.")


def _iso(used: float) -> str:
    return dt.datetime.fromtimestamp(int(used), tz=dt.UTC).isoformat()


def _ago(used: float) -> str:
    days = int((time.time() - used) / DAY)
    return "today" if days <= 0 else f"{counted(days, 'day')} ago"


FILES = Kind(lambda files: number(len(files)), (("", len),))
BYTES = Kind(size_text, COUNT.json)
USED = Kind(_ago, (("", _iso),))


@dataclass(frozen=True)
class Entry:
    """An entry: kernels of one version, one value table (a level), or a solved game."""

    kind: Annotated[str, member("<kind", about="kernels, levels or solved")]
    name: Annotated[
        str,
        member(
            "<name",
            Kind(lambda name: name.removesuffix(".urcx")),
            "name of the version, of the level, or of a solved game's file",
        ),
    ]
    files: Annotated[tuple[Path, ...], member(secondary("files"), FILES, "how many files")]
    size: Annotated[int, member("size", BYTES, "bytes")]
    used: Annotated[
        float,
        "the time of last use, in seconds since 1970, accurate to the hour; of solved games, when "
        "they were solved",
        member(
            secondary("last used"),
            USED,
            "when, to the hour; when a game was solved",
            key="last_used",
        ),
    ]
    current: Annotated[bool, member(about="whether this version may use it")]

    @property
    @member(about="whether nobody has used it for long")
    def stale(self) -> bool:
        """Return whether it has not been used for long.

        This version's kernels and solved games are never stale.
        """
        if self.kind == SOLVED or (self.kind == KERNELS and self.current):
            return False
        return _is_old(self.used)

    @property
    def state(self) -> str:
        """Return whether it is stale or of another version, for a table."""
        if self.stale:
            return "stale"
        if self.kind == KERNELS:
            return "this version" if self.current else "another version"
        return "kept" if self.kind == LEVELS or self.name.endswith(".urcx") else "unfinished"

    def is_(self, what: str) -> bool:
        """Return whether it is among the ``kernels``, ``levels``, ``solved`` ... entries.

        ``others`` are kernels of other versions, or of other sources than now.
        """
        if what == "stale":
            return self.stale
        if what == "others":
            return self.kind == KERNELS and not self.current
        return self.kind == what


def _is_old(used: float) -> bool:
    return used < time.time() - STALE_AFTER_DAYS * DAY


FIELDS = fields_of(Entry)
ENTRIES = Fields(
    FIELDS.pick("kind", "name", "current", "stale", "files", "size", "last_used"),
    Field("", Column("state", text=True, least=10), of="state"),
)


@dataclass(frozen=True)
class Listing:
    """Entries of the cache, and solved games, as they were before any removal."""

    directory: Annotated[
        Path | None, member("", TEXT, "the cache directory, null if none can be used")
    ]
    solved: Annotated[
        Path, member("", TEXT, "the directory of solved games", key="solved_directory")
    ]
    limit: Annotated[int, member("", COUNT, "bytes that the cache may hold")]
    stale_after_days: ClassVar[
        Annotated[int, member(about="days without use, then it is stale")]
    ] = STALE_AFTER_DAYS
    only: Annotated[str | None, member(about="what was asked for, null for all")]
    cleared: Annotated[bool, member(about="whether what is listed was removed")]
    entries: Annotated[Sequence[Entry], "those asked for"]

    @property
    @member("", COUNT, "bytes of what is listed")
    def size(self) -> int:
        """Return the bytes of what is listed."""
        return sum(entry.size for entry in self.entries)

    def report(self) -> Report:
        """Return what is kept, how large it is, and when it was last used."""
        notes = [
            (
                "kernels: compiled code, by version and state of the source; levels: what agents "
                "that look ahead look up, by rule set and plies"
            ),
            f"stale: not used for {STALE_AFTER_DAYS} days; removed when something new is kept",
            "solved: games that urcx solve has kept; removed by --clear only",
        ]
        tables = [ENTRIES.table("Kept", self.entries, notes)] if self.entries else []
        return Report.of(CACHE, self, tables, rows=self.entries)

    @property
    def answer(self) -> str:
        """Return how much is kept where, or was removed."""
        games = sum(entry.size for entry in self.entries if entry.kind == SOLVED)
        cached = f"{size_text(self.size - games)} in {self.directory or 'no usable directory'}"
        if self.only is None and not self.cleared:
            cached = cached.replace(" in ", f" of at most {size_text(self.limit)} in ", 1)
        solved = f"{size_text(games)} of solved games in {self.solved}"
        parts = [solved] if self.only == SOLVED else [cached] if self.only else [cached, solved]
        return printable(("removed " if self.cleared else "") + ", ".join(parts))


CACHE = Schema("urcx.cache/1", {"": fields_of(Listing), "rows": ENTRIES})


def cache_root() -> Path:
    """Return the requested directory: ``URCX_CACHE_DIR``, or the user's cache directory."""
    asked = os.environ.get("URCX_CACHE_DIR")
    return private.in_home(asked) if asked else _user_root()


def solved_directory() -> Path:
    """Return the directory of solved games, which need not exist.

    It lies in the directory that ``URCX_DATA_DIR`` names, or in the user's data directory.
    """
    asked = os.environ.get(DATA_VARIABLE)
    if asked:
        return private.in_home(asked) / SOLVED
    import platformdirs

    return _users(platformdirs.user_data_path) / SOLVED


def _user_root() -> Path:
    import platformdirs

    return _users(platformdirs.user_cache_path)


def _users(path: Callable[[str, Literal[False]], Path]) -> Path:
    """Return a directory of the user's for urcx, which begins with ``~`` if there is no home."""
    try:
        return path("urcx", False)
    except RuntimeError:
        return Path("~", "urcx")


def limit() -> int:
    """Return how many bytes the cache may occupy.

    Raises
    ------
    UsageError
        If ``URCX_CACHE_LIMIT`` is not a number of gigabytes.
    """
    text = os.environ.get(LIMIT_VARIABLE)
    if not text:
        return LIMIT
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        raise UsageError(f"{LIMIT_VARIABLE}={text!r}: write a number of gigabytes, such as 2.5")
    return int(float(text) * 1e9)


# --- directories


@cache
def kernel_version() -> str:
    """Return the name of this version's kernel directory, with a hash of what makes kernels."""
    made = hashlib.sha256((SOURCES.package / NOT_FOLLOWED).read_bytes())
    return f"{__version__}-{made.hexdigest()[:16]}"


def kernel_file(kernel: str, line: int, sources: str, key: str) -> str:
    """Return the name of a compiled kernel's file.

    Parameters
    ----------
    kernel
        Module and name of the kernel.
    line
        Where it begins.
    sources
        The hash of the files that its module reaches (`urcx.engine.files.sources`).
    key
        The hash of all that the code depends on.
    """
    name = re.sub(r"[^\w.]", "", kernel)
    return f"{name}-{line}.{sys.implementation.cache_tag}-{sources}-{key}.kernel"


def _is_outdated(file: Path) -> bool:
    """Return whether it is a kernel of this version with another source than now."""
    named = _KERNEL.fullmatch(file.name)
    if named is None:
        return False
    source = SOURCES.module_of(named[1])
    return source is None or SOURCES.digest(source) != named[2]


def usable_root() -> Path | None:
    """Return the directory to use: the requested one, or another if that one is not the user's own.

    The fallbacks are the user's cache directory, then a private directory among the temporary
    files. Returns None if all are refused; a refusal is reported once on stderr.
    """
    return _usable_root(cache_root())


@cache
def _usable_root(asked: Path) -> Path | None:
    why = _refusal(asked) or ("" if _can_be_made(asked) else "it cannot be made")
    if not why:
        return Path(os.path.realpath(asked))
    others = [_user_root()]
    if hasattr(os, "getuid"):
        mine = Path(tempfile.gettempdir()) / f"urcx-{os.getuid()}"
        if not mine.is_symlink():  # anyone could have planted one
            others.append(mine)
    found = next((Path(os.path.realpath(d)) for d in others if _can_replace(d, asked)), None)
    instead = f"urcx uses {found} instead" if found else "nothing is cached"
    warn_once(f"the cache in {asked} is not used, because {why}; {instead} ({OTHER_CACHE})")
    return found


@cache
def warn_once(text: str) -> None:
    """Write a line to stderr, unless this process has written it before."""
    sys.stderr.write(f"urcx: {printable(text)}\n")


def _can_be_made(root: Path) -> bool:
    """Return whether a directory exists, or can be made in the first parent that exists."""
    place = Path(os.path.realpath(root))
    there = next(place for place in (place, *place.parents) if place.exists())
    return there == place or os.access(there, os.W_OK | os.X_OK)


def _refusal(root: Path) -> str | None:
    """Return why a directory, or our part of it, cannot be trusted."""
    ours = [root / KERNELS / kernel_version(), root / LEVELS, root / KERNELS, root]
    return next((why for place in ours if (why := private.refusal(place))), None)


def _can_replace(directory: Path, asked: Path) -> bool:
    if directory == asked or _refusal(directory):
        return False
    try:
        private.make_directory(directory)
    except OSError:
        return False
    return _refusal(directory) is None  # also checks what somebody else may have created meanwhile


def kernel_directory() -> Path | None:
    """Return this version's kernel directory, which need not exist; None if it cannot be used."""
    root = usable_root()
    return root and root / KERNELS / kernel_version()


def level_directory() -> Path | None:
    """Return the directory of value tables, which need not exist; None if it cannot be used."""
    root = usable_root()
    return root and root / LEVELS


def mark_used(file: Path) -> None:
    """Record that a file of the cache has just been used, if possible."""
    with contextlib.suppress(OSError):
        if file.stat().st_mtime < time.time() - TOUCH_AFTER:
            os.utime(file)


# --- contents


def entries(root: Path | None = None) -> list[Entry]:
    """Return the entries of the cache: kernels by version, this one first, then levels by name.

    This version's kernels that were compiled from another source than now, as happens while urcx
    is changed, are entries of their own, as those of other versions are; the stale ones apart.
    """
    root = root or usable_root()
    if root is None:
        return []
    found = [
        entry
        for place in listed(root / KERNELS)
        if _VERSION.fullmatch(place.name) and place.is_dir() and not place.is_symlink()
        for entry in _kernel_entries(place)
    ]
    found.sort(key=lambda entry: (not entry.current, -entry.used))
    levels: dict[str, list[Path]] = {}
    for file in listed(root / LEVELS):
        if named := _LEVEL.fullmatch(file.name):
            levels.setdefault(named[1] or named[2], []).append(file)
    found += [_entry(LEVELS, name, files, current=True) for name, files in sorted(levels.items())]
    return [entry for entry in found if entry.files]


def solved_entries() -> list[Entry]:
    """Return the solved games, by their files' names, and what runs have left unfinished."""
    found = []
    for place in listed(solved_directory()):
        if _SOLVED.fullmatch(place.name):
            layers = [file for file in listed(place) if _LAYER.fullmatch(file.name)]
            files = layers if place.is_dir() and not place.is_symlink() else [place]
            found.append(_entry(SOLVED, place.name, files, current=True))
    return [entry for entry in found if entry.files]


def _kernel_entries(place: Path) -> Iterator[Entry]:
    ours = place.name == kernel_version()
    parts: dict[tuple[bool, bool], list[Path]] = {}
    for file, _, used in _statuses(_files(place)):
        outdated = ours and _is_outdated(file)
        parts.setdefault((outdated, outdated and _is_old(used)), []).append(file)
    for (outdated, _), files in sorted(parts.items()):
        yield _entry(KERNELS, place.name, files, current=ours and not outdated)


def listed(directory: Path) -> list[Path]:
    """Return what is in a directory, by name; nothing if it is not there or cannot be read."""
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def _files(directory: Path) -> list[Path]:
    return [Path(place, name) for place, _, names in os.walk(directory) for name in names]


def _entry(kind: str, name: str, files: list[Path], *, current: bool) -> Entry:
    known = list(_statuses(files))
    return Entry(
        kind,
        name,
        tuple(file for file, _, _ in known),
        sum(size for _, size, _ in known),
        max((used for _, _, used in known), default=0.0),
        current,
    )


def _statuses(files: list[Path] | tuple[Path, ...]) -> Iterator[tuple[Path, int, float]]:
    """Yield files with size and time of last use; skips those another process has just removed."""
    for file in files:
        with contextlib.suppress(OSError):
            status = file.lstat()
            yield file, status.st_size, status.st_mtime


def remove(entry: Entry) -> None:
    """Remove an entry, as far as possible; what a run is just writing stays."""
    place = entry.files[0]
    if entry.kind == SOLVED and place.suffix == ".part":
        remove_abandoned(entry.files)
    elif entry.kind == SOLVED and place.parent.suffix == ".work":
        with contextlib.suppress(OSError):
            with locked(place.parent / "lock") as free:
                _remove(entry.files if free else ())
            place.parent.rmdir()
    else:
        _remove(entry.files)


def _remove(files: tuple[Path, ...] | list[Path]) -> None:
    for file in files:
        with contextlib.suppress(OSError):
            file.unlink()
    for place in sorted({file.parent for file in files}, reverse=True):
        # rmdir removes empty directories only: subdirectories first, then the version's own.
        for directory in (place, place.parent):
            if directory.name not in (KERNELS, LEVELS, SOLVED):
                with contextlib.suppress(OSError):
                    directory.rmdir()


def make_room(size: int) -> int:
    """Remove stale entries, then the least recently used ones until ``size`` more bytes fit.

    Returns
    -------
    int
        How many bytes may be written; fewer than ``size`` if the limit is too low.

    Raises
    ------
    UsageError
        If the limit that is set is not a number.
    """
    allowed = limit()
    now = time.time()
    known = entries()
    for entry in known:
        if entry.stale:
            remove(entry)
        else:
            left = [f for f, _, used in _statuses(entry.files) if _abandoned(f, now - used)]
            _remove(left)
    # Levels go as a whole, kernels file by file: a missing kernel is simply compiled again.
    parts = sorted(
        (used, bytes_, file) for entry in known for file, bytes_, used in _statuses(entry.files)
    )
    total = sum(bytes_ for _, bytes_, _ in parts)
    for _, bytes_, file in parts:
        if total + size <= allowed or size > allowed:
            break
        _remove([file])
        total -= bytes_
    return max(allowed - total, 0)


def _abandoned(file: Path, age: float) -> bool:
    return bool(_HALF_WRITTEN.match(file.name)) and age > ABANDONED_AFTER
