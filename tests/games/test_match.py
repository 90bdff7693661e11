from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from naive_simulator import play

import urcx
from urcx.agents.agents import agent
from urcx.agents.policies import Policies
from urcx.complexity.game_tree import wilson
from urcx.engine.moves import Move
from urcx.errors import InterruptedRunError, UsageError
from urcx.game import SIDES
from urcx.games import game_kernels
from urcx.games.match import KINDS, MAX_AGENTS, match, pair_seed, play_statistics
from urcx.games.simulator import simulate
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

FEW = ("random", "greedy", "last")


SMALL = urcx.ruleset("finkel", pieces=2)


def test_each_plays_each_and_itself_once() -> None:
    result = match(FEW, SMALL, games=5, against_itself=True)
    pairs = [(pair.agent.name, pair.opponent.name) for pair in result.pairs]
    assert pairs == [
        ("random", "random"),
        ("random", "greedy"),
        ("random", "last"),
        ("greedy", "greedy"),
        ("greedy", "last"),
        ("last", "last"),
    ]
    assert all(pair.games == 5 for pair in result.pairs)
    assert [player.name for player in result.agents] == list(FEW)
    assert not result.interrupted


def test_no_agent_plays_itself_unless_requested() -> None:
    result = match(FEW, SMALL, games=5)
    pairs = [(pair.agent.name, pair.opponent.name) for pair in result.pairs]
    assert pairs == [("random", "greedy"), ("random", "last"), ("greedy", "last")]
    assert [pair.agent for pair in match("last", SMALL, games=2).pairs] == [agent("last")]


@pytest.mark.parametrize("games", [6, 9])
def test_splits_are_wins_by_colour_and_by_first_player(games: int) -> None:
    result = match(("random", "greedy"), SMALL, games=games, seed=2)
    (pair,) = result.pairs
    ref: Counter[str] = Counter()
    for half in range(2):
        light, dark = (pair.opponent, pair.agent) if half else (pair.agent, pair.opponent)
        played = simulate(
            light, dark, SMALL, games=games // 2 + (games % 2) * (1 - half),
            seed=pair_seed(2, light, dark, half), first="coin",
        )  # fmt: skip
        for first, winner in played.results[:, :2].tolist():
            for name in ("light" if half == 0 else "dark", "first" if first == half else "second"):
                ref[f"{name} games"] += 1
                ref[f"{name} wins"] += winner == half
    assert {*pair.splits} == {"light", "dark", "first", "second"}
    for name, split in pair.splits.items():
        assert (split.total, split.number) == (ref[f"{name} games"], ref[f"{name} wins"])
    back = result.share(pair.opponent, pair.agent)
    assert back is not None
    for name, other in (("light", "dark"), ("first", "second")):
        mine, theirs = back.splits[name], pair.splits[other]
        assert (mine.total, mine.number) == (theirs.total, theirs.total - theirs.number)
    assert back.turned == pair
    row = result.records()[0]
    assert row["dark_wins"] == str(pair.splits["dark"].number)
    assert row["first_share"] == pytest.approx(pair.splits["first"].share)


def test_ratings_are_of_games_between_different_agents() -> None:
    result = match(FEW, SMALL, games=40, against_itself=True)
    shares = {
        (pair.agent.name, pair.opponent.name): pair.share
        for pair in result.pairs
        if pair.agent != pair.opponent
    }
    assert result.ratings == urcx.elo(shares, 40)
    assert [row["agent"] for row in result.document()["ratings"]] == [
        rating.agent for rating in result.ratings
    ]
    assert match("random", SMALL, games=2).ratings == ()


def test_the_matrix_is_complementary() -> None:
    result = match(FEW, SMALL, games=9, seed=4, against_itself=True)
    for one, other in product(result.agents, repeat=2):
        pair, back = result.share(one, other), result.share(other, one)
        assert pair is not None
        assert back is not None
        assert (pair.agent, pair.opponent, pair.games) == (one, other, 9)
        assert pair.ci95 == wilson(pair.wins, 9)
        if one != other:
            assert pair.wins + back.wins == 9
            assert pair.share + back.share == pytest.approx(1)
    assert result.share(result.agents[0], agent("first")) is None


