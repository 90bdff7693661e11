"""One interface for policies of all kinds: the probabilities of the actions in many decisions.

A policy can be an agent of urcx, a policy or bot of OpenSpiel, or a function of one observation or
of many. Decisions are rows with the columns of `urcx.contrib.envs.weighing_kernels`.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from operator import index
from types import FunctionType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from urcx.agents.advice import moves_by_ties
from urcx.agents.agent_kernels import share_of
from urcx.agents.agents import Agent
from urcx.agents.own_agents import CustomAgent, custom_probabilities
from urcx.contrib.envs.opponents import ReadyAgent
from urcx.contrib.envs.states import Rulebook, State
from urcx.contrib.envs.weighing_kernels import (
    LEGAL,
    N_FIELDS,
    OTHER,
    OTHER_HOME,
    OWN,
    OWN_HOME,
    ROLL,
    SIDE,
    observe_decisions,
)
from urcx.errors import UrcxError, UsageError, WrongObjectError, exception_text, get_attribute

ROUNDING = 1e-6  # of probabilities, which often have 32 bits
MOST_ASKED = 1 << 16  # the most decisions per call of a policy
OWN_ARGUMENTS = 3  # position, roll and moves: the arguments of a function that is an agent of urcx

Views = NDArray[np.int64]


class Chances(Protocol):
    """The probabilities with which a policy takes each action if two or more are legal.

    Attributes
    ----------
    name : str
    by_state : bool
        Whether the probabilities depend on the state alone, which an exact judgement requires.
    mirrored : bool
        Whether the policy plays light in the same way as dark with the sides exchanged.
    together : int
        The best number of games to play side by side.
    """

    name: str
    by_state: bool
    mirrored: bool
    together: int

    def shares(self, views: Views) -> NDArray[np.float64]:
        """Return the probability of each action in each decision, 0 for illegal actions."""


class OneByOne(ABC):
    """Policies that make one decision per call."""

    book: Rulebook
    mirrored = False  # a policy may be made for one side only
    together = 1

    @abstractmethod
    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions."""

    def shares(self, views: Views) -> NDArray[np.float64]:
        """Return the probability of each action in each decision, 0 for illegal actions."""
        result = np.zeros((len(views), self.book.actions))
        for share, view in zip(result, views.tolist(), strict=True):
            state = state_in_view(view)
            legal = self.book.legal(state)
            share[legal] = self(state, legal)
        return result


class AgentChances(ReadyAgent, OneByOne):
    """The probabilities of an agent of urcx."""

    by_state = True

    def __init__(self, book: Rulebook, player: str | Agent | CustomAgent) -> None:
        super().__init__(book, player)
        self.name = self.agent.name

    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions. Raise `UsageError` as the agent does."""
        if self.policy is None:
            game = self.book.game(state)
            moves = game.legal_moves(state.roll)
            return [float(x) for x in custom_probabilities(self.agent, game, state.roll, moves)]
        best = self.best(state, sum(1 << start for start in legal))
        equal = tuple(start for start in legal if best >> start & 1)
        good, errs = moves_by_ties(equal, self.policy.ties), share_of(self.policy)
        return [(1 - errs) * (start in good) / len(good) + errs / len(legal) for start in legal]


class ObservationChances(OneByOne):
    """The probabilities from a function of an observation, or of an observation and the mask."""

    by_state = True

    def __init__(self, book: Rulebook, function: Callable[..., Any], *, masked: bool) -> None:
        self.book, self.function, self.masked = book, function, masked
        self.name = _name_of(function)

    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions.

        Raises
        ------
        UsageError
            If the function fails, or if it returns neither a legal action nor a probability for
            each action, 0 for illegal actions, with the sum 1.
        """
        arguments: list[Any] = [self.book.observation(state, state.side)]
        if self.masked:
            arguments.append(self.book.mask(state, state.side))
        try:
            answer = self.function(*arguments)
            values = np.asarray(answer)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # including exit
            raise UsageError(_failure_text(self.name, state, error)) from error
        if values.shape == (self.book.actions,):
            return _checked_probabilities(self.name, state, dict(enumerate(values.tolist())), legal)
        chosen = self.book.checked(state, answer)
        return [float(action == chosen) for action in legal]


class BatchChances:
    """The probabilities from a function of many observations, or of observations and masks."""

    by_state = True
    together = 1 << 10

    def __init__(self, book: Rulebook, function: Callable[..., Any], *, masked: bool) -> None:
        self.book, self.function, self.masked = book, function, masked
        self.mirrored = book.rules.path.symmetric
        self.name = _name_of(function)

    def shares(self, views: Views) -> NDArray[np.float64]:
        """Return the probability of each action in each decision.

        Raises
        ------
        UsageError
            If the function fails, or if it returns, for each observation, neither a legal action
            nor a row of probabilities as for `ObservationChances`.
        """
        n_views, actions = len(views), self.book.actions
        observations = np.empty((n_views, self.book.size), np.float32)
        masks = np.empty((n_views, actions), np.int8)
        observe_decisions(self.book.ways, self.book.rolls, views, observations, masks)
        try:
            arguments = (observations, masks.copy()) if self.masked else (observations,)
            answer = np.asarray(self.function(*arguments))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise UsageError(
                f"the policy {self.name} fails with {n_views:,} observations: "
                f"{exception_text(error)}"
            ) from error
        legal = masks.astype(np.bool_)
        if answer.shape == (n_views,) and answer.dtype.kind in "iu":
            inside = (answer >= 0) & (answer < actions)
            rows = np.arange(n_views)
            wrong = ~(inside & legal[rows, np.where(inside, answer, 0)])
            if wrong.any():
                first = int(np.argmax(wrong))
                self.book.checked(
                    state_in_view(views[first].tolist()), int(answer[first])
                )  # raises
            shares: NDArray[np.float64] = np.zeros((n_views, actions))
            shares[rows, answer] = 1.0
            return shares
        if answer.shape != (n_views, actions) or answer.dtype.kind not in "fiub":
            raise UsageError(
                f"the policy {self.name} returns an array of shape {answer.shape} and type "
                f"{answer.dtype} for {n_views:,} observations, not {n_views:,} actions or rows of "
                f"{actions} probabilities"
            )
        shares = answer.astype(np.float64)
        totals = shares.sum(axis=1)
        fits = (shares >= 0.0).all(axis=1) & ~(shares.astype(np.bool_) & ~legal).any(axis=1)
        wrong = ~(fits & (np.abs(totals - 1.0) <= ROUNDING))
        if wrong.any():
            first = int(np.argmax(wrong))
            state, row = state_in_view(views[first].tolist()), shares[first].tolist()
            _checked_probabilities(
                self.name, state, dict(enumerate(row)), self.book.legal(state)
            )  # raises
        shares /= totals[:, None]
        return shares


