"""Games in which an agent of the user's chooses for one side or both, in Python.

The dice are those of the compiled games: a seed and a game's number give the same random stream
with one draw per ply, so a user's agent that plays like a built-in one plays the same games. An own
agent's random numbers come from a generator of its own, made of the seed, the game's number and the
side: so they depend neither on what else is played nor on how much the other side draws.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import FIRST, RANDOM, candidates
from urcx.agents.agents import Agent
from urcx.agents.own_agents import own_move
from urcx.engine import move_kernels
from urcx.engine.moves import legal_moves, tables
from urcx.enumerate.enumerator import steps_of
from urcx.game import Game
from urcx.games import game_kernels
from urcx.games.game_kernels import CAPTURES, LANDED, N_FIXED, TURNS
from urcx.rules.model import RuleSet
from urcx.rules.position import Position


@dataclass
class _Side:
    """One side of a game: its pieces on the board as a mask of steps, and its pieces home."""

    agent: Agent
    policy: Any  # None for an own agent
    seed: tuple[int, int, int]  # of an own agent's random numbers
    board: int = 0
    home: int = 0
    random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        if self.policy is None:
            self.random = np.random.default_rng(self.seed)


def play_own_games(  # noqa: PLR0913 - what `game_kernels.play_games` takes
    rules: RuleSet,
    agents: tuple[Agent, Agent],
    policies: tuple[Any, ...],
    slots: NDArray[np.int64],
    seed: int,
    rule: int,
    first: int,
    last: int,
    longest: int,
    logs: NDArray[np.float64],
    records: NDArray[np.int32],
    results: NDArray[np.int32],
    entropy: NDArray[np.float64],
    habits: NDArray[np.int32] | None,
) -> int:
    """Play games as `urcx.games.game_kernels.play_games` does; a policy of None is an own agent.

    Raises
    ------
    UsageError
        If an own agent raises or returns no legal move.
    """
    ways, rolls = tables(rules).ways, tables(rules).rolls
    kinds = np.zeros(game_kernels.N_KINDS, np.int64)
    for game in range(first, last):
        g = game - first
        state, side = game_kernels.first_side(
            np.uint64(game_kernels.stream(seed, game)), rule, game
        )
        results[g, 0] = side
        sides = [_Side(agents[k], policies[k], (seed, game, k)) for k in (0, 1)]
        turn_begins = True
        for plies in range(1, longest + 1):
            mover, other = sides[side], sides[1 - side]
            state, r, half = game_kernels.draw(np.uint64(state), slots)
            roll = int(rolls[r])
            pool = rules.pieces - mover.board.bit_count() - mover.home
            legal = int(move_kernels.legal_starts(ways, side, pool, mover.board, other.board, roll))
            start = -1
            if legal:
                best, ties = _best(rules, sides, int(side), legal, roll)
                picked = game_kernels.pick(np.uint64(state), np.uint64(half), best, ties)
                state, start = picked[0], int(picked[1])
            own, theirs, home, again = mover.board, other.board, mover.home, False
            record = records[g, side]
            record[TURNS] += turn_begins
            record[N_FIXED + r] += 1
            record[N_FIXED + len(rolls) + legal.bit_count()] += 1
            if start >= 0:
                after = move_kernels.make_move(ways, side, own, theirs, home, start, start + roll)
                own, theirs, home = (int(x) for x in after[:3])
                again = bool(after[3])
                record[CAPTURES] += theirs != other.board
                record[LANDED] += int(ways[side, move_kernels.ROSETTES]) << 1 >> (start + roll) & 1
                if ties == RANDOM:
                    entropy[g, side] += logs[best.bit_count()]
            if habits is not None:
                game_kernels.observe(
                    ways, side, legal, roll, start, mover.board, other.board, own, theirs,
                    kinds, habits[g, side], habits[g, 1 - side],
                )  # fmt: skip
            mover.board, mover.home, other.board = own, home, theirs
            if home == rules.pieces:
                results[g, 1], results[g, 2] = side, plies
                break
            turn_begins = not again
            side = side if again else 1 - side
        else:
            return game
    return -1


def _best(rules: RuleSet, sides: list[_Side], side: int, legal: int, roll: int) -> tuple[int, int]:
    """Return the moves the side to play thinks best, as a mask of starts, and its tie rule."""
    mover, other = sides[side], sides[1 - side]
    if mover.policy is not None:
        state = (mover.board, mover.home, other.board, other.home)
        best: Any = candidates(mover.policy, tables(rules).ways, side, legal, roll, *state)
        return int(best), mover.policy.ties
    if legal & (legal - 1) == 0:
        return legal, FIRST
    light, dark = sides
    position = Position(
        steps_of(light.board), steps_of(dark.board), (light.home, dark.home), side == 0
    )
    moves = legal_moves(position, roll, rules)
    own = own_move(mover.agent, Game(rules, position), roll, moves, mover.random)
    return 1 << own.start, FIRST
