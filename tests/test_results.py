"""Results of public functions show themselves as the command line does, and give columns."""

from __future__ import annotations

import csv
import inspect
import io
import pickle
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from copy import copy, deepcopy
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.cli import main
from urcx.errors import UrcxError, WrongObjectError
from urcx.reports.results import FIGURES
from urcx.results.result import Result, Rows

PLACE = "2/3,6/5-5/L"


def _functions(base: type[Result]) -> set[str]:
    """Return the public functions whose results are of a class, or of those made of it."""
    return {base._function}.union(*map(_functions, base.__subclasses__()))


PUBLIC = [getattr(urcx, name) for name in urcx.__all__]  # imports what is public
RESULTS = sorted(_functions(Result) - {""})
BARE = {  # numbers, texts, positions, what is iterated over, and what has a drawing instead
    "agent", "board", "diagrams", "dice", "parse_position", "path", "path_names", "rank",
    "ruleset", "track", "unrank", "widget",
}  # fmt: skip


@cache
def _games() -> Any:
    return urcx.simulate("greedy", "random", games=20, seed=3)


@cache
def _expected() -> Any:
    return urcx.expected("random", rules=_tiny())


@cache
def _tiny() -> Any:
    return replace(urcx.ruleset("finkel"), pieces=1)


def _short_game() -> urcx.PlayedGame:
    played = urcx.PlayedGame(urcx.Game(_tiny()), light="one", date="2026-11-22").play("0-2")
    return played.passed(0).play("2-3").play("0-1").throw(3)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("solved") / "tiny.urcx"
    urcx.solve(_tiny(), file)
    return file


@pytest.fixture(scope="module")
def made(solved: Path) -> Callable[[str], Result]:
    functions: dict[str, Callable[[], Any]] = {
        "bits": lambda: urcx.bits(_tiny(), agents="greedy", table_bits=[2]),
        "compress": lambda: urcx.compress(solved, solved.with_name("tiny.play")),
        "count": lambda: urcx.count("bell", 2),
        "exact_measures": lambda: urcx.exact_measures(_expected()),
        "expected": _expected,
        "gain": lambda: urcx.gain(PLACE, "BA", "finkel", roll=2),
        "gamble": lambda: urcx.gamble("greedy", games=4),
        "gambling_game": urcx.gambling_game,
        "gtc": lambda: urcx.gtc("random", rules=_tiny(), games=20, exact=True),
        "hint": lambda: urcx.hint(urcx.Game(_tiny()), 2, solved, agents=["greedy", "random"]),
        "hunt": lambda: urcx.hunt("13/14/6-6/L", "finkel", light=True),
        "journey": lambda: urcx.journey("finkel", 8),
        "legal_moves": lambda: urcx.legal_moves(PLACE, 2),
        "lengths": lambda: urcx.lengths("random", rules=_tiny()),
        "longest": lambda: urcx.longest(_tiny()),
        "luck": lambda: urcx.luck("greedy", rules=_tiny()),
        "match": lambda: urcx.match(["random", "greedy"], games=4),
        "measures": lambda: urcx.measures(_games()),
        "nalimov": lambda: urcx.nalimov(_tiny()),
        "open_tablebase": lambda: urcx.open_tablebase(solved),
        "perft": lambda: urcx.perft("finkel", 3),
        "ranking": lambda: urcx.ranking("bell", 7),
        "reach": lambda: urcx.reach(_tiny()),
        "read_game": _short_game,
        "regret": lambda: urcx.regret("greedy", _tiny()),
        "review": lambda: urcx.review(_short_game(), solved),
        "rush": lambda: urcx.rush("aseb"),
        "shortest": lambda: urcx.shortest(_tiny()),
        "simulate": _games,
        "train": lambda: urcx.train(
            "td",
            _tiny(),
            output=solved.with_name("net.npz"),
            settings={"units": 4, "iterations": 10, "games": 4, "plies": 8},
        ),
        "solve": lambda: urcx.solve(_tiny()),
        "solve_exactly": lambda: urcx.solve_exactly(_tiny()),
        "ssc": lambda: urcx.ssc("bell", 2),
        "throughput": lambda: urcx.throughput("finkel"),
        "verify": lambda: urcx.verify("michon"),
    }
    assert set(functions) == set(RESULTS)
    kept: dict[str, Result] = {}

    def find(name: str) -> Result:
        if name not in kept:
            kept[name] = functions[name]()
        return kept[name]

    return find


def _printed(*words: str) -> str:
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit):
        main(list(words))
    return out.getvalue()


def test_every_public_function_shows_what_it_returns() -> None:
    functions = {name for name in urcx.__all__ if inspect.isfunction(getattr(urcx, name))}
    assert functions == BARE | set(RESULTS)


