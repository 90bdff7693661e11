"""Users' agents: loading them, making them, and asking them for moves.

A user's agent is a function, or an object with a method ``choose``. It is passed as an object or
named by ``FILE.py:NAME``. Its answers and errors are checked, so messages name the agent and the
position. Only Ctrl-C passes unchanged.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
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

if TYPE_CHECKING:  # an agent wraps a user's agent
    from urcx.agents.agents import Agent

__all__ = ["OwnAgent"]


class OwnAgent(Protocol):
    """A user's agent: an object that chooses moves.

    It may have a ``name``. If it chooses at random, it may have ``move_probabilities(game, roll)``,
    which returns a mapping of legal moves to their probabilities.
    """

    def choose(self, game: Game, roll: int, rng: np.random.Generator, /) -> Move:
        """Return one of ``game.legal_moves(roll)``, of which there are two or more."""


# A user's function: takes position, roll and two or more legal moves, and returns one of them, or
# the probability of each.
Function: TypeAlias = Callable[[Position, int, tuple[Move, ...]], Move | Mapping[Move, Any]]


CustomAgent: TypeAlias = Function | OwnAgent
Chance: TypeAlias = np.random.Generator | Random | int | None
MOST_SOURCE = 1 << 24  # bytes
_SEARCHED: dict[FilePath, None] = {}  # directories of agents' files
ROUNDING = 1e-9  # of probabilities in floating point


def generator(rng: Chance) -> np.random.Generator:
    """Return a numpy generator unchanged, or make one from Python's, a seed, or None.

    None gives an unpredictable generator.

    Raises
    ------
    UsageError
        If the value is anything else.
    """
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, Random):
        return np.random.default_rng(rng.getrandbits(128))
    if rng is None:
        return np.random.default_rng()
    seed = as_integer("rng", rng)
    if seed < 0:
        raise UsageError(f"seed {seed}: must be at least 0")
    return np.random.default_rng(seed)


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Turn any exception of a user's code, except Ctrl-C and engine errors, into a `UsageError`.

    This includes sys.exit, which must not end urcx as if its work were done.
    """
    try:
        yield
    except (KeyboardInterrupt, EngineError):
        raise
    except BaseException as error:
        raise UsageError(f"{what}: {exception_text(error)}") from error


def own_agent(value: type, text: str) -> Any:
    """Return an object of a user's class, or raise `UsageError`."""
    if get_attribute(value, "choose") is None:
        raise UsageError(f"agent {text!r}: the class needs a method choose")
    with blamed(f"agent {text!r} cannot be made"):
        return value()


def from_file(text: str, file: str, parts: list[str]) -> CustomAgent:
    """Return the function or object that ``FILE.py:NAME`` names, or raise `UsageError`."""
    if len(parts) != 1:
        raise UsageError(f"agent {text!r}: write FILE.py:FUNCTION")
    if not FilePath(file).is_file():
        raise UsageError(f"agent {text!r}: there is no file {file}")
    _add_directory(text, FilePath(file))
    name = f"urcx_agent_{FilePath(file).stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses in the file look themselves up there
    with blamed(f"agent {text!r}: {file} fails"):
        spec.loader.exec_module(module)
    value = get_attribute(module, parts[0])
    if isinstance(value, type):
        value = own_agent(value, text)
    if not (callable(value) or get_attribute(value, "choose") is not None):
        raise UsageError(f"agent {text!r}: {file} has no function {parts[0]}")
    chooser: CustomAgent = value
    return chooser


def _add_directory(text: str, file: FilePath) -> None:
    """Add the file's directory to the end of Python's search path, and leave it there.

    Raises
    ------
    UnusableFileError
        If the file cannot be read.
    UsageError
        If the file imports a neighbour whose name a neighbour of another agent has. Python would
        give both agents the same module.
    """
    source = read_bytes(file, MOST_SOURCE)
    imported = re.findall(rb"^[ \t]*(?:import|from)[ \t]+(\w+)", source, re.MULTILINE)
    directory = file.resolve().parent
    installed = [place for place in sys.path if FilePath(place) not in _SEARCHED]
    for name in (word.decode() for word in imported):
        places = [folder for folder in (directory, *_SEARCHED) if _has_module(folder, name)]
        ambiguous = directory in places and len(set(places)) > 1
        if ambiguous and PathFinder.find_spec(name, installed) is None:
            raise UsageError(
                f"agent {text!r} imports {name}, but {places[-1]} of another agent has a module of "
                "the same name. Rename one of them"
            )
    _SEARCHED[directory] = None
    if str(directory) not in sys.path:
        sys.path.append(str(directory))


