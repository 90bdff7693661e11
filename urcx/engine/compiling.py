"""The time that kernels take to compile, and a clock that stops while they compile.

numba compiles a kernel on its first call with arguments of given types, which can take seconds even
if the work takes milliseconds. Work is therefore timed with `compute_clock`. `urcx.engine.jit`
reports the start and end of each compilation, in any thread. A kernel loaded from the cache is not
compiled. This module does not import numba, so any other module can use it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from urcx.results.fields import Field
from urcx.results.result import Result


class Compiled(NamedTuple):
    """A kernel that was compiled, together with the kernels that it calls.

    ``seconds`` is wall time. ``processor`` is CPU time, which other programs do not affect.
    """

    kernel: str
    seconds: float
    processor: float = 0.0


class _State(NamedTuple):
    """Seconds spent on finished compilations, and the start of the current one (or None).

    A new tuple replaces the old one, so other threads never see a mixture of old and new.
    """

    finished: float = 0.0
    began: float | None = None


_state = _State()
_depth = 0  # numba compiles in one thread at a time, but compilations nest
_kernels: list[Compiled] = []
_watcher: Callable[[str | None], object] | None = None


def seconds() -> float:
    """Return the seconds that this process has spent compiling so far."""
    finished, began = _state
    return finished if began is None else finished + time.perf_counter() - began


class CompiledResult(Result):
    """A result with the time that kernels took to compile."""

    @property
    @Field(about="seconds spent compiling kernels in this run")
    def compile_seconds(self) -> float:
        """Return the seconds that this process has spent compiling kernels."""
        return seconds()


def compute_clock() -> float:
    """Return seconds on a clock that stops while kernels are compiled."""
    finished, began = _state
    return (time.perf_counter() if began is None else began) - finished


def processor_clock() -> float:
    """Return the CPU time of all threads, without the time spent compiling kernels."""
    return time.process_time() - sum(compiled.processor for compiled in _kernels)


def active() -> bool:
    """Return whether a kernel is being compiled now."""
    return _state.began is not None


def kernels() -> tuple[Compiled, ...]:
    """Return the kernels compiled so far, in order, without the kernels they call."""
    return tuple(_kernels)


def watch(watcher: Callable[[str | None], object] | None) -> None:
    """Call a function with a kernel's name when its compilation starts, and with None at the end.

    ``watcher`` is called in the compiling thread. None stops the calls.
    """
    global _watcher  # noqa: PLW0603 - one terminal, one watcher
    _watcher = watcher


@contextlib.contextmanager
def counted_compilations(kernel: str, *, more: bool = False) -> Iterator[None]:
    """Count the time spent in this context as compilation of a kernel.

    ``more`` is for later work on a compiled kernel, for which the watcher is not called.
    """
    global _state, _depth  # noqa: PLW0603 - there is only one compiler
    outermost = _depth == 0
    _depth += 1
    began, processor = time.perf_counter(), time.thread_time()
    if outermost:
        _state = _State(_state.finished, began)
        if not more:
            _call_watcher(kernel)
    try:
        yield
    finally:
        _depth -= 1
        if outermost:
            took, busy = time.perf_counter() - began, time.thread_time() - processor
            _state = _State(_state.finished + took, None)
            if more and _kernels and _kernels[-1].kernel == kernel:
                previous = _kernels.pop()
                took, busy = took + previous.seconds, busy + previous.processor
            _kernels.append(Compiled(kernel, took, busy))
            if not more:
                _call_watcher(None)


def _call_watcher(kernel: str | None) -> None:
    if _watcher is not None:
        with contextlib.suppress(Exception):  # an error in the display must not stop the work
            _watcher(kernel)


def name_of(function: Any) -> str:
    """Return the name of a kernel: its module and function name."""
    return f"{function.__module__}.{function.__qualname__}"
