"""Prints the errors of the values of the network that comes with urcx, for its card.

The errors are differences from a tablebase, over all positions of games of the network against
itself (urcx/agents/data/learned/cards.toml). Both sides make mistakes, so games are more like games
of people:

    python benchmarks/estimate_errors.py finkel.urcx
"""

from __future__ import annotations

import sys

import numpy as np

import urcx
from urcx.played.values import network_estimates

GAMES, SEED, PLAYER = 500, 1, "mistakes:20:learned"


def main(tablebase: str) -> None:
    """Play the games and print the line of the card."""
    player, rng = urcx.agent(PLAYER), np.random.default_rng(SEED)
    off = []
    with urcx.open_tablebase(tablebase) as base:
        rules, network = base.rules, network_estimates(base.rules)
        assert network is not None
        chances = [float(p) for p in rules.dice.probabilities]
        for _ in range(GAMES):
            game = urcx.Game(rules)
            while not game.is_over:
                off.append(abs(network.probe(game) - base.probe(game)))
                roll = int(rng.choice(rules.dice.rolls, p=chances))
                move = player.choose(game, roll, rng)
                game = game.passed(roll) if move is None else game.play(move)
    mean, most = np.mean(off), np.quantile(off, 0.95)
    print(f"off = {{ mean = {mean:.4f}, p95 = {most:.4f}, positions = {len(off)}, seed = {SEED} }}")


if __name__ == "__main__":
    main(sys.argv[1])
