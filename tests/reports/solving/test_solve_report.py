"""How a solution and the check of a file are shown."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import urcx
from urcx.results.numbers import known_digits
from urcx.rules.position import parse_position
from urcx.solving.checking import Checked
from urcx.solving.closeness import Closeness
from urcx.solving.layered.solver import LayerReport, Solved
from urcx.solving.solution import Solution

ROW: Any = SimpleNamespace(layer=(1, 0), states=40, sweeps=7, certifying=2, seconds=0.5, gap=1e-13)


def _solution(**changes: Any) -> Solution:
    rows: tuple[LayerReport, ...] = (ROW,)
    solved = Solved(urcx.ruleset("finkel"), 0.5, 0.25, 0.75, 1e-13, 10**7, 7, 300, 2.0, rows)
    values: dict[str, Any] = {
        "file": None,
        "file_size": 0,
        "resumed": 0,
        "peak_memory": 2**20,
        "layers": {},
    }
    return Solution(solved, **{**values, **changes})


def test_counts_are_texts_and_speed_is_a_second() -> None:
    data = json.loads(_solution().report().json())
    assert (data["states"], data["updates"], data["peak_memory"]) == ("10000000", "300", "1048576")
    assert data["updates_per_second"] == 150.0
    assert (data["file"], data["store"], data["bound"]) == (None, None, None)
    assert data["rows"][0]["states"] == "40"


def test_csv_has_layers_and_the_game() -> None:
    layer, game = _solution().report().records
    assert (layer["kind"], layer["light"], layer["dark"]) == ("layer", 1, 0)
    assert (game["kind"], game["lower"], game["upper"]) == ("game", 0.25, 0.75)
    assert "file" not in game


def test_only_what_was_written_has_lines_of_its_file() -> None:
    titles = [row[0] for row in _solution().report().tables[0].rows]
    assert titles[-1] == "peak memory"
    found = _solution(file=Path("a.urcx"), file_size=5, damaged=((1, 0),), store="u16")
    shown = found.report()
    assert [row[0] for row in shown.tables[0].rows][-2:] == [
        "written", "a value in the file is off by at most",
    ]  # fmt: skip
    assert shown.data["damaged_layers"] == ["1-0"]
    assert shown.data["bound"] == found.bound


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
    found = _checked().report(NEAR, Path("a.proof"))
    lines = {row[0]: row[1] for row in found.tables[0].rows}
    assert lines["a value is off by at most"].endswith(", as recorded")
    assert lines["with less than 1e-4 between them"] == "60"
    assert (found.data["bounded_by"], found.data["within"]) == (
        "record", {"0.001": "70", "0.0001": "60"},
    )  # fmt: skip
    assert found.data["proof"] == "a.proof"
    assert list(found.data)[-6:] == [
        "choices", "equal", "within", "closest", "closest_position", "closest_roll",
    ]  # fmt: skip


def test_a_damaged_file_is_looked_at_no_further() -> None:
    found = _checked(damaged=((1, 0),), residual=None, bound=None).report(None, None)
    lines = {row[0]: row[1] for row in found.tables[0].rows}
    assert lines["damaged layers"] == "1-0"
    assert "residual" not in lines
    assert (found.data["choices"], found.data["closest_roll"]) == (None, None)
    every = _checked(damaged=((1, 1), (1, 0), (0, 0)), residual=None, bound=None)
    assert every.report(None, None).tables[0].rows[3][1].startswith("all")


def test_digits_that_a_bound_leaves_certain() -> None:
    assert known_digits(0.123456789, 0.0) == "0.123456789000"
    assert known_digits(0.123456789, 1e-4) == "0.1235"
    assert known_digits(0.123456789, 1e-13, 10) == "0.1234567890"
