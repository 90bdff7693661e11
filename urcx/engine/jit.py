"""The project's ``njit``: one policy for compiling, threading and caching kernels.

Kernels release the GIL, so that plain threads run them in parallel, and their machine code is
cached on disk (`urcx.engine.kernel_store`). numba checks only a kernel's own file for changes,
although the code of kernels it calls from other files is compiled into it; here a kernel is kept
under a hash of all files that it can reach by imports (`urcx.engine.files.sources`). What this file
imports is not among them. If nothing can be cached, every process compiles its kernels anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core import sigutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from urcx.engine import compiling
from urcx.engine.files.cache import kernel_directory
from urcx.engine.kernel_store import KernelStore

compiling.listen()

# Options of `inlined`, for overloads too.
INLINED = {"forceinline": True, "_nrt": False}


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
    options |= {"nopython": True, "nogil": True, "boundscheck": None}
    return Kernel(function, targetoptions=options)
