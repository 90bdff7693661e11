"""Simple AlphaGo Zero: self-play by tree search, training of both heads, and gating.

As Kwan and Hartemink describe it (appendix C): a network values positions and gives probabilities
of moves; games of the network against itself, each move chosen by a tree search, give examples (s,
pi, z); the network is trained on them, in iterations. What they leave unsaid is taken from what
they refer to, and from its authors' later work:

- *simple*: Thakoor, Nair and Jhunjhunwala, Learning to play Othello without human knowledge, 2017,
  with the program that they published (alpha-zero-general);
- *go*: Silver et al., Mastering the game of Go without human knowledge, 2017;
- *chess*: Silver et al., A general reinforcement learning algorithm that masters chess, shogi, and
  Go through self-play, 2018.

Each setting of `urcx.contrib.learning.alphazero_settings` names its source, or says that it is
ours. None of these games has dice, so what follows is ours as well:

- trees have a node before each roll, whose rolls are spread evenly over its visits;
- the policy head has an output for each roll and piece; its softmax is over legal moves only;
- a move that was never tried counts as much as its position, not 0, as values are seldom near 0;
- each search begins anew, as the tree below one roll of the dice is small;
- passes and single moves are played without search; they are examples too, as leaving out the
  rolls that allow no choice would make positions look better than they are;
- luck decides most games between networks of neighbouring iterations, so a gate of 55 % would
  pass hardly any; a network that is refused is trained on (as *go* does).
"""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import Network, number_of_inputs, number_of_moves
from urcx.contrib.learning.alphazero_games import (
    batches_of,
    examples_for,
    kept_examples,
    self_play_games,
    share_won,
)
from urcx.contrib.learning.alphazero_kernels import Examples
from urcx.contrib.learning.alphazero_search import Searches
from urcx.contrib.learning.alphazero_settings import AlphaZeroSettings
from urcx.contrib.learning.checkpoints import MOST_COUNT, MOST_SLOPE, Kept
from urcx.contrib.learning.weights import kept_weights
from urcx.engine.files.sealed import Members
from urcx.engine.memory import check_memory
from urcx.errors import UsageError
from urcx.reading import install_command
from urcx.rules.model import RuleSet

BLOCK = 32  # batches that are handed over at a time
MIDDLE = 0.5  # where the sums of units begin, so that they have slopes
SELF_PLAY, TRAINING, GATE = range(3)  # what random numbers are for

# Rough costs, for estimates only.
PLIES_A_PIECE, DECISIONS = 26, 0.7
SIMULATION, SAMPLE = 1e-6, 1e-6  # seconds

Arrays = dict[str, NDArray[Any]]


def parameters_for(rules: RuleSet, settings: AlphaZeroSettings, seed: int) -> Arrays:
    """Return the weights to begin with: values near 1/2, all moves nearly equally probable."""
    random = np.random.default_rng(seed)
    units, later = settings.units, settings.later
    inputs, moves, last = number_of_inputs(rules), number_of_moves(rules), later or units
    present = rules.pieces + 4  # inputs that are 1, on average

    def drawn(*shape: int, spread: float) -> NDArray[np.float32]:
        return (random.standard_normal(shape) * spread).astype(np.float32)

    return {
        "first": drawn(inputs, units, spread=0.5 / np.sqrt(present)),
        "first_bias": np.full(units, MIDDLE, np.float32),
        "second": drawn(units, later, spread=1 / np.sqrt(units)),
        "second_bias": np.full(later, MIDDLE, np.float32),
        "last": drawn(last, spread=0.1 / np.sqrt(last)),
        "last_bias": np.zeros(1, np.float32),
        "policy": drawn(last, moves, spread=0.1 / np.sqrt(last)),
        "policy_bias": np.zeros(moves, np.float32),
    }


def network_from(rules: RuleSet, parameters: Arrays, activation: str) -> Network:
    """Return the network of an array for each weight and bias."""
    arrays: dict[str, Any] = {name: array.copy() for name, array in parameters.items()}
    last_bias = float(arrays.pop("last_bias")[0])
    return Network(rules, last_bias=last_bias, activation=activation, **arrays)


def alphazero_seconds(rules: RuleSet, settings: AlphaZeroSettings) -> float:
    """Return about how many processor seconds a training takes."""
    plies = PLIES_A_PIECE * rules.pieces * settings.games
    decisions = DECISIONS * plies * (1 + settings.gate_games / settings.games)
    weights = (settings.units * (1 + settings.later)) / 64
    played = decisions * settings.simulations * SIMULATION * (1 + weights) / 2
    trained = plies * settings.epochs * SAMPLE * (1 + weights) / 2
    return settings.iterations * (played + trained)


def training() -> ModuleType:
    """Return the module that needs JAX.

    Raises
    ------
    UsageError
        If JAX or optax is not installed.
    """
    try:
        return import_module("urcx.contrib.learning.alphazero_training")
    except ModuleNotFoundError as error:
        raise UsageError(
            f"training alphazero needs {error.name}, which is not installed: "
            + install_command("learn")
        ) from None


