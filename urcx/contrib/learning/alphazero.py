"""Simple AlphaGo Zero: self-play by tree search, training of both heads, and gating.

Kwan and Hartemink describe the method (appendix C). A network gives values of positions and
probabilities of moves. It plays games against itself and chooses each move by a tree search. The
games give examples (s, pi, z), on which the network is trained, in iterations. Details that they
leave out come from their references, and from later work of the same authors:

- *simple*: Thakoor, Nair and Jhunjhunwala, Learning to play Othello without human knowledge, 2017,
  with the program that they published (alpha-zero-general).
- *go*: Silver et al., Mastering the game of Go without human knowledge, 2017.
- *chess*: Silver et al., A general reinforcement learning algorithm that masters chess, shogi, and
  Go through self-play, 2018.

Each of `AlphaZeroSettings` names its source. "Ours" marks our own choices. None of these games has
dice, so the following details are ours, too:

- Trees have a node before each roll, whose rolls are spread evenly over its visits.
- The policy head has an output for each roll and piece, and its softmax is over legal moves only.
- The value of a move before its first visit is its position's, not 0, because values are seldom
  near 0.
- Each search begins with a new tree, because the tree below one roll of the dice is small.
- Passes and only moves are played without search. They are examples, too, because positions would
  look better than they are without the rolls that allow no choice.
- Luck decides most games between networks of neighbouring iterations, so a gate of 55 % would
  accept hardly any. The training of a rejected network continues (as in *go*).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import FIRST
from urcx.agents.network_kernels import MEN, NUMBERS, PATH, SQUARED
from urcx.agents.networks import ACTIVATIONS, Network, number_of_inputs, number_of_moves
from urcx.contrib.learning import alphazero_kernels as kernels
from urcx.contrib.learning.alphazero_kernels import AlphaZeroTree, BySearch, Examples, Heads, Tree
from urcx.contrib.learning.checkpoints import MOST_COUNT, MOST_SLOPE, Kept, are_positions
from urcx.contrib.learning.input_kernels import COLUMNS, OTHER, OTHER_HOME, OWN, OWN_HOME
from urcx.contrib.learning.settings import setting
from urcx.contrib.learning.weights import kept_weights
from urcx.engine.files.sealed import Members
from urcx.engine.memory import check_memory
from urcx.engine.moves import tables
from urcx.engine.threads import for_chunks
from urcx.errors import UnusableFileError, UrcxError, UsageError
from urcx.games.game_kernels import ALTERNATELY, GamesPlan, GameWinners
from urcx.games.simulator import MAX_PLIES, dice_arrays, play_before
from urcx.reading import install_command
from urcx.rules.model import RuleSet


@dataclass(frozen=True)
class AlphaZeroSettings:
    """The settings of ``urcx train alphazero``, each with its meaning, range and source.

    ``urcx train --list`` shows them. Sources:

    - *simple*: the program of Thakoor, Nair and Jhunjhunwala, Learning to play Othello without
      human knowledge, 2017.
    - *go*: Silver et al., Mastering the game of Go without human knowledge, 2017.
    - *chess*: Silver et al., A general reinforcement learning algorithm, 2018.
    - *the plan*: Kwan and Hartemink's appendix C.
    """

    iterations: int = setting(150, "iterations (ours; simple: about 80)", 1, 10**6)
    games: int = setting(2000, "games of an iteration (ours; simple: 100)", 1, 10**7)
    simulations: int = setting(
        32, "simulations of a search (ours; simple: 25, chess: 800)", 1, 10_000
    )
    explore: float = setting(0.15, "c_puct, how widely searches explore (ours; simple: 1)", 0, 100)
    noise: float = setting(0.25, "share of noise in the root's priors (go: 0.25)", 0, 1)
    concentration: float = setting(
        10.0,
        "of Dirichlet noise, to be divided by the number of moves (chess: about 10)",
        1,
        1_000_000,
    )
    warm: int = setting(
        30, "first plies, whose moves are drawn by visits (go: 30, simple: 15)", 0, MAX_PLIES
    )
    gate_games: int = setting(
        200,
        "games of the new network and the old, 0 for no gate (ours; simple: 40, go: 400)",
        0,
        10**7,
    )
    gate: float = setting(
        0.5, "share that the new one must win (ours; simple: 0.6, go: 0.55)", 0, 1
    )
    window: int = setting(
        2_000_000,
        "latest positions to train on (ours; simple: 20 iterations, go: 500,000 games)",
        1,
        10**8,
    )
    epochs: float = setting(
        2.0, "times that a position is trained on, on average (ours; simple: 10)", 0, 1000
    )
    batch: int = setting(512, "positions of a step (ours; simple: 64, go: 2048)", 1, 1 << 20)
    rate: float = setting(1e-3, "learning rate of Adam at the beginning (simple: 0.001)", 1e-9, 1)
    last_rate: float = setting(
        1e-4, "learning rate at the end (ours; go: a hundredth of the first)", 1e-9, 1
    )
    decay: float = setting(1e-4, "c of the penalty c |weights|^2 (go: 0.0001)", 0, 1)
    bootstrap: float = setting(
        0.0,
        "weight of the search's value in what values learn, z having the rest (the plan: 0)",
        0,
        1,
    )
    units: int = setting(64, "units of the first hidden layer (ours)", 1, 1024)
    later: int = setting(0, "units of the second hidden layer, 0 for none (ours)", 0, 1024)
    activation: str = setting("squared", "squared or clipped (ours)", among=ACTIVATIONS)


MOST_HEAD = 2.0**20  # the greatest weight of a policy head: sums of them do not overflow


def heads_of(network: Network) -> Heads:
    """Return a network as arrays for searches.

    Raises
    ------
    UnusableFileError
        If the network has no policy head.
    UsageError
        If weights of the policy head are too large, or not numbers.
    """
    if network.policy is None or network.policy_bias is None:
        raise UnusableFileError(
            "the network has no policy head, so it cannot search. Make one with urcx train "
            "alphazero -o FILE.npz"
        )
    if not all(np.abs(array).max() <= MOST_HEAD for array in (network.policy, network.policy_bias)):
        raise UsageError("the weights of the network's policy head are too large to play")
    numbers = np.zeros(NUMBERS, np.int64)
    numbers[PATH], numbers[MEN] = network.rules.path.length, network.rules.pieces
    numbers[SQUARED] = network.activation == "squared"
    return Heads(
        numbers,
        *(
            np.array(array, np.float32, order="C")  # one type of arrays, never read-only
            for array in (
                network.first,
                network.first_bias,
                network.second,
                network.second_bias,
                network.last,
                np.array([network.last_bias]),
                network.policy.T,
                network.policy_bias,
            )
        ),
    )


def tree_for(rules: RuleSet, units: int, hidden: int, simulations: int) -> Tree:
    """Return working memory for the tree of a search, for one thread.

    ``units`` is the size of the first hidden layer, ``hidden`` the size of the last.
    """
    nodes, rolls = simulations + 1, len(rules.dice.rolls)
    edges = nodes * max(rules.pieces, 1)
    return Tree(
        boards=np.zeros((nodes, COLUMNS), np.int64),
        value=np.zeros(nodes),
        hidden=np.zeros((nodes, hidden), np.float32),
        phase=np.zeros(nodes, np.uint64),
        first=np.zeros((nodes, rolls), np.int64),
        number=np.zeros((nodes, rolls), np.int64),
        start=np.zeros(edges, np.int64),
        prior=np.zeros(edges),
        visits=np.zeros(edges, np.int64),
        total=np.zeros(edges),
        child=np.zeros(edges, np.int64),
        keeps=np.zeros(edges, np.bool_),
        route=np.zeros(nodes, np.int64),
        sums=np.zeros(units, np.float32),
    )


def plan_of(rules: RuleSet, *members: Any) -> AlphaZeroTree:
    """Return the search plan for the kernels, from its fields after the dice."""
    dice = dice_arrays(rules)
    return AlphaZeroTree(dice.rolls, dice.slots, *members)


@dataclass(frozen=True)
class Searches:
    """The search plan of a training, with working memory for the trees of all threads."""

    plan: AlphaZeroTree
    trees: list[Tree]

    @classmethod
    def of(
        cls, rules: RuleSet, settings: AlphaZeroSettings, threads: int, *, noisy: bool = False
    ) -> Searches:
        """Return the searches of settings. ``noisy`` ones add noise and draw moves by visits."""
        number, hidden = settings.simulations, settings.later or settings.units
        more = (settings.warm, settings.noise, settings.concentration) if noisy else ()
        plan = plan_of(rules, number, settings.explore, *more)
        trees = [tree_for(rules, settings.units, hidden, number) for _ in range(threads)]
        return cls(plan, trees)


CHUNK = 8  # games that a thread plays at a time
LIGHT = 0  # the side that begins
PLIES = 256  # examples per game, roughly (the memory for them is doubled if there are more)


def examples_for(rules: RuleSet, number: int) -> Examples:
    """Return zeros for a number of examples."""
    return Examples(
        np.zeros((number, kernels.EXAMPLE), np.int64),
        np.zeros((number, rules.path.length + 1), np.int16),
        np.zeros(number, np.float32),
    )


def kept_examples(rules: RuleSet, examples: Examples) -> list[Kept]:
    """Return examples for a checkpoint. Rows that are not yet filled are zeros."""

    def are_examples() -> bool:
        rows = examples.positions
        views = rows[:, [OWN, OWN_HOME, OTHER, OTHER_HOME]]
        known_rolls = np.isin(rows[:, kernels.ROLL], [0, *rules.dice.rolls])
        ended = np.abs(rows[:, kernels.RESULT]) <= 1
        return are_positions(rules, views, unfinished=True) and bool((known_rolls & ended).all())

    return [
        Kept(examples.positions, -1, 1 << rules.path.length, are_examples),
        Kept(examples.targets, 0, np.iinfo(np.int16).max),
        Kept(examples.means, -1.0, 1.0),
    ]


def self_play_games(
    rules: RuleSet, network: Network, searches: Searches, games: int, seed: int
) -> Examples:
    """Return the examples of a network's games against itself, game by game.

    The examples depend on the seed, not on the number of threads.
    """
    ways, heads = tables(rules).ways, heads_of(network)
    parts_by_first: dict[int, Examples] = {}

    def play(thread: int, first: int, last: int) -> None:
        room = (last - first) * PLIES
        number = -1
        while number < 0:
            examples = examples_for(rules, room)
            plan = GamesPlan(seed, LIGHT, first, last, MAX_PLIES)
            tree = searches.trees[thread]
            with np.errstate(over="ignore"):  # random streams wrap, and compiled code does not warn
                number = kernels.self_play(ways, heads, tree, searches.plan, plan, examples)
            if number == kernels.ENDLESS:
                raise UrcxError(f"a game does not end within {MAX_PLIES:,} plies")
            room *= 2
        parts_by_first[first] = Examples._make(array[:number].copy() for array in examples)

    for_chunks(games, CHUNK, play, len(searches.trees))
    parts = [parts_by_first[first] for first in sorted(parts_by_first)]
    return Examples._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def share_won(
    rules: RuleSet, network: Network, rival: Network, searches: Searches, games: int, seed: int
) -> float:
    """Return the win rate of a network in games against a rival, without noise.

    They begin in turn, and two games in a row have the same dice.
    """
    heads = heads_of(network), heads_of(rival)
    winners = np.zeros(games, np.int8)

    def play(thread: int, first: int, last: int) -> None:
        # Each search begins with a new tree, so both players can use the same memory.
        players = (BySearch(FIRST, own, searches.trees[thread], searches.plan) for own in heads)
        plan = GamesPlan(seed, ALTERNATELY, first, last, MAX_PLIES, shared=1)
        play_before(GameWinners(winners[first:last]), players, rules, plan)

    for_chunks(games, CHUNK, play, len(searches.trees))
    return float((winners == 0).mean())


def batches_of(
    rules: RuleSet, examples: Examples, drawn: NDArray[np.int64], settings: AlphaZeroSettings
) -> tuple[NDArray[Any], ...]:
    """Return examples as arrays for training steps, with a first axis for the batch.

    The value to learn is the result z. ``bootstrap`` is the weight of the search's mean value in
    it, if there was a search.
    """
    number, moves = len(drawn), rules.path.length + 1
    inputs = np.empty((number, number_of_inputs(rules)), np.float32)
    rolls = np.empty(number, np.int32)
    legal = np.empty((number, moves), np.bool_)
    shares = np.empty((number, moves), np.float32)
    kernels.gather_games(tables(rules).ways, examples, drawn, inputs, rolls, legal, shares)
    values = examples.positions[drawn, kernels.RESULT].astype(np.float32)
    if settings.bootstrap:
        part = np.where(legal.any(axis=1), np.float32(settings.bootstrap), np.float32(0))
        values += part * (examples.means[drawn] - values)
    arrays = (inputs, rolls, legal, shares, values)
    return tuple(array.reshape(-1, settings.batch, *array.shape[1:]) for array in arrays)


BLOCK = 32  # batches per call of the training function
MIDDLE = 0.5  # the initial sums of units, at which activations have slopes
SELF_PLAY, TRAINING, GATE = range(3)  # the purposes of random numbers

# Rough costs, for estimates only.
PLIES_A_PIECE, DECISIONS = 26, 0.7
SIMULATION, SAMPLE = 1e-6, 1e-6  # seconds

Arrays = dict[str, NDArray[Any]]


def parameters_for(rules: RuleSet, settings: AlphaZeroSettings, seed: int) -> Arrays:
    """Return initial weights: values near 1/2, and all moves nearly equally probable."""
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
    """Return the network with the given arrays of weights and biases."""
    arrays: dict[str, Any] = {name: array.copy() for name, array in parameters.items()}
    last_bias = float(arrays.pop("last_bias")[0])
    return Network(rules, last_bias=last_bias, activation=activation, **arrays)


def alphazero_seconds(rules: RuleSet, settings: AlphaZeroSettings) -> float:
    """Return an estimate of the CPU seconds of a training."""
    plies = PLIES_A_PIECE * rules.pieces * settings.games
    decisions = DECISIONS * plies * (1 + settings.gate_games / settings.games)
    weights = (settings.units * (1 + settings.later)) / 64
    playing = decisions * settings.simulations * SIMULATION * (1 + weights) / 2
    training_time = plies * settings.epochs * SAMPLE * (1 + weights) / 2
    return settings.iterations * (playing + training_time)


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
            f"urcx train alphazero needs {error.name}. Install it: " + install_command("learn")
        ) from None


class AlphaZeroSession:
    """A training by Simple AlphaGo Zero, an iteration per step.

    Parameters
    ----------
    rules
        Rules with a symmetric path.
    settings, seed
        All results depend on them, and on the machine, because JAX distributes sums over its cores.
    threads
        The number of threads that play games. Results do not depend on it.
    """

    unit = "iterations"

    def __init__(
        self, rules: RuleSet, settings: AlphaZeroSettings, seed: int, threads: int
    ) -> None:
        self.rules, self.settings, self.seed = rules, settings, seed
        self.total, self.done = settings.iterations, 0
        self._module = training()
        squared = settings.activation == "squared"
        begin_state, self._train = self._module.trainer(settings.decay, squared=squared)
        self._now = parameters_for(rules, settings, self._seed(TRAINING))
        self._best = {name: array.copy() for name, array in self._now.items()}
        self.network()  # raises if the path is not symmetric
        self._like = begin_state(self._now)
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
        trained = network_from(self.rules, self._now, settings.activation)
        games = settings.gate_games
        share = (
            share_won(self.rules, trained, best, self._quiet, games, self._seed(GATE))
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
        """Train on examples drawn from the window, each with equal probability."""
        settings = self.settings
        random = np.random.default_rng(self._seed(TRAINING))
        filled = min(self._counts["positions"], settings.window)
        blocks = max(1, round(number * settings.epochs / settings.batch / BLOCK))
        share = self.done / self.total
        rate = settings.rate * (settings.last_rate / settings.rate) ** share
        parameters: Any = self._now
        state = self._module.from_arrays(self._like, self._state)
        losses = np.zeros((blocks, 2))
        for block in range(blocks):
            drawn = random.integers(filled, size=settings.batch * BLOCK)
            batches = batches_of(self.rules, self._window, drawn, settings)
            parameters, state, batch_losses = self._train(
                parameters, state, np.float32(rate), batches
            )
            losses[block] = np.asarray(batch_losses).mean(axis=1)
        for name in self._now:
            self._now[name][...] = parameters[name]
        for stored, array in zip(self._state, self._module.as_arrays(state), strict=True):
            stored[...] = array
        self._counts["steps"] += blocks * BLOCK
        self.losses = (float(losses[:, 0].mean()), float(losses[:, 1].mean()))

    def network(self) -> Network:
        """Return the best network: the network of the last iteration that passed the gate."""
        return network_from(self.rules, self._best, self.settings.activation)

    def figures(self) -> dict[str, int]:
        """Return the counts of the training so far, for the data card."""
        return {"iterations": self.done, **self._counts}

    def arrays(self) -> dict[str, Kept]:
        """Return the arrays of a checkpoint."""
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
        """Return more entries of the data card: the loss, and meaning and source of settings."""
        return {
            "loss": "(v - z)^2 - pi log p (Kwan and Hartemink, appendix C) + decay |weights|^2",
            "sources": {item.name: item.metadata["about"] for item in fields(self.settings)},
        }

    def counters(self) -> dict[str, Any]:
        """Return the counters of a checkpoint."""
        return {"done": self.done, **self._counts}

    def restore(self, counters: Members) -> None:
        """Continue from a checkpoint's counters. Its arrays are already in `arrays`."""
        self.done = counters.whole("done", 0, self.total)
        self._counts = {name: counters.whole(name, 0, MOST_COUNT) for name in self._counts}
