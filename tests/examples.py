"""What the examples in the docstrings of public functions call, and what comes back.

Tests of all public functions take their arguments from there, so that a new function needs no line
in any of them.
"""

from __future__ import annotations

import atexit
import doctest
import inspect
import re
import tempfile
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache, wraps
from io import StringIO
from typing import Any
from unittest import mock

import urcx
from urcx import contrib

# Every public object, and the package from which users import it.
PACKAGES: dict[str, Any] = dict.fromkeys(urcx.PUBLIC, urcx)
PACKAGES |= {name: study for study in contrib.studies().values() for name in study.PUBLIC}
PUBLIC: dict[str, Any] = {name: getattr(package, name) for name, package in PACKAGES.items()}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: public for name, public in PUBLIC.items() if inspect.isfunction(public)
}


@dataclass(frozen=True)
class Call:
    """A call of a public function, and what it returned."""

    arguments: dict[str, Any]
    result: Any


@cache
def _files() -> str:
    """Return the directory in which files of the examples are kept as long as the process runs."""
    directory = tempfile.TemporaryDirectory()
    atexit.register(directory.cleanup)
    return directory.name


def _directory() -> Any:
    return nullcontext(tempfile.mkdtemp(dir=_files()))


class Called(Exception):  # noqa: N818  # nothing is wrong
    """A function was called that was not to answer."""


@cache
def first_call(name: str, *, answered: bool = True) -> Call:
    """Run a function's examples as far as its first call; the answer may be left out."""
    function = FUNCTIONS[name]
    calls: list[Call] = []

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        arguments = dict(inspect.signature(function).bind(*given, **named).arguments)
        if not answered:
            calls.append(Call(arguments, None))
            raise Called
        calls.append(Call(arguments, function(*given, **named)))
        return calls[0].result

    (found,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={})
    space: dict[str, Any] = {}
    _files()
    with (
        mock.patch.object(PACKAGES[name], name, called, create=True),
        mock.patch.object(tempfile, "TemporaryDirectory", _directory),
        redirect_stdout(StringIO()),
    ):
        for example in found.examples:
            with suppress(Called):
                exec(compile(example.source, f"<example of {name}>", "single"), space)  # noqa: S102
            if calls:
                return calls[0]
    raise AssertionError(f"no example of {name} calls it")


def kinds(name: str) -> dict[str, list[str]]:
    """Return the names of the types that each parameter of a public function takes.

    A ``Path`` of files is called ``file``, and a function ``Callable`` whatever it takes.
    """
    function = FUNCTIONS[name]
    ours = function.__globals__.get("Path") is urcx.Path
    files = {"PathLike", "FilePath"} if ours else {"PathLike", "Path"}
    found: dict[str, list[str]] = {}
    for parameter in inspect.signature(function).parameters.values():
        annotation = re.sub(r"Callable\[.*\]", "Callable", str(parameter.annotation))
        found[parameter.name] = [
            "file" if word in files else word for word in re.findall(r"\w+", annotation)
        ]
    return found
