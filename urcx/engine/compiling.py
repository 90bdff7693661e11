"""When kernels are compiled: how long it took, and a clock that stands still meanwhile.

numba compiles a kernel when it is first called with arguments of some types, which takes seconds
where the work itself takes a moment. What is measured of the work is therefore measured by `clock`.
numba says when it begins to compile, in whatever thread, and when it is done; a kernel that comes
from the cache is not compiled. This module itself needs no numba, so that it can be asked anywhere.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

EVENT = "numba:compile"


class Compiled(NamedTuple):
    """A kernel that was compiled with all that it calls.

    ``seconds`` is how long that took, ``processor`` how long the processor was at it, which other
    programs do not lengthen.
    """

    kernel: str
    seconds: float
    processor: float = 0.0


class _State(NamedTuple):
    """Seconds of what is finished, and when what is under way began, or None.

    Replaced as a whole, so that other threads never see one without the other.
    """

    finished: float = 0.0
    began: float | None = None


_state = _State()
_depth = 0  # numba compiles in one thread at a time, but a kernel within another
_kernels: list[Compiled] = []
_watcher: Callable[[str | None], object] | None = None


def seconds() -> float:
    """Return how many seconds were spent compiling in this process so far."""
    finished, began = _state
    return finished if began is None else finished + time.perf_counter() - began


def clock() -> float:
    """Return seconds by a clock that stands still while kernels are compiled."""
    finished, began = _state
    return (time.perf_counter() if began is None else began) - finished


def active() -> bool:
    """Return whether a kernel is being compiled now."""
    return _state.began is not None


def kernels() -> tuple[Compiled, ...]:
    """Return the kernels that were compiled so far, in turn, without those that they call."""
    return tuple(_kernels)


def watch(watcher: Callable[[str | None], object] | None) -> None:
    """Have something told of each kernel when its compiling begins, and None when it has ended.

    It is called in the thread that compiles. None in place of a function ends that.
    """
    global _watcher  # noqa: PLW0603 - one terminal, one watcher
    _watcher = watcher


@contextlib.contextmanager
def counted(kernel: str, *, more: bool = False) -> Iterator[None]:
    """Count the time within as spent compiling a kernel.

    ``more`` is for what is done with a kernel after that; nobody is told of it.
    """
    global _state, _depth  # noqa: PLW0603 - as there is one compiler
    outermost = _depth == 0
    _depth += 1
    began, processor = time.perf_counter(), time.thread_time()
    if outermost:
        _state = _State(_state.finished, began)
        if not more:
            _tell(kernel)
    try:
        yield
    finally:
        _depth -= 1
        if outermost:
            took, busy = time.perf_counter() - began, time.thread_time() - processor
            _state = _State(_state.finished + took, None)
            if more and _kernels and _kernels[-1].kernel == kernel:
                before = _kernels.pop()
                took, busy = took + before.seconds, busy + before.processor
            _kernels.append(Compiled(kernel, took, busy))
            if not more:
                _tell(None)


def _tell(kernel: str | None) -> None:
    if _watcher is not None:
        with contextlib.suppress(Exception):  # what is shown must not stop what is done
            _watcher(kernel)


def name_of(function: Any) -> str:
    """Return the name of a kernel: its module and its name there."""
    return f"{function.__module__}.{function.__qualname__}"


def listen() -> None:
    """Have numba say when it compiles; called once, where numba is imported."""
    from numba.core import event  # noqa: PLC0415 - slow, and not needed to ask for the time

    class Listener(event.Listener):  # type: ignore[misc]  # numba has no types
        """Begins and ends counting."""

        def __init__(self) -> None:
            self.open: list[Any] = []

        def on_start(self, event: Any) -> None:
            """Begin counting."""
            context = counted(name_of(event.data["dispatcher"].py_func))
            context.__enter__()
            self.open.append(context)

        def on_end(self, event: Any) -> None:  # noqa: ARG002 - numba's own name
            """End counting, whether compiling succeeded or not."""
            self.open.pop().__exit__(None, None, None)

    event.register(EVENT, Listener())
