"""The cache directory with its contents, and the directory of solved games.

The cache contains compiled kernels (`urcx.engine.jit`), in a directory for each version, and the
value tables of agents that look ahead (`urcx.agents.levels`). Everything in it can be made again,
most of it in seconds, so its size has no limit. When this version writes its kernels, it removes
the kernels of other versions and sources. The user may clear the rest. A directory to which others
could have written is not used (`urcx.engine.files.writing`).

Solved games (`urcx.solving.files.kept`) are not a cache, because they may take minutes. They are in
a directory of the user's data, and are removed only on request.
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from urcx import __version__
from urcx.engine.files.sources import NOT_FOLLOWED, SOURCES
from urcx.engine.files.writing import DAY, in_home, locked, make_directory, refusal
from urcx.engine.memory import size_text
from urcx.errors import printable
from urcx.results.fields import COUNT, TEXT, Field, Format
from urcx.results.numbers import count_text, number
from urcx.results.result import Result
from urcx.results.tables import Column, Table, secondary

DATA_VARIABLE = "URCX_DATA_DIR"
OTHER_CACHE = "set URCX_CACHE_DIR for another directory"
KERNELS = "kernels"
LEVELS = "levels"
SOLVED = "solved"
KINDS = (KERNELS, LEVELS, SOLVED)
# Only files with such names are ever removed, from any directory in URCX_CACHE_DIR.
_VERSION = re.compile(r"\d+\.\d+\S*-[0-9a-f]{16}")
_LEVEL = re.compile(r"[^.].*-[0-9a-f]{16}\.level|\..+\.[0-9a-f]{16}\.part")
_SOLVED = re.compile(r"[a-z0-9-]+-[0-9]+-[0-9a-f]{16}\.urcx(\.work)?|\..+\.[0-9a-f]{16}\.part")
_LAYER = re.compile(r"\.?[0-9]+-[0-9]+\.layer(\..+)?")


def _iso(written: float) -> str:
    return dt.datetime.fromtimestamp(int(written), tz=dt.UTC).isoformat()


def _ago(written: float) -> str:
    days = int((time.time() - written) / DAY)
    return "today" if days <= 0 else f"{count_text(days, 'day')} ago"


FILES = Format(lambda files: number(len(files)), (("", len),))
BYTES = Format(size_text, COUNT.json)
WRITTEN = Format(_ago, (("", _iso),))


@dataclass(frozen=True)
class Entry:
    """An entry: kernels of one version, one value table (a level), or a solved game."""

    kind: Annotated[str, Field("<kind", about="kernels, levels or solved")]
    name: Annotated[
        str,
        Field(
            "<name",
            Format(lambda name: name.removesuffix(".urcx")),
            "name of the version, of the level, or of a solved game's file",
        ),
    ]
    files: Annotated[tuple[Path, ...], Field(secondary("files"), FILES, "number of files")]
    size: Annotated[int, Field("size", BYTES, "bytes")]
    written: Annotated[
        float,
        "the time of the last write, in seconds since 1970",
        Field(secondary("last written"), WRITTEN, "the time of the last write", key="last_written"),
    ]
    current: Annotated[bool, Field(about="whether this version may use it")]

    @property
    @Field(Column("state", text=True, least=10), Format(json=()))
    def state(self) -> str:
        """Return the state for a table, such as ``this version`` or ``unfinished``."""
        if self.kind == KERNELS:
            return "this version" if self.current else "another version"
        if self.name.endswith((".part", ".work")):
            return "unfinished"
        return "saved" if self.kind == SOLVED else "cached"


@dataclass(frozen=True)
class Listing(Result):
    """Entries of the cache, and solved games, listed before any removal."""

    schema = "urcx.cache/1"
    lists = ("entries",)
    directory: Annotated[
        Path | None, Field("", TEXT, "the cache directory, null if no directory can be used")
    ]
    solved: Annotated[
        Path, Field("", TEXT, "the directory of solved games", key="solved_directory")
    ]
    only: Annotated[str | None, Field(about="the requested kind, null for all")]
    cleared: Annotated[bool, Field(about="whether the listed entries were removed")]
    entries: Annotated[Sequence[Entry], "the requested entries"]

    @property
    @Field("", COUNT, "bytes of the listed entries")
    def size(self) -> int:
        """Return the bytes of the listed entries."""
        return sum(entry.size for entry in self.entries)

    @property
    def legend(self) -> list[str]:
        """Return notes on the kinds of entries."""
        return [
            (
                "kernels: compiled code, by version and state of the source; levels: value tables "
                "of agents that look ahead, by rule set and plies"
            ),
            "solved: games that urcx solve has saved; only --clear removes them",
        ]

    def tables(self) -> list[Table]:
        """Return the sum of each kind, or the entries of the requested kind."""
        if self.only or not self.entries:
            return self.wide_tables()
        kinds = {
            kind: [entry for entry in self.entries if entry.kind == kind]
            for kind in dict.fromkeys(entry.kind for entry in self.entries)
        }
        columns = ["<kind", "entries", "size", "last written"]
        rows = [
            [
                kind,
                number(len(entries)),
                size_text(sum(entry.size for entry in entries)),
                _ago(max(entry.written for entry in entries)),
            ]
            for kind, entries in kinds.items()
        ]
        return [Table("", columns, rows, self.legend)]

    def wide_tables(self) -> list[Table]:
        """Return the entries with their sizes and the times of the last write."""
        return super().tables() if self.entries else []

    @property
    def answer(self) -> str:
        """Return the sizes in both directories, or the sizes of the removed entries."""
        games = sum(entry.size for entry in self.entries if entry.kind == SOLVED)
        cached = f"{size_text(self.size - games)} in {self.directory or 'no usable directory'}"
        solved = f"{size_text(games)} of solved games in {self.solved}"
        parts = [solved] if self.only == SOLVED else [cached] if self.only else [cached, solved]
        return printable(("removed " if self.cleared else "") + ", ".join(parts))


def cache_root() -> Path:
    """Return the requested directory: ``URCX_CACHE_DIR``, or the user's cache directory."""
    requested = os.environ.get("URCX_CACHE_DIR")
    return in_home(requested) if requested else _user_root()


