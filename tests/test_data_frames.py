"""Columns of results as data frames: of pandas or polars, or without either an error."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

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
            module.array = lambda values, dtype: (dtype, values)  # type: ignore[attr-defined]
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
    assert [name for name in frame.columns if name != "bits-pieces_decimal"] == [*found.to_dict()]
    # Neither library has numbers of its own in an array of objects.
    missing = frame.columns["michon"]
    assert missing == ([None] if "polars" in wanted else ("Int64", [None]))
    assert frame.columns["bits-pieces"] == [str(2**70)]
    assert frame.columns["bits-pieces_decimal"].tolist() == [2.0**70]


@pytest.mark.parametrize("most", [8, 1000], ids=["2^64", "beyond floats"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_go_into_parquet_with_every_digit(library: str, most: int, tmp_path: Path) -> None:
    frames = pytest.importorskip(library)
    pytest.importorskip("pyarrow")
    file = tmp_path / "sizes.parquet"
    found = urcx.ssc("bell", [2, most], enumerate=False)
    frame = found.to_frame(library)  # type: ignore[arg-type]
    (frame.to_parquet if library == "pandas" else frame.write_parquet)(file)
    read = frames.read_parquet(file)
    assert list(read.columns) == list(frame.columns)
    for name, values in found.to_dict().items():
        column = read[name].to_list()
        if values.dtype == object:
            given = [None if frames_lack(one) else int(one) for one in column]
            assert given == values.tolist()
    exact = found.to_dict()["bits-pieces"].tolist()
    assert exact == [2**16, 2 ** (8 * most)]
    rough = read["bits-pieces_decimal"].to_list()
    assert rough == [float(one) if one < 10**308 else math.inf for one in exact]


def frames_lack(value: Any) -> bool:
    """Return whether a value of a frame stands for none."""
    return str(value) in ("None", "nan", "<NA>")


def test_without_a_library_an_error_names_both_and_what_there_is(
    libraries: Callable[..., None],
) -> None:
    libraries()
    found = urcx.ssc("bell", 2, enumerate=False)
    for asked in (None, "pandas", "polars"):
        with pytest.raises(UrcxError, match=r"pandas .*polars.* to_dict\(\)") as refused:
            found.to_frame(asked)
        assert "\n" not in str(refused.value)
    wrong: Any = "panda"
    with pytest.raises(UnknownNameError, match="did you mean pandas"):
        found.to_frame(wrong)
