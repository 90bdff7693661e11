from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import own

import urcx
from urcx.contrib.extremes import longest, prolonging
from urcx.contrib.extremes.part_values import PartValues
from urcx.contrib.extremes.parts import Part, last_tiles, part_size, parts_of
from urcx.contrib.extremes.prolonging import least_and_most, settle_pair
from urcx.errors import OutOfDomainError, UrcxError, UsageError
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.sweeps.blocks import Values
from urcx.sweeps.layout_kernels import MARGIN
from urcx.sweeps.sweep_kernels import LEAVES

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
least_of_pair = importlib.import_module("longest_game").least_of_pair


def in_fractions(rules: RuleSet) -> Fraction:
    """Return the longest mean of a rule set, by policy iteration in fractions."""
    states = [at for at in naive.by_progress(rules) if at.light_to_move]
    number = {at: k for k, at in enumerate(states)}
    number |= {naive.exchanged(at): k for at, k in number.items()}
    games = [naive.rolled(at, rules) for at in states]
    plies: dict[Position, Fraction] = dict.fromkeys(number, Fraction(0))
    while True:
        rows = []
        for rolls in games:
            weights: dict[int, Fraction] = {}
            for chance, after in rolls:
                to = max(after, key=lambda at: plies.get(at, Fraction(0)))
                if to in number:
                    weights[number[to]] = weights.get(number[to], Fraction(0)) + chance
            rows.append((Fraction(1), weights))
        solved = naive.eliminated(rows)
        renewed = {at: solved[k] for at, k in number.items()}
        if renewed == plies:
            return plies[Position()]
        plies = renewed


def with_dice(name: str, pieces: int = 1, **chances: Fraction) -> RuleSet:
    """Return test rules with other dice: the probability of each roll, by r and its number."""
    rolls = tuple(int(roll[1:]) for roll in chances)
    dice = urcx.Dice("own", "own", rolls, tuple(chances.values()))
    return replace(own(name, pieces=pieces), dice=dice)


def slow_dice(name: str, chance: Fraction) -> RuleSet:
    """Return rules whose dice show 1 or 2 with given probabilities, and otherwise 0."""
    return with_dice(name, r0=1 - chance, r1=chance / 2, r2=chance / 2)


TINY, LESS = Fraction(1, 2**30), Fraction(1, 2**36)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("rules", "tolerance", "least", "most"),
    [
        *((own(name, pieces=n), by, 0.0, 3 * by)
          for name, n in (("short", 1), ("corner", 2), ("tiny", 1)) for by in (1e-9, 0.1)),
        # Games of more than 10^12 plies.
        (slow_dice("tiny", Fraction(1, 2**40)), 1e-7, 0.0, 3e-7),
        (slow_dice("short", Fraction(1, 2**40)), 1e-7, 0.0, 3e-7),
        # Extrapolated values are clipped, and wrong values do not pass as small ones.
        (with_dice("short", r3=1 - TINY - LESS, r5=LESS, r2=TINY), 1e-6, 0.0, 1.0),
        # Probabilities that are not floats widen the bounds.
        (slow_dice("short", Fraction(1, 3**18)), 1e-9, 1e-7, 1.0),
        # Values that do not settle as floats settle as double-doubles.
        (slow_dice("tiny", Fraction(1, 3**22)), 0.01, 0.0, 1.0),
    ],
    ids=lambda one: one.name if isinstance(one, RuleSet) else str(one),
)  # fmt: skip
def test_bounds_hold_the_longest_mean_in_fractions(
    rules: RuleSet, tolerance: float, least: float, most: float
) -> None:
    found = longest(rules, tolerance=tolerance)
    assert Fraction(found.lower) <= in_fractions(rules) <= Fraction(found.upper)
    assert least <= (found.upper - found.lower) / found.mean < most


@pytest.mark.jit
def test_values_raised_from_nothing_stay_below() -> None:
    order = LayerOrder(urcx.ruleset("finkel", pieces=2))
    best = longest(order.rules, tolerance=1e-9)
    start = order.place(Position())[1]
    before = 0.0
    for sweeps in (3, 20, 400):
        values: dict[Layer, Values] = {}
        for layers in order.pairs:
            values |= least_of_pair(order, layers, values.__getitem__, sweeps, 1)
        found = float(values[0, 0][start])
        assert before < found < best.lower
        before = found
    assert before == pytest.approx(best.mean, rel=1e-5)


