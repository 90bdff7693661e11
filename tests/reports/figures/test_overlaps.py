"""Texts of all figures: none lies over another or is cut off, and all have one width and size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from own_rules import own

import urcx
from urcx.contrib.extremes.longest_game import Longest
from urcx.contrib.extremes.prolonging import LongestLayer
from urcx.contrib.learning.curve import Bits, Point, curve
from urcx.enumerate.state_space import StateSpace, state_spaces
from urcx.expectations import compare
from urcx.expectations.compare import ComparedRules, Comparison
from urcx.expectations.lengths import Lengths
from urcx.games.match import Match, Pair
from urcx.games.simulator import simulate
from urcx.played.values import SolvedGame
from urcx.published.gtc import measure_games
from urcx.reports.figures import game_plots, plots
from urcx.reports.figures.labels import extent
from urcx.results.result import Result
from urcx.solving.probing import Probed, probe

WIDTH, SIZE, DPI = 6.3, 9.0, 200  # inches, points, dots per inch
SLACK = 1.0  # dots of a canvas of 100 dpi by which boxes of texts may touch
FIVE = ("bell", "aseb", "masters", "murray", "skiriuk")
GAME = Path(__file__).parents[3] / "docs/examples/game.txt"


def _spaces(names: tuple[str, ...], top: int) -> list[StateSpace]:
    return [state_spaces(urcx.path(name), p) for name in names for p in range(1, top + 1)]


def _comparison(names: list[str], pieces: range, spread: float = 0.0) -> Comparison:
    """Return made-up numbers, which are close together with a small ``spread``."""
    agent, rows = urcx.agent("greedy"), []
    for k, name in enumerate(names):
        for p in pieces:
            values = (0.5 + 0.03 / p + 0.001 * k, 17.0 * p + k, 5.3 * p + 0.2 * k)
            figures = [
                compare.Figure(v, (v - spread * v, v + spread * v) if spread else None)
                for v in values
            ]
            rules = replace(urcx.ruleset("finkel"), name=name, pieces=p)
            first, plies, tree = figures
            rows.append(ComparedRules(rules, 248, first, plies, None, tree, tree, None, agent, 500))
    return Comparison(rows, seed=1, requested=len(rows), notes=())


def _match(number: int, *, length: int = 0) -> Match:
    names = [f"agent-{k}".ljust(length, "x") for k in range(number)]
    agents: Any = tuple(SimpleNamespace(name=name) for name in names)
    pairs = [
        Pair(a, b, 100, (37 * i + 11 * j) % 101)
        for i, a in enumerate(agents)
        for j, b in enumerate(agents)
        if i < j or number == 1
    ]
    rules = urcx.ruleset("finkel")
    return Match(rules, agents, tuple(pairs), 100, 1, {}, interrupted=False, notes=())


def _losses(number: int) -> Any:
    rows = [
        SimpleNamespace(
            agent=SimpleNamespace(name=f"agent-{k}"), side=SimpleNamespace(loss=0.07 * k)
        )
        for k in range(number)
    ]
    return SimpleNamespace(regrets=rows, rules=urcx.ruleset("finkel"))


def _lengths(mean: float, last: int) -> Lengths:
    plies = np.arange(last + 1)
    chances = np.exp(-((plies - mean) ** 2) / (0.08 * mean**2)) * (plies > mean / 4)
    random = urcx.agent("random")
    rules = urcx.ruleset("finkel")
    return Lengths(rules, random, random, "alternate", chances / chances.sum(), 1e-9, 0.0)


def _longest(pieces: int) -> Longest:
    homes = [(a, b) for total in range(2 * pieces - 1) for a in range(pieces) for b in range(pieces)
             if a + b == total and a <= b]  # fmt: skip
    layers = tuple(
        LongestLayer((home,), 100, 9, 70.0 * (2 * pieces - sum(home))) for home in homes[::-1]
    )
    rules = replace(urcx.ruleset("finkel"), pieces=pieces)
    mean = layers[-1].most
    return Longest(rules, "plies", mean, mean - 1e-5, mean + 1e-5, 1e-6, 100, layers, 0.0)


@cache
def _played(pieces: int, games: int) -> Any:
    rules = replace(urcx.ruleset("finkel"), pieces=pieces)
    return measure_games(simulate("random", rules=rules, games=games, seed=1))


def _bits(most: int, tables: int) -> Bits:
    """Return a curve with losses that halve with each bit of a table."""
    short = own("short")
    points = [
        Point("rule", "random", 0, 100, 0.1, 0.0, "exact", "random"),
        Point("rule", "greedy", 0, 100, 0.43, 0.0, "exact", "last"),
        Point("rule", "gain", 0, 100, 0.431, 0.0, "exact", "last"),
        Point("rule", "expectimax:3", 0, 100, 0.4315, 0.0, "exact", "last"),
        Point("network", "net:dir/a.npz", 320, 100, 0.45, 0.01, "estimate", "first", "self-play"),
        Point("network", "learned", 640, 100, 0.48, 0.01, "estimate", "first"),
        *(
            Point("uniform", f"{k} bits", most * k // 99, 100, 0.5 - 0.4 / 5.0**k, 1e-13, "exact",
                  "last", "", k)
            for k in range(1, tables)
        ),
        Point("play", "exact.play", 150, 100, 0.5, 0.0, "exact", "first"),
        Point("table", "solution", most, 100, 0.5, 0.0, "exact", "first"),
    ]  # fmt: skip
    return Bits(short, curve(points), most // 64, 4000, 1, 1e-13)


def _review(plies: int | None) -> Result:
    played = urcx.read_game(GAME)
    result = urcx.review(played)
    if plies is None:
        return result
    return replace(result, plies=(result.plies * 40)[:plies])


def _probed(position: str, rules: str, dice: str | None = None) -> Probed:
    game = urcx.ruleset(rules, pieces=2)
    if dice is not None:
        game = replace(game, dice=urcx.dice(dice))
    return probe(SolvedGame(game), position)


def _dice(name: str | None = None) -> Result:
    return urcx.dice_chances() if name is None else urcx.dice_chances(name)


FIGURES: dict[str, Callable[[], Figure]] = {
    "ssc, one number": lambda: plots.spaces_figure(_of(_spaces(("bell",), 1))),
    "ssc, one path": lambda: plots.paths_figure(_spaces(("bell",), 7)),
    "ssc, five paths": lambda: plots.paths_figure(_spaces(FIVE, 7)),
    "ssc, five paths, 30 pieces": lambda: plots.paths_figure(_spaces(FIVE, 30)),
    "ssc, all paths": lambda: plots.paths_figure(_spaces(urcx.path_names(), 7)),
    "ssc, exact": lambda: plots.exact_figure(_spaces(FIVE, 15)),
    "ssc, exact, all paths": lambda: plots.exact_figure(_spaces(urcx.path_names(), 7)),
    "ssc, forms": lambda: plots.forms_figure(_spaces(("bell",), 7)),
    "ssc, forms, one number": lambda: plots.forms_figure(_spaces(FIVE[:4], 1)),
    "ssc, forms, four paths": lambda: plots.forms_figure(_spaces(FIVE[:4], 15)),
    "ssc, other games": lambda: urcx.figure(urcx.board_games()),
    "compare, one rule set": lambda: urcx.figure(_comparison(["finkel"], range(7, 8), 0.05)),
    "compare, curve": lambda: urcx.figure(_comparison(["finkel"], range(1, 8))),
    "compare, eight curves": lambda: urcx.figure(
        _comparison([f"rules-{k}" for k in range(8)], range(1, 8), 0.04)
    ),
    "compare, long names": lambda: urcx.figure(
        _comparison([f"a-very-long-name-of-a-rule-set-{k}" for k in range(4)], range(1, 3))
    ),
    "compare, thirty rows": lambda: urcx.figure(
        _comparison([f"rules-{k}" for k in range(30)], range(7, 8), 0.04)
    ),
    "compare, long rows": lambda: urcx.figure(
        _comparison([f"a-very-long-name-of-a-rule-set-{k}" for k in range(4)], range(7, 8))
    ),
    "match, one agent": lambda: urcx.figure(_match(1)),
    "match, two agents": lambda: urcx.figure(_match(2)),
    "match, three agents": lambda: urcx.figure(_match(3)),
    "match, twenty agents": lambda: urcx.figure(_match(20)),
    "match, long names": lambda: urcx.figure(_match(4, length=60)),
    "regret, one agent": lambda: game_plots.agents_figure(_losses(1)),
    "regret, twelve agents": lambda: game_plots.agents_figure(_losses(12)),
    "lengths, short": lambda: urcx.figure(_lengths(17.0, 60)),
    "lengths, long": lambda: urcx.figure(_lengths(121.0, 600)),
    "gtc, two games": lambda: game_plots.games_figure(_played(1, 2)),
    "gtc, one piece": lambda: game_plots.games_figure(_played(1, 30)),
    "gtc, seven pieces": lambda: game_plots.games_figure(_played(7, 30)),
    "gtc, with exact lengths": lambda: game_plots.games_figure(
        _played(7, 30), _lengths(155.0, 700)
    ),
    "gtc, exact": lambda: urcx.figure(
        urcx.gtc("random", rules=urcx.ruleset("finkel", pieces=1), exact=True, drawn=True)
    ),
    "dice, all": lambda: urcx.figure(_dice()),
    "dice, one": lambda: urcx.figure(_dice("binary4")),
    "journey": lambda: urcx.figure(urcx.journey()),
    "journey, long path": lambda: urcx.figure(urcx.journey("murray")),
    "journey, two goals": lambda: urcx.figure(urcx.journey(to=[4, 8])),
    "gain": lambda: urcx.figure(urcx.gain("2/3,6/5-5/L")),
    "gain, many sequences": lambda: urcx.figure(urcx.gain("1,2,3,5,7/4,6/0-0/L")),
    "gain, one roll": lambda: urcx.figure(urcx.gain("2/3,6/5-5/L", sequences="BA", roll=2)),
    "review": lambda: urcx.figure(_review(None)),
    "review, two plies": lambda: urcx.figure(_review(2)),
    "bits, few": lambda: _bits(6400, 3).figure(),
    "bits, many": lambda: _bits(8_800_000_000, 17).figure(),
    "probe": lambda: urcx.figure(_probed("start", "finkel")),
    "probe, moves": lambda: urcx.figure(_probed("B4/C2,B2/0-0/L", "finkel")),
    "probe, near the end": lambda: urcx.figure(_probed("A7/C7/1-1/D", "finkel")),
    "probe, even rolls": lambda: urcx.figure(_probed("start", "finkel", "tetrahedron")),
    "probe, many rolls": lambda: urcx.figure(_probed("start", "finkel", "astragali")),
    "longest, one piece": lambda: _longest(1).figure(),
    "longest, seven pieces": lambda: _longest(7).figure(),
}


# The last one of each command, and one of each other function of ssc.
USUAL = {
    *{name.partition(",")[0]: name for name in FIGURES}.values(),
    *("ssc, one number", "ssc, five paths", "ssc, exact", "ssc, forms"),
}


def _of(rows: list[StateSpace]) -> Any:
    return SimpleNamespace(rows=rows)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Text, Bbox]]:
    """Record the texts that a figure draws, with their boxes."""
    texts: list[tuple[Text, Bbox]] = []
    draw = Text.draw

    def recorded(self: Text, renderer: Any) -> None:
        if self.get_visible() and self.get_text().strip():
            texts.append((self, extent(self, renderer)))
        draw(self, renderer)

    monkeypatch.setattr(Text, "draw", recorded)
    return texts


@pytest.mark.jit
@pytest.mark.parametrize("captioned", [pytest.param(False, marks=pytest.mark.slow), True])
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in USUAL else [pytest.mark.slow]) for name in FIGURES],
)
def test_no_text_of_a_figure_lies_over_another_or_is_cut_off(
    name: str, captioned: bool, drawn: list[tuple[Text, Bbox]]
) -> None:
    figure = FIGURES[name]()
    picture = plots.render(figure, "png", captioned=captioned)
    assert int.from_bytes(picture[16:20], "big") == round(WIDTH * DPI), "another width"
    drawn.clear()
    figure.canvas.draw()
    assert drawn
    sizes = {text.get_fontsize() for text, _ in drawn}
    assert sizes == {SIZE}, {text.get_text(): text.get_fontsize() for text, _ in drawn}
    wrong = []
    for k, (text, box) in enumerate(drawn):
        smaller = Bbox.from_extents(box.x0 + SLACK, box.y0 + SLACK, box.x1 - SLACK, box.y1 - SLACK)
        wrong += [
            f"{text.get_text()} over {other.get_text()}"
            for other, place in drawn[k + 1 :]
            if smaller.overlaps(place)
        ]
        if box.x0 < -SLACK or box.x1 > figure.bbox.width + SLACK:
            wrong.append(f"{text.get_text()} is cut off")
    assert wrong == []
