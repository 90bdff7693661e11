"""Training by Simple AlphaGo Zero: the loss and its gradient, iterations, gating, resuming.

These tests need JAX and optax, and are not skipped without them.
"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive_search import outputs

from urcx.agents.networks import Network, number_of_inputs
from urcx.contrib.learning import alphazero_kernels as kernels
from urcx.contrib.learning import alphazero_training as training
from urcx.contrib.learning.alphazero import (
    AlphaZeroSession,
    AlphaZeroSettings,
    batches_of,
    examples_for,
    network_from,
    parameters_for,
)
from urcx.contrib.learning.checkpoints import Checkpoint, read_checkpoint, take_up, write_checkpoint
from urcx.engine.files.sealed import Members
from urcx.errors import UsageError
from urcx.reading import install_command
from urcx.rules import catalogue

pytestmark = pytest.mark.jit

TWO = catalogue.ruleset(replace(catalogue.ruleset("finkel"), pieces=2))
MOVES = TWO.path.length + 1
TINY = AlphaZeroSettings(
    iterations=4, games=12, simulations=4, gate_games=10, window=700, batch=16, epochs=1, units=6
)
Batch = tuple[np.ndarray[Any, Any], ...]


def _batch(number: int, *, seed: int = 1) -> Batch:
    """Random examples, some of them without a choice."""
    random = np.random.default_rng(seed)
    inputs = (random.random((number, number_of_inputs(TWO))) < 0.3).astype(np.float32)
    rolls = random.integers(0, 4, number).astype(np.int32)
    legal = random.random((number, MOVES)) < 0.2
    legal[::3] = False
    legal[1::3, 2:4] = True
    shares = np.where(legal, random.random((number, MOVES)), 0).astype(np.float32)
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-9)
    results = random.choice([-1.0, 1.0], number).astype(np.float32)
    return inputs, rolls, legal, shares, results


def _parameters(later: int = 0) -> dict[str, Any]:
    found = parameters_for(TWO, replace(TINY, later=later), 2)
    found["last"] *= 10
    found["policy"] *= 10
    found["policy_bias"][:] = np.linspace(-1, 1, len(found["policy_bias"]))
    return found


def _loss(network: Network, batch: Batch) -> tuple[float, float]:
    """The two losses by their definition, an example at a time."""
    inputs, rolls, legal, shares, results = batch
    values, logits = outputs(network, inputs.astype(float))
    squares, crosses = [], []
    for k in range(len(inputs)):
        squares.append((values[k] - results[k]) ** 2)
        moves = np.flatnonzero(legal[k])
        of_roll = logits[k].reshape(4, MOVES)[rolls[k]]
        weights = np.exp(of_roll[moves])
        crosses.append(-sum(shares[k][moves] * np.log(weights / weights.sum())))
    return float(np.mean(squares)), float(np.mean(crosses))


@pytest.mark.parametrize("activation", ["squared", "clipped"])
@pytest.mark.parametrize("later", [0, 3])
def test_the_loss_is_that_of_its_definition(later: int, activation: str) -> None:
    parameters, batch = _parameters(later), _batch(30)
    found = training.losses(parameters, batch, squared=activation == "squared")
    expected = _loss(network_from(TWO, parameters, activation), batch)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_a_step_follows_the_gradient_of_loss_and_penalty() -> None:
    """One step of Adam moves each weight by the rate, against the sign of its slope."""
    parameters, batch = _parameters(3), _batch(30)
    decay, rate, step = 0.01, 1e-3, 1e-3
    begun, train = training.trainer(decay, squared=True)
    moved, _, losses = train(
        parameters, begun(parameters), np.float32(rate), tuple(array[None] for array in batch)
    )
    assert losses.shape == (2, 1)
    checked = 0
    for name, array in parameters.items():
        places = np.random.default_rng(3).choice(array.size, min(array.size, 4), replace=False)
        for place in places:
            total = []
            for sign in (1, -1):
                others = {key: value.astype(float) for key, value in parameters.items()}
                others[name].flat[place] += sign * step
                network = network_from(TWO, others, "squared")
                weights = sum(
                    (value**2).sum() for key, value in others.items() if "bias" not in key
                )
                total.append(sum(_loss(network, batch)) + decay * weights)
            slope = (total[0] - total[1]) / (2 * step)
            if abs(slope) < 2e-4:
                continue
            change = np.asarray(moved[name]).flat[place] - array.flat[place]
            assert change == pytest.approx(-rate * np.sign(slope), rel=0.05), (name, place)
            checked += 1
    assert checked > 15


def test_steps_make_the_loss_of_known_examples_small() -> None:
    """Weights in proportion to a position's inputs can be learned by heart."""
    parameters: Any = parameters_for(TWO, replace(TINY, units=32), 2)
    batch = _batch(24)
    begun, train = training.trainer(0.0, squared=True)
    state = begun(parameters)
    same = tuple(np.repeat(array[None], 400, axis=0) for array in batch)
    _, _, losses = train(parameters, state, np.float32(0.01), same)
    floor = -np.sum(batch[3] * np.log(np.where(batch[3] > 0, batch[3], 1))) / 24
    assert losses[0, -1] < 0.05 < losses[0, 0]
    assert losses[1, -1] < floor + 0.05 < losses[1, 0]


