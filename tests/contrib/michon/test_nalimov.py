"""Michon's procedure against a queue with counters, and the cycles on which it stalls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace

import naive
import numpy as np
import pytest
from own_rules import own

from urcx.contrib.michon import procedure
from urcx.contrib.michon.nalimov_kernels import PASSES, QUIET
from urcx.contrib.michon.procedure import READINGS, CyclePly, Procedure
from urcx.contrib.michon.result import Nalimov, nalimov
from urcx.engine.threads import no_progress
from urcx.errors import TooLargeError, UsageError
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

SMALL = [("finkel", 1), ("masters", 1), ("odd", 2), ("lane", 1)]
LARGER = [("blitz", 1), ("aseb", 1), ("murray", 1), ("skiriuk", 1)]
CASES = [
    *(pytest.param(*case, id=f"{case[0]}-{case[1]}") for case in SMALL),
    *(pytest.param(*case, marks=pytest.mark.jit, id=f"{case[0]}-{case[1]}") for case in LARGER),
    pytest.param("finkel", 2, marks=[pytest.mark.jit, pytest.mark.slow], id="finkel-2"),
]


def rules_of(name: str, pieces: int) -> RuleSet:
    return own(name, pieces=pieces)


def other_side(position: Position) -> Position:
    return replace(position, light_to_move=not position.light_to_move)


class Twin:
    """The game as a graph of positions with both players' turns, from the words of the rules.

    ``after[position]`` are (roll, whether by a move, position after); ``in_contact`` the positions
    with a capture.
    """

    def __init__(self, rules: RuleSet, *, captures: bool = True) -> None:
        self.after: dict[Position, list[tuple[int, bool, Position]]] = {}
        self.in_contact: set[Position] = set()
        for diagram in naive.diagrams(rules.path, rules.pieces):
            for position in (replace(diagram, light_to_move=True), other_side(diagram)):
                self.after[position] = []
                if rules.pieces in position.home:
                    continue
                for roll in rules.dice.rolls:
                    found = [item[2] for item in naive.moves(position, roll, rules)]
                    hits = [p for p in found if self.hits(position, p)]
                    if hits and captures:
                        self.in_contact.add(position)
                    if not captures:
                        found = [p for p in found if p not in hits]
                    self.after[position] += [(roll, True, p) for p in found]
                    if not found:
                        self.after[position].append((roll, False, other_side(position)))
        self.open = [p for p in self.after if rules.pieces not in p.home]

    @staticmethod
    def hits(before: Position, after: Position) -> bool:
        both = (before.light, before.dark), (after.light, after.dark)
        return len(both[1][before.light_to_move]) < len(both[0][before.light_to_move])

    def decided(self, reading: str) -> set[Position]:
        """Return the positions decided by a queue with counts of undecided descendants."""
        passing = {p for p in self.after if any(not moved for _, moved, _ in self.after[p])}
        group = {
            p: frozenset({p, other_side(p)})
            if reading == "passes" and {p, other_side(p)} <= passing
            else frozenset({p})
            for p in self.after
        }
        before: dict[frozenset[Position], list[frozenset[Position]]] = defaultdict(list)
        counts: Counter[frozenset[Position]] = Counter()
        for one in set(group.values()):
            for position in one:
                for roll, _, to in self.after[position]:
                    if group[to] != one and not (reading == "zero-rolls" and roll == 0):
                        before[group[to]].append(one)
                        counts[one] += 1
        queue = [group[p] for p in self.after if not self.after[p]]
        found: set[Position] = set()
        while queue:
            one = queue.pop()
            found |= one
            for waiting in before[one]:
                counts[waiting] -= 1
                if counts[waiting] == 0:
                    queue.append(waiting)
        return found

    def leads_to(self, goals: set[Position]) -> set[Position]:
        """Return the positions that lead to one of several positions, including these."""
        before = defaultdict(list)
        for position in self.after:
            for _, _, to in self.after[position]:
                before[to].append(position)
        found, left = set(goals), list(goals)
        while left:
            for position in before[left.pop()]:
                if position not in found:
                    found.add(position)
                    left.append(position)
        return found

    def shortest(self, start: Position, reading: str) -> int | None:
        """Return the plies of the shortest cycle through a position."""
        level = {(start, False)}
        seen = set(level)
        plies = 0
        while level:
            plies += 1
            level = {
                (to, before or moved or reading != "passes")
                for position, before in level
                for roll, moved, to in self.after[position]
                if not (reading == "zero-rolls" and roll == 0)
            } - seen
            if (start, True) in level:
                return plies
            seen |= level
        return None


def marked(rules: RuleSet, threads: int = 1) -> Procedure:
    """Return the procedure after its run."""
    found = Procedure(rules, threads)
    found.enqueue(no_progress)
    found.run(no_progress, "")
    return found


@pytest.mark.parametrize(("name", "pieces"), CASES)
def test_it_decides_what_a_queue_with_counters_does(name: str, pieces: int) -> None:
    rules = rules_of(name, pieces)
    twin = Twin(rules)
    mine = marked(rules, 2)
    for reading, mark in READINGS.items():
        decided = twin.decided(reading)
        assert {p for p in twin.open if mine.marks(p) & mark} == decided & set(twin.open)
    noisy = twin.leads_to(twin.in_contact)
    assert {p for p in twin.open if not mine.marks(p) & QUIET} == noisy & set(twin.open)
    mine.run(no_progress, "", captures=False)
    without = Twin(rules, captures=False).decided("passes")
    assert {p for p in twin.open if mine.marks(p) & PASSES} == without & set(twin.open)


def replayed(ply: CyclePly, rules: RuleSet) -> Position:
    """Return the position after a ply, by the rules in words; the ply must be legal."""
    found = {start: to for start, _, to in naive.moves(ply.position, ply.roll, rules)}
    if ply.move is None:
        assert not found
        return other_side(ply.position)
    return found[ply.move.start]


@pytest.mark.parametrize(("name", "pieces"), [*SMALL[:3], ("skiriuk", 1)])
def test_cycles_replay_and_are_shortest(name: str, pieces: int) -> None:
    rules = rules_of(name, pieces)
    twin = Twin(rules)
    for reading, stall in nalimov(rules, threads=1).stalls.items():
        assert stall is not None
        assert stall.cycle[0].position == stall.position or not stall.on_cycle
        for ply, after in zip(stall.cycle, (*stall.cycle[1:], stall.cycle[0]), strict=True):
            assert replayed(ply, rules) == after.position
            assert reading != "zero-rolls" or ply.roll != 0
        assert len(stall.cycle) == twin.shortest(stall.cycle[0].position, reading)
        moved = any(ply.move for ply in stall.cycle)
        captured = any(ply.move and ply.move.captures for ply in stall.cycle)
        assert moved == captured == (reading == "passes")


def test_with_zeros_nothing_but_the_end_is_decided_to_the_letter() -> None:
    found = nalimov(rules_of("finkel", 1), threads=1)
    assert found.decided("literal") == 0
    assert found.states == 217  # 248 diagrams less 31 finished ones
    assert found.left_without_captures == 0
    assert 0 < found.decided("passes") < found.states


def test_where_nobody_can_ever_move() -> None:
    # By hand: each side is in its pool, on its step 1 or on its step 2, which is the other's step
    # 1, so 7 states. Once both have entered they face each other for ever. That is undecided, and
    # so are the two before it: both in the pool, and the mover in the pool with the other entered.
    found = nalimov(rules_of("lane", 1), threads=1)
    assert (found.states, found.decided("passes"), found.quiet) == (7, 4, 7)
    assert (found.quiet_undecided, found.decided_in_contact) == (3, 0)
    assert found.left_without_captures == 3
    stall = found.stalls["passes"]
    assert stall is not None
    assert str(stall.position) == "1/1/0-0/L"
    assert [ply.move for ply in stall.cycle] == [None, None]


def test_stages_are_named() -> None:
    seen: list[tuple[str, int]] = []

    def stage(label: str, _total: int, _unit: str) -> Callable[[int], None]:
        return lambda done: seen.append((label, done))

    rules = rules_of("finkel", 1)
    found = nalimov(rules, threads=2, stage=stage)
    assert [layer.home for layer in found.layers] == [(0, 0)]
    assert {label for label, _ in seen} > {"sorting states"}


@pytest.mark.jit
def test_threads_and_small_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def counts(found: Nalimov) -> object:
        return found.layers, found.stalls, found.left_without_captures

    rules = rules_of("masters", 2)
    one = nalimov(rules, threads=1)
    monkeypatch.setattr(procedure, "SMALL", 0)
    monkeypatch.setattr(procedure, "CHUNK", 64)
    assert counts(nalimov(rules, threads=3)) == counts(one)


@pytest.mark.parametrize("name", ["finkel", "odd", "skiriuk"])
def test_the_order_goes_from_the_end_and_has_every_state_once(name: str) -> None:
    rules = rules_of(name, 2 if name == "odd" else 1)
    mine = Procedure(rules, 2)
    mine.enqueue(no_progress)
    ends = [len(rules.path.light) + 1, len(rules.path.dark) + 1]

    def gone(position: Position) -> tuple[int, int]:
        steps = sum(position.light) + sum(position.dark)
        return sum(position.home), steps + int(np.dot(position.home, ends))

    positions = [mine.ranking.unrank(state) for state in mine.queue.tolist()]
    assert [gone(p) for p in positions] == sorted(map(gone, positions), reverse=True)
    expected = {
        p if mine.turned else replace(p, light_to_move=light)
        for p in naive.diagrams(rules.path, rules.pieces)
        for light in (True, False)
        if rules.pieces not in p.home
    }
    assert len(positions) == len(expected)
    assert set(positions) == expected


def test_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="threads"):
        nalimov(rules_of("finkel", 1), threads=0)
    with pytest.raises(TooLargeError, match="at most"):
        nalimov(catalogue.ruleset("murray"))
    with pytest.raises(TooLargeError, match="order by tiles"):
        nalimov(rules_of("murray", 4))
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 1000)
    with pytest.raises(TooLargeError, match="fewer pieces"):
        nalimov(rules_of("finkel", 1))


@pytest.mark.parametrize(("name", "pieces"), [("tiny", 2), ("odd", 2), ("lane", 1)])
def test_counts_are_those_of_the_marks_of_every_position(name: str, pieces: int) -> None:
    rules = rules_of(name, pieces)
    found = nalimov(rules, threads=1)
    mine = marked(rules)
    counted: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for position in naive.diagrams(rules.path, rules.pieces):
        sides = [position] if rules.path.symmetric else [position, other_side(position)]
        for state in sides:
            if rules.pieces not in state.home:
                counts = counted[state.home if state.light_to_move else state.home[::-1]]
                counts["states"] += 1
                counts["passes"] += bool(mine.marks(state) & PASSES)
    in_all: Counter[str] = sum(counted.values(), Counter())
    assert sorted(layer.home for layer in found.layers) == sorted(counted)
    for layer in found.layers:
        assert layer.states == counted[layer.home]["states"]
        assert layer.decided["passes"] == counted[layer.home]["passes"]
        assert set(layer.decided) == set(READINGS)
    assert found.states == in_all["states"]
    assert found.undecided == in_all["states"] - in_all["passes"] > 0
