"""What a policy's decisions lose in games against perfect play, over all games or in some.

All games are followed as in `urcx.expectations.expected`, for any policy and path: the states that
they can come to are searched from the start, with the probability of each step, and then
probability flows along these steps until practically all of it has reached the end.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urcx.envs.choosers import Chances
from urcx.envs.rounds import Round
from urcx.envs.states import Rulebook, State
from urcx.errors import UrcxError
from urcx.game import SIDES
from urcx.games.simulator import MAX_PLIES
from urcx.solving.probing import WinningChances as Known

EQUAL = 1e-11  # chances that differ by no more than the bounds of a solution
TOLERANCE = 1e-12  # of probability that need not be followed to the end
LIGHT_BEGINS = 0
MOST_KEPT = 1 << 18  # chances, so that a tablebase is not asked twice


class WeighedSums(NamedTuple):
    """What happens in a game, on average or in one: see `urcx.envs.judging.Judgement`.

    ``left`` is the probability of the games that were not followed to their end.
    """

    won: float
    loss: float
    decisions: float
    mistakes: float
    left: float = 0.0


class WeighedMoves(NamedTuple):
    """What a state's actions lead to, and the mover's chance of winning there."""

    after: list[State]
    values: list[float]

    @property
    def best(self) -> int:
        """Return the index of the best action, that of the least advanced piece if several are."""
        return self.values.index(max(self.values))

    def lost(self, chances: list[float]) -> tuple[float, float]:
        """Return what is lost on average if actions are so likely, and how likely anything is."""
        most = max(self.values)
        lost = [most - value for value in self.values]
        pairs = list(zip(chances, lost, strict=True))
        return sum(p * x for p, x in pairs), sum(p for p, x in pairs if x > EQUAL)


class Scale:
    """What perfect play says of states.

    Parameters
    ----------
    book
        The rules.
    known
        The chances of winning, as `urcx.played.values.opened` gives them.
    """

    def __init__(self, book: Rulebook, known: Known) -> None:
        self.book, self._known = book, known
        self._chance = lru_cache(MOST_KEPT)(self._probed)

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
        return WeighedMoves(found, values)


def all_games(scale: Scale, policy: Chances, side: int) -> WeighedSums:
    """Return the means over all games in which a policy plays one side and light begins.

    Raises
    ------
    UrcxError
        If games do not end.
    """
    graph = _Graph(scale, policy, side)
    rows, columns = np.array(graph.steps, np.int64).reshape(-1, 2).T
    weights = np.array(graph.weights)
    visits = _visits(len(graph.numbers), rows, columns, weights)
    won, loss, decisions, mistakes = visits[0] @ np.array(graph.sums)
    return WeighedSums(float(won), float(loss), float(decisions), float(mistakes), visits[1])


def _visits(
    states: int, rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return how often games come to each state, and the probability that was not followed."""
    now: NDArray[np.float64] = np.zeros(states)
    now[0] = 1.0
    visits = now.copy()
    for _ in range(MAX_PLIES):
        now = np.bincount(columns, weights * now[rows], states).astype(np.float64, copy=False)
        visits += now
        left = float(now.sum())
        if left < TOLERANCE:
            return visits, left
    raise UrcxError(f"games of this policy do not end within {MAX_PLIES:,} plies")


class _Graph:
    """The states that games come to, the start first, and the steps between them.

    ``sums`` has for each state the probability that the policy wins at once, the loss, decisions
    and mistakes there.
    """

    def __init__(self, scale: Scale, policy: Chances, side: int) -> None:
        self.scale, self.policy, self.side = scale, policy, side
        self.numbers: dict[State, int] = {}
        self.steps: list[tuple[int, int]] = []
        self.weights: list[float] = []
        self.sums: list[list[float]] = []
        self._open: list[State] = []
        self._number(State(side=LIGHT_BEGINS))
        dice = scale.book.rules.dice
        rolls = [(r, float(p)) for r, p in zip(dice.rolls, dice.probabilities, strict=True)]
        while self._open:
            before = self._open.pop()
            for roll, chance in rolls:
                self._follow(self.numbers[before], before._replace(roll=roll), chance)

    def _number(self, state: State) -> int:
        if state not in self.numbers:
            self.numbers[state] = len(self.numbers)
            self.sums.append([0.0] * 4)
            self._open.append(state)
        return self.numbers[state]

    def _follow(self, number: int, state: State, chance: float) -> None:
        """Add what follows one roll."""
        book = self.scale.book
        legal = book.legal(state)
        if len(legal) == 1:
            self._step(number, book.after(state, legal[0]), chance)
            return
        moves = self.scale.moves(state, legal)
        if state.side != self.side:
            self._step(number, moves.after[moves.best], chance)
            return
        shares = self.policy(state, legal)
        loss, mistaken = moves.lost(shares)
        for k, value in enumerate((loss, 1.0, mistaken), start=1):
            self.sums[number][k] += chance * value
        for after, share in zip(moves.after, shares, strict=True):
            if share:
                self._step(number, after, chance * share)

    def _step(self, number: int, after: State, chance: float) -> None:
        """Add a step to another state, or the end of the game."""
        winner = self.scale.book.winner(after)
        if winner is None:
            self.steps.append((number, self._number(after)))
            self.weights.append(chance)
        else:
            self.sums[number][0] += chance * (winner == self.side)


def some_games(
    scale: Scale, policy: Chances, sides: tuple[int, ...], games: int, seed: int
) -> list[WeighedSums]:
    """Return what happens in each of some games, in which a policy plays the sides in turn.

    Raises
    ------
    UrcxError
        If a game does not end.
    """
    return [_played(scale, policy, sides[k % len(sides)], seed, k) for k in range(games)]


def _played(scale: Scale, policy: Chances, side: int, seed: int, number: int) -> WeighedSums:
    """Return what happens in one game."""
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
                chances = policy(state, legal)
                lost, mistaken = moves.lost(chances)
                loss += lost
                decisions += 1
                mistakes += mistaken
                taken = int(random.choice(len(legal), p=chances))
        game.play(legal[taken])
    if game.winner is None:
        raise UrcxError(f"game {number} of {policy.name} does not end within {MAX_PLIES:,} plies")
    return WeighedSums(float(game.winner == side), loss, decisions, mistakes)
