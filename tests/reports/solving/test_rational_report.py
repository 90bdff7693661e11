"""How exact fractions are shown and written."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from urcx.engine.threads import silent
from urcx.results.fractions import fraction_digits, fraction_text, rounded_fraction
from urcx.rules.position import parse_position
from urcx.solving.exact.exact_solution import write_states
from urcx.solving.exact.rational import solve_exactly

ENDING = solve_exactly("finkel", 1)
WHERE = parse_position("5/9/6-6/L")


def test_numbers_of_any_length_become_text() -> None:
    for value in (0, 7, 10**4000, 3**30_000):
        text = fraction_digits(value)
        assert text[:1] != "0" or value == 0
        total = 0
        for start in range(0, len(text), 3000):
            part = text[start : start + 3000]
            total = total * 10 ** len(part) + int(part)
        assert total == value


def test_fractions_and_decimals() -> None:
    assert fraction_text(Fraction(4, 7)) == "4/7"
    assert fraction_text(Fraction(3)) == "3"
    assert rounded_fraction(Fraction(2, 3)) == "0." + 30 * "6", "down"
    assert rounded_fraction(Fraction(1)) == "1." + 30 * "0"


def test_a_position_with_its_moves() -> None:
    found = ENDING.report(WHERE)
    data = json.loads(found.json())
    assert Fraction(data["value"]) == ENDING.value(WHERE)
    passed = replace(WHERE, light_to_move=not WHERE.light_to_move)
    worth = {"value": fraction_text(1 - ENDING.value(passed))}
    assert data["moves"][0] == {"roll": 0, "pass": True, **worth}
    best = ENDING.best_moves(WHERE, 2)[0]
    row = next(row for row in data["moves"] if row["roll"] == 2)
    assert (row["from"], row["value"]) == (best.move.start, fraction_text(best.value))
    assert data["tied_decisions"] == str(sum(item.tied for item in ENDING.ties))
    kinds = [row["kind"] for row in found.records]
    assert kinds == ["layer"] * len(ENDING.ties) + ["position"] + ["move"] * len(data["moves"])


def test_a_finished_game_has_no_moves() -> None:
    found = ENDING.report(parse_position("-/9/7-6/D"))
    assert found.data["moves"] == []
    assert found.data["value"] == "0"
    assert [table.title for table in found.tables][1:] == ["Moves compared"]


def test_every_state_is_written(tmp_path: Path) -> None:
    for name in ("all.csv", "all.json"):
        write_states(ENDING, tmp_path / name, silent)
    rows = json.loads((tmp_path / "all.json").read_text("utf-8"))["states"]
    lines = (tmp_path / "all.csv").read_text("utf-8").splitlines()
    assert len(rows) == len(lines) - 1 == ENDING.states
    state = next(ENDING.policy())
    assert rows[0]["value"] == fraction_text(state.value)
    assert lines[1].startswith(f'"{state.position}",{fraction_text(state.value)},')
