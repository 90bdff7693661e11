"""The project's ``njit``: one policy for compiling, threading and caching kernels.

Kernels release the GIL, so plain threads run them in parallel. Their machine code is cached on
disk, in one sealed file for each kernel and signature. This cache replaces numba's own for two
reasons. First, numba checks only a kernel's own file for changes, although it compiles the code of
kernels from other files into it. Second, numba keeps an index for each kernel. Two processes that
compile one kernel for different types at the same time can take the same number, and then one of
them runs the other's code.

Here the name of a file has two hashes: of all source files on which the kernel's module depends by
imports (`urcx.engine.files.sources`), and of its key. So processes share only complete files. A
file that cannot be read, is damaged or could have been written by others is ignored. A kernel that
cannot be written is compiled again in the next process.

The cache needs internal interfaces of numba, which may change. Only this file uses them. Where one
is missing, numba's own ``njit(cache=True)`` compiles and caches kernels, in a directory for each
state of the sources. Results are the same. But kernels are slower, because references are counted
and nothing is inlined by force, any edit compiles all of them again, and clocks do not stop during
compilation. An interface that exists but works differently is not noticed. Vectors
(`urcx.engine.vector_types`) have no fallback. They use llvmlite and the interfaces that numba
documents for extensions, ``numba.extending`` and ``numba.core.cgutils``.

Imports of this file are not compiled into kernels, so edits there compile nothing again.
"""

from __future__ import annotations

import contextlib
import gc
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
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler, CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]  # numba's own
    from numba.core.registry import CPUDispatcher
    from numba.core.runtime import rtsys
    from numba.core.serialize import dumps

    # Attributes that are replaced or called here, because an import alone does not prove them.
    event.Listener, event.register, sigutils.normalize_signature, rtsys.initialize  # noqa: B018
    CompileResult._rebuild, CompileResult._reduce  # noqa: B018, SLF001
    CompileResult._find_referenced_environments  # noqa: B018, SLF001
    JITCodeLibrary._finalize_final_module, JITCodeLibrary.serialize_using_bitcode  # noqa: B018, SLF001
    _FunctionCompiler._customize_flags  # noqa: B018, SLF001
    CPUDispatcher.get_call_template, CPUDispatcher.compile, CPUDispatcher.add_overload  # noqa: B018
    COMPLETE = True
except (ImportError, AttributeError):
    CPUDispatcher = Compiler = JITCodeLibrary = object
    COMPLETE = False

# Options of `inlined`, also for overloads.
INLINED = {"forceinline": True, "_nrt": False} if COMPLETE else {}
KIND = b"urcx-kn\n"
FORMAT = 1


class KernelStore:
    """The store from which numba loads one kernel's compiled code, and in which it saves the code.

    Parameters
    ----------
    function
        The kernel in Python.
    directory
        The directory of this version's kernels. It need not exist or be writable.
    inner
        A function that returns whether another kernel calls this kernel, which then needs no entry
        for Python.
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
        # Computed early, when the files are probably still the same that Python has read.
        self.sources = SOURCES.digest(self.source)

    @property
    def cache_path(self) -> str:
        """Return the directory shown in numba's statistics."""
        return str(self.directory)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the code for a signature, or None if it is not stored."""
        check_room(COMPILING, "loading kernels")
        # Stored code calls this library. numba loads the rest of it when a kernel is compiled.
        rtsys.initialize(context)
        key = self._key(signature, context.codegen())
        code = self._loaded(key, context)
        if code is None and self.inner():
            code = self._loaded((*key[:-1], False), context)  # with an unnecessary entry
        return code

    def _loaded(self, key: tuple[Any, ...], context: Any) -> Any:
        try:
            with SealedFile(self._file(key), KIND, FORMAT, "kernel", own=True) as sealed:
                stored, parts = pickle.loads(sealed.numbers("u1", sealed.size))  # noqa: S301 - own
            # Different types can have the same text, so compare the complete key.
            if stored != key:
                return None
            with _inner_libraries(context.codegen()) if key[-1] else contextlib.nullcontext():
                return CompileResult._rebuild(context, *parts)  # noqa: SLF001 - as numba's cache does
        except Exception:  # noqa: BLE001 - for any fault the kernel is compiled again
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
                remove_old(others)  # files of today may belong to another checkout
                code = dumps((key, compiled._reduce()))  # noqa: SLF001
                seal(self._file(key), KIND, {"format": FORMAT}, code, own=True)
            except OSError as error:
                warn_once(
                    f"compiled kernels cannot be cached in {self.directory}: "
                    f"{error.strerror or error}; each run compiles them again ({OTHER_CACHE})"
                )

    def flush(self) -> None:
        """Forget the kernel. numba calls this method before it recompiles."""
        remove_old(self._files(), age=0)

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        """Return everything on which the code depends: types, CPU, sources, a closure's contents.

        The last item tells whether the code has no entry for Python.
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
    """Yield the files that define the named tuples and kernels among the types."""
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


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The code of a kernel that only other kernels call, without machine code.

    Its callers contain it in LLVM's form, and so do its files. Only the callers are optimised, so a
    kernel that is called through several others is not optimised again in each.
    """

    def _optimize_final_module(self) -> None:
        made = self._codegen._module_pass_manager(  # noqa: SLF001
            loop_vectorize=False, slp_vectorize=False, opt=0, cost="cheap"
        )
        # With numba 0.61 the passes need no builder.
        passes, *builder = made if isinstance(made, tuple) else (made,)
        passes.run(self._final_module, *builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def serialize_using_object_code(self) -> Any:
        """Return the code in LLVM's form."""
        return self.serialize_using_bitcode()

    @property
    def codegen(self) -> Any:
        """Return an object with the method `set_env`."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: `Kernel.add_overload` gives the environment to the callers' code."""


