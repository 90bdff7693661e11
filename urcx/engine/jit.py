"""The project's ``njit``: one policy for compiling, threading and caching kernels.

Kernels release the GIL, so that plain threads run them side by side, and keep their machine code
on disk (`urcx.engine.kernel_store`). numba looks only at a kernel's own file to see whether its
code is stale, although the code of kernels it calls from other files is compiled into it; the
directory is therefore keyed by the version and a hash of all files with kernels, which import
nothing of urcx but each other and this file. Where nothing can be kept, kernels are compiled anew
in every process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from urcx.engine import compiling
from urcx.engine.files.cache import kernel_directory
from urcx.engine.kernel_store import KernelStore

compiling.listen()


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
    kernel = numba.njit(nogil=True, **options)(function)
    directory = kernel_directory()
    if directory is not None and hasattr(kernel, "_cache"):  # where compiling is not switched off
        kernel._cache = KernelStore(function, directory)  # noqa: SLF001 - numba has no other way
    return kernel
