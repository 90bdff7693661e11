from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numba
import pytest

from urcx.engine import jit


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


@pytest.mark.parametrize(
    ("modules", "heavy"),
    [
        ("urcx, urcx.cli; urcx.path('bell')", "numba numpy sympy matplotlib rich"),
        ("urcx.agents.kinds, urcx.reports.games.agents", "numba sympy matplotlib"),
    ],
    ids=["urcx", "agents"],
)
def test_importing_imports_nothing_heavy(modules: str, heavy: str) -> None:
    code = f"import sys, {modules}; print(*set({heavy!r}.split()) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