class AlphaZeroSession:
    """A training by Simple AlphaGo Zero, an iteration at a time.

    Parameters
    ----------
    rules
        With a path that is alike for both sides.
    settings, seed
        What all results depend on; and on the machine, whose cores JAX shares sums among.
    threads
        On which they do not: those that games are played on.
    """

    unit = "iterations"

    def __init__(
        self, rules: RuleSet, settings: AlphaZeroSettings, seed: int, threads: int
    ) -> None:
        self.rules, self.settings, self.seed = rules, settings, seed
        self.total, self.done = settings.iterations, 0
        self._module = training()
        squared = settings.activation == "squared"
        begun, self._train = self._module.trainer(settings.decay, squared=squared)
        self._now = parameters_for(rules, settings, self._seed(TRAINING))
        self._best = {name: array.copy() for name, array in self._now.items()}
        self.network()  # raises where the path is not symmetric
        self._like = begun(self._now)
        self._state = self._module.as_arrays(self._like)
        self._counts = {"games": 0, "positions": 0, "steps": 0, "accepted": 0}
        size = settings.window * sum(array.nbytes for array in examples_for(rules, 1))
        check_memory(size, "the positions to train on", "take a smaller window: --set window=N")
        self._window = examples_for(rules, settings.window)
        self._quiet = Searches.of(rules, settings, threads)
        self._noisy = Searches.of(rules, settings, threads, noisy=True)
        self.losses = (0.0, 0.0)

    def _seed(self, purpose: int) -> int:
        parts = np.random.SeedSequence([self.seed, self.done, purpose])
        return int(parts.generate_state(1, np.uint64)[0] >> 1)

    def advance(self) -> None:
        """Play, train, and accept the new network if it wins enough games against the old one."""
        settings = self.settings
        best = self.network()
        new = self_play_games(self.rules, best, self._noisy, settings.games, self._seed(SELF_PLAY))
        number = len(new.positions)
        self._remember(new)
        self._learn(number)
        found = network_from(self.rules, self._now, settings.activation)
        games = settings.gate_games
        share = (
            share_won(self.rules, found, best, self._quiet, games, self._seed(GATE))
            if games
            else 1.0
        )
        if share >= settings.gate:
            self._counts["accepted"] += 1
            for name, array in self._now.items():
                self._best[name][...] = array
        self._counts["games"] += settings.games
        self.done += 1

    def _remember(self, new: Examples) -> None:
        """Write examples over the oldest of the window."""
        size, at = self.settings.window, self._counts["positions"]
        self._counts["positions"] += len(new.positions)
        first = max(len(new.positions) - size, 0)
        places = np.arange(at + first, at + len(new.positions)) % size
        for name, array in self._window._asdict().items():
            array[places] = getattr(new, name)[first:]

    def _learn(self, number: int) -> None:
        """Train on examples drawn from the window, each with equal chance."""
        settings = self.settings
        random = np.random.default_rng(self._seed(TRAINING))
        known = min(self._counts["positions"], settings.window)
        blocks = max(1, round(number * settings.epochs / settings.batch / BLOCK))
        share = self.done / self.total
        rate = settings.rate * (settings.last_rate / settings.rate) ** share
        parameters: Any = self._now
        state = self._module.from_arrays(self._like, self._state)
        losses = np.zeros((blocks, 2))
        for block in range(blocks):
            drawn = random.integers(known, size=settings.batch * BLOCK)
            batches = batches_of(self.rules, self._window, drawn, settings)
            parameters, state, found = self._train(parameters, state, np.float32(rate), batches)
            losses[block] = np.asarray(found).mean(axis=1)
        for name in self._now:
            self._now[name][...] = parameters[name]
        for kept, array in zip(self._state, self._module.as_arrays(state), strict=True):
            kept[...] = array
        self._counts["steps"] += blocks * BLOCK
        self.losses = (float(losses[:, 0].mean()), float(losses[:, 1].mean()))

    def network(self) -> Network:
        """Return the best network: that of the last iteration which passed the gate."""
        return network_from(self.rules, self._best, self.settings.activation)

    def figures(self) -> dict[str, int]:
        """Return what was done so far, for the data card."""
        return {"iterations": self.done, **self._counts}

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays that a checkpoint keeps."""
        return {
            **{f"now_{name}": kept_weights(array) for name, array in self._now.items()},
            **{f"best_{name}": kept_weights(array) for name, array in self._best.items()},
            **{
                f"optimiser_{k}": Kept(array, -(MOST_SLOPE**2), MOST_SLOPE**2)
                for k, array in enumerate(self._state)
            },
            **{
                f"window_{k}": kept
                for k, kept in enumerate(kept_examples(self.rules, self._window))
            },
        }

    def notes(self) -> dict[str, Any]:
        """Return what the data card says besides: what each setting is, and where it is from."""
        return {
            "loss": "(v - z)^2 - pi log p (Kwan and Hartemink, appendix C) + decay |weights|^2",
            "sources": {item.name: item.metadata["about"] for item in fields(self.settings)},
        }

    def counters(self) -> dict[str, Any]:
        """Return the counters that a checkpoint keeps."""
        return {"done": self.done, **self._counts}

    def restore(self, counters: Members) -> None:
        """Go on from a checkpoint's counters, its arrays having been written into `arrays`."""
        self.done = counters.whole("done", 0, self.total)
        self._counts = {name: counters.whole(name, 0, MOST_COUNT) for name in self._counts}
