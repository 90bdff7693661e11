"""The losses of a policy's decisions in games against optimal play: in all games, or in some.

All games are followed as in `urcx.expectations.tiles`, for any policy and path, from the start to
the end. A layer is all states with the same pieces home. In each layer, the states that games reach
are determined first, many at a time, and the policy decides only in these. Then probability is
passed from state to state until practically all of it has left the layer.
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

LEFT = 1e-15  # the probability that may remain in a layer
A_STATE, ROOM = 300, 200_000_000  # bytes to follow all games: per state, and the rest
LIGHT_BEGINS = 0
MOST_KEPT = 1 << 18  # cached win probabilities, to probe a tablebase once per state

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


class WeighedSums(NamedTuple):
    """The sums of one game, or their means: see `urcx.contrib.envs.judging.Judgement`.

    ``left`` is the probability of the games that were not followed to their end.
    """

    won: float
    loss: float
    decisions: float
    mistakes: float
    left: float = 0.0


class WeighedMoves(NamedTuple):
    """The successors of a state by action, with the mover's win probability in each.

    Actions within ``tie_width`` of the best are equally good.
    """

    after: list[State]
    values: list[float]
    tie_width: float

    @property
    def best(self) -> int:
        """Return the index of the best action, or of the first if several are best."""
        return losses(self.values, self.tie_width).index(0.0)

    def lost(self, chances: list[float]) -> tuple[float, float]:
        """Return the mean loss and the probability of a loss, from the actions' probabilities."""
        most = max(self.values)
        losses_by_move = [most - value for value in self.values]
        pairs = list(zip(chances, losses_by_move, strict=True))
        return sum(p * x for p, x in pairs), sum(p for p, x in pairs if x > self.tie_width)


class Scale:
    """The win probabilities of states under optimal play.

    Parameters
    ----------
    book
        The rules.
    known
        The solution, from `urcx.played.values.open_chances`.
    """

    def __init__(self, book: Rulebook, known: Known) -> None:
        self.book, self._solution, self.tie_width = book, known, width_of(known)
        self._chance = lru_cache(MOST_KEPT)(self._probed)

    def all(self, order: GeneralOrder) -> Array:
        """Return the win probability of the player to move in every state of an order."""
        policy: Any = None
        if isinstance(self._solution, SolvedGame):
            policy = self._solution.policy
        elif isinstance(self._solution, Tablebase):
            layer_policy = LayerPolicy.of_tablebase(self._solution, FIRST)
            policy = table_policy(
                self._solution.order, layer_policy.layer, FIRST, layer_policy.certain
            )
        chances = np.empty(order.size)
        if policy is None:
            for state in range(order.size):
                chances[state] = self._solution.probe(order.ranking.unrank(state))
        else:
            table: Any = order.ranking.arrays
            kernels.write_chances(policy, table, self.book.rules.pieces, chances)
        return chances

    def _probed(self, state: State) -> float:
        """Return the win probability of the player to move, or 1 if a player has just won."""
        return 1.0 if self.book.winner(state) is not None else self._solution.probe(state.position)

    def opening(self, side: int) -> float:
        """Return the win probability of a side under optimal play if light begins."""
        light = self._chance(State(side=LIGHT_BEGINS))
        return light if side == LIGHT_BEGINS else 1.0 - light

    def moves(self, state: State, legal: list[int]) -> WeighedMoves:
        """Return the successors by legal action."""
        successors = [self.book.after(state, action) for action in legal]
        mover = state.side
        wins = [self.book.winner(after) == mover for after in successors]
        values = [
            1.0
            if over
            else self._chance(after)
            if after.side == mover
            else 1.0 - self._chance(after)
            for after, over in zip(successors, wins, strict=True)
        ]
        return WeighedMoves(successors, values, self.tie_width)


def all_games(scale: Scale, policy: Chances, sides: Sequence[int]) -> WeighedSums:
    """Return the means over all games in which light begins, for a policy on each of the sides.

    Raises
    ------
    UrcxError
        If games do not end.
    TooLargeError
        If there is not enough memory.
    """
    flow = _Flow(scale, policy)
    if policy.mirrored:  # a policy that is dark while light begins is like light while dark begins
        return flow.run(0, [sides.count(side) / len(sides) for side in (0, 1)])
    return mean_of([flow.run(side, (1.0, 0.0)) for side in sides])


def mean_of(games: Sequence[WeighedSums]) -> WeighedSums:
    """Return the means over several games."""
    return WeighedSums(*(sum(part) / len(games) for part in zip(*games, strict=True)))


class _Steps(NamedTuple):
    """The successors of states: state s has ``counts[s]`` of ``to``, with their probabilities.

    ``sums[s]`` has the loss, decisions and mistakes of the policy in a state.
    """

    states: IntArray
    counts: IntArray
    to: IntArray
    weights: Array
    sums: Array


