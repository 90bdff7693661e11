"""Kernels: when they compile, and that stored ones are never others', damaged or a stranger's."""

from __future__ import annotations

import errno
import importlib
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from owners import give_away

import urcx
from urcx.engine import compiling, jit
from urcx.engine.files.cache import kernel_directory
from urcx.engine.files.sealed import seal
from urcx.engine.files.sources import SourceFiles
from urcx.engine.files.writing import DAY
from urcx.engine.jit import KernelStore, njit

NAME = f"{__name__}.twice"


def twice(n: Any) -> Any:
    return 2 * n


def made(factor: int) -> Any:
    def times(n: Any) -> Any:
        return factor * n

    return njit(times)


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("URCX_CACHE_DIR", str(tmp_path / "cache"))
    found = kernel_directory()
    assert found is not None
    return found


def files(directory: Path) -> list[Path]:
    return sorted(directory.glob("*"))


def compiled(kernel: Any, *arguments: Any) -> bool:
    """Call a kernel like a new process, with nothing loaded; return whether it compiled."""
    before = len(compiling.kernels())
    assert njit(kernel)(*arguments) == 2 * arguments[0]
    return len(compiling.kernels()) > before


@pytest.mark.jit
def test_what_was_compiled_once_is_found(directory: Path) -> None:
    assert compiled(twice, 21)
    assert not compiled(twice, 21)
    (file,) = files(directory)
    assert file.name.startswith(f"{NAME}-")
    assert file.stat().st_mode & 0o022 == 0, "nobody else may write"
    # Each type has a file: numba's own numbers can be taken by two processes at once.
    assert compiled(twice, 21.0)
    assert len(files(directory)) == 2
    assert not compiled(twice, 21)
    assert not compiled(twice, 21.0)


@pytest.mark.jit
def test_the_code_of_other_types_under_a_files_name_is_not_run(directory: Path) -> None:
    compiled(twice, 21)
    (integers,) = files(directory)
    compiled(twice, 21.0)
    (floats,) = set(files(directory)) - {integers}
    integers.replace(floats)
    assert compiled(twice, 21.0)
    assert not compiled(twice, 21.0), "it was put in order"


@pytest.mark.jit
def test_closures_are_told_apart() -> None:
    assert (made(3)(7), made(5)(7), made(3)(7)) == (21, 35, 21)


def shortened(content: bytes) -> bytes:
    return content[:-1]


def empty(_: bytes) -> bytes:
    return b""


def one_bit_flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def something_else(_: bytes) -> bytes:
    return pickle.dumps(print)


class Trap:
    """Leaves a file behind when it is read from a pickle."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.file,)


def set_trap(file: Path, directory: Path) -> None:
    trap = pickle.dumps(((Trap(directory / "executed"),), ()))
    seal(file, jit.KIND, {"format": jit.FORMAT}, trap)


@pytest.mark.jit
@pytest.mark.posix("owners and modes")
@pytest.mark.parametrize("whose", ["open to all", "somebody else's"])
def test_a_strangers_file_is_not_executed(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whose: str
) -> None:
    compiled(twice, 21)
    (file,) = files(directory)
    set_trap(file, tmp_path)
    if whose == "open to all":
        file.chmod(0o666)
    else:
        give_away(file, monkeypatch)
    assert compiled(twice, 21)
    assert not (tmp_path / "executed").exists()


@pytest.mark.jit
def test_a_trap_would_be_sprung_otherwise(directory: Path, tmp_path: Path) -> None:
    compiled(twice, 21)
    (file,) = files(directory)
    set_trap(file, tmp_path)
    compiled(twice, 21)
    assert (tmp_path / "executed").exists()


@pytest.mark.jit
def test_a_cache_that_cannot_be_written_is_still_read(
    directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled(twice, 21)
    before = files(directory)

    def refused(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(jit, "seal", refused)
    assert not compiled(twice, 21)
    assert capsys.readouterr().err == ""
    assert compiled(twice, 21.0)
    assert compiled(twice, 21j)
    assert files(directory) == before
    warning = capsys.readouterr().err
    assert warning.startswith(f"urcx: compiled kernels cannot be cached in {directory}: ")
    assert "URCX_CACHE_DIR" in warning
    assert warning.count("\n") == 1


@pytest.mark.jit
def test_numba_can_ask_for_a_kernel_to_be_forgotten(directory: Path) -> None:
    kernel = njit(twice)
    kernel(21)
    assert kernel.stats.cache_path == str(directory)
    kernel.recompile()
    assert len(files(directory)) == 1
    kernel._cache.flush()
    assert files(directory) == []


@pytest.mark.jit
def test_kernels_of_earlier_sources_go_a_day_later(directory: Path) -> None:
    compiled(twice, 21)
    (file,) = files(directory)
    sources = file.name.rsplit("-", 2)[1]
    old, new = (file.with_name(file.name.replace(sources, digit * 16)) for digit in "ab")
    for other in (old, new):
        other.touch()
    os.utime(old, (time.time() - 2 * DAY,) * 2)
    compiled(twice, 21.0)
    assert not old.exists()
    assert new.exists()
    assert len(files(directory)) == 3


# --- what a change of the source compiles again

LITTLE = {
    "first.py": """
