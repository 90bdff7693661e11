"""The array of a pair of layers: how it is divided, turned, bounded and swept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from own_rules import own, small

import urcx
from urcx.complexity.tiles import conventions
from urcx.engine.move_kernels import PIECES, legal_starts, make_move
from urcx.engine.vector_types import LANES
from urcx.enumerate.rankings import pattern_kernels
from urcx.enumerate.rankings.ranking import layer_obstacle
from urcx.errors import OutOfDomainError, UrcxError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.solving.layered import certificate, convergence
from urcx.solving.layered.certificate import certify, raise_values
from urcx.solving.layered.kernels import GRID
from urcx.solving.layered.order import Layer, LayerOrder
from urcx.solving.layered.pair import LayerPair
from urcx.solving.layered.solver import solve_layers
from urcx.solving.layered.stores import MemoryStore
from urcx.sweeps import acceleration, blocks
from urcx.sweeps.blocks import cuts_of, waves_of

PAIR = ((1, 0), (0, 1))


@pytest.mark.parametrize("parts", [1, 2, 4, 7])
def test_cuts_divide_all_into_about_equal_parts(parts: int) -> None:
    weights = np.array([1, 5, 2, 2, 8, 1, 1, 4, 6, 3, 3, 2, 7, 1, 2])
    cuts = cuts_of(np.cumsum(weights), parts)
    assert len(cuts) == parts + 1
    assert (cuts[0], cuts[-1]) == (0, len(weights))
    sums = [weights[begin:end].sum() for begin, end in zip(cuts, cuts[1:], strict=False)]
    assert max(abs(each - weights.sum() / parts) for each in sums) <= weights.max()


def test_cuts_of_few_patterns_are_different() -> None:
    assert cuts_of(np.array([10]), 4) == [0, 1]
    assert cuts_of(np.array([], np.int64), 4) == [0]


def test_every_state_is_turned_to_the_one_with_the_sides_exchanged() -> None:
    order = LayerOrder(own("wings"))  # rows and columns of a pattern differ, and pass a vector
    pair = LayerPair(order, PAIR, 1)
    values = np.zeros(pair.size)
    values[: pair.states] = np.random.default_rng(1).random(pair.states)
    pair.update_turned(values)
    for layer in PAIR:
        v, u = pair.at["V", layer], pair.at["U", layer[::-1]]
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            other, turned = order.place(type(position)(position.dark, position.light, layer[::-1]))
            assert other == layer[::-1]
            assert values[u + turned] == -values[v + rank]


@pytest.mark.parametrize("threads", [1, 2])
def test_layers_are_brought_into_the_order_of_sweeps_and_back(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "LEAST_PART", 5)  # several parts
    order, store = LayerOrder(own("wings")), MemoryStore()
    solve_layers(order.rules, store, threads=1)
    pair, plain = (LayerPair(order, PAIR, threads, grouped=grouped) for grouped in (True, False))
    values, gap = pair.solved(store)
    others, same_gap = plain.solved(store)
    assert gap == same_gap
    assert np.array_equal(np.sort(values), np.sort(others))
    assert not np.array_equal(values, others)
    for layer in PAIR:
        at = slice(pair.at["V", layer], pair.at["V", layer] + order.size(layer))
        stored = np.empty(order.size(layer))
        pair.rearrange(layer, values[at].__getitem__, stored, stored=False)
        assert np.array_equal(stored, others[at])
        pattern = order.by_group[order.offsets(layer, grouped=True)[order.by_group] >= 0]
        assert (np.diff(order.lane[1][pattern]) >= 0).all()
    assert max(pair.sweep(values, kept=False)) < 1e-15
    assert max(plain.sweep(others, kept=False)) < 1e-15


def test_a_gap_is_the_widest_of_the_later_layers_that_are_read() -> None:
    order, store = LayerOrder(own("tiny")), MemoryStore()
    for layer, gap in {(1, 1): 0.25, (1, 0): 0.5, (0, 1): 0.125, (0, 0): 1.0}.items():
        store.put(layer, np.zeros(order.size(layer)), gap)
    # Twice that of the store, as the scale is from -1 to 1.
    assert LayerPair(order, ((1, 1),), 1).gap(store) == 0.0
    assert LayerPair(order, PAIR, 1).gap(store) == 0.5
    assert LayerPair(order, ((0, 0),), 1).gap(store) == 0.25


def test_every_sweep_is_told() -> None:
    order, told = LayerOrder(own("tiny")), []
    pair = LayerPair(order, ((1, 1),), 1)
    values = pair.fill(MemoryStore(), np.zeros(pair.size))
    pair.swept = lambda: told.append(values.copy())
    pair.sweep(values)
    pair.sweep(values)
    assert len(told) == 2
    assert (told[0] != told[1]).any()


def test_waves_are_cut_between_groups_and_small_ones_are_joined(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(blocks, "LEAST_PART", 2)
    monkeypatch.setattr(blocks, "MOST_ALONE", 9)
    states = np.array([5, 5, 5, 5, 3, 3, 3, 4, 4, 4, 6, 6])
    new_wave = np.array([0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0], bool)
    new_group = new_wave | np.array([0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1], bool)
    new_half = np.array([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0], bool)
    many = waves_of(states, [new_group, new_wave, new_half], 4)
    # 5 5 | 5 | 5, then 3 3 and 3 alone, together; a new half: 4 | 4 4, then 6 | 6.
    assert many == [[0, 2, 3, 4], [4, 7], [7, 8, 10], [10, 11, 12]]
    for threads in (1, 2):
        few = waves_of(states, [new_group, new_wave, new_half], threads)
        assert [(wave[0], wave[-1]) for wave in few] == [(0, 4), (4, 7), (7, 10), (10, 12)]


# Long rows and short ones, and captures that grant an extra roll, always or on rosettes.
KINDS = [
    small("finkel", 2),
    replace(small("finkel", 2), name="more-rolls", capture_grants_roll=True),
    small("blitz", 2),
    small("masters", 2),
]


@pytest.mark.parametrize("rules", KINDS, ids=lambda rules: f"{rules.name}-{rules.pieces}")
@pytest.mark.jit
def test_extra_rolls_lead_to_the_same_group_or_another_part(rules: RuleSet) -> None:
    """Otherwise two threads might read and write the same value at the same time."""
    order = LayerOrder(rules)
    ways = order.tables.ways
    group, part = order.groups
    stays = leaves = 0
    for layer in [(0, 0), (1, 0), (0, 1)]:
        for rank in range(0, order.size(layer), 5):
            position = order.position(layer, rank)
            own, dark = (
                sum(1 << step - 1 for step in steps) for steps in (position.light, position.dark)
            )
            pool = ways[0, PIECES] - len(position.light) - layer[0]
            before = pattern_of(order, own, dark)
            for roll in order.tables.rolls:
                left = int(legal_starts(ways, 0, pool, own, dark, roll))
                for start in (k for k in range(left.bit_length()) if left >> k & 1):
                    mine, theirs, home, again = make_move(
                        ways, 0, own, dark, layer[0], start, start + roll
                    )
                    if not again or home != layer[0]:
                        continue
                    after = pattern_of(order, int(mine), int(theirs))
                    if after != before:
                        assert group[after] == group[before] or part[after] != part[before]
                        stays += group[after] == group[before]
                        leaves += part[after] != part[before]
    assert stays + leaves > 100


def pattern_of(order: LayerOrder, own: int, dark: int) -> int:
    parts = (order.spread(0, own), order.spread(1, dark))
    return sum(part & pattern_kernels.PATTERN_MASK for part in parts)


@pytest.mark.parametrize(
    "rules",
    [own("wings"), own("tiny", capture_grants_roll=True)]
    + [pytest.param(rules, marks=pytest.mark.jit) for rules in (own("corner", pieces=4), KINDS[0])]
    + [pytest.param(rules, marks=[pytest.mark.jit, pytest.mark.slow]) for rules in KINDS[1:]],
    ids=lambda rules: f"{rules.name}-{rules.pieces}",
)
def test_threads_change_no_bit(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SMALL", 2)
    monkeypatch.setattr(convergence, "MANY", 2)  # in single precision first
    monkeypatch.setattr(certificate, "BLOCK_OF_STATES", 8 * LANES)
    for name in ("LEAST_PART", "MOST_ALONE"):
        monkeypatch.setattr(blocks, name, 2)  # many parts, even of a small game
    found = []
    for threads in (1, 3):
        store = MemoryStore()
        solved = solve_layers(rules, store, tolerance=1e-9, threads=threads)
        found.append((store.layers, solved.lower, solved.upper, solved.updates))
    (one, *bounds), (many, *others) = found
    assert bounds == others
    for layer, (values, gap) in one.items():
        assert np.array_equal(values, many[layer][0])
        assert gap == many[layer][1]


def test_a_sweep_that_keeps_nothing_tells_how_far_values_are_from_a_solution() -> None:
    order, store = LayerOrder(own("wings")), MemoryStore()
    solve_layers(order.rules, store, threads=1)
    pair = LayerPair(order, PAIR, 1)
    values, _ = pair.solved(store)
    before = values.copy()
    assert max(pair.sweep(values, kept=False)) < 1e-15
    state = pair.at["V", PAIR[0]]
    values[state] += 0.25
    rise, fall = pair.sweep(values, kept=False)
    assert fall == pytest.approx(0.25)
    assert rise < 0.25
    values[state] -= 0.25
    assert np.allclose(values, before, rtol=0, atol=1e-15)


def test_raised_values_are_raised_for_both_sides() -> None:
    order = LayerOrder(own("wings"))
    pair = LayerPair(order, PAIR, 1)
    chance = np.random.default_rng(2)
    values = np.zeros(pair.size)
    values[: pair.states] = GRID * chance.integers(-(2**52), 2**52, pair.states)
    pair.update_turned(values)
    more = np.zeros(pair.size)
    more[: pair.states] = -GRID * chance.integers(0, 2**24, pair.states)
    pair.update_turned(more)  # U has what V of the exchanged sides is raised by, positive
    excess = np.zeros(pair.states + LANES, np.float32)
    excess[: pair.states] = -more[: pair.states]
    raised = values.copy()
    raised[: pair.states] += excess[: pair.states]
    pair.update_turned(raised, excess)
    width = 2 * pair.states
    assert np.array_equal(raised[pair.states : width], (values + more)[pair.states : width])


@pytest.mark.parametrize("layers", [PAIR, ((1, 1),)], ids=["two layers", "one"])
@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_raised_stays_the_same_to_the_last_bit(
    layers: tuple[Layer, ...], threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "FIRST_FOLLOWING", 2)  # changes are followed to their end
    monkeypatch.setattr(certificate, "BLOCK_OF_STATES", 8 * LANES)  # many blocks, the last shorter
    order, store = LayerOrder(own("wings")), MemoryStore()
    solve_layers(order.rules, store, threads=1)
    pair = LayerPair(order, layers, threads, grouped=True)
    values, _ = pair.solved(store)
    base = values[: pair.states] + GRID * 0.25  # not a multiple of it
    values[: pair.states] = base
    excess, sweeps = raise_values(pair, values, 1e-9)
    assert sweeps > 2
    rounded = values[: pair.states] - excess[: pair.states]
    assert np.abs(rounded - base).max() <= GRID / 2
    assert np.array_equal(rounded, np.rint(rounded / GRID) * GRID)
    assert excess[: pair.states].min() > 0.9e-9
    # Every ply adds the small number: one evaluation more changes hardly anything.
    rise, fall = pair.sweep(values, 1e-9, kept=False)
    assert rise <= 1e-10
    assert fall <= 1e-9
    # Values that are off by more than the first margin take several attempts.
    values[0] += GRID * 2**12
    gap, passes = certify(pair, values, excess, 0.0, 1e-9, 1e-13)
    assert passes > 2
    rounded[0] += GRID * 2**12
    assert np.array_equal(values[: pair.states] - excess[: pair.states], rounded)
    assert 0.0 < -excess[: pair.states].max() <= -excess[: pair.states].min() < gap < 1e-9


def test_bounds_that_are_too_wide_for_the_rounding_are_refused() -> None:
    order, store = LayerOrder(own("wings")), MemoryStore()
    solve_layers(order.rules, store, threads=1)
    pair = LayerPair(order, PAIR, 1, grouped=True)
    values, _ = pair.solved(store)
    excess, _ = raise_values(pair, values, 1e-9)
    with pytest.raises(UrcxError, match="do not meet"):
        certify(pair, values, excess, 0.02, 1e-9, 1e-13)


@pytest.mark.parametrize("off", [0.0, 0.5e-6, -0.5e-6])
def test_later_layers_may_be_off_by_their_gap(off: float) -> None:
    order, store, gap = LayerOrder(own("wings")), MemoryStore(), 1e-6
    solve_layers(order.rules, store, threads=1)
    pair = LayerPair(order, PAIR, 1, grouped=True)
    values, _ = pair.solved(store)
    # Values off by half the gap, as both sides see them, agree among each other, but not with the
    # later layers. If these are off by their gap in the other direction, the bound is too small.
    for layer, sign in zip(PAIR, (1.0, -1.0), strict=True):
        values[pair.own(layer)] += sign * off
    pair.update_turned(values)
    excess, _ = raise_values(pair, values, 1e-9)
    if off:
        with pytest.raises(UrcxError, match="do not meet"):
            certify(pair, values, excess, gap, 1e-9, 1e-9, 1)
    else:
        assert gap < certify(pair, values, excess, gap, 1e-9, 1e-9, 1)[0] < gap + 1e-8


@pytest.mark.parametrize("most", [1, convergence.MOST_COARSE])
@pytest.mark.parametrize(
    "rules",
    [own("wings"), pytest.param(small("finkel", 2), marks=pytest.mark.jit)],
    ids=["wings", "finkel"],
)
def test_single_precision_first_leads_to_the_same_values(
    rules: RuleSet, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(convergence, "MOST_COARSE", most)
    order, plain, coarse = LayerOrder(rules), MemoryStore(), MemoryStore()
    solve_layers(rules, plain, threads=1)
    precisions, converge = [], convergence.converge

    def told(pair: LayerPair, values: NDArray[Any], allowed: float) -> int:
        precisions.append(values.dtype)
        return converge(pair, values, allowed)

    monkeypatch.setattr(convergence, "converge", told)
    monkeypatch.setattr(convergence, "MANY", 0)
    found = solve_layers(rules, coarse, threads=2)
    assert precisions == [np.float32, np.float64] * len(order.pairs)
    assert found.gap < 5e-13
    for layer in order.layers:
        (one, gap), (other, other_gap) = plain.layers[layer], coarse.layers[layer]
        assert np.abs(one - other).max() <= gap + other_gap


@pytest.mark.jit
def test_the_last_sweeps_are_few_after_those_in_single_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, sweeps, converge = small("finkel", 2), [], convergence.converge

    def told(pair: LayerPair, values: NDArray[Any], allowed: float) -> int:
        sweeps.append(converge(pair, values, allowed))
        return sweeps[-1]

    monkeypatch.setattr(convergence, "converge", told)
    solve_layers(rules, MemoryStore(), threads=1)
    alone = list(sweeps)
    sweeps.clear()
    monkeypatch.setattr(convergence, "MANY", 0)
    solve_layers(rules, MemoryStore(), threads=1)
    # What was found in single precision is what the rest begins with: nothing is lost on the way.
    assert all(last < 0.8 * one for last, one in zip(sweeps[1::2], alone, strict=True))


@pytest.mark.parametrize("threads", [1, 3])
def test_values_are_widened_in_place(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convergence, "BLOCK_OF_STATES", 7)
    for number, more in ((1, 0), (2, 1), (1000, 0), (1000, 333), (1001, 2000)):
        values = np.zeros(number + more)
        coarse = values.view(np.float32)[number + more :]
        coarse[:] = np.random.default_rng(number).random(number + more)
        expected = coarse[:number].astype(np.float64)
        convergence._widen(values, coarse, number, threads)
        assert np.array_equal(values[:number], expected)


def test_pairs_of_many_states_keep_fewer_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = own("wings")
    plain = solve_layers(rules, MemoryStore(), threads=1)
    spans = []

    def told(changes: NDArray[np.float32], *rest: Any) -> None:
        spans.append(len(changes))
        acceleration.extrapolate(changes, *rest)

    monkeypatch.setattr(convergence, "extrapolate", told)
    solve_layers(rules, MemoryStore(), threads=1)
    assert set(spans) == {convergence.SPAN, convergence.SPAN + 1}
    spans.clear()
    monkeypatch.setattr(convergence, "LARGE", 0)
    found = solve_layers(rules, MemoryStore(), threads=1)
    assert set(spans) == {convergence.LEAST_SPAN}
    assert abs(found.opening - plain.opening) <= found.gap + plain.gap
    assert found.sweeps > plain.sweeps


@pytest.mark.parametrize("rules", [own("tiny"), own("wings")], ids=lambda rules: rules.name)
def test_states_far_along_the_shared_tiles_come_first(rules: RuleSet) -> None:
    order, path = LayerOrder(rules), rules.path
    shared = {step for step, tile in enumerate(path.light, start=1) if tile in path.dark}
    for layer in order.layers:
        positions = [order.position(layer, rank) for rank in range(order.size(layer))]
        along = [sum(step for step in (*p.light, *p.dark) if step in shared) for p in positions]
        assert along == sorted(along, reverse=True)
        assert along[0] > along[-1] == 0


@pytest.mark.parametrize(
    "rules",
    [small("finkel", 2), small("masters", 1), small("aseb", 1), own("corner", pieces=4)],
    ids=lambda rules: rules.name,
)
def test_the_order_numbers_every_state_once(rules: RuleSet) -> None:
    order = LayerOrder(rules)
    shared = set(rules.path.light) & set(rules.path.dark)
    shared_steps = {step for step, tile in enumerate(rules.path.dark, start=1) if tile in shared}
    seen, rows = set(), set()
    for layer in order.layers:
        for rank in range(order.size(layer)):
            position = order.position(layer, rank)
            assert order.place(position) == (layer, rank)
            assert order.place(position.turned()) == (layer, rank)
            seen.add(position)
            rows.add((layer, position.light, frozenset(shared_steps & {*position.dark})))
    ranking = urcx.ranking(rules.path, rules.pieces, convention="mover-view")
    unfinished = {
        p for k in range(ranking.size) if rules.pieces not in (p := ranking.unrank(k)).home
    }
    assert seen == unfinished
    assert sum(order.extent(layer)[0] for layer in order.layers) == len(rows)


@pytest.mark.parametrize(
    ("name", "pieces"), [("finkel", 3), pytest.param("finkel", 20, marks=pytest.mark.jit)]
)
def test_layers_beyond_the_steps_share_their_offsets(name: str, pieces: int) -> None:
    chosen = replace(catalogue.ruleset(name), pieces=pieces)
    order = LayerOrder(chosen)
    counted = conventions(chosen.path, pieces)["diagrams, finished left out"]
    assert sum(order.size(layer) for layer in order.layers) == counted
    assert len(order._offsets) <= (chosen.path.length + 1) ** 2


def test_layers_are_for_paths_alike_for_both_sides_and_crossed_once() -> None:
    tiny = own("tiny")
    back = replace(tiny.path, light=(*tiny.path.light, "B2"), dark=(*tiny.path.dark, "B2"))
    shorter = replace(tiny.path, dark=tiny.path.dark[:-1])
    assert not layer_obstacle(tiny)
    assert back.symmetric
    assert layer_obstacle(replace(tiny, path=back)) == "the path tiny crosses tiles more than once"
    assert shorter.crossed_once
    assert "differs" in layer_obstacle(replace(tiny, path=shorter))
    for path in (back, shorter):
        with pytest.raises(OutOfDomainError):
            LayerOrder(replace(tiny, path=path))
