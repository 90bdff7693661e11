"""Compiled kernels on disk: one file for each kernel and signature.

This replaces numba's own cache, which keeps an index for each kernel: two processes that compile
one kernel for different types at once can both take the same number there, and one of them later
runs the other's code. Here a file's name is a hash of its key, so processes share nothing but whole
files, which appear complete or not at all. A file that cannot be read, is damaged or belongs to
another user is ignored; a kernel that cannot be written is compiled again in the next process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from urcx.engine import compiling
from urcx.engine.files import private
from urcx.engine.files.cache import make_room, mark_used
from urcx.engine.memory import COMPILING, check_room

MAGIC = b"urcx kernel 1\n"
DIGEST = 32  # bytes of the checksum after the magic number
SUFFIX = ".kernel"

_room: dict[Path, int] = {}  # bytes that may still be written, once determined


class KernelStore:
    """The store from which numba loads compiled code of one kernel, and to which it saves it.

    Parameters
    ----------
    function
        The kernel in Python.
    directory
        The directory of this version's kernels; it need not exist or be writable.
    """

    def __init__(self, function: Callable[..., Any], directory: Path) -> None:
        self.function: Any = function
        self.directory = directory
        name = re.sub(r"[^\w.]", "", compiling.name_of(function))
        line = self.function.__code__.co_firstlineno
        self.base = f"{name}-{line}.{sys.implementation.cache_tag}"

    @property
    def cache_path(self) -> str:
        """Return the directory shown in numba's statistics."""
        return str(self.directory)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for a signature, or None if it is not stored."""
        check_room(COMPILING, "loading kernels")
        # What stored code calls; numba's compiler loads the rest of its library where it is needed.
        rtsys.initialize(context)
        key = self._key(signature, context.codegen())
        file = self._file(key)
        try:
            with private.open_own(file) as stream:
                content = stream.read()
            kept, parts = _unpacked(content)
            # Different types can have the same text, so compare the whole key.
            if kept != key:
                return None
            found = CompileResult._rebuild(context, *parts)  # noqa: SLF001 - as numba's cache does
        except Exception:  # noqa: BLE001 - whatever is wrong with it, it is compiled again
            return None
        mark_used(file)
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store the code for a signature, if possible."""
        if compiled.library.has_dynamic_globals or any(not x.can_cache for x in compiled.lifted):
            return
        name = compiling.name_of(self.function)
        with compiling.counted_compilations(name, more=True), contextlib.suppress(OSError):
            key = self._key(signature, compiled.codegen)
            self._write(self._file(key), _packed(key, compiled._reduce()))  # noqa: SLF001

    def flush(self) -> None:
        """Forget the kernel; numba calls this before it recompiles."""
        for file in self.directory.glob(f"{self.base}-*{SUFFIX}"):
            with contextlib.suppress(OSError):
                file.unlink()

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        """Return all that the code depends on: types, processor, source, the closure's contents."""
        cells = tuple(cell.cell_contents for cell in self.function.__closure__ or ())
        return (
            signature,
            codegen.magic_tuple(),
            _source(self.function.__code__.co_filename),
            hashlib.sha256(self.function.__code__.co_code).hexdigest(),
            hashlib.sha256(dumps(cells)).hexdigest() if cells else "",
        )

    def _file(self, key: tuple[Any, ...]) -> Path:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return self.directory / f"{self.base}-{digest}{SUFFIX}"

    def _write(self, file: Path, content: bytes) -> None:
        if _room.get(self.directory, 0) < len(content):
            _room[self.directory] = make_room(len(content))
        if _room[self.directory] < len(content):
            return
        private.make_directory(self.directory)
        handle, temporary = tempfile.mkstemp(dir=self.directory, prefix=".kernel.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(temporary).replace(file)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        _room[self.directory] -= len(content)


@cache
def _source(file: str) -> str:
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:  # typed in, or in an archive
        return ""


def _packed(key: tuple[Any, ...], parts: tuple[Any, ...]) -> bytes:
    """Return the content of a file: magic number, checksum, and both parts in numba's pickle."""
    pickled: bytes = dumps((key, parts))
    return MAGIC + hashlib.sha256(pickled).digest() + pickled


def _unpacked(content: bytes) -> tuple[Any, Any]:
    begin = len(MAGIC) + DIGEST
    pickled = content[begin:]
    if content[:begin] != MAGIC + hashlib.sha256(pickled).digest():
        raise ValueError("damaged")
    key, parts = pickle.loads(pickled)  # noqa: S301 - the user's own file, see `private`
    return key, parts
