"""Agents asked for single moves, and agents of the user's, objects and functions."""

# ruff: noqa: ARG002 - an agent need not look at all that it is given

from __future__ import annotations

import copy
import pickle
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import urcx
from urcx.agents.advice import Adviser
from urcx.agents.agents import Agent, agent, generator
from urcx.engine.moves import Move
from urcx.errors import PositionError, UsageError, WrongObjectError
from urcx.expectations.expected import expected
from urcx.game import Game
from urcx.games.records import Games
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

THREE = Game("finkel", "2,6/7/0-0/L")  # with a roll of 1: enter, go on, or capture
OPTIMAL = pytest.param("optimal", marks=pytest.mark.jit)  # solves two pieces first
BUILT_IN = ["random", "first", "last", "greedy", "gain", "expectimax:2", "panda:3", OPTIMAL]


def steps(move: Move) -> str:
    return f"{move.start}-{move.end}"


def small(pieces: int = 2) -> RuleSet:
    return replace(urcx.ruleset("finkel"), pieces=pieces)


# --- move_probabilities


@pytest.mark.parametrize(
    ("text", "chances"),
    [
        ("random", ["1/3", "1/3", "1/3"]),
        ("first", ["1", "0", "0"]),
        ("last", ["0", "0", "1"]),
        ("greedy", ["0", "0", "1"]),
        ("greedy:random", ["0", "0", "1"]),
    ],
)
def test_chances_of_agents_without_values(text: str, chances: list[str]) -> None:
    found = agent(text).move_probabilities(THREE, 1)
    assert [steps(move) for move in found] == ["0-1", "2-3", "6-7"]
    assert [str(chance) for chance in found.values()] == chances


@pytest.mark.parametrize(
    "text",
    ["gain", "expectimax:2:random", pytest.param("optimal:random", marks=pytest.mark.jit)],
)
def test_the_best_by_value_are_played(text: str) -> None:
    game = Game("finkel", "2,6/7/0-0/L", pieces=2)
    asked = agent(text)
    values = asked.values(game, 1)
    assert values is not None
    best = [move for move, value in values.items() if value == max(values.values())]
    found = asked.move_probabilities(game, 1)
    assert {move for move, chance in found.items() if chance} <= set(best)
    if asked.ties == "random":
        assert {move: Fraction(1, len(best)) for move in best} == {
            move: chance for move, chance in found.items() if chance
        }


@pytest.mark.parametrize("text", BUILT_IN)
def test_chances_are_those_of_the_legal_moves_and_add_up_to_1(text: str) -> None:
    asked, game = agent(text), Game("finkel", "1,4/7/0-0/D", pieces=2)
    for roll in game.rules.dice.rolls:
        found = asked.move_probabilities(game, roll)
        assert tuple(found) == game.legal_moves(roll)
        assert sum(found.values()) == (1 if found else 0)
    assert asked.move_probabilities(game, 0) == {}


@pytest.mark.parametrize("text", ["first", "last", "greedy", "gain", "expectimax:2", "panda:3"])
def test_an_agent_that_asks_another_plays_its_games(text: str) -> None:
    # The simulator's kernels choose by themselves, and an object by these methods.
    class Same:
        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            move = asked.choose(game, roll, rng)
            assert move is not None
            return move

    asked, rules = agent(text), small(2)
    found = urcx.simulate(Same(), "random", rules, games=3, seed=8)
    assert equal(found, urcx.simulate(text, "random", rules, games=3, seed=8))


# --- choose


@pytest.mark.parametrize("text", BUILT_IN)
def test_what_is_chosen_may_be_played(text: str) -> None:
    asked, game = agent(text), Game("finkel", "1,4/7/0-0/D", pieces=2)
    for roll in (1, 2, 3, 4):
        chances = asked.move_probabilities(game, roll)
        for seed in range(5):
            move = asked.choose(game, roll, seed)
            assert move is not None
            assert chances[move] > 0
            assert move == asked.choose(game, roll, seed)
    assert asked.choose(game, 0, 1) is None


def test_choices_come_as_often_as_they_should() -> None:
    rng = np.random.default_rng(7)
    asked = agent("random")
    chosen = [asked.choose(THREE, 1, rng) for _ in range(3000)]
    found = Counter(steps(move) for move in chosen if move is not None)
    assert set(found) == {"0-1", "2-3", "6-7"}
    # Each 1000 on average, with a standard deviation of 26.
    assert all(abs(count - 1000) < 5 * 26 for count in found.values())


