"""The project's ``njit``: one policy for compiling, threading and caching kernels.

Kernels release the GIL, so that plain threads run them side by side, and wrap their machine code
in a cache on disk. numba looks only at a kernel's own file to see whether its cache is stale,
although the code of kernels it calls from other files is compiled into it; the cache directory is
therefore keyed by the version and a hash of all files with kernels, which import nothing of urcx
but each other and this file. Set ``URCX_CACHE_DIR`` to move the cache; where none can be written,
kernels are compiled anew in every process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs

from urcx import __version__

STALE_AFTER_DAYS = 30


def cache_root() -> Path:
    """Return the directory that all of urcx's caches live in."""
    return Path(os.environ.get("URCX_CACHE_DIR") or platformdirs.user_cache_path("urcx", False))


def kernel_files() -> list[Path]:
    """Return the files whose code ends up in compiled kernels: this one and ``*kernels.py``."""
    package = Path(__file__).parent.parent
    return sorted([Path(__file__), *package.rglob("*kernels.py")])


def _source_hash() -> str:
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for file in kernel_files():
        digest.update(str(file.relative_to(package)).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def kernel_cache_dir() -> Path | None:
    """Return the directory for this version's kernels, or None if it cannot be written to."""
    directory = cache_root() / "kernels" / f"{__version__}-{_source_hash()}"
    try:
        if not directory.is_dir():
            directory.mkdir(parents=True, exist_ok=True)
            _drop_stale(directory)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError:
        return None
    return directory


def _drop_stale(keep: Path) -> None:
    """Remove caches of other versions that nobody has written to for a month."""
    limit = time.time() - STALE_AFTER_DAYS * 86400
    for other in keep.parent.iterdir():
        with contextlib.suppress(OSError):
            if other != keep and other.is_dir() and other.stat().st_mtime < limit:
                shutil.rmtree(other, ignore_errors=True)


def njit(function: Callable[..., Any]) -> Any:
    """Compile a kernel when it is first called: without the GIL, from the cache if possible."""
    return _compiled(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a kernel as `lean` does, always into its callers.

    For what a hot loop calls with arrays: each would be handed over as seven words on the stack.
    """
    return _compiled(function, forceinline=True, _nrt=False)


def lean(function: Callable[..., Any]) -> Any:
    """Compile a kernel as `njit` does, without counting references to arrays.

    numba counts them in every call that takes arrays, which can cost more than what the call does.
    Such a kernel makes no array and keeps none; numba refuses to compile one that does.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    directory = kernel_cache_dir()
    if directory is None:
        return numba.njit(nogil=True, **options)(function)
    # numba reads this setting when the decorator runs; it is put back for other users of numba.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(directory)
    try:
        return numba.njit(nogil=True, cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = before
