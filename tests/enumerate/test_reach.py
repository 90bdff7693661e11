"""Reachability against another engine, a naive search, and itself."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import naive
import pytest
from naive_reach import UNEVEN, after, naive_levels, small, unfinished
from own_rules import own, rules_of

import urcx
from urcx.engine.moves import tables
from urcx.enumerate import reach as module
from urcx.enumerate import reach_kernels
from urcx.enumerate.reach import KINDS, Reach, closed_forms, reach
from urcx.enumerate.reach_sampling import SampledReach, estimate, reachable
from urcx.errors import TooLargeError, UsageError
from urcx.results.writing import csv_text, json_text
from urcx.rules import catalogue
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

GOLDEN = json.loads((Path(__file__).parents[1] / "golden/solved-small.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=pytest.mark.jit if k else (), id=str(k))
        for k, row in enumerate(GOLDEN["rows"])
    ],
)
def test_reachable_states_of_another_engine(row: dict[str, Any]) -> None:
    assert reach(rules_of(row), threads=1).states == row["reachable_nonterminal"]


def lost(rules: RuleSet) -> set[Position]:
    """Return the states in which the other player alone has come home."""
    collected = set()
    for diagram in naive.diagrams(rules.path, rules.pieces):
        for light_to_move in (True, False) if not rules.path.symmetric else (True,):
            me = 0 if light_to_move else 1
            if diagram.home[1 - me] == rules.pieces != diagram.home[me]:
                collected.add(replace(diagram, light_to_move=light_to_move))
    return collected


def kind(position: Position, rules: RuleSet) -> tuple[bool, str]:
    ways, steps = (rules.path.light, rules.path.dark), (position.light, position.dark)
    me = 0 if position.light_to_move else 1
    mine, theirs = (
        {ways[side][step - 1] in rules.granting for step in steps[side]} for side in (me, 1 - me)
    )
    where = "elsewhere too" if False in theirs else "on rosettes only" if theirs else "nowhere"
    return True in mine, where


def against_naive(rules: RuleSet, found: Reach) -> None:
    levels = naive_levels(rules)
    reached = set().union(*levels)
    finished = {position for position in reached if rules.pieces in position.home}
    assert [(level.new, level.terminals) for level in found.levels] == [
        (len(level - finished), len(level & finished)) for level in levels
    ]
    assert [level.states for level in found.levels] == [*accumulate(f.new for f in found.levels)]
    assert [level.depth for level in found.levels] == list(range(len(levels)))
    depth, last = [(k, new - finished) for k, new in enumerate(levels) if new - finished][-1]
    assert found.depth == depth
    assert set(found.farthest) <= last
    assert len(found.farthest) == min(3, len(last))
    everything = unfinished(rules)
    assert (found.states, found.terminals) == (len(reached - finished), len(finished))
    assert found.closed_form == len(everything)
    assert found.closed_form_terminals == len(lost(rules))
    missing = everything - reached
    if not missing:
        assert found.missing is None
        return
    assert found.missing is not None
    orphans = everything - {child for position in everything for child in after(position, rules)}
    orphans -= reached
    assert found.unreachable == found.missing.unreachable == len(missing)
    assert found.missing.orphans == len(orphans)
    assert set(found.missing.examples) <= missing
    for which, count in zip(KINDS, found.missing.kinds, strict=True):
        assert (count.states, count.unreachable, count.orphans) == tuple(
            sum(kind(position, rules) == which for position in group)
            for group in (everything, missing, orphans)
        )
    for one in found.missing.home:
        home = one.mover, one.other
        assert (one.states, one.unreachable, one.orphans) == tuple(
            sum(
                home == (position.home if position.light_to_move else position.home[::-1])
                for position in group
            )
            for group in (everything, missing, orphans)
        )


PATHS = catalogue.path_names()
FINKEL = small("finkel", dice="binary3-0as4")


@pytest.mark.parametrize(
    "rules",
    [
        small("finkel"),
        FINKEL,
        small("masters", dice="binary3-0as4"),
        small("skiriuk", dice="d6-substitute"),
        small("seleucid", dice="astragali"),
        own("some"),
        UNEVEN,
        *(
            pytest.param(rules, marks=pytest.mark.jit)
            for rules in (
                *(replace(rules, pieces=2) for rules in (FINKEL, own("tiny"), UNEVEN)),
                *(replace(small("finkel"), path=urcx.path(name)) for name in PATHS),
                *(replace(FINKEL, path=urcx.path(name)) for name in PATHS[::4]),
            )
        ),
    ],
    ids=lambda rules: f"{rules.name}-{rules.path.name}-{rules.dice.name}-{rules.pieces}",
)
def test_what_is_reached_against_the_naive_search(rules: RuleSet) -> None:
    against_naive(rules, reach(rules))


@pytest.mark.jit
@pytest.mark.parametrize(
    "rules",
    [small("finkel", 3), small("masters", 2, "binary3-0as4"), small("skiriuk", 2)],
    ids=lambda rules: rules.name,
)
def test_threads_and_chunks_change_nothing(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = reach(rules, threads=1)
    monkeypatch.setattr(module, "CHUNK", 1024)
    for threads in (2, 5):
        assert reach(rules, threads=threads) == alone


@pytest.mark.parametrize(
    "rules", [small("finkel", 1, "binary3-0as4"), own("odd", pieces=1)], ids=lambda r: r.name
)
def test_batches_change_nothing(rules: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = reach(rules, threads=1)
    # Compiled kernels keep the size that they were compiled with.
    monkeypatch.setattr(reach_kernels, "BATCH", 8)
    assert reach(rules, threads=1) == whole
    arrays = tables(rules)
    most = len(rules.dice.rolls) * rules.pieces + 1  # each piece by each roll, and a pass
    assert reach_kernels.room_for_states(arrays.ways, arrays.rolls) >= reach_kernels.BATCH * most


@pytest.mark.jit
def test_both_orders_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = small("masters", 2, "binary3-0as4")
    by_pattern = reach(rules)
    monkeypatch.setattr(module, "layer_obstacle", lambda _: "not today")
    by_tiles = reach(rules)
    assert by_tiles.levels == by_pattern.levels
    assert by_tiles.missing is not None
    assert by_pattern.missing is not None
    assert by_tiles.missing.kinds == by_pattern.missing.kinds
    assert by_tiles.missing.home == by_pattern.missing.home


def test_each_part_of_the_search_is_announced() -> None:
    begun: list[tuple[str, int, str]] = []
    told: list[int] = []

    def stage(label: str, total: int, unit: str) -> Callable[[int], None]:
        begun.append((label, total, unit))
        return told.append

    result = reach(small("finkel", 1, "binary3-0as4"), stage=stage)
    # Every diagram has a rank: also those that either player has won, and both home.
    size = urcx.ranking(result.rules.path, 1, order="pattern").size
    assert size == result.closed_form + 2 * result.closed_form_terminals + 1
    assert begun == [
        ("searching states", size, "states"),
        ("predecessors of unreachable states", size, "states"),
    ]
    assert told == [*(level.states for level in result.levels), 0]
    begun.clear()
    estimate(result.rules, 3, 1, stage=stage)
    assert begun == [("searching back", 3, "states")]
    assert told[-1] == 3


def test_closed_forms() -> None:
    # 137,870,097 is the number of keys of another project's map of this game.
    assert closed_forms(catalogue.ruleset("finkel")) == (137_870_097, 21_919)


@pytest.mark.slow
@pytest.mark.jit
def test_every_state_of_finkel_is_reachable() -> None:
    result = reach(catalogue.ruleset("finkel"))
    assert (result.states, result.terminals, result.depth) == (137_870_097, 21_919, 56)
    assert result.missing is None


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="threads 0"):
        reach(small("finkel"), threads=0)
    monkeypatch.setattr("urcx.engine.memory.available_memory", lambda: 10**9)
    with pytest.raises(TooLargeError, match=r"needs 10\.6 GB of memory.* 1\.0 GB"):
        reach(catalogue.ruleset("skiriuk"))
    with pytest.raises(TooLargeError, match="at most 274,877,906,944"):
        reach(small("murray", 15))


def test_report() -> None:
    result = reach(small("finkel", 1, "binary3-0as4"), threads=1)
    report = result
    document = json.loads(json_text(report))
    assert document["schema"] == "urcx.reach/1"
    assert (document["states"], document["unreachable"]) == ("173", "44")
    assert document["missing"]["orphans"] == "35"
    assert document["rows"][-1]["total"] == "173"
    assert any("never give 0" in note for note in report.tables()[2].notes)
    assert "in 35 of these 35 states" in report.text(wide=True)
    assert csv_text(report).splitlines()[0] == "depth,new,total,terminals"
    whole = reach(small("finkel"), threads=1)
    assert json.loads(json_text(whole))["missing"] is None
    assert "By pieces home" not in whole.text()


@pytest.mark.parametrize(
    "rules", [small("finkel", 1, "binary3-0as4"), UNEVEN], ids=lambda rules: rules.name
)
def test_searching_back_agrees_with_searching_on(rules: RuleSet) -> None:
    reached = set().union(*naive_levels(rules))
    # On the path that differs for both sides every third state: the plain search takes its time.
    for position in sorted(unfinished(rules))[:: 1 if rules.path.symmetric else 3]:
        assert reachable(position, rules) == (position in reached)


def test_estimates() -> None:
    rules = small("finkel", 1, "binary3-0as4")
    sampled = estimate(rules, 60, seed=5)
    assert sampled == estimate(rules, 60, seed=5)
    assert sampled.reached + sampled.unreachable == sampled.samples == 60
    assert sampled.closed_form == 217
    document = json.loads(json_text(sampled))
    low, high = document["states_interval"]
    assert low < 173 < high
    assert document["share"] == sampled.reached / 60
    record = sampled.records()[0]
    assert [record["low"], record["high"]] == document["interval"]
    assert document["states"] == pytest.approx(217 * sampled.reached / 60)
    assert reachable(urcx.parse_position("14/13/0-0/L"), rules, limit=2) is None
    with pytest.raises(UsageError, match="samples 0"):
        estimate(rules, 0)


def interval(found: SampledReach) -> tuple[float, float]:
    low, high = json.loads(json_text(found))["interval"]
    return low, high


def test_undecided_states_widen_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reachable, "__defaults__", (3,))
    sampled = estimate(small("finkel", 2), 10, seed=1)
    assert sampled.undecided > 0
    document = json.loads(json_text(sampled))
    assert document["share"] is None
    assert "undecided" in sampled.text()


@pytest.mark.parametrize("reached", [0, 3, 5])
def test_an_interval_goes_from_none_of_the_undecided_to_all(reached: int) -> None:
    rules = small("finkel", 2)
    n, undecided = 10, 5
    sampled = SampledReach(
        rules, "mover-view", 12869, n, 1, reached, n - reached - undecided, undecided
    )
    for end, hits in ((0, reached), (1, reached + undecided)):
        decided = replace(sampled, reached=hits, unreachable=n - hits, undecided=0)
        assert interval(sampled)[end] == interval(decided)[end]
        # Wilson's interval ends where the share is as far off as chance would have it.
        for p in interval(decided):
            away = 1.959963984540054 * math.sqrt(p * (1 - p) / n)
            assert abs(p - hits / n) == pytest.approx(away, abs=1e-6)
    document = json.loads(json_text(sampled))
    assert document["states_interval"] == [end * 12869 for end in interval(sampled)]
    assert document["share"] is document["states"] is None


def test_samples_beyond_what_a_slice_can_count() -> None:
    class EnoughError(Exception):
        pass

    def stop(done: int) -> None:
        if done >= 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        estimate(small("finkel", 1), 10**20, 1, stage=lambda *_: stop)
