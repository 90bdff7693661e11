"""Simple AlphaGo Zero: self-play by tree search, training of both heads, and gating, in iterations.

As Kwan and Hartemink describe it (appendix C), after Thakoor, Nair and Jhunjhunwala, Learning to play
Othello without human knowledge, 2017, and Silver et al., Mastering the game of Go without human
knowledge, 2017.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.networks import Network, number_of_inputs, number_of_moves
from urcx.engine.moves import tables
from urcx.engine.threads import for_chunks
from urcx.errors import UrcxError
from urcx.games.simulator import MAX_PLIES
from urcx.learn import alphazero_kernels as kernels
from urcx.learn.alphazero_search import heads_of, plan_of, tree_for
from urcx.rules.model import RuleSet

CHUNK = 8  # games
PLIES = 256  # of a game, roughly: room for examples, doubled where it does not suffice
BLOCK = 32  # batches that are handed over at a time
Parameters = dict[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Settings:
    games: int = 1000
    simulations: int = 25
    iterations: int = 20
    gate_games: int = 400
    gate: float = 0.5
    explore: float = 1.0
    noise: float = 0.25
    concentration: float = 10.0
    warm: int = 30
    window: int = 20
    epochs: float = 10
    batch: int = 512
    rate: float = 1e-3
    decay: float = 1e-4
    units: int = 64
    later: int = 0
    activation: str = "squared"
    bootstrap: float = 0.0
    seed: int = 1


@dataclass(frozen=True)
class Examples:
    """Examples of self-play; see `urcx.learn.alphazero_kernels.self_play`."""

    positions: NDArray[np.int64]
    targets: NDArray[np.uint16]
    means: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.positions)


def joined(parts: list[Examples]) -> Examples:
    return Examples(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Examples)))


def self_play(rules: RuleSet, network: Network, s: Settings, seed: int, threads: int) -> Examples:
    ways = tables(rules).ways
    heads = heads_of(network)
    plan = plan_of(rules, s.simulations, s.explore, noise=s.noise, concentration=s.concentration, warm=s.warm)
    trees = [tree_for(rules, heads, s.simulations) for _ in range(threads)]
    found: dict[int, Examples] = {}

    def play(thread: int, first: int, last: int) -> None:
        room = (last - first) * PLIES
        while True:
            e = Examples(
                np.empty((room, kernels.EXAMPLE), np.int64),
                np.empty((room, rules.path.length + 1), np.uint16),
                np.empty(room, np.float32),
            )
            with np.errstate(over="ignore"):
                n = kernels.self_play(ways, heads, trees[thread], plan, seed, first, last, MAX_PLIES, e.positions, e.targets, e.means)
            if n >= 0:
                break
            if n == -2:
                raise UrcxError("endless")
            room *= 2
        found[first] = Examples(e.positions[:n].copy(), e.targets[:n].copy(), e.means[:n].copy())

    for_chunks(s.games, CHUNK, play, threads)
    return joined([found[k] for k in sorted(found)])


def compare(rules: RuleSet, one: Network, other: Network, s: Settings, seed: int, threads: int) -> float:
    ways = tables(rules).ways
    heads, rival = heads_of(one), heads_of(other)
    plan = plan_of(rules, s.simulations, s.explore)
    trees = [tree_for(rules, heads, s.simulations) for _ in range(threads)]
    won = np.zeros(s.gate_games, np.bool_)

    def play(thread: int, first: int, last: int) -> None:
        with np.errstate(over="ignore"):
            endless = kernels.compare(ways, heads, rival, trees[thread], plan, seed, first, last, MAX_PLIES, won[first:last])
        if endless >= 0:
            raise UrcxError("endless")

    for_chunks(s.gate_games, CHUNK, play, threads)
    return float(won.mean())


def new_parameters(rules: RuleSet, s: Settings) -> Parameters:
    rng = np.random.default_rng([s.seed, 0])
    inputs, moves, last = number_of_inputs(rules), number_of_moves(rules), s.later or s.units
    present = rules.pieces + 4  # inputs that are 1, roughly

    def weights(rows: int, *shape: int, scale: float) -> NDArray[np.float32]:
        return (rng.standard_normal((rows, *shape)) * scale).astype(np.float32)

    return {
        "first": weights(inputs, s.units, scale=0.5 / np.sqrt(present)),
        "first_bias": np.full(s.units, 0.5, np.float32),
        "second": weights(s.units, s.later, scale=1 / np.sqrt(s.units)),
        "second_bias": np.full(s.later, 0.5, np.float32),
        "last": weights(last, scale=1 / np.sqrt(last)),
        "last_bias": np.zeros(1, np.float32),
        "policy": weights(last, moves, scale=0.1 / np.sqrt(last)),
        "policy_bias": np.zeros(moves, np.float32),
    }


def network_of(rules: RuleSet, p: Parameters, s: Settings) -> Network:
    q = {k: np.asarray(v) for k, v in p.items()}
    q["last_bias"] = float(q["last_bias"][0])
    return Network(rules, activation=s.activation, **q)


def batches(rules: RuleSet, e: Examples, s: Settings, chosen):
    n = len(chosen)
    L = rules.path.length + 1
    inputs = np.empty((n, number_of_inputs(rules)), np.float32)
    rolls = np.empty(n, np.int32)
    legal = np.empty((n, L), np.bool_)
    shares = np.empty((n, L), np.float32)
    kernels.gather(tables(rules).ways, e.positions, e.targets, chosen, inputs, rolls, legal, shares)
    results = e.positions[chosen, kernels.RESULT].astype(np.float32)
    if s.bootstrap:
        m = e.means[chosen]
        results = np.where(m != 0, (1 - s.bootstrap) * results + s.bootstrap * m, results)
    flat = (inputs, rolls, legal, shares, results)
    return tuple(a.reshape(-1, s.batch, *a.shape[1:]) for a in flat)
