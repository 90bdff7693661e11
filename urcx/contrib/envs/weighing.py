"""What a policy's decisions lose in games against perfect play, over all games or in some.

All games are followed as in `urcx.expectations.tiles`, for any policy and path, from the
start to the end. In each layer, which is all states with given pieces home, the states that games
come to are found first, many at a time, and the policy is asked in these alone; then probability is
passed on from state to state until practically all of it has left the layer.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.agents.agent_kernels import FIRST
from urcx.agents.policies import table_policy
from urcx.complexity import tiles
from urcx.contrib.envs import weighing_kernels as kernels
from urcx.contrib.envs.choosers import MOST_ASKED, Chances, views_of
from urcx.contrib.envs.rounds import Round
from urcx.contrib.envs.states import Rulebook, State
from urcx.engine.memory import check_memory
from urcx.engine.moves import tables
from urcx.errors import UrcxError
from urcx.expectations.choices import LayerPolicy
from urcx.game import SIDES
from urcx.games.simulator import MAX_PLIES
from urcx.played.values import SolvedGame
from urcx.rules.position import Position
from urcx.solving.files.tablebase import Tablebase, losses
from urcx.solving.general.kernels import WON
from urcx.solving.general.solver import GeneralOrder, general_order
from urcx.solving.probing import WinningChances as Known
from urcx.solving.ties import width_of

LEFT = 1e-15  # of probability that need not leave a layer
A_STATE, ROOM = 300, 200_000_000  # bytes that it takes to follow all games
LIGHT_BEGINS = 0
MOST_KEPT = 1 << 18  # chances, so that a tablebase is not asked twice

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


class WeighedSums(NamedTuple):
    """What happens in a game, on average or in one: see `urcx.contrib.envs.judging.Judgement`.

    ``left`` is the probability of the games that were not followed to their end.
    """

    won: float
    loss: float
    decisions: float
    mistakes: float
    left: float = 0.0


class WeighedMoves(NamedTuple):
    """What a state's actions lead to, and the mover's chance of winning there.

    Actions within ``tie_width`` of the best are equally good.
    """

    after: list[State]
    values: list[float]
    tie_width: float

    @property
    def best(self) -> int:
        """Return the index of the best action, that of the least advanced piece if several are."""
        return losses(self.values, self.tie_width).index(0.0)

    def lost(self, chances: list[float]) -> tuple[float, float]:
        """Return what is lost on average if actions are so likely, and how likely anything is."""
        most = max(self.values)
        lost = [most - value for value in self.values]
        pairs = list(zip(chances, lost, strict=True))
        return sum(p * x for p, x in pairs), sum(p for p, x in pairs if x > self.tie_width)


class Scale:
    """What perfect play says of states.

    Parameters
    ----------
    book
        The rules.
    known
        The chances of winning, as `urcx.played.values.open_chances` gives them.
    """

    def __init__(self, book: Rulebook, known: Known) -> None:
        self.book, self._known, self.tie_width = book, known, width_of(known)
        self._chance = lru_cache(MOST_KEPT)(self._probed)

    def all(self, order: GeneralOrder) -> Array:
        """Return the chance of winning of the player to move in every state of an order."""
        policy: Any = None
        if isinstance(self._known, SolvedGame):
            policy = self._known.policy
        elif isinstance(self._known, Tablebase):
            found = LayerPolicy.of_tablebase(self._known, FIRST)
            policy = table_policy(self._known.order, found.layer, FIRST, found.certain)
        chances = np.empty(order.size)
        if policy is None:
            for state in range(order.size):
                chances[state] = self._known.probe(order.ranking.unrank(state))
        else:
            table: Any = order.ranking.arrays
            kernels.write_chances(policy, table, self.book.rules.pieces, chances)
        return chances

    def _probed(self, state: State) -> float:
        """Return the chance of winning of the player to move, or of who has just won."""
        return 1.0 if self.book.winner(state) is not None else self._known.probe(state.position)

    def opening(self, side: int) -> float:
        """Return the chance of winning of a side under perfect play, where light begins."""
        light = self._chance(State(side=LIGHT_BEGINS))
        return light if side == LIGHT_BEGINS else 1.0 - light

    def moves(self, state: State, legal: list[int]) -> WeighedMoves:
        """Return what the legal actions lead to."""
        found = [self.book.after(state, action) for action in legal]
        mover = state.side
        won = [self.book.winner(after) == mover for after in found]
        values = [
            1.0
            if over
            else self._chance(after)
            if after.side == mover
            else 1.0 - self._chance(after)
            for after, over in zip(found, won, strict=True)
        ]
        return WeighedMoves(found, values, self.tie_width)


def all_games(scale: Scale, policy: Chances, sides: Sequence[int]) -> WeighedSums:
    """Return the means over all games in which light begins, and a policy plays each of the sides.

    Raises
    ------
    UrcxError
        If games do not end.
    TooLargeError
        If memory does not suffice.
    """
    flow = _Flow(scale, policy)
    if policy.mirrored:  # that light begins, and it is dark, is the same as that dark begins
        return flow.run(0, [sides.count(side) / len(sides) for side in (0, 1)])
    return mean_of([flow.run(side, (1.0, 0.0)) for side in sides])


def mean_of(result: Sequence[WeighedSums]) -> WeighedSums:
    """Return the mean of what happens in several games."""
    return WeighedSums(*(sum(part) / len(result) for part in zip(*result, strict=True)))


class _Steps(NamedTuple):
    """Where moves lead from some states: ``counts[s]`` of ``to``, with their probabilities.

    ``sums[s]`` has the loss, decisions and mistakes of the policy in a state.
    """

    states: IntArray
    counts: IntArray
    to: IntArray
    weights: Array
    sums: Array


class _Flow:
    """All games of a policy against perfect play."""

    def __init__(self, scale: Scale, policy: Chances) -> None:
        self.policy, self.rules = policy, scale.book.rules
        states = tiles.conventions(self.rules.path, self.rules.pieces)["positions"]
        check_memory(
            A_STATE * states + ROOM,
            f"following all games of {self.rules.name}",
            "take fewer pieces, or exact=False",
        )
        self.order = general_order(self.rules, turned=False)
        self.chances, self.equal = scale.all(self.order), scale.tie_width
        self.homes, self.steps = self.order.described()
        self.arrays = tables(self.rules)

    def run(self, side: int, begins: Sequence[float]) -> WeighedSums:
        """Return the means of games that light and dark begin with given probabilities."""
        waiting, wins = np.zeros(self.order.size), np.zeros(2)
        for first, share in enumerate(begins):
            waiting[self.order.index(Position(light_to_move=first == LIGHT_BEGINS))] = share
        met = waiting > 0.0
        total, left = np.zeros(kernels.N_SUMS), 0.0
        for layer in self._layers():
            here = (self.homes == layer).all(axis=1)
            new = np.flatnonzero(np.repeat(here, 2) & met)
            found = [self._steps(side, new)]
            while len(new):
                ends = found[-1].to
                new = np.unique(ends[ends != WON] >> 1)
                new = new[~met[new]]
                met[new] = True
                new = new[here[new >> 1]]
                found.append(self._steps(side, new))
            all_steps = _Steps(*map(np.concatenate, zip(*found, strict=True)))
            left += self._pass_on(all_steps, waiting, wins, total)
        loss, decisions, mistakes = total.tolist()
        return WeighedSums(float(wins[side]), loss, decisions, mistakes, left)

    def _layers(self) -> Iterator[tuple[int, int]]:
        """Yield both sides' pieces home, in the order in which games go through layers."""
        pieces = self.rules.pieces
        for home in range(2 * pieces - 1):
            for light in range(max(0, home - pieces + 1), min(home + 1, pieces)):
                yield light, home - light

    def _steps(self, side: int, states: IntArray) -> _Steps:
        """Return what some states lead to, the policy playing a side."""
        table: Any = self.order.ranking.arrays
        ways, rolls, chance = self.arrays.ways, self.arrays.rolls, self.arrays.chance
        first_op, ops = self.order.successors(states)
        weights, lost = np.zeros(len(ops)), np.empty(len(ops))
        asked = np.empty((len(states) * len(rolls), 3), np.int64)
        number = kernels.play_perfectly(
            states, first_op, ops, chance, self.chances, self.equal, side, weights, lost, asked
        )
        sums = np.zeros((len(states), kernels.N_SUMS))
        for first in range(0, number, MOST_ASKED):
            some = asked[first : min(number, first + MOST_ASKED)]
            views = np.empty((len(some), kernels.N_FIELDS), np.int64)
            kernels.view_decisions(table, ways, rolls, states, some, views)
            shares = self.policy.shares(views)
            kernels.take_shares(chance, some, views, shares, lost, self.equal, weights, sums)
        taken = weights > 0.0
        before = np.append(0, np.cumsum(taken))
        counts = np.diff(np.append(before[first_op], before[-1]))
        return _Steps(states, counts, ops[taken], weights[taken], sums)

    def _pass_on(self, result: _Steps, waiting: Array, wins: Array, total: Array) -> float:
        """Follow games until they leave a layer; return the probability of those that do not."""
        by = np.argsort(self.steps[result.states >> 1], kind="stable")
        ends = np.cumsum(result.counts)
        states, begins, ends = result.states[by], (ends - result.counts)[by], ends[by]
        visits = np.zeros(len(states))
        for _ in range(MAX_PLIES):
            kernels.pass_on(states, begins, ends, result.to, result.weights, waiting, visits, wins)
            left = float(waiting[states].sum())
            if left <= LEFT:
                total += visits @ result.sums[by]
                return left
        raise UrcxError(f"games of {self.policy.name} do not end within {MAX_PLIES:,} plies")


