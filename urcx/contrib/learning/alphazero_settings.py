"""The settings of Simple AlphaGo Zero, each with its source."""

from __future__ import annotations

from dataclasses import dataclass

from urcx.agents.networks import ACTIVATIONS
from urcx.contrib.learning.settings import setting
from urcx.games.simulator import MAX_PLIES


@dataclass(frozen=True)
class AlphaZeroSettings:
    """What ``urcx train alphazero`` takes; each setting with its meaning, range and source.

    ``urcx train --list`` shows them. Sources: *simple*, the program of Thakoor, Nair and
    Jhunjhunwala, Learning to play Othello without human knowledge, 2017; *go*, Silver et al.,
    Mastering the game of Go without human knowledge, 2017; *chess*, Silver et al., A general
    reinforcement learning algorithm, 2018; *the plan*, Kwan and Hartemink's appendix C.
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
