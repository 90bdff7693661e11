"""Networks with random weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from urcx.agents.networks import Network, number_of_inputs
from urcx.rules.model import RuleSet


def made(
    rules: RuleSet,
    units: int,
    later: int = 0,
    activation: str = "squared",
    inputs: str = "path",
    **more: Any,
) -> Network:
    """Return a network with weights that depend on the numbers of its units alone."""
    random = np.random.default_rng(units + later)
    number = number_of_inputs(rules, inputs)
    shapes = (number, units), (units,), (units, later), (later,), (later or units,)
    a, b, c, d, e = (random.normal(0.0, 0.4, shape).astype(np.float32) for shape in shapes)
    return Network(rules, a, b, c, d, e, 0.25, activation, inputs=inputs, **more)