@pytest.mark.parametrize("games", [6, 7])
def test_wins_are_those_of_the_simulator_with_each_colour(games: int) -> None:
    result = match(("greedy", "random"), SMALL, games=games, seed=11)
    one, other = result.agents
    # Light has one more game if the number is odd.
    first = simulate(
        one, other, SMALL, games=3 + games % 2, seed=pair_seed(11, one, other, 0), first="coin"
    )
    second = simulate(other, one, SMALL, games=3, seed=pair_seed(11, other, one, 1), first="coin")
    wins = int((first.results[:, 1] == 0).sum() + (second.results[:, 1] == 1).sum())
    pair = result.share(one, other)
    assert pair is not None
    assert (pair.wins, pair.games) == (wins, games)


def test_a_pairs_games_do_not_depend_on_the_other_agents() -> None:
    alone = match(("random", "last"), SMALL, games=20, seed=3, habits=True)
    among = match(("greedy", "random", "first", "last"), SMALL, games=20, seed=3, habits=True)
    for one, other in product(alone.agents, repeat=2):
        assert alone.share(one, other) == among.share(one, other)


def test_nothing_depends_on_threads() -> None:
    one, three = (match(FEW, SMALL, games=10, habits=True, threads=threads) for threads in (1, 3))
    assert one.pairs == three.pairs
    assert one.habits == three.habits


def test_habits_of_every_agent() -> None:
    rules = urcx.ruleset("finkel", pieces=3)
    result = match(("random", "greedy"), rules, games=9, seed=6, habits=True, against_itself=True)
    assert list(result.habits) == ["random", "greedy"]
    names = {f"{kind}_chosen" for kind in KINDS}
    names |= {"centre_stay", "centre_held", "shared_stay", "shared_pieces"}
    assert {measure.name for measure in result.habits["random"]} == names
    # Over all games of an agent, those against itself with both sides.
    random, greedy = result.agents
    counts, plies = [], []
    for light, dark, sides in (
        (random, random, ((0, 1), (1, 0))),
        (random, greedy, ((0,), (1,))),
    ):
        for half, order in enumerate(((light, dark), (dark, light))):
            seed = pair_seed(6, *order, half)
            games = 5 - half  # light in one game more
            played = simulate(*order, rules, games=games, seed=seed, first="coin", habits=True)
            for side in sides[half]:
                counts.append(played.habits[:, side])
                plies.append(played.results[:, 2])
    assert result.habits["random"] == play_statistics(np.concatenate(counts), np.concatenate(plies))


def test_habits_are_not_observed_unless_asked_for() -> None:
    assert match(("random",), SMALL, games=2).habits == {}


