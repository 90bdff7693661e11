"""Agents of the user's own: how they are found, made, and asked for moves.

An own agent is a function or an object with a method ``choose``, given as such or named by
``FILE.py:NAME``. What it raises or returns is checked, so that its errors name it and the position;
only Ctrl-C is left as it is.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib.machinery import PathFinder
from pathlib import Path as FilePath
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from urcx.engine.moves import Move
from urcx.errors import EngineError, UsageError, exception_text, get_attribute, quoted
from urcx.game import Game, mover_path
from urcx.reading import read_bytes
from urcx.rules.catalogue import as_integer
from urcx.rules.position import Position, move_name

if TYPE_CHECKING:  # an agent asks the own agent that it wraps
    from urcx.agents.agents import Agent

__all__ = ["OwnAgent"]


class OwnAgent(Protocol):
    """An agent of the user's: an object that chooses moves.

    It may have a ``name``, and ``move_probabilities(game, roll)``, a mapping of legal moves to
    their chances, if it chooses at random and is to say how.
    """

    def choose(self, game: Game, roll: int, rng: np.random.Generator, /) -> Move:
        """Return one of ``game.legal_moves(roll)``, of which there are two or more."""


# A function of the user's: (position, roll, legal moves, two or more) to one of the moves.
Function: TypeAlias = Callable[[Position, int, tuple[Move, ...]], Move]


CustomAgent: TypeAlias = Function | OwnAgent
Chance: TypeAlias = np.random.Generator | Random | int | None
MOST_SOURCE = 1 << 24  # bytes
_SEARCHED: dict[FilePath, None] = {}  # directories of agents' files
ROUNDING = 1e-9  # of chances in floating point


def generator(rng: Chance) -> np.random.Generator:
    """Return numpy's generator as it is, or one made from Python's, a seed, or unpredictably.

    Raises
    ------
    UsageError
        If it is none of these.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, Random):
        return np.random.default_rng(rng.getrandbits(128))
    if rng is None:
        return np.random.default_rng()
    seed = as_integer("rng", rng)
    if seed < 0:
        raise UsageError(f"seed {seed}: at least 0 is needed")
    return np.random.default_rng(seed)


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Make whatever a user's code raises an error in one line; Ctrl-C stays, and so do engines'.

    Even sys.exit: it must not end urcx as if all were done.
    """
    try:
        yield
    except (KeyboardInterrupt, EngineError):
        raise
    except BaseException as error:
        raise UsageError(f"{what}: {exception_text(error)}") from error


def own_agent(value: type, text: str) -> Any:
    """Return an object of a class that was given as an agent; raises `UsageError`."""
    if get_attribute(value, "choose") is None:
        raise UsageError(f"agent {text!r} is a class without a method choose")
    with blamed(f"agent {text!r} cannot be made"):
        return value()


def from_file(text: str, file: str, parts: list[str]) -> CustomAgent:
    """Return the function or object that ``FILE.py:NAME`` names; raises `UsageError`."""
    if len(parts) != 1:
        raise UsageError(f"agent {text!r}: write FILE.py:FUNCTION")
    if not FilePath(file).is_file():
        raise UsageError(f"agent {text!r}: there is no file {file}")
    _search_beside(text, FilePath(file))
    name = f"urcx_agent_{FilePath(file).stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses in the file look themselves up there
    with blamed(f"agent {text!r}: {file} fails"):
        spec.loader.exec_module(module)
    found = get_attribute(module, parts[0])
    if isinstance(found, type):
        found = own_agent(found, text)
    if not (callable(found) or get_attribute(found, "choose") is not None):
        raise UsageError(f"agent {text!r}: {file} has no function {parts[0]}")
    chooser: CustomAgent = found
    return chooser


def _search_beside(text: str, file: FilePath) -> None:
    """Have the file's directory searched for modules, last, while it is loaded and afterwards.

    Raises
    ------
    UnusableFileError
        If the file cannot be read.
    UsageError
        If it imports a neighbour whose name another agent's neighbour has: Python would give both
        the same.
    """
    source = read_bytes(file, MOST_SOURCE)
    imported = re.findall(rb"^[ \t]*(?:import|from)[ \t]+(\w+)", source, re.MULTILINE)
    directory = file.resolve().parent
    installed = [place for place in sys.path if FilePath(place) not in _SEARCHED]
    for name in (word.decode() for word in imported):
        places = [one for one in (directory, *_SEARCHED) if _has_module(one, name)]
        beside = directory in places and len(set(places)) > 1
        if beside and PathFinder.find_spec(name, installed) is None:
            raise UsageError(
                f"agent {text!r} imports {name}, which also lies in {places[-1]}, beside another "
                "agent; give one of them another name"
            )
    _SEARCHED[directory] = None
    if str(directory) not in sys.path:
        sys.path.append(str(directory))


def _has_module(directory: FilePath, name: str) -> bool:
    return (directory / f"{name}.py").is_file() or (directory / name).is_dir()


def custom_move(
    chooser: Agent,
    game: Game,
    roll: int,
    moves: tuple[Move, ...],
    rng: np.random.Generator,
) -> Move:
    """Return the legal move that a user's own agent chooses.

    Raises
    ------
    UsageError
        If the agent raises an error, or returns anything but one of the moves; the message names
        the position.
    EngineError
        If it is another program, and that fails.
    """
    own: Any = chooser.function
    where = f"in {game.position.on(game.rules.path)} with roll {roll}"
    way = mover_path(game)
    with blamed(f"agent {chooser.name} fails {where}"):
        asked = getattr(own, "choose", None)
        move: Any = asked(game, roll, rng) if asked else own(game.position, roll, moves)
        result = next((legal for legal in moves if move == legal), None)  # it may be anything
        said = move_name(move.start, move.end, way) if isinstance(move, Move) else quoted(move)
    if result is None:
        known = ", ".join(move_name(move.start, move.end, way) for move in moves)
        raise UsageError(f"agent {chooser.name} chose {said} {where}; legal: {known}")
    return result


def custom_probabilities(
    chooser: Agent, game: Game, roll: int, moves: tuple[Move, ...]
) -> tuple[Fraction, ...]:
    """Return how likely a user's own agent plays each of the legal moves.

    These are its ``move_probabilities``, if it has such a method; else it is asked for a move, with
    the same random numbers each time, which then has probability 1.

    Raises
    ------
    UsageError
        If the agent raises an error, returns a move that is not legal, or probabilities that are
        not numbers or do not add up to 1.
    """
    asked = get_attribute(chooser.function, "move_probabilities")
    if len(moves) == 1:
        return (Fraction(1),)
    if asked is None:
        chosen = custom_move(chooser, game, roll, moves, generator(0))
        return tuple(Fraction(move == chosen) for move in moves)
    where = f"in {game.position.on(game.rules.path)} with roll {roll}"
    with blamed(f"agent {chooser.name} fails {where}"):
        given = dict(asked(game, roll))
        chances = tuple(Fraction(given.pop(move, 0)) for move in moves)
    total = sum(chances, Fraction(0))
    if given or min(chances) < 0 or not abs(float(total) - 1.0) <= ROUNDING:
        raise UsageError(
            f"agent {chooser.name}: move_probabilities {where} must be chances of legal moves that "
            "add up to 1"
        )
    return tuple(chance / total for chance in chances)
