"""Agents of the user's, objects and functions."""

# ruff: noqa: ARG002 - an agent need not look at all that it is given

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asked import THREE, steps
from naive_simulator import equal
from own_rules import own, small

import urcx
from urcx.agents.agents import agent
from urcx.engine.moves import Move
from urcx.errors import UsageError
from urcx.expectations.expected import expected
from urcx.game import Game
from urcx.rules.position import Position


class Wild:
    """Any legal move, by the generator that it is given; it is asked where there is a choice."""

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        moves = game.legal_moves(roll)
        assert len(moves) > 1
        return moves[int(rng.integers(len(moves)))]


class Open(Wild):
    """The same, and says so."""

    name = "open"

    def move_probabilities(self, game: Game, roll: int) -> Mapping[Move, object]:
        moves = game.legal_moves(roll)
        return dict.fromkeys(moves, 1 / len(moves))


@pytest.mark.parametrize(
    ("value", "name"), [(Wild(), "Wild()"), (Wild, "Wild()"), (Open(), "open"), (Open, "open")]
)
def test_an_object_is_an_agent_by_its_name(value: Any, name: str) -> None:
    assert agent(value).name == name
    assert agent(value).is_own


def test_random_numbers_depend_on_seed_and_game_alone() -> None:
    rules = small("finkel", 2)
    result = urcx.simulate(Wild(), "greedy", rules, games=6, seed=8)
    assert equal(result, urcx.simulate(Wild(), "greedy", rules, games=6, seed=8, threads=3))
    fewer = urcx.simulate(Wild(), "greedy", rules, games=4, seed=8)
    assert np.array_equal(fewer.counts, result.counts[:4])
    assert not equal(result, urcx.simulate(Wild(), "greedy", rules, games=6, seed=9))
    # Games differ among themselves, and so do the two sides' numbers.
    assert len({row.tobytes() for row in result.counts}) == 6
    drawn: dict[str, list[int]] = {"light": [], "dark": []}

    class Noted(Wild):
        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            drawn[game.turn].append(int(rng.integers(2**62)))
            return game.legal_moves(roll)[0]

    urcx.simulate(Noted(), rules=rules, games=2, seed=8)
    numbers = drawn["light"] + drawn["dark"]
    assert len(set(numbers)) == len(numbers) > 10


def test_an_object_that_plays_as_a_built_in_agent_plays_the_same_games() -> None:
    @dataclass  # has no hash
    class Last:
        weight: int = 1

        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            assert isinstance(rng, np.random.Generator)
            assert game.rules == rules
            return game.legal_moves(roll)[-1]

    rules = small("finkel", 2)
    result = urcx.simulate(Last(), "random", rules, games=4, seed=8)
    assert equal(result, urcx.simulate("last", "random", rules, games=4, seed=8))
    assert urcx.match([Last(), "random"], rules, games=20).pairs[0].wins > 0
    assert hash(agent(Last())) == hash(agent(Last()))


def test_advice_of_an_object_is_its_choice_or_its_chances() -> None:
    game = Game("finkel", "2,6/7/0-0/L")
    chosen = agent(Wild()).move_probabilities(game, 1)
    assert sorted(chosen.values()) == [0, 0, 1]
    assert chosen == agent(Wild()).move_probabilities(game, 1)
    assert set(agent(Open()).move_probabilities(game, 1).values()) == {Fraction(1, 3)}
    assert agent(Open()).values(game, 1) is None
    alone = Game("finkel", "-/-/0-0/L")
    assert list(agent(Wild()).move_probabilities(alone, 2).values()) == [1]
    assert agent(Wild()).choose(alone, 2) == alone.legal_moves(2)[0]
    assert agent(Wild()).choose(alone, 0) is None


def test_a_choice_of_an_object_is_by_the_generator_given() -> None:
    asked = agent(Wild())
    found = [asked.choose(THREE, 1, seed) for seed in range(30)]
    assert len(set(found)) == 3
    assert found == [asked.choose(THREE, 1, np.random.default_rng(seed)) for seed in range(30)]


