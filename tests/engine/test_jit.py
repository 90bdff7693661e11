from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from urcx.engine import jit
from urcx.engine.files import cache


def test_cache_directory_is_keyed_by_version_and_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path))
    first = cache.kernel_directory()
    assert first is not None
    assert first.parent == tmp_path / "kernels"
    package = tmp_path / "urcx"
    (package / "engine" / "files").mkdir(parents=True)
    (package / "engine" / "jit.py").write_text("changed")
    monkeypatch.setattr(cache, "__file__", str(package / "engine" / "files" / "cache.py"))
    cache.kernel_version.cache_clear()
    second = cache.kernel_directory()
    cache.kernel_version.cache_clear()
    assert second is not None
    assert second != first


def test_kernels_depend_on_nothing_that_the_cache_is_not_keyed_by() -> None:
    package = Path(jit.__file__).parent.parent
    keyed = {
        "urcx." + ".".join(file.relative_to(package).with_suffix("").parts)
        for file in cache.kernel_files()
    }
    made = re.compile(
        r"^@(?:jit\.)?(?:njit|lean|inlined)\b|[=(] *(?:njit|lean|inlined)\(", re.MULTILINE
    )
    for file in package.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        if made.search(text):
            assert file in cache.kernel_files(), f"{file} makes kernels under another name"
    assert "urcx.engine.jit" in keyed
    for file in set(cache.kernel_files()) - {Path(jit.__file__)}:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("urcx"):
                inside = {f"{node.module}.{name.name}" for name in node.names}
                assert node.module in keyed or inside <= keyed, f"{file}, line {node.lineno}"


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
        ("urcx.agents.kinds", "numba sympy matplotlib"),
    ],
    ids=["urcx", "agents"],
)
def test_importing_imports_nothing_heavy(modules: str, heavy: str) -> None:
    code = f"import sys, {modules}; print(*set({heavy!r}.split()) & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
