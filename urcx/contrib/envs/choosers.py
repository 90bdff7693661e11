"""Policies of all kinds as one: how likely is each action in many decisions.

What is judged may be an agent of urcx, a policy or bot of OpenSpiel, or a function of an
environment's observations, of one or of many at a time. Decisions are rows of
`urcx.contrib.envs.weighing_kernels`.
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

ROUNDING = 1e-6  # of probabilities, which are often of 32 bits
MOST_ASKED = 1 << 16  # decisions that a policy is asked for at a time
OWN_ARGUMENTS = 3  # position, roll and moves, of a function that is an agent of urcx

Views = NDArray[np.int64]


class Chances(Protocol):
    """What says how likely a policy takes each action where two or more are legal.

    Attributes
    ----------
    name : str
    by_state : bool
        Whether these depend on the state alone, as an exact judgement needs.
    mirrored : bool
        Whether it plays light as it plays dark where the sides are exchanged.
    together : int
        How many games are best played side by side.
    """

    name: str
    by_state: bool
    mirrored: bool
    together: int

    def shares(self, views: Views) -> NDArray[np.float64]:
        """Return how likely it takes each action in some decisions, 0 for the illegal ones."""


class OneByOne(ABC):
    """Policies that are asked for one decision after another."""

    book: Rulebook
    mirrored = False  # a policy may be made for one of the sides
    together = 1

    @abstractmethod
    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions."""

    def shares(self, views: Views) -> NDArray[np.float64]:
        """Return how likely it takes each action in some decisions, 0 for the illegal ones."""
        result = np.zeros((len(views), self.book.actions))
        for share, view in zip(result, views.tolist(), strict=True):
            state = state_in_view(view)
            legal = self.book.legal(state)
            share[legal] = self(state, legal)
        return result


class AgentChances(ReadyAgent, OneByOne):
    """Those of an agent of urcx."""

    by_state = True

    def __init__(self, book: Rulebook, player: str | Agent | CustomAgent) -> None:
        super().__init__(book, player)
        self.name = self.agent.name

    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions; raises `UsageError` as the agent does."""
        if self.policy is None:
            game = self.book.game(state)
            moves = game.legal_moves(state.roll)
            return [float(x) for x in custom_probabilities(self.agent, game, state.roll, moves)]
        best = self.best(state, sum(1 << start for start in legal))
        equal = tuple(start for start in legal if best >> start & 1)
        good, errs = moves_by_ties(equal, self.policy.ties), share_of(self.policy)
        return [(1 - errs) * (start in good) / len(good) + errs / len(legal) for start in legal]


class ObservationChances(OneByOne):
    """Those of a function of an observation, and of the mask if it takes two arguments."""

    by_state = True

    def __init__(self, book: Rulebook, function: Callable[..., Any], *, masked: bool) -> None:
        self.book, self.function, self.masked = book, function, masked
        self.name = _name_of(function)

    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions.

        Raises
        ------
        UsageError
            If the function fails, or returns neither a legal action nor probabilities of all
            actions that are 0 for the illegal ones and add up to 1.
        """
        given: list[Any] = [self.book.observation(state, state.side)]
        if self.masked:
            given.append(self.book.mask(state, state.side))
        try:
            said = self.function(*given)
            found = np.asarray(said)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # exit, too
            raise UsageError(_fails(self.name, state, error)) from error
        if found.shape == (self.book.actions,):
            return _checked(self.name, state, dict(enumerate(found.tolist())), legal)
        chosen = self.book.checked(state, said)
        return [float(action == chosen) for action in legal]


