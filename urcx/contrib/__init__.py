"""Studies built on the core, each in its own package.

The core imports no study, and studies do not import each other. Deleting a folder here removes the
study with its commands, and nothing else. The package of a study imports nothing heavy. It has

- ``COMMANDS``: the name of each command -> its function, such as ``"commands:gamble"``, and the
  first line of the function's docstring.
- ``PUBLIC``: each public name -> its module, which is imported on first use.

The tests of a study are in ``tests/contrib``, and its page is in ``docs/contrib``.
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