def some_games(
    scale: Scale, policy: Chances, sides: tuple[int, ...], games: int, seed: int
) -> list[WeighedSums]:
    """Return what happens in each of some games, in which a policy plays the sides in turn.

    Raises
    ------
    UrcxError
        If a game does not end.
    """
    result: list[WeighedSums] = []
    for first in range(0, games, policy.together):
        numbers = range(first, min(games, first + policy.together))
        begun = [_game(scale, policy.name, sides[k % len(sides)], seed, k) for k in numbers]
        result += _played(begun, policy)
    return result


# A game that yields the policy's decisions, and is sent how likely it takes each legal action.
Game = Generator[tuple[State, list[int]], list[float], WeighedSums]


def _played(games: list[Game], policy: Chances) -> list[WeighedSums]:
    """Play games side by side, and ask the policy for a decision of each at a time."""
    ended: list[Any] = [None] * len(games)
    answers: dict[int, Any] = dict.fromkeys(range(len(games)))
    while True:
        asked: dict[int, tuple[State, list[int]]] = {}
        for k, chances in answers.items():
            try:
                asked[k] = games[k].send(chances)
            except StopIteration as end:
                ended[k] = end.value
        if not asked:
            return ended
        shares = policy.shares(views_of(asked.values()))
        answers = {
            k: share[legal].tolist()
            for (k, (_, legal)), share in zip(asked.items(), shares, strict=True)
        }


def _game(scale: Scale, name: str, side: int, seed: int, number: int) -> Game:
    """Return a game that is played as its generator is asked for decisions."""
    game = Round(scale.book, SIDES[LIGHT_BEGINS], MAX_PLIES)
    game.begin(seed, {"game": number})
    random = np.random.default_rng((seed, number))
    loss = decisions = mistakes = 0.0
    while not game.is_over:
        state, legal = game.state, scale.book.legal(game.state)
        taken = 0
        if len(legal) > 1:
            moves = scale.moves(state, legal)
            taken = moves.best
            if state.side == side:
                chances = yield state, legal
                lost, mistaken = moves.lost(chances)
                loss += lost
                decisions += 1
                mistakes += mistaken
                taken = int(random.choice(len(legal), p=chances))
        game.play(legal[taken])
    if game.winner is None:
        raise UrcxError(f"game {number} of {name} does not end within {MAX_PLIES:,} plies")
    return WeighedSums(float(game.winner == side), loss, decisions, mistakes)
