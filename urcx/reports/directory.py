"""The directory of a report: written completely or not at all, without losing other files."""

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
        If ``urcx report`` did not write the existing directory, or it cannot be replaced.
    UrcxError
        If the parent directory is missing, or permission is.
    """
    full = real_file(target)
    if full.exists() and not full.is_dir():
        raise UsageError(f"cannot write the report to {target}: it is not a directory")
    if full == Path.cwd() or full in Path.cwd().parents or os.path.ismount(full):
        raise UsageError(
            f"cannot write the report to {target}, because it replaces the directory. Use a "
            f"separate directory, such as {target / 'report'}"
        )
    if not full.parent.is_dir():
        raise UrcxError(f"cannot write {target}: there is no directory {target.parent}")
    if not os.access(full.parent, os.W_OK):
        raise UrcxError(f"cannot write {target}: no permission in {full.parent}")
    if target.is_dir():
        _check_own(target)


def _check_own(target: Path) -> None:
    """Raise `UsageError` if a directory has files that its manifest does not list."""
    present = {p.relative_to(target).as_posix() for p in target.rglob("*") if not p.is_dir()}
    if not present:
        return
    try:
        manifest = parse_json(read_bytes(target / MANIFEST, MOST_BYTES))
        own = {MANIFEST, *manifest["files"]} if manifest["schema"] == SCHEMA else set()
    except (ValueError, KeyError, TypeError):
        own = set()
    if not own:
        raise UsageError(f"{target} is not empty and not a report. Choose another directory")
    if foreign := sorted(present - own):
        raise UsageError(
            f"{target} has files that urcx report did not write, such as {foreign[0]}. Move them "
            "or choose another directory"
        )


def write_files(target: Path, files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> None:
    """Write a report's files to a temporary directory next to the target, then move it there.

    Raises
    ------
    UrcxError
        If the report cannot be written. The previous directory remains.
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
    """Replace a directory by a new one. If this fails, the old directory returns."""
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