def test_a_function_gives_advice_as_an_object_does() -> None:
    def last(position: Position, roll: int, moves: tuple[Move, ...]) -> Move:
        assert (position, roll) == (THREE.position, 1)
        return moves[-1]

    found = agent(last).move_probabilities(THREE, 1)
    assert [str(chance) for chance in found.values()] == ["0", "0", "1"]
    assert agent(last).choose(THREE, 1) == THREE.legal_moves(1)[-1]
    assert agent(last).name == "last()"


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"0-1": 1},
        {"0-1": Fraction(1, 2)},
        {"0-1": Fraction(3, 2), "2-3": Fraction(-1, 2)},
        {"0-1": float("nan")},
        {"0-1": "likely"},
    ],
    ids=str,
)
def test_chances_of_an_object_are_looked_at(value: dict[str, Any]) -> None:
    class Odd(Wild):
        def move_probabilities(self, game: Game, roll: int) -> dict[Any, Any]:
            legal = {steps(move): move for move in game.legal_moves(roll)}
            return {legal[name]: chance for name, chance in value.items()}

    asked = agent(Odd())
    if value == {"0-1": 1}:
        assert sum(asked.move_probabilities(THREE, 1).values()) == 1
    else:
        with pytest.raises(UsageError, match=r"^agent Odd\(\).* in A3,B2/B3/0-0/L with roll 1"):
            asked.move_probabilities(THREE, 1)


def test_a_move_that_is_not_legal_has_no_chance() -> None:
    class Stray(Wild):
        def move_probabilities(self, game: Game, roll: int) -> dict[Move, int]:
            return dict.fromkeys(game.legal_moves(roll + 1), 1)

    with pytest.raises(UsageError, match="legal moves that add up to 1"):
        agent(Stray()).move_probabilities(THREE, 1)


class Evasive:
    """Whatever is asked of it, it raises, and what it raises cannot be shown."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no\n{name}")


@pytest.mark.parametrize(
    "ask",
    [
        agent,
        urcx.regret,
        lambda item: urcx.simulate(item, rules=small("finkel", 1), games=1),
        lambda item: urcx.hint(THREE, 1, item),
    ],
    ids=["agent", "regret", "simulate", "hint"],
)
def test_an_object_that_fails_when_asked_what_it_has_is_one_line(ask: Any) -> None:
    with pytest.raises(UsageError, match=r"asking Evasive for \w+ fails: RuntimeError: no \w+$"):
        ask(Evasive())


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("raise RuntimeError('not today')", r"mine\.py fails: RuntimeError: not today"),
        ("import sys; sys.exit(0)", r"mine\.py fails: SystemExit: 0"),
        (
            "def __getattr__(name): raise SystemExit(name)",
            "asking module for Wild fails: SystemExit: Wild",
        ),
        ("Wild = 3", r"mine\.py has no function Wild"),
    ],
)
def test_files_of_agents_that_cannot_be_used(lines: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(lines)
    with pytest.raises(UsageError, match=why):
        agent(f"{file}:Wild")


def test_what_cannot_be_compared_or_shown_is_no_move() -> None:
    class Unlike:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("unlike")

        __hash__ = None  # type: ignore[assignment]

    def unlike(*_: object) -> Any:
        return Unlike()

    with pytest.raises(UsageError, match=r"^agent unlike\(\) fails in .*: RuntimeError: unlike"):
        agent(unlike).choose(THREE, 1)


class Ending(BaseException):
    pass


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, Ending])
def test_an_agent_that_would_end_the_program_fails(kind: type[BaseException]) -> None:
    class Quitting(Wild):
        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            raise kind(0)

    class Unsure(Wild):
        def move_probabilities(self, game: Game, roll: int) -> dict[Move, int]:
            raise kind(0)

    class Unborn(Wild):
        def __init__(self) -> None:
            raise kind(0)

    class Silent(Wild):
        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            raise kind

    unborn: Any = Unborn
    with pytest.raises(UsageError, match=rf"Silent\(\) fails in .*: {kind.__name__}$"):
        agent(Silent()).choose(THREE, 1)
    with pytest.raises(UsageError, match=rf"Quitting\(\) fails in .*: {kind.__name__}: 0"):
        agent(Quitting()).choose(THREE, 1)
    with pytest.raises(UsageError, match=rf"Unsure\(\) fails in .*: {kind.__name__}: 0"):
        agent(Unsure()).move_probabilities(THREE, 1)
    with pytest.raises(UsageError, match=f"cannot be made: {kind.__name__}: 0"):
        agent(unborn)


def test_ctrl_c_in_an_agent_is_no_failure_of_it() -> None:
    class Waiting(Wild):
        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        agent(Waiting()).choose(THREE, 1)


def test_exact_figures_need_the_chances_of_an_agent_that_draws_numbers() -> None:
    with pytest.raises(UsageError, match=r"agent Wild\(\) .* draws random numbers"):
        expected(Wild(), rules=own("corner"))
    for one in (Wild(), [Wild()]):
        with pytest.raises(UsageError, match=r"agent Wild\(\) .* move_probabilities"):
            urcx.regret(one, own("corner"))


def test_a_function_may_answer_with_chances() -> None:
    def sure(_: Position, roll: int, moves: tuple[Move, ...]) -> Mapping[Move, object]:
        return {moves[-1]: 1} if roll == 1 else {moves[0]: 0.5, moves[-1]: 0.5}

    assert agent(sure).choose(THREE, 1) == THREE.legal_moves(1)[-1]
    assert list(agent(sure).move_probabilities(THREE, 1).values()) == [0, 0, 1]
    some = {agent(sure).choose(THREE, 2, seed) for seed in range(20)}
    assert some == {THREE.legal_moves(2)[0], THREE.legal_moves(2)[-1]}
    with pytest.raises(UsageError, match="add up to 1"):
        agent(lambda _position, _roll, moves: {moves[0]: 0.5}).choose(THREE, 1)


class Unmade:
    def __init__(self, weight: int) -> None:
        self.weight = weight

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        raise NotImplementedError


class Chooseless:
    pass


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (Unmade, "agent 'Unmade' cannot be made: TypeError"),
        (Chooseless, "agent 'Chooseless': the class needs a method choose"),
        (Chooseless(), "agent: must be a name such as 'greedy', a function"),
    ],
)
def test_what_is_no_agent_is_refused(value: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        agent(value)


FILE = """
from dataclasses import dataclass