class _Flow:
    """All games of a policy against optimal play."""

    def __init__(self, scale: Scale, policy: Chances) -> None:
        self.policy, self.rules = policy, scale.book.rules
        states = tiles.conventions(self.rules.path, self.rules.pieces)["positions"]
        check_memory(
            A_STATE * states + ROOM,
            f"following all games of {self.rules.name}",
            "choose fewer pieces, or exact=False",
        )
        self.order = general_order(self.rules, turned=False)
        self.chances, self.equal = scale.all(self.order), scale.tie_width
        self.homes, self.steps = self.order.described()
        self.arrays = tables(self.rules)

    def run(self, side: int, begins: Sequence[float]) -> WeighedSums:
        """Return the means of games, from the probabilities that light and dark begin."""
        waiting, wins = np.zeros(self.order.size), np.zeros(2)
        for first, share in enumerate(begins):
            waiting[self.order.index(Position(light_to_move=first == LIGHT_BEGINS))] = share
        visited = waiting > 0.0
        total, left = np.zeros(kernels.N_SUMS), 0.0
        for layer in self._layers():
            here = (self.homes == layer).all(axis=1)
            new = np.flatnonzero(np.repeat(here, 2) & visited)
            steps = [self._steps(side, new)]
            while len(new):
                ends = steps[-1].to
                new = np.unique(ends[ends != WON] >> 1)
                new = new[~visited[new]]
                visited[new] = True
                new = new[here[new >> 1]]
                steps.append(self._steps(side, new))
            all_steps = _Steps(*map(np.concatenate, zip(*steps, strict=True)))
            left += self._pass_on(all_steps, waiting, wins, total)
        loss, decisions, mistakes = total.tolist()
        return WeighedSums(float(wins[side]), loss, decisions, mistakes, left)

    def _layers(self) -> Iterator[tuple[int, int]]:
        """Yield both sides' pieces home, in the order in which games pass through layers."""
        pieces = self.rules.pieces
        for home in range(2 * pieces - 1):
            for light in range(max(0, home - pieces + 1), min(home + 1, pieces)):
                yield light, home - light

    def _steps(self, side: int, states: IntArray) -> _Steps:
        """Return the successors of states if the policy plays a side."""
        table: Any = self.order.ranking.arrays
        ways, rolls, chance = self.arrays.ways, self.arrays.rolls, self.arrays.chance
        first_op, ops = self.order.successors(states)
        weights, lost = np.zeros(len(ops)), np.empty(len(ops))
        decisions = np.empty((len(states) * len(rolls), 3), np.int64)
        n_decisions = kernels.play_perfectly(
            states, first_op, ops, chance, self.chances, self.equal, side, weights, lost, decisions
        )
        sums = np.zeros((len(states), kernels.N_SUMS))
        for first in range(0, n_decisions, MOST_ASKED):
            chunk = decisions[first : min(n_decisions, first + MOST_ASKED)]
            views = np.empty((len(chunk), kernels.N_FIELDS), np.int64)
            kernels.view_decisions(table, ways, rolls, states, chunk, views)
            shares = self.policy.shares(views)
            kernels.take_shares(chance, chunk, views, shares, lost, self.equal, weights, sums)
        played = weights > 0.0
        before = np.append(0, np.cumsum(played))
        counts = np.diff(np.append(before[first_op], before[-1]))
        return _Steps(states, counts, ops[played], weights[played], sums)

    def _pass_on(self, result: _Steps, waiting: Array, wins: Array, total: Array) -> float:
        """Follow games until they leave a layer, and return the probability that remains in it."""
        order = np.argsort(self.steps[result.states >> 1], kind="stable")
        ends = np.cumsum(result.counts)
        states, begins, ends = result.states[order], (ends - result.counts)[order], ends[order]
        visits = np.zeros(len(states))
        for _ in range(MAX_PLIES):
            kernels.pass_on(states, begins, ends, result.to, result.weights, waiting, visits, wins)
            left = float(waiting[states].sum())
            if left <= LEFT:
                total += visits @ result.sums[order]
                return left
        raise UrcxError(f"games of {self.policy.name} do not end within {MAX_PLIES:,} plies")


def some_games(
    scale: Scale, policy: Chances, sides: tuple[int, ...], games: int, seed: int
) -> list[WeighedSums]:
    """Return the sums of each game, in which a policy plays the sides in turn.

    Raises
    ------
    UrcxError
        If a game does not end.
    """
    result: list[WeighedSums] = []
    for first in range(0, games, policy.together):
        numbers = range(first, min(games, first + policy.together))
        started = [_game(scale, policy.name, sides[k % len(sides)], seed, k) for k in numbers]
        result += _play_games(started, policy)
    return result


# A game that yields the policy's decisions, and receives the probability of each legal action.
Game = Generator[tuple[State, list[int]], list[float], WeighedSums]


def _play_games(games: list[Game], policy: Chances) -> list[WeighedSums]:
    """Play games side by side. Each call of the policy has a decision of each game."""
    ended: list[Any] = [None] * len(games)
    answers: dict[int, Any] = dict.fromkeys(range(len(games)))
    while True:
        decisions: dict[int, tuple[State, list[int]]] = {}
        for k, chances in answers.items():
            try:
                decisions[k] = games[k].send(chances)
            except StopIteration as end:
                ended[k] = end.value
        if not decisions:
            return ended
        shares = policy.shares(views_of(decisions.values()))
        answers = {
            k: share[legal].tolist()
            for (k, (_, legal)), share in zip(decisions.items(), shares, strict=True)
        }


def _game(scale: Scale, name: str, side: int, seed: int, number: int) -> Game:
    """Return a game as a generator, which yields decisions of the policy and plays all others."""
    game = Round(scale.book, SIDES[LIGHT_BEGINS], MAX_PLIES)
    game.begin(seed, {"game": number})
    random = np.random.default_rng((seed, number))
    loss = decisions = mistakes = 0.0
    while not game.is_over:
        state, legal = game.state, scale.book.legal(game.state)
        chosen = 0
        if len(legal) > 1:
            moves = scale.moves(state, legal)
            chosen = moves.best
            if state.side == side:
                chances = yield state, legal
                lost, mistaken = moves.lost(chances)
                loss += lost
                decisions += 1
                mistakes += mistaken
                chosen = int(random.choice(len(legal), p=chances))
        game.play(legal[chosen])
    if game.winner is None:
        raise UrcxError(f"game {number} of {name} does not end within {MAX_PLIES:,} plies")
    return WeighedSums(float(game.winner == side), loss, decisions, mistakes)
