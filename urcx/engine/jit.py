"""The project's ``njit``: one policy for compiling, threading and caching kernels.

Kernels release the GIL, so that plain threads run them in parallel, and their machine code is
cached on disk, one sealed file for each kernel and signature. This replaces numba's own cache,
which checks only a kernel's own file for changes, although the code of kernels it calls from other
files is compiled into it, and which keeps an index for each kernel: two processes that compile one
kernel for different types at once can both take the same number there, and one of them later runs
the other's code. Here a file's name has a hash of all source files that the kernel's module reaches
by imports (`urcx.engine.files.sources`), and one of its key, so processes share nothing but whole
files, which appear complete or not at all. A file that cannot be read, is damaged or may be
somebody else's is ignored; a kernel that cannot be written is compiled again in the next process.

All this needs interfaces that numba keeps to itself, and may change. They are used in this file
alone. Where one is missing, kernels are compiled and cached by numba's own ``njit(cache=True)``, in
a directory for each state of the sources. Figures are the same, but kernels are slower (references
are counted, nothing is inlined by force), an edit anywhere compiles all of them again, and clocks
do not stand still meanwhile. An interface that is there and works otherwise is not noticed. Vectors
(`urcx.engine.vector_types`) have no fallback: they are written with llvmlite and with the
interfaces that numba documents for extensions, ``numba.extending`` and ``numba.core.cgutils``.

Nothing that this file imports is compiled into kernels, so edits there compile nothing again.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba import types

from urcx.engine import compiling
from urcx.engine.files.cache import (
    OTHER_CACHE,
    kernel_directory,
    remove_other_versions,
    warn_once,
)
from urcx.engine.files.sealed import SealedFile, seal
from urcx.engine.files.sources import PACKAGE, SOURCES
from urcx.engine.files.writing import make_directory, remove_old
from urcx.engine.memory import COMPILING, check_room

try:
    from numba.core import event, sigutils
    from numba.core.compiler import CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]  # numba's own
    from numba.core.registry import CPUDispatcher
    from numba.core.runtime import rtsys
    from numba.core.serialize import dumps

    # Methods that are replaced or called here; names of modules alone do not say that all is there.
    event.Listener, event.register, sigutils.normalize_signature, rtsys.initialize  # noqa: B018
    CompileResult._rebuild, CompileResult._reduce, _FunctionCompiler._customize_flags  # noqa: B018, SLF001
    CPUDispatcher.get_call_template, CPUDispatcher.compile, CPUDispatcher.add_overload  # noqa: B018
    COMPLETE = True
except (ImportError, AttributeError):
    CPUDispatcher, COMPLETE = object, False

# Options of `inlined`, for overloads too.
INLINED = {"forceinline": True, "_nrt": False} if COMPLETE else {}
KIND = b"urcx-kn\n"
FORMAT = 1


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
        self.source = Path(self.function.__code__.co_filename)
        self.kernel = compiling.name_of(function)
        self.prefix = (
            f"{re.sub(r'[^A-Za-z0-9_.]', '', self.kernel)}-{sys.implementation.cache_tag}-"
        )
        # Now, as long as the files are probably those that Python has read.
        self.sources = SOURCES.digest(self.source)

    @property
    def cache_path(self) -> str:
        """Return the directory shown in numba's statistics."""
        return str(self.directory)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for a signature, or None if it is not stored."""
        check_room(COMPILING, "loading kernels")
        # Stored code calls it; numba's compiler loads the rest of its library where it is needed.
        rtsys.initialize(context)
        key = self._key(signature, context.codegen())
        code = self._loaded(key, context)
        if code is None and self.inner():
            code = self._loaded((*key[:-1], False), context)  # with an entry that is not needed
        return code

    def _loaded(self, key: tuple[Any, ...], context: Any) -> Any:
        try:
            with SealedFile(self._file(key), KIND, FORMAT, "kernel", own=True) as sealed:
                stored, parts = pickle.loads(sealed.numbers("u1", sealed.size))  # noqa: S301 - own
            # Different types can have the same text, so compare the whole key.
            if stored != key:
                return None
            return CompileResult._rebuild(context, *parts)  # noqa: SLF001 - as numba's cache does
        except Exception:  # noqa: BLE001 - whatever is wrong with it, it is compiled again
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store the code for a signature, if possible."""
        if compiled.library.has_dynamic_globals or any(not x.can_cache for x in compiled.lifted):
            return
        with compiling.counted_compilations(self.kernel, more=True):
            key = self._key(signature, compiled.codegen)
            try:
                if not self.directory.exists():
                    remove_other_versions()
                others = (file for file in self._files() if f"-{self.sources}-" not in file.name)
                remove_old(others)  # those of today may be another checkout's
                code = dumps((key, compiled._reduce()))  # noqa: SLF001
                seal(self._file(key), KIND, {"format": FORMAT}, code, own=True)
            except OSError as error:
                warn_once(
                    f"compiled kernels cannot be cached in {self.directory}: "
                    f"{error.strerror or error}; each run compiles them again ({OTHER_CACHE})"
                )

    def flush(self) -> None:
        """Forget the kernel; numba calls this before it recompiles."""
        remove_old(self._files(), age=0)

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        """Return all that the code depends on: types, processor, sources, a closure's contents.

        Last stands whether it has no entry for Python.
        """
        cells = tuple(cell.cell_contents for cell in self.function.__closure__ or ())
        code = self.function.__code__
        return (
            signature,
            codegen.magic_tuple(),
            numba.__version__,
            SOURCES.digest(self.source, *sorted(set(_sources_of(signature)))),
            (code.co_firstlineno, hashlib.sha256(code.co_code).hexdigest()),
            hashlib.sha256(dumps(cells)).hexdigest() if cells else "",
            self.inner(),
        )

    def _files(self) -> Iterator[Path]:
        return self.directory.glob(f"{self.prefix}*.kernel")

    def _file(self, key: tuple[Any, ...]) -> Path:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return self.directory / f"{self.prefix}{self.sources}-{digest}.kernel"


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