class SpielChances(OneByOne):
    """The probabilities of a policy of OpenSpiel, or the step of a bot, which may be random."""

    def __init__(self, book: Rulebook, policy: Any, *, bot: bool) -> None:
        from urcx.contrib.envs.openspiel import load_game

        self.game = load_game(book.rules)
        self.book, self.policy, self.bot = book, policy, bot
        self.by_state = not bot
        self.name = type(policy).__name__

    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions.

        Raises
        ------
        UsageError
            If the policy fails, or does not return probabilities of legal actions.
        """
        spiel = self.game.state_at(state)
        try:
            if self.bot:
                probabilities = {index(self.policy.step(spiel)): 1.0}
            else:
                probabilities = dict(self.policy.action_probabilities(spiel, state.side))
        except (UrcxError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise UsageError(_failure_text(self.name, state, error)) from error
        return _checked_probabilities(self.name, state, probabilities, legal)


def views_of(decisions: Iterable[tuple[State, list[int]]]) -> Views:
    """Return the states, each with its legal actions, in rows for policies."""
    rows = []
    for state, legal in decisions:
        side, other = state.side, 1 - state.side
        row = [0] * N_FIELDS
        row[OWN], row[OWN_HOME] = state.boards[side], state.homes[side]
        row[OTHER], row[OTHER_HOME] = state.boards[other], state.homes[other]
        row[SIDE], row[ROLL], row[LEGAL] = side, state.roll, sum(1 << start for start in legal)
        rows.append(row)
    return np.array(rows, np.int64)


def state_in_view(view: list[int]) -> State:
    """Return the state of a row of `views_of`."""
    boards, homes = (view[OWN], view[OTHER]), (view[OWN_HOME], view[OTHER_HOME])
    if view[SIDE]:
        boards, homes = boards[::-1], homes[::-1]
    return State(boards, homes, view[SIDE], view[ROLL])


def _name_of(function: Callable[..., Any]) -> str:
    name = get_attribute(function, "__name__")
    return name if isinstance(name, str) else type(function).__name__


def _failure_text(name: str, state: State, error: BaseException) -> str:
    where = f"in {state.position} with roll {state.roll}"
    return f"the policy {name} fails {where}: {exception_text(error)}"


def _checked_probabilities(
    name: str, state: State, probabilities: dict[int, Any], legal: list[int]
) -> list[float]:
    """Return the probabilities of the legal actions, or raise `UsageError` if they are invalid."""
    where = f"in {state.position} with roll {state.roll}"
    try:
        chances = [float(probabilities.pop(action, 0.0)) for action in legal]
        rest = [float(value) for value in probabilities.values()]
    except (TypeError, ValueError):
        raise UsageError(
            f"the policy {name} {where} must return probabilities, which are numbers"
        ) from None
    if any(rest):
        legal_text = ", ".join(map(str, legal))
        raise UsageError(f"the policy {name} plays illegal actions {where}; legal: {legal_text}")
    total = sum(chances)
    if min(chances) < 0 or not abs(total - 1.0) <= ROUNDING:
        raise UsageError(
            f"the policy {name} {where} must return probabilities from 0 to 1 whose sum is 1, "
            f"not {total:g}"
        )
    return [chance / total for chance in chances]


def chances_of(book: Rulebook, policy: Any, *, batched: bool = False) -> Chances:
    """Return the interface to a policy of any kind. ``batched`` policies take many observations.

    Raises
    ------
    UsageError
        If the object is not a policy, or is an agent that cannot play these rules.
    """
    if batched:
        if not callable(policy):
            raise WrongObjectError("policy", FunctionType, policy)
        return BatchChances(book, policy, masked=_count_arguments(policy) > 1)
    if isinstance(policy, str | Agent) or get_attribute(policy, "choose") is not None:
        return AgentChances(book, policy)
    if callable(get_attribute(policy, "action_probabilities")):
        return SpielChances(book, policy, bot=False)
    if (
        callable(get_attribute(policy, "step"))
        and get_attribute(policy, "inform_action") is not None
    ):
        return SpielChances(book, policy, bot=True)
    if not callable(policy):
        raise WrongObjectError("policy", Agent, policy, "a function, a policy of OpenSpiel")
    n_arguments = _count_arguments(policy)
    if n_arguments == OWN_ARGUMENTS:
        return AgentChances(book, policy)
    return ObservationChances(book, policy, masked=n_arguments == 2)


def _count_arguments(function: Callable[..., Any]) -> int:
    """Return the number of positional arguments that a function needs, or 1 if it is unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in by_place and p.default is inspect.Parameter.empty for p in parameters)
