"""Play against the means that other programs found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pytest

import urcx
from urcx.games.records import Games
from urcx.games.simulator import simulate
from urcx.games.statistics import Measure, measures


@dataclass(frozen=True)
class Oracle:
    """The means of another program, and its number of games, for `agrees`."""

    games: int
    digits: int = 1


def agrees(measure: Measure, games: int, printed: float, oracle: Oracle) -> bool:
    """Say whether a printed mean lies within four standard errors of both samples.

    The standard error is that of the difference of two means, of our games and of the other
    program's, which are taken to scatter as ours; half a printed digit is added.
    """
    assert measure.ci95 is not None
    one = (measure.ci95[1] - measure.ci95[0]) / 2 / 1.959963984540054 * math.sqrt(games)
    error = one * math.sqrt(1 / games + 1 / oracle.games)
    return abs(measure.mean - printed) <= 4 * error + 0.5 * 10.0**-oracle.digits


def share_agrees(found: Games, printed: float, oracle: Oracle) -> bool:
    share = float((found.results[:, 0] == found.results[:, 1]).mean())
    error = math.sqrt(share * (1 - share) * (1 / len(found) + 1 / oracle.games))
    return bool(abs(share - printed) <= 4 * error + 0.0005)


def by_name(found: Games) -> dict[str, Measure]:
    return {measure.name: measure for measure in measures(found)}


@pytest.mark.jit
def test_random_play_agrees_with_another_program() -> None:
    # Another program's 300,000 games.
    games = simulate("random", games=100_000, seed=1)
    seen = by_name(games)
    means = Oracle(300_000)
    for name, printed, digits in (
        ("plies", 156.52, 2),
        ("moves", 143.8, 1),
        ("turns", 130.6, 1),
        ("choices_per_ply", 2.501, 3),
        ("choices_per_move", 2.722, 3),
    ):
        assert agrees(seen[name], len(games), printed, replace(means, digits=digits)), name
    assert share_agrees(games, 0.511, means)
    sd = seen["plies"].sd
    assert sd is not None
    # The error of a standard deviation, as for a normal distribution.
    error = sd * math.sqrt(1 / (2 * len(games)) + 1 / (2 * means.games))
    assert abs(sd - 22.4) <= 4 * error + 0.05


@pytest.mark.jit
def test_greedy_play_agrees_with_another_program() -> None:
    # Another program's 776,238 games; it breaks ties towards the most advanced piece.
    oracle = Oracle(776_238, digits=2)
    games = simulate("greedy", games=100_000, seed=1)
    seen = by_name(games)
    assert agrees(seen["plies"], len(games), 120.57, oracle)
    assert agrees(seen["choices_per_ply"], len(games), 1.732, replace(oracle, digits=3))
    assert share_agrees(games, 0.510, oracle)
    other = simulate("greedy:random", games=10_000, seed=1)
    assert not agrees(by_name(other)["plies"], len(other), 120.57, oracle)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("depth", "plies", "choices", "wrong"),
    [
        (2, 178.9, 2.355, "expectimax:2:random"),
        pytest.param(3, 183.8, 2.268, "expectimax:3:last", marks=pytest.mark.slow),
    ],
)
def test_looking_ahead_agrees_with_another_program(
    depth: int, plies: float, choices: float, wrong: str
) -> None:
    # Another program's means. Its number of games is not known: we assume 2,000, as many as
    # the paper has. Its ties go to the least advanced piece; another rule is noticed.
    rules = urcx.ruleset("finkel")
    oracle = Oracle(2000)
    method = "tree" if depth == 2 else "levels"  # whichever is quicker

    def both_agree(text: str) -> bool:
        games = simulate(text, rules=rules, games=20_000, seed=1, method=method, no_cache=True)
        seen = by_name(games)
        return agrees(seen["plies"], len(games), plies, oracle) and agrees(
            seen["choices_per_ply"], len(games), choices, replace(oracle, digits=3)
        )

    assert both_agree(f"expectimax:{depth}")
    assert not both_agree(wrong)
