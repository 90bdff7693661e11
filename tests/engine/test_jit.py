from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

from urcx.engine import jit


@pytest.fixture(autouse=True)
def fresh() -> None:
    jit.kernel_cache_dir.cache_clear()


def test_cache_directory_is_keyed_by_version_and_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    first = jit.kernel_cache_dir()
    assert first is not None
    assert first.is_dir()
    assert first.parent == tmp_path / "kernels"
    jit.kernel_cache_dir.cache_clear()
    monkeypatch.setattr(jit, "_source_hash", lambda: "changed")
    second = jit.kernel_cache_dir()
    assert second is not None
    assert second != first


def test_kernels_depend_on_nothing_that_the_cache_is_not_keyed_by() -> None:
    package = Path(jit.__file__).parent.parent
    keyed = {
        "urcx." + ".".join(file.relative_to(package).with_suffix("").parts)
        for file in jit.kernel_files()
    }
    made = re.compile(
        r"^@(?:jit\.)?(?:njit|lean|inlined)\b|[=(] *(?:njit|lean|inlined)\(", re.MULTILINE
    )
    for file in package.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if made.search(text):
            assert file in jit.kernel_files(), f"{file} makes kernels under another name"
    keyed.add("urcx.engine.jit")
    for file in set(jit.kernel_files()) - {Path(jit.__file__)}:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("urcx"):
                inside = {f"{node.module}.{name.name}" for name in node.names}
                assert node.module in keyed or inside <= keyed, f"{file}, line {node.lineno}"


def test_old_caches_are_dropped_and_recent_ones_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    old, recent = tmp_path / "kernels" / "old", tmp_path / "kernels" / "recent"
    for directory in (old, recent):
        directory.mkdir(parents=True)
    long_ago = time.time() - 2 * jit.STALE_AFTER_DAYS * 86400
    os.utime(old, (long_ago, long_ago))
    assert jit.kernel_cache_dir() is not None
    assert not old.exists()
    assert recent.exists()


def test_without_a_writable_cache_kernels_still_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("URCX_CACHE_DIR", str(blocked))
    assert jit.kernel_cache_dir() is None

    @jit.njit
    def twice(n: int) -> int:
        return 2 * n

    assert twice(21) == 42


def test_other_users_of_numba_keep_their_cache_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "theirs", raising=False)
    jit.njit(_some_kernel)
    assert numba.config.CACHE_DIR == "theirs"


def _some_kernel(n: int) -> int:
    return n + 1


def test_importing_urcx_imports_nothing_heavy() -> None:
    code = (
        "import sys, urcx, urcx.cli; urcx.path('bell'); "
        "print(*{'numba', 'numpy', 'sympy', 'matplotlib', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
