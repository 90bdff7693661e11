from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import product

import naive_gamble as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import urcx
from urcx.errors import UnknownNameError, UrcxError, UsageError
from urcx.gambling import agent_kernels
from urcx.gambling import game_kernels as kernels
from urcx.gambling import simulator as gambling
from urcx.gambling.rules import CHOICES, GamblingGame, gambling_game
from urcx.gambling.simulator import AGENTS, Gambler, Gambles, gamble, gambler, logged
from urcx.games.game_kernels import GAMMA

GAME = gambling_game()
SMALL = GAME.with_pieces(2)
OTHERS = [{name: value} for name, choice in CHOICES.items() for value in list(choice.values)[1:]]


COUNTED = (
    "turns", "thrown", "doubled", "lost", "launches", "captures", "landed", "passed", "nodes",
    "options",
)  # fmt: skip


@dataclass
class Side:
    """What a side did in a game, as the twin counts it."""

    agent: Gambler
    counts: Counter[str] = field(default_factory=Counter)
    by_legal: Counter[int] = field(default_factory=Counter)
    options: list[int] = field(default_factory=list)


def thrown(game: GamblingGame, state: naive.State, ply: list[int], side: Side) -> tuple[int, bool]:
    """Check who throws what; return the roll, and whether the turn is lost."""
    mover, face, second, yes = ply[:4]
    together = game.choices["double"] == "together"
    if together:
        assert second
    else:
        legal = naive.moves(game, state, mover, game.die.rolls[face])
        may = naive.may_throw(game, state, mover, face)
        assert may or not second
        side.options.append(max(len(legal), 1) + may)
        if side.agent.kind != "random":
            kind, depth = side.agent.kind, side.agent.depth
            assert second == naive.throws(game, state, mover, face, kind, depth)
    lost = bool(second and not yes and not together)
    side.counts.update(thrown=second, doubled=int(second and yes), lost=int(lost))
    return (game.doubled if second and yes else game.die.rolls)[face], lost


def moved(
    game: GamblingGame, state: naive.State, ply: list[int], side: Side
) -> tuple[naive.State, bool]:
    """Check a ply by the naive twin; return the state after it, and whether there is another."""
    mover, _, second, _, piece, legal = ply[: kernels.N_LOG]
    roll, lost = thrown(game, state, ply, side)
    allowed = {} if lost else naive.moves(game, state, mover, roll)
    if second and allowed:
        side.options.append(len(allowed))
    side.by_legal[legal] += 1
    assert legal == len(allowed)
    if not allowed:
        assert piece == -1
        return state, False
    assert piece in allowed
    if side.agent.kind != "random":
        kind, depth = side.agent.kind, side.agent.depth
        assert piece == naive.choice(game, state, mover, roll, kind, depth)
    done = naive.move(game, state, mover, piece, allowed[piece])
    side.counts.update(
        launches=int(state.steps[mover][piece] == 0),
        captures=int(done.captured),
        landed=int(done.landed),
        passed=done.passed,
    )
    return done.after, done.again


def assert_state(game: GamblingGame, after: list[int], state: naive.State) -> None:
    """Assert that a log has a state, and that the state is possible."""
    pieces = len(game.pieces)
    assert tuple(after[:3]) == (*state.purses, state.pool)
    assert tuple(after[3 : 3 + pieces]) == state.steps[0]
    assert tuple(after[3 + pieces :]) == state.steps[1]
    assert sum(after[:3]) == game.total
    if game.choices["stakes"] == "counters":
        assert min(after[:3]) >= 0
    placed = [(who, k, step) for who in (0, 1) for k, step in enumerate(state.steps[who])]
    tiles = Counter(naive.tile_of(game, who, step) for who, _, step in placed)
    assert all(number == 1 for tile, number in tiles.items() if tile)
    assert all(step == 0 or step >= game.entries[k] for _, k, step in placed)