class BatchChances:
    """Those of a function of many observations, and of their masks if it takes two arguments."""

    by_state = True
    together = 1 << 10

    def __init__(self, book: Rulebook, function: Callable[..., Any], *, masked: bool) -> None:
        self.book, self.function, self.masked = book, function, masked
        self.mirrored = book.rules.path.symmetric
        self.name = _name_of(function)

    def shares(self, views: Views) -> NDArray[np.float64]:
        """Return how likely it takes each action in some decisions.

        Raises
        ------
        UsageError
            If the function fails, or returns neither a legal action for each nor a row of
            probabilities of all actions, as `ObservationChances` has it.
        """
        number, actions = len(views), self.book.actions
        seen = np.empty((number, self.book.size), np.float32)
        masks = np.empty((number, actions), np.int8)
        observe_decisions(self.book.ways, self.book.rolls, views, seen, masks)
        try:
            given = (seen, masks.copy()) if self.masked else (seen,)
            said = np.asarray(self.function(*given))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise UsageError(
                f"the policy {self.name} fails with {number:,} observations: "
                f"{exception_text(error)}"
            ) from error
        legal = masks.astype(np.bool_)
        if said.shape == (number,) and said.dtype.kind in "iu":
            inside = (said >= 0) & (said < actions)
            rows = np.arange(number)
            wrong = ~(inside & legal[rows, np.where(inside, said, 0)])
            if wrong.any():
                first = int(np.argmax(wrong))
                self.book.checked(state_in_view(views[first].tolist()), int(said[first]))  # raises
            shares: NDArray[np.float64] = np.zeros((number, actions))
            shares[rows, said] = 1.0
            return shares
        if said.shape != (number, actions) or said.dtype.kind not in "fiub":
            raise UsageError(
                f"the policy {self.name} returns an array of shape {said.shape} and type "
                f"{said.dtype} for {number:,} observations, not {number:,} actions or rows of "
                f"{actions} probabilities"
            )
        shares = said.astype(np.float64)
        totals = shares.sum(axis=1)
        fits = (shares >= 0.0).all(axis=1) & ~(shares.astype(np.bool_) & ~legal).any(axis=1)
        wrong = ~(fits & (np.abs(totals - 1.0) <= ROUNDING))
        if wrong.any():
            first = int(np.argmax(wrong))
            state, row = state_in_view(views[first].tolist()), shares[first].tolist()
            _checked(self.name, state, dict(enumerate(row)), self.book.legal(state))  # raises
        shares /= totals[:, None]
        return shares


class SpielChances(OneByOne):
    """Those of a policy of OpenSpiel; a bot is asked for its step, which may be random."""

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
            If the policy fails, or what it returns is not probabilities of legal actions.
        """
        spiel = self.game.state_at(state)
        try:
            if self.bot:
                said = {index(self.policy.step(spiel)): 1.0}
            else:
                said = dict(self.policy.action_probabilities(spiel, state.side))
        except (UrcxError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise UsageError(_fails(self.name, state, error)) from error
        return _checked(self.name, state, said, legal)


def views_of(decisions: Iterable[tuple[State, list[int]]]) -> Views:
    """Return states, each with its legal actions, as rows for policies."""
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
    """Return the state that such a row is of."""
    boards, homes = (view[OWN], view[OTHER]), (view[OWN_HOME], view[OTHER_HOME])
    if view[SIDE]:
        boards, homes = boards[::-1], homes[::-1]
    return State(boards, homes, view[SIDE], view[ROLL])


def _name_of(function: Callable[..., Any]) -> str:
    name = get_attribute(function, "__name__")
    return name if isinstance(name, str) else type(function).__name__


def _fails(name: str, state: State, error: BaseException) -> str:
    where = f"in {state.position} with roll {state.roll}"
    return f"the policy {name} fails {where}: {exception_text(error)}"


def _checked(name: str, state: State, text: dict[int, Any], legal: list[int]) -> list[float]:
    """Return the probabilities of the legal actions; raises `UsageError` if they are none."""
    where = f"in {state.position} with roll {state.roll}"
    try:
        chances = [float(text.pop(action, 0.0)) for action in legal]
        rest = [float(value) for value in text.values()]
    except (TypeError, ValueError):
        raise UsageError(f"the policy {name} gives no probabilities {where}") from None
    if any(rest):
        known = ", ".join(map(str, legal))
        raise UsageError(f"the policy {name} plays illegal actions {where}; legal: {known}")
    total = sum(chances)
    if min(chances) < 0 or not abs(total - 1.0) <= ROUNDING:
        raise UsageError(f"the policy {name} gives probabilities {where} whose sum is {total:g}")
    return [chance / total for chance in chances]


def chances_of(book: Rulebook, policy: Any, *, batched: bool = False) -> Chances:
    """Return how likely a policy of any kind takes each action; of many at a time if ``batched``.

    Raises
    ------
    UsageError
        If it is none, or an agent that cannot play these rules.
    """
    if batched:
        if not callable(policy):
            raise WrongObjectError("policy", FunctionType, policy)
        return BatchChances(book, policy, masked=_arguments(policy) > 1)
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
    arguments = _arguments(policy)
    if arguments == OWN_ARGUMENTS:
        return AgentChances(book, policy)
    return ObservationChances(book, policy, masked=arguments == 2)


def _arguments(function: Callable[..., Any]) -> int:
    """Return how many arguments a function needs, all by position; 1 if that is not known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in by_place and p.default is inspect.Parameter.empty for p in parameters)
