"""Writes ``urcx/__init__.pyi``: the public names, as type checkers and ``import urcx`` read them.

They are what modules list as ``__all__``. ``python docs/transcripts.py`` does so as well.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

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
    for file in sorted(STUB.parent.rglob("*.py")):
        named = re.search(
            r"^__all__ = (\[[^]]*\])$", file.read_text(encoding="utf-8"), re.MULTILINE
        )
        if named and file.name != "__init__.py":
            module = ".".join(file.relative_to(STUB.parent.parent).with_suffix("").parts)
            lines += [
                f"    from {module} import {name} as {name}\n"
                for name in ast.literal_eval(named[1])
            ]
    return HEAD + "".join(lines)


def write() -> None:
    """Write the file."""
    STUB.write_text(stub(), encoding="utf-8")


if __name__ == "__main__":
    write()
