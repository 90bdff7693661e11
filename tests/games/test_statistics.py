from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import urcx
from urcx.complexity.game_tree import Z95, wilson
from urcx.errors import UnknownNameError
from urcx.games import statistics
from urcx.games.records import Games
from urcx.games.simulator import simulate
from urcx.games.statistics import Measure, measured, measures, plain, ratio

# From tables of the normal distribution.
Z = 1.959964


def test_plain_by_hand() -> None:
    measure = plain("n", "numbers", np.array([1, 2, 4, 5]))
    # Mean 3; squares 4 + 1 + 1 + 4 = 10 over 3; quartiles between the neighbours in proportion.
    assert (measure.name, measure.title, measure.mean) == ("n", "numbers", 3)
    assert measure.per_game is None
    assert measure.sd == pytest.approx(math.sqrt(10 / 3))
    assert measure.ci95 == pytest.approx((3 - Z * math.sqrt(10 / 12), 3 + Z * math.sqrt(10 / 12)))
    assert measure.quartiles == pytest.approx((1.75, 3, 4.25))
    assert pytest.approx(Z, abs=5e-7) == Z95


def test_ratio_by_hand() -> None:
    measure = ratio("r", "ratio", np.array([1, 2, 6, 3]), np.array([1, 4, 3, 0]))
    # 12 over 8; x - 1.5 y is -0.5, -4, 1.5, 3, whose squares sum to 27.5; the mean of y is 2.
    assert measure.mean == 1.5
    error = math.sqrt(27.5 / 3) / 2 / math.sqrt(4)
    assert measure.ci95 == pytest.approx((1.5 - Z * error, 1.5 + Z * error))
    # Single games: 1, 0.5, 2; the one with 0 below has none.
    assert measure.per_game == pytest.approx(3.5 / 3)
    assert measure.sd == pytest.approx(math.sqrt(7 / 12))
    assert measure.quartiles == (0.75, 1, 1.5)


def test_a_constant_ratio_has_no_error() -> None:
    measure = ratio("r", "ratio", np.array([2, 4, 6]), np.array([1, 2, 3]))
    assert (measure.mean, measure.sd, measure.ci95) == (2, 0, (2, 2))


def test_one_game_has_no_interval() -> None:
    measure = plain("n", "numbers", np.array([7]))
    assert (measure.mean, measure.sd, measure.ci95, measure.quartiles) == (7, None, None, (7, 7, 7))
    measure = ratio("r", "ratio", np.array([7]), np.array([2]))
    assert (measure.mean, measure.sd, measure.ci95, measure.per_game) == (3.5, None, None, 3.5)


def test_nothing_to_divide_by() -> None:
    with pytest.raises(ZeroDivisionError, match="r: "):
        ratio("r", "ratio", np.array([1, 2]), np.array([0, 0]))


def test_a_ratios_interval_is_that_of_a_bootstrap() -> None:
    draw = np.random.default_rng(2)
    y = draw.gamma(9.0, 10.0, 400)
    x = y * draw.normal(2.5, 0.2, 400) - 0.002 * y**2
    measure = ratio("r", "", x, y)
    rows = draw.integers(0, 400, (4000, 400))
    again = x[rows].sum(axis=1) / y[rows].sum(axis=1)
    assert measure.ci95 is not None
    low, high = measure.ci95
    assert (high - low) / 2 == pytest.approx(Z * again.std(), rel=0.06)


# --- of games


def small() -> Games:
    rules = urcx.ruleset("blitz")
    return simulate("random", "greedy", rules, games=6, seed=3)


def by_name(games: Games) -> dict[str, Measure]:
    return {measure.name: measure for measure in measures(games)}


def test_measures_of_games_by_their_records() -> None:
    games = small()
    estimates = by_name(games)
    plies = moves = passes = decisions = chosen = choices = thrown = 0.0
    logs = 0.0
    for game in range(6):
        for side in (0, 1):
            for number, n in enumerate(games.by_choices[game, side].tolist()):
                plies += n
                moves += n if number else 0
                passes += 0 if number else n
                decisions += n if number > 1 else 0
                choices += number * n
                chosen += number * n if number > 1 else 0
                logs += math.log10(number) * n if number else 0
            thrown += sum(games.rolls[game, side].tolist()[1:])
    for name, total in (
        ("plies", plies),
        ("moves", moves),
        ("passes", passes),
        ("decisions", decisions),
        ("turns", games.counts[:, :, 0].sum()),
        ("captures", games.counts[:, :, 1].sum()),
        ("rosettes", games.counts[:, :, 2].sum()),
        ("sum_log10_choices", logs),
    ):
        assert estimates[name].mean == pytest.approx(total / 6), name
    for name, above, below in (
        ("choices_per_ply", choices, plies),
        ("choices_per_roll", choices, thrown),
        ("choices_per_move", choices, moves),
        ("choices_per_decision", chosen, decisions),
    ):
        assert estimates[name].mean == pytest.approx(above / below), name
    # Of the two, only random picks by chance: its picks are the choices it had.
    picks = sum(
        math.log10(number) * n
        for row in games.by_choices[:, 0].tolist()
        for number, n in enumerate(row)
        if number
    )
    shares = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
    digits = -sum(p * math.log10(p) for p in shares)
    assert estimates["entropy"].mean == pytest.approx((picks + digits * plies) / 6)


