"""The rows of a result as arrays, and as data frames take them."""

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
    """Return the records of a result, those of ``--csv``, as columns."""
    records = result.records()
    whole = {field.key for field in result.row_fields if field.kind.whole}
    names = dict.fromkeys(key for record in records for key in record) or result.row_fields.names
    return {
        name: _column([record.get(name) for record in records], whole=name in whole)
        for name in names
    }


def _column(values: Sequence[Any], *, whole: bool) -> NDArray[Any]:
    """Return a column as an array; ``whole`` numbers may be there as texts."""
    if whole:
        values = [None if value in (None, "") else int(Decimal(value)) for value in values]
        exact = None in values or any(abs(value) >= 2**63 for value in values)
        return np.array(values, object if exact else np.int64)
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
    """Return columns as a library's data frame takes them, and as files such as parquet do.

    Python's numbers are objects to both: up to 64 bits they become the library's own, beyond them
    texts with every digit, with floats beside as ``NAME_decimal``.
    """
    made: dict[str, Any] = {}
    for name, values in result.items():
        if values.dtype != object:
            made[name] = values
            continue
        items = values.tolist()
        given = [value for value in items if value is not None]
        if any(abs(value) >= 2**63 for value in given):
            made[name] = [None if value is None else every_digit(value) for value in items]
            made[f"{name}_decimal"] = np.array(list(map(_float, items)))
        elif library == "pandas":
            kind = "boolean" if bool in map(type, given) else "Int64"
            made[name] = import_module(library).array(items, dtype=kind)
        else:
            made[name] = items
    return made


def _float(value: int | None) -> float:
    """Return a number as a float: NaN if there is none, infinite if it is beyond floats."""
    if value is None:
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