from typing import NamedTuple
from urcx.engine.jit import njit
from little.second import raised
from little.types import Pair
from urcx.agents.agent_kernels import candidates

@njit
def kernel(n):
    return raised(n)

@njit
def of_pair(pair):
    return 2 * pair.n

@njit
def chosen(policy):
    return candidates(policy, 0, 0, 3, 1, 0, 0, 0, 0)
""",
    "second.py": """
from urcx.engine.jit import njit
from little.third import TWO

@njit
def raised(n):
    return TWO * n
""",
    "third.py": "TWO = 2",
    "types.py": "from typing import NamedTuple\n\nclass Pair(NamedTuple):\n    n: int",
    "policy.py": """
from typing import NamedTuple
from little.rule import rule

class Policy(NamedTuple):
    n: int

    def choose(self, ways, side, legal, roll, own, own_home, other, other_home):
        return rule(legal)
""",
    "rule.py": """
from urcx.engine.jit import njit

@njit
def rule(legal):
    return legal & -legal
""",
    "other.py": "from little.first import kernel",
    "__init__.py": "",
}


@pytest.fixture
def little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small package whose kernels are cached like urcx's own."""
    package = tmp_path / "source" / "little"
    package.mkdir(parents=True)
    for name, text in LITTLE.items():
        (package / name).write_text(text)
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return package


@pytest.fixture
def compiles(little: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., list[str]]]:
    """Return a function that lists the kernels a new process would compile."""

    def forget() -> None:
        for name in [name for name in sys.modules if name.partition(".")[0] == "little"]:
            del sys.modules[name]

    def started(kernel: str, argument: Callable[[], Any] = lambda: 21) -> list[str]:
        forget()
        monkeypatch.setattr(jit, "SOURCES", SourceFiles(little))
        importlib.invalidate_caches()
        before = len(compiling.kernels())
        getattr(importlib.import_module("little.first"), kernel)(argument())
        return [done.kernel for done in compiling.kernels()[before:]]

    yield started
    forget()


BOTH = ["little.first.kernel"]  # with the kernel that it calls


@pytest.mark.jit
@pytest.mark.parametrize("name", LITTLE)
def test_an_edit_compiles_again_what_can_reach_it(
    little: Path, compiles: Callable[..., list[str]], name: str
) -> None:
    assert compiles("kernel") == BOTH
    assert compiles("kernel") == []
    (little / name).write_text(LITTLE[name] + "\n# another comment\n")
    reached = name in {"first.py", "second.py", "third.py", "types.py"}
    assert compiles("kernel") == (BOTH if reached else [])
    assert compiles("kernel") == []


@pytest.mark.jit
@pytest.mark.parametrize(("kernel", "name"), [("of_pair", "policy.py"), ("chosen", "rule.py")])
def test_an_edit_of_an_arguments_type_or_of_what_its_method_calls_counts(
    kernel: str, name: str, little: Path, compiles: Callable[..., list[str]]
) -> None:
    def policy() -> Any:
        return importlib.import_module("little.policy").Policy(21)

    assert compiles(kernel, policy)
    (little / "other.py").write_text("changed = True")
    assert not compiles(kernel, policy)
    (little / name).write_text(LITTLE[name] + "\n\nchanged = True")
    assert compiles(kernel, policy)


