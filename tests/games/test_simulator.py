from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import naive
import numpy as np
import pytest
from naive_simulator import Stream, bounded, equal, play, shares, the_same
from numpy.typing import NDArray

import urcx
from urcx.agents.agent_kernels import FIRST, LAST, RandomPolicy
from urcx.agents.agents import agent
from urcx.agents.own_agents import CustomAgent
from urcx.engine import chunks, memory
from urcx.engine.moves import Move
from urcx.errors import TooLargeError, UrcxError, UsageError
from urcx.games import game_kernels, simulator
from urcx.games.game_kernels import play_games
from urcx.games.records import Games
from urcx.games.simulator import FIRST_MOVERS, MAX_PLIES, dice_slots, play_before, simulate
from urcx.rules import catalogue
from urcx.rules.model import Dice
from urcx.rules.position import Position, check

RULES = [
    *("finkel", "blitz", "aseb"),
    *(
        pytest.param(name, marks=pytest.mark.jit)
        for name in ("kwan", "masters", "murray", "skiriuk")
    ),
]


SMALL = urcx.ruleset("finkel", pieces=2)

PLAYERS = [
    ("random", "greedy"), ("greedy:random", "last"), ("random", "random"),
    ("greedy", "greedy:random"), ("first", "last"),
    ("priority:capture-advanced,least-risk:random", "priority:again-capture,flee,off"),
]  # fmt: skip


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(("light", "dark"), PLAYERS)
@pytest.mark.parametrize("games", [3, pytest.param(8, marks=pytest.mark.jit)])
def test_games_are_those_of_the_naive_simulator(
    name: str, light: str, dark: str, games: int
) -> None:
    rules = urcx.ruleset(name, pieces=4) if games > 3 else urcx.ruleset(name)
    seed, first = (2**40 + len(name), "coin") if games == 3 else (catalogue.MAX_SEED, "alternate")
    habits = light != dark
    played = simulate(light, dark, rules, games=games, seed=seed, first=first, habits=habits)
    assert len(played) == games
    assert len(played.habits) == (games if habits else 0)
    for game in range(games):
        the_same(played, game, play(light, dark, rules, seed, game, first))


@pytest.mark.parametrize(
    ("name", "pieces", "light", "dark"),
    [
        ("finkel", 2, "expectimax:1", "expectimax:2:random"),
        ("finkel", 1, "panda:4", "expectimax:2:advance+centre:last"),
        pytest.param("blitz", 2, "expectimax:2:random", "expectimax:1", marks=pytest.mark.jit),
        pytest.param("aseb", 2, "expectimax:2:random", "expectimax:1", marks=pytest.mark.jit),
    ],
)
def test_games_that_look_ahead_are_those_of_the_naive_simulator(
    name: str, pieces: int, light: str, dark: str
) -> None:
    rules = urcx.ruleset(name, pieces=pieces)
    games = simulate(light, dark, rules, games=4, seed=3, method="levels", no_cache=True)
    for game in range(4):
        the_same(games, game, play(light, dark, rules, 3, game, "alternate"))


@pytest.mark.jit
@pytest.mark.parametrize("players", [("random", "greedy"), ("mistakes:30:greedy", "mistakes:40")])
def test_one_loop_is_compiled_for_two_agents_whoever_is_light(players: tuple[str, str]) -> None:
    simulate(*players, SMALL, games=1)
    before = set(play_games.overloads)
    simulate(*players[::-1], SMALL, games=1)
    assert set(play_games.overloads) == before


def test_dice_that_are_too_fine_are_refused() -> None:
    dice = Dice("fine", "", (1, 2), (Fraction(1, 2**21), 1 - Fraction(1, 2**21)))
    with pytest.raises(TooLargeError, match="fine: probabilities in 1/2097152 are too fine"):
        simulate("first", rules=replace(urcx.ruleset("finkel", pieces=1), dice=dice), games=1)


def test_games_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "HERE_SECONDS", 1e-9)  # so that threads take turns
    monkeypatch.setattr(simulator, "FIRST_CHUNK", 3)
    rules = urcx.ruleset("blitz", pieces=1)
    games = [
        simulate("random", "greedy", rules, games=40, seed=6, habits=True, threads=threads)
        for threads in (1, 2, 3)
    ]
    assert equal(games[0], games[1])
    assert equal(games[0], games[2])


