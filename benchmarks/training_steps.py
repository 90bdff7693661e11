"""Steps of training, by our kernels or by JAX, on the same network and batch, each in a process.

``python benchmarks/training_steps.py own|jax THREADS UNITS LATER BATCH SAMPLES`` prints JSON: CPU
seconds of importing and compiling, samples per second and per CPU second, and the weights after
some steps.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

STEPS = 5  # before the comparison of weights
RATE = 1e-3


def _cores(number: int) -> None:
    """Restrict the process to a number of cores, which determines JAX's threads."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:number])


def main(side: str, threads: int, units: int, later: int, batch: int, number: int) -> None:
    """Measure one side."""
    _cores(threads)
    began = time.process_time()
    if side == "jax":
        import jax  # noqa: F401
        import optax  # noqa: F401
    else:
        import urcx.contrib.learning.weights  # noqa: F401
    imported = time.process_time() - began
    steps, weights = (_jax if side == "jax" else _own)(threads, units, later, batch)
    began = time.process_time()
    steps(STEPS)
    compiled = time.process_time() - began
    weight_list = [float(x) for x in weights()]
    began, on_processors = time.perf_counter(), time.process_time()
    rounds = max(number // batch, STEPS)
    steps(rounds)
    samples = rounds * batch
    figures = {
        "import": imported,
        "compile": compiled,
        "rate": samples / (time.perf_counter() - began),
        "processor": samples / (time.process_time() - on_processors),
    }
    sys.stdout.write(json.dumps(figures | {"weights": weight_list}))


def _data(units: int, later: int, batch: int) -> tuple[Any, Any, Any, Any]:
    """Return the shape, initial weights, samples with 12 inputs that are 1, and targets."""
    import numpy as np

    import urcx
    from urcx.contrib.learning.weights import samples_for, shape_for, started

    random = np.random.default_rng(1)
    shape = shape_for(urcx.ruleset("finkel"), units, later)
    flat = started(shape, random, 12)
    samples = samples_for(batch, 12)
    samples.number[:] = 12
    for row in samples.active:
        row[:] = random.choice(shape.inputs, 12, replace=False)
    return shape, flat, samples, random.random(batch).astype(np.float32)


def _own(threads: int, units: int, later: int, batch: int) -> tuple[Any, Any]:
    from urcx.contrib.learning.weights import Trainer

    shape, flat, samples, targets = _data(units, later, batch)
    trainer = Trainer(shape, flat, threads)

    def steps(number: int) -> None:
        for _ in range(number):
            trainer.step(samples, targets, 0, batch, RATE, 1.0)

    return steps, lambda: trainer.flat


def _jax(_threads: int, units: int, later: int, batch: int) -> tuple[Any, Any]:
    import jax
    import jax.numpy as jnp
    import numpy as np
    import optax

    from urcx.contrib.learning.weights import views

    shape, flat, samples, targets = _data(units, later, batch)
    net = [jnp.asarray(array) for array in views(flat, shape)]
    inputs = np.zeros((batch, shape.inputs), np.float32)
    np.put_along_axis(inputs, samples.active.astype(np.int64), 1, axis=1)
    optimizer = optax.adam(RATE)

    def loss(net: Any) -> Any:
        first, first_bias, second, second_bias, last, last_bias = net
        hidden = jnp.clip(inputs @ first + first_bias, 0, 1) ** 2
        if later:
            hidden = jnp.clip(hidden @ second + second_bias, 0, 1) ** 2
        logits = hidden @ last + last_bias[0]
        return optax.sigmoid_binary_cross_entropy(logits, targets).mean()

    def step(_: Any, carry: Any) -> Any:
        net, state = carry
        updates, state = optimizer.update(jax.grad(loss)(net), state)
        return optax.apply_updates(net, updates), state

    several = jax.jit(lambda carry, number: jax.lax.fori_loop(0, number, step, carry))
    now = [(net, optimizer.init(net))]

    def steps(number: int) -> None:
        now[0] = jax.block_until_ready(several(now[0], number))

    return steps, lambda: np.concatenate([np.asarray(array).ravel() for array in now[0][0]])


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