def solved_directory() -> Path:
    """Return the directory of solved games, which may not exist.

    It is a subdirectory of ``URCX_DATA_DIR``, or of the user's data directory.
    """
    requested = os.environ.get(DATA_VARIABLE)
    if requested:
        return in_home(requested) / SOLVED
    import platformdirs

    return _users(platformdirs.user_data_path) / SOLVED


def _user_root() -> Path:
    import platformdirs

    return _users(platformdirs.user_cache_path)


def _users(path: Callable[[str, Literal[False]], Path]) -> Path:
    """Return a user's directory for urcx, starting with ``~`` if there is no home directory."""
    try:
        return path("urcx", False)
    except RuntimeError:
        return Path("~", "urcx")


# --- directories


@cache
def kernel_version() -> str:
    """Return the name of this version's kernel directory, with a hash of the code of kernels."""
    code = hashlib.sha256((SOURCES.package / NOT_FOLLOWED).read_bytes())
    return f"{__version__}-{code.hexdigest()[:16]}"


def usable_root() -> Path | None:
    """Return the requested directory, or another one if others could have written to it.

    The fallbacks are the user's cache directory, then a private directory among the temporary
    files. The result is None if all are refused. A refusal is reported once on stderr.
    """
    return _usable_root(cache_root())


@cache
def _usable_root(requested: Path) -> Path | None:
    reason = _refusal(requested) or ("" if _can_be_made(requested) else "it cannot be made")
    if not reason:
        return Path(os.path.realpath(requested))
    others = [_user_root()]
    if hasattr(os, "getuid"):
        private = Path(tempfile.gettempdir()) / f"urcx-{os.getuid()}"
        if not private.is_symlink():  # anyone could have made the link
            others.append(private)
    instead = next((Path(os.path.realpath(d)) for d in others if _can_replace(d, requested)), None)
    use = f"urcx uses {instead} instead" if instead else "nothing is cached"
    warn_once(f"the cache in {requested} is not used, because {reason}; {use} ({OTHER_CACHE})")
    return instead


@cache
def warn_once(text: str) -> None:
    """Write a line to stderr, unless this process has written it before."""
    sys.stderr.write(f"urcx: {printable(text)}\n")


