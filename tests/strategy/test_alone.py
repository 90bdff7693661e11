"""One player alone: expected plies, the long run and arrivals, by hand and by playing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from own_rules import own

import urcx
from urcx.engine.moves import legal_moves
from urcx.errors import TooLargeError, UrcxError, UsageError
from urcx.rules.model import Dice, RuleSet
from urcx.rules.position import Position
from urcx.strategy import alone as module
from urcx.strategy.alone import Alone, Arrivals, alone, arrival, least_waste, plies_alone
from urcx.strategy.dice import chances
from urcx.strategy.track import Track, leg, track

FINKEL = urcx.ruleset("finkel")


def test_a_path_of_one_step_by_hand() -> None:
    path = replace(urcx.path("bell"), light=("A4",), dark=("C4",))
    # From step 1 only a 1 (1/4) helps: 4 plies. From the pool a 1 leads there, a 2 (3/8) home:
    # E = (1 + 1/4 * 4) / (5/8).
    assert plies_alone(replace(FINKEL, path=path), 1) == pytest.approx((2 / (5 / 8),))


def test_dice_that_never_bring_a_piece_home_and_long_paths() -> None:
    with pytest.raises(TooLargeError, match="16 steps"):
        plies_alone(urcx.ruleset("murray"), 1)
    for dice in (_dice(_0="1/2", _2="1/2"), _dice(_0="1")):
        for best in (min, max):
            with pytest.raises(UsageError, match="may never come home"):
                plies_alone(replace(FINKEL, dice=dice), 2, best)


def test_numbers_of_pieces_are_those_of_each_and_what_the_last_adds() -> None:
    labels: list[tuple[str, int]] = []

    def stage(label: str, total: int, _: str) -> Callable[[int], None]:
        labels.append((label, total))
        return lambda _: None

    result = alone(FINKEL, [1, 3], stage)
    fewest, most = plies_alone(FINKEL, 3, min), plies_alone(FINKEL, 3, max)
    assert fewest[0] == most[0], "nothing to choose"
    assert fewest[1] < most[1]
    assert [(row.pieces, row.rolls, row.rolls_worst) for row in result.rows] == [
        (1, fewest[0], most[0]), (3, fewest[2], most[2]),
    ]  # fmt: skip
    assert [row.added_by_last for row in result.rows] == [fewest[0], fewest[2] - fewest[1]]
    assert result.rows[1].rolls_a_piece == fewest[2] / 3
    assert result.single is not None
    assert float(result.single.rolls) == pytest.approx(fewest[0])
    assert labels == [("the fewest plies", 3), ("the most plies", 3)]


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


def _long_run(rules: RuleSet) -> Alone:
    return Alone(rules, (), None, least_waste(track(rules)))


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
    path = replace(FINKEL.path, light=FINKEL.path.light[:length])
    result = _long_run(replace(FINKEL, dice=dice, path=path))
    assert result.rate == pytest.approx((float(rate), float(rate)), abs=1e-11)
    assert result.rate[0] <= result.rate[1]
    assert result.rolls_a_piece[1] == (pytest.approx(1 / float(rate)) if rate else math.inf)


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
    least, most = least_waste(way)
    assert least <= high + 1e-12
    assert most >= low - 1e-12
    assert high - low < 1e-3
    # So that the comparison says something; on the last path 2 + 2 + 2 and 3 + 3 waste nothing.
    assert least > 1e-4 or way.dice.rolls == (0, 2, 3)


@pytest.mark.parametrize("name", ["finkel", "kwan"])
def test_a_piece_more_costs_what_the_long_run_says(name: str) -> None:
    rules = urcx.ruleset(name)
    low, high = _long_run(rules).rolls_a_piece
    assert _long_run(rules).bound == Fraction(15, 2)
    assert 7.5 <= low <= high < 7.5 + 1e-9
    plies = plies_alone(rules, 5)
    assert plies[4] - plies[3] == pytest.approx(high, abs=1e-3)


def test_tracks_that_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    for length in (None, 17):
        with pytest.raises(TooLargeError, match="16 steps"):
            least_waste(Track(FINKEL.dice, length))
    monkeypatch.setattr(module, "MAX_SWEEPS", 2)
    with pytest.raises(UrcxError, match="did not settle"):
        least_waste(Track(FINKEL.dice, 4))


def _by_the_games_moves(rules: RuleSet, to: int, left: int, position: Position) -> Fraction:
    """Return the probability with dark passing every turn; the turn that goes on is counted."""
    if left == 0 or position.home[0] == rules.pieces:
        return Fraction(0)
    total = Fraction(0)
    for roll, p in chances(rules.dice).items():
        moves = legal_moves(position, roll, rules)
        best = Fraction(0)
        for move in moves:
            if move.end == to:
                best = Fraction(1)
                break
            after = replace(move.position, light_to_move=True)
            best = max(best, _by_the_games_moves(rules, to, left - (not move.rolls_again), after))
        total += p * (best if moves else _by_the_games_moves(rules, to, left - 1, position))
    return total


@pytest.mark.parametrize(
    ("name", "pieces", "to", "turns"),
    [("finkel", 1, 8, 2), ("finkel", 3, 4, 2), ("finkel", 7, 8, 2), ("masters", 2, 7, 2)],
)
def test_against_the_games_moves(name: str, pieces: int, to: int, turns: int) -> None:
    rules = replace(urcx.ruleset(name), pieces=pieces)
    wanted = [_by_the_games_moves(rules, to, n, Position()) for n in range(1, turns + 1)]
    assert list(arrival(rules, to, pieces, turns)) == wanted


def test_tiles_and_names_say_the_same_as_steps_and_rules() -> None:
    result = urcx.journey(FINKEL, "B4", within=3, pieces=range(1, 3))
    assert result == urcx.journey("finkel", 8, within=3, pieces=[1, 2])
    assert result == Arrivals(FINKEL, 8, {n: arrival(FINKEL, 8, n, 3) for n in (1, 2)})
    every = urcx.journey(own("tiny"), "home", within=1)
    assert isinstance(every, Arrivals)
    assert [*every.within] == [*range(1, 1 + own("tiny").pieces)]
    report = result
    assert [(row["pieces"], row["turns"]) for row in report.records()][2:4] == [(1, 3), (2, 1)]
    assert [head.title for head in report.tables()[0].heads] == ["turns", "1 piece", "2 pieces"]


def test_where_the_path_comes_back_a_tile_may_be_taken() -> None:
    rules = own("tiny")
    back = (*rules.path.light, "B2", "B1")
    rules = replace(rules, path=replace(rules.path, light=back, dark=("C1", *back[1:])))
    for to in (5, 7):
        wanted = [_by_the_games_moves(rules, to, n, Position()) for n in (1, 2, 3, 4)]
        assert list(arrival(rules, to, 2, 4)) == wanted


def test_one_piece_arrives_in_the_end_as_often_as_its_chain_says() -> None:
    for to in (4, 8):
        result = arrival(FINKEL, to, 1, 10)
        assert list(result) == sorted(result)
        limit = leg(track(FINKEL), to).hit
        assert 0 <= limit - result[-1] < Fraction(1, 10_000)


def test_more_pieces_are_never_slower() -> None:
    one, two, seven = (arrival(FINKEL, 8, pieces, 5) for pieces in (1, 2, 7))
    assert one[0] == two[0] == seven[0] == Fraction(1, 256)  # two 4s
    assert all(a <= b <= c for a, b, c in zip(one, two, seven, strict=True))
    # The paper expects three turns to the centre; even seven pieces have a quarter.
    assert seven[2] < Fraction(1, 4) < Fraction(1, 2) < seven[3]


@pytest.mark.parametrize(
    ("to", "pieces", "turns", "words"),
    [
        (0, 7, 3, "step 0"),
        (16, 7, 3, "step 16"),
        (8, 7, 0, "0 turns"),
        (8, 7, 11, "11 turns"),
        (8, 0, 3, "0 pieces"),
        (8, 16, 3, "16 pieces"),
    ],
)
def test_numbers_out_of_range(to: int, pieces: int, turns: int, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        arrival(FINKEL, to, pieces, turns)
