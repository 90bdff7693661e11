"""Agents asked for single moves."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import naive
import numpy as np
import pytest
from asked import THREE, steps
from naive_simulator import equal
from own_rules import small

import urcx
from urcx.agents.advice import Adviser
from urcx.agents.agents import Agent, agent, as_sent, split
from urcx.agents.own_agents import generator
from urcx.engine.moves import Move
from urcx.errors import PositionError, UnknownNameError, UsageError, WrongObjectError
from urcx.game import Game
from urcx.rules.model import RuleSet

OPTIMAL = pytest.param("optimal", marks=pytest.mark.jit)  # solves two pieces first
BUILT_IN = ["random", "first", "last", "greedy", "gain", "expectimax:2", "panda:3", OPTIMAL]


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


@pytest.mark.parametrize(
    "text",
    [
        "greedy",
        "expectimax:2",
        *(
            pytest.param(text, marks=pytest.mark.slow)
            for text in ("first", "last", "gain", "panda:3")
        ),
    ],
)
def test_an_agent_that_asks_another_plays_its_games(text: str) -> None:
    # The simulator's kernels choose by themselves, and an object by these methods.
    class Same:
        def choose(self, game: Game, roll: int, rng: np.random.Generator) -> Move:
            move = asked.choose(game, roll, rng)
            assert move is not None
            return move

    asked, rules = agent(text), small("finkel", 2)
    result = urcx.simulate(Same(), "greedy", rules, games=3, seed=8)
    assert equal(result, urcx.simulate(text, "greedy", rules, games=3, seed=8))


# --- choose


@pytest.mark.parametrize("text", BUILT_IN)
def test_legal_moves_have_chances_and_those_with_one_are_chosen(text: str) -> None:
    asked, game = agent(text), Game("finkel", "1,4/7/0-0/D", pieces=2)
    for roll in (1, 2, 3, 4):
        chances = asked.move_probabilities(game, roll)
        assert tuple(chances) == game.legal_moves(roll)
        assert sum(chances.values()) == 1
        for seed in range(5):
            move = asked.choose(game, roll, seed)
            assert move is not None
            assert chances[move] > 0
            assert move == asked.choose(game, roll, seed)
    assert asked.move_probabilities(game, 0) == {}
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

    assert drawn(Random(5)) == drawn(Random(5))
    assert drawn(Random(5)) != drawn(Random(6))
    assert len(set(drawn(np.random.default_rng(5)))) == 3
    assert len(set(drawn(5))) == 1  # the same seed each time
    assert len(set(drawn(None))) > 1  # each three times out of 3^20, all are the same
    given: Any = "5"
    with pytest.raises(WrongObjectError, match="rng: must be an integer"):
        generator(given)
    with pytest.raises(UsageError, match="seed -1: must be at least 0"):
        generator(-1)


# --- values


def test_agents_without_values_have_none() -> None:
    for text in ("random", "first", "last", "greedy"):
        assert agent(text).values(THREE, 1) is None
        assert agent(text).values(THREE, 0) is None
    assert agent("gain").values(THREE, 0) == {}


def test_perfect_plays_values_are_chances_of_winning() -> None:
    rules = small("finkel", 1)
    asked, game = agent("optimal"), Game(rules, "5/9/0-0/L")
    for roll in (1, 2, 3, 4):
        values = asked.values(game, roll)
        assert values is not None
        for move in game.legal_moves(roll):
            light = naive.perfect(rules)[move.position]
            assert float(values[move]) == pytest.approx(float(light), abs=1e-11)


# --- made ready once


def test_what_was_made_ready_is_kept_for_each_rule_set(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[RuleSet] = []
    begin = Adviser.__init__

    def counted(self: Adviser, agent: Agent, rules: RuleSet) -> None:
        made.append(rules)
        begin(self, agent, rules)

    monkeypatch.setattr(Adviser, "__init__", counted)
    asked = agent("optimal")
    games = [
        Game(small("finkel", 1)),
        Game("kwan", pieces=1),
        Game(small("finkel", 1), "5/9/0-0/L"),
    ]
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
        with pytest.raises(WrongObjectError, match="game: must be a position with rules"):
            ask(position, 1)


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("panda", Agent("panda", "first", 7, "advance+centre")),
        ("expectimax:random:2", Agent("expectimax", "random", 2, "advance")),
        ("greedy", Agent("greedy", "last")),
        ("random", Agent("random", "random")),
        ("net:dir/b:3", Agent("net", "first", 3, table="dir/b")),
        ("learned", Agent("learned", "first", 1)),
        ("net:3", Agent("net", "first", 1, table="3")),
        ("net:run 08:04/b:3", Agent("net", "first", 3, table="run 08:04/b")),
        ("net:random:04/b.npz", Agent("net", "first", 1, table="random:04/b.npz")),
        ("optimal:run 08:04/x", Agent("optimal", "first", table="run 08:04/x")),
        ("optimal:run 08:04/x.urcx:last", Agent("optimal", "last", table="run 08:04/x.urcx")),
        ("optimal:last:C:\\run\\x.urcx", Agent("optimal", "last", table="C:\\run\\x.urcx")),
    ],
)
def test_agents_read_their_defaults(text: str, ref: Agent) -> None:
    assert agent(text) == ref
    assert agent(ref.name) == ref
    assert agent(ref) is ref


def test_what_a_text_leaves_open_is_filled_in() -> None:
    found = agent("panda:3", depth=5, leaf="advance", ties="random")
    assert found == Agent("panda", "random", 3, "advance")
    assert found.name == "panda:3:advance:random"
    assert agent("random", depth=5, leaf="advance", ties="last") == Agent("random", "random")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("expectimax:0", "depth must be from 1 to 40"),
        ("expectimax:-3", "depth must be from 1 to 40"),
        ("panda:41", "depth must be from 1 to 40"),
        ("panda:x", "'x' must be a depth"),
        ("panda:", "'' must be a depth"),
        ("panda:3:4", "'4' is a second depth"),
        ("panda:advance:3:advance+centre", "is a second leaf"),
        ("greedy:last:first", "'first' is a second ties"),
        ("random:3", "random does not look ahead"),
        ("greedy:advance", "greedy does not look ahead"),
        ("last:first", "last never has ties"),
        ("nowhere.py:f", "there is no file nowhere.py"),
        ("nowhere.py", "write FILE.py:FUNCTION"),
        ("run 08:04/nowhere.py:f", "there is no file run 08:04/nowhere.py"),
        ("C:\\run\\nowhere.py:f", "there is no file C:\\run\\nowhere.py"),
    ],
)
def test_bad_texts(text: str, message: str) -> None:
    with pytest.raises(UsageError) as said:
        agent(text)
    assert message in str(said.value)


@pytest.mark.parametrize(
    "ask", [urcx.agent, urcx.gtc, urcx.luck, urcx.match, urcx.regret, urcx.simulate]
)
def test_a_rule_set_in_place_of_an_agent_is_called_one(ask: Any) -> None:
    with pytest.raises(UnknownNameError, match=r"masters.*is a rule set: pass rules='masters'"):
        ask("masters")


def test_an_agent_of_a_directory_with_a_colon(tmp_path: Path) -> None:
    place = tmp_path / "run 2026-11-28T08:04"
    place.mkdir()
    (place / "mine.py").write_text("def last(position, roll, moves):\n    return moves[-1]\n")
    found = agent(f"{place}/mine.py:last")
    assert found.choose(THREE, 1) == THREE.legal_moves(1)[-1]
    assert as_sent(found) == f"{place.resolve()}/mine.py:last"
    erring = agent(f"mistakes:5:net:{place}/b.npz:2")
    assert (erring.percent, erring.plays.table) == (5, f"{place}/b.npz")
    assert split(erring.name)[-2:] == [f"{place}/b.npz", "2"]


def test_unknown_names() -> None:
    with pytest.raises(UnknownNameError, match="greedi"):
        agent("greedi")
    with pytest.raises(UsageError, match="unknown tie-breaking rule 'none'"):
        agent("greedy", ties="none")
    with pytest.raises(UsageError, match="unknown leaf 'none'"):
        agent("panda", leaf="none")


def test_an_agent_that_errs_plays_as_another_but_for_a_share_of_decisions() -> None:
    short = urcx.ruleset("finkel", pieces=2)
    game, base = urcx.Game(short, "2,6/7/0-0/L"), urcx.agent("greedy:random")
    one = urcx.agent("mistakes:30:greedy:random")
    assert (one.name, one.percent, one.plays, one.ties) == (one.name, 30, base, "random")
    for roll in short.dice.rolls:
        as_base = base.move_probabilities(game, roll)
        expects = {
            move: Fraction(7, 10) * share + Fraction(3, 10) / len(as_base)
            for move, share in as_base.items()
        }
        assert one.move_probabilities(game, roll) == expects
    shares = one.move_probabilities(game, 2)
    rng = np.random.default_rng(1)
    drawn = Counter(one.choose(game, 2, rng) for _ in range(2000))
    for move, share in shares.items():
        assert abs(drawn[move] / 2000 - share) < 0.05
    assert one.values(game, 2) == base.values(game, 2)


def test_what_an_erring_agent_is_called() -> None:
    assert urcx.agent("mistakes").name == "mistakes:10"
    assert urcx.agent("mistakes:5:optimal").name == "mistakes:5"
    assert urcx.agent("mistakes:panda:3", leaf="advance").name == "mistakes:10:panda:3:advance"
    assert urcx.agent("mistakes:5:optimal:a.urcx").plays.table == "a.urcx"
    for text, why in (
        ("mistakes:101", "percent must be from 0 to 100"),
        ("mistakes:-1", "percent must be from 0 to 100"),
        ("mistakes:5:mistakes:5", "cannot be based on mistakes"),
        ("mistakes:5:gredy", "unknown agent 'gredy'"),
    ):
        with pytest.raises(UsageError, match=why):
            urcx.agent(text)