@contextlib.contextmanager
def _inner_libraries(codegen: Any) -> Iterator[None]:
    """Load stored code as an `InnerLibrary`, while the compiler's lock is held."""
    usual = codegen._library_class  # noqa: SLF001 - numba has no argument for it
    codegen._library_class = InnerLibrary  # noqa: SLF001
    try:
        yield
    finally:
        codegen._library_class = usual  # noqa: SLF001


class KernelCompiler(Compiler):  # type: ignore[misc]
    """A compiler that makes no machine code for a kernel without an entry for Python."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        if self.state.flags.no_cpython_wrapper:
            self.state.library = InnerLibrary(self.state.targetctx.codegen(), "inner")
            self.state.library.enable_object_caching()


class Kernel(CPUDispatcher):  # type: ignore[misc]  # numba has no types
    """A kernel, which gets an entry for Python when Python calls it.

    Most kernels are only called by others. An entry converts Python's objects to the kernel's
    arguments. For named tuples of many arrays this code takes longer to compile than the kernel.
    ``inner`` is True while the kernel is compiled for another that calls it.
    """

    def __init__(self, function: Callable[..., Any], *rest: Any, **options: Any) -> None:
        super().__init__(function, *rest, **options, pipeline_class=KernelCompiler)
        self.inner = False
        self.without_entry: set[tuple[Any, ...]] = set()
        self._compiler._customize_flags = self._with_wrappers  # noqa: SLF001 - numba has no other way
        directory = kernel_directory()
        if directory is not None:
            self._cache = KernelStore(function, directory, lambda: self.inner)

    def _with_wrappers(self, flags: Any) -> Any:
        flags.no_cpython_wrapper = self.inner
        flags.no_cfunc_wrapper = True  # C never calls kernels
        return flags

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile the kernel for a caller, while the compiler's lock is held.

        numba compiles a kernel again for each constant among its arguments. This gains nothing if
        the kernel is inlined, because the compiler then sees the constants anyway.
        """
        old_inner, self.inner = self.inner, True
        if self.targetoptions.get("forceinline"):
            args = [types.unliteral(kind) for kind in args]
            kws = {name: types.unliteral(kind) for name, kind in kws.items()}
        try:
            return super().get_call_template(args, kws)
        finally:
            self.inner = old_inner

    def compile(self, sig: Any) -> Any:
        """Compile the kernel for types of arguments, or again if only its entry is missing."""
        with global_compiler_lock:
            args = tuple(sigutils.normalize_signature(sig)[0])
            if not self.inner and args in self.without_entry:
                self.without_entry.remove(args)
                self.overloads.pop(args, None)
            # The compiler makes many objects but little garbage.
            collects = gc.isenabled()
            gc.disable()
            try:
                return super().compile(sig)
            finally:
                if collects:
                    gc.enable()

    def add_overload(self, cres: Any) -> None:
        """Store compiled code. Python only gets code with an entry."""
        if self.inner:
            self.overloads[tuple(cres.signature.args)] = cres
            self.without_entry.add(tuple(cres.signature.args))
        else:
            super().add_overload(cres)
            for environment in cres._find_referenced_environments():  # noqa: SLF001
                cres.codegen.set_env(environment.env_name, environment)


def njit(function: Callable[..., Any]) -> Any:
    """Compile a kernel on its first call, or load it from the cache. It releases the GIL."""
    return _compiled(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a kernel like `lean`, and always inline it into its callers.

    Use it for functions that a hot loop calls with arrays, because each array would otherwise be
    passed as seven words on the stack.
    """
    return _compiled(function, **INLINED)


def lean(function: Callable[..., Any]) -> Any:
    """Compile a kernel like `njit`, without counting references to arrays.

    numba counts references in every call that takes arrays, which can cost more than the call's
    work. Such a kernel neither creates nor stores arrays, and numba refuses to compile one that
    does.
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
    """Compile a kernel with numba's public interface, cached by numba if possible."""
    plain, old_directory = numba.njit(nogil=True), numba.config.CACHE_DIR
    directory = kernel_directory()
    if directory is None:
        return plain(function)
    # A hash of all sources, because a kernel may be compiled for types that are defined anywhere.
    source = Path(function.__code__.co_filename)
    directory /= SOURCES.digest(source, *PACKAGE.rglob("*.py"))
    try:
        make_directory(directory)
        numba.config.CACHE_DIR = str(directory)
        return numba.njit(nogil=True, cache=True)(function)
    except (
        OSError,
        RuntimeError,
    ):  # no file can be written, or the function has no file
        return plain(function)
    finally:
        numba.config.CACHE_DIR = old_directory


def _listen() -> None:
    """Count the time of each compilation, in any thread. Loaded kernels do not count."""

    class Listener(event.Listener):  # type: ignore[misc]  # numba has no types
        """A listener that starts and stops the count."""

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