def _has_module(directory: FilePath, name: str) -> bool:
    return (directory / f"{name}.py").is_file() or (directory / name).is_dir()


class NoChance:
    """Stands for a generator where an agent must not draw random numbers."""

    def __getattr__(self, name: str) -> Any:
        raise UsageError(
            "it draws random numbers, but exact figures need its probabilities: give it a method "
            "move_probabilities"
        )


def custom_move(
    chooser: Agent,
    game: Game,
    roll: int,
    moves: tuple[Move, ...],
    rng: np.random.Generator,
) -> Move:
    """Return the legal move that a user's agent chooses.

    Raises
    ------
    UsageError
        If the agent raises an error, or returns neither one of the moves nor their probabilities.
        The message names the position.
    EngineError
        If the agent is another program, and the program fails.
    """
    answer = _answer(chooser, game, roll, moves, rng)
    if not isinstance(answer, Mapping):
        return _legal(chooser, game, roll, moves, answer)
    shares = _chances(chooser, game, roll, moves, answer)
    return moves[int(rng.choice(len(moves), p=[float(share) for share in shares]))]


def custom_probabilities(
    chooser: Agent, game: Game, roll: int, moves: tuple[Move, ...], *, fixed: bool = False
) -> tuple[Fraction, ...]:
    """Return the probability with which a user's agent plays each of the legal moves.

    An agent that gives no probabilities chooses a move, with the same random numbers each time, and
    that move has probability 1. If ``fixed``, it must not draw random numbers.

    Raises
    ------
    UsageError
        If the agent raises an error or returns a move that is not legal, or if its probabilities
        are not numbers or do not add up to 1.
    """
    if len(moves) == 1:
        return (Fraction(1),)
    probabilities_of = get_attribute(chooser.function, "move_probabilities")
    if probabilities_of is not None:
        with _failing(chooser, game, roll):
            answer = probabilities_of(game, roll)
        return _chances(chooser, game, roll, moves, answer)
    rng: Any = NoChance() if fixed else generator(0)
    answer = _answer(chooser, game, roll, moves, rng)
    if isinstance(answer, Mapping):
        return _chances(chooser, game, roll, moves, answer)
    chosen = _legal(chooser, game, roll, moves, answer)
    return tuple(Fraction(move == chosen) for move in moves)


def _where(game: Game, roll: int) -> str:
    return f"in {game.position.on(game.rules.path)} with roll {roll}"


def _failing(chooser: Agent, game: Game, roll: int) -> AbstractContextManager[None]:
    return blamed(f"agent {chooser.name} fails {_where(game, roll)}")


def _answer(
    chooser: Agent, game: Game, roll: int, moves: tuple[Move, ...], rng: np.random.Generator
) -> Any:
    """Return the answer of a user's agent: a move, or probabilities of moves, both unchecked."""
    own: Any = chooser.function
    with _failing(chooser, game, roll):
        choose = getattr(own, "choose", None)
        return choose(game, roll, rng) if choose else own(game.position, roll, moves)


def _legal(chooser: Agent, game: Game, roll: int, moves: tuple[Move, ...], move: Any) -> Move:
    """Return the legal move that an answer is, or raise `UsageError`."""
    way = mover_path(game)
    with _failing(chooser, game, roll):
        result = next((legal for legal in moves if move == legal), None)  # of any type
        answer = move_name(move.start, move.end, way) if isinstance(move, Move) else quoted(move)
    if result is None:
        names = ", ".join(move_name(move.start, move.end, way) for move in moves)
        raise UsageError(
            f"agent {chooser.name} chose {answer} {_where(game, roll)}; legal: {names}"
        )
    return result


def _chances(
    chooser: Agent, game: Game, roll: int, moves: tuple[Move, ...], answer: Any
) -> tuple[Fraction, ...]:
    """Return the probability of each legal move from an answer, or raise `UsageError`."""
    with _failing(chooser, game, roll):
        answer = dict(answer)
        chances = tuple(Fraction(answer.pop(move, 0)) for move in moves)
    total = sum(chances, Fraction(0))
    if answer or min(chances) < 0 or not abs(float(total) - 1.0) <= ROUNDING:
        raise UsageError(
            f"agent {chooser.name}: move_probabilities {_where(game, roll)} must be probabilities "
            "of legal moves that add up to 1"
        )
    return tuple(chance / total for chance in chances)
