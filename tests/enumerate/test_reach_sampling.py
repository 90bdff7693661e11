"""Sampled reachability against a naive search, its intervals, and its refusals."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from naive_reach import UNEVEN, naive_levels, small, unfinished

import urcx
from urcx.enumerate.reach_sampling import SampledReach, estimate, reachable
from urcx.errors import UsageError
from urcx.rules.model import RuleSet


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
    found = estimate(rules, 60, seed=5)
    assert found == estimate(rules, 60, seed=5)
    assert found.reached + found.unreachable == found.samples == 60
    assert found.closed_form == 217
    document = json.loads(found.report().json())
    low, high = document["states_interval"]
    assert low < 173 < high
    assert document["share"] == found.reached / 60
    record = found.report().records[0]
    assert [record["low"], record["high"]] == document["interval"]
    assert document["states"] == pytest.approx(217 * found.reached / 60)
    assert reachable(urcx.parse_position("14/13/0-0/L"), rules, limit=2) is None
    with pytest.raises(UsageError, match="0 samples"):
        estimate(rules, 0)


def interval(found: SampledReach) -> tuple[float, float]:
    low, high = json.loads(found.report().json())["interval"]
    return low, high


def test_undecided_states_widen_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reachable, "__defaults__", (3,))
    found = estimate(small("finkel", 2), 10, seed=1)
    assert found.undecided > 0
    document = json.loads(found.report().json())
    assert document["share"] is None
    assert "undecided" in found.report().text()


@pytest.mark.parametrize("reached", [0, 3, 5])
def test_an_interval_goes_from_none_of_the_undecided_to_all(reached: int) -> None:
    rules = small("finkel", 2)
    n, undecided = 10, 5
    found = SampledReach(
        rules, "mover-view", 12869, n, 1, reached, n - reached - undecided, undecided
    )
    for end, hits in ((0, reached), (1, reached + undecided)):
        decided = replace(found, reached=hits, unreachable=n - hits, undecided=0)
        assert interval(found)[end] == interval(decided)[end]
        # Wilson's interval ends where the share is as far off as chance would have it.
        for p in interval(decided):
            away = 1.959963984540054 * math.sqrt(p * (1 - p) / n)
            assert abs(p - hits / n) == pytest.approx(away, abs=1e-6)
    document = json.loads(found.report().json())
    assert document["states_interval"] == [end * 12869 for end in interval(found)]
    assert document["share"] is document["states"] is None


def test_samples_beyond_what_a_slice_can_count() -> None:
    class EnoughError(Exception):
        pass

    def stop(done: int) -> None:
        if done >= 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        estimate(small("finkel", 1), 10**20, 1, stage=lambda *_: stop)
