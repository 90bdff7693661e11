"""Prints how many grades of a review by the network differ from the exact grades.

The games are of several pairs of agents, of different strength. Both reviews are of the same
decisions, one with the network that comes with urcx, the other with a tablebase:

    python benchmarks/estimated_grades.py finkel.urcx
"""

from __future__ import annotations

import sys
from collections import Counter

import urcx
from urcx.played.game_review import GRADES
from urcx.played.players import answered
from urcx.played.record import PlayedGame
from urcx.played.values import network_estimates

GAMES = 100  # of each pair
PAIRS = (("greedy", "greedy"), ("greedy", "random"), ("mistakes:20:learned", "mistakes:20:learned"))


def played_out(rules: urcx.RuleSet, names: tuple[str, str], seed: int) -> PlayedGame:
    """Return a complete game of two agents."""
    played, (light, dark) = PlayedGame(rules, seed=seed), map(urcx.agent, names)
    while not played.is_over:
        played = answered(played, light if played.turn == "light" else dark)
    return played


def main(tablebase: str) -> None:
    """Play the games, and print a table of grades for each pair and for all."""
    with urcx.open_tablebase(tablebase) as base:
        network = network_estimates(base.rules)
        assert network is not None
        every: Counter[tuple[str, str]] = Counter()
        for names in PAIRS:
            counts: Counter[tuple[str, str]] = Counter()
            for seed in range(1, GAMES + 1):
                played = played_out(base.rules, names, seed)
                pairs = zip(
                    urcx.review(played, network).plies,
                    urcx.review(played, base).plies,
                    strict=True,
                )
                counts.update(
                    (by_network.grade or "none", exact.grade or "none")
                    for by_network, exact in pairs
                    if exact.is_decision
                )
            show(" against ".join(names), counts)
            every += counts
        show("all", every)


def show(title: str, counts: Counter[tuple[str, str]]) -> None:
    """Print a table with a row for each grade by the network, a column for each exact grade."""
    grades = [*(grade.name for grade in GRADES), "none"]
    total = counts.total()
    differ = sum(count for (ours, exact), count in counts.items() if ours != exact)
    graded = sum(count for pair, count in counts.items() if pair != ("none", "none"))
    print(
        f"{title}: {differ} of {total} decisions have another grade ({100 * differ / total:.2f} %)"
    )
    print(f"{'network / exact':<16}" + "".join(f"{name:>12}" for name in grades))
    for ours in grades:
        print(f"{ours:<16}" + "".join(f"{counts[ours, exact]:>12}" for exact in grades))
    print(f"{differ} of {graded} decisions with a grade by one of both\n")


if __name__ == "__main__":
    main(sys.argv[1])