def _can_be_made(root: Path) -> bool:
    """Return whether a directory exists, or can be made in its nearest parent that exists."""
    directory = Path(os.path.realpath(root))
    present = next(place for place in (directory, *directory.parents) if place.exists())
    return present == directory or os.access(present, os.W_OK | os.X_OK)


def _refusal(root: Path) -> str | None:
    """Return the reason why a directory, or our part of it, cannot be trusted, or None."""
    parts = [root / KERNELS / kernel_version(), root / LEVELS, root / KERNELS, root]
    return next((reason for place in parts if (reason := refusal(place))), None)


def _can_replace(directory: Path, requested: Path) -> bool:
    if directory == requested or _refusal(directory):
        return False
    try:
        make_directory(directory)
    except OSError:
        return False
    return _refusal(directory) is None  # again, because somebody else may have created it since


def kernel_directory() -> Path | None:
    """Return this version's kernel directory, which may not exist, or None if it is unusable."""
    root = usable_root()
    return root and root / KERNELS / kernel_version()


def level_directory() -> Path | None:
    """Return the directory of value tables, which may not exist, or None if it is unusable."""
    root = usable_root()
    return root and root / LEVELS


def remove_other_versions() -> None:
    """Remove kernels of other versions, except directories written to today (perhaps in use)."""
    for entry in entries():
        if entry.kind == KERNELS and not entry.current and time.time() - entry.written > DAY:
            remove(entry)


# --- contents


def entries(root: Path | None = None) -> list[Entry]:
    """Return the entries of the cache: kernels, of this version first, then levels by name."""
    root = root or usable_root()
    if root is None:
        return []
    own_version = kernel_version()
    kernels = [
        _entry(KERNELS, place.name, _files(place), current=place.name == own_version)
        for place in listed(root / KERNELS)
        if _VERSION.fullmatch(place.name) and place.is_dir()
    ]
    kernels.sort(key=lambda entry: (not entry.current, -entry.written))
    levels = [
        _entry(LEVELS, file.name.removesuffix(".level"), [file], current=True)
        for file in listed(root / LEVELS)
        if _LEVEL.fullmatch(file.name)
    ]
    return [entry for entry in (*kernels, *levels) if entry.files]


def solved_entries() -> list[Entry]:
    """Return the solved games, by their files' names, and the unfinished work of runs."""
    games = [
        _entry(SOLVED, place.name, _solved_files(place), current=True)
        for place in listed(solved_directory())
        if _SOLVED.fullmatch(place.name)
    ]
    return [entry for entry in games if entry.files]


def listed(directory: Path) -> list[Path]:
    """Return the paths in a directory, by name, or [] if it cannot be read or does not exist."""
    try:
        return sorted(directory.iterdir())
    except OSError:
        return []


def _solved_files(place: Path) -> list[Path]:
    """Return a file itself, or the layers in a directory."""
    layers = [file for file in _files(place) if _LAYER.fullmatch(file.name)]
    return layers if place.is_dir() else [place]


def _files(directory: Path) -> list[Path]:
    """Return the files of a directory and its subdirectories, or [] for a link."""
    walk = () if directory.is_symlink() else os.walk(directory)
    return [Path(place, name) for place, _, names in walk for name in names]


def _entry(kind: str, name: str, files: list[Path], *, current: bool) -> Entry:
    present, size, written = [], 0, 0.0
    for file in files:
        with contextlib.suppress(OSError):  # another process has just removed it
            status = file.lstat()
            present.append(file)
            size, written = size + status.st_size, max(written, status.st_mtime)
    return Entry(kind, name, tuple(present), size, written, current)


def remove(entry: Entry) -> None:
    """Remove as many files of an entry as possible, except layers that a run is writing."""
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        directory = entry.files[0].parent
        if directory.suffix == ".work" and not stack.enter_context(locked(directory)):
            return
        for file in entry.files:
            with contextlib.suppress(OSError):
                file.unlink()
    for place in sorted({file.parent for file in entry.files}, reverse=True):
        while place.name not in KINDS:
            try:
                place.rmdir()  # if it is empty
            except OSError:
                break
            place = place.parent  # noqa: PLW2901 - upwards