def test_first_movers() -> None:
    rules = urcx.ruleset("finkel", pieces=1)
    began = {
        first: simulate("last", rules=rules, games=64, seed=2, first=first).results[:, 0].tolist()
        for first in FIRST_MOVERS
    }
    assert began["light"] == [0] * 64
    assert began["dark"] == [1] * 64
    assert began["alternate"] == [0, 1] * 32
    assert began["coin"] == [Stream.of(2, game).bits() >> 63 for game in range(64)]
    assert 12 < sum(began["coin"]) < 52  # 32 +- 5 standard deviations of 4


def test_dark_is_as_light_by_default() -> None:
    rules = urcx.ruleset("finkel", pieces=1)
    games = simulate("greedy", rules=rules, games=1)
    assert games.light == games.dark == agent("greedy")
    assert not games.interrupted


@dataclass
class Interrupting:
    """Progress that presses Ctrl-C once some games are done, and an agent that waits for it."""

    after: int
    free: int  # choices made before the agent waits
    pressed: threading.Event = field(default_factory=threading.Event)
    choices: int = 0

    def stage(self, label: str, _total: int, _unit: str) -> Callable[[int], None]:
        def tick(done: int) -> None:
            if label == "games" and done >= self.after:
                self.pressed.set()
                raise KeyboardInterrupt

        return tick

    def choose(self, _position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
        self.choices += 1
        if self.choices > self.free:
            assert self.pressed.wait(60)
        return moves[-1]


@pytest.mark.parametrize("habits", [False, True])
def test_an_interrupted_run_keeps_the_games_that_were_finished(habits: bool) -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    ref = simulate("last", rules=rules, games=500, seed=5, habits=habits)
    free = int(ref.by_choices[:4, :, 2:].sum())  # four games, then it waits
    ctrl_c = Interrupting(4, free)
    games = simulate(
        ctrl_c.choose, rules=rules, games=500, seed=5, habits=habits, stage=ctrl_c.stage
    )
    assert games.interrupted
    assert games.asked == 500
    n = len(games)
    assert 4 <= n < 500
    for name in ("counts", "results", "entropy"):
        assert np.array_equal(getattr(games, name), getattr(ref, name)[:n])
    assert np.array_equal(games.habits, ref.habits[: n if habits else 0])


@pytest.mark.jit
def test_compiled_games_can_be_interrupted() -> None:
    def stage(label: str, _total: int, _unit: str) -> Callable[[int], None]:
        def tick(done: int) -> None:
            if label == "games" and done:
                raise KeyboardInterrupt

        return tick

    games = simulate("random", games=400_000, threads=2, stage=stage)
    assert games.interrupted
    assert 0 < len(games) < 400_000
    assert (games.rolls.sum(axis=(1, 2)) == games.results[:, 2]).all()
    assert (games.results[:, 2] > 0).all()


def test_interrupted_before_the_first_game() -> None:
    def pressing(_position: Position, _roll: int, _moves: tuple[Move, ...]) -> Move:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(pressing, rules=urcx.ruleset("finkel", pieces=2), games=3)


def chooses_first(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return moves[0]


def test_games_that_do_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "MAX_PLIES", 20)
    rules = urcx.ruleset("finkel", pieces=2)
    for light in ("first", chooses_first):
        with pytest.raises(
            UrcxError, match=r"game 0 of \w+(\(\))? and last does not end within 20 plies"
        ):
            simulate(light, "last", rules, games=2, seed=1, threads=1)  # else either game
    rules = urcx.ruleset("finkel", pieces=1)
    longest = int(simulate("last", rules=rules, games=1, seed=0).results[0, 2])
    monkeypatch.setattr(simulator, "MAX_PLIES", longest)
    for light in ("last", chooses_first):  # one piece has no choice
        assert len(simulate(light, rules=rules, games=1, seed=0)) == 1
    monkeypatch.setattr(simulator, "MAX_PLIES", longest - 1)
    for light in ("last", chooses_first):
        with pytest.raises(UrcxError, match=f"does not end within {longest - 1} plies"):
            simulate(light, rules=rules, games=1, seed=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 0}, "games 0: must be from 1 to"),
        ({"games": 10**9}, "games 1,000,000,000"),
        ({"seed": -1}, "seed -1: must be from 0"),
        ({"seed": 2**63}, "seed 9223372036854775808: must be"),
        ({"first": "loser"}, "unknown first mover 'loser'; known: light, dark, alternate, coin"),
        ({"threads": 0}, "threads 0"),
    ],
)
def test_bad_input(options: dict[str, str | int], message: str) -> None:
    with pytest.raises(UsageError) as said:
        simulate("first", **{"games": 1, **options})  # type: ignore[arg-type]
    assert message in str(said.value)


