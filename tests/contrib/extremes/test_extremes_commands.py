"""The commands shortest and longest, and recorded figures of such games."""

from __future__ import annotations

import io
from dataclasses import dataclass, fields
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from command_line import assert_one_line, run
from naive_reach import small

import urcx
from urcx.commands import consent
from urcx.contrib.extremes import longest, shortest
from urcx.contrib.extremes.prolonging import mean_plies, settle_pair
from urcx.contrib.extremes.shortest_game import search_memory
from urcx.errors import OutOfDomainError
from urcx.published.figures import FAILS, Figure, sources
from urcx.published.gtc import longest_table
from urcx.published.rounding import rules_from
from urcx.published.verify import verdict_of
from urcx.rules.model import RuleSet
from urcx.solving.layered.order import LayerOrder

pytest_plugins = ["command_fixtures"]


@pytest.mark.jit
def test_results_as_json() -> None:
    found = run("shortest", "-p", "1", "--json").json
    assert (found["schema"], found["length"], found["games"]) == ("urcx.shortest/1", 5, "8")
    assert [row["roll"] for row in found["rows"]] == [4, 4, 3, 2, 4]
    found = run("longest", "-p", "1", "--json").json
    assert found["lower"] < found["mean"] < found["upper"]
    assert found["unit"] == "plies"
    fewer = run("longest", "-p", "1", "--unit", "moves", "--json").json
    assert fewer["unit"] == "moves"
    assert fewer["upper"] < found["lower"]


@pytest.mark.jit
@pytest.mark.usefixtures("here")
def test_the_longest_games_are_drawn_by_the_pieces_home() -> None:
    result = run("longest", "-p", "2", "--plot", "longest.svg")
    assert result.code == 0, result.err
    drawn = Path("longest.svg").read_text(encoding="utf-8")
    assert "<!-- 0-0 home -->" in drawn
    assert "<!-- 1-1 home -->" in drawn
    assert "Both players prolong the game" in drawn[: drawn.index("<metadata>")]


@pytest.mark.parametrize(
    ("plies", "shown"),
    [(17.0618810, "17.061881"), (171385.6412694, "171,385.641269"),
     (7819047.2, "7,819,047.200"), (2.7683946047e18, "2.768394605e+18")],
)  # fmt: skip
def test_plies_are_shown_to_some_ten_digits(plies: float, shown: str) -> None:
    assert mean_plies(plies) == shown


def test_bounds_are_rounded_outwards() -> None:
    for bound in (17.0000004, 1234567.0004, 1234567890600.0):
        shown = (mean_plies(bound, way).replace(",", "") for way in (ROUND_FLOOR, ROUND_CEILING))
        below, above = map(Decimal, shown)
        assert below < bound < above


@pytest.mark.jit
def test_bounds_of_longest_games_hold() -> None:
    for one in longest_table():
        assert one.upper is None or 0.98 < one.lower / one.upper < 1.0
        assert one.unit in {"plies", "moves"}
        if one.pieces <= 2:
            rules = urcx.ruleset(one.rules, pieces=one.pieces)
            found = longest(rules, unit=one.unit, tolerance=1e-7)
            assert one.upper is not None
            assert one.lower < found.mean < one.upper


def test_a_long_search_for_the_shortest_game_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(consent, "note", shown.write)
    monkeypatch.setattr(
        "urcx.contrib.extremes.shortest_game.shortest", mock.Mock(side_effect=KeyError)
    )
    for line, words in (
        ("-p 7", ""),
        ("-p 50", "searching the shortest games of finkel will take about 80 s"),
        ("-p 28 --rules murray", "murray will take about"),
        # It ends at so many positions.
        ("-p 255", "will take about 80 s, up to 1.9 GB of memory"),
    ):
        shown.truncate(shown.seek(0))
        with pytest.raises(KeyError):
            run("shortest", *line.split())
        assert words in shown.getvalue()
        assert bool(words) == bool(shown.getvalue())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("longest -p 1 --tolerance 2", "tolerance"),
        ("longest -p 1 --unit turns", "unknown unit 'turns'"),
    ],
)
def test_errors_are_one_line(line: str, words: str) -> None:
    assert words in assert_one_line(run(*line.split()), 2)


@dataclass(frozen=True)
class LaterRules(RuleSet):
    """Rules with an unknown flag."""

    pieces_stack: bool = False


def test_a_flag_that_is_not_known_is_refused() -> None:
    values = {field.name: getattr(urcx.ruleset("finkel"), field.name) for field in fields(RuleSet)}
    with pytest.raises(OutOfDomainError, match="rule pieces_stack"):
        search_memory(LaterRules(**values | {"name": "house"}, pieces_stack=True), 0)


def recorded(quantity: str) -> list[Figure]:
    return [figure for _, figures in sources() for figure in figures if figure.quantity == quantity]


@pytest.mark.jit
def test_the_recorded_shortest_game_is_as_short() -> None:
    (figure,) = recorded("shortest-game")
    assert figure.found == str(shortest(rules_from(figure.params)).length)
    assert verdict_of(figure).verdict == figure.verdict


@pytest.mark.parametrize(("rules", "pieces"), [("finkel", 1), ("finkel", 2), ("aseb", 1)])
def test_the_shortest_game_is_what_the_search_of_all_states_finds_first(
    rules: str, pieces: int
) -> None:
    levels = urcx.reach(small(rules, pieces)).levels
    assert shortest(small(rules, pieces)).length == next(x.depth for x in levels if x.terminals)


@pytest.mark.jit
def test_recorded_layers_of_the_longest_game_have_so_many_moves_to_come() -> None:
    figures = recorded("longest-layer")
    homes = [tuple(map(int, figure.params["home"].split("-"))) for figure in figures]
    order = LayerOrder(rules_from(figures[0].params))
    values: dict[tuple[int, int], Any] = {}
    for layers in order.pairs:
        if any(i <= min(layers[0]) and j <= max(layers[0]) for i, j in homes):
            pair = settle_pair(order, layers, values.__getitem__, 1e-8, 1, unit="moves")
            values |= pair.values
    for figure, (i, j) in zip(figures, homes, strict=True):
        most = max(float(values[layer].max()) for layer in ((i, j), (j, i)))
        assert float(figure.found) == pytest.approx(most, rel=1e-8)
        assert verdict_of(figure).verdict == figure.verdict != FAILS
