from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import urcx
from urcx.complexity.game_tree import Z95
from urcx.games.records import Games
from urcx.games.simulator import simulate
from urcx.games.statistics import Measure, measured, measures, plain, ratio

# From tables of the normal distribution.
Z = 1.959964


def test_plain_by_hand() -> None:
    found = plain("n", "numbers", np.array([1, 2, 4, 5]))
    # Mean 3; squares 4 + 1 + 1 + 4 = 10 over 3; quartiles between the neighbours in proportion.
    assert (found.name, found.title, found.mean) == ("n", "numbers", 3)
    assert found.per_game is None
    assert found.sd == pytest.approx(math.sqrt(10 / 3))
    assert found.ci95 == pytest.approx((3 - Z * math.sqrt(10 / 12), 3 + Z * math.sqrt(10 / 12)))
    assert found.quartiles == pytest.approx((1.75, 3, 4.25))
    assert pytest.approx(Z, abs=5e-7) == Z95


def test_ratio_by_hand() -> None:
    found = ratio("r", "ratio", np.array([1, 2, 6, 3]), np.array([1, 4, 3, 0]))
    # 12 over 8; x - 1.5 y is -0.5, -4, 1.5, 3, whose squares sum to 27.5; the mean of y is 2.
    assert found.mean == 1.5
    error = math.sqrt(27.5 / 3) / 2 / math.sqrt(4)
    assert found.ci95 == pytest.approx((1.5 - Z * error, 1.5 + Z * error))
    # Single games: 1, 0.5, 2; the one with 0 below has none.
    assert found.per_game == pytest.approx(3.5 / 3)
    assert found.sd == pytest.approx(math.sqrt(7 / 12))
    assert found.quartiles == (0.75, 1, 1.5)


def test_a_constant_ratio_has_no_error() -> None:
    found = ratio("r", "ratio", np.array([2, 4, 6]), np.array([1, 2, 3]))
    assert (found.mean, found.sd, found.ci95) == (2, 0, (2, 2))


def test_one_game_has_no_interval() -> None:
    found = plain("n", "numbers", np.array([7]))
    assert (found.mean, found.sd, found.ci95, found.quartiles) == (7, None, None, (7, 7, 7))
    found = ratio("r", "ratio", np.array([7]), np.array([2]))
    assert (found.mean, found.sd, found.ci95, found.per_game) == (3.5, None, None, 3.5)


def test_nothing_to_divide_by() -> None:
    with pytest.raises(ZeroDivisionError, match="r: nothing to divide by"):
        ratio("r", "ratio", np.array([1, 2]), np.array([0, 0]))


def test_a_ratios_interval_is_that_of_a_bootstrap() -> None:
    draw = np.random.default_rng(2)
    y = draw.gamma(9.0, 10.0, 400)
    x = y * draw.normal(2.5, 0.2, 400) - 0.002 * y**2
    found = ratio("r", "", x, y)
    rows = draw.integers(0, 400, (4000, 400))
    again = x[rows].sum(axis=1) / y[rows].sum(axis=1)
    assert found.ci95 is not None
    low, high = found.ci95
    assert (high - low) / 2 == pytest.approx(Z * again.std(), rel=0.06)


# --- of games


def small() -> Games:
    rules = urcx.ruleset("blitz")
    return simulate("random", "greedy", rules, games=6, seed=3)


def by_name(games: Games) -> dict[str, Measure]:
    return {measure.name: measure for measure in measures(games)}


def test_measures_of_games_by_their_records() -> None:
    games = small()
    found = by_name(games)
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
        ("turns", games.records[:, :, 0].sum()),
        ("captures", games.records[:, :, 1].sum()),
        ("rosettes", games.records[:, :, 2].sum()),
        ("sum_log10_choices", logs),
    ):
        assert found[name].mean == pytest.approx(total / 6), name
    for name, above, below in (
        ("choices_per_ply", choices, plies),
        ("choices_per_roll", choices, thrown),
        ("choices_per_move", choices, moves),
        ("choices_per_decision", chosen, decisions),
    ):
        assert found[name].mean == pytest.approx(above / below), name
    # Of the two, only random picks by chance: its picks are the choices it had.
    picks = sum(
        math.log10(number) * n
        for row in games.by_choices[:, 0].tolist()
        for number, n in enumerate(row)
        if number
    )
    shares = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
    digits = -sum(p * math.log10(p) for p in shares)
    assert found["entropy"].mean == pytest.approx((picks + digits * plies) / 6)


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
    found = by_name(games)
    assert found["choices_per_roll"].mean == found["choices_per_ply"].mean


def test_one_piece_leaves_nothing_to_decide() -> None:
    rules = replace(urcx.ruleset("finkel"), pieces=1)
    found = by_name(simulate("last", rules=rules, games=2))
    assert "choices_per_decision" not in found
    assert found["decisions"].mean == 0
    assert found["choices_per_move"].mean == 1
    assert found["sum_log10_choices"].mean == 0
