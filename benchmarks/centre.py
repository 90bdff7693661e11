"""What the centre rosette is worth in games of perfect play.

    python benchmarks/centre.py finkel.urcx

Two kinds of decisions of such games are looked at: those in which a piece can land on the centre
and another move is legal, and those in which a piece stands there and the side can move it away or
not. Printed are how often the move to the centre is best, how often staying is, and the mean
difference of the best chances of winning both ways, in percentage points, with standard errors.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

import urcx
from urcx.engine.moves import centre_step
from urcx.rules.position import Position


def differences(file: str, games: int, seed: int) -> dict[str, list[float]]:
    """Return by how much to land, and to stay, is better than the best other move, each time."""
    found: dict[str, list[float]] = {"land": [], "stay": []}
    rng = np.random.default_rng(seed)
    with urcx.open_tablebase(file) as base:
        rules = base.rules
        dice = rules.dice
        centre = centre_step(rules.path)
        chances = [float(chance) for chance in dice.probabilities]
        for _ in range(games):
            position = Position()
            while rules.pieces not in position.home:
                roll = int(rng.choice(dice.rolls, p=chances))
                moves = base.best_moves(position, roll)
                if not moves:
                    position = replace(position, light_to_move=not position.light_to_move)
                    continue
                for name, held in (("land", "end"), ("stay", "start")):
                    at = [m.value for m in moves if getattr(m.move, held) == centre]
                    rest = [m.value for m in moves if getattr(m.move, held) != centre]
                    if at and rest:
                        gain = max(at) - max(rest)
                        found[name].append(gain if name == "land" else -gain)
                position = moves[0].move.position
    return found


def main() -> None:
    """Print both kinds of decisions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for name, gains in differences(asked.file, asked.games, asked.seed).items():
        points = 100 * np.array(gains)
        error = points.std() / np.sqrt(len(points))
        best = 100 * (points > 0).mean()
        print(
            f"{name}: {len(points)} decisions, best in {best:.1f} %, worth {points.mean():.2f} "
            f"points (standard error {error:.2f})"
        )


if __name__ == "__main__":
    main()
