"""The public functions take names for objects, and say what they want where they get neither."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.enumerate.conflicts import conflicts
from urcx.enumerate.reach_sampling import estimate
from urcx.errors import UnknownNameError, UsageError, WrongObjectError
from urcx.strategy.rush import simulate_rush

PLACE = "5,8/3,6/0-0/L"
ENDING = "13/14/6-6/L"

# What each takes a name for, beside the same with the object.
SAME: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "count": (lambda: urcx.count("bell", 1).diagrams, lambda: urcx.count(_bell(), 1).diagrams),
    "diagrams": (lambda: [*urcx.diagrams("bell", 1)], lambda: [*urcx.diagrams(_bell(), 1)]),
    "ranking": (lambda: urcx.ranking("murray", 7).size, lambda: 107_967_669_800),
    "rank": (lambda: urcx.rank(PLACE, "bell", 7), lambda: urcx.rank(_place(), _bell(), 7)),
    "unrank": (lambda: urcx.unrank(5, "bell", 7), lambda: urcx.unrank(5, _bell(), 7)),
    "Ranking.rank": (
        lambda: urcx.ranking("bell", 7).rank(PLACE),
        lambda: urcx.ranking(_bell(), 7).rank(_place()),
    ),
    "legal_moves": (
        lambda: urcx.legal_moves(PLACE, 2, "finkel"),
        lambda: urcx.legal_moves(_place(), 2, urcx.ruleset("finkel")),
    ),
    "perft": (
        lambda: urcx.perft("finkel", 2, PLACE),
        lambda: urcx.perft(urcx.ruleset("finkel"), 2, _place()),
    ),
    "track": (lambda: urcx.track("finkel"), lambda: urcx.track(urcx.ruleset("finkel"))),
    "journey": (lambda: urcx.journey("finkel", 8), lambda: urcx.journey(_track(), 8)),
    "rush": (lambda: urcx.rush("finkel"), lambda: urcx.rush(_track())),
    "gain": (
        lambda: urcx.gain("2/3,6/5-5/L", "BA", "finkel", roll=2),
        lambda: urcx.gain(urcx.parse_position("2/3,6/5-5/L"), "BA", urcx.ruleset("finkel"), roll=2),
    ),
    "hunt": (
        lambda: urcx.hunt("1/6/6-6/D", "finkel", light=True),
        lambda: urcx.hunt(urcx.parse_position("1/6/6-6/D"), urcx.ruleset("finkel"), light=True),
    ),
    "ssc": (
        lambda: urcx.ssc("bell", 1, enumerate=False).diagrams,
        lambda: urcx.ssc(_bell(), 1, enumerate=False).diagrams,
    ),
    "path": (lambda: urcx.path("bell"), lambda: urcx.path(_bell())),
    "ruleset": (lambda: urcx.ruleset("kwan"), lambda: urcx.ruleset(urcx.ruleset("kwan"))),
    "dice": (lambda: urcx.dice("binary4"), lambda: urcx.dice(urcx.dice("binary4"))),
    "board": (lambda: urcx.board("aseb"), lambda: urcx.board(urcx.board("aseb"))),
    "gambling_game": (urcx.gambling_game, lambda: urcx.gambling_game(urcx.gambling_game())),
    "reach": (lambda: urcx.reach(_small()).states, lambda: urcx.reach(_small("bm")).states),
    "nalimov": (lambda: urcx.nalimov(_small()).layers, lambda: urcx.nalimov(_small("bm")).layers),
    "throughput": (lambda: urcx.throughput("finkel"), lambda: urcx.throughput(_track())),
    "Game": (lambda: urcx.Game("finkel", PLACE), lambda: urcx.Game(_finkel(), _place())),
    "shortest": (
        lambda: urcx.shortest(_small()).number_of_games,
        lambda: urcx.shortest(_small("bm")).number_of_games,
    ),
    "longest": (lambda: urcx.longest(_small()).mean, lambda: urcx.longest(_small("bm")).mean),
    "lengths": (
        lambda: urcx.lengths("random", rules=_small()).mean,
        lambda: urcx.lengths(urcx.agent("random"), rules=_small("bm")).mean,
    ),
    "luck": (
        lambda: urcx.luck("random", rules=_small()).decisions,
        lambda: urcx.luck(urcx.agent("random"), rules=_small("bm")).decisions,
    ),
    "match": (
        lambda: urcx.match("random", _small(), games=4).pairs,
        lambda: urcx.match([urcx.agent("random")], _small("bm"), games=4).pairs,
    ),
    "gtc": (
        lambda: urcx.gtc("random", rules=_small(), games=4).estimates,
        lambda: urcx.gtc(urcx.agent("random"), rules=_small("bm"), games=4).estimates,
    ),
    "bits": (
        lambda: urcx.bits(_small(), agents="random", table_bits=[1]).points,
        lambda: urcx.bits(_small("bm"), agents=[urcx.agent("random")], table_bits=[1]).points,
    ),
    "regret": (
        lambda: urcx.regret("random", _small()).regrets[0].side.wins,
        lambda: (
            urcx.regret([urcx.agent("random")], _small(), opponent="optimal").regrets[0].side.wins
        ),
    ),
}

# What goes wrong, and a word of what is wanted.
WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "path": (urcx.path, "'bell'"),
    "board": (urcx.board, "'standard'"),
    "dice": (urcx.dice, "'binary4'"),
    "ruleset": (urcx.ruleset, "'finkel'"),
    "count": (lambda x: urcx.count(x, 1), "'bell'"),
    "diagrams": (lambda x: urcx.diagrams(x, 1), "'bell'"),
    "ranking": (lambda x: urcx.ranking(x, 7), "'bell'"),
    "rank": (lambda x: urcx.rank(x, "bell", 7), "'2/3,6/5-5/L'"),
    "rank's path": (lambda x: urcx.rank(PLACE, x, 7), "'bell'"),
    "unrank": (lambda x: urcx.unrank(5, x, 7), "'bell'"),
    "legal_moves": (lambda x: urcx.legal_moves(x, 2, "finkel"), "'2/3,6/5-5/L'"),
    "legal_moves's rules": (lambda x: urcx.legal_moves(PLACE, 2, x), "'finkel'"),
    "perft": (lambda x: urcx.perft(x, 2), "'finkel'"),
    "perft's position": (lambda x: urcx.perft("finkel", 2, x), "'2/3,6/5-5/L'"),
    "Game": (urcx.Game, "'finkel'"),
    "Game's position": (lambda x: urcx.Game("finkel", x), "'2/3,6/5-5/L'"),
    "reach": (urcx.reach, "'finkel'"),
    "nalimov": (urcx.nalimov, "'finkel'"),
    "track": (urcx.track, "'finkel'"),
    "journey": (lambda x: urcx.journey(x, 8), "rule set"),
    "rush": (urcx.rush, "rule set"),
    "throughput": (urcx.throughput, "rule set"),
    "gain": (lambda x: urcx.gain(x, "A", "finkel"), "'2/3,6/5-5/L'"),
    "gain's rules": (lambda x: urcx.gain(PLACE, "A", x), "'finkel'"),
    "hunt": (lambda x: urcx.hunt(x, "finkel", light=True), "'2/3,6/5-5/L'"),
    "hunt's rules": (lambda x: urcx.hunt(ENDING, x, light=True), "'finkel'"),
    "ssc": (lambda x: urcx.ssc(x, 1), "'bell'"),
    "simulate": (lambda x: urcx.simulate("greedy", rules=x, games=2), "'finkel'"),
    "simulate's agent": (lambda x: urcx.simulate(x, games=2), "'greedy'"),
    "expected": (lambda x: urcx.expected("greedy", rules=x), "'finkel'"),
    "shortest": (urcx.shortest, "'finkel'"),
    "longest": (urcx.longest, "'finkel'"),
    "lengths": (lambda x: urcx.lengths("greedy", rules=x), "'finkel'"),
    "lengths's agent": (urcx.lengths, "'greedy'"),
    "luck": (lambda x: urcx.luck("greedy", rules=x), "'finkel'"),
    "luck's agent": (urcx.luck, "'greedy'"),
    "match": (lambda x: urcx.match(["greedy"], x, games=2), "'finkel'"),
    "match's agents": (lambda x: urcx.match(["greedy", x], games=2), "'greedy'"),
    "gtc": (lambda x: urcx.gtc("greedy", rules=x), "'finkel'"),
    "gtc's agent": (urcx.gtc, "'greedy'"),
    "bits": (urcx.bits, "'finkel'"),
    "bits's agents": (lambda x: urcx.bits(_small(), agents=[x]), "'greedy'"),
    "regret": (lambda x: urcx.regret("greedy", x), "'finkel'"),
    "train": (lambda x: urcx.train("td", x, output="x.npz"), "'finkel'"),
    "regret's opponent": (lambda x: urcx.regret("greedy", _small(), opponent=x), "'greedy'"),
    "solve": (urcx.solve, "'finkel'"),
    "solve_exactly": (urcx.solve_exactly, "'finkel'"),
    "agent": (urcx.agent, "'greedy'"),
    "measures": (urcx.measures, "Games"),
    "exact_measures": (urcx.exact_measures, "Expected"),
    "gamble": (lambda x: urcx.gamble(x, games=2), "'greedy'"),
    "gamble's game": (lambda x: urcx.gamble(game=x, games=2), "'itti-marduk-balatu'"),
    "gambling_game": (urcx.gambling_game, "'itti-marduk-balatu'"),
    "open_tablebase": (urcx.open_tablebase, "file"),
    "read_game": (urcx.read_game, "file"),
    "hint": (lambda x: urcx.hint(x, 2), "Game"),
    "review": (urcx.review, "PlayedGame"),
    "compress": (lambda x: urcx.compress(x, "x.play"), "file"),
    "parse_position": (urcx.parse_position, "'2/3,6/5-5/L'"),
    "widget": (urcx.widget, "'finkel'"),
}
# Taken as they are: what takes nothing or names of its own, and classes, of which only `Game` is
# made of names.
OTHERS = {"__version__", "path_names", "verify"}


def _bell() -> Any:
    return urcx.path("bell")


def _place() -> Any:
    return urcx.parse_position(PLACE)


def _finkel() -> Any:
    return urcx.ruleset("finkel")


def _small(name: str = "finkel") -> Any:
    return replace(urcx.ruleset(name), pieces=1)


def _track() -> Any:
    return urcx.track(urcx.ruleset("finkel"))


def test_every_public_function_is_tried() -> None:
    functions = {name for name in urcx.__all__ if not isinstance(getattr(urcx, name), type)}
    assert functions | {"Game"} == OTHERS | {name for name in WRONG if "'" not in name}


@pytest.mark.parametrize("name", SAME)
def test_a_name_does_as_well_as_the_object(name: str) -> None:
    named, given = SAME[name]
    assert named() == given()


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("given", [7, ["bell"], object()], ids=["number", "list", "object"])
def test_anything_else_is_refused_by_what_is_wanted(name: str, given: Any) -> None:
    function, wanted = WRONG[name]
    with pytest.raises(WrongObjectError) as refused:
        function(given)
    assert isinstance(refused.value, UsageError | TypeError)
    assert wanted in str(refused.value)
    assert type(given).__name__ in str(refused.value)


@pytest.mark.parametrize(
    "name",
    sorted(
        set(WRONG)
        - {"measures", "exact_measures", "open_tablebase", "compress"}
        - {"read_game", "hint", "review"}
    ),
)
def test_an_unknown_name_is_one_line_that_suggests(name: str) -> None:
    with pytest.raises(UsageError) as refused:
        WRONG[name][0]("fnkel")
    assert "fnkel" in str(refused.value)
    if "'2/3" not in WRONG[name][1]:
        assert isinstance(refused.value, UnknownNameError)
        assert "did you mean" in str(refused.value) or "known: " in str(refused.value)


def test_a_name_of_another_kind_is_told_apart() -> None:
    with pytest.raises(UnknownNameError, match="blitz is a rule set, on the path masters"):
        urcx.count("blitz", 1)
    with pytest.raises(UnknownNameError, match="binary4 is the name of dice"):
        urcx.track("binary4")
    with pytest.raises(UnknownNameError, match="michon-double-short is the name of a path"):
        urcx.perft("michon-double-short", 1)


def test_an_unknown_source_and_a_wrong_one_are_refused_alike() -> None:
    for given in ("posts", 7, ["post"]):
        with pytest.raises(UnknownNameError, match="source"):
            urcx.verify(given)  # type: ignore[arg-type]
    convention: Any = ["diagrams"]
    with pytest.raises(UnknownNameError, match="unknown convention"):
        urcx.ranking("bell", 1, convention=convention)


def test_solutions_take_texts() -> None:
    solved = urcx.solve_exactly("finkel", endings=1)
    assert solved.value(ENDING) == Fraction(116, 161)
    assert solved.best_moves(ENDING, 1) == solved.best_moves(urcx.parse_position(ENDING), 1)


NUMBERS: dict[str, Callable[[Any], Any]] = {
    "count": lambda x: urcx.count("bell", x),
    "count, dark": lambda x: urcx.count("bell", 1, x),
    "diagrams": lambda x: urcx.diagrams("bell", x),
    "ranking": lambda x: urcx.ranking("bell", x),
    "rank": lambda x: urcx.rank(PLACE, "bell", x),
    "unrank": lambda x: urcx.unrank(x, "bell", 7),
    "ssc": lambda x: urcx.ssc("bell", x),
    "perft": lambda x: urcx.perft("finkel", x),
    "simulate": lambda x: urcx.simulate("random", games=x),
    "journey": lambda x: urcx.journey("finkel", x),
    "journey, start": lambda x: urcx.journey("finkel", 3, x),
    "Game": lambda x: urcx.Game("finkel", pieces=x),
    "legal_moves": lambda x: urcx.legal_moves(PLACE, x, "finkel"),
    "PlayedGame, seed": lambda x: urcx.PlayedGame(seed=x),
    "PlayedGame, roll": lambda x: urcx.PlayedGame().throw(x),
    "PlayedGame, plies": lambda x: urcx.PlayedGame().undo(x),
    "hint": lambda x: urcx.hint(urcx.Game(_small()), x),
    "agent": lambda x: urcx.agent("panda", depth=x),
    "agent, a seed": lambda x: urcx.agent("random").choose(urcx.Game("finkel", PLACE), 1, x),
    "simulate, seed": lambda x: urcx.simulate("random", games=2, seed=x),
    "simulate, threads": lambda x: urcx.simulate("random", games=2, threads=x),
    "longest, threads": lambda x: urcx.longest(_small(), threads=x),
    "lengths, threads": lambda x: urcx.lengths("random", rules=_small(), threads=x),
    "luck, threads": lambda x: urcx.luck("random", rules=_small(), threads=x),
    "gtc": lambda x: urcx.gtc("random", games=x),
    "match": lambda x: urcx.match(["random"], games=x),
    "bits": lambda x: urcx.bits(_small(), games=x),
    "bits, seed": lambda x: urcx.bits(_small(), seed=x),
    "bits of a table": lambda x: urcx.bits(_small(), table_bits=[x]),
    "bits, threads": lambda x: urcx.bits(_small(), threads=x),
    "match, seed": lambda x: urcx.match(["random"], games=2, seed=x),
    "gamble": lambda x: urcx.gamble("random", games=x),
    "gamble, seed": lambda x: urcx.gamble("random", games=2, seed=x),
    "gain": lambda x: urcx.gain("2/3,6/5-5/L", "BA", "finkel", roll=x),
    "solve_exactly": lambda x: urcx.solve_exactly("finkel", x),
    "solve, threads": lambda x: urcx.solve("finkel", threads=x),
    "count, threads": lambda x: urcx.count("bell", 1, threads=x),
    "reach, threads": lambda x: urcx.reach("finkel", threads=x),
    "nalimov, threads": lambda x: urcx.nalimov("finkel", threads=x),
    "Ranking.sample": lambda x: urcx.ranking("bell", 1).sample(x, 1),
    "Ranking.sample, seed": lambda x: urcx.ranking("bell", 1).sample(1, x),
    "estimate of reach": lambda x: estimate("finkel", x),
    "estimate of reach, seed": lambda x: estimate("finkel", 1, x),
    "simulate_rush": lambda x: simulate_rush("finkel", x),
    "simulate_rush, seed": lambda x: simulate_rush("finkel", 20_000, x),
    "conflicts": lambda x: conflicts("bell", x),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("given", ["7", 7.0, [7]], ids=["text", "fraction", "list"])
def test_what_is_no_whole_number_is_refused_as_such(name: str, given: Any) -> None:
    with pytest.raises(WrongObjectError, match=r": a whole number is wanted, not "):
        NUMBERS[name](given)


def test_numpys_whole_numbers_are_whole_numbers() -> None:
    one: Any = np.int64(1)  # a type checker wants int
    five: Any = np.uint8(5)
    assert list(urcx.diagrams("bell", one)) == list(urcx.diagrams("bell", 1))
    assert urcx.unrank(five, "bell", 7) == urcx.unrank(5, "bell", 7)


@pytest.mark.parametrize(
    "given", ["1e-6", [1e-6], None, object()], ids=["text", "list", "none", "object"]
)
def test_what_is_no_number_is_no_tolerance(given: Any) -> None:
    regret = partial(urcx.regret, "random")
    for function in (urcx.throughput, urcx.solve, regret):
        with pytest.raises(WrongObjectError, match=r"tolerance: a number is wanted, not "):
            function("finkel", tolerance=given)


@pytest.mark.parametrize("given", [0, -1, float("nan"), 2.0])
def test_a_tolerance_that_nothing_reaches_is_refused(given: float) -> None:
    for function in (urcx.throughput, urcx.solve):
        with pytest.raises(UsageError, match=r"^tolerance \S+ is not from 1e-"):
            function("finkel", tolerance=given)


def test_numpys_numbers_are_written_to_files(tmp_path: Path) -> None:
    file, play = tmp_path / "one.urcx", tmp_path / "one.play"
    tolerance: Any = np.float32(1e-9)
    block: Any = np.int64(64)
    urcx.solve(_small(), file, tolerance=tolerance)
    assert urcx.compress(file, play, block=block).file == play


def test_numbers_below_the_least_are_refused() -> None:
    with pytest.raises(UsageError, match="seed -1: at least 0 is needed"):
        simulate_rush("finkel", 20_000, -1)
    with pytest.raises(UsageError, match="-1 positions: at least 0 are needed"):
        urcx.ranking("bell", 1).sample(-1, 1)
    with pytest.raises(UsageError, match="0 samples: at least 1 is needed"):
        estimate("finkel", 0)


def test_a_number_of_pieces_is_no_file() -> None:
    with pytest.raises(WrongObjectError, match="file: a file's name, or a Path is wanted, not 2"):
        urcx.solve("finkel", 2)  # type: ignore[arg-type]


FILES: dict[str, Callable[[Any], Any]] = {
    "bits, networks": lambda x: urcx.bits(_small(), networks=x),
    "bits, play_files": lambda x: urcx.bits(_small(), play_files=[x]),
    "compress": lambda x: urcx.compress("none.urcx", x),
    "read_game": urcx.read_game,
    "verify": lambda x: urcx.verify("michon", tablebases=x),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("given", [7, b"x", None], ids=["number", "bytes", "none"])
def test_what_is_no_files_name_is_refused_as_such(name: str, given: Any) -> None:
    with pytest.raises(WrongObjectError, match="file: a file's name, or a Path is wanted, not "):
        FILES[name](given)


def test_one_file_does_as_well_as_several(tmp_path: Path) -> None:
    file = tmp_path / "none.urcx"
    with pytest.raises(UsageError, match=rf"cannot read {re.escape(str(file))}"):
        urcx.verify("michon", tablebases=str(file))  # not a file for each letter


def test_files_of_exact_play_are_read_before_anything_is_computed(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*none\.play"):
        urcx.bits(_small(), play_files=tmp_path / "none.play", stage=partial(pytest.fail, "began"))


def test_numpys_objects_are_no_agents() -> None:
    for given in (np.int64(1), np.array(["greedy", "random"])):  # both have a method choose
        with pytest.raises(WrongObjectError, match="a function, or an Agent is wanted"):
            urcx.match(given)  # type: ignore[arg-type]


def test_a_sequence_is_a_text() -> None:
    sequence: Any = 7
    with pytest.raises(WrongObjectError, match="sequence: labels of pieces such as 'BA'"):
        urcx.gain("2/3,6/5-5/L", sequence)


def test_rules_are_finkels_where_nothing_is_said() -> None:
    assert urcx.legal_moves(PLACE, 2) == urcx.legal_moves(PLACE, 2, "finkel")
    assert urcx.gain("2/3,6/5-5/L", "BA") == urcx.gain("2/3,6/5-5/L", "BA", "finkel")
    assert urcx.hunt("1/6/6-6/D", light=True) == urcx.hunt("1/6/6-6/D", "finkel", light=True)


def test_games_and_expectations_have_the_same_agents_by_default() -> None:
    defaults = [
        {name: p.default for name, p in inspect.signature(function).parameters.items()}
        for function in (urcx.simulate, urcx.expected)
    ]
    for name in ("light", "dark", "rules", "first"):
        assert defaults[0][name] == defaults[1][name], name
