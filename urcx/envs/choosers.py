"""Policies of all kinds as one: how likely is each legal action in a state.

What is judged may be an agent of urcx, a policy or bot of OpenSpiel, or a function of an
environment's observations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from operator import index
from typing import Any, Protocol

import numpy as np

from urcx.agents.advice import after_ties
from urcx.agents.agent_kernels import share_of
from urcx.agents.agents import Agent
from urcx.agents.own_agents import Chooser, own_chances
from urcx.envs.opponents import ReadyAgent
from urcx.envs.states import Rulebook, State
from urcx.errors import UrcxError, UsageError, WrongObjectError, fault, member

ROUNDING = 1e-6  # of probabilities, which are often of 32 bits
OWN_ARGUMENTS = 3  # position, roll and moves, of a function that is an agent of urcx


class Chances(Protocol):
    """What says how likely a policy takes each of two or more legal actions.

    Attributes
    ----------
    name : str
    by_state : bool
        Whether these depend on the state alone, as an exact judgement needs.
    """

    name: str
    by_state: bool

    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions."""


class AgentChances(ReadyAgent):
    """Those of an agent of urcx."""

    by_state = True

    def __init__(self, book: Rulebook, player: str | Agent | Chooser) -> None:
        super().__init__(book, player)
        self.name = self.agent.name

    def __call__(self, state: State, legal: list[int]) -> list[float]:
        """Return the probabilities of the legal actions; raises `UsageError` as the agent does."""
        if self.policy is None:
            game = self.book.game(state)
            moves = game.legal_moves(state.roll)
            return [float(x) for x in own_chances(self.agent, game, state.roll, moves)]
        best = self.best(state, sum(1 << start for start in legal))
        equal = tuple(start for start in legal if best >> start & 1)
        good, errs = after_ties(equal, self.policy.ties), share_of(self.policy)
        return [(1 - errs) * (start in good) / len(good) + errs / len(legal) for start in legal]


class ObservationChances:
    """Those of a function of an observation, and of the mask if it takes two arguments."""

    by_state = True

    def __init__(self, book: Rulebook, function: Callable[..., Any], *, masked: bool) -> None:
        self.book, self.function, self.masked = book, function, masked
        name = member(function, "__name__")
        self.name = name if isinstance(name, str) else type(function).__name__

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
        except Exception as error:
            raise UsageError(_fails(self.name, state, error)) from error
        found = np.asarray(said)
        if found.shape == (self.book.actions,):
            return _checked(self.name, state, dict(enumerate(found.tolist())), legal)
        chosen = self.book.checked(state, said)
        return [float(action == chosen) for action in legal]


class SpielChances:
    """Those of a policy of OpenSpiel; a bot is asked for its step, which may be random."""

    def __init__(self, book: Rulebook, policy: Any, *, bot: bool) -> None:
        from urcx.envs.openspiel import load_game

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
        except UrcxError:
            raise
        except Exception as error:
            raise UsageError(_fails(self.name, state, error)) from error
        return _checked(self.name, state, said, legal)


def _fails(name: str, state: State, error: Exception) -> str:
    return f"the policy {name} fails in {state.position} with roll {state.roll}: {fault(error)}"


def _checked(name: str, state: State, said: dict[int, Any], legal: list[int]) -> list[float]:
    """Return the probabilities of the legal actions; raises `UsageError` if they are none."""
    where = f"in {state.position} with roll {state.roll}"
    try:
        chances = [float(said.pop(action, 0.0)) for action in legal]
        rest = [float(value) for value in said.values()]
    except (TypeError, ValueError):
        raise UsageError(f"the policy {name} gives no probabilities {where}") from None
    if any(rest):
        known = ", ".join(map(str, legal))
        raise UsageError(f"the policy {name} plays illegal actions {where}; legal: {known}")
    total = sum(chances)
    if min(chances) < 0 or not abs(total - 1.0) <= ROUNDING:
        raise UsageError(f"the policy {name} gives probabilities {where} whose sum is {total:g}")
    return [chance / total for chance in chances]


def chances_of(book: Rulebook, policy: Any) -> Chances:
    """Return how likely a policy of any kind takes each legal action.

    Raises
    ------
    UsageError
        If it is none, or an agent that cannot play these rules.
    """
    if isinstance(policy, str | Agent) or member(policy, "choose") is not None:
        return AgentChances(book, policy)
    if callable(member(policy, "action_probabilities")):
        return SpielChances(book, policy, bot=False)
    if callable(member(policy, "step")) and member(policy, "inform_action") is not None:
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