def check(found: Gambles, number: int) -> Counter[str]:
    """Replay a game ply by ply by the naive twin; return how often each thing came up."""
    game = found.game
    sides = Side(found.light), Side(found.dark)
    state, mover = naive.start(game), int(found.results[number, 0])
    new_turn = True
    log = logged(found, number).tolist()
    for row, ply in enumerate(log, start=1):
        assert ply[kernels.SIDE] == mover
        sides[mover].counts["turns"] += new_turn
        state, again = moved(game, state, ply, sides[mover])
        over = naive.finished(game, state, mover)
        if over:
            state = naive.settled(game, state, mover)
            assert found.results[number].tolist()[1:] == [mover, row]
        assert over == (row == len(log))
        assert_state(game, ply[kernels.N_LOG :], state)
        new_turn = not again
        mover = mover if again else 1 - mover
    assert found.purses[number].tolist() == [*state.purses, state.pool]
    assert found.winnings[number].tolist() == [p - game.counters for p in state.purses]
    for who, side in enumerate(sides):
        side.counts.update(nodes=len(side.options), options=sum(side.options))
        assert found.records[number, who].tolist() == [
            *(side.counts[name] for name in COUNTED),
            *(side.by_legal[n] for n in range(len(game.pieces) + 1)),
        ]
        digits = sum(math.log10(n) for n in side.options)
        picks = digits if side.agent.kind == "random" else 0
        assert found.sums[number, who] == pytest.approx([digits, picks])
    return sides[0].counts + sides[1].counts


def play(
    light: str, dark: str, game: GamblingGame = GAME, games: int = 3, seed: int = 1
) -> Gambles:
    return gamble(light, dark, game, games=games, seed=seed)


@pytest.mark.parametrize(
    ("light", "dark"), [("random", "first"), ("last", "greedy"), ("greedy", "winnings")]
)
def test_games_are_those_of_the_naive_twin(light: str, dark: str) -> None:
    found = play(light, dark, games=2)
    seen = sum((check(found, k) for k in range(2)), Counter[str]())
    # The games had everything in them.
    assert min(seen[name] for name in ("thrown", "lost", "launches", "landed", "passed")) > 0


@pytest.mark.parametrize(("light", "dark"), [*product(("random", "first", "last"), AGENTS)])
def test_all_agents_against_the_naive_twin(light: str, dark: str) -> None:
    found = play(light, dark, games=4, seed=5)
    assert sum(check(found, k)["captures"] for k in range(4)) > 0


@pytest.mark.parametrize("choices", OTHERS, ids=str)
@pytest.mark.parametrize("agent", ["random", "winnings"])
def test_every_choice_against_the_naive_twin(choices: dict[str, str], agent: str) -> None:
    found = play(agent, "greedy", SMALL.choosing(**choices), games=2, seed=3)
    for k in range(2):
        check(found, k)


@pytest.mark.jit
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_mixed_choices_against_the_naive_twin(data: st.DataObject) -> None:
    choices = {
        name: data.draw(st.sampled_from(sorted(choice.values)), label=name)
        for name, choice in CHOICES.items()
    }
    pieces = data.draw(st.integers(1, 5), label="pieces")
    # Two that look for winnings might both wait, for ever.
    waits = choices["waiting"] == "allowed"
    agents = st.sampled_from(["random", "first", "last", "greedy", *["winnings"] * (not waits)])
    game = GAME.with_pieces(pieces).choosing(**choices)
    found = play(
        data.draw(agents), data.draw(agents), game, games=1, seed=data.draw(st.integers(0, 999))
    )
    check(found, 0)


def test_a_pool_below_zero_has_no_rest() -> None:
    poor = replace(SMALL, counters=0, pool=0).choosing(stakes="credit", rest="finisher")
    found = play("random", "greedy", poor, games=12)
    for k in range(12):
        check(found, k)
    pools = found.purses[:, 2]
    assert (pools < 0).any()
    assert (pools <= 0).all()