def test_memory_of_a_game_is_what_its_arrays_take() -> None:
    rules = urcx.ruleset("masters", pieces=2)
    games = simulate("random", rules=rules, games=7)
    taken = sum(array.nbytes for array in (games.counts, games.results, games.entropy))
    assert taken == 7 * simulator.game_memory(rules)


def test_functions_of_the_users_run_on_one_thread() -> None:
    seen = set()

    def watching(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
        seen.add(threading.get_ident())
        return moves[0]

    simulate("random", watching, urcx.ruleset("finkel", pieces=3), games=12, threads=4)
    assert len(seen) == 1


def test_slots_of_dice_are_read_only() -> None:
    slots = simulator.dice_slots(urcx.ruleset("finkel").dice)
    assert slots.tolist() == [0, *[1] * 4, *[2] * 6, *[3] * 4, 4]
    assert not slots.flags.writeable


def test_refuses_more_games_than_memory_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemAvailable: 1000 kB\n")
    monkeypatch.setattr(memory, "MEMINFO", meminfo)
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    with pytest.raises(TooLargeError, match=r"1,000,000 games needs .* play fewer games"):
        simulate("first", games=1_000_000)


def own_last(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return moves[-1]


def own_first(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return moves[0]


def own_greedy(_position: Position, _roll: int, moves: tuple[Move, ...]) -> Move:
    return max(moves, key=lambda move: (move.captures, move.rosette, move.start))


@pytest.mark.parametrize(
    ("own", "same"), [(own_last, "last"), (own_first, "first"), (own_greedy, "greedy")]
)
@pytest.mark.parametrize("name", ["masters", "murray", "finkel"])
def test_an_own_agent_plays_the_same_games(own: CustomAgent, same: str, name: str) -> None:
    rules = urcx.ruleset(name, pieces=2)

    def played(light: str | CustomAgent, dark: str | CustomAgent | None = None) -> Games:
        return simulate(light, dark, rules, games=4, seed=8, first="coin", habits=True)

    assert equal(played(same, "random"), played(own, "random"))
    assert equal(played("greedy:random", same), played("greedy:random", own))
    assert equal(played(same, same), played(own))


def test_an_own_agent_meets_one_that_looks_ahead() -> None:
    rules = urcx.ruleset("finkel", pieces=1)
    text = "expectimax:2:random"
    ref, found = (
        simulate(one, text, rules, games=5, seed=8, method="levels", no_cache=True)
        for one in ("last", own_last)
    )
    assert equal(ref, found)


def test_an_own_agent_is_asked_where_there_is_a_choice() -> None:
    rules = urcx.ruleset("masters", pieces=3)
    seen: list[tuple[Position, int, tuple[Move, ...]]] = []

    def watching(position: Position, roll: int, moves: tuple[Move, ...]) -> Move:
        seen.append((position, roll, moves))
        return moves[-1]

    games = simulate("last", watching, rules, games=2, seed=8)
    assert len(seen) == games.by_choices[:, 1, 2:].sum()
    for position, roll, moves in seen:
        check(position, rules.path, rules.pieces)
        assert not position.light_to_move
        assert len(moves) > 1
        assert [move.position for move in moves] == [
            after for _, _, after in sorted(naive.moves(position, roll, rules), key=lambda m: m[0])
        ]


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        (lambda position: Move(0, 9, False, False, False, position), "chose start-B5 in"),
        (lambda _: None, r"chose None in \S+/[LD] .*; legal: start-"),
        (lambda _: 1 / 0, r"fails in \S+/\S+/\d-\d/[LD] with roll \d: ZeroDivisionError: div"),
    ],
    ids=["no legal move", "no move", "failure"],
)
def test_an_own_agent_that_does_not_choose(chosen: Callable[[Position], Any], why: str) -> None:
    def stray(position: Position, _roll: int, _moves: tuple[Move, ...]) -> Any:
        return chosen(position)

    with pytest.raises(UsageError, match=rf"agent stray\(\) {why}"):
        simulate("first", stray, urcx.ruleset("finkel", pieces=2), games=3)


def test_rolls_drawn_again_are_those_of_the_naive_simulator() -> None:
    # 2^32 leaves nearly n numbers over: one of some 4,100 draws is made again.
    n = max(range(2**20 - 5000, 2**20), key=lambda n: 2**32 % n)
    third = Fraction(n // 3, n)
    dice = Dice("uneven", "", (1, 2, 4), (third, third, 1 - 2 * third))
    slots = Counter(dice_slots(dice).tolist())
    assert [slots[k] for k in range(3)] == shares(dice)
    game = next(game for game in range(3000) if drawn_again(4, game, n))
    rules = replace(urcx.ruleset("finkel", pieces=1), dice=dice)
    games = simulate("last", rules=rules, games=game + 1, seed=4)
    ref = play("last", "last", rules, 4, game, "alternate")
    assert ref.again > 0
    the_same(games, game, ref)


def drawn_again(seed: int, game: int, n: int) -> bool:
    """Say whether one of a game's first ten draws of n slots is made again."""
    stream = Stream.of(seed, game)
    return any(bounded(stream.bits() >> 32, n) is None for _ in range(10))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 16, 1_000_003])
