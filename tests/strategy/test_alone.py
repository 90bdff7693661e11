"""One player alone: expected plies, by hand and by playing."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

import urcx
from urcx.errors import TooLargeError, UsageError
from urcx.rules.load import load
from urcx.rules.model import RuleSet
from urcx.strategy.alone import alone, plies_alone, plies_alone_each


def test_a_path_of_one_step_by_hand() -> None:
    text = """
    [board.short]
    tiles = "A1 C1"
    [path.short]
    board = "short"
    light = "A1"
    [rules.short]
    path = "short"
    pieces = 1
    dice = "binary4"
    rosette_grants_roll = false
    rosette_protects = false
    capture_grants_roll = false
    """
    from urcx.rules.catalogue import catalogue

    rules: RuleSet = load("short.toml", text, catalogue()).rules["short"]
    # From step 1 only a 1 (1/4) helps: 4 plies. From the pool a 1 leads there, a 2 (3/8) home:
    # E = (1 + 1/4 * 4) / (5/8).
    assert plies_alone(rules, 1) == pytest.approx(2 / (5 / 8))


@pytest.mark.jit
def test_a_piece_alone_by_playing() -> None:
    finkel = urcx.ruleset("finkel")
    draw = random.Random(5)
    total = 0
    games = 40_000
    for _ in range(games):
        at = 0
        while at < 15:
            total += 1
            roll = draw.choices(finkel.dice.rolls, [float(p) for p in finkel.dice.probabilities])[0]
            at += roll if at + roll <= 15 else 0
    assert plies_alone(finkel, 1) == pytest.approx(total / games, abs=0.1)


def test_the_best_choice_is_no_slower_than_the_worst() -> None:
    finkel = replace(urcx.ruleset("finkel"), pieces=2)
    assert plies_alone(finkel, 2) < plies_alone(finkel, 2, max)
    assert plies_alone(finkel, 1) == plies_alone(finkel, 1, max)


def test_refuses_long_paths() -> None:
    with pytest.raises(TooLargeError, match="16 steps"):
        plies_alone(urcx.ruleset("murray"), 1)


@pytest.mark.parametrize("best", [min, max])
def test_each_number_of_pieces_at_once(best: Callable[[Iterable[float]], float]) -> None:
    finkel = urcx.ruleset("finkel")
    assert plies_alone_each(finkel, 2, best) == tuple(plies_alone(finkel, n, best) for n in (1, 2))


def test_dice_that_never_bring_a_piece_home() -> None:
    text = """
    [dice.even]
    probabilities = { 0 = "1/2", 2 = "1/2" }
    [dice.never]
    probabilities = { 0 = "1" }
    """
    dice = load("even.toml", text).dice
    for name in ("even", "never"):
        stuck = replace(urcx.ruleset("finkel"), dice=dice[name])
        for best in (min, max):
            with pytest.raises(UsageError, match="may never come home"):
                plies_alone(stuck, 2, best)


def test_numbers_of_pieces_are_those_of_each_and_what_the_last_adds() -> None:
    rules = urcx.ruleset("finkel")
    labels: list[tuple[str, int]] = []

    def stage(label: str, total: int, _: str) -> Callable[[int], None]:
        labels.append((label, total))
        return lambda _: None

    found = alone(rules, [1, 3], stage)
    fewest, most = plies_alone_each(rules, 3, min), plies_alone_each(rules, 3, max)
    assert [(row.pieces, row.rolls, row.rolls_worst) for row in found.rows] == [
        (1, fewest[0], most[0]), (3, fewest[2], most[2]),
    ]  # fmt: skip
    assert [row.added_by_last for row in found.rows] == [fewest[0], fewest[2] - fewest[1]]
    assert found.rows[1].rolls_a_piece == fewest[2] / 3
    assert found.single is not None
    assert float(found.single.rolls) == pytest.approx(fewest[0])
    assert labels == [("the fewest plies", 3), ("the most plies", 3)]


def test_pieces_alone_in_two_tables() -> None:
    found = alone("finkel", [1, 2])
    report = found.report()
    assert [row["rolls"] for row in report.records] == [item.rolls for item in found.rows]
    assert report.tables[0].rows[1][:2] == ["2", f"{found.rows[1].rolls:.4f}"]
    lines = {row[0]: row[1] for row in report.tables[1].rows}
    assert found.single is not None
    assert lines["one piece, rolls"] == f"{float(found.single.rolls):.4f}"
    assert json.loads(report.json())["one_piece_rolls"] == str(found.single.rolls)
