"""Bounds on values of unknown precision: found, written down, true."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import naive
import numpy as np
import pytest
from numpy.typing import NDArray
from own_rules import SIZES, own

import urcx
from urcx.engine import memory
from urcx.errors import PositionError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.checking import check_tablebase
from urcx.solving.closeness import closeness
from urcx.solving.files.header import STORES
from urcx.solving.files.rgu import ROUNDED, open_rgu
from urcx.solving.files.rgu_export import export_rgu, exported_bound
from urcx.solving.files.tablebase import (
    TablebaseLayers,
    decode_values,
    open_tablebase,
    write_tablebase,
)
from urcx.solving.layered.order import LayerOrder
from urcx.solving.layered.stores import MemoryStore
from urcx.solving.probing import probe
from urcx.solving.solution import solve

pytest_plugins = ["solved_games"]

ONE = replace(urcx.ruleset("finkel"), pieces=1)
START = urcx.parse_position("-/-/0-0/L")
# By exact fractions elsewhere (urcx exact -p 1 and -p 2).
OPENING_OF_ONE = 0.530049839524859420795
OPENING_OF_TWO = 0.518572907496
PUBLISHED = Path(os.environ.get("URCX_FINKEL2P_RGU", "finkel2p.rgu"))


Values = NDArray[np.float64]


@pytest.fixture(scope="module")
def truth() -> Values:
    """Return the chance in every state of one piece per side, from exact fractions."""
    order = LayerOrder(ONE)
    states = range(order.size((0, 0)))
    return np.array(
        [float(naive.perfect_value(ONE, order.position((0, 0), rank))) for rank in states]
    )


def foreign(file: Path, values: Values, store: str = "f64") -> Path:
    """Write an .rgu file of one piece per side as another program does."""
    own = file.with_suffix(".urcx")
    write_tablebase(own, LayerOrder(ONE), lambda _: (values, 0.0), "f64")
    with open_tablebase(own) as base:
        export_rgu(base, file, store)
    own.unlink()
    return file


@pytest.mark.parametrize(
    ("kind", "off"),
    [
        *product(("noise", "all up", "all down", "one state"), (1e-11, 1e-3, 0.2)),
        *product(("percent16", "f32"), (0.0, 1e-6)),
        ("noise", 0.0),
    ],
)
def test_bounds_are_true_and_close(tmp_path: Path, truth: Values, off: float, kind: str) -> None:
    """A sweep changes values by far less than they are off, where all are off to one side."""
    values = truth.copy()
    if kind == "noise":
        values += np.random.default_rng(1).uniform(-off, off, len(values))
    elif kind == "one state":
        values[100] += off
    else:
        values += -off if kind == "all down" else off
    store = kind if kind in ("percent16", "f32") else "f64"
    file = foreign(tmp_path / "x.rgu", np.clip(values, 0.0, 1.0), store)
    with open_rgu(file) as base:
        assert (base.gap, base.bound) == (None, None)
        worst = float(np.abs(base.layer((0, 0)) - truth).max())
        found = check_tablebase(base, threads=1)
        assert found.bounded
        assert not found.contradicted
        assert found.residual is not None
        assert found.bound is not None
        assert worst <= found.bound + 1e-15  # which the fractions were rounded by
        assert found.bound <= worst + max(1e-12, 0.02 * found.residual)


def test_a_residual_is_no_bound(tmp_path: Path, truth: Values) -> None:
    """Values that favour who is ahead are off by more than a sweep changes."""
    order = LayerOrder(ONE)
    states = [order.position((0, 0), rank) for rank in range(len(truth))]
    ahead = np.array([sum(state.light) - sum(state.dark) for state in states])
    values = np.clip(truth + 1e-4 * ahead, 0.0, 1.0)
    with open_rgu(foreign(tmp_path / "x.rgu", values)) as base:
        found = check_tablebase(base, threads=1)
    worst = float(np.abs(values - truth).max())
    assert found.residual is not None
    assert found.bound is not None
    assert 1.4 * found.residual < worst <= found.bound < 1.1 * worst


@pytest.mark.parametrize("values", list(ROUNDED))
@pytest.mark.parametrize("store", list(STORES))
def test_rounding_lies_within_the_bounds_of_our_own_files(
    tmp_path: Path, truth: Values, store: str, values: str
) -> None:
    file = tmp_path / "x.urcx"
    write_tablebase(file, LayerOrder(ONE), lambda _: (truth, 1e-15), store)
    with open_tablebase(file) as base:
        assert base.gap == 1e-15
        assert base.bound is not None
        assert np.abs(decode_values(base.layer((0, 0)), store) - truth).max() <= base.bound
        assert base.bound <= {"f64": 2e-15, "f32": 3e-8, "u16": 7.63e-6}[store]
        checked = check_tablebase(base, threads=1)
        assert (checked.contradicted, checked.damaged) == (False, ())
        assert checked.residual is not None
        assert checked.residual <= 2 * base.bound + 1e-14
        export_rgu(base, tmp_path / "x.rgu", values)
        with open_rgu(tmp_path / "x.rgu") as found:
            exact = (store, values) == ("u16", "percent16")  # both in 65,535ths
            bound = exported_bound(base, values)
            assert bound == base.bound + (0 if exact else ROUNDED[values])
            assert np.abs(found.layer((0, 0)) - truth).max() <= bound
            for rank in (0, 50, len(truth) - 1):
                position = base.order.position((0, 0), rank)
                assert found.probe(position) == found.layer((0, 0))[rank]
                assert not exact or found.probe(position) == base.probe(position)
            assert not check_tablebase(found, threads=1).contradicted


@pytest.mark.jit
def test_the_opening_of_two_pieces_lies_between_the_bounds(tmp_path: Path) -> None:
    """Stored as u16 it is off by 4.95e-6, which the bounds once left out."""
    two = replace(ONE, pieces=2)
    for store, least in (("f64", 0.0), ("u16", 4.9e-6)):
        file = tmp_path / f"{store}.urcx"
        found = solve(two, file, store=store)
        with open_tablebase(file) as base:
            assert base.bound is not None
            assert base.bound == found.bound
            assert least <= abs(base.probe(START) - OPENING_OF_TWO) <= base.bound + 5e-13
            export_rgu(base, tmp_path / f"{store}.rgu", "percent16")
        with open_rgu(tmp_path / f"{store}.rgu") as base:
            checked = check_tablebase(base)
            assert checked.bound is not None
            assert abs(base.probe(START) - OPENING_OF_TWO) <= checked.bound < 8e-6


@pytest.mark.jit
@pytest.mark.skipif(not PUBLISHED.is_file(), reason="URCX_FINKEL2P_RGU names no file")
def test_the_published_file_is_bounded(tmp_path: Path) -> None:
    file = Path(shutil.copy(PUBLISHED, tmp_path / "two.rgu"))
    with open_rgu(file) as base:
        assert base.claimed == pytest.approx(7.62939453125e-8)
        assert base.bound is None
        found = check_tablebase(base)
        assert found.bound is not None
        # Far more than what it says that it last changed by.
        assert 4.9e-6 < abs(base.probe(START) - OPENING_OF_TWO) <= found.bound < 8e-6


def test_a_recorded_bound_can_be_contradicted(tmp_path: Path, truth: Values) -> None:
    file = tmp_path / "x.urcx"
    values = truth.copy()
    values[100] += 1e-3
    write_tablebase(file, LayerOrder(ONE), lambda _: (values, 1e-9), "f64")
    with open_tablebase(file) as base:
        found = check_tablebase(base, threads=1)
        assert found.contradicted
        assert found.bound == 1e-9


def test_without_memory_precision_stays_unknown(
    tmp_path: Path, truth: Values, monkeypatch: pytest.MonkeyPatch
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemAvailable: 1000 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", meminfo)
    with open_rgu(foreign(tmp_path / "x.rgu", truth)) as base:
        found = check_tablebase(base, threads=1)
        assert found.bound is None
        assert "of memory, and 1 MB are free" in found.why
        assert found.residual is not None


@pytest.mark.jit
def test_what_is_stored_within_the_bound_is_equal(tmp_path: Path) -> None:
    rules = replace(catalogue.ruleset("finkel"), pieces=2)
    file = tmp_path / "two.urcx"
    solve(rules, file, store="u16")
    with urcx.open_tablebase(file) as base:
        found = closeness(LayerOrder(rules), TablebaseLayers(base), tolerances=(2e-5, 1e-5))
    step = 1 / 65535
    assert found.equal == found.within[2e-5] > found.within[1e-5] > 0
    assert found.least is not None
    assert found.least == pytest.approx(2 * step, rel=1e-9)


@pytest.mark.parametrize("rules", [own("tiny"), own("wings"), *SIZES], ids=lambda rules: rules.name)
def test_gaps_by_the_rules_in_words(rules: RuleSet) -> None:
    tolerances = (2.0, 0.2, 0.05, 1e-3)
    order, store = LayerOrder(rules), MemoryStore()
    store.layers = solve(rules, keep=True).layers

    def of_mover(at: Position) -> float:
        layer, rank = order.place(at)
        return float(store.layers[layer][0][rank])

    light, gaps = naive.light_wins(rules, of_mover), {}
    for layer in order.layers:
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            for roll in rules.dice.rolls:
                values = sorted(
                    float(light(item[2])) for item in naive.moves(position, roll, rules)
                )
                if len(values) > 1:
                    gaps[position, roll] = values[-1] - values[-2]  # light is to move
    found, other = (closeness(order, store, tolerances=tolerances, threads=n) for n in (1, 2))
    assert (other.choices, other.equal, other.within, other.least) == (
        found.choices, found.equal, found.within, found.least,
    )  # fmt: skip
    assert found.choices == len(gaps)
    assert found.equal == sum(gap < 1e-12 for gap in gaps.values())
    within = {most: sum(gap < most for gap in gaps.values()) for most in tolerances}
    assert found.within == within
    assert within[2.0] == len(gaps) > within[1e-3]
    different = {key: gap for key, gap in gaps.items() if gap >= 1e-12}
    assert found.least == pytest.approx(min(different.values()), rel=1e-9)
    assert found.position is not None
    assert found.roll is not None
    assert different[found.position, found.roll] == pytest.approx(found.least, rel=1e-9)
    assert found.gap == max(gap for _, gap in store.layers.values())


def test_moves_of_all_rolls_the_best_first(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        found = probe(base, "5/9/0-0/L")
        assert found.value == base.probe("5/9/0-0/L")
        assert [item.roll for item in found.moves] == [0, 1, 2, 3, 4]
        passed, *rest = found.moves
        assert (passed.best, passed.only) == (None, False)
        assert all(item.only for item in rest)
        assert found.winner is None
        assert [item.roll for item in probe(base, "5/9/0-0/L", 3).moves] == [3]


def test_bounds_stay_between_0_and_1(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        assert base.bound is not None
        found = probe(base, "5/9/0-0/L")
        assert found.lower == found.value - base.bound
        assert found.upper == found.value + base.bound
        sure = replace(found, value=1.0)
        assert sure.upper == 1.0
        assert sure.lower == 1.0 - base.bound
        unknown = replace(found, bound=None)
        assert (unknown.lower, unknown.upper) == (None, None)


def test_a_finished_game_is_certain(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base:
        found = probe(base, "-/9/1-0/D")
        assert (found.winner, found.value, found.bound, found.moves) == ("light", 0.0, 0.0, ())
        assert (found.lower, found.upper) == (0.0, 0.0)
        assert probe(base, "9/-/0-1/D").winner == "dark"
        with pytest.raises(PositionError, match="all pieces of both"):
            probe(base, "-/-/1-1/L")


def test_a_roll_that_the_dice_cannot_give(one_piece: Path) -> None:
    with open_tablebase(one_piece) as base, pytest.raises(UsageError):
        probe(base, "5/9/0-0/L", 9)
