"""The files of a report: all of them at once under their directory's name, or none."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from urcx.engine.files.writing import MOST_OF_A_NAME, real_file
from urcx.errors import UrcxError, UsageError
from urcx.reading import parse_json, read_some
from urcx.reports.book.elements import Picture, Section, Sheet, timeless
from urcx.reports.figures.plots import render
from urcx.results.report import Report

MANIFEST = "report.json"
PAGE = "index.html"
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
        manifest = parse_json(read_some(target / MANIFEST, MOST_BYTES))
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


def contents(
    sections: tuple[Section, ...],
    made: Mapping[str, Any],
    progress: Callable[[int], None] = lambda _: None,
) -> dict[str, bytes]:
    """Return the files of all figures and tables by name, in the order of the report.

    ``made`` is their provenance; ``progress`` is called with the number of figures drawn so far.
    """
    files: dict[str, bytes] = {}
    drawn = 0
    for section in sections:
        for element in section.elements:
            if isinstance(element, Sheet):
                files[f"tables/{element.name}.csv"] = _csv(element, made).encode()
                files[f"tables/{element.name}.json"] = _json(element, made).encode()
            elif isinstance(element, Picture):
                for suffix in ("svg", "png"):
                    files[f"figures/{element.name}.{suffix}"] = render(element.figure, suffix)
                drawn += 1
                progress(drawn)
    return files


def _json(element: Sheet, made: Mapping[str, Any]) -> str:
    data = {
        "name": element.name,
        "title": element.table.title,
        "exactness": element.obtained,
        "notes": list(element.table.notes),
        **timeless(element.parameters),
        "rows": timeless(element.records),
    }
    return Report("urcx.report-table/1", data, ()).json(made)


def _csv(element: Sheet, made: Mapping[str, Any]) -> str:
    return Report("", {}, [_flat(timeless(row)) for row in element.records]).csv(made)


def _flat(row: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """Return a row with nested values flattened into columns: ``ci95_1``, ``sides_light``."""
    flat: dict[str, Any] = {}
    for key, value in row.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            flat |= _flat(value, f"{name}_")
        elif isinstance(value, list | tuple) and not any(isinstance(v, Mapping) for v in value):
            flat |= {f"{name}_{k}": item for k, item in enumerate(value, start=1)}
        elif isinstance(value, list | tuple):
            continue  # nested rows are only in JSON
        else:
            flat[name] = value
    return flat


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
