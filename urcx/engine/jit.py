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

from urcx.engine import compiling
from urcx.engine.files.cache import kernel_directory
from urcx.engine.kernel_store import KernelStore

compiling.listen()

# Options of `inlined`, for overloads too.
INLINED = {"forceinline": True, "_nrt": False}


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
    kernel = numba.njit(nogil=True, **options)(function)
    directory = kernel_directory()
    if directory is not None and hasattr(kernel, "_cache"):  # absent if compilation is disabled
        kernel._cache = KernelStore(function, directory)  # noqa: SLF001 - numba has no other way
    return kernel
