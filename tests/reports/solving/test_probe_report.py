"""How a position of a tablebase is shown."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import urcx
from urcx.engine.moves import legal_moves
from urcx.rules.position import parse_position
from urcx.solving.files.tablebase import MoveValue
from urcx.solving.probing import Probed, RolledMove

BASE: Any = SimpleNamespace(
    file=Path("some.urcx"), rules=urcx.ruleset("finkel"), gap=1e-13, store="f64", bound=1e-13
)
WHERE = parse_position("1,2/9/0-0/L")


def _found(**changes: Any) -> Probed:
    first, second, *_ = legal_moves(WHERE, 2, BASE.rules)
    moves = (
        RolledMove(0, None, False, passed=0.375),
        RolledMove(2, MoveValue(first, 0.75, 0.0), False),
        RolledMove(2, MoveValue(second, 0.5, 0.25), False),
    )
    values = {"value": 0.6, "bound": 1e-13, "winner": None, "moves": moves, **changes}
    return Probed(BASE, WHERE, **values)


def test_a_pass_has_its_value_beside_the_roll() -> None:
    report = _found().report()
    assert report.records[0] == {"roll": 0, "pass": True, "value": 0.375}
    assert report.tables[0].rows[0] == ["0", "pass", "0.375000", "", ""]
    assert set(report.records[1]) == {"roll", "pass", "from", "to", "value", "regret"}


def test_the_best_move_and_the_only_one_are_marked() -> None:
    (_, best, other) = _found().report().tables[0].rows
    assert (best[2], best[4]) == ("0.750000", "best")
    assert (other[3], other[4]) == ("0.250000", "")
    only = RolledMove(2, _found().moves[1].best, True)
    (row,) = _found(moves=(only,)).report().tables[0].rows
    assert row[4] == "only"


def test_a_finished_game_is_a_line_with_a_row_of_its_own_in_csv() -> None:
    report = _found(winner="dark", value=0.0, bound=0.0, moves=()).report()
    assert report.answer.endswith("the game is over, dark has won")
    assert report.data["rows"] == []
    assert report.data["winner"] == "dark"
    assert [row["value"] for row in report.records] == [0.0]
    assert (report.data["lower"], report.data["upper"]) == (0.0, 0.0)


def test_what_is_unproven_is_said_to_be() -> None:
    base = SimpleNamespace(**{**vars(BASE), "bound": None, "gap": None})
    report = Probed(base, WHERE, 0.6, None, None, ()).report()
    assert (report.data["lower"], report.data["bound"]) == (None, None)
    assert report.tables[0].notes[-1].startswith("unproven")