def searched(game: GamblingGame, state: naive.State, side: int, depth: int) -> float:
    """Return the mover's lead in the mean as the kernel finds it."""
    levels, pieces = depth + 2, len(game.pieces)
    boards = np.zeros((levels, 2, pieces), np.int64)
    purses = np.zeros((levels, 3), np.int64)
    boards[1], purses[1] = state.steps, (*state.purses, state.pool)
    frames = agent_kernels.Frames(
        np.zeros((levels, agent_kernels.N_NUMBERS), np.int64),
        np.zeros((levels, agent_kernels.N_VALUES)),
    )
    value = agent_kernels.expected(gambling.arrays(game), boards, purses, frames, side, depth)
    assert boards[1].tolist() == [list(row) for row in state.steps]
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
    found = play("winnings:2", "random", SMALL.choosing(double=double), games=1)
    check(found, 0)


@pytest.mark.jit
@pytest.mark.parametrize("depth", [2, 3])
def test_looking_further_ahead_against_the_naive_twin(depth: int) -> None:
    pieces = {2: 5, 3: 2}[depth]
    game = GAME.with_pieces(pieces).choosing(losses="opponent")
    check(play(f"winnings:{depth}", "greedy", game, games=1, seed=2), 0)


def test_with_dice_that_give_nothing() -> None:
    game = replace(GAME, die=urcx.dice("binary4"), doubled=(5, 5, 6, 7, 10))
    found = play("random", "winnings", game, games=3)
    zero = 0
    for k in range(3):
        check(found, k)
        log = logged(found, k)
        zero += int(((log[:, kernels.FACE] == 0) & (log[:, kernels.SECOND] == 0)).sum())
    assert zero > 0


def test_on_a_path_that_crosses_tiles_twice() -> None:
    # The twin knows tiles by name, the kernels by number; here one tile is two steps.
    game = replace(GAME, path=urcx.path("murray"))
    found = play("random", "greedy", game, games=4)
    assert sum(check(found, k)["captures"] for k in range(4)) > 0


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({}, 3),
        ({"launch": "appears"}, 0),
        ({"squares": "rolls"}, 0),
    ],
)
def test_the_first_launch(choices: dict[str, str], expected: int) -> None:
    # The first ply that moves anything enters a swallow, which its rosette pays for at once.
    log = logged(play("first", "first", GAME.choosing(**choices), games=1), 0)
    first = next(ply for ply in log.tolist() if ply[kernels.PIECE] >= 0)
    assert first[kernels.PIECE] == 0
    side = first[kernels.SIDE]
    assert first[kernels.N_LOG + side] == GAME.counters + expected


