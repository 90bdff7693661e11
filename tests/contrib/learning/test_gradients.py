"""Gradients and steps against reference implementations and finite differences."""

import itertools
from typing import cast

import numpy as np
import pytest
from naive_network import last_units
from numpy.typing import NDArray

from urcx.agents.networks import number_of_inputs
from urcx.contrib.learning import weights as in_training
from urcx.contrib.learning.gradient_kernels import (
    BLOCK,
    TALL,
    WIDE,
    Samples,
    Weights,
    add_product,
    network_chances,
)
from urcx.contrib.learning.input_kernels import MoverView, write_inputs
from urcx.contrib.learning.weights import Shape, Trainer, room_for, samples_for, started, views
from urcx.engine.moves import tables
from urcx.errors import UsageError
from urcx.rules import catalogue

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

SHAPES = [
    Shape(inputs, units, later, dense, squared)
    for (inputs, units, later), dense, squared in itertools.product(
        [(9, 5, 0), (9, 20, WIDE + 3)], (0, 2), (False, True)
    )
]


def _batch(shape: Shape, number: int) -> tuple[Samples, Floats]:
    generator = np.random.default_rng(3)
    samples = samples_for(number, 4, shape.dense)
    for n in range(number):
        count = int(generator.integers(0, 5))
        samples.number[n] = count
        samples.active[n, :count] = generator.choice(shape.inputs, count, replace=False)
    samples.dense[:] = generator.normal(size=samples.dense.shape)
    samples.dense[::3] = 0
    return samples, generator.random(number).astype(np.float32)


def _inputs(shape: Shape, samples: Samples) -> Doubles:
    """The inputs of all samples, one row each."""
    rows = np.zeros((len(samples.number), shape.inputs + shape.dense))
    for n, count in enumerate(samples.number):
        rows[n, samples.active[n, :count]] = 1
    rows[:, shape.inputs :] = samples.dense
    return rows


def _logits(shape: Shape, net: Weights, rows: Doubles) -> Doubles:
    units = last_units(net, rows, squared=shape.squared)
    return np.asarray(units @ net.last + net.last_bias[0])


def _loss(shape: Shape, flat: Doubles, rows: Doubles, targets: Floats) -> float:
    chance = 1 / (1 + np.exp(-_logits(shape, views(cast("Floats", flat), shape), rows)))
    return -float(np.mean(targets * np.log(chance) + (1 - targets) * np.log(1 - chance)))


def _started(shape: Shape) -> Floats:
    flat = started(shape, np.random.default_rng(5), 3)
    return flat + np.random.default_rng(6).normal(scale=0.2, size=flat.size).astype(np.float32)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_are_finite_differences(shape: Shape) -> None:
    samples, targets = _batch(shape, 50)
    rows = _inputs(shape, samples)
    trainer = Trainer(shape, _started(shape))
    before = trainer.flat.astype(np.float64)
    loss = trainer.step(samples, targets, 0, 50, 0.01, 10)
    assert loss == pytest.approx(_loss(shape, before, rows, targets), rel=1e-5)
    # After one step Adam's average of gradients is a tenth of the gradient.
    found = trainer.mean * 10
    moves = np.eye(before.size) * 1e-6
    slopes = [
        (_loss(shape, before + move, rows, targets) - _loss(shape, before - move, rows, targets))
        / 2e-6
        for move in moves
    ]
    assert np.abs(slopes).max() > 0.002
    np.testing.assert_allclose(found, slopes, atol=2e-5)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values_are_those_of_the_formula(shape: Shape) -> None:
    samples, _ = _batch(shape, 70)
    flat = _started(shape)
    out = np.zeros(70, np.float32)
    net = views(flat, shape)
    network_chances(net, shape.squared, samples, 0, 70, room_for(shape), out)
    expected = 1 / (1 + np.exp(-_logits(shape, net, _inputs(shape, samples))))
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    assert np.ptp(out) > 0.01


def test_steps_are_those_of_adam_and_do_not_depend_on_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(in_training, "PART", 16)
    shape = Shape(9, 20, WIDE)
    number = 2 * 16 + 7
    samples, targets = _batch(shape, number)
    one = Trainer(shape, _started(shape))
    two = Trainer(shape, _started(shape), threads=2)
    mean = square = np.zeros(one.flat.size)
    average = one.flat.astype(np.float64)
    for step in range(1, 4):
        before = one.flat.copy()
        earlier = one.mean.copy()
        losses = {t.step(samples, targets, 0, number, 0.01, 4) for t in (one, two)}
        assert len(losses) == 1
        gradient = (one.mean.astype(np.float64) - 0.9 * earlier) / 0.1
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        change = 0.01 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        np.testing.assert_allclose(one.flat, before - change, atol=2e-4)
        average = 0.75 * average + 0.25 * one.flat
        np.testing.assert_allclose(one.average, average, rtol=1e-5)
    assert one.flat.tobytes() == two.flat.tobytes()
    assert one.average.tobytes() == two.average.tobytes()


