"""Writes the stubs of the public names, for type checkers: of urcx and of each study in contrib.

Those of urcx are listed by the modules as ``__all__``, and ``import urcx`` reads them from the
stub. A study lists its own as ``PUBLIC``. ``python docs/transcripts.py`` runs this first.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

from urcx import contrib

STUB = Path(__file__).parent.parent / "urcx" / "__init__.pyi"
HEAD = """\
# Public names, each where it is: what type checkers read, and urcx itself where one is asked for.
# Made from what modules list as __all__ by python docs/names.py
from typing import TYPE_CHECKING

MODULES: dict[str, str]
__version__: str

if TYPE_CHECKING:  # by which mypy knows where to break the cycle of imports
"""


def stub() -> str:
    """Return what the file is to be."""
    lines = []
    package = STUB.parent
    for file in sorted(package.rglob("*.py")):
        named = re.search(
            r"^__all__ = (\[[^]]*\])$", file.read_text(encoding="utf-8"), re.MULTILINE
        )
        if named and file.name != "__init__.py" and file.parts[len(package.parts)] != "contrib":
            module = ".".join(file.relative_to(STUB.parent.parent).with_suffix("").parts)
            lines += [
                f"    from {module} import {name} as {name}\n"
                for name in ast.literal_eval(named[1])
            ]
    return HEAD + "".join(lines)


def study_stub(study: ModuleType) -> str:
    """Return the stub of a study's package."""
    lines = [
        f"from {study.__name__}.{module} import {name} as {name}\n"
        for name, module in study.PUBLIC.items()
    ]
    constants = "\nCOMMANDS: dict[str, str]\nPUBLIC: dict[str, str]\n"
    return "".join(["# Made from PUBLIC by python docs/names.py\n", *sorted(lines), constants])


def stubs() -> dict[Path, str]:
    """Return the text of each stub."""
    folder = STUB.parent / "contrib"
    studies = contrib.studies().items()
    return {STUB: stub()} | {folder / name / STUB.name: study_stub(x) for name, x in studies}


def write() -> None:
    """Write the stubs."""
    for file, text in stubs().items():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
