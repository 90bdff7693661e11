"""Writes the public names: the dict ``PUBLIC`` of urcx, and the stubs for type checkers.

The modules of urcx list their public names as ``__all__``. A study in contrib lists its public
names as ``PUBLIC``, and has a stub, too. ``python docs/transcripts.py`` runs this module first.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import ModuleType

from urcx import contrib

PACKAGE = Path(__file__).parent.parent / "urcx"
STUB = PACKAGE / "__init__.pyi"
HEAD = """\
# Public names and their modules, for type checkers.
# Made from the lists __all__ of the modules by python docs/names.py
from typing import TYPE_CHECKING

PUBLIC: dict[str, str]
__version__: str

if TYPE_CHECKING:  # by which mypy knows where to break the cycle of imports
"""


def public() -> dict[str, str]:
    """Return the module of each public name, in the order of modules."""
    modules: dict[str, str] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        listed = re.search(
            r"^__all__ = (\[[^]]*\])$", file.read_text(encoding="utf-8"), re.MULTILINE
        )
        if (
            listed
            and file.name != "__init__.py"
            and "contrib" not in file.relative_to(PACKAGE).parts
        ):
            module = ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts)
            modules |= dict.fromkeys(ast.literal_eval(listed[1]), module)
    return modules


def initial() -> str:
    """Return the text of the package's module, with the dict of public names."""
    entries = "".join(f'    "{name}": "{module}",\n' for name, module in public().items())
    text = (PACKAGE / "__init__.py").read_text(encoding="utf-8")
    return re.sub(
        r"(?<=\nPUBLIC = \{).*?(?=\})", lambda _: f"\n{entries}", text, count=1, flags=re.DOTALL
    )


def stub() -> str:
    """Return the stub of urcx."""
    lines = (f"    from {module} import {name} as {name}\n" for name, module in public().items())
    return HEAD + "".join(lines)


def study_stub(study: ModuleType) -> str:
    """Return the stub of a study's package."""
    lines = [
        f"from {study.__name__}.{module} import {name} as {name}\n"
        for name, module in study.PUBLIC.items()
    ]
    constants = "\nCOMMANDS: dict[str, tuple[str, str]]\nPUBLIC: dict[str, str]\n"
    return "".join(["# Made from PUBLIC by python docs/names.py\n", *sorted(lines), constants])


def files() -> dict[Path, str]:
    """Return the text of each file with public names."""
    texts = {PACKAGE / "__init__.py": initial(), STUB: stub()}
    for name, study in contrib.studies().items():
        texts[PACKAGE / "contrib" / name / STUB.name] = study_stub(study)
    return texts


def write() -> None:
    """Write the files."""
    for file, text in files().items():
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
