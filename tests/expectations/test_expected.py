"""Exact expectations: against a naive twin, against each other, against games, against theorems."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import naive
import numpy as np
import pytest
from own_rules import own, small
from prepared_policies import policies_of

import urcx
from urcx.agents.agent_texts import agent
from urcx.errors import UrcxError, UsageError
from urcx.expectations import layers
from urcx.expectations.expected import Expected, expected
from urcx.expectations.flow import Flow
from urcx.expectations.regret import regret
from urcx.expectations.tally import Side, Tally
from urcx.game import Game
from urcx.rules.model import RuleSet
from urcx.rules.position import Position
from urcx.solving.general.solver import general_order
from urcx.sweeps import blocks


def numbers(side: Side) -> list[float]:
    return [side.again, side.captures, side.landed, side.log_picks, side.wins]


@pytest.mark.parametrize(
    ("rules", "light", "dark"),
    [
        (small("finkel", 1), "random", "greedy"),
        (own("corner"), "greedy", "expectimax:1:random"),
        (own("odd"), "mistakes:25:greedy:random", "last"),
        (own("corner"), "greedy", "random"),
        (own("odd"), "random", "greedy"),
        (own("odd"), "greedy", "random"),
        pytest.param(own("tiny"), "mistakes:30:greedy", "last", marks=pytest.mark.jit),
        pytest.param(small("masters", 1), "greedy", "last", marks=pytest.mark.jit),
        pytest.param(small("murray", 1), "random", "random", marks=pytest.mark.slow),
        pytest.param(own("corner"), "mistakes:30", "mistakes:100:greedy", marks=pytest.mark.jit),
    ],
    ids=lambda one: one.name if isinstance(one, RuleSet) else one,
)
def test_means_and_counts_by_step_are_as_followed_naively(
    rules: RuleSet, light: str, dark: str
) -> None:
    """The plies of light and dark that begin with a piece on a step, moves and captures."""
    details: dict[Position, list[tuple[int, Position, float]]] = {}  # tile, position, chance

    def ways(at: Position) -> list[tuple[Position, float]]:
        player = agent(light if at.light_to_move else dark)
        details[at] = []
        for roll, often in zip(rules.dice.rolls, rules.dice.probabilities, strict=True):
            legal = {(end, to) for _, end, to in naive.moves(at, roll, rules)}
            asked = player.move_probabilities(Game(rules, at), roll)
            played = {(move.end, move.position): float(p) for move, p in asked.items() if p}
            assert set(played) <= legal
            for (end, to), p in (played or {(0, naive.passed(at)): 1.0}).items():
                details[at].append((end, to, float(often) * p))
        return [(to, p) for _, to, p in details[at] if rules.pieces not in to.home]

    counts = np.zeros((2, 3, rules.path.length + 2))
    plies, wins = 0.0, [0.0, 0.0]
    for at, share in naive.visits({Position(): 1.0}, ways).items():
        plies += share
        mover, sides = (0 if at.light_to_move else 1), (at.light, at.dark)
        counts[mover, 0, list(sides[mover])] += share
        for end, to, p in details[at]:
            if rules.pieces in to.home:
                wins[to.home.index(rules.pieces)] += share * p
            counts[mover, 1, end] += share * p if end else 0.0
            theirs = (to.light, to.dark)[1 - mover]
            counts[mover, 2, end] += share * p * (len(theirs) < len(sides[1 - mover]))
    found = expected(light, dark, rules, first="light")
    assert sum(side.plies for side in found.sides) == pytest.approx(plies, abs=1e-9)
    assert [side.wins for side in found.sides] == pytest.approx(wins, abs=1e-11)
    mean = urcx.exact_measures(found)[0]
    assert mean.bound is not None
    assert abs(plies - mean.mean) <= mean.bound + 1e-11 < 1e-8
    for side, each in zip(found.sides, counts, strict=True):
        assert np.array([side.stood, side.moved, side.captured]) == pytest.approx(each, abs=1e-10)
        assert side.moved.sum() == pytest.approx(side.moves, abs=1e-10)
        assert side.captured.sum() == pytest.approx(side.captures, abs=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("name", "light", "dark", "first"),
    [
        ("finkel", "random", "greedy", 0),
        ("finkel", "optimal", "random", 1),
        ("finkel", "greedy:random", "optimal", 0),
        ("finkel", "expectimax:1:random", "panda:2", 1),
        ("blitz", "expectimax:2", "last", 0),
        ("blitz", "greedy", "random", 1),
        ("masters", "last", "greedy:first", 0),
        pytest.param("finkel", "mistakes:30", "greedy:random", 0, marks=pytest.mark.jit),
        pytest.param(
            "blitz",
            "mistakes:60:expectimax:1:random",
            "mistakes:20:greedy",
            1,
            marks=pytest.mark.jit,
        ),
    ],
)
def test_both_ways_agree(name: str, light: str, dark: str, first: int) -> None:
    rules, ready = small(name, 2), policies_of(name)
    one = expected(light, dark, rules, first=("light", "dark")[first])
    made = ready.of(agent(light)), ready.of(agent(dark))
    other = Flow(general_order(rules, turned=False), made).run((1 - first, first))
    for side in (0, 1):
        assert np.allclose(one.sides[side].by_choices, other.by_choices[side], rtol=0, atol=1e-12)
        assert numbers(one.sides[side]) == pytest.approx(numbers(other.side(side)), abs=1e-12)


@pytest.mark.jit
@pytest.mark.parametrize(("light", "pieces"), [("random", 1), ("random", 3), ("mistakes:40", 2)])
def test_games_agree(light: str, pieces: int) -> None:
    rules = small("finkel", pieces)
    found = expected(light, "greedy", rules)
    games = urcx.simulate(light, "greedy", rules, games=20_000, seed=7)
    exact = {m.name: m.mean for m in urcx.exact_measures(found)}
    sampled = {m.name: m for m in urcx.measures(games)}
    assert exact.keys() == sampled.keys()
    for name, mean in exact.items():
        low, high = sampled[name].ci95 or (0.0, 0.0)
        assert abs(sampled[name].mean - mean) <= 1.0 * (high - low) + 1e-12, name
    won = games.wins("light") / len(games)
    assert won == pytest.approx(found.sides[0].wins, abs=0.015)
    begins = games.wins("first") / len(games)
    assert begins == pytest.approx(found.first_wins, abs=0.015)


@cache
def begun(first: str) -> Expected:
    return expected("random", "expectimax:1", small("masters", 1), first=first)


@pytest.mark.parametrize("first", ["light", "dark", "alternate", "coin"])
@pytest.mark.jit
def test_theorems(first: str) -> None:
    rules = small("masters", 1)
    found = begun(first)
    light, dark = found.sides
    assert light.wins + dark.wins == pytest.approx(1.0, abs=found.left_out)
    # Each ply rolls the dice anew, whatever has been before (Wald).
    for side in found.sides:
        assert side.by_choices.sum(axis=1) / side.plies == pytest.approx(
            [float(p) for p in rules.dice.probabilities], abs=1e-13
        )
    # Who bears off all pieces has moved each at least so often.
    assert light.plies + dark.plies > rules.path.length / max(rules.dice.rolls)
    one, two = (begun(side).first_wins for side in ("light", "dark"))
    expects = {"light": light.wins, "dark": dark.wins, "alternate": (one + two) / 2}
    expects["coin"] = expects["alternate"]
    assert found.first_wins == pytest.approx(expects[first], abs=1e-14)
    if first in ("alternate", "coin"):
        ones = [[numbers(side) for side in begun(who).sides] for who in ("light", "dark")]
        both = [numbers(side) for side in found.sides]
        assert np.allclose(both, np.mean(ones, axis=0), rtol=0, atol=1e-13)
    assert 0.0 <= found.left_out < 1e-12


def test_between_equals_the_sides_are_alike() -> None:
    found = expected("greedy", rules=small("finkel", 1))
    assert numbers(found.sides[0]) == pytest.approx(numbers(found.sides[1]), abs=1e-15)
    assert found.first_wins > 0.5


@pytest.mark.jit
def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one = expected("random", "expectimax:1", small("finkel", 2), threads=1)
    monkeypatch.setattr(blocks, "SMALL", 0)
    other = expected("random", "expectimax:1", small("finkel", 2), threads=3)
    assert one.sides[0].wins + one.sides[1].wins == pytest.approx(1.0, abs=one.left_out)
    # Threads see what others have written or not; each run keeps its own bounds.
    off = sum(found.bound or 0.0 for run in (one, other) for found in urcx.exact_measures(run)[:1])
    assert off < 1e-9
    for side in (0, 1):
        assert numbers(other.sides[side]) == pytest.approx(numbers(one.sides[side]), abs=off)
        assert np.allclose(
            one.sides[side].by_choices, other.sides[side].by_choices, rtol=0, atol=off
        )


def test_chances_that_do_not_add_up_are_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    add = Tally.add

    def lossy(self: Tally, other: Tally, most: int) -> None:
        add(self, replace(other, wins=other.wins * (1.0 - 1e-9)), most)

    monkeypatch.setattr(Tally, "add", lossy)
    with pytest.raises(UrcxError, match="not 1: that is a fault of urcx"):
        expected("last", "first", own("corner"))


@pytest.mark.jit
def test_threads_write_to_places_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    # Meeting in a place seldom shows in a run, so each thread's part is done alone and watched.
    swept = layers.PairFlow._sweep
    parts = []

    def watched(self: Any, x: Any, *others: Any) -> float:
        def one_by_one(total: int, _size: int, part: Any, _threads: int) -> None:
            written = np.zeros(len(x), int)
            for k in range(total):
                before = x.copy()
                part(0, k, k + 1)
                written += x != before
            parts.append(total)
            assert written.max() <= 1

        with monkeypatch.context() as patch:
            patch.setattr(blocks, "SMALL", 0)
            patch.setattr(blocks, "for_chunks", one_by_one)
            return swept(self, x, *others)

    monkeypatch.setattr(layers.PairFlow, "_sweep", watched)
    monkeypatch.setattr(layers, "LEAST_PART", 1000)
    expected("random", "greedy", small("finkel", 2), threads=3, first="light")
    assert max(parts) > 3


@pytest.mark.jit
@pytest.mark.parametrize(
    ("light", "dark"), [("random", "greedy"), ("last", "optimal"), ("mistakes:20", "optimal")]
)
def test_losses_are_what_winning_chances_lack(light: str, dark: str) -> None:
    # Every move's loss is the change of the value under perfect play, so along a game they add up.
    rules = small("finkel", 2)
    (found,) = regret(light, rules, opponent=dark).regrets
    mine, theirs = found.side, found.opposite
    assert 0.5 - mine.wins == pytest.approx(mine.loss - theirs.loss, abs=2e-12)
    if dark == "optimal":
        assert theirs.loss == pytest.approx(0.0, abs=1e-12)
        assert theirs.mistakes == 0.0


def test_what_cannot_be_exact() -> None:
    rules = small("finkel", 1)
    with pytest.raises(UsageError, match="function of yours"):
        expected(lambda _position, _roll, moves: moves[0], rules=rules)
    with pytest.raises(UsageError):
        expected("random:first", rules=rules)
    with pytest.raises(UsageError, match="unknown first mover"):
        expected("random", rules=rules, first="nobody")


def test_memory_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 1000)
    with pytest.raises(urcx.UrcxError, match="free"):
        expected("random", rules=small("finkel", 1))