def test_values_learn_results_and_in_part_the_searchs_mean() -> None:
    examples = examples_for(TWO, 2)
    # Two pieces on steps 4 and 5 and a roll of 1: only the front one may move; of 2: both.
    examples.positions[:, 0] = 0b11000
    examples.positions[:, kernels.ROLL] = 1, 2
    examples.positions[:, kernels.RESULT] = 1, -1
    examples.targets[1, [4, 5]] = 3, 1
    examples.means[1] = 0.5
    drawn = np.array([0, 1])
    settings = replace(TINY, batch=2)
    inputs, rolls, legal, shares, values = batches_of(TWO, examples, drawn, settings)
    assert inputs.shape == (1, 2, number_of_inputs(TWO))
    assert rolls[0].tolist() == [0, 1]
    assert legal[0].sum(axis=1).tolist() == [0, 2]
    assert shares[0, 1, [4, 5]].tolist() == [0.75, 0.25]
    assert values[0].tolist() == [1, -1]
    values = batches_of(TWO, examples, drawn, replace(settings, bootstrap=0.25))[-1]
    assert values[0].tolist() == [1, -0.625]


def _weights(network: Network) -> list[np.ndarray[Any, Any]]:
    assert network.policy is not None
    return [network.first, network.last, network.policy]


def _equal(one: Network, other: Network) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(_weights(one), _weights(other), strict=True))


def test_a_training_that_goes_on_from_a_checkpoint_ends_the_same(tmp_path: Path) -> None:
    whole = AlphaZeroSession(TWO, TINY, 5, 2)
    for _ in range(4):
        whole.advance()
    assert whole.figures()["games"] == 48
    assert whole.figures()["positions"] > TINY.window  # which has been written over
    first = AlphaZeroSession(TWO, TINY, 5, 1)
    for _ in range(2):
        first.advance()
    file = tmp_path / "two.checkpoint"
    arrays = {name: kept.array for name, kept in first.arrays().items()}
    write_checkpoint(file, Checkpoint({}, first.counters(), arrays))
    found = read_checkpoint(file)
    second = AlphaZeroSession(TWO, TINY, 5, 1)
    take_up(second.arrays(), found.arrays, "it")
    second.restore(Members(found.counters, "it"))
    while second.done < second.total:
        second.advance()
    assert second.figures() == whole.figures()
    assert second.losses == whole.losses
    for name, kept in second.arrays().items():
        assert np.array_equal(kept.array, whole.arrays()[name].array), name
    other = AlphaZeroSession(TWO, TINY, 6, 1)
    assert not _equal(other.network(), AlphaZeroSession(TWO, TINY, 5, 1).network())


def test_the_gate_decides_which_network_plays_on() -> None:
    never = AlphaZeroSession(TWO, replace(TINY, gate=1.0), 1, 1)
    begun = never.network()
    never.advance()
    assert never.figures()["accepted"] == 0
    assert _equal(never.network(), begun)
    always = AlphaZeroSession(TWO, replace(TINY, gate=0.0), 1, 1)
    always.advance()
    assert always.figures()["accepted"] == 1
    assert not _equal(always.network(), begun)
    # The training of a rejected network continues.
    assert np.array_equal(never.arrays()["now_first"].array, always.arrays()["now_first"].array)
    without = AlphaZeroSession(TWO, replace(TINY, gate=1.0, gate_games=0), 1, 1)
    without.advance()
    assert without.figures()["accepted"] == 1


def test_without_jax_a_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "urcx.contrib.learning.alphazero_training")
    monkeypatch.setitem(sys.modules, "jax", None)
    expected = "needs jax.*" + re.escape(install_command("learn"))
    with pytest.raises(UsageError, match=expected):
        AlphaZeroSession(TWO, TINY, 1, 1)