@pytest.mark.jit
def test_moves_are_plies_that_are_no_passes() -> None:
    rules = own("tiny", pieces=1)
    order = LayerOrder(rules)
    counted = {}
    none: dict[Layer, Values] = {}
    for unit in ("plies", "moves"):
        (layers,) = order.pairs
        pair = settle_pair(order, layers, none.__getitem__, 1e-9, 1, unit=unit)
        counted[unit] = pair.values[0, 0]
    for unit, values in counted.items():
        for k, value in enumerate(values):
            at = order.position((0, 0), k)
            total = 0.0
            for chance, after in naive.rolled(at, rules):
                worth = [0.0 if 1 in to.home else values[order.place(to)[1]] for to in after]
                counts = unit == "plies" or after != [naive.passed(at)]
                total += float(chance) * (max(worth) + counts)
            assert value == pytest.approx(total, rel=1e-7)
    assert (counted["moves"] < counted["plies"]).all()


@pytest.mark.parametrize(("name", "pieces"), [("corner", 2), ("short", 1), ("tiny", 1)])
def test_every_state_is_in_one_part(name: str, pieces: int) -> None:
    order = LayerOrder(own(name, pieces=pieces))
    for layers in order.pairs:
        pair = LayerPair(order, layers, 1)
        values = pair.filled(lambda layer: np.ones(order.size(layer)))
        taken = np.zeros(pair.states, np.int64)
        for kind in last_tiles(order).kinds(layers):
            part = Part(pair, kind, values)
            assert part.states == part_size(order, layers, kind)
            if part.states:
                taken += part.numbers >= 0
                assert sorted(part.numbers[part.numbers >= 0]) == list(range(part.states))
        assert (taken == 1).all()


@pytest.fixture
def start_pair() -> LayerPair:
    """The first pair of layers of two pieces."""
    return LayerPair(LayerOrder(urcx.ruleset("finkel", pieces=2)), ((0, 0),), 1)


@pytest.mark.jit
@pytest.mark.parametrize("pairs", [False, True])
def test_moves_that_are_kept_are_the_best(pairs: bool, start_pair: LayerPair) -> None:
    """A sweep with stored best moves changes the first entry like the best moves."""
    values = np.random.default_rng(7).random(start_pair.size)
    seen = 0
    for part in parts_of(start_pair, values):
        best, found = PartValues(part, 0.5), PartValues(part, 0.5)
        best.y[:] = found.y[:] = np.random.default_rng(8).random(best.y.shape)
        own = slice(0, int(part.rows.rows[0] * part.rows.columns[0]))
        first = best.y[0, own].copy()
        if pairs:
            found.make_pairs()
        assert found.choose() >= abs(best.y[0, own] - first).max()
        best.renew()
        change = np.zeros(part.states, np.float32)
        found.follow(change)
        new = found.y[0] - 0.5 * pairs
        assert new[own] == pytest.approx(best.y[0, own], abs=1e-15)  # later ones read these
        assert change[own] == pytest.approx(best.y[0, own] - first, abs=1e-7)
        seen |= int(np.bitwise_or.reduce(part.kept.masks))
    assert seen == 0b11


def best_and_kept(part: Part, before: Any, after: Any) -> Iterator[tuple[int, Fraction, Fraction]]:
    """Yield each state, its value by the earlier best moves, and by moves stored in a sweep.

    Values are fractions. A sweep reads the updated values of earlier states.
    """
    chance = [Fraction(float(p)) for p in part.pair.order.tables.chance]
    picks, stride = part.kept.masks, part.kept.stride
    now = before.copy()
    of = part.rows
    for t, begin in enumerate(of.begin):
        rows, width, at = int(of.rows[t]), int(of.columns[t]), int(of.first_op[t])
        for a in range(rows):
            own = int(begin) + a * width
            best, kept = ([Fraction(1)] * width for _ in range(2))
            for r, p in enumerate(chance):
                leaves, stay = divmod(int(of.ops[at]), LEAVES)
                to = of.ops[at + 1 : at + 1 + stay].astype(np.int64)
                exits = int(of.ops[at + 1 + stay]) if leaves else 0
                at += 1 + stay + leaves
                for c in range(width):
                    out = [Fraction(float(part.exits[exits + c]))] * leaves
                    best[c] += p * max([*out, *before[to + c]])
                    move = int(picks[r * stride + MARGIN + own + c]).bit_length() - 1
                    kept[c] += p * (now[to[move] + c] if move < stay else out[0])
            for c in range(width):
                yield own + c, best[c], kept[c]
            now[own : own + width] = after[own : own + width]
        for c in range(width):
            for a in range(rows):
                turned = int(of.turned[t]) + c * rows + a
                now[turned] = after[turned]


