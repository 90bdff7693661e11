"""The rows of a report as arrays, and as data frames take them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.results.report import Report

MOST = 2**127  # from which on polars has no whole numbers


def columns(report: Report) -> dict[str, NDArray[Any]]:
    """Return the rows of a report, those of ``--csv``, as columns."""
    whole = report.whole
    names = dict.fromkeys((*report.fields, *(key for record in report.records for key in record)))
    return {
        name: _column([record.get(name) for record in report.records], whole=name in whole)
        for name in names
    }


def _column(values: Sequence[Any], *, whole: bool) -> NDArray[Any]:
    """Return a column as an array; ``whole`` numbers may be there as texts."""
    if whole:
        values = [None if value in (None, "") else int(value) for value in values]
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


def for_frame(found: dict[str, NDArray[Any]], library: str) -> dict[str, Any]:
    """Return columns as a library's data frame takes them best.

    polars would keep Python's integers as objects that it cannot count with; here they become
    numbers of its own, as long as they are not too large for these.
    """
    made: dict[str, Any] = dict(found)
    if library != "polars":
        return made
    for name, values in found.items():
        if values.dtype != object:
            continue
        most = max((abs(value) for value in values if value is not None), default=0)
        if most < 2**63:
            made[name] = values.tolist()
        elif most < MOST:
            polars = import_module("polars")
            made[name] = polars.Series(values.tolist(), dtype=polars.Int128)
    return made