@pytest.mark.jit
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself(name: str, made: Callable[[str], Result]) -> None:
    found = made(name)
    text, html = repr(found), found._repr_html_()
    assert "cannot be shown" not in text
    assert text.count("\n") >= 3
    assert text == text.strip("\n")
    assert html is not None
    if name == "read_game":  # drawn
        assert html.count("<svg") == html.count("</svg>") == 1
        assert "<style" not in html, "of the whole page"
    else:
        assert html.count("<table") == html.count("</table>") >= 1


@pytest.mark.jit
def test_figures_show_and_save_themselves(
    made: Callable[[str], Result], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = made("review").figure()
    assert "<svg" in drawing._repr_svg_()
    assert repr(drawing) == "<Drawing, which notebooks show; save(FILE) writes it>"
    drawing.save(tmp_path / "chances.png")
    assert (tmp_path / "chances.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr() == ("", "")
    with pytest.raises(UrcxError, match=r"no figure of this result; there are of those of urcx\."):
        made("rush").figure()
    with pytest.raises(UrcxError, match=r"must end in \.svg"):
        drawing.save(tmp_path / "chances.txt")
    wrong: Any = 7
    with pytest.raises(WrongObjectError, match="a file's name"):
        drawing.save(wrong)
    assert set(FIGURES) == {"bits", "gtc", "lengths", "simulate", "review"}
    for figure in FIGURES.values():
        module, _, function = figure.partition(":")
        assert callable(getattr(import_module(f"urcx.reports.figures.{module}"), function))


@pytest.mark.jit
@pytest.mark.parametrize("name", RESULTS)
def test_columns_are_arrays_of_one_length(name: str, made: Callable[[str], Result]) -> None:
    columns = made(name).to_dict()
    assert columns
    assert all(isinstance(values, np.ndarray) for values in columns.values())
    assert len({values.shape for values in columns.values()}) == 1
    assert all(values.ndim == 1 and len(values) for values in columns.values())


AS_PRINTED = {
    "perft": ("perft", "--depth", "3"),
    "reach": ("reach", "-p", "1"),
    "match": ("match", "random", "greedy", "-g", "4"),
    "nalimov": ("nalimov", "-p", "1"),
    "simulate": ("gtc", "-g", "20", "--light", "greedy", "--dark", "random", "--seed", "3"),
    "expected": ("gtc", "--exact", "--agent", "random", "-p", "1"),
    "gtc": ("gtc", "--exact", "-g", "20", "--agent", "random", "-p", "1"),
    "regret": ("regret", "--agent", "greedy", "-p", "1"),
    "bits": ("bits", "--agent", "greedy", "-p", "1", "--table-bits", "2"),
    "ssc": ("ssc", "bell", "-p", "2"),
    "shortest": ("shortest", "-p", "1"),
    "longest": ("longest", "-p", "1"),
    "lengths": ("lengths", "-p", "1", "--agent", "random"),
    "luck": ("luck", "-p", "1", "--agent", "greedy"),
}


@pytest.mark.jit
@pytest.mark.parametrize("name", AS_PRINTED)
def test_shown_as_the_command_prints_it(name: str, made: Callable[[str], Result]) -> None:
    assert repr(made(name)) + "\n" == _printed(*AS_PRINTED[name]).rstrip("\n") + "\n"


@pytest.mark.jit
def test_verdicts_show_their_summary_and_give_every_figure(made: Callable[[str], Result]) -> None:
    found: Any = made("verify")
    ((_, verdicts),) = found
    assert "Figures and verdicts" in repr(found)
    assert repr(found).count("\n") < 10
    assert len(found.to_dict()["printed"]) == len(verdicts) > 50


@pytest.mark.jit
@pytest.mark.parametrize("name", ["perft", "reach", "match", "nalimov", "regret"])
def test_columns_are_those_of_csv(name: str, made: Callable[[str], Result]) -> None:
    rows = list(csv.DictReader(io.StringIO(_printed(*AS_PRINTED[name], "--csv"))))
    columns = made(name).to_dict()
    assert list(columns) == list(rows[0])
    for column, values in columns.items():
        texts = [row[column] for row in rows]
        if values.dtype.kind in "if":
            assert [float(text) if text else None for text in texts] == [
                None if np.isnan(value) else value for value in values.tolist()
            ]
        else:
            assert texts == ["" if value is None else str(value) for value in values]


@pytest.mark.jit
def test_counts_are_whole_numbers_however_large() -> None:
    assert urcx.perft("finkel", 3).to_dict()["nodes"].tolist() == [5, 28, 192]
    assert urcx.perft("finkel", 3).to_dict()["nodes"].dtype == np.int64
    large = urcx.ssc("bell", 30, enumerate=False)
    assert large.to_dict()["bits-pieces"].tolist() == [2**240]
    missing = urcx.ssc("murray", 7, enumerate=False).to_dict()
    assert missing["enumerated"].tolist() == [None]
    assert missing["michon"].tolist() == [None]


@pytest.mark.jit
def test_a_row_for_each_game() -> None:
    games = _games()
    columns = games.to_dict()
    assert columns["game"].tolist() == list(range(20))
    assert columns["began"].tolist() == ["light", "dark"] * 10
    wins = {side: int((columns["winner"] == side).sum()) for side in ("light", "dark")}
    assert [wins["light"], wins["dark"]] == np.bincount(games.results[:, 1], minlength=2).tolist()
    for side in ("light", "dark"):
        plies = columns[f"{side}_plies"]
        assert (columns[f"{side}_moves"] + columns[f"{side}_passes"] == plies).all()
        rolls = sum(columns[f"{side}_roll_{roll}"] for roll in range(5))
        assert (rolls == plies).all()
    assert (columns["light_plies"] + columns["dark_plies"] == columns["plies"]).all()
    means = {measure.name: measure.mean for measure in urcx.measures(games)}
    for name in ("turns", "captures", "rosettes", "decisions"):
        both = columns[f"light_{name}"] + columns[f"dark_{name}"]
        assert both.mean() == pytest.approx(means[name])
    legal = columns["light_choices"].sum() + columns["dark_choices"].sum()
    assert legal / columns["plies"].sum() == pytest.approx(means["choices_per_ply"])


@pytest.mark.jit
def test_a_row_for_each_gambling_game() -> None:
    games = urcx.gamble("greedy", games=6)
    columns = games.to_dict()
    assert (columns["light_plies"] + columns["dark_plies"] == columns["plies"]).all()
    counters = games.game.total
    kept = columns["light_winnings"] + columns["dark_winnings"] + columns["pool"]
    assert (kept + 2 * games.game.counters == counters).all()


@pytest.mark.jit
@pytest.mark.parametrize(
    "name", sorted(set(RESULTS) - {"open_tablebase", "ranking", "solve_exactly"})
)
def test_equal_results_are_equal(name: str, made: Callable[[str], Result]) -> None:
    found = made(name)
    again = deepcopy(found)
    assert (found == again) is True
    assert (found != again) is False
    other: object = name
    assert (found == other) is False


@pytest.mark.jit
def test_games_of_other_agents_or_seeds_differ() -> None:
    games = urcx.simulate("greedy", "random", games=5, seed=3)
    assert games == urcx.simulate("greedy", "random", games=5, seed=3)
    assert games != urcx.simulate("greedy", "random", games=5, seed=4)
    assert games != urcx.simulate("greedy", "random", games=4, seed=3)
    assert games.side("light") == games.side("light")
    assert games.side("light") != games.side("dark")
    assert games.side("light") != replace(games.side("light"), turns=np.zeros(4, np.int32))
    assert repr(games.side("dark")).startswith("<SideCounts of 5: turns, captures, rosettes, ")


def test_what_is_half_made_is_described_all_the_same() -> None:
    row: Any = object.__new__(type(urcx.ssc("bell", 2, enumerate=False)))
    assert repr(row) == f"<{type(row).__name__}, which cannot be shown: AttributeError>"
    assert row._repr_html_() is None


def test_an_error_about_a_result_is_one_line() -> None:
    given: Any = urcx.rush("aseb")
    with pytest.raises(WrongObjectError, match=r"A piece rushed .* \(Rush\)") as refused:
        urcx.measures(given)
    assert "\n" not in str(refused.value)


@pytest.mark.jit
def test_a_result_that_is_a_tuple_stays_one() -> None:
    levels = urcx.perft("finkel", 2)
    assert levels == tuple(levels)
    assert type(levels[:1]) is tuple
    assert [level.nodes for level in levels] == [5, 28]
    for again in (pickle.loads(pickle.dumps(levels)), copy(levels)):  # noqa: S301 - our own
        assert again == levels
        assert repr(again) == repr(levels)
    assert issubclass(type(urcx.measures(_games())), Rows)


@pytest.mark.jit
def test_on_a_terminal_tables_fit_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "60")
    found = urcx.measures(_games())
    wide = repr(found)
    monkeypatch.setattr(sys, "stdout", Terminal())
    narrow = repr(found)
    assert max(map(len, wide.splitlines())) > 60
    assert max(map(len, narrow.splitlines())) <= 60
    assert "to_dict() has all columns" in narrow.replace("\n  ", " ")