def test_an_interrupted_match_keeps_the_pairs_that_had_played() -> None:
    pressed = threading.Event()
    choices = 0

    def slow(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
        nonlocal choices
        choices += 1
        if choices > 300:
            assert pressed.wait(60)
        return moves[-1]

    labels: list[str] = []

    def stage(label: str, _total: int, _unit: str) -> Callable[[int], None]:
        labels.append(label)

        def tick(done: int) -> None:
            if "slow" in label and done:
                pressed.set()
                raise KeyboardInterrupt

        return tick

    rules = urcx.ruleset("finkel", pieces=3)
    result = match(("first", slow), rules, games=400, stage=stage, against_itself=True)
    assert result.interrupted
    assert [(pair.agent.name, pair.opponent.name) for pair in result.pairs] == [("first", "first")]
    assert labels[0] == "first - first (1 of 3)"
    assert labels[2] == "first - slow() (2 of 3)"
    pressed.clear()
    choices = 0
    with pytest.raises(InterruptedRunError, match="first pair"):
        match((slow, "first"), urcx.ruleset("finkel", pieces=3), games=400, stage=stage)


@pytest.mark.parametrize(
    ("agents", "games", "message"),
    [
        ((), 10, "from 1 to 20, not 0"),
        (tuple(f"expectimax:{k}" for k in range(1, 22)), 10, "not 21"),
        (("random", "greedy", "random"), 10, "agent random is listed twice"),
        (("panda", "panda:7"), 10, "agent panda:7 is listed twice"),
        (("greedy", "greedy:last"), 10, "agent greedy is listed twice"),
        (("random",), 1, "games 1: must be from 2 to"),
        (("random",), 10**9, "games 1,000,000,000"),
        (("random:4",), 10, "random does not look ahead"),
    ],
)
def test_bad_input(agents: tuple[str, ...], games: int, message: str) -> None:
    assert MAX_AGENTS == 20
    with pytest.raises(UsageError) as said:
        match(agents, SMALL, games=games)
    assert message in str(said.value)


def test_each_pair_is_a_stage_of_its_own() -> None:
    begun: list[tuple[str, int, str]] = []

    def stage(label: str, total: int, unit: str) -> Callable[[int], None]:
        begun.append((label, total, unit))
        return lambda _: None

    rules = urcx.ruleset("finkel", pieces=1)
    match(("first", "last"), rules, games=5, stage=stage, against_itself=True)
    pairs = ("first - first (1 of 3)", "first - last (2 of 3)", "last - last (3 of 3)")
    assert begun == [(pair, games, "games") for pair in pairs for games in (3, 2)]


def test_seeds_of_pairs_stay_what_they_are() -> None:
    # The same seed gives the same games in every version.
    first, last = agent("first"), agent("last")
    for order, half in (((first, last), 0), ((last, first), 1)):
        text = f"7 {order[0].name} {order[1].name} {half}".encode()
        assert pair_seed(7, *order, half) == int(hashlib.sha256(text).hexdigest()[:16], 16) // 2


def test_agents_are_prepared_for_the_games_that_each_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Recorded(Policies):
        def __init__(self, rules: RuleSet, games: int, **more: Any) -> None:
            asked.append(games)
            super().__init__(rules, games, **more)

    monkeypatch.setattr("urcx.games.match.Policies", Recorded)
    match(("first", "last", "random"), urcx.ruleset("finkel", pieces=1), games=5)
    assert asked == [15]


def test_habits_are_ratios_over_all_games() -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    games = simulate("random", "greedy", rules, games=5, seed=1, habits=True)
    ref = [play("random", "greedy", rules, 1, game, "alternate") for game in range(5)]
    for side, name in enumerate(SIDES):
        total: Counter[int] = Counter()
        for game in ref:
            total.update(game.sides[side].habits)
        plies = sum(game.plies for game in ref)
        means = {
            measure.name: measure.mean
            for measure in play_statistics(games.side(name).habits, games.plies)
        }
        k = game_kernels
        for kind, what in enumerate(("capture", "rosette", "centre", "enter", "bear_off")):
            assert means[f"{what}_chosen"] == pytest.approx(total[2 * kind + 1] / total[2 * kind])
        assert means["centre_stay"] == pytest.approx(total[k.STAYED] / total[k.LANDINGS])
        assert means["centre_held"] == pytest.approx(total[k.HELD] / plies)
        assert means["shared_stay"] == pytest.approx(total[k.EXPOSED] / total[k.ENTRIES])
        assert means["shared_pieces"] == pytest.approx(total[k.EXPOSED] / plies)
    assert means["capture_chosen"] == 1  # what greedy is


def test_habits_that_games_say_nothing_of_are_left_out() -> None:
    rules = urcx.ruleset("finkel", pieces=1)  # one piece never has two moves
    games = simulate("random", rules=rules, games=3, habits=True)
    names = {measure.name for measure in play_statistics(games.side("light").habits, games.plies)}
    assert {"centre_held", "shared_pieces"} <= names
    assert not any(name.endswith("_chosen") for name in names)
