"""Many pieces of one player alone: by hand, by a slow twin, and against finite numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

import urcx
from urcx.errors import TooLargeError, UrcxError
from urcx.rules.model import Dice
from urcx.strategy import throughput as module
from urcx.strategy.alone import plies_alone_each
from urcx.strategy.dice import chances
from urcx.strategy.journey import Track, track
from urcx.strategy.throughput import throughput


def _dice(**odds: str) -> Dice:
    rolls = {int(roll[1:]): Fraction(p) for roll, p in odds.items()}
    return Dice("own", "", tuple(rolls), tuple(rolls.values()))


def _slowly(way: Track, sweeps: int) -> tuple[float, float]:
    """Return bounds of the least waste by value iteration over sets of steps."""
    assert way.length is not None
    boards = [
        frozenset(s for s in range(1, way.length + 1) if n >> (s - 1) & 1)
        for n in range(1 << way.length)
    ]
    cost = dict.fromkeys(boards, 0.0)
    change = [0.0]
    for _ in range(sweeps):
        after = {}
        for board in boards:
            total = 0.0
            for roll, p in chances(way.dice).items():
                options = [cost[board]] if roll == 0 else []
                for start in (0, *board) if roll else ():
                    end = start + roll
                    if end == way.length + 1:
                        options.append(cost[board - {start}])
                    elif end <= way.length and end not in board:
                        options.append(cost[board - {start} | {end}])
                total += float(p) * (min(options) if options else cost[board] + roll)
            after[board] = total
        change = [after[board] - cost[board] for board in boards]
        cost = after
    return min(change), max(change)


@pytest.mark.parametrize(
    ("dice", "length", "rate"),
    [
        # Nothing is ever lost: a 1 moves the piece on the only step home, a 2 another past it.
        (_dice(_1="1/2", _2="1/2"), 1, Fraction(3, 4)),
        # A 3 is always too much.
        (_dice(_1="1/2", _3="1/2"), 1, Fraction(1, 4)),
        # Straight home from the pool, now and then.
        (_dice(_0="1/2", _2="1/2"), 1, Fraction(1, 2)),
        # The first 2 stands on step 2 of 2, and blocks all others.
        (_dice(_2="1"), 2, Fraction(0)),
        # Every second roll brings a piece home, the others another one to step 2.
        (_dice(_2="1"), 3, Fraction(1, 2)),
    ],
)
def test_rates_by_hand(dice: Dice, length: int, rate: Fraction) -> None:
    found = throughput(Track(dice, length))
    assert found.rate == pytest.approx((float(rate), float(rate)), abs=1e-11)
    assert found.rate[0] <= found.rate[1]
    assert found.rolls_a_piece[1] == (pytest.approx(1 / float(rate)) if rate else math.inf)


@pytest.mark.parametrize(
    "way",
    [
        Track(urcx.dice("binary4"), 4),
        Track(urcx.dice("binary4"), 6),
        Track(urcx.dice("binary3-0as4"), 5),
        Track(_dice(_1="1/3", _4="2/3"), 6),
        Track(_dice(_0="1/4", _2="1/4", _3="1/2"), 5),
    ],
)
def test_waste_against_a_slow_twin(way: Track) -> None:
    low, high = _slowly(way, 150)
    found = throughput(way)
    assert found.waste[0] <= high + 1e-12
    assert found.waste[1] >= low - 1e-12
    assert high - low < 1e-3
    # So that the comparison says something; on the last path 2 + 2 + 2 and 3 + 3 waste nothing.
    assert found.waste[0] > 1e-4 or way.dice.rolls == (0, 2, 3)


@pytest.mark.parametrize("name", ["finkel", "kwan"])
def test_a_piece_more_costs_what_the_long_run_says(name: str) -> None:
    rules = urcx.ruleset(name)
    found = throughput(track(rules))
    low, high = found.rolls_a_piece
    assert found.bound == Fraction(2, 15)
    assert 7.5 <= low <= high < 7.5 + 1e-9
    plies = plies_alone_each(rules, 5)
    assert plies[4] - plies[3] == pytest.approx(high, abs=1e-3)


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    for length in (None, 21):
        with pytest.raises(TooLargeError, match="20 steps"):
            throughput(Track(urcx.dice("binary4"), length))
    monkeypatch.setattr(module, "MAX_SWEEPS", 2)
    with pytest.raises(UrcxError, match="did not settle"):
        throughput(Track(urcx.dice("binary4"), 4))
