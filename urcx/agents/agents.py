"""Agents: who chooses the moves.

An agent is written ``name[:depth][:leaf][:ties]``, such as ``greedy``, ``panda:7`` or
``expectimax:3:advance+centre:random``, as ``optimal:FILE`` to play by a tablebase, or as
``FILE.py:FUNCTION`` for one of the user's own. Among
moves that are equally good to it, its tie rule decides: the piece found ``first`` (the least
advanced, which all that look ahead do unless told otherwise), ``last`` (the most advanced), or
``random`` (each with equal chance, from the seed).
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, TypeAlias

from urcx.agents.agent_kernels import TIES
from urcx.agents.lookahead import LEAVES
from urcx.engine.moves import Move
from urcx.errors import UnknownNameError, UsageError, WrongObjectError
from urcx.rules.position import Position

# A user's own: (position, roll, legal moves, two or more) to one of the moves.
Chooser: TypeAlias = Callable[[Position, int, tuple[Move, ...]], Move]

MAX_DEPTH = 40


@dataclass(frozen=True)
class Kind:
    """A kind of agent: what it does, its tie rule, and for those that look ahead their defaults.

    ``few_rolls`` is explained in `urcx.agents.lookahead`.
    """

    title: str
    ties: str
    depth: int | None = None
    leaf: str | None = None
    few_rolls: bool = False


KINDS = {
    "random": Kind("any legal move with equal chance", "random"),
    "first": Kind("the least advanced piece; one that enters counts as on step 0", "first"),
    "last": Kind("the most advanced piece", "last"),
    "greedy": Kind("any move that captures, else any to a rosette, else any", "last"),
    "gain": Kind(
        "tiles walked and taken less what the enemy may take, the gain of Raposo and Lamont", "last"
    ),
    "expectimax": Kind(
        "the highest leaf value after all plies looked at, over all rolls", "first", 3, "advance"
    ),
    "optimal": Kind(
        "the highest chance of winning in a solution: optimal:FILE, or found on the fly", "first"
    ),
    "panda": Kind(
        "as expectimax, but beyond the two next plies only rolls 1, 2, 3: Raposo and Lamont's",
        "first",
        7,
        "advance+centre",
        few_rolls=True,
    ),
}

ONLY_TIES = ("random", "first", "last")  # what they are is a tie rule among all legal moves


@dataclass(frozen=True)
class Agent:
    """An agent: a kind, with depth and leaf where it looks ahead, or a function of the user's.

    ``depth`` counts plies, the agent's own move included; ``ties`` is ``first``, ``last`` or
    ``random``; ``table`` is the file of the tablebase that ``optimal`` plays by.
    """

    kind: str
    ties: str
    depth: int | None = None
    leaf: str | None = None
    choose: Chooser | None = None
    table: str | None = None

    @property
    def name(self) -> str:
        """Return how the agent is written, without what is the default of its kind."""
        if self.choose is not None:
            return self.kind
        kind = KINDS[self.kind]
        parts = [self.kind]
        if self.depth is not None:
            parts.append(str(self.depth))
        if self.table is not None:
            parts.append(self.table)
        if self.leaf is not None and self.leaf != kind.leaf:
            parts.append(self.leaf)
        if self.ties != kind.ties:
            parts.append(self.ties)
        return ":".join(parts)

    @property
    def few_rolls(self) -> bool:
        """Return whether all but the first two plies looked at see only the rolls 1, 2 and 3."""
        return self.choose is None and KINDS[self.kind].few_rolls


def agent(
    text: str | Agent | Chooser,
    *,
    depth: int | None = None,
    leaf: str | None = None,
    ties: str | None = None,
) -> Agent:
    """Return the agent that a text says, or that plays by a function of the user's.

    Parameters
    ----------
    text
        As the module's docstring explains, or a function that is called with the position, the
        roll and the legal moves wherever there are two or more, and returns one of the moves.
    depth, leaf, ties
        For what the text leaves open.

    Returns
    -------
    Agent

    Raises
    ------
    UnknownNameError
        If there is no such agent.
    UsageError
        If a part is no depth from 1 to `MAX_DEPTH`, no leaf and no tie rule, comes twice, or does
        not apply to the agent; or if a file or function of the user's cannot be used.

    Examples
    --------
    >>> import urcx
    >>> panda = urcx.agent("panda:5")
    >>> panda.name, panda.depth, panda.ties
    ('panda:5', 5, 'first')
    >>> urcx.agent("greedy", ties="random").name
    'greedy:random'
    """
    if isinstance(text, Agent):
        return text
    if callable(text):
        return Agent(f"{getattr(text, '__name__', 'function')}()", "first", choose=text)
    if not isinstance(text, str):
        raise WrongObjectError("agent", Agent, text, "a name such as 'greedy', a function")
    name, *parts = text.split(":")
    if name.endswith(".py"):
        return Agent(text, "first", choose=_own(text, name, parts))
    if name not in KINDS:
        raise UnknownNameError("agent", name, dict.fromkeys(KINDS))
    return _built_in(text, _parts(text, parts), depth, leaf, ties)


def agents(
    texts: Sequence[str],
    *,
    depth: int | None = None,
    leaf: str | None = None,
    ties: str | None = None,
) -> list[Agent]:
    """Return the agents that texts say; depth, leaf and tie rule are for what they leave open.

    Raises
    ------
    UnknownNameError, UsageError
        As `agent` does; and if no agent leaves open what is given.
    """
    found = [agent(text, depth=depth, leaf=leaf, ties=ties) for text in texts]
    for option, value in (("depth", depth), ("leaf", leaf), ("ties", ties)):
        if value is not None and not any(_leaves_open(text, option) for text in texts):
            *names, last = (name for name in KINDS if _leaves_open(name, option))
            what = "that looks ahead and" if option != "ties" else "that"
            raise UsageError(
                f"--{option} goes with an agent {what} leaves it open: {', '.join(names)} or {last}"
            )
    return found


def _leaves_open(text: str, option: str) -> bool:
    """Return whether an agent's text does not say what one of the options does."""
    name, *parts = text.split(":")
    if name not in KINDS or option in _parts(text, parts):
        return False
    return name not in ONLY_TIES if option == "ties" else KINDS[name].depth is not None


