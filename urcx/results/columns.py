"""The rows of a result as arrays, and as columns of data frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from urcx.results.numbers import every_digit

if TYPE_CHECKING:
    from urcx.results.result import Result


def columns(result: Result) -> dict[str, NDArray[Any]]:
    """Return the records of a result (the rows of ``--csv``) as columns."""
    records = result.records()
    exact = {field.key for field in result.row_fields if field.kind.whole}
    names = dict.fromkeys(key for record in records for key in record) or result.row_fields.names
    return {
        name: _column([record.get(name) for record in records], integers=name in exact)
        for name in names
    }


def _column(values: Sequence[Any], *, integers: bool) -> NDArray[Any]:
    """Return a column as an array. With ``integers``, the values may be integers as strings."""
    if integers:
        values = [None if value in (None, "") else int(Decimal(value)) for value in values]
        objects = None in values or any(abs(value) >= 2**63 for value in values)
        return np.array(values, object if objects else np.int64)
    kinds = {type(value) for value in values if value is not None}
    missing = None in values
    if kinds == {bool}:
        return np.array(values, object if missing else np.bool_)
    if kinds == {int} and not missing:
        return np.array(values, np.int64)
    if kinds <= {int, float}:
        return np.array([np.nan if value is None else value for value in values], np.float64)
    return np.array(["" if value is None else str(value) for value in values], np.str_)


def for_frame(result: dict[str, NDArray[Any]], library: str) -> dict[str, Any]:
    """Return columns in the types of a library of data frames, and of files such as parquet.

    Columns of Python integers are objects to both. Up to 64 bits they get the library's own type.
    A column with a longer integer becomes strings with every digit, with floats as the column
    ``NAME_decimal`` next to it.
    """
    frame: dict[str, Any] = {}
    for name, values in result.items():
        if values.dtype != object:
            frame[name] = values
            continue
        items = values.tolist()
        present = [value for value in items if value is not None]
        if any(abs(value) >= 2**63 for value in present):
            frame[name] = [None if value is None else every_digit(value) for value in items]
            frame[f"{name}_decimal"] = np.array(list(map(_float, items)))
        elif library == "pandas":
            kind = "boolean" if bool in map(type, present) else "Int64"
            frame[name] = import_module(library).array(items, dtype=kind)
        else:
            frame[name] = items
    return frame


def _float(value: int | None) -> float:
    """Return an integer as a float: NaN for None, infinite if it exceeds all floats."""
    if value is None:
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
