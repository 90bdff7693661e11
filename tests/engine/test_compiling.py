"""Compilation is counted, and a clock stops while it lasts."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from urcx.engine import compiling
from urcx.engine.jit import njit


def test_the_clock_stands_still_while_something_is_compiled() -> None:
    spent, clock = compiling.seconds(), compiling.compute_clock()
    with compiling.counted_compilations("a.kernel"):
        assert compiling.active()
        stood = compiling.compute_clock()
        time.sleep(0.05)
        assert compiling.compute_clock() == stood
        assert compiling.seconds() >= spent + 0.05
    assert not compiling.active()
    took = compiling.seconds() - spent
    assert took >= 0.05
    assert compiling.seconds() - spent == took, "it counts no further"
    time.sleep(0.05)
    assert compiling.compute_clock() - clock >= 0.05


def test_the_processor_clock_leaves_out_what_compiled() -> None:
    clock, processor = compiling.processor_clock(), time.process_time()
    with compiling.counted_compilations("a.kernel"):
        end = time.thread_time() + 0.05
        while time.thread_time() < end:
            sum(range(1000))
    busy = time.process_time() - processor
    assert compiling.processor_clock() - clock <= busy - 0.04


def test_kernels_within_others_are_not_counted_again() -> None:
    spent, known = compiling.seconds(), len(compiling.kernels())
    began = time.perf_counter()
    with compiling.counted_compilations("outer"):
        with compiling.counted_compilations("inner"):
            time.sleep(0.02)
        assert compiling.active()
    assert compiling.seconds() - spent <= time.perf_counter() - began
    assert [item.kernel for item in compiling.kernels()[known:]] == ["outer"]


def test_a_failure_ends_the_counting() -> None:
    with (
        pytest.raises(ValueError, match="no such type"),
        compiling.counted_compilations("a.kernel"),
    ):
        raise ValueError("no such type")
    assert not compiling.active()


def test_a_watcher_is_told_and_cannot_do_harm() -> None:
    told: list[str | None] = []

    def watcher(kernel: str | None) -> None:
        told.append(kernel)
        raise RuntimeError("nothing to show it on")

    compiling.watch(watcher)
    try:
        with compiling.counted_compilations("a.kernel"), compiling.counted_compilations("inner"):
            pass
    finally:
        compiling.watch(None)
    with compiling.counted_compilations("unseen"):
        pass
    assert told == ["a.kernel", None]


def inner(n: Any) -> Any:
    return n + 1


def wrong(n: Any) -> Any:
    return n.nothing_of_the_kind


@pytest.mark.jit
def test_what_numba_compiles_is_timed_but_not_what_it_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    for first in (True, False):
        called = njit(inner)

        def outer(n: Any, called: Any = called) -> Any:
            return called(n)

        spent, known = compiling.seconds(), len(compiling.kernels())
        assert not first or njit(outer)(1) == 2
        assert called(1) == 2
        names = [item.kernel.split(".")[-1] for item in compiling.kernels()[known:]]
        assert names == (["outer", "inner"] if first else [])
        assert (compiling.seconds() > spent) == first


@pytest.mark.jit
def test_what_numba_fails_to_compile_ends_the_counting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    with pytest.raises(Exception, match="nothing_of_the_kind"):
        njit(wrong)(1)
    assert not compiling.active()
