"""Compiled kernels on disk: one file for each kernel and signature.

This replaces numba's own cache, which keeps an index for each kernel: two processes that compile
one kernel for different types at once can both take the same number there, and one of them later
runs the other's code. Here a file's name ends with a hash of its key, so processes share nothing
but whole files, which appear complete or not at all. A file that cannot be read, is damaged or
belongs to another user is ignored; a kernel that cannot be written is compiled again in the next
process.

The key has all source files that the kernel's module reaches by imports, and those that the types
of its arguments reach: what a policy does is compiled for its type, wherever that is defined.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps

from urcx.engine import compiling
from urcx.engine.files import private
from urcx.engine.files.cache import OTHER_CACHE, kernel_file, make_room, mark_used, warn_once
from urcx.engine.files.sources import SOURCES
from urcx.engine.memory import COMPILING, check_room

MAGIC = b"urcx kernel 1\n"
DIGEST = 32  # bytes of the checksum after the magic number

_room: dict[Path, int] = {}  # bytes that may still be written, once determined


class KernelStore:
    """The store from which numba loads compiled code of one kernel, and to which it saves it.

    Parameters
    ----------
    function
        The kernel in Python.
    directory
        The directory of this version's kernels; it need not exist or be writable.
    inner
        Says whether the kernel is wanted by another one, which needs no entry for Python.
    """

    def __init__(
        self, function: Callable[..., Any], directory: Path, inner: Callable[[], bool] = bool
    ) -> None:
        self.function: Any = function
        self.directory = directory
        self.inner = inner
        code = self.function.__code__
        self.source = Path(code.co_filename)
        # Now, as long as the files are probably those that Python has read.
        self.name = partial(
            kernel_file,
            compiling.name_of(function),
            code.co_firstlineno,
            SOURCES.digest(self.source),
        )

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
        found = self._loaded(key, context)
        if found is None and self.inner():
            found = self._loaded((*key[:-1], False), context)  # with an entry that is not needed
        return found

    def _loaded(self, key: tuple[Any, ...], context: Any) -> Any:
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
        with compiling.counted_compilations(name, more=True):
            key = self._key(signature, compiled.codegen)
            try:
                self._write(self._file(key), _packed(key, compiled._reduce()))  # noqa: SLF001
            except OSError as error:
                warn_once(
                    f"compiled kernels cannot be cached in {self.directory}: "
                    f"{error.strerror or error}; each run compiles them again ({OTHER_CACHE})"
                )

    def flush(self) -> None:
        """Forget the kernel; numba calls this before it recompiles."""
        for file in self.directory.glob(self.name("*")):
            with contextlib.suppress(OSError):
                file.unlink()

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        """Return all that the code depends on: types, processor, sources, a closure's contents.

        Last stands whether it has no entry for Python.
        """
        cells = tuple(cell.cell_contents for cell in self.function.__closure__ or ())
        return (
            signature,
            codegen.magic_tuple(),
            numba.__version__,
            SOURCES.digest(self.source, *sorted(set(_sources_of(signature)))),
            hashlib.sha256(self.function.__code__.co_code).hexdigest(),
            hashlib.sha256(dumps(cells)).hexdigest() if cells else "",
            self.inner(),
        )

    def _file(self, key: tuple[Any, ...]) -> Path:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return self.directory / self.name(digest)

    def _write(self, file: Path, content: bytes) -> None:
        if _room.get(self.directory, 0) < len(content):
            _room[self.directory] = make_room(len(content))
        if _room[self.directory] < len(content):
            return
        with private.new_file(file, ".kernel.") as stream:
            stream.write(content)
        _room[self.directory] -= len(content)


def _sources_of(kinds: Any) -> Iterator[Path]:
    """Yield the files in which the named tuples and kernels among the types are defined."""
    for kind in kinds:
        if isinstance(kind, types.BaseNamedTuple):
            defined = kind.instance_class
        elif isinstance(kind, types.Dispatcher):
            defined = kind.dispatcher.py_func
        else:
            defined = None
        if defined is not None and (file := SOURCES.file_of(defined.__module__)):
            yield file
        if isinstance(kind, types.BaseTuple):
            yield from _sources_of(kind)


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
