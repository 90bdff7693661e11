"""The directory of a report: written whole or not at all, and nobody else's files are lost."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from urcx.engine.files.writing import MOST_OF_A_NAME, real_file
from urcx.errors import UrcxError, UsageError
from urcx.reading import parse_json, read_bytes

MANIFEST = "report.json"
MOST_BYTES = 10_000_000  # of a manifest
SCHEMA = "urcx.report/1"


def check_directory(target: Path) -> None:
    """Raise, before a long computation, any error that writing the report would raise after it.

    Raises
    ------
    UsageError
        If something with this name was not written by ``urcx report``, or it cannot be
        replaced.
    UrcxError
        If there is no place for it, or no permission.
    """
    full = real_file(target)
    if full.exists() and not full.is_dir():
        raise UsageError(f"cannot write the report to {target}: it is no directory")
    if full == Path.cwd() or full in Path.cwd().parents or os.path.ismount(full):
        raise UsageError(
            f"cannot write the report to {target}: it is replaced as a whole, so name a directory "
            f"of its own, such as {target / 'report'}"
        )
    if not full.parent.is_dir():
        raise UrcxError(f"cannot write {target}: there is no directory {target.parent}")
    if not os.access(full.parent, os.W_OK):
        raise UrcxError(f"cannot write {target}: no permission in {full.parent}")
    if target.is_dir():
        _check_own(target)


def _check_own(target: Path) -> None:
    """Raise `UsageError` if a directory has files in it that no manifest in it lists."""
    there = {p.relative_to(target).as_posix() for p in target.rglob("*") if not p.is_dir()}
    if not there:
        return
    try:
        manifest = parse_json(read_bytes(target / MANIFEST, MOST_BYTES))
        own = {MANIFEST, *manifest["files"]} if manifest["schema"] == SCHEMA else set()
    except (ValueError, KeyError, TypeError):
        own = set()
    if not own:
        raise UsageError(f"{target} is not empty and no report; choose another directory")
    if foreign := sorted(there - own):
        raise UsageError(
            f"{target} has files that urcx report did not write, such as {foreign[0]}; move them "
            "or choose another directory"
        )


def write_files(target: Path, files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> None:
    """Write a report's files to a temporary directory beside the target, then move it into place.

    Raises
    ------
    UrcxError
        If it cannot be written; what was there before remains.
    """
    full = real_file(target)
    document = {"schema": SCHEMA, **manifest, "files": list(files)}
    every = {**files, MANIFEST: (json.dumps(document, indent=2) + "\n").encode()}
    room: Path | None = None
    try:
        room = Path(tempfile.mkdtemp(dir=full.parent, prefix=f".{full.name[:MOST_OF_A_NAME]}."))
        new = room / "new"
        for name, data in every.items():
            file = new / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        _replace(full, new, room / "old")
    except OSError as error:
        raise UrcxError(f"cannot write {target}: {error.strerror or error}") from None
    finally:
        if room is not None:
            shutil.rmtree(room, ignore_errors=True)


def _replace(target: Path, new: Path, old: Path) -> None:
    """Replace a directory by a new one; the old one is restored if that fails."""
    if not target.exists():
        new.rename(target)
        return
    _check_own(target)  # again: the directory may have changed during the computation
    target.rename(old)
    try:
        new.rename(target)
    except BaseException:
        old.rename(target)
        raise