def test_games_do_not_depend_on_threads_or_number() -> None:
    one, two, more = (
        gamble("random", "greedy", SMALL, games=n, seed=4, threads=t)
        for n, t in ((70, 1), (70, 3), (75, 2))
    )
    for name in ("records", "results", "purses", "sums"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
        assert np.array_equal(getattr(one, name), getattr(more, name)[:70])
    other = gamble("random", "greedy", SMALL, games=70, seed=5)
    assert not np.array_equal(one.purses, other.purses)


@pytest.mark.parametrize(
    ("first", "expected"),
    [("light", [0, 0, 0, 0]), ("dark", [1, 1, 1, 1]), ("alternate", [0, 1, 0, 1])],
)
def test_who_begins(first: str, expected: list[int]) -> None:
    found = gamble("random", game=SMALL, games=4, first=first)
    assert found.results[:, 0].tolist() == expected


def test_draws_that_would_favour_some_are_made_again() -> None:
    # Of 2^32 numbers nearly half are too many for this n.
    n, states = 2**31 + 1, np.arange(40, dtype=np.uint64)
    with np.errstate(over="ignore"):
        drawn = [kernels.number_below(state, n) for state in states]
        steps = [
            (int(after) - int(before)) % 2**64
            for (after, _), before in zip(drawn, states, strict=True)
        ]
    assert all(0 <= number < n for _, number in drawn)
    assert set(steps) > {int(GAMMA), 2 * int(GAMMA) % 2**64}


@pytest.mark.jit
def test_the_dice_are_fair() -> None:
    found = gamble("random", game=GAME, games=150, seed=9)
    faces, yes = Counter[int](), 0
    for k in range(150):
        log = logged(found, k)
        faces.update(log[:, kernels.FACE].tolist())
        yes += int(log[:, kernels.YES].sum())
    n = sum(faces.values())
    # Chi-squared with three degrees of freedom is above 16.3 once in a thousand.
    assert sum((faces[f] - n / 4) ** 2 / (n / 4) for f in range(4)) < 16.3
    assert abs(yes - n / 2) < 3.3 * math.sqrt(n / 4)


@pytest.mark.jit
def test_colours_are_alike() -> None:
    # Exchanging the agents exchanges the winnings, up to chance.
    one = gamble("greedy", "random", games=1500, seed=1)
    other = gamble("random", "greedy", games=1500, seed=2)
    a, b = one.winnings[:, 0], other.winnings[:, 1]
    error = math.sqrt((a.var() + b.var()) / 1500)
    assert abs(a.mean() - b.mean()) < 4 * error
    assert a.mean() > one.winnings[:, 1].mean() + 4 * error


def test_waiting_by_throwing_the_second_die() -> None:
    # Both would rather that the other moves on: light has 15 and 16, dark 13 and 14 to bring home.
    state = naive.State(((15, 17, 17, 17, 16), (17, 17, 17, 13, 14)), (12, 32), 6)
    for face, depth in product(range(4), (1, 2)):
        assert not naive.moves(GAME, state, 0, GAME.doubled[face])
        legal = naive.moves(GAME, state, 0, GAME.die.rolls[face])
        assert naive.throws(GAME, state, 0, face, "winnings", depth) == (not legal)
        # The twin is the agents' own in every game above; here the kernel, too.
        boards, purses = np.zeros((4, 2, 5), np.int64), np.zeros((4, 3), np.int64)
        boards[0], purses[0] = state.steps, (*state.purses, state.pool)
        frames = agent_kernels.Frames(
            np.zeros((4, agent_kernels.N_NUMBERS), np.int64),
            np.zeros((4, agent_kernels.N_VALUES)),
        )
        policy = Gambler("winnings", depth).policy
        rules = gambling.arrays(GAME)
        thrown = agent_kernels.throws_second(rules, policy, boards, purses, frames, 0, face)
        assert thrown == (not legal)
        # Where waiting is allowed, it is what both would do for ever.
        waiting = gambling.arrays(GAME.choosing(waiting="allowed"))
        if depth == 2:
            assert agent_kernels.throws_second(waiting, policy, boards, purses, frames, 0, face)


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
        ("winnings:0", UsageError, "depth 0 is not from 1 to 4"),
        ("winnings:5", UsageError, "depth 5 is not from 1 to 4"),
        ("winnings:", UsageError, "depth  is not from"),
        ("winnings:two", UsageError, "depth two is not from"),
    ],
)
def test_agents_there_are_not(text: str, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        gamble(text, games=1)


def test_arguments_out_of_range() -> None:
    with pytest.raises(UsageError, match="0 games"):
        gamble(games=0)
    with pytest.raises(UsageError, match="seed -1"):
        gamble(seed=-1)
    with pytest.raises(UsageError, match="unknown first mover 'me'"):
        gamble(first="me")
    with pytest.raises(UnknownNameError, match="unknown gambling game"):
        gamble(game="ur")
    with pytest.raises(UsageError, match="0 threads"):
        gamble(threads=0)


def test_a_game_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gambling, "MAX_PLIES", 5)
    with pytest.raises(UrcxError, match="game 0 of random and random does not end within 5 plies"):
        gamble("random", games=1)


def test_ctrl_c_keeps_the_games_that_were_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gambling, "CHUNK", 1)

    def stage(_label: str, _total: int, _unit: str):  # type: ignore[no-untyped-def] # noqa: ANN202
        def tell(done: int) -> None:
            if done:
                raise KeyboardInterrupt

        return tell

    found = gamble("random", game=SMALL, games=100_000, threads=1, stage=stage)
    assert found.interrupted
    assert 0 < len(found) < 100_000
    assert (found.results[:, 2] > 0).all()
    monkeypatch.setattr(gambling, "for_chunks", _interrupt)
    with pytest.raises(KeyboardInterrupt):
        gamble("random", game=SMALL, games=10)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
