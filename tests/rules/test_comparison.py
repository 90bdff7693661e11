"""Rule sets beside each other: every result is the function's own, and the figure shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from own_rules import SHORT, own

import urcx
from urcx.errors import UsageError, WrongObjectError
from urcx.expectations.lengths import compared
from urcx.results.result import Result
from urcx.rules.comparison import Beside, ComparedNumber, beside, of_each

STRIP = f"{SHORT}:strip"
GAMES: dict[str, Any] = {"light": "greedy", "games": 20}


@pytest.mark.jit
def test_each_rule_set_has_what_the_function_gives_it() -> None:
    found = urcx.compare(urcx.reach, ["finkel", STRIP], pieces=range(1, 3), threads=1)
    wanted = [
        urcx.reach(urcx.ruleset(name, pieces=p)) for name in ("finkel", STRIP) for p in (1, 2)
    ]
    assert found == tuple(wanted)
    assert [each.label for each in found.of] == [
        "finkel, p = 1", "finkel, p = 2", "strip, p = 1", "strip, p = 2",
    ]  # fmt: skip
    columns = found.to_dict()
    new = np.concatenate([one.to_dict()["new"] for one in wanted])
    assert columns["new"].tolist() == new.tolist()
    assert columns["rules"].tolist().count("strip") == sum(len(one.levels) for one in wanted[2:])
    assert columns["pieces"][-1] == 2
    for one in wanted:
        assert f" {one.states:,} " in f"{found!r} ".replace("\n", " ")


@pytest.mark.jit
def test_labels_name_columns_and_curves() -> None:
    rules = {"Finkel's": "finkel", "2x4": STRIP}
    found = urcx.compare(urcx.gtc, rules, **GAMES)
    assert found[1] == urcx.gtc(rules=STRIP, **GAMES)
    first, *_ = repr(found).split("\n")
    for label, one in zip(rules, found, strict=True):
        assert f"{one.estimates[0].log10:.2f} ± " in first
        assert label in first
    assert [text.get_text() for text in found.figure().legends[0].get_texts()] == [*rules]
    # A range of one rule set needs no name in its labels, but in the sentence.
    ranged = urcx.compare(urcx.lengths, "finkel", pieces=[1, 2], light="random")
    assert [each.label for each in ranged.of] == ["p = 1", "p = 2"]
    assert f"in finkel: {ranged[0].mean:.4f} at p = 1; {ranged[1].mean:.4f}" in repr(ranged)
    alone = urcx.compare(urcx.lengths, "finkel", pieces=1, light="random")
    assert alone.of[0].label == "finkel"


@pytest.mark.jit
def test_more_rule_sets_than_quantities_are_rows() -> None:
    found = urcx.compare(urcx.reach, own("corner"), pieces=range(1, 9))
    (table,) = found.report().tables
    assert [row[0] for row in table.rows] == [f"p = {p}" for p in range(1, 9)]
    assert [row[1] for row in table.rows] == [f"{one.states:,}" for one in found]


@pytest.mark.parametrize(
    ("question", "rules", "message"),
    [
        (urcx.perft, ["finkel"], "perft is not asked of several"),
        (urcx.ruleset, ["finkel"], "ruleset is not asked of several"),
        (7, ["finkel"], "7 is not asked of several"),
        (urcx.reach, [], "no rule set to compare"),
        (urcx.reach, ["finkel", urcx.ruleset("finkel", pieces=1)], "different rule sets are"),
        (urcx.reach, 7, "'finkel'"),
        (urcx.reach, [7], "'finkel'"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_one_line(question: Any, rules: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        urcx.compare(question, rules)
    assert "\n" not in str(refused.value)
    assert issubclass(WrongObjectError, UsageError)


@pytest.mark.jit
def test_the_figure_is_one_of_matplotlib_with_what_was_found(tmp_path: Path) -> None:
    exact = urcx.compare(urcx.gtc, ["finkel", "blitz"], pieces=1, light="random", exact=True)
    assert isinstance(exact.figure(), Figure)
    figure: Any = exact.figure()
    (axes,) = figure.axes
    assert not any(axes.get_title(loc=side) for side in ("left", "center", "right"))
    assert not figure.get_supxlabel()
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == [*exact[0].exact]
    for one, container in zip(exact, axes.containers, strict=True):
        dots = container.get_children()[0]
        assert dots.get_xdata().tolist() == [log10 for log10, _ in one.exact.values()]
    colours = [to_hex(each.get_children()[0].get_color()) for each in axes.containers]
    assert colours == ["#0072b2", "#009e73"], "those of the paths"
    axes.set_title("mine")
    figure.savefig(tmp_path / "mine.pdf")
    figure.save(tmp_path / "mine.svg")
    assert "mine" in repr([text for text in axes.findobj() if hasattr(text, "get_text")])


@pytest.mark.jit
def test_intervals_are_drawn_and_a_range_is_a_curve() -> None:
    match = urcx.compare(
        urcx.match, ["finkel", "blitz"], pieces=[1, 2], agents=["greedy", "random"], games=20
    )
    axes: Any = match.figure().axes[0]
    assert "greedy against random" in axes.get_ylabel()
    for k, container in enumerate(axes.containers):
        line, *_ = container.get_children()
        assert line.get_xdata().tolist() == [1, 2]
        pairs = [one.pairs[1] for one in match[2 * k : 2 * k + 2]]
        assert line.get_ydata().tolist() == [pair.share for pair in pairs]
        (bars,) = container.lines[2]
        ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
        assert ends == [pytest.approx(pair.ci95) for pair in pairs]


@pytest.mark.jit
def test_lengths_are_distributions() -> None:
    found = urcx.compare(urcx.lengths, ["finkel", STRIP], pieces=1, light="random")
    axes: Any = found.figure().axes[0]
    for one, line in zip(found, axes.lines, strict=True):
        drawn = np.asarray(line.get_ydata())
        assert drawn.tolist() == (100 * one.chances[: len(drawn)]).tolist()
        assert drawn.sum() > 99.8
    many = of_each(
        urcx.lengths, beside([("corner", own("corner"))], range(1, 10)), compared,
        {"light": "random", "tail": 0.5},
    )  # fmt: skip
    with pytest.raises(UsageError, match="8 curves apart, not 9"):
        many.figure()


class _Found(Result):
    def __init__(self, pieces: int) -> None:
        self.unfinished = "half" if pieces == 2 else ""
        self.notes = ("solved before", f"p = {pieces}")

    def report(self) -> Any:
        return urcx.perft("finkel", 1).report()


def test_an_interrupt_leaves_what_was_found_before() -> None:
    asked = beside([("finkel", urcx.ruleset("finkel"))], [1, 2, 3])
    stages: list[str] = []

    def question(rules: urcx.RuleSet, stage: Any) -> _Found:
        stage("counting", 1, "games")
        return _Found(rules.pieces)

    def shown(_: _Found) -> Beside:
        return Beside("Games", "exactly", "games", [ComparedNumber("games", "1", 1.0)])

    given = {"stage": lambda label, *_: stages.append(label)}
    found = of_each(question, asked, shown, given)
    assert stages == ["p = 1: counting", "p = 2: counting"]
    assert found.unfinished == "1 of 3 rule sets"
    assert found.notes == ("solved before", "p = 1", "p = 2")
    assert "interrupted after 1 of 3 rule sets" in repr(found)
