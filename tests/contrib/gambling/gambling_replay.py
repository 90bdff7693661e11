"""Gambling games replayed ply by ply by the reference implementation."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import naive_gamble as naive
import numpy as np
import pytest

from urcx.contrib.gambling import game_kernels as kernels
from urcx.contrib.gambling.agents import Gambler
from urcx.contrib.gambling.records import Gambles, IntArray
from urcx.contrib.gambling.rules import GamblingGame, gambling_game
from urcx.contrib.gambling.simulator import Plays, gamble

GAME = gambling_game()


SMALL = GAME.with_pieces(2)


COUNTED = (
    "turns", "thrown", "doubled", "lost", "launches", "captures", "landed", "passed", "nodes",
    "options",
)  # fmt: skip


def logged(found: Gambles, number: int) -> IntArray:
    """Replay a game and return its plies.

    A row has the side, the index of the first die's face, whether the second die was thrown, what
    it said or would have said (1 for yes), the piece that moved or -1, and the legal moves; then,
    after the ply, light's, dark's and the pool's counters, and the steps of light's and dark's
    pieces.
    """
    plies = int(found.results[number, 2])
    log = np.zeros((plies, kernels.N_LOG + 3 + 2 * len(found.game.pieces)), np.int64)
    Plays(found.game, (found.light, found.dark), found.seed, found.first)(number, number + 1, log)
    return log


@dataclass
class Side:
    """The counts of a side in a game, by the reference implementation."""

    agent: Gambler
    counts: Counter[str] = field(default_factory=Counter)
    by_legal: Counter[int] = field(default_factory=Counter)
    options: list[int] = field(default_factory=list)


def thrown(game: GamblingGame, state: naive.State, ply: list[int], side: Side) -> tuple[int, bool]:
    """Check the player and the dice of a ply; return the roll, and whether the turn is lost."""
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
    """Check a ply by the reference; return the next state, and whether the mover throws again."""
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
    """Replay a game ply by ply; return the number of each kind of event."""
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
        assert found.counts[number, who].tolist() == [
            *(side.counts[name] for name in COUNTED),
            *(side.by_legal[n] for n in range(len(game.pieces) + 1)),
        ]
        digits = sum(math.log10(n) for n in side.options)
        picks = digits if side.agent.kind == "random" else 0
        assert found.sums[number, who] == pytest.approx([digits, picks])
    return sides[0].counts + sides[1].counts


def check_all(found: Gambles) -> Counter[str]:
    """Replay all games; return the number of each kind of event."""
    return sum((check(found, k) for k in range(len(found))), Counter[str]())


def play(
    light: str, dark: str, game: GamblingGame = GAME, games: int = 3, seed: int = 1
) -> Gambles:
    return gamble(light, dark, game, games=games, seed=seed)