@pytest.mark.parametrize("rows", [1, TALL, 2 * TALL + 3])
@pytest.mark.parametrize("columns", [3, WIDE, 2 * WIDE + 5])
def test_products_are_those_of_matrices(rows: int, columns: int) -> None:
    random = np.random.default_rng(1)
    for turned in (False, True):
        factors = random.normal(size=(7, rows) if turned else (rows, 7)).astype(np.float32)
        terms = random.normal(size=(7, columns)).astype(np.float32)
        sums = random.normal(size=(rows + 1, columns)).astype(np.float32)
        own = factors.T if turned else factors
        expected = sums[:rows] + own.astype(np.float64) @ terms
        after = sums[rows].copy()
        add_product(sums[:rows], own, terms)
        np.testing.assert_allclose(sums[:rows], expected, atol=1e-5)
        assert (sums[rows] == after).all()


def test_values_do_not_depend_on_how_a_batch_is_cut() -> None:
    shape = Shape(9, 20, WIDE)
    number = 2 * BLOCK + 5
    samples, _ = _batch(shape, number)
    net, room = views(_started(shape), shape), room_for(shape)
    whole, single = np.zeros((2, number), np.float32)
    network_chances(net, True, samples, 0, number, room, whole)
    for n in range(number):
        network_chances(net, True, samples, n, n + 1, room, single)
    assert whole.tobytes() == single.tobytes()


def test_inputs_stand_where_networks_have_them() -> None:
    rules = catalogue.ruleset("finkel", pieces=3)
    active = np.zeros(12, np.int16)
    ways = tables(rules).ways
    assert ways[0, 0] == 14
    count = write_inputs(ways, MoverView(0b101, 1, 0b1000000, 0), active)
    found = set(active[:count].tolist())
    # Own pieces on steps 1 and 3, one of the other's on step 7; home 1 and 0; pools 0 and 2.
    assert found == {0, 2, 14 + 6, 28 + 1, 32 + 0, 36 + 0, 40 + 2}
    assert number_of_inputs(rules) == 44


@pytest.mark.parametrize(
    ("small", "large"), [((5, 0), (8, 0)), ((5, 3), (8, 3)), ((5, 3), (8, 7)), ((5, 3), (5, 7))]
)
def test_beginning_with_a_smaller_network_changes_no_value(
    small: tuple[int, int], large: tuple[int, int]
) -> None:
    rules = catalogue.ruleset("finkel", pieces=2)
    inputs = number_of_inputs(rules)
    generator = np.random.default_rng(5)
    narrow, wide = Shape(inputs, *small), Shape(inputs, *large)
    first = Trainer(narrow, started(narrow, generator, 4))
    second = Trainer(wide, started(wide, generator, 4))
    second.begin_with(first.network(rules))
    rows = generator.integers(0, 2, (50, inputs)).astype(np.float64)
    by_wide = _logits(wide, views(second.flat, wide), rows)
    np.testing.assert_allclose(by_wide, _logits(narrow, views(first.flat, narrow), rows), atol=1e-6)
    np.testing.assert_array_equal(second.average, second.flat)
    # Every new unit can still learn: the slopes of its weights are not all 0 after some steps.
    samples, targets = _batch(wide, 40)
    before = views(second.flat.copy(), wide)
    for _ in range(3):
        second.step(samples, targets, 0, 40, 1e-2, 1)
    after = views(second.flat, wide)
    assert np.all(np.any(before.first != after.first, axis=0))
    assert np.all(np.any(before.second != after.second, axis=0))
    assert np.all(before.last != after.last)


@pytest.mark.parametrize("larger", [(9, 3), (8, 4), (8, 0)])
def test_a_larger_network_or_one_of_other_layers_is_refused(larger: tuple[int, int]) -> None:
    rules = catalogue.ruleset("finkel", pieces=2)
    shape, own = Shape(number_of_inputs(rules), 8, 3), Shape(number_of_inputs(rules), *larger)
    network = Trainer(own, started(own, np.random.default_rng(1), 4)).network(rules)
    trainer = Trainer(shape, started(shape, np.random.default_rng(1), 4))
    with pytest.raises(UsageError, match=f"units={larger[0]}, later={larger[1]}, .* more units"):
        trainer.begin_with(network)
