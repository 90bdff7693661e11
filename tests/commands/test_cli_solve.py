"""solve and probe on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import assert_one_line, run

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/solved-small.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("solve") / "one.urcx"
    assert run("solve", "-p", "1", "-o", str(file), "--threads", "1").code == 0
    return file


def test_solve_as_json_and_table(base: Path) -> None:
    data = run("solve", "-p", "1", "--threads", "1", "--json").json
    assert data["schema"] == "urcx.solve/1"
    # Another engine's value.
    assert abs(data["opening"] - 0.5300498395248594) < 1e-12
    assert data["lower"] <= 0.5300498395248594 <= data["upper"]
    assert data["states"] == "217"
    assert data["sweeps"] > 1
    assert int(data["peak_memory"]) > 0
    assert len(data["rows"]) == 1
    out = run("solve", "-p", "1", "--threads", "1").out
    assert "who begins wins" in out
    assert base.exists()


def test_solve_a_path_that_is_crossed_twice() -> None:
    data = run("solve", "--rules", "skiriuk", "-p", "1", "--json").json
    # Another engine's value: rosettes protect, captures grant nothing.
    row = next(
        row
        for row in GOLDEN["rows"]
        if (row["path"], row["pieces"], row["rosette_protects"], row["capture_grants_roll"])
        == ("skiriuk", 1, True, False)
    )
    assert abs(data["opening"] - row["p_first"]) < 1e-12


def test_probe_and_check(base: Path) -> None:
    data = run("probe", str(base), "8/9/0-0/L", "--json").json
    assert 0 < data["value"] < 1
    assert {row["roll"] for row in data["rows"]} == {0, 1, 2, 3, 4}
    captured = next(row for row in data["rows"] if row["roll"] == 1)
    assert (captured["from"], captured["to"], captured["regret"]) == (8, 9, 0.0)
    assert "captures" in run("probe", str(base), "8/9/0-0/L", "--roll", "1").out
    assert "wins with 1.000000" in run("probe", str(base), "-/9/1-0/L").out
    checked = run("solve", "--check", str(base), "--json").json
    assert checked["damaged_layers"] == []
    assert checked["residual"] < 1e-14
    assert "damaged layers" in run("solve", "--check", str(base)).out


def test_a_damaged_file_ends_with_1(base: Path, tmp_path: Path) -> None:
    data = bytearray(base.read_bytes())
    data[-70] ^= 1
    bad = tmp_path / "bad.urcx"
    bad.write_bytes(data)
    assert run("solve", "--check", str(bad)).code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["solve", "--store", "f16"], 2, "unknown store"),
        (["solve", "--tolerance", "1"], 2, "tolerance"),
        (["solve", "--rules", "murray", "-p", "1", "-o", "x.urcx"], 2, "no tablebase of murray"),
        (["solve", "--rules", "murray"], 1, "take fewer pieces"),
        (["solve", "-p", "0"], 2, "not from 1"),
        (["solve", "-o", "/nowhere/x.urcx"], 1, "no directory"),
        (["probe", "/nowhere/x.urcx"], 1, "cannot read"),
    ],
)
def test_bad_input(arguments: list[str], code: int, says: str) -> None:
    assert says in assert_one_line(run(*arguments), code)


def test_probe_refuses_what_does_not_fit(base: Path) -> None:
    assert "more than 1" in assert_one_line(run("probe", str(base), "1,2/-/0-0/L"), 2)
    assert "roll 7" in assert_one_line(run("probe", str(base), "--roll", "7"), 2)
