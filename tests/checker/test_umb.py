"""Solved games as models: their values are fixed points, and Storm finds the same bounds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_rules import own
from storm_bounds import both_bounds
from umb import FIXED, export_umb

import urcx
from urcx.engine.moves import legal_moves
from urcx.errors import UsageError
from urcx.rules.model import RuleSet

DATA = {
    "state-to-choices": "<u8",
    "choice-to-branches": "<u8",
    "branch-to-target": "<u8",
    "branch-to-probability": "<f8",
    "state-to-player": "<u4",
    "annotations/values/light_wins/states/values": "<f8",
}
NEAR = 1e-11  # greater than the error bound of tablebases
FINKEL = urcx.ruleset("finkel", pieces=2)


def written(rules: RuleSet, fixed: str, directory: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the index of a model and its arrays, sets as numbers of states."""
    base, file = directory / "solved.urcx", directory / "model.umb"
    if not base.exists():
        urcx.solve(rules, base)
    with urcx.open_tablebase(base) as opened:
        export_umb(opened, file, fixed)
    with tarfile.open(file) as archive:
        found = {m.name.removesuffix(".bin"): archive.extractfile(m) for m in archive.getmembers()}
        content = {name: stream.read() for name, stream in found.items() if stream}
    arrays: dict[str, Any] = {
        name: np.frombuffer(data, DATA[name]).astype(DATA[name].replace("u", "i"))
        if name in DATA
        else np.flatnonzero(np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little"))
        for name, data in content.items()
        if name != "index.json"
    }
    return json.loads(content["index.json"]), arrays


@pytest.mark.parametrize(
    "rules", [own("tiny"), own("wings"), pytest.param(FINKEL, marks=pytest.mark.jit)]
)
def test_values_are_a_fixed_point_of_the_model(rules: RuleSet, tmp_path: Path) -> None:
    for fixed in FIXED:
        fixed_point(*written(rules, fixed, tmp_path), fixed, tmp_path / "solved.urcx")


def fixed_point(index: dict[str, Any], arrays: dict[str, Any], fixed: str, base: Path) -> None:
    system = index["transition-system"]
    first_choice, first_branch = arrays["state-to-choices"], arrays["choice-to-branches"]
    target, chance = arrays["branch-to-target"], arrays["branch-to-probability"]
    wins = arrays["annotations/values/light_wins/states/values"]
    assert [len(first_choice), len(first_branch), len(target)] == [
        system["#states"] + 1,
        system["#choices"] + 1,
        system["#branches"],
    ]
    assert np.add.reduceat(chance, first_branch[:-1]) == pytest.approx(1.0)
    inside = np.ones(len(target), np.bool_)
    inside[first_branch[:-1]] = False
    assert (np.diff(target)[inside[1:]] > 0).all(), "a branch is there twice"
    worth = np.add.reduceat(chance * wins[target], first_branch[:-1])
    most = np.maximum.reduceat(worth, first_choice[:-1])
    least = np.minimum.reduceat(worth, first_choice[:-1])
    if fixed == "none":
        assert system["player-names"] == ["light", "dark"]
        best = np.where(arrays["state-to-player"] == 0, most, least)
    else:
        assert system["#players"] == 1
        best = most if fixed == "dark" else least
    assert np.abs(best - wins).max() < NEAR
    if fixed != "none":  # the side with optimal play has no choice, so the other side has most
        other = most if fixed == "light" else least
        assert (np.abs(other - wins) > NEAR).any()
    (start,) = arrays["state-is-initial"]
    with urcx.open_tablebase(base) as opened:
        assert wins[start] == opened.probe("-/-/0-0/L")
    for side, value in (("light", 1.0), ("dark", 0.0)):
        (end,) = arrays[f"annotations/aps/{side}_wins/states/values"]
        assert wins[end] == value
        assert target[first_branch[first_choice[end]]] == end


@pytest.mark.jit
def test_both_sides_have_all_their_moves_to_choose_from(tmp_path: Path) -> None:
    rules = own("short")
    index, _ = written(rules, "none", tmp_path)
    with urcx.open_tablebase(tmp_path / "solved.urcx") as base:
        numbers = [
            len(legal_moves(base.order.position(layer, rank), roll, rules))
            for layer in base.order.layers
            for rank in range(base.order.size(layer))
            for roll in rules.dice.rolls
        ]
    states = len(numbers) // len(rules.dice.rolls)
    chosen = [number for number in numbers if number > 1]
    assert index["transition-system"]["#states"] == 2 * (states + 1 + len(chosen))
    assert index["transition-system"]["#choices"] == 2 * (states + 1 + sum(chosen))


def test_an_unknown_side_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="known: none, light, dark"):
        written(urcx.ruleset("finkel", pieces=1), "both", tmp_path)
    assert not (tmp_path / "model.umb").exists()


@cache
def storm() -> str:
    """Return a Python with Storm: this one, or URCX_STORM; otherwise skip."""
    python = os.environ.get("URCX_STORM", sys.executable)
    if subprocess.run(
        [python, "-P", "-c", "import stormpy"], check=False, capture_output=True
    ).returncode:
        pytest.skip("no stormpy; URCX_STORM may name a Python that has it")
    return python


@pytest.mark.jit
@pytest.mark.parametrize(("name", "pieces"), [("finkel", 2), ("blitz", 1)])
def test_storm_bounds_the_same_value_from_both_sides(name: str, pieces: int) -> None:
    python = storm()
    low, high, below, above, lines = both_bounds(urcx.ruleset(name, pieces=pieces), python)
    assert max(low, below) <= min(high, above)
    assert above - below < 1e-11
    assert len(lines) == 3
