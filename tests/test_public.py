"""The public functions take names for objects, and say what they want where they get neither."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from examples import FUNCTIONS, PUBLIC, first_call, kinds

import urcx
from urcx.enumerate.reach_sampling import estimate
from urcx.errors import UnknownNameError, UsageError, WrongObjectError
from urcx.results.result import Result

PLACE = "5,8/3,6/0-0/L"


class Kind(NamedTuple):
    """A type of arguments: what is wanted instead of anything else, and what takes its name."""

    wanted: str
    made: Callable[[str], Any] | None = None


# By the type's name in signatures; the first of those that a parameter takes counts.
KINDS = {
    "Position": Kind("'2/3,6/5-5/L'", urcx.parse_position),
    "RuleSet": Kind("'finkel'", urcx.ruleset),
    "Path": Kind("'bell'", urcx.path),
    "Board": Kind("'standard'", urcx.board),
    "Dice": Kind("'binary4'", urcx.dice),
    "GamblingGame": Kind("'itti-marduk-balatu'", PUBLIC.get("gambling_game")),
    "Gambler": Kind("'greedy'"),
    "Agent": Kind("'greedy'", urcx.agent),
    "Games": Kind("Games"),
    "Expected": Kind("Expected"),
    "Game": Kind("Game"),
    "PlayedGame": Kind("PlayedGame"),
    "file": Kind("file"),
    "int": Kind(": must be an integer, not "),
    "float": Kind(": must be a number, not "),
    "bool": Kind(": must be True or False, not "),
}
NUMBERS = ("int", "float", "bool")
# With an executor alone, which asks for it; what branches are counted with; options of a question.
OTHERS = {(name, "layers") for name in FUNCTIONS} | {("perft", "executor"), ("compare", "given")}
MAPPINGS = {("elo", "shares")}  # of several names to numbers, which another test looks at


def parameters(*, numbers: bool) -> list[tuple[str, str, str]]:
    """Return public functions, their parameters of the kinds above, and the kind."""
    found = [
        (name, parameter, kind)
        for name in FUNCTIONS
        for parameter, taken in kinds(name).items()
        if (kind := next((kind for kind in KINDS if kind in taken), ""))
        and (kind in NUMBERS) == numbers
        and (name, parameter) not in OTHERS | MAPPINGS
    ]
    assert found, "none in the signatures"
    return found


PLACES = [("Game", "position", "Position"), ("Ranking.rank", "position", "Position")]
OBJECTS = [*parameters(numbers=False), ("Game", "rules", "RuleSet"), *PLACES]


def call(name: str, /, **other: Any) -> Any:
    """Call a public function as its first example does, with another argument."""
    if name == "Game":
        return urcx.Game(**{"rules": "finkel", **other})
    if name == "Ranking.rank":
        return urcx.ranking("bell", 7).rank(**{"position": PLACE, **other})
    for parameter in other.keys() & kinds(name).keys():
        if "Sequence" in kinds(name)[parameter]:
            other[parameter] = [other[parameter]]
    return FUNCTIONS[name](**{**first_call(name).arguments, **other})


def alike(one: Any, other: Any) -> bool:
    """Return whether two results are the same but for the time that they took."""
    if isinstance(one, Iterator):
        return list(one) == list(other)
    if isinstance(one, Result):
        found = [
            {
                name: list(values)
                for name, values in result.to_dict().items()
                if "second" not in name
            }
            for result in (one, other)
        ]
        return repr(found[0]) == repr(found[1])
    return bool(one == other)


@pytest.mark.jit
@pytest.mark.parametrize(("name", "parameter", "kind"), OBJECTS)
def test_a_name_does_as_well_as_the_object(name: str, parameter: str, kind: str) -> None:
    made = KINDS[kind].made
    given = {"Game": {"rules": "finkel", "position": PLACE}, "Ranking.rank": {"position": PLACE}}
    named = (given.get(name) or first_call(name).arguments).get(parameter)
    if isinstance(named, str) and made is not None:
        assert alike(call(name, **{parameter: named}), call(name, **{parameter: made(named)}))


@pytest.mark.jit
@pytest.mark.parametrize(("name", "parameter", "kind"), OBJECTS)
@pytest.mark.parametrize("given", [7, ["bell"], object()], ids=["number", "list", "object"])
def test_anything_else_is_refused_by_what_is_wanted(
    name: str, parameter: str, kind: str, given: Any
) -> None:
    with pytest.raises(WrongObjectError) as refused:
        call(name, **{parameter: given})
    assert isinstance(refused.value, UsageError | TypeError)
    assert KINDS[kind].wanted in str(refused.value)
    assert type(given).__name__ in str(refused.value)


@pytest.mark.jit
@pytest.mark.parametrize(("name", "parameter", "kind"), OBJECTS)
def test_an_unknown_name_is_one_line_that_suggests(name: str, parameter: str, kind: str) -> None:
    if KINDS[kind].made is None:
        return
    with pytest.raises(UsageError) as refused:
        call(name, **{parameter: "fnkel"})
    assert "fnkel" in str(refused.value)
    if kind != "Position":
        assert isinstance(refused.value, UnknownNameError)
        assert "did you mean" in str(refused.value) or "known: " in str(refused.value)


def test_a_name_of_another_kind_is_told_apart() -> None:
    with pytest.raises(UnknownNameError, match="blitz is a rule set, on the path masters"):
        urcx.count("blitz", 1)
    with pytest.raises(UnknownNameError, match="binary4 is the name of dice"):
        urcx.journey("binary4")
    with pytest.raises(UnknownNameError, match="michon-double-short is the name of a path"):
        urcx.perft("michon-double-short", 1)


def test_an_unknown_source_and_a_wrong_one_are_refused_alike() -> None:
    for given in ("posts", 7, ["post"]):
        with pytest.raises(UnknownNameError, match="source"):
            urcx.verify(given)  # type: ignore[arg-type]
    convention: Any = ["diagrams"]
    with pytest.raises(UnknownNameError, match="unknown convention"):
        urcx.ranking("bell", 1, convention=convention)


OF_OBJECTS: dict[str, Callable[[Any], Any]] = {
    "Game": lambda x: urcx.Game("finkel", pieces=x),
    "PlayedGame, seed": lambda x: urcx.PlayedGame(seed=x),
    "PlayedGame, roll": lambda x: urcx.PlayedGame().throw(x),
    "PlayedGame, plies": lambda x: urcx.PlayedGame().undo(x),
    "agent, a seed": lambda x: urcx.agent("random").choose(urcx.Game("finkel", PLACE), 1, x),
    "Ranking.sample": lambda x: urcx.ranking("bell", 1).sample(x, 1),
    "Ranking.sample, seed": lambda x: urcx.ranking("bell", 1).sample(1, x),
    "estimate of reach": lambda x: estimate("finkel", x),
    "estimate of reach, seed": lambda x: estimate("finkel", 1, x),
}


def assert_no_number(use: Callable[[Any], Any], given: Any, kind: str = "int") -> None:
    with pytest.raises(WrongObjectError) as refused:
        use(given)
    assert KINDS[kind].wanted in str(refused.value)
    assert type(given).__name__ in str(refused.value)


@pytest.mark.jit
@pytest.mark.parametrize(("name", "parameter", "kind"), parameters(numbers=True))
def test_what_is_no_number_is_refused_as_such(name: str, parameter: str, kind: str) -> None:
    for given in ("7", [7], object(), *([7.0] if kind != "float" else [])):
        assert_no_number(lambda x: call(name, **{parameter: x}), given, kind)


@pytest.mark.parametrize("name", OF_OBJECTS)
@pytest.mark.parametrize("given", ["7", 7.0, [7]], ids=["text", "fraction", "list"])
def test_what_is_no_whole_number_is_refused_by_methods_as_well(name: str, given: Any) -> None:
    assert_no_number(OF_OBJECTS[name], given)


OF_CLASSES: dict[str, Callable[[Any], Any]] = {
    "Position.on": lambda x: urcx.parse_position(PLACE).on(x),
    "Agent": lambda x: urcx.Agent(x, "first"),
    "Agent, ties": lambda x: urcx.Agent("greedy", x),
    "Agent, depth": lambda x: urcx.Agent("panda", "first", cast("int", [x])),
    "Agent, base": lambda x: urcx.Agent("mistakes", "first", base=x),
    "Tablebase": urcx.Tablebase,
    "open_tablebase": urcx.open_tablebase,
    "review": urcx.review,
    "review, names": lambda x: urcx.review([urcx.PlayedGame()], names=x),
    "dice_chances": lambda x: urcx.dice_chances(sequence=x),
    "keep": lambda x: urcx.solve(urcx.ruleset("finkel", pieces=1), keep=x),
}


@pytest.mark.parametrize("name", OF_CLASSES)
@pytest.mark.parametrize("wrong", [5, b"x", object(), 2.5], ids=lambda x: type(x).__name__)
def test_what_is_wrong_for_a_class_is_refused_as_such(name: str, wrong: Any) -> None:
    with pytest.raises(UsageError) as refused:
        OF_CLASSES[name](wrong)
    assert "must be" in str(refused.value) or "unknown" in str(refused.value)


def test_an_agent_of_no_kind_and_a_file_that_is_none_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown agent 'greedi'; did you mean greedy"):
        urcx.Agent(kind="greedi", ties="first")
    with pytest.raises(UsageError, match=r"cannot read o\.npz"):
        urcx.Tablebase("o.npz")
    file = tmp_path / "o.npz"
    file.write_bytes(b"PK")
    with pytest.raises(UsageError, match="is not a urcx tablebase"):
        urcx.Tablebase(str(file))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_object_that_no_parameter_takes_is_refused_as_such(name: str) -> None:
    arguments = first_call(name, answered=False).arguments
    arguments = {each: taken for each, taken in arguments.items() if (name, each) not in OTHERS}
    for parameter in inspect.signature(FUNCTIONS[name]).parameters:
        if (name, parameter) in OTHERS:
            continue
        for wrong in (object(), b"x", [object()], {"x": 1}):
            with pytest.raises(urcx.UrcxError):
                FUNCTIONS[name](**{**arguments, parameter: wrong})


def test_numpys_whole_numbers_are_whole_numbers() -> None:
    one: Any = np.int64(1)  # a type checker wants int
    five: Any = np.uint8(5)
    assert list(urcx.diagrams("bell", one)) == list(urcx.diagrams("bell", 1))
    assert urcx.unrank(five, "bell", 7) == urcx.unrank(5, "bell", 7)


@pytest.mark.parametrize("given", [0, -1, float("nan"), 2.0])
def test_a_tolerance_that_nothing_reaches_is_refused(given: float) -> None:
    with pytest.raises(UsageError, match=r"^tolerance \S+: must be from 1e-"):
        urcx.solve("finkel", tolerance=given)


def test_numpys_numbers_are_written_to_files(tmp_path: Path) -> None:
    file = tmp_path / "one.urcx"
    tolerance: Any = np.float32(1e-9)
    solution = urcx.solve(urcx.ruleset("finkel", pieces=1), file, tolerance=tolerance)
    assert solution.file == file


def test_numbers_below_the_least_are_refused() -> None:
    with pytest.raises(UsageError, match="number -1: "):
        urcx.ranking("bell", 1).sample(-1, 1)
    with pytest.raises(UsageError, match="samples 0"):
        estimate("finkel", 0)


def test_a_number_of_pieces_is_no_file() -> None:
    with pytest.raises(WrongObjectError, match="file: must be a file name or a Path, not 2"):
        urcx.solve("finkel", 2)  # type: ignore[arg-type]


def test_one_file_does_as_well_as_several(tmp_path: Path) -> None:
    file = tmp_path / "none.urcx"
    with pytest.raises(UsageError, match=rf"cannot read {re.escape(str(file))}"):
        urcx.verify("michon", tablebases=str(file))  # not a file for each letter


def test_numpys_objects_are_no_agents() -> None:
    for given in (np.int64(1), np.array(["greedy", "random"])):  # both have a method choose
        with pytest.raises(WrongObjectError, match="a function or an Agent"):
            urcx.match(given)  # type: ignore[arg-type]


def test_a_sequence_is_a_text() -> None:
    wrong: tuple[tuple[Any, str], ...] = (
        (7, "sequences: must be labels of pieces such as"),
        ([7], "'BA'"),
    )
    for given, what in wrong:
        with pytest.raises(WrongObjectError, match=what):
            urcx.gain("2/3,6/5-5/L", sequences=given)


def test_rules_are_finkels_where_nothing_is_said() -> None:
    assert urcx.legal_moves(PLACE, 2) == urcx.legal_moves(PLACE, 2, "finkel")
    assert urcx.gain("2/3,6/5-5/L") == urcx.gain("2/3,6/5-5/L", "finkel")
    assert urcx.capture("1/6/6-6/D") == urcx.capture("1/6/6-6/D", "finkel")


def test_games_and_expectations_have_the_same_agents_by_default() -> None:
    defaults = [
        {name: p.default for name, p in inspect.signature(function).parameters.items()}
        for function in (urcx.simulate, urcx.expected)
    ]
    for name in ("light", "dark", "rules", "first"):
        assert defaults[0][name] == defaults[1][name], name
