# mypy: allow-untyped-defs, allow-untyped-calls, allow-untyped-decorators
"""Kernels that step many games at once against an agent, with the simulator's dice and moves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import candidates, share_of
from urcx.contrib.envs.observation_kernels import longest_way, write_observation
from urcx.engine.jit import inlined, lean
from urcx.engine.move_kernels import PIECES, legal_starts, make_move, popcount
from urcx.games.game_kernels import DiceArrays, draw, first_side, pick_or_err, stream

# A game: the learner's pieces and the agent's, the numbers of each at home, the side to move, the
# roll (below 0 before the roll), the starts that the learner may choose, the plies played, and the
# status. If the learner plays both sides, its pieces are the pieces of the side to move.
OWN, OTHER, OWN_HOME, OTHER_HOME, SIDE, ROLL, LEGAL, PLIES, STATUS, N_FIELDS = range(10)
OPEN, WON, LOST, CUT, ILLEGAL = range(5)  # the status of a game
BOTH = -1  # the learner's side if no agent plays


@inlined
def _begin(rule, seed, number, game):
    """Set up a game and return its random stream."""
    state, side = first_side(stream(seed, number), rule, number)
    game[:] = 0
    game[SIDE] = side
    return state


class ManyGamesPlan(NamedTuple):
    """The settings of many games: the rules, the agent's policy, and the learner's side or `BOTH`.

    ``rule`` is the rule for the first player, as in `urcx.games.game_kernels.first_side`. No game
    has more than ``longest`` plies.
    """

    ways: NDArray[np.int64]
    dice: DiceArrays
    policy: Any
    learner: int
    rule: int
    longest: int


class ManyGames(NamedTuple):
    """Games in progress: seeds, numbers, random streams, states, and masks of legal actions.

    ``games`` has the columns listed above. ``masks`` has a 1 for each action that the learner may
    choose.
    """

    seeds: NDArray[np.uint64]
    numbers: NDArray[np.int64]
    streams: NDArray[np.uint64]
    games: NDArray[np.int64]
    masks: NDArray[np.int8]


@inlined
def to_learner(plan, state, game):
    """Play the agent's plies up to the learner's next choice or the end of the game."""
    ways, learner = plan.ways, plan.learner
    pieces = ways[0, PIECES]
    game[ROLL] = -1
    game[LEGAL] = 0
    while True:
        if game[PLIES] == plan.longest:
            game[STATUS] = CUT
            return state
        state, r, half = draw(state, plan.dice.slots)
        roll = plan.dice.rolls[r]
        own, other, own_home, other_home = game[OWN], game[OTHER], game[OWN_HOME], game[OTHER_HOME]
        if learner in (game[SIDE], BOTH):
            game[ROLL] = roll
            pool = pieces - popcount(own) - own_home
            game[LEGAL] = legal_starts(ways, game[SIDE], pool, own, other, roll)
            return state
        side = 1 - learner
        pool = pieces - popcount(other) - other_home
        legal = legal_starts(ways, side, pool, other, own, roll)
        again = False
        if legal:
            best = candidates(
                plan.policy, ways, side, legal, roll, other, other_home, own, own_home
            )
            state, start = pick_or_err(
                state, half, legal, best, plan.policy.ties, share_of(plan.policy)
            )
            other, own, other_home, again = make_move(
                ways, side, other, own, other_home, start, start + roll
            )
            game[OWN], game[OTHER], game[OTHER_HOME] = own, other, other_home
        game[PLIES] += 1
        if not again:
            game[SIDE] = learner
        if other_home == pieces:
            game[STATUS] = LOST
            return state


@inlined
def act(plan, action, game):
    """Play the learner's action, or end the game if it is not legal."""
    ways, side, legal = plan.ways, game[SIDE], game[LEGAL]
    passing = longest_way(ways) + 1
    again = False
    if legal == 0:
        if action != passing:
            game[STATUS] = ILLEGAL
            return
    elif action < 0 or action >= passing or (legal >> action) & 1 == 0:
        game[STATUS] = ILLEGAL
        return
    else:
        own, other, home, again = make_move(
            ways, side, game[OWN], game[OTHER], game[OWN_HOME], action, action + game[ROLL]
        )
        game[OWN], game[OTHER], game[OWN_HOME] = own, other, home
        if home == ways[0, PIECES]:
            game[STATUS] = WON
    game[PLIES] += 1
    if again:
        return
    game[SIDE] = 1 - side
    if plan.learner == BOTH:
        game[OWN], game[OTHER] = game[OTHER], game[OWN]
        game[OWN_HOME], game[OTHER_HOME] = game[OTHER_HOME], game[OWN_HOME]


@lean
def step_games(plan, many, actions, observations, rewards):
    """Step all games: play the learner's actions and the agent's plies up to its next choice.

    If a game is over, its action is ignored, and another game begins. The number of the new game is
    greater by the number of games. Observations, masks of legal actions, and rewards are written.
    """
    ways, masks = plan.ways, many.masks
    passing = longest_way(ways) + 1
    for i in range(many.games.shape[0]):
        game = many.games[i]
        if game[STATUS] != OPEN:
            many.numbers[i] += many.games.shape[0]
            many.streams[i] = _begin(plan.rule, many.seeds[i], many.numbers[i], game)
        else:
            act(plan, actions[i], game)
        if game[STATUS] == OPEN:
            many.streams[i] = to_learner(plan, many.streams[i], game)
        status = game[STATUS]
        if status != OPEN:
            game[ROLL] = -1
            game[LEGAL] = 0
        rewards[i] = 0.0
        if status == WON:
            rewards[i] = 1.0
        elif status in (LOST, ILLEGAL):
            rewards[i] = -1.0
        viewer = game[SIDE] if plan.learner == BOTH else plan.learner
        write_observation(
            ways, plan.dice.rolls, (game[OWN], game[OTHER]), (game[OWN_HOME], game[OTHER_HOME]),
            game[ROLL], game[SIDE] == viewer, viewer == 0, observations[i],
        )  # fmt: skip
        for action in range(passing):
            masks[i, action] = (game[LEGAL] >> action) & 1
        masks[i, passing] = status == OPEN and game[LEGAL] == 0
