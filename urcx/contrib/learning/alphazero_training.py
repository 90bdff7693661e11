"""The training step of Simple AlphaGo Zero, in JAX, with optimisers of optax.

The loss follows Kwan and Hartemink's appendix C. It is the mean over examples of

    (v - z)^2 - sum over moves of pi log p,

where v = tanh(logit / 2) is the value of the position before the roll to the player to move, z is 1
if that player won and -1 if not, p are the probabilities of the legal moves for the roll, and pi
are the probabilities from the search.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

Parameters = dict[str, Any]
Batch = tuple[Any, ...]
BIASES = ("first_bias", "second_bias", "last_bias", "policy_bias")


def outputs(
    parameters: Parameters, inputs: Any, rolls: Any, moves: int, *, squared: bool
) -> tuple[Any, Any]:
    """Return the values of positions, and the logits of the moves of a roll.

    Parameters
    ----------
    parameters
        The arrays of `urcx.agents.networks.Network`, by name.
    inputs
        Shape (positions, inputs), 0 or 1.
    rolls
        Shape (positions,), the rolls minus 1.
    moves
        The number of moves per roll, L + 1.
    squared
        Whether activations are squared.
    """

    def active(x: Any) -> Any:
        clipped = jnp.clip(x, 0, 1)
        return clipped * clipped if squared else clipped

    hidden = active(inputs @ parameters["first"] + parameters["first_bias"])
    if parameters["second"].shape[1]:
        hidden = active(hidden @ parameters["second"] + parameters["second_bias"])
    value = jnp.tanh((hidden @ parameters["last"] + parameters["last_bias"][0]) / 2)
    logits = hidden @ parameters["policy"] + parameters["policy_bias"]
    by_roll = logits.reshape(len(inputs), -1, moves)
    return value, jnp.take_along_axis(by_roll, rolls[:, None, None], axis=1)[:, 0]


def losses(parameters: Parameters, batch: Batch, *, squared: bool) -> tuple[Any, Any]:
    """Return the mean squared error of the values and the mean cross entropy of the policy.

    ``batch`` is (inputs, rolls, legal, shares, results), with a row for each example. If there is
    no choice, no move is marked as legal, and the cross entropy is 0.
    """
    inputs, rolls, legal, shares, results = batch
    value, logits = outputs(parameters, inputs, rolls, legal.shape[1], squared=squared)
    legal_logits = jnp.where(legal, logits, -jnp.inf)
    legal_logits = jnp.where(legal.any(axis=1, keepdims=True), legal_logits, 0.0)
    logs = jax.nn.log_softmax(legal_logits, axis=1)
    cross = -jnp.sum(jnp.where(legal, shares * logs, 0.0), axis=1)
    return jnp.mean((value - results) ** 2), jnp.mean(cross)


@lru_cache(maxsize=8)  # several trainings compile it once
def trainer(
    decay: float, *, squared: bool
) -> tuple[Callable[[Parameters], Any], Callable[..., Any]]:
    """Return a function that makes an optimiser's state, and one that trains on several batches.

    The second function takes parameters, state, learning rate and batches, whose arrays have a
    first axis for the batch. It returns parameters, state, and an array of shape (2, batches): the
    two losses of each batch before its step. The optimiser is Adam, with the gradient of ``decay``
    times the sum of squared weights without biases.
    """
    optimizer = optax.chain(
        optax.add_decayed_weights(2 * decay, mask=_weights_only), optax.scale_by_adam()
    )

    def total(parameters: Parameters, batch: Batch) -> tuple[Any, tuple[Any, Any]]:
        value, policy = losses(parameters, batch, squared=squared)
        return value + policy, (value, policy)

    def several(
        parameters: Parameters, state: Any, rate: Any, batches: Batch
    ) -> tuple[Parameters, Any, Any]:
        def step(carry: tuple[Parameters, Any], batch: Batch) -> tuple[tuple[Parameters, Any], Any]:
            parameters, state = carry
            gradient, parts = jax.grad(total, has_aux=True)(parameters, batch)
            updates, state = optimizer.update(gradient, state, parameters)
            changed = jax.tree_util.tree_map(lambda x, y: x - rate * y, parameters, updates)
            return (changed, state), parts

        (parameters, state), parts = jax.lax.scan(step, (parameters, state), batches)
        return parameters, state, jnp.stack(parts)

    return optimizer.init, jax.jit(several)


def _weights_only(parameters: Parameters) -> dict[str, bool]:
    return {name: name not in BIASES for name in parameters}


def as_arrays(state: Any) -> list[np.ndarray[Any, Any]]:
    """Return an optimiser's state as writable arrays with at least one axis."""
    return [np.array(leaf, ndmin=1) for leaf in jax.tree_util.tree_leaves(state)]


def from_arrays(like: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Return an optimiser's state from its arrays. ``like`` is a state of the same structure."""
    leaves, structure = jax.tree_util.tree_flatten(like)
    shaped = [array.reshape(leaf.shape) for array, leaf in zip(arrays, leaves, strict=True)]
    return jax.tree_util.tree_unflatten(structure, shaped)