def _built_in(
    text: str, said: dict[str, str], depth: int | None, leaf: str | None, ties: str | None
) -> Agent:
    """Return a built-in agent from what its text says and defaults; raises `UsageError`."""
    name = text.partition(":")[0]
    kind = KINDS[name]
    if "table" in said and name != "optimal":
        raise UsageError(f"agent {text!r}: {name} plays by no tablebase")
    if kind.depth is None and (said.keys() & {"depth", "leaf"}):
        raise UsageError(f"agent {text!r}: {name} does not look ahead")
    if name in ONLY_TIES:
        if "ties" in said:
            raise UsageError(f"agent {text!r}: to {name}, no two moves are equally good")
        return Agent(name, kind.ties)
    tie = said.get("ties", ties or kind.ties)
    if tie not in TIES:
        raise UsageError(f"unknown tie rule {tie!r}; known: {', '.join(TIES)}")
    if kind.depth is None:
        return Agent(name, tie, table=said.get("table"))
    plies = int(said["depth"]) if "depth" in said else kind.depth if depth is None else depth
    if not 1 <= plies <= MAX_DEPTH:
        raise UsageError(f"agent {text!r}: depth {plies} is not from 1 to {MAX_DEPTH}")
    value = said.get("leaf", leaf or kind.leaf)
    if value not in LEAVES:
        raise UsageError(f"unknown leaf {value!r}; known: {', '.join(LEAVES)}")
    return Agent(name, tie, plies, value)


def _parts(text: str, parts: list[str]) -> dict[str, str]:
    """Return what the parts behind an agent's name say, as texts; raises `UsageError`."""
    said: dict[str, str] = {}
    for part in parts:
        field = "leaf" if part in LEAVES else "ties" if part in TIES else "depth"
        if field == "depth" and not part.lstrip("-").isdecimal() and "." in part:
            field = "table"
        if field == "depth" and not re.fullmatch(r"-?[0-9]{1,9}", part):
            raise UsageError(
                f"agent {text!r}: {part!r} is no depth, no leaf ({', '.join(LEAVES)}) "
                f"and no tie rule ({', '.join(TIES)})"
            )
        if field in said:
            raise UsageError(f"agent {text!r}: {part!r} is a second {field}")
        said[field] = part
    return said


def _own(text: str, file: str, parts: list[str]) -> Chooser:
    """Return the function that ``FILE.py:FUNCTION`` names."""
    if len(parts) != 1:
        raise UsageError(f"agent {text!r}: write FILE.py:FUNCTION")
    if not FilePath(file).is_file():
        raise UsageError(f"agent {text!r}: there is no file {file}")
    name = f"urcx_agent_{FilePath(file).stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None  # noqa: S101 - its name ends in .py
    assert spec.loader is not None  # noqa: S101
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses in the file look themselves up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"agent {text!r}: {file} fails: {_said(error)}") from error
    function = getattr(module, parts[0], None)
    if not callable(function):
        raise UsageError(f"agent {text!r}: {file} has no function {parts[0]}")
    chooser: Chooser = function
    return chooser


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def own_move(chooser: Agent, position: Position, roll: int, moves: tuple[Move, ...]) -> Move:
    """Return the move that a user's own agent chooses.

    Raises
    ------
    UsageError
        If it raises, or returns anything but one of the moves; the message has the position.
    """
    assert chooser.choose is not None  # noqa: S101 - what "own" means
    try:
        move = chooser.choose(position, roll, moves)
    except Exception as error:
        raise UsageError(
            f"agent {chooser.name} fails in {position} with roll {roll}: {_said(error)}"
        ) from error
    if all(move != legal for legal in moves):  # it may be anything
        answer: Any = move
        said = f"{move.start}-{move.end}" if isinstance(answer, Move) else repr(answer)
        known = ", ".join(f"{m.start}-{m.end}" for m in moves)
        raise UsageError(
            f"agent {chooser.name} chose {said} in {position} with roll {roll}; legal: {known}"
        )
    return move
