"""Agents from the texts that name them, or from a user's function or object.

An agent is written ``name[:depth][:leaf][:ties]``, such as ``greedy``, ``panda:7`` or
``expectimax:3:advance+centre:random``, as ``optimal:FILE`` to play by a tablebase, as
``mistakes[:PERCENT][:AGENT]`` to play as another agent but for so many percent of its decisions, as
``net:FILE[:depth]`` to play by a network, as ``engine:[seconds:]COMMAND`` to have another program
play, or as ``FILE.py:NAME`` for one of the user's own, a function or an object with a method
``choose``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from urcx.agents.agent_kernels import TIES
from urcx.agents.agents import PERFECT, Agent
from urcx.agents.engines import engine_called
from urcx.agents.kinds import ENGINE, KINDS
from urcx.agents.lookahead import LEAVES
from urcx.agents.own_agents import Chooser, from_file, own_agent
from urcx.errors import UnknownNameError, UsageError, WrongObjectError, attribute_of, check_name
from urcx.rules.catalogue import catalogue, whole

__all__ = ["agent"]

MAX_DEPTH = 40
NUMBER = re.compile("-?[0-9]{1,9}")  # a depth, or percent
PERCENT = 10  # of an agent's decisions in which it errs, where none is given


def agent(
    text: str | Agent | Chooser,
    *,
    depth: int | None = None,
    leaf: str | None = None,
    ties: str | None = None,
) -> Agent:
    """Return the agent that a text names, or one that plays as a user's function or object chooses.

    Parameters
    ----------
    text
        ``NAME[:DEPTH][:LEAF][:TIES]`` (see :doc:`/agents`), ``optimal:FILE``, ``engine:COMMAND``
        for another program (:doc:`/engines`), or ``FILE.py:NAME`` for one of the user's own. Or a
        `urcx.Engine`; or a function that is called with the position, the roll and the
        legal moves wherever there are two or more, and returns one of the moves; or an object whose
        method ``choose`` is called with the game, the roll and a generator of random numbers.
    depth, leaf, ties
        Used where the text does not set them.

    Returns
    -------
    Agent

    Raises
    ------
    UnknownNameError
        If there is no such agent.
    UsageError
        If a part is no depth from 1 to `MAX_DEPTH`, no leaf and no tie rule, comes twice, or does
        not apply to the agent; or if a file, function or program of the user's cannot be used.

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
    if not isinstance(text, str):
        return _of_the_user(text)
    depth = None if depth is None else whole("depth", depth)
    name, *parts = split(text)
    if name.endswith(".py"):
        return Agent(text, "first", function=from_file(text, name, parts))
    if name in catalogue().rules:
        hint = f"it is a rule set: pass rules={name!r}, or --rules {name} on the command line"
        raise UnknownNameError("agent", name, KINDS, hint)
    check_name("agent", name, KINDS)
    if name == ENGINE:
        return Agent(text, "first", function=engine_called(text))
    if KINDS[name].chooses == "mistakes":
        percent, other = _mistakes(parts)
        if not 0 <= percent <= 100:
            raise UsageError(f"agent {text!r}: {percent} percent is not from 0 to 100")
        base = agent(other, depth=depth, leaf=leaf, ties=ties)
        if base.is_own or base.base is not None:
            raise UsageError(f"agent {text!r}: {base.name} is no agent that mistakes are made from")
        return Agent(name, base.ties, percent=percent, base=base)
    return _built_in(text, _parts(text, parts), depth, leaf, ties)


def agents(
    texts: Sequence[str],
    *,
    depth: int | None = None,
    leaf: str | None = None,
    ties: str | None = None,
) -> list[Agent]:
    """Return the agents that texts name; depth, leaf and tie rule apply where a text has none.

    Raises
    ------
    UnknownNameError, UsageError
        As `agent` does; and if a value is given that every text already has.
    """
    found = [agent(text, depth=depth, leaf=leaf, ties=ties) for text in texts]
    for option, value in (("depth", depth), ("leaf", leaf), ("ties", ties)):
        if value is not None and not any(_leaves_open(text, option) for text in texts):
            *names, last = (name for name in KINDS if _leaves_open(name, option))
            what = "that looks ahead and" if option != "ties" else "that"
            raise UsageError(
                f"--{option} needs an agent {what} leaves it open: {', '.join(names)} or {last}"
            )
    return found


def as_several(given: str | Agent | Chooser | Sequence[str | Agent | Chooser]) -> Sequence[Any]:
    """Return several agents as they were given, or a single one as the only one of several.

    Raises
    ------
    UsageError
        If it is neither.
    """
    if (
        isinstance(given, str | Agent)
        or callable(given)
        or attribute_of(given, "choose") is not None
    ):
        return [given]
    if isinstance(given, Sequence):
        return given
    raise WrongObjectError("agents", Agent, given, "a list of names such as ['greedy']")


def as_sent(player: Agent) -> Agent | str:
    """Return an agent as it is sent to another process, with the whole path of its file."""
    if player.is_own and not player.is_engine:
        file, colon, name = player.kind.rpartition(":")
        return f"{Path(file).resolve()}:{name}" if colon and file.endswith(".py") else player
    if player.table is not None:
        return replace(player, table=str(Path(player.table).resolve()))
    if player.base is not None:
        base = as_sent(player.base)
        assert isinstance(base, Agent)
        return replace(player, base=base)
    return player