def test_no_number_is_drawn_with_a_greater_chance(n: int) -> None:
    # Of the 2^32 numbers as many lead to each; only those at the edges need a look.
    each = 2**32 // n
    for k in (0, 1, n // 2, n - 1):
        edge = -(-k * 2**32 // n)
        for half in range(max(edge - 2, 0), min(edge + 3, 2**32)):
            number = int(game_kernels.below(np.uint64(half), n))
            assert number == (n if bounded(half, n) is None else bounded(half, n))
    first = next(x for x in range(3) if bounded(x, n) is not None)
    assert bounded(first + each - 1, n) == 0
    assert n == 1 or bounded(first + each, n) != 0


def test_a_choice_is_drawn_again_where_it_would_favour_some() -> None:
    state = 12345
    with np.errstate(over="ignore"):
        after, chosen = one_of(state, 0, 0b1011)
    stream = Stream(state)
    ref = bounded(stream.bits() % 2**32, 3)
    assert ref is not None
    assert chosen == (0, 1, 3)[ref]
    assert after == stream.state
    assert one_of(state, 2**31, 0b1011) == (state, 1)


def one_of(state: int, half: int, mask: int) -> tuple[int, int]:
    drawn = game_kernels.one_of(np.uint64(state), np.uint64(half), np.int64(mask))
    return int(drawn[0]), int(drawn[1])


class Advanced(NamedTuple):
    """A policy of another package: it values the most advanced piece most."""

    ties: int

    def value(
        self, _ways: Any, _side: int, _own: int, _own_home: int, _other: int, _other_home: int,
        start: int, _roll: int,
    ) -> int:  # fmt: skip
        return start


class Plies(NamedTuple):
    """An observer of another package: it writes who wins, and counts rolls."""

    counts: NDArray[np.int64]

    def roll(self, _ways: Any, ply: Any) -> None:
        self.counts[ply.game, 0] += 1

    def end(self, game: int, ended: Any) -> None:
        self.counts[game, 1] = ended.side
        self.counts[game, 2] = ended.plies


def test_policies_and_observers_of_other_packages() -> None:
    rules = urcx.ruleset("finkel", pieces=2)
    plan = game_kernels.GamesPlan(3, 0, 0, 20, MAX_PLIES)
    counts = [np.zeros((20, 3), np.int64) for _ in range(3)]
    policies = Advanced(FIRST), RandomPolicy(LAST), RandomPolicy(FIRST)
    with np.errstate(over="ignore"):
        for policy, count in zip(policies, counts, strict=True):
            play_before(Plies(count), (policy, RandomPolicy(FIRST)), rules, plan)
    assert counts[0].tolist() == counts[1].tolist()
    assert counts[0].tolist() != counts[2].tolist()
    assert (counts[0][:, 0] == counts[0][:, 2]).all()
