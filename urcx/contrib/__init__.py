"""Studies that stand on the core, each in a package of its own.

The core imports no study, and no study imports another: deleting a folder here removes the study
with its commands, and nothing else. The package of a study imports nothing heavy. It has

- ``COMMANDS``: each command's name -> where its function is, such as ``"commands:gamble"``, and
  the first line of its docstring;
- ``PUBLIC``: each public name -> its module, which is imported on first use.

A study's tests are in ``tests/contrib``, its page in ``docs/contrib``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType


def studies() -> dict[str, ModuleType]:
    """Return the packages of all studies by name."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}") for name in names}


def commands() -> dict[str, tuple[str, str]]:
    """Return each study's commands: ``module:function``, and the line for the list of commands."""
    return {
        name: (f"{study.__name__}.{function}", line)
        for study in studies().values()
        for name, (function, line) in study.COMMANDS.items()
    }


def public_names(package: str, public: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a study's package, for names that are imported on first use."""

    def attribute(name: str) -> object:
        if name in public:
            return getattr(import_module(f"{package}.{public[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return attribute
