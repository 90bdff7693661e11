"""The notebooks run from beginning to end, show what is kept in them, and become pages."""

from __future__ import annotations

import re
import sys
from copy import deepcopy
from itertools import zip_longest
from math import isclose
from pathlib import Path
from typing import Any

import lessons
import pytest

DOCS = Path(lessons.__file__).parent
NAMES = ("counting", "game-trees", "perfect-play")


NUMBER = re.compile(r"(\d+(?:\.\d+)?(?:e[-+]\d+)?)")


def _pieces(text: str) -> list[str]:
    """Return words and numbers in turn, without what depends on the machine and its threads."""
    rows = ("seconds", "peak memory", "updates per second", "most sweeps of a layer")
    machine = rf"^({'|'.join(rows)})  .*\n|^<tr><td[^>]*>({'|'.join(rows)})</td>.*\n"
    return NUMBER.split(re.sub(machine, "", text, flags=re.MULTILINE))


def _same(shown: str, kept: str) -> bool:
    """Compare pieces: words exactly, numbers within 10^-8 of themselves, or 10^-9 near zero.

    Processors round in different places, so the last of ten digits may differ, and what bounds
    rounding errors.
    """
    if NUMBER.fullmatch(shown) and NUMBER.fullmatch(kept):
        return isclose(float(shown), float(kept), rel_tol=1e-8, abs_tol=1e-9)
    return shown == kept


def _differing(shown: list[str], kept: list[str]) -> list[tuple[str | None, str | None]]:
    """Return the pieces of the cells' texts that differ."""
    cells = zip_longest(shown, kept, fillvalue="")
    pairs = (pair for one, two in cells for pair in zip_longest(_pieces(one), _pieces(two)))
    return [(one, two) for one, two in pairs if one is None or two is None or not _same(one, two)]


@pytest.mark.parametrize("shown", ["", "34.33 x", "34.32 y", "34.32", "34.32 x 1", "34 x", "x"])
def test_a_changed_number_or_word_is_found(shown: str) -> None:
    assert _differing([shown], ["34.32 x"])
    assert _differing(["a", shown], ["a", "34.32 x"])


def test_last_digits_and_bounds_may_differ() -> None:
    kept = ["27.7094952313  1e-09", "8.91126e-10", "0.1234567890123"]
    assert not _differing(["27.7094952314  1e-10", "8.91127e-10", "0.123456789012"], kept)
    assert _differing(["27.7094962313  1e-09", *kept[1:]], kept)
    assert _differing(["27.7094952313  1e-07", *kept[1:]], kept)


def test_the_notebooks_are_those_that_the_page_lists() -> None:
    assert lessons.names() == sorted(NAMES)
    page = DOCS.joinpath("notebooks.rst").read_text(encoding="utf-8")
    listed = re.findall(r"^   generated/notebooks/(\S+)$", page, flags=re.MULTILINE)
    assert sorted(listed) == sorted(NAMES)


@pytest.mark.jit
@pytest.mark.parametrize(
    "name", ["counting", *(pytest.param(name, marks=pytest.mark.slow) for name in NAMES[1:])]
)
def test_a_notebook_runs_and_shows_what_is_kept(name: str) -> None:
    kept = lessons.kept(name)
    again = deepcopy(kept)
    main = sys.modules["__main__"]
    for cell in lessons.code(again):
        cell["outputs"] = []
    lessons.run(again)
    assert sys.modules["__main__"] is main
    renew = f"python docs/lessons.py {name}"
    assert _differing(lessons.said(again), lessons.said(kept)) == [], f"stale; to renew it: {renew}"
    kinds = [
        [sorted(output.get("data", {})) for cell in lessons.code(one) for output in cell["outputs"]]
        for one in (again, kept)
    ]
    assert kinds[0] == kinds[1]


def _notebook(*sources: str) -> Any:
    cells = [{"cell_type": "code", "source": [source], "outputs": []} for source in sources]
    return {"cells": cells}


def test_a_cell_that_fails_is_an_error() -> None:
    with pytest.raises(RuntimeError, match=r"a cell fails, ZeroDivisionError.*:\n1 / 0"):
        lessons.run(_notebook("a = 1", "1 / 0"))
    with pytest.raises(RuntimeError, match="a cell fails, SyntaxError"):
        lessons.run(_notebook("a = = 1"))


def test_notebooks_know_nothing_of_each_other() -> None:
    lessons.run(_notebook("a = 1"))
    with pytest.raises(RuntimeError, match="NameError"):
        lessons.run(_notebook("a"))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_has_the_text_the_code_and_what_is_shown(name: str) -> None:
    kept, page = lessons.kept(name), lessons.page(name)
    for cell in kept["cells"]:
        assert "".join(cell["source"]).partition("\n")[2] in page
    assert f"{name}.ipynb" in page
    assert page.count("<svg") == page.count("</svg>") >= 3
    assert page.count("<table") >= 1
    assert page.count("`````") == 2 * len(re.findall(r"^`````\S", page, flags=re.MULTILINE))
    assert "cannot be shown" not in page


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_kept_as_it_is_written(name: str) -> None:
    text = lessons.file_of(name).read_text(encoding="utf-8")
    assert text == lessons.text_of(lessons.kept(name))
    assert re.findall(r"/(?:tmp|home|work|Users)/", text) == []