def test_generators_of_python_and_seeds_do_as_well() -> None:
    def drawn(rng: Any) -> list[Move | None]:
        return [agent("random").choose(THREE, 1, rng) for _ in range(20)]

    assert drawn(Random(5)) == drawn(Random(5))  # noqa: S311
    assert drawn(Random(5)) != drawn(Random(6))  # noqa: S311
    assert len(set(drawn(np.random.default_rng(5)))) == 3
    assert len(set(drawn(5))) == 1  # the same seed each time
    assert len(set(drawn(None))) > 1  # each three times out of 3^20, all are the same
    given: Any = "5"
    with pytest.raises(WrongObjectError, match="rng: a whole number is wanted"):
        generator(given)
    with pytest.raises(UsageError, match="seed -1: at least 0"):
        generator(-1)


# --- values


def test_agents_without_values_have_none() -> None:
    for text in ("random", "first", "last", "greedy"):
        assert agent(text).values(THREE, 1) is None
        assert agent(text).values(THREE, 0) is None
    assert agent("gain").values(THREE, 0) == {}


def test_values_are_the_advisers() -> None:
    for text in ("gain", "expectimax:2"):
        values = agent(text).values(THREE, 1)
        said = Adviser(agent(text), THREE.rules).about(THREE.position, 1)
        assert values == {item.move: item.value for item in said}


def test_perfect_plays_values_are_chances_of_winning() -> None:
    rules = small(1)
    solved = urcx.solve_exactly(rules)
    asked, game = agent("optimal"), Game(rules, "5/9/0-0/L")
    for roll in (1, 2, 3, 4):
        values = asked.values(game, roll)
        assert values is not None
        for item in solved.best_moves(game, roll):
            assert float(values[item.move]) == pytest.approx(float(item.value), abs=1e-11)


# --- made ready once