def test_what_conventions_are_functions_of() -> None:
    games = small()
    x = measured(games)
    assert np.array_equal(x.plies, games.results[:, 2])
    assert np.array_equal(x.moves, x.plies - games.by_choices[:, :, 0].sum(axis=1))
    assert x.choices.sum() == sum(
        number * int(games.by_choices[:, :, number].sum()) for number in range(6)
    )
    assert np.allclose(x.log_picks, games.entropy.sum(axis=1))
    assert (x.log_choices >= x.log_picks).all()  # greedy chooses among fewer
    alike = measured(simulate("random", rules="blitz", games=3, seed=3))
    assert np.allclose(alike.log_choices, alike.log_picks)


def test_dice_without_a_zero_count_every_roll() -> None:
    games = simulate("greedy", rules="masters", games=3, seed=1)
    estimates = by_name(games)
    assert estimates["choices_per_roll"].mean == estimates["choices_per_ply"].mean


def test_one_piece_leaves_nothing_to_decide() -> None:
    rules = replace(urcx.ruleset("finkel"), pieces=1)
    estimates = by_name(simulate("last", rules=rules, games=2))
    assert "choices_per_decision" not in estimates
    assert estimates["decisions"].mean == 0
    assert estimates["choices_per_move"].mean == 1
    assert estimates["sum_log10_choices"].mean == 0


@pytest.fixture(scope="module")
def games() -> Games:
    return simulate("random", rules=replace(urcx.ruleset("finkel"), pieces=2), games=40, seed=3)


def test_wins(games: Games) -> None:
    light, dark, first = statistics.wins(games)
    assert (light.name, dark.name, first.name) == ("light", "dark", "first_mover")
    assert light.number + dark.number == light.total == 40
    assert light.share == light.number / 40
    assert light.ci95 == wilson(light.number, 40)
    # Light begins in every other game, the first among them.
    assert first.number == sum(int(row[0] == row[1]) for row in games.results)


def test_rolls(games: Games) -> None:
    tallies = statistics.rolls(games)
    assert [item.name for item in tallies] == [0, 1, 2, 3, 4]
    assert sum(item.number for item in tallies) == tallies[0].total == int(games.rolls.sum())
    assert [item.chance for item in tallies] == [Fraction(k, 16) for k in (1, 4, 6, 4, 1)]


def test_legal_moves(games: Games) -> None:
    tallies = statistics.legal_move_counts(games)
    plies = sum(item.number for item in tallies)
    assert plies == tallies[0].total == int(games.results[:, 2].sum())
    assert sum(item.share for item in tallies) == pytest.approx(1)
    assert tallies[0].number >= statistics.rolls(games)[0].number, "a 0 is a pass"


RULES = replace(urcx.ruleset("blitz"), pieces=3)


@pytest.fixture(scope="module")
def observed() -> urcx.Games:
    return urcx.simulate(
        "greedy:random", "random", RULES, games=40, seed=6, first="coin", habits=True
    )


def test_who_began_and_won(observed: urcx.Games) -> None:
    for k, (began, won, plies) in enumerate(observed.results.tolist()):
        assert observed.began[k] == ("light", "dark")[began]
        assert observed.winner[k] == ("light", "dark")[won]
        assert observed.plies[k] == plies
    assert {*observed.began} == {*observed.winner} == {"light", "dark"}


def test_wins_are_counted(observed: urcx.Games) -> None:
    assert observed.wins("light") == list(observed.winner).count("light")
    assert observed.wins("dark") == list(observed.winner).count("dark")
    assert observed.wins("first") == sum(observed.winner == observed.began)
    assert observed.wins("light") > observed.wins("dark") > 0  # greedy is better


@pytest.mark.parametrize(("side", "number"), [("light", 0), ("dark", 1)])
def test_columns_of_a_side(observed: urcx.Games, side: str, number: int) -> None:
    found, raw = observed.side(side), observed.counts[:, number]
    assert np.array_equal(found.turns, raw[:, 0])
    assert np.array_equal(found.captures, raw[:, 1])
    assert np.array_equal(found.rosettes, raw[:, 2])
    assert np.array_equal(found.entries, raw[:, 3])
    assert np.array_equal(found.borne_off, raw[:, 4])
    assert np.array_equal(found.rolls, raw[:, 5:10])  # four dice give 0 to 4
    assert np.array_equal(found.by_choices, raw[:, 10:])  # 0 to 3 legal moves
    assert np.array_equal(found.entropy, observed.entropy[:, number])
    assert found.entropy.any()
    assert np.array_equal(found.passes, raw[:, 10])
    assert np.array_equal(found.moves, raw[:, 11] + raw[:, 12] + raw[:, 13])
    assert np.array_equal(found.decisions, raw[:, 12] + raw[:, 13])
    assert np.array_equal(found.choices, raw[:, 11] + 2 * raw[:, 12] + 3 * raw[:, 13])
    assert np.array_equal(found.habits, observed.habits[:, number])


def test_columns_fit_together(observed: urcx.Games) -> None:
    light, dark = observed.side("light"), observed.side("dark")
    assert np.array_equal(observed.plies, light.plies + dark.plies)
    for side in (light, dark):
        assert np.array_equal(side.plies, side.rolls.sum(axis=1))
        assert np.array_equal(side.plies, side.moves + side.passes)
    assert (np.abs(light.turns - dark.turns) <= 1).all()


def test_a_side_that_there_is_not(observed: urcx.Games) -> None:
    for side in ("lihgt", "first", 0):
        with pytest.raises(UnknownNameError, match="unknown side"):
            observed.side(side)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match=r"unknown side 'firts'; did you mean first"):
        observed.wins("firts")