class Kernel(CPUDispatcher):  # type: ignore[misc]  # numba has no types
    """A kernel, which gets an entry for Python when Python calls it.

    Most kernels are called by others alone. An entry makes the kernel's arguments of Python's
    objects, which for named tuples of many arrays takes longer to compile than what is done with
    them. ``inner`` says that the kernel is compiled for another that calls it.
    """

    def __init__(self, function: Callable[..., Any], *rest: Any, **options: Any) -> None:
        super().__init__(function, *rest, **options)
        self.inner = False
        self.without_entry: set[tuple[Any, ...]] = set()
        self._compiler._customize_flags = self._with_wrappers  # noqa: SLF001 - numba has no other way
        directory = kernel_directory()
        if directory is not None:
            self._cache = KernelStore(function, directory, lambda: self.inner)

    def _with_wrappers(self, flags: Any) -> Any:
        flags.no_cpython_wrapper = self.inner
        flags.no_cfunc_wrapper = True  # for C, which calls none
        return flags

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile the kernel for one that calls it; the compiler's lock is held meanwhile.

        numba compiles a kernel anew for each constant among its arguments, which gains nothing
        where it is inlined: then they are seen anyway.
        """
        before, self.inner = self.inner, True
        if self.targetoptions.get("forceinline"):
            args = [types.unliteral(kind) for kind in args]
            kws = {name: types.unliteral(kind) for name, kind in kws.items()}
        try:
            return super().get_call_template(args, kws)
        finally:
            self.inner = before

    def compile(self, sig: Any) -> Any:
        """Compile the kernel for types of arguments, again if only its entry is missing."""
        with global_compiler_lock:
            args = tuple(sigutils.normalize_signature(sig)[0])
            if not self.inner and args in self.without_entry:
                self.without_entry.remove(args)
                self.overloads.pop(args, None)
            return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        """Take up what was compiled; Python finds what has an entry."""
        if self.inner:
            self.overloads[tuple(cres.signature.args)] = cres
            self.without_entry.add(tuple(cres.signature.args))
        else:
            super().add_overload(cres)


def njit(function: Callable[..., Any]) -> Any:
    """Compile a kernel on its first call, without the GIL; load it from the cache if possible."""
    return _compiled(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a kernel as `lean` does, and always inline it into its callers.

    For functions that a hot loop calls with arrays: each array would be passed as seven words on
    the stack.
    """
    return _compiled(function, **INLINED)


def lean(function: Callable[..., Any]) -> Any:
    """Compile a kernel as `njit` does, without counting references to arrays.

    numba counts references in every call that takes arrays, which can cost more than the call's
    work. Such a kernel neither makes nor keeps arrays; numba refuses to compile one that does.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    if numba.config.DISABLE_JIT:
        return function
    if not COMPLETE:
        return _compiled_by_numba(function)
    options |= {"nopython": True, "nogil": True, "boundscheck": None}
    return Kernel(function, targetoptions=options)


def _compiled_by_numba(function: Any) -> Any:
    """Compile a kernel with what numba promises, cached by numba itself if that is possible."""
    plain, before = numba.njit(nogil=True), numba.config.CACHE_DIR
    directory = kernel_directory()
    if directory is None:
        return plain(function)
    # Of all sources, as a kernel may be compiled for types that are defined anywhere.
    source = Path(function.__code__.co_filename)
    directory /= SOURCES.digest(source, *PACKAGE.rglob("*.py"))
    try:
        make_directory(directory)
        numba.config.CACHE_DIR = str(directory)
        return numba.njit(nogil=True, cache=True)(function)
    except (
        OSError,
        RuntimeError,
    ):  # no file can be written, or the function is in none
        return plain(function)
    finally:
        numba.config.CACHE_DIR = before


def _listen() -> None:
    """Have each compilation counted, in whatever thread; kernels that are loaded are not."""

    class Listener(event.Listener):  # type: ignore[misc]  # numba has no types
        """Starts and stops the count."""

        def __init__(self) -> None:
            self.open: list[Any] = []

        def on_start(self, event: Any) -> None:
            """Start counting."""
            context = compiling.counted_compilations(
                compiling.name_of(event.data["dispatcher"].py_func)
            )
            context.__enter__()
            self.open.append(context)
            check_room(COMPILING, "compiling")

        def on_end(self, event: Any) -> None:  # noqa: ARG002 - numba's own name
            """Stop counting, whether or not the compilation succeeded."""
            self.open.pop().__exit__(None, None, None)

    event.register("numba:compile", Listener())


if COMPLETE:
    _listen()