def test_what_was_made_ready_is_kept_for_each_rule_set(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[RuleSet] = []
    begin = Adviser.__init__

    def counted(self: Adviser, agent: Agent, rules: RuleSet) -> None:
        made.append(rules)
        begin(self, agent, rules)

    monkeypatch.setattr(Adviser, "__init__", counted)
    asked = agent("optimal")
    games = [Game(small(1)), Game("kwan", pieces=1), Game(small(1), "5/9/0-0/L")]
    for game in games * 2:
        asked.move_probabilities(game, 2)
    assert len(made) == 2
    assert asked == agent("optimal")
    assert hash(asked) == hash(agent("optimal"))
    for other in (copy.copy(asked), pickle.loads(pickle.dumps(asked))):  # noqa: S301
        assert other == asked
        assert not other._advisers
    assert asked._advisers


def test_what_an_agent_refuses() -> None:
    greedy = agent("greedy")
    with pytest.raises(UsageError, match="roll 7: the dice binary4 give"):
        greedy.move_probabilities(THREE, 7)
    with pytest.raises(PositionError, match="the game is over"):
        greedy.choose(Game("finkel", "-/-/7-0/D"), 1)
    position: Any = THREE.position
    for ask in (greedy.move_probabilities, greedy.values, greedy.choose):
        with pytest.raises(WrongObjectError, match="game: a position with rules"):
            ask(position, 1)


# --- agents of the user's


class Wild:
    """Any legal move, by the generator that it is given."""

    def __init__(self) -> None:
        self.asked: list[tuple[Game, int]] = []

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        self.asked.append((game, roll))
        moves = game.legal_moves(roll)
        return moves[int(rng.integers(len(moves)))]


class Open(Wild):
    """The same, and says so."""

    name = "open"

    def move_probabilities(self, game: Game, roll: int) -> Mapping[Move, object]:
        moves = game.legal_moves(roll)
        return dict.fromkeys(moves, 1 / len(moves))


def equal(one: Games, other: Games) -> bool:
    return np.array_equal(one.records, other.records) and np.array_equal(one.results, other.results)


@pytest.mark.parametrize(
    ("given", "name"), [(Wild(), "Wild()"), (Wild, "Wild()"), (Open(), "open"), (Open, "open")]
)
def test_an_object_is_an_agent_by_its_name(given: Any, name: str) -> None:
    assert agent(given).name == name
    assert agent(given).is_own


def test_an_object_plays_and_is_asked_where_there_is_a_choice() -> None:
    wild, rules = Wild(), small(3)
    found = urcx.simulate("last", wild, rules, games=4, seed=8)
    assert len(wild.asked) == found.side("dark").decisions.sum()
    for game, roll in wild.asked:
        assert game.rules == rules
        assert game.turn == "dark"
        assert len(game.legal_moves(roll)) > 1


def test_random_numbers_depend_on_seed_and_game_alone() -> None:
    rules = small(2)
    found = urcx.simulate(Wild(), "greedy", rules, games=6, seed=8)
    assert equal(found, urcx.simulate(Wild(), "greedy", rules, games=6, seed=8, threads=3))
    fewer = urcx.simulate(Wild(), "greedy", rules, games=4, seed=8)
    assert np.array_equal(fewer.records, found.records[:4])
    assert not equal(found, urcx.simulate(Wild(), "greedy", rules, games=6, seed=9))
    # Games differ among themselves, and so do the two sides' numbers.
    assert len({row.tobytes() for row in found.records}) == 6
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
            return game.legal_moves(roll)[-1]

    rules = small(2)
    for name in ("random", "expectimax:2"):
        found = urcx.simulate(Last(), name, rules, games=4, seed=8)
        assert equal(found, urcx.simulate("last", name, rules, games=4, seed=8))
    assert urcx.match([Last(), "random"], rules, games=20).pairs[1].wins > 0
    assert hash(agent(Last())) == hash(agent(Last()))


def test_advice_of_an_object_is_its_choice_or_its_chances() -> None:
    game = Game("finkel", "2,6/7/0-0/L")
    chosen = agent(Wild()).move_probabilities(game, 1)
    assert sorted(chosen.values()) == [0, 0, 1]
    assert chosen == agent(Wild()).move_probabilities(game, 1)
    assert set(agent(Open()).move_probabilities(game, 1).values()) == {Fraction(1, 3)}
    assert agent(Open()).values(game, 1) is None
    alone = Game("finkel", "-/-/0-0/L")
    wild = Wild()
    assert list(agent(wild).move_probabilities(alone, 2).values()) == [1]
    assert agent(wild).choose(alone, 2) == alone.legal_moves(2)[0]
    assert agent(wild).choose(alone, 0) is None
    assert not wild.asked  # there was nothing to choose


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
    "given",
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
def test_chances_of_an_object_are_looked_at(given: dict[str, Any]) -> None:
    class Odd(Wild):
        def move_probabilities(self, game: Game, roll: int) -> dict[Any, Any]:
            legal = {steps(move): move for move in game.legal_moves(roll)}
            return {legal[name]: chance for name, chance in given.items()}

    asked = agent(Odd())
    if given == {"0-1": 1}:
        assert sum(asked.move_probabilities(THREE, 1).values()) == 1
    else:
        with pytest.raises(UsageError, match=r"^agent Odd\(\).* in 2,6/7/0-0/L with roll 1"):
            asked.move_probabilities(THREE, 1)


def test_a_move_that_is_not_legal_has_no_chance() -> None:
    class Stray(Wild):
        def move_probabilities(self, game: Game, roll: int) -> dict[Move, int]:
            return dict.fromkeys(game.legal_moves(roll + 1), 1)

    with pytest.raises(UsageError, match="must be chances of legal moves that add up to 1"):
        agent(Stray()).move_probabilities(THREE, 1)


def test_an_object_that_fails_or_strays_is_one_line() -> None:
    class Failing:
        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            raise ZeroDivisionError("no way")

    class Stray:
        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            return game.legal_moves(roll % 4 + 1)[-1]

    with pytest.raises(UsageError, match=r"agent Failing\(\) fails in \S+ with roll \d: ZeroDiv"):
        urcx.simulate("first", Failing(), small(), games=3)
    with pytest.raises(UsageError, match=r"agent Stray\(\) chose \d-\d in .*; legal: 0-1"):
        agent(Stray()).choose(THREE, 1)


def test_exact_figures_need_a_built_in_agent() -> None:
    with pytest.raises(UsageError, match=r"agent Wild\(\) is an object of yours: exact figures"):
        expected(Wild(), rules=small(1))
    for one in (Wild(), [Wild()]):
        with pytest.raises(UsageError, match=r"agent Wild\(\) is an object of yours: exact"):
            urcx.regret(one, small(1))


class Unmade:
    def __init__(self, weight: int) -> None:
        self.weight = weight

    def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
        raise NotImplementedError


class Chooseless:
    pass


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (Unmade, "agent 'Unmade' cannot be made: TypeError"),
        (Chooseless, "agent 'Chooseless' is a class without a method choose"),
        (Chooseless(), "agent: a name such as 'greedy', a function"),
    ],
)
def test_what_is_no_agent_is_refused(given: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        agent(given)


FILE = """
class Wild:
    def choose(self, game, roll, rng):
        moves = game.legal_moves(roll)
        return moves[int(rng.integers(len(moves)))]

wild = Wild()
nothing = 7

class Unmade(Wild):
    def __init__(self, weight):
        self.weight = weight
"""


def test_a_file_has_objects_and_classes_too(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(FILE)
    found = [
        urcx.simulate(light, "random", small(), games=3)
        for light in (f"{file}:wild", f"{file}:Wild", Wild())
    ]
    assert found[0].light.name == f"{file}:wild"
    assert all(equal(found[0], other) for other in found[1:])
    with pytest.raises(UsageError, match="has no function nothing"):
        agent(f"{file}:nothing")
    with pytest.raises(UsageError, match="Unmade' cannot be made: TypeError"):
        agent(f"{file}:Unmade")
