from __future__ import annotations

from itertools import product

import naive_gamble as naive
import pytest
from gambling_replay import GAME, SMALL, check_all, logged, play

from urcx.contrib.gambling import agent_kernels
from urcx.contrib.gambling import game_kernels as kernels
from urcx.contrib.gambling import simulator as gambling
from urcx.contrib.gambling.agent_kernels import search_room, throws_second
from urcx.contrib.gambling.agents import AGENTS, Gambler, gambler
from urcx.contrib.gambling.rule_arrays import arrays
from urcx.contrib.gambling.rules import GamblingGame
from urcx.contrib.gambling.simulator import gamble
from urcx.errors import UnknownNameError, UsageError


@pytest.mark.parametrize(("light", "dark"), [*product(("random", "first", "last"), AGENTS)])
def test_all_agents_against_the_naive_twin(light: str, dark: str) -> None:
    seen = check_all(play(light, dark, games=4, seed=5))
    # The games have everything in them.
    for name in ("thrown", "lost", "launches", "landed", "passed", "captures"):
        assert seen[name] > 0


def searched(game: GamblingGame, state: naive.State, side: int, depth: int) -> float:
    """Return the mover's mean lead by the kernel."""
    search = search_room(depth, len(game.pieces))
    search.boards[1], search.purses[1] = state.steps, (*state.purses, state.pool)
    value = agent_kernels.expected_share(arrays(game), search, side, depth)
    assert search.boards[1].tolist() == [list(row) for row in state.steps]
    return float(value) * (1 - 2 * side)


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"double": "together"},
        {"losses": "opponent", "launch": "moves", "payment": "unfinished"},
    ],
    ids=str,
)
@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_values_against_the_naive_twin(pieces: int, choices: dict[str, str]) -> None:
    game = GAME.with_pieces(pieces).choosing(**choices)
    log = logged(play("random", "greedy", game, games=1), 0).tolist()
    # Positions of all the game, and more of its end, where much is settled within the horizon.
    rows = [*range(0, len(log) - 1, 8), *range(max(len(log) - 9, 0), len(log) - 1)]
    for row in rows:
        lights, darks, pool, *steps = log[row][kernels.N_LOG :]
        state = naive.State((tuple(steps[:pieces]), tuple(steps[pieces:])), (lights, darks), pool)
        for side, depth in product((0, 1), (1, 2) if pieces < 5 else (1,)):
            value = naive.value(game, state, side, depth)
            assert searched(game, state, side, depth) == pytest.approx(float(value), abs=1e-9)


@pytest.mark.parametrize("double", ["risk", "together"])
def test_looking_ahead_two_plies_against_the_naive_twin(double: str) -> None:
    check_all(play("winnings:2", "random", SMALL.choosing(double=double), games=1))


@pytest.mark.jit
@pytest.mark.parametrize("depth", [2, 3])
def test_looking_further_ahead_against_the_naive_twin(depth: int) -> None:
    pieces = {2: 5, 3: 2}[depth]
    game = GAME.with_pieces(pieces).choosing(losses="opponent")
    check_all(play(f"winnings:{depth}", "greedy", game, games=1, seed=2))


def test_waiting_by_throwing_the_second_die() -> None:
    # Both would rather that the other moves on: light has 15 and 16, dark 13 and 14 to bring home.
    state = naive.State(((15, 17, 17, 17, 16), (17, 17, 17, 13, 14)), (12, 32), 6)
    for face, depth in product(range(4), (1, 2)):
        assert not naive.moves(GAME, state, 0, GAME.doubled[face])
        legal = naive.moves(GAME, state, 0, GAME.die.rolls[face])
        assert naive.throws(GAME, state, 0, face, "winnings", depth) == (not legal)
        # Every game above checks the reference implementation's agents; here the kernel, too.
        search = search_room(depth, 5)
        search.boards[0], search.purses[0] = state.steps, (*state.purses, state.pool)
        policy = Gambler("winnings", depth).policy
        assert throws_second(arrays(GAME), policy, search, 0, face) == (not legal)
        # Where waiting is allowed, it is what both would do for ever.
        waiting = arrays(GAME.choosing(waiting="allowed"))
        if depth == 2:
            assert throws_second(waiting, policy, search, 0, face)


@pytest.mark.jit
def test_agents_that_look_ahead_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gambling, "MAX_PLIES", 2000)
    for agent in ("winnings", "winnings:2"):
        assert len(gamble(agent, game=SMALL, games=500)) == 500


def test_agents_by_name() -> None:
    assert gambler("winnings") == Gambler("winnings", 1)
    assert gambler("winnings:2").name == "winnings:2"
    assert gambler("winnings:1").name == "winnings"
    assert gambler(gambler("greedy")).name == "greedy"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("greed", UnknownNameError, "did you mean greedy"),
        ("greedy:2", UsageError, "greedy does not look ahead"),
        ("winnings:0", UsageError, "0.*depth must be from 1 to 4"),
        ("winnings:5", UsageError, "5.*depth must be from 1 to 4"),
        ("winnings:", UsageError, "depth must be from"),
        ("winnings:two", UsageError, "two.*depth must be from"),
    ],
)
def test_agents_there_are_not(text: str, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        gamble(text, games=1)
