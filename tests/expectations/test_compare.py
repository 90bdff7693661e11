"""Compared rule sets: rows against the functions they come from, exact and estimated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import urcx
from urcx.commands.count import _comparing
from urcx.complexity import tiles
from urcx.errors import UsageError
from urcx.solving.files import kept

ONE = urcx.ruleset("finkel", pieces=1)
TWO = urcx.ruleset("blitz", pieces=2)


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every rule set be too large to be solved at once."""
    monkeypatch.setattr(kept, "MOST_ON_THE_FLY", 0)


@pytest.mark.jit
def test_small_rule_sets_have_what_the_exact_functions_give() -> None:
    found = urcx.compare([ONE, TWO], threads=1)
    for rules, row in zip([ONE, TWO], found, strict=True):
        exact = urcx.expected("optimal", rules=rules, threads=1)
        means = {one.name: one.mean for one in urcx.exact_measures(exact)}
        assert row.diagrams == tiles.diagrams(rules.path, rules.pieces)
        assert row.first_wins == (exact.first_wins, None)
        assert row.plies == (means["plies"], None)
        assert (row.choices and row.choices.value) == means.get("choices_per_decision")
        assert row.raposo_lamont.value == exact.conventions["raposo-lamont"][0]
        assert row.allis.value == exact.conventions["allis"][0]
        assert row.dice_share == urcx.luck("greedy", rules=rules, threads=1).share
        assert (row.agent.name, row.games) == ("optimal", None)
    assert found[0].choices is None, "with a single piece there is no decision"
    assert found[1].dice_share is not None
    assert 0.9 < found[1].dice_share < 1.0


@pytest.mark.jit
def test_a_path_without_layers_has_no_share_of_the_dice() -> None:
    (row,) = urcx.compare("murray", 1)
    assert (row.dice_share, row.games) == (None, None)
    assert row.first_wins.value == pytest.approx(urcx.solve(row.rules).solved.opening, abs=1e-9)


@pytest.mark.jit
@pytest.mark.usefixtures("large")
def test_large_rule_sets_are_estimated_from_games_of_greedy() -> None:
    (row,) = urcx.compare(TWO, games=40, seed=7)
    games = urcx.simulate("greedy", rules=TWO, games=40, seed=7)
    means = {one.name: one for one in urcx.measures(games)}
    tree = {
        one.convention.name: (one.log10, one.ci95)
        for one in urcx.gtc("greedy", rules=TWO, games=40, seed=7).estimates
    }
    first = int((games.results[:, 0] == games.results[:, 1]).sum())
    assert row.first_wins.value == first / 40
    assert row.first_wins.ci95 is not None
    for figure, name in ((row.plies, "plies"), (row.choices, "choices_per_decision")):
        assert figure == (means[name].mean, means[name].ci95)
    assert row.raposo_lamont == tree["raposo-lamont"]
    assert row.allis == tree["allis"]
    assert (row.dice_share, row.agent.name, row.games) == (None, "greedy", 40)


@pytest.mark.jit
@pytest.mark.usefixtures("large")
def test_a_saved_solution_gives_the_win_probability_and_plays() -> None:
    solved = urcx.solve(ONE, True)
    found = urcx.compare(ONE, games=10)
    (row,) = found
    assert row.first_wins.value == pytest.approx(solved.solved.opening, abs=1e-12)
    assert row.first_wins.ci95 is None
    assert (row.agent.name, row.games) == ("optimal", 10)
    assert row.plies.value == float(np.mean(urcx.simulate("optimal", rules=ONE, games=10).plies))
    assert [str(solved.file) in note for note in found.notes] == [True]


@pytest.mark.jit
@pytest.mark.usefixtures("large")
def test_each_rule_set_with_each_number_of_pieces_once() -> None:
    stages: list[str] = []

    def stage(text: str, *_: Any) -> Any:
        stages.append(text)
        return lambda _: None

    found = urcx.compare(["blitz", "finkel", "blitz"], range(1, 3), games=2, stage=stage)
    names = [(row.rules.name, row.rules.pieces) for row in found]
    assert names == [("blitz", 1), ("blitz", 2), ("finkel", 1), ("finkel", 2)]
    assert stages[0].startswith("blitz, 1 piece per side: ")
    columns = found.to_dict()
    assert columns["plies"].tolist() == [row.plies.value for row in found]
    assert columns["plies_low"].tolist() == [row.plies.ci95[0] for row in found if row.plies.ci95]
    assert len(urcx.compare("finkel", games=2)) == 1


@pytest.mark.jit
@pytest.mark.usefixtures("large")
def test_an_interrupt_leaves_the_rows_before() -> None:
    def stage(text: str, *_: Any) -> Any:
        if text.startswith(stopped):
            raise KeyboardInterrupt
        return lambda _: None

    stopped = "finkel, 2"
    found = urcx.compare("finkel", [1, 2, 3], games=2, stage=stage)
    assert (len(found), found.unfinished) == (1, "1 of 3 rule sets")
    assert "interrupted after 1 of 3 rule sets" in repr(found)
    stopped = "finkel, 1"
    with pytest.raises(KeyboardInterrupt):
        urcx.compare("finkel", [1, 2], games=2, stage=stage)


@pytest.mark.parametrize(
    ("rules", "pieces", "games", "message"),
    [
        ([], None, 2, "no rule set"),
        ("finkel", [], 2, "no rule set"),
        (7, None, 2, "'finkel'"),
        ([7], None, 2, "'finkel'"),
        ("finkle", None, 2, "finkel"),
        ("finkel", 256, 2, "256"),
        ("finkel", 1, 1, "from 2 to 100,000,000"),
    ],
)
def test_arguments_out_of_range_are_a_line(
    rules: Any, pieces: Any, games: int, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        urcx.compare(rules, pieces, games=games)
    assert "\n" not in str(refused.value)


def test_the_cost_is_of_all_rule_sets() -> None:
    large = urcx.ruleset("masters")
    work = [one.what for one in _comparing([ONE, TWO, large], 300, 1)]
    assert any("following all games" in what and "finkel" in what for what in work)
    assert any("following all games" in what and "blitz" in what for what in work)
    assert any("playing 300 games of masters" in what for what in work)


@pytest.mark.jit
@pytest.mark.usefixtures("large")
def test_a_range_is_drawn_as_curves_and_other_rule_sets_as_dots() -> None:
    ranged = urcx.compare(["finkel", "blitz"], [1, 2], games=20)
    figure: Any = urcx.figure(ranged)
    wins, plies, trees = figure.axes
    assert [text.get_text()[2:] for text in trees.texts] == ["finkel", "blitz"]
    for k, container in enumerate(plies.containers):
        rows = ranged[2 * k : 2 * k + 2]
        line, *_ = container.get_children()
        assert line.get_xdata().tolist() == [1, 2]
        assert line.get_ydata().tolist() == [row.plies.value for row in rows]
        (bars,) = container.lines[2]
        ends = [tuple(segment[:, 1]) for segment in bars.get_segments()]
        assert ends == [pytest.approx(row.plies.ci95) for row in rows]
    first, *_ = wins.containers[0].get_children()
    assert first.get_ydata()[0] == 100.0 * ranged[0].first_wins.value

    found = urcx.compare([ONE, TWO], games=20)
    dots: Any = urcx.figure(found)
    names = [label.get_text() for label in dots.axes[0].get_yticklabels()]
    assert names == ["finkel, p = 1", "blitz, p = 2"]
    line, *_ = dots.axes[1].containers[0].get_children()
    assert line.get_xdata().tolist() == [row.plies.value for row in found]