@pytest.mark.jit
def test_pairs_of_floats_have_twice_the_digits(start_pair: LayerPair) -> None:
    """Errors of values are less than `PartValues.rounding`, for floats with steps of 16384."""
    parts = parts_of(start_pair, np.full(start_pair.size, 1e20))
    for part in sorted(parts, key=lambda part: part.states)[1:4]:
        found, end = PartValues(part, 0.0), 2 * part.states
        found.make_pairs()
        found.y[0, :end] = 1e20
        found.y[1, : part.states] = np.random.default_rng(9).uniform(-8192, 8192, part.states)
        for of in found.y:
            part.turn(of, of)
        exact = np.vectorize(lambda high, low: Fraction(high) + Fraction(low), otypes=[object])
        before = exact(*found.y[:, :end])
        rounding = Fraction(found.rounding())
        assert 0 < rounding < Fraction(1, 10**9)
        most = found.choose()
        found.follow()
        after = exact(*found.y[:, :end])
        assert (found.y[0] + found.y[1] == found.y[0]).all()
        moved = []
        for at, best, kept in best_and_kept(part, before, after):
            moved.append(abs(best - before[at]))
            assert abs(after[at] - kept) <= rounding
        assert float(max(moved)) == pytest.approx(most, rel=1e-12)
        assert max(abs(before - after)) > 1000
        turned = found.y.copy()
        for of in turned:
            part.turn(of, of)
        assert (turned[:, :end] == found.y[:, :end]).all()


@pytest.mark.jit
def test_floats_become_pairs_without_loss(start_pair: LayerPair) -> None:
    part = next(parts_of(start_pair, np.zeros(start_pair.size)))
    found = PartValues(part, 1e19)
    (floats,) = found.y = -np.random.default_rng(3).random(found.y.shape)
    found.make_pairs()
    for y, high, low in zip(floats, *found.y, strict=True):
        assert Fraction(high) + Fraction(low) == 10**19 + Fraction(y)


@pytest.mark.jit
def test_pairs_of_floats_settle_as_floats_do(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    plain = longest(rules, tolerance=1e-5)
    used = []
    of = PartValues.make_pairs

    def make_pairs(found: PartValues) -> None:
        used.append(found)
        of(found)

    monkeypatch.setattr(PartValues, "make_pairs", make_pairs)
    fine = longest(rules, tolerance=1e-9)
    assert not used
    monkeypatch.setattr(prolonging, "ROUNDED", 1e-13)
    pairs = longest(rules, tolerance=1e-5)
    assert used
    for found in (plain, pairs):
        assert found.lower <= fine.lower <= fine.upper <= found.upper
    monkeypatch.setattr("urcx.sweeps.blocks.SMALL", 500)  # threads share the work
    shared = longest(rules, tolerance=1e-5, threads=2)
    assert (shared.lower, shared.layers) == (pairs.lower, pairs.layers)


@pytest.mark.jit
def test_threads_change_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.sweeps.blocks.SMALL", 10_000)  # threads share the work
    rules = urcx.ruleset("finkel", pieces=3)
    coarse = longest(rules, tolerance=0.01, threads=1)
    one, two = (longest(rules, tolerance=1e-4, threads=threads) for threads in (1, 2))
    assert (one.lower, one.upper) == (two.lower, two.upper)
    assert one.layers == two.layers
    assert coarse.lower <= two.upper
    assert two.lower <= coarse.upper
    assert 844.1 < two.lower < two.upper < 844.4
    assert sum(row.states for row in two.layers) == two.states


def test_bounds_follow_from_the_change() -> None:
    lower, upper = least_and_most(100.0, 0.25)
    assert lower == pytest.approx(80.0)
    assert upper == pytest.approx(400 / 3)
    with pytest.raises(UrcxError, match="change by 1 plies"):
        least_and_most(100.0, 1.0)


def test_what_is_refused() -> None:
    with pytest.raises(UsageError, match=r"tolerance 0\.7: must be from 1e-09 to 0\.5"):
        longest("finkel", tolerance=0.7)
    with pytest.raises(OutOfDomainError, match="murray"):
        longest("murray")


@pytest.mark.jit
def test_sweeps_are_doubled_where_they_do_not_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    plain = longest(rules)
    monkeypatch.setattr(prolonging, "MOST_SWEEPS", 12)
    found = longest(rules)
    assert plain.lower <= found.upper
    assert found.lower <= plain.upper


@pytest.mark.jit
@pytest.mark.parametrize(
    "rules",
    [
        own("stuck"),
        with_dice("tiny", r2=Fraction(1)),
        with_dice("corner", r3=Fraction(1, 5), r6=Fraction(4, 5)),
        with_dice("corner", r4=1 - 2 * TINY, r2=2 * TINY),
    ],
)
def test_games_that_need_not_end_have_no_longest_mean(rules: RuleSet) -> None:
    with pytest.raises(UrcxError, match="may never have to end"):
        longest(rules)


@pytest.mark.jit
def test_plies_are_not_bounded_by_moves_that_cannot_be_made() -> None:
    rules = with_dice("short", 2, r2=Fraction(1))
    assert longest(rules).mean == pytest.approx(12.0)
    with pytest.raises(OutOfDomainError, match="no legal move by any roll"):
        longest(rules, unit="moves")
