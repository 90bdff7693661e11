"""Puzzles against exact fractions, exact expectations and a network's preferences."""

from __future__ import annotations

import math
from contextlib import ExitStack
from itertools import combinations

import naive
import pytest
from own_rules import own

import urcx
from urcx.contrib.puzzles import puzzles
from urcx.engine.threads import no_progress
from urcx.errors import UsageError
from urcx.expectations.losses import LossFlow, decision_of
from urcx.expectations.tally import TallyOptions
from urcx.expectations.tally_kernels import BY_COST
from urcx.rules.model import RuleSet
from urcx.rules.position import GameLike, Position


@pytest.mark.jit
def test_each_has_one_clearly_best_move_that_the_agent_misses_in_its_games() -> None:
    rules = own("short", pieces=2)
    light = naive.perfect(rules).__getitem__
    found = puzzles(rules, most=5, margin=0.03, seed=4)
    greedy = urcx.agent("greedy")
    with ExitStack() as stack:
        judge = LossFlow(rules, None, None, no_progress, stack)
        games = judge.follow(greedy, greedy, TallyOptions(decisions=100_000, by=BY_COST))
        mistakes = [decision_of(judge.order, one) for one in games.worst[0]]
    happens = {(one.position, one.roll): one for one in mistakes}
    assert len(found.puzzles) == 5
    for number, one in enumerate(found.puzzles, start=1):
        game = one.game
        legal = game.legal_moves(one.roll)
        values = {(move.start, move.end): light(move.position) for move in legal}
        played = greedy.choose(game, one.roll)
        assert played is not None
        ranked = sorted(values.values(), reverse=True)
        assert one.number == number
        assert one.game.turn == "light"
        assert values[one.solution.start, one.solution.end] == ranked[0]
        assert one.wins == pytest.approx(float(ranked[0]), abs=1e-12)
        assert one.margin == pytest.approx(float(ranked[0] - ranked[1]), abs=1e-12)
        assert one.margin > 0.03
        assert one.missed.move == played
        cost = ranked[0] - values[played.start, played.end]
        assert one.missed.regret == pytest.approx(float(cost), abs=1e-12)
        happened = happens[game.position, one.roll]
        assert (happened.played, happened.best) == (played, one.solution)
        assert happened.often > 1e-6


@pytest.mark.jit
def test_the_seed_decides_and_no_two_are_alike() -> None:
    rules = urcx.ruleset("finkel", pieces=3)
    found = puzzles(rules, most=8, seed=1)
    again, other = (puzzles(rules, most=8, seed=seed) for seed in (1, 2))
    posed = [[(one.game.position, one.roll) for one in of.puzzles] for of in (found, again, other)]
    assert posed[0] == posed[1]
    assert not set(posed[0]) & set(posed[2])
    assert len({one.source for one in found.puzzles}) == 8
    for one, its in combinations(found.puzzles, 2):
        moves = [(x.solution.start, x.solution.end, x.missed.move.start) for x in (one, its)]
        assert moves[0] != moves[1]
        here, there = (_standing(x.game.position) for x in (one, its))
        assert len(here ^ there) >= 3
    assert len({one.motive for one in found.puzzles}) > 3
    grades = [("easy", "medium", "hard").index(one.grade) for one in found.puzzles]
    assert grades == sorted(grades)
    assert "Solutions" not in found.text().replace("1 more table: Solutions", "")


def _standing(place: Position) -> set[tuple[str, int]]:
    home = {(f"home {side}", k) for side in (0, 1) for k in range(place.home[side])}
    return home | {(side, step) for side in ("light", "dark") for step in getattr(place, side)}


class Progress:
    """Values by the progress of all pieces: it is best to move the last one."""

    bound: float | None = None

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def probe(self, position: Position | str | GameLike) -> float:
        """Return the mover's part of all steps."""
        assert isinstance(position, Position)
        far = self.rules.path.length + 1
        light, dark = (
            1.0 + sum(map(math.sqrt, steps)) + math.sqrt(far) * home
            for steps, home in zip((position.light, position.dark), position.home, strict=True)
        )
        return (light if position.light_to_move else dark) / (light + dark)


@pytest.mark.jit
def test_the_network_says_how_hard_one_is() -> None:
    found = puzzles(most=6, margin=0.001, tablebase=Progress(urcx.ruleset("finkel")))
    network = urcx.agent("learned")
    for one in found.puzzles:
        values = network.values(one.game, one.roll)
        assert values is not None
        best = values.pop(one.solution)
        prefers = float(best - max(values.values()))
        assert one.prefers == prefers
        assert one.grade == ("easy" if prefers >= 0.05 else "medium" if prefers >= 0.02 else "hard")
    assert {one.grade for one in found.puzzles} >= {"hard"}


def test_what_cannot_be_asked() -> None:
    with pytest.raises(UsageError, match="most 61: must be from 1 to 60"):
        puzzles(most=61)
    with pytest.raises(UsageError, match="margin 0: must be between 0 and 1"):
        puzzles(margin=0)
    with pytest.raises(UsageError, match="seed -1"):
        puzzles(seed=-1)