@dataclass
class Weight:
    n: int

def last(position, roll, moves):
    return moves[Weight(-1).n]

class Wild:
    def choose(self, game, roll, rng):
        moves = game.legal_moves(roll)
        return moves[int(rng.integers(len(moves)))]

wild = Wild()
"""


def test_a_file_imports_what_lies_beside_it_at_once_and_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("beside_early", "beside_late", "fractions"):
        (tmp_path / f"{name}.py").write_text("PLACE = -1\n")
    file = tmp_path / "mine.py"
    file.write_text(
        "import beside_early\nfrom fractions import Fraction\n"
        "def last(position, roll, moves):\n    import beside_late\n"
        "    return moves[beside_late.PLACE]\n"
    )
    assert agent(f"{file}:last").choose(THREE, 1) == THREE.legal_moves(1)[-1]
    assert sys.path[-1] == str(tmp_path), "what is installed comes first"
    sys.path.remove(str(tmp_path))
    for name in ("beside_early", "beside_late"):
        del sys.modules[name]


def test_two_files_that_import_different_neighbours_of_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "beside_both.py").write_text(f"NAME = {name!r}\n")
        (tmp_path / name / "mine.py").write_text(
            "def last(position, roll, moves):\n    import beside_both\n    return moves[-1]\n"
        )
    for _ in range(2):
        agent(f"{tmp_path}/one/mine.py:last").choose(THREE, 1)
    with pytest.raises(UsageError, match=r"imports beside_both, .*one of another agent"):
        agent(f"{tmp_path}/other/mine.py:last")
    del sys.modules["beside_both"]


def test_a_file_has_functions_objects_and_classes(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FILE)
    for given in ((f"{file}:wild", f"{file}:Wild", Wild()), (f"{file}:last", "last")):
        found = [urcx.simulate(light, "random", small("finkel", 2), games=3) for light in given]
        assert found[0].light.name == given[0]
        assert all(equal(found[0], other) for other in found[1:])
