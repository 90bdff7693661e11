"""How the check of a file is shown."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import urcx
from urcx.results.numbers import known_digits
from urcx.rules.position import parse_position
from urcx.solving.checking import Checked
from urcx.solving.closeness import Closeness


def _checked(**changes: Any) -> Checked:
    order = SimpleNamespace(layers=((1, 1), (1, 0), (0, 0)), tables=SimpleNamespace(chance=[1.0]))
    says = [["rules", "finkel"], ["stored as", "f64"], ["gap, as recorded", "1.00e-13"]]
    base: Any = SimpleNamespace(writer="urcx solve",
        file=Path("a.urcx"), rules=urcx.ruleset("finkel"), store="f64", gap=1e-13, order=order,
        recorded=says,
    )  # fmt: skip
    return Checked(base, **{"damaged": (), "residual": 1e-14, "bound": 1e-13, **changes})


NEAR = Closeness(9000, 3, {1e-3: 70, 1e-4: 60}, 1e-6, parse_position("1/2/0-0/L"), 2, 1e-13)


def test_a_file_in_order() -> None:
    found = _checked(near=NEAR)
    lines = {row[0]: row[1] for row in found.tables()[0].rows}
    assert lines["error bound"].endswith(", as recorded")
    assert lines["best two moves closer than 1e-4"] == "60"
    assert (found.document()["bounded_by"], found.document()["within"]) == (
        "record", {"0.001": "70", "0.0001": "60"},
    )  # fmt: skip
    assert list(found.document())[-8:-2] == [
        "choices", "equal", "within", "closest", "closest_position", "closest_roll",
    ]  # fmt: skip


def test_a_damaged_file_is_looked_at_no_further() -> None:
    found = _checked(damaged=((1, 0),), residual=None, bound=None)
    lines = {row[0]: row[1] for row in found.tables()[0].rows}
    assert lines["damaged layers"] == "1-0"
    assert "residual" not in lines
    assert (found.document()["choices"], found.document()["closest_roll"]) == (None, None)
    every = _checked(damaged=((1, 1), (1, 0), (0, 0)), residual=None, bound=None)
    assert every.tables()[0].rows[3][1].startswith("all")


def test_digits_that_a_bound_leaves_certain() -> None:
    assert known_digits(0.123456789, 0.0) == "0.123456789000"
    assert known_digits(0.123456789, 1e-4) == "0.1235"
    assert known_digits(0.123456789, 1e-13, 10) == "0.1234567890"
