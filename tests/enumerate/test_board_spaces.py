"""The results of other games: comparisons with published figures, tables, figures, arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.complexity.board_games import Printed, boards
from urcx.enumerate.board_spaces import BoardGames, Comparison, _compared
from urcx.errors import UnknownNameError, UsageError
from urcx.results.writing import lines


def verdict(printed: str, states: int, counts: str = "") -> str:
    return _compared(Printed(printed, "somebody", "post", counts), states).verdict


def test_figures_are_compared_with_charity() -> None:
    assert verdict("1,234", 1234) == verdict("1.2e3", 1234) == "equal"
    assert verdict("1,235", 1234) == "more"
    assert verdict("1.1e3", 1234) == "less"
    assert verdict("10^3", 1234) == verdict("10^4", 1234) == "rounds to it"
    assert verdict("10^5", 1234) == "more"
    assert verdict("10^2", 1234) == "less"
    assert verdict("1,234", 1235, "legal positions") == "counts less"
    assert verdict("1,236", 1235, "legal positions") == "more"


def test_all_games_in_one_table() -> None:
    result = urcx.board_games()
    assert [row.board.name for row in result] == list(boards())
    (table,) = result.wide_tables()
    names = [row[0] for row in table.rows if row[0]]
    assert names == [row.board.name for row in sorted(result, key=lambda row: row.log10)]
    checkers = next(k for k, row in enumerate(table.rows) if row[0] == "checkers")
    assert [row[-1] for row in table.rows[checkers : checkers + 3]] == [
        "equal", "rounds to it", "rounds to it"
    ]  # fmt: skip
    chess = next(row for row in result if row.board.name == "chess")
    assert (chess.states, chess.exactness) == (None, "cited")
    assert [item.verdict for item in chess.published] == [""] * 4
    assert "22 games" in result.answer
    shown = lines(result, 80)
    first = ["".join(text for text, _ in line) for line in shown]
    assert all(any(line.startswith(f"{name} ") for line in first) for name in names)
    assert len(shown) <= 41, "a screen"
    assert "10 of the 14" in result.answer  # Table 1's four figures of Ur are wrong
    assert "go-19" in result.answer


def test_columns_json_and_latex() -> None:
    result = urcx.board_games(["checkers", "connect-four"], symbolic=True)
    assert result.to_dict()["states"].tolist() == [500995484682338672639, 70728639995483]
    document = result.document()["rows"]
    assert [row["states"] for row in document] == [row["series"] for row in document]
    assert document[1]["exactness"] == "upper bound"
    assert document[1]["published"][1]["counts"] == "reachable positions"
    assert "0 \\le x - y \\le 1" in result.latex
    assert "500,995,484,682,338,672,639" in result.latex


def test_pieces_are_a_parameter_of_a_single_game() -> None:
    rows = urcx.board_games("backgammon", range(1, 4))
    assert [row.pieces for row in rows] == [1, 2, 3]
    assert rows[2].states == urcx.board_games("hypergammon")[0].states
    assert not any(row.published for row in rows), "figures are of the usual number"
    assert "1 piece per side: 652 states" in rows.answer
    wrong: Any = "3"
    for pieces, reason in ((31, "1 to 30"), (wrong, "integer"), ([], "empty")):
        with pytest.raises(UsageError, match=reason):
            urcx.board_games("backgammon", pieces)
    with pytest.raises(UsageError, match="single game"):
        urcx.board_games("backgammon,checkers", 3)
    with pytest.raises(UnknownNameError, match=r"'backgamon'.*backgammon"):
        urcx.board_games("backgamon")


def test_ssc_counts_other_games() -> None:
    result = urcx.ssc(game="senet", pieces=5)
    assert isinstance(result, BoardGames)
    assert result == urcx.board_games("senet", 5)
    assert urcx.ssc(game=["senet"], symbolic=True)[0].series == result[0].states
    wrong: Any = urcx.ssc
    with pytest.raises(UsageError, match="path"):
        wrong("bell", game="senet")
    with pytest.raises(UsageError, match="symbolic"):
        wrong("bell", symbolic=True)


def test_a_difference_of_two_computations_is_seen() -> None:
    row = urcx.board_games("tic-tac-toe", symbolic=True, enumerate=True)[0]
    assert (row.states, row.series, row.small, row.visited) == (6046,) * 4
    assert "sympy agrees in 1 of 1, visits agree in 1 of 1" in BoardGames([row]).answer
    for other, words in (
        (replace(row, series=6045), "sympy agrees in 0 of 1, visits agree in 1"),
        (replace(row, visited=6045), "sympy agrees in 1 of 1, visits agree in 0"),
    ):
        assert words in BoardGames([other]).answer
        assert "6,045" in BoardGames([other]).tables()[0].rows[0][5]


def test_the_figure_has_a_row_for_each_game_and_a_ring_for_each_print() -> None:
    result = urcx.board_games()
    near, far = urcx.figure(result).axes
    assert len(near.get_yticklabels()) == len(result)
    rings = [
        line for axes in (near, far) for line in axes.lines if line.get_markerfacecolor() == "none"
    ]
    assert len(rings) == sum(len(row.published) for row in result)
    dots = [line for axes in (near, far) for line in axes.lines if line not in rings]
    sizes = sorted(row.log10 for row in result)
    assert sorted(float(np.asarray(line.get_xdata())[0]) for line in dots) == sizes
    assert far.get_xlim()[1] > 172
    colours = {label.get_text(): label.get_color() for label in near.get_yticklabels()}
    assert colours["ur-bell, 7 per side"] != colours["tic-tac-toe"]
    assert len(urcx.figure(urcx.board_games("checkers")).axes) == 1


def test_a_comparison_as_text() -> None:
    figure = Printed("10^20", "somebody", "post")
    assert Comparison(figure, "rounds to it").text == "10^20 (somebody, rounds to it)"