# --- the files, without a compiler


class Code:
    """A stand-in for compiled code, and for numba's objects around it."""

    def __init__(self, parts: Any, *, fixed: bool = True) -> None:
        self.parts = parts
        self.library = SimpleNamespace(has_dynamic_globals=not fixed)
        self.lifted: list[Any] = []
        self.codegen = SimpleNamespace(magic_tuple=lambda: ("a processor",))

    def _reduce(self) -> tuple[Any, ...]:
        return (self.parts,)


CONTEXT: Any = SimpleNamespace(
    codegen=lambda: SimpleNamespace(magic_tuple=lambda: ("a processor",))
)


@pytest.fixture
def store(directory: Path, monkeypatch: pytest.MonkeyPatch) -> KernelStore:
    rebuilt = SimpleNamespace(_rebuild=lambda _, parts: parts)
    monkeypatch.setattr(jit, "CompileResult", rebuilt)
    monkeypatch.setattr(jit, "rtsys", SimpleNamespace(initialize=lambda _: None))
    return KernelStore(twice, directory)


def test_code_is_found_by_types_and_nothing_else(store: KernelStore, directory: Path) -> None:
    assert store.load_overload("(int64,)", CONTEXT) is None
    store.save_overload("(int64,)", Code("of integers"))
    store.save_overload("(float64,)", Code("of floats"))
    assert store.load_overload("(int64,)", CONTEXT) == "of integers"
    assert store.load_overload("(float64,)", CONTEXT) == "of floats"
    assert store.load_overload("(int32,)", CONTEXT) is None
    assert len(files(directory)) == 2
    store.flush()
    assert files(directory) == []


@pytest.mark.parametrize("spoil", [shortened, empty, one_bit_flipped, something_else])
def test_damaged_code_is_not_found(
    store: KernelStore, directory: Path, spoil: Callable[[bytes], bytes]
) -> None:
    store.save_overload("(int64,)", Code("of integers"))
    (file,) = files(directory)
    file.write_bytes(spoil(file.read_bytes()))
    assert store.load_overload("(int64,)", CONTEXT) is None


def test_code_that_holds_addresses_is_not_kept(store: KernelStore, directory: Path) -> None:
    store.save_overload("(int64,)", Code("of integers", fixed=False))
    assert not directory.exists()


# --- when kernels are compiled


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


WITHOUT_PRIVATE = """
import builtins, sys

hidden, original = sys.argv[1], builtins.__import__

def without(name, globals=None, locals=None, fromlist=(), level=0):
    user = (globals or {}).get("__name__")
    if user == "urcx.engine.jit" and hidden in (name, *(fromlist or ())):
        raise ImportError(hidden)
    return original(name, globals, locals, fromlist, level)

builtins.__import__ = without
import numba, urcx
from urcx.engine import jit
from urcx.enumerate import perft_kernels

assert not jit.COMPLETE
assert not numba.config.CACHE_DIR
print([row.nodes for row in urcx.perft("finkel", 3)])
stats = [kernel.stats for kernel in vars(perft_kernels).values() if hasattr(kernel, "stats")]
print(sum(sum(x.cache_hits.values()) for x in stats) > 0)
"""


@pytest.mark.jit
@pytest.mark.slow
@pytest.mark.parametrize("hidden", ["CPUDispatcher", "numba.core.serialize"])
def test_without_numbas_private_interfaces_kernels_are_compiled_and_cached(
    directory: Path, hidden: str
) -> None:
    expected = [row.nodes for row in urcx.perft("finkel", 3)]
    for again in (False, True):
        code = [sys.executable, "-P", "-c", WITHOUT_PRIVATE, hidden]
        done = subprocess.run(code, capture_output=True, text=True, check=False)
        assert done.stdout == f"{expected}\n{again}\n", done.stderr
    (digest,) = (place for place in directory.iterdir() if place.is_dir())
    assert list(digest.rglob("*.nbi"))


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
