"""Quantities that perfect play judges, on endings that exact fractions solve as well."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb, log10
from pathlib import Path
from types import SimpleNamespace

import naive
import numpy as np
import pytest
from own_rules import small

import urcx
from urcx.expectations.arrivals import reachable_states
from urcx.published.quantities import solved
from urcx.published.rounding import Params, Sampled, Worded
from urcx.rules.position import Position, parse_position

pytest_plugins = ["solved_games"]

SMALL: Params = {"rules": "finkel", "pieces": 2}


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"tolerance": 0}, "7 of 1,000"),
        ({"tolerance": "0.01"}, "30 of 1,000"),
        ({"tolerance": "0.01", "whether": True}, "some"),
        ({"tolerance": "1e-8"}, "none"),
    ],
)
def test_how_many_moves_are_close(
    params: dict[str, object], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    within = dict(zip(solved.TOLERANCES, (60, 30, 20, 10, 5, 0), strict=True))
    found = SimpleNamespace(equal=7, choices=1000, within=within)
    monkeypatch.setattr(solved, "_closeness", lambda *_: found)
    assert solved.close_moves({"rules": "finkel", **params}) == text


def test_a_tolerance_as_a_number() -> None:
    assert solved.tolerance({"percent": "0.01", "of": 100}) == Fraction(1, 100)
    assert solved.tolerance({"percent": "0.01", "of": 1}) == Fraction(1, 10_000)


def test_steps_of_stored_values() -> None:
    # 100 percent in 65,535 steps is 0.0015 percent, nearest to 10^-3; as a chance 10^-5.
    assert solved.storage_order({"of": 100}) == -3
    assert solved.storage_order({"of": 1}) == -5


@pytest.mark.jit
def test_moves_by_value_are_those_of_exact_fractions() -> None:
    rules = small("finkel", 1)
    light = naive.perfect(rules)
    for roll in (1, 2, 3):
        moves = naive.moves(parse_position("5/9/0-0/L"), roll, rules)
        wanted = {start: float(light[to]) for start, _, to in moves}
        ranked = solved.moves_by_value("finkel", "5/9/6-6/L", roll)
        assert {start: value for value, start in ranked} == pytest.approx(wanted, abs=1e-11)
        assert [value for value, _ in ranked] == sorted((v for v, _ in ranked), reverse=True)


@pytest.mark.jit
def test_the_better_of_two_moves() -> None:
    # With light's pieces on 5 and 8 and two left of each, by a 2 one may bear up to 7 or 10.
    position, roll = "5,8/9/5-6/L", 2
    moves = solved.moves_by_value("finkel", position, roll)
    params = {"rules": "finkel", "position": position, "roll": roll, "left": [2]}
    values = {start: value for value, start in moves}
    best = max(values, key=lambda start: values[start])
    other = min(values, key=lambda start: values[start])
    assert solved.better_move({**params, "starts": [best, other]}).words == "the first"
    assert solved.better_move({**params, "starts": [other, best]}).words == "the second"


def test_diagrams_by_pieces_home_are_counted_one_by_one() -> None:
    count = Counter(diagram.home for diagram in naive.diagrams(urcx.path("bell"), 2))
    for home in ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1)):
        both = count[home] + (count[home[::-1]] if home[0] != home[1] else 0)
        value = solved.by_home({"rules": "finkel", "pieces": 2, "home": list(home)})
        assert value == pytest.approx(log10(both), abs=1e-12)
    other = {"rules": "finkel", "pieces": 2, "home": [1, 0], "at": "least"}
    least = sum(n for home, n in count.items() if home != (0, 0))
    assert solved.by_home(other) == pytest.approx(log10(least), abs=1e-12)


def test_afterstates_are_diagrams_and_tdurs_sum_is_its_own() -> None:
    for pieces in (1, 2, 3, 7):
        params = {"rules": "finkel", "pieces": pieces}
        assert solved.afterstates(params) == urcx.ssc("bell", pieces).forms["tile-polynomial"]
        ignored = {**params, "owners": "ignored"}
        own = {**ignored, "least": 1}
        assert solved.afterstates(own) == _tdur(pieces, range_of=lambda left: left)
        assert solved.afterstates(ignored) == _tdur(pieces, range_of=lambda left: left + 1)
    assert solved.afterstates(own) == 21_342_488


def _tdur(pieces: int, range_of: object) -> int:
    """Return the sum in its README as it is written, with the number of terms of the inner sums."""
    assert callable(range_of)
    sides = [
        (h, pieces - s - f - h)
        for s in range(pieces + 1)
        for f in range(pieces + 1 - s)
        for h in range(range_of(pieces - s - f))
    ]
    return sum(comb(6, h) * comb(6, other) * comb(8, m + n) for h, m in sides for other, n in sides)


def test_the_opening_of_a_tablebase_is_worth_what_fractions_say(tmp_path: Path) -> None:
    rules = small("finkel", 1)
    urcx.solve(rules, tmp_path / "one.urcx")
    opening = solved.opening_again({**SMALL, "pieces": 1}, tmp_path / "one.urcx")
    assert opening == pytest.approx(float(naive.perfect(rules)[Position()]), abs=1e-12)


def test_a_moves_chance_is_that_of_the_position_it_leads_to(two_pieces: Path) -> None:
    position = parse_position("2,3/9/0-1/L")
    with urcx.open_tablebase(two_pieces) as base:
        for start, _, after in naive.moves(position, 1, small("finkel", 2)):
            chance = base.probe(after)  # of who is to move
            wanted = chance if after.light_to_move else 1 - chance
            params = {**SMALL, "position": str(position), "roll": 1, "start": start}
            assert solved.move_again(params, two_pieces) == pytest.approx(100 * wanted, abs=1e-9)
    with pytest.raises(KeyError):
        solved.move_again({**params, "start": 1}, two_pieces)


def test_chances_before_a_roll_after_a_pass_and_their_difference(two_pieces: Path) -> None:
    params = {**SMALL, "position": "2,3/9/0-1/D"}
    with urcx.open_tablebase(two_pieces) as base:
        before, passed = base.probe("2,3/9/0-1/D"), 1 - base.probe("2,3/9/0-1/L")
        moves = {m.move.start: m.value for m in base.best_moves("2,3/9/0-1/L", 2)}
    again = [
        solved.move_again(params, two_pieces),
        solved.move_again({**params, "roll": 0}, two_pieces),
        solved.move_again(
            {**params, "position": "2,3/9/0-1/L", "roll": 2, "start": 3, "than": 2}, two_pieces
        ),
    ]
    wanted = [before, passed, moves[3] - moves[2]]
    assert again == pytest.approx([100 * value for value in wanted], abs=1e-9)


def test_chances_are_rounded_to_the_steps_of_a_source() -> None:
    params = {"found": "59.76452313"}
    assert f"{float(solved.move_chance(params)):.2f}" == "59.76"
    assert f"{float(solved.move_chance({**params, 'steps': 65_535})):.2f}" == "59.77"
    assert solved.move_chance({**params, "times": "0.5"}) == Fraction("29.882261565")


def test_what_the_centre_is_worth_is_found_by_walking_perfect_games(two_pieces: Path) -> None:
    rules, games, centre = small("finkel", 2), 20, 8
    gains: dict[str, list[float]] = {"land": [], "stay": []}
    with urcx.open_tablebase(two_pieces) as base:
        for rng in np.random.default_rng(1).spawn(games):
            position = Position()
            while rules.pieces not in position.home:
                roll = int(rng.choice(5, p=[n / 16 for n in (1, 4, 6, 4, 1)]))
                worth = {}
                for start, end, after in naive.moves(position, roll, rules):
                    same = after.light_to_move == position.light_to_move
                    chance = base.probe(after)
                    worth[start, end] = (chance if same else 1 - chance), after
                landing = {key: worth[key][0] for key in worth if key[1] == centre}
                leaving = {key: worth[key][0] for key in worth if key[0] == centre}
                others = [v for key, (v, _) in worth.items() if key not in landing]
                keeping = [v for key, (v, _) in worth.items() if key not in leaving]
                if landing and others:
                    gains["land"].append(max(landing.values()) - max(others))
                if leaving and keeping:
                    gains["stay"].append(max(keeping) - max(leaving.values()))
                position = (
                    max(worth.values(), key=lambda found: found[0])[1]
                    if worth
                    else naive.passed(position)
                )
    for what, found in gains.items():
        assert len(found) > 5
        mean = 100 * sum(found) / len(found)
        params = {**SMALL, "what": what, "games": games}
        assert solved.centre_again(params, two_pieces) == pytest.approx(mean, abs=1e-9)


def test_what_a_tablebase_gives_again(two_pieces: Path) -> None:
    rules = small("finkel", 2)
    arrivals = reachable_states((urcx.agent("optimal"),), rules)
    for what in ("shortest", "unseen"):
        assert solved.arrivals_again({**SMALL, "what": what}, two_pieces) == getattr(arrivals, what)
    assert solved.reach_again({**SMALL, "what": "unreachable"}, two_pieces) == 0
    assert solved.reach_again({**SMALL, "what": "depth"}, two_pieces) == urcx.reach(rules).depth


def test_perfect_games_and_shares_are_what_games_have(two_pieces: Path) -> None:
    games = urcx.simulate(f"optimal:{two_pieces}", rules=small("finkel", 2), games=4000, seed=1)
    measures = {measure.name: measure for measure in urcx.measures(games)}
    low, high = measures["plies"].ci95 or (0.0, 0.0)
    room = (high - low) / 2
    assert low - room <= solved.plies_again(SMALL, two_pieces) <= high + room
    pair = {**SMALL, "agent": "greedy", "opponent": "optimal", "games": 10_000}
    share = solved.share_again(pair, two_pieces)
    other = solved.share_again({**pair, "agent": "optimal", "opponent": "greedy"}, two_pieces)
    assert share + other == pytest.approx(1.0, abs=1e-12)
    assert share < 0.5
    without = solved.share_again({**pair, "opponent": "greedy", "agent": "random"}, two_pieces)
    played = urcx.match(["random", "greedy"], small("finkel", 2), games=4000, seed=1)
    pairs = played.share(*played.agents)
    assert pairs is not None
    assert pairs.share == pytest.approx(without, abs=0.03)


@pytest.mark.parametrize(
    ("wins", "words", "number"),
    [
        ("0.5", "50 %", "50.00 %"),
        ("0.4905", "50 %", "49.05 %"),
        ("0.49", "below 50 %", "49.00 %"),
        ("0.51", "above 50 %", "51.00 %"),
        ("0.000021", "far below 50 %", "0.0021 %"),
        ("0.999979", "far above 50 %", "99.9979 %"),
    ],
)
def test_shares_in_words(wins: str, words: str, number: str) -> None:
    params = {"agent": "a", "opponent": "b", "found": wins, "games": 10_000}
    assert solved.share(params) == Worded(words, number)


def test_a_rate_has_the_error_of_the_sources_games() -> None:
    value = solved.win_rate({"found": "0.2", "sample": 400, "within": "0.0196"})
    assert value.value == 0.2
    assert value.error == pytest.approx((0.02**2 + 0.01**2) ** 0.5, rel=1e-4)
    assert solved.win_rate({"found": "0.2", "sample": 400}).error == pytest.approx(0.02)


def test_our_network_beside_a_sources() -> None:
    assert solved.network({"found": "0.48123", "ours": "small"}) == Worded("48.12 %", "small")


def test_half_of_the_games_are_an_agents_against_itself_and_the_most_against_perfect_play() -> None:
    assert solved.best_against({"opponent": "optimal"}).words == "at most 50 %"
    assert solved.share({"agent": "a", "opponent": "a", "games": 1}).words == "50 %"


def test_factors_and_decisions_of_what_is_printed() -> None:
    params: Params = {
        "rules": "finkel",
        "sample": 2500,  # a standard error of one percentage point
        "own": [["45", "0.1"], ["48", "0.05"]],
    }
    value = solved.regret_factor(params)
    assert isinstance(value, Sampled)
    assert (value.value, value.error) == pytest.approx((45, (10**2 + 20**2) ** 0.5 / 2))
    assert solved.implied_decisions({"wins": "0.4", "regret": "0.01", "games": 3}) == 30


def test_recorded_means_have_the_error_of_the_sources_sample() -> None:
    assert solved.sample_mean({"found": "0.5"}) == Fraction(1, 2)
    share = solved.sample_mean({"found": "0.5", "sample": 10_000})
    assert isinstance(share, Sampled)
    assert share.error == pytest.approx(0.005)
    rating = solved.sample_mean({"found": "1500", "sample": 10_000, "error": "1.5"})
    assert isinstance(rating, Sampled)
    assert rating.error == 1.5


def test_a_range_holds_a_recorded_value_or_not() -> None:
    params = {"range": [120, 150], "found": "143.8"}
    assert solved.between(params).words == "120 to 150"
    assert solved.between({**params, "found": "209.9"}).words == "outside it"
    assert solved.not_computed({"why": "for no reason"}) == "not computed: for no reason"
