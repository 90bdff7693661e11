from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from urcx.engine import compiling, jit


def test_without_a_writable_cache_kernels_still_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("URCX_CACHE_DIR", str(blocked))

    @jit.njit
    def twice(n: int) -> int:
        return 2 * n

    assert twice(21) == 42
    assert list(tmp_path.iterdir()) == [blocked]


def test_other_users_of_numba_keep_their_cache_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "theirs", raising=False)
    jit.njit(_some_kernel)
    assert numba.config.CACHE_DIR == "theirs"


def _some_kernel(n: int) -> int:
    return n + 1


@pytest.mark.jit
@pytest.mark.parametrize("order", [("outer", "inner"), ("inner", "outer")])
def test_a_kernel_gets_its_entry_when_python_calls_it(
    order: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    for first in order:  # as processes would, one after the other
        inner = jit.njit(_some_kernel)

        def twice(n: int, inner: Any = inner) -> Any:
            return 2 * inner(n)

        outer, known = jit.njit(twice), len(compiling.kernels())
        if first == "inner":
            assert inner(3) == 4
        assert outer(3) == 8
        assert list(inner.without_entry) == ([] if first == "inner" else list(inner.overloads))
        assert [inner(3), inner(4), outer(4)] == [4, 5, 10]
        assert not inner.without_entry
        found = {kernel.kernel.rpartition(".")[2] for kernel in compiling.kernels()[known:]}
        assert found == ({"twice", "_some_kernel"} if first == order[0] else {"twice"})


@pytest.mark.jit
def test_an_inlined_kernel_is_compiled_once_for_all_constants() -> None:
    inner = jit.inlined(_some_kernel)

    def three(n: int, inner: Any = inner) -> Any:
        return inner(1) + inner(2) + inner(n)

    assert jit.njit(three)(3) == 9
    assert len(inner.overloads) == 1


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [
        ("urcx, urcx.cli; urcx.path('bell')", "numba numpy sympy matplotlib rich"),
        ("urcx.agents.kinds", "numba sympy matplotlib"),
    ],
    ids=["urcx", "agents"],
)
def test_importing_imports_nothing_heavy(modules: str, heavy: str) -> None:
    code = f"import sys, {modules}; print(*set({heavy!r}.split()) & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
