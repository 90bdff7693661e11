"""Results of public functions print like the command line, and return columns."""

from __future__ import annotations

import csv
import io
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from copy import copy, deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import FUNCTIONS, PACKAGES, first_call

import urcx
from urcx.cli import main
from urcx.errors import UrcxError, WrongObjectError
from urcx.reports.figures.figure import FIGURES
from urcx.results.columns import for_frame
from urcx.results.result import Result, Rows


def _functions(base: type[Result]) -> set[str]:
    """Return the public functions whose results are of a class or its subclasses."""
    return {base._function}.union(*map(_functions, base.__subclasses__()))


RESULTS = sorted(set(FUNCTIONS) & _functions(Result))
TINY = urcx.ruleset("finkel", pieces=1)
# Numbers, texts, positions and agents are shown by Python, or by themselves in one line.
BARE = (int, str, tuple, Iterator, urcx.Position, urcx.Agent)


@cache
def _games() -> Any:
    return urcx.simulate("greedy", "random", games=20, seed=3)


def _printed(*words: str) -> str:
    with redirect_stdout(io.StringIO()) as out, pytest.raises(SystemExit):
        main(list(words))
    return out.getvalue()


@pytest.mark.jit
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_shows_what_it_returns(name: str) -> None:
    found = first_call(name).result
    if isinstance(found, Result):
        assert found._function == name
    elif PACKAGES[name] is urcx:
        drawn = hasattr(found, "_repr_html_") or hasattr(found, "_repr_mimebundle_")
        assert drawn or isinstance(found, BARE)


def test_every_kind_of_result_comes_from_a_public_function() -> None:
    assert _functions(Result) - {""} == set(RESULTS)


@pytest.mark.jit
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself(name: str) -> None:
    found = first_call(name).result
    text, html = repr(found), found._repr_html_()
    assert "cannot be shown" not in text
    assert text.count("\n") >= 3
    assert text == text.strip("\n")
    assert html is not None
    if name == "read_game":  # drawn
        assert html.count("<svg") == html.count("</svg>") == 1
        assert "<style" not in html, "of the whole page"
    else:
        assert html.count("<table") == html.count("</table>") >= (name != "forms")  # text alone


@pytest.mark.jit
def test_figures_show_and_save_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = urcx.figure(first_call("review").result)
    assert "<svg" in drawing._repr_svg_()
    assert repr(drawing) == "<Drawing, which notebooks show; save(FILE) writes it>"
    drawing.save(tmp_path / "chances.png")
    assert (tmp_path / "chances.png").read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr() == ("", "")
    with pytest.raises(UrcxError, match=r"no figure.* urcx\."):
        urcx.figure(urcx.rush("aseb"))
    with pytest.raises(UrcxError, match=r"must end in \.svg"):
        drawing.save(tmp_path / "chances.txt")
    wrong: Any = 7
    with pytest.raises(WrongObjectError, match="a file name"):
        drawing.save(wrong)
    agents = {"match", "regret"}
    named = {"compare", "dice_chances", "gain", "gtc", "journey", "lengths", "simulate", "review"}
    assert set(FIGURES) == named | agents | {"board_games", "probe", "ssc"}


@pytest.mark.jit
@pytest.mark.parametrize("name", RESULTS)
def test_columns_are_arrays_of_one_length(name: str) -> None:
    columns = first_call(name).result.to_dict()
    assert columns
    assert all(isinstance(values, np.ndarray) for values in columns.values())
    assert len({values.shape for values in columns.values()}) == 1
    assert all(values.ndim == 1 and len(values) for values in columns.values())


