"""Docstrings of what is public: sections as numpydoc has them, and examples that run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import pages
import pytest
from examples import FUNCTIONS, PUBLIC

from urcx.results.result import Result, function_of


def _kinds(base: Any) -> list[Any]:
    """Return a class and all that are made of it."""
    return [base, *(found for one in base.__subclasses__() for found in _kinds(one))]


RESULTS: dict[str, Any] = {
    one.__name__: one
    for one in _kinds(Result)
    if hasattr(one, "__dataclass_fields__") and function_of(one)
}  # those of studies too
CLASSES = {name: one for name, one in PUBLIC.items() if inspect.isclass(one)} | RESULTS
ORDER = ["Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "Notes", "Examples"]
HEADING = re.compile(r"^(\w[\w ]*)\n(-+)$", re.MULTILINE)


def _sections(documented: Any) -> dict[str, str]:
    """Return the sections of a docstring, that before the first under no name."""
    text = inspect.getdoc(documented) or ""
    parts = HEADING.split(
        pages.described(documented, text) if isinstance(documented, type) else text
    )
    names, rules, bodies = parts[1::3], parts[2::3], parts[3::3]
    assert all(len(name) == len(rule) for name, rule in zip(names, rules, strict=True))
    return {"": parts[0], **dict(zip(names, bodies, strict=True))}


def _named(section: str) -> list[str]:
    """Return the names that a section describes."""
    heads = re.findall(r"^(\S.*)$", section, re.MULTILINE)
    return [name.strip() for head in heads for name in head.partition(" : ")[0].split(",")]


def _tests(found: Any, name: str) -> Iterator[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    yield from finder.find(found, name, globs={})


def _run(tests: Iterator[doctest.DocTest]) -> int:
    runner = doctest.DocTestRunner()
    said: list[str] = []
    for test in tests:
        runner.run(test, out=said.append)
    failed, tried = runner.summarize(verbose=False)
    assert not failed, "".join(said)
    return tried


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_sections_that_its_signature_calls_for(name: str) -> None:
    function: Callable[..., Any] = FUNCTIONS[name]
    sections = _sections(function)
    signature = inspect.signature(function)
    assert sections[""].strip().split("\n\n")[0].endswith(".")
    assert sorted(_named(sections.get("Parameters", ""))) == sorted(signature.parameters)
    gives = "Yields" if "Iterator" in str(signature.return_annotation) else "Returns"
    assert sections[gives].strip()
    assert ">>>" in sections["Examples"]
    assert [part for part in ORDER if part in sections] == list(sections)[1:]


def test_a_section_that_is_missing_is_seen() -> None:
    def function(one: int, two: int) -> int:
        """Return a sum.

        Parameters
        ----------
        one
            A number.
        """
        return one + two

    sections = _sections(function)
    assert list(sections) == ["", "Parameters"]
    assert _named(sections["Parameters"]) == ["one"]


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_describes_its_fields(name: str) -> None:
    sections = _sections(RESULTS[name])
    wanted = [field.name for field in fields(RESULTS[name])]
    assert sorted(_named(sections["Attributes"])) == sorted(wanted)
    assert ">>>" in sections.get("Examples", ">>>")  # its function has one
    assert [part for part in ORDER if part in sections] == list(sections)[1:]


@pytest.mark.jit
@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_functions(name: str) -> None:
    assert _run(_tests(FUNCTIONS[name], name)) >= 2


@pytest.mark.jit
@pytest.mark.parametrize("name", CLASSES)
def test_examples_of_classes(name: str) -> None:
    _run(_tests(CLASSES[name], name))


@pytest.mark.parametrize("method", [Result.to_dict, Result.to_frame])
def test_examples_of_what_all_results_have(method: Any) -> None:
    assert _run(_tests(method, method.__name__)) >= 2
