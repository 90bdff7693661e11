"""The files that a module reaches by imports, of which only the text counts."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from urcx.engine.files.sources import NOT_FOLLOWED, PACKAGE, SOURCES, SourceFiles

LITTLE = {
    "first.py": "from little.second import twice as double",
    "second.py": "import little.deep.third as third, numpy\n\ndef twice(n): return third.TWO * n",
    "deep/__init__.py": "",
    "deep/third.py": "TWO = 2",
    "deep/fourth.py": "if True:\n    from little import (\n        first,  # of all (five)\n    )",
    "other.py": "# from little.first import twice",
    "__init__.py": "from little import other",
    "engine/jit.py": "from little import first",
    "loop.py": "from little.round import a\nfrom little.engine.jit import njit",
    "round.py": "from little.loop import b",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in LITTLE.items():
        file = tmp_path / "little" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "little"


@pytest.mark.parametrize(
    ("file", "reached"),
    [
        ("first.py", "first.py second.py deep/third.py"),
        ("deep/fourth.py", "deep/fourth.py first.py second.py deep/third.py"),
        ("other.py", "other.py"),
        ("__init__.py", "__init__.py other.py"),
        ("loop.py", "loop.py round.py engine/jit.py"),
    ],
)
def test_what_is_imported_is_reached_directly_or_through_others(
    package: Path, file: str, reached: str
) -> None:
    found = SourceFiles(package).reachable(package / file)
    assert found == {package / name for name in reached.split()}


def test_the_digest_is_that_of_all_files_reached_and_no_others(package: Path) -> None:
    def digest() -> str:
        return SourceFiles(package).digest(package / "first.py")

    before = digest()
    for name, text in LITTLE.items():
        file = package / name
        file.write_text(text + "\n# other")
        assert (digest() != before) == (name in {"first.py", "second.py", "deep/third.py"}), name
        file.write_text(text)
        assert digest() == before
    (package / "deep" / "third.py").unlink()
    assert digest() != before


def test_modules_by_the_names_of_what_is_in_them(package: Path) -> None:
    sources = SourceFiles(package)
    names = "little.deep.third.made.<locals>.times", "little.other.f", "numpy.little", "littler.a"
    found = [sources.module_of(name) for name in names]
    assert found == [package / "deep" / "third.py", package / "other.py", None, None]


def naive_imports(file: Path) -> set[Path]:
    """Return the modules of urcx that a file imports, as Python's own parser reads it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {SOURCES.file_of(name.name) for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            for name in node.names:
                inside = SOURCES.file_of(f"{node.module}.{name.name}")
                found.add(inside or SOURCES.file_of(str(node.module)))
    return {name for name in found if name is not None}


def test_no_import_in_the_package_is_overlooked() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    assert PACKAGE / NOT_FOLLOWED in files
    for file in files:
        direct = SourceFiles().reachable(file) if file == PACKAGE / NOT_FOLLOWED else None
        assert direct in (None, {file}), "nothing of it is in a kernel"
        assert SOURCES._imports(file) >= naive_imports(file), file


MADE = re.compile(
    r"^@(?:jit\.)?(?:njit|lean|inlined)\b|[=(] *(?:njit|lean|inlined)\(", re.MULTILINE
)


def test_kernels_are_in_files_that_are_called_so() -> None:
    # As rules of lint and types go by these names.
    makers = {file for file in PACKAGE.rglob("*.py") if MADE.search(file.read_text("utf-8"))}
    assert makers
    assert {file.name for file in makers if not file.name.endswith("kernels.py")} == set()


def test_kernels_reach_little_else() -> None:
    # Otherwise each edit would compile nearly all of them again.
    for file in PACKAGE.rglob("*kernels.py"):
        others = {place.name for place in SOURCES.reachable(file) if "kernels" not in str(place)}
        assert others <= {"jit.py", "vector_types.py"}, file