# Of the first four the columns are those of CSV as well.
AS_PRINTED: dict[str, Callable[[], Result]] = {
    "perft --depth 3": lambda: urcx.perft("finkel", 3),
    "reach -p 1": lambda: urcx.reach(TINY),
    "match random greedy -g 4": lambda: urcx.match(["random", "greedy"], games=4),
    "match random greedy -g 4 --self": lambda: urcx.match(
        ["random", "greedy"], games=4, against_itself=True
    ),
    "regret --agent greedy -p 1": lambda: urcx.regret("greedy", TINY),
    "gtc -g 20 --light greedy --dark random --seed 3": lambda: urcx.gtc(
        "greedy", "random", games=20, seed=3
    ),
    "gtc --exact --agent random -p 1": lambda: urcx.expected("random", rules=TINY),
    "gtc --exact -g 20 --agent random -p 1": lambda: urcx.gtc(
        "random", rules=TINY, games=20, exact=True
    ),
    "ssc bell -p 2": lambda: urcx.ssc("bell", 2),
    "ssc bell,masters -p 1..2": lambda: urcx.ssc(["bell", "masters"], range(1, 3)),
    "compare finkel -p 1..2": lambda: urcx.compare("finkel", range(1, 3)),
    "lengths -p 1 --agent random": lambda: urcx.lengths("random", rules=TINY),
    "mistakes greedy -p 2": lambda: urcx.mistakes("greedy", urcx.ruleset("finkel", pieces=2)),
    "dice --sequence 122": lambda: urcx.dice_chances(sequence=[1, 2, 2]),
    "dice --table": lambda: urcx.dice_chances(lengths=(2, 3)),
    "dice --sum 4": lambda: urcx.dice_chances(sum=4),
    "dice --counts 0:20": lambda: urcx.dice_chances(counts={0: 20}),
    "dice --interval 0.9": lambda: urcx.dice_chances(confidence=0.9),
    "dice": urcx.dice_chances,
    "journey --to B4": lambda: urcx.journey(to="B4"),
    "rush --path aseb": lambda: urcx.rush("aseb"),
    "openings -p 1": lambda: urcx.openings(TINY),
    "luck -p 1 --agent greedy": lambda: urcx.luck("greedy", rules=TINY),
    "match random -g 4 -p 1 --habits --seed 3": lambda: urcx.match(
        "random", TINY, games=4, habits=True, seed=3
    ),
    "regret --agent first,last -p 1 --opponent self": lambda: urcx.regret(
        ["first", "last"], TINY, opponent="self"
    ),
    "dice --table --rolls 1": lambda: urcx.dice_chances(lengths=(1,)),
    "dice --sum 4 --rolls 1..2": lambda: urcx.dice_chances(sum=4, rolls=(1, 2)),
    "dice --counts 1:1,2:1 --rolls 5": lambda: urcx.dice_chances(counts={1: 1, 2: 1}, rolls=5),
    "gain 2/3,6/5-5/L --sequences BA,BB --roll 2": lambda: urcx.gain(
        "2/3,6/5-5/L", sequences="BA,BB", roll=2
    ),
    "capture 1/6/6-6/D": lambda: urcx.capture("1/6/6-6/D"),
    "capture 3,4/2,4/0-0/L --roll 2": lambda: urcx.capture("3,4/2,4/0-0/L", roll=2),
    "forms --form all murray": lambda: urcx.forms("murray"),
}


@pytest.mark.jit
@pytest.mark.parametrize("line", AS_PRINTED)
def test_shown_as_the_command_prints_it(line: str) -> None:
    shown = repr(AS_PRINTED[line]()).replace("call text(wide=True)", "add --wide")
    assert shown + "\n" == _printed(*line.split()).rstrip("\n") + "\n"


@pytest.mark.jit
@pytest.mark.parametrize("name", ["count", "gtc", "legal_moves", "simulate", "ssc"])
def test_a_result_that_another_shows_has_its_json_and_csv(name: str) -> None:
    result = first_call(name).result
    assert result.shown is not result
    assert result.document().keys() == result.shown.document().keys() != set()
    assert len(result.records()) == len(result.shown.records()) > 0


@pytest.mark.jit
def test_verdicts_show_their_summary_and_give_every_figure() -> None:
    found = urcx.verify("michon")
    ((_, verdicts),) = found
    assert repr(found).startswith(f"{len(verdicts)} published figures")
    assert repr(found).count("\n") < 20
    assert len(found.to_dict()["printed"]) == len(verdicts) > 50


@pytest.mark.jit
@pytest.mark.parametrize("line", [*AS_PRINTED][:4])
def test_columns_are_those_of_csv(line: str) -> None:
    rows = list(csv.DictReader(io.StringIO(_printed(*line.split(), "--csv", "--no-header"))))
    columns = AS_PRINTED[line]().to_dict()
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


def test_no_limit_of_python_cuts_counts_short() -> None:
    before = sys.get_int_max_str_digits()  # the command line has set it to none
    sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    try:
        found = urcx.ssc("bell", 1800, enumerate=False)
        assert found.to_dict()["bits-pieces"].tolist() == [256**1800]
        assert "2^14400" in found.text(wide=True)
        assert len(for_frame(found.to_dict(), "polars")["bits-pieces"][0]) == 4335
    finally:
        sys.set_int_max_str_digits(before)


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
@pytest.mark.parametrize(
    "name", sorted(set(RESULTS) - {"check", "open_tablebase", "ranking", "solve_exactly"})
)
def test_equal_results_are_equal(name: str) -> None:
    found = first_call(name).result
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
    with pytest.raises(WrongObjectError, match=r"rushing a piece.* \(Rushes\)") as refused:
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
    assert "(call text(wide=True))" in narrow.replace("\n  ", " ")
