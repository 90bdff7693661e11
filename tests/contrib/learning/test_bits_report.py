"""The report and the figure of the strategy-complexity curve."""

from __future__ import annotations

from dataclasses import replace

import pytest
from own_rules import own

from urcx.contrib.learning.bits_plot import bits_figure
from urcx.contrib.learning.curve import Bits, Point, curve
from urcx.reports.figures.plots import render

POINTS = (
    Point("rule", "random", 0, 100, 0.2, 0.0, "exact", "random"),
    Point("rule", "greedy", 0, 100, 0.3, 0.0, "exact", "last"),
    Point("network", "net:dir/a.npz", 320, 100, 0.45, 0.01, "estimate", "first", "self-play"),
    Point("network", "learned", 640, 100, 0.48, 0.01, "estimate", "first"),
    *(
        Point(
            "uniform", f"{k} bits", 100 * k, 100, 0.5 - 0.2 / 4**k, 1e-4, "estimate", "last", "", k
        )
        for k in range(1, 5)
    ),
    Point("uniform", "9 bits", 900, 100, 0.5, None, "estimate", "last", "", 8.0),
    Point("play", "exact.play", 150, 100, 0.5, 0.0, "exact", "first"),
    Point("table", "solution", 6400, 100, 0.5, 0.0, "exact", "first"),
)
FOUND = Bits(own("short"), curve(POINTS), 100, 4000, 1, 1e-13)


def test_what_is_said_of_each_player() -> None:
    shown = FOUND
    rows = {(row["kind"], row["player"]): row for row in shown.document()["rows"]}
    assert len(rows) == len(POINTS)
    assert rows["rule", "random"]["bits"] == "0"
    assert rows["network", "net:dir/a.npz"]["origin"] == "self-play"
    assert rows["network", "learned"]["ci95"] == pytest.approx([0.47, 0.49])
    assert rows["play", "exact.play"]["ci95"] is None
    assert rows["play", "exact.play"]["frontier"]
    assert not rows["table", "solution"]["frontier"]
    assert rows["uniform", "9 bits"]["error"] is None
    table = {row[0]: row for row in shown.tables()[0].rows}
    assert table["net:dir/a.npz"][1] == "network, self-play"
    assert table["random"][-1] == ""
    assert table["greedy"][-1] == "*"
    assert any("no interval" in note.lower() for note in shown.tables()[0].notes)
    assert not any("not resolved" in note for note in shown.tables()[0].notes)


def test_a_coarse_solution_and_exact_figures_say_so() -> None:
    found = replace(FOUND, bound=1e-5, sample=0)
    shown = found.tables()[0]
    assert any("not resolved" in note for note in shown.notes)
    assert not any("no interval" in note.lower() for note in shown.notes)
    assert found.answer.endswith("(exact)")


def test_the_figure_has_every_point() -> None:
    figure = bits_figure(FOUND)
    axes = figure.axes[0]
    drawn = {
        (float(x), float(y))
        for line in axes.containers
        for x, y in zip(*line.lines[0].get_data(), strict=True)  # type: ignore[attr-defined]
    }
    assert {x for x, _ in drawn} >= {float(p.bits) for p in POINTS if p.bits}
    assert {round(y, 9) for _, y in drawn} >= {round(p.loss, 9) for p in POINTS if p.loss}
    # Players without data are left of all others, players without loss above them.
    left = {x for x, _ in drawn} - {float(p.bits) for p in POINTS}
    top = {y for _, y in drawn} - {p.loss for p in POINTS}
    assert len(left) == len(top) == 1
    assert max(left) < 100 / 3
    assert max(top) < min(p.loss for p in POINTS if p.loss) / 3
    labels = {text.get_text() for text in axes.texts}
    assert {"random", "greedy", "a", "learned", "exact play: exact", "solution", "tables"} <= labels
    ticks = {text.get_text() for text in axes.get_yticklabels()}
    assert {"$10^{-1}$", "$10^{-2}$", "$10^{-3}$", "none"} <= ticks
    assert render(figure, "svg").startswith(b"<?xml")


def test_a_game_in_which_nobody_loses_has_a_figure() -> None:
    points = curve([replace(point, wins=0.5, error=0.0) for point in POINTS])
    assert bits_figure(replace(FOUND, points=points)).axes