def split(text: str) -> list[str]:
    r"""Split an agent's text into its name and its parts.

    A colon may stand in a file's name, too: ``optimal:C:\games\finkel.urcx`` has two parts, and so
    has ``runs 08:04/mine.py:best``. The file is all that the fields on both sides of it leave.
    """
    own = re.fullmatch(r"(.*\.py)(?::(.*))?", text, re.DOTALL)
    name, *parts = text.split(":")
    kind = KINDS.get(name)
    if kind is None:
        return [part for part in own.groups() if part is not None] if own else [name, *parts]
    if kind.chooses == "mistakes":
        other = 1 if parts and NUMBER.fullmatch(parts[0]) else 0
        return [name, *parts[:other], *(split(":".join(parts[other:])) if parts[other:] else ())]
    if kind.file == "none" or name == ENGINE:
        return [name, *parts]
    first, end = 0, len(parts)
    while kind.file == "may" and first < end and _is_field(parts[first]):
        first += 1
    while end > max(first, kind.file == "must") and _is_field(parts[end - 1]):
        end -= 1
    file = [":".join(parts[first:end])] if first < end else []
    return [name, *parts[:first], *file, *parts[end:]]


def _is_field(part: str) -> bool:
    return part in LEAVES or part in TIES or NUMBER.fullmatch(part) is not None


def _mistakes(parts: list[str]) -> tuple[int, str]:
    """Return in how many percent of its decisions an agent errs, and as whom else it plays."""
    given = bool(parts) and NUMBER.fullmatch(parts[0]) is not None
    return int(parts[0]) if given else PERCENT, ":".join(parts[given:]) or PERFECT


def _leaves_open(text: str, option: str) -> bool:
    """Return whether one of the options applies to an agent and its text does not set it."""
    name, *parts = split(text)
    if name in KINDS and KINDS[name].chooses == "mistakes":
        return _leaves_open(_mistakes(parts)[1], option)
    if name not in KINDS or name == ENGINE or option in _parts(text, parts):
        return False
    if option == "ties":
        return KINDS[name].chooses != "ties"
    return (KINDS[name].leaf if option == "leaf" else KINDS[name].depth) is not None


def _built_in(
    text: str, given: dict[str, str], depth: int | None, leaf: str | None, ties: str | None
) -> Agent:
    """Return a built-in agent from the parts of its text and defaults; raises `UsageError`."""
    name = text.partition(":")[0]
    kind = KINDS[name]
    _check_parts(text, name, given)
    if kind.chooses == "ties":
        if "ties" in given:
            raise UsageError(f"agent {text!r}: to {name}, no two moves are equally good")
        return Agent(name, kind.ties)
    tie = given.get("ties", ties or kind.ties)
    check_name("tie rule", tie, TIES)
    if kind.depth is None:
        return Agent(name, tie, table=given.get("table"))
    plies = int(given["depth"]) if "depth" in given else kind.depth if depth is None else depth
    if not 1 <= plies <= MAX_DEPTH:
        raise UsageError(f"agent {text!r}: depth {plies} is not from 1 to {MAX_DEPTH}")
    if kind.leaf is None:
        return Agent(name, tie, plies, table=given.get("table"))
    value = given.get("leaf", leaf or kind.leaf)
    check_name("leaf", value, LEAVES)
    return Agent(name, tie, plies, value)


def _check_parts(text: str, name: str, given: dict[str, str]) -> None:
    """Raise `UsageError` if a part of an agent's text does not apply to it."""
    kind = KINDS[name]
    if "table" in given and kind.file == "none":
        raise UsageError(f"agent {text!r}: {name} plays by no tablebase")
    if kind.file == "must" and "table" not in given:
        raise UsageError(f"agent {text!r}: the network's file is missing; write {name}:FILE")
    if kind.depth is None and (given.keys() & {"depth", "leaf"}):
        raise UsageError(f"agent {text!r}: {name} does not look ahead")
    if kind.leaf is None and "leaf" in given:
        raise UsageError(f"agent {text!r}: its leaves are valued by the network")


def _parts(text: str, parts: list[str]) -> dict[str, str]:
    """Return the parts after an agent's name by what each sets; raises `UsageError`."""
    given: dict[str, str] = {}
    kind = KINDS.get(text.partition(":")[0])
    if kind is not None and kind.file == "must" and parts:  # whatever the file's name looks like
        given["table"] = parts[0]
        parts = parts[1:]
    for part in parts:
        field = "leaf" if part in LEAVES else "ties" if part in TIES else "depth"
        if field == "depth" and not part.lstrip("-").isdecimal() and re.search(r"[./\\]", part):
            field = "table"
        if field == "depth" and not NUMBER.fullmatch(part):
            raise UsageError(
                f"agent {text!r}: {part!r} is no depth, no leaf ({', '.join(LEAVES)}) "
                f"and no tie rule ({', '.join(TIES)})"
            )
        if field in given:
            raise UsageError(f"agent {text!r}: {part!r} is a second {field}")
        given[field] = part
    return given


def _of_the_user(given: Any) -> Agent:
    """Wrap a function or an object of the user's as an agent; raises `UsageError`."""
    choosing = callable(given) or attribute_of(given, "choose") is not None
    if not choosing or isinstance(given, np.ndarray | np.generic):  # numpy's choose is another
        raise WrongObjectError("agent", Agent, given, "a name such as 'greedy', a function")
    if isinstance(given, type):
        given = own_agent(given, given.__name__)
    choosing = attribute_of(given, "choose") is not None
    known = attribute_of(given, "name" if choosing else "__name__")
    if not isinstance(known, str):
        known = f"{type(given).__name__}()" if choosing else "function()"
    elif not choosing:
        known += "()"
    return Agent(known, "first", function=given)
