"""The source files on which a module's code depends: its own file and its imports, recursively.

Compiled kernels are cached under a hash of these files (`urcx.engine.jit`). After an edit, only the
kernels that the edit can change are compiled again. Imports are read from the text by a regular
expression, a hundred times as fast as parsing it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
# This file makes and caches kernels. Its imports are not compiled into kernels.
NOT_FOLLOWED = "engine/jit.py"
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#[^\n]*")


class SourceFiles:
    """The source files of a package, each read only once, on first use."""

    def __init__(self, package: Path = PACKAGE) -> None:
        self.package = package
        self._contents = cache(self._content)
        self._imports = cache(lambda file: frozenset(self._imported(file)))
        self._named = cache(self._name_and_hash)
        self.digest = cache(self._digest)
        self.file_of = cache(self._file_of)

    def _file_of(self, module: str) -> Path | None:
        """Return the file of a module of the package, or None if the package has no such module."""
        if f"{module}.".startswith(f"{self.package.name}."):
            place = self.package.parent.joinpath(*module.split("."))
            for file in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
                if file.is_file():
                    return file
        return None

    def module_of(self, name: str) -> Path | None:
        """Return the file of the module that defines an object with a dotted name."""
        while "." in name:
            name = name.rpartition(".")[0]
            if file := self.file_of(name):
                return file
        return None

    def reachable(self, *files: Path) -> frozenset[Path]:
        """Return the files on which code in ``files`` depends, including these files."""
        reached: set[Path] = set()
        waiting = list(files)
        while waiting:
            file = waiting.pop()
            if file not in reached:
                reached.add(file)
                if file != self.package / NOT_FOLLOWED:
                    waiting.extend(self._imports(file))
        return frozenset(reached)

    def _digest(self, *files: Path) -> str:
        """Return a hash of the names and contents of all files on which ``files`` depend."""
        lines = sorted(map(self._named, self.reachable(*files)))
        return hashlib.sha256(b"".join(line for _, line in lines)).hexdigest()[:16]

    def _name_and_hash(self, file: Path) -> tuple[list[str], bytes]:
        """Return the sort key of a file, and its name with a hash of its content."""
        inside = file.is_relative_to(self.package)
        name = file.relative_to(self.package).as_posix() if inside else file.name
        content = hashlib.sha256(self._contents(file)).digest()
        return name.split("/"), f"{name}\n".encode() + content

    def _content(self, file: Path) -> bytes:
        try:
            return file.read_bytes()
        except OSError:  # code typed in a session, or in an archive
            return b""

    def _imported(self, file: Path) -> Iterator[Path]:
        text = self._contents(file).decode(errors="replace")
        for where, names, modules in _IMPORT.findall(text):
            source = self.file_of(where)
            if source is None or source.name == "__init__.py":  # the names may be modules
                imported = {self.file_of(f"{where}.{name}") or source for name in _names(names)}
            else:
                imported = {source}
            yield from filter(None, imported | set(map(self.file_of, _names(modules))))


def _names(listed: str) -> list[str]:
    """Return the original names in an import, without the names after ``as``."""
    names = _COMMENT.sub("", listed).strip("() \t\r\n").split(",")
    return [name.split()[0] for name in names if name.strip()]


SOURCES = SourceFiles()
