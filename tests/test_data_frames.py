"""Columns of results as data frames: of pandas or polars, or without either an error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.errors import UnknownNameError, UrcxError


class _Frame:
    """What a library's data frame is made of."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns = columns


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def install(*names: str) -> None:
        for name in ("pandas", "polars"):
            module = ModuleType(name)
            module.DataFrame = type(f"{name}Frame", (_Frame,), {})  # type: ignore[attr-defined]
            module.Int128 = "Int128"  # type: ignore[attr-defined]
            module.Series = lambda values, dtype: (dtype, values)  # type: ignore[attr-defined]
            monkeypatch.setitem(sys.modules, name, module if name in names else None)

    return install


@pytest.mark.parametrize(
    ("installed", "asked", "wanted"),
    [
        (("pandas", "polars"), None, "pandasFrame"),
        (("polars",), None, "polarsFrame"),
        (("pandas", "polars"), "polars", "polarsFrame"),
        (("pandas", "polars"), "pandas", "pandasFrame"),
    ],
)
def test_frames_of_the_library_that_is_there(
    installed: tuple[str, ...], asked: Any, wanted: str, libraries: Callable[..., None]
) -> None:
    libraries(*installed)
    found = urcx.ssc("murray", 7, enumerate=False)
    frame = found.to_frame(asked)
    assert type(frame).__name__ == wanted
    assert list(frame.columns) == list(found.to_dict())
    # polars has no numbers of its own in an array of objects.
    wide = frame.columns["bits-pieces"]
    assert isinstance(frame.columns["michon"], list if "polars" in wanted else np.ndarray)
    assert wide == ("Int128", [2**70]) if "polars" in wanted else wide.tolist() == [2**70]


def test_without_a_library_an_error_names_both_and_what_there_is(
    libraries: Callable[..., None],
) -> None:
    libraries()
    found = urcx.ssc("bell", 2, enumerate=False)
    for asked in (None, "pandas", "polars"):
        with pytest.raises(UrcxError, match=r"pandas .*polars.*; to_dict\(\)") as refused:
            found.to_frame(asked)
        assert "\n" not in str(refused.value)
    wrong: Any = "panda"
    with pytest.raises(UnknownNameError, match="did you mean pandas"):
        found.to_frame(wrong)
